#!/usr/bin/env bash
# Unit tests of the core under Miri, which finds undefined behaviour, races and broken rules of borrowing in unsafe code. They are the tests of
# the table of handles, the cells that hold an event's state, gates, waiters, native events, and kept elapsed times. Code that makes system
# calls or calls of a driver is left to valgrind and the sanitizers.
#
# usage: ci/miri.sh [NAME...]     the tests whose names hold one of them, instead of these
#
# -Zmiri-disable-isolation   the tests read the clock.
# cfg(miri)                  is set for the tests, whose loops are then shorter.
# Skipped where rustup cannot install Miri, which only a nightly toolchain has.
# Time: two minutes on two cores from nothing, half of it for building.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

# It needs no Miri, and where it fails there is nothing to skip.
cargo metadata --quiet --locked --offline --no-deps --format-version 1 >/dev/null
if ! cargo +nightly miri --version >/dev/null 2>&1; then
  command -v rustup >/dev/null || skip "there is no rustup here to install Miri"
  timeout 600 rustup toolchain install nightly --profile minimal -c miri -c rust-src >/dev/null 2>&1 || skip "Miri cannot be installed here"
fi
[ $# -gt 0 ] || set -- table:: waiter_list cuda::cell backend::gate::tests native_events last_elapsed
# -A: a nightly compiler has warnings that the one of Cargo.toml does not have.
MIRIFLAGS=-Zmiri-disable-isolation RUSTFLAGS='-A warnings' cargo +nightly miri test --quiet --locked --package gevt-core --lib \
  --target-dir "${CARGO_TARGET_DIR:-target}/miri" -- "$@"
