#!/usr/bin/env bash
# Builds the example renderer, runs it on the host backend, and says where the picture is. Options go to the renderer.
#
# usage: ci/demo.sh [OPTION...]     such as --frames 30 --threads 8; --help lists them
#
# Time: half a minute from nothing, seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=build/picture.png
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build --target renderer --parallel "$(nproc)"
GEVT_BACKEND=host build/examples-c/renderer examples-c/scenes/gallery.scene --out "$picture" "$@"
echo "picture: $PWD/$picture"
