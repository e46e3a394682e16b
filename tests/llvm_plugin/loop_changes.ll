; Loops for midend-peel, midend-unswitch, midend-split-index, midend-collapse and midend-interchange: first what clang-19
; -O1 makes of loops over arrays and of loops with branches on invariants and on counters, then loops with profiles,
; with conditions and bounds that may be poison, with what must stay as it is, and with metadata.

@a = internal global [37 x [29 x i32]] zeroinitializer, align 16
@e = internal global [37 x [29 x double]] zeroinitializer, align 16
@d = internal global [37 x [29 x double]] zeroinitializer, align 16
@b = internal global [37 x [29 x i32]] zeroinitializer, align 16
@flat = internal global [1073 x i32] zeroinitializer, align 16
@.str = private constant [12 x i8] c"columns %u\0A\00", align 1
@.str.1 = private constant [11 x i8] c"floats %u\0A\00", align 1
@.str.2 = private constant [11 x i8] c"skewed %u\0A\00", align 1
@.str.3 = private constant [12 x i8] c"through %u\0A\00", align 1
@.str.4 = private constant [8 x i8] c"sum %d\0A\00", align 1
@.str.5 = private constant [12 x i8] c"bounded %u\0A\00", align 1
@.str.6 = private constant [10 x i8] c"bytes %u\0A\00", align 1
@.str.7 = private constant [9 x i8] c"fill %u\0A\00", align 1
@.str.8 = private constant [18 x i8] c"carried %d %.17g\0A\00", align 1
@.str.9 = private constant [11 x i8] c"chosen %d \00", align 1
@.str.10 = private constant [14 x i8] c"halves %d %d \00", align 1
@.str.11 = private constant [12 x i8] c"down %d %u\0A\00", align 1
@.str.12 = private constant [11 x i8] c"seldom %d\0A\00", align 1
@.str.13 = private constant [13 x i8] c"maybe %d %d\0A\00", align 1
@.str.14 = private constant [10 x i8] c"fixed %d\0A\00", align 1
@matrix = global [16 x [16 x i32]] zeroinitializer, align 16
@.str.15 = private constant [13 x i8] c"parallel %u\0A\00", align 1
@.str.16 = private constant [10 x i8] c"apart %u\0A\00", align 1

define void @columns(i32 noundef %by) {
entry:
  %0 = zext i32 %by to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv22 = phi i64 [ 0, %entry ], [ %indvars.iv.next23, %for.cond.cleanup3 ]
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next23 = add nuw nsw i64 %indvars.iv22, 1
  %cmp.not = icmp eq i64 %indvars.iv.next23, 29
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %1 = mul i64 %indvars.iv, %0
  %2 = add i64 %1, %indvars.iv22
  %arrayidx6 = getelementptr inbounds [37 x [29 x i32]], ptr @a, i64 0, i64 %indvars.iv, i64 %indvars.iv22
  %3 = load i32, ptr %arrayidx6, align 4
  %4 = trunc i64 %2 to i32
  %add7 = add nsw i32 %3, %4
  store i32 %add7, ptr %arrayidx6, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 37
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)

