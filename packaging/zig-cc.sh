#!/usr/bin/env bash
# cargo's linker for a release (GEVT_CC): links gevt's libraries with zig (GEVT_ZIG) for GEVT_MACHINE and glibc 2.17, and all else as cc does.
set -euo pipefail
arguments=() ours=0
for argument; do
  case $argument in
    # rustc's choice of a linker; zig has its own.
    -fuse-ld=* | -B*) ;;
    # The system's, which an old one has as well, and not a copy of another unwinder. Symbols that this newer one needs are not asked for.
    -lgcc_s)
      libgcc=$(cc -print-file-name=libgcc_s.so.1)
      [ "$GEVT_MACHINE" = "$(uname -m)" ] || libgcc=/usr/$GEVT_MACHINE-linux-gnu/lib/libgcc_s.so.1
      arguments+=("$libgcc" "-Wl,--allow-shlib-undefined")
      ;;
    # zig knows the wider form only, which is the same for a library that exports nothing but functions.
    -Wl,-Bsymbolic-functions) arguments+=("-Wl,-Bsymbolic") ;;
    */libgevt.so | */libgevt_*.so) ours=1 arguments+=("$argument") ;;
    *) arguments+=("$argument") ;;
  esac
done
[ $ours -eq 1 ] || exec cc "$@"
exec "$GEVT_ZIG" cc -target "$GEVT_MACHINE-linux-gnu.2.17" "${arguments[@]}"
