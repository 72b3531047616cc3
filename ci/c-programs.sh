#!/usr/bin/env bash
# Builds the programs that tests run, and no others: a check that runs some of the tests need not wait for all.
#
# usage: ci/c-programs.sh BUILD OPTION...     a configured build folder, and ctest's options that choose the tests
#
# Programs are named as their targets are. The stand-ins for a driver are opened by programs, and no command names them.
# Time: that of the compiler.
set -euo pipefail

build=$1
shift
mapfile -t programs < <(ctest --test-dir "$build" --show-only=json-v1 "$@" | grep -oE '/test_[a-z_]+"' | tr -d '/"' | sort -u)
[ ${#programs[@]} -gt 0 ] || { echo "c-programs: no test of $* has a program" >&2 && exit 1; }
cmake --build "$build" --parallel "$(nproc)" --target "${programs[@]}" test_driver_{full,old,plain,strict}
