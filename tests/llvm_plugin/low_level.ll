; What midend-low-level does, and what it must not do: the name of a function says which.

declare void @use(i32)

define i32 @changes(ptr noalias %p, ptr noalias %q, i32 noundef %x, i64 %i) {
  store i32 %x, ptr %p
  %a = getelementptr inbounds i32, ptr %q, i64 %i
  store i32 1, ptr %a
  store i32 2, ptr %a
  %gone.load = load i32, ptr %p
  %b = getelementptr i32, ptr %q, i64 %i
  %gone.reload = load i32, ptr %b
  %gone.product = mul i32 %x, 9
  %gone.quotient = udiv i32 %gone.load, 8
  %s = add i32 %gone.product, %gone.quotient
  %t = xor i32 %s, %gone.reload
  ret i32 %t
}

; The halves of undef * 3 are equal modulo 3 only if undef is read once.
define i32 @undef_is_read_once(i32 %x) {
  %stays.product = mul i32 %x, 9
  ret i32 %stays.product
}

define i32 @promises(ptr %p, i32 %n) {
  %kept = load i32, ptr %p, !range !0
  %again = load i32, ptr %p
  %sum = add nsw i32 %kept, %n
  %other = add i32 %n, %again
  %r = mul i32 %sum, %other
  ret i32 %r
}

; A part of what is loaded has readers for which the promise about the whole was not made.
define i32 @part(ptr %p) {
  %whole = load i64, ptr %p, !range !1
  %gone.part = load i32, ptr %p
  call void @use(i32 %gone.part)
  %r = trunc i64 %whole to i32
  ret i32 %r
}

; Attributes of a call promise, too.
define i32 @least(i32 %x) {
  %least = call range(i32 0, 6) i32 @llvm.umin.i32(i32 %x, i32 7)
  %gone.least = call i32 @llvm.umin.i32(i32 %x, i32 7)
  call void @use(i32 %gone.least)
  ret i32 %least
}
declare i32 @llvm.umin.i32(i32, i32)

define i32 @memory(ptr %p, ptr %q, i1 %c) {
  %stays.1 = load i32, ptr %p
  store i32 7, ptr %q
  %stays.2 = load i32, ptr %p
  call void @use(i32 %stays.2)
  %stays.3 = load i32, ptr %p
  %stays.4 = load atomic i32, ptr %p acquire, align 4
  %stays.5 = load volatile i32, ptr %p
  %stays.6 = load i32, ptr %p
  store i64 -1, ptr %q
  store { i8, i32 } { i8 1, i32 2 }, ptr %q
  store float 1.0, ptr %p
  %stays.7 = load i32, ptr %p
  %s1 = add i32 %stays.1, %stays.2
  %s2 = add i32 %stays.3, %stays.4
  %s3 = add i32 %stays.5, %stays.6
  %s4 = add i32 %s1, %s2
  %s5 = add i32 %s3, %stays.7
  %s6 = add i32 %s4, %s5
  ret i32 %s6
}

define ptr @types(ptr %p, ptr %q, i64 %x, double %d) {
  store i64 %x, ptr %p
  %stays.11 = load ptr, ptr %p
  store double %d, ptr %q
  %stays.12 = load i64, ptr %q
  %stays.13 = getelementptr i8, ptr %stays.11, i64 %stays.12
  ret ptr %stays.13
}

define float @other_results(float %x, float %y, i1 %c) {
  %stays.fast = select nsz i1 %c, float %x, float %y
  %stays.exact = select i1 %c, float %x, float %y
  %r = fdiv float %stays.fast, %stays.exact
  ret float %r
}

define ptr @two_slots() {
  %stays.8 = alloca i32
  %stays.9 = alloca i32
  %s = select i1 true, ptr %stays.8, ptr %stays.9
  call void @slots(ptr %stays.8, ptr %stays.9)
  ret ptr null
}

declare void @slots(ptr, ptr)

; LLVM has no negation and no complement: they read 0 and -1.
define i32 @negation(i32 %x, i32 %n) {
  %plus = add nsw i32 %x, 1
  %gone.minus = mul i32 %plus, -1
  %gone.zero = add i32 %n, 0
  %stays.10 = xor i32 %gone.zero, -1
  %r = mul i32 %gone.minus, %stays.10
  ret i32 %r
}

!0 = !{i32 0, i32 10}
!1 = !{i64 0, i64 9}
