#!/usr/bin/env bash
# Installs and uses the files of ci/dist.sh for a machine: the tarball here, and tarball and packages in a Debian 11 (glibc 2.31), the oldest
# that Debian still serves, which debootstrap makes. None asks for more than glibc 2.17. Files for another machine run under qemu-user.
#
# usage: ci/dist-test.sh FOLDER     run by ci/dist.sh, which names zig (GEVT_ZIG) and the machine (GEVT_MACHINE)
. "$(dirname "$0")/lib.sh"
checkout=$PWD output=$(realpath "$1")
export GEVT_BACKEND=host
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH LIBRARY_PATH CPATH
machine=$GEVT_MACHINE multiarch=$GEVT_MACHINE-linux-gnu architecture=amd64
[ "$machine" != aarch64 ] || architecture=arm64
objdump=objdump emulated=() launch=() options=() targets=(all)
if [ "$machine" != "$(uname -m)" ]; then
  objdump=$multiarch-objdump
  export CC="$GEVT_ZIG cc -target $multiarch.2.17" CXX="$GEVT_ZIG c++ -target $multiarch.2.17"
  options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_EXE_LINKER_FLAGS=-lunwind)
  # zig does not know the linker's option by which gevt::cuda stays with a program: there the launcher brings it.
  targets=(c_shared c_static cpp_shared cpp_static)
  # Static: it runs in an old Debian, and what a launcher preloads is for the program alone.
  emulated=("qemu-$machine-static")
  needs "${emulated[0]}"
  export QEMU_LD_PREFIX=/usr/$multiarch
  # The launcher looks in the folder of the machine that the system names, which is not this one.
  launch=(env GEVT_SHIM_LIB="/usr/lib/$multiarch/libgevt_cuda.so")
fi

answers() { [ "$("$@")" = "$version 42" ] || fail "$* does not answer"; }

# sound TREE: its libraries need no newer C library, and hold no path of the machine that they were built on.
sound() {
  local library newest libraries=0
  while IFS= read -r library; do
    # libcudart.so needs none.
    newest=$($objdump -T "$library" | sed -nE 's/.*\(GLIBC_([0-9.]+)\).*/\1/p' | sort -uV | tail -n 1)
    [ "$(printf '%s\n2.17\n' "$newest" | sort -V | tail -n 1)" = 2.17 ] || fail "$library needs glibc $newest"
    # A function that the linker did not find carries no version, and the oldest C library has none of it. Weak ones may be missing, and
    # those of libcudart.so are in the libcuda.so.1 beside it.
    newest=$($objdump -T "$library" | awk '$0 ~ /\*UND\*/ && $2 != "w" && $(NF - 1) !~ /^\(/ && $NF !~ /^gevt_/ { print $NF }')
    [ -z "$newest" ] || fail "$library needs $newest, which glibc 2.17 does not have"
    libraries=$((libraries + 1))
  done < <(find "$1" -name '*.so*' -type f)
  [ "$libraries" -ge 3 ] || fail "$1 has $libraries libraries"
  ! grep -rlF -e "$checkout" -e "$HOME/" "$1" || fail "these files name paths of this machine"
}

# old SOURCE PROGRAM OPTION...: a C program for glibc 2.17.
old() { "$GEVT_ZIG" cc -target "$multiarch.2.17" -std=c99 "$1" "${@:3}" -o "$2"; }

# programs FOLDER PREFIX LIBDIR: what runs in the old Debian, built with the installed files found by pkg-config.
programs() {
  local libraries
  mkdir -p "$1"
  libraries=$(PKG_CONFIG_PATH=$3/pkgconfig pkg-config --cflags --libs gevt)
  # shellcheck disable=SC2086 # several words
  old tests/install/app.c "$1/shared" $libraries
  # shellcheck disable=SC2086
  old tests/install/app.c "$1/static" ${libraries/-lgevt/} "$3/libgevt.a" -lunwind -lpthread -ldl -lm
  old tests/install/cuda.c "$1/cuda" "$2/lib/gevt/hostcuda/libcuda.so.1"
}

tar --directory "$scratch" -xzf "$output/gevt-$version-$multiarch.tar.gz"
prefix=$scratch/gevt-$version-$multiarch
sound "$prefix"
quietly cmake -S tests/install -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DDRIVER="$prefix/lib/gevt/hostcuda/libcuda.so.1" "${options[@]}"
quietly cmake --build "$scratch/build" --target "${targets[@]}"
for program in c_shared c_static cpp_shared cpp_static; do answers "${emulated[@]}" "$scratch/build/$program"; done
bring=()
if [ ! -e "$scratch/build/cuda" ]; then
  old tests/install/cuda.c "$scratch/build/cuda" "$prefix/lib/gevt/hostcuda/libcuda.so.1"
  bring=("$prefix/bin/gevt-run")
fi
"$prefix/bin/gevt-hostcuda" "${bring[@]}" "${emulated[@]}" "$scratch/build/cuda" || fail "the drop-in and CUDA without a GPU do not run here"
echo "dist: the tarball for $machine here: shared and static, C and C++, the drop-in"

mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 '/debian/*$' || true)
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || [ -z "$mirror" ] ||
  ! debootstrap --variant=minbase bullseye "$scratch/root" "$mirror" >"$scratch/log" 2>&1; then
  ! grep -qs 'No space left on device' "$scratch/log" "$scratch/root/debootstrap/debootstrap.log" ||
    fail "the disk is full"
  skip "no Debian 11 can be made here: the packages are not installed, and no old C library is tried"
fi
root=$scratch/root
in_root() { chroot "$root" env GEVT_BACKEND=host "$@"; }
echo "dist: $(in_root ldd --version | head -n 1)"
if [ "$machine" != "$(uname -m)" ]; then
  cp "$(command -v "${emulated[0]}")" "$root/usr/bin/"
  unset QEMU_LD_PREFIX
  in_root sh -c "dpkg --add-architecture $architecture && apt-get update --quiet --quiet &&
    apt-get install --yes --quiet --quiet --no-install-recommends libc6:$architecture libgcc-s1:$architecture" >"$scratch/log" 2>&1 ||
    skip "the packages of Debian 11 for $machine cannot be had: gevt's are not tried there: $(tail -n 1 "$scratch/log")"
fi

programs "$root/tarball" "$prefix" "$prefix/lib"
cp -r "$prefix" "$root/opt/gevt"
answers in_root env LD_LIBRARY_PATH=/opt/gevt/lib "${emulated[@]}" /tarball/shared
answers in_root "${emulated[@]}" /tarball/static
in_root /opt/gevt/bin/gevt-hostcuda /opt/gevt/bin/gevt-run "${emulated[@]}" /tarball/cuda || fail "the tarball's drop-in does not run there"
echo "dist: the tarball there: shared and static, the drop-in"

mkdir "$root/packages"
cp "$output"/*.deb "$root/packages/"
quietly in_root sh -c "dpkg --install /packages/*_$architecture.deb"
sound "$root/usr/lib/gevt"
programs "$root/packaged" "$root/usr" "$root/usr/lib/$multiarch"
answers in_root "${emulated[@]}" /packaged/shared
answers in_root "${emulated[@]}" /packaged/static
in_root "${launch[@]}" gevt-hostcuda gevt-run "${emulated[@]}" /packaged/cuda || fail "the packages' drop-in does not run there"
quietly in_root sh -c "dpkg --purge libgevt-dev:$architecture gevt-cuda:$architecture libgevt0:$architecture"
! in_root "${emulated[@]}" /packaged/shared 2>/dev/null || fail "the program runs without its library"
echo "dist: the packages there: shared and static, the drop-in"
