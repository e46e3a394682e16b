#!/usr/bin/env bash
# tool_test.sh TOOL CORPUS_DIR: what `midend` does beyond the plain answers: selection, pictures, statistics, commands and
# kinds of later versions, malformed files, and output that cannot be written. Prints PASS or FAIL for each case.
set -u
tool=$1 corpus=$2 subcommand=
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

cat >"$work/three.cfg" <<'CFG'
# three functions
function first
blocks 3
succ 0 1
succ 1 1 2
succ 2
end
function a/b
blocks 1
succ 0
end
function ../third
blocks 4
succ 0 2
succ 1 2
succ 2 3
succ 3 2
vars 1
def 0 0
use 3 0
end
CFG
first=$'function first\nidom -1 0 1\ndf 1 1\nproots 2\nipdom 1 2 -1\nscc 2 1 0
loop 1 -1 1 : 1 ; latches 1 ; preheader 0 ; exiting 1 ; exits 2\ncycle 1 -1 : 1 : 1\nend'
second=$'function a/b\nidom -1\nproots 0\nipdom -1\nscc 0\nend'
third=$'function ../third\nidom -1 -1 0 2\ndf 2 2\ndf 3 2\nproots 3\nipdom 2 2 3 -1\nscc 1 -1 0 0
loop 2 -1 1 : 2 3 ; latches 3 ; preheader -1 ; exiting ; exits\ncycle 1 -1 : 2 : 2 3\nlivein 1 0\nlivein 2 0\nlivein 3 0\nend'

prints "all kinds by default" "$first"$'\n'"$second"$'\n'"$third" cfg "$work/three.cfg"
prints "kinds in the order of the format" "$first" cfg --only=cycle,loop,ipdom,scc,df,idom --function=first "$work/three.cfg"
prints "several functions, in the order of the file" "$first"$'\n'"$third" \
  cfg --function=../third --function=first "$work/three.cfg"
prints "no functions" "" cfg /dev/null
says "unknown function" 1 "$work/three.cfg: error: there is no function 'fourth'" \
  cfg --function=first --function=fourth "$work/three.cfg"

says "unknown kind" 2 "midend cfg: --only: unknown kind 'idoms', expected one of: idom,df,ipdom,scc,loop,cycle,phi,livein" cfg --only=idoms "$work/three.cfg"
says "empty kind" 2 "midend cfg: --only: unknown kind '', expected one of: idom,df,ipdom,scc,loop,cycle,phi,livein" cfg --only=idom, "$work/three.cfg"

prints "roots of a policy" $'function ../third\nproots\nipdom -1 -1 -1 -1\nend' \
  cfg --only=ipdom --roots=exits_only --function=../third "$work/three.cfg"
prints "roots of the default policy" "$("$tool" cfg --only=ipdom "$work/three.cfg")" \
  cfg --only=ipdom --roots=virtual_edge_per_endless_region "$work/three.cfg"
printf 'function ../third\nidom\nproots 2\nend\nfunction first\nproots 1\nend\n' >"$work/roots.expect"
prints "roots from a file, in another order" \
  $'function first\nproots 1\nipdom 1 -1 -1\nend\nfunction ../third\nproots 2\nipdom 2 2 -1 2\nend' \
  cfg --only=ipdom --roots-from="$work/roots.expect" --function=first --function=../third "$work/three.cfg"
says "unknown roots" 2 "midend cfg: --roots: unknown policy 'all', expected one of: virtual_edge_per_endless_region, exits_only" \
  cfg --roots=all "$work/three.cfg"
says "roots twice" 2 "midend cfg: --roots and --roots-from exclude each other" \
  cfg --roots=exits_only --roots-from="$work/roots.expect" "$work/three.cfg"
says "roots of a function are missing" 1 "$work/roots.expect: error: there is no function 'a/b'" \
  cfg --only=ipdom --roots-from="$work/roots.expect" --function=a/b "$work/three.cfg"
prints "roots that nobody asks for may be missing" $'function a/b\nidom -1\nend' \
  cfg --only=idom --roots-from="$work/roots.expect" --function=a/b "$work/three.cfg"
