#!/usr/bin/env bash
# precompile.sh COMPILER INCLUDE_DIR HEADER: writes HEADER, which includes midend.hpp, and precompiles it for
# check_rejects.sh. Reading the library takes most of the time of a program that must not compile.
set -eu
compiler=$1 include_dir=$2 header=$3
mkdir -p "$(dirname "$header")"
printf '#include "midend/midend.hpp"\n' >"$header"
suffix=gch
if "$compiler" --version | grep -q clang; then
  suffix=pch
fi
"$compiler" -std=c++20 -Wall -Wextra -Werror -I"$include_dir" -x c++-header "$header" -o "$header.$suffix"
