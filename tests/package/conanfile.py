import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class MidendTestPackage(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def with_boost(self):
        return bool(self.dependencies["midend"].options.with_boost)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # no CMakeUserPresets.json in the source tree
        toolchain.cache_variables["WITH_BOOST"] = self.with_boost()
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ["client"] + (["boost_client"] if self.with_boost() else []):
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
