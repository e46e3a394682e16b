# midend_program_for_tests(TARGET [EXCEPTIONS]): with MIDEND_PROGRAMS_FOR_TESTS, the program is compiled for tests of what it
# prints: with -O1, a third faster than with -O3, and without exceptions and RTTI, unless it needs them. So examples are
# compiled once in a run of all tests, not a second time to show that midend needs neither.
function(midend_program_for_tests target)
  if(NOT MIDEND_PROGRAMS_FOR_TESTS OR MSVC)
    return()
  endif()
  target_compile_options(${target} PRIVATE -O1)
  if(NOT "EXCEPTIONS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  endif()
endfunction()
