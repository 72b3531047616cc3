#!/usr/bin/env bash
# CUDA without a GPU answers as the driver did: builds libgevt_hostcuda.so, compiles the programs of tests/truth with NVIDIA's
# headers, runs each case under the launcher, and compares with the recorded answers.
#
# Skipped where NVIDIA's headers cannot be had (ci/cuda-wheels.sh).
# Time: two minutes from nothing, ten seconds when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=${CARGO_TARGET_DIR:-target}
build=$target/hostcuda
mkdir -p "$build"

cargo build --locked --release --workspace
library=$target/release/libgevt_hostcuda.so
# It exports CUDA's names, all of them, and no other, such as a gevt_* function.
if ! diff <(cat hostcuda/data/*.tsv | grep -v '^#' | cut -f1 | LC_ALL=C sort) \
  <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort); then
  echo "hostcuda: $library does not export what hostcuda/data/ lists" >&2
  exit 1
fi
hostcuda/install.sh "$library" "$build/prefix"

# compile SOURCE PROGRAM MAJOR
compile() {
  ci/cuda-program.sh "$build/wheels" "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" "$3" "$1" "$2"
}
ci/cuda-wheels.sh "$build/wheels" || skip "NVIDIA's headers cannot be had"

failed=0
for major in 13 12; do
  compile tests/truth/truth.cu "$build/truth$major" "$major"
  ci/truth.sh tests/truth/driver-580-cuda-13.0-h200.tsv \
    "$build/prefix/bin/gevt-hostcuda" "$build/truth$major" || failed=1
  for source in streams memory graphs copies arrays mapped misuse modules; do
    program=$build/$source$major
    compile "tests/truth/$source.cu" "$program" "$major"
    ci/truth.sh "tests/truth/driver-580-cuda-13.0-h200-$source.tsv" "$build/prefix/bin/gevt-hostcuda" "$program" ||
      failed=1
  done
  for source in tests/hostcuda/*.cpp; do
    program=$build/$(basename "$source" .cpp)$major
    compile "$source" "$program" "$major"
    if GEVT_HOST_DEVICES=2 timeout 300 "$build/prefix/bin/gevt-hostcuda" "$program"; then
      echo "passed: $(basename "$program")"
    else
      echo "failed: $(basename "$program")" >&2
      failed=1
    fi
  done
done

# gevt's CUDA backend passes its C tests on it, and two processes of it share events. Two devices, unless a test asks for
# another number.
ci/c-build.sh
GEVT_HOST_DEVICES=2 "$build/prefix/bin/gevt-hostcuda" \
  ctest --test-dir build --output-on-failure --no-tests=error --parallel 4 \
  -R '^(c\.|example_two_processes).*\.cuda$' || failed=1
exit $failed
