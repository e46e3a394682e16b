import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout
from conan.tools.scm import Version

required_conan_version = ">=2.0"

# The oldest compilers with the C++20 concepts that the headers use.
oldest_compilers = {"gcc": "11", "clang": "14", "apple-clang": "15", "msvc": "193"}


class MidendConan(ConanFile):
    name = "midend"
    description = "The middle end of an optimizing compiler as C++20 headers"
    license = "BSL-1.0"
    # A placeholder: there is no public address yet.
    homepage = "https://midend.example"
    url = "https://midend.example"
    topics = ("compiler", "control-flow-graph", "dominators", "loops", "dataflow", "header-only")
    package_type = "header-library"

    settings = "os", "arch", "compiler", "build_type"
    # midend::boost: what the Boost adapters need. The core needs nothing.
    options = {"with_boost": [True, False]}
    default_options = {"with_boost": False}

    exports_sources = "include/*", "cmake/midend_conan.cmake", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/package"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "midend", "version.hpp"))
        parts = [
            re.search(rf"^#define MIDEND_VERSION_{part} (\d+)$", header, re.MULTILINE).group(1)
            for part in ("MAJOR", "MINOR", "PATCH")
        ]
        self.version = ".".join(parts)

    def layout(self):
        basic_layout(self, src_folder=".")

    def requirements(self):
        if self.options.with_boost:
            self.requires("boost/[>=1.74.0]", transitive_headers=True)

    def validate(self):
        # The compiler only, not compiler.cppstd: default profiles say gnu17, and the CMake target asks for C++20 itself
        # (midend_conan.cmake). In other build systems midend/config.hpp says what is missing.
        compiler = str(self.settings.compiler)
        oldest = oldest_compilers.get(compiler)
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(
                f"midend needs C++20 concepts: {compiler} {oldest} or newer, not {self.settings.compiler.version}"
            )

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for folder, files in (("include", "*.hpp"), ("cmake", "midend_conan.cmake")):
            copy(
                self,
                files,
                src=os.path.join(self.source_folder, folder),
                dst=os.path.join(self.package_folder, folder),
            )

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "midend")
        self.cpp_info.set_property("cmake_target_name", "midend::midend")
        self.cpp_info.set_property("cmake_build_modules", [os.path.join("cmake", "midend_conan.cmake")])
        # Before 1.0 a minor version may break.
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        self.cpp_info.set_property("pkg_config_name", "midend")
        if self.options.with_boost:
            self.cpp_info.set_property("cmake_target_aliases", ["midend::boost"])
            self.cpp_info.requires = ["boost::headers"]
