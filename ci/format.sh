#!/usr/bin/env bash
# C and C++ are formatted as .clang-format says. With --fix the files are written so.
#
# usage: ci/format.sh [--fix]
#
# include/gevt.h is generated, and tests/truth/truth.cu stays as it was when the driver answered it.
# Versions of clang-format differ: skipped with another one than the files were written by.
# Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v clang-format >/dev/null || skip "there is no clang-format here"
files=()
while IFS= read -r file; do
  case $file in
    include/gevt.h | tests/truth/*) ;;
    *) [ ! -f "$file" ] || files+=("$file") ;;
  esac
done < <(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' '*.cu')
[ ${#files[@]} -gt 0 ] || { echo "format: git lists no file here" >&2 && exit 1; }
if [ "${1-}" = --fix ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run --Werror "${files[@]}"
fi
echo "format: ${#files[@]} files"
