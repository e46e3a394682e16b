#!/usr/bin/env bash
# real_programs.sh PLUGIN [RUNS]: compiles sqlite3 of Debian's source package, as one file, with and without the plugin at -O0
# and -O2. Prints what the plugin counts, and the least user time of RUNS runs (3): without the plugin, with it, and with
# it and the advice. Fails if an answer differs from GCC's, a view is wrong, or the assembly differs.
#
# The source package is downloaded, or taken from MIDEND_SOURCES (*.dsc with what belongs to it). Without it, or without
# tclsh, the exit status is 77.
set -u
[ $# -ge 1 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
plugin=$(realpath "$1") runs=${2-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in gcc-12 tclsh make dpkg-source; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done

mkdir "$work/dsc"
if [ -n "${MIDEND_SOURCES-}" ]; then
  cp "$MIDEND_SOURCES"/sqlite3_* "$work/dsc" 2>/dev/null
else # lists of source packages in a place of their own, from where the binary packages come
  mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial}
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null | sort -u \
    >"$work/apt/parts/sources.list"
  apt=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/parts" -o "Dir::State::Lists=$work/apt/lists"
    -o "Dir::Cache=$work/apt/cache")
  apt-get "${apt[@]}" -qq update >/dev/null 2>&1 &&
    (cd "$work/dsc" && apt-get "${apt[@]}" -qq source --download-only sqlite3 >/dev/null 2>&1)
fi
dpkg-source --no-check --skip-patches --extract "$work"/dsc/*.dsc "$work/sqlite3" >/dev/null 2>&1 ||
  { echo 'skipped: sqlite3, no source package'; exit 77; }
(mkdir "$work/sqlite3/build" && cd "$work/sqlite3/build" && ../configure --disable-tcl --disable-readline && make sqlite3.c) \
  >"$work/sqlite3.log" 2>&1 || { tail -n 5 "$work/sqlite3.log"; exit 1; }

status=0
# compile NAME OPTION...: $work/NAME.s and .log; prints the least user time.
compile() {
  local name=$1 best='' TIMEFORMAT=%U seconds
  shift
  for ((run = 0; run != runs; ++run)); do
    seconds=$({ time gcc-12 -w -DSQLITE_THREADSAFE=0 "-I$work/sqlite3/build" -S "$work/sqlite3/build/sqlite3.c" -o "$work/$name.s" \
      "$@" 2>"$work/$name.log"; } 2>&1) || seconds=failed
    best=$(printf '%s\n' "$seconds" $best | sort -g | head -n 1)
  done
  echo "$best s"
}
for level in 0 2; do
  echo "-O$level without the plugin: $(compile plain -O$level)"
  echo "-O$level with the plugin:    $(compile with -O$level "-fplugin=$plugin")"
  echo "-O$level and the advice:     $(compile advice -O$level "-fplugin=$plugin" -fplugin-arg-midend-advise)"
  grep '^midend' "$work/advice.log"
  for name in with advice; do
    cmp "$work/plain.s" "$work/$name.s" || status=1
    grep -q ': 0 answers differ from GCC' "$work/$name.log" && grep -q ', 0 views wrong' "$work/$name.log" || status=1
  done
done
exit $status
