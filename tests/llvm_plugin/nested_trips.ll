; The exit of the inner loop is the backedge of the outer one.
define i32 @main() {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %inner ]
  %i.next = add i32 %i, 1
  %ends = icmp eq i32 %i, 3
  br i1 %ends, label %end, label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %j.next = add i32 %j, 1
  %more = icmp ult i32 %j.next, 5
  br i1 %more, label %inner, label %outer
end:
  ret i32 0
}
