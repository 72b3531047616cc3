#!/usr/bin/env python3
# Draws a trace of the renderer as an SVG: what each stream did, and which stream's items each worker ran.
#
# usage: docs/pictures/trace.py TRACE.json PICTURE.svg
#
# docs/pictures/trace.svg is made by:
#   GEVT_TRACE=build/trace.json ci/demo.sh 4 && docs/pictures/trace.py build/trace.json docs/pictures/trace.svg

import json
import sys
from xml.sax.saxutils import escape

WIDTH, LEFT, ROW, GAP, TOP = 1000, 90, 16, 5, 34
WAIT = "#f3dfb0"
RECORD = "#b03a48"
STREAMS = ["#2f6f9f", "#5b9f6b", "#c07c2c", "#7d5ba6"]


def slices(entries):
    """Gives [track, begin, end, name] for each slice, and (track, time) for each event of a stream that was reached."""
    open_slices, found, records = {}, [], []
    for entry in entries:
        track = (entry["pid"], entry.get("tid"))
        if entry["ph"] == "B":
            open_slices.setdefault(track, []).append((entry["ts"], entry["name"]))
        elif entry["ph"] == "E" and open_slices.get(track):
            begin, name = open_slices[track].pop()
            found.append([track, begin, entry["ts"], name])
        elif entry["ph"] == "i" and entry.get("cat") == "event":
            records.append((track, entry["ts"]))
    return found, records


def joined(found, least):
    """Joins neighbouring slices of one kind that are closer to each other than `least`, which nobody could see."""
    last, result = {}, []
    for track, begin, end, name in sorted(found, key=lambda one: (one[0], one[1])):
        before = last.get((track, name))
        if before is not None and begin - before[2] < least:
            before[2] = end
        else:
            last[(track, name)] = one = [track, begin, end, name]
            result.append(one)
    return result


def main(source, target):
    with open(source, encoding="utf-8") as file:
        trace = json.load(file)["traceEvents"]
    groups = {e["pid"]: e["args"]["name"] for e in trace if e.get("name") == "process_name"}
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace if e.get("name") == "thread_name"}
    streams = {track: name for track, name in sorted(named.items()) if groups[track[0]].startswith("streams")}
    workers = [track for track, name in sorted(named.items()) if name == "gevt-host"]
    colours = {f"items {name}": STREAMS[i % len(STREAMS)] for i, name in enumerate(streams.values())}
    labels = dict(streams)
    labels.update({track: f"worker {i + 1}" for i, track in enumerate(workers)})
    rows = {track: row for row, track in enumerate(labels)}

    found, records = slices(trace)
    shown = [one for one in found if one[0] in rows]
    begin = min(one[1] for one in shown)
    end = max(one[2] for one in shown)
    scale = (WIDTH - LEFT - 10) / (end - begin)
    height = TOP + len(rows) * (ROW + GAP) + 26

    def colour(track, name):
        if name.startswith("wait"):
            return WAIT
        return colours.get(name) or colours.get(f"{name} {streams.get(track)}")

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    x = LEFT
    legend = [(colour, name.removeprefix("items ")) for name, colour in colours.items()]
    for fill, label in [*legend, (WAIT, "waits for another stream"), (RECORD, "reaches an event")]:
        out.append(f'<rect x="{x}" y="11" width="11" height="11" fill="{fill}"/>')
        out.append(f'<text x="{x + 16}" y="21" fill="#333333">{escape(label)}</text>')
        x += 40 + 7 * len(label)
    for track, row in rows.items():
        y = TOP + row * (ROW + GAP)
        out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end" fill="#333333">{escape(labels[track])}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 10}" height="{ROW}" fill="#f0f2f4"/>')
    for track, since, until, name in joined(shown, 0.7 / scale):
        fill = colour(track, name)
        if fill is None:
            continue
        y = TOP + rows[track] * (ROW + GAP)
        wide = max((until - since) * scale, 0.5)
        out.append(f'<rect x="{LEFT + (since - begin) * scale:.1f}" y="{y}" width="{wide:.1f}" height="{ROW}" fill="{fill}"/>')
    for track, time in records:
        if track in rows and time >= begin:
            at = LEFT + (time - begin) * scale
            y = TOP + rows[track] * (ROW + GAP)
            out.append(f'<path d="M{at:.1f} {y - 2}v{ROW + 4}" stroke="{RECORD}"/>')
    seconds = (end - begin) / 1e6
    step = next(step for step in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10) if seconds / step <= 10)
    for tick in range(int(seconds / step) + 1):
        at = LEFT + tick * step * 1e6 * scale
        out.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle" fill="#666666">{tick * step:g} s</text>')
    out.append("</svg>\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:3])
