#!/usr/bin/env bash
# Which lines of core/ and src/ the tests reach: the Rust tests, and the C tests on the host backend and, over libgevt_hostcuda.so, on
# CUDA. Prints a line a file, the total, and with --lines those that nothing reaches.
#
# usage: ci/coverage.sh [--lines]
#
# Fails where a test fails, or where fewer lines are reached than LEAST says, in percent.
#
# -Cinstrument-coverage   counts, by lines as they were before any optimisation.
# %p, %m                  a profile for each process and each library; tests start thousands, and what they leave, gigabytes, is merged after
#                         each step.
# Skipped where rustc's llvm-tools are missing and cannot be had.
# Time: two minutes on two cores from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

LEAST=96

host=$(rustc -vV | sed -n 's/^host: //p')
tools=$(rustc --print sysroot)/lib/rustlib/$host/bin
if [ ! -x "$tools/llvm-cov" ]; then
  { command -v rustup && rustup component add llvm-tools; } >/dev/null 2>&1 ||
    skip "there is no llvm-cov of rustc's here (rustup component add llvm-tools)"
fi

target=$(realpath -m "${CARGO_TARGET_DIR:-target}/coverage")
profiles=$target/profiles
mkdir -p "$target"
rm -rf "$profiles" "$target"/step?.profdata

export LLVM_PROFILE_FILE=$profiles/%p-%m.profraw
# As many random calls as reach what only rare ones do.
export GEVT_TEST_CASES=1000
log=$target/log
run() { ci/quietly.sh "$log" "$@"; }
step=0
merge() {
  step=$((step + 1))
  "$tools/llvm-profdata" merge --sparse -o "$target/step$step.profdata" "$profiles"
  rm -rf "$profiles"
}
# Without the flags for the instrumented libraries.
ci/c-build.sh
export RUSTFLAGS=-Cinstrument-coverage CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=0
run cargo build --locked --release --package gevt --package gevt-hostcuda --target-dir "$target"
# CUDA without a GPU, which uses the core as well.
run hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$target/prefix"
# All that run code of core/ and src/; the test of the header runs cbindgen.
rust_tests() { run cargo test --release --locked --package gevt --package gevt-core --package gevt-trace --lib --test model --target-dir "$target" "$@"; }
rust_tests
merge
rust_tests --no-run
tests=$(sed -n 's/.*(\(.*\))$/\1/p' "$log")
# The programs of build/ load this library. As slow as it is made here, it still has to pass.
ln -sfn libgevt.so "$target/release/libgevt.so.0"
export GEVT_TEST_LIBRARY=$target/release/libgevt.so GEVT_TEST_ROUNDS=1
# Two Vulkan devices, where there is lavapipe; without it the Vulkan tests are skipped, and what they reach is missing.
driver=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
if [ -n "$driver" ]; then
  cp "$driver" "$target/second_icd.json"
  export VK_DRIVER_FILES=$driver:$target/second_icd.json
fi
# Not what tells nothing of lines: a case alone that its program runs with all others, and what gevt says without a driver.
run ci/ctest.sh "$target/ctest" --parallel $((2 * $(nproc))) -R '^c\..*\.(host|vulkan)$|^c\.loading|^vulkan\.' \
  -E '^c\.(static|(exit|fork|dlopen|ipc_gone)\.[a-z_]+\.)'
merge
GEVT_HOST_DEVICES=2 run "$target/prefix/bin/gevt-hostcuda" ci/ctest.sh "$target/ctest" --parallel $((2 * $(nproc))) -R '^c\..*\.cuda$' \
  -E '^c\.(static|(exit|fork|dlopen|ipc_gone)\.[a-z_]+\.)'
ci/cuda-found.sh "$target/ctest"
merge

objects=(--object "$target/release/libgevt.so" --object "$target/release/libgevt_hostcuda.so")
for test in $tests; do objects+=(--object "$test"); done
"$tools/llvm-profdata" merge --sparse -o "$target/all.profdata" "$target"/step?.profdata
others='/hostcuda/src/|/cuda-abi/|/gevt-hostcuda-[^/]*/out/|/(rustc|\.cargo|\.rustup|registry)/|/tests/|(^|/)(tests|state_tests|loom_tests|planted)\.rs$'
cover=("${objects[@]}" --instr-profile "$target/all.profdata" --ignore-filename-regex "$others")
if [ "${1:-}" = --lines ]; then
  "$tools/llvm-cov" show "${cover[@]}" 2>/dev/null | grep -E '^/.*:$|^ +[0-9]+\| +0\|' || true
fi
"$tools/llvm-cov" export --summary-only "${cover[@]}" 2>"$log" >"$target/summary.json" || { cat "$log" >&2 && exit 1; }
python3 - "$target/summary.json" "$LEAST" <<'PRINT'
import json, os, sys
data = json.load(open(sys.argv[1]))["data"][0]
row = lambda name, lines: print(f"{lines['percent']:6.1f} %  {lines['count'] - lines['covered']:5} of {lines['count']:5} lines missed  {name}")
for each in sorted(data["files"], key=lambda each: each["filename"]):
    row(os.path.relpath(each["filename"]), each["summary"]["lines"])
total = data["totals"]["lines"]
row("core/ and src/", total)
sys.exit(total["percent"] < float(sys.argv[2]))
PRINT
