#!/bin/sh
# Runs an example for ctest, and tells ctest of a skip by the exit code 77.
#
# usage: examples-c/run.sh COMMAND [ARGUMENT...]
#
# It is a skip only if the command succeeds and its output begins with "SKIPPED: ". An exit code of 77 of its own is a failure.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
{
  "$@" 2>&1
  echo $? >"$scratch/code"
} | tee "$scratch/output"
code=$(cat "$scratch/code") || exit 1
case $code in
  0) head -n 1 "$scratch/output" | grep -q '^SKIPPED: ' && code=77 ;;
  77) code=1 ;;
esac
exit "$code"
