#!/usr/bin/env bash
# Calls in every order, on one thread and on several, with handles of every sort: libFuzzer makes up bytes, fuzz/calls.c makes
# calls of them and judges the answers. Inputs that reach new code of the library are kept and built upon.
#
# usage: ci/fuzz.sh [SECONDS [OPTION...]]     60 seconds where none are said; options go to libFuzzer
#        ci/fuzz.sh --merge                   puts what the last run found into the corpus, as few files as reach the same
#
# An input that fails is left in the folder that is named at the end; `target/fuzz/fuzz FILE` runs it alone.
#
# The library is that of ci/sanitizer.sh address: it counts edges and compared values for libFuzzer's runtime, clang's, and each access to
# memory is checked by AddressSanitizer's, rustc's.
# -detect_leaks=0    a thread that is just starting has memory that nothing points to yet.
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
mapfile -t libfuzzer < <(compgen -G "$resources/lib/*/libclang_rt.fuzzer-$(uname -m).a" || compgen -G "$resources/lib/$(uname -m)*/libclang_rt.fuzzer.a")
[ ${#libfuzzer[@]} -gt 0 ] || skip "this clang has no libFuzzer (Debian: libclang-rt-dev)"

runtime=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/lib/librustc-stable_rt.asan.a
[ -f "$runtime" ] || skip "this rustc has no $runtime"
library=$(ci/planted.sh address)
# Both runtimes whole: the library calls them, and they are in the program.
clang -std=c99 -g -O1 -fsanitize=fuzzer-no-link,address -Wall -Wextra -Wpedantic -Werror -Iinclude -c fuzz/calls.c -o "$target/calls.o"
clang -std=c99 -g -O1 -fsanitize=fuzzer-no-link,address -Wall -Wextra -Wpedantic -Werror -Iinclude -c fuzz/target.c -o "$target/target.o"
clang++ "$target/calls.o" "$target/target.o" -o "$target/fuzz" -Wl,--whole-archive,"$runtime",--no-whole-archive "${libfuzzer[0]}" \
  -Wl,--export-dynamic -L"$library/sound" -lgevt -Wl,--enable-new-dtags,-rpath,"$library/sound" -lpthread -ldl -lrt -lm

fuzz=$target/fuzz
found=$target/found
mkdir -p "$found"
if [ "${1:-}" = --merge ]; then
  rm -rf "$target/merged" && mkdir "$target/merged"
  "$fuzz" -merge=1 -detect_leaks=0 -use_counters=0 -timeout=300 "$target/merged" fuzz/corpus "$found"
  rm -rf fuzz/corpus && mv "$target/merged" fuzz/corpus
  exit
fi
seconds=${1:-60}
shift || true

# Does the library count? From the empty input, which calls nothing, to the corpus there has to be a way.
reached() { "$fuzz" -runs=0 -detect_leaks=0 "$@" 2>&1 | sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p'; }
rm -rf "$target/empty" && mkdir -p "$target/empty"
nothing=$(reached "$target/empty") corpus=$(reached fuzz/corpus)
echo "fuzz: edges reached by nothing: $nothing, by the corpus: $corpus"
[ "$corpus" -ge $((nothing + 2000)) ] || { echo "fuzz: the library's coverage is not seen" >&2 && exit 1; }

# The planted bug first, without the corpus: a fuzzer that does not come upon it would come upon no other. It takes
# tens of thousands of runs: ten to twenty seconds, and more on a busy machine.
options=(-timeout=300 -detect_leaks=0 -max_len=1000 -len_control=20)
ci/finds.sh "$library/planted" sequence "deadly signal" \
  "$fuzz" "${options[@]}" -runs=500000 -artifact_prefix="$target/planted-" "$target/empty"
rm -rf "$target/empty" "$target/planted-crash-"*

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
