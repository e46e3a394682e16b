#!/usr/bin/env bash
# check_fixed_forms.sh COMPILER INCLUDE_DIR FILE...: with -DMIDEND_FIXED, the programs that must not compile do, so that
# nothing but the named requirement is wrong with them. All are one unit, which first includes what they include, and
# then has each in a namespace of its own.
set -eu
compiler=$1 include_dir=$2
shift 2
if grep -LE '^#if(ndef|def) MIDEND_FIXED$' "$@" | grep .; then
  echo "no fixed form"
  exit 1
fi
number=0 # of a namespace
{
  grep -hE '^#include ' "$@" | sort -u
  for file in "$@"; do
    number=$((number + 1))
    printf 'namespace program_%d {\n#include "%s"\n}\n' "$number" "$file"
  done
} | "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$include_dir" -I"$(dirname "$1")" -DMIDEND_FIXED -x c++ -
echo "$# programs"
