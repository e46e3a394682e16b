#!/usr/bin/env bash
# count.sh SOURCE COMPILER: how many instructions the analyses execute for each block of sqlite3's functions at -O0, in
# comparison with the limits below, about 2 % above what was measured. Counted by cachegrind, so neither the machine nor its load matters. Exit status 77: not
# comparable, for lack of valgrind or because the compiler is not the one that the limits were taken with.
set -u
source=$1 compiler=$2
case $(uname -m)-$("$compiler" -dumpfullversion -dumpversion 2>/dev/null) in
  x86_64-12.*) ;;
  *) echo "the limits are those of g++ 12 on x86-64" && exit 77 ;;
esac
command -v valgrind >/dev/null || { echo "no valgrind" && exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$compiler" -std=c++20 -O2 -DNDEBUG -I"$source/include" -I"$source/tests" \
  "$source/tests/instructions/analyses.cpp" "$source/tests/corpus/corpus.cpp" -lz -o "$work/analyses" || exit 1
zcat "$source/tests/data/corpus/sqlite3-O0.cfg.gz" >"$work/sqlite3.cfg" || exit 1

# executed ANALYSIS ROUNDS
executed() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$work/analyses" "$work/sqlite3.cfg" "$1" "$2" 2>&1 |
    awk '/I *refs/ { gsub(",", "", $NF); print $NF }'
}

# The first round also allocates what is kept.
status=0
while read -r analysis limit; do
  blocks=$("$work/analyses" "$work/sqlite3.cfg" "$analysis" 1) || exit 1
  once=$(executed "$analysis" 1) twice=$(executed "$analysis" 2)
  per_block=$(((twice - once + blocks / 2) / blocks))
  verdict=
  [ "$per_block" -gt 0 ] && [ "$per_block" -le "$limit" ] || { verdict=", too many" && status=1; }
  echo "$analysis: $per_block instructions a block, at most $limit$verdict"
done <<'LIMITS'
components 99
immediate-dominators 122
dominators 149
dominators-by-value 165
post-dominators-by-value 228
cycles 139
dominators-and-loops 229
LIMITS
exit $status
