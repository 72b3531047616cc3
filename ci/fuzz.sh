#!/usr/bin/env bash
# Calls in every order, on one thread and on several, with handles of every sort: libFuzzer makes up bytes, fuzz/calls.c makes
# calls of them and judges the answers. Inputs that reach new code of the library are kept and built upon.
#
# usage: ci/fuzz.sh [SECONDS [OPTION...]]     60 seconds where none are said; options go to libFuzzer
#        ci/fuzz.sh --merge                   puts what the last run found into the corpus, as few files as reach the same
#
# An input that fails is left in the folder that is named at the end; `target/fuzz/fuzz FILE` runs it alone.
#
# -Cpasses=sancov-module and its -Cllvm-args count edges and compared values in the library: options of the stable compiler,
#                    which libFuzzer's runtime takes as if clang had made the code.
# -fsanitize=fuzzer  that runtime, from clang; the library stays a shared one, as it is shipped.
# -timeout           a call that hangs is a failure: five minutes, as a busy machine takes its time.
# -use_value_profile comparisons that come closer count as new code.
# Skipped without a clang that has libFuzzer.
# Time: two minutes on two cores from nothing, including the run of 60 seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}/fuzz")
mkdir -p "$target"
command -v clang >/dev/null || skip "there is no clang here"
# A clang that fails here has failed the check.
resources=$(clang -print-resource-dir)
compgen -G "$resources/lib/*/libclang_rt.fuzzer*" >/dev/null || skip "this clang has no libFuzzer (Debian: libclang-rt-dev)"

coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3"
coverage+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
coverage+=" -Cllvm-args=-sanitizer-coverage-trace-compares"
RUSTFLAGS=$coverage ci/planted.sh "$target"
clang -std=c99 -g -O1 -fsanitize=fuzzer -Wall -Wextra -Wpedantic -Werror -Iinclude fuzz/calls.c fuzz/target.c \
  -o "$target/fuzz" -L"$target/sound" -lgevt -Wl,--enable-new-dtags,-rpath,"$target/sound" -pthread

fuzz=$target/fuzz
found=$target/found
mkdir -p "$found"
if [ "${1:-}" = --merge ]; then
  rm -rf "$target/merged" && mkdir "$target/merged"
  "$fuzz" -merge=1 -use_counters=0 -timeout=300 "$target/merged" fuzz/corpus "$found"
  rm -rf fuzz/corpus && mv "$target/merged" fuzz/corpus
  exit
fi
seconds=${1:-60}
shift || true

# Does the library count? From the empty input, which calls nothing, to the corpus there has to be a way.
reached() { "$fuzz" -runs=0 "$@" 2>&1 | sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p'; }
rm -rf "$target/empty" && mkdir -p "$target/empty"
nothing=$(reached "$target/empty") corpus=$(reached fuzz/corpus)
echo "fuzz: edges reached by nothing: $nothing, by the corpus: $corpus"
[ "$corpus" -ge $((nothing + 2000)) ] || { echo "fuzz: the library's coverage is not seen" >&2 && exit 1; }

# The planted bug first, without the corpus: a fuzzer that does not come upon it would come upon no other. It takes
# tens of thousands of runs: ten to twenty seconds, and more on a busy machine.
options=(-timeout=300 -max_len=1000 -len_control=20)
ci/finds.sh "$target/planted" sequence "deadly signal" \
  "$fuzz" "${options[@]}" -runs=500000 -artifact_prefix="$target/planted/" "$target/empty"
rm -rf "$target/empty" "$target/planted/crash-"*

log=$target/log
code=0
"$fuzz" "${options[@]}" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$target/" "$@" \
  "$found" fuzz/corpus >"$log" 2>&1 || code=$?
if [ "$code" -ne 0 ]; then
  grep -avE '^#[0-9]+[[:space:]]' "$log" >&2 || true
  echo "fuzz: failed; the input is in $target" >&2
  exit "$code"
fi
grep -E 'cov:' "$log" | sed -n '1p;$p'
grep -E 'number_of_executed_units|average_exec_per_sec' "$log"
