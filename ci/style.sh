#!/usr/bin/env bash
# Rules for files that no compiler checks: their length, white space, names of this machine and of package registries, and scripts under shellcheck.
. "$(dirname "$0")/lib.sh"

failures=0
complain() {
  printf '%s\n' "$@"
  failures=$((failures + 1))
}
# finds MESSAGE PATTERN FILE...: complains of each line that matches. -I leaves out binary files.
finds() {
  local found
  if found=$(grep -InP -e "$2" -- "${@:3}"); then complain "$1:" "$found"; fi
}

mapfile -d '' all < <(files)
[ ${#all[@]} -gt 0 ] || fail "no files"
# How many newlines each file has: one call for all of them.
declare -A newlines=()
while read -r count file; do newlines[$file]=$count; done < <(wc -l -- "${all[@]}")

prose=() texts=() scripts=() # what people wrote for this project; what has lines; what a shell runs
for file in "${all[@]}"; do
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

mapfile -t spaced < <(printf '%s\n' "${prose[@]}" | grep -vx Makefile)
finds "white space at the end of a line" '[ \t]$' "${prose[@]}"
finds "a tab" '\t' "${spaced[@]}"
# The patterns do not match themselves.
finds "a path of one machine" '(?<![\w.\-])/(work|root|home/\w+)(?![\w\-])' "${all[@]}"
finds "a host of a package registry" '(?<!github[.]com/rust-lang/)\b(crates[.]io|pypi[.]org|npmjs[.]\w+|deb[.]debian[.]org|pythonhosted[.]org)' \
  "${all[@]}"
# A lock file that was made with a mirror would name it.
finds "a source that is not the public index" '^source = "(?!registry\+https://github[.]com/rust-lang/crates[.]io-index")' Cargo.lock

for file in "${prose[@]}"; do
  read -r -n 3 mark <"$file" || true
  [ "$mark" = '#!/' ] || continue
  [[ ! $file =~ ^([.]?ci|tests|shim|hostcuda|[.]cargo)/ || $(head -n 1 "$file") != *sh ]] || scripts+=("$file")
  [ -x "$file" ] || complain "$file is not executable"
  [[ $(sed -n 2p "$file") == '# '* ]] || complain "$file: its second line does not say what it is for"
done
if command -v shellcheck >/dev/null; then
  shellcheck "${scripts[@]}" ci/lib.sh || complain "shellcheck has warnings"
else
  skipped "the scripts: there is no shellcheck here"
fi
[ "$failures" -eq 0 ] || fail "$failures complaints"
echo "style: ${#all[@]} files"
