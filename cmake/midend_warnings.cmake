# midend_warnings: what midend's own programs are compiled with.
add_library(midend_warnings INTERFACE)
if(MSVC)
  target_compile_options(midend_warnings INTERFACE /W4 /permissive- "$<$<BOOL:${MIDEND_WERROR}>:/WX>")
else()
  target_compile_options(
    midend_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion "$<$<BOOL:${MIDEND_WERROR}>:-Werror>"
  )
endif()
# g++ 12 sees overlapping copies in std::string's operator+ that cannot happen (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(midend_warnings INTERFACE -Wno-restrict)
endif()
