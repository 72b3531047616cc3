#!/usr/bin/env bash
# The scripts and the launchers have nothing that shellcheck warns of.
#
# .shellcheckrc says what is not asked for, and why.
# Time: ten seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v shellcheck >/dev/null || skip "there is no shellcheck here"
mapfile -t files < <(ci/files.sh | grep -zE '^(ci|[.]ci|tests|shim|hostcuda|[.]cargo)/' | grep -zv '[.]md$' | xargs -0 grep -slE '^#!/.*sh$')
[ ${#files[@]} -gt 0 ] || { echo "shellcheck: ci/files.sh lists no script" >&2 && exit 1; }
shellcheck "${files[@]}" ci/skip.sh ci/sections.sh
echo "shellcheck: ${#files[@]} scripts"
