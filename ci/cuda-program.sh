#!/usr/bin/env bash
# Compiles a C++ program as a CUDA user would, with NVIDIA's headers, against the runtime library of a release.
#
# usage: ci/cuda-program.sh WHEELS DRIVER MAJOR SOURCE PROGRAM     MAJOR is 12 or 13; DRIVER is the libcuda.so.1 to link with
#
# WHEELS is the folder that ci/cuda-wheels.sh made.
set -euo pipefail
wheels=$1 driver=$2 major=$3 source=$4 program=$5

runtime=$wheels/nvidia-cuda-runtime/nvidia/cu13
[ "$major" -ne 12 ] || runtime=$wheels/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime

"${CXX:-c++}" -std=c++17 -O1 -w -x c++ "$source" -o "$program" -isystem "$runtime/include" -isystem "$wheels/crt" \
  -x none "$runtime/lib/libcudart.so.$major" "$driver" -pthread
