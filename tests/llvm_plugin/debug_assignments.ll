; Stores that debug records name (`-g` from -O1 on): the number that both have is of one function.
define i32 @sum_of_stores(i32 %n) !dbg !4 {
entry:
  %sum = alloca i32, align 4, !DIAssignID !8
    #dbg_assign(i1 undef, !6, !DIExpression(), !8, ptr %sum, !DIExpression(), !9)
  store i32 0, ptr %sum, align 4, !dbg !9, !DIAssignID !10
    #dbg_assign(i32 0, !6, !DIExpression(), !10, ptr %sum, !DIExpression(), !9)
  br label %loop, !dbg !9

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = load i32, ptr %sum, align 4, !dbg !9
  %after = add i32 %before, %n, !dbg !9
  store i32 %after, ptr %sum, align 4, !dbg !9, !DIAssignID !11
    #dbg_assign(i32 %after, !6, !DIExpression(), !11, ptr %sum, !DIExpression(), !9)
  %next = add nuw nsw i32 %i, 1, !dbg !9
  %again = icmp ne i32 %next, 12, !dbg !9
  br i1 %again, label %loop, label %out, !dbg !9

out:
  %all = load i32, ptr %sum, align 4, !dbg !9
  ret i32 %all, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, isOptimized: true)
!1 = !DIFile(filename: "sum.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!4 = distinct !DISubprogram(name: "sum_of_stores", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)
!5 = !DISubroutineType(types: !12)
!6 = !DILocalVariable(name: "sum", scope: !4, file: !1, line: 1, type: !7)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = distinct !DIAssignID()
!9 = !DILocation(line: 1, scope: !4)
!10 = distinct !DIAssignID()
!11 = distinct !DIAssignID()
!12 = !{null}
