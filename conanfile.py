import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class MidendConan(ConanFile):
    name = "midend"
    description = "The middle end of an optimizing compiler as C++20 headers"
    license = "BSL-1.0"
    topics = ("compiler", "control-flow-graph", "dominators", "loops", "dataflow", "header-only")
    package_type = "header-library"

    settings = "os", "arch", "compiler", "build_type"
    # midend::boost: what the Boost adapters need. The core needs nothing.
    options = {"with_boost": [True, False]}
    default_options = {"with_boost": False}

    exports_sources = "include/*", "LICENSE"
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

    def package_id(self):
        self.info.clear()

    # No check of compiler.cppstd: profiles say gnu17 by default for compilers that know C++20, and a consumer that asks
    # for C++20 itself, as the test package does, needs nothing of the profile.

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        copy(
            self,
            "*.hpp",
            src=os.path.join(self.source_folder, "include"),
            dst=os.path.join(self.package_folder, "include"),
        )

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "midend")
        self.cpp_info.set_property("cmake_target_name", "midend::midend")
        self.cpp_info.set_property("pkg_config_name", "midend")
        if self.options.with_boost:
            self.cpp_info.set_property("cmake_target_aliases", ["midend::boost"])
            self.cpp_info.requires = ["boost::headers"]
