#!/usr/bin/env bash
# A separate project uses what `make install` lays out. CMake and pkg-config find it. It is linked shared and static, from C and C++, by gcc
# and clang, also after the prefix was moved. A CUDA program links the drop-in.
#
# usage: ci/install.sh              what is installed
#        ci/install.sh fetched      the sources, by FetchContent
. "$(dirname "$0")/lib.sh"
checkout=$PWD
# The developer's paths would hide what is missing.
export GEVT_BACKEND=host
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH
soname=libgevt.so.${version%%.*}
cp -r tests/install "$scratch/project"

# runs FOLDER LIBRARY: the four programs answer, and load the library of that folder, or hold it.
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
  quietly cmake -S . -B "$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3" "${@:4}"
  quietly cmake --build "$1" --parallel 2
}

# by_pkg_config FOLDER CC CXX PREFIX
by_pkg_config() {
  local folder=$1 language compiler
  local -x PKG_CONFIG_PATH=$4/lib/pkgconfig
  mkdir -p "$folder"
  [ "$(pkg-config --modversion gevt)" = "$version" ] || fail "gevt.pc has another version"
  for language in c cpp; do
    compiler=("$2" -std=c99)
    [ $language = c ] || compiler=("$3" -std=c++17)
    # shellcheck disable=SC2046 # pkg-config prints several words
    quietly "${compiler[@]}" app.$language $(pkg-config --cflags --libs gevt) -Wl,-rpath,"$(pkg-config --variable=libdir gevt)" \
      -o "$folder/${language}_shared"
    # shellcheck disable=SC2046
    quietly "${compiler[@]}" app.$language $(pkg-config --cflags --libs --static gevt | sed 's/-lgevt\b/-l:libgevt.a/') -o "$folder/${language}_static"
  done
}

if [ "${1:-}" = fetched ]; then
  # gevt builds in the project's build folder, and its own sources stay as they are.
  mkdir "$scratch/source"
  files | tar --null -T - -cf - | tar -C "$scratch/source" -xf -
  chmod -R a-w "$scratch/source"
  sources() { find "$scratch/source" -printf '%P %s %T@\n' | LC_ALL=C sort; }
  sources >"$scratch/sources"
  cd "$scratch/project"
  (
    unset CARGO_TARGET_DIR
    # Only where it builds is looked at.
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0
    by_cmake fetched cc c++ -DFETCH=ON -DCHECKOUT="$scratch/source"
  )
  diff "$scratch/sources" <(sources) || fail "a project that gevt is a part of builds in gevt's sources"
  runs fetched "$scratch/project/fetched/_deps/gevt-build/lib"
  others=$(find fetched -name 'libgevt_cuda.so' -o -name 'libgevt_hostcuda.so')
  [ -z "$others" ] || fail "these were not asked for: $others"
  chmod -R u+w "$scratch/source"
  echo "FetchContent from a read-only folder: shared and static, C and C++"
  exit
fi

made() { quietly make --no-print-directory "$1" build="$scratch/build" "${@:2}"; }
made install PREFIX="$scratch/first"
[ ! -e "$scratch/first/lib/gevt" ] && [ ! -e "$scratch/first/bin/gevt-hostcuda" ] || fail "make install lays out CUDA without a GPU"
made install-hostcuda PREFIX="$scratch/first"
made install PREFIX=/usr/local DESTDIR="$scratch/stage"
made install-hostcuda PREFIX=/usr/local DESTDIR="$scratch/stage"
prefix=$scratch/first
for file in lib/libgevt.so "lib/$soname" "lib/libgevt.so.$version" lib/libgevt.a lib/pkgconfig/gevt.pc include/gevt.h \
  include/gevt.hpp include/gevt/event.hpp lib/cmake/gevt/gevtConfig.cmake lib/cmake/gevt/gevtConfigVersion.cmake \
  share/doc/gevt/LICENSE-MIT share/doc/gevt/LICENSE-APACHE lib/libgevt_cuda.so bin/gevt-run bin/gevt-hostcuda \
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
[ "$(nm -D --defined-only "$prefix/lib/libgevt.so" | grep -c "@@GEVT_${version%%.*}\$")" -eq "$(functions_of_gevt | wc -l)" ] ||
  fail "not every function has the version GEVT_${version%%.*}: a linker in your own cargo configuration may replace .cargo/cc.sh"
diff -r --no-dereference "$prefix" "$scratch/stage/usr/local" || fail "DESTDIR changes what is installed"
! grep -rlF -e "$scratch" -e "$checkout" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" "$prefix/include" ||
  fail "these files name the folder that they were built in or installed to"

cd "$scratch/project"
# all_ways PREFIX NAME CC CXX
all_ways() {
  command -v "$3" >/dev/null && command -v "$4" >/dev/null || { skipped "$2 with $3 and $4: they are not here" && return; }
  by_cmake "$2.cmake.$3" "$3" "$4" -DCMAKE_PREFIX_PATH="$1" -DWANTED="${version%.*}" -DDRIVER="$1/lib/gevt/hostcuda/libcuda.so.1"
  runs "$2.cmake.$3" "$1/lib"
  cuda_runs "$2.cmake.$3" "$1"
  echo "$2: CMake with $3: shared and static, C and C++, and the drop-in"
  command -v pkg-config >/dev/null || { skipped "$2 by pkg-config: it is not here" && return; }
  by_pkg_config "$2.pkg-config.$3" "$3" "$4" "$1"
  runs "$2.pkg-config.$3" "$1/lib"
  echo "$2: pkg-config with $3: shared and static, C and C++"
}
all_ways "$prefix" installed gcc g++
all_ways "$prefix" installed clang clang++
mkdir -p "$scratch/a/deeper"
mv "$prefix" "$scratch/a/deeper/place"
all_ways "$scratch/a/deeper/place" moved gcc g++

# find_package refuses a newer major version.
! cmake -S . -B refused -DCMAKE_PREFIX_PATH="$scratch/a/deeper/place" -DWANTED=99.0 >"$scratch/log" 2>&1 || fail "find_package takes $version for 99.0"
grep -q "99.0" "$scratch/log" || { cat "$scratch/log" && fail "find_package fails for another reason"; }
