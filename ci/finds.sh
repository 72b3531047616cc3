#!/usr/bin/env bash
# Runs a check against the library with a planted bug, and fails where the check does not find it.
#
# usage: ci/finds.sh DIRECTORY BUG REPORT COMMAND...
#   DIRECTORY   holds the libgevt.so that has the planted bugs; see ci/planted.sh
#   REPORT      a line that the check then says, a pattern of grep's
#
# LD_LIBRARY_PATH     comes before the path to the sound library that the program was linked with.
# GEVT_TEST_LIBRARY   tells the program that this is meant: each test proves which library it has.
# Time: that of the command; fifteen minutes are there against a hang.
set -euo pipefail

directory=$1 bug=$2 report=$3
shift 3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
code=0
PLANTED_BUG=$bug GEVT_TEST_LIBRARY=$directory/libgevt.so LD_LIBRARY_PATH=$directory timeout 900 "$@" >"$log" 2>&1 || code=$?
if [ "$code" -eq 0 ] || ! found=$(grep -m1 -- "$report" "$log"); then
  # Without libFuzzer's lines about how far it is.
  grep -avE '^#[0-9]+[[:space:]]' "$log" >&2 || true
  echo "the planted bug $bug was not found: exit $code" >&2
  exit 1
fi
echo "the planted bug $bug was found: $found"
