#!/usr/bin/env bash
# gevt-run starts the command with the library, keeps what LD_PRELOAD names already, and says what is wrong.
#
# usage: tests/shim/launcher.sh GEVT_RUN LIBGEVT_CUDA     the library that the launcher is to find by itself
set -euo pipefail
run=$1 library=$(readlink -f "$2")
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT

failed=0
# gives EXPECTED CODE COMMAND...: what the command prints, both streams, and how it ends.
gives() {
  local expected=$1 code=$2 got ended=0
  shift 2
  got=$("$@" 2>&1) || ended=$?
  # shellcheck disable=SC2053 # a pattern
  [[ $got == $expected && $ended -eq $code ]] && return
  echo "launcher: $*: exit $ended, and not $code, or not '$expected': $got" >&2
  failed=1
}
preloads='for name in $LD_PRELOAD; do echo "$name"; done; exit 3'

gives "$library" 3 env -u LD_PRELOAD "$run" sh -c "$preloads"
other=$(ldd /bin/sh | awk '$1 ~ /^libc[.]so/ { print $3 }')
gives "$other:$library" 3 env LD_PRELOAD="$other" "$run" sh -c "$preloads"
gives "two words" 0 "$run" printf %s "two words"
gives "usage: *" 64 "$run"

cp "$run" "$elsewhere/gevt-run"
gives "gevt-run: there is no *libgevt_cuda.so*" 69 "$elsewhere/gevt-run" true
gives "$library" 3 env GEVT_SHIM_LIB="$library" "$elsewhere/gevt-run" sh -c "$preloads"
gives "gevt-run: there is no $elsewhere/none.so" 69 env GEVT_SHIM_LIB="$elsewhere/none.so" "$elsewhere/gevt-run" true
cp "$library" "$elsewhere/libgevt_cuda.so"
gives "$elsewhere/libgevt_cuda.so" 3 "$elsewhere/gevt-run" sh -c "$preloads"
for folder in lib lib64 "lib/$(uname -m)-linux-gnu"; do
  mkdir -p "$elsewhere/prefix/bin" "$elsewhere/prefix/$folder"
  cp "$run" "$elsewhere/prefix/bin/gevt-run"
  cp "$library" "$elsewhere/prefix/$folder/libgevt_cuda.so"
  gives "$elsewhere/prefix/$folder/libgevt_cuda.so" 3 "$elsewhere/prefix/bin/gevt-run" sh -c "$preloads"
  rm -r "$elsewhere/prefix"
done
mkdir "$elsewhere/a folder"
cp "$library" "$elsewhere/a folder/libgevt_cuda.so"
gives "gevt-run: LD_PRELOAD cannot *" 69 env GEVT_SHIM_LIB="$elsewhere/a folder/libgevt_cuda.so" "$run" true
gives "none off" 3 env -u GEVT_DEEPBIND sh -c '"$0" sh -c "printf %s \${GEVT_DEEPBIND-none}"; "$0" --deepbind sh -c "printf %s \" \$GEVT_DEEPBIND\""; exit 3' "$run"
[ $failed -ne 0 ] || echo "launcher: passed"
exit $failed
