#!/usr/bin/env bash
# The files of a release, in dist/ of the build folder: a tarball of the installed tree and three Debian packages, for x86-64 and for arm64, and a
# zip for Windows (ci/dist-windows.sh). Then ci/dist-test.sh installs and uses them.
#
# usage: ci/dist.sh [MACHINE...]     x86_64, aarch64; both where none is named, and Windows. Not tried on an arm64 machine.
#
# DEBFULLNAME and DEBEMAIL name who packs the Debian packages.
. "$(dirname "$0")/lib.sh"

output=$target/dist
rm -rf "$output"
mkdir -p "$output"
[ $# -gt 0 ] || ci/dist-windows.sh
[ $# -gt 0 ] || set -- x86_64 aarch64
. ci/release.sh
umask 022

# install_below FOLDER PREFIX LIBDIR: what `make install` and `make install-hostcuda` make, without debug information, and with the others' licences.
install_below() {
  local build=$built/cmake/$GEVT_MACHINE/$3
  quietly cmake -S . -B "$build" -DCMAKE_INSTALL_LIBDIR="$3" -DGEVT_BUILD_TESTS=OFF -DGEVT_BUILD_EXAMPLES=OFF "${options[@]}"
  quietly cmake --build "$build" --target gevt_library
  DESTDIR=$1 quietly cmake --install "$build" --prefix "$2"
  DESTDIR=$1 quietly cmake --install "$build" --prefix "$2" --component hostcuda
  # Debug files are as large as all else together.
  find "$1" -name '*.debug' -delete
  "${tools}strip" --enable-deterministic-archives --strip-debug "$1$2/$3/libgevt.a"
  licences "$GEVT_MACHINE-unknown-linux-gnu" >"$1$2/share/doc/gevt/LICENSES-OF-DEPENDENCIES"
}

# pack TREE PACKAGE SECTION DEPENDS SUMMARY DESCRIPTION PATH...: a Debian package of these files of the tree, with the files that Debian asks for.
pack() {
  local tree=$1 package=$2 folder=$scratch/deb/$2 documents=$scratch/deb/$2/usr/share/doc/$2 architecture=amd64 path
  local maintainer="${DEBFULLNAME:-The gevt authors} <${DEBEMAIL:-gevt@localhost}>"
  [ "$GEVT_MACHINE" != aarch64 ] || architecture=arm64
  mkdir -p "$documents" "$folder/DEBIAN"
  for path in "${@:7}"; do
    mkdir -p "$folder/$(dirname "$path")"
    mv "$tree/$path" "$folder/$path"
  done
  {
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    printf '\nFiles: *\nCopyright: %s the gevt authors\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n' "$(date --utc +%Y --date="@$SOURCE_DATE_EPOCH")"
    sed -n '/^Permission is/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /'
    printf '\nLicense: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n'
  } >"$documents/copyright"
  gzip -9n <"$tree/usr/share/doc/gevt/LICENSES-OF-DEPENDENCIES" >"$documents/LICENSES-OF-DEPENDENCIES.gz"
  printf 'gevt (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- %s  %s\n' "$version" "$maintainer" \
    "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" | gzip -9n >"$documents/changelog.gz"
  cat >"$folder/DEBIAN/control" <<END
Package: $package
Source: gevt
Version: $version
Architecture: $architecture
Multi-Arch: $([ "$package" = gevt-cuda ] && echo no || echo same)
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$folder" | cut -f1)
Depends: $4
Section: $3
Priority: optional
Description: $5
 gevt's events mark points in streams of asynchronous work, on a GPU by
 CUDA or on the host's threads. They are checked: a stale or foreign handle
 is an error with a cause and not a crash.
 .
$(printf '%s\n' "$6" | sed 's/^/ /')
END
  (cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  find "$folder" -type f -name 'lib*.so*' -exec chmod 644 {} +
  dpkg-deb --root-owner-group --build "$folder" "$output/${package}_${version}_$architecture.deb" >/dev/null
}
# debian TREE: libgevt0 to run programs, libgevt-dev to build them, and gevt-cuda with the drop-in and CUDA without a GPU.
debian() {
  local runtime=libgevt${version%%.*} libraries=usr/lib/$GEVT_MACHINE-linux-gnu system="libc6 (>= 2.17), libgcc-s1 | libgcc1 (>= 1:4.2)"
  mkdir -p "$scratch/deb/"{"$runtime",gevt-cuda}/DEBIAN
  echo "libgevt ${version%%.*} $runtime (>= $version)" >"$scratch/deb/$runtime/DEBIAN/shlibs"
  echo "activate-noawait ldconfig" | tee "$scratch/deb/$runtime/DEBIAN/triggers" >"$scratch/deb/gevt-cuda/DEBIAN/triggers"
  pack "$1" "$runtime" libs "$system" "GPU events behind a C ABI" "This package has the library for programs that were built with it." \
    "$libraries/libgevt.so.${version%%.*}" "$libraries/libgevt.so.$version"
  pack "$1" gevt-cuda utils "$system" "gevt for unmodified CUDA programs" "gevt-run takes the event calls of a CUDA program through gevt.
gevt-hostcuda runs a CUDA program's streams and events without a GPU." \
    "$libraries/libgevt_cuda.so" "$libraries/libgevt_audit.so" usr/bin/gevt-run usr/bin/gevt-hostcuda usr/lib/gevt
  pack "$1" libgevt-dev libdevel "$runtime (= $version)" "GPU events behind a C ABI (development files)" \
    "This package has the headers for C and C++, the static library, and what
CMake and pkg-config look for." "$libraries" usr/include
  rm -rf "$scratch/deb"
}

# release MACHINE: its files, installed and used. zig takes no version of a C library for the libraries of jumps that hostcuda/install.sh links.
release() {
  local name=gevt-$version-$1-linux-gnu tools='' options=() stage=$scratch/$1
  zig_for "$1" || skip "zig cannot be had, to link against an old C library"
  if [ "$1" = "$(uname -m)" ]; then
    unset CC CXX
  else
    rustup target add "$1-unknown-linux-gnu" >/dev/null 2>&1 && [ -e "/usr/$1-linux-gnu/lib/libgcc_s.so.1" ] && command -v "$1-linux-gnu-objcopy" >/dev/null ||
      { skipped "nothing is made for $1: Rust's library, libgcc or binutils for it are missing" && return; }
    tools=$1-linux-gnu- options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_OBJCOPY="$(command -v "$1-linux-gnu-objcopy")")
    export CARGO_BUILD_TARGET=$1-unknown-linux-gnu CC="$GEVT_ZIG cc -target $1-linux-gnu"
  fi
  install_below "$stage" "/$name" lib
  tar --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -czf "$output/$name.tar.gz" "$name"
  if command -v dpkg-deb >/dev/null; then
    install_below "$stage/debian" /usr "lib/$1-linux-gnu"
    debian "$stage/debian"
  else
    skipped "there is no dpkg-deb here: no Debian packages"
  fi
  unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CC CXX
  ci/dist-test.sh "$output"
}
for machine; do (release "$machine"); done
ls -l "$output"
