; Where a block is not reachable, an instruction may be its own operand, directly or through others.
define i32 @circles(ptr %p, i1 %c) {
entry:
  ret i32 0

dead:
  %next = getelementptr i8, ptr %next, i64 8
  %read = load i32, ptr %next
  %sum = add i32 %sum, %read
  %wide = sext i32 %cut to i64
  %cut = trunc i64 %wide to i32
  %first = insertvalue { i32, i32 } %second, i32 %read, 0
  %second = insertvalue { i32, i32 } %first, i32 %cut, 0
  %field = extractvalue { i32, i32 } %first, 1
  %kept = freeze i32 %kept
  %either = select i1 %test, i32 %either, i32 %kept
  %test = icmp slt i32 %either, %sum
  %there = getelementptr [4 x i32], ptr %back, i64 %wide
  %back = getelementptr i8, ptr %there, i64 -4
  store i32 %field, ptr %there
  br i1 %test, label %dead, label %out

out:
  ret i32 %sum
}
