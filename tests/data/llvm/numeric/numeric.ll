target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @matrix_product(ptr noalias nocapture noundef writeonly %c, ptr nocapture noundef readonly %a, ptr nocapture noundef readonly %b) local_unnamed_addr #0 {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv44 = phi i64 [ 0, %entry ], [ %indvars.iv.next45, %for.cond.cleanup3 ]
  br label %for.cond5.preheader

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond5.preheader:                              ; preds = %for.cond1.preheader, %for.cond.cleanup7
  %indvars.iv40 = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next41, %for.cond.cleanup7 ]
  br label %for.body8

for.cond.cleanup3:                                ; preds = %for.cond.cleanup7
  %indvars.iv.next45 = add nuw nsw i64 %indvars.iv44, 1
  %exitcond47.not = icmp eq i64 %indvars.iv.next45, 100
  br i1 %exitcond47.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !5

for.cond.cleanup7:                                ; preds = %for.body8
  %arrayidx18 = getelementptr inbounds [100 x double], ptr %c, i64 %indvars.iv44, i64 %indvars.iv40
  store double %2, ptr %arrayidx18, align 8, !tbaa !8
  %indvars.iv.next41 = add nuw nsw i64 %indvars.iv40, 1
  %exitcond43.not = icmp eq i64 %indvars.iv.next41, 100
  br i1 %exitcond43.not, label %for.cond.cleanup3, label %for.cond5.preheader, !llvm.loop !12

for.body8:                                        ; preds = %for.cond5.preheader, %for.body8
  %indvars.iv = phi i64 [ 0, %for.cond5.preheader ], [ %indvars.iv.next, %for.body8 ]
  %sum.035 = phi double [ 0.000000e+00, %for.cond5.preheader ], [ %2, %for.body8 ]
  %arrayidx10 = getelementptr inbounds [100 x double], ptr %a, i64 %indvars.iv44, i64 %indvars.iv
  %0 = load double, ptr %arrayidx10, align 8, !tbaa !8
  %arrayidx14 = getelementptr inbounds [100 x double], ptr %b, i64 %indvars.iv, i64 %indvars.iv40
  %1 = load double, ptr %arrayidx14, align 8, !tbaa !8
  %2 = tail call double @llvm.fmuladd.f64(double %0, double %1, double %sum.035)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 100
  br i1 %exitcond.not, label %for.cond.cleanup7, label %for.body8, !llvm.loop !13
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #1

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @matrix_product_of(i32 noundef %n, ptr noalias nocapture noundef writeonly %c, ptr nocapture noundef readonly %a, ptr nocapture noundef readonly %b) local_unnamed_addr #0 {
entry:
  %cmp44 = icmp sgt i32 %n, 0
  br i1 %cmp44, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %0 = zext nneg i32 %n to i64
  %1 = zext nneg i32 %n to i64
  %2 = zext nneg i32 %n to i64
  %wide.trip.count61 = zext nneg i32 %n to i64
  %wide.trip.count54 = zext nneg i32 %n to i64
  %wide.trip.count = zext nneg i32 %n to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup3
  %indvars.iv56 = phi i64 [ 0, %for.cond1.preheader.lr.ph ], [ %indvars.iv.next57, %for.cond.cleanup3 ]
  %3 = mul nuw nsw i64 %indvars.iv56, %1
  %4 = mul nuw nsw i64 %indvars.iv56, %2
  %invariant.gep = getelementptr inbounds double, ptr %a, i64 %3
  %invariant.gep65 = getelementptr inbounds double, ptr %c, i64 %4
  br label %for.cond5.preheader

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond5.preheader:                              ; preds = %for.cond1.preheader, %for.cond.cleanup7
  %indvars.iv50 = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next51, %for.cond.cleanup7 ]
  %invariant.gep63 = getelementptr inbounds double, ptr %b, i64 %indvars.iv50
  br label %for.body8

for.cond.cleanup3:                                ; preds = %for.cond.cleanup7
  %indvars.iv.next57 = add nuw nsw i64 %indvars.iv56, 1
  %exitcond62.not = icmp eq i64 %indvars.iv.next57, %wide.trip.count61
  br i1 %exitcond62.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !14

for.cond.cleanup7:                                ; preds = %for.body8
  %gep66 = getelementptr inbounds double, ptr %invariant.gep65, i64 %indvars.iv50
  store double %8, ptr %gep66, align 8, !tbaa !8
  %indvars.iv.next51 = add nuw nsw i64 %indvars.iv50, 1
  %exitcond55.not = icmp eq i64 %indvars.iv.next51, %wide.trip.count54
  br i1 %exitcond55.not, label %for.cond.cleanup3, label %for.cond5.preheader, !llvm.loop !15

