#!/usr/bin/env python3
"""conan_stand_in.py SOURCE PACKAGE GENERATED [--with-boost]: runs conanfile.py without Conan.

Fills the folder PACKAGE as the recipe's package() does, and writes into GENERATED package files for CMake in the manner of
Conan's CMakeDeps. It checks what the recipe says, not Conan: where Conan is installed, run `conan create .`.
"""
import argparse
import fnmatch
import importlib.util
import shutil
import sys
import types
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("source", type=Path)
parser.add_argument("package", type=Path)
parser.add_argument("generated", type=Path)
parser.add_argument("--with-boost", action="store_true")
arguments = parser.parse_args()


class InvalidConfiguration(Exception):
    pass


class ConanFile:
    pass


class CppInfo:
    def __init__(self):
        self.properties = {}
        self.requires = []

    def set_property(self, name, value):
        self.properties[name] = value


class Version:
    def __init__(self, text):
        self.parts = [int(part) for part in str(text).split(".")]

    def __lt__(self, other):
        return self.parts < Version(other).parts


def copy(_, pattern, src, dst):
    """As Conan's: the pattern is for the whole path below `src`, and `*` matches slashes too."""
    folder = Path(src) / pattern.partition("*")[0].rpartition("/")[0]
    for path in folder.rglob("*") if "*" in pattern else [Path(src) / pattern]:
        if path.is_file() and fnmatch.fnmatch(path.relative_to(src).as_posix(), pattern):
            target = Path(dst) / path.relative_to(src)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


for name, members in {
    "conan": {"ConanFile": ConanFile},
    "conan.errors": {"ConanInvalidConfiguration": InvalidConfiguration},
    "conan.tools": {},
    "conan.tools.files": {"copy": copy, "load": lambda _, file: Path(file).read_text(encoding="utf-8")},
    "conan.tools.layout": {"basic_layout": lambda *_, **__: None},
    "conan.tools.scm": {"Version": Version},
}.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)

spec = importlib.util.spec_from_file_location("recipe", arguments.source / "conanfile.py")
sys.dont_write_bytecode = True
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


exported = arguments.package.with_name(arguments.package.name + "-exported")  # what the recipe finds in Conan's cache


def recipe(compiler, version):
    made = module.MidendConan()
    made.recipe_folder = str(arguments.source)
    made.source_folder = str(exported)
    made.package_folder = str(arguments.package)
    made.settings = types.SimpleNamespace(compiler=type("Compiler", (str,), {"version": version})(compiler))
    made.options = types.SimpleNamespace(with_boost=arguments.with_boost)
    made.required = []
    made.requires = lambda reference, **_: made.required.append(reference)
    made.cpp_info = CppInfo()
    return made


# A compiler that is too old gets one sentence.
try:
    recipe("gcc", "9").validate()
    sys.exit("the recipe takes gcc 9")
except InvalidConfiguration as problem:
    print(problem)

package = recipe("gcc", "12")
for exported_pattern in module.MidendConan.exports_sources:
    copy(None, exported_pattern, arguments.source, exported)
package.set_version()
package.validate()
package.requirements()
package.package()
package.package_info()
properties = package.cpp_info.properties
assert package.required == (["boost/[>=1.74.0]"] if arguments.with_boost else [])
assert package.cpp_info.requires == (["boost::headers"] if arguments.with_boost else [])
assert properties["cmake_config_version_compat"] == "SameMinorVersion"
assert package.package_type == "header-library"

target = properties["cmake_target_name"]
lines = [f"add_library({target} INTERFACE IMPORTED)",
         f"target_include_directories({target} INTERFACE \"{arguments.package}/include\")"]
if arguments.with_boost:
    lines += ["find_package(Boost REQUIRED)", f"target_link_libraries({target} INTERFACE Boost::headers)"]
for alias in properties.get("cmake_target_aliases", []):
    lines += [f"add_library({alias} INTERFACE IMPORTED)", f"target_link_libraries({alias} INTERFACE {target})"]
for build_module in properties["cmake_build_modules"]:
    assert (arguments.package / build_module).is_file(), build_module
    lines.append(f"include(\"{arguments.package / build_module}\")")
arguments.generated.mkdir(parents=True)
(arguments.generated / f"{properties['cmake_file_name']}-config.cmake").write_text("\n".join(lines) + "\n", encoding="utf-8")
