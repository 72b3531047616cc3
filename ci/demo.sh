#!/usr/bin/env bash
# Builds the example renderer, runs it on the host backend, and says where the picture is. Options go to the renderer. Then the example
# hybrid renders a smaller one on the devices that there are, Vulkan and CUDA among them, and says which, and leaves a trace of it.
#
# usage: ci/demo.sh [OPTION...]     such as --frames 30 --threads 8; --help lists them
#
# A build folder of its own, for the library and two programs: the drop-in and CUDA without a GPU are not needed.
# Time: half a minute from nothing, seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=build/picture.png
scene=examples-c/scenes/gallery.scene
cmake -S . -B build/demo -DCMAKE_BUILD_TYPE=Release -DGEVT_BUILD_TESTS=OFF -DGEVT_DROP_IN=OFF -DGEVT_HOSTCUDA=OFF
cmake --build build/demo --target renderer hybrid --parallel "$(nproc)"
GEVT_BACKEND=host build/demo/examples-c/renderer "$scene" --out "$picture" "$@"
echo "picture: $PWD/$picture"
echo
build/demo/examples-c/hybrid "$scene" --width 320 --height 180 --samples 4 --frames 6 --out build/hybrid.png --trace build/hybrid.json
echo "trace: $PWD/build/hybrid.json (for https://ui.perfetto.dev)"
