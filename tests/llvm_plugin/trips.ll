; Loops whose trips midend knows. @main prints the same with midend-assert-trips. @broken reads a number that is not in
; the range that its metadata promises, so its loop contradicts what follows from that.

@numbers = global [64 x i32] zeroinitializer
@promised = global i32 9
@broken_promise = global i32 20
@format = constant [4 x i8] c"%d\0A\00"

declare i32 @printf(ptr, ...)

; 36 backedges.
define i32 @exact(i32 %add) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ %add, %entry ], [ %more, %body ]
  %more = add i32 %sum, %i
  %next = add nsw i32 %i, 1
  %goes_on = icmp slt i32 %next, 37
  br i1 %goes_on, label %body, label %exit
exit:
  ret i32 %more
}

; At most 9 backedges by the range of %n, with an exit in the middle; then exactly 2.
define i32 @at_most(ptr %where, i32 %stop) {
entry:
  %n = load i32, ptr %where, !range !0
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %goes_on = icmp ult i32 %i, %n
  br i1 %goes_on, label %body, label %exit
body:
  %next = add nuw i32 %i, 1
  %at = getelementptr [64 x i32], ptr @numbers, i32 0, i32 %i
  store i32 %i, ptr %at
  %stops = icmp eq i32 %i, %stop
  br i1 %stops, label %exit, label %test
exit:
  %left = phi i32 [ %i, %test ], [ 100, %body ]
  br label %again
again:
  %k = phi i32 [ 0, %exit ], [ %k.next, %again ]
  %k.next = add nuw i32 %k, 1
  %k.more = icmp ult i32 %k.next, 3
  br i1 %k.more, label %again, label %end
end:
  %result = add i32 %left, %k
  ret i32 %result
}

; A multiple of 4 header executions.
define i32 @multiple(i32 %n) {
entry:
  %m = shl i32 %n, 2
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %goes_on = icmp ne i32 %next, %m
  br i1 %goes_on, label %body, label %exit
exit:
  ret i32 %next
}

define i32 @broken() {
  %r = call i32 @at_most(ptr @broken_promise, i32 -1)
  ret i32 %r
}

define i32 @main() {
entry:
  %a = call i32 @exact(i32 5)
  %b = call i32 @at_most(ptr @promised, i32 4)
  %c = call i32 @at_most(ptr @promised, i32 -1)
  %printed.a = call i32 (ptr, ...) @printf(ptr @format, i32 %a)
  %printed.b = call i32 (ptr, ...) @printf(ptr @format, i32 %b)
  %printed.c = call i32 (ptr, ...) @printf(ptr @format, i32 %c)
  %by_four = call i32 @multiple(i32 3)
  call i32 (ptr, ...) @printf(ptr @format, i32 %by_four)
  ret i32 0
}

!0 = !{i32 0, i32 10}
