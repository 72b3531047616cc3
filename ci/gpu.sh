#!/usr/bin/env bash
# Everything that needs a GPU: the C tests, the Rust tests that can run on CUDA, conformance with the driver, the examples, the benchmark,
# the C tests under compute-sanitizer, the drop-in (ci/gpu-shim.sh) and Vulkan (ci/gpu-vulkan.sh). The machine needs an NVIDIA driver, a C
# and a C++ compiler and CMake, but no cargo and no network.
#
# usage: ci/gpu.sh [FOLDER [SECTION...]]     FOLDER (./gpu) is what ci/gpu-pack.sh made; without SECTIONs all run
#        ci/gpu.sh vulkan [FOLDER [SECTION...]]     Vulkan's own sections alone, without what the others build
#
# Every section runs, even after a failure. The end lists them: PASSED, FAILED or SKIPPED. Exits 1 where one
# failed. Without a GPU all is built, and every test is skipped by name. Each section is bounded, and ends in less than ten minutes with
# what it builds first; all of them take about twenty.
#
# GEVT_TEST_ROUNDS=2        a process with a driver takes a good part of a second to begin and to end.
# --no-tests=error          finding no test is a failure, not a success.
# --parallel                half of the cores: the tests wait more than they compute, and share one GPU.
# --target-processes all    some tests run themselves anew.
# --report-api-errors no    the tests provoke refusals of the driver; what counts is memory.
# strict                   is left out for contexts that end: that driver answers itself whether a context lives, and ci/c-tests.sh
#                          runs it over CUDA without a GPU.
# --runs 5                 a machine's figures vary: a row's bound is judged by the median of five runs.
# /dev/nvidia0             held open: the device stays initialised between two processes.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

if [ "${1:-}" = vulkan ]; then
  shift
  exec ci/gpu-vulkan.sh "$@"
fi

folder=$(realpath -m "${1:-gpu}")
shift || true
build=${TMPDIR:-/tmp}/gevt-gpu
[ -f "$folder/libgevt.so" ] || { echo "there is no $folder/libgevt.so: make it with ci/gpu-pack.sh" >&2 && exit 2; }
# Where the toolkit puts itself without being asked for a place in the path.
PATH=$PATH:/usr/local/cuda/bin
# The tests choose their backend; the rest takes what the machine has.
unset GEVT_BACKEND GEVT_HOST_DEVICES

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
. ci/sections.sh
[ ! -e /dev/nvidia0 ] || exec 9</dev/nvidia0

# tests OPTION...: runs ctest, and says why a test was skipped. That no device was found is right only where there is none.
tests() {
  local log=$build/Testing/Temporary/LastTest.log code
  rm -f "$log"
  (cd "$build" && timeout 480 ctest --output-on-failure --no-tests=error --timeout 240 --parallel "$(( $(nproc) / 2 ))" "$@")
  code=$?
  grep -hs '^SKIPPED:' "$log" | sed 's/ (gevt_.*//'
  if [ "$gpus" -gt 0 ] && grep -qs 'there is no CUDA device' "$log"; then
    echo "FAILED: there is a GPU here, and gevt did not find it"
    return 1
  fi
  [ "$gpus" -gt 0 ] || skipped "there is no GPU"
  return "$code"
}

build_all() {
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=2 -DGEVT_LIBRARY="$folder/libgevt.so" &&
    cmake --build "$build" --parallel "$(nproc)"
}

c_tests() { tests -R '^c\..*\.cuda$' -E 'conformance|ipc_kill|^c\.(lost|reissued)'; }

# A process for each call, and the start of a process takes a second with a driver.
lost_contexts() { tests -R '^c\.(lost|reissued)[a-z_]*\.cuda$' -E strict; }

# Twenty processes are killed while they share events with another one. The driver tells nobody of that: every wait has a timeout.
kills() {
  [ "$gpus" -gt 0 ] || { skipped "there is no GPU" && return; }
  timeout 180 "$build/tests/c/test_ipc_kill" cuda 20
}

# On a real driver only the case for two devices may lack something.
conformance() {
  local log=$build/conformance.log code
  timeout 240 tests/run.sh "$build/tests/c/test_conformance" cuda | tee "$log"
  code=$?
  if [ "$gpus" -eq 0 ]; then
    [ "$code" -eq 77 ] || return 1
    skipped "there is no GPU"
    return
  fi
  if [ "$code" -eq 77 ] || grep '^SKIPPED:' "$log" | grep -v 'one device'; then
    echo "FAILED: these cases have to run where there is a GPU"
    return 1
  fi
  return "$code"
}

