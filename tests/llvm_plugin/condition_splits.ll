; Loops for midend-split-by-condition, as clang-19 -O1 leaves them: an arm that seldom runs, two arms, numbers that are
; read after the loop, an arm that writes what the next iteration reads, and a loop in another one.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@x = internal unnamed_addr global [1000 x double] zeroinitializer, align 16
@z = internal unnamed_addr global [1000 x double] zeroinitializer, align 16
@y = internal unnamed_addr global [1000 x double] zeroinitializer, align 16
@a = internal unnamed_addr global [1000 x i32] zeroinitializer, align 16
@b = internal unnamed_addr global [1000 x i32] zeroinitializer, align 16
@c = internal unnamed_addr global [1000 x i32] zeroinitializer, align 16
@.str = private unnamed_addr constant [11 x i8] c"seldom %u\0A\00", align 1
@.str.1 = private unnamed_addr constant [15 x i8] c"both %d %u %u\0A\00", align 1
@.str.2 = private unnamed_addr constant [9 x i8] c"none %d\0A\00", align 1
@.str.3 = private unnamed_addr constant [19 x i8] c"pointers %.17g %u\0A\00", align 1
@.str.4 = private unnamed_addr constant [10 x i8] c"meets %d\0A\00", align 1
@.str.5 = private unnamed_addr constant [6 x i8] c"a %u\0A\00", align 1
@.str.6 = private unnamed_addr constant [11 x i8] c"nested %u\0A\00", align 1

; Function Attrs: nofree nounwind uwtable
define dso_local noundef i32 @main() local_unnamed_addr #0 {
  br label %1

1:                                                ; preds = %0, %1
  %2 = phi i64 [ 0, %0 ], [ %25, %1 ]
  %3 = trunc i64 %2 to i32
  %4 = mul i32 %3, 37
  %5 = urem i32 %4, 101
  %6 = uitofp nneg i32 %5 to double
  %7 = fdiv double %6, 5.000000e+01
  %8 = getelementptr inbounds [1000 x double], ptr @x, i64 0, i64 %2
  store double %7, ptr %8, align 8
  %9 = trunc nuw nsw i64 %2 to i32
  %10 = uitofp nneg i32 %9 to double
  %11 = getelementptr inbounds [1000 x double], ptr @z, i64 0, i64 %2
  store double %10, ptr %11, align 8
  %12 = trunc i64 %2 to i32
  %13 = sub i32 0, %12
  %14 = sitofp i32 %13 to double
  %15 = getelementptr inbounds [1000 x double], ptr @y, i64 0, i64 %2
  store double %14, ptr %15, align 8
  %16 = trunc i64 %2 to i32
  %17 = mul i32 %16, 7919
  %18 = urem i32 %17, 1013
  %19 = getelementptr inbounds [1000 x i32], ptr @a, i64 0, i64 %2
  store i32 %18, ptr %19, align 4
  %20 = getelementptr inbounds [1000 x i32], ptr @b, i64 0, i64 %2
  %21 = trunc nuw nsw i64 %2 to i32
  store i32 %21, ptr %20, align 4
  %22 = mul nuw nsw i64 %2, %2
  %23 = getelementptr inbounds [1000 x i32], ptr @c, i64 0, i64 %2
  %24 = trunc nuw i64 %22 to i32
  store i32 %24, ptr %23, align 4
  %25 = add nuw nsw i64 %2, 1
  %26 = icmp eq i64 %25, 1000
  br i1 %26, label %28, label %1, !llvm.loop !11

27:                                               ; preds = %111
  ret i32 0

28:                                               ; preds = %1, %111
  %29 = phi i32 [ %113, %111 ], [ 0, %1 ]
  %30 = uitofp nneg i32 %29 to double
  %31 = fmul double %30, 9.000000e-01
  %32 = fsub double 1.900000e+00, %31
  tail call fastcc void @seldom(double noundef %32)
  br label %33

33:                                               ; preds = %33, %28
  %34 = phi i64 [ %41, %33 ], [ 0, %28 ]
  %35 = phi i32 [ %40, %33 ], [ 1, %28 ]
  %36 = mul i32 %35, 31
  %37 = getelementptr inbounds i8, ptr @y, i64 %34
  %38 = load i8, ptr %37, align 1
  %39 = zext i8 %38 to i32
  %40 = add i32 %36, %39
  %41 = add nuw nsw i64 %34, 1
  %42 = icmp eq i64 %41, 8000
  br i1 %42, label %43, label %33, !llvm.loop !15

