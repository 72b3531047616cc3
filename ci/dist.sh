#!/usr/bin/env bash
# The files of a release, in the folder dist of the build folder: a tarball of the installed tree and three Debian packages. The
# libraries run on glibc 2.17 and later. Then ci/dist-test.sh installs and uses them.
#
# zig has the symbols of old C libraries and links against them; it comes from PyPI, by its hash, into the build folder.
# Skipped where it cannot be had. Time: three minutes from nothing, one when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
output=$target/dist
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)

ci/zig.sh "$target/tools" || skip "zig cannot be had, to link against an old C library"
export GEVT_ZIG=$target/tools/ziglang/zig GEVT_CC=$PWD/ci/zig-cc.sh

# A build folder of their own, as they are linked and named otherwise. The paths of this machine are nobody's business.
export CARGO_TARGET_DIR=$target/dist-build
RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$PWD=/gevt"
RUSTFLAGS+=" --remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rust"
export RUSTFLAGS
# Files are as old as the commit, so that two builds of it are the same.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
umask 022

# install_below FOLDER PREFIX LIBDIR: what `make install` makes, without debug information, and with the others' licences.
install_below() {
  local build=$CARGO_TARGET_DIR/cmake/$3
  cmake -S . -B "$build" -DCMAKE_INSTALL_LIBDIR="$3" -DGEVT_BUILD_TESTS=OFF -DGEVT_BUILD_EXAMPLES=OFF >/dev/null
  cmake --build "$build" --target gevt_library >/dev/null
  DESTDIR=$1 cmake --install "$build" --prefix "$2" >/dev/null
  # Debug files are as large as all else together.
  find "$1" -name '*.debug' -delete
  strip --enable-deterministic-archives --strip-debug "$1$2/$3/libgevt.a"
  licences >"$1$2/share/doc/gevt/LICENSES-OF-DEPENDENCIES"
}

# The licences of the crates that are built in, which ask to be handed on.
licences() {
  local directory
  echo "Besides gevt itself the libraries hold Rust's standard library (MIT or Apache-2.0, the Rust project's developers) and:"
  cargo tree --locked --workspace --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
    grep -v '^gevt\|^$' | sed 's/ (\*)$//' | sort -u | while read -r name crate_version licence; do
      printf '\n==== %s %s: %s\n\n' "$name" "${crate_version#v}" "$licence"
      directory=$(compgen -G "${CARGO_HOME:-$HOME/.cargo}/registry/src/*/$name-${crate_version#v}" | head -n 1)
      cat "$(find "$directory" -maxdepth 1 -iname 'LICEN[SC]E*' | LC_ALL=C sort | tail -n 1)"
    done
}

rm -rf "$output"
mkdir -p "$output"
name=gevt-$version-$machine-linux-gnu
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
install_below "$stage" "/$name" lib
tar --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -czf "$output/$name.tar.gz" "$name"

if command -v dpkg-deb >/dev/null; then
  install_below "$stage/debian" /usr "lib/$machine-linux-gnu"
  ci/deb.sh "$stage/debian" "$output" "$version" "$machine-linux-gnu"
else
  echo "dist: no dpkg-deb here, and no Debian packages"
fi
ls -l "$output"
unset RUSTFLAGS
ci/dist-test.sh "$output"
