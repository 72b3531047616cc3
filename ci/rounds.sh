#!/usr/bin/env bash
# The cases about the end of a process, each in 200 processes, and the kill test in 300 rounds: what goes wrong there goes wrong
# seldom. A thousand processes that wait for one event, where the other checks have 250; and a thousand random sequences of calls beside
# their model, where they have 200.
#
# GEVT_TEST_ROUNDS=200   in a build folder of its own: the other checks run them in 20.
# Time: a minute and a half when the libraries are built.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
build=$target/rounds
mkdir -p "$build"
cargo build --locked --release --package gevt --package gevt-shim --package gevt-hostcuda
ci/quietly.sh "$build/log" cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=200 -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_LIBRARY="$target/release/libgevt.so"
ci/quietly.sh "$build/log" cmake --build "$build" --parallel "$(nproc)" --target test_exit test_fork test_dlopen test_ipc_gone test_ipc_kill test_ipc_limits
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel $((2 * $(nproc))) \
  -R '^c\.(exit|fork|dlopen|ipc_gone)\..*\.host$'
"$build/tests/c/test_ipc_kill" host 300
TEST_IMPORTERS=1000 "$build/tests/c/test_ipc_limits" host
GEVT_TEST_CASES=1000 cargo test --locked --package gevt --test model
