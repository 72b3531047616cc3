#!/usr/bin/env bash
# Compiles for arm64, as cc does. A program is put into the folder .arm64 beside its place, where a launcher is put that runs it.
#
# LAUNCH is the launcher: ci/arm64/launch.c, linked statically.
set -euo pipefail
output=
arguments=("$@")
for ((i = 0; i < $#; i++)); do
  case ${arguments[i]} in
    -shared | -c | -E | -fsyntax-only | -dump* | -print*) exec aarch64-linux-gnu-gcc "$@" ;;
    -o) output=$((i + 1)) ;;
  esac
done
program=${arguments[output]}
mkdir -p "$(dirname "$program")/.arm64"
arguments[output]=$(dirname "$program")/.arm64/$(basename "$program")
aarch64-linux-gnu-gcc "${arguments[@]}"
cp "$LAUNCH" "$program"
