#!/usr/bin/env bash
# Lookups with the drop-in answer what they answer without it, but that the driver's functions of the table are ours.
#
# usage: tests/shim/look_up/run.sh LIBGEVT_CUDA FOLDER_OF_LIBCUDA BUILD     EMULATOR as for tests/shim/run.sh
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
library=$(readlink -f "$1") driver=$(readlink -f "$2") build=$3
mkdir -p "$build"
build=$(readlink -f "$build")
cc=("${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror)
run=(timeout 300)
[ -z "${EMULATOR:-}" ] || run+=("$EMULATOR")

# preloaded LIBRARY PROGRAM...
preloaded() { timeout 300 env LD_PRELOAD="$1" "${run[@]:2}" "${@:2}"; }

# A library that defines `place`: NAME FURTHER-OPTIONS...
object() {
  local name=$1
  shift
  "${cc[@]}" -fPIC -shared "$here/library.c" -DNAME="\"$name\"" -DREPORT="report_$name" -o "$build/lib$name.so" "$@" -ldl
}
object second
object first -L"$build" -lsecond
object behind
object later -L"$build" -Wl,--no-as-needed -lbehind
object global -L"$build" -Wl,--no-as-needed -lbehind
"${cc[@]}" "$here/program.c" -o "$build/program" -rdynamic -L"$build" -Wl,--no-as-needed -lfirst -lsecond -ldl
old=()
[[ "$("${cc[0]}" -dumpmachine)" != x86_64-* ]] || old=('-DOLD_LIBC="GLIBC_2.2.5"')
"${cc[@]}" "${old[@]}" "$here/program.c" -o "$build/linked" -rdynamic -L"$build" -Wl,--no-as-needed -lfirst -lsecond \
  "$driver/libcuda.so.1" -ldl
"${cc[@]}" -fPIC -shared "$here/../../driver/at_once.c" "-Wl,-Bsymbolic" -o "$build/libother.so"
"${cc[@]}" -fPIC -shared "$here/early.c" -o "$build/libearly.so" -ldl

mapfile -t ours < <(nm -D --defined-only "$library" | awk '$3 ~ /^cu/ { print $3 }')
others=(cuMemAlloc_v2 cuInit cuNothing cu c "" getenv dlsym dlvsym dlerror place qsort)

# A driver without versions of symbols, as NVIDIA's, that lacks the last function of ours.
older=$build/older
mkdir -p "$older"
for name in "${ours[@]::${#ours[@]}-1}" cuInit cuMemAlloc_v2; do
  echo "int $name(void); int $name(void) { return 0; }"
done >"$older/driver.c"
"${cc[@]}" -nostdlib -fPIC -shared "$older/driver.c" -Wl,-soname,libcuda.so.1 -o "$older/libcuda.so.1"

failed=0
complain() {
  echo "look_up: $*" >&2
  failed=1
}

# Prints the expected answers: the driver's functions are ours, except for a library after us that asks for the next one.
# The error for a missing name gives the object that asked, or ours where the lookup ended here.
expected() {
  sed -E '/^(first|later|global) next/! s/ in libcuda\.so\.1/ in libgevt_cuda.so/' | same_error
}
same_error() {
  sed -E 's/NULL, [^ ]*: undefined symbol/NULL, undefined symbol/'
}
# The lookups themselves are found here too, where all see them.
expected_others() {
  sed -E '/ (default|next|program) dlv?sym:/ s/ in libgevt_cuda\.so/ in libc.so.6/'
}

# The drop-in does not take itself for the driver, even under the driver's name or without a driver.
"${cc[@]}" "$here/call.c" -o "$build/call" "$library"
mkdir -p "$build/itself"
ln -sf "$library" "$build/itself/libcuda.so.1"
for folders in "$(dirname "$library")" "$(dirname "$library"):$build/itself"; do
  answer=$(LD_LIBRARY_PATH=$folders "${run[@]}" "$build/call") || complain "without a driver in $folders: exit $?"
  [ "$answer" = "3, 0" ] || complain "without a driver in $folders: $answer"
done
answer=$(LD_LIBRARY_PATH=$(dirname "$library"):$driver "${run[@]}" "$build/call") || complain "loading the driver: exit $?"
[ "$answer" = "0, 1" ] || complain "loading the driver: $answer"

# A program that defines such functions itself, such as a test with its own driver, reaches the same functions as before.
for style in gnu sysv; do
  "${cc[@]}" "$here/program.c" "$here/../../driver/at_once.c" -o "$build/mocking" -rdynamic -Wl,--hash-style=$style -L"$build" \
    -Wl,--no-as-needed -lfirst -lsecond -ldl
  for how in none local; do
    log=$build/mocking.$style.$how
    export LD_LIBRARY_PATH=$build:$older
    "${run[@]}" "$build/mocking" $how "${ours[@]}" | grep -E 'in mocking|next' | same_error >"$log.expected"
    preloaded "$library" "$build/mocking" $how "${ours[@]}" | grep -E 'in mocking|next' | same_error >"$log.got"
    diff "$log.expected" "$log.got" >"$log.diff" || complain "see $log.diff"
  done
done

for driver in "$driver" "$older"; do
  lacking=none
  [ "$driver" != "$older" ] || lacking=${ours[-1]}
  export LD_LIBRARY_PATH=$build:$driver
  for how in none local global linked; do
    program=$build/program
    [ $how != linked ] || program=$build/linked
    log=$build/$(basename "$driver").$how
    "${run[@]}" "$program" $how "${ours[@]}" | expected >"$log.expected"
    # The drop-in cannot find out which libraries see a driver that is loaded for some alone. So all of them see it.
    [ $how != local ] || sed -Ei "/: $lacking\$/! s/^((first|later|global) default (\w+)): NULL,.*/\1: \3 in libgevt_cuda.so/" "$log.expected"
    preloaded "$library" "$program" $how "${ours[@]}" | same_error >"$log.got"
    diff "$log.expected" "$log.got" >"$log.diff" || complain "see $log.diff"
    count=$(grep -c 'in libgevt_cuda.so' "$log.got" || true)
    [ "$how" = none ] || [ "$count" -ge $((3 * ${#ours[@]} - 3)) ] || complain "$log: only $count answers are ours"
    "${run[@]}" "$program" $how "${others[@]}" >"$log.others"
    preloaded "$library" "$program" $how "${others[@]}" | expected_others | diff "$log.others" - >"$log.others.diff" ||
      complain "see $log.others.diff"
    for order in "$library:$build/libearly.so" "$build/libearly.so:$library"; do
      preloaded "$order" "$program" $how "${others[@]}" >/dev/null || complain "$how: with $order"
    done
  done
done
[ $failed -ne 0 ] || echo "look_up: passed"
exit $failed
