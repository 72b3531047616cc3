#!/usr/bin/env bash
# The models of the lock-free parts: loom runs each meeting of threads in all orders of their steps. With a name only the models
# whose names hold it run; options go to the test program.
#
# usage: ci/loom.sh [NAME...] [OPTION...]
#
# --cfg loom              swaps the atomics in core/src/sync.rs, and leaves out what no model needs; hence the two -A.
# --release               the models run millions of steps. Without link-time optimisation, for a shorter build.
# --target-dir            apart, as --cfg loom compiles every dependency anew.
# LD_PRELOAD              keeps the stacks of loom's threads from one run to the next: half of the time went to mapping them.
#                         It cannot name a path with a colon or a space, and is left out there.
# GEVT_HOST_THREADS       the models set the number themselves; without it each run would ask the system for the cores.
# LOOM_MAX_PREEMPTIONS=n  in the environment: all orders with so many preemptions, instead of six for two threads and three
#                         for three.
# Time: three minutes on two cores from nothing, half of it for building.
set -euo pipefail
cd "$(dirname "$0")/.."

# The test program runs what any of its names matches: all models are named only if no other name is.
[[ "${1--}" != -* ]] || set -- loom_tests "$@"

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/loom
mkdir -p "$target"
"${CC:-cc}" -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC ci/loom/stacks.c -o "$target/stacks.so"
host=$(rustc -vV | sed -n 's/^host: //p')
runner="'env', 'GEVT_HOST_THREADS=2'"
[[ "$target" == *[:\ ]* ]] || runner+=", 'LD_PRELOAD=$target/stacks.so'"
RUSTFLAGS="--cfg loom -A dead_code -A unused_imports" \
  cargo test --locked --release --package gevt-core --lib --target-dir "$target" \
  --config profile.release.lto=false --config profile.release.codegen-units=16 \
  --config "target.$host.runner=[$runner]" -- "$@"
