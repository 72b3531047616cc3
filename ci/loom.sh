#!/usr/bin/env bash
# The models of the lock-free parts: loom runs each meeting of threads in all orders of their steps. Options go to the test
# program, such as the name of a test.
#
# usage: ci/loom.sh [OPTION...]
#
# --cfg loom              swaps the atomics in core/src/sync.rs, and leaves out what no model needs; hence the two -A.
# --release               the models run millions of steps. Without link-time optimisation, for a shorter build.
# --target-dir            apart, as --cfg loom compiles every dependency anew.
# LOOM_MAX_PREEMPTIONS=n  in the environment: all orders with so many preemptions, instead of six for two threads and three
#                         for three.
# Time: four minutes on two cores that others used as well; three models of three threads take a minute or more each.
set -euo pipefail
cd "$(dirname "$0")/.."

RUSTFLAGS="--cfg loom -A dead_code -A unused_imports" \
  cargo test --locked --release --package gevt-core --lib --target-dir "${CARGO_TARGET_DIR:-target}/loom" \
  --config profile.release.lto=false --config profile.release.codegen-units=16 -- loom_tests "$@"
