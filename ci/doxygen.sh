#!/usr/bin/env bash
# Makes the reference of gevt.h and gevt.hpp as HTML, without a warning, in docs/ of the build folder.
. "$(dirname "$0")/lib.sh"

needs doxygen
output=$target/docs
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
cat Doxyfile - <<END | doxygen -
PROJECT_NUMBER = $version
OUTPUT_DIRECTORY = $output
INPUT_FILTER = "$filter"
LAYOUT_FILE = $output/layout.xml
END
# Doxygen passes over functions of a file that it takes for undocumented, and says nothing.
while IFS= read -r function; do
  grep -q "\b$function\b" "$output"/html/group__*.html || fail "$function is not in the reference"
done <tests/exports.txt
echo "doxygen: $output/html/index.html"
