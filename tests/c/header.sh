#!/bin/sh
# Checks what gevt.h and gevt.hpp promise to compilers. They compile in each standard, and a compiler reports dropped results and mixed handles.
# gevt.hpp needs C++17, defines no macro and has a name for each status.
# usage: header.sh C_COMPILER C++_COMPILER INCLUDE_DIRECTORY FOLDER_OF_VULKANS_HEADERS
set -u
cc=$1
cxx=$2
include=$3
vulkan=$4
tests=$(dirname "$0")
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion"
failures=0

for compiler in "$cc" "$cxx"; do
  if ! command -v "$compiler" >/dev/null 2>&1; then
    echo "SKIPPED: the headers with $cc and $cxx: there is no $compiler here" | tee -a "${GEVT_SKIP_FILE:-/dev/null}"
    exit 77
  fi
done

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# compile STANDARD FILE [OPTION...]: whole, not only parsed, since gcc looks for dropped results late. Prints what the compiler says.
compile() {
  standard=$1 file=$2
  shift 2
  case $standard in
    c++*) compiler=$cxx language=c++ more=-Wold-style-cast ;;
    *) compiler=$cc language=c more= ;;
  esac
  # gevt.h is C, and so are its tests.
  [ "${file%.c}" = "$file" ] || more=
  # shellcheck disable=SC2086 # the flags are several words
  "$compiler" "-std=$standard" $flags $more "-I$include" "$@" -x $language -c -o /dev/null "$tests/$file" 2>&1
}

accepts() {
  said=$(compile "$@" -Werror) || fail "refuses $*: $said"
}

# Each line that says that it is refused, and no other.
refuses() {
  said=$(compile "$@")
  expected=$(grep -nE '/[/*] refused' "$tests/$2" | cut -d : -f 1 | tr '\n' ' ')
  found=$(printf '%s\n' "$said" | sed -nE "s,^[^ ]*/$2:([0-9]+):[0-9]+: (error|warning): .*,\1,p" | sort -nu | tr '\n' ' ')
  [ "$found" = "$expected" ] || fail "$* has to refuse the lines ${expected}and refuses ${found:-none}: $said"
}

for standard in c99 c11 c17 c++11 c++17 c++20; do
  accepts $standard header_use.c
  refuses $standard header_refused.c
done
accepts c++17 cpp_types.cpp
accepts c++20 cpp_types.cpp -fno-exceptions
refuses c++17 cpp_refused.cpp
for standard in c++11 c++14; do
  if said=$(compile $standard cpp_refused.cpp); then fail "gevt.hpp is accepted as $standard"; fi
  case $said in *'gevt.hpp needs C++17'*) ;; *) fail "gevt.hpp does not say that $standard is too old" ;; esac
done

# Each header of C++ compiles alone, and included twice. That for Vulkan wants Vulkan's own header before it.
for header in "$include"/*.hpp "$include"/gevt/*.hpp; do
  case $header in
    */gevt/vulkan.hpp) [ -d "$vulkan" ] && before="-include vulkan/vulkan.h" || continue ;;
    *) before= ;;
  esac
  # shellcheck disable=SC2086 # the flags are several words
  said=$(printf '#include "%s"\n' "$header" "$header" |
    "$cxx" -std=c++17 $flags -Werror "-I$include" -idirafter "$vulkan" $before -x c++ -c -o /dev/null - 2>&1) || fail "$header: $said"
done

# macros FILE: prints the macros that it defines with a name that begins with GEVT.
macros() {
  printf '#include <%s>\n' "$1" | "$cxx" -std=c++17 "-I$include" -dM -E -x c++ - | grep -o '^#define GEVT\w*' | sort
}
[ "$(macros gevt.h)" = "$(macros gevt.hpp)" ] || fail "gevt.hpp defines macros"

statuses=$(grep -o '^#define GEVT_\(SUCCESS\|ERROR_[A-Z_]*\)' "$include/gevt.h" | cut -d ' ' -f 2)
[ -n "$statuses" ] || fail "gevt.h has no statuses"
for status in $statuses; do
  grep -q "= $status," "$include/gevt/status.hpp" || fail "gevt::errc lacks $status"
done

if [ "$failures" -ne 0 ]; then
  echo "FAILED: $failures checks"
  exit 1
fi
echo "passed: $("$cc" --version | head -n 1); $("$cxx" --version | head -n 1)"
