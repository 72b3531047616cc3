#!/usr/bin/env bash
# Eight threads make all calls but those of the trace on the host backend: no answer differs from the model's, and neither
# memory nor threads grow.
#
# usage: ci/soak.sh [SECONDS]     20 where none are said
#
# tcache_count=0   malloc's own lists of free pieces, one a thread, would count as given out.
# The planted runs are short: a wrong answer ends one at once, a leak of 256 bytes a destroy shows in five seconds.
# Time: 40 seconds on two cores from nothing, including the run of 20.
set -euo pipefail
cd "$(dirname "$0")/.."

export GLIBC_TUNABLES=glibc.malloc.tcache_count=0
target=$(ci/planted.sh plain)
soak=$target/soak
"${CC:-cc}" -std=c99 -g -O2 -Wall -Wextra -Wpedantic -Werror -D_GNU_SOURCE -Iinclude tests/soak/soak.c tests/soak/worker.c -o "$soak" \
  -L"$target/sound" -lgevt -Wl,--enable-new-dtags,-rpath,"$target/sound" -pthread
ci/finds.sh "$target/planted" wrong_answer 'FAILED: ' "$soak" 5
ci/finds.sh "$target/planted" leak 'FAILED: bytes of heap' "$soak" 5
exec "$soak" "${1:-20}"
