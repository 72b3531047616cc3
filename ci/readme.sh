#!/usr/bin/env bash
# The README's example compiles without a warning and runs, built by the README's own commands and by its CMake file. The programs of
# docs/MIGRATING.md run over CUDA without a GPU, and those of docs/MIGRATING-VULKAN.md on Vulkan.
#
# A comment names each block: <!-- ci/readme.sh: FILE -->. It becomes that file, in an empty folder that has the checkout as `gevt`.
#
# usage: ci/readme.sh [--extract FILE]     with a file: prints that block of the README, and does nothing else
. "$(dirname "$0")/lib.sh"
# cargo knows what is fresh.
export CARGO_TARGET_DIR=$target
ln -s "$PWD" "$scratch/gevt"
ln -s "$target" "$scratch/target"

# extract DOCUMENT FILE...: the fenced blocks after the comments that name them.
extract() {
  local document=$1 file
  for file in "${@:2}"; do
    awk -v comment="<!-- ci/readme.sh: $file -->" '
      $0 == comment { named = 1; next }
      named && /^```/ { if (inside) exit; inside = 1; next }
      named && inside { print }' "$document" >"$scratch/$file"
    [ -s "$scratch/$file" ] || fail "$document has no block $file"
  done
}
if [ "${1:-}" = --extract ]; then
  extract README.md "$2"
  cat "$scratch/$2"
  exit
fi
extract README.md example.c build.sh CMakeLists.txt
extract docs/MIGRATING-VULKAN.md renderer.h before.c after.c
extract docs/MIGRATING.md cuda_before.c cuda_after.c
cd "$scratch"

cc -std=c99 -Wall -Wextra -Wpedantic -Werror -Igevt/include -fsyntax-only example.c
echo "-- build.sh"
GEVT_BACKEND=host bash -eu build.sh
echo "-- CMakeLists.txt"
quietly cmake -S . -B cmake
quietly cmake --build cmake
GEVT_BACKEND=host cmake/example

# migrated SOURCE PROGRAM LIBRARY...: the program before and after.
migrated() {
  local program defined=()
  for program in before after; do
    [ "$program" = before ] || defined=(-DAFTER)
    cc -std=c11 -Wall -Wextra -Werror "${defined[@]}" -Igevt/include -I. "gevt/tests/migrating/$1" -Ltarget/release -lgevt \
      -Wl,-rpath,"$PWD/target/release" "${@:3}" -o "$2$program"
    "${under[@]}" "./$2$program"
  done
}
echo "-- docs/MIGRATING.md"
(cd gevt && quietly cargo build --release --locked --package gevt-hostcuda)
gevt/hostcuda/install.sh target/release/libgevt_hostcuda.so hostcuda
cuda=$scratch/hostcuda/lib/gevt/hostcuda
under=(env GEVT_BACKEND=cuda hostcuda/bin/gevt-hostcuda)
migrated cuda.c cuda_ "$cuda/libcudart.so.13" -Wl,-rpath-link,"$cuda"

echo "-- docs/MIGRATING-VULKAN.md"
echo '#include <vulkan/vulkan.h>' | cc -fsyntax-only -x c - 2>/dev/null ||
  skip "the programs of docs/MIGRATING-VULKAN.md: there are no Vulkan headers here"
under=()
migrated vulkan.c vulkan_ -lvulkan -lpthread
