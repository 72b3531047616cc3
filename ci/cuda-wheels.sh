#!/usr/bin/env bash
# Fetches NVIDIA's headers and runtime libraries, of PyPI's wheels, into a folder; nothing of them is kept elsewhere.
#
# usage: ci/cuda-wheels.sh WHEELS
#
# If they cannot be downloaded it exits with 0 and makes no WHEELS/crt/crt. Any other error is a failure.
# Time: five seconds, nothing the second time.
set -euo pipefail
wheels=$1
mkdir -p "$wheels"
# So that two checks side by side do not fetch them at once.
exec 9>"$wheels/.lock"
flock 9

# wheel NAME==VERSION: its files in $wheels/NAME
wheel() {
  local name=${1%%=*}
  [ -d "$wheels/$name" ] && return
  python3 -m pip download --quiet --no-deps --dest "$wheels" "$1" || exit 0
  python3 -m zipfile -e "$wheels/${name//-/_}"-*.whl "$wheels/$name.part"
  mv "$wheels/$name.part" "$wheels/$name"
}
wheel nvidia-cuda-runtime==13.5.37
wheel nvidia-cuda-crt==13.5.37
wheel nvidia-cuda-runtime-cu12==12.9.79
# The headers of 12 ask for one of the compiler's, which the compiler's wheel of 13 has too.
mkdir -p "$wheels/crt"
ln -sfn "$(realpath "$wheels/nvidia-cuda-crt/nvidia/cu13/include/crt")" "$wheels/crt/crt"
