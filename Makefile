# The short way to the scripts in ci/, which do the work and can be run by hand.

# The builds underneath have make programs of their own, which should not take this one for their parent.
run = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

help:
	@echo 'make demo         render a picture, and measure frames in flight and queries of events'
	@echo 'make test         show that gevt works here: tests, examples, installation (3 minutes on two cores)'
	@echo 'make proofs       loom, sanitizers, valgrind, fuzzing, soak, Vulkan, arm64, Windows (12 minutes)'
	@echo 'make nightly      what the tests reach, and how many planted faults they find (an hour)'
	@echo 'make install      install below PREFIX (/usr/local), with DESTDIR before it'
	@echo 'make install-hostcuda   install CUDA without a GPU below PREFIX'
	@echo 'make dist         make tarballs and Debian packages for x86-64 and arm64, a zip for Windows, and try them'
	@echo 'make wheel        make the wheels of the Python package'
	@echo 'make windows      build gevt.dll with mingw-w64 and test it under wine'
	@echo 'make docs         make the reference of gevt.h as HTML'
	@echo 'make bench        measure the calls, each beside its yardstick'
	@echo 'make bench-cuda   the same on CUDA, beside the plain driver'
	@echo 'make bench-vulkan the same on Vulkan, beside its own semaphores and fences'
	@echo 'make clean        remove what was built'

# ARGS: FRAMES [WIDTH HEIGHT [SAMPLES]] of the picture. GEVT_TRACE=FILE writes a trace of the renderer.
demo:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) cmake -S . -B build/demo -DCMAKE_BUILD_TYPE=Release -DGEVT_BUILD_TESTS=OFF -DGEVT_DROP_IN=OFF -DGEVT_HOSTCUDA=OFF
	@$(run) cmake --build build/demo --target renderer frames_in_flight queries --parallel $$(nproc)
	@build/demo/examples-c/renderer build/picture.png $(ARGS)
	@echo "picture: $$PWD/build/picture.png"; echo
	@for example in frames_in_flight queries; do env -u GEVT_TRACE GEVT_BACKEND=host build/demo/examples-c/$$example || exit; done

# Hundreds of megabytes, which `make test` does without.
windows_tools = mingw-gcc mingw-g++ wine xvfb-run

# Runs the suite of the target's name: ARGS go to ctest, such as ARGS='-R soak'. A check has stretches for one core, and some in which it
# waits: three at a time (GEVT_JOBS). ctest prints no word of what a check left out.
define suite
@free=$$(df -Pk . | awk 'NR == 2 { print int($$4 / 1024 / 1024) }'); [ $$free -ge 10 ] || echo "the disk has $$free GiB left: the checks need 10"
@mkdir -p target/checks && $(run) cmake -S ci -B target/checks >target/checks/cmake.log
@$(run) ctest --test-dir target/checks --output-on-failure --no-tests=error --parallel $${GEVT_JOBS:-3} -L '^$@$$' $(ARGS); code=$$?; \
  grep -hs '^left out by ' target/checks/Testing/Temporary/LastTest.log | sort -u; exit $$code
endef

test:
	@$(run) ci/setup.sh
	$(suite)

proofs:
	@$(run) ci/setup.sh
	@$(run) ci/setup.sh $(windows_tools)
	$(suite)

nightly:
	$(suite)

PREFIX ?= /usr/local
build = build

# DESTDIR is read by the installation itself. With this umask everybody can read what root installs, whatever root's own is.
install: export DESTDIR := $(DESTDIR)
install:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) cmake -S . -B $(build)
	@$(run) cmake --build $(build) --target gevt_library
	@umask 022 && $(run) cmake --install $(build) --prefix '$(PREFIX)'

# CUDA without a GPU, a product of its own beside gevt.
install-hostcuda: export DESTDIR := $(DESTDIR)
install-hostcuda:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) cmake -S . -B $(build)
	@$(run) cmake --build $(build) --target gevt_library
	@umask 022 && $(run) cmake --install $(build) --prefix '$(PREFIX)' --component hostcuda

dist:
	@$(run) ci/setup.sh cargo cc c++ cmake pkg-config objdump debootstrap aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static \
	  clang++ lld $(windows_tools)
	@$(run) packaging/dist.sh

wheel:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) packaging/wheel.sh

windows:
	@$(run) ci/setup.sh cargo cc c++ cmake vulkan-headers vulkan-driver $(windows_tools)
	@$(run) ci/windows.sh

docs:
	@$(run) ci/setup.sh doxygen
	@$(run) ci/docs.sh

bench:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) ci/bench.sh

bench-cuda:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) ci/bench.sh cuda

bench-vulkan:
	@$(run) ci/setup.sh cargo cc c++ cmake vulkan-headers
	@$(run) ci/bench.sh vulkan

clean:
	rm -rf target build

.PHONY: help demo test proofs nightly install install-hostcuda dist wheel windows docs bench bench-cuda bench-vulkan clean
