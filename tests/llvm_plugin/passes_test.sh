#!/usr/bin/env bash
# passes_test.sh PLUGIN OPT LLI MODULE...: each pass of the plugin, and all of them, with verification, over small
# modules; forms that hold afterwards; a program that prints the same before and after; answers to wrong options.
set -u
plugin=$(realpath "$1") opt=$2 lli=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MIDEND_AT MIDEND_VERIFY
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    head -n 10 "$work/log"
  fi
}
run() { # PASSES MODULE [OPTION...]
  timeout 60 "$opt" "-load-pass-plugin=$plugin" "-passes=$1" -S "$2" -o "$work/out.ll" "${@:3}"
}
refuses() { # TEXT PASSES [OPTION...]
  ! run "$2" "$here/program.ll" "${@:3}" 2>"$work/error" && grep -qF -- "$1" "$work/error"
}
has() { grep -qF -- "$1" "$work/out.ll"; }
lacks() { ! has "$1"; }

passes=(midend-simplify-loops midend-close-loops midend-rotate midend-fix-irreducible midend-clean-control midend-dce
  midend-sccp midend-vn midend-split-critical-edges midend-unify-exits midend-propagate-copies midend-hoist-invariants
  midend-low-level midend-clean-up midend-unroll midend-final-values midend-dead-loops
  midend-reduce-strength)
all=$(IFS=,; echo "${passes[*]}")

# Each by itself, checked by its certificate, LLVM's verifier, and LLVM's analyses.
for module in "$@" "$here/program.ll" "$here/unreachable.ll" "$here/loop_entries.ll" "$here/debug_assignments.ll" \
  "$here/motion.ll" "$here/funclets.ll" "$here/hearts.ll" "$here/single_successors.ll" "$here/final_values.ll" \
  "$here/strength.ll"; do
  for pass in "${passes[@]}"; do
    check "$pass<verify> of $(basename "$module")" run "$pass<verify>,midend-compare<quiet>,verify" "$module"
  done
  check "all passes of $(basename "$module")" run "function($all,midend-compare),verify" "$module" -midend-verify
  cp "$work/out.ll" "$work/$(basename "$module" .ll)-all.ll"
done

# What leaves a loop, and without which promises; what does not leave it.
places() { # PATTERN: in which blocks the matching values are defined
  sed -nE -e 's/^([a-z.]+):.*/\1/;t block' -e "s/^  %($1)[a-z.]* = .*/\1/;t value" -e 'b' -e ':block' -e 'h' -e 'b' \
    -e ':value' -e 'x;p;x' "$work/out.ll" | sort -u | tr '\n' ' '
}
for module in motion funclets; do
  check "midend-hoist-invariants of $module.ll" run "midend-hoist-invariants<verify>,verify" "$here/$module.ll"
  check "$module.ll: slots, convergent calls, tokens and funclets stay" [ "$(places stays)" = "loop " ]
  if [ "$module" = motion ]; then
    check "motion.ll: what may run early leaves" [ "$(places leaves)" = "entry " ]
    check "motion.ll: without promises whose breach is undefined" lacks noundef
  fi
done
check "midend-assert-trips of hearts.ll: tests come after the heart of a cycle" \
  run "midend-assert-trips,verify" "$here/hearts.ll"

# What an end with one successor does and reads stays.
for pass in "${passes[@]}"; do
  check "$pass of single_successors.ll" run "$pass,verify" "$here/single_successors.ll"
  check "$pass: the assembly stays" [ "$(grep -c 'callbr .*"stays' "$work/out.ll")" = "$(grep -c 'callbr .*"stays' "$here/single_successors.ll")" ]
done

# A program prints the same.
"$lli" "$here/program.ll" >"$work/before"
check "the program runs" [ "$(wc -l <"$work/before")" = 100 ]
for passes_tried in "${passes[@]}" "$all" "$all,$all"; do
  check "$passes_tried changes the program" run "$passes_tried" "$here/program.ll"
  "$lli" "$work/out.ll" >"$work/after"
  check "$passes_tried: the program prints the same" diff "$work/before" "$work/after"
done

