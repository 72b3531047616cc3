#!/usr/bin/env bash
# The Rust sources have no warning, neither the compiler's nor clippy's.
#
# --locked                the versions of Cargo.lock, here and everywhere.
# --all-targets           tests too.
# -D warnings             a warning is an error.
# --no-default-features   once more for the core without the C functions, as a library that exports none of them links it.
# --package gevt-hostcuda, gevt-shim   the libraries that do so.
# Time: half a minute from nothing, seconds after that.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo-clippy >/dev/null 2>&1; then
  echo "SKIPPED: there is no clippy here (rustup component add clippy)"
  exit 77
fi
cargo clippy --locked --all-targets -- -D warnings
cargo clippy --locked --no-default-features --lib -- -D warnings
cargo clippy --locked --package gevt-hostcuda --all-targets -- -D warnings
cargo clippy --locked --package gevt-shim --all-targets -- -D warnings
