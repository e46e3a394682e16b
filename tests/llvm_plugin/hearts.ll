; A loop whose header has the heart of a cycle: tests come after it.
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @sync() convergent

define void @heart() convergent {
entry:
  %a = call token @llvm.experimental.convergence.anchor()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %t = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %a) ]
  call void @sync() [ "convergencectrl"(token %t) ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 5
  br i1 %c, label %loop, label %done
done:
  ret void
}

; The same in a loop that has a heart, and with two backedges.
define void @nested(i32 %n, i1 %k) convergent {
entry:
  %a = call token @llvm.experimental.convergence.anchor()
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %latch ], [ %o1, %other ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %a) ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %j, %inner ]
  %t = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %h) ]
  call void @sync() [ "convergencectrl"(token %t) ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 5
  br i1 %c, label %inner, label %after
after:
  %o1 = add i32 %o, 1
  %d = icmp ult i32 %o1, 9
  br i1 %k, label %latch, label %other
latch:
  br i1 %d, label %outer, label %done
other:
  br i1 %d, label %outer, label %done
done:
  ret void
}
