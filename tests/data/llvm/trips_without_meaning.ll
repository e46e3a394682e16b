; What may differ in what midend and LLVM say about trips, and is right on both sides: a run that breaks a promise has no
; meaning, and neither has a loop that no run enters.
target triple = "x86_64-unknown-linux-gnu"

; The increment of %i wraps before %i is 44, so no run with a meaning leaves there. LLVM counts to 44 around the end.
define i8 @broken_promise(ptr %p) {
entry:
  br label %loop

loop:
  %i = phi i8 [ 100, %entry ], [ %i1, %latch ]
  %j = phi i8 [ 0, %entry ], [ %j1, %latch ]
  store volatile i8 %j, ptr %p
  %i1 = add nsw i8 %i, 20
  %wraps = icmp eq i8 %i1, 44
  br i1 %wraps, label %exit, label %latch

latch:
  %j1 = add i8 %j, 1
  %ends = icmp eq i8 %j1, 15
  br i1 %ends, label %exit, label %loop

exit:
  %r = phi i8 [ %i1, %loop ], [ %j1, %latch ]
  ret i8 %r
}

; The branch on a constant leads past the loop.
define void @never_entered(ptr %p, i32 %n) {
entry:
  br i1 false, label %loop, label %exit

loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %ends = icmp eq i32 %i1, 7
  br i1 %ends, label %exit, label %loop

exit:
  ret void
}
