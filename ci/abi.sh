#!/usr/bin/env bash
# The binary interface is the one that tests/abi/ describes: nothing is removed or changed, unless the SONAME is another.
#
# usage: ci/abi.sh [--bless]     --bless writes the description again
#
# The description is the header as it was, without its comments. Rust's debug information has no C types. So libraries in C are compared that
# have the headers' functions, each with a body. Constants are macros, and no part of a library: they have their own list.
. "$(dirname "$0")/lib.sh"

needs abidw abidiff
# described HEADER: $scratch/NAME.abi and $scratch/NAME.constants, where NAME is the header's folder; prints the SONAME.
described() {
  local name soname
  name=$scratch/$(basename "$(dirname "$1")")
  soname=libgevt.so.$(sed -n 's/^#define GEVT_VERSION_MAJOR \([0-9]*\).*/\1/p' "$1")
  # Macros with a value, without keywords and the version.
  sed -nE 's: */\*\*<.*::; s/^#define (GEVT_[A-Z0-9_]+) (.+)/\1 \2/p' "$1" | grep -vE '^GEVT_(API|NODISCARD|NOEXCEPT|VERSION.*) ' |
    LC_ALL=C sort >"$name.constants"
  mkdir "$name"
  sed 's/ GEVT_NOEXCEPT;$/ { __builtin_trap(); }/' "$1" >"$name/gevt.c"
  # -w: bodies without a return, parameters without a use.
  (cd "$name" && "${CC:-cc}" -std=c99 -g -w -fPIC -shared -Wl,-soname,"$soname" -o "$soname" gevt.c)
  # Only what is binary: no paths, lines and names of parameters, nor the machine that it was made on.
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture --no-parameter-names \
    --type-id-style hash --out-file "$name.abi" "$name/$soname"
  echo "$soname"
}
# The header without its comments.
[ "${1-}" != --bless ] || sed -E 's: */\*.*\*/::; /\/\*/,/\*\//d; /^$/d' include/gevt.h >tests/abi/gevt.h
was=$(described tests/abi/gevt.h)
soname=$(described include/gevt.h)
diff tests/exports.txt <(nm -D --defined-only "$scratch/include/$soname" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort) ||
  fail "the header's functions, as this script reads them, are not those of tests/exports.txt"

# differs OPTION...: what abidiff says; the bits 1 and 2 of its answer mean that it failed itself.
differs() {
  local code=0
  abidiff --no-architecture --suppressions tests/abi/gevt.abignore "$@" "$scratch/abi.abi" "$scratch/include.abi" || code=$?
  [ $((code & 3)) -eq 0 ] || fail "abidiff failed"
  return $code
}
# fields FILE: those of the structure that may grow at its end, with their places. types FILE: what they are made of.
fields() { sed -n "/<class-decl name='gevt_event_info_t'/,/<\/class-decl>/p" "$1" | grep -oE "layout-offset.*|var-decl name.*"; }
types() { grep -o "typedef-decl name='gevt_.*" "$1" | LC_ALL=C sort; }

breaks=0
differs --no-added-syms >"$scratch/breaks" || breaks=1
{
  LC_ALL=C comm -23 "$scratch/abi.constants" "$scratch/include.constants"
  LC_ALL=C comm -23 <(types "$scratch/abi.abi") <(types "$scratch/include.abi")
} | sed 's/^/removed or changed: /' >>"$scratch/breaks"
fields "$scratch/abi.abi" >"$scratch/fields"
fields "$scratch/include.abi" | head -n "$(wc -l <"$scratch/fields")" | diff "$scratch/fields" - >>"$scratch/breaks" || breaks=1
if [ $breaks -eq 0 ] && ! grep -q '^removed or changed: ' "$scratch/breaks"; then
  differs || true
  LC_ALL=C comm -13 "$scratch/abi.constants" "$scratch/include.constants" | sed 's/^/added: /'
  echo "abi: $(wc -l <tests/exports.txt) functions and $(wc -l <"$scratch/abi.constants") constants are as they were"
  exit
fi
cat "$scratch/breaks"
[ "$was" != "$soname" ] || fail "programs that were built before would break, and the SONAME is still $soname (docs/ABI.md)"
echo "abi: a break, and another SONAME, $soname after $was: ci/abi.sh --bless describes it"
