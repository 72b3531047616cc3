#!/usr/bin/env bash
# Calls in every order, on one thread and on several, with handles of every sort: libFuzzer makes up bytes, fuzz/calls.c makes calls of them
# and judges the answers. Inputs that reach new code of the library are kept and built upon.
#
# usage: ci/fuzz.sh [SECONDS [OPTION...]]     60 seconds where none are said; options go to libFuzzer
#
# The end names the folder with the input that failed. `target/fuzz/fuzz FILE` runs that input alone. `target/fuzz/fuzz -merge=1 fuzz/corpus
# target/fuzz/found` adds the inputs that were found to the corpus. libFuzzer's runtime is clang's, and AddressSanitizer's is rustc's.
. "$(dirname "$0")/lib.sh"

build=$target/fuzz
mkdir -p "$build/found"
needs clang clang++
# A clang that fails here has failed the check.
resources=$(clang -print-resource-dir)
libfuzzer=$(compgen -G "$resources/lib/*/libclang_rt.fuzzer-$(uname -m).a" || compgen -G "$resources/lib/$(uname -m)*/libclang_rt.fuzzer.a") ||
  skip "this clang has no libFuzzer (Debian: libclang-rt-dev)"
runtime=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/lib/librustc-stable_rt.asan.a
[ -f "$runtime" ] || skip "this rustc has no $runtime"
library=$(instrumented address)
for source in calls target; do
  clang -std=c99 -g -O1 -fsanitize=fuzzer-no-link,address -Wall -Wextra -Wpedantic -Werror -Iinclude -c fuzz/$source.c -o "$build/$source.o"
done
# Both runtimes whole: the library calls them, and they are in the program.
clang++ "$build/calls.o" "$build/target.o" -o "$build/fuzz" -Wl,--whole-archive,"$runtime",--no-whole-archive "${libfuzzer%%$'\n'*}" \
  -Wl,--export-dynamic -L"$library/sound" -lgevt -Wl,--enable-new-dtags,-rpath,"$library/sound" -lpthread -ldl -lrt -lm

# A thread that is just starting has memory that nothing points to yet: no search for leaks. A call that hangs fails after five minutes.
fuzz=("$build/fuzz" -detect_leaks=0 -timeout=300)
# Does the library count? From the empty input, which calls nothing, to the corpus there has to be a way.
reached() { "${fuzz[@]}" -runs=0 "$1" 2>&1 | sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p'; }
mkdir "$scratch/empty"
nothing=$(reached "$scratch/empty") corpus=$(reached fuzz/corpus)
echo "fuzz: edges reached by nothing: $nothing, by the corpus: $corpus"
[ "$corpus" -ge $((nothing + 2000)) ] || fail "the library's coverage is not seen"

# Without the corpus this takes up to several thousand runs.
fuzz+=(-max_len=1000 -len_control=20)
planted_bug "$library/planted" sequence "deadly signal" "${fuzz[@]}" -runs=500000 -artifact_prefix="$scratch/" "$scratch/empty"
quietly "${fuzz[@]}" -max_total_time="${1:-60}" -artifact_prefix="$build/" "${@:2}" "$build/found" fuzz/corpus ||
  fail "the input is in $build"
