# midend_test_batches(VARIABLE DIRECTORY BYTES SOURCE...): the same tests in fewer translation units, of about BYTES bytes
# each, written to DIRECTORY. Most of the time of a test's compilation goes into headers and into templates that its
# neighbours instantiate too; in a batch, that is done once.
#
# A batch includes what its tests include, and then each test in a namespace of its own, so that their names do not meet.
# What a test includes again is not read again. Tests that define macros, or open a named namespace or one of their own
# templates elsewhere, stay alone, and so does what is no test.
function(midend_test_batches variable directory bytes)
  set(result)
  set(headers)
  set(tests)
  set(number 0)
  set(batches 0)
  set(filled 0)
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" alone REGEX "^ *# *(define|undef) |^namespace [a-z_:]+ {|^(struct|class) [a-z_]+::|^template <> .*(std|doctest)::|^void.* operator (new|delete)|^#if .*\\\\$")
    if(alone OR NOT source MATCHES "_test\\.cpp$")
      list(APPEND result "${source}")
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}") # its list of headers
    # What is included under a condition is included under the same one.
    file(STRINGS "${source}" directives REGEX "^ *# *(include|if|ifdef|ifndef|elif|else|endif)")
    list(JOIN directives "\n" directives)
    string(APPEND headers "${directives}\n")
    math(EXPR number "${number} + 1")
    string(APPEND tests "namespace test_${number} {\n#include \"${source}\"\n}\n")
    file(SIZE "${source}" size)
    math(EXPR filled "${filled} + ${size}")
    if(filled GREATER_EQUAL bytes)
      _midend_write_batch()
    endif()
  endforeach()
  if(filled GREATER 0)
    _midend_write_batch()
  endif()
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

macro(_midend_write_batch)
  math(EXPR batches "${batches} + 1")
  set(batch "${directory}/batch_${batches}.cpp")
  file(CONFIGURE OUTPUT "${batch}" CONTENT "// Written by CMake.\n@headers@\n@tests@" @ONLY)
  list(APPEND result "${batch}")
  set(headers)
  set(tests)
  set(filled 0)
endmacro()
