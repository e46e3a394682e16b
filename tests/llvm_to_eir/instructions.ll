; What llvm_to_eir translates, and one function for each reason that it has to refuse.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%pair = type { i32, [4 x i64] }

@table = internal global [16 x i32] zeroinitializer
@cell = internal global i64 0
@local = internal thread_local global i32 0
@other = internal alias i64, ptr @cell

declare i32 @callee(ptr, i32)
declare i32 @reader(i32) memory(read) nounwind willreturn
declare void @stop() noreturn
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.assume(i1)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.fabs.f64(double)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare float @llvm.maximum.f32(float, float)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.nearbyint.f64(double)
declare float @llvm.roundeven.f32(float)
declare double @llvm.round.f64(double)
declare double @sqrt(double)
declare x86_fp80 @llvm.fabs.f80(x86_fp80)
declare x86_fp80 @llvm.fmuladd.f80(x86_fp80, x86_fp80, x86_fp80)
declare x86_fp80 @llvm.fma.f80(x86_fp80, x86_fp80, x86_fp80)

; The promise stays only where breaking it is undefined: here the division reads the sum.
define i32 @promise_kept(i32 %a, i32 %b) {
  %sum = add nsw i32 %a, %b
  %r = udiv i32 7, %sum
  ret i32 %r
}

define i32 @promise_dropped(i32 %a, i32 %b, i1 %c) {
  %sum = add nsw nuw i32 %a, %b
  %r = select i1 %c, i32 %sum, i32 0
  ret i32 %r
}

; A shift by too much is poison, not a trap.
define i32 @shifts(i32 %a, i32 %n) {
  %low = and i32 %n, 7
  %x = shl i32 %a, %low
  %y = lshr i32 %x, %n
  %z = ashr exact i32 %y, 3
  ret i32 %z
}

define i8 @narrow(i8 %a, i8 %b) {
  %p = mul i8 %a, %b
  %q = ashr i8 %p, 2
  %w = zext i8 %q to i16
  %s = sext i8 %a to i16
  %t = sub i16 %w, %s
  %r = trunc i16 %t to i8
  ret i8 %r
}

define i64 @divisions(i64 %a, i64 %b) {
  %x = sdiv exact i64 %a, 16
  %d = or i64 %b, 1
  %y = udiv i64 %a, %d
  %z = urem i64 %x, %d
  %r = add i64 %y, %z
  ret i64 %r
}

define i32 @undefined(i32 %a, i1 %c) {
  %x = select i1 %c, i32 %a, i32 undef
  %f = freeze i32 %x
  ret i32 %f
}

; Geps are in addresses, and additions where something else reads them.
define ptr @addresses(ptr %p, i64 %i, i32 %j) {
  %field = getelementptr inbounds %pair, ptr %p, i64 0, i32 1, i64 %i
  %v = load i64, ptr %field
  %more = add i64 %v, 1
  store i64 %more, ptr %field
  %last = getelementptr inbounds %pair, ptr %p, i64 1, i32 1, i64 3
  store i64 %more, ptr %last
  %wide = sext i32 %j to i64
  %there = getelementptr %pair, ptr %p, i64 %wide, i32 1, i64 %i
  ret ptr %there
}

define i64 @places(i64 %i) {
  %array = alloca [4 x i64]
  %k = and i64 %i, 3
  %at = getelementptr [4 x i64], ptr %array, i64 0, i64 %k
  store i64 %i, ptr %at
  store i64 5, ptr @cell
  %x = load i64, ptr %at
  store i32 3, ptr getelementptr inbounds ([16 x i32], ptr @table, i64 0, i64 2)
  %y = load i64, ptr @cell
  %s = add i64 %x, %y
  %same = icmp eq ptr %at, getelementptr inbounds ([16 x i32], ptr @table, i64 0, i64 5)
  %z = zext i1 %same to i64
  %r = add i64 %s, %z
  ret i64 %r
}

define i32 @types(ptr %p, ptr %q) {
  store i32 1, ptr %p, !tbaa !3
  store float 2.0, ptr %q, !tbaa !5
  store i8 0, ptr %q, !tbaa !1
  %r = load i32, ptr %p, !tbaa !3
  ret i32 %r
}

; Several edges from one block into another.
define i32 @flow(i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 1, label %join
    i32 2, label %join
    i32 -3, label %loop
  ]
other:
  %c = icmp slt i32 %x, 0
  br i1 %c, label %join, label %join
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 1, %entry ], [ %i, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 5
  br i1 %more, label %loop, label %join
join:
  %r = phi i32 [ 7, %entry ], [ 7, %entry ], [ %x, %other ], [ %x, %other ], [ %s, %loop ]
  ret i32 %r
unreached:
  %y = add i32 %y, 1
  br label %unreached
}

