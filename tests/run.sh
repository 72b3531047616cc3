#!/bin/sh
# Runs a test program for ctest, and tells ctest of a skip by the exit code 77.
#
# usage: tests/run.sh PROGRAM [ARGUMENT...]
#
# Tools such as libFuzzer may also end with 77. So it is a skip only if the program also wrote the reason into the file that
# GEVT_SKIP_FILE names.
#
# GEVT_TEST_LIBRARY   in the environment: a libgevt.so to run with, instead of the one that the program was linked with. It
#                     needs a link libgevt.so.0 beside it. The program fails if it has loaded another one.
# TEST_UNDER          a command to run the program under, such as a tool that watches it.
GEVT_SKIP_FILE=$(mktemp) || exit 1
export GEVT_SKIP_FILE
trap 'rm -f "$GEVT_SKIP_FILE"' EXIT
# Without this, dash does not run the trap above when a signal ends it.
trap 'exit 130' HUP INT TERM
if [ -n "${GEVT_TEST_LIBRARY:-}" ]; then
  LD_LIBRARY_PATH=$(dirname "$GEVT_TEST_LIBRARY")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
${TEST_UNDER:+"$TEST_UNDER"} "$@"
code=$?
if [ $code -eq 77 ] && [ ! -s "$GEVT_SKIP_FILE" ]; then
  echo "FAILED: exit code 77 without a word of a skip"
  code=1
fi
exit $code
