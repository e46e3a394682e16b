# midend_llvm: LLVM 19's headers and library, for adapters/llvm.hpp and the peers of the benchmarks. There only if LLVM
# 19 is installed; what needs it says `if(TARGET midend_llvm)`.
#
# llvm-config is asked instead of LLVM's own package files: those look for every library LLVM was built with, and fail
# where a development package of one is missing.
find_program(MIDEND_LLVM_CONFIG NAMES llvm-config-19)
mark_as_advanced(MIDEND_LLVM_CONFIG)
if(NOT MIDEND_LLVM_CONFIG)
  message(STATUS "midend: llvm-config-19 not found (Debian: llvm-19-dev), nothing that needs LLVM is built")
  return()
endif()

function(midend_ask_llvm variable)
  execute_process(
    COMMAND "${MIDEND_LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
  )
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

midend_ask_llvm(midend_llvm_includedir --includedir)
midend_ask_llvm(midend_llvm_libs --link-shared --libs core irreader analysis bitreader support)
midend_ask_llvm(midend_llvm_libdir --libdir)
separate_arguments(midend_llvm_libs)

if(EXISTS "${midend_llvm_includedir}/llvm/IR/Function.h")
  add_library(midend_llvm INTERFACE)
  target_include_directories(midend_llvm SYSTEM INTERFACE "${midend_llvm_includedir}")
  target_link_directories(midend_llvm INTERFACE "${midend_llvm_libdir}")
  target_link_libraries(midend_llvm INTERFACE ${midend_llvm_libs})
endif()
