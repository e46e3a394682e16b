#!/usr/bin/env bash
# run_test.sh TOOL PROGRAMS_DIR: what `midend run` prints and how it ends. The sample programs of PROGRAMS_DIR say
# in comments, `# run: @PROCEDURE ARGUMENTS… => FIRST LINE`, what comes out of them. Prints PASS or FAIL for each case.
set -u
tool=$1 programs=$2 subcommand=run
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

samples=0
for file in "$programs"/*.eir; do
  while IFS= read -r line; do
    read -ra arguments <<<"${line%% => *}"
    name="${file##*/} ${arguments[0]}"
    run "$name" 0 "$file" "${arguments[@]}" || continue
    if [ "$(head -n 1 "$work/out")" = "${line#* => }" ]; then pass "$name"; else
      fail "$name" "'$line', it prints '$(head -n 1 "$work/out")'"
    fi
    samples=$((samples + 1))
  done < <(sed -n 's/^# run: //p' "$file")
done
[ "$samples" -gt 20 ] || fail "samples" "only $samples runs in $programs"

cat >"$work/all.eir" <<'EIR'
proc @id_i1(%x: i1) -> i1 {
  node entry:
    ret %x
}
proc @id_i8(%x: i8) -> i8 {
  node entry:
    ret %x
}
proc @id_i64(%x: i64) -> i64 {
  node entry:
    ret %x
}
proc @id_f32(%x: f32) -> f32 {
  node entry:
    ret %x
}
proc @id_f64(%x: f64) -> f64 {
  node entry:
    ret %x
}
proc @id_ptr(%x: ptr) -> ptr {
  node entry:
    ret %x
}
proc @nothing() {
  node entry:
    ret
}
proc @divide(%a: i32, %b: i32) -> i32 {
  node entry:
    %q = div.i32 %a, %b
    ret %q
}
proc @copy(%to: ptr, %from: ptr, %n: i32) -> i32 {
  node entry:
    %any = cmp.gt.i32 %n, 0
    br %any ? loop : exit
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %v = ld.i16 [%from + %i*2]
    st.i16 %v, [%to + %i*2]
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, %n
    br %more ? loop : exit
  node exit:
    ret %n
}
proc @follow(%list: ptr) -> ptr {
  node entry:
    %next = ld.ptr [%list]
    %last = ld.ptr [%next + 8]
    ret %last
}
proc @hello(%x: i32) {
  node entry:
    call @putchar(i8 72)
    call @putchar(i8 105)
    call @putchar(i8 10)
    call @print(%x, f64 0.5, i1 1)
    call @print()
    ret
}
proc @stop() {
  node entry:
    call @print(i8 1)
    call @abort() noreturn
    unreachable
}
proc @elsewhere() {
  node entry:
    call @not_there()
    ret
}
proc @endless() {
  node entry:
    br loop
  node loop:
    br loop
}
proc @deep(%n: i64) -> i64 {
  node entry:
    %m = add.i64 %n, 1
    %r = call.i64 @deep(%m)
    ret %r
}
EIR
all=$work/all.eir

prints "no result" "" "$all" @nothing
prints "the @ may be left out" "" "$all" nothing
prints "i1" 1 "$all" @id_i1 1
prints "i8" -1 "$all" @id_i8 255
prints "negative" -128 "$all" @id_i8 -128
prints "hexadecimal" -1 "$all" @id_i8 0xff
prints "i64" -9223372036854775808 "$all" @id_i64 0x8000000000000000
prints "f32" 0x1.99999ap-4 "$all" @id_f32 0.1
prints "f64" 0x1.999999999999ap-4 "$all" @id_f64 0.1
prints "hexadecimal float" -0x1.8p+1 "$all" @id_f64 -0x1.8p+1
prints "infinity" -inf "$all" @id_f64 -- -inf
prints "nan" nan "$all" @id_f64 nan
cat >"$work/long.eir" <<'EIR'
proc @divide(%a: ptr, %x: f80) -> f80 {
  node entry:
    %y = ld.f80 [%a + 10]
    %r = fdiv.f80 %x, %y
    st.f80 %r, [%a]
    call @print(%r, f80 0.1)
    ret %r
}
EIR
third=0x1.5555555555555556p-2
prints "f80" "$third 0x1.999999999999ap-4"$'\n'"$third"$'\n'"m:f80:$third,0x1.8p+1,nan" \
  "$work/long.eir" @divide @m 1 --memory=m:f80:0.5,3,nan
