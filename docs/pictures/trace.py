#!/usr/bin/env python3
# Draws the streams of a trace as an SVG: what each stream ran, waited for and recorded.
#
# usage: docs/pictures/trace.py TRACE.json PICTURE.svg
#
# docs/pictures/trace.svg is made by:
#   ci/demo.sh --frames 4 --trace build/trace.json && docs/pictures/trace.py build/trace.json docs/pictures/trace.svg

import json
import sys
from xml.sax.saxutils import escape

WIDTH, LEFT, ROW, GAP, TOP = 1000, 90, 16, 5, 34
COLOURS = {"function": "#2f6f9f", "wait": "#f3dfb0", "record": "#b03a48"}


def slices(entries):
    """Gives (track, begin, end, kind) for each slice of a stream's track, and (track, time) for each record."""
    open_slices, found, records = {}, [], []
    for entry in entries:
        track = entry.get("tid")
        if entry["ph"] == "B":
            kind = "wait" if entry["name"].startswith("wait") else "function"
            open_slices.setdefault(track, []).append((entry["ts"], kind))
        elif entry["ph"] == "E" and open_slices.get(track):
            begin, kind = open_slices[track].pop()
            found.append((track, begin, entry["ts"], kind))
        elif entry["ph"] == "i":
            records.append((track, entry["ts"]))
    return found, records


def joined(found, least):
    """Joins neighbouring slices of one kind that are closer to each other than `least`, which nobody could see."""
    last, result = {}, []
    for track, begin, end, kind in sorted(found, key=lambda one: (one[0], one[1])):
        before = last.get((track, kind))
        if before is not None and begin - before[2] < least:
            before[2] = end
        else:
            last[(track, kind)] = one = [track, begin, end, kind]
            result.append(one)
    return result


def main(source, target):
    with open(source, encoding="utf-8") as file:
        trace = json.load(file)
    groups = {e["pid"]: e["args"]["name"] for e in trace if e.get("name") == "process_name"}
    streams = next(pid for pid, name in groups.items() if name.startswith("streams"))
    mine = [entry for entry in trace if entry["pid"] == streams]
    names = {e["tid"]: e["args"]["name"] for e in mine if e.get("name") == "thread_name"}
    found, records = slices(mine)
    begin = min(one[1] for one in found)
    end = max(one[2] for one in found)
    scale = (WIDTH - LEFT - 10) / (end - begin)
    rows = {track: row for row, track in enumerate(sorted(names))}
    height = TOP + len(rows) * (ROW + GAP) + 26

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    x = LEFT
    for kind, label in (("function", "runs a function"), ("wait", "waits for another stream"), ("record", "reaches a record")):
        out.append(f'<rect x="{x}" y="11" width="11" height="11" fill="{COLOURS[kind]}"/>')
        out.append(f'<text x="{x + 16}" y="21" fill="#333333">{label}</text>')
        x += 40 + 7 * len(label)
    for track, row in rows.items():
        y = TOP + row * (ROW + GAP)
        out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end" fill="#333333">{escape(names[track])}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 10}" height="{ROW}" fill="#f0f2f4"/>')
    for track, since, until, kind in joined(found, 0.7 / scale):
        y = TOP + rows[track] * (ROW + GAP)
        wide = max((until - since) * scale, 0.5)
        out.append(f'<rect x="{LEFT + (since - begin) * scale:.1f}" y="{y}" width="{wide:.1f}" height="{ROW}" fill="{COLOURS[kind]}"/>')
    for track, time in records:
        if track in rows and time >= begin:
            at = LEFT + (time - begin) * scale
            y = TOP + rows[track] * (ROW + GAP)
            out.append(f'<path d="M{at:.1f} {y - 2}v{ROW + 4}" stroke="{COLOURS["record"]}"/>')
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
