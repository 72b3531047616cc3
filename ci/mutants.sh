#!/usr/bin/env bash
# Measures how many small faults in the state machine, the handle table, points and the C layer the tests find. A fault changes an operator, leaves
# out a call or makes a function return a constant. tests/mutants/ has the tool; survivors.tsv there explains the faults that no test finds.
#
# usage: ci/mutants.sh [SEED [COUNT [PATH...]]]
#
# Fails if fewer are found than tests/mutants/run.py requires. GEVT_TEST_MUTANTS lists numbers of mutants to run.
#
# One build has all mutants, and GEVT_MUTANT turns one on. Mutants that do not compile are left out.
# --cap-lints=allow   a fault may leave a variable unused.
# RUSTC_BOOTSTRAP=1   lets the stable compiler take the intrinsic of tests/mutants/src/runtime.rs.
# Time: three minutes to build on two cores, and half an hour for 270 mutants.
. "$(dirname "$0")/lib.sh"
needs python3 cargo

seed=${1:-1} count=${2:-270}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- core/src/{machine,table,point,pin,pin.rs,sync.rs,sync/signal.rs} src
folder=$target/mutants source=$target/mutants/source
mkdir -p "$source"

c_build
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=0
quietly cargo build --locked --manifest-path tests/mutants/Cargo.toml --target-dir "$folder/tool"
quietly cargo build --locked --release --package gevt-hostcuda --target-dir "$folder/hostcuda"
quietly hostcuda/install.sh "$folder/hostcuda/release/libgevt_hostcuda.so" "$folder/prefix"

mutants() { (cd "$source" && RUSTC_BOOTSTRAP=1 RUSTFLAGS=--cap-lints=allow cargo "$1" --locked --release --package gevt --target-dir ../build "${@:2}"); }
without=
while :; do
  # Unchanged files keep their dates, so cargo does not compile them again.
  rm -rf "$source.new"
  mkdir "$source.new"
  files | tar --create --null --files-from=- | tar --extract --directory "$source.new"
  "$folder/tool/debug/gevt-mutants" "$source.new" "$seed" "$count" "$without" "$@" >"$folder/mutants.tsv"
  (cd "$source.new" && find . -type f -print0) | while IFS= read -r -d '' file; do
    cmp -s "$source.new/$file" "$source/$file" || { mkdir -p "$(dirname "$source/$file")" && cp "$source.new/$file" "$source/$file"; }
  done
  mutants build --message-format=short >"$folder/log" 2>&1 && break
  # The mutant before each error.
  broken=$(sed -nE 's/^([^: ]+):([0-9]+):([0-9]+): error.*/\1 \2 \3/p' "$folder/log" | while read -r file line column; do
    { head -n $((line - 1)) "$source/$file" && sed -n "${line}p" "$source/$file" | cut -c "-$column"; } | grep -oE 'mutant\([0-9]+\)' | tail -n 1
  done | grep -oE '[0-9]+' | sort -un) || true
  [ -n "$broken" ] || { cat "$folder/log" >&2 && exit 1; }
  without+=",${broken//$'\n'/,}"
done
cp "$folder/build/release/libgevt.so" "$folder"
ln -sfn libgevt.so "$folder/libgevt.so.0"
mutants test --package gevt-core --lib --test model --no-run >"$folder/log" 2>&1 || { cat "$folder/log" >&2 && exit 1; }
mapfile -t tests < <(sed -n 's#^ *Executable .*(\(.*\))$#\1#p' "$folder/log")
nice tests/mutants/run.py "$folder" build "$folder/prefix/bin/gevt-hostcuda" "${tests[@]/#..\//$folder/}"
