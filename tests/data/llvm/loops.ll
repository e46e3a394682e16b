; Small functions whose loops and dominators examples/llvm_compare.cpp compares with LLVM's.

declare void @step()
declare i1 @test()
declare i32 @personality(...)

; A for loop in a while loop, with continue and break.
define i32 @nested(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %go = icmp slt i32 %i, %n
  br i1 %go, label %inner, label %exit
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ], [ %j, %inner.continue ]
  %c = call i1 @test()
  br i1 %c, label %inner.body, label %outer.latch
inner.body:
  %d = call i1 @test()
  br i1 %d, label %inner.continue, label %inner.latch
inner.continue:
  br label %inner
inner.latch:
  %j.next = add i32 %j, 1
  %e = call i1 @test()
  br i1 %e, label %inner, label %exit
outer.latch:
  %i.next = add i32 %i, 1
  br label %outer
exit:
  ret i32 0
}

; A block that branches to itself, and an endless loop behind it.
define void @endless() {
entry:
  br label %self
self:
  %c = call i1 @test()
  br i1 %c, label %self, label %forever
forever:
  call void @step()
  br label %forever
}

; Jumps into a cycle from two sides: irreducible, with a natural loop around it.
define void @two_entries() {
entry:
  br label %header
header:
  %a = call i1 @test()
  br i1 %a, label %left, label %right
left:
  br label %right
right:
  %b = call i1 @test()
  br i1 %b, label %left, label %latch
latch:
  %c = call i1 @test()
  br i1 %c, label %header, label %exit
exit:
  ret void
}

; A switch with several arms to one block; all arms of the second switch go to a header, so there is no preheader.
define void @switches(i32 %x) {
entry:
  switch i32 %x, label %before [
    i32 1, label %join
    i32 2, label %join
    i32 3, label %exit
  ]
join:
  br label %before
before:
  switch i32 %x, label %header [
    i32 4, label %header
    i32 5, label %header
  ]
header:
  switch i32 %x, label %exit [
    i32 6, label %header
    i32 7, label %header
  ]
exit:
  ret void
}

; Unreachable blocks: one leads into a header, which then has no preheader, two form a loop of their own.
define void @unreachable() {
entry:
  br label %header
dead:
  br label %header
header:
  %c = call i1 @test()
  br i1 %c, label %header, label %exit
dead.loop:
  br label %dead.latch
dead.latch:
  br i1 false, label %dead.loop, label %exit
exit:
  ret void
}

; An invoke in front of a loop that has it as its only way in.
define void @invokes() personality ptr @personality {
entry:
  invoke void @step() to label %header unwind label %pad
header:
  invoke void @step() to label %latch unwind label %pad
latch:
  %c = call i1 @test()
  br i1 %c, label %header, label %exit
pad:
  %p = landingpad { ptr, i32 } cleanup
  br label %exit
exit:
  ret void
}

; One block.
define void @straight() {
  ret void
}
