#!/usr/bin/env bash
# The C tests on the host backend under a sanitizer. address: no memory is used after its end or outside its bounds, and none is lost.
# thread: no two threads touch the same memory without an order between them.
#
# usage: ci/sanitizer.sh address|thread [OPTION...]     options go to ctest, such as -R wait
#
# Under thread the library, its dependencies, std and the tests are all instrumented, so nothing has to be suppressed. It knows no fences: it
# sees no order that a fence makes, and none in the tests needs one beside atomics. Under address, std is as it comes: what std does with
# memory goes unseen, but for memory that it frees, allocates or copies, which the runtime sees. LeakSanitizer is part of it.
#
# The runtime is the one that comes with rustc, for C too: a process can have only one.
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-asan or not-under-tsan, and says why.
# Skipped where there is no clang, no runtime or, for thread, no source of std.
# Time on two cores, from nothing: 25 seconds for address; three minutes for thread, and more where others use the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

# A planted bug, the test program that meets it, and what the sanitizer then says.
case ${1-} in
  address)
    short=asan tests='^c\.(.*\.host$|loading)'
    bugs=(use_after_free:test_arrays:heap-use-after-free leak:test_fan:"detected memory leaks")
    ;;
  thread)
    short=tsan tests='^c\..*\.host$'
    bugs=(race:test_races:"data race")
    ;;
  *) echo "usage: ci/sanitizer.sh address|thread [OPTION...]" >&2 && exit 2 ;;
esac
kind=$1
shift

sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
command -v clang++ >/dev/null 2>&1 || skip "there is no clang here"
runtime=$sysroot/lib/rustlib/$host/lib/librustc-stable_rt.$short.a
[ -f "$runtime" ] || skip "this rustc has no $runtime"
if [ "$kind" = thread ] && [ ! -d "$sysroot/lib/rustlib/src" ]; then
  { command -v rustup && rustup component add rust-src; } >/dev/null 2>&1 ||
    skip "there is no source of std here (rustup component add rust-src)"
fi

chosen=(-R "$tests" -LE "not-under-$short")
target=$(ci/planted.sh "$kind")

# -fno-sanitize=all   at the link: keeps clang's own runtime out.
# --export-dynamic    the library calls the runtime, which is in the program.
# -g -O1              lines in reports, at a bearable speed.
link="-fno-sanitize=all -Wl,--whole-archive,$runtime,--no-whole-archive -Wl,--export-dynamic -lpthread -ldl -lrt -lm"
CC=clang CXX=clang++ ci/quietly.sh "$target/cmake.log" cmake -S . -B "$target/ctest" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_TEST_ROUNDS=2 \
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