define void @floats(double noundef %by) {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv24 = phi i64 [ 0, %entry ], [ %indvars.iv.next25, %for.cond.cleanup3 ]
  %0 = trunc nuw nsw i64 %indvars.iv24 to i32
  %conv = uitofp nneg i32 %0 to double
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next25 = add nuw nsw i64 %indvars.iv24, 1
  %cmp.not = icmp eq i64 %indvars.iv.next25, 29
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %arrayidx6 = getelementptr inbounds [37 x [29 x double]], ptr @e, i64 0, i64 %indvars.iv, i64 %indvars.iv24
  %1 = load double, ptr %arrayidx6, align 8
  %2 = tail call double @llvm.fmuladd.f64(double %1, double %by, double %conv)
  %arrayidx10 = getelementptr inbounds [37 x [29 x double]], ptr @d, i64 0, i64 %indvars.iv, i64 %indvars.iv24
  store double %2, ptr %arrayidx10, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 37
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

declare double @llvm.fmuladd.f64(double, double, double)

define void @skewed() {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv24 = phi i64 [ 1, %entry ], [ %indvars.iv.next25, %for.cond.cleanup3 ]
  %0 = add nsw i64 %indvars.iv24, -1
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next25 = add nuw nsw i64 %indvars.iv24, 1
  %cmp.not = icmp eq i64 %indvars.iv.next25, 37
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %arrayidx6 = getelementptr inbounds [37 x [29 x i32]], ptr @b, i64 0, i64 %0, i64 %indvars.iv.next
  %1 = load i32, ptr %arrayidx6, align 4
  %arrayidx10 = getelementptr inbounds [37 x [29 x i32]], ptr @b, i64 0, i64 %indvars.iv24, i64 %indvars.iv
  %2 = load i32, ptr %arrayidx10, align 4
  %add11 = add nsw i32 %2, %1
  store i32 %add11, ptr %arrayidx10, align 4
  %cmp2.not = icmp eq i64 %indvars.iv.next, 28
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

define void @through() {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv25 = phi i64 [ 1, %entry ], [ %indvars.iv.next26, %for.cond.cleanup3 ]
  %0 = add nsw i64 %indvars.iv25, -1
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next26 = add nuw nsw i64 %indvars.iv25, 1
  %cmp.not = icmp eq i64 %indvars.iv.next26, 37
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 1, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %1 = add nsw i64 %indvars.iv, -1
  %arrayidx7 = getelementptr inbounds [37 x [29 x i32]], ptr @b, i64 0, i64 %0, i64 %1
  %2 = load i32, ptr %arrayidx7, align 4
  %arrayidx11 = getelementptr inbounds [37 x [29 x i32]], ptr @b, i64 0, i64 %indvars.iv25, i64 %indvars.iv
  %3 = load i32, ptr %arrayidx11, align 4
  %add = add nsw i32 %3, %2
  store i32 %add, ptr %arrayidx11, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 29
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

define i32 @sum() {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv21 = phi i64 [ 0, %entry ], [ %indvars.iv.next22, %for.cond.cleanup3 ]
  %s.018 = phi i32 [ 0, %entry ], [ %add, %for.cond.cleanup3 ]
  %0 = trunc nuw nsw i64 %indvars.iv21 to i32
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret i32 %add

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next22 = add nuw nsw i64 %indvars.iv21, 1
  %cmp.not = icmp eq i64 %indvars.iv.next22, 29
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %s.116 = phi i32 [ %s.018, %for.cond1.preheader ], [ %add, %for.body4 ]
  %arrayidx6 = getelementptr inbounds [37 x [29 x i32]], ptr @a, i64 0, i64 %indvars.iv, i64 %indvars.iv21
  %1 = load i32, ptr %arrayidx6, align 4
  %xor = xor i32 %1, %0
  %add = add nsw i32 %xor, %s.116
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 37
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

define void @bounded(ptr nocapture noundef %x, i32 noundef %rows, i32 noundef %columns) {
entry:
  %cmp18 = icmp sgt i32 %columns, 0
  br i1 %cmp18, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %cmp216 = icmp sgt i32 %rows, 0
  %wide.trip.count25 = zext nneg i32 %columns to i64
  %wide.trip.count = zext nneg i32 %rows to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup3
  %indvars.iv22 = phi i64 [ 0, %for.cond1.preheader.lr.ph ], [ %indvars.iv.next23, %for.cond.cleanup3 ]
  br i1 %cmp216, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond.cleanup3:                                ; preds = %for.body4, %for.cond1.preheader
  %indvars.iv.next23 = add nuw nsw i64 %indvars.iv22, 1
  %exitcond26.not = icmp eq i64 %indvars.iv.next23, %wide.trip.count25
  br i1 %exitcond26.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body4 ], [ 0, %for.cond1.preheader ]
  %0 = sub nsw i64 %indvars.iv, %indvars.iv22
  %arrayidx6 = getelementptr inbounds [29 x i32], ptr %x, i64 %indvars.iv, i64 %indvars.iv22
  %1 = load i32, ptr %arrayidx6, align 4
  %2 = trunc nsw i64 %0 to i32
  %add = add nsw i32 %1, %2
  store i32 %add, ptr %arrayidx6, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define void @bytes(ptr nocapture noundef %x) {
entry:
  br label %for.cond2.preheader

for.cond2.preheader:                              ; preds = %entry, %for.cond.cleanup6
  %indvars.iv31 = phi i64 [ -6, %entry ], [ %indvars.iv.next32, %for.cond.cleanup6 ]
  %invariant.gep = getelementptr i8, ptr %x, i64 %indvars.iv31
  br label %for.body7

for.cond.cleanup:                                 ; preds = %for.cond.cleanup6
  ret void

for.cond.cleanup6:                                ; preds = %for.body7
  %indvars.iv.next32 = add nsw i64 %indvars.iv31, 1
  %0 = icmp eq i64 %indvars.iv.next32, 5
  br i1 %0, label %for.cond.cleanup, label %for.cond2.preheader

for.body7:                                        ; preds = %for.cond2.preheader, %for.body7
  %indvars.iv = phi i64 [ 100, %for.cond2.preheader ], [ %indvars.iv.next, %for.body7 ]
  %xor34 = xor i64 %indvars.iv, %indvars.iv31
  %xor = trunc i64 %xor34 to i8
  %gep = getelementptr i8, ptr %invariant.gep, i64 %indvars.iv
  %1 = load i8, ptr %gep, align 1
  %add16 = add i8 %1, %xor
  store i8 %add16, ptr %gep, align 1
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp4.not = icmp eq i64 %indvars.iv.next, 136
  br i1 %cmp4.not, label %for.cond.cleanup6, label %for.body7
}

define void @fill(i32 noundef %by) {
entry:
  %0 = zext i32 %by to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv23 = phi i64 [ 0, %entry ], [ %indvars.iv.next24, %for.cond.cleanup3 ]
  %1 = mul nuw nsw i64 %indvars.iv23, 29
  %2 = add nuw i64 %1, %0
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next24 = add nuw nsw i64 %indvars.iv23, 1
  %cmp.not = icmp eq i64 %indvars.iv.next24, 37
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %3 = add i64 %2, %indvars.iv
  %4 = add nuw nsw i64 %indvars.iv, %1
  %arrayidx = getelementptr inbounds [1073 x i32], ptr @flat, i64 0, i64 %4
  %5 = load i32, ptr %arrayidx, align 4
  %6 = trunc i64 %3 to i32
  %add8 = add nsw i32 %5, %6
  store i32 %add8, ptr %arrayidx, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 29
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

define i32 @carried(i32 noundef %x) {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %i.016 = phi i32 [ 0, %entry ], [ %inc6, %for.cond.cleanup3 ]
  %last.015 = phi i32 [ %x, %entry ], [ %sub, %for.cond.cleanup3 ]
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret i32 %sub

for.cond.cleanup3:                                ; preds = %for.body4
  %inc6 = add nuw nsw i32 %i.016, 1
  %cmp.not = icmp eq i32 %inc6, 11
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %j.014 = phi i32 [ 0, %for.cond1.preheader ], [ %inc, %for.body4 ]
  %last.113 = phi i32 [ %last.015, %for.cond1.preheader ], [ %sub, %for.body4 ]
  %mul = mul nsw i32 %last.113, 5
  %add = add nsw i32 %mul, %i.016
  %sub = sub i32 %add, %j.014
  %inc = add nuw nsw i32 %j.014, 1
  %cmp2.not = icmp eq i32 %inc, 7
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4
}

define double @carried_double(double noundef %x) {
entry:
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.cond.cleanup4
  ret double %add

for.body:                                         ; preds = %entry, %for.cond.cleanup4
  %i.018 = phi i32 [ 0, %entry ], [ %inc7, %for.cond.cleanup4 ]
  %x.addr.017 = phi double [ %x, %entry ], [ %add, %for.cond.cleanup4 ]
  %conv = uitofp nneg i32 %i.018 to double
  br label %for.body5

for.cond.cleanup4:                                ; preds = %for.body5
  %add = fadd double %x.addr.017, %0
  %inc7 = add nuw nsw i32 %i.018, 1
  %cmp.not = icmp eq i32 %inc7, 11
  br i1 %cmp.not, label %for.cond.cleanup, label %for.body

for.body5:                                        ; preds = %for.body, %for.body5
  %j.016 = phi i32 [ 0, %for.body ], [ %inc, %for.body5 ]
  %row.015 = phi double [ %conv, %for.body ], [ %0, %for.body5 ]
  %0 = tail call double @llvm.fmuladd.f64(double %row.015, double 5.000000e-01, double %x.addr.017)
  %inc = add nuw nsw i32 %j.016, 1
  %cmp2.not = icmp eq i32 %inc, 7
  br i1 %cmp2.not, label %for.cond.cleanup4, label %for.body5
}

define i32 @chosen(ptr nocapture noundef %x, i32 noundef %count, i32 noundef %how, i32 noundef %stop) {
entry:
  %cmp.not29 = icmp sgt i32 %count, 0
  br i1 %cmp.not29, label %for.body.lr.ph, label %cleanup

for.body.lr.ph:                                   ; preds = %entry
  %and = and i32 %how, 1
  %tobool.not = icmp eq i32 %and, 0
  %shr = ashr i32 %how, 1
  %wide.trip.count = zext nneg i32 %count to i64
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %for.inc
  %indvars.iv = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next, %for.inc ]
  %s.030 = phi i32 [ 0, %for.body.lr.ph ], [ %s.2, %for.inc ]
  %arrayidx = getelementptr inbounds i32, ptr %x, i64 %indvars.iv
  %0 = load i32, ptr %arrayidx, align 4
  %cmp1 = icmp eq i32 %0, %stop
  br i1 %cmp1, label %cleanup, label %if.end

if.end:                                           ; preds = %for.body
  %add = add nsw i32 %0, %s.030
  %shl = shl i32 %0, 1
  %xor = xor i32 %shl, %s.030
  %s.1 = select i1 %tobool.not, i32 %xor, i32 %add
  switch i32 %shr, label %for.inc [
    i32 0, label %sw.bb
    i32 1, label %sw.bb9
    i32 2, label %sw.bb10
  ]

sw.bb:                                            ; preds = %if.end
  %1 = trunc nuw nsw i64 %indvars.iv to i32
  %add8 = add nsw i32 %s.1, %1
  br label %for.inc

sw.bb9:                                           ; preds = %if.end
  %sub = add nsw i32 %s.1, -3
  br label %for.inc

sw.bb10:                                          ; preds = %if.end
  store i32 %s.1, ptr %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %sw.bb, %sw.bb9, %sw.bb10, %if.end
  %s.2 = phi i32 [ %s.1, %if.end ], [ %s.1, %sw.bb10 ], [ %sub, %sw.bb9 ], [ %add8, %sw.bb ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %cleanup, label %for.body

cleanup:                                          ; preds = %for.inc, %for.body, %entry
  %spec.select = phi i32 [ 0, %entry ], [ %s.2, %for.inc ], [ -1, %for.body ]
  ret i32 %spec.select
}

define i32 @halves(ptr nocapture noundef %x, i32 noundef %count, i32 noundef %where) {
entry:
  %cmp21 = icmp sgt i32 %count, 0
  br i1 %cmp21, label %for.body.preheader, label %cleanup

for.body.preheader:                               ; preds = %entry
  %0 = sext i32 %where to i64
  %wide.trip.count = zext nneg i32 %count to i64
  br label %for.body

for.cond:                                         ; preds = %if.end
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %cleanup, label %for.body

for.body:                                         ; preds = %for.body.preheader, %for.cond
  %indvars.iv = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next, %for.cond ]
  %s.022 = phi i32 [ 0, %for.body.preheader ], [ %s.1, %for.cond ]
  %cmp1 = icmp slt i64 %indvars.iv, %0
  %arrayidx = getelementptr inbounds i32, ptr %x, i64 %indvars.iv
  %1 = load i32, ptr %arrayidx, align 4
  br i1 %cmp1, label %if.then, label %if.else

if.then:                                          ; preds = %for.body
  %xor = xor i32 %1, %s.022
  store i32 %xor, ptr %arrayidx, align 4
  %mul = shl nsw i32 %xor, 1
  %add = add nsw i32 %mul, %s.022
  br label %if.end

if.else:                                          ; preds = %for.body
  %sub = sub nsw i32 %s.022, %1
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %s.1 = phi i32 [ %add, %if.then ], [ %sub, %if.else ]
  %cmp6 = icmp eq i32 %s.1, 12345
  br i1 %cmp6, label %cleanup, label %for.cond

cleanup:                                          ; preds = %for.cond, %if.end, %entry
  %s.2 = phi i32 [ 0, %entry ], [ %s.1, %for.cond ], [ 12345, %if.end ]
  ret i32 %s.2
}

define i32 @down(ptr nocapture noundef readonly %x, i32 noundef %from, i32 noundef %where) {
entry:
  %cmp11 = icmp sgt i32 %from, -3
  br i1 %cmp11, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %cond.end, %entry
  %s.0.lcssa = phi i32 [ 0, %entry ], [ %add, %cond.end ]
  ret i32 %s.0.lcssa

for.body:                                         ; preds = %entry, %cond.end
  %i.013 = phi i32 [ %dec, %cond.end ], [ %from, %entry ]
  %s.012 = phi i32 [ %add, %cond.end ], [ 0, %entry ]
  %mul = mul nsw i32 %s.012, 3
  %cmp1.not = icmp slt i32 %i.013, %where
  br i1 %cmp1.not, label %cond.false, label %cond.true

cond.true:                                        ; preds = %for.body
  %and = and i32 %i.013, 31
  %idxprom = zext nneg i32 %and to i64
  %arrayidx = getelementptr inbounds i32, ptr %x, i64 %idxprom
  %0 = load i32, ptr %arrayidx, align 4
  br label %cond.end

cond.false:                                       ; preds = %for.body
  %and2 = and i32 %i.013, 15
  %idxprom3 = zext nneg i32 %and2 to i64
  %arrayidx4 = getelementptr inbounds i32, ptr %x, i64 %idxprom3
  %1 = load i32, ptr %arrayidx4, align 4
  %not = xor i32 %1, -1
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %0, %cond.true ], [ %not, %cond.false ]
  %add = add nsw i32 %cond, %mul
  %dec = add nsw i32 %i.013, -1
  %cmp = icmp sgt i32 %i.013, -2
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

define noundef i32 @main() {
entry:
  %v = alloca [64 x i32], align 16
  %small = alloca [256 x i8], align 16
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %v)
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %small)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(256) %small, i8 0, i64 256, i1 false)
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv272 = phi i64 [ 0, %entry ], [ %indvars.iv.next273, %for.cond.cleanup3 ]
  %0 = mul nuw nsw i64 %indvars.iv272, 5
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  tail call void @columns(i32 noundef 3)
  br label %for.body.i

for.body.i:                                       ; preds = %for.body.i, %for.cond.cleanup
  %indvars.iv.i = phi i64 [ 0, %for.cond.cleanup ], [ %indvars.iv.next.i, %for.body.i ]
  %h.05.i = phi i32 [ 1, %for.cond.cleanup ], [ %add.i, %for.body.i ]
  %mul.i = mul i32 %h.05.i, 31
  %arrayidx.i = getelementptr inbounds i8, ptr @a, i64 %indvars.iv.i
  %1 = load i8, ptr %arrayidx.i, align 1
  %conv.i = zext i8 %1 to i32
  %add.i = add i32 %mul.i, %conv.i
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  %cmp.not.i = icmp eq i64 %indvars.iv.next.i, 4292
  br i1 %cmp.not.i, label %check.exit, label %for.body.i

check.exit:                                       ; preds = %for.body.i
  %call15 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, i32 noundef %add.i)
  tail call void @floats(double noundef 5.000000e-01)
  br label %for.body.i170

for.body.i170:                                    ; preds = %for.body.i170, %check.exit
  %indvars.iv.i171 = phi i64 [ 0, %check.exit ], [ %indvars.iv.next.i177, %for.body.i170 ]
  %h.05.i172 = phi i32 [ 1, %check.exit ], [ %add.i176, %for.body.i170 ]
  %mul.i173 = mul i32 %h.05.i172, 31
  %arrayidx.i174 = getelementptr inbounds i8, ptr @d, i64 %indvars.iv.i171
  %2 = load i8, ptr %arrayidx.i174, align 1
  %conv.i175 = zext i8 %2 to i32
  %add.i176 = add i32 %mul.i173, %conv.i175
  %indvars.iv.next.i177 = add nuw nsw i64 %indvars.iv.i171, 1
  %cmp.not.i178 = icmp eq i64 %indvars.iv.next.i177, 8584
  br i1 %cmp.not.i178, label %check.exit179, label %for.body.i170

check.exit179:                                    ; preds = %for.body.i170
  %call17 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.1, i32 noundef %add.i176)
  tail call void @skewed()
  br label %for.body.i180

