#!/usr/bin/env bash
# Runs one check for ctest: 0 where it passed, 77 where it passed and said that it left something out (ci/lib.sh), else 1.
#
# usage: ci/check.sh COMMAND...     in the root of the checkout, without the caller's variables for programs that use gevt, such as GEVT_TRACE
set -uo pipefail
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
for name in "${!GEVT_@}"; do
  [[ $name == GEVT_TEST_* ]] || unset "$name"
done
GEVT_SKIP_FILE=$(mktemp) || exit 1
export GEVT_SKIP_FILE
trap 'rm -f "$GEVT_SKIP_FILE"' EXIT
"$@" </dev/null
code=$?
[ $code -eq 0 ] || { echo "$*: exit $code" && exit 1; }
[ -s "$GEVT_SKIP_FILE" ] || exit 0
sed "s|^|left out by $*: |" "$GEVT_SKIP_FILE"
exit 77
