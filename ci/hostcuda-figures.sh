#!/usr/bin/env bash
# What event calls cost through libgevt_hostcuda.so, beside the gevt calls on the host backend, and how fast copies run in
# a stream. Fails where they miss what is asked of them. Not a part of CI: a busy machine tells nothing.
#
# Uses what ci/hostcuda.sh has built, and builds libgevt.so. Time: ten seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
build=$target/hostcuda
cargo build --locked --release --workspace
mkdir -p "$build/figures"
ln -sfn "$(realpath "$target/release/libgevt.so")" "$build/figures/libgevt.so.0"
runtime=$build/wheels/nvidia-cuda-runtime/nvidia/cu13
"${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra hostcuda/tests/programs/figures/figures.cpp -o "$build/figures/figures" -Iinclude \
  -isystem "$runtime/include" -isystem "$build/wheels/crt" "$build/figures/libgevt.so.0" \
  "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" -pthread
LD_LIBRARY_PATH=$(realpath "$build/figures") "$build/prefix/bin/gevt-hostcuda" "$build/figures/figures"
