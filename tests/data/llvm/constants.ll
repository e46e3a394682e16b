; Small functions in which examples/llvm_sccp.cpp looks for constants, with LLVM and with midend.

declare void @step()
declare i1 @test()
declare i8 @llvm.ctpop.i8(i8)

; The classic example: x is 1 around the loop, since what would change it is never executed.
define i32 @optimistic() {
entry:
  br label %loop
loop:
  %x = phi i32 [ 1, %entry ], [ %again, %latch ]
  %is.one = icmp eq i32 %x, 1
  br i1 %is.one, label %latch, label %change
change:
  br label %latch
latch:
  %again = phi i32 [ %x, %loop ], [ 2, %change ]
  %go = call i1 @test()
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %again
}

; A switch whose cases are all there are, by bounds.
define i32 @covered(i32 %a) {
entry:
  %low = and i32 %a, 1
  switch i32 %low, label %never [ i32 0, label %zero
                                  i32 1, label %one ]
zero:
  ret i32 10
one:
  ret i32 11
never:
  ret i32 12
}

; The same by the bits: 0, 2, 8 and 10.
define i32 @covered_by_bits(i32 %a) {
entry:
  %even = and i32 %a, 10
  switch i32 %even, label %never [ i32 0, label %some
                                   i32 2, label %some
                                   i32 8, label %some
                                   i32 10, label %some ]
some:
  ret i32 1
never:
  ret i32 2
}

; An odd number is not 4.
define i1 @parity(i32 %a) {
  %odd = or i32 %a, 1
  %is.four = icmp eq i32 %odd, 4
  ret i1 %is.four
}

define i32 @undefined(i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %chosen = phi i32 [ undef, %entry ], [ 5, %then ]
  %sum = add i32 %chosen, 1
  ret i32 %sum
}

; LLVM executes no branch on undef.
define i32 @branch_on_undefined() {
entry:
  br i1 undef, label %a, label %b
a:
  ret i32 1
b:
  ret i32 2
}

define i1 @fields(i64 %n) {
  %first = insertvalue { i8, i64 } poison, i8 4, 0
  %pair = insertvalue { i8, i64 } %first, i64 %n, 1
  %four = extractvalue { i8, i64 } %pair, 0
  %is.four = icmp eq i8 %four, 4
  ret i1 %is.four
}

; Nobody follows fields through phis.
define i8 @field_of_phi(i1 %c, i64 %n) {
entry:
  %a = insertvalue { i8, i64 } { i8 4, i64 0 }, i64 %n, 1
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %pair = phi { i8, i64 } [ %a, %entry ], [ { i8 4, i64 1 }, %then ]
  %four = extractvalue { i8, i64 } %pair, 0
  ret i8 %four
}

define i1 @promised(ptr %p, i8 range(i8 0, 10) %small, i8 %any) {
  %loaded = load i8, ptr %p, !range !0
  %bits = call i8 @llvm.ctpop.i8(i8 %any)
  %a = icmp ult i8 %loaded, 3
  %b = icmp ult i8 %small, 10
  %c = icmp ule i8 %bits, 8
  %ab = and i1 %a, %b
  %abc = and i1 %ab, %c
  ret i1 %abc
}

!0 = !{ i8 0, i8 3 }

; Bounds around loops, which midend's narrowing wins back.
define i1 @counted() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, 100
  br i1 %more, label %body, label %exit
body:
  %low = and i32 %i, 127
  %next = add nuw nsw i32 %low, 1
  br label %loop
exit:
  %in.range = icmp ult i32 %i, 200
  ret i1 %in.range
}

; A constant to LLVM, but no number yet.
define i64 @address() {
  %address = ptrtoint ptr @step to i64
  ret i64 %address
}

; Never null.
define i1 @not_null() {
  %slot = alloca i32
  %null = icmp eq ptr %slot, null
  ret i1 %null
}

; Results that one operand decides, unused edges of switches, parallel edges.
define i32 @decided(i32 %a) {
entry:
  %zero = mul i32 %a, 0
  %masked = and i32 %a, 0
  switch i32 %zero, label %other [ i32 0, label %join
                                   i32 1, label %join ]
other:
  br label %join
join:
  %x = phi i32 [ 7, %entry ], [ 7, %entry ], [ 8, %other ]
  %sum = add i32 %x, %masked
  ret i32 %sum
}
