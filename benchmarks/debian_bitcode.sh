#!/usr/bin/env bash
# debian_bitcode.sh DIRECTORY: makes bitcode of nine programs in C and C++ there, from Debian's source packages, for the
# benchmarks sccp/* and the example llvm_sccp. Needs deb-src lines for apt, clang-19, llvm-link-19 and opt-19. Source files
# that do not compile as they are (without a configured build) are left out.
#
#   NAME-O0.bc  clang -O0, and variables into values (mem2reg)
#   NAME-O1.bc  clang -O1 without its passes; then sroa, early-cse and simplifycfg
set -eu
mkdir -p "$1"
directory=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile NAME PACKAGE FLAGS FILES: FILES are patterns in the source.
compile() {
  local name=$1 package=$2 flags=$3 patterns=$4 level file compiler
  cd "$work"
  rm -rf source objects ./*.dsc
  apt-get source --download-only "$package" >/dev/null
  dpkg-source --extract ./*.dsc source >/dev/null
  cd source
  for level in 0 1; do
    local options=(-O0 -Xclang -disable-O0-optnone) passes=mem2reg
    [ "$level" = 0 ] || { options=(-O1 -Xclang -disable-llvm-passes) passes='sroa,early-cse,simplifycfg'; }
    mkdir -p "$work/objects"
    rm -f "$work"/objects/*
    # shellcheck disable=SC2086
    for file in $patterns; do
      [[ $file != *test* ]] || continue
      compiler=clang-19
      [[ $file == *.c ]] || compiler='clang++-19 -std=c++17'
      $compiler "${options[@]}" -w $flags -emit-llvm -c "$file" -o "$work/objects/${file//\//_}.bc" 2>/dev/null || true
    done
    llvm-link-19 "$work"/objects/*.bc -o "$work/all.bc"
    opt-19 -passes="function($passes)" "$work/all.bc" -o "$directory/$name-O$level.bc"
  done
  echo "$name: $(ls "$work"/objects | wc -l) files"
}

compile zlib zlib1g-dev '-I.' '*.c'
compile lz4 lz4 '-Ilib' 'lib/*.c'
compile zstd libzstd '-Ilib -Ilib/common' 'lib/common/*.c lib/compress/*.c lib/decompress/*.c'
compile cjson cjson '-I.' 'cJSON.c cJSON_Utils.c'
compile double-conversion double-conversion '-I.' 'double-conversion/*.cc'
compile tinyxml2 tinyxml2 '-I.' 'tinyxml2.cpp'
compile pugixml pugixml '-Isrc' 'src/pugixml.cpp'
compile jsoncpp libjsoncpp '-Iinclude' 'src/lib_json/*.cpp'
compile leveldb leveldb '-I. -Iinclude -DLEVELDB_PLATFORM_POSIX' 'db/*.cc table/*.cc util/*.cc'
