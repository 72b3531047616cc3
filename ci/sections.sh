# shellcheck shell=bash
# Sourced by the scripts for machines with a GPU: sections that run one after the other, and a summary of them at the end.

. ci/skip.sh
results=() failed=0
GEVT_SKIP_FILE=$(mktemp)
export GEVT_SKIP_FILE
trap 'rm -f "$GEVT_SKIP_FILE"' EXIT

# section NAME FUNCTION [ARGUMENT...]: any exit code but 0 is a failure. One that called `skipped` counts as skipped.
section() {
  local name=$1 start=$SECONDS code result reasons=''
  shift
  echo
  echo "== $name"
  : >"$GEVT_SKIP_FILE"
  "$@"
  code=$?
  if [ $code -ne 0 ]; then
    result=FAILED failed=1
  elif [ -s "$GEVT_SKIP_FILE" ]; then
    result=SKIPPED
    reasons=": $(paste -sd ';' "$GEVT_SKIP_FILE" | sed 's/;/; /g')"
  else
    result=PASSED
  fi
  results+=("$(printf '%-8s%s (%d s)%s' "$result" "$name" $((SECONDS - start)) "$reasons")")
  echo "== $name: $result, $((SECONDS - start)) s"
}

# Lists the sections, and exits 1 where one failed.
summary() {
  echo
  printf '%s\n' "${results[@]}"
  exit "$failed"
}
