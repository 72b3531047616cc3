# shellcheck shell=bash
# Sourced after lib.sh by the scripts that make the files of a release: they hold no paths of this machine, and run on glibc 2.17.
built=$target/dist-build
separator=$'\x1f' # paths may have spaces, which RUSTFLAGS may not
CARGO_ENCODED_RUSTFLAGS=--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo$separator--remap-path-prefix=$PWD=/gevt
CARGO_ENCODED_RUSTFLAGS+=$separator--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rust
# Files are as old as the commit: two builds of it are the same.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export CARGO_ENCODED_RUSTFLAGS SOURCE_DATE_EPOCH CARGO_TARGET_DIR=$built

# zig_for MACHINE: zig links and compiles for that machine and glibc 2.17. Where it cannot be downloaded, returns 1.
zig_for() {
  local tools=$target/tools cxx='-include stdio.h -Wno-unused-command-line-argument'
  export GEVT_ZIG=$tools/ziglang/zig GEVT_MACHINE=$1
  if [ ! -x "$GEVT_ZIG" ]; then
    echo 'ziglang==0.15.2 --hash=sha256:806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130' \
      '--hash=sha256:edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230' >"$scratch/zig.txt"
    python3 -m pip install --quiet --require-hashes --target "$tools" -r "$scratch/zig.txt" || return
  fi
  # cargo links by .cargo/cc.sh. nanobind counts on Python.h to include stdio.h, which that of the stable interface does not.
  export GEVT_CC=$PWD/packaging/zig-cc.sh CC="$GEVT_ZIG cc -target $1-linux-gnu.2.17" CXX="$GEVT_ZIG c++ -target $1-linux-gnu.2.17 $cxx"
}

# licences TRIPLE: those of the crates that are built in for a target of Rust's, which ask to be handed on.
licences() {
  local name crate_version licence folder
  echo "Besides gevt itself the libraries hold Rust's standard library (MIT or Apache-2.0, the Rust project's developers) and:"
  cargo tree --locked --workspace --target "$1" --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
    grep -v '^gevt\|^$' | sed 's/ (\*)$//' | sort -u | while read -r name crate_version licence; do
    printf '\n==== %s %s: %s\n\n' "$name" "${crate_version#v}" "$licence"
    folder=$(compgen -G "${CARGO_HOME:-$HOME/.cargo}/registry/src/*/$name-${crate_version#v}" | head -n 1)
    cat "$(find "$folder" -maxdepth 1 -iname 'LICEN[SC]E*' | LC_ALL=C sort | tail -n 1)"
  done
}
