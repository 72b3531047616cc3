#!/usr/bin/env bash
# Builds a benchmark and runs it.
#
# usage: ci/bench.sh [host|cuda|vulkan|hops [OPTION...]]     options go to the program: --check, --rows NAME,...
#        ci/bench.sh --build                                 compiles all of them, and runs none
#
# host where none is named; hops measures waits between backends. Without its device a benchmark says that it was skipped. VK_DRIVER_FILES,
# the loader's own variable, chooses a driver of Vulkan's. The bounds are those of a GPU: lavapipe misses some.
# Release, in its own folder: a figure from a debug build of the library says nothing.
# Time: a minute when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- host
case $1 in
  host) program=gevt_bench ;;
  --build) program=gevt_benches ;;
  *) program=gevt_bench_$1 ;;
esac
cmake -S . -B target/bench -DCMAKE_BUILD_TYPE=Release
cmake --build target/bench --target "$program" --parallel "$(nproc)"
[ "$1" = --build ] || exec "target/bench/benches/$program" "${@:2}"
