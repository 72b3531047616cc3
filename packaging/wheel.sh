#!/usr/bin/env bash
# Makes the sdist of the Python package, and from it wheels with libgevt.so.0 in them, in wheels/ of the build folder.
#
# usage: packaging/wheel.sh [PYTHON...]     without one: each python3.N, from 3.10, that is here
#
# zig links against glibc 2.17: the wheels are for manylinux2014. Without zig they are this machine's, and their names say so. Each Python has
# its own wheel, whose calls are some 30 ns quicker. One for the stable interface of 3.12 serves the later ones.
. "$(dirname "$0")/../ci/lib.sh"

output=$target/wheels sources=$target/python/sdist
rm -rf "$output" "$sources"
mkdir -p "$output" "$target/python"
pythons=("$@")
[ $# -gt 0 ] || for python in 3.10 3.11 3.12 3.13 3.13t 3.14 3.14t; do
  ! "python$python" -c '' 2>/dev/null || pythons+=("python$python")
done
[ ${#pythons[@]} -gt 0 ] || skip "there is no Python from 3.10 here"
tag=linux_$(uname -m)
. packaging/release.sh
if zig_for "$(uname -m)"; then
  tag=manylinux_2_17_$(uname -m).manylinux2014_$(uname -m)
else
  skipped "zig cannot be had: the wheels are this machine's own"
fi

# wheel PYTHON INTERFACE: one wheel; INTERFACE is cp312 or empty. zig does not know the linker's option for a file of dependencies.
wheel() {
  quietly "$venv/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation "$sources" --wheel-dir "$output" \
    -C build-dir="$target/python/$(basename "$1")${2:+-$2}" -C wheel.py-api="$2" -C cmake.define.CMAKE_LINK_DEPENDS_USE_LINKER=OFF
}
for python in "${pythons[@]}"; do
  venv=$target/python/venv-$(basename "$python")
  [ -x "$venv/bin/cmake" ] || { "$python" -m venv "$venv" && "$venv/bin/python" -m pip install --quiet --upgrade pip scikit-build-core nanobind cmake ninja wheel; } ||
    { skipped "$python: what builds a wheel cannot be had" && continue; }
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
