#!/usr/bin/env bash
# Runs the checks that need a GPU: C tests, conformance with the driver, examples, benchmarks with their bounds, the drop-in and Vulkan. The
# machine needs an NVIDIA driver, C and C++ compilers and CMake. The drop-in also needs nvcc. No section needs cargo or a network.
#
# usage: ci/gpu.sh pack [FOLDER]            on a machine with cargo: makes FOLDER (./gpu) with what the sections need
#        ci/gpu.sh [FOLDER [SECTION...]]    runs all sections, or the sections that begin with these names: ci/gpu.sh gpu vulkan shim-truth
#
# Every section runs, even after a failure, and ends in less than ten minutes. The end lists them: PASSED, FAILED or SKIPPED.
. "$(dirname "$0")/lib.sh"

# pack FOLDER: without debug information and the compiler's own form of the code, as the folder has to travel.
pack() {
  local loader folder=$1
  [ ! -e "$folder" ] || [ -e "$folder/libgevt.so" ] || [ -z "$(ls -A "$folder")" ] || fail "$folder was not made by this script: not touched"
  rm -rf "$folder"
  mkdir -p "$folder"
  cargo build --locked --release --workspace
  cp "$target"/release/libgevt{.so,.a,_cuda.so} shim/gevt-run "$folder/"
  strip --strip-debug "$folder"/*.so
  objcopy --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd "$folder/libgevt.a"
  if [ -e /usr/include/vulkan/vulkan.h ]; then
    mkdir -p "$folder/vulkan/vulkan"
    cp /usr/include/vulkan/*.h "$folder/vulkan/vulkan/"
    cp -r /usr/include/vk_video "$folder/vulkan/"
  fi
  loader=$(ldconfig -p | sed -n 's/.*libvulkan.so.1 .*=> //p' | head -n 1)
  [ -z "$loader" ] || cp -L "$loader" "$folder/libvulkan.so.1"
  du -h "$folder"/*.*
  [ "$(du -sm "$folder" | cut -f 1)" -le 40 ] || fail "more than 40 MiB"
}
if [ "${1:-}" = pack ]; then
  pack "${2:-gpu}"
  exit
fi

set +e
folder=$(realpath -m "${1:-gpu}")
shift
[ -f "$folder/libgevt.so" ] || fail "there is no $folder/libgevt.so: make it with ci/gpu.sh pack"
build=${TMPDIR:-/tmp}/gevt-gpu library=$folder/libgevt_cuda.so
mkdir -p "$build/loader"
PATH=$PATH:/usr/local/cuda/bin
unset GEVT_BACKEND GEVT_HOST_DEVICES GEVT_SHIM GEVT_LOG GEVT_LEAKS GEVT_STATS LD_PRELOAD VK_INSTANCE_LAYERS
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
# Held open, the device stays initialised between two processes.
[ ! -e /dev/nvidia0 ] || exec 9</dev/nvidia0

# Vulkan's loader where the machine has none, alone in a folder. If the loader does not find NVIDIA's driver, set VK_DRIVER_FILES.
if [ -e "$folder/libvulkan.so.1" ] && ! ldconfig -p | grep -q libvulkan.so.1; then
  cp "$folder/libvulkan.so.1" "$build/loader/"
  vulkan_loader=$build/loader
fi

# tests OPTION...: runs ctest, and says why a test was skipped. There is a GPU here, so a missing device is a failure.
tests() {
  local log=$build/Testing/Temporary/LastTest.log code
  rm -f "$log"
  timeout 480 ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 400 --parallel "${jobs:-$(($(nproc) / 2))}" "$@"
  code=$?
  grep -hs '^SKIPPED:' "$log" | sed 's/ (gevt_.*//'
  ! grep -qsE 'there is no (CUDA device|Vulkan)' "$log" || { echo "FAILED: there is a GPU here, and gevt did not find it" && return 1; }
  return "$code"
}

