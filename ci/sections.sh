# Sourced by the scripts for machines with a GPU: sections that run one after the other, and a summary of them at the end.

results=() failed=0

# section NAME FUNCTION [ARGUMENT...]: 77 is a skip.
section() {
  local name=$1 start=$SECONDS code result
  shift
  echo
  echo "== $name"
  "$@"
  code=$?
  case $code in
    0) result=PASSED ;;
    77) result=SKIPPED ;;
    *) result=FAILED failed=1 ;;
  esac
  results+=("$(printf '%-8s%s (%d s)' "$result" "$name" $((SECONDS - start)))")
  echo "== $name: $result, $((SECONDS - start)) s"
}

# skip WHAT...: names what is not run.
skip() {
  printf 'SKIPPED: %s\n' "$@"
  return 77
}

# Lists the sections, and exits 1 where one failed.
summary() {
  echo
  printf '%s\n' "${results[@]}"
  exit "$failed"
}
