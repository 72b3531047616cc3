#!/usr/bin/env bash
# The cases about the end of a process, each in 200 processes, and the kill test in 300 rounds: what goes wrong there goes wrong
# seldom. And a thousand processes that wait for one event: the other checks have 250.
#
# GEVT_TEST_ROUNDS=200   in a build folder of its own: the other checks run them in 20.
# Time: a minute when the libraries are built.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
build=$target/rounds
mkdir -p "$build"
cargo build --locked --release --package gevt --package gevt-shim --package gevt-audit --package gevt-hostcuda
ci/quietly.sh "$build/log" cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=200 -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_LIBRARY="$target/release/libgevt.so"
ci/quietly.sh "$build/log" cmake --build "$build" --parallel "$(nproc)" --target test_exit test_fork test_dlopen test_ipc_gone test_ipc_kill test_ipc_limits
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel $((2 * $(nproc))) \
  -R '^c\.(exit|fork|dlopen|ipc_gone)\..*\.host$'
"$build/tests/c/test_ipc_kill" host 300
TEST_IMPORTERS=1000 "$build/tests/c/test_ipc_limits" host
