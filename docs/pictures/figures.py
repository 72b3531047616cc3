#!/usr/bin/env python3
# Draws docs/measurements/cuda-fast-state.txt as ratios: gevt's time of a call divided by the plain driver's. ci/docs.sh compares.
#
# usage: docs/pictures/figures.py docs/measurements/cuda-fast-state.txt docs/pictures/figures.svg

import math
import re
import sys

LEFT, RIGHT, ROW, TOP = 250, 130, 21, 62
TICKS = [(0.001, "1/1000"), (0.01, "1/100"), (0.1, "1/10"), (0.5, "1/2"), (1, "1"), (2, "2")]
STYLE = """<style>
text { font: 13px sans-serif; fill: #1f2328 }
.note { font-size: 12px; fill: #59636e }
.back { fill: #ffffff }
.grid { stroke: #d1d9e0 }
.one { stroke: #1f2328; stroke-width: 2 }
.gain { fill: #2f7d40; stroke: #2f7d40 }
.loss { fill: #b03a48; stroke: #b03a48 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.note { fill: #a9b3bd }
.back { fill: #0d1117 }
.grid { stroke: #30363d }
.one { stroke: #f0f6fc }
.gain { fill: #6fbf7f; stroke: #6fbf7f }
.loss { fill: #ff7b86; stroke: #ff7b86 }
}
</style>"""


def across(ratio):
    """The x of a ratio, on a logarithmic axis."""
    low, high = math.log10(TICKS[0][0]), math.log10(TICKS[-1][0])
    return LEFT + (math.log10(ratio) - low) / (high - low) * (800 - LEFT - RIGHT)


def written(figure):
    """A figure in three digits, or in full where that has more."""
    return f"{figure:.3g}" if figure < 1000 else f"{figure:.0f}"


def rows(lines):
    """(ratio of times, label, gevt's figure, the driver's figure) of each row. Rates of calls count as times of one."""
    for line in lines:
        time = re.match(r"(.+?) +gevt +([\d.]+) +driver +([\d.]+) +ratio", line)
        rate = re.match(r"(.+?) +gevt +([\d.]+) +driver +([\d.]+) M/s +ratio", line)
        if rate:
            gevt, driver = float(rate[2]), float(rate[3])
            label = rate[1].removesuffix("s") if rate[1].endswith(" 1 threads") else rate[1]
            yield driver / gevt, label, written(gevt), f"{driver:.2g} M/s"
        elif time:
            gevt, driver = float(time[2]), float(time[3])
            yield gevt / driver, time[1], written(gevt), f"{driver:.0f} ns"


def main(source, target):
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    told = {key: next(line.split(maxsplit=1)[1] for line in lines if line.startswith(key)) for key in ("gpu", "driver", "date")}
    found = sorted(rows(lines))
    bottom = TOP + len(found) * ROW
    height = bottom + 54
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" role="img">',
        "<title>The time of each call with gevt, divided by its time with the plain driver</title>",
        STYLE,
        f'<rect class="back" width="800" height="{height}"/>',
        '<text x="20" y="24">Time with gevt / time with the plain driver</text>',
        f'<text class="gain" style="stroke: none" x="{across(1) - 10:.1f}" y="{TOP - 16}" text-anchor="end">gevt is faster</text>',
        f'<text class="loss" style="stroke: none" x="{across(1) + 8:.1f}" y="{TOP - 16}">slower</text>',
        f'<text class="note" x="790" y="24" text-anchor="end">gevt, driver</text>',
    ]
    for ratio, label in TICKS:
        kind = "one" if ratio == 1 else "grid"
        out.append(f'<path class="{kind}" d="M{across(ratio):.1f} {TOP - 6}V{bottom}"/>')
        out.append(f'<text class="note" x="{across(ratio):.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    for at, (ratio, label, gevt, driver) in enumerate(found):
        y = TOP + at * ROW + ROW / 2
        kind = "gain" if ratio < 1 else "loss"
        out.append(f'<text x="{LEFT - 14}" y="{y + 4:g}" text-anchor="end">{label}</text>')
        out.append(f'<path class="{kind}" d="M{across(1):.1f} {y:g}H{across(ratio):.1f}"/>')
        out.append(f'<circle class="{kind}" cx="{across(ratio):.1f}" cy="{y:g}" r="4"/>')
        out.append(f'<text class="note" x="790" y="{y + 4:g}" text-anchor="end">{gevt}, {driver}</text>')
    about = f'{told["gpu"]}, driver {told["driver"]}, {told["date"]}. Logarithmic axis. For M/s, the ratio is of the time for one call.'
    out += [f'<text class="note" x="20" y="{height - 12}">{about}</text>', "</svg>\n"]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:3])
