#!/usr/bin/env bash
# Builds what ci/gpu.sh needs on a machine that has a GPU but no cargo: the library, the drop-in, and the core's unit tests. Copies Vulkan's
# headers and loader if this machine has them.
#
# usage: ci/gpu-pack.sh [FOLDER]     FOLDER (./gpu) is made anew
#
# --locked                        the versions of Cargo.lock.
# --target-dir of the tests       they are built with other options than the library, and must not overwrite it.
# CARGO_PROFILE_RELEASE_LTO=off   the test program would be optimised as a whole, which takes long and tells nothing more.
# --strip-debug                   the folder has to travel; the names of functions stay.
# --remove-section                the compiler's own form of the code, for another round of optimisation: half of the archive.
# Time: a minute or two from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=40 # MiB
folder=${1:-gpu}
target=${CARGO_TARGET_DIR:-target}
# A mistaken argument must not cost a folder.
if [ -e "$folder" ] && [ ! -e "$folder/libgevt.so" ] && [ -n "$(ls -A "$folder")" ]; then
  echo "$folder was not made by this script: not touched" >&2
  exit 2
fi
rm -rf "$folder"
mkdir -p "$folder/rust-tests"

cargo build --locked --release --workspace
cargo build --locked --release --manifest-path shim/audit/Cargo.toml --target-dir "$target"
cp "$target/release/libgevt.so" "$target/release/libgevt.a" "$target/release/libgevt_cuda.so" \
  "$target/release/libgevt_audit.so" shim/gevt-run "$folder/"
strip --strip-debug "$folder/libgevt.so" "$folder/libgevt_cuda.so" "$folder/libgevt_audit.so"
objcopy --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd "$folder/libgevt.a"

if [ -e /usr/include/vulkan/vulkan.h ]; then
  mkdir -p "$folder/vulkan/vulkan"
  cp /usr/include/vulkan/*.h "$folder/vulkan/vulkan/"
  cp -r /usr/include/vk_video "$folder/vulkan/"
fi
loader=$(ldconfig -p | sed -n 's/.*libvulkan.so.1 .*=> //p' | head -n 1)
[ -z "$loader" ] || cp -L "$loader" "$folder/libvulkan.so.1"

# Each line of cargo's that tells of a program holds its path as "executable". Names end in a hash, which goes.
messages=$(CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 \
  cargo test --locked --release --no-run --package gevt-core --lib --target-dir "$target/gpu" --message-format=json-render-diagnostics)
while IFS= read -r program; do
  name=${program##*/}
  cp "$program" "$folder/rust-tests/${name%-*}"
  strip --strip-debug "$folder/rust-tests/${name%-*}"
done < <(sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' <<<"$messages")

du -h "$folder"/*.* "$folder"/rust-tests/*
size=$(du -sm "$folder" | cut -f 1)
echo "$folder: $size MiB"
[ "$size" -le "$limit" ] || { echo "more than $limit MiB" >&2 && exit 1; }
