#!/bin/sh
# Builds gevt_bench and runs it. Options go to the program: --check, --rows NAME,...
set -eu
cd "$(dirname "$0")/.."
# Release, in a folder of its own: a figure from a debug build of the library says nothing.
cmake -S . -B target/bench -DCMAKE_BUILD_TYPE=Release
cmake --build target/bench --target gevt_bench --parallel "$(nproc)"
exec target/bench/benches/gevt_bench "$@"
