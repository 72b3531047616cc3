#!/usr/bin/env bash
# Makes the reference of gevt.h and gevt.hpp as HTML, without a warning, as docs/ in the build folder.
#
# Skipped where Doxygen is not there. Time: two seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v doxygen >/dev/null || skip "there is no doxygen here"
output=${CARGO_TARGET_DIR:-target}/docs
rm -rf "$output"
mkdir -p "$output"
# Doxygen's own layout, without its lists of files and namespaces, and with the text of a group before its members.
doxygen -l "$output/layout.xml"
sed -i -E \
  -e '/tab type="(namespaces|files|concepts)"/s/visible="[^"]*"/visible="no"/' \
  -e '/tab type="modules"/s/title=""/title="Reference"/' \
  -e '/tab type="classes"/s/title=""/title="Classes and structures"/' \
  -e '/tab type="(classindex|hierarchy|classmembers)"/s/visible="[^"]*"/visible="no"/' \
  -e '/<group>/,/<\/group>/{/<detaileddescription/d; s/<briefdescription.*/<detaileddescription title="About"\/>/}' \
  "$output/layout.xml"
# Constants in comments become links, except in code.
filter="sed -E -e '/@code/,/@endcode/b' -e '/^ *(\\*|\\/\\*\\*|\\/\\/\\/)/{s/\\bGEVT_(SUCCESS|VERSION|(EVENT|STREAM|RECORD|WAIT|TIMEOUT|BACKEND|STATE|LOG|ERROR|DETAIL|IPC|NAME)_[A-Z0-9_]*[A-Z0-9])\\b/#&/g; s/@retval #/@retval /}'"
{
  cat Doxyfile
  echo "PROJECT_NUMBER = $(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"
  echo "OUTPUT_DIRECTORY = $output"
  echo "INPUT_FILTER = \"$filter\""
  echo "LAYOUT_FILE = $output/layout.xml"
} | doxygen -
# Doxygen passes over functions of a file that it takes for undocumented, and says nothing.
while IFS= read -r function; do
  grep -q "\b$function\b" "$output"/html/group__*.html || { echo "doxygen: $function is not in the reference" >&2 && exit 1; }
done <tests/exports.txt
echo "doxygen: $output/html/index.html"
