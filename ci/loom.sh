#!/usr/bin/env bash
# loom runs each meeting of threads in the models of the lock-free parts, in all orders of their steps.
#
# usage: ci/loom.sh [NAME...] [OPTION...]     only the models whose names hold one of these; options go to the test program
#
# LOOM_MAX_PREEMPTIONS=n in the environment: all orders with so many preemptions, instead of six for two threads and three for three.
. "$(dirname "$0")/lib.sh"

[[ "${1--}" != -* ]] || set -- loom_tests "$@"
target=$target/loom
mkdir -p "$target"
# The stacks of loom's threads are kept from one run to the next: half of the time went to mapping them.
"${CC:-cc}" -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC ci/loom/stacks.c -o "$target/stacks.so"
# The models set the number of threads; without the variable each run would ask the system for the cores.
runner="'env', 'GEVT_HOST_THREADS=2'"
[[ "$target" == *[:\ ]* ]] || runner+=", 'LD_PRELOAD=$target/stacks.so'"
# --cfg loom leaves out what no model needs: hence -A.
RUSTFLAGS="--cfg loom -A dead_code -A unused_imports" cargo test --locked --release --package gevt-core --lib --target-dir "$target" \
  --config profile.release.lto=false --config profile.release.codegen-units=16 --config profile.release.debug=false \
  --config "target.$(rustc -vV | sed -n 's/^host: //p').runner=[$runner]" -- "$@"