for.body8:                                        ; preds = %for.cond5.preheader, %for.body8
  %indvars.iv = phi i64 [ 0, %for.cond5.preheader ], [ %indvars.iv.next, %for.body8 ]
  %sum.040 = phi double [ 0.000000e+00, %for.cond5.preheader ], [ %8, %for.body8 ]
  %gep = getelementptr inbounds double, ptr %invariant.gep, i64 %indvars.iv
  %5 = load double, ptr %gep, align 8, !tbaa !8
  %6 = mul nuw nsw i64 %indvars.iv, %0
  %gep64 = getelementptr inbounds double, ptr %invariant.gep63, i64 %6
  %7 = load double, ptr %gep64, align 8, !tbaa !8
  %8 = tail call double @llvm.fmuladd.f64(double %5, double %7, double %sum.040)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup7, label %for.body8, !llvm.loop !16
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @stencil(i32 noundef %n, ptr noalias nocapture noundef writeonly %out, ptr nocapture noundef readonly %in) local_unnamed_addr #0 {
entry:
  %sub = add i32 %n, -1
  %cmp64 = icmp sgt i32 %n, 2
  br i1 %cmp64, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %0 = zext nneg i32 %n to i64
  %1 = zext nneg i32 %n to i64
  %2 = zext nneg i32 %n to i64
  %wide.trip.count78 = zext i32 %sub to i64
  %wide.trip.count = zext i32 %sub to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup4
  %indvars.iv70 = phi i64 [ 1, %for.cond1.preheader.lr.ph ], [ %indvars.iv.next71, %for.cond.cleanup4 ]
  %3 = mul nuw nsw i64 %indvars.iv70, %1
  %4 = add nsw i64 %indvars.iv70, -1
  %5 = mul nsw i64 %4, %0
  %6 = add nuw nsw i64 %indvars.iv70, 1
  %7 = mul nuw nsw i64 %6, %2
  %invariant.gep = getelementptr double, ptr %in, i64 %5
  %invariant.gep80 = getelementptr inbounds double, ptr %in, i64 %7
  br label %for.body5

for.cond.cleanup:                                 ; preds = %for.cond.cleanup4, %entry
  ret void

for.cond.cleanup4:                                ; preds = %for.body5
  %indvars.iv.next71 = add nuw nsw i64 %indvars.iv70, 1
  %exitcond79.not = icmp eq i64 %indvars.iv.next71, %wide.trip.count78
  br i1 %exitcond79.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !17

for.body5:                                        ; preds = %for.cond1.preheader, %for.body5
  %indvars.iv = phi i64 [ 1, %for.cond1.preheader ], [ %indvars.iv.next, %for.body5 ]
  %8 = add nuw nsw i64 %indvars.iv, %3
  %arrayidx = getelementptr inbounds double, ptr %in, i64 %8
  %9 = load double, ptr %arrayidx, align 8, !tbaa !8
  %gep = getelementptr double, ptr %invariant.gep, i64 %indvars.iv
  %10 = load double, ptr %gep, align 8, !tbaa !8
  %add11 = fadd double %9, %10
  %gep81 = getelementptr inbounds double, ptr %invariant.gep80, i64 %indvars.iv
  %11 = load double, ptr %gep81, align 8, !tbaa !8
  %add17 = fadd double %add11, %11
  %arrayidx22 = getelementptr i8, ptr %arrayidx, i64 -8
  %12 = load double, ptr %arrayidx22, align 8, !tbaa !8
  %add23 = fadd double %add17, %12
  %arrayidx28 = getelementptr i8, ptr %arrayidx, i64 8
  %13 = load double, ptr %arrayidx28, align 8, !tbaa !8
  %add29 = fadd double %add23, %13
  %arrayidx33 = getelementptr inbounds double, ptr %out, i64 %8
  store double %add29, ptr %arrayidx33, align 8, !tbaa !8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup4, label %for.body5, !llvm.loop !18
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @lu(i32 noundef %n, ptr nocapture noundef %a) local_unnamed_addr #0 {
entry:
  %cmp64 = icmp sgt i32 %n, 0
  br i1 %cmp64, label %for.body.preheader, label %for.cond.cleanup

for.body.preheader:                               ; preds = %entry
  %0 = zext nneg i32 %n to i64
  %1 = zext nneg i32 %n to i64
  %2 = zext nneg i32 %n to i64
  %wide.trip.count83 = zext nneg i32 %n to i64
  %wide.trip.count76 = zext nneg i32 %n to i64
  %wide.trip.count = zext nneg i32 %n to i64
  br label %for.body

for.cond.loopexit:                                ; preds = %for.cond.cleanup13, %for.body
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond84.not = icmp eq i64 %indvars.iv.next79, %wide.trip.count83
  br i1 %exitcond84.not, label %for.cond.cleanup, label %for.body, !llvm.loop !19

for.cond.cleanup:                                 ; preds = %for.cond.loopexit, %entry
  ret void

for.body:                                         ; preds = %for.body.preheader, %for.cond.loopexit
  %indvars.iv78 = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next79, %for.cond.loopexit ]
  %indvars.iv = phi i64 [ 1, %for.body.preheader ], [ %indvars.iv.next, %for.cond.loopexit ]
  %indvars.iv.next79 = add nuw nsw i64 %indvars.iv78, 1
  %cmp262 = icmp ult i64 %indvars.iv.next79, %1
  br i1 %cmp262, label %for.body4.lr.ph, label %for.cond.loopexit

