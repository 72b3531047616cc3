#!/usr/bin/env bash
# A trace of the renderer can be drawn, and the picture has the words of docs/pictures/trace.svg, numbers aside.
#
# usage: tests/examples/trace_picture.sh RENDERER
set -euo pipefail
renderer=$1
pictures=$(dirname "$0")/../../docs/pictures
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3 here" | tee "${GEVT_SKIP_FILE:-/dev/null}" && exit 77; }

words() { grep -oP '<(text|title)[^>]*>\K[^<]+' "$1" | sed 's/[0-9]\+/N/g' | sort -u; }
GEVT_TRACE=$scratch/trace.json "$renderer" "$scratch/picture.png" 4 160 90 2 >/dev/null
"$pictures/trace.py" "$scratch/trace.json" "$scratch/trace.svg"
words "$scratch/trace.svg" >"$scratch/words"
[ "$(wc -l <"$scratch/words")" -ge 9 ] || { echo "FAILED: the picture has few words" && exit 1; }
diff <(words "$pictures/trace.svg") "$scratch/words" || { echo "FAILED: docs/pictures/trace.svg is not what a trace holds today" && exit 1; }
