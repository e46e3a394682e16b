#!/usr/bin/env bash
# debian_bitcode.sh [--slots | --more] DIRECTORY: makes bitcode of nine programs in C and C++ there, from Debian's source packages,
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
#
# With --more, eleven other programs, which nothing was tuned for, by the same options: for the benchmarks loop_forms/*. Two
# of them need libogg-dev.
set -eu
levels='0 1'
more=0
[ "$1" != --slots ] || { levels=slots && shift; }
[ "$1" != --more ] || { more=1 && shift; }
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

if [ "$more" = 1 ]; then
  compile lame lame '-I. -Iinclude -Impglib -Ilibmp3lame -DHAVE_CONFIG_H -DHAVE_MPGLIB' 'libmp3lame/*.c mpglib/*.c' \
    './configure'
  compile onig libonig '-Isrc -DHAVE_CONFIG_H' \
    'src/reg*.c src/ascii.c src/utf8.c src/unicode.c src/onig_init.c src/st.c' \
    'printf "#define %s\n" "SIZEOF_INT 4" "SIZEOF_LONG 8" "SIZEOF_LONG_LONG 8" "SIZEOF_VOIDP 8" "HAVE_ALLOCA_H 1" \
      "HAVE_STDINT_H 1" "HAVE_INTTYPES_H 1" "HAVE_SYS_TYPES_H 1" "HAVE_UNISTD_H 1" >src/config.h'
  compile theora libtheora '-Iinclude -Ilib' 'lib/[!e]*.c lib/enc[!o]*.c lib/encode.c lib/enquant.c'
  compile vorbis libvorbis '-Iinclude -Ilib' 'lib/[!bpt]*.c lib/bitrate.c lib/block.c lib/psy.c'
  compile webp libwebp '-I. -Isrc' \
    'src/dec/*.c src/enc/*.c src/dsp/*.c src/utils/*.c src/mux/*.c src/demux/*.c'
  compile openjpeg openjpeg2 '-Isrc/lib/openjp2' \
    'src/lib/openjp2/[!bot]*.c src/lib/openjp2/open*.c src/lib/openjp2/opj_malloc.c src/lib/openjp2/t[!1e]*.c src/lib/openjp2/t1.c' \
    'printf "#define %s\n" "OPJ_HAVE_STDINT_H 1" "OPJ_VERSION_MAJOR 2" "OPJ_VERSION_MINOR 5" "OPJ_VERSION_BUILD 0" \
      >src/lib/openjp2/opj_config.h
     printf "#define %s\n" "OPJ_HAVE_INTTYPES_H 1" "OPJ_PACKAGE_VERSION \"2.5.0\"" "OPJ_HAVE_POSIX_MEMALIGN" \
      "_POSIX_C_SOURCE 200112L" >src/lib/openjp2/opj_config_private.h'
  compile potrace potrace '-I. -Isrc -DHAVE_CONFIG_H' 'src/[!mp]*.c src/potracelib.c' './configure'
  compile faad2 faad2 '-Iinclude -Ilibfaad -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_STRING_H -DHAVE_LRINTF -DSTDC_HEADERS -DPACKAGE_VERSION="2"' \
    'libfaad/*.c'
  compile modplug libmodplug '-Isrc -Isrc/libmodplug -I. -DHAVE_CONFIG_H -std=c++14' 'src/*.cpp' './configure'
  compile protobuf-c protobuf-c '-I.' 'protobuf-c/*.c'
  compile snappy snappy '-I. -DNDEBUG' 'snappy*.cc' \
    'sed "s/[$]{HAVE_SYS_UIO_H_01}/1/; s/[$]{PROJECT_VERSION_[A-Z]*}/1/" snappy-stubs-public.h.in >snappy-stubs-public.h'
  exit
fi
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
