#!/usr/bin/env bash
# The README's example builds and runs with gevt as a package of Conan's and of vcpkg's: packaging/.
#
# Conan comes from PyPI. vcpkg is used if it is here; without it the port runs with stand-ins for vcpkg's functions, and that is said.
# Time: two minutes from nothing, most of it for cargo, which builds in a folder of each package manager's.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/packaging
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$target"
# The package managers build without link-time optimisation here, for a shorter build.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 GEVT_BACKEND=host
unset CARGO_TARGET_DIR

# Both are projects that find gevt as a package.
cp -r packaging/conan/test_package packaging/example "$scratch/"
ci/readme.sh --extract example.c >"$scratch/example/example.c"
cp "$scratch/example/"* "$scratch/test_package/"

echo "-- vcpkg"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
grep -q "\"version\": \"$version\"" packaging/vcpkg/ports/gevt/vcpkg.json || { echo "packaging: the port's version is not $version" >&2 && exit 1; }
if command -v vcpkg >/dev/null; then
  vcpkg install gevt --overlay-ports=packaging/vcpkg/ports --x-install-root="$target/vcpkg"
  prefix=$(dirname "$(find "$target/vcpkg" -type d -path '*/share/gevt')")/..
else
  skipped "vcpkg is not here: its port runs with stand-ins for vcpkg's functions"
  prefix=$target/vcpkg
  rm -rf "$prefix"
  cmake -DCURRENT_PACKAGES_DIR="$prefix" -DCURRENT_BUILDTREES_DIR="$target/vcpkg-build" -P packaging/vcpkg/stand_in.cmake
fi
cmake -S "$scratch/example" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 &&
  cmake --build "$scratch/build" >>"$scratch/log" 2>&1 || { cat "$scratch/log" && exit 1; }
"$scratch/build/example"
"$scratch/build/example_static"

echo "-- Conan"
if [ ! -x "$target/conan/bin/conan" ]; then
  python3 -m venv "$target/conan" && "$target/conan/bin/python" -m pip install --quiet conan || skip "Conan cannot be had"
fi
export CONAN_HOME=$target/conan-home
conan() { "$target/conan/bin/conan" "$@" >"$scratch/log" 2>&1 || { tail -n 50 "$scratch/log" && return 1; }; }
conan profile detect --force
conan create packaging/conan --no-remote --test-folder "$scratch/test_package"
tail -n 8 "$scratch/log"
conan remove --confirm "gevt/*"
