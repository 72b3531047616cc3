#!/usr/bin/env bash
# Installs libgevt_hostcuda.so under the names of CUDA's libraries, and the launcher.
#
# usage: hostcuda/install.sh LIBRARY PREFIX     creates PREFIX/lib/gevt/hostcuda/ and PREFIX/bin/gevt-hostcuda
#
# libcuda.so.1 is the library itself. libcudart.so.12 and .13 export the runtime functions of their CUDA release, with NVIDIA's symbol
# versions. Each function jumps to one in libcuda.so.1. Authors of host functions include kernels.h.
set -euo pipefail
# All users can read the installed files, even if the installing user has a stricter umask.
umask 022
library=$1 prefix=$2
folder=$prefix/lib/gevt/hostcuda
mkdir -p "$folder" "$prefix/bin"
install -m 755 "$library" "$folder/libcuda.so.1"
install -m 755 "$(dirname "$0")/gevt-hostcuda" "$prefix/bin/gevt-hostcuda"
install -m 644 "$(dirname "$0")/kernels.h" "$folder/kernels.h"

# Each function of a runtime library jumps to one in this library: to the CUDA 12 form if it has one.
source=$(mktemp) script=$(mktemp)
trap 'rm -f "$source" "$script"' EXIT
lists=$(dirname "$0")
for major in 12 13; do
  name=libcudart.so.$major
  echo "$name { global: *; };" >"$script"
  {
    cat <<'ASSEMBLER'
.section .note.GNU-stack,"",%progbits
.text
.macro jump name target
.global \name
.type \name, %function
.balign 16
\name:
#if defined(__x86_64__)
  jmp *\target@GOTPCREL(%rip)
#elif defined(__aarch64__)
  adrp x16, :got:\target
  ldr x16, [x16, :got_lo12:\target]
  br x16
#else
#error "not for this processor"
#endif
.size \name, . - \name
.endm
ASSEMBLER
    awk -F'\t' -v major="$major" '
      /^#/ { next }
      FNR == NR { if ($2 == major) own[$1] = 1; next }
      ("," $2 ",") ~ ("," major ",") { print "jump " $1 ", gevt_" (own[$1] ? major "_" : "") $1 }
    ' "$lists/data/served.tsv" "$lists/../cuda-abi/data/runtime.tsv"
  } >"$source"
  ${CC:-cc} -shared -nostdlib -o "$folder/$name" -Wl,-soname,"$name" -Wl,--version-script="$script" \
    -Wl,-z,noexecstack -x assembler-with-cpp "$source" -x none -Wl,--no-as-needed "$folder/libcuda.so.1"
done
