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
  grep -vE '^ *[0-9]* \| ' "$work/err" >"$work/messages" # without the lines of source under errors
  cmp -s "$work/messages" "$work/expected" || fail "$name" "$(diff "$work/expected" "$work/messages" | head -n 5)"
}

# lists NAME LINE: standard error has this line, word for word.
lists() { grep -qxF -- "$2" "$work/err" || fail "$1" "'$2' is not in: $(cat "$work/err")"; }

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

# The trip counts of all three loops are exact.
cat >"$work/cost.expected" <<'TEXT'
cost of @matrix_4x4
  477 cycles each time; 17 operations, 4 branches, 184 bytes
  loop rows: entered once, 4 executions of the header (exactly), 472 cycles
    loop columns: entered 4 times, 4 executions of the header (exactly), 448 cycles
      loop products: entered 16 times, 4 executions of the header (exactly), 368 cycles
        9 operations, ResMII 3/2, RecMII 1 (%k); II 2, 6 stages; 4 passes take 23 cycles
  node rows: 4 times 1 cycles (chain 1, ResMII 1); 1 operations
  node next_column: 16 times 5 cycles (chain 5, ResMII 1); 4 operations
  node next_row: 4 times 5 cycles (chain 5, ResMII 1); 2 operations
  node exit: once 5 cycles (chain 5, ResMII 1); 1 operations
TEXT
run "cost" 0 opt "$programs/unrolling.eir" --procedure=matrix_4x4 --print=cost && same "cost" "$work/cost.expected"
cat >"$work/evolutions.expected" <<'TEXT'
evolutions of @curves
  loop loop: %n - 1 backedges, modulo 2^32
    %i = {0, +, 1}; at the end %n - 1
    %power = 3^k
    %squares = {0, +, 0, +, 1, +, 2}
    %mixed = unknown: the next value is not the value plus something known
    %power3 = 3*3^k
    %square = {0, +, 1, +, 2}
    %squares1 = {0, +, 1, +, 3, +, 2}
    %mixed1 = unknown: the next value is not the value plus something known
    %i1 = {1, +, 1}; at the end %n
TEXT
run "evolutions" 0 opt "$programs/evolutions.eir" --procedure=curves --print=evolutions && same "evolutions" "$work/evolutions.expected"
printf 'cost of @f\n  not in SSA form: construct-ssa first\n' >"$work/variables_cost.expected"
printf 'proc @f() -> i32 {\n  var $x: i32\n  node n:\n    $x = mov.i32 1\n    ret $x\n}\n' >"$work/variables_cost.eir"
run "cost, variables" 0 opt "$work/variables_cost.eir" --print=cost && same "cost, variables" "$work/variables_cost.expected"

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

for domain in "" :interval :known-bits :product; do # x = 10 and y = 1 in front of, in and after the loop
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
for run in "@always_one 10" "@constant_propagation"; do # the same result before and after
  [ "$run" = "@constant_propagation" ] && set -- @constant_propagation @m --memory=m:i32:5,7,0 || set -- $run
  run "run $run" 0 run "$programs/dataflow.eir" "$@" && cp "$work/out" "$work/before"
  run "optimise for $run" 0 opt "$programs/dataflow.eir" --passes=construct-ssa,sccp:product -o "$work/sccp.eir"
  run "run $run after sccp" 0 run "$work/sccp.eir" "$@" && same "run $run after sccp" "$work/before"
done

# Value numbering: what no sequence of sccp and value numbering alone finds.
cat >"$work/entangled.eir" <<'TEXT'
proc @f(%a: i32, %n: i32) -> i32 {
  node n0:
    br n1
  node n1:
    %x = phi.i32 [n0: %a], [n3: %x2]
    %y = phi.i32 [n0: %a], [n3: %y2]
    %d = sub.i32 %x, %y
    %c = cmp.ne.i32 %d, 0
    br %c ? n2 : n3
  node n2:
    %x3 = mul.i32 %x, 3
    br n3
  node n3:
    %x4 = phi.i32 [n1: %x], [n2: %x3]
    %x2 = add.i32 %x4, 1 nsw
    %y2 = add.i32 1, %y
    %e = cmp.lt.i32 %y2, %n
    br %e ? n1 : n4
  node n4:
    %r = add.i32 %x2, %d
    ret %r
}
TEXT
cat >"$work/numbering.expected" <<'TEXT'
value-numbering of @f
  equal:
    %x = %y = %x4
    %x2 = %y2 = %r
  n0
  n1
    %x = top
    %y = top
    %d = 0
    %c = 0
    never to n2
  n2: never executed
  n3
    %x4 = top
    %x2 = top
    %y2 = top
    %e = top
  n4
    %r = top
  plan:
  replace %y by %x
  replace %x4 by %x
  replace %y2 by %x2
  replace %r by %x2
  drop the promises of %x2
  replace %d by 0
  replace %c by 0
  always n1 -> n3
  erase n2
