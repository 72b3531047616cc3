#!/bin/sh
# Runs a test program for ctest, and tells ctest of a skip by the exit code 77.
#
# usage: tests/run.sh PROGRAM [ARGUMENT...]
#
# Tools may end with 77, too, as libFuzzer does. So it is a skip only if the program also wrote why into the file that
# GEVT_SKIP_FILE names.
GEVT_SKIP_FILE=$(mktemp) || exit 1
export GEVT_SKIP_FILE
trap 'rm -f "$GEVT_SKIP_FILE"' EXIT
# Without this, dash does not run the trap above when a signal ends it.
trap 'exit 130' HUP INT TERM
"$@"
code=$?
if [ $code -eq 77 ] && [ ! -s "$GEVT_SKIP_FILE" ]; then
  echo "FAILED: exit code 77 without a word of a skip"
  code=1
fi
exit $code
