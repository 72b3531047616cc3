#!/usr/bin/env bash
# More rounds, for failures that come seldom. Each case about process exit runs in 200 processes, and the kill test in 300 rounds. A thousand
# processes wait for one event. Other checks run 20, none and 250. ci/coverage.sh compares a thousand random sequences of calls with their
# model.
#
# Time: a minute when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

ci/c-build.sh
export GEVT_TEST_ROUNDS=200
ci/ctest.sh "${CARGO_TARGET_DIR:-target}/rounds" --parallel $((2 * $(nproc))) -R '^c\.(exit|fork|dlopen|ipc_gone)\..*\.host$'
build/tests/c/test_ipc_kill host 300
TEST_IMPORTERS=1000 build/tests/c/test_ipc_limits host
