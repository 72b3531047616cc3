#!/usr/bin/env bash
# The README's example builds with gevt as a package of vcpkg and of Conan. Conan comes from PyPI. Without vcpkg its port runs with stand-ins for
# vcpkg's functions.
. "$(dirname "$0")/../ci/lib.sh"
# The developer's paths would hide what is missing.
export GEVT_BACKEND=host
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH
built=$target/packaging
mkdir -p "$built"
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
unset CARGO_TARGET_DIR
cp -r packaging/conan/test_package packaging/example "$scratch/"
ci/docs.sh --extract example.c >"$scratch/example/example.c"
cp "$scratch/example/"* "$scratch/test_package/"

grep -q "\"version\": \"$version\"" packaging/vcpkg/ports/gevt/vcpkg.json || fail "the port's version is not $version"
rm -rf "$built/vcpkg"
if command -v vcpkg >/dev/null; then
  vcpkg install gevt --overlay-ports=packaging/vcpkg/ports --x-install-root="$built/vcpkg"
  prefix=$(dirname "$(find "$built/vcpkg" -type d -path '*/share/gevt')")/..
else
  skipped "vcpkg itself: there is none here"
  prefix=$built/vcpkg
  cmake -DCURRENT_PACKAGES_DIR="$prefix" -DCURRENT_BUILDTREES_DIR="$built/vcpkg-build" -P packaging/vcpkg/stand_in.cmake
fi
quietly cmake -S "$scratch/example" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$scratch/build"
"$scratch/build/example"
"$scratch/build/example_static"
echo "vcpkg: shared and static"

[ -x "$built/conan/bin/conan" ] || { python3 -m venv "$built/conan" && "$built/conan/bin/python" -m pip install --quiet conan; } ||
  skip "Conan cannot be had"
export CONAN_HOME=$built/conan-home PATH=$built/conan/bin:$PATH
quietly conan profile detect --force
quietly conan create packaging/conan --no-remote --test-folder "$scratch/test_package"
conan remove --confirm "gevt/*"
echo "Conan: shared and static"
