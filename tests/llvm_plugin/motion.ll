; What must not leave its loop, or only without its promises: slots, convergent calls, tokens, what runs early.
declare void @use(ptr)
declare void @sink(i32)
declare i32 @ballot(i32) convergent nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare void @sync() convergent
declare i8 @llvm.ctlz.i8(i8, i1)
declare ptr @llvm.threadlocal.address.p0(ptr)
@tls = thread_local global i32 0

define i1 @slot(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %last = phi ptr [ null, %entry ], [ %stays.slot, %loop ]
  %stays.slot = alloca i32
  store i32 %i, ptr %stays.slot
  %same = icmp eq ptr %stays.slot, %last
  call void @use(ptr %last)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret i1 %same
}

define void @token(i32 %n) convergent {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %stays.token = call token @llvm.experimental.convergence.anchor()
  call void @sync() [ "convergencectrl"(token %stays.token) ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

define void @threads(i32 %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %stays.ballot = call i32 @ballot(i32 %x)
  call void @sink(i32 %stays.ballot)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

define void @coroutine(i32 %n) presplitcoroutine {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %stays.address = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  call void @use(ptr %stays.address)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

define i8 @promises(ptr dereferenceable(1) align 1 %flag, i8 %x, i8 %n, i1 %k) nofree nosync {
entry:
  br label %head
head:
  %i = phi i8 [ 0, %entry ], [ %j, %next ]
  %s = phi i8 [ 0, %entry ], [ %t, %next ]
  br i1 %k, label %look, label %next
look:
  %leaves.load = load i8, ptr %flag, align 1, !range !0, !noundef !1
  %leaves.count = call noundef i8 @llvm.ctlz.i8(i8 noundef %x, i1 true)
  %sum = add i8 %leaves.load, %leaves.count
  br label %next
next:
  %t = phi i8 [ %s, %head ], [ %sum, %look ]
  %j = add i8 %i, 1
  %c = icmp ult i8 %j, %n
  br i1 %c, label %head, label %done
done:
  ret i8 %t
}
!0 = !{i8 0, i8 2}
!1 = !{}
