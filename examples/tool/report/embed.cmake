# cmake -DOUT=FILE.cpp -DDIR=FOLDER -P embed.cmake: page.html, page.css and page.js as arrays of bytes.
set(text "// Made by embed.cmake of the files in examples/tool/report.\n#include \"report_page.hpp\"\n\nnamespace midend_tool {\n\n")
foreach(kind IN ITEMS html css js)
  file(READ "${DIR}/page.${kind}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}") # lines that compilers can show
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "const unsigned char report_page_${kind}[] = {\n${bytes}\n};\n"
         "const unsigned long long report_page_${kind}_size = sizeof report_page_${kind};\n\n"
  )
endforeach()
string(APPEND text "} // namespace midend_tool\n")
file(WRITE "${OUT}" "${text}")
