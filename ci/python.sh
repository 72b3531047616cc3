#!/usr/bin/env bash
# The Python package: makes a wheel, installs it in an empty environment, checks its types with mypy, and runs its tests. They run on the host
# backend, on Vulkan, and over CUDA without a GPU, there beside cuda.core itself.
#
# --bless writes python/src/gevt/_gevt.pyi, the stub of the extension, instead of comparing it with what nanobind's stubgen generates.
#
# With Python 3.12 where it is here, whose extension is for the stable interface: that has fewer functions.
# Skipped where the packages that build it cannot be had. Time: five minutes from nothing, one when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
# It needs no Python, and where it fails there is nothing to skip.
cargo build --locked --release --package gevt-hostcuda
python=
for name in python3.12 "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.12*/bin/python3.12 python3; do
  # pyenv has names for versions that are not installed.
  if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=$(command -v "$name") && break
  fi
done
if [ -z "$python" ]; then
  # A Python that does not run is no reason to skip.
  ! command -v python3 >/dev/null || python3 -c pass
  skip "there is no Python from 3.10 here"
fi
venv=$target/python/venv-test
if ! "$venv/bin/python" -c 'import mypy, nanobind, pytest' 2>/dev/null; then
  "$python" -c 'import ensurepip' || skip "this Python makes no virtual environment (python3-venv)"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --upgrade pip pytest mypy nanobind || skip "pytest, mypy and nanobind cannot be had"
fi
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps . -C build-dir="$target/python/test"
stub=python/src/gevt/_gevt.pyi fresh=$target/python/_gevt.pyi
[ "${1:-}" != --bless ] || fresh=$stub
"$venv/bin/python" -m nanobind.stubgen --quiet --module gevt._gevt --pattern-file python/ext/stub.pat --output-file "$fresh"
diff "$stub" "$fresh" || { echo "$stub is not what stubgen generates: ci/python.sh --bless" >&2 && exit 1; }
"$venv/bin/mypy" --config-file pyproject.toml python/src/gevt

"$venv/bin/python" -m pytest --quiet python/tests
driver=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1) || true
if [ -n "$driver" ]; then
  VK_DRIVER_FILES=$driver GEVT_BACKEND=vulkan GEVT_TEST_BACKEND=vulkan "$venv/bin/python" -m pytest --quiet python/tests
else
  skipped "there is no lavapipe here (mesa-vulkan-drivers)"
fi
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$target/python/hostcuda"
"$venv/bin/python" -m pip install --quiet cuda-core "cuda-bindings<14" || skipped "cuda.core cannot be had: not compared with it"
GEVT_TEST_BACKEND=cuda GEVT_HOST_DEVICES=2 "$target/python/hostcuda/bin/gevt-hostcuda" \
  "$venv/bin/python" -m pytest --quiet python/tests
GEVT_HOST_DEVICES=2 "$venv/bin/python" -m pytest --quiet python/tests -k device
"$venv/bin/python" python/examples/training.py "$target/python/training.json"
