#!/usr/bin/env bash
# Builds the library twice for a check: sound, and with the bugs of src/fault_injection.rs, which the check has to find first. Prints the
# folder with sound/libgevt.so and planted/libgevt.so.
#
# usage: ci/planted.sh plain|address|thread     instrumented for the sanitizer; address also counts edges and comparisons for libFuzzer
#
# RUSTC_BOOTSTRAP=1         the stable compiler takes -Z options: sanitizers are in it, but not yet stable. Nothing that is built so is shipped.
# --cfg gevt_instrumented   the library announces nothing to the sanitizer, which would hide its own races.
# -Zbuild-std               std that is not instrumented orders nothing in ThreadSanitizer's eyes.
# --cfg gevt_planted        for the package gevt alone: its dependencies are compiled once for both.
. "$(dirname "$0")/lib.sh"

directory=$target/planted/$1 options=()
case $1 in
  plain) ;;
  address)
    counted=(level=3 inline-8bit-counters pc-table trace-compares)
    export RUSTFLAGS="-Zsanitizer=address --cfg gevt_instrumented -Cpasses=sancov-module ${counted[*]/#/-Cllvm-args=-sanitizer-coverage-}"
    ;;
  thread) export RUSTFLAGS='-Zsanitizer=thread --cfg gevt_instrumented' options=('-Zbuild-std=std,panic_unwind') ;;
  *) fail "usage: ci/planted.sh plain|address|thread" ;;
esac
[ "$1" = plain ] || export RUSTC_BOOTSTRAP=1
host=$(rustc -vV | sed -n 's/^host: //p')
# No check looks at speed.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16

# build NAME [OPTION of rustc...]. --target: the caller's RUSTFLAGS reach no build script.
build() {
  cargo rustc --quiet --locked --release --package gevt --lib --crate-type cdylib --target "$host" --target-dir "$directory" \
    "${options[@]}" -- "${@:2}"
  mkdir -p "$directory/$1"
  # Another check may be running programs with the old library: it keeps its file.
  cp "$directory/$host/release/libgevt.so" "$directory/$1/libgevt.so.new"
  mv "$directory/$1/libgevt.so.new" "$directory/$1/libgevt.so"
  ln -sfn libgevt.so "$directory/$1/libgevt.so.0"
}
# One at a time: both builds have the same file.
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
build planted --cfg gevt_planted
build sound
grep -q PLANTED_BUG "$directory/planted/libgevt.so" || fail "no bug was planted"
! grep -q PLANTED_BUG "$directory/sound/libgevt.so" || fail "bugs where none should be"
echo "$directory"
