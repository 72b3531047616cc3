#!/usr/bin/env bash
# C and C++ are formatted as .clang-format says. With --fix the files are written so.
#
# usage: ci/format.sh [--fix]
#
# include/gevt.h is generated, and hostcuda/tests/truth/truth.cu stays as it was when the driver answered it.
# Versions of clang-format differ: skipped with another one than the files were written by.
# Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v clang-format >/dev/null || skip "there is no clang-format here"
files=()
while IFS= read -r -d '' file; do
  case $file in
    include/gevt.h | hostcuda/tests/truth/*) ;;
    *) [ ! -f "$file" ] || files+=("$file") ;;
  esac
done < <(ci/files.sh | grep -zE '[.](c|h|cpp|hpp|cu)$')
[ ${#files[@]} -gt 0 ] || { echo "format: ci/files.sh lists no file" >&2 && exit 1; }
if [ "${1-}" = --fix ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run --Werror "${files[@]}"
fi
echo "format: ${#files[@]} files"
