"""gevt for Conan 2: builds with cargo and CMake, and installs what `make install` does."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Gevt(ConanFile):
    name = "gevt"
    description = "GPU events behind a C ABI for CUDA, Vulkan and machines without a GPU"
    license = ("MIT", "Apache-2.0")
    topics = ("gpu", "cuda", "vulkan", "events", "synchronization")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"drop_in": [True, False], "hostcuda": [True, False]}
    default_options = {"drop_in": True, "hostcuda": False}

    # The checkout that this folder is a part of.
    checkout = os.path.join("..", "..")
    parts = ("Cargo.toml", "Cargo.lock", "CMakeLists.txt", "LICENSE-*", "build.rs", ".cargo/*", "benches/*", "cmake/*", "core/*", "docs/*.md",
             "cuda-abi/*", "header/*", "hostcuda/*", "include/*", "shim/*", "src/*", "trace/*")

    def set_version(self):
        # The version stands in Cargo.toml only.
        manifest = load(self, os.path.join(self.recipe_folder, self.checkout, "Cargo.toml"))
        self.version = re.search(r'^version = "(.*)"', manifest, re.MULTILINE).group(1)

    def export_sources(self):
        for part in self.parts:
            copy(self, part, os.path.join(self.recipe_folder, self.checkout), self.export_sources_folder, excludes="*/target/*")

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("gevt runs on 64-bit Linux")

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        # cargo builds it, in one way.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GEVT_BUILD_TESTS"] = False
        toolchain.cache_variables["GEVT_BUILD_EXAMPLES"] = False
        toolchain.cache_variables["GEVT_DROP_IN"] = bool(self.options.drop_in)
        toolchain.cache_variables["GEVT_HOSTCUDA"] = bool(self.options.hostcuda)
        toolchain.cache_variables["GEVT_TARGET_DIR"] = os.path.join(self.build_folder, "cargo")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="gevt_library")

    def package(self):
        cmake = CMake(self)
        cmake.install()
        if self.options.hostcuda:
            cmake.install(component="hostcuda")

    def package_info(self):
        # find_package takes the installed gevtConfig.cmake, which also has gevt::gevt_static and gevt::cuda.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "gevt")]
        self.cpp_info.set_property("pkg_config_name", "gevt")
        self.cpp_info.libs = ["gevt"]