43:                                               ; preds = %33
  %44 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, i32 noundef %40)
  %45 = mul nsw i32 %29, -300
  %46 = add nsw i32 %45, 999
  %47 = tail call fastcc i32 @both(i32 noundef %46)
  br label %48

48:                                               ; preds = %48, %43
  %49 = phi i64 [ %56, %48 ], [ 0, %43 ]
  %50 = phi i32 [ %55, %48 ], [ 1, %43 ]
  %51 = mul i32 %50, 31
  %52 = getelementptr inbounds i8, ptr @b, i64 %49
  %53 = load i8, ptr %52, align 1
  %54 = zext i8 %53 to i32
  %55 = add i32 %51, %54
  %56 = add nuw nsw i64 %49, 1
  %57 = icmp eq i64 %56, 4000
  br i1 %57, label %58, label %48, !llvm.loop !15

58:                                               ; preds = %48, %58
  %59 = phi i64 [ %66, %58 ], [ 0, %48 ]
  %60 = phi i32 [ %65, %58 ], [ 1, %48 ]
  %61 = mul i32 %60, 31
  %62 = getelementptr inbounds i8, ptr @c, i64 %59
  %63 = load i8, ptr %62, align 1
  %64 = zext i8 %63 to i32
  %65 = add i32 %61, %64
  %66 = add nuw nsw i64 %59, 1
  %67 = icmp eq i64 %66, 4000
  br i1 %67, label %68, label %58, !llvm.loop !15

68:                                               ; preds = %58
  %69 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.1, i32 noundef %47, i32 noundef %55, i32 noundef %65)
  %70 = tail call fastcc i32 @both(i32 noundef 0)
  %71 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.2, i32 noundef %70)
  %72 = mul nuw nsw i32 %29, 7
  %73 = add nuw nsw i32 %72, 500
  %74 = tail call fastcc double @pointers(i32 noundef %73)
  br label %75

75:                                               ; preds = %75, %68
  %76 = phi i64 [ %83, %75 ], [ 0, %68 ]
  %77 = phi i32 [ %82, %75 ], [ 1, %68 ]
  %78 = mul i32 %77, 31
  %79 = getelementptr inbounds i8, ptr @y, i64 %76
  %80 = load i8, ptr %79, align 1
  %81 = zext i8 %80 to i32
  %82 = add i32 %78, %81
  %83 = add nuw nsw i64 %76, 1
  %84 = icmp eq i64 %83, 8000
  br i1 %84, label %85, label %75, !llvm.loop !15

85:                                               ; preds = %75
  %86 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.3, double noundef %74, i32 noundef %82)
  %87 = tail call fastcc i32 @meets()
  %88 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.4, i32 noundef %87)
  br label %89

89:                                               ; preds = %89, %85
  %90 = phi i64 [ %97, %89 ], [ 0, %85 ]
  %91 = phi i32 [ %96, %89 ], [ 1, %85 ]
  %92 = mul i32 %91, 31
  %93 = getelementptr inbounds i8, ptr @a, i64 %90
  %94 = load i8, ptr %93, align 1
  %95 = zext i8 %94 to i32
  %96 = add i32 %92, %95
  %97 = add nuw nsw i64 %90, 1
  %98 = icmp eq i64 %97, 4000
  br i1 %98, label %99, label %89, !llvm.loop !15

99:                                               ; preds = %89
  %100 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.5, i32 noundef %96)
  tail call fastcc void @nested(i32 noundef %29)
  br label %101

101:                                              ; preds = %101, %99
  %102 = phi i64 [ %109, %101 ], [ 0, %99 ]
  %103 = phi i32 [ %108, %101 ], [ 1, %99 ]
  %104 = mul i32 %103, 31
  %105 = getelementptr inbounds i8, ptr @c, i64 %102
  %106 = load i8, ptr %105, align 1
  %107 = zext i8 %106 to i32
  %108 = add i32 %104, %107
  %109 = add nuw nsw i64 %102, 1
  %110 = icmp eq i64 %109, 4000
  br i1 %110, label %111, label %101, !llvm.loop !15

111:                                              ; preds = %101
  %112 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.6, i32 noundef %108)
  %113 = add nuw nsw i32 %29, 1
  %114 = icmp eq i32 %113, 3
  br i1 %114, label %27, label %28, !llvm.loop !16
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define internal fastcc void @seldom(double noundef %0) unnamed_addr #1 {
  br label %3

