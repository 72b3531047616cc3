#!/usr/bin/env bash
# An unmodified program's events go through the drop-in: programs run with it and without it in front of libgevt_hostcuda.so as the driver. Its
# exports are those of the table in docs/SHIM-REFERENCE.md, which a test compares with the sources.
. "$(dirname "$0")/lib.sh"
build=$target/shim

quietly cargo build --locked --release --workspace
library=$target/release/libgevt_cuda.so

# The functions that are ours or watched, the lookups, and no other, such as a gevt_* function.
listed() {
  grep -E '^\|.*\| (ours|watched) \|' docs/SHIM-REFERENCE.md | grep -oE '`cu\w+`' | tr -d '`'
  printf '%s\n' dlopen dlsym dlvsym
}
diff <(listed | LC_ALL=C sort) <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort) ||
  fail "$library does not export what docs/SHIM-REFERENCE.md lists"

# A cancelled thread unwinds from the driver through the drop-in's frame with the process's unwinder, which is not the one that is linked in.
# So the frame has no landing pad. The driver's functions are the exports that begin with cu.
pads=$(readelf --debug-dump=frames "$library" 2>/dev/null | awk '
  / CIE$/ { cie = $1 }
  /Augmentation:/ { augmentation[cie] = $2 }
  / FDE cie=/ { split($5, of, "="); split($6, pc, /[=.]/); if (augmentation[of[2]] ~ /L/) print pc[2] }' | LC_ALL=C sort -u)
[ -n "$pads" ] || fail "$library: readelf tells no landing pads"
nm -D --defined-only "$library" | LC_ALL=C sort | LC_ALL=C join - <(echo "$pads") | grep ' cu' && fail "$library: these have landing pads"

[[ "$target" != *[:\ ]* ]] || skip "LD_PRELOAD cannot name a path with a colon or a space: $target"

# Beside the launcher, as it is installed, and the driver as the loader finds it.
mkdir -p "$build/bin" "$build/lib"
install -m 755 shim/gevt-run "$build/bin/gevt-run"
install -m 755 "$library" "$build/lib/"
hostcuda/install.sh "$target/release/libgevt_hostcuda.so" "$build/hostcuda"
driver=$build/hostcuda/lib/gevt/hostcuda

failed=0
check() { "$@" || { echo "failed: $*" >&2 && failed=1; }; }
check tests/shim/launcher.sh "$build/bin/gevt-run" "$build/lib/libgevt_cuda.so"
check tests/shim/look_up/run.sh "$build/lib/libgevt_cuda.so" "$driver" "$build/look_up"
check tests/shim/run.sh "$build/lib/libgevt_cuda.so" "$driver" "$build/programs"
check ci/hostcuda.sh --headers
if [ -e "$target/hostcuda/wheels/crt/crt" ]; then
  check tests/shim/truth.sh "$build/lib/libgevt_cuda.so" "$build/hostcuda" "$build/truth"
else
  skipped "tests/shim/truth.sh: NVIDIA's headers cannot be had"
fi
exit $failed
