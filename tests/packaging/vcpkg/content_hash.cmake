# cmake -P tests/packaging/vcpkg/content_hash.cmake          writes midend/content.sha256 anew
# cmake -DCHECK=ON -P tests/packaging/vcpkg/content_hash.cmake   fails if it is out of date
#
# vcpkg takes a package from its binary cache if the files of the port are the same. The port installs headers that are
# not among them, so it carries their hash.
include("${CMAKE_CURRENT_LIST_DIR}/midend/content_hash.cmake")
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(file "${CMAKE_CURRENT_LIST_DIR}/midend/content.sha256")
midend_content_hash("${source}" hash)
if(NOT CHECK)
  file(WRITE "${file}" "${hash}\n")
  message(STATUS "content.sha256: ${hash}")
  return()
endif()
set(written "")
if(EXISTS "${file}")
  file(READ "${file}" written)
  string(STRIP "${written}" written)
endif()
if(NOT hash STREQUAL written)
  message(FATAL_ERROR "tests/packaging/vcpkg/midend/content.sha256 is out of date: run cmake -P tests/packaging/vcpkg/content_hash.cmake")
endif()
message(STATUS "content.sha256 is up to date")
