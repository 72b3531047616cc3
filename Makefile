# The short way to the scripts in ci/, which do the work and can be run by hand.

# The builds underneath have make programs of their own, which should not take this one for their parent.
run = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

help:
	@echo 'make demo         render a picture, and measure frames in flight and queries of events'
	@echo 'make test         show that gevt works here: tests, examples, installation (4 minutes on two cores)'
	@echo 'make proofs       loom, sanitizers, valgrind, fuzzing, soak, coverage, arm64 (20 minutes)'
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

demo:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) ci/demo.sh

# Hundreds of megabytes, which `make test` does without.
windows_tools = mingw-gcc mingw-g++ wine xvfb-run

test:
	@$(run) ci/setup.sh
	@$(run) ci/all.sh test

proofs:
	@$(run) ci/setup.sh
	@$(run) ci/setup.sh $(windows_tools)
	@$(run) ci/all.sh proofs

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
	@$(run) ci/setup.sh cargo cc c++ cmake pkg-config objdump debootstrap libgcc-arm64 binutils-arm64 qemu-arm64 \
	  clang++ lld $(windows_tools)
	@$(run) ci/dist.sh

wheel:
	@$(run) ci/setup.sh cargo cc c++ cmake
	@$(run) ci/wheel.sh

windows:
	@$(run) ci/setup.sh cargo cc c++ cmake vulkan-headers vulkan-driver $(windows_tools)
	@$(run) ci/windows.sh

docs:
	@$(run) ci/setup.sh doxygen
	@$(run) ci/doxygen.sh

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

.PHONY: help demo test proofs install install-hostcuda dist wheel windows docs bench bench-cuda bench-vulkan clean
