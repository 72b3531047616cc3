#!/bin/sh
# The library exports the functions of tests/functions.def and nothing else, each with its version.
# usage: exports.sh LIBRARY TABLE VERSION     such as GEVT_0
set -eu
# Some linkers also list the version as a symbol.
nm -D --defined-only --format=posix "$1" | cut -d' ' -f1 | grep -v '^GEVT_' | LC_ALL=C sort >exports.found
sed -n "s/^FUNCTION(\([a-z_]*\),.*/gevt_\1@@$3/p" "$2" | LC_ALL=C sort | diff - exports.found || {
  echo "$1 exports something else than $2, or with another version" >&2
  grep -q "@@$3\$" exports.found || echo "No function has a version: a linker in your own cargo configuration may replace .cargo/cc.sh" >&2
  exit 1
}
echo "$(wc -l <exports.found) functions, all with the version $3"
