#!/usr/bin/env bash
# gevt on arm64: the library, the drop-in and CUDA without a GPU are cross-built for aarch64. The C tests, the recorded answers of the
# driver, and the drop-in's programs with its naked functions run under qemu-user.
#
# usage: ci/arm64.sh [--all]     --all also runs the Rust tests, which take as long to build as all else, and more of the C tests
#
# The compilers, Rust's library for arm64 and qemu are those of a Debian testing in the build folder, which debootstrap makes. Skipped where
# root, debootstrap or a mirror is missing. A mirror that answers has the packages: if they cannot be installed, the check fails.
#
# qemu-user does not show the order of memory accesses, since this machine's is stricter than Arm's; ci/loom.sh argues for it. Nor does it
# show limits on memory, namespaces (c.errors, c.memory, c.ipc_bare) and time (c.pollers, c.ipc_idle, and tests of a minute or more).
# Python's tests and the renderer's comparison start programs themselves, and are left out.
# --release, without link-time optimisation: the Rust tests use the libraries' compiled crates.
# Time: two and a half minutes of two quiet cores, four with --all; a minute less once the Debian is made.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/arm64
mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 '/debian/*$' || true)
root=$target/debian
mkdir -p "$target"
# Needs neither root nor a network, and where it fails there is nothing to skip.
cargo metadata --quiet --locked --offline --no-deps --format-version 1 >/dev/null

[ "$(id -u)" -eq 0 ] || skip "only root makes a Debian for arm64's compilers"
command -v debootstrap >/dev/null || skip "there is no debootstrap to make a Debian for arm64's compilers"
[ -n "$mirror" ] || skip "no mirror of Debian is known here"
unshare --mount true 2>/dev/null || skip "nothing can be mounted here"

# not_made LOG REASON: skips, unless it is this machine's disk that is full.
not_made() {
  tail -n 3 "$1"
  ! grep -qs 'No space left on device' "$1" "$root/debootstrap/debootstrap.log" || { echo "arm64: the disk is full" >&2 && exit 1; }
  skip "$2"
}

# debian: makes the Debian. The newest testing is a link among debootstrap's scripts; an old copy of the mirror is as good.
debian() {
  local scripts=$target/debootstrap log=$target/debian.log
  rm -rf "$scripts" "$root"
  cp -r /usr/share/debootstrap "$scripts"
  ln -sf sid "$scripts/scripts/forky"
  DEBOOTSTRAP_DIR=$scripts timeout 600 debootstrap --variant=minbase forky "$root" "$mirror" >"$log" 2>&1 ||
    not_made "$log" "no Debian testing can be made here"
  {
    echo 'Acquire::Check-Valid-Until "false";'
    echo 'Dpkg::Options "--force-unsafe-io";'
  } >"$root/etc/apt/apt.conf.d/99gevt"
  chroot "$root" dpkg --add-architecture arm64
  timeout 600 chroot "$root" apt-get update --quiet --quiet --error-on=any >>"$log" 2>&1 ||
    not_made "$log" "the mirror of Debian does not answer"
  timeout 600 chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends \
    rustc cargo libstd-rust-dev:arm64 gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user gcc libc6-dev cmake make >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2 && exit 1; }
}
if [ ! -e "$target/debian-made" ]; then
  debian
  touch "$target/debian-made"
fi

# The sources of the crates that Cargo.lock names.
rm -rf "$target/vendor"
cargo vendor --quiet --locked "$target/vendor" >"$target/vendor.toml"

rm -rf "$root/gevt" "$root/vendor"
mkdir -p "$root/gevt" "$root/cargo"
ci/files.sh | tar --null -T - --ignore-failed-read -c 2>/dev/null | tar -x -C "$root/gevt"
mv "$target/vendor" "$root/vendor"
cat >"$root/cargo/config.toml" <<'END'
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "/vendor"
END
# This command alone has /proc.
# shellcheck disable=SC2016 # the inner shell's variable
unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" /gevt/ci/arm64/run.sh "$@"
