#!/usr/bin/env bash
# Debian packages of an installed tree: libgevt0 to run programs, libgevt-dev to build them, and gevt-cuda with the drop-in and CUDA
# without a GPU.
#
# usage: ci/deb.sh TREE OUTPUT VERSION MACHINE     TREE has /usr, with the libraries in /usr/lib/MACHINE-linux-gnu; it is taken apart
#
# DEBFULLNAME and DEBEMAIL name who packs them. Files are as old as SOURCE_DATE_EPOCH says.
set -euo pipefail
tree=$1 output=$2 version=$3 multiarch=$4-linux-gnu
case $4 in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "deb: Debian's name for $4 is not known" >&2 && exit 1 ;;
esac
maintainer="${DEBFULLNAME:-The gevt authors} <${DEBEMAIL:-gevt@localhost}>"
soname=libgevt.so.${version%%.*}
runtime=libgevt${version%%.*}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# take PACKAGE PATH...: moves files of the tree into the package.
take() {
  local package=$1 path
  shift
  for path in "$@"; do
    mkdir -p "$scratch/$package/$(dirname "$path")"
    mv "$tree/$path" "$scratch/$package/$path"
  done
}

# pack PACKAGE SECTION DEPENDS SUMMARY DESCRIPTION: what is in its folder, with the files that Debian asks for.
pack() {
  local package=$1 folder=$scratch/$1 documents=$scratch/$1/usr/share/doc/$1
  mkdir -p "$documents" "$folder/DEBIAN"
  {
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    printf '\nFiles: *\nCopyright: %s the gevt authors\nLicense: Expat or Apache-2.0\n' \
      "$(date --utc +%Y --date="@$SOURCE_DATE_EPOCH")"
    printf '\nLicense: Expat\n'
    sed -n '/^Permission is/,$p' "$tree/usr/share/doc/gevt/LICENSE-MIT" | sed 's/^$/./; s/^/ /'
    printf '\nLicense: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n'
  } >"$documents/copyright"
  gzip -9n <"$tree/usr/share/doc/gevt/LICENSES-OF-DEPENDENCIES" >"$documents/LICENSES-OF-DEPENDENCIES.gz"
  {
    printf 'gevt (%s) unstable; urgency=medium\n\n  * What changed is told by CHANGELOG.md of the sources.\n' "$version"
    printf '\n -- %s  %s\n' "$maintainer" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$documents/changelog.gz"
  cat >"$folder/DEBIAN/control" <<END_OF_CONTROL
Package: $package
Source: gevt
Version: $version
Architecture: $architecture
Multi-Arch: $([ "$package" = gevt-cuda ] && echo no || echo same)
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$folder" | cut -f1)
Depends: $3
Section: $2
Priority: optional
Description: $4
$(printf '%s\n' "$5" | sed 's/^/ /')
END_OF_CONTROL
  (cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  find "$folder" -type f -name 'lib*.so*' -exec chmod 644 {} +
  dpkg-deb --root-owner-group --build "$folder" "$output/${package}_${version}_$architecture.deb" >/dev/null
}

libraries=usr/lib/$multiarch
about="gevt's events mark points in streams of asynchronous work, on a GPU by
CUDA or on the host's threads. They are checked: a stale or foreign handle
is an error with a cause and not a crash."

take "$runtime" "$libraries/$soname" "$libraries/libgevt.so.$version"
mkdir -p "$scratch/$runtime/DEBIAN" "$scratch/gevt-cuda/DEBIAN"
echo "libgevt ${version%%.*} $runtime (>= $version)" >"$scratch/$runtime/DEBIAN/shlibs"
echo "activate-noawait ldconfig" | tee "$scratch/$runtime/DEBIAN/triggers" >"$scratch/gevt-cuda/DEBIAN/triggers"
pack "$runtime" libs "libc6 (>= 2.17), libgcc-s1 | libgcc1 (>= 1:4.2)" "GPU events behind a C ABI" "$about
.
This package has the library for programs that were built with it."

take gevt-cuda "$libraries/libgevt_cuda.so" "$libraries/libgevt_audit.so" usr/bin/gevt-run usr/bin/gevt-hostcuda usr/lib/gevt
pack gevt-cuda utils "libc6 (>= 2.17), libgcc-s1 | libgcc1 (>= 1:4.2)" "gevt for unmodified CUDA programs" "$about
.
gevt-run takes the event calls of a CUDA program through gevt.
gevt-hostcuda runs a CUDA program's streams and events without a GPU."

take libgevt-dev "$libraries" usr/include
pack libgevt-dev libdevel "$runtime (= $version)" "GPU events behind a C ABI (development files)" "$about
.
This package has the headers for C and C++, the static library, and what
CMake and pkg-config look for."
