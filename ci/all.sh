#!/usr/bin/env bash
# Runs the checks of ci/checks.txt, and goes on after one that failed, so that one run shows every failure.
#
# usage: ci/all.sh SUITE...     test, proofs
#
# A check passes if it exits with 0. It is skipped if it exits with 0 and says why in the file GEVT_SKIP_FILE (ci/skip.sh).
# Any other exit is a failure. The last line is "N passed, N failed, N skipped"; exits non-zero if a check failed.
# GEVT_RESULTS   in the environment: a file that the results are added to, for ci/results.sh.
# Time: each check's is printed at the end.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

[ $# -gt 0 ] || { echo "usage: ci/all.sh SUITE..." >&2 && exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GEVT_SKIP_FILE=$scratch/skipped

while read -r suite check _; do
  [[ " $* " == *" $suite "* ]] || continue
  echo "== ci/$check.sh"
  : >"$GEVT_SKIP_FILE"
  start=$SECONDS why=
  "ci/$check.sh" </dev/null
  code=$?
  if [ $code -ne 0 ]; then
    result=FAILED why="exit $code"
  elif [ -s "$GEVT_SKIP_FILE" ]; then
    result=skipped why=$(paste -sd ';' "$GEVT_SKIP_FILE" | sed 's/;/; /g')
  else
    result=passed
  fi
  printf '%d\t%s\t%s\t%s\n' $((SECONDS - start)) "$check" "$result" "$why" >>"$scratch/results"
  echo "== ci/$check.sh: $result, $((SECONDS - start)) s"
done < <(grep -v '^#' ci/checks.txt)

touch "$scratch/results"
[ -z "${GEVT_RESULTS:-}" ] || cat "$scratch/results" >>"$GEVT_RESULTS"
ci/results.sh "$scratch/results"
