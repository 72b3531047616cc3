#!/bin/sh
# Builds gevt_bench_hops and runs it on the backends that this machine has. Options go to the program.
#
# usage: ci/bench-hops.sh [--check] [--blocking] [ROUNDS]
#
# Time: a minute when all is built.
set -eu
cd "$(dirname "$0")/.."
# Release, in a folder of its own: a figure from a debug build of the library says nothing.
cmake -S . -B target/bench -DCMAKE_BUILD_TYPE=Release
cmake --build target/bench --target gevt_bench_hops --parallel "$(nproc)"
exec target/bench/benches/gevt_bench_hops "$@"
