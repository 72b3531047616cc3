#!/usr/bin/env bash
# What needs a GPU: the tests on CUDA, the same programs beside PyTorch, CuPy and cuda.core, figures and the example.
#
# usage: python/tests/gpu.sh WHEELS     the folder of packaging/wheel.sh; it and the folder python/ are all that is needed
#
# PYTHON (python3) has pytest, and PyTorch, CuPy and cuda.core to compare with. Nothing is fetched. Exits 1 where a part failed.
set -uo pipefail
wheels=$(realpath "$1")
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
failed=0
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# part NAME COMMAND...
part() {
  echo "== $1"
  "${@:2}" || { failed=1 && echo "== $1: FAILED"; }
}

# The wheel of this very Python, which pip prefers, and the one for the stable interface.
own=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
"$python" -m pip install --quiet --no-index --no-deps --target "$place/own" "$wheels"/gevt-*-"$own-$own"-*.whl || exit 1
"$python" -m pip install --quiet --no-index --no-deps --target "$place/abi3" "$wheels"/gevt-*-abi3-*.whl || exit 1

export PYTHONPATH=$place/own GEVT_TEST_BACKEND=cuda PYTHONDONTWRITEBYTECODE=1
part "tests on CUDA" "$python" -m pytest -q -rs -p no:cacheprovider tests
GEVT_TEST_BACKEND=host GEVT_BACKEND=host part "tests on the host" "$python" -m pytest -q -p no:cacheprovider tests
part "figures" "$python" bench/figures.py
PYTHONPATH=$place/abi3 part "figures, stable interface" "$python" bench/figures.py
part "training" "$python" examples/training.py "${OUT:-$place}/training.json"
[ "$failed" -eq 0 ] && echo "all parts passed"
exit "$failed"
