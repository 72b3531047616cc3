#!/usr/bin/env bash
# Rust is formatted as rustfmt.toml says, C and C++ as .clang-format says. With --fix the files are written so.
#
# usage: ci/format.sh [--fix]
#
# include/gevt.h is generated, and hostcuda/tests/truth/truth.cu stays as it was when the driver answered it.
# Versions of clang-format differ: with another one than the files were written by, there are differences.
# Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

rust=(--check) c=(--dry-run --Werror)
[ "${1-}" != --fix ] || rust=() c=(-i)
if command -v rustfmt >/dev/null; then
  cargo fmt --all "${rust[@]}"
  cargo fmt --manifest-path shim/audit/Cargo.toml "${rust[@]}"
else
  skipped "there is no rustfmt here (rustup component add rustfmt)"
fi

command -v clang-format >/dev/null || skip "there is no clang-format here"
files=()
while IFS= read -r -d '' file; do
  case $file in
    include/gevt.h | hostcuda/tests/truth/*) ;;
    *) [ ! -f "$file" ] || files+=("$file") ;;
  esac
done < <(ci/files.sh | grep -zE '[.](c|h|cpp|hpp|cu)$')
[ ${#files[@]} -gt 0 ] || { echo "format: ci/files.sh lists no file" >&2 && exit 1; }
clang-format "${c[@]}" "${files[@]}"
echo "format: ${#files[@]} files of C and C++"
