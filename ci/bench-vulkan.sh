#!/bin/sh
# Builds gevt_bench_vulkan and runs it on the first device that the Vulkan loader lists; without one it says that it was skipped. Options go
# to the program.
#
# usage: ci/bench-vulkan.sh [--check] [--rows NAME,...]
#
# VK_DRIVER_FILES, the loader's own variable, chooses a driver. The bounds are those of a GPU: lavapipe misses some.
# Time: a minute when all is built.
set -eu
cd "$(dirname "$0")/.."
# Release, in a folder of its own: a figure from a debug build of the library says nothing.
cmake -S . -B target/bench -DCMAKE_BUILD_TYPE=Release
cmake --build target/bench --target gevt_bench_vulkan --parallel "$(nproc)"
exec target/bench/benches/gevt_bench_vulkan "$@"
