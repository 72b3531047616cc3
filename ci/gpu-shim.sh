#!/usr/bin/env bash
# The drop-in on a machine with an NVIDIA driver: the driver's answers through it; programs of each kind, PyTorch, CuPy and cuda.core with it
# and without it; and what it costs. It needs nvcc, and no cargo.
#
# usage: ci/gpu-shim.sh [FOLDER] [SECTION...]     FOLDER (./gpu) is what ci/gpu-pack.sh made; without SECTIONs all run
#
# Every section runs, even after a failure. Each program is bounded by a timeout and prints a line.
# -arch=native: truth.cu has a kernel.
# Time: four minutes, most of it for loading PyTorch.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. ci/sections.sh

folder=$(realpath -m "${1:-gpu}")
shift
build=${TMPDIR:-/tmp}/gevt-gpu-shim
library=$folder/libgevt_cuda.so
[ -f "$library" ] || { echo "there is no $library: make it with ci/gpu-pack.sh" >&2 && exit 2; }
PATH=$PATH:/usr/local/cuda/bin
unset GEVT_SHIM GEVT_LOG GEVT_LEAKS GEVT_STATS LD_PRELOAD
mkdir -p "$build"

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /nowhere/bin/nvcc)")")")
answers=$build/answers.tsv

ready() {
  [ "$gpus" -gt 0 ] || { skipped "$1: there is no GPU" && return 1; }
  command -v nvcc >/dev/null || { skipped "$1: there is no nvcc" && return 1; }
}

# both NAME RECORDS COMMAND...: the command prints the same and exits alike with the drop-in and without it, and with it, so
# many records at least were seen.
both() {
  local name=$1 least=$2 log=$build/$1 plain=0 with=0 records answered
  shift 2
  timeout 120 "$@" >"$log.plain" 2>"$log.plain.err" || plain=$?
  if [ "$plain" -ne 0 ]; then
    echo "FAILED: $name: exit $plain without the drop-in: $(tail -1 "$log.plain.err")"
    return 1
  fi
  GEVT_STATS=1 timeout 120 "$folder/gevt-run" "$@" >"$log.out" 2>"$log.err" || with=$?
  records=$(calls 'cuEventRecord' "$log.err")
  answered=$(calls 'cuEventQuery|cuEventSynchronize' "$log.err")
  if [ "$with" -ne 0 ]; then
    echo "FAILED: $name: exit $with with the drop-in"
    grep -v '^gevt: stats' "$log.err" | tail -20
  elif ! diff "$log.plain" "$log.out"; then
    echo "FAILED: $name: not as without the drop-in"
  elif [ "${records%/*}" -lt "$least" ]; then
    echo "FAILED: $name: ${records%/*} records were seen, and $least were made"
  else
    echo "passed: $name: the same $(wc -l <"$log.out") lines; ${records%/*} records seen; of ${answered%/*} queries and" \
      "synchronize calls ${answered#*/} answered without the driver"
    return 0
  fi
  return 1
}

# calls PATTERN FILE: of the functions that begin so, calls and how many the driver did not see, over all processes.
calls() {
  sed -nE 's/^gevt: stats: (cu\w+): calls ([0-9]+), answered without the driver ([0-9]+)$/\1 \2 \3/p' "$2" |
    awk -v pattern="^($1)" '$1 ~ pattern { calls += $2; answered += $3 } END { printf "%d/%d\n", calls, answered }'
}

# In a subshell, since PyTorch brings its own runtime.
truth() (
  failed=0
  ready truth || exit 0
  nvcc -std=c++17 -arch=native -cudart shared hostcuda/tests/truth/truth.cu -o "$build/truth" -lcuda || exit 1
  cp hostcuda/tests/truth/driver-580-cuda-13.0-h200.tsv "$answers"
  [ "$gpus" -ge 2 ] || sed -i 's/^drv_two_devices\t.*/drv_two_devices\tn=1/' "$answers"
  sed 's/^query_zero_ptr\tq=201$/query_zero_ptr\tq=400/' "$answers" >"$build/strict.tsv"
  export LD_LIBRARY_PATH=$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  echo "-- the driver alone"
  ci/truth.sh --crashes all "$answers" "$build/truth" || failed=1
  # Memory of the program's own with junk in it: only strict tells it from an event that another library made.
  echo "-- with the drop-in"
  ci/truth.sh --crashes query_garbage_ptr "$answers" env LD_PRELOAD="$library" "$build/truth" || failed=1
  echo "-- with the drop-in, strict"
  ci/truth.sh "$build/strict.tsv" env LD_PRELOAD="$library" GEVT_SHIM=strict "$build/truth" || failed=1
  echo "-- with the drop-in, off"
  ci/truth.sh --crashes all "$answers" env LD_PRELOAD="$library" GEVT_SHIM=off "$build/truth" || failed=1
  exit "$failed"
)

