#!/usr/bin/env bash
# Builds a benchmark, optimised, and runs it. Without its device a benchmark says that it was skipped.
#
# usage: ci/bench.sh [host|cuda|vulkan|hops [OPTION...]]     options go to the program: --check, --rows NAME,...; hops: waits between backends
#        ci/bench.sh --build                                 compiles all of them, and runs none
. "$(dirname "$0")/lib.sh"

case ${1:-host} in
  host) program=gevt_bench ;;
  --build) program=gevt_benches ;;
  *) program=gevt_bench_$1 ;;
esac
quietly cmake -S . -B "$target/bench" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$target/bench" --target "$program" --parallel "$(nproc)"
[ "${1:-}" = --build ] || "$target/bench/benches/$program" "${@:2}"