for.body4.lr.ph:                                  ; preds = %for.body
  %indvars82 = trunc i64 %indvars.iv78 to i32
  %3 = mul nuw nsw i64 %indvars.iv78, %2
  %mul = mul nuw nsw i32 %indvars82, %n
  %4 = zext i32 %mul to i64
  %5 = getelementptr inbounds double, ptr %a, i64 %indvars.iv78
  %arrayidx = getelementptr inbounds double, ptr %5, i64 %4
  %invariant.gep87 = getelementptr inbounds double, ptr %a, i64 %indvars.iv78
  %invariant.gep = getelementptr inbounds double, ptr %a, i64 %3
  br label %for.body4

for.body4:                                        ; preds = %for.body4.lr.ph, %for.cond.cleanup13
  %indvars.iv71 = phi i64 [ %indvars.iv, %for.body4.lr.ph ], [ %indvars.iv.next72, %for.cond.cleanup13 ]
  %6 = load double, ptr %arrayidx, align 8, !tbaa !8
  %7 = mul nuw nsw i64 %indvars.iv71, %0
  %gep88 = getelementptr inbounds double, ptr %invariant.gep87, i64 %7
  %8 = load double, ptr %gep88, align 8, !tbaa !8
  %div = fdiv double %8, %6
  store double %div, ptr %gep88, align 8, !tbaa !8
  %invariant.gep85 = getelementptr inbounds double, ptr %a, i64 %7
  br label %for.body14

for.cond.cleanup13:                               ; preds = %for.body14
  %indvars.iv.next72 = add nuw nsw i64 %indvars.iv71, 1
  %exitcond77.not = icmp eq i64 %indvars.iv.next72, %wide.trip.count76
  br i1 %exitcond77.not, label %for.cond.loopexit, label %for.body4, !llvm.loop !20

for.body14:                                       ; preds = %for.body4, %for.body14
  %indvars.iv66 = phi i64 [ %indvars.iv, %for.body4 ], [ %indvars.iv.next67, %for.body14 ]
  %9 = load double, ptr %gep88, align 8, !tbaa !8
  %gep = getelementptr inbounds double, ptr %invariant.gep, i64 %indvars.iv66
  %10 = load double, ptr %gep, align 8, !tbaa !8
  %gep86 = getelementptr inbounds double, ptr %invariant.gep85, i64 %indvars.iv66
  %11 = load double, ptr %gep86, align 8, !tbaa !8
  %neg = fneg double %9
  %12 = tail call double @llvm.fmuladd.f64(double %neg, double %10, double %11)
  store double %12, ptr %gep86, align 8, !tbaa !8
  %indvars.iv.next67 = add nuw nsw i64 %indvars.iv66, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next67, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup13, label %for.body14, !llvm.loop !21
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @triangular_solve(i32 noundef %n, ptr noalias nocapture noundef readonly %l, ptr nocapture noundef %x) local_unnamed_addr #0 {
entry:
  %cmp37 = icmp sgt i32 %n, 0
  br i1 %cmp37, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %i.034 = add nuw i32 %n, 1
  %wide.trip.count45 = zext nneg i32 %n to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup3
  %indvars.iv41 = phi i64 [ 0, %for.cond1.preheader.lr.ph ], [ %indvars.iv.next42, %for.cond.cleanup3 ]
  %cmp235.not = icmp eq i64 %indvars.iv41, 0
  br i1 %cmp235.not, label %for.cond.cleanup3, label %for.body4.lr.ph

for.body4.lr.ph:                                  ; preds = %for.cond1.preheader
  %arrayidx9 = getelementptr inbounds double, ptr %x, i64 %indvars.iv41
  %arrayidx9.promoted = load double, ptr %arrayidx9, align 8, !tbaa !8
  %0 = trunc i64 %indvars.iv41 to i32
  %1 = mul i32 %0, %n
  %2 = zext i32 %1 to i64
  %invariant.gep = getelementptr inbounds double, ptr %l, i64 %2
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond.cleanup3:                                ; preds = %for.body4, %for.cond1.preheader
  %3 = trunc nuw nsw i64 %indvars.iv41 to i32
  %add11 = mul i32 %i.034, %3
  %idxprom12 = sext i32 %add11 to i64
  %arrayidx13 = getelementptr inbounds double, ptr %l, i64 %idxprom12
  %4 = load double, ptr %arrayidx13, align 8, !tbaa !8
  %arrayidx15 = getelementptr inbounds double, ptr %x, i64 %indvars.iv41
  %5 = load double, ptr %arrayidx15, align 8, !tbaa !8
  %div = fdiv double %5, %4
  store double %div, ptr %arrayidx15, align 8, !tbaa !8
  %indvars.iv.next42 = add nuw nsw i64 %indvars.iv41, 1
  %exitcond46.not = icmp eq i64 %indvars.iv.next42, %wide.trip.count45
  br i1 %exitcond46.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !22