define i1 @comparisons(double %a, double %b, ptr %p, ptr %q) {
  %e = fcmp une double %a, %b
  %f = fcmp ult double %a, %b
  %g = icmp ugt ptr %p, %q
  %h = and i1 %e, %f
  %r = xor i1 %h, %g
  ret i1 %r
}

define double @floating(double %a, i32 %n, i64 %m) {
  %x = uitofp i32 %n to double
  %y = sitofp i64 %m to double
  %z = fmul double %x, %y
  %r = call double @llvm.sqrt.f64(double %z)
  %s = fsub double %r, %a
  ret double %s
}

define i32 @intrinsics(i32 %a, i32 %b) {
  %x = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %y = call i32 @llvm.abs.i32(i32 %a, i1 true)
  %z = call i32 @llvm.usub.sat.i32(i32 %x, i32 %y)
  %c = icmp ne i32 %z, 77
  call void @llvm.assume(i1 %c)
  ret i32 %z
}

define i32 @calls(ptr %f, ptr %p, i32 %n) {
  %x = call i32 @callee(ptr %p, i32 %n)
  %y = call i32 @reader(i32 %x)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 16, i1 false)
  %z = call i32 %f(i32 %y)
  %c = icmp eq i32 %z, 0
  br i1 %c, label %bad, label %good
bad:
  call void @stop()
  unreachable
good:
  ret i32 %z
}

; C++ promises it of functions, C of loops.
define i32 @ends_by_attribute(i32 %n) mustprogress {
  ret i32 %n
}

define i32 @ends_by_metadata(i32 %n) {
entry:
  br label %h
h:
  %i = phi i32 [0, %entry], [%j, %h]
  %j = add i32 %i, 3
  %c = icmp eq i32 %j, %n
  br i1 %c, label %x, label %h, !llvm.loop !90
x:
  ret i32 %n
}

; Operations of numeric code.

define double @f_sign(double %a) {
  %r = fneg double %a
  ret double %r
}

define double @f_absolute(double %a) {
  %r = call double @llvm.fabs.f64(double %a)
  ret double %r
}

define float @f_copy_sign(float %a, float %b) {
  %r = call float @llvm.copysign.f32(float %a, float %b)
  ret float %r
}

define double @f_smaller(double %a, double %b) {
  %r = call double @llvm.minnum.f64(double %a, double %b)
  ret double %r
}

define double @f_larger(double %a, double %b) {
  %r = call double @llvm.maxnum.f64(double %a, double %b)
  ret double %r
}

define double @f_minimum(double %a, double %b) {
  %r = call double @llvm.minimum.f64(double %a, double %b)
  ret double %r
}

define float @f_maximum(float %a, float %b) {
  %r = call float @llvm.maximum.f32(float %a, float %b)
  ret float %r
}

define double @f_root(double %a) {
  %r = call double @llvm.sqrt.f64(double %a)
  ret double %r
}

define double @f_fused(double %a, double %b, double %c) {
  %r = call double @llvm.fma.f64(double %a, double %b, double %c)
  ret double %r
}

; a - b * c
define double @f_fused_or_not(double %a, double %b, double %c) {
  %n = fneg double %b
  %r = call double @llvm.fmuladd.f64(double %n, double %c, double %a)
  ret double %r
}

define double @f_floor(double %a) {
  %r = call double @llvm.floor.f64(double %a)
  ret double %r
}

define double @f_ceil(double %a) {
  %r = call double @llvm.ceil.f64(double %a)
  ret double %r
}

define double @f_trunc(double %a) {
  %r = call double @llvm.trunc.f64(double %a)
  ret double %r
}

define double @f_rint(double %a) {
  %r = call double @llvm.rint.f64(double %a)
  ret double %r
}

define double @f_nearbyint(double %a) {
  %r = call double @llvm.nearbyint.f64(double %a)
  ret double %r
}

define double @f_round(double %a) {
  %r = call double @llvm.round.f64(double %a)
  ret double %r
}

define float @f_roundeven(float %a) {
  %r = call float @llvm.roundeven.f32(float %a)
  ret float %r
}

define float @f_narrow(double %a) {
  %r = fptrunc double %a to float
  ret float %r
}

define double @f_widen(float %a) {
  %r = fpext float %a to double
  ret double %r
}

define double @f_of_unsigned(i64 %a) {
  %r = uitofp i64 %a to double
  ret double %r
}

define float @f_of_narrow_unsigned(i8 %a) {
  %r = uitofp i8 %a to float
  ret float %r
}

define i64 @f_bits(double %a) {
  %r = bitcast double %a to i64
  ret i64 %r
}

define float @f_of_bits(i32 %a) {
  %r = bitcast i32 %a to float
  ret float %r
}

