#!/usr/bin/env bash
# The files of a release, in the folder dist of the build folder: a tarball of the installed tree and three Debian packages, for x86-64
# and for arm64, and a zip for Windows (ci/dist-windows.sh). The libraries run on glibc 2.17 and later. Then ci/dist-test.sh installs and uses them, those of the other machine
# under qemu-user.
#
# usage: ci/dist.sh [MACHINE...]     x86_64, aarch64; both where none is named, and Windows
#
# Meant for either of the two machines; not tried on arm64.
# zig has the symbols of old C libraries and of other machines, and links against them; it comes from PyPI, by its hash, into the
# build folder. For another machine it takes Rust's library for that, which rustup fetches, and Debian's libgcc and binutils.
# Skipped where they cannot be had. Time: six minutes from nothing, two when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
output=$target/dist
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
windows=ci/dist-windows.sh
if [ $# -gt 0 ]; then windows=true; else set -- x86_64 aarch64; fi

# It needs no zig, so its failure is no reason to skip.
cargo fetch --locked --quiet
ci/zig.sh "$target/tools"
[ -x "$target/tools/ziglang/zig" ] || skip "zig cannot be had, to link against an old C library"
export PATH=$PWD/ci:$PATH GEVT_ZIG=$target/tools/ziglang/zig GEVT_CC=zig-cc.sh

# foreign MACHINE: makes what follows build for another machine, or returns why it cannot.
foreign() {
  local missing=()
  rustup target add "$1-unknown-linux-gnu" >/dev/null 2>&1 || missing+=("Rust's library")
  [ -e "/usr/$1-linux-gnu/lib/libgcc_s.so.1" ] || missing+=("libgcc")
  command -v "$1-linux-gnu-objcopy" >/dev/null || missing+=("binutils")
  if [ ${#missing[@]} -gt 0 ]; then
    skipped "nothing is made for $1: there is no $(printf '%s, ' "${missing[@]}" | sed 's/, $//') for it here"
    return 1
  fi
  tools=$1-linux-gnu- options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$PWD/ci/zig-c.sh"
    -DCMAKE_CXX_COMPILER="$PWD/ci/zig-cxx.sh" -DCMAKE_OBJCOPY="$(command -v "$1-linux-gnu-objcopy")")
  # hostcuda/install.sh links libraries of jumps with it; for these zig takes no version of a C library.
  export PATH=$target/tools/ziglang:$PATH CC="zig cc -target $1-linux-gnu" CARGO_BUILD_TARGET=$1-unknown-linux-gnu
}

# Their own build folder, as they are linked and named otherwise.
export CARGO_TARGET_DIR=$target/dist-build
. ci/remap.sh
# Files are as old as the commit: two builds of it are the same.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
umask 022

# install_below FOLDER PREFIX LIBDIR: what `make install` and `make install-hostcuda` make, without debug information, and with the others' licences.
install_below() {
  local build=$CARGO_TARGET_DIR/cmake/$GEVT_MACHINE/$3
  cmake -S . -B "$build" -DCMAKE_INSTALL_LIBDIR="$3" -DGEVT_BUILD_TESTS=OFF -DGEVT_BUILD_EXAMPLES=OFF "${options[@]}" >/dev/null
  cmake --build "$build" --target gevt_library >/dev/null
  DESTDIR=$1 cmake --install "$build" --prefix "$2" >/dev/null
  DESTDIR=$1 cmake --install "$build" --prefix "$2" --component hostcuda >/dev/null
  # Debug files are as large as all else together.
  find "$1" -name '*.debug' -delete
  "${tools}strip" --enable-deterministic-archives --strip-debug "$1$2/$3/libgevt.a"
  ci/licences.sh "$GEVT_MACHINE-unknown-linux-gnu" >"$1$2/share/doc/gevt/LICENSES-OF-DEPENDENCIES"
}

# release MACHINE: its files, installed and used.
release() {
  local name=gevt-$version-$1-linux-gnu tools='' options=() stage
  export GEVT_MACHINE=$1
  [ "$1" = "$(uname -m)" ] || foreign "$1" || return 0
  stage=$(mktemp -d)
  # shellcheck disable=SC2064 # this folder
  trap "rm -rf '$stage'" EXIT
  install_below "$stage" "/$name" lib
  tar --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -czf "$output/$name.tar.gz" "$name"
  if command -v dpkg-deb >/dev/null; then
    install_below "$stage/debian" /usr "lib/$1-linux-gnu"
    ci/deb.sh "$stage/debian" "$output" "$version" "$1"
  else
    echo "dist: no dpkg-deb here, and no Debian packages"
  fi
  unset CARGO_ENCODED_RUSTFLAGS CC CARGO_BUILD_TARGET
  ci/dist-test.sh "$output"
}

rm -rf "$output"
mkdir -p "$output"
for machine; do (release "$machine"); done
env -u CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR="$target" $windows
ls -l "$output"
