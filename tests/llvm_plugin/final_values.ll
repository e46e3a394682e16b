; Final values, and loops that end by a promise.
define i32 @weighted(i32 %n, i32 noundef %a, i32 %b) {
entry:
  br label %head
head:
  %i = phi i32 [0, %entry], [%i1, %body]
  %sum = phi i32 [0, %entry], [%sum1, %body]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %exit
body:
  %part = mul i32 %i, %a
  %both = add i32 %part, %b
  %sum1 = add i32 %sum, %both
  %i1 = add i32 %i, 1
  br label %head
exit:
  ret i32 %sum
}
define i32 @dead(i32 %n) mustprogress {
entry:
  br label %head
head:
  %i = phi i32 [%n, %entry], [%i1, %head]
  %i1 = mul i32 %i, %i
  %more = icmp ne i32 %i1, 17
  br i1 %more, label %head, label %exit
exit:
  ret i32 4
}
define i32 @not_dead(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [%n, %entry], [%i1, %head]
  %i1 = mul i32 %i, %i
  %more = icmp ne i32 %i1, 17
  br i1 %more, label %head, label %exit
exit:
  ret i32 4
}
define i32 @promised_loop(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [%n, %entry], [%i1, %head]
  %i1 = mul i32 %i, %i
  %more = icmp ne i32 %i1, 17
  br i1 %more, label %head, label %exit, !llvm.loop !0
exit:
  ret i32 4
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
