#!/usr/bin/env bash
# CUDA without a GPU answers as the driver did: builds libgevt_hostcuda.so, compiles tests/truth/truth.cu with NVIDIA's
# headers, runs each case under the launcher, and compares with the recorded answers.
#
# The headers and the runtime library to link with come from PyPI's wheels into the build folder; nothing of them is kept.
# Exits 77 where they cannot be had. Time: two minutes from nothing, ten seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
build=$target/hostcuda
mkdir -p "$build"

# A build of its own: with the core's C API in the same cargo call, its functions would be in this library too. The folder is
# that of cmake/cuda.cmake.
cargo build --locked --release --package gevt-hostcuda --target-dir "$target/cuda"
cargo test --locked --release --package gevt-hostcuda --target-dir "$target/cuda"
library=$target/cuda/release/libgevt_hostcuda.so
# It exports CUDA's names, all of them, and no other, such as the core's C API.
if ! diff <(cat hostcuda/data/*.tsv | grep -v '^#' | cut -f1 | LC_ALL=C sort) \
  <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort); then
  echo "hostcuda: $library does not export what hostcuda/data/ lists" >&2
  exit 1
fi
hostcuda/install.sh "$library" "$build/prefix"

# wheel NAME==VERSION: its files under $build/wheels/NAME
wheel() {
  local name=${1%%=*}
  [ -d "$build/wheels/$name" ] && return
  python3 -m pip download --quiet --no-deps --dest "$build" "$1" || return 1
  python3 -m zipfile -e "$build/${name//-/_}"-*.whl "$build/wheels/$name"
}
wheel nvidia-cuda-runtime==13.5.37 && wheel nvidia-cuda-crt==13.5.37 &&
  wheel nvidia-cuda-runtime-cu12==12.9.79 || { echo "hostcuda: no wheels, no headers: skipped" >&2; exit 77; }
runtime13=$build/wheels/nvidia-cuda-runtime/nvidia/cu13
runtime12=$build/wheels/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime
# The headers of 12 ask for one of the compiler's, which the compiler's wheel of 13 has too.
mkdir -p "$build/crt"
ln -sfn "$(realpath "$build/wheels/nvidia-cuda-crt/nvidia/cu13/include/crt")" "$build/crt/crt"

# compile SOURCE PROGRAM MAJOR: as a CUDA user would, against the runtime library of that release.
compile() {
  local runtime=runtime$3
  "${CXX:-c++}" -std=c++17 -O1 -w -x c++ "$1" -o "$2" -isystem "${!runtime}/include" -isystem "$build/crt" \
    -x none "${!runtime}/lib/libcudart.so.$3" "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" -pthread
}

failed=0
for major in 13 12; do
  compile tests/truth/truth.cu "$build/truth$major" "$major"
  ci/truth.sh tests/truth/driver-580-cuda-13.0-h200.tsv \
    "$build/prefix/bin/gevt-hostcuda" "$build/truth$major" || failed=1
  for source in tests/hostcuda/*.cpp; do
    program=$build/$(basename "$source" .cpp)$major
    compile "$source" "$program" "$major"
    if GEVT_HOST_DEVICES=2 timeout 60 "$build/prefix/bin/gevt-hostcuda" "$program"; then
      echo "passed: $(basename "$program")"
    else
      echo "failed: $(basename "$program")" >&2
      failed=1
    fi
  done
done

# gevt's CUDA backend passes its C tests on it. Two devices, unless a test asks for another number.
cmake -S . -B "$build/ctest" -DCMAKE_BUILD_TYPE=Release >"$build/cmake.log"
cmake --build "$build/ctest" --parallel 2 >>"$build/cmake.log" || { tail -20 "$build/cmake.log" >&2; exit 1; }
GEVT_HOST_DEVICES=2 "$build/prefix/bin/gevt-hostcuda" \
  ctest --test-dir "$build/ctest" --output-on-failure --no-tests=error -R '^c\..*\.cuda$' || failed=1
exit $failed
