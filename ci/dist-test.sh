#!/usr/bin/env bash
# What ci/dist.sh made is installed and used: the tarball here and the packages, too, in a Debian 11 (glibc 2.31), which is the
# oldest that Debian still serves. That no library asks for more than glibc 2.17 is read from its symbols.
#
# usage: ci/dist-test.sh FOLDER     run by ci/dist.sh, which names zig (GEVT_ZIG)
#
# The Debian 11 comes from the machine's own mirror by debootstrap, as root; where that cannot be, its part is SKIPPED.
# Time: a minute, most of it for the Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
checkout=$PWD output=$(realpath "$1")
# -P: what the loader prints has no links in it.
scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf --one-file-system "$scratch"' EXIT
export GEVT_BACKEND=host
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
multiarch=$(uname -m)-linux-gnu

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
answers() { [ "$("$@")" = "$version 42" ] || fail "$* does not answer"; }

# sound TREE: its libraries need no newer C library, and hold no path of the machine that they were built on.
sound() {
  local library newest libraries=0
  while IFS= read -r library; do
    # libcudart.so needs none.
    newest=$(objdump -T "$library" | sed -nE 's/.*\(GLIBC_([0-9.]+)\).*/\1/p' | sort -uV | tail -n 1)
    [ "$(printf '%s\n2.17\n' "$newest" | sort -V | tail -n 1)" = 2.17 ] || fail "$library needs glibc $newest"
    libraries=$((libraries + 1))
  done < <(find "$1" -name '*.so*' -type f)
  [ "$libraries" -ge 3 ] || fail "$1 has $libraries libraries"
  ! grep -rlF -e "$checkout" -e "$HOME/" "$1" || fail "these files name paths of this machine"
}

# old SOURCE PROGRAM OPTION...: a C program for glibc 2.17.
old() {
  local source=$1 program=$2
  shift 2
  # shellcheck disable=SC2086 # several words
  $GEVT_ZIG cc -target "$multiarch.2.17" -std=c99 "$source" "$@" -o "$program"
}

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

tar --directory "$scratch" -xzf "$output/gevt-$version-$multiarch.tar.gz"
prefix=$scratch/gevt-$version-$multiarch
sound "$prefix"
cmake -S tests/install -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DDRIVER="$prefix/lib/gevt/hostcuda/libcuda.so.1" \
  >"$scratch/log" 2>&1 && cmake --build "$scratch/build" >>"$scratch/log" 2>&1 || { cat "$scratch/log" && exit 1; }
for program in c_shared c_static cpp_shared cpp_static; do answers "$scratch/build/$program"; done
"$prefix/bin/gevt-hostcuda" "$scratch/build/cuda" || fail "the drop-in and CUDA without a GPU do not run here"
echo "dist: the tarball here: shared and static, C and C++, the drop-in"

mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 '/debian/*$' || true)
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || [ -z "$mirror" ] ||
  ! debootstrap --variant=minbase bullseye "$scratch/root" "$mirror" >"$scratch/log" 2>&1; then
  echo "SKIPPED: no Debian 11 can be made here: the packages are not installed, and no old C library is tried"
  exit
fi
root=$scratch/root
in_root() { chroot "$root" env GEVT_BACKEND=host "$@"; }
echo "dist: $(in_root ldd --version | head -n 1)"

programs "$root/tarball" "$prefix" "$prefix/lib"
cp -r "$prefix" "$root/opt/gevt"
answers in_root env LD_LIBRARY_PATH=/opt/gevt/lib /tarball/shared
answers in_root /tarball/static
in_root /opt/gevt/bin/gevt-run /opt/gevt/bin/gevt-hostcuda /tarball/cuda || fail "the tarball's drop-in does not run there"
echo "dist: the tarball there: shared and static, the drop-in"

mkdir "$root/packages"
cp "$output"/*.deb "$root/packages/"
in_root sh -c 'dpkg --install /packages/*.deb' >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail "dpkg does not install the packages"; }
sound "$root/usr/lib/gevt"
programs "$root/packaged" "$root/usr" "$root/usr/lib/$multiarch"
answers in_root /packaged/shared
answers in_root /packaged/static
in_root gevt-run gevt-hostcuda /packaged/cuda || fail "the packages' drop-in does not run there"
in_root sh -c 'dpkg --purge libgevt-dev gevt-cuda libgevt0' >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail "the packages do not go away"; }
if in_root /packaged/shared 2>/dev/null; then fail "the program runs without its library"; fi
echo "dist: the packages there: shared and static, the drop-in"
