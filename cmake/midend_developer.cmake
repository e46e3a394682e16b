# How midend is built when it is the top-level project.

# Programs in build/<preset>/bin.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MIDEND_CCACHE ccache)
  mark_as_advanced(MIDEND_CCACHE)
  if(MIDEND_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${MIDEND_CCACHE}")
  endif()
endif()

# For who builds all tests: g++ collects its garbage when it has a gigabyte, not each time that it has grown by a half.
# That is a tenth of its time.
if(MIDEND_BATCHED_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000)
endif()

# The manual as a searchable site, in build/manual/site of the source tree: cmake --build BUILD --target midend_docs
add_custom_target(midend_docs COMMAND bash "${PROJECT_SOURCE_DIR}/docs/build.sh" USES_TERMINAL VERBATIM)
