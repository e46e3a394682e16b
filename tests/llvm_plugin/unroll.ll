; Loops for midend-unroll: trip counts known and computed, tests first and last, several exits, pointers, what
; `#pragma unroll` makes, and starts and bounds that may be poison.

@line = private constant [9 x i8] c"%s %lld\0A\00"
@name.count = private constant [6 x i8] c"count\00"
@name.known = private constant [6 x i8] c"known\00"
@name.find = private constant [5 x i8] c"find\00"
@name.ends = private constant [5 x i8] c"ends\00"
@name.outer = private constant [6 x i8] c"outer\00"
@name.asked = private constant [6 x i8] c"asked\00"
@name.off = private constant [4 x i8] c"off\00"
@name.all = private constant [4 x i8] c"all\00"
@name.plain = private constant [6 x i8] c"plain\00"
@name.first = private constant [6 x i8] c"first\00"
@name.down = private constant [5 x i8] c"down\00"
@name.past = private constant [5 x i8] c"past\00"
@name.wide = private constant [5 x i8] c"wide\00"
@name.cut = private constant [4 x i8] c"cut\00"
@name.huge = private constant [5 x i8] c"huge\00"
@name.said = private constant [5 x i8] c"said\00"
@numbers = constant [16 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5, i32 8, i32 9, i32 7, i32 9, i32 3]

declare i32 @printf(ptr, ...)
declare void @exit(i32)

; Tested first; start, bound and step of any sign.
define i64 @count(i8 %start, i8 %bound) {
entry:
  br label %loop

loop:
  %i = phi i8 [ %start, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 1, %entry ], [ %sum.next, %body ]
  %more = icmp sgt i8 %i, %bound
  br i1 %more, label %body, label %exit

body:
  %wide = sext i8 %i to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %wide
  %i.next = add nsw i8 %i, -1
  br label %loop

exit:
  ret i64 %sum
}

; At most 12 iterations, which no counter says: how many bits %wide has.
define i64 @halves(i16 %n) {
entry:
  %wide = zext i16 %n to i64
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi i64 [ %wide, %entry ], [ %x.next, %loop ]
  %k.next = add i64 %k, 10
  %x.next = lshr i64 %x, 1
  %more = icmp ugt i64 %x, 31
  br i1 %more, label %loop, label %exit

exit:
  %sum = add i64 %k.next, %x.next
  ret i64 %sum
}

; 1,027 iterations, tested last.
define i64 @known(i64 %x) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ %x, %entry ], [ %sum.next, %loop ]
  %times = mul i64 %sum, 5
  %sum.next = add i64 %times, %i
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, 1027
  br i1 %done, label %exit, label %loop

exit:
  ret i64 %sum.next
}

; Left by data, or after 16 iterations.
define i64 @find(i32 %x) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %address = getelementptr inbounds i32, ptr @numbers, i64 %i
  %number = load i32, ptr %address
  %found = icmp eq i32 %number, %x
  br i1 %found, label %exit, label %next

next:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %i.next, 16
  br i1 %more, label %loop, label %exit

exit:
  %where = phi i64 [ %i, %loop ], [ -1, %next ]
  ret i64 %where
}