2:                                                ; preds = %17
  ret void

3:                                                ; preds = %1, %17
  %4 = phi i64 [ 0, %1 ], [ %18, %17 ]
  %5 = getelementptr inbounds [1000 x double], ptr @x, i64 0, i64 %4
  %6 = load double, ptr %5, align 8
  %7 = fcmp ogt double %6, %0
  br i1 %7, label %8, label %17

8:                                                ; preds = %3
  %9 = fdiv double %6, %0
  %10 = fadd double %9, 1.000000e+00
  %11 = fdiv double %9, %10
  %12 = fdiv double %11, 3.000000e+00
  %13 = getelementptr inbounds [1000 x double], ptr @z, i64 0, i64 %4
  %14 = load double, ptr %13, align 8
  %15 = fadd double %12, %14
  %16 = getelementptr inbounds [1000 x double], ptr @y, i64 0, i64 %4
  store double %15, ptr %16, align 8
  br label %17

17:                                               ; preds = %3, %8
  %18 = add nuw nsw i64 %4, 1
  %19 = icmp eq i64 %18, 1000
  br i1 %19, label %2, label %3, !llvm.loop !17
}

; Function Attrs: nofree nounwind
declare noundef i32 @printf(ptr nocapture noundef readonly, ...) local_unnamed_addr #2

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define internal fastcc i32 @both(i32 noundef %0) unnamed_addr #1 {
  %2 = icmp sgt i32 %0, 0
  br i1 %2, label %3, label %5

3:                                                ; preds = %1
  %4 = zext nneg i32 %0 to i64
  br label %7

5:                                                ; preds = %27, %1
  %6 = phi i32 [ 0, %1 ], [ %33, %27 ]
  ret i32 %6

7:                                                ; preds = %3, %27
  %8 = phi i64 [ 0, %3 ], [ %34, %27 ]
  %9 = phi i32 [ 0, %3 ], [ %33, %27 ]
  %10 = getelementptr inbounds [1000 x i32], ptr @a, i64 0, i64 %8
  %11 = load i32, ptr %10, align 4
  %12 = mul nsw i32 %11, 3
  %13 = add nsw i32 %12, %0
  %14 = and i32 %13, 4
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %22, label %16

16:                                               ; preds = %7
  %17 = sdiv i32 %13, 7
  %18 = getelementptr inbounds [1000 x i32], ptr @c, i64 0, i64 %8
  %19 = load i32, ptr %18, align 4
  %20 = mul nsw i32 %19, %13
  %21 = add nsw i32 %20, %17
  br label %27

22:                                               ; preds = %7
  %23 = srem i32 %13, 11
  %24 = getelementptr inbounds [1000 x i32], ptr @b, i64 0, i64 %8
  %25 = load i32, ptr %24, align 4
  %26 = sub nsw i32 %23, %25
  br label %27

27:                                               ; preds = %22, %16
  %28 = phi ptr [ @c, %22 ], [ @b, %16 ]
  %29 = phi i32 [ %26, %22 ], [ %21, %16 ]
  %30 = getelementptr inbounds [1000 x i32], ptr %28, i64 0, i64 %8
  store i32 %29, ptr %30, align 4
  %31 = trunc nuw nsw i64 %8 to i32
  %32 = add nsw i32 %13, %31
  %33 = xor i32 %32, %9
  %34 = add nuw nsw i64 %8, 1
  %35 = icmp eq i64 %34, %4
  br i1 %35, label %5, label %7, !llvm.loop !18
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define internal fastcc double @pointers(i32 noundef %0) unnamed_addr #1 {
  %2 = zext i32 %0 to i64
  %3 = icmp eq i32 %0, 0
  br i1 %3, label %4, label %6

4:                                                ; preds = %20, %1
  %5 = phi double [ 0.000000e+00, %1 ], [ %21, %20 ]
  ret double %5

6:                                                ; preds = %1, %20
  %7 = phi double [ %21, %20 ], [ 0.000000e+00, %1 ]
  %8 = phi i64 [ %22, %20 ], [ 0, %1 ]
  %9 = getelementptr inbounds double, ptr @x, i64 %8
  %10 = load double, ptr %9, align 8
  %11 = fcmp olt double %10, 5.000000e-01
  br i1 %11, label %12, label %20

