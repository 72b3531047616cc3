#!/usr/bin/env bash
# Measures the lines of core/ and src/ that the tests reach: the Rust tests, and the C tests on the host, on Vulkan and on CUDA without a GPU.
# Prints a line for each file and the total. Fails if a test fails, or if less than LEAST percent of the lines are reached.
#
# usage: ci/coverage.sh [--lines]     --lines prints the lines that nothing reaches
. "$(dirname "$0")/lib.sh"

LEAST=96
tools=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin
[ -x "$tools/llvm-cov" ] || rustup component add llvm-tools >/dev/null 2>&1 ||
  skip "there is no llvm-cov of rustc's here (rustup component add llvm-tools)"
# Without the flags for the instrumented libraries.
c_build
results=$target/coverage profiles=$target/coverage/profiles
rm -rf "$profiles" "$results"/step?.profdata
# A profile for each process and each library.
export LLVM_PROFILE_FILE=$profiles/%p-%m.profraw RUSTFLAGS=-Cinstrument-coverage
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=0
# merge STEP: tests start thousands of processes, which leave gigabytes.
merge() {
  "$tools/llvm-profdata" merge --sparse -o "$results/step$1.profdata" "$profiles"
  rm -rf "$profiles"
}
quietly cargo build --locked --release --package gevt --package gevt-hostcuda --target-dir "$results"
hostcuda/install.sh "$results/release/libgevt_hostcuda.so" "$results/prefix"

# All that run code of core/ and src/; the test of the header runs cbindgen. As many random calls as reach what only rare ones do.
rust_tests() { cargo test --release --locked --package gevt --package gevt-core --package gevt-trace --lib --test model --target-dir "$results" "$@"; }
GEVT_TEST_CASES=1000 quietly rust_tests
merge 1
objects=$(rust_tests --no-run 2>&1 | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')

# The programs of build/ load this library.
ln -sfn libgevt.so "$results/release/libgevt.so.0"
export GEVT_TEST_LIBRARY=$results/release/libgevt.so GEVT_TEST_ROUNDS=1
if [ -n "$lavapipe" ]; then
  cp "$lavapipe" "$results/second_icd.json"
  export VK_DRIVER_FILES=$lavapipe:$results/second_icd.json
fi
# Not a case alone that its program runs with all others.
run() { quietly c_tests coverage/ctest --parallel $((2 * $(nproc))) -R "$1" -E '^c\.(static|(exit|fork|dlopen)\.[a-z_]+\.)'; }
run '^c\..*\.(host|vulkan)$|^c\.loading|^vulkan\.'
merge 2
under=(env GEVT_HOST_DEVICES=2 "$results/prefix/bin/gevt-hostcuda")
run '^c\..*\.cuda$'
merge 3

"$tools/llvm-profdata" merge --sparse -o "$results/all.profdata" "$results"/step?.profdata
others='/hostcuda/src/|/cuda-abi/|/gevt-hostcuda-[^/]*/out/|/(rustc|\.cargo|\.rustup|registry)/|/tests/|(^|/)(tests|state_tests|loom_tests|planted)\.rs$'
cover=(--instr-profile "$results/all.profdata" --ignore-filename-regex "$others")
for object in "$results/release/libgevt.so" "$results/release/libgevt_hostcuda.so" $objects; do cover+=(--object "$object"); done
[ "${1:-}" != --lines ] || "$tools/llvm-cov" show "${cover[@]}" 2>/dev/null | grep -E '^/.*:$|^ +[0-9]+\| +0\|' || true
"$tools/llvm-cov" report "${cover[@]}" --show-functions=false --show-region-summary=false --show-branch-summary=false 2>"$scratch/log" |
  tee "$results/report" || { cat "$scratch/log" >&2 && exit 1; }
awk -v least=$LEAST '$1 == "TOTAL" { reached = $NF + 0 } END { exit !(reached >= least) }' "$results/report" || fail "less than $LEAST % of the lines are reached"
