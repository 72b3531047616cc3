# shellcheck shell=bash
# Sourced by the checks: how one says that it, or a part of it, cannot run on this machine.
#
# A skip is a line in the file that GEVT_SKIP_FILE names, never an exit code: tools have their own exit codes, such as
# libFuzzer's 77 for a finding. A check that exits non-zero has failed, even if it wrote a line there.

# skipped REASON: a part is left out, and the check continues. In the end it counts as skipped.
skipped() {
  echo "SKIPPED: $*"
  [ -z "${GEVT_SKIP_FILE:-}" ] || echo "$*" >>"$GEVT_SKIP_FILE"
}

# skip REASON: the same, and the check ends.
skip() {
  skipped "$*"
  exit 0
}
