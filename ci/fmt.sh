#!/usr/bin/env bash
# The Rust sources are formatted as rustfmt.toml says. `cargo fmt` puts right what this finds.
#
# --check   prints the differences and changes nothing.
# Time: a second.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v rustfmt >/dev/null || skip "there is no rustfmt here (rustup component add rustfmt)"
cargo fmt --all --check
cargo fmt --manifest-path shim/audit/Cargo.toml --check
