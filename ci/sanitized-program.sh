#!/usr/bin/env bash
# A program that gevt's events alone order is clean under ThreadSanitizer, with the library as it is shipped. Without a needed event the same
# program is reported. On the host, on CUDA without a GPU, and on Vulkan by Mesa's lavapipe.
#
# usage: ci/sanitized-program.sh
#
# -fsanitize=thread   of the program alone: the library announces its hand-overs to the sanitizer's runtime.
# -O1 -g              lines in reports, at a bearable speed.
# exitcode=66         what the sanitizer ends the program with if it has reported something.
# GEVT_HOST_THREADS=2  two items race only if there are two threads for them.
# Each race is a separate run, as the sanitizer reports every place once.
# Skipped where no compiler has the sanitizer; without lavapipe, Vulkan is.
# Time: ten seconds, and what building the libraries takes.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

libraries=$(realpath -m "${CARGO_TARGET_DIR:-target}")
target=$libraries/sanitized
libraries=$libraries/release
mkdir -p "$target"

# compile COMPILER PROGRAM LIBRARY...
compile() {
  local compiler=$1 program=$2
  shift 2
  "$compiler" -std=c++17 -g -O1 -Wall -Wextra -fsanitize=thread -Iinclude tests/sanitized/ordered.cpp -o "$program" "$@" -lpthread
}

compiler=
for each in clang++ clang++-19 clang++-14 g++; do
  command -v "$each" >/dev/null || continue
  # One that compiles nothing at all is no reason to skip.
  echo 'int main() {}' | "$each" -x c++ -o "$target/probe" -
  if echo 'int main() {}' | "$each" -x c++ -fsanitize=thread -o "$target/probe" - 2>/dev/null && "$target/probe" 2>/dev/null; then
    compiler=$each
    break
  fi
done
[ -n "$compiler" ] || skip "no compiler here has ThreadSanitizer"

cargo build --locked --release --package gevt --package gevt-hostcuda
hostcuda/install.sh "$libraries/libgevt_hostcuda.so" "$target/prefix"
# Programs look for the library by its SONAME, which cargo does not give to the file.
ln -sf "$libraries/libgevt.so" "$target/libgevt.so.0"
compile "$compiler" "$target/shared" "$libraries/libgevt.so" -Wl,-rpath,"$target"
compile "$compiler" "$target/static" "$libraries/libgevt.a" -ldl -lm

export GEVT_HOST_THREADS=2
failed=0
# run EXPECTED NAME COMMAND...   runs a program that is to end with that code
run() {
  local expected=$1 name=$2 code=0
  shift 2
  TSAN_OPTIONS=exitcode=66 timeout 300 "$@" >"$target/log" 2>&1 || code=$?
  if [ "$code" -ne "$expected" ]; then
    cat "$target/log" >&2
    echo "sanitized-program: $name ended with $code, and not with $expected" >&2
    failed=1
  elif [ "$expected" -ne 0 ] && [ "$(grep -c 'ThreadSanitizer: data race' "$target/log")" -eq 0 ]; then
    echo "sanitized-program: $name was not reported as a race" >&2
    failed=1
  else
    echo "passed: $name"
  fi
}

races=$(sed -n 's/^ *{"\(race_[a-z_]*\)".*/\1/p' tests/sanitized/ordered.cpp)
[ -n "$races" ] || { echo "sanitized-program: the program has no races" >&2 && exit 1; }
driver=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
[ -n "$driver" ] || skipped "there is no lavapipe here (mesa-vulkan-drivers)"
for program in shared static; do
  for backend in host cuda vulkan; do
    command=("$target/$program" "$backend")
    case $backend in
      cuda) command=("$target/prefix/bin/gevt-hostcuda" "${command[@]}") ;;
      vulkan)
        [ -n "$driver" ] || continue
        command=(env VK_DRIVER_FILES="$driver" "${command[@]}")
        ;;
    esac
    run 0 "$program, $backend" "${command[@]}"
    for race in $races; do
      [ "$backend" != host ] && [ "${race%_host}" != "$race" ] || run 66 "$program, $backend, $race" "${command[@]}" "$race"
    done
  done
done
exit $failed
