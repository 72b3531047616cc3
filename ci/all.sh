#!/usr/bin/env bash
# Runs every check, the quick ones first, and goes on after one that failed, so that one run tells all.
#
# Exits non-zero where a check failed. A check that this machine cannot run exits 77 and counts as skipped.
# Time: eleven minutes on two cores from nothing.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0 failed=() skipped=()
for check in fmt style docs clippy header abi doxygen deny rust-tests c-tests cpp-cost install readme hostcuda shim loom asan tsan \
  valgrind soak fuzz; do
  echo "== ci/$check.sh"
  start=$SECONDS
  "ci/$check.sh" </dev/null
  code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped+=("$check") ;;
    *) failed+=("$check") ;;
  esac
  echo "== ci/$check.sh: exit $code, $((SECONDS - start)) s"
done

[ ${#skipped[@]} -eq 0 ] || echo "skipped: ${skipped[*]}"
[ ${#failed[@]} -eq 0 ] || echo "failed: ${failed[*]}"
echo "checks: $passed passed, ${#failed[@]} failed, ${#skipped[@]} skipped"
[ ${#failed[@]} -eq 0 ]
