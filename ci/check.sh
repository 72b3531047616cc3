#!/usr/bin/env bash
# Runs one check for ctest: 0 where it passed, 77 where it passed and said that it left something out (ci/skip.sh), else it failed.
#
# usage: ci/check.sh SCRIPT [ARGUMENT...]     runs ci/SCRIPT.sh
#
# Tools have their own exit codes, such as libFuzzer's 77 for a finding: a check that exits non-zero has failed, even after a skip.
# The user's variables for programs that use gevt, such as GEVT_TRACE, do not reach it.
set -uo pipefail
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
for name in "${!GEVT_@}"; do
  [[ $name == GEVT_TEST_* ]] || unset "$name"
done
GEVT_SKIP_FILE=$(mktemp) || exit 1
export GEVT_SKIP_FILE
trap 'rm -f "$GEVT_SKIP_FILE"' EXIT
"ci/$1.sh" "${@:2}" </dev/null
code=$?
if [ $code -ne 0 ]; then
  echo "ci/$1.sh: exit $code"
  exit 1
fi
[ -s "$GEVT_SKIP_FILE" ] || exit 0
sed "s|^|left out by ci/$1.sh: |" "$GEVT_SKIP_FILE"
exit 77
