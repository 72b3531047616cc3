#!/usr/bin/env bash
# zig as the C++ compiler for glibc 2.17, for CMake. GEVT_ZIG is zig's command, and GEVT_MACHINE the machine if it is not this one.
#
# -include: nanobind counts on Python.h to include it, which that of the stable interface does not.
exec "$GEVT_ZIG" c++ -target "${GEVT_MACHINE:-$(uname -m)}-linux-gnu.2.17" -include stdio.h -Wno-unused-command-line-argument "$@"
