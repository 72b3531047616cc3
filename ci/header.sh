#!/usr/bin/env bash
# include/gevt.h is what cbindgen makes of src/. With --bless it is written anew instead.
#
# usage: ci/header.sh [--bless]
#
# The test generates the header with the cbindgen of Cargo.lock: the result does not depend on another version. The
# rest of tests/header (documentation, exports, codes, version) runs with the Rust tests.
# --locked   the versions of Cargo.lock.
# --exact    this one test.
# Time: half a minute from nothing, a second after that.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
  "") ;;
  --bless) export GEVT_BLESS=1 ;;
  *) echo "usage: ci/header.sh [--bless]" >&2 && exit 2 ;;
esac
cargo test --locked --test header -- --exact header_is_fresh
