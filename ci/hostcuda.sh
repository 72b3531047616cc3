#!/usr/bin/env bash
# CUDA without a GPU answers as the driver did: the programs of hostcuda/tests give the recorded answers. Then gevt's C tests run on it.
#
# usage: ci/hostcuda.sh [MAJOR]     only the programs, compiled for CUDA 12 or 13. Without MAJOR: for 13, and the C tests
#        ci/hostcuda.sh --headers   downloads NVIDIA's headers and runtime libraries from PyPI. Makes $wheels/crt/crt if that worked.
#        ci/hostcuda.sh --compile MAJOR DRIVER SOURCE PROGRAM     compiles a C++ program with them; DRIVER is the libcuda.so.1 to link with
. "$(dirname "$0")/lib.sh"

export build=$target/hostcuda
wheels=$build/wheels
mkdir -p "$wheels"
# wheel NAME==VERSION: its files in $wheels/NAME
wheel() {
  local name=${1%%=*}
  [ -d "$wheels/$name" ] && return
  python3 -m pip download --quiet --no-deps --dest "$wheels" "$1" || exit 0
  python3 -m zipfile -e "$wheels/${name//-/_}"-*.whl "$wheels/$name.part"
  mv "$wheels/$name.part" "$wheels/$name"
}
headers() (
  [ ! -e "$wheels/crt/crt" ] || exit 0
  exec 9>"$wheels/.lock"
  flock 9
  wheel nvidia-cuda-runtime==13.5.37
  wheel nvidia-cuda-crt==13.5.37
  wheel nvidia-cuda-runtime-cu12==12.9.79
  # The headers of 12 include one of the compiler's, which only the compiler's wheel of 13 has.
  mkdir -p "$wheels/crt"
  ln -sfn "$(realpath "$wheels/nvidia-cuda-crt/nvidia/cu13/include/crt")" "$wheels/crt/crt"
)
case ${1-} in
  --headers)
    headers
    exit
    ;;
  --compile)
    runtime=$wheels/nvidia-cuda-runtime/nvidia/cu13
    [ "$2" -ne 12 ] || runtime=$wheels/nvidia-cuda-runtime-cu12/nvidia/cuda_runtime
    "${CXX:-c++}" -std=c++17 -O1 -w -x c++ "$4" -o "$5" -isystem "$runtime/include" -isystem "$wheels/crt" \
      -x none "$runtime/lib/libcudart.so.$2" "$3" -pthread
    exit
    ;;
esac

quietly cargo build --locked --release --workspace
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$build/prefix"
folder=$build/prefix/lib/gevt/hostcuda

# exports LIBRARY: compares its exports with the names on stdin.
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

# cases MAJOR FILE: makes the calls of each case of the file (tests/calls).
cases() {
  local names name failed=0 run=("$build/calls" "$1" hostcuda/tests/common.calls "$2")
  names=$("${run[@]}" list) || return
  for name in $names; do
    GEVT_HOST_DEVICES=2 timeout 300 "$build/prefix/bin/gevt-hostcuda" "${run[@]}" "$name" || { echo "case $name: failed" && failed=1; }
  done
  return "$failed"
}
# answers MAJOR SOURCE: runs the cases of a file, or compiles a program for that release and runs it. truth.cu is compared with the driver.
answers() {
  local program launcher=$build/prefix/bin/gevt-hostcuda
  if [[ $2 == *.calls ]]; then
    cases "$@"
    return
  fi
  program=$(basename "${2%.*}")
  program=$build/$program$1
  ci/hostcuda.sh --compile "$1" "$build/prefix/lib/gevt/hostcuda/libcuda.so.1" "$2" "$program" || return
  case $2 in
    *.cu) "$launcher" hostcuda/tests/truth/compare.py "${2%truth.cu}driver-580-cuda-13.0-h200.tsv" "$program" ;;
    *) GEVT_HOST_DEVICES=2 timeout 300 "$launcher" "$program" ;;
  esac
}
# checked MAJOR SOURCE: the same, with its output in one piece.
checked() {
  local result=passed log
  log=$build/$(basename "$2")$1.log
  answers "$@" >"$log" 2>&1 || result=failed
  flock "$build/wheels" sh -c 'cat "$1" && echo "$2: $3, CUDA $4"' sh "$log" "$result" "$2" "$1"
  [ "$result" = passed ]
}
export -f cases answers checked

failed=0
headers
"${CXX:-c++}" -std=c++17 -O1 tests/calls/run.cpp -o "$build/calls" -pthread -ldl
for name in kernels variables; do
  "${CC:-cc}" -shared -fPIC "hostcuda/tests/programs/$name.c" -o "$build/$name.so" -Wl,--no-as-needed -lm
done
export KERNELS=$build/kernels.so VARIABLES=$build/variables.so
sources=(hostcuda/tests/*/*.calls)
if [ -e "$wheels/crt/crt" ]; then
  sources+=(hostcuda/tests/truth/truth.cu hostcuda/tests/programs/*.cpp)
else
  skipped "truth.cu and the programs in hostcuda/tests/programs: NVIDIA's headers cannot be had"
fi
printf '%s\n' "${sources[@]/#/${1:-13} }" | xargs -P "$(nproc)" -L 1 bash -c 'checked "$@"' bash || failed=1
[ $# -eq 0 ] || exit $failed

c_build
under=(env GEVT_HOST_DEVICES=2 "$build/prefix/bin/gevt-hostcuda")
quietly c_tests hostcuda/ctest --parallel 4 -R '^(c\.|sanitized\.|example_two_processes).*\.cuda$' || failed=1
! grep -m 1 '^SKIPPED: .*there is no CUDA device' "$build/ctest/Testing/Temporary/LastTest.log" || fail "gevt did not find the device of hostcuda"
exit $failed
