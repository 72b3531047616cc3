#!/usr/bin/env bash
# Prints what checks took and how they ended, and as the last line "N passed, N failed, N skipped".
#
# usage: ci/results.sh FILE SECONDS
#   FILE      a line a check: its seconds, those of processors, NAME, passed|FAILED|skipped and why, with tabs between
#   SECONDS   what all took, of which several may have run at a time
#
# Exits non-zero where a check failed or there was none.
set -euo pipefail
echo
awk -F '\t' -v seconds="$2" '
  { printf "%5d s %5d s of a core  %-12s %s%s\n", $1, $2, $3, $4, $5 == "" ? "" : ": " $5; count[$4]++; used += $2 }
  END {
    printf "%5d s %5d s of a core  in all\n", seconds, used
    printf "%d passed, %d failed, %d skipped\n", count["passed"], count["FAILED"], count["skipped"]
    exit count["FAILED"] > 0 || count["passed"] + count["skipped"] == 0
  }' "$1"
