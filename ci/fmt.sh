#!/usr/bin/env bash
# The Rust sources are formatted as rustfmt.toml says. `cargo fmt` puts right what this finds.
#
# --check   prints the differences and changes nothing.
# Time: a second.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v rustfmt >/dev/null 2>&1; then
  echo "SKIPPED: there is no rustfmt here (rustup component add rustfmt)"
  exit 77
fi
cargo fmt --all --check
