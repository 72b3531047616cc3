#!/usr/bin/env bash
# Rules for files that no compiler checks: their layout, length and white space, names of this machine and of package registries, and scripts
# under shellcheck. Rust is laid out as rustfmt.toml says, C and C++ as .clang-format says.
#
# usage: ci/style.sh [--fix]     --fix lays the files out
. "$(dirname "$0")/lib.sh"

failures=0
complain() {
  printf '%s\n' "$@"
  failures=$((failures + 1))
}
# chosen PATTERN FILE...: the files whose names match. finds MESSAGE PATTERN FILE...: complains of each line that matches, but in binary files.
chosen() { printf '%s\0' "${@:2}" | grep -zP -e "$1"; }
finds() {
  local found
  if found=$(grep -InP -e "$2" -- "${@:3}"); then complain "$1:" "$found"; fi
}

mapfile -d '' all < <(files)
[ ${#all[@]} -gt 0 ] || fail "no files"
rust=(--check) c=(--dry-run --Werror)
[ "${1-}" != --fix ] || rust=() c=(-i)
if command -v rustfmt >/dev/null; then
  for manifest in Cargo.toml tests/mutants/Cargo.toml; do
    cargo fmt --all --manifest-path $manifest "${rust[@]}" || complain "rustfmt: $manifest"
  done
else
  skipped "there is no rustfmt here (rustup component add rustfmt)"
fi
if command -v clang-format >/dev/null; then
  # Generated headers keep their layout, and hostcuda/tests/truth stays as it was when the driver answered it.
  mapfile -d '' sources < <(chosen '^(?!include/gevt\.h|hostcuda/tests/truth/).*\.(c|h|cpp|hpp|cu)$' "${all[@]}")
  clang-format "${c[@]}" "${sources[@]}" || complain "clang-format"
else
  skipped "C and C++: there is no clang-format here"
fi

mapfile -d '' texts < <(chosen '^(?!fuzz/corpus/).*(?<!\.png)$' "${all[@]}")
# What people wrote for this project.
mapfile -d '' prose < <(chosen '(?<!Cargo\.lock|\.tsv|\.abi)$(?<!LICENSE-MIT)(?<!LICENSE-APACHE)' "${texts[@]}")
mapfile -d '' written < <(chosen '^(?!include/gevt\.h$).*(?<!\.svg)$' "${prose[@]}")
long=$(wc -l -- "${written[@]}" | awk '$1 > 500 && $2 != "total"')
[ -z "$long" ] || complain "more than 500 lines:" "$long"
diff <(grep --text --count '' -- "${texts[@]}") <(wc -l -- "${texts[@]}" | sed -nE '/^ *[0-9]+ total$/d; s/^ *([0-9]+) (.*)$/\2:\1/p') ||
  complain "no newline at the end of these (<)"

mapfile -d '' spaced < <(chosen '^(?!Makefile$)' "${prose[@]}")
finds "white space at the end of a line" '[ \t]$' "${prose[@]}"
finds "a tab" '\t' "${spaced[@]}"
# The patterns do not match themselves.
finds "a path of one machine" '(?<![\w.\-])/(work|root|home/\w+)(?![\w\-])' "${all[@]}"
finds "a host of a package registry" '(?<!github[.]com/rust-lang/)\b(crates[.]io|pypi[.]org|npmjs[.]\w+|deb[.]debian[.]org|pythonhosted[.]org)' \
  "${all[@]}"
# A lock file that was made with a mirror would name it.
finds "a source that is not the public index" '^source = "(?!registry\+https://github[.]com/rust-lang/crates[.]io-index")' Cargo.lock

mapfile -t started < <(grep -lm 1 '^#!/' -- "${prose[@]}")
scripts=(ci/lib.sh)
for file in "${started[@]}"; do
  { read -r first && read -r second; } <"$file"
  [[ $first == '#!/'* ]] || continue
  [[ ! $file =~ ^([.]?ci|tests|shim|hostcuda|packaging|[.]cargo)/ || $first != *sh ]] || scripts+=("$file")
  [ -x "$file" ] || complain "$file is not executable"
  [[ $second == '# '* ]] || complain "$file: its second line does not say what it is for"
done
if command -v shellcheck >/dev/null; then
  shellcheck "${scripts[@]}" || complain "shellcheck has warnings"
else
  skipped "the scripts: there is no shellcheck here"
fi
[ "$failures" -eq 0 ] || fail "$failures complaints"
echo "style: ${#all[@]} files"
