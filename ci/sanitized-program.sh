#!/usr/bin/env bash
# A program that gevt's events alone order is clean under ThreadSanitizer, with the library as it is shipped. Without a needed event the same
# program is reported. On the host, on CUDA without a GPU, and on Vulkan by Mesa's lavapipe.
. "$(dirname "$0")/lib.sh"

libraries=$target/release
target=$target/sanitized
mkdir -p "$target"
for compiler in clang++ clang++-19 clang++-14 g++ ''; do
  ! { echo 'int main() {}' | "$compiler" -x c++ -fsanitize=thread -o "$target/probe" - && "$target/probe"; } 2>/dev/null || break
done
[ -n "$compiler" ] || skip "no compiler here has ThreadSanitizer"

quietly cargo build --locked --release --package gevt --package gevt-hostcuda
hostcuda/install.sh "$libraries/libgevt_hostcuda.so" "$target/prefix"
# Programs look for the library by its SONAME, which cargo does not give to the file.
ln -sf "$libraries/libgevt.so" "$target/libgevt.so.0"
# compile PROGRAM LIBRARY...: only the program is instrumented. The library announces its hand-overs to the sanitizer's runtime.
compile() {
  "$compiler" -std=c++17 -g -O1 -Wall -Wextra -fsanitize=thread -Iinclude tests/sanitized/ordered.cpp -o "$target/$1" "${@:2}" -lpthread
}
compile shared "$libraries/libgevt.so" -Wl,-rpath,"$target"
compile static "$libraries/libgevt.a" -ldl -lm

# Two items race only if there are two threads for them. 66 is the sanitizer's code where it has reported something.
export GEVT_HOST_THREADS=2 TSAN_OPTIONS=exitcode=66
failed=0
# run EXPECTED NAME COMMAND...: runs a program that is to end with that code.
run() {
  local code=0
  timeout 300 "${@:3}" >"$target/log" 2>&1 || code=$?
  if [ "$code" -ne "$1" ] || { [ "$1" -ne 0 ] && ! grep -q 'ThreadSanitizer: data race' "$target/log"; }; then
    cat "$target/log" >&2
    echo "FAILED: $2 ended with $code, and not with $1 and a race reported" >&2
    failed=1
  fi
}
# Each race is a separate run, as the sanitizer reports every place once.
races=$(sed -n 's/^ *{"\(race_[a-z_]*\)".*/\1/p' tests/sanitized/ordered.cpp)
[ -n "$races" ] || fail "the program has no races"
[ -n "$lavapipe" ] || skipped "there is no lavapipe here (mesa-vulkan-drivers)"
for program in shared static; do
  for backend in host cuda vulkan; do
    command=("$target/$program" "$backend")
    case $backend in
      cuda) command=("$target/prefix/bin/gevt-hostcuda" "${command[@]}") ;;
      vulkan)
        [ -n "$lavapipe" ] || continue
        command=(env VK_DRIVER_FILES="$lavapipe" "${command[@]}")
        ;;
    esac
    run 0 "$program, $backend" "${command[@]}"
    for race in $races; do
      [ "$backend" != host ] && [ "${race%_host}" != "$race" ] || run 66 "$program, $backend, $race" "${command[@]}" "$race"
    done
  done
done
exit $failed
