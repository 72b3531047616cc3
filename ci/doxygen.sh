#!/usr/bin/env bash
# The reference of gevt.h as HTML, without a warning, as docs/ in the build folder.
#
# Skipped where Doxygen is not there. Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v doxygen >/dev/null || skip "there is no doxygen here"
output=${CARGO_TARGET_DIR:-target}/docs
rm -rf "$output"
mkdir -p "$output"
{
  cat Doxyfile
  echo "PROJECT_NUMBER = $(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"
  echo "OUTPUT_DIRECTORY = $output"
} | doxygen -
# Doxygen passes over functions of a file that it takes for undocumented, and says nothing.
while IFS= read -r function; do
  grep -q "\b$function\b" "$output"/html/group__*.html || { echo "doxygen: $function is not in the reference" >&2 && exit 1; }
done <tests/exports.txt
echo "doxygen: $output/html/index.html"
