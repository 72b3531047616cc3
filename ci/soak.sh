#!/usr/bin/env bash
# The fuzzer's calls, by chance, on the host backend: its judge finds no answer wrong, and neither memory nor threads grow.
#
# usage: ci/soak.sh [SECONDS]     20 where none are said
. "$(dirname "$0")/lib.sh"

# malloc's own lists of free pieces, one a thread, would count as given out, and each thread may have its own heap.
export GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1
planted=$(planted)
soak=$planted/soak
c_build
"${CC:-cc}" -std=c99 -g -O2 -Wall -Wextra -Wpedantic -Werror -D_GNU_SOURCE -Iinclude tests/soak/soak.c fuzz/calls.c -o "$soak" \
  -Lbuild/lib -lgevt -Wl,--enable-new-dtags,-rpath,"$PWD/build/lib" -pthread
planted_bug "$planted" wrong_answer 'FAILED: gevt_query' "$soak" 5
planted_bug "$planted" leak 'FAILED: bytes of heap' "$soak" 5
"$soak" "${1:-20}"