for.body.i180:                                    ; preds = %for.body.i180, %check.exit179
  %indvars.iv.i181 = phi i64 [ 0, %check.exit179 ], [ %indvars.iv.next.i187, %for.body.i180 ]
  %h.05.i182 = phi i32 [ 1, %check.exit179 ], [ %add.i186, %for.body.i180 ]
  %mul.i183 = mul i32 %h.05.i182, 31
  %arrayidx.i184 = getelementptr inbounds i8, ptr @b, i64 %indvars.iv.i181
  %3 = load i8, ptr %arrayidx.i184, align 1
  %conv.i185 = zext i8 %3 to i32
  %add.i186 = add i32 %mul.i183, %conv.i185
  %indvars.iv.next.i187 = add nuw nsw i64 %indvars.iv.i181, 1
  %cmp.not.i188 = icmp eq i64 %indvars.iv.next.i187, 4292
  br i1 %cmp.not.i188, label %check.exit189, label %for.body.i180

check.exit189:                                    ; preds = %for.body.i180
  %call19 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.2, i32 noundef %add.i186)
  tail call void @through()
  br label %for.body.i190

for.body.i190:                                    ; preds = %for.body.i190, %check.exit189
  %indvars.iv.i191 = phi i64 [ 0, %check.exit189 ], [ %indvars.iv.next.i197, %for.body.i190 ]
  %h.05.i192 = phi i32 [ 1, %check.exit189 ], [ %add.i196, %for.body.i190 ]
  %mul.i193 = mul i32 %h.05.i192, 31
  %arrayidx.i194 = getelementptr inbounds i8, ptr @b, i64 %indvars.iv.i191
  %4 = load i8, ptr %arrayidx.i194, align 1
  %conv.i195 = zext i8 %4 to i32
  %add.i196 = add i32 %mul.i193, %conv.i195
  %indvars.iv.next.i197 = add nuw nsw i64 %indvars.iv.i191, 1
  %cmp.not.i198 = icmp eq i64 %indvars.iv.next.i197, 4292
  br i1 %cmp.not.i198, label %check.exit199, label %for.body.i190

