# shellcheck shell=bash
# shellcheck disable=SC2034 # variables of the scripts
# Sourced by every script here: it runs in the root of the checkout and stops at the first failure.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Mesa's Vulkan driver that needs no GPU; empty without it.
lavapipe=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf --one-file-system "$scratch"' EXIT
mkdir -p "$target"

# A skip is a line in the file that GEVT_SKIP_FILE names, never an exit code: tools have their own, such as libFuzzer's 77 for a finding.
# skipped REASON: leaves out a part of the check. skip REASON: leaves out the rest. needs TOOL...: skips without one of them.
skipped() {
  echo "SKIPPED: $*"
  [ -z "${GEVT_SKIP_FILE:-}" ] || echo "$*" >>"$GEVT_SKIP_FILE"
}
skip() {
  skipped "$*"
  exit 0
}
needs() {
  local tool
  for tool; do command -v "$tool" >/dev/null || skip "there is no $tool here"; done
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# quietly COMMAND...: shows its output only if it fails, without the lines about what went well.
quietly() {
  local log code=0
  log=$(mktemp "$scratch/log.XXXXXX")
  "$@" >"$log" 2>&1 || code=$?
  [ $code -eq 0 ] || grep -avE '^ +Start +[0-9]+: |Test +#[0-9]+: .*( Passed |\*\*\*Skipped )|^\[ *[0-9]+%\]|^test .* \.\.\. ok$|^#[0-9]+\s' "$log" >&2 || true
  [ $code -eq 0 ] || echo "exit $code: $*" >&2
  return $code
}

# files: the files of the checkout, each followed by a NUL: what git has or does not ignore; without git, all outside the folders of builds.
files() {
  if [ -e .git ] && command -v git >/dev/null; then
    git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard
  else
    find . \( -path ./.git -o -path ./target -o -path './build*' -type d -o -path ./gpu \) -prune -o \( -type f -o -type l \) -printf '%P\0'
  fi | while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done
}

# c_build: the libraries, the C and C++ tests and the examples, in build/. One check at a time builds.
c_build() {
  (
    flock 9
    quietly cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DGEVT_TEST_ROUNDS=20
    quietly cmake --build build --parallel "$(nproc)"
  ) 9>"$target/c-build.lock"
}

# c_tests NAME OPTION...: runs tests of build/ under the command `under`, with the log in $target/NAME. Options go to ctest.
under=()
c_tests() {
  mkdir -p "$target/$1"
  echo "subdirs(\"$PWD/build\")" >"$target/$1/CTestTestfile.cmake"
  "${under[@]}" ctest --test-dir "$target/$1" --output-on-failure --no-tests=error "${@:2}"
}

# c_programs BUILD OPTION...: builds the programs of the tests that ctest's options choose, and the stand-in drivers.
c_programs() {
  local programs
  mapfile -t programs < <(ctest --test-dir "$1" --show-only=json-v1 "${@:2}" | grep -oE '/test_[a-z_]+"' | tr -d '/"' | sort -u)
  [ ${#programs[@]} -gt 0 ] || fail "no test of $* has a program"
  quietly cmake --build "$1" --parallel "$(nproc)" --target "${programs[@]}" test_driver_{full,old,plain,strict}
}

# library FOLDER FROM OPTION...: builds libgevt.so with cargo's options in FROM, and puts it into a folder. Another check may be running programs
# with the old file.
library() {
  cargo rustc --quiet --locked --package gevt --lib --crate-type cdylib "${@:3}"
  mkdir -p "$1"
  cp "$2/libgevt.so" "$1/libgevt.so.new"
  mv "$1/libgevt.so.new" "$1/libgevt.so"
  ln -sfn libgevt.so "$1/libgevt.so.0"
}

# functions_of_gevt: the names of the functions that gevt exports, sorted.
functions_of_gevt() { sed -nE 's/^FUNCTION\((\w+),.*/gevt_\1/p' tests/functions.def | LC_ALL=C sort; }

# planted: builds the library with the bugs of src/fault_injection.rs, and prints its folder. The Rust tests have built its dependencies.
planted() {
  set -e # a command substitution clears it
  exec 9>"$target/planted.lock"
  flock 9
  library "$target/planted" "$target/debug" --target-dir "$target" -- --cfg gevt_planted
  echo "$target/planted"
}

# instrumented address|thread: builds the library for that sanitizer, and prints a folder that has it in sound/ and with the bugs in planted/.
# That for address is also for libFuzzer.
#
# RUSTC_BOOTSTRAP=1         the stable compiler takes -Z options, since sanitizers are not stable yet. Nothing built so is shipped.
# --cfg gevt_instrumented   the library makes no announcements to the sanitizer, which would hide its own races.
# -Zbuild-std               ThreadSanitizer has to see how std orders threads.
# --target                  keeps RUSTFLAGS from build scripts.
instrumented() {
  set -e
  local folder=$target/$1 options counted=(level=3 inline-8bit-counters pc-table trace-compares) host
  host=$(rustc -vV | sed -n 's/^host: //p')
  options=(--release --target "$host" --target-dir "$folder")
  export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 RUSTC_BOOTSTRAP=1
  export RUSTFLAGS="-Zsanitizer=$1 --cfg gevt_instrumented"
  [ "$1" != address ] || RUSTFLAGS+=" -Cpasses=sancov-module ${counted[*]/#/-Cllvm-args=-sanitizer-coverage-}"
  [ "$1" != thread ] || options+=('-Zbuild-std=std,panic_unwind')
  library "$folder/planted" "$folder/$host/release" "${options[@]}" -- --cfg gevt_planted
  library "$folder/sound" "$folder/$host/release" "${options[@]}"
  ! grep -q PLANTED_BUG "$folder/sound/libgevt.so" || fail "the sound library has planted bugs"
  echo "$folder"
}

# planted_bug FOLDER BUG REPORT COMMAND...: fails unless the command finds a bug of the library in that folder, and prints a line like REPORT.
planted_bug() {
  local code=0 log=$scratch/planted
  PLANTED_BUG=$2 GEVT_TEST_LIBRARY=$1/libgevt.so LD_LIBRARY_PATH=$1 timeout 900 "${@:4}" >"$log" 2>&1 || code=$?
  if [ $code -eq 0 ] || ! grep -q -- "$3" "$log"; then
    grep -avE '^#[0-9]+\s' "$log" >&2 || true
    fail "the planted bug $2 was not found: exit $code"
  fi
  echo "the planted bug $2 was found: $(grep -m1 -- "$3" "$log")"
}
