#!/usr/bin/env bash
# CUDA without a GPU answers as the driver did. Builds libgevt_hostcuda.so and, with NVIDIA's headers, the programs of hostcuda/tests/truth,
# and compares the answer of each case with the recorded one. Then gevt's C tests run on it.
#
# usage: ci/hostcuda.sh [MAJOR]     the programs alone, compiled for that release of CUDA; without it 13, and the C tests
#
# The programs are skipped where NVIDIA's headers cannot be had (ci/cuda-wheels.sh).
# Time: two minutes from nothing, one when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=${CARGO_TARGET_DIR:-target}
build=$target/hostcuda
mkdir -p "$build"

cargo build --locked --release --workspace
library=$target/release/libgevt_hostcuda.so
hostcuda/install.sh "$library" "$build/prefix"
folder=$build/prefix/lib/gevt/hostcuda

# same WHAT LIBRARY: its exports are the names on stdin, and no other, such as a gevt_* function of the C interface.
same() {
  if ! diff <(LC_ALL=C sort) <(nm -D --defined-only "$2" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort); then
    echo "hostcuda: $2 does not export $1" >&2
    exit 1
  fi
}
rows() { grep -v '^#' "cuda-abi/data/$1.tsv"; }
# The runtime's functions have other names there; the functions of libcudart.so jump to them.
forms() { awk -F'\t' '$2 { print "gevt_" $2 "_" $1 }' hostcuda/data/served.tsv; }
{ rows driver | cut -f1 && rows runtime | sed 's/\t.*//; s/^/gevt_/' && forms; } |
  same "what cuda-abi/data/ lists" "$folder/libcuda.so.1"
for major in 12 13; do
  rows runtime | awk -F'\t' -v major=$major '("," $2 ",") ~ ("," major ",") { print $1 }' |
    same "the functions of CUDA $major" "$folder/libcudart.so.$major"
done

# answers MAJOR SOURCE: compiles a program against that release and runs it. One of hostcuda/tests/truth answers as the driver did.
answers() {
  local name program launcher=$build/prefix/bin/gevt-hostcuda
  name=$(basename "$2")
  program=$build/${name%.*}$1
  ci/cuda-program.sh "$build/wheels" "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" "$1" "$2" "$program" || return
  case $2 in
    */truth.cu) "$launcher" ci/truth.sh hostcuda/tests/truth/driver-580-cuda-13.0-h200.tsv "$program" ;;
    *.cu) "$launcher" ci/truth.sh "hostcuda/tests/truth/driver-580-cuda-13.0-h200-${name%.*}.tsv" "$program" ;;
    *) GEVT_HOST_DEVICES=2 timeout 300 "$launcher" "$program" ;;
  esac
}

# checked MAJOR SOURCE: the same; what it prints stands together.
checked() {
  local result=passed log
  log=$build/$(basename "$2")$1.log
  answers "$@" >"$log" 2>&1 || result=failed
  flock "$build/wheels" sh -c 'cat "$1" && echo "$2: $3"' sh "$log" "$result" "$2, CUDA $1"
  [ "$result" = passed ]
}
export build
export -f answers checked

failed=0
ci/cuda-wheels.sh "$build/wheels"
if [ -e "$build/wheels/crt/crt" ]; then
  for source in hostcuda/tests/truth/*.cu hostcuda/tests/programs/*.cpp; do echo "${1:-13} $source"; done |
    xargs -P "$(nproc)" -L 1 bash -c 'checked "$@"' bash || failed=1
else
  skipped "the programs in hostcuda/tests/truth and hostcuda/tests/programs: NVIDIA's headers cannot be had"
fi
[ $# -eq 0 ] || exit $failed

# gevt's CUDA backend passes its C tests on it, and two processes of it share events. Two devices, unless a test asks for
# another number.
ci/c-build.sh
GEVT_HOST_DEVICES=2 "$build/prefix/bin/gevt-hostcuda" \
  ci/ctest.sh "$build/ctest" --parallel 4 -R '^(c\.|example_two_processes).*\.cuda$' || failed=1
ci/cuda-found.sh "$build/ctest" || failed=1
exit $failed
