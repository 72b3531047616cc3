#!/usr/bin/env bash
# The documents agree with other files. Links lead to a file. CHANGELOG.md names every exported function and the package's version.
# docs/ENVIRONMENT.md names every environment variable that the libraries and the launchers read. CONTRIBUTING.md names the checks of
# ci/CMakeLists.txt in their order. Names are the header's, and numbers the code's. The README's figures contain those of docs/PERFORMANCE.md. Pictures are legible.
#
# Time: a second.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

# The targets of [text](target), without fragments and without links to the web.
for document in *.md */*.md */*/*.md; do
  [ -f "$document" ] || continue
  while IFS= read -r target; do
    [ -e "$(dirname "$document")/$target" ] || complain "$document links to $target, which is not there"
  done < <(grep -oP '\]\(\K[^)#]+' "$document" | grep -v '^https\?:' || true)
done

for picture in docs/pictures/*.svg docs/pictures/*.png; do
  grep -qF "pictures/${picture##*/})" README.md docs/*.md || complain "no page shows $picture"
done

while IFS= read -r function; do
  grep -qw -- "$function" CHANGELOG.md || complain "CHANGELOG.md does not name $function"
done <tests/exports.txt

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
grep -qF "## [$version]" CHANGELOG.md || complain "CHANGELOG.md has no section [$version]"

# The product's alone: planted bugs have one that no user meets.
while IFS= read -r variable; do
  grep -qw -- "$variable" docs/ENVIRONMENT.md || complain "docs/ENVIRONMENT.md does not name $variable"
done < <(grep -rhoP --exclude=fault_injection.rs --exclude=tests.rs '(env::var(_os)?|NumberVariable::new|trusted_variable)\("\K\w+|^ *\("\KGEVT_\w+(?=", &\[)|\$\{\KGEVT_\w+' \
  core/src src trace/src shim/src hostcuda/src shim/gevt-run hostcuda/gevt-hostcuda | sort -u)

# The chart shows the figures of docs/measurements, and the README's ranges contain those of a finished event on CUDA.
if command -v python3 >/dev/null 2>&1; then
  chart=$(mktemp)
  trap 'rm -f "$chart"' EXIT
  docs/pictures/figures.py docs/measurements/cuda-fast-state.txt "$chart"
  cmp -s "$chart" docs/pictures/figures.svg || complain "docs/pictures/figures.svg is not what docs/pictures/figures.py draws"
  python3 - <<'RANGES' || complain "docs/measurements has figures outside of the ranges that README.md tells"
import re, sys
files = ("README.md", "docs/measurements/cuda.txt", "docs/measurements/drop-in.txt")
readme, *tables = (open(file, encoding="utf-8").read() for file in files)
page = "\n".join(tables)
least, most, least_driver, most_driver = map(int, re.search(r"(\d+) to (\d+) ns, beside (\d+) to (\d+) ns", readme).groups())
rows = re.findall(r"^query: finished event, .*? ([\d.]+) ns .*?(?:cuEventQuery|driver API, plain) ([\d.]+) ns", page, re.M)
inside = [least <= float(gevt) <= most and least_driver <= round(float(driver), -1) <= most_driver for gevt, driver in rows]
sys.exit(not rows or not all(inside))
RANGES
  # Pictures are as wide as a web page at most, legible there, titled, and drawn for light and dark pages.
  python3 - docs/pictures/*.svg <<'PICTURES' || complain "a picture is not fit for a page"
import re, sys
import xml.etree.ElementTree as tree
failed = False
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    root = tree.fromstring(text)
    width = float(root.get("viewBox").split()[2])
    letters = [float(size) for size in re.findall(r"font(?:-size)?: ?([\d.]+)px", text)]
    rules = {"no title": root.find("{*}title") is not None, "too wide": width <= 800, "small letters": letters and min(letters) >= 12,
             "no dark colors": "prefers-color-scheme: dark" in text, "no background": 'class="back"' in text}
    for complaint in (rule for rule, holds in rules.items() if not holds):
        print(f"{name}: {complaint}")
        failed = True
sys.exit(failed)
PICTURES
else
  skipped "there is no python3 to compare the figures of the chart and of the README, and to read pictures"
fi

diff <(sed -nE 's#^\| `ci/([a-z0-9-]+)\.sh( [^`]*)?` \|.*#\1\2#p' CONTRIBUTING.md) \
  <(sed -nE 's/^check\((test|proofs) (.*)\)$/\2/p' ci/CMakeLists.txt) ||
  complain "the checks of CONTRIBUTING.md (<) and of ci/CMakeLists.txt (>) differ"

# A document names no constant and no function of gevt.h that the header does not have.
pages=(README.md SECURITY.md CONTRIBUTING.md docs/*.md examples-c/README.md python/README.md)
while IFS= read -r name; do
  grep -qw -- "$name" include/gevt.h || complain "a document names $name, which gevt.h does not have: $(grep -lw -- "$name" "${pages[@]}" | tr '\n' ' ')"
done < <(grep -ohE '\bGEVT_(BACKEND|CONTEXT|DETAIL|ERROR|EVENT|IPC|LOG|NO|RECORD|STATE|STREAM|TIMEOUT|VULKAN|WAIT)_[A-Z0-9_]+\b|\bgevt_[a-z0-9_]+\b' "${pages[@]}" |
  grep -vxE 'gevt_(cuda|get_flags|handle|planted|static)' | sort -u)

# The lock table names every static lock but TURN, which is of tests, and documents for contributors name files that are there.
while IFS= read -r lock; do
  grep -qE "\\b$lock\\b" docs/ARCHITECTURE.md || complain "the lock table of docs/ARCHITECTURE.md does not name $lock"
done < <(grep -rhoP --include='*.rs' --exclude='*test*' --exclude-dir=windows '^(pub(\([a-z]+\))? )?static \K[A-Z_]+(?=: ([a-z:]+::)?\[?Mutex<)' core/src trace/src | grep -vx TURN | sort -u)
while IFS=: read -r module lock; do
  grep -rqE --include="$module.rs" "static $lock: .*Mutex<" core/src trace/src || complain "no $module.rs has the lock $lock of docs/ARCHITECTURE.md"
done < <(sed -n '/^## Locks/,/^## The/p' docs/ARCHITECTURE.md | grep -oP '`([a-z]+::)*\K[a-z_]+::[A-Z_]+(?=`)' | sed 's/::/:/' | sort -u)
while IFS= read -r file; do
  [ -n "$(compgen -G "$file")" ] || find core src trace shim hostcuda tests -path "*/$file" | grep -q . || complain "a document names $file, which is not there"
