#!/usr/bin/env bash
# README.md's example compiles without a warning and runs, by the very commands and the CMake file that README.md gives. So do the
# two programs of docs/MIGRATING-VULKAN.md, in tests/migrating/vulkan.c, and those of docs/MIGRATING.md over CUDA without a GPU, in
# tests/migrating/cuda.c.
#
# A comment names each block that is tried: <!-- ci/readme.sh: FILE -->. The block becomes that file, in an empty folder that has the
# checkout as `gevt`, like the reader's.
#
# usage: ci/readme.sh [--extract FILE]     with a file: prints that block, and does nothing else
#
# Time: half a minute from nothing, seconds when the libraries are built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$PWD" "$scratch/gevt"
# build.sh and CMake build where the other checks do: cargo knows what is fresh.
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
mkdir -p "$CARGO_TARGET_DIR"
ln -s "$CARGO_TARGET_DIR" "$scratch/target"

# extract DOCUMENT FILE: the fenced block after the comment that names it.
extract() {
  awk -v comment="<!-- ci/readme.sh: $2 -->" '
    $0 == comment { named = 1; next }
    named && /^```/ { if (inside) exit; inside = 1; next }
    named && inside { print }' "$1" >"$scratch/$2"
  [ -s "$scratch/$2" ] || { echo "$1 has no block $2" >&2 && exit 1; }
}
if [ "${1:-}" = --extract ]; then
  extract README.md "$2"
  cat "$scratch/$2"
  exit
fi
extract README.md example.c
extract README.md build.sh
extract README.md CMakeLists.txt
for file in renderer.h before.c after.c; do extract docs/MIGRATING-VULKAN.md "$file"; done
for file in cuda_before.c cuda_after.c; do extract docs/MIGRATING.md "$file"; done

cd "$scratch"

# -Werror and the rest: the example stands in the header's strictest company.
cc -std=c99 -Wall -Wextra -Wpedantic -Werror -Igevt/include -fsyntax-only example.c

# -e: each command of the block has to succeed. GEVT_BACKEND: the same on every machine.
echo "-- build.sh"
GEVT_BACKEND=host bash -eu build.sh

echo "-- CMakeLists.txt"
cmake -S . -B cmake >cmake.log 2>&1 && cmake --build cmake >>cmake.log 2>&1 || { cat cmake.log && exit 1; }
GEVT_BACKEND=host cmake/example

echo "-- docs/MIGRATING.md"
(cd gevt && cargo build --release --locked --quiet --package gevt-hostcuda && hostcuda/install.sh "$CARGO_TARGET_DIR/release/libgevt_hostcuda.so" "$scratch/hostcuda") >/dev/null
cuda=$scratch/hostcuda/lib/gevt/hostcuda
for program in before after; do
  defined=()
  [ "$program" = before ] || defined=(-DAFTER)
  cc -std=c11 -Wall -Wextra -Werror "${defined[@]}" -Igevt/include -I. gevt/tests/migrating/cuda.c -Ltarget/release -lgevt \
    "$cuda/libcudart.so.13" -Wl,-rpath,"$PWD/target/release" -Wl,-rpath-link,"$cuda" -o "cuda_$program"
  GEVT_BACKEND=cuda "hostcuda/bin/gevt-hostcuda" "./cuda_$program"
done

echo "-- docs/MIGRATING-VULKAN.md"
if ! echo '#include <vulkan/vulkan.h>' | cc -fsyntax-only -x c - 2>/dev/null; then
  skip "the programs of docs/MIGRATING-VULKAN.md: there are no Vulkan headers here"
fi
for program in before after; do
  defined=()
  [ "$program" = before ] || defined=(-DAFTER)
  cc -std=c11 -Wall -Wextra -Werror "${defined[@]}" -Igevt/include -I. gevt/tests/migrating/vulkan.c -Ltarget/release -lgevt \
    -Wl,-rpath,"$PWD/target/release" -lvulkan -lpthread -o "$program"
  "./$program"
done