# bad_roots NAME PLACE MESSAGE TEXT: of the file with the roots.
bad_roots() {
  printf "$4" >"$work/bad.expect"
  says "bad roots: $1" 1 "$work/bad.expect$2: error: $3" \
    cfg --only=ipdom --function=first --roots-from="$work/bad.expect" "$work/three.cfg"
}
bad_roots "no such block" :2 "function 'first' has 3 blocks, and no block 3" 'function first\nproots 1 3\nend\n'
bad_roots "no number" :2:8 "expected a block, found '-1'" 'function first\nproots -1\nend\n'
bad_roots "no roots" :2:1 "function 'first' has no 'proots' line" 'function first\nend\n'
bad_roots "roots again" :3:1 "function 'first' has another 'proots' line" 'function first\nproots 1\nproots 2\nend\n'
bad_roots "no end" :3:1 "the file ends within function 'first' of line 1, expected 'end'" 'function first\nproots 1\n'
bad_roots "no end before the next" :3:1 "expected 'end', found 'function'" 'function first\nproots 1\nfunction g\n'
bad_roots "a function twice" :4:10 "there is another function 'first' in this file" \
  'function first\nproots 1\nend\nfunction first\nproots 1\nend\n'
bad_roots "nothing" "" "there is no function 'first'" ''
says "no file with roots" 1 "$work/nowhere.expect: error: cannot be opened: No such file or directory" \
  cfg --roots-from="$work/nowhere.expect" "$work/three.cfg"

says "usage is checked before the file" 2 "midend cfg: --only: unknown kind 'x', expected one of: idom,df,ipdom,scc,loop,cycle,phi,livein" \
  cfg --only=x "$work/nowhere.cfg"