12:                                               ; preds = %6
  %13 = fptrunc double %10 to float
  %14 = fpext float %13 to double
  %15 = fmul double %10, %14
  %16 = fadd double %10, 1.000000e+00
  %17 = fdiv double 2.000000e+00, %16
  %18 = fadd double %17, %15
  %19 = getelementptr inbounds double, ptr @y, i64 %8
  store double %18, ptr %19, align 8
  br label %20

20:                                               ; preds = %12, %6
  %21 = fadd double %7, %10
  %22 = add nuw nsw i64 %8, 1
  %23 = icmp eq i64 %22, %2
  br i1 %23, label %4, label %6, !llvm.loop !19
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define internal fastcc i32 @meets() unnamed_addr #1 {
  br label %2

1:                                                ; preds = %20
  ret i32 %7

2:                                                ; preds = %0, %20
  %3 = phi i64 [ 0, %0 ], [ %21, %20 ]
  %4 = phi i32 [ 0, %0 ], [ %7, %20 ]
  %5 = getelementptr inbounds [1000 x i32], ptr @a, i64 0, i64 %3
  %6 = load i32, ptr %5, align 4
  %7 = add nsw i32 %6, %4
  %8 = and i32 %7, 1
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %20, label %10

10:                                               ; preds = %2
  %11 = sdiv i32 %7, 3
  %12 = trunc i64 %3 to i32
  %13 = mul i32 %12, 7
  %14 = add nsw i32 %11, %13
  %15 = trunc nuw nsw i64 %3 to i32
  %16 = xor i32 %7, %15
  %17 = sub i32 %14, %16
  %18 = add nuw nsw i64 %3, 1
  %19 = getelementptr inbounds [1000 x i32], ptr @a, i64 0, i64 %18
  store i32 %17, ptr %19, align 4
  br label %20

20:                                               ; preds = %2, %10
  %21 = add nuw nsw i64 %3, 1
  %22 = icmp eq i64 %21, 990
  br i1 %22, label %1, label %2, !llvm.loop !20
}

; Function Attrs: nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define internal fastcc void @nested(i32 noundef %0) unnamed_addr #1 {
  br label %2

2:                                                ; preds = %1, %7
  %3 = phi i64 [ 0, %1 ], [ %8, %7 ]
  %4 = mul nuw nsw i64 %3, 100
  %5 = trunc nuw nsw i64 %3 to i32
  br label %10

6:                                                ; preds = %7
  ret void

7:                                                ; preds = %25
  %8 = add nuw nsw i64 %3, 1
  %9 = icmp eq i64 %8, 10
  br i1 %9, label %6, label %2, !llvm.loop !21

10:                                               ; preds = %2, %25
  %11 = phi i64 [ 0, %2 ], [ %26, %25 ]
  %12 = add nuw nsw i64 %11, %4
  %13 = getelementptr inbounds [1000 x i32], ptr @a, i64 0, i64 %12
  %14 = load i32, ptr %13, align 4
  %15 = add nsw i32 %14, %0
  %16 = srem i32 %15, 3
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %25

18:                                               ; preds = %10
  %19 = mul nsw i32 %15, %15
  %20 = udiv i32 %19, 5
  %21 = ashr i32 %15, 2
  %22 = sub i32 %21, %5
  %23 = add i32 %22, %20
  %24 = getelementptr inbounds [1000 x i32], ptr @c, i64 0, i64 %12
  store i32 %23, ptr %24, align 4
  br label %25

25:                                               ; preds = %18, %10
  %26 = add nuw nsw i64 %11, 1
  %27 = icmp eq i64 %26, 100
  br i1 %27, label %7, label %10, !llvm.loop !22
}

attributes #0 = { nofree nounwind uwtable }
attributes #1 = { nofree noinline norecurse nosync nounwind memory(readwrite, argmem: none, inaccessiblemem: none) uwtable }
attributes #2 = { nofree nounwind }


!11 = distinct !{!11, !12, !13}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"llvm.loop.unroll.disable"}
!15 = distinct !{!15, !12, !13}
!16 = distinct !{!16, !12, !13}
!17 = distinct !{!17, !12, !13}
!18 = distinct !{!18, !12, !13}
!19 = distinct !{!19, !12, !13}
!20 = distinct !{!20, !12, !13}
!21 = distinct !{!21, !12, !13}
!22 = distinct !{!22, !12, !13}