check.exit199:                                    ; preds = %for.body.i190
  %call21 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.3, i32 noundef %add.i196)
  %call22 = tail call i32 @sum()
  %call23 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.4, i32 noundef %call22)
  br label %for.body28

for.cond.cleanup3:                                ; preds = %for.body4
  %indvars.iv.next273 = add nuw nsw i64 %indvars.iv272, 1
  %cmp.not = icmp eq i64 %indvars.iv.next273, 37
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:                                        ; preds = %for.cond1.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.body4 ]
  %5 = mul nuw nsw i64 %indvars.iv, 3
  %6 = add nuw nsw i64 %5, %0
  %arrayidx7 = getelementptr inbounds [37 x [29 x i32]], ptr @b, i64 0, i64 %indvars.iv272, i64 %indvars.iv
  %7 = trunc nuw nsw i64 %6 to i32
  store i32 %7, ptr %arrayidx7, align 4
  %8 = sub nsw i64 %indvars.iv272, %indvars.iv
  %9 = trunc nsw i64 %8 to i32
  %conv = sitofp i32 %9 to double
  %arrayidx11 = getelementptr inbounds [37 x [29 x double]], ptr @e, i64 0, i64 %indvars.iv272, i64 %indvars.iv
  store double %conv, ptr %arrayidx11, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp2.not = icmp eq i64 %indvars.iv.next, 29
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4

