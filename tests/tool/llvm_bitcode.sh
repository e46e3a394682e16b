#!/usr/bin/env bash
# llvm_bitcode.sh PROGRAM CLANG SOURCE_DIR: compiles a real source file to bitcode, as written and optimised, and lets
# the program, llvm_compare or llvm_liveness, look for an answer that differs from LLVM's.
set -eu
program=$1 clang=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for level in O0 O2; do
  "$clang" -std=c++20 -$level -emit-llvm -c "$source/tests/corpus/corpus.cpp" -I"$source/tests" -I"$source/include" -o "$work/$level.bc"
done
"$program" "$work/O0.bc" "$work/O2.bc"