TEXT
run "print value-numbering" 0 opt "$work/entangled.eir" --print=value-numbering && same "print value-numbering" "$work/numbering.expected"
cat >"$work/numbering.expected" <<'TEXT'
why %y of @f
  %y and %x are equal: phis of n1 with equal inputs
  %a and %a are the same
  %y2 and %x2 are equal: they compute the same from equal operands
  1 and 1 are the same
  %x4 and %y are equal: %x4 passes %x on
why %x and %a of @f
  %x and %a differ: nothing says that they are equal
TEXT
run "value-numbering" 0 opt "$work/entangled.eir" --passes=value-numbering --stats --verify-each --explain=%y \
  --explain=%x,%a -o "$work/numbered.eir" && {
  same "value-numbering" "$work/numbering.expected"
  grep -q '^@f: value-numbering: 4 values are replaced by equal ones, 2 values are constants, 2 edges are never taken, 1 branches are jumps, 1 nodes are erased; .*; 5 -> 4 nodes, 15 -> 7 operations; certified; ' \
    "$work/err" || fail "value-numbering --stats" "$(cat "$work/err")"
}
run "changes of value-numbering" 0 opt "$work/entangled.eir" --passes=value-numbering --print-changes
for line in 'drop the promises of %x2' 'operand 0 of %x2: %x instead of %x4' 'input of %y for the edge from n3: %x2 instead of %y2' \
  'erase %y2 from n3' 'turn the branch of n1 into a jump to n3' 'erase n2'; do
  grep -qxF "  $line" "$work/out" || fail "changes of value-numbering" "'$line' is not in: $(cat "$work/out")"
done
[ "$(grep -c '^    ' "$work/numbered.eir")" -eq 7 ] || fail "value-numbering" "$(cat "$work/numbered.eir")"
run "explain a pair without the pass" 0 opt "$work/entangled.eir" --passes=sccp --explain=%x,%y -o "$work/out.eir"
grep -qxF 'why %x and %y of @f' "$work/out" || fail "explain a pair without the pass" "$(cat "$work/out")"
run "explain three" 2 opt "$work/entangled.eir" --explain=%x,%y,%d &&
  says "explain three" "midend opt: --explain: '%x,%y,%d' is neither a value nor a pair %a,%b"
run "explain a pair with an unknown value" 1 opt "$work/entangled.eir" --explain=%x,%q &&
  says "explain a pair with an unknown value" "$work/entangled.eir: error: no procedure has both values of '%x,%q'"