for.body.i200:                                    ; preds = %for.body28, %for.body.i200
  %indvars.iv.i201 = phi i64 [ %indvars.iv.next.i207, %for.body.i200 ], [ 0, %for.body28 ]
  %h.05.i202 = phi i32 [ %add.i206, %for.body.i200 ], [ 1, %for.body28 ]
  %mul.i203 = mul i32 %h.05.i202, 31
  %arrayidx.i204 = getelementptr inbounds i8, ptr @a, i64 %indvars.iv.i201
  %10 = load i8, ptr %arrayidx.i204, align 1
  %conv.i205 = zext i8 %10 to i32
  %add.i206 = add i32 %mul.i203, %conv.i205
  %indvars.iv.next.i207 = add nuw nsw i64 %indvars.iv.i201, 1
  %cmp.not.i208 = icmp eq i64 %indvars.iv.next.i207, 4292
  br i1 %cmp.not.i208, label %check.exit209, label %for.body.i200

check.exit209:                                    ; preds = %for.body.i200
  %call35 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.5, i32 noundef %add.i206)
  call void @bytes(ptr noundef nonnull %small)
  br label %for.body.i210

for.body.i210:                                    ; preds = %for.body.i210, %check.exit209
  %indvars.iv.i211 = phi i64 [ 0, %check.exit209 ], [ %indvars.iv.next.i217, %for.body.i210 ]
  %h.05.i212 = phi i32 [ 1, %check.exit209 ], [ %add.i216, %for.body.i210 ]
  %mul.i213 = mul i32 %h.05.i212, 31
  %arrayidx.i214 = getelementptr inbounds i8, ptr %small, i64 %indvars.iv.i211
  %11 = load i8, ptr %arrayidx.i214, align 1
  %conv.i215 = zext i8 %11 to i32
  %add.i216 = add i32 %mul.i213, %conv.i215
  %indvars.iv.next.i217 = add nuw nsw i64 %indvars.iv.i211, 1
  %cmp.not.i218 = icmp eq i64 %indvars.iv.next.i217, 256
  br i1 %cmp.not.i218, label %check.exit219, label %for.body.i210

check.exit219:                                    ; preds = %for.body.i210
  %call38 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.6, i32 noundef %add.i216)
  tail call void @fill(i32 noundef 4)
  br label %for.body.i220

for.body.i220:                                    ; preds = %for.body.i220, %check.exit219
  %indvars.iv.i221 = phi i64 [ 0, %check.exit219 ], [ %indvars.iv.next.i227, %for.body.i220 ]
  %h.05.i222 = phi i32 [ 1, %check.exit219 ], [ %add.i226, %for.body.i220 ]
  %mul.i223 = mul i32 %h.05.i222, 31
  %arrayidx.i224 = getelementptr inbounds i8, ptr @flat, i64 %indvars.iv.i221
  %12 = load i8, ptr %arrayidx.i224, align 1
  %conv.i225 = zext i8 %12 to i32
  %add.i226 = add i32 %mul.i223, %conv.i225
  %indvars.iv.next.i227 = add nuw nsw i64 %indvars.iv.i221, 1
  %cmp.not.i228 = icmp eq i64 %indvars.iv.next.i227, 4292
  br i1 %cmp.not.i228, label %check.exit229, label %for.body.i220

check.exit229:                                    ; preds = %for.body.i220
  %call40 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.7, i32 noundef %add.i226)
  %call41 = tail call i32 @carried(i32 noundef 3)
  %call42 = tail call double @carried_double(double noundef 1.250000e+00)
  %call43 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.8, i32 noundef %call41, double noundef %call42)
  br label %for.cond49.preheader

