; Loops that are entered by ends of blocks that have several ways and no condition: only a condition has cases.
declare void @use(i32)
declare i32 @personality(...)

define void @by_address(ptr %where) {
entry:
  indirectbr ptr %where, [label %out, label %loop]

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @use(i32 %i)
  %next = add nuw nsw i32 %i, 1
  %again = icmp ne i32 %next, 12
  br i1 %again, label %loop, label %out

out:
  ret void
}

define void @after_a_call_that_throws(i32 %n) personality ptr @personality {
entry:
  invoke void @use(i32 %n)
          to label %loop unwind label %pad

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %i
  %next = add nuw nsw i32 %i, 1
  %again = icmp ne i32 %next, 12
  br i1 %again, label %loop, label %out

out:
  call void @use(i32 %more)
  ret void

pad:
  %caught = landingpad { ptr, i32 }
          cleanup
  ret void
}

define void @by_assembler(i32 %n) {
entry:
  callbr void asm sideeffect "", "!i"()
          to label %out [label %loop]

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @use(i32 %i)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out

out:
  ret void
}
