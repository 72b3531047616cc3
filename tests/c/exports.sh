#!/bin/sh
# The library exports the functions of tests/exports.txt and nothing else, each with its version.
# usage: exports.sh LIBRARY LIST VERSION     such as GEVT_0
set -eu
# Some linkers also list the version as a symbol.
nm -D --defined-only --format=posix "$1" | cut -d' ' -f1 | grep -v '^GEVT_' | LC_ALL=C sort >exports.found
sed "s/\$/@@$3/" "$2" | diff - exports.found || {
  echo "$1 exports something else than $2, or with another version" >&2
  grep -q "@@$3\$" exports.found || echo "No function has a version: a linker in your own cargo configuration may replace .cargo/cc.sh" >&2
  exit 1
}
echo "$(wc -l <exports.found) functions, all with the version $3"
