#!/usr/bin/env bash
# check_standard.sh INCLUDE_DIR: the headers in INCLUDE_DIR/midend are standard C++20 outside config.hpp, where each
# extension has a branch for other compilers. -Wpedantic says nothing of attributes, built-in functions and what
# `__extension__` precedes, so their names are searched for. And no header depends on the size of `long` or on the locale.
set -u
cd "$1" || exit 1
find midend -name '*.hpp' ! -path midend/config.hpp | sort | xargs awk '
  function wrong(what) {
    printf "include/%s:%d: %s: %s\n", FILENAME, FNR, what, $0
    ++bad
  }
  FNR == 1 { ++files; comment = 0 }
  {
    text = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
    gsub(/\x27([^\x27\\]|\\.)\x27/, "0", text)
    while (match(text, /\/\*([^*]|\*[^\/])*\*\//)) text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
    if (comment) { if (!sub(/^.*\*\//, "", text)) next; comment = 0 }
    sub(/\/\/.*/, "", text)
    if (sub(/\/\*.*/, "", text)) comment = 1

    names = text
    gsub(/[^A-Za-z0-9_]+/, " ", names)
    count = split(names, name, " ")
    for (i = 1; i <= count; ++i) {
      if (name[i] ~ /^(__cpp_[a-z_]+|__VA_ARGS__|__VA_OPT__|__FILE__|__LINE__|__has_include|__has_cpp_attribute)$/) continue
      if (name[i] ~ /^(__|_[A-Z])/) wrong("the name " name[i] " belongs to compilers")
      if (name[i] ~ /^(typeof|asm|alloca)$/) wrong("the extension " name[i])
      if (name[i] == "long" && name[i + 1] == "long") { ++i; continue }
      if (name[i] == "long" && name[i + 1] != "double" && FILENAME !~ /\/adapters\//) wrong("the size of long differs")
    }
    if (text ~ /\[\[[ \t]*(using[ \t]+)?[a-z_]+[ \t]*:/) wrong("an attribute of one compiler")
    if (text ~ /^[ \t]*#[ \t]*pragma/ && text !~ /pragma[ \t]+once[ \t]*$/) wrong("a pragma")
    if (text ~ /\?[ \t]*:[^:]/) wrong("a conditional without its second operand")
    if (text ~ /case [^:?]*\.\.\./) wrong("a range of cases")
    if (match(text, /(^|[^a-z_0-9])(strto[a-z]+|ato[ifl]l?|sto[a-z]{1,3}|[a-z]*printf|[a-z]*scanf|setlocale|is(alpha|digit|alnum|space|upper|lower|print|xdigit|punct)|to(lower|upper))[ \t]*\(/))
      wrong("follows the locale; <charconv> does not")
  }
  END { printf "%d headers read, %d wrong lines\n", files, bad; exit bad || !files }
'