prints "ptr" 0 "$all" @id_ptr 0
prints "address" 0x200000000 "$all" @id_ptr @b --memory=a:i8:1 --memory=b:i8:1
prints "address as a number" 4294967296 "$all" @id_i64 @a --memory=a:i8:1
prints "changed memory" $'4\nto:i16:1,2,-3,7,0*4' \
  "$all" @copy @to @from 4 --memory=to:i16:0*8 --memory=from:i16:1,2,0xfffd,7
prints "memory that did not change" $'2' "$all" @copy @to @from 2 --memory=to:i16:1,2 --memory=from:i16:1,2
prints "memory of another type" $'2\nto:f32:0x1.01p-126' \
  "$all" @copy @to @from 2 --memory=to:f32:0 --memory=from:i8:0,128,128,0
prints "memory in front of the file" 0x200000000 --memory=a:i8:1 --memory b:i8:1 "$all" @id_ptr @b
prints "memory in between" 0x100000000 "$all" --memory a:i8:1 @id_ptr @a
prints "memory of addresses" 0x300000000 "$all" @follow @x \
  --memory=x:ptr:@y --memory=y:ptr:0,@z --memory=z:i8:
prints "host functions" $'Hi\n7 0x1p-1 1' "$all" @hello 7

says "division by zero" 1 \
  "$all:31:5: trap: division by zero in @divide, node entry, operation '%q = div.i32 %a, %b'" "$all" @divide 1 0
says "outside memory" 1 \
  "$all:40:5: trap: access outside memory: 0x100000004 in @copy, node loop, operation '%v = ld.i16 [%from + %i*2]'" \
  "$all" @copy @b @a 3 --memory=a:i16:1,2 --memory=b:i16:0*3
says "unknown procedure" 1 \
  "$all:71:5: trap: unknown procedure @not_there in @elsewhere, node entry, operation 'call @not_there()'" \
  "$all" @elsewhere
says "step limit" 1 "$all:78:5: trap: step limit in @endless, node loop, operation 'br loop'" \
  "$all" @endless --step-limit=100
says "depth of calls" 1 \
  "$all:83:5: trap: calls are nested too deep in @deep, node entry, operation '%r = call.i64 @deep(%m)'" \
  "$all" @deep 0 --call-depth=1000
says "depth of calls by default" 1 \
  "$all:83:5: trap: calls are nested too deep in @deep, node entry, operation '%r = call.i64 @deep(%m)'" "$all" @deep 0
if run "what was printed before a trap" 1 "$all" @stop; then
  if [ "$(cat "$work/out")" = 1 ] && grep -q ': trap: a host function ended the run in @stop, ' "$work/err"; then
    pass "what was printed before a trap"
  else
    fail "what was printed before a trap" "$(cat "$work/out" "$work/err")"
  fi
fi

says "no such procedure" 1 "$all: error: there is no procedure '@main'" "$all" @main
says "no such file" 1 "$work/nowhere.eir: error: cannot be opened: No such file or directory" "$work/nowhere.eir" @main
says "too few arguments" 2 "midend run: @divide takes 2 arguments, 1 are given" "$all" @divide 1
says "too many arguments" 2 "midend run: @nothing takes 0 arguments, 1 are given" "$all" @nothing 1
says "no number" 2 "midend run: argument %b of @divide: '0.5' is no i32" "$all" @divide 1 0.5
says "too large" 2 "midend run: argument %x of @id_i8: '256' does not fit into i8" "$all" @id_i8 256
says "no such memory" 2 "midend run: argument %x of @id_ptr: there is no memory 'a'" "$all" @id_ptr @a --memory=b:i8:0
says "an address is no i32" 2 "midend run: argument %a of @divide: '@a' is no i32" \
  "$all" @divide @a 1 --memory=a:i8:0
says "memory without type" 2 "midend run: --memory=a: expected NAME:TYPE:v,v,…" "$all" @nothing --memory=a
says "memory without name" 2 "midend run: --memory=:i8:0: expected NAME:TYPE:v,v,…" "$all" @nothing --memory=:i8:0
says "memory of no type" 2 "midend run: --memory=a:i7:0: unknown type 'i7'" "$all" @nothing --memory=a:i7:0
says "memory twice" 2 "midend run: --memory=a:i8:1: there is another memory 'a'" \
  "$all" @nothing --memory=a:i8:0 --memory=a:i8:1