for.body28:                                       ; preds = %check.exit199, %for.body28
  %r.0262 = phi i32 [ 0, %check.exit199 ], [ %inc32, %for.body28 ]
  %mul29 = mul nuw nsw i32 %r.0262, 9
  %mul30 = mul nuw nsw i32 %r.0262, %r.0262
  tail call void @bounded(ptr noundef nonnull @a, i32 noundef %mul29, i32 noundef %mul30)
  %inc32 = add nuw nsw i32 %r.0262, 1
  %cmp25.not = icmp eq i32 %inc32, 5
  br i1 %cmp25.not, label %for.body.i200, label %for.body28

for.cond49.preheader:                             ; preds = %check.exit229, %for.cond.cleanup52
  %how.0265 = phi i32 [ 0, %check.exit229 ], [ %inc89, %for.cond.cleanup52 ]
  %mul61.neg = mul nsw i32 %how.0265, -50
  %add69 = add nuw nsw i32 %how.0265, 64
  %mul73 = mul nuw nsw i32 %how.0265, 7
  %sub74 = add nsw i32 %mul73, -3
  %mul80 = mul nuw nsw i32 %how.0265, 5
  br label %for.cond55.preheader

for.cond55.preheader:                             ; preds = %for.cond49.preheader, %check.exit239
  %count.0264 = phi i32 [ 0, %for.cond49.preheader ], [ %add86, %check.exit239 ]
  br label %for.body59

for.cond.cleanup52:                               ; preds = %check.exit239
  %inc89 = add nuw nsw i32 %how.0265, 1
  %cmp45.not = icmp eq i32 %inc89, 8
  br i1 %cmp45.not, label %for.body96, label %for.cond49.preheader

for.cond.cleanup58:                               ; preds = %for.body59
  %call70 = call i32 @chosen(ptr noundef nonnull %v, i32 noundef %count.0264, i32 noundef %how.0265, i32 noundef %add69)
  %call71 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.9, i32 noundef %call70)
  %call75 = call i32 @halves(ptr noundef nonnull %v, i32 noundef %count.0264, i32 noundef %sub74)
  %call77 = call i32 @halves(ptr noundef nonnull %v, i32 noundef %count.0264, i32 noundef 1073741824)
  %call78 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.10, i32 noundef %call75, i32 noundef %call77)
  %call81 = call i32 @down(ptr noundef nonnull %v, i32 noundef %count.0264, i32 noundef %mul80)
  br label %for.body.i230

for.body.i230:                                    ; preds = %for.body.i230, %for.cond.cleanup58
  %indvars.iv.i231 = phi i64 [ 0, %for.cond.cleanup58 ], [ %indvars.iv.next.i237, %for.body.i230 ]
  %h.05.i232 = phi i32 [ 1, %for.cond.cleanup58 ], [ %add.i236, %for.body.i230 ]
  %mul.i233 = mul i32 %h.05.i232, 31
  %arrayidx.i234 = getelementptr inbounds i8, ptr %v, i64 %indvars.iv.i231
  %13 = load i8, ptr %arrayidx.i234, align 1
  %conv.i235 = zext i8 %13 to i32
  %add.i236 = add i32 %mul.i233, %conv.i235
  %indvars.iv.next.i237 = add nuw nsw i64 %indvars.iv.i231, 1
  %cmp.not.i238 = icmp eq i64 %indvars.iv.next.i237, 256
  br i1 %cmp.not.i238, label %check.exit239, label %for.body.i230

check.exit239:                                    ; preds = %for.body.i230
  %call84 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.11, i32 noundef %call81, i32 noundef %add.i236)
  %add86 = add nuw nsw i32 %count.0264, 13
  %cmp50 = icmp ult i32 %count.0264, 52
  br i1 %cmp50, label %for.cond55.preheader, label %for.cond.cleanup52

for.body59:                                       ; preds = %for.cond55.preheader, %for.body59
  %indvars.iv276 = phi i64 [ 0, %for.cond55.preheader ], [ %indvars.iv.next277, %for.body59 ]
  %14 = mul nuw nsw i64 %indvars.iv276, %indvars.iv276
  %15 = trunc nuw i64 %14 to i32
  %sub62 = add i32 %mul61.neg, %15
  %arrayidx64 = getelementptr inbounds [64 x i32], ptr %v, i64 0, i64 %indvars.iv276
  store i32 %sub62, ptr %arrayidx64, align 4
  %indvars.iv.next277 = add nuw nsw i64 %indvars.iv276, 1
  %cmp56.not = icmp eq i64 %indvars.iv.next277, 64
  br i1 %cmp56.not, label %for.cond.cleanup58, label %for.body59

for.body96:                                       ; preds = %for.cond.cleanup52, %for.body96
  %i91.0266 = phi i32 [ %inc109, %for.body96 ], [ 0, %for.cond.cleanup52 ]
  %call98 = call i32 @seldom(ptr noundef nonnull %small, i32 noundef %i91.0266)
  %call99 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.12, i32 noundef %call98)
  %call101 = call i32 @maybe(ptr noundef nonnull %small, i32 noundef %i91.0266, i32 noundef 1)
  %call103 = call i32 @maybe(ptr noundef nonnull %small, i32 noundef %i91.0266, i32 noundef 2)
  %call104 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.13, i32 noundef %call101, i32 noundef %call103)
  %call106 = call i32 @fixed(ptr noundef nonnull %small, i32 noundef %i91.0266)
  %call107 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.14, i32 noundef %call106)
  %inc109 = add nuw nsw i32 %i91.0266, 1
  %cmp93.not = icmp eq i32 %inc109, 9
  br i1 %cmp93.not, label %for.body116, label %for.body96

for.cond.cleanup115:                              ; preds = %for.body116
  call void @parallel()
  br label %for.body.i240

