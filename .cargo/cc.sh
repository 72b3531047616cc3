#!/bin/sh
# Links as cc does, and gives the functions of libgevt.so the version GEVT_0, after the package's major version.
# .cargo/config.toml names it to cargo.
#
# rustc hands a list of exports to the linker as a version script without a version's name, and no linker puts that together
# with a second script. So the list gets the name. Other libraries' lists, which do not have gevt_version, stay as they are.
#
# GEVT_CC is the compiler to link with, and its options; cc without it.
set -eu
for argument; do
  list=${argument#-Wl,--version-script=}
  if [ "$list" != "$argument" ] && grep -q '^ *gevt_version;$' "$list"; then
    sed -i "1s/^{\$/GEVT_$CARGO_PKG_VERSION_MAJOR {/" "$list"
  fi
done
# shellcheck disable=SC2086 # several words
exec ${GEVT_CC:-cc} "$@"
