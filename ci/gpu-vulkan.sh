#!/usr/bin/env bash
# The Vulkan backend on a machine with a GPU. The machine needs a C and a C++ compiler and CMake, and no cargo. It runs the C tests, the tests
# of a program's own device, the examples, the benchmark with its bounds, and the waits across backends.
#
# usage: ci/gpu-vulkan.sh [FOLDER] [SECTION...]     FOLDER (./gpu) is what ci/gpu-pack.sh made; without SECTIONs all run
#
# The folder holds Vulkan's headers, and a libvulkan.so.1 for a machine that has none. VK_DRIVER_FILES, the
# loader's own variable, chooses the driver; without it NVIDIA's is described here where its library is there and its description is not.
# faults and looks are left out: a layer makes up what the device is said to have done, and the device works on.
# --timeout 120    what takes longer hangs.
# --parallel       a quarter of the cores: the tests share one GPU.
# Time: five minutes, one of them for the build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. ci/sections.sh

folder=$(realpath -m "${1:-gpu}")
shift || true
build=${TMPDIR:-/tmp}/gevt-gpu-vulkan
[ -f "$folder/libgevt.so" ] || { echo "there is no $folder/libgevt.so: make it with ci/gpu-pack.sh" >&2 && exit 2; }
[ -f "$folder/vulkan/vulkan/vulkan.h" ] || { echo "$folder has no Vulkan headers: pack it where libvulkan-dev is installed" >&2 && exit 2; }
mkdir -p "$build"
unset GEVT_BACKEND VK_INSTANCE_LAYERS

if [ -e "$folder/libvulkan.so.1" ] && ! ldconfig -p | grep -c libvulkan.so.1 >/dev/null; then
  # Alone in a folder: the tests name their libgevt.so themselves.
  mkdir -p "$build/loader"
  cp "$folder/libvulkan.so.1" "$build/loader/"
  export LD_LIBRARY_PATH=$build/loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
if [ -z "${VK_DRIVER_FILES:-}" ] && ! compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null && ! compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null; then
  for library in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    if ldconfig -p | grep -c "$library" >/dev/null; then
      printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$library" >"$build/icd.json"
      export VK_DRIVER_FILES=$build/icd.json
      break
    fi
  done
fi

build_all() {
  local loader=
  [ ! -e "$folder/libvulkan.so.1" ] || loader=$folder/libvulkan.so.1
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_LIBRARY="$folder/libgevt.so" -DVULKAN_HEADERS="$folder/vulkan" \
    ${loader:+"-DVULKAN_LOADER=$loader"} &&
    cmake --build "$build" --parallel "$(nproc)" && cmake --build "$build" --target gevt_bench_vulkan gevt_bench_hops
}

# tests OPTION...: runs ctest, and says what was skipped. There is a GPU here, so a missing device is a failure.
tests() {
  local log=$build/Testing/Temporary/LastTest.log code
  rm -f "$log"
  (cd "$build" && ctest --output-on-failure --no-tests=error --timeout 120 --parallel "$(( ($(nproc) + 3) / 4 ))" "$@")
  code=$?
  grep -hs '^SKIPPED:' "$log"
  if grep -qs '^SKIPPED:.*there is no Vulkan' "$log"; then
    echo "FAILED: no Vulkan device was found (VK_DRIVER_FILES=${VK_DRIVER_FILES:-unset})"
    return 1
  fi
  return "$code"
}

c_tests() { tests -R '^c\..*\.vulkan$'; }

own_tests() { tests -R '^vulkan\.' -E 'faults|looks'; }

# The driver may have no headless surface: then swapchain skips.
examples() { tests -R '^example_(swapchain|hybrid)$'; }

# --check: a bound that is missed is a failure.
benchmark() { timeout 120 "$build/benches/gevt_bench_vulkan" --check; }

# The waits across backends, CUDA's among them, beside the same by hand.
hops() { timeout 120 "$build/benches/gevt_bench_hops" --check; }

[ $# -gt 0 ] || set -- build_all c_tests own_tests examples benchmark hops
for part in "$@"; do section "vulkan-${part//_/-}" "$part"; done
summary
