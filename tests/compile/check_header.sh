#!/usr/bin/env bash
# check_header.sh COMPILER INCLUDE_DIR HEADER [FLAG...]: the header compiles alone, twice in a row, without a warning.
set -eu
compiler=$1 include_dir=$2 header=$3
shift 3
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow=local -Wnon-virtual-dtor -Wold-style-cast -Werror)
if "$compiler" --version | grep -q clang; then
  warnings=("${warnings[@]/-Wshadow=local/-Wshadow}")
fi
for checks in -UNDEBUG -DNDEBUG; do
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$compiler" -std=c++20 -fsyntax-only "$checks" "${warnings[@]}" -I"$include_dir" "$@" -x c++ -
done
