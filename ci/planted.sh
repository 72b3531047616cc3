#!/usr/bin/env bash
# Builds the library twice for a check: sound, and with the bugs of src/fault_injection.rs, which the check has to find first. Prints the
# folder with sound/libgevt.so and planted/libgevt.so.
#
# usage: ci/planted.sh plain|address|thread
#
# address, thread   instrumented for the sanitizer. RUSTC_BOOTSTRAP=1 lets the stable compiler take -Z options: sanitizers are in it, but not
#                   yet stable. Nothing that is built so is shipped.
# --cfg gevt_instrumented   the library announces nothing to the sanitizer, which would hide its own races.
# -Zbuild-std       std again for thread: what is not instrumented orders nothing in the sanitizer's eyes, and it would report races that do
#                   not exist.
# -Cpasses=sancov-module    for address: with its -Cllvm-args it counts edges and compared values, for libFuzzer's runtime.
# Fails where the sound one has a planted bug, or the other one has none.
#
# --cfg gevt_planted          for the package gevt alone: its dependencies are compiled once for both.
# --target                    this machine; with it, the caller's RUSTFLAGS reach no build script.
# LTO=off, CODEGEN_UNITS=16   a shorter build; no check looks at speed.
# Time: ten seconds on two cores from nothing; other options take longer.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=$1 directory=$(realpath -m "${CARGO_TARGET_DIR:-target}/planted/$1") options=() flags=
case $kind in
  plain) ;;
  address)
    flags='-Zsanitizer=address --cfg gevt_instrumented -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3'
    flags+=' -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table'
    flags+=' -Cllvm-args=-sanitizer-coverage-trace-compares'
    ;;
  thread) flags='-Zsanitizer=thread --cfg gevt_instrumented' options=('-Zbuild-std=std,panic_unwind') ;;
  *) echo "usage: ci/planted.sh plain|address|thread" >&2 && exit 2 ;;
esac
[ -z "$flags" ] || export RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16

# build NAME [OPTION of rustc...]
build() {
  local name=$1
  shift
  cargo rustc --quiet --locked --release --package gevt --lib --crate-type cdylib --target "$host" --target-dir "$directory" \
    "${options[@]}" -- "$@"
  mkdir -p "$directory/$name"
  # Another check may be running programs with the old library: it keeps its file.
  cp "$directory/$host/release/libgevt.so" "$directory/$name/libgevt.so.new"
  mv "$directory/$name/libgevt.so.new" "$directory/$name/libgevt.so"
  ln -sfn libgevt.so "$directory/$name/libgevt.so.0"
}

# One at a time: both builds have the same file.
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
build planted --cfg gevt_planted
build sound
grep -q PLANTED_BUG "$directory/planted/libgevt.so" || { echo "planted: no bug was planted" >&2 && exit 1; }
! grep -q PLANTED_BUG "$directory/sound/libgevt.so" || { echo "planted: bugs where none should be" >&2 && exit 1; }
echo "$directory"
