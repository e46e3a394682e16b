; A program whose output does not change when midend's passes change it: nested loops, two entries into a cycle, a
; switch with parallel edges, values of loops that are read later, branches that are known, dead code.

@line = private constant [9 x i8] c"%s %lld\0A\00"
@name.nested = private constant [7 x i8] c"nested\00"
@name.two = private constant [12 x i8] c"two_entries\00"
@name.switch = private constant [9 x i8] c"switches\00"
@name.known = private constant [6 x i8] c"known\00"
@name.exits = private constant [6 x i8] c"exits\00"

declare i32 @printf(ptr, ...)

; The sum over a triangle; both loops test in their headers, and %i is read after the loop.
define i64 @nested(i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %sum = phi i64 [ 0, %entry ], [ %sum.inner, %outer.latch ]
  %go = icmp slt i64 %i, %n
  br i1 %go, label %inner, label %exit

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %body ]
  %sum.inner = phi i64 [ %sum, %outer ], [ %sum.next, %body ]
  %more = icmp slt i64 %j, %i
  br i1 %more, label %body, label %outer.latch

body:
  %product = mul i64 %i, %j
  %dead = add i64 %product, 17
  %sum.next = add i64 %sum.inner, %product
  %j.next = add i64 %j, 1
  br label %inner

outer.latch:
  %i.next = add i64 %i, 1
  br label %outer

exit:
  %result = add i64 %sum, %i
  ret i64 %result
}

; A cycle that is entered at %left and at %right.
define i64 @two_entries(i64 %n, i1 %where) {
entry:
  br i1 %where, label %left, label %right

left:
  %a = phi i64 [ 0, %entry ], [ %b.next, %right ]
  %x = phi i64 [ %n, %entry ], [ %y.next, %right ]
  %a.next = add i64 %a, 3
  %x.next = sub i64 %x, 1
  %stop.left = icmp sle i64 %x.next, 0
  br i1 %stop.left, label %exit, label %right

right:
  %b = phi i64 [ 100, %entry ], [ %a.next, %left ]
  %y = phi i64 [ %n, %entry ], [ %x.next, %left ]
  %b.next = mul i64 %b, 2
  %y.next = sub i64 %y, 1
  %stop.right = icmp sle i64 %y.next, 0
  br i1 %stop.right, label %exit, label %left

exit:
  %end = phi i64 [ %a.next, %left ], [ %b.next, %right ]
  ret i64 %end
}

; Parallel edges, also back to the header.
define i64 @switches(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %n, %entry ], [ %i.next, %loop ], [ %i.next, %loop ], [ %i.odd, %odd ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ], [ %sum.next, %loop ], [ %sum.odd, %odd ]
  %i.next = sub i64 %i, 1
  %sum.next = add i64 %sum, %i
  %rest = srem i64 %i.next, 5
  switch i64 %rest, label %odd [
    i64 1, label %loop
    i64 2, label %loop
    i64 0, label %test
  ]

odd:
  %i.odd = sub i64 %i.next, 1
  %sum.odd = xor i64 %sum.next, 5
  %more.odd = icmp sgt i64 %i.odd, -50
  br i1 %more.odd, label %loop, label %exit

test:
  %more = icmp sgt i64 %i.next, 0
  br i1 %more, label %odd, label %exit

exit:
  %out = phi i64 [ %sum.next, %test ], [ %sum.odd, %odd ]
  %again = add i64 %out, %i
  ret i64 %again
}

; %one stays 1 around the loop, so one way is never taken.
define i64 @known(i64 %n) {
entry:
  br label %loop

loop:
  %one = phi i64 [ 1, %entry ], [ %one.next, %latch ]
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %is.one = icmp eq i64 %one, 1
  br i1 %is.one, label %latch, label %change

change:
  %two = add i64 %one, 1
  br label %latch

latch:
  %one.next = phi i64 [ %one, %loop ], [ %two, %change ]
  %i.next = add i64 %i, %one.next
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret i64 %i.next
}

; Two exits to one block that is also entered from elsewhere.
define i64 @exits(i64 %n) {
entry:
  %small = icmp slt i64 %n, 3
  br i1 %small, label %out, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %square = mul i64 %i, %i
  %big = icmp sgt i64 %square, %n
  br i1 %big, label %out, label %latch

latch:
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, 1000
  br i1 %done, label %out, label %loop

out:
  %found = phi i64 [ -1, %entry ], [ %square, %loop ], [ %i.next, %latch ]
  ret i64 %found
}

; Not changed by passes that leave optnone alone.
define i64 @as_written(i64 %n) noinline optnone {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %i, %n
  br i1 %go, label %body, label %exit

body:
  %next = add i64 %i, 1
  br label %loop

exit:
  ret i64 %i
}

define i32 @main() {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %a = call i64 @nested(i64 %k)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name.nested, i64 %a)
  %even = trunc i64 %k to i1
  %b = call i64 @two_entries(i64 %k, i1 %even)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name.two, i64 %b)
  %c = call i64 @switches(i64 %k)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name.switch, i64 %c)
  %d = call i64 @known(i64 %k)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name.known, i64 %d)
  %e = call i64 @exits(i64 %k)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name.exits, i64 %e)
  %f = call i64 @as_written(i64 %k)
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, 20
  br i1 %more, label %loop, label %exit

exit:
  ret i32 0
}
