#!/usr/bin/env bash
# canonical_forms.sh PLUGIN MODULE...: what LLVM's loop-simplify and LCSSA find to do after midend's passes, and what
# midend's predicates say of loops that LLVM has brought into these forms. MODULE is bitcode or text.
#
#   after midend-close-loops     LLVM's loop-simplify,lcssa may only clean up: fold phis, and exit branches into one. A
#                                block or phi that it adds for a form (by its name: .preheader, .loopexit, .backedge,
#                                .outer, .lcssa) is a difference.
#   after loop-simplify,lcssa    midend-compare compares its predicates with LLVM's at each loop, and each loop must be
#                                in loop-simplify form unless LLVM itself says that it is not.
set -u
[ $# -ge 2 ] || {
  sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
}
plugin=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MIDEND_AT
failed=0
opt() { opt-19 "-load-pass-plugin=$plugin" "$@"; }

# counts FILE: functions, blocks, phis.
counts() { awk '/^define/ { f++ } /^[^; ].*:( |$)/ { b++ } / = phi / { p++ } END { print f + 0, b + 0, p + 0 }' "$1"; }
# defined FILE: `function name` of each block and phi.
defined() { awk '/^define/ { match($0, /@[^(]+/); f = substr($0, RSTART, RLENGTH) } /^[^; ].*:( |$)/ { print f, $1 } / = phi / { print f, $1 }' "$1" | sort; }

for module in "$@"; do
  name=$(basename "$module")
  opt -passes=instnamer "$module" -o "$work/named.bc" &&
    opt -passes='function(midend-close-loops<verify>,midend-compare)' "$work/named.bc" -o "$work/ours.bc" 2>"$work/ours.log" &&
    opt -passes='instnamer' "$work/ours.bc" -S -o "$work/ours.ll" &&
    opt -passes='function(loop-simplify,lcssa)' "$work/ours.ll" -S -o "$work/theirs.ll" || {
    echo "FAILED: $name: opt"
    tail -n 3 "$work/ours.log"
    failed=1
    continue
  }
  read -r functions blocks phis < <(counts "$work/ours.ll")
  read -r _ blocks_after phis_after < <(counts "$work/theirs.ll")
  comm -13 <(defined "$work/ours.ll") <(defined "$work/theirs.ll") >"$work/added"
  comm -23 <(defined "$work/ours.ll") <(defined "$work/theirs.ll") >"$work/removed"
  added=$(wc -l <"$work/added")
  loops=$(sed -nE 's/^midend-compare: .* ([0-9]+) loops .*/\1/p' "$work/ours.log" | awk '{ s += $1 } END { print s + 0 }')
  simple=$(sed -nE 's/^midend-compare: .* \(([0-9]+) in loop-simplify form.*/\1/p' "$work/ours.log" | awk '{ s += $1 } END { print s + 0 }')
  echo "$name: $functions functions, $loops loops, $simple of them in loop-simplify form after midend-close-loops"
  echo "  then LLVM's loop-simplify,lcssa: $added blocks and phis added, $(wc -l <"$work/removed") removed" \
    "($((blocks - blocks_after)) blocks and $((phis - phis_after)) phis)"
  head -n 5 "$work/added" | sed 's/^/    added: /'
  [ "$added" -eq 0 ] || failed=1

  if opt -passes='function(loop-simplify,lcssa,midend-compare)' "$work/named.bc" -disable-output 2>"$work/theirs.log"; then
    awk -v n="$name" '{ for (i = 2; i <= NF; ++i) if ($i == "loops") l += $(i - 1); else if ($i ~ /^\(/ && $(i + 2) == "loop-simplify") s += substr($i, 2) } END { print "  after LLVM'"'"'s loop-simplify,lcssa: " l " loops, " s " in loop-simplify form by both, no predicate differs" }' "$work/theirs.log"
  else
    echo "FAILED: $name: midend's predicates differ from LLVM's"
    grep differs "$work/theirs.log" | head -n 5
    failed=1
  fi
done
[ $failed -eq 0 ]
