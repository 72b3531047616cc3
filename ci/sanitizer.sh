#!/usr/bin/env bash
# The C tests on the host backend under a sanitizer. address: no memory is used after its end or outside its bounds, and none is lost.
# thread: no two threads touch the same memory without an order between them.
#
# usage: ci/sanitizer.sh address|thread [OPTION...]     options go to ctest, such as -R wait
#
# The runtime is the one that comes with rustc, for C too: a process can have only one. Under thread std is instrumented as well. The sanitizer
# sees no order that a fence makes, and no test needs one beside atomics. Under address it sees of std what std frees, allocates or copies.
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-asan or not-under-tsan, and says why.
. "$(dirname "$0")/lib.sh"

# A planted bug, the test program that meets it, and what the sanitizer then says. test_scenario is given a file, which others do not read.
case ${1-} in
  address)
    short=asan tests='^c\.(.*\.host$|loading)'
    bugs=(use_after_free:test_scenario:heap-use-after-free leak:test_scenario:"detected memory leaks")
    ;;
  thread) short=tsan tests='^c\..*\.host$' bugs=(race:test_races:"data race") ;;
  *) fail "usage: ci/sanitizer.sh address|thread [OPTION...]" ;;
esac
sysroot=$(rustc --print sysroot)
runtime=$sysroot/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/lib/librustc-stable_rt.$short.a
needs clang++
[ -f "$runtime" ] || skip "this rustc has no $runtime"
[ "$1" = address ] || [ -d "$sysroot/lib/rustlib/src" ] || rustup component add rust-src >/dev/null 2>&1 ||
  skip "there is no source of std here (rustup component add rust-src)"

chosen=(-R "$tests" -LE "not-under-$short")
library=$(planted "$1")
build=$library/ctest
# At the link clang's own runtime is kept out. The library calls the runtime in the program.
link="-fno-sanitize=all -Wl,--whole-archive,$runtime,--no-whole-archive -Wl,--export-dynamic -lpthread -ldl -lrt -lm"
CC=clang CXX=clang++ quietly cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_TEST_ROUNDS=2 \
  -DGEVT_LIBRARY="$library/sound/libgevt.so" -DCMAKE_C_FLAGS="-g1 -O1 -fsanitize=$1" -DCMAKE_CXX_FLAGS="-g1 -O1 -fsanitize=$1" \
  -DCMAKE_EXE_LINKER_FLAGS="$link" -DCMAKE_SHARED_LINKER_FLAGS="-fno-sanitize=all"
c_programs "$build" "${chosen[@]}"
for each in "${bugs[@]}"; do
  IFS=: read -r bug program report <<<"$each"
  planted_bug "$library" "$bug" "$report" "$build/tests/c/$program" host tests/scenarios/record.scn
done
TEST_TOOL=$short ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)" "${chosen[@]}" "${@:2}"
