#!/usr/bin/env bash
# CUDA without a GPU, as programs that were compiled for CUDA 12 use it: some functions and structures differ from those of 13.
# Time: half a minute when all is built.
set -euo pipefail
exec "$(dirname "$0")/hostcuda.sh" 12
