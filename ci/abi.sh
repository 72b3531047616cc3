#!/usr/bin/env bash
# The binary interface is the one that tests/abi/gevt.h describes: nothing is removed or changed, unless the SONAME is another. Structures that
# begin with their size may grow at their end.
#
# usage: ci/abi.sh [--bless]     --bless writes the description again
#
# The description is the header as it was, without its comments. Declarations are compared as they are written: another name of a parameter,
# which no program notices, asks for --bless as well.
. "$(dirname "$0")/lib.sh"

# declared HEADER: its declarations and its constants, one a line.
declared() {
  sed -E 's: */\*.*\*/::; /\/\*/,/\*\//d' "$1" | grep -vE '^#define GEVT_(API|NODISCARD|NOEXCEPT|VERSION\w*)\b|^#define GEVT_\w+$|^(extern "C" \{|\})?$' | awk '
    /^#define GEVT_/ { print; next }
    /^#/ { next }
    { whole = whole $0 " "; depth += gsub(/{/, "{") - gsub(/}/, "}") }
    depth == 0 && /;$/ { print whole; whole = "" }' | tr -s ' ' | LC_ALL=C sort
}
# breaks OLD NEW: the declarations of a header that the other one lacks.
breaks() {
  awk 'NR == FNR { now[$0]; all = all "\n" $0; next }
    $0 in now { next }
    / \{ size_t size; / && sub(/\} \w+; $/, "") && index(all, "\n" $0) { next }
    { print "removed or changed: " $0 }' <(declared "$2") <(declared "$1")
}
soname() { sed -n 's/^#define GEVT_VERSION_MAJOR \([0-9]*\).*/libgevt.so.\1/p' "$1"; }

was=tests/abi/gevt.h now=include/gevt.h
[ "${1-}" != --bless ] || sed -E 's: */\*.*\*/::; /\/\*/,/\*\//d; /^$/d' $now >$was
diff <(functions_of_gevt) <(declared $now | grep -oP '^GEVT_.*?\K\bgevt_\w+(?=\()' | LC_ALL=C sort) ||
  fail "the header's functions, as this script reads them, are not those of tests/functions.def"
# Planted breaks: another type, a field in the middle, a constant that is gone.
for planted in 's/int64_t \*ns/int32_t *ns/' 's/^    void \*user;/    int planted;\n&/' '/define GEVT_ERROR_NOT_READY/d'; do
  [ -n "$(breaks $was <(sed "$planted" $now))" ] || fail "no break is seen in the header with $planted"
done
breaks $was $now >"$scratch/breaks"
if [ ! -s "$scratch/breaks" ]; then
  LC_ALL=C comm -13 <(declared $was) <(declared $now) | sed 's/^/added: /'
  echo "abi: $(declared $was | wc -l) declarations and constants are as they were"
  exit
fi
cat "$scratch/breaks"
[ "$(soname $was)" != "$(soname $now)" ] || fail "programs that were built before would break, and the SONAME is still $(soname $now) (docs/ABI.md)"
echo "abi: a break, and another SONAME, $(soname $now) after $(soname $was): ci/abi.sh --bless describes it"
