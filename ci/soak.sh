#!/usr/bin/env bash
# Eight threads make all calls but those of the trace on the host backend: no answer differs from the model's, and neither memory nor threads grow.
#
# usage: ci/soak.sh [SECONDS]     20 where none are said
. "$(dirname "$0")/lib.sh"

# malloc's own lists of free pieces, one a thread, would count as given out.
export GLIBC_TUNABLES=glibc.malloc.tcache_count=0
library=$(planted plain)
soak=$library/soak
"${CC:-cc}" -std=c99 -g -O2 -Wall -Wextra -Wpedantic -Werror -D_GNU_SOURCE -Iinclude tests/soak/soak.c tests/soak/worker.c -o "$soak" \
  -L"$library/sound" -lgevt -Wl,--enable-new-dtags,-rpath,"$library/sound" -pthread
planted_bug "$library" wrong_answer 'FAILED: ' "$soak" 5
planted_bug "$library" leak 'FAILED: bytes of heap' "$soak" 5
"$soak" "${1:-20}"
