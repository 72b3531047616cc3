#!/usr/bin/env bash
# Builds the library twice for a check: sound, and with the bugs of src/fault_injection.rs, which the check has to find first.
#
# usage: ci/planted.sh DIRECTORY [OPTION...]     DIRECTORY/{sound,planted}/libgevt.so, and cargo's files; options go to cargo
#
# Fails where the sound one has a planted bug, or the other one has none.
#
# --cfg gevt_planted          for the package gevt alone: its dependencies are compiled once for both.
# --target                    this machine; with it, the caller's RUSTFLAGS reach no build script.
# LTO=off, CODEGEN_UNITS=16   a shorter build; no check looks at speed.
# Time: ten seconds on two cores from nothing; other options take longer.
set -euo pipefail
cd "$(dirname "$0")/.."

directory=$1
shift
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

options=("$@")
# One at a time: both builds have the same file.
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
build planted --cfg gevt_planted
build sound
grep -q PLANTED_BUG "$directory/planted/libgevt.so" || { echo "planted: no bug was planted" >&2 && exit 1; }
! grep -q PLANTED_BUG "$directory/sound/libgevt.so" || { echo "planted: bugs where none should be" >&2 && exit 1; }
