#!/usr/bin/env bash
# Makes the files of a release in dist/ of the build folder: a tarball and three Debian packages for x86-64 and for arm64, and a zip for Windows.
# Then it installs and uses them: the tarball here, the tarball and the packages in a Debian 11 (glibc 2.31) that debootstrap makes. No file
# needs more than glibc 2.17. Files for another machine run under qemu-user.
#
# usage: packaging/dist.sh [MACHINE...]     x86_64, aarch64; without it both, and Windows (packaging/dist-windows.sh). Not tried on an arm64 machine.
#
# DEBFULLNAME and DEBEMAIL name the maintainer of the Debian packages.
. "$(dirname "$0")/../ci/lib.sh"

output=$target/dist
rm -rf "$output"
mkdir -p "$output"
[ $# -gt 0 ] || packaging/dist-windows.sh
[ $# -gt 0 ] || set -- x86_64 aarch64
. packaging/release.sh
umask 022

# install_below FOLDER PREFIX LIBDIR: the files of `make install` and `make install-hostcuda` without debug files, with the dependencies' licences.
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

# pack TREE PACKAGE SECTION DEPENDS SUMMARY DESCRIPTION PATH...: moves these paths of the tree into a Debian package.
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
# debian TREE: libgevt0 runs programs, libgevt-dev builds them, gevt-cuda has the drop-in and CUDA without a GPU.
debian() {
  local runtime=libgevt${version%%.*} libraries=usr/lib/$GEVT_MACHINE-linux-gnu system="libc6 (>= 2.17), libgcc-s1 | libgcc1 (>= 1:4.2)"
  mkdir -p "$scratch/deb/"{"$runtime",gevt-cuda}/DEBIAN
  echo "libgevt ${version%%.*} $runtime (>= $version)" >"$scratch/deb/$runtime/DEBIAN/shlibs"
  echo "activate-noawait ldconfig" | tee "$scratch/deb/$runtime/DEBIAN/triggers" >"$scratch/deb/gevt-cuda/DEBIAN/triggers"
  pack "$1" "$runtime" libs "$system" "GPU events behind a C ABI" "This package has the library for programs that were built with it." \
    "$libraries/libgevt.so.${version%%.*}" "$libraries/libgevt.so.$version"
  pack "$1" gevt-cuda utils "$system" "gevt for unmodified CUDA programs" "gevt-run takes the event calls of a CUDA program through gevt.
gevt-hostcuda runs a CUDA program's streams and events without a GPU." \
    "$libraries/libgevt_cuda.so" usr/bin/gevt-run usr/bin/gevt-hostcuda usr/lib/gevt
  pack "$1" libgevt-dev libdevel "$runtime (= $version)" "GPU events behind a C ABI (development files)" \
    "This package has the headers for C and C++, the static library, and what
CMake and pkg-config look for." "$libraries" usr/include
  rm -rf "$scratch/deb"
}

answers() { [ "$("$@")" = "$version 42" ] || fail "$* does not answer"; }

# sound TREE: its libraries need no newer C library than glibc 2.17, and its files name no path of this machine.
sound() {
  local library newest libraries=0
  while IFS= read -r library; do
    newest=$($objdump -T "$library" | sed -nE 's/.*\(GLIBC_([0-9.]+)\).*/\1/p' | sort -uV | tail -n 1)
    [ "$(printf '%s\n2.17\n' "$newest" | sort -V | tail -n 1)" = 2.17 ] || fail "$library needs glibc $newest"
    # A function that the linker did not find has no version. Weak ones may be missing. libcudart.so's are in the libcuda.so.1 beside it.
    newest=$($objdump -T "$library" | awk '$0 ~ /\*UND\*/ && $2 != "w" && $(NF - 1) !~ /^\(/ && $NF !~ /^gevt_/ { print $NF }')
    [ -z "$newest" ] || fail "$library needs $newest, which glibc 2.17 does not have"
    libraries=$((libraries + 1))
  done < <(find "$1" -name '*.so*' -type f)
  [ "$libraries" -ge 3 ] || fail "$1 has $libraries libraries"
  ! grep -rlF -e "$PWD" -e "$HOME/" "$1" || fail "these files name paths of this machine"
}

# old SOURCE PROGRAM OPTION...: a C program for glibc 2.17.
old() { "$GEVT_ZIG" cc -target "$GEVT_MACHINE-linux-gnu.2.17" -std=c99 "$1" "${@:3}" -o "$2"; }

# programs FOLDER PREFIX LIBDIR: what runs in the old Debian, built with the installed files found by pkg-config.
programs() {
  local libraries
  mkdir -p "$1"
  libraries=$(PKG_CONFIG_PATH=$3/pkgconfig pkg-config --cflags --libs gevt)
  # shellcheck disable=SC2086 # several words
  old tests/install/app.c "$1/shared" $libraries
  # shellcheck disable=SC2086
  old tests/install/app.c "$1/static" ${libraries/-lgevt/} "$3/libgevt.a" -lunwind -lpthread -ldl -lm
  old tests/install/cuda.c "$1/cuda" "$2/lib/gevt/hostcuda/libcuda.so.1"
}

# use MACHINE: installs its files, and builds and runs programs with them.
use() {
  local multiarch=$1-linux-gnu architecture=amd64 objdump=objdump emulated=() launch=() options=() targets=(all) bring=() prefix root mirror program
  [ "$1" != aarch64 ] || architecture=arm64
  scratch=$scratch/used-$1
  mkdir "$scratch"
  export GEVT_BACKEND=host
  unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH
  if [ "$1" != "$(uname -m)" ]; then
    objdump=$multiarch-objdump
    export CC="$GEVT_ZIG cc -target $multiarch.2.17" CXX="$GEVT_ZIG c++ -target $multiarch.2.17"
    options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_EXE_LINKER_FLAGS=-lunwind)
    # zig does not know the linker's option by which gevt::cuda stays with a program: there the launcher brings it.
    targets=(c_shared c_static cpp_shared cpp_static)
    # Static: it runs in an old Debian, and what a launcher preloads is for the program alone.
    emulated=("qemu-$1-static")
    needs "${emulated[0]}"
    export QEMU_LD_PREFIX=/usr/$multiarch
    # The launcher looks in the folder of the machine that the system names, which is not this one.
    launch=(env GEVT_SHIM_LIB="/usr/lib/$multiarch/libgevt_cuda.so")
  fi

  tar --directory "$scratch" -xzf "$output/gevt-$version-$1-linux-gnu.tar.gz"
  prefix=$scratch/gevt-$version-$1-linux-gnu
  sound "$prefix"
  quietly cmake -S tests/install -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DDRIVER="$prefix/lib/gevt/hostcuda/libcuda.so.1" "${options[@]}"
  quietly cmake --build "$scratch/build" --target "${targets[@]}"
  for program in c_shared c_static cpp_shared cpp_static; do answers "${emulated[@]}" "$scratch/build/$program"; done
  if [ ! -e "$scratch/build/cuda" ]; then
    old tests/install/cuda.c "$scratch/build/cuda" "$prefix/lib/gevt/hostcuda/libcuda.so.1"
    bring=("$prefix/bin/gevt-run")
  fi
  "$prefix/bin/gevt-hostcuda" "${bring[@]}" "${emulated[@]}" "$scratch/build/cuda" || fail "the drop-in and CUDA without a GPU do not run here"
  echo "dist: the tarball for $1 here: shared and static, C and C++, the drop-in"

  mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 '/debian/*$' || true)
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || [ -z "$mirror" ] ||
    ! debootstrap --variant=minbase bullseye "$scratch/root" "$mirror" >"$scratch/log" 2>&1; then
    ! grep -qs 'No space left on device' "$scratch/log" "$scratch/root/debootstrap/debootstrap.log" ||
      fail "the disk is full"
    skip "no Debian 11 can be made here: the packages are not installed, and no old C library is tried"
  fi
  root=$scratch/root
  in_root() { chroot "$root" env GEVT_BACKEND=host "$@"; }
  echo "dist: $(in_root ldd --version | head -n 1)"
  if [ "$1" != "$(uname -m)" ]; then
    cp "$(command -v "${emulated[0]}")" "$root/usr/bin/"
    unset QEMU_LD_PREFIX
    in_root sh -c "dpkg --add-architecture $architecture && apt-get update --quiet --quiet &&
      apt-get install --yes --quiet --quiet --no-install-recommends libc6:$architecture libgcc-s1:$architecture" >"$scratch/log" 2>&1 ||
      skip "the packages of Debian 11 for $1 cannot be had: gevt's are not tried there: $(tail -n 1 "$scratch/log")"
  fi

  programs "$root/tarball" "$prefix" "$prefix/lib"
  cp -r "$prefix" "$root/opt/gevt"
  answers in_root env LD_LIBRARY_PATH=/opt/gevt/lib "${emulated[@]}" /tarball/shared
  answers in_root "${emulated[@]}" /tarball/static
  in_root /opt/gevt/bin/gevt-hostcuda /opt/gevt/bin/gevt-run "${emulated[@]}" /tarball/cuda || fail "the tarball's drop-in does not run there"
  echo "dist: the tarball there: shared and static, the drop-in"

  mkdir "$root/packages"
  cp "$output"/*.deb "$root/packages/"
  quietly in_root sh -c "dpkg --install /packages/*_$architecture.deb"
  sound "$root/usr/lib/gevt"
  programs "$root/packaged" "$root/usr" "$root/usr/lib/$1-linux-gnu"
  answers in_root "${emulated[@]}" /packaged/shared
  answers in_root "${emulated[@]}" /packaged/static
  in_root "${launch[@]}" gevt-hostcuda gevt-run "${emulated[@]}" /packaged/cuda || fail "the packages' drop-in does not run there"
  quietly in_root sh -c "dpkg --purge libgevt-dev:$architecture gevt-cuda:$architecture libgevt0:$architecture"
  ! in_root "${emulated[@]}" /packaged/shared 2>/dev/null || fail "the program runs without its library"
  echo "dist: the packages there: shared and static, the drop-in"
}

# release MACHINE: makes and uses its files. zig takes no version of a C library for the libraries of jumps that hostcuda/install.sh links.
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
  use "$1"
}
for machine; do (release "$machine"); done
ls -l "$output"