says "no element" 2 "midend run: --memory=a:i8:1,,2: '' is no i8" "$all" @nothing --memory=a:i8:1,,2
says "no number of elements" 2 "midend run: --memory=a:i8:1*x: '1*x': 'x' is no number of elements" \
  "$all" @nothing '--memory=a:i8:1*x'
says "too many elements" 2 "midend run: --memory=a:i8:1,1*2147483648: '1*2147483648': all arrays together have at most 2^28 bytes" \
  "$all" @nothing '--memory=a:i8:1,1*2147483648'
says "too many elements of 8 bytes" 2 \
  "midend run: --memory=a:i64:0*268435456: '0*268435456': all arrays together have at most 2^28 bytes" \
  "$all" @nothing '--memory=a:i64:0*268435456'
says "too many elements of two arrays" 2 \
  "midend run: --memory=b:i8:0*134217729: '0*134217729': all arrays together have at most 2^28 bytes" \
  "$all" @nothing '--memory=a:i8:0*134217728' '--memory=b:i8:0*134217729'
run "no procedure" 2 "$all" && pass "no procedure"
run "no limit" 2 "$all" @nothing --step-limit=x && pass "no limit"
run "negative limit" 2 "$all" @nothing --step-limit=-1 && pass "negative limit"
run "limit of more than 64 bits" 2 "$all" @nothing --step-limit=99999999999999999999 && pass "limit of more than 64 bits"
run "negative depth" 2 "$all" @nothing --call-depth=-1 && pass "negative depth"

printf 'proc @f() -> i32 {\n  node entry:\n    %%x = ad.i32 1, 3\n    %%z = ad.i32 1, 2\n    ret %%x\n}\n' >"$work/bad.eir"
if run "errors of the file" 1 "$work/bad.eir" @f; then
  if grep -q "^$work/bad.eir:3:[0-9]*: error: " "$work/err" && grep -q "^$work/bad.eir:4:[0-9]*: error: " "$work/err"; then
    pass "errors of the file"
  else
    fail "errors of the file" "$(cat "$work/err")"
  fi
fi
printf 'proc @f() -> i32 {\n  node entry:\n    %%x = add.i32 1, 2\n    ret\n}\n' >"$work/bad.eir"
if run "errors of the verifier" 1 "$work/bad.eir" @f; then
  if grep -q "^$work/bad.eir:4:[0-9]*: error: " "$work/err"; then pass "errors of the verifier"; else
    fail "errors of the verifier" "$(cat "$work/err")"
  fi
fi

if run "--profile-out" 0 "$all" @copy @to @from 4 --memory=to:i16:0*4 --memory=from:i16:1*4 --profile-out="$work/p.eir"; then
  if grep -q '^proc @copy(.*) -> i32 count=1 {$' "$work/p.eir" && grep -q '^  node loop count=4:$' "$work/p.eir" &&
    grep -q '^    br %more ? loop(0.75) : exit(0.25)$' "$work/p.eir" && grep -q '^proc @divide.* count=0 {$' "$work/p.eir"; then
    pass "--profile-out"
  else
    fail "--profile-out" "$(grep -A 12 @copy "$work/p.eir")"
  fi
  prints "a program with a profile runs" -2 "$work/p.eir" @divide 5 -2
fi
run "--profile-out of a trap" 1 "$all" @endless --step-limit=10 --profile-out="$work/t.eir" &&
  { grep -q '^  node loop count=10:$' "$work/t.eir" && pass "--profile-out of a trap" ||
    fail "--profile-out of a trap" "$(grep -A 5 @endless "$work/t.eir")"; }
run "--profile-out that cannot be written" 1 "$all" @nothing --profile-out="$work/no/p.eir" &&
  { grep -q "^$work/no/p.eir: error: cannot be written: " "$work/err" && pass "--profile-out that cannot be written" ||
    fail "--profile-out that cannot be written" "$(cat "$work/err")"; }
run "--stats" 0 "$all" @divide 7 2 --stats &&
  { grep -qE '^2 operations in [0-9.]+ s' "$work/err" && grep -qx '@divide: 1 call' "$work/err" && pass "--stats" ||
    fail "--stats" "$(cat "$work/err")"; }
run "--help" 0 --help && pass "--help"
if [ -w /dev/full ]; then
  "$tool" run "$all" @id_i8 1 >/dev/full 2>"$work/err"
  status=$?
  if [ $status -eq 1 ] && grep -q '^midend: error: standard output: ' "$work/err"; then pass "full disk"; else
    fail "full disk" "exit status $status, $(cat "$work/err")"
  fi
fi
[ "$failed" -eq 0 ]
