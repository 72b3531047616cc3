#!/usr/bin/env bash
# Unit tests of the core under Miri, which finds undefined behaviour, races and broken rules of borrowing in unsafe code. Code that makes system
# calls or calls of a driver is left to valgrind and the sanitizers.
#
# usage: ci/miri.sh [NAME...]     the tests whose names contain one of these; without it, the tests of unsafe code
. "$(dirname "$0")/lib.sh"

if ! cargo +nightly miri --version >/dev/null 2>&1; then
  needs rustup
  timeout 600 rustup toolchain install nightly --profile minimal -c miri -c rust-src >/dev/null 2>&1 || skip "Miri cannot be installed here"
fi
[ $# -gt 0 ] || set -- table:: waiter_list cuda::cell backend::gate::tests native_events last_elapsed
# The tests read the clock. A nightly compiler has warnings that the one of Cargo.toml does not have.
MIRIFLAGS=-Zmiri-disable-isolation RUSTFLAGS='-A warnings' cargo +nightly miri test --quiet --locked --package gevt-core --lib \
  --target-dir "$target/miri" -- "$@"
