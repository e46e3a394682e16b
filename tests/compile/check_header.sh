#!/usr/bin/env bash
# check_header.sh COMPILER INCLUDE_DIR HEADERS [FLAG...]: the headers (one, or several in one word with spaces) compile as
# the only ones of a unit, twice in a row, without a warning: with contract checks by clang, without them by g++, since
# there are many headers and both are built elsewhere too.
set -eu
compiler=$1 include_dir=$2 headers=$3
shift 3
checks=-DNDEBUG
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Werror)
if "$compiler" --version | grep -q clang; then
  checks=-UNDEBUG
fi
for _ in once twice; do
  # shellcheck disable=SC2086
  printf '#include "%s"\n' $headers
done | "$compiler" -std=c++20 -fsyntax-only "$checks" "${warnings[@]}" -I"$include_dir" "$@" -x c++ -