; The counter is a pointer.
define i64 @ends(ptr %end) {
entry:
  br label %loop

loop:
  %p = phi ptr [ @numbers, %entry ], [ %p.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp ne ptr %p, %end
  br i1 %more, label %body, label %exit

body:
  %number = load i32, ptr %p
  %wide = zext i32 %number to i64
  %sum.next = add i64 %sum, %wide
  %p.next = getelementptr inbounds i32, ptr %p, i64 1
  br label %loop

exit:
  ret i64 %sum
}

; A pointer that goes down, tested last, up to a bound that may be above it.
define i64 @down(ptr %start, ptr %end) {
entry:
  br label %loop

loop:
  %p = phi ptr [ %start, %entry ], [ %p.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %number = load i32, ptr %p
  %wide = zext i32 %number to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %wide
  %p.next = getelementptr i32, ptr %p, i64 -1
  %more = icmp uge ptr %p.next, %end
  br i1 %more, label %loop, label %exit

exit:
  ret i64 %sum.next
}

; A pointer that may step over its bound.
define i64 @past(ptr %start, ptr %end) {
entry:
  br label %loop

loop:
  %p = phi ptr [ %start, %entry ], [ %p.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp ult ptr %p, %end
  br i1 %more, label %body, label %exit

body:
  %number = load i32, ptr %p
  %wide = zext i32 %number to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %wide
  %p.next = getelementptr i32, ptr %p, i64 3
  br label %loop

exit:
  ret i64 %sum
}

; A counter that is extended before it is compared. It wraps at a bound that is no number of eight bits; then the data
; end the loop.
define i64 @wide(i8 %start, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i8 [ %start, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %index = zext i8 %i to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %index
  %large = icmp ugt i64 %sum.next, 1000000000000000
  br i1 %large, label %exit, label %body

body:
  %i.next = add i8 %i, 1
  %index.next = zext i8 %i.next to i64
  %more = icmp slt i64 %index.next, %n
  br i1 %more, label %loop, label %exit

exit:
  %result = phi i64 [ %sum, %loop ], [ %sum.next, %body ]
  ret i64 %result
}

; A counter of which eight bits are compared.
define i64 @cut(i64 %start, i8 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %start, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %low = trunc i64 %i to i8
  %more = icmp ne i8 %low, %n
  br i1 %more, label %body, label %exit

body:
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %i
  %i.next = add i64 %i, 3
  br label %loop

exit:
  ret i64 %sum
}

; A counter of 128 bits, which passes 2^64.
define i64 @huge(i64 %n) {
entry:
  %far = zext i64 %n to i128
  %bound = add i128 %far, 18446744073709551500
  br label %loop

loop:
  %i = phi i128 [ 18446744073709551500, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp ult i128 %i, %bound
  br i1 %more, label %body, label %exit

body:
  %half = lshr i128 %i, 60
  %index = trunc i128 %half to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %index
  %i.next = add i128 %i, 3
  br label %loop

exit:
  ret i64 %sum
}

; Six iterations, as only the branch before the loop says.
define i64 @said(i64 %n) {
entry:
  %is.six = icmp eq i64 %n, 6
  br i1 %is.six, label %loop, label %exit

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ %n, %entry ], [ %sum.next, %loop ]
  %times = mul i64 %sum, 23
  %sum.next = add i64 %times, %i
  %i.next = add i64 %i, 1
  %more = icmp ne i64 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  %result = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  ret i64 %result
}

; A loop in a loop.
define i64 @outer(i64 %n, i64 %m) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %last ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %last ]
  br label %columns

columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %s = phi i64 [ %sum, %rows ], [ %sum.next, %columns ]
  %product = mul i64 %i, %j
  %twice = mul i64 %s, 2
  %sum.next = add i64 %twice, %product
  %j.next = add nsw i64 %j, 1
  %again = icmp slt i64 %j.next, %m
  br i1 %again, label %columns, label %last

last:
  %i.next = add nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %rows, label %exit

exit:
  ret i64 %sum.next
}

; `#pragma unroll 5`
define i64 @asked(i64 noundef %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = phi i64 [ 7, %entry ], [ %x.next, %loop ]
  %x.times = mul i64 %x, 11
  %x.next = xor i64 %x.times, %i
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %loop, label %exit, !llvm.loop !0

exit:
  ret i64 %x.next
}

; `#pragma nounroll`
define i64 @off(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = phi i64 [ 7, %entry ], [ %x.next, %loop ]
  %x.times = mul i64 %x, 13
  %x.next = xor i64 %x.times, %i
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %loop, label %exit, !llvm.loop !3

exit:
  ret i64 %x.next
}

; `#pragma unroll(full)`
define i64 @all(i64 %x) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %y = phi i64 [ %x, %entry ], [ %y.next, %loop ]
  %y.times = mul i64 %y, 17
  %y.next = xor i64 %y.times, %i
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, 6
  br i1 %again, label %loop, label %exit, !llvm.loop !5

exit:
  ret i64 %y.next
}

; No remainder: `llvm.loop.unroll.runtime.disable`.
define i64 @plain(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = phi i64 [ 7, %entry ], [ %x.next, %loop ]
  %x.times = mul i64 %x, 19
  %x.next = xor i64 %x.times, %i
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %loop, label %exit, !llvm.loop !7

exit:
  ret i64 %x.next
}

define void @may_exit(i64 %x) {
entry:
  %ends = icmp eq i64 %x, 123456789
  br i1 %ends, label %end, label %exit

end:
  call void @exit(i32 1)
  unreachable

exit:
  ret void
}

; The call may end the program before the first test, so the guard must not branch on poison, and the latch neither:
; the counter may wrap after the last iteration.
define i64 @first(i8 %n, ptr %start.address) {
entry:
  %start = load i8, ptr %start.address
  br label %loop

loop:
  %i = phi i8 [ %start, %entry ], [ %i.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  call void @may_exit(i64 %sum)
  %more = icmp sle i8 %i, %n
  br i1 %more, label %body, label %exit

body:
  %wide = sext i8 %i to i64
  %times = mul i64 %sum, 3
  %sum.next = add i64 %times, %wide
  %i.next = add nsw i8 %i, 3
  br label %loop

exit:
  ret i64 %sum
}

define i32 @main() {
entry:
  %start = alloca i8
  br label %loop

loop:
  %n = phi i64 [ 0, %entry ], [ %n.next, %loop ]
  %small = trunc i64 %n to i8
  %other = mul i8 %small, 37
  %number = trunc i64 %n to i32
  store i8 %other, ptr %start
  %r.count = call i64 @count(i8 %small, i8 %other)
  %p.count = call i32 (ptr, ...) @printf(ptr @line, ptr @name.count, i64 %r.count)
  %r.known = call i64 @known(i64 %n)
  %p.known = call i32 (ptr, ...) @printf(ptr @line, ptr @name.known, i64 %r.known)
  %r.find = call i64 @find(i32 %number)
  %p.find = call i32 (ptr, ...) @printf(ptr @line, ptr @name.find, i64 %r.find)
  %end.number = and i64 %n, 15
  %end = getelementptr inbounds i32, ptr @numbers, i64 %end.number
  %r.ends = call i64 @ends(ptr %end)
  %p.ends = call i32 (ptr, ...) @printf(ptr @line, ptr @name.ends, i64 %r.ends)
  %middle = getelementptr inbounds i32, ptr @numbers, i64 7
  %r.down = call i64 @down(ptr %end, ptr %middle)
  %p.down = call i32 (ptr, ...) @printf(ptr @line, ptr @name.down, i64 %r.down)
  %r.past = call i64 @past(ptr @numbers, ptr %end)
  %p.past = call i32 (ptr, ...) @printf(ptr @line, ptr @name.past, i64 %r.past)
  %far.bound = mul i64 %n, 7
  %near.bound = sub i64 %far.bound, 20
  %r.wide = call i64 @wide(i8 %other, i64 %near.bound)
  %p.wide = call i32 (ptr, ...) @printf(ptr @line, ptr @name.wide, i64 %r.wide)
  %r.cut = call i64 @cut(i64 %far.bound, i8 %other)
  %p.cut = call i32 (ptr, ...) @printf(ptr @line, ptr @name.cut, i64 %r.cut)
  %r.huge = call i64 @huge(i64 %far.bound)
  %p.huge = call i32 (ptr, ...) @printf(ptr @line, ptr @name.huge, i64 %r.huge)
  %r.said = call i64 @said(i64 %n)
  %p.said = call i32 (ptr, ...) @printf(ptr @line, ptr @name.said, i64 %r.said)
  %r.outer = call i64 @outer(i64 7, i64 %n)
  %p.outer = call i32 (ptr, ...) @printf(ptr @line, ptr @name.outer, i64 %r.outer)
  %r.asked = call i64 @asked(i64 %n)
  %p.asked = call i32 (ptr, ...) @printf(ptr @line, ptr @name.asked, i64 %r.asked)
  %r.off = call i64 @off(i64 %n)
  %p.off = call i32 (ptr, ...) @printf(ptr @line, ptr @name.off, i64 %r.off)
  %r.all = call i64 @all(i64 %n)
  %p.all = call i32 (ptr, ...) @printf(ptr @line, ptr @name.all, i64 %r.all)
  %r.plain = call i64 @plain(i64 %n)
  %p.plain = call i32 (ptr, ...) @printf(ptr @line, ptr @name.plain, i64 %r.plain)
  %next.max = sub i8 120, %small
  %r.first = call i64 @first(i8 %next.max, ptr %start)
  %p.first = call i32 (ptr, ...) @printf(ptr @line, ptr @name.first, i64 %r.first)
  %n.next = add i64 %n, 1
  %again = icmp ult i64 %n.next, 50
  br i1 %again, label %loop, label %exit

exit:
  ret i32 0
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.unroll.count", i32 5}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.full"}
!7 = distinct !{!7, !8, !9}
!8 = !{!"llvm.loop.unroll.runtime.disable"}
!9 = !{!"llvm.loop.unroll.count", i32 4}
