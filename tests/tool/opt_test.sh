#!/usr/bin/env bash
# opt_test.sh TOOL PROGRAMS_DIR: `midend opt` on the sample programs: what it prints is what went in, passes keep the
# program right, reports say what the worked examples say, and errors come with their places.
set -u
tool=$1 programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 tested=0

fail() {
  echo "FAIL $1: $2"
  failed=$((failed + 1))
}

# run NAME STATUS ARGUMENT...: what the command prints stays in $work/out and $work/err.
run() {
  local name=$1 status=$2 got
  shift 2
  tested=$((tested + 1))
  "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [ "$got" -eq "$status" ] || { fail "$name" "exit status $got, expected $status; $(head -n 1 "$work/err")"; return 1; }
}
# same NAME FILE: standard output is what the file says.
same() { cmp -s "$work/out" "$2" || fail "$1" "$(diff "$2" "$work/out" | head -n 5)"; }
# says NAME LINE...: each line is in standard error, word for word, and no other.
says() {
  local name=$1
  shift
  printf '%s\n' "$@" >"$work/expected"
  cmp -s "$work/err" "$work/expected" || fail "$name" "$(diff "$work/expected" "$work/err" | head -n 5)"
}

run "--stats" 0 opt "$programs/tour.eir" --passes=sccp --stats -o "$work/out.eir" &&
  { grep -q '^@floats: sccp: .*; 2 of 9 operations understood; unknown: 7 others; ' "$work/err" ||
    fail "--stats" "$(cat "$work/err")"; }
run "unroll --stats" 0 unroll "$programs/unrolling.eir" --procedure=five_iterations_more --stats &&
  { grep -qE '^@five_iterations_more, loop: [0-9]+ of [0-9]+ operations understood' "$work/err" ||
    fail "unroll --stats" "$(cat "$work/err")"; }

