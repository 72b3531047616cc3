#!/usr/bin/env bash
# Compiles a C++ program as a CUDA user would, with NVIDIA's headers, against the runtime library of a release.
#
# usage: ci/cuda-program.sh WHEELS [DRIVER MAJOR SOURCE PROGRAM]     MAJOR is 12 or 13; DRIVER is the libcuda.so.1 to link with
#
# The headers and runtime libraries come from PyPI, into the folder WHEELS. Where they cannot be downloaded, it makes no WHEELS/crt/crt, and
# without a program exits with 0.
. "$(dirname "$0")/lib.sh"
wheels=$1
mkdir -p "$wheels"

# wheel NAME==VERSION: its files in $wheels/NAME
wheel() {
  local name=${1%%=*}
  [ -d "$wheels/$name" ] && return
  python3 -m pip download --quiet --no-deps --dest "$wheels" "$1" || exit 0
  python3 -m zipfile -e "$wheels/${name//-/_}"-*.whl "$wheels/$name.part"
  mv "$wheels/$name.part" "$wheels/$name"
}
if [ ! -e "$wheels/crt/crt" ]; then
  # One of several checks fetches them.
  exec 9>"$wheels/.lock"
  flock 9
  wheel nvidia-cuda-runtime==13.5.37
  wheel nvidia-cuda-crt==13.5.37
  wheel nvidia-cuda-runtime-cu12==12.9.79
  # The headers of 12 ask for one of the compiler's, which the compiler's wheel of 13 has too.
  mkdir -p "$wheels/crt"
  ln -sfn "$(realpath "$wheels/nvidia-cuda-crt/nvidia/cu13/include/crt")" "$wheels/crt/crt"
fi
[ $# -gt 1 ] || exit 0
runtime=$wheels/nvidia-cuda-runtime/nvidia/cu13
[ "$3" -ne 12 ] || runtime=$wheels/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime
"${CXX:-c++}" -std=c++17 -O1 -w -x c++ "$4" -o "$5" -isystem "$runtime/include" -isystem "$wheels/crt" \
  -x none "$runtime/lib/libcudart.so.$3" "$2" -pthread
