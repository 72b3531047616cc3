#!/usr/bin/env python3
# Draws one frame of a trace of the renderer as an SVG: its passes on their streams, and the workers that ran them.
#
# usage: docs/pictures/trace.py TRACE.json PICTURE.svg
#
# docs/pictures/trace.svg is made by:
#   GEVT_TRACE=build/trace.json make demo ARGS=4 && docs/pictures/trace.py build/trace.json docs/pictures/trace.svg
#
# A test draws a new trace and compares the words.

import json
import sys

FRAME = 2  # the second one: the pipeline is full by then
LEFT, RIGHT, ROW, GAP, TOP, COLUMN = 90, 16, 24, 20, 64, 2
KINDS = ["first", "second", "third", "fourth"]
STYLE = """<style>
text { font: 13px sans-serif; fill: #1f2328 }
.note { font-size: 12px; fill: #59636e }
.back { fill: #ffffff }
.row { fill: #eef1f4 }
.wait { fill: #f1dca9 }
.first { fill: #2f6f9f }
.second { fill: #3f8a4f }
.third { fill: #c07c2c }
.fourth { fill: #7d5ba6 }
.other { opacity: 0.3 }
.pass { fill: none; stroke: #1f2328; stroke-width: 2 }
.event { fill: #b03a48 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.note { fill: #a9b3bd }
.back { fill: #0d1117 }
.row { fill: #21262d }
.wait { fill: #5c4a1c }
.first { fill: #6aa9d8 }
.second { fill: #6fbf7f }
.third { fill: #e0a458 }
.fourth { fill: #b294d8 }
.pass { stroke: #f0f6fc }
.event { fill: #ff7b86 }
}
</style>"""


def read(entries):
    """Gives (begin, end, name) of each slice and (time, name) of each reached event, by track."""
    open_slices, slices, marks = {}, {}, {}
    for entry in entries:
        track = (entry["pid"], entry.get("tid"))
        if entry["ph"] == "B":
            open_slices.setdefault(track, []).append((entry["ts"], entry["name"]))
        elif entry["ph"] == "E" and open_slices.get(track):
            begin, name = open_slices[track].pop()
            slices.setdefault(track, []).append((begin, entry["ts"], name))
        elif entry["ph"] == "i" and entry.get("cat") == "event":
            marks.setdefault(track, []).append((entry["ts"], entry["name"]))
    return slices, marks


def columns(slices, begin, width, count):
    """Gives the name that took most of the time of each column, or None."""
    busy = [{} for _ in range(count)]
    for since, until, name in slices:
        for at in range(max(int((since - begin) / width), 0), min(int((until - begin) / width) + 1, count)):
            overlap = min(until, begin + (at + 1) * width) - max(since, begin + at * width)
            busy[at][name] = busy[at].get(name, 0) + overlap
    return [max(one, key=one.get) if one else None for one in busy]


def main(source, target):
    with open(source, encoding="utf-8") as file:
        entries = json.load(file)["traceEvents"]
    groups = {e["pid"]: e["args"]["name"] for e in entries if e.get("name") == "process_name"}
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in entries if e.get("name") == "thread_name"}
    streams = {track: name for track, name in sorted(named.items()) if groups[track[0]].startswith("streams")}
    workers = [track for track, name in sorted(named.items()) if name == "gevt-host"]
    kinds = {name: KINDS[i % len(KINDS)] for i, name in enumerate(streams.values())}
    rows = {track: row for row, track in enumerate([*streams, *workers])}
    slices, marks = read(entries)

    # A zone records the stream's own name at its begin and at its end.
    passes = {}
    for track, name in streams.items():
        zone = [time for time, mark in marks[track] if mark == name]
        passes[track] = tuple(zone[2 * FRAME - 2 : 2 * FRAME])
    first, last = min(zone[0] for zone in passes.values()), max(zone[1] for zone in passes.values())
    begin, end = first - (last - first) * 0.03, last + (last - first) * 0.03
    scale = (800 - LEFT - RIGHT) / (end - begin)
    height = TOP + len(rows) * (ROW + GAP) + 30

    def bar(since, until, track, kind):
        since, until = max(since, begin), min(until, end)
        if since < until:
            y = TOP + rows[track] * (ROW + GAP)
            wide = max((until - since) * scale, 0.5)
            out.append(f'<rect class="{kind}" x="{LEFT + (since - begin) * scale:.1f}" y="{y}" width="{wide:.1f}" height="{ROW}"/>')

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" role="img">',
        "<title>One frame of the renderer: its passes on three streams, and the workers that ran them</title>",
        STYLE,
        f'<rect class="back" width="800" height="{height}"/>',
        f'<text x="20" y="24">Frame {FRAME}: a pass on each stream</text>',
    ]
    x = 266
    for kind, label in (("first other", "other frames"), ("wait", "waits for another stream"), ("event", "reaches an event")):
        out.append(f'<rect class="{kind}" x="{x}" y="13" width="12" height="12"/><text class="note" x="{x + 18}" y="24">{label}</text>')
        x += 46 + 7 * len(label)
    for track, row in rows.items():
        label = streams.get(track) or f"worker {workers.index(track) + 1}"
        out.append(f'<text x="{LEFT - 8}" y="{TOP + row * (ROW + GAP) + 18}" text-anchor="end">{label}</text>')
        bar(begin, end, track, "row")

    def part(since, until, track, stream):
        """Draws work of a stream: strong inside of the frame's pass, pale in other frames."""
        zone = passes[next(owner for owner, name in streams.items() if name == stream)]
        bar(since, min(until, zone[0]), track, f"{kinds[stream]} other")
        bar(max(since, zone[0]), min(until, zone[1]), track, kinds[stream])
        bar(max(since, zone[1]), until, track, f"{kinds[stream]} other")

    for track, stream in streams.items():
        for since, until, name in slices[track]:
            if name.startswith("wait"):
                bar(since, until, track, "wait")
            elif (until - since) * scale > 0.5:
                part(since, until, track, stream)
    for track in workers:
        since = begin
        ran = columns(slices.get(track, []), begin, COLUMN / scale, round((end - begin) * scale / COLUMN))
        for at, name in enumerate(ran):
            if at + 1 == len(ran) or ran[at + 1] != name:
                until = begin + (at + 1) * COLUMN / scale
                if (name or "").removeprefix("items ") in kinds:
                    part(since, until, track, name.removeprefix("items "))
                since = until
    for track, zone in passes.items():
        y = TOP + rows[track] * (ROW + GAP)
        left, right = (LEFT + (time - begin) * scale for time in zone)
        out.append(f'<rect class="pass" x="{left:.1f}" y="{y - 2}" width="{right - left:.1f}" height="{ROW + 4}"/>')
        out.append(f'<circle class="event" cx="{right:.1f}" cy="{y + ROW / 2}" r="5"/>')
        middle = min(max((left + right) / 2, LEFT + 60), 800 - RIGHT - 40)
        milliseconds = (zone[1] - zone[0]) / 1e3
        out.append(f'<text class="note" x="{middle:.1f}" y="{y - 5}" text-anchor="middle">{milliseconds:.0f} ms</text>')
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if (end - begin) / 1e3 / step <= 8)
    for tick in range(int((end - first) / 1e3 / step) + 1):
        at = LEFT + (first - begin + tick * step * 1e3) * scale
        out.append(f'<text class="note" x="{at:.1f}" y="{height - 10}" text-anchor="middle">{tick * step} ms</text>')
    out.append("</svg>\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:3])