for.body4:                                        ; preds = %for.body4.lr.ph, %for.body4
  %indvars.iv = phi i64 [ 0, %for.body4.lr.ph ], [ %indvars.iv.next, %for.body4 ]
  %6 = phi double [ %arrayidx9.promoted, %for.body4.lr.ph ], [ %9, %for.body4 ]
  %gep = getelementptr inbounds double, ptr %invariant.gep, i64 %indvars.iv
  %7 = load double, ptr %gep, align 8, !tbaa !8
  %arrayidx6 = getelementptr inbounds double, ptr %x, i64 %indvars.iv
  %8 = load double, ptr %arrayidx6, align 8, !tbaa !8
  %neg = fneg double %7
  %9 = tail call double @llvm.fmuladd.f64(double %neg, double %8, double %6)
  store double %9, ptr %arrayidx9, align 8, !tbaa !8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %indvars.iv41
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4, !llvm.loop !23
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @packed_triangle(i32 noundef %n, ptr noalias nocapture noundef writeonly %packed, ptr nocapture noundef readonly %full) local_unnamed_addr #0 {
entry:
  %cmp19 = icmp sgt i32 %n, 0
  br i1 %cmp19, label %for.cond1.preheader.preheader, label %for.cond.cleanup

for.cond1.preheader.preheader:                    ; preds = %entry
  %0 = zext nneg i32 %n to i64
  %1 = shl nuw nsw i64 %0, 3
  %wide.trip.count36 = zext nneg i32 %n to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.preheader, %for.cond1.preheader
  %indvars.iv26 = phi i64 [ 1, %for.cond1.preheader.preheader ], [ %indvars.iv.next27, %for.cond1.preheader ]
  %indvar = phi i64 [ 0, %for.cond1.preheader.preheader ], [ %indvar.next, %for.cond1.preheader ]
  %place.020 = phi i32 [ 0, %for.cond1.preheader.preheader ], [ %8, %for.cond1.preheader ]
  %2 = mul i64 %1, %indvar
  %scevgep22 = getelementptr i8, ptr %full, i64 %2
  %3 = shl nuw nsw i64 %indvar, 3
  %4 = add nuw nsw i64 %3, 8
  %5 = sext i32 %place.020 to i64
  %6 = shl nsw i64 %5, 3
  %scevgep = getelementptr i8, ptr %packed, i64 %6
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(1) %scevgep, ptr noundef nonnull align 8 dereferenceable(1) %scevgep22, i64 %4, i1 false), !tbaa !8
  %7 = trunc i64 %indvars.iv26 to i32
  %8 = add i32 %place.020, %7
  %indvar.next = add nuw nsw i64 %indvar, 1
  %indvars.iv.next27 = add nuw nsw i64 %indvars.iv26, 1
  %exitcond.not = icmp eq i64 %indvar.next, %wide.trip.count36
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !24

for.cond.cleanup:                                 ; preds = %for.cond1.preheader, %entry
  ret void
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local i64 @prefix_sum(i32 noundef %n, ptr nocapture noundef %a) local_unnamed_addr #0 {
entry:
  %cmp.not9 = icmp eq i32 %n, 0
  br i1 %cmp.not9, label %for.cond.cleanup, label %for.body.preheader

for.body.preheader:                               ; preds = %entry
  %0 = zext i32 %n to i64
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.body, %entry
  %sum.0.lcssa = phi i64 [ 0, %entry ], [ %add, %for.body ]
  ret i64 %sum.0.lcssa

for.body:                                         ; preds = %for.body.preheader, %for.body
  %indvars.iv = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next, %for.body ]
  %sum.010 = phi i64 [ 0, %for.body.preheader ], [ %add, %for.body ]
  %arrayidx = getelementptr inbounds i64, ptr %a, i64 %indvars.iv
  %1 = load i64, ptr %arrayidx, align 8, !tbaa !25
  %add = add nsw i64 %1, %sum.010
  store i64 %add, ptr %arrayidx, align 8, !tbaa !25
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp.not = icmp eq i64 %indvars.iv.next, %0
  br i1 %cmp.not, label %for.cond.cleanup, label %for.body, !llvm.loop !27
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @convolution(i64 noundef %n, i64 noundef %m, ptr noalias nocapture noundef writeonly %out, ptr nocapture noundef readonly %in, ptr nocapture noundef readonly %kernel) local_unnamed_addr #0 {
entry:
  %cmp.not22 = icmp sgt i64 %m, %n
  br i1 %cmp.not22, label %for.cond.cleanup, label %for.cond1.preheader.lr.ph

for.cond1.preheader.lr.ph:                        ; preds = %entry
  %cmp219 = icmp sgt i64 %m, 0
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.lr.ph, %for.cond.cleanup3
  %i.023 = phi i64 [ 0, %for.cond1.preheader.lr.ph ], [ %inc9, %for.cond.cleanup3 ]
  br i1 %cmp219, label %for.body4.lr.ph, label %for.cond.cleanup3

