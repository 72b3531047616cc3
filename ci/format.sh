#!/usr/bin/env bash
# Rust is formatted as rustfmt.toml says, C and C++ as .clang-format says.
#
# usage: ci/format.sh [--fix]     --fix writes the files so
. "$(dirname "$0")/lib.sh"

rust=(--check) c=(--dry-run --Werror)
[ "${1-}" != --fix ] || rust=() c=(-i)
if command -v rustfmt >/dev/null; then
  cargo fmt --all "${rust[@]}"
  cargo fmt --manifest-path shim/audit/Cargo.toml "${rust[@]}"
  cargo fmt --manifest-path tests/mutants/Cargo.toml "${rust[@]}"
else
  skipped "there is no rustfmt here (rustup component add rustfmt)"
fi
needs clang-format
# include/gevt.h and tests/abi/gevt.h are generated, and hostcuda/tests/truth stays as it was when the driver answered it.
mapfile -d '' sources < <(files | grep -zE '[.](c|h|cpp|hpp|cu)$' | grep -zvE '^(include/gevt.h|tests/abi/gevt.h|hostcuda/tests/truth/.*)$')
[ ${#sources[@]} -gt 0 ] || fail "no file of C"
clang-format "${c[@]}" "${sources[@]}"
echo "format: ${#sources[@]} files of C and C++"
