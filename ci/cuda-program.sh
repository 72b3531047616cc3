#!/usr/bin/env bash
# Compiles a C++ program as a CUDA user would, with NVIDIA's headers, against the runtime library of a release.
#
# usage: ci/cuda-program.sh WHEELS DRIVER MAJOR SOURCE PROGRAM     MAJOR is 12 or 13; DRIVER is the libcuda.so.1 to link with
#
# The headers and the runtime library come from PyPI's wheels into the folder WHEELS; nothing of them is kept elsewhere.
# Exits 77 where they cannot be had.
set -euo pipefail
wheels=$1 driver=$2 major=$3 source=$4 program=$5

# wheel NAME==VERSION: its files under $wheels/NAME
wheel() {
  local name=${1%%=*}
  [ -d "$wheels/$name" ] && return
  mkdir -p "$wheels"
  python3 -m pip download --quiet --no-deps --dest "$wheels" "$1" || return 1
  python3 -m zipfile -e "$wheels/${name//-/_}"-*.whl "$wheels/$name"
}
wheel nvidia-cuda-runtime==13.5.37 && wheel nvidia-cuda-crt==13.5.37 &&
  wheel nvidia-cuda-runtime-cu12==12.9.79 || { echo "$program: no wheels, no headers: skipped" >&2; exit 77; }
runtime=$wheels/nvidia-cuda-runtime/nvidia/cu13
[ "$major" -ne 12 ] || runtime=$wheels/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime
# The headers of 12 ask for one of the compiler's, which the compiler's wheel of 13 has too.
mkdir -p "$wheels/crt"
ln -sfn "$(realpath "$wheels/nvidia-cuda-crt/nvidia/cu13/include/crt")" "$wheels/crt/crt"

"${CXX:-c++}" -std=c++17 -O1 -w -x c++ "$source" -o "$program" -isystem "$runtime/include" -isystem "$wheels/crt" \
  -x none "$runtime/lib/libcudart.so.$major" "$driver" -pthread