# Trip counts as assertions: they hold, and a run that breaks a promise contradicts what follows from it.
check "midend-assert-trips of trips.ll" run "midend-assert-trips,verify" "$here/trips.ll"
"$lli" "$here/trips.ll" >"$work/before-trips"
"$lli" "$work/out.ll" >"$work/after"
check "midend-assert-trips: the program prints the same" diff "$work/before-trips" "$work/after"
check "midend-assert-trips: four loops" [ "$(grep -c 'midend.taken[0-9]* = phi' "$work/out.ll")" = 4 ]
check "midend-assert-trips: a multiple of 4" \
  [ "$(grep -c 'urem i64 %[0-9]*, 4' "$work/out.ll")/$(grep -c 'one less than a multiple of' "$work/out.ll")" = 1/1 ]
{ "$lli" --entry-function=broken "$work/out.ll" >"$work/after" 2>&1; } 2>/dev/null # without "Aborted"
check "midend-assert-trips: ten backedges are too many" \
  grep -qx 'midend-assert-trips: at_most, loop test: 10 backedges, not at most 9' "$work/after"
check "midend-assert-trips of nested_trips.ll" run "midend-assert-trips,verify" "$here/nested_trips.ll"
check "midend-assert-trips: an exit that is the backedge of the loop around" "$lli" "$work/out.ll"
for module in "$@"; do
  check "midend-assert-trips of $(basename "$module")" run "midend-assert-trips,verify" "$module"
done

# What is promised afterwards, as LLVM sees it: passes that have nothing to do change nothing.
without_comments() { sed -e '/^;/d' -e 's/ *; preds = .*//' "$1"; }
nothing_left() { # AFTER THEIRS: the passes THEIRS change nothing
  run "$1" "$here/program.ll" && cp "$work/out.ll" "$work/ours.ll" && run "$2" "$work/ours.ll" &&
    diff <(without_comments "$work/ours.ll") <(without_comments "$work/out.ll")
}
check "loop-simplify has nothing to do" nothing_left midend-simplify-loops loop-simplify
check "lcssa has nothing to do" nothing_left midend-close-loops loop-simplify,lcssa
check "fix-irreducible has nothing to do" nothing_left midend-fix-irreducible fix-irreducible
check "break-crit-edges has nothing to do" nothing_left midend-split-critical-edges break-crit-edges
check "dce has nothing to do" nothing_left midend-dce dce
for pass in "${passes[@]}"; do
  check "$pass: a second time changes nothing" nothing_left "$pass" "$pass"
done
run midend-sccp "$here/program.ll"
check "the way that is never taken goes" lacks "change:"
run midend-vn "$here/program.ll"
check "the way that is never taken goes, by midend-vn" lacks "change:"
check "midend-vn<verify> of promises.ll" run 'midend-vn<verify>,midend-compare<quiet>,verify' "$here/promises.ll"
check "an equal sum is replaced by a phi" has "%r = mul i32 %z, %z"
check "equal quotients are one" has "%s = add i32 %x, %x"
for promise in nsw nuw exact disjoint nneg inbounds nnan '!range'; do
  check "$promise is dropped where an equal value does not promise it" lacks " $promise"
done
check "other results are not allowed" has "%t = fmul float %s, %z"
check "an attribute that only one call has" has "%s = mul i32 %x, %y"
check "attributes of an intrinsic of the vocabulary go" has "%least = call i32 @llvm.umin.i32(i32 %a, i32 7)"
check "both are one" has "%r = mul i32 %least, %least"
check "midend-low-level<verify> of low_level.ll" run 'midend-low-level<verify>,verify' "$here/low_level.ll"
check "redundant operations, loads and stores go" lacks "%gone"
check "what is overwritten is not stored" lacks "store i32 1"
for value in $(grep -o '^  %stays[.a-z0-9]*' "$here/low_level.ll"); do
  check "$value stays" has "$value ="
done
check "the store before that of a structure stays" has "store i64 -1"
check "a load that replaces another one keeps no promise of its own" lacks '!range'
check "nor a call" has "%least = call i32 @llvm.umin.i32"
check "nor does a sum" lacks 'add nsw i32 %kept'
check "a negated sum is a difference" has '= sub i32 -1, %x'
run midend-rotate "$here/program.ll"
check "optnone is left alone" grep -q '^  %go = icmp slt i64 %i, %n$' "$work/out.ll"

