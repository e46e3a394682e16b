; The worked examples of docs/unrolling.md as LLVM 19 sees them before it unrolls, for examples/llvm_unroll.cpp:
;
;   clang-19 -O2 -fno-vectorize -fno-slp-vectorize -Xclang -disable-llvm-passes -emit-llvm -c unrolling.c -o raw.bc
;   opt-19 -passes='default<O2>' -disable-loop-unrolling -vectorize-loops=false -vectorize-slp=false raw.bc -S
;
; without most attributes, which say nothing of loops. The source:
;
;   int five_iterations(const int *a, int x) {
;     int sum = 0;
;     for (int i = 0; i < 5; ++i) {
;       sum += a[i];
;       sum += 2 * x;
;       if (i == 3) sum *= 2;
;     }
;     return sum;
;   }
;   int quarters_and_sixteenths(const int *a) {
;     int sum = 0;
;     for (int i = 0; i < 1024; ++i) {
;       sum += a[i];
;       sum += i / 4;
;       if (i % 16 == 0) sum *= 2;
;     }
;     return sum;
;   }
;   int rotation(int a, int b, int c) {
;     int sum = 0;
;     for (int i = 0; i < 3000; ++i) {
;       sum += a;
;       int t = a; a = b; b = c; c = t;
;     }
;     return sum;
;   }
;   int remainder_of_three(const int *a) {
;     int x = 0;
;     for (int i = 0; i < 1027; ++i) x ^= a[i];
;     return x;
;   }
;   int unknown_length(const int *a, int start, int len) {
;     int sum = 0;
;     for (int i = start; i < len; ++i) sum += a[i];
;     return sum;
;   }
;   int search(const int *a, int x) {
;     int idx = 0;
;     while (a[idx / 7] != x) { x++; idx++; }
;     return idx;
;   }
;   void with_call(int *a, int n, int (*f)(int)) {
;     for (int i = 0; i < n; ++i) a[i] = f(i);
;   }

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @five_iterations(ptr %0, i32 %1) #0 {
  %3 = shl nsw i32 %1, 1
  br label %5

4:
  ret i32 %spec.select

5:
  %indvars.iv = phi i64 [ 0, %2 ], [ %indvars.iv.next, %5 ]
  %.0910 = phi i32 [ 0, %2 ], [ %spec.select, %5 ]
  %6 = getelementptr inbounds i32, ptr %0, i64 %indvars.iv
  %7 = load i32, ptr %6, align 4
  %8 = add i32 %.0910, %3
  %9 = add i32 %8, %7
  %10 = icmp eq i64 %indvars.iv, 3
  %11 = zext i1 %10 to i32
  %spec.select = shl nsw i32 %9, %11
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 5
  br i1 %exitcond.not, label %4, label %5, !llvm.loop !9
}

define i32 @quarters_and_sixteenths(ptr %0) #0 {
  br label %3

2:
  ret i32 %spec.select

3:
  %indvars.iv = phi i64 [ 0, %1 ], [ %indvars.iv.next, %3 ]
  %.0910 = phi i32 [ 0, %1 ], [ %spec.select, %3 ]
  %4 = getelementptr inbounds i32, ptr %0, i64 %indvars.iv
  %5 = load i32, ptr %4, align 4
  %6 = trunc nuw nsw i64 %indvars.iv to i32
  %7 = lshr i32 %6, 2
  %8 = add i32 %7, %.0910
  %9 = add i32 %8, %5
  %10 = and i32 %6, 15
  %11 = icmp eq i32 %10, 0
  %12 = zext i1 %11 to i32
  %spec.select = shl nsw i32 %9, %12
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 1024
  br i1 %exitcond.not, label %2, label %3, !llvm.loop !11
}

define i32 @rotation(i32 %0, i32 %1, i32 %2) #0 {
  br label %5

4:
  ret i32 %6

