# shellcheck shell=bash
# To be sourced before cargo builds a release: it must not contain paths of this machine. They may have spaces in them, which RUSTFLAGS may
# not.
separator=$'\x1f'
CARGO_ENCODED_RUSTFLAGS=--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo$separator--remap-path-prefix=$PWD=/gevt
CARGO_ENCODED_RUSTFLAGS+=$separator--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rust
export CARGO_ENCODED_RUSTFLAGS
