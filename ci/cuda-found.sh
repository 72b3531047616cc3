#!/usr/bin/env bash
# Fails if a run of ctest skipped a test because gevt found no CUDA device. For checks that bring a device: without it every test
# of theirs would be skipped, and the check would pass.
#
# usage: ci/cuda-found.sh FOLDER     the folder that ctest ran in, and no other ctest since
set -euo pipefail
log=$1/Testing/Temporary/LastTest.log
[ -s "$log" ] || { echo "cuda-found: there is no $log" >&2 && exit 1; }
skips=$(grep -c '^SKIPPED: .*there is no CUDA device' "$log") || true
if [ "$skips" -gt 0 ]; then
  grep -m 1 '^SKIPPED: .*there is no CUDA device' "$log" >&2
  echo "cuda-found: $skips tests were skipped: gevt did not find the device that is brought here" >&2
  exit 1
fi
