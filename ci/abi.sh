#!/usr/bin/env bash
# The binary interface is the one that tests/abi/ describes: nothing is removed or changed, unless the SONAME is another.
#
# usage: ci/abi.sh [--bless]     --bless writes the description again
#
# Rust's debug information has no C types. So a library in C is described that has the header's functions, each with a body. Constants are
# macros, and no part of a library: they have their own list.
. "$(dirname "$0")/lib.sh"

needs abidw abidiff
# Macros with a value, without keywords and the version.
sed -nE 's: */\*\*<.*::; s/^#define (GEVT_[A-Z0-9_]+) (.+)/\1 \2/p' include/gevt.h | grep -vE '^GEVT_(API|NODISCARD|NOEXCEPT|VERSION.*) ' |
  LC_ALL=C sort >"$scratch/constants.txt"

soname=libgevt.so.${version%%.*}
sed 's/ GEVT_NOEXCEPT;$/ { __builtin_trap(); }/' include/gevt.h >"$scratch/gevt.c"
# -w: bodies without a return, parameters without a use.
(cd "$scratch" && "${CC:-cc}" -std=c99 -g -w -fPIC -shared -Wl,-soname,"$soname" -o "$soname" gevt.c)
diff tests/exports.txt <(nm -D --defined-only "$scratch/$soname" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort) ||
  fail "the header's functions, as this script reads them, are not those of tests/exports.txt"

# Only what is binary: no paths, lines and names of parameters, nor the machine that it was made on.
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture --no-parameter-names \
  --type-id-style hash --out-file "$scratch/gevt.abi" "$scratch/$soname"
[ "${1-}" != --bless ] || cp "$scratch/gevt.abi" "$scratch/constants.txt" tests/abi/

# differs OPTION...: what abidiff says; the bits 1 and 2 of its answer mean that it failed itself.
differs() {
  local code=0
  abidiff --no-architecture --suppressions tests/abi/gevt.abignore "$@" tests/abi/gevt.abi "$scratch/gevt.abi" || code=$?
  [ $((code & 3)) -eq 0 ] || fail "abidiff failed"
  return $code
}
# fields FILE: those of the structure that may grow at its end, with their places. types FILE: what they are made of.
fields() { sed -n "/<class-decl name='gevt_event_info_t'/,/<\/class-decl>/p" "$1" | grep -oE "layout-offset.*|var-decl name.*"; }
types() { grep -o "typedef-decl name='gevt_.*" "$1" | LC_ALL=C sort; }

breaks=0
differs --no-added-syms >"$scratch/breaks" || breaks=1
{
  LC_ALL=C comm -23 tests/abi/constants.txt "$scratch/constants.txt"
  LC_ALL=C comm -23 <(types tests/abi/gevt.abi) <(types "$scratch/gevt.abi")
} | sed 's/^/removed or changed: /' >>"$scratch/breaks"
fields tests/abi/gevt.abi >"$scratch/fields"
fields "$scratch/gevt.abi" | head -n "$(wc -l <"$scratch/fields")" | diff "$scratch/fields" - >>"$scratch/breaks" || breaks=1
if [ $breaks -eq 0 ] && ! grep -q '^removed or changed: ' "$scratch/breaks"; then
  differs || true
  LC_ALL=C comm -13 tests/abi/constants.txt "$scratch/constants.txt" | sed 's/^/added: /'
  echo "abi: $(wc -l <tests/exports.txt) functions and $(wc -l <tests/abi/constants.txt) constants are as they were"
  exit
fi
cat "$scratch/breaks"
was=$(sed -n "s/.*soname='\([^']*\)'.*/\1/p" tests/abi/gevt.abi)
[ "$was" != "$soname" ] || fail "programs that were built before would break, and the SONAME is still $soname (docs/ABI.md)"
echo "abi: a break, and another SONAME, $soname after $was: ci/abi.sh --bless describes it"
