#!/usr/bin/env bash
# What `make install` lays out serves a project that knows nothing of this one. It is found by CMake and by pkg-config, and linked shared and
# static, from C and C++, by gcc and clang, also after the prefix was moved, and a CUDA program links the drop-in.
#
# usage: ci/install.sh             what is installed
#        ci/install.sh fetched     the sources, by FetchContent
#
# A compiler that is not there is skipped by name, and with it the check.
# Time: up to three minutes from nothing, a quarter of one when the libraries are built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh
checkout=$PWD
# -P: what the loader prints has no links in it.
scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
# The same on every machine. No path of the developer's may help.
export GEVT_BACKEND=host
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
soname=libgevt.so.${version%%.*}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# quietly COMMAND...: its output only where it fails.
quietly() {
  "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail "$*"; }
}

# The stranger's project, in C and in C++, away from the checkout.
cp -r tests/install "$scratch/project"

# runs FOLDER LIBRARY: the four programs answer, and take the library of that folder, or hold it.
runs() {
  local program loaded
  for program in c_shared c_static cpp_shared cpp_static; do
    [ "$("$1/$program")" = "$version 42" ] || fail "$1/$program does not answer"
    loaded=$(ldd "$1/$program" | sed -n "s/.*$soname => \(.*\) (.*/\1/p")
    case $program in
      *_shared) [ "$loaded" -ef "$2/$soname" ] || fail "$1/$program loads '$loaded', not $2/$soname" ;;
      *_static) [ -z "$loaded" ] || fail "$1/$program loads $loaded" ;;
    esac
  done
}

# cuda_runs FOLDER PREFIX: the program that links gevt::cuda has it before the driver, and runs with that of the host.
cuda_runs() {
  local needed
  needed=$(objdump -p "$1/cuda" | awk '$1 == "NEEDED" { print $2 }' | grep cuda | tr '\n' ' ')
  [ "$needed" = "libgevt_cuda.so libcuda.so.1 " ] || fail "$1/cuda needs '$needed'"
  "$2/bin/gevt-hostcuda" "$1/cuda" || fail "$1/cuda does not run"
  "$2/bin/gevt-run" "$2/bin/gevt-hostcuda" "$1/cuda" || fail "$1/cuda does not run under gevt-run"
}

# by_cmake FOLDER CC CXX OPTION...
by_cmake() {
  local folder=$1 cc=$2 cxx=$3
  shift 3
  quietly cmake -S . -B "$folder" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$@"
  quietly cmake --build "$folder" --parallel 2
}

# by_pkg_config FOLDER CC CXX PREFIX
by_pkg_config() {
  local folder=$1 language compiler flags
  export PKG_CONFIG_PATH=$4/lib/pkgconfig
  mkdir -p "$folder"
  [ "$(pkg-config --modversion gevt)" = "$version" ] || fail "gevt.pc has another version"
  for language in c cpp; do
    compiler=$2 flags=-std=c99
    [ $language = c ] || compiler=$3 flags=-std=c++17
    # shellcheck disable=SC2046 # pkg-config prints several words
    quietly "$compiler" $flags app.$language $(pkg-config --cflags --libs gevt) -Wl,-rpath,"$(pkg-config --variable=libdir gevt)" \
      -o "$folder/${language}_shared"
    # shellcheck disable=SC2046
    quietly "$compiler" $flags app.$language \
      $(pkg-config --cflags --libs --static gevt | sed 's/-lgevt\b/-l:libgevt.a/') -o "$folder/${language}_static"
  done
  unset PKG_CONFIG_PATH
}

if [ "${1:-}" = fetched ]; then
  cd "$scratch/project"
  # A project that gevt is a part of: it is built in that project's build folder, and its sources, which may be read-only, stay as they
  # are. The drop-in and hostcuda are left out there unless they are asked for.
  "$checkout/ci/files.sh" | tar -C "$checkout" --null -T - --ignore-failed-read -cf - 2>/dev/null |
    tar -C "$(mkdir -p "$scratch/source" && echo "$scratch/source")" -xf -
  chmod -R a-w "$scratch/source"
  sources() { find "$scratch/source" -printf '%P %s %T@\n' | LC_ALL=C sort; }
  sources >"$scratch/sources"
  (
    unset CARGO_TARGET_DIR
    # For a short build: only where it builds is looked at.
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0
    by_cmake fetched cc c++ -DFETCH=ON -DCHECKOUT="$scratch/source"
  )
  diff "$scratch/sources" <(sources) || fail "a project that gevt is a part of builds in gevt's sources"
  runs fetched "$scratch/project/fetched/_deps/gevt-build/lib"
  others=$(find fetched -name 'libgevt_cuda.so' -o -name 'libgevt_hostcuda.so')
  [ -z "$others" ] || fail "these were not asked for: $others"
  echo "FetchContent from a read-only folder: shared and static, C and C++"
  exit
fi

