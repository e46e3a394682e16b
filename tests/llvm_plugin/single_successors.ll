; Ends with one successor that are no plain branches, and addresses of blocks that are never reached.
declare void @use(i32)
declare void @take(ptr)
declare i32 @pure(i32) nounwind willreturn memory(none)
declare i32 @__gxx_personality_v0(...)

define i32 @result(ptr %p) {
entry:
  %x = callbr i32 asm "stays.1", "=r"() to label %next []
next:
  ret i32 %x
}

define void @alone(i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  callbr void asm sideeffect "stays.2", ""() to label %two []
two:
  ret void
}

define i32 @before_a_loop(i32 %n) {
entry:
  %x = callbr i32 asm sideeffect "stays.3", "=r"() to label %loop []
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, %x
  call void @use(i32 %j)
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret i32 %j
}

define void @no_cases(i32 %a, i32 %b) {
entry:
  %s = add i32 %a, %b
  switch i32 %s, label %done [ ]
done:
  ret void
}

define i32 @no_cases_in_a_loop(i32 %n) {
entry:
  %m = mul i32 %n, 5
  switch i32 %m, label %loop [ ]
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  %y = add i32 %i, 3
  call void @use(i32 %y)
  %j = add i32 %i, %y
  %k = mul i32 %j, 9
  switch i32 %k, label %latch [ ]
latch:
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i32 0
}

define void @one_address(ptr %q) {
entry:
  %s = getelementptr i8, ptr %q, i64 1
  indirectbr ptr %s, [label %done]
done:
  ret void
}

define void @read_result(i32 %n, ptr %p) personality ptr @__gxx_personality_v0 {
entry:
  %x = invoke i32 @pure(i32 %n) to label %out unwind label %pad
out:
  store i32 %x, ptr %p
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  unreachable
}

define void @address() {
entry:
  call void @take(ptr blockaddress(@address, %dead))
  ret void
dead:
  ret void
}

define void @part_of_address() {
entry:
  call void @use(i32 ptrtoint (ptr blockaddress(@part_of_address, %dead) to i32))
  ret void
dead:
  ret void
}

define void @jump_elsewhere() {
entry:
  indirectbr ptr blockaddress(@jump_elsewhere, %dead), [label %live]
live:
  ret void
dead:
  ret void
}

; The address that is jumped to is a constant of the function that value numbering finds.
define void @known_address() {
entry:
  %a = ptrtoint ptr blockaddress(@known_address, %there) to i64
  %b = inttoptr i64 %a to ptr
  indirectbr ptr %b, [label %here, label %there]
here:
  br label %there
there:
  ret void
}
