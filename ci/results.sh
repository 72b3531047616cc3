#!/usr/bin/env bash
# Prints what checks took and how they ended, and as the last line "N passed, N failed, N skipped".
#
# usage: ci/results.sh FILE     a line a check: SECONDS, NAME, passed|FAILED|skipped and why, with tabs between
#
# Exits non-zero where a check failed or there was none.
set -euo pipefail
echo
awk -F '\t' '
  { printf "%5d s  %-12s %s%s\n", $1, $2, $3, $4 == "" ? "" : ": " $4; seconds += $1; count[$3]++ }
  END {
    printf "%5d s  in all\n", seconds
    printf "%d passed, %d failed, %d skipped\n", count["passed"], count["FAILED"], count["skipped"]
    exit count["FAILED"] > 0 || count["passed"] + count["skipped"] == 0
  }' "$1"
