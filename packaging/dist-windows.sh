#!/usr/bin/env bash
# Makes the zip of a release for 64-bit Windows in dist/ of the build folder. It has bin/gevt.dll, import libraries for mingw-w64 and for MSVC's
# linker, the headers, the CMake package and examples. CMake, clang for mingw-w64, and clang and lld-link instead of MSVC build programs with
# it, which run under wine.
. "$(dirname "$0")/../ci/lib.sh"
checkout=$PWD name=gevt-$version-x86_64-windows rust=x86_64-pc-windows-gnu compiler=x86_64-w64-mingw32-gcc-posix
needs $compiler "${compiler/gcc/g++}"
[ -d "$(rustc --print sysroot)/lib/rustlib/$rust" ] || rustup target add $rust >/dev/null 2>&1 || skip "there is no Rust for $rust here"
. packaging/release.sh
build=$built/cmake/windows
quietly cmake -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/mingw-w64.cmake" -DGEVT_BUILD_TESTS=OFF -DGEVT_BUILD_EXAMPLES=OFF
quietly cmake --build "$build" --target gevt_library
quietly cmake --install "$build" --prefix "$scratch/$name"
find "$scratch/$name" -name '*.debug' -delete
licences $rust >"$scratch/$name/share/doc/gevt/LICENSES-OF-DEPENDENCIES"
# example COMPILER STANDARD SOURCE
example() {
  "$1" -std="$2" -O2 -static "examples-c/$3" -I"$scratch/$name/include" -L"$scratch/$name/lib" -lgevt -s -o "$scratch/$name/bin/${3%.*}.exe"
}
for source in timing two_streams frames_in_flight host_signaled; do example $compiler c99 $source.c; done
for source in callbacks queries wait_any; do example "${compiler/gcc/g++}" c++17 $source.cpp; done
! grep -rlF -e "$checkout" -e "$HOME/" "$scratch/$name" || fail "these files name paths of this machine"
mkdir -p "$target/dist"
find "$scratch/$name" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$scratch" && TZ=UTC cmake -E tar cf "$target/dist/$name.zip" --format=zip "$name")
ls -l "$target/dist/$name.zip"

mkdir "$scratch/used"
(cd "$scratch/used" && cmake -E tar xf "$target/dist/$name.zip")
prefix=$scratch/used/$name
for file in bin/gevt.dll bin/timing.exe lib/libgevt.dll.a lib/gevt.lib include/gevt.h include/gevt/event.hpp lib/cmake/gevt/gevtConfig.cmake \
  share/doc/gevt/LICENSE-MIT; do
  [ -f "$prefix/$file" ] || fail "no $file is in the zip"
done
functions() { x86_64-w64-mingw32-objdump -p "$prefix/bin/gevt.dll" | sed -nE 's/.*\[ *[0-9]+\] (\+base\[ *[0-9]+\] +[0-9a-f]+ )?(gevt_\w+)$/\2/p' | LC_ALL=C sort -u; }
diff <(functions_of_gevt) <(functions) || fail "gevt.dll exports other functions than tests/functions.def names"

quietly cmake -S tests/install -B "$scratch/build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/mingw-w64.cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DWANTED="${version%.*}" -DCMAKE_EXE_LINKER_FLAGS=-static
quietly cmake --build "$scratch/build"
programs=("$scratch/build/c_shared.exe" "$scratch/build/cpp_shared.exe")

# The headers compile in each standard they support.
if command -v clang++ >/dev/null; then
  # clang does not look for the library of Debian's two kinds of mingw-w64.
  cpp=$("${compiler/gcc/g++}" -print-file-name=include/c++)
  for standard in c99 c++17; do
    language=${standard%%[0-9]*} header=gevt.h
    [ "$language" = c ] || header=gevt.hpp
    echo "#include <$header>" |
      "clang${language#c}" --target=x86_64-w64-mingw32 -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" \
        -isystem "$cpp" -isystem "$cpp/x86_64-w64-mingw32" -x "$language" -
  done
else
  skipped "the headers with clang for mingw-w64: there is no clang here"
fi

# A program as MSVC makes it, but without MSVC's libraries.
if command -v clang >/dev/null && command -v lld-link >/dev/null; then
  clang --target=x86_64-pc-windows-msvc -ffreestanding -Wall -Werror -I"$prefix/include" -c tests/windows/msvc.c -o "$scratch/msvc.obj"
  lld-link /nologo /nodefaultlib /subsystem:console /entry:start "$scratch/msvc.obj" "$prefix/lib/gevt.lib" \
    /usr/x86_64-w64-mingw32/lib/libkernel32.a /out:"$scratch/msvc.exe"
  programs+=("$scratch/msvc.exe")
  # CMake configures for an MSVC compiler. Its checks need MSVC's headers, so their results are given.
  ln -s "$(command -v clang)" "$scratch/clang-cl"
  msvc=()
  for language in C CXX; do
    msvc+=("-DCMAKE_${language}_COMPILER=$scratch/clang-cl" "-DCMAKE_${language}_COMPILER_TARGET=x86_64-pc-windows-msvc"
      "-DCMAKE_${language}_COMPILER_WORKS=1")
  done
  quietly cmake -S tests/install -B "$scratch/msvc" -DCMAKE_SYSTEM_NAME=Windows "${msvc[@]}" -DCMAKE_LINKER="$(command -v lld-link)" \
    -DCMAKE_RC_COMPILER=/bin/true -DCMAKE_MT=/bin/true -DCMAKE_SIZEOF_VOID_P=8 -DCMAKE_C_COMPILE_FEATURES=c_std_99 \
    "-DCMAKE_CXX_COMPILE_FEATURES=cxx_std_11;cxx_std_17" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}"
  grep -rqF "$prefix/lib/gevt.lib" "$scratch/msvc" || fail "find_package(gevt) gives MSVC's linker no gevt.lib"
else
  skipped "lib/gevt.lib: there is no clang or no lld-link here"
fi

command -v wine >/dev/null || skip "there is no wine here: the programs for Windows do not run"
$compiler -shared tests/windows/bcryptprimitives.c -ladvapi32 -o "$prefix/bin/bcryptprimitives.dll"
export WINEPREFIX=$scratch/wine WINEARCH=win64 WINEDEBUG=-all GEVT_BACKEND=host WINEPATH=$prefix/bin
WINEDLLOVERRIDES='mscoree,mshtml=' quietly wine wineboot --init
for program in "${programs[@]}"; do
  [ "$(wine "$program" | tr -d '\r')" = "$version 42" ] || fail "$program does not answer"
done
for program in timing callbacks; do
  quietly wine "$prefix/bin/$program.exe"
done
wineserver --wait
echo "dist: the zip for Windows: mingw-w64 by CMake, C and C++; two examples; ${#programs[@]} programs"
