# Toolchain file for Debian's cross compilers: cmake -DCMAKE_TOOLCHAIN_FILE=… -DMIDEND_MACHINE=s390x|aarch64|i686
#
# Programs are linked statically, so that qemu-user needs no libraries of the machine to run them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${MIDEND_MACHINE}")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MIDEND_MACHINE)
set(CMAKE_CXX_COMPILER "${MIDEND_MACHINE}-linux-gnu-g++")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_FIND_ROOT_PATH "/usr/${MIDEND_MACHINE}-linux-gnu")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH) # libraries that are headers only are the same everywhere
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_DISABLE_FIND_PACKAGE_LLVM ON)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}") # FindZLIB.cmake
