#!/usr/bin/env bash
# Makes a wheel of the Python package, installs it in an empty environment and checks its types with mypy. Its tests run on the host, on
# Vulkan and over CUDA without a GPU, there also beside cuda.core.
#
# usage: ci/python.sh [--bless]     --bless writes python/src/gevt/_gevt.pyi, the stub of the extension, instead of comparing it
. "$(dirname "$0")/lib.sh"

quietly cargo build --locked --release --package gevt-hostcuda
# Prefers Python 3.12, whose extension uses the smaller stable interface. pyenv also has commands for versions that are not installed.
for python in python3.12 "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.12*/bin/python3.12 python3 ''; do
  ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || break
done
[ -n "$python" ] || skip "there is no Python from 3.10 here"
venv=$target/python/venv-test
if ! "$venv/bin/python" -c 'import mypy, nanobind, pytest, scikit_build_core' 2>/dev/null; then
  "$python" -c 'import ensurepip' || skip "this Python makes no virtual environment (python3-venv)"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --upgrade pip pytest mypy nanobind scikit-build-core ninja ||
    skip "pytest, mypy, nanobind and scikit-build-core cannot be had"
fi
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps --no-build-isolation . -C build-dir="$target/python/test"
stub=python/src/gevt/_gevt.pyi fresh=$target/python/_gevt.pyi
[ "${1:-}" != --bless ] || fresh=$stub
"$venv/bin/python" -m nanobind.stubgen --quiet --module gevt._gevt --pattern-file python/ext/stub.pat --output-file "$fresh"
diff "$stub" "$fresh" || fail "$stub is not what stubgen generates: ci/python.sh --bless"
"$venv/bin/mypy" --config-file pyproject.toml python/src/gevt

tests() { "$@" "$venv/bin/python" -m pytest --quiet python/tests; }
tests env
if [ -n "$lavapipe" ]; then
  tests env VK_DRIVER_FILES="$lavapipe" GEVT_BACKEND=vulkan GEVT_TEST_BACKEND=vulkan
else
  skipped "there is no lavapipe here (mesa-vulkan-drivers)"
fi
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$target/python/hostcuda"
"$venv/bin/python" -m pip install --quiet cuda-core "cuda-bindings<14" || skipped "cuda.core cannot be had: not compared with it"
tests env GEVT_TEST_BACKEND=cuda GEVT_HOST_DEVICES=2 "$target/python/hostcuda/bin/gevt-hostcuda"
GEVT_HOST_DEVICES=2 "$venv/bin/python" -m pytest --quiet python/tests -k device
"$venv/bin/python" python/examples/training.py "$target/python/training.json"
# The scenarios, on the package.
build=$target/python/scenarios
quietly cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_LIBRARY="$target/release/libgevt.so" \
  -DGEVT_TEST_PYTHON="$venv/bin/python"
cmake --build "$build" --target help | grep test_scenario_python >/dev/null || skip "there is no library of this Python (python3-dev)"
quietly cmake --build "$build" --target test_scenario_python
PYTHONPATH=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') VK_DRIVER_FILES=$lavapipe GEVT_HOST_DEVICES=3 \
  quietly "$target/python/hostcuda/bin/gevt-hostcuda" ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)" -R '^c\.python\.'
