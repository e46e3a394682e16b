; Equal values with different promises, for midend-vn.
; Neither sum dominates the other two, and %v is the phi of the first two: they must not overflow to poison.
define i32 @phi_leader(i1 %p, i32 %a, i32 %b) {
entry:
  br i1 %p, label %n1, label %n2
n1:
  %x = add nsw i32 %a, %b
  br label %n3
n2:
  %y = add nuw nsw i32 %b, %a
  br label %n3
n3:
  %z = phi i32 [ %x, %n1 ], [ %y, %n2 ]
  %v = add i32 %a, %b
  %r = mul i32 %z, %v
  ret i32 %r
}

; %y, %e, %k2, %k4 and %gep2 promise less than the equal values before them.
define i32 @exact(i32 %a, i32 %b, ptr %out) {
  %x = sdiv exact i32 %a, 8
  %y = sdiv i32 %a, 8
  %d = or disjoint i32 %a, %b
  %e = or i32 %b, %a
  %f = icmp slt i32 %a, %b
  %g = icmp sgt i32 %b, %a
  %h = zext i1 %f to i32
  %k = zext nneg i32 %x to i64
  %k2 = zext i32 %y to i64
  %k3 = trunc i64 %k to i32
  %k4 = trunc nuw i64 %k2 to i32
  %gep = getelementptr inbounds i32, ptr %out, i32 %x
  %gep2 = getelementptr i32, ptr %out, i32 %y
  store i32 %k3, ptr %gep
  store i32 %k4, ptr %gep2
  %i = zext i1 %g to i32
  %s = add i32 %x, %y
  %t = add i32 %s, %d
  %u = add i32 %t, %e
  %w = add i32 %u, %h
  %q = add i32 %w, %i
  ret i32 %q
}

; `nnan` says that a result does not occur, `reassoc` allows another one.
define float @nothing_to_do(float %a) {
  %root = call nnan nsz float @llvm.sqrt.f32(float %a)
  %again = call float @llvm.fabs.f32(float %root)
  ret float %again
}
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)

define float @fast(float %a, float %b) {
  %x = fadd nnan float %a, %b
  %y = fadd float %a, %b
  %z = fadd reassoc float %a, %b
  %s = fmul float %x, %y
  %t = fmul float %s, %z
  ret float %t
}

; Attributes of calls have to agree.
define i32 @bits(i32 %a) {
  %x = call range(i32 0, 5) i32 @llvm.ctpop.i32(i32 %a)
  %y = call i32 @llvm.ctpop.i32(i32 %a)
  %z = call i32 @llvm.ctpop.i32(i32 %a), !range !0
  %s = mul i32 %x, %y
  %t = mul i32 %s, %z
  ret i32 %t
}
declare i32 @llvm.ctpop.i32(i32)

; Those of an intrinsic that is in the vocabulary need not: they go.
define i32 @least(i32 %a) {
  %least = call range(i32 0, 6) i32 @llvm.umin.i32(i32 %a, i32 7)
  %same = call i32 @llvm.umin.i32(i32 %a, i32 7)
  %r = mul i32 %least, %same
  ret i32 %r
}
declare i32 @llvm.umin.i32(i32, i32)
!0 = !{i32 0, i32 9}