programs() (
  failed=0 flags=(-Xcompiler "-std=c99,-O1")
  ready programs || exit 0
  export LD_LIBRARY_PATH=$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  nvcc "${flags[@]}" tests/shim/linked.c -o "$build/linked" -lcuda &&
    nvcc "${flags[@]}" -DPER_THREAD tests/shim/linked.c -o "$build/linked_per_thread" -lcuda &&
    nvcc "${flags[@]}" -DSHIM_NVCC -cudart shared tests/shim/cudart.c -o "$build/cudart_shared" &&
    nvcc "${flags[@]}" -DSHIM_NVCC -cudart static tests/shim/cudart.c -o "$build/cudart_static" &&
    nvcc "${flags[@]}" tests/shim/look_up.c -o "$build/look_up" -ldl || exit 1
  # Where the driver finds its functions has no names to compare.
  export SHIM_HIDES_NAMES=1
  both linked 5 "$build/linked" || failed=1
  both linked_per_thread 5 "$build/linked_per_thread" || failed=1
  both cudart_shared 4 "$build/cudart_shared" || failed=1
  both cudart_static 4 "$build/cudart_static" || failed=1
  both dlsym 5 "$build/look_up" handle || failed=1
  both proc 5 "$build/look_up" proc 11030 0 || failed=1
  both proc2 5 "$build/look_up" proc2 13000 2 || failed=1
  both as_cudart 5 "$build/look_up" cudart 0 || failed=1
  exit "$failed"
)

# A use of a destroyed stream ends with the drop-in as it ends without it, or better: its question to the driver crashes only where the
# call itself crashes. A stream that was issued again out of its sight is used as any other.
destroyed_stream() {
  local name program=$build/destroyed_stream with failed=0
  local -A plain
  ready destroyed_stream || return 0
  nvcc -Xcompiler "-std=c99,-O1" tests/shim/destroyed_stream.c -o "$program" -lcuda -ldl || return 1
  # answer COMMAND...: what a case prints, or how it ended
  answer() { timeout 60 "$@" 2>/dev/null || echo "exit $?"; }
  for name in $("$program" list); do
    plain[$name]=$(answer "$program" "$name")
    with=$(answer env LD_PRELOAD="$library" "$program" "$name")
    echo "$name: driver ${plain[$name]}, with the drop-in $with"
    case $name in
      query_out_of_sight) [[ $with != exit* || ${plain[query]} == exit* ]] || failed=1 ;;
      query) [ "$with" = "query=400" ] || failed=1 ;;
      issued_again) [ "$with" = "${plain[$name]}" ] || failed=1 ;;
    esac
  done
  return "$failed"
}

# A framework that is not installed is skipped by its name.
frameworks() {
  local failed=0 script module least
  ready frameworks || return 0
  while read -r script module least; do
    if ! python3 -c "import $module" >/dev/null 2>&1; then
      skipped "$script: python3 has no $module"
      continue
    fi
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

# --check: a bound that is missed is a failure.
benchmark() {
  ready benchmark || return 0
  cmake -S . -B "$build/cmake" -DCMAKE_BUILD_TYPE=Release -DGEVT_LIBRARY="$folder/libgevt.so" >"$build/cmake.log" &&
    cmake --build "$build/cmake" --target gevt_bench_shim --parallel "$(nproc)" >>"$build/cmake.log" || {
    tail -20 "$build/cmake.log"
    return 1
  }
  LD_PRELOAD=$library timeout 180 "$build/cmake/benches/gevt_bench_shim" --check
}

# The step of a training run: in turns, and the best of each side.
training_step() {
  local round plain with best_plain='' best_with='' script=tests/shim/frameworks/torch_train.py
  ready training-step || return 0
  python3 -c 'import torch' >/dev/null 2>&1 || { skipped "training step: python3 has no torch" && return; }
  for round in 1 2 3; do
    plain=$(timeout 120 python3 "$script" time 400) && with=$(LD_PRELOAD=$library timeout 120 python3 "$script" time 400) || return 1
    echo "round $round: plain $plain ms, drop-in $with ms"
    best_plain=$(printf '%s\n' "${best_plain:-$plain}" "$plain" | sort -g | head -1)
    best_with=$(printf '%s\n' "${best_with:-$with}" "$with" | sort -g | head -1)
  done
  awk -v plain="$best_plain" -v with="$best_with" 'BEGIN {
    ratio = with / plain
    printf "training step: plain %s ms, drop-in %s ms, ratio %.4f, at most 1.01\n", plain, with, ratio
    exit (ratio > 1.01)
  }'
}

for name in truth programs destroyed_stream frameworks benchmark training_step; do
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  section "shim-${name//_/-}" $name
done
summary
