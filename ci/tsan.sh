#!/usr/bin/env bash
# The C tests on the host backend under ThreadSanitizer: no two threads touch the same memory without an order between them.
#
# usage: ci/tsan.sh [OPTION...]     options go to ctest, such as -R wait
#
# The runtime is the one that comes with rustc, for C too: a process can have only one. std is instrumented as well. The sanitizer sees no order
# that a fence makes, and no test needs one beside atomics.
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-tsan, and says why.
. "$(dirname "$0")/lib.sh"

sysroot=$(rustc --print sysroot)
runtime=$sysroot/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/lib/librustc-stable_rt.tsan.a
needs clang++
[ -f "$runtime" ] || skip "this rustc has no $runtime"
[ -d "$sysroot/lib/rustlib/src" ] || rustup component add rust-src >/dev/null 2>&1 ||
  skip "there is no source of std here (rustup component add rust-src)"

chosen=(-R '^c\..*\.host$' -LE not-under-tsan)
library=$(instrumented thread)
build=$library/ctest
# At the link clang's own runtime is kept out. The library calls the runtime in the program.
link="-fno-sanitize=all -Wl,--whole-archive,$runtime,--no-whole-archive -Wl,--export-dynamic -lpthread -ldl -lrt -lm"
CC=clang CXX=clang++ quietly cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_TEST_ROUNDS=2 \
  -DGEVT_LIBRARY="$library/sound/libgevt.so" -DCMAKE_C_FLAGS="-g1 -O1 -fsanitize=thread" -DCMAKE_CXX_FLAGS="-g1 -O1 -fsanitize=thread" \
  -DCMAKE_EXE_LINKER_FLAGS="$link" -DCMAKE_SHARED_LINKER_FLAGS="-fno-sanitize=all"
c_programs "$build" "${chosen[@]}"
planted_bug "$library/planted" race "data race" "$build/tests/c/test_scenario" host tests/scenarios/races.scn
TEST_TOOL=tsan ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)" "${chosen[@]}" "$@"
