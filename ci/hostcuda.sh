#!/usr/bin/env bash
# CUDA without a GPU answers as the driver did: the programs of hostcuda/tests, compiled with NVIDIA's headers, give the recorded answers. Then
# gevt's C tests run on it.
#
# usage: ci/hostcuda.sh [MAJOR]     the programs alone, compiled for that release of CUDA; without it 13, and the C tests
. "$(dirname "$0")/lib.sh"

export build=$target/hostcuda
mkdir -p "$build"
quietly cargo build --locked --release --workspace
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$build/prefix"
folder=$build/prefix/lib/gevt/hostcuda

# exports LIBRARY: they are the names on stdin, and no other, such as a gevt_* function of the C interface.
exports() {
  diff <(LC_ALL=C sort) <(nm -D --defined-only "$folder/$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort) ||
    fail "$1 does not export what cuda-abi/data/ lists"
}
rows() { grep -v '^#' "cuda-abi/data/$1.tsv"; }
# The runtime's functions have other names there; the functions of libcudart.so jump to them.
forms() { awk -F'\t' '$2 { print "gevt_" $2 "_" $1 }' hostcuda/data/served.tsv; }
{ rows driver | cut -f1 && rows runtime | sed 's/\t.*//; s/^/gevt_/' && forms; } | exports libcuda.so.1
for major in 12 13; do
  rows runtime | awk -F'\t' -v major=$major '("," $2 ",") ~ ("," major ",") { print $1 }' | exports libcudart.so.$major
done

# answers MAJOR SOURCE: compiles a program against that release and runs it. One of hostcuda/tests/truth answers as the driver did.
answers() {
  local name program launcher=$build/prefix/bin/gevt-hostcuda recorded=hostcuda/tests/truth/driver-580-cuda-13.0-h200
  name=$(basename "$2")
  name=${name%.*} program=$build/${name%.*}$1
  ci/cuda-program.sh "$build/wheels" "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" "$1" "$2" "$program" || return
  case $2 in
    */truth.cu) "$launcher" hostcuda/tests/truth/compare.py "$recorded.tsv" "$program" ;;
    *.cu) "$launcher" hostcuda/tests/truth/compare.py "$recorded-$name.tsv" "$program" ;;
    *) GEVT_HOST_DEVICES=2 timeout 300 "$launcher" "$program" ;;
  esac
}
# checked MAJOR SOURCE: the same; what it prints stands together.
checked() {
  local result=passed log
  log=$build/$(basename "$2")$1.log
  answers "$@" >"$log" 2>&1 || result=failed
  flock "$build/wheels" sh -c 'cat "$1" && echo "$2: $3, CUDA $4"' sh "$log" "$result" "$2" "$1"
  [ "$result" = passed ]
}
export -f answers checked

failed=0
ci/cuda-program.sh "$build/wheels"
if [ -e "$build/wheels/crt/crt" ]; then
  for source in hostcuda/tests/truth/*.cu hostcuda/tests/programs/*.cpp; do echo "${1:-13} $source"; done |
    xargs -P "$(nproc)" -L 1 bash -c 'checked "$@"' bash || failed=1
else
  skipped "the programs in hostcuda/tests/truth and hostcuda/tests/programs: NVIDIA's headers cannot be had"
fi
[ $# -eq 0 ] || exit $failed

c_build
under=(env GEVT_HOST_DEVICES=2 "$build/prefix/bin/gevt-hostcuda")
quietly c_tests hostcuda/ctest --parallel 4 -R '^(c\.|example_two_processes).*\.cuda$' || failed=1
cuda_found hostcuda/ctest
exit $failed
