#!/usr/bin/env bash
# sqlite3_bitcode.sh DIRECTORY: makes sqlite3.bc, sqlite3-O1.bc and sqlite3-O2.bc there, from Debian's source package,
# for the benchmarks sccp/*/sqlite3 and the examples llvm_sccp and llvm_unroll. Needs deb-src lines for apt, clang-19 and
# opt-19.
#
#   sqlite3.bc     clang -O0, and variables into values (mem2reg)
#   sqlite3-O1.bc  clang -O1 without its passes; then sroa, early-cse and simplifycfg, none of which propagates
#                  constants along branches
#   sqlite3-O2.bc  clang -O2 without vectorizers and without unrolling, with lines of the source
set -eu
mkdir -p "$1"
directory=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get source --download-only sqlite3 >/dev/null
dpkg-source --extract ./*.dsc source >/dev/null
cd source
./configure --disable-tcl >/dev/null
make sqlite3.c >/dev/null
clang-19 -O0 -Xclang -disable-O0-optnone -emit-llvm -c sqlite3.c -o "$work/O0.bc"
opt-19 -passes=mem2reg "$work/O0.bc" -o "$directory/sqlite3.bc"
clang-19 -O1 -Xclang -disable-llvm-passes -emit-llvm -c sqlite3.c -o "$work/O1.bc"
opt-19 -passes='sroa,early-cse,simplifycfg' "$work/O1.bc" -o "$directory/sqlite3-O1.bc"
clang-19 -O2 -fno-vectorize -fno-slp-vectorize -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -c sqlite3.c \
  -o "$work/O2.bc"
opt-19 -passes='default<O2>' -disable-loop-unrolling -vectorize-loops=false -vectorize-slp=false "$work/O2.bc" \
  -o "$directory/sqlite3-O2.bc"
