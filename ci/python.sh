#!/usr/bin/env bash
# The Python package: makes a wheel, installs it where nothing else is, checks its types with mypy, and runs its tests on the
# host backend, over CUDA without a GPU, and there beside cuda.core itself.
#
# Skipped where the packages that build it cannot be had. Time: five minutes from nothing, one when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
python=$(command -v python3.12 || command -v python3)
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "there is no Python from 3.10 here"
venv=$target/python/venv-test
if [ ! -x "$venv/bin/mypy" ]; then
  "$python" -m venv "$venv" && "$venv/bin/python" -m pip install --quiet --upgrade pip pytest mypy || skip "pytest and mypy cannot be had"
fi
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps ./python -C build-dir="$target/python/test"
"$venv/bin/mypy" --config-file python/pyproject.toml python/src/gevt

"$venv/bin/python" -m pytest --quiet python/tests
cargo build --locked --release --package gevt-hostcuda
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$target/python/hostcuda"
"$venv/bin/python" -m pip install --quiet cuda-core "cuda-bindings<14" || skipped "cuda.core cannot be had: not compared with it"
GEVT_TEST_BACKEND=cuda GEVT_HOST_DEVICES=2 "$target/python/hostcuda/bin/gevt-hostcuda" \
  "$venv/bin/python" -m pytest --quiet python/tests
GEVT_HOST_DEVICES=2 "$venv/bin/python" -m pytest --quiet python/tests -k device
"$venv/bin/python" python/examples/training.py "$target/python/training.json"
