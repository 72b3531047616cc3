#!/bin/sh
# Runs an example for ctest, and tells ctest of a skip by the exit code 77.
#
# usage: examples-c/run.sh COMMAND [ARGUMENT...]
#
# It is a skip only if the command succeeds and its standard output begins with "SKIPPED: ". Standard error, such as a driver's warning,
# does not count. If the command itself exits with 77, that is a failure.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Without this, dash does not run the trap above when a signal ends it.
trap 'exit 130' HUP INT TERM
{
  "$@"
  echo $? >"$scratch/code"
} | tee "$scratch/output"
code=$(cat "$scratch/code") || exit 1
case $code in
  0) head -n 1 "$scratch/output" | grep -q '^SKIPPED: ' && code=77 ;;
  77) code=1 ;;
esac
exit "$code"