for.body4.lr.ph:                                  ; preds = %for.cond1.preheader
  %0 = getelementptr inbounds float, ptr %in, i64 %i.023
  br label %for.body4

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond.cleanup3:                                ; preds = %for.body4, %for.cond1.preheader
  %sum.0.lcssa = phi float [ 0.000000e+00, %for.cond1.preheader ], [ %3, %for.body4 ]
  %arrayidx7 = getelementptr inbounds float, ptr %out, i64 %i.023
  store float %sum.0.lcssa, ptr %arrayidx7, align 4, !tbaa !28
  %inc9 = add nuw nsw i64 %i.023, 1
  %add = add nsw i64 %inc9, %m
  %cmp.not = icmp sgt i64 %add, %n
  br i1 %cmp.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !30

for.body4:                                        ; preds = %for.body4.lr.ph, %for.body4
  %k.021 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %sum.020 = phi float [ 0.000000e+00, %for.body4.lr.ph ], [ %3, %for.body4 ]
  %arrayidx = getelementptr inbounds float, ptr %0, i64 %k.021
  %1 = load float, ptr %arrayidx, align 4, !tbaa !28
  %arrayidx6 = getelementptr inbounds float, ptr %kernel, i64 %k.021
  %2 = load float, ptr %arrayidx6, align 4, !tbaa !28
  %3 = tail call float @llvm.fmuladd.f32(float %1, float %2, float %sum.020)
  %inc = add nuw nsw i64 %k.021, 1
  %exitcond.not = icmp eq i64 %inc, %m
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4, !llvm.loop !31
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #1

; Function Attrs: nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) uwtable
define dso_local void @histogram(i64 noundef %n, ptr noundef readonly %in, ptr nocapture noundef %bins) local_unnamed_addr #2 {
entry:
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(1024) %bins, i8 0, i64 1024, i1 false), !tbaa !32
  %add.ptr = getelementptr inbounds i8, ptr %in, i64 %n
  %cmp2.not16 = icmp eq i64 %n, 0
  br i1 %cmp2.not16, label %for.cond.cleanup3, label %for.body4

for.cond.cleanup3:                                ; preds = %for.body4, %entry
  ret void

for.body4:                                        ; preds = %entry, %for.body4
  %p.017 = phi ptr [ %incdec.ptr, %for.body4 ], [ %in, %entry ]
  %0 = load i8, ptr %p.017, align 1, !tbaa !34
  %idxprom = zext i8 %0 to i64
  %arrayidx5 = getelementptr inbounds i32, ptr %bins, i64 %idxprom
  %1 = load i32, ptr %arrayidx5, align 4, !tbaa !32
  %inc6 = add i32 %1, 1
  store i32 %inc6, ptr %arrayidx5, align 4, !tbaa !32
  %incdec.ptr = getelementptr inbounds i8, ptr %p.017, i64 1
  %cmp2.not = icmp eq ptr %incdec.ptr, %add.ptr
  br i1 %cmp2.not, label %for.cond.cleanup3, label %for.body4, !llvm.loop !35
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @transposition(i32 noundef %n, ptr nocapture noundef %a) local_unnamed_addr #0 {
entry:
  %cmp42 = icmp sgt i32 %n, 0
  br i1 %cmp42, label %for.body.preheader, label %for.cond.cleanup

for.body.preheader:                               ; preds = %entry
  %0 = zext nneg i32 %n to i64
  %1 = zext nneg i32 %n to i64
  %2 = zext nneg i32 %n to i64
  %wide.trip.count54 = zext nneg i32 %n to i64
  %wide.trip.count = zext nneg i32 %n to i64
  br label %for.body

for.cond.loopexit:                                ; preds = %for.body4, %for.body
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond55.not = icmp eq i64 %indvars.iv.next51, %wide.trip.count54
  br i1 %exitcond55.not, label %for.cond.cleanup, label %for.body, !llvm.loop !36

for.cond.cleanup:                                 ; preds = %for.cond.loopexit, %entry
  ret void

for.body:                                         ; preds = %for.body.preheader, %for.cond.loopexit
  %indvars.iv50 = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next51, %for.cond.loopexit ]
  %indvars.iv = phi i64 [ 1, %for.body.preheader ], [ %indvars.iv.next, %for.cond.loopexit ]
  %indvars.iv.next51 = add nuw nsw i64 %indvars.iv50, 1
  %cmp240 = icmp ult i64 %indvars.iv.next51, %1
  br i1 %cmp240, label %for.body4.lr.ph, label %for.cond.loopexit

for.body4.lr.ph:                                  ; preds = %for.body
  %3 = mul nuw nsw i64 %indvars.iv50, %2
  %invariant.gep = getelementptr inbounds double, ptr %a, i64 %3
  %invariant.gep56 = getelementptr inbounds double, ptr %a, i64 %indvars.iv50
  br label %for.body4

