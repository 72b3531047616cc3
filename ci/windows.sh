#!/usr/bin/env bash
# Type-checks gevt.dll for MSVC's target and builds it with mingw-w64. The C and C++ tests of the host and Vulkan backends run under wine, Vulkan on
# Mesa's lavapipe. packaging/dist-windows.sh tests the shipped library.
#
# usage: ci/windows.sh [OPTION...]     options go to ctest, such as -R wait
. "$(dirname "$0")/lib.sh"

needs x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-g++-posix wine
for each in x86_64-pc-windows-gnu x86_64-pc-windows-msvc; do
  [ -d "$(rustc --print sysroot)/lib/rustlib/$each" ] || rustup target add $each >/dev/null 2>&1 ||
    skip "there is no Rust for $each here (rustup target add $each)"
done
cargo check --quiet --locked --package gevt --target x86_64-pc-windows-msvc

build=build/windows
mkdir -p "$build/vulkan"
# Vulkan's headers without the C library's beside them.
for folder in vulkan vk_video; do
  [ ! -d /usr/include/$folder ] || ln -sfn /usr/include/$folder "$build/vulkan/$folder"
done
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_OPT_LEVEL=1
quietly cmake -S . -B $build -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/mingw-w64.cmake" -DCMAKE_BUILD_TYPE=Release -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_TEST_ROUNDS=20 \
  -DVULKAN_HEADERS="$PWD/$build/vulkan"
quietly cmake --build $build --parallel "$(nproc)"

# With another character set wine does not find all names of files.
export WINEPREFIX=$PWD/$build/wine WINEARCH=win64 WINEDEBUG=${WINEDEBUG:--all} LC_ALL=C.UTF-8
# Without the windows that ask for more parts of wine.
[ -d "$WINEPREFIX" ] || WINEDLLOVERRIDES='mscoree,mshtml=' quietly wine wineboot --init
# What was started without a display has ended.
wineserver --wait
# wine finds no Vulkan device without a display.
display=() chosen=()
if command -v xvfb-run >/dev/null && [ -n "$lavapipe" ]; then
  export VK_DRIVER_FILES=$lavapipe
  display=(xvfb-run --auto-servernum)
else
  skipped "there is no xvfb-run or no lavapipe (mesa-vulkan-drivers) here: no tests of Vulkan"
  chosen=(-LE vulkan)
fi
# Wine's services begin with the first program and keep its output open. So the first program is not a test, whose end ctest would miss.
(cd $build && "${display[@]}" sh -c 'wine cmd /c exit >/dev/null 2>&1 </dev/null; exec "$@"' sh \
  ctest --output-on-failure --no-tests=error --parallel $((2 * $(nproc))) "${chosen[@]}" "$@")
