#!/usr/bin/env bash
# Builds the libraries, the C and C++ tests and the examples in build/, for the checks that run them.
#
# CMAKE_BUILD_TYPE=Release   the library and the examples as they are used.
# GEVT_TEST_ROUNDS=20        the cases about the end of a process; ci/rounds.sh runs them in 200.
# Time: a minute from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
# Checks that run at the same time build one after the other.
exec 9>"$target/c-build.lock"
flock 9
ci/quietly.sh "$target/c-build.log" cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=20
ci/quietly.sh "$target/c-build.log" cmake --build build --parallel "$(nproc)"
