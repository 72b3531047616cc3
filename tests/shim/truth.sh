#!/usr/bin/env bash
# A program of the runtime and the driver API gets the driver's answers through the drop-in too, however it is set.
#
# usage: tests/shim/truth.sh LIBGEVT_CUDA HOSTCUDA BUILD     HOSTCUDA is where hostcuda/install.sh put its files
set -euo pipefail
library=$(readlink -f "$1") hostcuda=$(readlink -f "$2") build=$3
cd "$(dirname "$0")/../.."
mkdir -p "$build"
answers=hostcuda/tests/truth/driver-580-cuda-13.0-h200.tsv

failed=0
# through SETTING ANSWERS
through() {
  echo "truth, GEVT_SHIM=$1:"
  hostcuda/tests/truth/compare.py "$2" "$hostcuda/bin/gevt-hostcuda" env LD_PRELOAD="$library" GEVT_SHIM="$1" "$build/truth" || failed=1
}
ci/hostcuda.sh --compile 13 "$hostcuda/lib/gevt/hostcuda/libcuda.so.1" hostcuda/tests/truth/truth.cu "$build/truth"
through on "$answers"
through off "$answers"
# strict refuses memory that the drop-in did not see become an event.
sed 's/^query_zero_ptr\tq=201$/query_zero_ptr\tq=400/' "$answers" >"$build/strict.tsv"
! cmp -s "$answers" "$build/strict.tsv" || { echo "query_zero_ptr is not in $answers" >&2 && exit 1; }
through strict "$build/strict.tsv"
exit $failed
