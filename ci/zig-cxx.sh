#!/usr/bin/env bash
# zig as the C++ compiler for glibc 2.17, for CMake. GEVT_ZIG is zig's command.
exec "$GEVT_ZIG" c++ -target "$(uname -m)-linux-gnu.2.17" "$@"
