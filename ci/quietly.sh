#!/usr/bin/env bash
# Runs a command that prints much, and shows what it printed only if it fails: all of it, but for the lines about what went well.
#
# usage: ci/quietly.sh LOG COMMAND...     LOG is written anew, and keeps everything
#
# It leaves out ctest's lines about tests that begin, pass or are skipped, cargo's about tests that pass, and make's about files. valgrind's
# words about unknown system calls go as well.
# Exits with the command's code.
set -euo pipefail

log=$1
shift
code=0
"$@" >"$log" 2>&1 || code=$?
if [ "$code" -ne 0 ]; then
  {
    grep -avE \
      -e '^ +Start +[0-9]+: ' \
      -e '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*( Passed |\*\*\*Skipped )' \
      -e '^[[:space:]]+[0-9]+ - .* \(Skipped\)$' \
      -e '^test .* \.\.\. (ok|ignored.*)$' \
      -e '^--[0-9]+-- (WARNING: unhandled .*syscall|You may be able to write|Read the file README_|Nevertheless we |it at http)' \
      -e '^\[ *[0-9]+%\] (Building|Linking|Built) ' "$log" || true
    echo "quietly: exit $code: $*"
  } >&2
fi
exit "$code"
