#!/usr/bin/env bash
# Runs tests of the folder build/, which ci/c-build.sh makes, under ctest. Each check that does so has its own log, since several run at the same time.
#
# usage: ci/ctest.sh FOLDER OPTION...     the log is FOLDER/Testing/Temporary/LastTest.log; options go to ctest
#
# GEVT_TEST_LIBRARY   in the environment: the libgevt.so to run with; each test proves that it loaded this file (tests/run.sh).
# GEVT_TEST_ROUNDS    how many processes each case about process exit runs in.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "$1")
shift
mkdir -p "$folder"
echo "subdirs(\"$PWD/build\")" >"$folder/CTestTestfile.cmake"
exec ctest --test-dir "$folder" --output-on-failure --no-tests=error "$@"
