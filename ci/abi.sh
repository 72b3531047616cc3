#!/usr/bin/env bash
# The binary interface is the one that tests/gevt.abi describes: nothing is removed or changed, unless the SONAME is another. Structures that
# begin with their size may grow at their end.
#
# usage: ci/abi.sh [--bless]     --bless writes the description again
#
# The description is the SONAME, and the header's declarations and constants as they were, one a line. Declarations are compared as they are
# written: another name of a parameter, which no program notices, asks for --bless as well.
. "$(dirname "$0")/lib.sh"

# declared HEADER: its declarations and its constants, one a line.
declared() {
  sed -E 's: */\*.*\*/::; /\/\*/,/\*\//d' "$1" | grep -vE '^#define GEVT_(API|NODISCARD|NOEXCEPT|VERSION\w*)\b|^#define GEVT_\w+$|^(extern "C" \{|\})?$' | awk '
    /^#define GEVT_/ { print; next }
    /^#/ { next }
    { whole = whole $0 " "; depth += gsub(/{/, "{") - gsub(/}/, "}") }
    depth == 0 && /;$/ { print whole; whole = "" }' | tr -s ' ' | sed 's, $,,' | LC_ALL=C sort
}
# breaks OLD NEW: the old declarations that the new ones lack.
breaks() {
  awk 'NR == FNR { now[$0]; all = all "\n" $0; next }
    $0 in now { next }
    / \{ size_t size; / && sub(/\} [a-z_0-9]+;$/, "") && index(all, "\n" $0) { next }
    { print "removed or changed: " $0 }' "$2" "$1"
}
soname() { sed -n 's/^#define GEVT_VERSION_MAJOR \([0-9]*\).*/libgevt.so.\1/p' "$1"; }

described=tests/gevt.abi header=include/gevt.h now=$scratch/now was=$scratch/was
declared $header >"$now"
[ "${1-}" != --bless ] || { soname $header && cat "$now"; } >$described
tail -n +2 $described >"$was"
diff <(functions_of_gevt) <(grep -oP '^GEVT_.*?\K\bgevt_\w+(?=\()' "$now" | LC_ALL=C sort) ||
  fail "the header's functions, as this script reads them, are not those of tests/functions.def"
# Planted breaks: another type, a field in the middle, a constant that is gone.
for planted in 's/int64_t \*ns/int32_t *ns/' 's/^    void \*user;/    int planted;\n&/' '/define GEVT_ERROR_NOT_READY/d'; do
  [ -n "$(breaks "$was" <(declared <(sed "$planted" $header)))" ] || fail "no break is seen in the header with $planted"
done
[ -z "$(breaks "$now" <(declared <(sed 's/^} gevt_event_info_t;/    int planted;\n&/' $header)))" ] || fail "a structure may not grow at its end"
breaks "$was" "$now" >"$scratch/breaks"
if [ ! -s "$scratch/breaks" ]; then
  LC_ALL=C comm -13 "$was" "$now" | sed 's/^/added: /'
  echo "abi: $(wc -l <"$was") declarations and constants are as they were"
  exit
fi
cat "$scratch/breaks"
[ "$(head -1 $described)" != "$(soname $header)" ] || fail "programs that were built before would break, and the SONAME is still $(soname $header) (docs/ABI.md)"
echo "abi: a break, and another SONAME, $(soname $header) after $(head -1 $described): ci/abi.sh --bless describes it"