for.body4:                                        ; preds = %for.body4.lr.ph, %for.body4
  %indvars.iv44 = phi i64 [ %indvars.iv, %for.body4.lr.ph ], [ %indvars.iv.next45, %for.body4 ]
  %gep = getelementptr inbounds double, ptr %invariant.gep, i64 %indvars.iv44
  %4 = load double, ptr %gep, align 8, !tbaa !8
  %5 = mul nuw nsw i64 %indvars.iv44, %0
  %gep57 = getelementptr inbounds double, ptr %invariant.gep56, i64 %5
  %6 = load double, ptr %gep57, align 8, !tbaa !8
  store double %6, ptr %gep, align 8, !tbaa !8
  store double %4, ptr %gep57, align 8, !tbaa !8
  %indvars.iv.next45 = add nuw nsw i64 %indvars.iv44, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next45, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.loopexit, label %for.body4, !llvm.loop !37
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @blocked_transposition(ptr noalias nocapture noundef writeonly %to, ptr nocapture noundef readonly %from) local_unnamed_addr #0 {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %indvars.iv67 = phi i64 [ 8, %entry ], [ %indvars.iv.next68, %for.cond.cleanup3 ]
  %indvars.iv52 = phi i64 [ 0, %entry ], [ %indvars.iv.next53, %for.cond.cleanup3 ]
  %indvars71 = trunc i64 %indvars.iv52 to i32
  br label %for.cond5.preheader

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3
  ret void

for.cond5.preheader:                              ; preds = %for.cond1.preheader, %for.cond.cleanup7
  %indvars.iv62 = phi i64 [ 8, %for.cond1.preheader ], [ %indvars.iv.next63, %for.cond.cleanup7 ]
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader ], [ %indvars.iv.next, %for.cond.cleanup7 ]
  %indvars66 = trunc i64 %indvars.iv to i32
  br label %for.cond9.preheader

for.cond.cleanup3:                                ; preds = %for.cond.cleanup7
  %indvars.iv.next53 = add nuw nsw i64 %indvars.iv52, 8
  %cmp = icmp ult i32 %indvars71, 88
  %indvars.iv.next68 = add nuw nsw i64 %indvars.iv67, 8
  br i1 %cmp, label %for.cond1.preheader, label %for.cond.cleanup, !llvm.loop !38

for.cond9.preheader:                              ; preds = %for.cond5.preheader, %for.cond.cleanup12
  %indvars.iv54 = phi i64 [ %indvars.iv52, %for.cond5.preheader ], [ %indvars.iv.next55, %for.cond.cleanup12 ]
  %arrayidx.idx = mul i64 %indvars.iv54, 768
  %invariant.gep = getelementptr i8, ptr %from, i64 %arrayidx.idx
  %invariant.gep72 = getelementptr double, ptr %to, i64 %indvars.iv54
  br label %for.body13

for.cond.cleanup7:                                ; preds = %for.cond.cleanup12
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 8
  %cmp2 = icmp ult i32 %indvars66, 88
  %indvars.iv.next63 = add nuw nsw i64 %indvars.iv62, 8
  br i1 %cmp2, label %for.cond5.preheader, label %for.cond.cleanup3, !llvm.loop !39

for.cond.cleanup12:                               ; preds = %for.body13
  %indvars.iv.next55 = add nuw nsw i64 %indvars.iv54, 1
  %exitcond61.not = icmp eq i64 %indvars.iv.next55, %indvars.iv67
  br i1 %exitcond61.not, label %for.cond.cleanup7, label %for.cond9.preheader, !llvm.loop !40

for.body13:                                       ; preds = %for.cond9.preheader, %for.body13
  %indvars.iv44 = phi i64 [ %indvars.iv, %for.cond9.preheader ], [ %indvars.iv.next45, %for.body13 ]
  %gep = getelementptr double, ptr %invariant.gep, i64 %indvars.iv44
  %0 = load double, ptr %gep, align 8, !tbaa !8
  %.idx = mul i64 %indvars.iv44, 768
  %gep73 = getelementptr i8, ptr %invariant.gep72, i64 %.idx
  store double %0, ptr %gep73, align 8, !tbaa !8
  %indvars.iv.next45 = add nuw nsw i64 %indvars.iv44, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next45, %indvars.iv62
  br i1 %exitcond.not, label %for.cond.cleanup12, label %for.body13, !llvm.loop !41
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @butterflies(i32 noundef %n, ptr nocapture noundef %a) local_unnamed_addr #0 {
entry:
  %cmp50 = icmp ugt i32 %n, 1
  br i1 %cmp50, label %for.cond1.preheader, label %for.cond.cleanup

for.cond1.preheader:                              ; preds = %entry, %for.cond.cleanup3
  %size.051 = phi i32 [ %mul25, %for.cond.cleanup3 ], [ 1, %entry ]
  %mul = shl i32 %size.051, 1
  br label %for.cond5.preheader

for.cond.cleanup:                                 ; preds = %for.cond.cleanup3, %entry
  ret void

