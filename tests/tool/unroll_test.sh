#!/usr/bin/env bash
# unroll_test.sh TOOL PROGRAMS_DIR MACHINES_DIR: `midend unroll` says of the worked examples what docs/unrolling.md
# says, as text and as JSON, and ends as it should.
set -u
tool=$1 programs=$2 machines=$3 subcommand=unroll
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
examples=$programs/unrolling.eir

# advice NAME EXPECTED EXPRESSION ARGUMENT...: what a Python expression says of the only loop in the JSON: of `l`, the
# loop, and `c`, its candidates by factor.
advice() {
  local name=$1 expected=$2 expression=$3 got
  run "$name" 0 --json "${@:4}" || return
  got=$(python3 -c '
import json, sys
loops = json.load(open(sys.argv[1]))["loops"]
l = loops[0]
assert len(loops) == 1, len(loops)
c = {one["factor"]: one for one in l.get("candidates", []) if one["kind"] != "peel"}
cycles = {f: one["cycles_per_iteration"]["exact"] for f, one in c.items() if one["is_evaluated"]}
def saved(what, value):
    return [(s["copy"], s["result"]) for s in l["savings"] if s["what"] == what and s["value"] == value]
print(eval(sys.argv[2]))' "$work/out" "$expression" 2>&1)
  if [ "$got" = "$expected" ]; then pass "$name"; else fail "$name" "$expression is '$got', expected '$expected'"; fi
}
# example NAME EXPECTED EXPRESSION PROCEDURE [ARGUMENT...]: the same of a sample program.
example() { advice "$1" "$2" "$3" "$examples" --procedure="$4" "${@:5}"; }
# as_written NAME EXPECTED EXPRESSION PROCEDURE [ARGUMENT...]: the same without regrouping.
as_written() { example "$@" --no-reassociation; }

decision='l["decision"], l["factor"]'
totals='l["total_cycles"]["before"], l["total_cycles"]["after"]'

if command -v python3 >/dev/null; then
  # 1. Completely, 7 operations in each iteration and 2*x: 17 of 36 are left.
  as_written "five: decision" "('full', 5)" "$decision" five_iterations_more
  as_written "five: cycles" "(21, 16)" "$totals" five_iterations_more
  as_written "five: operations" "(7, 17)" \
    'l["body"]["before"]["operations"], l["body"]["after"]["operations"]' five_iterations_more
  as_written "five: trips" "('exact', 5, 4)" \
    '(*[l["trip_count"][k] for k in ("kind", "header_executions", "backedges_taken")],)' five_iterations_more
  as_written "five: tests" "[(0, 0), (1, 0), (2, 0), (3, 1), (4, 0)]" 'saved("folded", "%p")' five_iterations_more
  as_written "five: from 0" "(21, 15)" "$totals" five_iterations
  example "five: regrouped" "10" 'l["total_cycles"]["after"]' five_iterations_source
  # 2. By 4 as it is written; with sums regrouped, too.
  as_written "quarters: decision" "('partial', 4)" "$decision" quarters_and_sixteenths
  as_written "quarters: cycles" "('3', '5/2', '9/4', '9/4', '17/8')" '(*[cycles[u] for u in (1, 2, 4, 8, 16)],)' \
    quarters_and_sixteenths
  as_written "quarters: operations" "(17, 56)" 'c[4]["body"]["operations"], c[16]["body"]["operations"]' \
    quarters_and_sixteenths
  as_written "quarters: reasons" "('tie', 'gain_too_small')" 'c[8]["reason"], c[16]["reason"]' \
    quarters_and_sixteenths
  as_written "quarters: tests by 4" "[(1, 0), (2, 0), (3, 0)]" 'saved("folded", "%p")' quarters_and_sixteenths
  as_written "quarters: tests by 16" "[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]" \
    '[r for k, r in saved("folded", "%p")]' quarters_and_sixteenths --factor=16
  as_written "quarters: by 3" "3" "cycles[3]" quarters_and_sixteenths --factor=3
  as_written "quarters: by 5" "16/5" "cycles[5]" quarters_and_sixteenths --factor=5
  example "quarters: regrouped" "('partial', 4)" "$decision" quarters_and_sixteenths
  example "quarters: cycles regrouped" "('2', '3/2', '3/4', '3/4', '5/8', '19/32')" \
    '(*[cycles[u] for u in (1, 2, 4, 8, 16, 32)],)' quarters_and_sixteenths
  # 3. The phis vanish at 3.
  as_written "rotation: decision" "('partial', 3)" "$decision" rotation
  as_written "rotation: operations" "(6, 5)" \
    'l["body"]["before"]["operations"], l["body"]["after"]["operations"]' rotation
  as_written "rotation: cycles" "('1', '1')" 'cycles[1], cycles[3]' rotation
  as_written "rotation: phis" "3" 'sum(s["what"] == "vanished_phi" for s in l["savings"])' rotation
  example "rotation: regrouped" "'1/3'" 'repr(cycles[3])' rotation
  # 4. Refused; by 4 three are left, by 13 none.
  as_written "1027: decision" "('none', 1)" "$decision" remainder_of_three
  as_written "1027: by 4" "('partial_with_remainder', 3, 'epilogue')" \
    'l["decision"], l["remainder"]["iterations"], l["remainder"]["placement"]' remainder_of_three --factor=4
  as_written "1027: before it" "prologue" 'l["remainder"]["placement"]' remainder_of_three --factor=4 --remainder=prologue
  as_written "1027: in the middle" "mid_exit" 'l["remainder"]["placement"]' remainder_of_three --factor=4 --remainder=mid-exit
  as_written "1027: by 13" "('partial', 0)" 'c[13]["kind"], c[13]["remainder"]["iterations"]' remainder_of_three
  example "1027: regrouped" "('1/2', '1/2', '3/8')" 'cycles[2], cycles[4], cycles[8]' remainder_of_three
  # A sum of fused products waits for one addition of 4 cycles in place of four fused ones of 8.
  advice "dot product: regrouped" "('8', '2', '1')" 'cycles[1], cycles[2], cycles[4]' \
    "$programs/arrays.eir" --procedure=dot_product
  advice "dot product: as written" "('8', '8')" 'cycles[1], cycles[4]' \
    "$programs/arrays.eir" --procedure=dot_product --no-reassociation
  # Complete unrolling lets the loop around be pipelined: 4 iterations of 18 + 5 cycles and what is around, or one each 3.
  example "loop around: decision" "('full', 4)" "$decision" matrix_4x4 --loop=products
  example "loop around: cycles" "(108, 34, '3', 'columns', 4)" \
    '(*[l["nest"]["total_cycles"][k] for k in ("before", "after")], l["nest"]["unfolded"]["cycles_per_iteration"]["exact"], *[l["nest"][k] for k in ("header", "iterations")])' \
    matrix_4x4 --loop=products
  example "loop around: none" "None" 'l["nest"]' five_iterations_more
  run "loop around: as on trial" 0 "$examples" --procedure=matrix_4x4 --loop=products --verify && {
    grep -qE "operations +15 +15" "$work/out" && pass "loop around: as on trial" || fail "loop around: as on trial" "not 15 and 15"
  }
  run "five: named with its sign" 0 "$examples" --procedure=@five_iterations
  run "loop around: text" 0 "$examples" --procedure=matrix_4x4 --loop=products && {
    grep -q "the loop around, columns, with 4 copies in it: 3.00 cycles per iteration, pipelined" "$work/out" &&
      grep -q "34 cycles instead of 108 for its 4 iterations, set-up included" "$work/out" &&
      pass "loop around: text" || fail "loop around: text" "$(cat "$work/out")"
  }
  # No iteration is complete.
  example "no iteration: said" "(True, 'none')" 'l["runs_no_iteration"], l["decision"]' no_iteration
  example "no iteration: not said" "False" 'l["runs_no_iteration"]' five_iterations_more
  # Pointers that may overlap: what a test before the loop would gain, with the pairs.
  cat >"$work/apart.eir" <<'EIR'
proc @add_arrays(%a: ptr, %b: ptr, %c: ptr, %n: i64) {
  node entry:
    %any = cmp.gt.i64 %n, 0
    br %any ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %x = ld.i32 [%a + %i*4]
    %y = ld.i32 [%b + %i*4]
    %z = add.i32 %x, %y
    st.i32 %z, [%c + %i*4]
    %i1 = add.i64 %i, 1 nsw
    %more = cmp.lt.i64 %i1, %n
    br %more ? loop : exit
  node exit:
    ret
}
EIR
  advice "overlap: gain" "('8', '1', 4)" \
    'cycles[1], l["without_overlap"]["cycles_per_iteration"]["exact"], l["without_overlap"]["break_even"]' \
    "$work/apart.eir"
  advice "overlap: pairs" "[['%a', '%c'], ['%b', '%c']]" 'sorted(sorted(p) for p in l["without_overlap"]["pairs"])' \
    "$work/apart.eir"
  example "overlap: none" "None" 'l["without_overlap"]' unknown_length
  run "overlap: text" 0 "$work/apart.eir" && {
    grep -q "missing     %b and %c may overlap" "$work/out" && grep -q "8.00 -> 1.00 cycles per iteration" "$work/out" &&
      pass "overlap: text" || fail "overlap: text" "$(cat "$work/out")"
  }
  # 5. Computed before the loop; not for three iterations.
  example "unknown: decision" "runtime" 'l["decision"]' unknown_length
  example "unknown: trips" "(None, True)" 'l["trip_count"]["header_executions"], l["trip_count"]["is_computable"]' \
    unknown_length
  example "unknown: break-even" "True" 'l["break_even"] > 1' unknown_length
  example "unknown: assumed" "True" '"assumed_trip" in l["assumptions"]' unknown_length
  example "unknown: few" "('none', 1)" "$decision" unknown_length --assumed-trip=1
  # 6. By 7, or not at all.
  example "search: decision" "('uncounted', 7)" "$decision" search
  # (Divisions are multiplied in each copy, except by 7.)
  example "search: cycles" "('2', '3/2', '4/3', '2/7')" '(*[cycles[u] for u in (1, 2, 3, 7)],)' search
  example "search: on trial" "([1, 2, 3, 7], True)" '[u for u in c if c[u]["is_tried"]], c[8]["is_evaluated"]' search
  example "search: by 8" "'11/8'" 'repr(cycles[8])' search --factor=8
  example "search: bound" "channels 0-5" 'l["bound"]["after"]["resource"]["name"]' search
  example "search: multiplied" "('uncounted', '2', '2/7')" 'l["decision"], cycles[1], cycles[7]' search --divide-by-multiplying
  example "search: short" "('none', 'trip_too_short')" 'l["decision"], c[7]["reason"]' search_short
  # 7. Seven operations on six channels; by 4 and by 6, %x is multiplied before the loop.
  example "seven: cycles" "('2', '3/2')" 'cycles[1], cycles[2]' seven_operations --hardware-counter --assumed-trip=1000
  example "seven: cycles with a counter" "('2', '3/2', '1/2', '1/3', '1/8', 16)" \
    '(*[cycles[u] for u in (1, 2, 4, 6, 16)], l["factor"])' seven_operations
  run "seven: no slower if the hardware counts" 0 --json "$examples" --procedure=seven_operations && cp "$work/out" "$work/first" &&
    run "seven: no slower if the hardware counts" 0 --json "$examples" --procedure=seven_operations --hardware-counter && {
    if python3 -c '
import json, sys
counted, software = (json.load(open(f))["loops"][0]["total_cycles"]["after"] for f in sys.argv[1:])
sys.exit(f"{counted} cycles, and {software} if it does not" if counted > software else 0)' "$work/out" "$work/first" 2>"$work/err"; then
      pass "seven: no slower if the hardware counts"
    else
      fail "seven: no slower if the hardware counts" "$(cat "$work/err")"
    fi
  }
  example "seven: by 5 with a counter" "7/5" 'cycles[5]' seven_operations --factor=5
  example "seven: by 6 with a counter" "1/3" 'cycles[6]' seven_operations --factor=6
  example "seven: by 3" "4/3" 'cycles[3]' seven_operations --hardware-counter --factor=3
  example "seven: one by one" "('10', '17/2')" 'cycles[1], cycles[2]' seven_operations --machine=scalar_core
  # Limits and what is allowed.
  example "not completely" "partial_with_remainder" 'l["decision"]' five_iterations_more --kinds=partial --least-gain=0 --factor=4
  example "kinds" "('none', 'not_allowed')" 'l["decision"], c[5]["reason"]' five_iterations_more --kinds=runtime
  example "largest factor" "[1, 2]" 'sorted(c)' quarters_and_sixteenths --max-factor=2
  as_written "least gain" "64" 'l["factor"]' quarters_and_sixteenths --least-gain=0.01
  as_written "most bytes" "too_many_bytes" 'c[4]["reason"]' quarters_and_sixteenths --max-bytes=100
  example "most operations" "too_many_operations" 'c[8]["reason"]' quarters_and_sixteenths --max-operations=20
  example "another machine" "True" 'cycles[1] != "2"' search --machine=scalar_core
  example "a machine file" "('2', '3/2', '4/3', '2/7')" '(*[cycles[u] for u in (1, 2, 3, 7)],)' search \
    --machine="$machines/e2k.machine"
  # Never slower than it is, and always a lower bound.
  for procedure in $(sed -n 's/^proc @\([a-z_]*\)(.*/\1/p' "$examples"); do
    example "$procedure: not slower" "True" \
      'sum(l[k]["after"] for k in ("total_cycles", "setup_cycles")) <= sum(l[k]["before"] for k in ("total_cycles", "setup_cycles"))' \
      "$procedure"
    example "$procedure: lower bound" "True" 'l["is_lower_bound"]' "$procedure"
  done
  # By schedules: eight copies attain an interval of 4, not 3.
  example "by schedules: the cycles are no bounds" "False" 'l["is_lower_bound"]' unknown_length --attained
  example "by bounds and by schedules: the factor" "8" 'l["factor"]' unknown_length
  example "by schedules: the factor" "2" 'l["factor"]' unknown_length --attained
else
  echo "python3 not found: JSON is not looked at"
fi

cat >"$work/nest.eir" <<'EIR'
proc @nest(%n: i32) -> i32 {
  var $i: i32
  var $j: i32
  node entry:
    $i = mov.i32 0
    br outer
  node outer:
    $j = mov.i32 0
    br inner
  node inner:
    $j = add.i32 $j, 1 nsw
    %c = cmp.lt.i32 $j, 8
    br %c ? inner : latch
  node latch:
    $i = add.i32 $i, 1 nsw
    %d = cmp.lt.i32 $i, %n
    br %d ? outer : exit
  node exit:
    ret $i
}
proc @straight() {
  node entry:
    ret
}
EIR
run "nest" 0 "$work/nest.eir" && {
  grep -qx '@nest, outer: not unrolled: it contains a loop, and only innermost loops are unrolled' "$work/out" ||
    fail "nest" "the outer loop: $(head -n 1 "$work/out")"
  grep -qx '@nest, inner: 8 header executions, 7 backedges taken' "$work/out" || fail "nest" "no inner loop"
}
run "one loop" 0 "$work/nest.eir" --loop=inner && {
  [ "$(grep -c '^@' "$work/out")" -eq 1 ] || fail "one loop" "$(grep '^@' "$work/out")"
}
prints "no loop" "" "$work/nest.eir" --procedure=straight
says "loop that is not there" 1 "$work/nest.eir: error: there is no loop 'exit'" "$work/nest.eir" --loop=exit
says "procedure that is not there" 1 "$work/nest.eir: error: there is no procedure '@f'" "$work/nest.eir" --procedure=f

run "again" 0 "$examples" && cp "$work/out" "$work/first" && run "again" 0 "$examples" && {
  cmp -s "$work/out" "$work/first" && pass "again" || fail "again" "another text"
}
run "JSON again" 0 --json "$examples" && cp "$work/out" "$work/first" && run "JSON again" 0 --json "$examples" && {
  cmp -s "$work/out" "$work/first" && pass "JSON again" || fail "JSON again" "another text"
}
for file in "$programs"/*.eir; do
  for machine in e2k_reference_v6 e2k_guide_v4 scalar_core "$machines"/*.machine; do
    run "$(basename "$file") on $(basename "$machine")" 0 "$file" --machine="$machine"
  done
done

run "chart" 0 "$examples" --procedure=search --chart="$work/chart.svg" && {
  grep -q '^<svg ' "$work/chart.svg" || fail "chart" "no picture"
  grep -q '@search, header on e2k_reference_v6' "$work/chart.svg" || fail "chart" "no title"
  grep -q '<title>7: 2/7</title>' "$work/chart.svg" || fail "chart" "factor 7 is not there"
}
loops=$(grep -c '^proc ' "$examples")
says "chart of many" 2 "midend unroll: --chart: there are $loops loops to draw, choose one by --procedure and --loop" \
  "$examples" --chart="$work/none.svg"
says "chart nowhere" 1 "$work/nowhere/chart.svg: error: cannot be written: No such file or directory" \
  "$examples" --procedure=search --chart="$work/nowhere/chart.svg"

# A trial as text: figures, and a program that the tool reads. Each kind, of each loop of the samples that can have it.
run "show" 0 "$examples" --procedure=quarters_and_sixteenths --show=partial:4 && {
  grep -q '^# loop n1: 17 operations, 3 cycles a pass, 256 passes$' "$work/out" && pass "show" || fail "show" "$(head -5 "$work/out")"
  ! grep -q 'div' "$work/out" && pass "show: no division" || fail "show: no division" "$(grep div "$work/out")"
}
run "show a search" 0 "$examples" --procedure=search --show=uncounted:7 && {
  [ "$(grep -c ' = ld' "$work/out")" = 1 ] && pass "show a search" || fail "show a search" "$(grep -c ' = ld' "$work/out") loads"
}
for kind in rolled full:5 peel:1 partial:2 uncounted:3 runtime:4 prologue:4; do
  run "show $kind" 0 "$examples" --show=$kind || continue
  awk '/^proc /{ sub("@loop", "@loop" ++n) } { print }' "$work/out" >"$work/shown.eir"
  if "$tool" opt "$work/shown.eir" --verify-each --passes=clean-up -o "$work/again.eir" 2>"$work/err"; then
    pass "show $kind is read again"
  else
    fail "show $kind is read again" "$(head -5 "$work/err")"
  fi
done
says "show: kind" 2 "midend unroll: --show: unknown kind 'all', expected one of: rolled, full, peel, partial, uncounted, runtime, prologue" \
  "$examples" --show=all:4
says "show: factor" 2 "midend unroll: --show: 'partial' needs a factor from 1 to 1024, as in partial:4" "$examples" --show=partial
says "show: json" 2 "midend unroll: --show prints programs, so it goes without --json, --verify and --chart" \
  "$examples" --show=rolled --json

known="(known names: e2k_reference_v6, e2k_guide_v4, scalar_core)"
says "no machine" 1 "$work/no: error: cannot be opened: No such file or directory $known" "$examples" --machine="$work/no"
printf 'name = mine\nchannels = a b\nspeed = 3\n' >"$work/bad.machine"
run "bad machine" 1 "$examples" --machine="$work/bad.machine" && {
  grep -q "^$work/bad.machine:[0-9]*:[0-9]*: error: " "$work/err" && pass "bad machine" || fail "bad machine" "$(cat "$work/err")"
}
says "no file" 1 "$work/no.eir: error: cannot be opened: No such file or directory" "$work/no.eir"
says "remainder" 2 "midend unroll: --remainder: unknown place 'after', expected one of: epilogue, prologue, mid-exit" \
  "$examples" --remainder=after
says "kinds" 2 "midend unroll: --kinds: unknown kind 'all', expected one of: full, partial, runtime, uncounted, peel" \
  "$examples" --kinds=full,all
for bad in --factor=0 --factor=x --max-factor=5000 --assumed-trip=0 --least-gain=-1 --nothing; do
  run "$bad" 2 "$examples" "$bad" && pass "$bad"
done
run "help" 0 --help && pass "help"
if [ -e /dev/full ]; then
  "$tool" unroll "$examples" >/dev/full 2>"$work/err"
  [ $? -eq 1 ] && grep -q 'standard output: error: cannot be written' "$work/err" && pass "full" || fail "full" "$(cat "$work/err")"
fi
"$tool" unroll - <"$work/nest.eir" >"$work/out" 2>"$work/err" && grep -q '^@nest' "$work/out" && pass "standard input" ||
  fail "standard input" "$(cat "$work/err")"

[ "$failed" -eq 0 ]
