; Addresses that grow by the same in each iteration.
define void @column(ptr %p, i64 %n, i64 %rows) {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %body]
  %more = icmp slt i64 %i, %rows
  br i1 %more, label %body, label %exit
body:
  %at = mul i64 %i, %n
  %place = getelementptr i64, ptr %p, i64 %at
  store i64 %i, ptr %place
  %i1 = add i64 %i, 1
  br label %head
exit:
  ret void
}
define void @geometric(ptr %p, i64 %n, i64 %rows) {
entry:
  br label %head
head:
  %i = phi i64 [1, %entry], [%i1, %body]
  %more = icmp slt i64 %i, %rows
  br i1 %more, label %body, label %exit
body:
  %place = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %place
  %i1 = mul i64 %i, %n
  br label %head
exit:
  ret void
}
