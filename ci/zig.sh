#!/usr/bin/env bash
# Fetches zig from PyPI, by its hash, into a folder, where it is not there yet: FOLDER/ziglang/zig.
#
# usage: ci/zig.sh FOLDER
#
# Where it cannot be downloaded it exits with 0, and the file is not there. Any other error, such as a wrong hash, is a failure.
set -euo pipefail
tools=$1
machine=$(uname -m)
case $machine in
  x86_64) glibc=2_12 year=2010 hash=806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130 ;;
  aarch64) glibc=2_17 year=2014 hash=edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230 ;;
  *) echo "zig: no zig is known for $machine" >&2 && exit 0 ;;
esac
zig=ziglang-0.15.2-py3-none-manylinux_${glibc}_$machine.manylinux${year}_$machine.musllinux_1_1_$machine.whl
[ ! -x "$tools/ziglang/zig" ] || exit 0
mkdir -p "$tools"
python3 -m pip download --quiet --no-deps --dest "$tools" ziglang==0.15.2 || exit 0
echo "$hash  $tools/$zig" | sha256sum --check --quiet
python3 -m zipfile -e "$tools/$zig" "$tools"
chmod +x "$tools/ziglang/zig"
