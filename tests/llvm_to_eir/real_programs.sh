#!/usr/bin/env bash
# real_programs.sh BIN [--compare|--unrolling] [RUNS]: makes modules of sqlite3 and Lua 5.4 from Debian's source packages, at -O0 with
# values in place of stack slots (mem2reg) and at -O1 without vectors, and runs translated_programs.sh on them with RUNS
# inputs for each function (4). With --compare, prints the table of package_comparison.py instead; with --unrolling, those
# of unrolling_comparison.py.
#
# The source packages are downloaded each time, or taken from MIDEND_SOURCES (*.dsc with what belongs to them). What is
# missing is skipped with a message; if everything is, the exit status is 77.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
bin=$(realpath "$1") comparison=
shift
case ${1-} in
--compare) comparison=package_comparison.py ;;
--unrolling) comparison=unrolling_comparison.py ;;
esac
[ -z "$comparison" ] || shift
runs=${1-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in clang-19 opt-19 llvm-link-19 dpkg-source; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done

# Lists of source packages in a place of their own, from where the binary packages come.
apt=()
lists() {
  [ ${#apt[@]} -eq 0 ] || return 0
  mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial}
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null | sort -u \
    >"$work/apt/parts/sources.list"
  apt=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/parts" -o "Dir::State::Lists=$work/apt/lists"
    -o "Dir::Cache=$work/apt/cache")
  apt-get "${apt[@]}" -qq update >/dev/null 2>&1
}

# source_of PACKAGE: unpacks it as $work/PACKAGE, as upstream has it.
source_of() {
  mkdir "$work/dsc-$1"
  if [ -n "${MIDEND_SOURCES-}" ]; then
    cp "$MIDEND_SOURCES/$1"_* "$work/dsc-$1" 2>/dev/null
  else
    lists && (cd "$work/dsc-$1" && apt-get "${apt[@]}" -qq source --download-only "$1" >/dev/null 2>&1)
  fi
  dpkg-source --no-check --skip-patches --extract "$work/dsc-$1"/*.dsc "$work/$1" >/dev/null 2>&1 ||
    { echo "skipped: $1, no source package"; return 1; }
}

modules=()
# module NAME FLAGS... FILES.c
module() {
  local name=$1 options=() sources=() argument source level
  shift
  for argument in "$@"; do
    if [[ $argument == *.c ]]; then sources+=("$argument"); else options+=("$argument"); fi
  done
  for level in 0 1; do
    mkdir "$work/$name-O$level"
    for source in "${sources[@]}"; do
      clang-19 -O$level -Xclang -disable-O0-optnone -fno-vectorize -fno-slp-vectorize -w "${options[@]}" -emit-llvm -c "$source" \
        -o "$work/$name-O$level/$(basename "$source" .c).bc" || return
    done
    llvm-link-19 "$work/$name-O$level"/*.bc -o "$work/linked.bc" || return
    opt-19 "-passes=$([ $level -eq 0 ] && echo mem2reg || echo verify)" "$work/linked.bc" -o "$work/$name-O$level.bc" || return
    modules+=("$work/$name-O$level.bc")
  done
}

if source_of lua5.4; then
  module lua5.4 -DLUA_USE_POSIX "-I$work/lua5.4/src" $(ls "$work"/lua5.4/src/*.c | grep -v '/luac\.c$')
fi
if ! command -v tclsh >/dev/null; then
  echo "skipped: sqlite3, no tclsh"
elif source_of sqlite3; then
  (mkdir "$work/sqlite3/build" && cd "$work/sqlite3/build" && ../configure --disable-tcl --disable-readline && make sqlite3.c) \
    >"$work/sqlite3.log" 2>&1 && module sqlite3 -DSQLITE_THREADSAFE=0 "-I$work/sqlite3/build" "$work/sqlite3/build/sqlite3.c"
fi
[ ${#modules[@]} -ne 0 ] || exit 77
if [ -n "$comparison" ]; then
  python3 "$here/$comparison" "$bin" "${modules[@]}"
else
  bash "$here/translated_programs.sh" "$bin" "$runs" "${modules[@]}"
fi
