#!/bin/sh
# Builds gevt_bench_cuda and runs it; without a CUDA device it says that it was skipped. Options go to the program.
#
# usage: ci/bench-cuda.sh [--check] [--rows NAME,...]
#
# Time: under a minute on a GPU when all is built.
set -eu
cd "$(dirname "$0")/.."
# Release, in a folder of its own: a figure from a debug build of the library says nothing.
cmake -S . -B target/bench -DCMAKE_BUILD_TYPE=Release
cmake --build target/bench --target gevt_bench_cuda --parallel "$(nproc)"
exec target/bench/benches/gevt_bench_cuda "$@"
