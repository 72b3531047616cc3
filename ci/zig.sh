#!/usr/bin/env bash
# Fetches zig from PyPI, by its hash, into a folder, where it is not there yet: FOLDER/ziglang/zig.
#
# usage: ci/zig.sh FOLDER
#
# Exits non-zero where it cannot be had.
set -euo pipefail
tools=$1
zig=ziglang-0.15.2-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl
[ ! -x "$tools/ziglang/zig" ] || exit 0
mkdir -p "$tools"
python3 -m pip download --quiet --no-deps --dest "$tools" ziglang==0.15.2
echo "806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130  $tools/$zig" | sha256sum --check --quiet
python3 -m zipfile -e "$tools/$zig" "$tools"
chmod +x "$tools/ziglang/zig"