two_devices() {
  if [ "$gpus" -lt 2 ]; then
    local have="one device"
    [ "$gpus" -eq 1 ] || have="no device"
    skipped "c.contexts.cuda and conformance drv_two_devices: $have"
    return
  fi
  tests -R '^c\.contexts\.cuda$' && timeout 60 "$build/tests/c/test_conformance" cuda drv_two_devices
}

examples() {
  (cd "$build" && ctest --output-on-failure --no-tests=error -R '^example' -E cuda)
}

cuda_example() {
  tests --verbose --parallel 1 -R '^example.*cuda' || return 1
  if [ "$gpus" -gt 0 ] && grep -qs '^SKIPPED:' "$build/Testing/Temporary/LastTest.log"; then
    echo "FAILED: these examples have to run where there is a GPU"
    return 1
  fi
}

# Of the Rust tests those of the CUDA backend need a GPU; all others are about the host, and run anywhere.
rust_tests() {
  if [ "$gpus" -eq 0 ]; then
    skipped "the Rust tests of the CUDA backend: there is no GPU"
    return
  fi
  timeout 120 "$folder/rust-tests/gevt_core" backend::cuda | tee "$folder/rust-tests.log"
  # A name that matches no test runs none, and passes.
  [ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '^test backend::cuda.* ok$' "$folder/rust-tests.log"
}

# --check: a bound that is missed is a failure.
benchmark() {
  cmake --build "$build" --target gevt_bench_cuda --parallel "$(nproc)" || return 1
  if [ "$gpus" -eq 0 ]; then
    skipped "gevt_bench_cuda: there is no GPU"
    return
  fi
  timeout 420 "$build/benches/gevt_bench_cuda" --check --runs 5
}

memcheck() {
  local subject code=0 program
  for subject in record wait any_all elapsed callbacks info capture; do
    program=("$build/tests/c/test_$subject" cuda)
    [ ! -e "tests/scenarios/$subject.scn" ] || program=("$build/tests/c/test_scenario" cuda "tests/scenarios/$subject.scn")
    if [ "$gpus" -eq 0 ]; then
      skipped "$subject under compute-sanitizer: there is no GPU"
    elif ! command -v compute-sanitizer >/dev/null; then
      skipped "$subject under compute-sanitizer: it is not installed"
    else
      echo "-- $subject"
      timeout 60 compute-sanitizer --tool memcheck --error-exitcode 1 --target-processes all --report-api-errors no \
        "${program[@]}" || code=1
    fi
  done
  return "$code"
}

# The drop-in's sections are in their own script.
drop_in() {
  ci/gpu-shim.sh "$folder"
  local code=$?
  [ "$gpus" -gt 0 ] || skipped "there is no GPU"
  return "$code"
}

# The same for Vulkan.
vulkan() {
  if [ ! -d "$folder/vulkan" ]; then
    skipped "the folder has no Vulkan headers"
  elif [ "$gpus" -eq 0 ]; then
    skipped "there is no GPU"
  else
    ci/gpu-vulkan.sh "$folder"
  fi
}

date -u '+%Y-%m-%d %H:%M UTC'
if [ "$gpus" -gt 0 ]; then
  nvidia-smi --query-gpu=index,name,driver_version --format=csv,noheader | sed 's/^/gpu and driver: /'
else
  echo "gpu and driver: none"
fi

# Quick sections that say much come first.
sections=(build c-tests conformance two-devices cuda-example examples rust-tests kills lost-contexts benchmark memcheck drop-in vulkan)
[ $# -gt 0 ] || set -- "${sections[@]}"
for name in "$@"; do
  case " ${sections[*]} " in
  *" $name "*) ;;
  *) echo "there is no section $name; there are ${sections[*]}" >&2 && exit 2 ;;
  esac
done
# Builds first; the second time this takes seconds.
[[ " $* " == *" build "* || " $* " == " drop-in " ]] || set -- build "$@"
for name in "$@"; do
  case $name in
  build) section build build_all ;;
  *) section "$name" "${name//-/_}" ;;
  esac
done
summary
