#!/usr/bin/env bash
# The cases about the end of a process, each in 200 processes, and the kill test in 300 rounds: what goes wrong there goes wrong
# seldom.
#
# Time: a minute when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

ci/c-build.sh
cmake -S . -B build -DGEVT_TEST_ROUNDS=200 >/dev/null
ctest --test-dir build --output-on-failure --no-tests=error --parallel $((2 * $(nproc))) \
  -R '^c\.(exit|fork|dlopen|ipc_gone)\..*\.host$'
build/tests/c/test_ipc_kill host 300