for.body.i240:                                    ; preds = %for.body.i240, %for.cond.cleanup115
  %indvars.iv.i241 = phi i64 [ 0, %for.cond.cleanup115 ], [ %indvars.iv.next.i247, %for.body.i240 ]
  %h.05.i242 = phi i32 [ 1, %for.cond.cleanup115 ], [ %add.i246, %for.body.i240 ]
  %mul.i243 = mul i32 %h.05.i242, 31
  %arrayidx.i244 = getelementptr inbounds i8, ptr @matrix, i64 %indvars.iv.i241
  %16 = load i8, ptr %arrayidx.i244, align 1
  %conv.i245 = zext i8 %16 to i32
  %add.i246 = add i32 %mul.i243, %conv.i245
  %indvars.iv.next.i247 = add nuw nsw i64 %indvars.iv.i241, 1
  %cmp.not.i248 = icmp eq i64 %indvars.iv.next.i247, 1024
  br i1 %cmp.not.i248, label %check.exit249, label %for.body.i240

check.exit249:                                    ; preds = %for.body.i240
  %call128 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.15, i32 noundef %add.i246)
  call void @apart()
  br label %for.body.i250

for.body.i250:                                    ; preds = %for.body.i250, %check.exit249
  %indvars.iv.i251 = phi i64 [ 0, %check.exit249 ], [ %indvars.iv.next.i257, %for.body.i250 ]
  %h.05.i252 = phi i32 [ 1, %check.exit249 ], [ %add.i256, %for.body.i250 ]
  %mul.i253 = mul i32 %h.05.i252, 31
  %arrayidx.i254 = getelementptr inbounds i8, ptr @matrix, i64 %indvars.iv.i251
  %17 = load i8, ptr %arrayidx.i254, align 1
  %conv.i255 = zext i8 %17 to i32
  %add.i256 = add i32 %mul.i253, %conv.i255
  %indvars.iv.next.i257 = add nuw nsw i64 %indvars.iv.i251, 1
  %cmp.not.i258 = icmp eq i64 %indvars.iv.next.i257, 1024
  br i1 %cmp.not.i258, label %check.exit259, label %for.body.i250

check.exit259:                                    ; preds = %for.body.i250
  %call130 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str.16, i32 noundef %add.i256)
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %small)
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %v)
  ret i32 0

for.body116:                                      ; preds = %for.body96, %for.body116
  %indvars.iv280 = phi i64 [ %indvars.iv.next281, %for.body116 ], [ 0, %for.body96 ]
  %arrayidx118 = getelementptr inbounds [256 x i8], ptr %small, i64 0, i64 %indvars.iv280
  %18 = load i8, ptr %arrayidx118, align 1
  %conv119 = zext i8 %18 to i32
  %div169 = lshr i64 %indvars.iv280, 4
  %idxprom120 = and i64 %div169, 268435455
  %rem = and i64 %indvars.iv280, 15
  %arrayidx123 = getelementptr inbounds [16 x [16 x i32]], ptr @matrix, i64 0, i64 %idxprom120, i64 %rem
  store i32 %conv119, ptr %arrayidx123, align 4
  %indvars.iv.next281 = add nuw nsw i64 %indvars.iv280, 1
  %cmp113.not = icmp eq i64 %indvars.iv.next281, 256
  br i1 %cmp113.not, label %for.cond.cleanup115, label %for.body116
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)

declare noundef i32 @printf(ptr nocapture noundef readonly, ...)



; Entered half of the time, and then one more iteration in one of four cases.
define i32 @seldom(ptr %x, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %out, !prof !0
body:
  %p = getelementptr i8, ptr %x, i32 %i
  %v = load i8, ptr %p
  %w = zext i8 %v to i32
  %s.next = add i32 %s, %w
  %i.next = add i32 %i, 1
  br label %head
out:
  ret i32 %s
}

; The condition may be poison, and the loop may call @stop before it reads it: it is frozen before the loop.
define i32 @maybe(ptr noundef %x, i32 noundef %n, i32 noundef %k) {
entry:
  %double = shl nsw i32 %k, 1
  %which = icmp sgt i32 %double, 3
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %out
body:
  call void @may_stop(i32 %i)
  br i1 %which, label %one, label %other
one:
  %p = getelementptr i8, ptr %x, i32 %i
  %v = load i8, ptr %p
  %w = zext i8 %v to i32
  %s.one = add i32 %s, %w
  br label %latch
other:
  %s.other = mul i32 %s, 3
  br label %latch
latch:
  %s.next = phi i32 [ %s.one, %one ], [ %s.other, %other ]
  %i.next = add i32 %i, 1
  br label %head
out:
  ret i32 %s
}

define void @may_stop(i32 %i) noinline {
entry:
  %bad = icmp eq i32 %i, 100
  br i1 %bad, label %stop, label %out
stop:
  call void @exit(i32 1)
  unreachable
out:
  ret void
}

declare void @exit(i32)

; Nothing may copy these loops: an address of a block, `noduplicate`, and what is convergent.
@place = internal global ptr blockaddress(@fixed, %two)

define i32 @fixed(ptr noundef %x, i32 noundef %n) {
entry:
  %which = icmp sgt i32 %n, 3
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br i1 %which, label %one, label %jump
one:
  br label %two
jump:
  %to = load ptr, ptr @place
  indirectbr ptr %to, [ label %two, label %latch ]
two:
  %p = getelementptr i8, ptr %x, i32 %i
  store i8 7, ptr %p
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %head, label %out
out:
  ret i32 %i
}

define void @once() noduplicate noinline {
  ret void
}

define void @together() convergent noinline {
  ret void
}

