#!/usr/bin/env bash
# Rules for files that are committed or about to be, which no compiler checks.
#
# No file has more than 500 lines, but for generated ones and pictures. The fuzzer's corpus is bytes, and has no rule.
# No trailing white space, no tab where spaces belong, a newline at the end.
# No path of a developer's own machine, and no host of a package registry.
# Every script is executable and begins with a comment that says what it is for.
# No script has a warning of shellcheck. .shellcheckrc says what is not asked for, and why.
#
# Time: ten seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

failures=0
complain() {
  printf '%s\n' "$@"
  failures=$((failures + 1))
}

# A new file is checked before it is added.
files=()
while IFS= read -r -d '' file; do
  [ ! -f "$file" ] || files+=("$file")
done < <(ci/files.sh)
[ ${#files[@]} -gt 0 ] || { echo "ci/files.sh lists no file" >&2 && exit 1; }

# finds MESSAGE PATTERN FILE...: complains of each line that matches. -I leaves out binary files.
finds() {
  local message=$1 pattern=$2 found
  shift 2
  if found=$(grep -InP -e "$pattern" -- "$@"); then complain "$message:" "$found"; fi
}

# How many newlines each file has: one call for all of them.
declare -A newlines=()
while read -r count file; do newlines[$file]=$count; done < <(wc -l -- "${files[@]}")

prose=()  # all that people wrote for this project: no lock file, no licence text, no table of data
texts=()  # all that has lines
for file in "${files[@]}"; do
  case $file in
    fuzz/corpus/* | *.png) continue ;;
    Cargo.lock | LICENSE-* | *.tsv | *.abi) ;;
    include/gevt.h | docs/pictures/*.svg) prose+=("$file") ;;
    *)
      prose+=("$file")
      [ "${newlines[$file]}" -le 500 ] || complain "$file has ${newlines[$file]} lines: more than 500"
      ;;
  esac
  texts+=("$file")
done
while IFS= read -r -d '' file && read -r lines; do
  [ "$lines" -eq "${newlines[$file]}" ] || complain "$file: no newline at the end"
done < <(grep --text --count --with-filename --null '' -- "${texts[@]}")

finds "white space at the end of a line" '[ \t]$' "${prose[@]}"

spaced=()
for file in "${prose[@]}"; do
  [ "$file" = Makefile ] || spaced+=("$file")
done
finds "a tab" '\t' "${spaced[@]}"

# The patterns do not match themselves.
finds "a path of one machine" '(?<![\w.\-])/(work|root|home/\w+)(?![\w\-])' "${files[@]}"
finds "a host of a package registry" '(?<!github[.]com/rust-lang/)\b(crates[.]io|pypi[.]org|npmjs[.]\w+|deb[.]debian[.]org|pythonhosted[.]org)' \
  "${files[@]}"
# A lock file that was made with a mirror would name it.
finds "a source that is not the public index" '^source = "(?!registry\+https://github[.]com/rust-lang/crates[.]io-index")' Cargo.lock

scripts=()
for file in "${prose[@]}"; do
  read -r -n 3 mark <"$file" || true
  if [ "$mark" = '#!/' ]; then
    [[ ! $file =~ ^([.]?ci|tests|shim|hostcuda|[.]cargo)/ || $(head -n 1 "$file") != *sh ]] || scripts+=("$file")
    [ -x "$file" ] || complain "$file is not executable"
    [[ $(sed -n 2p "$file") == '# '* ]] || complain "$file: its second line does not say what it is for"
  fi
done

if command -v shellcheck >/dev/null; then
  shellcheck "${scripts[@]}" ci/skip.sh ci/sections.sh || complain "shellcheck has warnings"
else
  skipped "the scripts: there is no shellcheck here"
fi

[ "$failures" -eq 0 ] || { echo "style: $failures complaints" && exit 1; }
echo "style: ${#files[@]} files"
