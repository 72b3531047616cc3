#!/usr/bin/env bash
# Links the libraries of a distribution with zig, against the symbols that glibc 2.17 had, and all else as cc does.
#
# It is cargo's linker for ci/dist.sh (GEVT_CC). GEVT_ZIG is zig's command, and GEVT_MACHINE the machine that the libraries are for.
set -euo pipefail
machine=${GEVT_MACHINE:-$(uname -m)}

arguments=() ours=0
for argument; do
  case $argument in
    # rustc's choice of a linker; zig has its own.
    -fuse-ld=* | -B*) ;;
    # The system's, which an old one has as well, and not a copy of another unwinder. Symbols that this newer one needs are not asked for.
    -lgcc_s)
      libgcc=$(cc -print-file-name=libgcc_s.so.1)
      [ "$machine" = "$(uname -m)" ] || libgcc=/usr/$machine-linux-gnu/lib/libgcc_s.so.1
      arguments+=("$libgcc" "-Wl,--allow-shlib-undefined")
      ;;
    # zig knows the wider form only, which is the same for a library that exports nothing but functions.
    -Wl,-Bsymbolic-functions) arguments+=("-Wl,-Bsymbolic") ;;
    */libgevt.so | */libgevt_*.so) ours=1 arguments+=("$argument") ;;
    *) arguments+=("$argument") ;;
  esac
done
[ $ours -eq 1 ] || exec cc "$@"
exec "$GEVT_ZIG" cc -target "$machine-linux-gnu.2.17" "${arguments[@]}"