for.cond5.preheader:                              ; preds = %for.cond1.preheader, %for.cond.cleanup7
  %indvars.iv53 = phi i32 [ %size.051, %for.cond1.preheader ], [ %indvars.iv.next54, %for.cond.cleanup7 ]
  %start.049 = phi i32 [ 0, %for.cond1.preheader ], [ %add22, %for.cond.cleanup7 ]
  %add = add i32 %start.049, %size.051
  %cmp647 = icmp ult i32 %start.049, %add
  br i1 %cmp647, label %for.body8.preheader, label %for.cond.cleanup7

for.body8.preheader:                              ; preds = %for.cond5.preheader
  %0 = zext i32 %start.049 to i64
  %wide.trip.count = zext i32 %indvars.iv53 to i64
  br label %for.body8

for.cond.cleanup3:                                ; preds = %for.cond.cleanup7
  %mul25 = shl i32 %size.051, 1
  %cmp = icmp ult i32 %mul25, %n
  br i1 %cmp, label %for.cond1.preheader, label %for.cond.cleanup, !llvm.loop !42

for.cond.cleanup7:                                ; preds = %for.body8, %for.cond5.preheader
  %add22 = add i32 %start.049, %mul
  %cmp2 = icmp ult i32 %add22, %n
  %indvars.iv.next54 = add i32 %indvars.iv53, %mul
  br i1 %cmp2, label %for.cond5.preheader, label %for.cond.cleanup3, !llvm.loop !43

for.body8:                                        ; preds = %for.body8.preheader, %for.body8
  %indvars.iv = phi i64 [ %0, %for.body8.preheader ], [ %indvars.iv.next, %for.body8 ]
  %arrayidx = getelementptr inbounds double, ptr %a, i64 %indvars.iv
  %1 = load double, ptr %arrayidx, align 8, !tbaa !8
  %2 = trunc nuw i64 %indvars.iv to i32
  %add9 = add i32 %size.051, %2
  %idxprom10 = zext i32 %add9 to i64
  %arrayidx11 = getelementptr inbounds double, ptr %a, i64 %idxprom10
  %3 = load double, ptr %arrayidx11, align 8, !tbaa !8
  %add14 = fadd double %1, %3
  store double %add14, ptr %arrayidx, align 8, !tbaa !8
  %4 = load double, ptr %arrayidx11, align 8, !tbaa !8
  %sub = fsub double %1, %4
  store double %sub, ptr %arrayidx11, align 8, !tbaa !8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup7, label %for.body8, !llvm.loop !44
}

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i64 @pairs(i32 noundef %n) local_unnamed_addr #3 {
entry:
  %cmp16 = icmp sgt i32 %n, 0
  br i1 %cmp16, label %for.cond1.preheader.preheader, label %for.cond.cleanup

for.cond1.preheader.preheader:                    ; preds = %entry
  %0 = add nsw i32 %n, -2
  %wide.trip.count = zext nneg i32 %n to i64
  br label %for.cond1.preheader

for.cond1.preheader:                              ; preds = %for.cond1.preheader.preheader, %for.cond1.preheader
  %indvars.iv25 = phi i32 [ %0, %for.cond1.preheader.preheader ], [ %indvars.iv.next26, %for.cond1.preheader ]
  %indvars.iv23.in = phi i32 [ %n, %for.cond1.preheader.preheader ], [ %indvars.iv23, %for.cond1.preheader ]
  %indvars.iv21 = phi i64 [ 1, %for.cond1.preheader.preheader ], [ %indvars.iv.next22, %for.cond1.preheader ]
  %indvars.iv = phi i64 [ 0, %for.cond1.preheader.preheader ], [ %indvars.iv.next, %for.cond1.preheader ]
  %count.017 = phi i64 [ 0, %for.cond1.preheader.preheader ], [ %9, %for.cond1.preheader ]
  %indvars.iv23 = add i32 %indvars.iv23.in, -1
  %1 = zext i32 %indvars.iv23 to i64
  %2 = zext i32 %indvars.iv25 to i64
  %3 = mul nuw i64 %1, %2
  %4 = lshr i64 %3, 1
  %5 = zext i32 %indvars.iv23 to i64
  %6 = mul i64 %indvars.iv21, %5
  %7 = add i64 %count.017, %indvars.iv
  %8 = add i64 %7, %6
  %9 = add i64 %8, %4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %indvars.iv.next22 = add nuw nsw i64 %indvars.iv21, 1
  %indvars.iv.next26 = add i32 %indvars.iv25, -1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.cond1.preheader, !llvm.loop !45

for.cond.cleanup:                                 ; preds = %for.cond1.preheader, %entry
  %count.0.lcssa = phi i64 [ 0, %entry ], [ %9, %for.cond1.preheader ]
  ret i64 %count.0.lcssa
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: read) uwtable
define dso_local double @horner(i32 noundef %n, ptr nocapture noundef readonly %c, double noundef %x) local_unnamed_addr #4 {
entry:
  %cmp3 = icmp sgt i32 %n, 0
  br i1 %cmp3, label %for.body.preheader, label %for.cond.cleanup