# A process with a driver takes a good part of a second to begin and to end: few rounds.
build() {
  local vulkan=()
  [ ! -d "$folder/vulkan" ] || vulkan=("-DVULKAN_HEADERS=$folder/vulkan")
  [ ! -e "$folder/libvulkan.so.1" ] || vulkan+=("-DVULKAN_LOADER=$folder/libvulkan.so.1")
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=2 -DGEVT_LIBRARY="$folder/libgevt.so" "${vulkan[@]}" &&
    cmake --build "$build" --parallel "$(nproc)"
}
# c.gate_limits and c.waits_across fill queues, for minutes.
c_tests() { tests -R '^c\..*\.cuda$' -E 'conformance|ipc_kill|gate_limits|waits_across|^c\.lost'; }
gate_limits() { tests -R '^c\.(gate_limits|waits_across).*\.cuda$'; }
# On a real driver only the case for two devices may lack something.
conformance() {
  tests --verbose -R '^c\.conformance\.cuda$' | tee "$build/conformance.log" || return 1
  ! grep ' SKIPPED:' "$build/conformance.log" | grep -v 'one device'
}
two_devices() {
  [ "$gpus" -ge 2 ] || { skipped "there is one device" && return; }
  tests -R '^c\.contexts\.cuda$' && tests --verbose -R '^c\.conformance\.cuda$' >"$build/two_devices.log" && ! grep ' SKIPPED:' "$build/two_devices.log"
}
cuda_example() {
  jobs=1 tests --verbose -R '^example.*cuda' || return 1
  ! grep -s '^SKIPPED:' "$build/Testing/Temporary/LastTest.log" || return 1
}
examples() { ctest --test-dir "$build" --output-on-failure --no-tests=error -R '^example' -E cuda; }
# Twenty processes are killed while they share events with another one. The driver does not report it, so every wait has a timeout.
kills() { timeout 180 "$build/tests/c/test_ipc_kill" cuda 20; }
# Not the strict stand-in, which answers itself whether a context lives: ci/hostcuda.sh runs it.
lost_contexts() { tests -R '^c\.lost[a-z_]*\.cuda$' -E strict; }
# bench NAME [OPTION...]: a bound that is missed is a failure.
bench() { cmake --build "$build" --target "gevt_bench_$1" --parallel "$(nproc)" && timeout 420 "$build/benches/gevt_bench_$1" --check "${@:2}"; }
# Figures vary: the median of five runs is compared with the bound.
benchmark() { bench cuda --runs 5; }
# The tests provoke refusals of the driver; what counts is memory.
memcheck() {
  local subject code=0
  command -v compute-sanitizer >/dev/null || { skipped "compute-sanitizer is not installed" && return; }
  for subject in record wait any_all elapsed callbacks info capture; do
    timeout 60 compute-sanitizer --tool memcheck --error-exitcode 1 --target-processes all --report-api-errors no \
      "$build/tests/c/test_scenario" cuda "tests/scenarios/$subject.scn" || code=1
  done
  return "$code"
}

