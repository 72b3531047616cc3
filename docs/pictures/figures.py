#!/usr/bin/env python3
# Draws the main figures of docs/measurements/cuda.txt, gevt beside the plain driver, as an SVG. ci/docs.sh draws it anew and compares.
#
# usage: docs/pictures/figures.py docs/measurements/cuda.txt docs/pictures/figures.svg

import math
import re
import sys

# The row of the table, and what the chart calls it. Nanoseconds are better when lower, M/s when higher.
TIMES = [
    ("query: finished event", "query, finished event"),
    ("sync: finished event", "sync, finished event"),
    ("elapsed: finished pair, once known", "elapsed, known pair"),
    ("create + destroy, timed ", "create + destroy"),
    ("query: pending event", "query, pending event"),
    ("record: timed, wrapped stream", "record, timed"),
]
RATES = [
    ("query: finished events, 1 thread", "query, 1 thread"),
    ("query: finished events, 8 threads", "query, 8 threads"),
    ("create + destroy, timed, 1 thread", "create + destroy, 1 thread"),
    ("create + destroy, timed, 8 threads", "create + destroy, 8 threads"),
]
WIDTH, LEFT, RIGHT, BAR, GROUP = 1000, 210, 90, 12, 34
OURS, DRIVER = "#2f6f9f", "#a9b4bd"


def table(path):
    """The rows of a table."""
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def values(rows, begin, unit):
    """gevt's figure and the driver's, in a row that begins so."""
    row = next(row for row in rows if row.startswith(begin))
    found = re.findall(rf"([\d.]+) {unit} \(", row)
    return float(found[0]), float(found[1])


def panel(out, rows, title, which, unit, top):
    pairs = [(label, *values(rows, begin, unit)) for begin, label in which]
    low, high = math.floor(math.log10(min(min(p[1:]) for p in pairs))), math.log10(max(max(p[1:]) for p in pairs))
    scale = (WIDTH - LEFT - RIGHT) / (high - low)
    out.append(f'<text x="20" y="{top}" font-size="15" font-weight="bold" fill="#222222">{title}</text>')
    for at, (label, ours, driver) in enumerate(pairs):
        y = top + 16 + at * GROUP
        out.append(f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end" fill="#222222">{label}</text>')
        for value, colour, down in ((ours, OURS, 0), (driver, DRIVER, BAR)):
            wide = (math.log10(value) - low) * scale
            out.append(f'<rect x="{LEFT}" y="{y + down}" width="{wide:.1f}" height="{BAR - 1}" fill="{colour}"/>')
            out.append(f'<text x="{LEFT + wide + 5:.1f}" y="{y + down + 10}" font-size="11" fill="#444444">{value:g} {unit}</text>')
    return top + 16 + len(pairs) * GROUP + 24


def main(source, target):
    rows = table(source)
    gpu = next(row.split(maxsplit=1)[1] for row in rows if row.startswith("gpu"))
    driver = next(row.split(maxsplit=1)[1] for row in rows if row.startswith("driver"))
    date = next(row.split(maxsplit=1)[1] for row in rows if row.startswith("date"))
    body = []
    top = panel(body, rows, "Time of a call, in nanoseconds: shorter is better", TIMES, "ns", 56)
    top = panel(body, rows, "Calls per second, all threads together: longer is better", RATES, "M/s", top + 6)
    height = top + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<rect x="20" y="14" width="12" height="12" fill="{OURS}"/><text x="38" y="25" fill="#222222">gevt</text>',
        f'<rect x="90" y="14" width="12" height="12" fill="{DRIVER}"/><text x="108" y="25" fill="#222222">the plain driver, same run</text>',
        *body,
        f'<text x="20" y="{height - 12}" font-size="11" fill="#666666">{gpu}, driver {driver}, {date}; logarithmic scale</text>',
        "</svg>\n",
    ]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:3])