for domain in "" :interval :known-bits :product; do
  for file in "$programs"/*.eir; do
    run "value-numbering$domain report of $(basename "$file")" 0 opt "$file" --passes=construct-ssa --print=value-numbering$domain
  done
done

# Transformations: the sample programs run as they did, each pass has its certificate, and what is printed is read again.
# same_runs NAME FILE TRANSFORMED: the `# run:` lines of FILE print the same with TRANSFORMED.
same_runs() {
  local name=$1 file=$2 transformed=$3 line before at=0
  while IFS= read -r line; do
    read -ra arguments <<<"${line%% => *}"
    at=$((at + 1))
    before=$work/before-${file##*/}-$at
    if [ ! -e "$before" ]; then
      run "${file##*/}: ${arguments[0]}" 0 run "$file" "${arguments[@]}" && cp "$work/out" "$before"
    fi
    run "$name: ${arguments[0]}" 0 run "$transformed" "${arguments[@]}" && same "$name: ${arguments[0]}" "$before"
  done < <(sed -n 's/^# run: //p' "$file")
}
before=simplify-loops,close-loops,rotate,split-critical-edges,clean-control,dce,propagate-copies,hoist-invariants
before=$before,final-values,dead-loops,reduce-strength,separate-loops,fix-irreducible,fix-irreducible:split,unify-exits,interchange,collapse-loops,split-by-condition:3
after=memory-redundancy,value-numbering,value-numbering:interval,value-numbering:known-bits,value-numbering:product,loop-package
unrolling=unroll,unroll:3,unroll:full,unroll:3+as-written,peel:2,unroll:3+prologue
unrolling=$unrolling,unroll:prologue+unrolled-remainder,unroll:4+unrolled-remainder,peel:last,peel:profile,unswitch,split-index,version-loops
# Each alone; then all in a row, with one unrolling: each further one makes the program several times larger.
alone=$before,$unrolling,$after
for passes in ${alone//,/ } rotate:2 "$before,unroll:3+prologue,peel:2,$after" \
  fix-irreducible,rotate:100,hoist-invariants,sccp:product,clean-control,dce,simplify-loops \
  unify-exits,fix-irreducible:split,propagate-copies,close-loops,rotate,dce,clean-control,split-critical-edges; do
  for file in "$programs"/*.eir; do
    name="$passes of $(basename "$file")"
    run "$name" 0 opt "$file" --passes="construct-ssa,$passes" --verify-each --stats -o "$work/changed.eir" || continue
    expected=$(($(grep -c '^proc ' "$file") * (1 + $(tr "," "\n" <<<"$passes" | grep -c .)))) # construct-ssa has one, too
    case $passes in # a certificate for each
      *clean-control*) ;; # none where there is nothing to do
      *) [ "$(grep -c '; certified; ' "$work/err")" -eq "$expected" ] || fail "$name" "not $expected certificates" ;;
    esac
    run "$name again" 0 opt "$work/changed.eir" && same "$name again" "$work/changed.eir"
    [ "$passes" = rotate:2 ] || same_runs "$name" "$file" "$work/changed.eir"
  done
done

# The low-level package has no certificate.
for passes in low-level-package low-level-package:without=algebra+loads simplify-loops,low-level-package,rotate,low-level-package; do
  for file in "$programs"/*.eir; do
    name="$passes of $(basename "$file")"
    run "$name" 0 opt "$file" --passes="construct-ssa,$passes" --verify-each -o "$work/changed.eir" || continue
    run "$name again" 0 opt "$work/changed.eir" && same "$name again" "$work/changed.eir"
    same_runs "$name" "$file" "$work/changed.eir"
  done
done
printf 'proc @f(%%x: i32) -> i32 {\n  node entry:\n    %%m = mul.i32 %%x, 8\n    %%z = add.i32 %%m, 0\n    ret %%z\n}\n' >"$work/package.eir"
run "the package" 0 opt "$work/package.eir" --passes=low-level-package --print-changes &&
  { grep -qF '%m: algebra: %0 replaces it: x * 2^k = x << k' "$work/out" || fail "the package" "$(cat "$work/out")"; }
run "a member is off" 0 opt "$work/package.eir" --passes=low-level-package:without=algebra -o "$work/out.eir" &&
  { [ "$(grep -c 'mul\|add' "$work/out.eir")" -eq 2 ] || fail "a member is off" "$(cat "$work/out.eir")"; }
run "why" 0 opt "$work/package.eir" --passes=low-level-package --explain=%z &&
  { grep -qF '%z: algebra: %0 replaces it: x + 0 = x' "$work/out" || fail "why" "$(cat "$work/out")"; }
run "no such member" 2 opt "$work/package.eir" --passes=low-level-package:without=lods &&
  says "no such member" "midend opt: --passes: 'low-level-package:without=lods': after the colon of low-level-package stands without=A+B, of dead, constants, common, algebra, loads and stores"

printf 'proc @f(%%p: i1, %%x: i32) -> i32 {\n  node entry:\n    br %%p ? yes : no\n  node yes:\n    br %%p ? deep : no\n  node deep:\n    ret %%x\n  node no:\n    ret 0\n}\n' >"$work/control.eir"
run "implied" 0 opt "$work/control.eir" --passes=control-canonicalization --verify-each --stats -o "$work/out.eir" &&
  { grep -q '^@f: control-canonicalization: 1 implied branch, 1 merged node; 2 rounds; 4 -> 3 nodes, 4 -> 3 operations; certified; ' "$work/err" || fail "implied" "$(cat "$work/err")"; }
run "implied, off" 0 opt "$work/control.eir" --passes=control-canonicalization:without=implied+merge --stats -o "$work/out.eir" &&
  { grep -q '^@f: control-canonicalization:without=implied+merge: nothing to do; 4 -> 4 nodes' "$work/err" || fail "implied, off" "$(cat "$work/err")"; }
for file in "$programs"/*.eir; do
  name="control-canonicalization of $(basename "$file")"
  run "$name" 0 opt "$file" --passes=construct-ssa,low-level-package,control-canonicalization --verify-each -o "$work/changed.eir" || continue
  same_runs "$name" "$file" "$work/changed.eir"
done

run "a second time" 0 opt "$programs/arithmetic.eir" --passes=construct-ssa,rotate,rotate,clean-control,dce,dce --stats -o "$work/out.eir"
[ "$(grep -c '^@gcd: rotate: ' "$work/err")" -eq 2 ] || fail "a second time" "$(cat "$work/err")"
grep -q '^@gcd: rotate: 1 rotated loop; 4 -> 7 nodes, 12 -> 21 operations; ' "$work/err" || fail "rotated" "$(cat "$work/err")"
grep -q '^@gcd: rotate: no loop rotated; 7 -> 7 nodes, 21 -> 21 operations; ' "$work/err" || fail "rotated twice" "$(cat "$work/err")"
run "refused" 0 opt "$programs/arithmetic.eir" --procedure=@gcd --passes=construct-ssa,rotate:1 --stats -o "$work/out.eir"
grep -q '^@gcd: rotate:1: no loop rotated; refused: 1 loop (its header has more operations than the limit); ' "$work/err" ||
  fail "refused" "$(cat "$work/err")"

cat >"$work/changes.expected" <<'TEXT'
changes of @while_loop by construct-ssa
  insert phi %x.1 of $x in b2
  insert phi %x.4 of $x in b6
  insert phi %steps.1 of $steps in b2
changes of @while_loop by split-critical-edges
  none
changes of @while_loop by dce
  none
changes of @while_loop by simplify-loops
  none
TEXT
# A loop whose end nothing shows goes where loops may be assumed to end.
sed 's/ mustprogress//' "$programs/tour.eir" >"$work/endless.eir"
run "--loops-end" 0 opt "$work/endless.eir" --procedure=collatz --passes=dead-loops,clean-control --verify-each &&
  { grep -q '%i = phi' "$work/out" || fail "a loop that may not end went"; }
run "--loops-end" 0 opt "$work/endless.eir" --procedure=collatz --loops-end --passes=dead-loops,clean-control \
  --verify-each && { tail -n 4 "$work/out" | grep -q '^proc @collatz.* mustprogress {' || fail "a loop that ends stayed"; }
run "no changes" 0 opt "$programs/loops.eir" --procedure=while_loop --print-changes \
  --passes=construct-ssa,split-critical-edges,dce,simplify-loops && same "no changes" "$work/changes.expected"
cat >"$work/changes.expected" <<'TEXT'
changes of @do_while by construct-ssa
  insert phi %i.1 of $i in b2
  insert phi %s.1 of $s in b2
  insert phi %s.3 of $s in b5
changes of @do_while by close-loops
  insert phi %s.4 in b6
  input of %s.4 for the edge from b5: %s.3
  operand 0 of 'ret %s.3': %s.4 instead of %s.3
TEXT
run "changes" 0 opt "$programs/loops.eir" --procedure=do_while --print-changes --passes=construct-ssa,close-loops &&
  same "changes" "$work/changes.expected"

run "pictures of passes" 0 opt "$programs/loops.eir" --procedure=do_while --procedure=nested --dot="$work/steps" \
  --passes=construct-ssa:on-the-fly,rotate:5
[ "$(cd "$work/steps" && echo *)" = "do_while.00-before.dot do_while.01-construct-ssa_on-the-fly.dot do_while.02-rotate_5.dot \
do_while.dot nested.00-before.dot nested.01-construct-ssa_on-the-fly.dot nested.02-rotate_5.dot nested.dot" ] ||
  fail "pictures of passes" "$(ls "$work/steps")"

# Variables: sccp knows nothing about them, and transformations are about values.
cat >"$work/variables.eir" <<'TEXT'
proc @f(%n: i32, %c: i1) -> i32 {
  var $x: i32
  var $y: i32
  var $z: i1
  node entry:
    $x = mov.i32 3
    $y = add.i32 $x, 1
    $z = cmp.eq.i32 %n, %n
    br %c ? a : b
  node a:
    $y = add.i32 $y, 2
    br b
  node b:
    ret $y
}
proc @g(%n: i32) -> i32 {
  var $x: i32
  node entry:
    $x = mov.i32 %n
    ret $x
}
TEXT
run "variables" 0 opt "$work/variables.eir" --passes=sccp,sccp:product -o "$work/out.eir"
says "variables" "$work/variables.eir:1:1: warning: @f: 3 variables are not in SSA form: construct-ssa first" \
  "$work/variables.eir:16:1: warning: @g: 1 variable is not in SSA form: construct-ssa first"
run "variables, dce" 0 opt "$work/variables.eir" --procedure=f --passes=dce,construct-ssa,dce --verify-each -o "$work/out.eir"
says "variables, dce" \
  "$work/variables.eir:1:1: warning: @f: 3 variables are not in SSA form: construct-ssa first; dce is not run"
run "variables, value-numbering" 0 opt "$work/variables.eir" --procedure=f --passes=value-numbering -o "$work/out.eir"
says "variables, value-numbering" \
  "$work/variables.eir:1:1: warning: @f: 3 variables are not in SSA form: construct-ssa first; value-numbering is not run"
run "variables, report of classes" 0 opt "$work/variables.eir" --procedure=f --print=value-numbering
printf 'value-numbering of @f\n  not in SSA form: construct-ssa first\n' >"$work/variables.expected"
same "variables, report of classes" "$work/variables.expected"
run "variables, report" 0 opt "$work/variables.eir" --procedure=f --print=sccp:product
cat >"$work/variables.expected" <<'TEXT'
sccp:product of @f
  entry
    $x = [3, 3]
    $y = [-2147483648, 2147483647]
    $z = [0, 1]
  a
    $y = [-2147483648, 2147483647]
  b
  plan:
  replace $x by 3
TEXT
same "variables, report" "$work/variables.expected"
says "variables, report" "$work/variables.eir:1:1: warning: @f: 3 variables are not in SSA form: construct-ssa first"
printf 'proc @f(%%c: i1) -> i1 {\n  node entry:\n    %%t = cmp.eq.i32 3, 3\n    %%a = and.i1 %%t, %%c\n    ret %%a\n}\n' >"$work/bit.eir"
run "a bit" 0 opt "$work/bit.eir" --print=sccp:interval
printf 'sccp:interval of @f\n  entry\n    %%t = [1, 1]\n    %%a = [0, 1]\n  plan:\n  replace %%t by 1\n' >"$work/bit.expected"
same "a bit" "$work/bit.expected"

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
for wrong in rotaet:rotate close_loops:close-loops fix-ireducible:fix-irreducible; do
  name=${wrong%%:*}
  run "pass $name" 2 opt "$programs/loops.eir" --passes="$name"
  says "pass $name" "midend opt: --passes: unknown pass '$name': did you mean ${wrong#*:}?"
done
for name in sccp:prodct sccp:branch-facts+interval+flat sccp:any-undef+ sccp:; do
  run "pass $name" 2 opt "$programs/loops.eir" --passes="$name"
  says "pass $name" "midend opt: --passes: '$name': after the colon of sccp stands a domain (flat, interval, known-bits, product, strided), branch-facts, any-undef, or several of them with +"
done

# Where %y is read, %x is 5; %q is 3 if undef may be anything.
cat >"$work/sccp_options.eir" <<'TEXT'
proc @f(%x: i32, %c: i1) -> i32 {
  node entry:
    %p = cmp.eq.i32 %x, 5
    br %p ? yes : no
  node yes:
    %y = add.i32 %x, 1
    ret %y
  node no:
    br %c ? a : b
  node a:
    br b
  node b:
    %q = phi.i32 [no: undef], [a: 3]
    ret %q
}
TEXT
for expected in "sccp: ret %y, ret %q" "sccp:branch-facts: ret 6, ret %q" "sccp:any-undef: ret %y, ret 3" \
  "sccp:interval+branch-facts+any-undef: ret 6, ret 3"; do
  name=${expected%%: *}
  run "$name" 0 opt "$work/sccp_options.eir" --passes="$name" --verify-each -o "$work/out.eir"
  returned=$(sed -nE 's/^ *(ret .*)/\1/p' "$work/out.eir" | paste -sd, | sed 's/,/, /')
  [ "$returned" = "${expected#*: }" ] || fail "$name" "$returned"
done

run "rotate:x" 2 opt "$programs/loops.eir" --passes=rotate:x
says "rotate:x" "midend opt: --passes: 'rotate:x': after the colon of rotate stands a number"
run "report lopos" 2 opt "$programs/loops.eir" --print=lopos
says "report lopos" "midend opt: --print: unknown report 'lopos': did you mean loops?"
run "procedure with sign" 0 opt "$programs/loops.eir" --procedure=@nested --print=loops &&
  same "procedure with sign" "$work/loops.expected"
run "procedure nestde" 1 opt "$programs/loops.eir" --procedure=nestde &&
  says "procedure nestde" "$programs/loops.eir: error: there is no procedure '@nestde': did you mean @nested?"
printf 'proc @f(%%x: i32) -> i1 {\n  node entry:\n    %%y = cmp.slt.i32 %%x, 1\n    ret %%y\n}\n' >"$work/slt.eir"
run "cmp.slt" 1 opt "$work/slt.eir" &&
  says "cmp.slt" "$work/slt.eir:3:10: error: unknown operation or flag 'cmp.slt.i32': did you mean cmp.lt?"
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
