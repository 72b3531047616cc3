#!/usr/bin/env bash
# The README's example builds and runs with gevt as a package of Conan's and of vcpkg's: packaging/. Conan comes from PyPI. Without vcpkg its port
# runs with stand-ins for vcpkg's functions.
. "$(dirname "$0")/lib.sh"

target=$target/packaging
mkdir -p "$target"
# The package managers build without link-time optimisation here, for a shorter build.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 GEVT_BACKEND=host
unset CARGO_TARGET_DIR
# Both are projects that find gevt as a package.
cp -r packaging/conan/test_package packaging/example "$scratch/"
ci/readme.sh --extract example.c >"$scratch/example/example.c"
cp "$scratch/example/"* "$scratch/test_package/"

echo "-- vcpkg"
grep -q "\"version\": \"$version\"" packaging/vcpkg/ports/gevt/vcpkg.json || fail "the port's version is not $version"
if command -v vcpkg >/dev/null; then
  vcpkg install gevt --overlay-ports=packaging/vcpkg/ports --x-install-root="$target/vcpkg"
  prefix=$(dirname "$(find "$target/vcpkg" -type d -path '*/share/gevt')")/..
else
  skipped "vcpkg is not here: its port runs with stand-ins for vcpkg's functions"
  prefix=$target/vcpkg
  rm -rf "$prefix"
  cmake -DCURRENT_PACKAGES_DIR="$prefix" -DCURRENT_BUILDTREES_DIR="$target/vcpkg-build" -P packaging/vcpkg/stand_in.cmake
fi
quietly cmake -S "$scratch/example" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$scratch/build"
"$scratch/build/example"
"$scratch/build/example_static"

echo "-- Conan"
[ -x "$target/conan/bin/conan" ] || { python3 -m venv "$target/conan" && "$target/conan/bin/python" -m pip install --quiet conan; } ||
  skip "Conan cannot be had"
export CONAN_HOME=$target/conan-home PATH=$target/conan/bin:$PATH
quietly conan profile detect --force
quietly conan create packaging/conan --no-remote --test-folder "$scratch/test_package"
conan remove --confirm "gevt/*"
