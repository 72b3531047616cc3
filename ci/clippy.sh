#!/usr/bin/env bash
# The Rust sources have no warning, neither the compiler's nor clippy's.
#
# --locked                the versions of Cargo.lock, here and everywhere.
# --workspace             the core and the three libraries over it.
# --all-targets           tests too.
# -D warnings             a warning is an error.
# Time: half a minute from nothing, seconds after that.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v cargo-clippy >/dev/null || skip "there is no clippy here (rustup component add clippy)"
cargo clippy --locked --workspace --all-targets -- -D warnings
# Without a standard library, in its own workspace.
cargo clippy --locked --manifest-path shim/audit/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}" -- -D warnings