for.body.preheader:                               ; preds = %entry
  %0 = zext nneg i32 %n to i64
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.body, %entry
  %y.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %2, %for.body ]
  ret double %y.0.lcssa

for.body:                                         ; preds = %for.body.preheader, %for.body
  %indvars.iv = phi i64 [ %0, %for.body.preheader ], [ %indvars.iv.next, %for.body ]
  %y.04 = phi double [ 0.000000e+00, %for.body.preheader ], [ %2, %for.body ]
  %indvars.iv.next = add nsw i64 %indvars.iv, -1
  %arrayidx = getelementptr inbounds double, ptr %c, i64 %indvars.iv.next
  %1 = load double, ptr %arrayidx, align 8, !tbaa !8
  %2 = tail call double @llvm.fmuladd.f64(double %y.04, double %x, double %1)
  %cmp = icmp sgt i64 %indvars.iv, 1
  br i1 %cmp, label %for.body, label %for.cond.cleanup, !llvm.loop !46
}

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable
define dso_local void @sieve(i32 noundef %n, ptr nocapture noundef %composite) local_unnamed_addr #0 {
entry:
  %cmp22 = icmp ugt i32 %n, 4
  br i1 %cmp22, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.inc8, %entry
  ret void

for.body:                                         ; preds = %entry, %for.inc8
  %mul25 = phi i32 [ %mul, %for.inc8 ], [ 4, %entry ]
  %i.023 = phi i32 [ %inc, %for.inc8 ], [ 2, %entry ]
  %idxprom = zext i32 %i.023 to i64
  %arrayidx = getelementptr inbounds i8, ptr %composite, i64 %idxprom
  %0 = load i8, ptr %arrayidx, align 1, !tbaa !34
  %tobool.not = icmp eq i8 %0, 0
  %cmp320 = icmp ult i32 %mul25, %n
  %or.cond = and i1 %tobool.not, %cmp320
  br i1 %or.cond, label %for.body5, label %for.inc8

for.body5:                                        ; preds = %for.body, %for.body5
  %j.021 = phi i32 [ %add, %for.body5 ], [ %mul25, %for.body ]
  %idxprom6 = zext i32 %j.021 to i64
  %arrayidx7 = getelementptr inbounds i8, ptr %composite, i64 %idxprom6
  store i8 1, ptr %arrayidx7, align 1, !tbaa !34
  %add = add i32 %j.021, %i.023
  %cmp3 = icmp ult i32 %add, %n
  br i1 %cmp3, label %for.body5, label %for.inc8, !llvm.loop !47

for.inc8:                                         ; preds = %for.body5, %for.body
  %inc = add i32 %i.023, 1
  %mul = mul i32 %inc, %inc
  %cmp = icmp ult i32 %mul, %n
  br i1 %cmp, label %for.body, label %for.cond.cleanup, !llvm.loop !48
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #5

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #6

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nofree norecurse nosync nounwind memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nofree norecurse nosync nounwind memory(argmem: read) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!5 = distinct !{!5, !6, !7}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{!"llvm.loop.unroll.disable"}
!8 = !{!9, !9, i64 0}
!9 = !{!"double", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C/C++ TBAA"}
!12 = distinct !{!12, !6, !7}
!13 = distinct !{!13, !6, !7}
!14 = distinct !{!14, !6, !7}
!15 = distinct !{!15, !6, !7}
!16 = distinct !{!16, !6, !7}
!17 = distinct !{!17, !6, !7}
!18 = distinct !{!18, !6, !7}
!19 = distinct !{!19, !6, !7}
!20 = distinct !{!20, !6, !7}
!21 = distinct !{!21, !6, !7}
!22 = distinct !{!22, !6, !7}
!23 = distinct !{!23, !6, !7}
!24 = distinct !{!24, !6, !7}
!25 = !{!26, !26, i64 0}
!26 = !{!"long", !10, i64 0}
!27 = distinct !{!27, !6, !7}
!28 = !{!29, !29, i64 0}
!29 = !{!"float", !10, i64 0}
!30 = distinct !{!30, !6, !7}
!31 = distinct !{!31, !6, !7}
!32 = !{!33, !33, i64 0}
!33 = !{!"int", !10, i64 0}
!34 = !{!10, !10, i64 0}
!35 = distinct !{!35, !6, !7}
!36 = distinct !{!36, !6, !7}
!37 = distinct !{!37, !6, !7}
!38 = distinct !{!38, !6, !7}
!39 = distinct !{!39, !6, !7}
!40 = distinct !{!40, !6, !7}
!41 = distinct !{!41, !6, !7}
!42 = distinct !{!42, !6, !7}
!43 = distinct !{!43, !6, !7}
!44 = distinct !{!44, !6, !7}
!45 = distinct !{!45, !6, !7}
!46 = distinct !{!46, !6, !7}
!47 = distinct !{!47, !6, !7}
!48 = distinct !{!48, !6, !7}
