#!/usr/bin/env bash
# What ci/asan.sh and ci/tsan.sh share: builds the library and the C tests with a sanitizer, lets it find planted bugs, and
# runs the tests.
#
# usage: ci/sanitizer.sh address|thread TESTS BUG... [-- OPTION...]
#   TESTS   the tests to run, a pattern of ctest's; those that are labeled not-under-asan or not-under-tsan are left out
#   BUG     bug:program:report, a planted bug, the test program that meets it, and what the sanitizer then says
#   OPTION  goes to ctest
#
# RUSTC_BOOTSTRAP=1   lets the stable compiler take -Z options: sanitizers are in it, but not yet stable. It stands in this
#                     script alone, and nothing that it builds is shipped.
# The runtime is the one that comes with rustc, for C too: a process can have only one.
# Skipped where there is no clang, no runtime or, for thread, no source of std.
# Time: see the two scripts.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

kind=$1 tests=$2
shift 2
bugs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do bugs+=("$1") && shift; done
[ $# -eq 0 ] || shift

sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
case $kind in
  address) short=asan options=() ;;
  # std anew: what is not instrumented orders nothing in the sanitizer's eyes, and it would report races that are none.
  thread) short=tsan options=("-Zbuild-std=std,panic_unwind") ;;
esac
command -v clang++ >/dev/null 2>&1 || skip "there is no clang here"
runtime=$sysroot/lib/rustlib/$host/lib/librustc-stable_rt.$short.a
[ -f "$runtime" ] || skip "this rustc has no $runtime"
if [ "$kind" = thread ] && [ ! -d "$sysroot/lib/rustlib/src" ]; then
  { command -v rustup && rustup component add rust-src; } >/dev/null 2>&1 ||
    skip "there is no source of std here (rustup component add rust-src)"
fi

chosen=(-R "$tests" -LE "not-under-$short")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}/$short")
# --cfg gevt_instrumented   the library announces nothing to the sanitizer, which would hide its own races.
RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$kind --cfg gevt_instrumented" ci/planted.sh "$target" "${options[@]}"

# -fno-sanitize=all   at the link: keeps clang's own runtime out.
# --export-dynamic    the library calls the runtime, which is in the program.
# -g -O1              lines in reports, at a bearable speed.
link="-fno-sanitize=all -Wl,--whole-archive,$runtime,--no-whole-archive -Wl,--export-dynamic -lpthread -ldl -lrt -lm"
CC=clang CXX=clang++ ci/quietly.sh "$target/cmake.log" cmake -S . -B "$target/ctest" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_TEST_ROUNDS=10 \
  -DGEVT_LIBRARY="$target/sound/libgevt.so" \
  -DCMAKE_C_FLAGS="-g -O1 -fsanitize=$kind" -DCMAKE_CXX_FLAGS="-g -O1 -fsanitize=$kind" \
  -DCMAKE_EXE_LINKER_FLAGS="$link" -DCMAKE_SHARED_LINKER_FLAGS="-fno-sanitize=all"
ci/quietly.sh "$target/cmake.log" ci/c-programs.sh "$target/ctest" "${chosen[@]}"

# The planted bugs first: a sanitizer that does not see them would see no other.
for each in "${bugs[@]}"; do
  IFS=: read -r bug program report <<<"$each"
  ci/finds.sh "$target/planted" "$bug" "$report" "$target/ctest/tests/c/$program" host
done

cd "$target/ctest"
TEST_TOOL=$short ctest --output-on-failure --no-tests=error --parallel "$(nproc)" "${chosen[@]}" "$@"