# calls PATTERN FILE: of the functions that begin so, calls and how many the driver did not see, over all processes.
calls() {
  sed -nE 's/^gevt: stats: (cu\w+): calls ([0-9]+), answered without the driver ([0-9]+)$/\1 \2 \3/p' "$2" |
    awk -v pattern="^($1)" '$1 ~ pattern { calls += $2; answered += $3 } END { printf "%d/%d\n", calls, answered }'
}
# both NAME RECORDS COMMAND...: the command prints the same and exits alike with the drop-in and without it, which sees so many records at least.
both() {
  local log=$build/$1 plain=0 with=0 records
  timeout 120 "${@:3}" >"$log.plain" 2>"$log.plain.err" || plain=$?
  [ "$plain" -eq 0 ] || { echo "FAILED: $1: exit $plain without the drop-in: $(tail -1 "$log.plain.err")" && return 1; }
  GEVT_STATS=1 timeout 120 "$folder/gevt-run" "${@:3}" >"$log.out" 2>"$log.err" || with=$?
  records=$(calls cuEventRecord "$log.err")
  [ "$with" -eq 0 ] || { grep -v '^gevt: stats' "$log.err" | tail -20 && echo "FAILED: $1: exit $with with the drop-in" && return 1; }
  diff "$log.plain" "$log.out" || { echo "FAILED: $1: not as without the drop-in" && return 1; }
  [ "${records%/*}" -ge "$2" ] || { echo "FAILED: $1: ${records%/*} records were seen, and $2 were made" && return 1; }
  echo "passed: $1: ${records%/*} records; of queries and synchronize calls / answered without the driver: $(calls 'cuEventQuery|cuEventSynchronize' "$log.err")"
}
# In a subshell, since PyTorch brings its own runtime. The programs have a kernel: -arch=native.
with_nvcc() (
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  [ -x "$cuda/bin/nvcc" ] || { skipped "there is no nvcc" && exit; }
  export LD_LIBRARY_PATH=$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  failed=0
  "$@" || failed=1
  exit "$failed"
)
shim_truth() { with_nvcc truth; }
truth() {
  local answers=$build/answers.tsv
  nvcc -std=c++17 -arch=native -cudart shared hostcuda/tests/truth/truth.cu -o "$build/truth" -lcuda || return 1
  cp hostcuda/tests/truth/driver-580-cuda-13.0-h200.tsv "$answers"
  [ "$gpus" -ge 2 ] || sed -i 's/^drv_two_devices\t.*/drv_two_devices\tn=1/' "$answers"
  sed 's/^query_zero_ptr\tq=201$/query_zero_ptr\tq=400/' "$answers" >"$build/strict.tsv"
  hostcuda/tests/truth/compare.py --crashes all "$answers" "$build/truth" || failed=1
  # An event in the program's own memory, with random content: only strict tells it from an event that another library made.
  hostcuda/tests/truth/compare.py --crashes query_garbage_ptr "$answers" env LD_PRELOAD="$library" "$build/truth" || failed=1
  hostcuda/tests/truth/compare.py "$build/strict.tsv" env LD_PRELOAD="$library" GEVT_SHIM=strict "$build/truth" || failed=1
  hostcuda/tests/truth/compare.py --crashes all "$answers" env LD_PRELOAD="$library" GEVT_SHIM=off "$build/truth" || failed=1
  [ -e "$cuda/lib64/libcudart.so.13" ] || { skipped "the recorded answers of CUDA 13: nvcc is of another release" && return "$failed"; }
  c++ -std=c++17 -O1 tests/calls/run.cpp -o "$build/calls" -pthread -ldl || return 1
  local file name names run
  for file in hostcuda/tests/truth/*.calls; do
    run=("$build/calls" 13 hostcuda/tests/common.calls "$file")
    names=$("${run[@]}" list) || failed=1
    for name in $names; do
      [[ $name == two_devices && $gpus -lt 2 ]] || timeout 60 "${run[@]}" "$name" || { echo "$file: case $name: failed" && failed=1; }
    done
  done
  return "$failed"
}
shim_programs() { with_nvcc programs; }
programs() {
  local flags=(-Xcompiler "-std=c99,-O1") each
  nvcc "${flags[@]}" tests/shim/linked.c -o "$build/linked" -lcuda &&
    nvcc "${flags[@]}" -DPER_THREAD tests/shim/linked.c -o "$build/linked_per_thread" -lcuda &&
    nvcc "${flags[@]}" -DSHIM_NVCC -cudart shared tests/shim/cudart.c -o "$build/cudart_shared" &&
    nvcc "${flags[@]}" -DSHIM_NVCC -cudart static tests/shim/cudart.c -o "$build/cudart_static" &&
    nvcc "${flags[@]}" tests/shim/look_up.c -o "$build/look_up" -ldl || return 1
  # Where the driver finds its functions has no names to compare.
  export SHIM_HIDES_NAMES=1
  for each in linked/5 linked_per_thread/5 cudart_shared/4 cudart_static/4; do both "${each%/*}" "${each#*/}" "$build/${each%/*}" || failed=1; done
  for each in handle 'proc 11030 0' 'proc2 13000 2' 'cudart 0'; do
    # shellcheck disable=SC2086 # several words
    both "look_up_${each%% *}" 5 "$build/look_up" $each || failed=1
  done
  return "$failed"
}
# A framework that is not installed is skipped by its name.
shim_frameworks() {
  local failed=0 script module least
  while read -r script module least; do
    python3 -c "import $module" >/dev/null 2>&1 || { skipped "$script: python3 has no $module" && continue; }
    both "$script" "$least" python3 "tests/shim/frameworks/$script.py" || failed=1
  done <<'END'
torch_events torch 2200
torch_graphs torch 1
torch_ipc torch 40
torch_train torch 120
cupy_events cupy 100
cuda_core_events cuda.core 50
END
  return "$failed"
}
shim_benchmark() { cmake --build "$build" --target gevt_bench_shim --parallel "$(nproc)" && LD_PRELOAD=$library timeout 180 "$build/benches/gevt_bench_shim" --check; }
# The step of a training run: in turns, and the best of each side.
shim_training_step() {
  local script=tests/shim/frameworks/torch_train.py
  python3 -c 'import torch' >/dev/null 2>&1 || { skipped "python3 has no torch" && return; }
  for _ in 1 2 3; do
    timeout 120 python3 "$script" time 400 >>"$scratch/plain" && LD_PRELOAD=$library timeout 120 python3 "$script" time 400 >>"$scratch/with" || return 1
  done
  awk -v plain="$(sort -g "$scratch/plain" | head -n 1)" -v with="$(sort -g "$scratch/with" | head -n 1)" 'BEGIN {
    printf "training step: plain %s ms, drop-in %s ms, ratio %.4f, at most 1.01\n", plain, with, with / plain
    exit (with / plain > 1.01)
  }'
}

# vulkan COMMAND...: the tests share one GPU.
vulkan() {
  [ -d "$folder/vulkan" ] || { skipped "the folder has no Vulkan headers: pack it where libvulkan-dev is installed" && return; }
  jobs=$((($(nproc) + 3) / 4)) LD_LIBRARY_PATH=${vulkan_loader:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}
vulkan_c_tests() { vulkan tests -R '^c\..*\.vulkan$'; }
# faults and looks have a layer that invents the device's answers.
vulkan_own_tests() { vulkan tests -R '^vulkan\.' -E 'faults|looks'; }
# The driver may have no headless surface: then swapchain skips.
vulkan_examples() { vulkan tests -R '^example_(swapchain|hybrid)$'; }
vulkan_benchmark() { vulkan bench vulkan; }
# The waits across backends, CUDA's among them, beside the same by hand.
vulkan_hops() { vulkan bench hops; }

sections=(build c-tests gate-limits conformance two-devices cuda-example examples kills lost-contexts benchmark memcheck
  shim-truth shim-programs shim-frameworks shim-benchmark shim-training-step
  vulkan-c-tests vulkan-own-tests vulkan-examples vulkan-benchmark vulkan-hops)
for wanted; do [[ " ${sections[*]}" == *" $wanted"* ]] || fail "there is no section $wanted; there are ${sections[*]}"; done
[ $# -gt 0 ] || set -- ''
date -u '+%Y-%m-%d %H:%M UTC'
nvidia-smi --query-gpu=index,name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU"
results=() failed=0
export GEVT_SKIP_FILE=$scratch/skipped
# Any exit code but 0 is a failure, even after a skip. The section build always runs first.
for name in "${sections[@]}"; do
  [ "$name" = build ] || for wanted; do [[ $name != "$wanted"* ]] || break; done
  [ "$name" = build ] || [[ $name == "$wanted"* ]] || continue
  start=$SECONDS result=PASSED
  : >"$GEVT_SKIP_FILE"
  echo "== $name"
  if [ "$gpus" -eq 0 ] && [ "$name" != build ] && [ "$name" != examples ]; then
    skipped "there is no GPU"
  else
    "${name//-/_}" || result=FAILED failed=1
  fi
  [ $result = FAILED ] || [ ! -s "$GEVT_SKIP_FILE" ] || result=SKIPPED
  results+=("$(printf '%-8s%s (%d s) %s' $result "$name" $((SECONDS - start)) "$(paste -sd ';' "$GEVT_SKIP_FILE")")")
done
printf '\n'
printf '%s\n' "${results[@]}"
exit "$failed"
