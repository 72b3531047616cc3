#!/usr/bin/env bash
# README.md's example compiles without a warning and runs, by the very commands and the CMake file that README.md gives.
#
# A block that is tried stands after a comment that names it: <!-- ci/readme.sh: FILE -->. It is written to that file,
# in an empty folder that has the checkout as `gevt`, as the reader's would.
# Time: half a minute from nothing, seconds when the libraries are built.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$PWD" "$scratch/gevt"
# build.sh and CMake build where the other checks do: cargo knows what is fresh.
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR

# extract FILE: the fenced block after the comment that names it.
extract() {
  awk -v comment="<!-- ci/readme.sh: $1 -->" '
    $0 == comment { named = 1; next }
    named && /^```/ { if (inside) exit; inside = 1; next }
    named && inside { print }' README.md >"$scratch/$1"
  [ -s "$scratch/$1" ] || { echo "README.md has no block $1" >&2 && exit 1; }
}
extract example.c
extract build.sh
extract CMakeLists.txt

cd "$scratch"

# -Werror and the rest: the example stands in the header's strictest company.
cc -std=c99 -Wall -Wextra -Wpedantic -Werror -Igevt/include -fsyntax-only example.c

# -e: each command of the block has to succeed. GEVT_BACKEND: the same on every machine.
echo "-- build.sh"
GEVT_BACKEND=host bash -eu build.sh

echo "-- CMakeLists.txt"
cmake -S . -B cmake >cmake.log 2>&1 && cmake --build cmake >>cmake.log 2>&1 || { cat cmake.log && exit 1; }
GEVT_BACKEND=host cmake/example
