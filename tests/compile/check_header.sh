#!/usr/bin/env bash
# check_header.sh COMPILER INCLUDE_DIR HEADER [FLAG...]: the header compiles alone, twice in a row, without a warning:
# with contract checks by clang, without them by g++, since there are many headers and both are built elsewhere too.
set -eu
compiler=$1 include_dir=$2 header=$3
shift 3
checks=-DNDEBUG
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow=local -Wnon-virtual-dtor -Wold-style-cast -Werror)
if "$compiler" --version | grep -q clang; then
  warnings=("${warnings[@]/-Wshadow=local/-Wshadow}")
  checks=-UNDEBUG
fi
printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
  "$compiler" -std=c++20 -fsyntax-only "$checks" "${warnings[@]}" -I"$include_dir" "$@" -x c++ -
