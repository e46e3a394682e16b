#!/usr/bin/env bash
# debian_bitcode.sh [--slots] DIRECTORY: makes bitcode of nine programs in C and C++ there, from Debian's source packages,
# for the benchmarks sccp/* and the example llvm_sccp. Needs deb-src lines for apt, clang-19, llvm-link-19 and opt-19.
# Source files that do not compile as they are (without a configured build) are left out.
#
#   NAME-O0.bc  clang -O0, and variables into values (mem2reg)
#   NAME-O1.bc  clang -O1 without its passes; then sroa, early-cse and simplifycfg
#
# With --slots, the files are for the benchmarks construct_ssa/* and midend_mem2reg_comparison, also of Lua, sqlite3 and four
# programs more:
#
#   NAME-slots.bc  clang -O0: variables are in memory
set -eu
levels='0 1'
[ "$1" != --slots ] || { levels=slots && shift; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile NAME PACKAGE FLAGS FILES [PREPARE]: FILES are patterns in the source; PREPARE runs there before.
compile() {
  local name=$1 package=$2 flags=$3 patterns=$4 prepare=${5-} level file compiler
  cd "$work"
  rm -rf source objects ./*.dsc
  apt-get source --download-only "$package" >/dev/null
  dpkg-source --extract ./*.dsc source >/dev/null
  cd source
  eval "$prepare" >/dev/null
  for level in $levels; do
    local options=(-O0 -Xclang -disable-O0-optnone) passes=mem2reg
    [ "$level" != 1 ] || { options=(-O1 -Xclang -disable-llvm-passes) passes='sroa,early-cse,simplifycfg'; }
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
    if [ "$level" = slots ]; then
      cp "$work/all.bc" "$directory/$name-slots.bc"
    else
      opt-19 -passes="function($passes)" "$work/all.bc" -o "$directory/$name-O$level.bc"
    fi
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
if [ "$levels" = slots ]; then
  compile lua lua5.4 '-Isrc' 'src/l[!u]*.c src/lua.c src/lundump.c src/lutf8lib.c' \
    'echo "#define DEB_HOST_MULTIARCH \"\"" >src/lua5.4-deb-multiarch.h'
  compile sqlite3 sqlite3 '-I.' 'sqlite3.c' './configure --disable-tcl && make sqlite3.c'
  compile bzip2 bzip2 '' 'blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c'
  compile tree-sitter libtree-sitter0 '-Ilib/include -Ilib/src' 'lib/src/lib.c'
  compile re2 libre2-9 '-I.' 're2/*.cc util/rune.cc util/strutil.cc'
  compile gawk gawk '-I. -Isupport -DGAWK -DHAVE_CONFIG_H -DLOCALEDIR=""' '*.c support/*.c' './configure'
fi
