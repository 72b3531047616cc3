#!/usr/bin/env bash
# Finds the tools that the other scripts use, and installs missing ones with apt-get. A line names each tool that cannot be installed.
#
# usage: ci/setup.sh [TOOL...]     without one: the tools of `make test`, `make proofs` and `make bench`, without those of ci/windows.sh
#
# Exits non-zero if a required tool is still missing. Checks that need another missing tool are skipped, and say so.
set -euo pipefail

required=' cargo cc c++ cmake nm objdump '
all=(cargo cc c++ cmake nm objdump clang clang++ libfuzzer valgrind pkg-config doxygen shellcheck clang-format rustfmt cargo-clippy
  vulkan-headers vulkan-driver vulkan-validation xvfb-run aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static onetbb git python3 pip venv)
# Debian's packages that have another name than the tool. Debian's Rust is too old.
declare -A packages=([cargo]=- [rustfmt]=- [cargo-clippy]=- [cc]=gcc [c++]=g++ [nm]=binutils [objdump]=binutils [clang++]=clang
  [libfuzzer]=libclang-rt-dev [pkg-config]=pkgconf [vulkan-headers]=libvulkan-dev [vulkan-driver]=mesa-vulkan-drivers
  [vulkan-validation]=vulkan-validationlayers [xvfb-run]=xvfb [aarch64-linux-gnu-gcc]=gcc-aarch64-linux-gnu
  [aarch64-linux-gnu-g++]=g++-aarch64-linux-gnu [qemu-aarch64-static]=qemu-user-static [onetbb]=libtbb-dev [pip]=python3-pip
  [venv]=python3-venv [mingw-gcc]=gcc-mingw-w64-x86-64 [mingw-g++]=g++-mingw-w64-x86-64)
[ $# -gt 0 ] || set -- "${all[@]}"
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")

# An old cargo does not count. Some tools are libraries, headers or files. The Vulkan driver is Mesa's lavapipe, which needs no GPU.
has() {
  case $1 in
    cargo) printf '%s\n' "$rust" "$(cargo --version 2>/dev/null | cut -d ' ' -f 2)" | sort --check=quiet --version-sort ;;
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    venv) python3 -c 'import ensurepip' >/dev/null 2>&1 ;;
    vulkan-headers) echo '#include <vulkan/vulkan.h>' | cc -E - >/dev/null 2>&1 ;;
    onetbb) echo '#include <oneapi/tbb/version.h>' | c++ -x c++ -E - >/dev/null 2>&1 ;;
    vulkan-driver) compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null ;;
    vulkan-validation) [ -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ] ;;
    mingw-gcc | mingw-g++) command -v "x86_64-w64-mingw32-${1#mingw-}-posix" >/dev/null ;;
    libfuzzer) compgen -G "$(clang -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.fuzzer*" >/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

wanted=() as_root=()
for tool; do
  package=${packages[$tool]:-$tool}
  [ "$package" = - ] || has "$tool" || [[ " ${wanted[*]} " == *" $package "* ]] || wanted+=("$package")
done
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if [ ${#wanted[@]} -gt 0 ] && has apt-get && "${as_root[@]}" true 2>/dev/null; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # If fetching new lists fails, old ones may still do.
  "${as_root[@]}" apt-get update --quiet --quiet </dev/null >"$log" 2>&1 || echo "setup: apt-get update failed"
  installs() {
    echo "setup: installing $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends "$@" </dev/null >"$log" 2>&1
  }
  # All at once, or else one by one: an unknown package does not stop the others.
  installs "${wanted[@]}" || for package in "${wanted[@]}"; do
    installs "$package" || echo "setup: apt-get could not install $package: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")"
  done
fi

missing=0
for tool; do
  ! has "$tool" || continue
  package=${packages[$tool]:-$tool}
  [ "$package" != - ] || package="Rust $rust or newer with $tool, by rustup"
  if [[ $required == *" $tool "* ]]; then
    echo "setup: $tool is required and missing or too old: install $package" >&2
    missing=1
  else
    echo "setup: there is no $tool ($package): what needs it is skipped"
  fi
done
exit $missing
