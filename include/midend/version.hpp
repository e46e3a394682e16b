/// The version of midend: the one source that CMake, Conan and the vcpkg port read.
#pragma once

#define MIDEND_VERSION_MAJOR 0
#define MIDEND_VERSION_MINOR 1
#define MIDEND_VERSION_PATCH 0