define void @not_copied(i1 noundef %which, i32 noundef %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  br i1 %which, label %one, label %next
one:
  call void @once()
  br label %next
next:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %head, label %second
second:
  %k = phi i32 [ 0, %next ], [ %k.next, %last ]
  br i1 %which, label %two, label %last
two:
  call void @together()
  br label %last
last:
  %k.next = add i32 %k, 1
  %more.k = icmp slt i32 %k.next, %n
  br i1 %more.k, label %second, label %out
out:
  ret void
}

; Not for optnone, and not where the source forbids it.
define i32 @left_alone(i1 noundef %which, i32 noundef %n) noinline optnone {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br i1 %which, label %one, label %latch
one:
  call void @once.copied()
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %head, label %out
out:
  ret i32 %i
}

define void @once.copied() noinline {
  ret void
}

define void @forbidden(i1 noundef %which, i32 noundef %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br i1 %which, label %one, label %latch
one:
  call void @once.copied()
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %head, label %out, !llvm.loop !3
out:
  ret void
}

define void @small(i1 noundef %which, i32 noundef %n) optsize {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br i1 %which, label %one, label %latch
one:
  call void @once.copied()
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %head, label %out
out:
  ret void
}

; The inner loop is parallel, the outer one is not: after an interchange, nobody has said so of the new inner one.
define void @parallel() {
entry:
  br label %head
head:
  %i = phi i64 [ 1, %entry ], [ %i.next, %after ]
  br label %row
row:
  %j = phi i64 [ 0, %head ], [ %j.next, %row ]
  %before = sub i64 %i, 1
  %p = getelementptr [16 x [16 x i32]], ptr @matrix, i64 0, i64 %before, i64 %j
  %q = getelementptr [16 x [16 x i32]], ptr @matrix, i64 0, i64 %i, i64 %j
  %v = load i32, ptr %p, !llvm.access.group !4
  %w = load i32, ptr %q, !llvm.access.group !4
  %s = add i32 %v, %w
  store i32 %s, ptr %q, !llvm.access.group !4
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ne i64 %j.next, 16
  br i1 %more, label %row, label %after, !llvm.loop !5
after:
  %i.next = add nuw nsw i64 %i, 1
  %more.i = icmp ne i64 %i.next, 16
  br i1 %more.i, label %head, label %out
out:
  ret void
}

; Tests come first: if the outer loop is not entered, nothing reads the bound of the inner one.
define void @apart() {
entry:
  %a = call i64 @perhaps_poison(i64 16, i64 13)
  %b = call i64 @perhaps_poison(i64 0, i64 poison)
  %c = call i64 @known_numbers(i64 12, i64 3)
  %ab = add i64 %a, %b
  %abc = add i64 %ab, %c
  store i64 %abc, ptr @matrix
  ret void
}

define i64 @perhaps_poison(i64 %m, i64 %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %after ]
  %s = phi i64 [ 0, %entry ], [ %s.row, %after ]
  %more.i = icmp ult i64 %i, %m
  br i1 %more.i, label %row, label %out
row:
  %j = phi i64 [ 0, %head ], [ %j.next, %body ]
  %s.row = phi i64 [ %s, %head ], [ %s.next, %body ]
  %more = icmp ult i64 %j, %n
  br i1 %more, label %body, label %after
body:
  %seven = mul i64 %i, 7
  %x = xor i64 %seven, %j
  %s.next = add i64 %s.row, %x
  %j.next = add i64 %j, 1
  br label %row
after:
  %i.next = add i64 %i, 1
  br label %head
out:
  ret i64 %s
}

define i64 @known_numbers(i64 noundef %m, i64 noundef %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %after ]
  %s = phi i64 [ 0, %entry ], [ %s.row, %after ]
  %more.i = icmp ult i64 %i, %m
  br i1 %more.i, label %row, label %out
row:
  %j = phi i64 [ 0, %head ], [ %j.next, %body ]
  %s.row = phi i64 [ %s, %head ], [ %s.next, %body ]
  %more = icmp ult i64 %j, %n
  br i1 %more, label %body, label %after
body:
  %seven = mul i64 %i, 7
  %x = xor i64 %seven, %j
  %s.next = add i64 %s.row, %x
  %j.next = add i64 %j, 1
  br label %row
after:
  %i.next = add i64 %i, 1
  br label %head
out:
  ret i64 %s
}

; What LLVM may contain, too: cycles with two entries, several edges between two blocks, loops without exits, blocks that
; nothing reaches, exceptions, and a loop that its own header leaves nowhere.
define void @ugly(i1 noundef %which, i32 noundef %n) personality ptr @personality {
entry:
  br i1 %which, label %a, label %b
a:
  br i1 %which, label %b, label %loop
b:
  br i1 %which, label %a, label %loop
unreachable_latch:
  br label %loop
loop:
  %i = phi i32 [ 0, %a ], [ 0, %b ], [ 7, %unreachable_latch ], [ %i.next, %latch ], [ %i.next, %latch ]
  switch i32 %n, label %call [
    i32 1, label %latch
    i32 2, label %latch
    i32 3, label %forever
  ]
call:
  invoke void @once.copied() to label %latch unwind label %pad
pad:
  %caught = landingpad { ptr, i32 } cleanup
  br i1 %which, label %latch, label %out
latch:
  %i.next = add i32 %i, 1
  switch i32 %i.next, label %out [
    i32 1, label %loop
    i32 2, label %loop
  ]
forever:
  br i1 %which, label %forever, label %forever
out:
  ret void
}

declare i32 @personality(...)

!0 = !{!"branch_weights", i32 1, i32 3}
!3 = distinct !{!3, !6}
!4 = distinct !{}
!5 = distinct !{!5, !7}
!6 = !{!"llvm.loop.disable_nonforced"}
!7 = !{!"llvm.loop.parallel_accesses", !4}