# Its own build folder and CMake cache.
quietly make --no-print-directory install build="$scratch/build" PREFIX="$scratch/first"
[ ! -e "$scratch/first/lib/gevt" ] && [ ! -e "$scratch/first/bin/gevt-hostcuda" ] || fail "make install lays out CUDA without a GPU"
quietly make --no-print-directory install-hostcuda build="$scratch/build" PREFIX="$scratch/first"
quietly make --no-print-directory install build="$scratch/build" PREFIX=/usr/local DESTDIR="$scratch/stage"
quietly make --no-print-directory install-hostcuda build="$scratch/build" PREFIX=/usr/local DESTDIR="$scratch/stage"
prefix=$scratch/first
for file in lib/libgevt.so "lib/$soname" "lib/libgevt.so.$version" lib/libgevt.a lib/pkgconfig/gevt.pc include/gevt.h \
  include/gevt.hpp include/gevt/event.hpp lib/cmake/gevt/gevtConfig.cmake lib/cmake/gevt/gevtConfigVersion.cmake \
  share/doc/gevt/LICENSE-MIT share/doc/gevt/LICENSE-APACHE lib/libgevt_cuda.so lib/libgevt_audit.so bin/gevt-run bin/gevt-hostcuda \
  lib/gevt/hostcuda/libcuda.so.1 lib/gevt/hostcuda/libcudart.so.12 lib/gevt/hostcuda/libcudart.so.13; do
  [ -f "$prefix/$file" ] || fail "no $file was installed"
done
while IFS= read -r document; do
  [ -f "$prefix/share/doc/gevt/${document#docs/}" ] || fail "the headers name $document, which was not installed"
done < <(grep -rhoE 'docs/[A-Z]+\.md' "$prefix/include" | sort -u)

# Libraries without debug information, and beside each a file with it, which the library names.
for library in "lib/libgevt.so.$version" lib/libgevt_cuda.so lib/gevt/hostcuda/libcuda.so.1; do
  ! objdump -h "$prefix/$library" | grep ' \.debug_info' >/dev/null || fail "$library has debug information"
  objdump -h "$prefix/$library.debug" | grep ' \.debug_info' >/dev/null || fail "$library.debug has none"
  objdump -s -j .gnu_debuglink "$prefix/$library" | grep debug >/dev/null || fail "$library does not name $library.debug"
done
! objdump -h "$prefix/lib/libgevt.a" | grep ' \.debug_info' >/dev/null || fail "libgevt.a has debug information"
[ "$(stat -L -c %s "$prefix/lib/libgevt.so")" -lt 1500000 ] || fail "libgevt.so is larger than 1.5 MB"

for name in libgevt.so "$soname"; do
  [ "$(readlink -f "$prefix/lib/$name")" = "$prefix/lib/libgevt.so.$version" ] || fail "$name does not lead to the library"
done
objdump -p "$prefix/lib/libgevt.so" | grep "SONAME  *$soname\$" >/dev/null || fail "the SONAME is not $soname"
[ "$(nm -D --defined-only "$prefix/lib/libgevt.so" | grep -c "@@GEVT_${version%%.*}\$")" -eq "$(wc -l <tests/exports.txt)" ] ||
  fail "not every function has the version GEVT_${version%%.*}: a linker in your own cargo configuration may replace .cargo/cc.sh"
diff -r --no-dereference "$prefix" "$scratch/stage/usr/local" || fail "DESTDIR changes what is installed"
if grep -rlF -e "$scratch" -e "$checkout" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" "$prefix/include"; then
  fail "these files name the folder that they were built in or installed to"
fi

cd "$scratch/project"
# all_ways PREFIX NAME COMPILERS...: by every way.
all_ways() {
  local prefix=$1 name=$2 pair cc cxx
  shift 2
  for pair; do
    read -r cc cxx <<<"$pair"
    if ! command -v "$cc" >/dev/null || ! command -v "$cxx" >/dev/null; then
      skipped "$name with $cc and $cxx: they are not here"
      continue
    fi
    by_cmake "$name.cmake.$cc" "$cc" "$cxx" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" \
      -DDRIVER="$prefix/lib/gevt/hostcuda/libcuda.so.1"
    runs "$name.cmake.$cc" "$prefix/lib"
    cuda_runs "$name.cmake.$cc" "$prefix"
    echo "$name: CMake with $cc: shared and static, C and C++, and the drop-in"
    if command -v pkg-config >/dev/null; then
      by_pkg_config "$name.pkg-config.$cc" "$cc" "$cxx" "$prefix"
      runs "$name.pkg-config.$cc" "$prefix/lib"
      echo "$name: pkg-config with $cc: shared and static, C and C++"
    else
      skipped "$name by pkg-config: it is not here"
    fi
  done
}

all_ways "$prefix" installed "gcc g++" "clang clang++"
mkdir -p "$scratch/a/deeper"
mv "$prefix" "$scratch/a/deeper/place"
all_ways "$scratch/a/deeper/place" moved "gcc g++"

# A version that this one cannot replace is refused.
if cmake -S . -B refused -DCMAKE_PREFIX_PATH="$scratch/a/deeper/place" -DWANTED=99.0 >"$scratch/log" 2>&1; then
  fail "find_package takes $version for 99.0"
fi
grep -q "99.0" "$scratch/log" || { cat "$scratch/log" && fail "find_package fails for another reason"; }