done < <(grep -hoP '`\K[a-z_/]+\.rs(?=`)' docs/ARCHITECTURE.md docs/STATES.md CONTRIBUTING.md | sort -u)

# owned SOURCE CODE DOCUMENT WORDS: a number that the code owns, and the words of a document that tell it.
owned() {
  grep -rqF --include="$1" -- "$2" core/src src trace/src shim/src hostcuda/src ||
    complain "no $1 says '$2' any more, which $3 tells as '$4': change both, and this list"
  tr -s '\n ' '  ' <"$3" | grep -F -- "$4" >/dev/null || complain "$3 does not say '$4', while $1 says '$2'"
}
owned registry.rs 'const MAX_CONTEXTS: usize = 1 << 16;' docs/ARCHITECTURE.md "a process can have 65,536 of them in its life"
owned slab.rs 'const CHUNK: usize = 1 << 10;' docs/ARCHITECTURE.md 'chunks of 1024 slots'
owned pool.rs 'const MOST_ASLEEP: usize = 1000;' docs/ARCHITECTURE.md 'up to 1,000 workers more than permits'
owned pool.rs 'const KEPT: usize = 1024;' docs/ARCHITECTURE.md 'a pool of up to 1024 for each context'
owned block.rs 'const PAGES: u32 = 256;' docs/ARCHITECTURE.md 'memfds of 256 pages'
owned block.rs 'const PAGES: u32 = 256;' docs/INTERPROCESS.md 'about 256 other events'
owned page.rs 'const RECORDS: usize = 255;' docs/INTERPROCESS.md '| pending records of one event | 255 |'
owned tracks.rs 'const MOST: usize = 1 << 16;' docs/TRACING.md 'the names of 65,536 objects'
owned gate_failures.rs 'const MOST: usize = 512;' docs/CUDA.md 'At most 512 such waits'
owned gate_failures.rs 'const MOST: usize = 512;' CHANGELOG.md 'More than 512 pending waits of a CUDA context'
owned pool.rs 'const KEPT: usize = 1024;' docs/CUDA.md 'a pool of up to 1,024 for each context'
owned failed_spans.rs 'const MOST: usize = 512;' docs/HOST.md 'A stream remembers 512 failures'
owned device.rs 'const MAX_DEVICES: usize = 64;' docs/ENVIRONMENT.md 'devices of the host backend, 1 to 64'
owned threads.rs 'const MAX_THREADS: usize = 1024;' docs/ENVIRONMENT.md "functions that run at once on gevt's threads, 1 to 1024"
owned threads.rs 'const MAX_THREADS: usize = 1024;' docs/HOST.md '1 to 1,024'
owned settings.rs '("GEVT_SHIM", &[("on", 0), ("strict", STRICT), ("off", OFF)])' docs/ENVIRONMENT.md '`on` (default); `strict`'
owned buffer.rs 'const PAUSE: Duration = Duration::from_millis(50);' docs/TRACING.md 'written within 50 ms'

rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
grep -qF "Rust $rust or later" README.md || complain "README.md does not ask for Rust $rust, as Cargo.toml does"

[ "$failures" -eq 0 ] || { echo "docs: $failures complaints" && exit 1; }
echo "docs: links, changelog, environment variables and checks are right"
