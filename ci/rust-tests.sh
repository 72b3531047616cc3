#!/usr/bin/env bash
# The Rust tests of every crate: those beside the code, those of tests/, and the examples in comments. Options go to cargo, such as a name.
#
# usage: ci/rust-tests.sh [OPTION...]
#
# --locked         the versions of Cargo.lock.
# --workspace      the core and the three libraries over it.
# --no-fail-fast   one failed test program does not hide what the next ones would say.
# Time: half a minute when all is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --locked --workspace --no-fail-fast "$@"
