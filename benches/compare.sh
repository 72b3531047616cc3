#!/usr/bin/env bash
# Runs one gevt_bench on two builds of libgevt.so in turn, and prints for each row the median of its ratios. Builds nothing.
#
# usage: benches/compare.sh GEVT_BENCH OLD.so NEW.so [ROWS [RUNS]]     ROWS as for --rows (engine), RUNS 5
#
# Time: 20 seconds for each of 2 * RUNS runs of the rows "engine".
set -euo pipefail
declare -A library=([old]=$(realpath "$2") [new]=$(realpath "$3"))
bench=$(realpath "$1") rows=${4-engine} runs=${5-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for run in $(seq "$runs"); do
  for which in old new; do
    # A miss of a bound is no failure here.
    LD_PRELOAD=${library[$which]} "$bench" --rows "$rows" >"$scratch/$which.$run"
  done
done
python3 - "$scratch" "$runs" <<'PYTHON'
import re, statistics, sys

figure = r"([\d.]+) +(?:us|ns)? *(?:\([^)]*\))?"
row = re.compile(rf"^( *\S.*?) {{2,}}{figure} +(\D.*?) {figure} +[\d./]+ x")
scratch, runs = sys.argv[1], int(sys.argv[2])
found = {}
for which in ("old", "new"):
    for run in range(1, runs + 1):
        above = ""
        for line in open(f"{scratch}/{which}.{run}"):
            match = row.match(line)
            if not match or "context switches" in line:
                continue
            what, measured, yardstick, beside = match.groups()
            above = above if what.startswith(" ") else what
            name = above + (", CPU time" if what.startswith(" ") else ""), yardstick
            sides = found.setdefault(name, {"old": [], "new": []})
            sides[which].append((float(measured), float(measured) / float(beside)))
print(f"{'row':64} {'beside':28} {'old us':>9} {'new us':>9} {'old ratio':>9} {'new ratio':>9}")
for (what, yardstick), sides in found.items():
    if not sides["old"] or not sides["new"]:
        continue  # a group of one of the two alone
    old, new = ([statistics.median(column) for column in zip(*sides[which])] for which in ("old", "new"))
    print(f"{what:64} {yardstick:28} {old[0]:9.0f} {new[0]:9.0f} {old[1]:9.2f} {new[1]:9.2f}")
PYTHON
