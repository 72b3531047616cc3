#!/usr/bin/env bash
# Builds the example renderer, runs it on the host backend, and says where the picture is. Options go to the renderer. Then the example
# hybrid renders a smaller one on the devices that there are, Vulkan and CUDA among them, and says which, and leaves a trace of it.
#
# usage: ci/demo.sh [OPTION...]     such as --frames 30 --threads 8; --help lists them
#
# Time: half a minute from nothing, seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=build/picture.png
scene=examples-c/scenes/gallery.scene
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build --target renderer hybrid --parallel "$(nproc)"
GEVT_BACKEND=host build/examples-c/renderer "$scene" --out "$picture" "$@"
echo "picture: $PWD/$picture"
echo
build/examples-c/hybrid "$scene" --width 320 --height 180 --samples 4 --frames 6 --out build/hybrid.png --trace build/hybrid.json
echo "trace: $PWD/build/hybrid.json (for https://ui.perfetto.dev)"
