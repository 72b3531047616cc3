#!/usr/bin/env bash
# Runs the example hybrid on CUDA without a GPU and on two Vulkan devices, both lavapipe. In the case "same" the fault layer gives the second
# Vulkan device the UUID of the CUDA device, and the program has to take it.
#
# usage: tests/examples/hybrid.sh PROGRAM LAYERS CUDA same|another     LAYERS and CUDA are folders: of the fault layer's description, and
#                                                                      of libcuda.so.1
set -euo pipefail
program=$1 layers=$2 cuda=$3 name=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

driver=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
if [ -z "$driver" ]; then
  echo "SKIPPED: there is no lavapipe here (mesa-vulkan-drivers)" | tee "${GEVT_SKIP_FILE:-/dev/null}"
  exit 77
fi
cp "$driver" "$scratch/second.json"
uuid=()
[ "$name" = another ] || uuid=(TEST_UUID=gevt-hostcuda-)
env NODEVICE_SELECT=1 VK_DRIVER_FILES="$driver:$scratch/second.json" VK_LAYER_PATH="$layers" VK_INSTANCE_LAYERS=VK_LAYER_GEVT_fault \
  CUDA_VISIBLE_DEVICES=0 LD_LIBRARY_PATH="$cuda" "${uuid[@]}" "$program" >"$scratch/output" || { cat "$scratch/output" && exit 1; }
cat "$scratch/output"
grep -Eq "^Vulkan: .*, (the )?$name device$" "$scratch/output" || { echo "FAILED: the Vulkan device is not the expected one" && exit 1; }
grep -q '^12 frames, 0 wrong values$' "$scratch/output" || { echo "FAILED: the frames are not right" && exit 1; }
