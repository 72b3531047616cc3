#!/usr/bin/env bash
# Prints the licences of the crates that are built in, which ask to be handed on.
#
# usage: ci/licences.sh TARGET     a triple of Rust's, for which the libraries were built
set -euo pipefail
cd "$(dirname "$0")/.."

echo "Besides gevt itself the libraries hold Rust's standard library (MIT or Apache-2.0, the Rust project's developers) and:"
cargo tree --locked --workspace --target "$1" --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
  grep -v '^gevt\|^$' | sed 's/ (\*)$//' | sort -u | while read -r name crate_version licence; do
    printf '\n==== %s %s: %s\n\n' "$name" "${crate_version#v}" "$licence"
    directory=$(compgen -G "${CARGO_HOME:-$HOME/.cargo}/registry/src/*/$name-${crate_version#v}" | head -n 1)
    cat "$(find "$directory" -maxdepth 1 -iname 'LICEN[SC]E*' | LC_ALL=C sort | tail -n 1)"
  done
