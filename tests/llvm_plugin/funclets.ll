; The preheader of the loop ends a funclet, which nothing enters.
target triple = "x86_64-pc-windows-msvc"
declare void @use(i32)
declare void @thr()
declare i32 @__CxxFrameHandler3(...)
declare i32 @pure(i32) nounwind willreturn memory(none)

define i32 @catches(i32 %n) personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @thr() to label %out unwind label %cs
cs:
  %s = catchswitch within none [label %cp] unwind to caller
cp:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %loop
loop:
  %i = phi i32 [ 0, %cp ], [ %j, %loop ]
  %stays.call = call i32 @pure(i32 %n)
  call void @use(i32 %stays.call)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i32 0
}
