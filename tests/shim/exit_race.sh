#!/usr/bin/env bash
# Counts how often a process ends badly that exits while its threads are in their first calls of the CUDA runtime, in each of
# these forms, one line each: without a library, with libraries that share parts of what the drop-in is, and with the drop-in.
#
# usage: tests/shim/exit_race.sh RUNS BUILD LIBGEVT_CUDA [NAME=LIBRARY...]     further libraries to compare, such as older builds
#
# CUDART: what the program is linked with (-lcudart). EXIT_RACE_FORMS: the forms to run, by name. EXIT_RACE_TRACE=1: crashes print
# where they are, to BUILD/FORM.err. GEVT_RUN: the launcher; its form needs it.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
runs=$1 build=$2 library=$(readlink -f "$3")
shift 3
mkdir -p "$build"
build=$(readlink -f "$build")
read -ra cudart <<<"${CUDART:--L/usr/local/cuda/lib64 -Wl,-rpath,/usr/local/cuda/lib64 -lcudart}"
cc=("${CC:-cc}" -std=gnu99 -O1 -Wall)
"${cc[@]}" "$here/exit_race.c" -o "$build/exit_race" "${cudart[@]}" -pthread -ldl -lrt
# part NAME OPTION...: a library that is preloaded.
part() {
  local name=$1
  shift
  "${cc[@]}" -fPIC -shared "$here/exit_race_library.c" -o "$build/$name.so" "$@"
}
part empty
part unwinder -Wl,--no-as-needed -lgcc_s -lm
part look_ups -DLOOK_UPS -ldl
part slow -DLOOK_UPS -DSLOW=10 -ldl
part slower -DLOOK_UPS -DSLOW=200 -ldl

# The forms: a name, and what the environment gets.
names=() settings=()
form() {
  names+=("$1") settings+=("$2")
}
form plain EXIT_RACE=
form empty LD_PRELOAD="$build/empty.so"
form unwinder LD_PRELOAD="$build/unwinder.so"
form look_ups LD_PRELOAD="$build/look_ups.so"
form slow LD_PRELOAD="$build/slow.so"
form slower LD_PRELOAD="$build/slower.so"
form drop_in LD_PRELOAD="$library"
form drop_in_off "LD_PRELOAD=$library GEVT_SHIM=off"
form drop_in_stats "LD_PRELOAD=$library GEVT_STATS=1"
form drop_in_unwinder "LD_PRELOAD=$library:$build/unwinder.so"
for other in "$@"; do
  form "${other%%=*}" "LD_PRELOAD=$(readlink -f "${other#*=}")"
  form "${other%%=*}_off" "LD_PRELOAD=$(readlink -f "${other#*=}") GEVT_SHIM=off"
done
if [ -n "${GEVT_RUN:-}" ]; then
  form launcher "GEVT_SHIM_LIB=$library RUN=$GEVT_RUN"
fi

declare -A bad codes
delays=(0 100 1000 5000 20000 50000 100000 200000)
for name in "${names[@]}"; do
  bad[$name]=0 codes[$name]=''
  : >"$build/$name.err"
done
# The forms take turns, so that whatever else the machine does meets them all.
for ((run = 0; run < runs; run++)); do
  delay=${delays[run % ${#delays[@]}]}
  for index in "${!names[@]}"; do
    name=${names[index]}
    [ -z "${EXIT_RACE_FORMS:-}" ] || [[ " $EXIT_RACE_FORMS " == *" $name "* ]] || continue
    code=0 launcher=()
    read -ra setting <<<"${settings[index]}"
    [ "$name" != launcher ] || launcher=("$GEVT_RUN")
    env "${setting[@]}" timeout -k 5 60 "${launcher[@]}" "$build/exit_race" 8 "$delay" >/dev/null 2>>"$build/$name.err" || code=$?
    if [ $code -ne 0 ]; then
      bad[$name]=$((bad[$name] + 1))
      codes[$name]+=" $code@${delay}us"
    fi
  done
done
for name in "${names[@]}"; do
  [ -z "${EXIT_RACE_FORMS:-}" ] || [[ " $EXIT_RACE_FORMS " == *" $name "* ]] || continue
  counted=$(tr ' ' '\n' <<<"${codes[$name]}" | grep . | sort | uniq -c | awk '{ printf " %s: %s", $2, $1 }' || true)
  echo "$name: ${bad[$name]} of $runs runs ended badly$counted"
done
