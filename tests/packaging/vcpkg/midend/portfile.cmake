# An overlay port that installs the source tree it lies in: vcpkg install midend --overlay-ports=tests/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

# The files of the port decide whether vcpkg's binary cache is used. content.sha256 is the hash of what is installed, so
# that headers that have changed are not taken from the cache.
include("${CMAKE_CURRENT_LIST_DIR}/content_hash.cmake")
midend_content_hash("${SOURCE_PATH}" content_hash)
file(READ "${CMAKE_CURRENT_LIST_DIR}/content.sha256" written_hash)
string(STRIP "${written_hash}" written_hash)
if(NOT content_hash STREQUAL written_hash)
    message(FATAL_ERROR "midend's sources have changed since the port was written: run `cmake -P tests/packaging/vcpkg/content_hash.cmake` in ${SOURCE_PATH}, then install again.")
endif()

set(VCPKG_BUILD_TYPE release) # headers only: one configuration is enough

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DMIDEND_INSTALL=ON
        -DMIDEND_BUILD_TESTS=OFF
        -DMIDEND_BUILD_EXAMPLES=OFF
        -DMIDEND_BUILD_BENCHMARKS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/midend)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