5:
  %.017 = phi i32 [ %0, %3 ], [ %.01213, %5 ]
  %.0916 = phi i32 [ 0, %3 ], [ %7, %5 ]
  %.01015 = phi i32 [ 0, %3 ], [ %6, %5 ]
  %.01114 = phi i32 [ %2, %3 ], [ %.017, %5 ]
  %.01213 = phi i32 [ %1, %3 ], [ %.01114, %5 ]
  %6 = add nsw i32 %.017, %.01015
  %7 = add nuw nsw i32 %.0916, 1
  %exitcond.not = icmp eq i32 %7, 3000
  br i1 %exitcond.not, label %4, label %5, !llvm.loop !12
}

define i32 @remainder_of_three(ptr %0) #0 {
  br label %3

2:
  ret i32 %6

3:
  %indvars.iv = phi i64 [ 0, %1 ], [ %indvars.iv.next, %3 ]
  %.056 = phi i32 [ 0, %1 ], [ %6, %3 ]
  %4 = getelementptr inbounds i32, ptr %0, i64 %indvars.iv
  %5 = load i32, ptr %4, align 4
  %6 = xor i32 %5, %.056
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 1027
  br i1 %exitcond.not, label %2, label %3, !llvm.loop !13
}

define i32 @unknown_length(ptr %0, i32 %1, i32 %2) #0 {
  %4 = icmp slt i32 %1, %2
  br i1 %4, label %.lr.ph.preheader, label %._crit_edge

.lr.ph.preheader:
  %5 = sext i32 %1 to i64
  %wide.trip.count = sext i32 %2 to i64
  br label %.lr.ph

._crit_edge:
  %.07.lcssa = phi i32 [ 0, %3 ], [ %8, %.lr.ph ]
  ret i32 %.07.lcssa

.lr.ph:
  %indvars.iv = phi i64 [ %5, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %.078 = phi i32 [ 0, %.lr.ph.preheader ], [ %8, %.lr.ph ]
  %6 = getelementptr inbounds i32, ptr %0, i64 %indvars.iv
  %7 = load i32, ptr %6, align 4
  %8 = add nsw i32 %7, %.078
  %indvars.iv.next = add nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph, !llvm.loop !14
}

define i32 @search(ptr %0, i32 %1) #0 {
  %3 = load i32, ptr %0, align 4
  %.not6 = icmp eq i32 %3, %1
  br i1 %.not6, label %._crit_edge, label %.lr.ph

.lr.ph:
  %.08 = phi i32 [ %5, %.lr.ph ], [ 0, %2 ]
  %.057 = phi i32 [ %4, %.lr.ph ], [ %1, %2 ]
  %4 = add nsw i32 %.057, 1
  %5 = add nuw nsw i32 %.08, 1
  %6 = udiv i32 %5, 7
  %7 = zext nneg i32 %6 to i64
  %8 = getelementptr inbounds i32, ptr %0, i64 %7
  %9 = load i32, ptr %8, align 4
  %.not = icmp eq i32 %9, %4
  br i1 %.not, label %._crit_edge, label %.lr.ph, !llvm.loop !15

._crit_edge:
  %.0.lcssa = phi i32 [ 0, %2 ], [ %5, %.lr.ph ]
  ret i32 %.0.lcssa
}

define void @with_call(ptr %0, i32 %1, ptr %2) #0 {
  %4 = icmp sgt i32 %1, 0
  br i1 %4, label %.lr.ph.preheader, label %._crit_edge

.lr.ph.preheader:
  %wide.trip.count = zext nneg i32 %1 to i64
  br label %.lr.ph

._crit_edge:
  ret void

.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %5 = trunc nuw nsw i64 %indvars.iv to i32
  %6 = tail call i32 %2(i32 %5)
  %7 = getelementptr inbounds i32, ptr %0, i64 %indvars.iv
  store i32 %6, ptr %7, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph, !llvm.loop !16
}

attributes #0 = { "target-cpu"="x86-64" "tune-cpu"="generic" }

!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10}
!12 = distinct !{!12, !10}
!13 = distinct !{!13, !10}
!14 = distinct !{!14, !10}
!15 = distinct !{!15, !10}
!16 = distinct !{!16, !10}