run "two files" 2 cfg "$work/three.cfg" "$work/three.cfg" && pass "two files"
run "--version" 0 --version &&
  { grep -qE '^midend [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" && pass "--version" || fail "--version" "$(cat "$work/out")"; }

# malformed NAME PLACE MESSAGE TEXT
malformed() {
  printf "$4" >"$work/bad.cfg"
  says "malformed: $1" 1 "$work/bad.cfg:$2: error: $3" cfg "$work/bad.cfg"
}
malformed "no function" 1:1 "expected 'function', found 'blocks'" 'blocks 1\n'
malformed "same name twice" 5:10 "there is another function 'f' in this file" \
  'function f\nblocks 1\nsucc 0\nend\nfunction f\nblocks 1\nsucc 0\nend\n'
malformed "block out of range" 3:8 "'2' is too large for a block, which is at most 1" 'function f\nblocks 2\nsucc 0 2\nsucc 1\nend\n'
malformed "block left out" 4:1 "expected 'succ 1', found 'end'" 'function f\nblocks 2\nsucc 0\nend\n'
malformed "blocks out of order" 3:6 "expected the successors of block 0, found block 1" 'function f\nblocks 2\nsucc 1\nsucc 0\nend\n'
malformed "too many blocks" 2:8 "'4294967295' is too large for the number of blocks, which is at most 1073741823" \
  'function f\nblocks 4294967295\nsucc 0\nend\n'
malformed "more blocks than the file" 4:1 "expected 'succ 1', found 'end'" 'function f\nblocks 1073741823\nsucc 0\nend\n'
malformed "no end" 4:1 "the file ends within function 'f' of line 1, expected 'end'" 'function f\nblocks 1\nsucc 0\n'
malformed "negative number" 3:8 "expected a block, found '-1'" 'function f\nblocks 1\nsucc 0 -1\nend\n'
malformed "a space too many" 3:10 "expected a block" 'function f\nblocks 1\nsucc 0 0 \nend\n'
malformed "text after the end" 4:5 "unexpected 'x', expected the end of the line" 'function f\nblocks 1\nsucc 0\nend x\n'

malformed "more variables than analyses can hold" 4:6 "'500000000' is too large for the number of variables, which is at most 16777216" \
  'function f\nblocks 1\nsucc 0\nvars 500000000\nend\n'
{
  printf 'function f\nblocks 1000\n'
  for ((b = 0; b != 1000; ++b)); do printf 'succ %d\n' "$b"; done
  printf 'vars 10000000\nend\n'
} >"$work/product.cfg"
says "variables times blocks" 1 "$work/product.cfg:1003:6: error: 10000000 variables in 1000 blocks are too many: variables times blocks are at most 8589934592" \
  cfg "$work/product.cfg"
malformed "a name with control sequences" 1:10 "the name 'f\\xc2\\x9b31m' holds a control character" 'function f\xc2\x9b31m\nblocks 1\nsucc 0\nend\n'
says "a file name with control sequences" 1 "$work/x\\xc2\\x9b31m: error: cannot be opened: No such file or directory" \
  opt "$work/x"$'\xc2\x9b31m'

head -c 300000000 /dev/zero | gzip -1 >"$work/bomb.cfg.gz"
says "a small file that unpacks to a large one" 1 \
  "$work/bomb.cfg.gz: error: the unpacked text is longer than 256 MiB; unpack the file first if it is meant to be" cfg "$work/bomb.cfg.gz"
rm "$work/bomb.cfg.gz"

head -c 1000 "$corpus/lua5.4-O0.cfg.gz" >"$work/cut.cfg.gz"
says "gzip cut short" 1 "$work/cut.cfg.gz: error: cannot be read: broken gzip data: unexpected end of file" cfg "$work/cut.cfg.gz"
cp "$work/three.cfg" "$work/plain.cfg.gz"
says "no gzip in .gz" 1 "$work/plain.cfg.gz: error: is no gzip file" cfg "$work/plain.cfg.gz"
says "no such file" 1 "$work/nowhere.cfg: error: cannot be opened: No such file or directory" cfg "$work/nowhere.cfg"
says "a directory" 1 "$work: error: cannot be read: Is a directory" cfg "$work"

if [ -w /dev/full ]; then
  "$tool" cfg "$work/three.cfg" >/dev/full 2>"$work/err"
  status=$?
  if [ $status -eq 1 ] && grep -q '^midend: error: standard output: ' "$work/err"; then pass "full disk"; else
    fail "full disk" "exit status $status, $(cat "$work/err")"
  fi
fi

if run "--stats" 0 cfg --only=idom --stats "$work/three.cfg"; then
  problem=
  for row in 'functions +3' 'blocks +8' 'unreachable blocks +1' 'edges +7' 'natural loops +2   in 2 functions' \
    'cycles \(SCCs with an edge inside\) +2' 'largest function +4 blocks   in \.\./third' \
    'functions with irreducible flow +0' 'loops without any exit +1   50\.0 %' 'dominators \(semi_nca\) '; do
    grep -qE "^ +$row" "$work/err" || problem+=" no '$row';"
  done
  [ "$(grep -c . "$work/out")" -eq 9 ] || problem+=" records are missing or too many"
  if [ -z "$problem" ]; then pass "--stats"; else fail "--stats" "$problem"; fi
fi

if run "--dot" 0 cfg --only=scc --dot="$work/new/dot" "$work/three.cfg"; then
  files=$(cd "$work/new/dot" && LC_ALL=C ls -A | paste -sd' ')
  if [ "$files" != "_._third.dot a_b.dot first.dot" ]; then fail "--dot" "files: $files"; else pass "--dot"; fi
  if command -v dot >/dev/null; then
    for file in "$work"/new/dot/*.dot; do
      if dot -Tsvg "$file" >"$work/svg" 2>"$work/err" && [ ! -s "$work/err" ] && grep -q '</svg>' "$work/svg"; then
        pass "Graphviz reads ${file##*/}"
      else
        fail "Graphviz reads ${file##*/}" "$(head -n 1 "$work/err")"
      fi
    done
  fi
fi
run "--dot into a file" 1 cfg --dot="$work/three.cfg" "$work/three.cfg" && pass "--dot into a file"

echo "$failed failed"
[ "$failed" -eq 0 ]