# Unrolling, by all options.
"$lli" "$here/unroll.ll" >"$work/before-unroll"
check "the loops to unroll run" [ "$(wc -l <"$work/before-unroll")" = 800 ]
for options in verify 'machine=scalar_core;verify' 'factor=2;verify' 'factor=3;verify' 'factor=4;verify' 'factor=7;verify' \
  'full;verify' 'peel;verify' 'peel=3;verify' 'peel=last;verify' 'prologue;verify' 'factor=3;prologue;verify' \
  'factor=4;unrolled-remainder;verify' 'factor=4;prologue;unrolled-remainder;verify' 'factor=3;as-written;verify'; do
  for module in "$@" "$here/program.ll" "$here/loop_entries.ll" "$here/debug_assignments.ll" "$here/unroll.ll"; do
    check "midend-unroll<$options> of $(basename "$module")" run "midend-unroll<$options>,midend-compare<quiet>,verify" "$module"
  done
  "$lli" "$work/out.ll" >"$work/after"
  check "midend-unroll<$options>: the loops compute the same" diff "$work/before-unroll" "$work/after"
  run "midend-unroll<$options>" "$here/program.ll" && "$lli" "$work/out.ll" >"$work/after"
  check "midend-unroll<$options>: the program prints the same" diff "$work/before" "$work/after"
done
times_in() { # N TEXT FUNCTION: a function contains a text so many times
  [ "$(sed -n "/^define .*@$3(/,/^}/p" "$work/out.ll" | grep -cF -- "$2")" = "$1" ]
}
run midend-unroll "$here/unroll.ll"
check "llvm.loop.unroll.count: five copies and the remainder" times_in 6 ", 11" asked
check "llvm.loop.unroll.disable: nothing" times_in 1 ", 13" off
check "llvm.loop.unroll.full: six copies, the first two products of which are one" times_in 4 ", 17" all
check "llvm.loop.unroll.full: the clean-up makes it one" times_in 1 ", 289" all
check "llvm.loop.unroll.full: no loop" times_in 0 "phi" all
check "llvm.loop.unroll.runtime.disable: no remainder" times_in 4 ", 19" plain
check "both loops are marked" times_in 2 '!llvm.loop' asked
run 'midend-unroll<factor=4>' "$here/unroll.ll"
check "what may be poison is frozen" times_in 2 freeze first
check "the latch must not read poison" times_in 0 nsw first
check "what is no poison is not frozen" times_in 0 freeze asked
for function in ends down past; do
  check "a counter that is a pointer: $function" times_in 3 ptrtoint $function
done
check "a counter that is extended" times_in 2 "= sext i1" wide
check "a counter that is cut" times_in 2 "trunc" cut
check "a counter of 128 bits: its test is in the guard and in the remainder only" times_in 2 "= icmp ult i128" huge
cp "$work/out.ll" "$work/cleaned.ll"
run 'midend-unroll<factor=4;as-written>' "$here/unroll.ll"
check "it runs in passes" times_in 5 "mul i64 %sum" huge
cp "$work/cleaned.ll" "$work/out.ll"
cp "$work/out.ll" "$work/once.ll"
run 'midend-unroll<full>' "$here/unroll.ll"
check "at most 12 iterations: 11 tests, and no loop" times_in 11 ", 31" halves
check "the number of iterations that a branch before the loop says: no loop" times_in 0 "%i = phi" said
run 'midend-unroll<factor=4>' "$work/once.ll"
check "what was unrolled is not unrolled again" diff <(without_comments "$work/once.ll") <(without_comments "$work/out.ll")
run 'loop-unroll<O3;runtime>' "$work/once.ll" -unroll-runtime=true -unroll-count=3
check "nor by LLVM" times_in 6 ", 11" asked
check "a factor of 1 is refused" refuses "unknown" 'midend-unroll<factor=1>'
check "a machine that does not exist is named" refuses "machine 'nothing'" 'midend-unroll<machine=nothing>'
check "options within a position" run 'default<O1>' "$here/unroll.ll" '-midend-at=optimizer-last=midend-unroll<factor=3;verify>;vectorizer-start=midend-dce'
check "options are read there" times_in 1 ", 13" off

