#!/usr/bin/env bash
# Renders a picture on the host backend with the example renderer, and says where it is. Then runs the examples
# frames_in_flight, which compares frames in flight with a wait for the device after each frame, and queries, which asks complete events from
# several threads.
#
# usage: ci/demo.sh [FRAMES [WIDTH HEIGHT [SAMPLES]]]
#
# GEVT_TRACE=FILE writes a trace of the renderer.
# Builds in a folder of its own, without the drop-in and CUDA without a GPU.
# Time: half a minute from nothing, seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=build/picture.png
cmake -S . -B build/demo -DCMAKE_BUILD_TYPE=Release -DGEVT_BUILD_TESTS=OFF -DGEVT_DROP_IN=OFF -DGEVT_HOSTCUDA=OFF
cmake --build build/demo --target renderer frames_in_flight queries --parallel "$(nproc)"
build/demo/examples-c/renderer "$picture" "$@"
echo "picture: $PWD/$picture"
echo
for example in frames_in_flight queries; do
  env -u GEVT_TRACE GEVT_BACKEND=host build/demo/examples-c/$example
done
