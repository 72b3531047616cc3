#!/usr/bin/env bash
# Links, names, numbers, environment variables, locks and figures in the documents are right. The reference of gevt.h and gevt.hpp is made as
# HTML, without a warning, in docs/ of the build folder.
#
# usage: ci/docs.sh
#        ci/docs.sh --programs         compiles and runs the programs of the README, docs/MIGRATING.md and docs/MIGRATING-VULKAN.md instead
#        ci/docs.sh --extract FILE     prints a program of the README
. "$(dirname "$0")/lib.sh"

# extract DOCUMENT FILE...: writes the fenced blocks after the comments that name them, <!-- ci/docs.sh: FILE -->, to files in $scratch.
extract() {
  local file
  for file in "${@:2}"; do
    sed -n "/^<!-- ci\/docs.sh: $file -->$/,/^\`\`\`$/p" "$1" | sed '1,/^```/d; /^```$/d' >"$scratch/$file"
    [ -s "$scratch/$file" ] || fail "$1 has no block $file"
  done
}

# migrated SOURCE PROGRAM LIBRARY...: builds and runs the program before and after its migration.
migrated() {
  local program defined=()
  for program in before after; do
    [ "$program" = before ] || defined=(-DAFTER)
    cc -std=c11 -Wall -Wextra -Werror "${defined[@]}" -Igevt/include -I. -Igevt/tests/c "gevt/tests/migrating/$1" -Ltarget/release -lgevt \
      -Wl,-rpath,"$PWD/target/release" "${@:3}" -o "$2$program"
    "${under[@]}" "./$2$program" || [ $? -eq 77 ]
  done
}

# In an empty folder that has the checkout as `gevt`.
programs() {
  local cuda=$scratch/hostcuda/lib/gevt/hostcuda
  export CARGO_TARGET_DIR=$target
  ln -s "$PWD" "$scratch/gevt"
  ln -s "$target" "$scratch/target"
  extract README.md example.c build.sh CMakeLists.txt
  extract docs/MIGRATING-VULKAN.md renderer.h before.c after.c
  extract docs/MIGRATING.md cuda_before.c cuda_after.c
  quietly cargo build --release --locked --package gevt-hostcuda
  hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$scratch/hostcuda"
  cd "$scratch"

  echo "-- README.md: build.sh"
  cc -std=c99 -Wall -Wextra -Wpedantic -Werror -Igevt/include -fsyntax-only example.c
  GEVT_BACKEND=host bash -eu build.sh
  echo "-- README.md: CMakeLists.txt"
  quietly cmake -S . -B cmake
  quietly cmake --build cmake
  GEVT_BACKEND=host cmake/example
  echo "-- docs/MIGRATING.md"
  under=(env GEVT_BACKEND=cuda hostcuda/bin/gevt-hostcuda)
  migrated cuda.c cuda_ "$cuda/libcudart.so.13" -Wl,-rpath-link,"$cuda"
  echo "-- docs/MIGRATING-VULKAN.md"
  echo '#include <vulkan/vulkan.h>' | cc -fsyntax-only -x c - 2>/dev/null ||
    skip "the programs of docs/MIGRATING-VULKAN.md: there are no Vulkan headers here"
  under=()
  migrated vulkan.c vulkan_ -lvulkan -lpthread -ldl
}
case ${1-} in
  --programs)
    programs
    exit
    ;;
  --extract)
    extract README.md "$2"
    cat "$scratch/$2"
    exit
    ;;
esac

failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}
# named LIST DOCUMENT WORDS...: each line of the list is a word of the document.
named() {
  local name
  while IFS= read -r name; do grep -qw -- "$name" "$2" || complain "$2 does not name $name${3:+, $3}"; done < <(eval "$1")
}