; A conversion may give poison where the number does not fit, and here it may be read.
define i64 @f_to_unsigned(double %a) {
  %r = fptoui double %a to i64
  ret i64 %r
}

define i32 @f_to_signed(float %a) {
  %r = fptosi float %a to i32
  ret i32 %r
}

define i8 @f_to_byte(double %a, i8 %b) {
  %x = fptosi double %a to i8
  %r = udiv i8 %b, %x
  ret i8 %r
}

; The function of the library may set errno.
define double @f_library_root(double %a) {
  %r = call double @sqrt(double %a)
  ret double %r
}

; Long double has 10 bytes in memory, of 16.
define double @f_extended(ptr %p, double %a, i64 %n) {
  %x = fpext double %a to x86_fp80
  %y = uitofp i64 %n to x86_fp80
  %at = getelementptr x86_fp80, ptr %p, i64 %n
  %z = load x86_fp80, ptr %at
  %q = fdiv x86_fp80 %z, %y
  %s = call x86_fp80 @llvm.fmuladd.f80(x86_fp80 %x, x86_fp80 %q, x86_fp80 0xK3FFF8000000000000000)
  %t = call x86_fp80 @llvm.fabs.f80(x86_fp80 %s)
  store x86_fp80 %t, ptr %p
  %c = fcmp olt x86_fp80 %t, 0xK00000000000000000000
  %u = select i1 %c, x86_fp80 %x, x86_fp80 %t
  %r = fptrunc x86_fp80 %u to double
  ret double %r
}

define i32 @f_extended_to_signed(x86_fp80 %a) {
  %r = fptosi x86_fp80 %a to i32
  ret i32 %r
}

; Arguments that nothing else reaches, against a type.
define void @apart(ptr noalias %a, ptr noalias %b, ptr %c) {
  %x = load i32, ptr %a, !tbaa !3
  store i32 %x, ptr %b, !tbaa !3
  store i32 1, ptr %c, !tbaa !3
  ret void
}

; The result's place is no argument of the program.
define void @result_apart(ptr noalias sret(i32) %a, ptr %b) {
  %x = load i32, ptr %b, !tbaa !3
  store i32 %x, ptr %a, !tbaa !3
  ret void
}

; Refused.

define i128 @r_width(i128 %a) {
  ret i128 %a
}

define <2 x i32> @r_vector(<2 x i32> %a) {
  ret <2 x i32> %a
}

define { i32, i32 } @r_aggregate({ i32, i32 } %a) {
  ret { i32, i32 } %a
}

define fp128 @r_quadruple(fp128 %a) {
  ret fp128 %a
}

; One third is no literal.
define x86_fp80 @r_no_double(x86_fp80 %a) {
  %r = fmul x86_fp80 %a, 0xK3FFDAAAAAAAAAAAAAAAB
  ret x86_fp80 %r
}

define x86_fp80 @r_fused(x86_fp80 %a) {
  %r = call x86_fp80 @llvm.fma.f80(x86_fp80 %a, x86_fp80 %a, x86_fp80 %a)
  ret x86_fp80 %r
}

define i64 @r_wide_conversion(x86_fp80 %a) {
  %r = fptosi x86_fp80 %a to i64
  ret i64 %r
}

define i32 @r_atomic(ptr %p) {
  %r = load atomic i32, ptr %p seq_cst, align 4
  ret i32 %r
}

define void @r_fence() {
  fence seq_cst
  ret void
}

define i32 @r_intrinsic(i32 %a) {
  %r = call i32 @llvm.ctpop.i32(i32 %a)
  ret i32 %r
}

define i32 @r_assembler(i32 %a) {
  %r = call i32 asm "nop", "=r,0"(i32 %a)
  ret i32 %r
}

define ptr @r_dynamic(i64 %n) {
  %p = alloca i8, i64 %n
  ret ptr %p
}

define void @r_by_value(ptr %p) {
  call void @r_takes(ptr byval(i64) %p)
  ret void
}

declare void @r_takes(ptr byval(i64))

define i64 @r_alias() {
  %r = load i64, ptr @other
  ret i64 %r
}

define ptr @r_thread() {
  ret ptr @local
}

define i64 @r_expression() {
  ret i64 sub (i64 ptrtoint (ptr @cell to i64), i64 ptrtoint (ptr @table to i64))
}

define i8 @r_narrow_address(i8 %a) {
  %r = sub i8 %a, ptrtoint (ptr @cell to i8)
  ret i8 %r
}

define void @r_volatile_copy(ptr %p) {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 16, i1 true)
  ret void
}

!0 = !{!"root"}
!1 = !{!2, !2, i64 0}
!2 = !{!"omnipotent char", !0, i64 0}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !2, i64 0}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !2, i64 0}
!90 = distinct !{!90, !91}
!91 = !{!"llvm.loop.mustprogress"}
