#!/usr/bin/env bash
# Makes the sdist of the Python package, and from it wheels with libgevt.so.0 in them, in the folder wheels of the build folder.
#
# usage: ci/wheel.sh [PYTHON...]     without one: each python3.N, from 3.10, that is here
#
# zig links the library and the extension against glibc 2.17, as in ci/dist.sh: a wheel is one for manylinux2014. Without zig they are this
# machine's, and the wheel says so in its name. Each Python has its own wheel, whose calls are some 30 ns quicker. One for the stable
# interface of 3.12 serves the later ones.
# Skipped where the packages that build it cannot be had. Time: a minute a Python, and three for libgevt from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

# It needs no Python, so its failure is no reason to skip.
cargo fetch --locked --quiet
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
output=$target/wheels
sources=$target/python/sdist
rm -rf "$output" "$sources"
mkdir -p "$output" "$target/python"

pythons=("$@")
if [ ${#pythons[@]} -eq 0 ]; then
  for version in 3.10 3.11 3.12 3.13 3.13t 3.14 3.14t; do
    ! "python$version" -c '' 2>/dev/null || pythons+=("python$version")
  done
fi
[ ${#pythons[@]} -gt 0 ] || skip "there is no Python from 3.10 here"

# What linking against an old C library takes: see ci/dist.sh.
tag=linux_$(uname -m) compilers=()
ci/zig.sh "$target/tools"
if [ -x "$target/tools/ziglang/zig" ]; then
  export PATH=$PWD/ci:$PATH GEVT_ZIG=$target/tools/ziglang/zig GEVT_CC=zig-cc.sh
  tag=manylinux_2_17_$(uname -m).manylinux2014_$(uname -m)
  export CARGO_TARGET_DIR=$target/dist-build
  compilers=(-C "cmake.define.CMAKE_C_COMPILER=$PWD/ci/zig-c.sh" -C "cmake.define.CMAKE_CXX_COMPILER=$PWD/ci/zig-cxx.sh")
  . ci/remap.sh
else
  skipped "zig cannot be had: the wheels are this machine's own"
fi

# wheel PYTHON INTERFACE: one wheel; INTERFACE is cp312 or empty.
wheel() {
  local python=$1 interface=$2 build
  build=$target/python/$(basename "$python")${interface:+-$interface}
  "$target/python/venv-$(basename "$python")/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation "$sources" \
    --wheel-dir "$output" -C build-dir="$build" -C wheel.py-api="$interface" "${compilers[@]}" 2>"$build.log" ||
    { cat "$build.log" >&2 && exit 1; }
}

for python in "${pythons[@]}"; do
  venv=$target/python/venv-$(basename "$python")
  if [ ! -x "$venv/bin/cmake" ] && ! { "$python" -m venv "$venv" && "$venv/bin/python" -m pip install --quiet --upgrade pip \
    scikit-build-core nanobind cmake ninja wheel; }; then
    skipped "$python: what builds a wheel cannot be had"
    continue
  fi
  if [ ! -e "$sources" ]; then
    "$venv/bin/python" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$output" >/dev/null
    mkdir "$sources"
    tar -xzf "$output"/gevt-*.tar.gz -C "$sources" --strip-components 1
  fi
  wheel "$python" ""
  [[ "$python" != *3.12 ]] || wheel "$python" cp312
done

# The name says which systems a wheel is for.
for file in "$output"/*.whl; do
  "$venv/bin/python" -m wheel tags --remove --platform-tag "$tag" "$file" >/dev/null
done
ls -l "$output"