# The targets of [text](target), without fragments and without links to the web.
for document in *.md */*.md */*/*.md; do
  while IFS= read -r link; do
    [ -e "$(dirname "$document")/$link" ] || complain "$document links to $link, which is not there"
  done < <(grep -oP '\]\(\K[^)#]+' "$document" | grep -v '^https\?:' || true)
done

named functions_of_gevt CHANGELOG.md
grep -qF "## [$version]" CHANGELOG.md || complain "CHANGELOG.md has no section [$version]"
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
grep -qF "Rust $rust or later" README.md || complain "README.md does not ask for Rust $rust, as Cargo.toml does"
# The environment variables of the product; planted bugs have one that no user meets.
variables() {
  grep -rhoP --exclude=fault_injection.rs --exclude=tests.rs '(env::var(_os)?|NumberVariable::new|trusted_variable)\("\K\w+|^ *\("\KGEVT_\w+(?=", &\[)|\$\{\KGEVT_\w+' \
    core/src src trace/src shim/src hostcuda/src shim/gevt-run hostcuda/gevt-hostcuda | sort -u
}
named variables docs/ENVIRONMENT.md

if command -v python3 >/dev/null; then
  docs/pictures/figures.py docs/measurements/cuda-fast-state.txt "$scratch/chart"
  cmp -s "$scratch/chart" docs/pictures/figures.svg || complain "docs/pictures/figures.svg is not what docs/pictures/figures.py draws"
else
  skipped "the chart: there is no python3"
fi
# A document names no constant and no function of gevt.h that the header does not have.
pages=(README.md SECURITY.md CONTRIBUTING.md docs/*.md examples-c/README.md python/README.md)
names() {
  grep -ohE '\bGEVT_(BACKEND|CONTEXT|DETAIL|ERROR|EVENT|IPC|LOG|NO|RECORD|STATE|STREAM|TIMEOUT|VULKAN|WAIT)_[A-Z0-9_]+\b|\bgevt_[a-z0-9_]+\b' "${pages[@]}" |
    grep -vxE 'gevt_(cuda|get_flags|handle|planted|static)' | sort -u
}
named names include/gevt.h "which a document names"

# The lock table names every static lock except TURN of the tests. Documents for contributors name existing files.
locks() {
  grep -rhoP --include='*.rs' --exclude='*test*' --exclude-dir=windows '^(pub(\([a-z]+\))? )?static \K[A-Z_]+(?=: ([a-z:]+::)?\[?(Mutex|FreeList)<)' core/src trace/src | grep -vx TURN | sort -u
}
named locks docs/ARCHITECTURE.md
while IFS=: read -r module lock; do
  grep -rqE --include="$module.rs" "static $lock: .*(Mutex|FreeList)<" core/src trace/src || complain "no $module.rs has the lock $lock of docs/ARCHITECTURE.md"
done < <(sed -n '/^## Locks/,/^## The/p' docs/ARCHITECTURE.md | grep -oP '`([a-z]+::)*\K[a-z_]+::[A-Z_]+(?=`)' | sed 's/::/:/' | sort -u)
while IFS= read -r file; do
  [ -n "$(compgen -G "$file")" ] || find core src trace shim hostcuda tests -path "*/$file" | grep -q . || complain "a document names $file, which is not there"
done < <(grep -hoP '`\K([a-z_/]+\.rs|ci/[a-z-]+\.sh)(?=[ `])' docs/*.md CONTRIBUTING.md README.md hostcuda/README.md python/README.md | sort -u)

# owned SOURCE CODE DOCUMENT WORDS: a number that the code owns, and the words of a document that tell it.
owned() {
  grep -rqF --include="$1" -- "$2" core/src src trace/src shim/src hostcuda/src ||
    complain "no $1 says '$2' any more, which $3 tells as '$4': change both, and this list"
  tr -s '\n ' '  ' <"$3" | grep -F -- "$4" >/dev/null || complain "$3 does not say '$4', while $1 says '$2'"
}
owned slab.rs 'const CHUNK: usize = 1 << 10;' docs/ARCHITECTURE.md 'chunks of 1024 slots'
owned pool.rs 'const MOST_ASLEEP: usize = 1000;' docs/ARCHITECTURE.md 'up to 1,000 workers more than permits'
owned pool.rs 'const KEPT: usize = 1024;' docs/ARCHITECTURE.md 'a pool of up to 1024 for each context'
owned block.rs 'const PAGES: u32 = 256;' docs/ARCHITECTURE.md 'memfds of 256 pages'
owned page.rs 'const RECORDS: usize = 255;' docs/INTERPROCESS.md '| pending records of one event | 255 |'
owned tracks.rs 'const MOST: usize = 1 << 16;' docs/TRACING.md 'the names of 65,536 objects'
owned gate_failures.rs 'const MOST: usize = 512;' docs/CUDA.md 'At most 512 such waits'
owned failed_spans.rs 'const MOST: usize = 512;' docs/HOST.md 'A stream remembers 512 failures'
owned device.rs 'const MAX_DEVICES: usize = 64;' docs/ENVIRONMENT.md 'devices of the host backend, 1 to 64'
owned threads.rs 'const MAX_THREADS: usize = 1024;' docs/ENVIRONMENT.md "functions that run at once on gevt's threads, 1 to 1024"
owned settings.rs '("GEVT_SHIM", &[("on", 0), ("strict", STRICT), ("off", OFF)])' docs/ENVIRONMENT.md '`on` (default); `strict`'
owned session.rs 'const PAUSE: Duration = Duration::from_millis(10);' docs/TRACING.md 'written within 10 ms'

[ "$failures" -eq 0 ] || fail "$failures complaints"
echo "docs: links, names, numbers, environment variables, locks and pictures are right"

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
done < <(functions_of_gevt)
echo "docs: the reference is $output/html/index.html"
