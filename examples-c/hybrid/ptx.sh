#!/usr/bin/env bash
# Makes kernels.ptx of kernels.cpp, with clang 19 and the headers of GCC's C++ library.
#
# usage: examples-c/hybrid/ptx.sh [VERSION]     VERSION (12) is that of the headers
#
# -march=sm_70, ptx70     drivers of CUDA 11.0 and later take it and compile it for any later GPU.
# -fmath-errno            a call of sqrtf() stays a call, and kernels.cpp says what it does.
# internalize, globaldce  nothing but the two kernels.
# -Os, -fno-unroll-loops  short text.
#
# Each file of the tree that it was made of, this one among them, stands in it with its hash, which a test compares (sources.cmake).
set -euo pipefail
cd "$(dirname "$0")"
llvm=/usr/lib/llvm-19/bin
headers=${1:-12}
code=$(mktemp)
trap 'rm -f "$code"' EXIT
"$llvm/clang++" --target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx70 -nogpulib -std=c++17 -Os \
  -fmath-errno -ffp-contract=fast -fno-exceptions -fno-rtti -fno-unroll-loops -D__x86_64__ -w \
  -isystem "/usr/include/c++/$headers" -isystem "/usr/include/x86_64-linux-gnu/c++/$headers" -isystem /usr/include/x86_64-linux-gnu \
  -isystem /usr/include -emit-llvm -c kernels.cpp -o "$code"
"$llvm/opt" -passes='internalize,globaldce,default<Os>,globaldce' -internalize-public-api-list=trace,denoise "$code" -o "$code"
{
  echo '// What ptx.sh makes of kernels.cpp.'
  { "$llvm/clang++" -std=c++17 -MM kernels.cpp | tr ' \\' '\n\n' | grep -E '\.(cpp|hpp|h)$' | sort -u && echo ptx.sh; } |
    xargs sha256sum | sed 's/^/\/\/ source /'
  "$llvm/llc" -mcpu=sm_70 -mattr=+ptx70 -O3 -nvptx-prec-divf32=1 "$code" -o - | sed -e 's/[ \t]*$//' -e 's/\t/    /g' -e '/^ *\/\//d' -e '/^$/d'
} >kernels.ptx
