#!/usr/bin/env bash
# zig as the C compiler for glibc 2.17, for CMake. GEVT_ZIG is zig's command, and GEVT_MACHINE the machine if it is not this one.
exec "$GEVT_ZIG" cc -target "${GEVT_MACHINE:-$(uname -m)}-linux-gnu.2.17" "$@"