# Passes of loops and nests: by themselves, together, and after others; programs print the same.
loop_passes=(midend-peel midend-unswitch midend-split-index midend-split-by-condition midend-collapse midend-interchange)
loops_together=$(IFS=,; echo "${loop_passes[*]}")
"$lli" "$here/loop_changes.ll" >"$work/before-changes"
check "the loops to change run" [ "$(wc -l <"$work/before-changes")" = 78 ]
"$lli" "$here/condition_splits.ll" >"$work/before-splits"
check "the loops to split run" [ "$(wc -l <"$work/before-splits")" = 21 ]
for tried in "${loop_passes[@]}" "$loops_together" "midend-rotate,$loops_together" \
  "midend-interchange,midend-collapse,midend-clean-up,midend-hoist-invariants,$loops_together,midend-clean-up"; do
  for module in "$@" "$here"/*.ll; do
    check "$tried of $(basename "$module")" run "function($tried,midend-compare<quiet>),verify" "$module" -midend-verify
  done
  for program in changes:loop_changes splits:condition_splits unroll:unroll trips:trips; do
    check "$tried of ${program#*:}.ll" run "function($tried)" "$here/${program#*:}.ll"
    "$lli" "$work/out.ll" >"$work/after"
    check "$tried: ${program#*:}.ll prints the same" diff "$work/before-${program%:*}" "$work/after"
  done
  run "function($tried)" "$here/program.ll"
  "$lli" "$work/out.ll" >"$work/after"
  check "$tried: the program prints the same" diff "$work/before" "$work/after"
done
changes() { # PASS: how many loops it says it changes
  run "$1" "$here/loop_changes.ll" "-pass-remarks=$1" 2>"$work/remarks"
  grep -c 'changed the loop' "$work/remarks"
}
misses() { # PASS TEXT: it says why a loop stays
  run "$1" "$here/loop_changes.ll" "-pass-remarks-missed=$1" 2>"$work/remarks" && grep -qF -- "$2" "$work/remarks"
}
check "midend-peel: one loop" [ "$(changes midend-peel)" = 1 ]
check "midend-peel: two iterations and the loop" times_in 3 "getelementptr i8" seldom
check "midend-peel: what is left is marked" times_in 1 "!llvm.loop" seldom
check "midend-peel: no second time" nothing_left midend-peel midend-peel
check "midend-unswitch: three loops" [ "$(changes midend-unswitch)" = 3 ]
check "midend-unswitch: two versions" times_in 2 "call void @may_stop" maybe
check "midend-unswitch: what may be poison is frozen" times_in 1 "freeze i1 %which" maybe
for function in fixed not_copied left_alone forbidden small; do
  check "midend-unswitch: nothing in $function" times_in 0 "freeze" $function
  check "midend-unswitch: one increment of each counter in $function" \
    times_in "$([ $function = not_copied ] && echo 2 || echo 1)" ".next = add i32" $function
done
check "midend-unswitch: says what must not be copied" misses midend-unswitch "an operation of the loop may not be copied"
check "midend-unswitch: and which edges stay" misses midend-unswitch "an edge of the loop cannot be redirected"
check "midend-split-index: two loops" [ "$(changes midend-split-index)" = 2 ]
check "midend-split-index: a copy before the bound and one after it" times_in 2 "xor i32" halves
splits() { # OPTION TEXT COUNT: what it says about the loops to split
  run midend-split-by-condition "$here/condition_splits.ll" "$1=midend-split-by-condition" 2>"$work/remarks"
  [ "$(grep -cF -- "$2" "$work/remarks")" = "$3" ]
}
check "midend-split-by-condition: three loops" splits -pass-remarks "changed the loop" 3
check "midend-split-by-condition: local arrays at the head of the entry" times_in 2 "= alloca [512 x i8]" seldom
check "midend-split-by-condition: not where the arm writes what the next iteration reads" \
  splits -pass-remarks-missed "two accesses meet in iterations that would change order" 1
check "midend-split-by-condition: nor where a value of an arm is read outside of it" \
  splits -pass-remarks-missed "a value of an arm is read outside of it" 1
check "midend-collapse: eleven nests" [ "$(changes midend-collapse)" = 11 ]
check "midend-collapse: the loop ends after the product" times_in 1 "icmp eq i64 %4, 1073" fill
check "midend-collapse: the index in the flat array is the counter" times_in 1 "ptr @flat, i64 0, i64 %1" fill
check "midend-collapse: the old counters go on without a division" times_in 2 "select" skewed
check "midend-collapse: says what stays" misses midend-collapse "an iteration reads a value of an earlier one"
check "midend-interchange: eight nests" [ "$(changes midend-interchange)" = 8 ]
check "midend-interchange: the addresses are as before" times_in 1 "getelementptr" columns
check "midend-interchange: the row is the outer counter" times_in 1 "ptr @a, i64 0, i64 %indvars.iv1, i64" columns
check "midend-interchange: distance (1, -1) is illegal" times_in 1 "%indvars.iv.next = add" skewed
check "midend-interchange: distance (1, 1) is legal" times_in 0 "%indvars.iv.next = add" through
check "midend-interchange: nobody says that the new inner loop is parallel" times_in 0 "llvm.loop" parallel
check "midend-interchange: a bound that may be poison is not read early" times_in 1 "%j.next = add i64 %j, 1" perhaps_poison
check "midend-interchange: another bound may be" times_in 0 "%j.next = add i64 %j, 1" known_numbers
check "midend-interchange: says why" misses midend-interchange "a bound may be poison that the loops need not read"

# Final values: what may be poison is frozen, since the loop may not read it. Loops go that are promised to end.
check "final values and dead loops" \
  run 'function(midend-final-values<verify>,midend-dead-loops<verify>,midend-clean-control),verify' "$here/final_values.ll"
check "midend-final-values: no loop" times_in 0 "phi" weighted
check "midend-final-values: what is known to be a number is not frozen" times_in 2 "freeze" weighted
for function in dead promised_loop; do
  check "midend-dead-loops: mustprogress of $function" times_in 0 "phi" $function
done
check "midend-dead-loops: nothing says that it ends" times_in 1 "phi" not_dead

# Counters in place of products: the step may be poison or undefined, and is one number for all iterations.
check "strength reduction" run 'function(midend-reduce-strength<verify>,midend-dce<verify>),verify' "$here/strength.ll"
check "midend-reduce-strength: no product" times_in 0 "mul" column
check "midend-reduce-strength: the step is frozen before the loop" [ "$(places 'n.fr')" = "entry " ]
check "midend-reduce-strength: two counters" times_in 2 "phi" column
check "midend-reduce-strength: a product of numbers that are no counters stays" times_in 1 "mul" geometric

# Answers.
check "a line for each function" bash -c "timeout 60 '$opt' '-load-pass-plugin=$plugin' -passes=midend-compare -disable-output '$here/program.ll' 2>&1 |
  grep -qx 'midend-compare: two_entries: 4 blocks, 0 loops (0 in loop-simplify form), 1 cycles (1 irreducible): 0 answers differ from LLVM.s'"
check "an unknown option is refused" refuses "unknown" 'midend-rotate<verif>'
check "an unknown position is refused" refuses "no position 'lat'" 'default<O1>' -midend-at=lat=midend-dce
check "an unknown pass is refused" refuses "midend-nothing" 'default<O1>' -midend-at=optimizer-last=midend-nothing
check "a position without passes is refused" refuses "expected position=passes" 'default<O1>' -midend-at=optimizer-last
for position in pipeline-start pipeline-early-simplification peephole scalar-optimizer-late optimizer-early \
  vectorizer-start optimizer-last; do
  check "position $position" run 'default<O2>' "$here/program.ll" "-midend-at=$position=midend-compare,$all" -midend-verify
  "$lli" "$work/out.ll" >"$work/after"
  check "position $position: the program prints the same" diff "$work/before" "$work/after"
done
MIDEND_AT='optimizer-last=midend-compare' run 'default<O1>' "$here/program.ll" 2>"$work/error"
check "the environment names positions" grep -q '^midend-compare: nested:' "$work/error"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
