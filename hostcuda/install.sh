#!/usr/bin/env bash
# Lays libgevt_hostcuda.so out as CUDA's libraries, and puts the launcher beside them.
#
# usage: hostcuda/install.sh LIBRARY PREFIX     makes PREFIX/lib/gevt/hostcuda/ and PREFIX/bin/gevt-hostcuda
#
# kernels.h there is for those who write host functions for kernels. libcuda.so.1 is the library itself. libcudart.so.12 and .13 hold no code, only the version that programs' references to
# the runtime carry, and need libcuda.so.1, where the loader then finds the functions.
set -euo pipefail
# Whatever the mask of the one who installs, everybody can use it.
umask 022
library=$1 prefix=$2
folder=$prefix/lib/gevt/hostcuda
mkdir -p "$folder" "$prefix/bin"
install -m 755 "$library" "$folder/libcuda.so.1"
install -m 755 "$(dirname "$0")/gevt-hostcuda" "$prefix/bin/gevt-hostcuda"
install -m 644 "$(dirname "$0")/kernels.h" "$folder/kernels.h"
script=$(mktemp)
trap 'rm -f "$script"' EXIT
for major in 12 13; do
  name=libcudart.so.$major
  echo "$name { };" >"$script"
  ${CC:-cc} -shared -nostdlib -o "$folder/$name" -Wl,-soname,"$name" -Wl,--version-script="$script" \
    -Wl,-z,noexecstack -Wl,--no-as-needed "$folder/libcuda.so.1"
done