for file in "$programs"/*.eir; do
  name=$(basename "$file" .eir)
  run "$name" 0 opt "$file" -o "$work/once.eir"
  run "$name again" 0 opt "$work/once.eir" && same "$name again" "$work/once.eir"
  for pass in construct-ssa construct-ssa:on-the-fly; do
    run "$name $pass" 0 opt "$file" --passes=$pass --verify-each -o "$work/ssa.eir"
    run "$name $pass again" 0 opt "$work/ssa.eir" && same "$name $pass again" "$work/ssa.eir"
    grep -q '\$' "$work/ssa.eir" && fail "$name $pass" "variables are left: $(grep -m 1 '\$' "$work/ssa.eir")"
  done
  run "$name reports" 0 opt "$file" --print=reaching-definitions,liveness,available-expressions,very-busy-expressions,loops
  run "$name pictures" 0 opt "$file" --dot="$work/dot-$name"
  [ "$(ls "$work/dot-$name" | wc -l)" -eq "$(grep -c '^proc ' "$file")" ] || fail "$name pictures" "not one a procedure"
done

cat >"$work/live.expected" <<'TEXT'
liveness of @live_variables
  b1
    in:  %p
    out: $a $b
  b2
    in:
    out: $b
  b3
    in:  $a $b
    out: $b
  b4
    in:  $b
    out:
TEXT
cat >"$work/reaching.expected" <<'TEXT'
reaching-definitions of @reaching_definitions
  d1: $i = sub.i32 %m, 1
  d2: $j = mov.i32 %n
  d3: $a = mov.i32 %u1
  d4: $i = add.i32 $i, 1
  d5: $j = sub.i32 $j, 1
  d6: $a = mov.i32 %u2
  d7: $i = mov.i32 %u3
  entry
    in:
    out:
  b1
    in:
    out: d1 d2 d3
  b2
    in:  d1 d2 d3 d5 d6 d7
    out: d3 d4 d5 d6
  b3
    in:  d3 d4 d5 d6
    out: d4 d5 d6
  b4
    in:  d3 d4 d5 d6
    out: d3 d5 d6 d7
  exit
    in:  d3 d5 d6 d7
    out: d3 d5 d6 d7
TEXT
run "reaching definitions" 0 opt "$programs/dataflow.eir" --procedure=reaching_definitions --print=reaching-definitions &&
  same "reaching definitions" "$work/reaching.expected"
run "live variables" 0 opt "$programs/dataflow.eir" --procedure=live_variables --print=liveness
same "live variables" "$work/live.expected"

cat >"$work/loops.expected" <<'TEXT'
loops of @nested
  loop b2, depth 1, 5 nodes: b2 b5 b7 b3 b4; latches: b7; exits to: b6
    loop b3, depth 2, 2 nodes: b3 b4; latches: b4; exits to: b5 b6
TEXT
run "loops" 0 opt "$programs/loops.eir" --procedure=nested --print=loops && same "loops" "$work/loops.expected"

cat >"$work/one.expected" <<'TEXT'
why %x.1 of @always_one
  %x.1 is 1: a phi in body
    by entry -> body: %x is 1
    by test -> body: %x.3 is 1
  %x is 1: follows from its operands
  %x.3 is 1: a phi in test
    by body -> test: %x.1 is 1
    never by change -> test: change is never executed
    never by body -> change: %other is 0
  1 is 1: a literal
  %other is 0: follows from its operands
TEXT
run "explain" 0 opt "$programs/dataflow.eir" --procedure=always_one --passes=construct-ssa,sccp --verify-each --explain=%x.1 &&
  same "explain" "$work/one.expected"
run "explain nothing" 1 opt "$programs/dataflow.eir" --explain=%nowhere &&
  says "explain nothing" "$programs/dataflow.eir: error: there is no value '%nowhere'"
run "explain a variable" 2 opt "$programs/dataflow.eir" --explain='$x' &&
  says "explain a variable" "midend opt: --explain: '\$x' is not a value: values begin with %"

for domain in "" :interval :known-bits :product; do # x = 10 and y = 1 in front of, in and behind the loop
  run "sccp$domain" 0 opt "$programs/dataflow.eir" --procedure=constant_propagation --passes=construct-ssa --print=sccp$domain
  for change in "%x by 10" "%x.1 by 10" "%x.2 by 10" "%y by 1" "%y.1 by 1" "%y.2 by 1"; do
    grep -q "^  replace $change\$" "$work/out" || fail "sccp$domain" "the plan does not replace $change"
  done
  grep -qE "replace %(j\.[12]|jx|p) " "$work/out" && fail "sccp$domain" "j and p are no constants"
  for file in "$programs"/*.eir; do
    name="sccp$domain of $(basename "$file")"
    run "$name" 0 opt "$file" --passes=construct-ssa,sccp$domain --verify-each -o "$work/sccp.eir"
    run "$name again" 0 opt "$work/sccp.eir" && same "$name again" "$work/sccp.eir"
  done
done
for run in "@always_one 10" "@constant_propagation"; do # the same result before and behind
  [ "$run" = "@constant_propagation" ] && set -- @constant_propagation @m --memory=m:i32:5,7,0 || set -- $run
  run "run $run" 0 run "$programs/dataflow.eir" "$@" && cp "$work/out" "$work/before"
  run "optimise for $run" 0 opt "$programs/dataflow.eir" --passes=construct-ssa,sccp:product -o "$work/sccp.eir"
  run "run $run behind sccp" 0 run "$work/sccp.eir" "$@" && same "run $run behind sccp" "$work/before"
done

# All errors of a step are reported: first those of the syntax, then those of names and types.
printf 'proc @f(%%x: i32) -> i32 {\n  node entry:\n    %%y = ad.i32 %%x, 1\n    ret %%y, 2\n}\n' >"$work/bad.eir"
run "errors of the syntax" 1 opt "$work/bad.eir"
[ -s "$work/out" ] && fail "errors of the syntax" "standard output is not empty"
for place in 3:10 4:11; do
  grep -q "^$work/bad.eir:$place: error: " "$work/err" || fail "errors of the syntax" "no error at $place: $(cat "$work/err")"
done
printf 'proc @f(%%x: i32) -> i32 {\n  node entry:\n    %%y = add.i32 %%z, 1\n    ret %%w\n}\n' >"$work/bad.eir"
run "errors of names" 1 opt "$work/bad.eir"
[ -s "$work/out" ] && fail "errors of names" "standard output is not empty"
for place in 3:18 4:9; do
  grep -q "^$work/bad.eir:$place: error: " "$work/err" || fail "errors of names" "no error at $place: $(cat "$work/err")"
done

printf 'proc @f(%%x: i32) -> i64 {\n  node entry:\n    ret %%x\n}\n' >"$work/type.eir"
run "verifier" 1 opt "$work/type.eir"
grep -q "^$work/type.eir:3:[0-9]*: error: " "$work/err" || fail "verifier" "$(cat "$work/err")"

printf 'proc @f() -> i32 {\n  node entry:\n    ret %%y\n}\nproc @g() -> i64 {\n  node entry:\n    ret f64 1.0\n}\n' >"$work/two.eir"
run "parser and verifier" 1 opt "$work/two.eir"
says "parser and verifier" "$work/two.eir:3:9: error: unknown value '%y'" \
  "$work/two.eir:7:5: error: 0x1p+0 is f64, ret has to give i64"

cat >"$work/unwritten.eir" <<'TEXT'
proc @f(%c: i1) -> i32 {
  var $x: i32
  node entry:
    br %c ? left : right
  node left:
    $x = mov.i32 1
    br end
  node right:
    br end
  node end:
    ret $x
}
TEXT
run "read before written" 0 opt "$work/unwritten.eir" -o "$work/out.eir"
says "read before written" \
  "$work/unwritten.eir:11:5: warning: \$x may be read before it is written: entry -> right -> end"

run "procedure in front of the file" 0 opt --procedure=nested "$programs/loops.eir" --print=loops &&
  same "procedure in front of the file" "$work/loops.expected"
run "no file" 1 opt "$work/nowhere.eir" &&
  says "no file" "$work/nowhere.eir: error: cannot be opened: No such file or directory"
run "no procedure" 1 opt "$programs/loops.eir" --procedure=nowhere &&
  says "no procedure" "$programs/loops.eir: error: there is no procedure '@nowhere'"
run "no pass" 2 opt "$programs/loops.eir" --passes=construct-ssa,nothing
grep -q "^midend opt: --passes: unknown pass 'nothing', expected one of: construct-ssa" "$work/err" || fail "no pass" "$(cat "$work/err")"
run "no report" 2 opt "$programs/loops.eir" --print=nothing
grep -q "^midend opt: --print: unknown report 'nothing', expected one of: reaching-definitions" "$work/err" ||
  fail "no report" "$(cat "$work/err")"
run "no output" 1 opt "$programs/loops.eir" -o "$work/nowhere/out.eir"
grep -q "^$work/nowhere/out.eir: error: cannot be written" "$work/err" || fail "no output" "$(cat "$work/err")"
if [ -e /dev/full ]; then
  tested=$((tested + 1))
  "$tool" opt "$programs/loops.eir" >/dev/full 2>"$work/err" && fail "full" "exit status 0"
  grep -q 'standard output: error: cannot be written' "$work/err" || fail "full" "$(cat "$work/err")"
fi
tested=$((tested + 1))
"$tool" opt - <"$work/once.eir" >"$work/out" 2>"$work/err" && same "standard input" "$work/once.eir"

echo "$tested runs, $failed failed"
[ "$failed" -eq 0 ]
