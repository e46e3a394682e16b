// Loops whose unrolling is predicted exactly by one rule each, of the advice or of the clean-up: what is left of random
// programs that were cut down as long as the prediction failed without the rule.
#include "kit/clean_up.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>
#include <midend/viz/unrolling_deed.hpp>

#include <cstdint>
#include <string>

namespace elbrus = midend::elbrus;
using midend_tests::clean_up;

namespace {

struct sample {
  std::string rule;
  const char* text;
  std::string header;
  std::uint32_t factor; ///< 0: as advised
  std::uint64_t operations;
};

void check(const sample& x) {
  CAPTURE(x.rule);
  elbrus::procedure p = midend_tests::program_of(x.text).procedures[0];
  elbrus::construct_ssa(p);
  clean_up(p);
  clean_up(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto machine = midend::e2k_reference_v6();
  bool found = false;
  for (const midend::loop_id l : loops.loops()) {
    if (p.node_name(loops.header(l)) != x.header) {
      continue;
    }
    midend::unrolling_options options;
    options.forced_factor = x.factor;
    const auto advice = advise_unrolling(elbrus::cost_view(p), loops, l, machine, options);
    elbrus::procedure after = p;
    elbrus::editor e(after);
    const auto deed = midend::measure_unrolling(
        e, [](const elbrus::editor& of) { return elbrus::cost_view(of.graph()); }, advice, machine, options.lowering,
        [&](elbrus::editor&) {
          clean_up(after);
          clean_up(after);
        });
    CHECK_MESSAGE(deed.obstacle == midend::deed_obstacle::none, name_of(deed.obstacle));
    CHECK_MESSAGE(deed.is_as_predicted(), to_text(deed), elbrus::to_text(p), elbrus::to_text(after));
    CHECK(deed.comparison.there.operations == x.operations);
    found = true;
  }
  CHECK(found);
}

} // namespace

TEST_CASE("loops that one rule predicts") {
  for (
      const sample& x : {
          sample{"phis after the loop read at exits only, also if several edges lead to them from one node",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %D: ptr, %any: ptr, %a2: i64, %a3: i32, %a4: i1, %a5: f32) {
  node n1:
    br n14
  node n13:
    %v38 = phi.i32 [n14: %v17], [n14: %v17], [n19: %v16]
    %v76 = sext.i32.i64 %v38
    %v77 = add.i64 1, %v76
    st.i64 %v77, [0] alias=A
    ret
  node n14 hint trip=avg:8 trip=max:17:
    %v15 = phi.i32 [n1: %a3], [n19: %v36]
    %v16 = phi.i32 [n1: 1], [n19: 0]
    %v17 = phi.i32 [n1: 0], [n19: 1]
    switch.i64 %a2 [0: n13], [2: n19], [4: n19], default: n13
  node n19:
    %v36 = sub.i32 %v15, 1
    %v37 = cmp.gt.i32 %v15, 1
    br %v37 ? n14 : n13
})",
                 "n14", 0, 3},
          sample{"the low bits of products and negated values",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %a2: i64, %a3: i32) -> f64 {
  node n1:
    br n118
  node n118:
    %v119 = phi.i64 [n1: 13], [n137: %v152]
    %v123 = cmp.gt.i64 %v119, 0
    br %v123 ? n122(0.1875) : n154(0.8125)
  node n122:
    %v129 = neg.i64 %v119
    %v132 = mul.i64 %v119, %v129
    %v136 = trunc.i64.i8 %v132
    switch.i8 %v136 [0: n138], default: n137
  node n137:
    %v152 = sub.i64 %v119, 1
    br n118
  node n138:
    st.i32 1, [0 + 1*2 + 12] alias=A
    br n137
  node n154:
    br n154
})",
                 "n118", 2, 7},
          sample{"after the first iteration, a bit that it computes from values before the loop is decided",
                 R"(proc @f0(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i8, %a5: f32, %a6: i32) -> i1 {
  node n1:
    %v15 = ld.i32 [0 + 0*4] alias=A spec
    %v16 = cmp.ult.i64 %a2, 32
    br n12
  node n12:
    %v13 = phi.i8 [n1: %a4], [n28: %v36]
    br %v16 ? n29(0.3125) : n28(0.6875)
  node n28:
    %v36 = sub.i8 %v13, 1 nsw
    %v37 = cmp.gt.i8 %v13, 1
    %v38 = cmp.lt.i32 %v15, 0
    %v39 = and.i1 %v37, %v38
    br %v39 ? n12(0.6875) : n45(0.3125)
  node n29:
    ret 1
  node n45 hint trip=avg:8 trip=max:17:
    br n45
})",
                 "n12", 0, 2},
          sample{"a mask before the loop bounds what is compared",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %D: ptr, %a2: i64, %a3: i32, %a4: i1) -> i64 {
  node n1:
    br n7
  node n6:
    %v110 = and.i64 %v8, 7
    br n100
  node n7 hint trip=avg:8 trip=max:17:
    %v8 = phi.i64 [n1: 0], [n12: %v19]
    %v13 = cmp.lt.i64 %v8, 1
    br %v13 ? n12 : n6
  node n12:
    %v19 = add.i64 %v8, 2
    br n7
  node n99:
    %v127 = sext.i1.i64 %v105
    %v128 = xor.i64 1, %v127
    ret %v128
  node n100 hint trip=avg:5 trip=max:10:
    %v101 = phi.i32 [n6: 0], [n100: %v112]
    %v103 = phi.i64 [n6: %v8], [n100: %v110]
    %v105 = cmp.ult.i64 %v103, 32
    %v112 = add.i32 %v101, 3
    %v113 = cmp.lt.i32 %v101, 5
    br %v113 ? n100(0.5) : n99(0.5)
})",
                 "n100", 0, 0},
          sample{"a bit stays as it begins",
                 R"(proc @f0(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: f64) -> i8 {
  node n1:
    br n20
  node n19:
    %x25.2 = cmp.ule.i64 -9223372036854775808, %v21
    br n43
  node n20:
    %v21 = phi.i64 [n1: 0], [n20: %v35]
    %v35 = add.i64 %v21, 1
    %x36 = cmp.ult.i64 %v35, 3
    br %x36 ? n20(0.625) : n19(0.375)
  node n43:
    %x25.1 = phi.i1 [n19: 1], [n48: %x25.2]
    %x44.1 = phi.i32 [n19: 0], [n48: %x44.2]
    %v49 = cmp.lt.i32 %x44.1, 9
    %v50 = and.i1 %v49, %x25.1
    br %v50 ? n48 : n84
  node n48:
    %x44.2 = add.i32 %x44.1, 2
    br n43
  node n84 hint trip=avg:8 trip=max:16:
    br n84
})",
                 "n43", 4, 6},
          sample{"low bits of header phis",
                 R"(proc @f0(%A: ptr, %B: ptr, %C: ptr, %D: ptr, %a2: i64, %a3: i32, %a4: i8, %a5: i8, %a6: i8) -> i32 {
  node n1:
    %x7.2 = cmp.le.i8 0, %a4
    br n40
  node n38:
    ret 1
  node n40:
    %x39.1 = phi.i32 [n1: 6], [n41: %x39.5], [n48: %x39.2]
    %x39.2 = sub.i32 %x39.1, 1
    %x47 = cmp.gt.i32 %x39.2, 0
    br %x47 ? n48(0.5625) : n38(0.4375)
  node n41:
    %x39.5 = sub.i32 %x39.1, 3
    %x57 = cmp.gt.i32 %x39.5, 0
    br %x57 ? n40 : n38
  node n48:
    br %x7.2 ? n41(0.6875) : n40(0.3125)
})",
                 "n40", 4, 22},
          sample{"numbers move to the other side of comparisons where low bits exclude that sums wrap",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i8) -> i1 {
  node n1:
    %x38.4 = cmp.ult.i32 0, %a3
    br n35
  node n35:
    %x34.1 = phi.i32 [n1: 7], [n36: %0], [n42: %x34.2]
    %x34.2 = sub.i32 %x34.1, 1
    %x41 = cmp.gt.i32 %x34.2, 0
    br %x41 ? n42 : n67
  node n36:
    %x21.2 = call.f64 @host_scale(f64 0x0.0000000000001p-1022) clobbers=none
    %0 = sub.i32 %x34.1, 3
    %x52 = cmp.gt.i32 %0, 0
    br %x52 ? n35(0.5) : n67(0.5)
  node n42:
    br %x38.4 ? n36 : n35
  node n67:
    br n67
})",
                 "n35", 4, 26},
          sample{"cases of a switch that choose the same value",
                 R"(proc @f0(%A: ptr, %B: ptr, %a2: i64, %a3: i32) -> i32 {
  node n1:
    %x14.1 = ld.i16 [0 + 0*2] alias=B
    br n132
  node n131:
    %x54.3 = cmp.uge.i32 %x8.4, %a3
    %v164 = fadd.f32 0x0.000002p-126, 0x0.000002p-126 ? %x54.3 : 0x0.000002p-126
    %x171 = fcmp.ogt.f32 %v164, -0x1.ap+1
    %x8.5 = zext.i1.i32 %x171
    %x173 = xor.i32 1, %x8.5
    ret %x173
  node n132 hint trip=avg:5 trip=max:11:
    %x8.2 = phi.i32 [n1: 7], [n149: %x8.4]
    %x133.1 = phi.i64 [n1: 9], [n149: %x133.2]
    %v135 = phi.i32 [n1: 4], [n149: 0]
    switch.i16 %x14.1 [0: n138], [1: n149], [3: n138], [4: n138], [5: n138], default: n138
  node n138:
    %x8.3 = sub.i32 %v135, 7
    br n149
  node n149:
    %x8.4 = phi.i32 [n132: %x8.2], [n138: %x8.3]
    %x133.2 = sub.i64 %x133.1, 1
    %v157 = cmp.gt.i64 %x133.2, 0
    br %v157 ? n132 : n131
})",
                 "n132", 4, 7},
          sample{"the low bits of sums",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i32, %a5: i16) -> i1 {
  node n1:
    %x7.2 = cmp.ule.i32 %a4, 1
    br n10
  node n9:
    st.i32 0, [0 + %x17*4 + 40] alias=B
    br n70
  node n10 hint trip=avg:8 trip=max:17:
    %x11.1 = phi.i64 [n1: 0], [n10: %x11.2]
    %x12 = add.i64 %x11.1, %x11.1
    %x17 = and.i64 %x12, 3
    %x11.2 = add.i64 %x11.1, 2
    br %x7.2 ? n10(0.8125) : n9(0.1875)
  node n70 hint trip=avg:8 trip=max:17:
    br n70
})",
                 "n10", 2, 0},
          sample{
              "loads from what a join has chosen stay",
              R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %D: ptr, %any: ptr, %a2: i64, %a3: i32, %a4: i32, %a5: i32, %a6: i32) -> i1 {
  node n1:
    %v15 = cmp.ugt.i32 %a5, -4
    br n9
  node n8:
    %v49 = phi.i16 [n9: 0], [n16: %v22]
    st.i16 %v49, [0 + 30] alias=D
    ret 1
  node n9:
    %v10 = phi.i16 [n1: 15], [n32: %v47]
    %v14 = cmp.gt.i16 %v10, 0
    br %v14 ? n13 : n8
  node n13:
    br %v15 ? n16 : n16
  node n16:
    %v18 = phi.i8 [n13: -128], [n13: -94]
    %v19 = and.i8 %v18, 7
    %v22 = ld.i16 [0 + 0*2]
    %v25 = cmp.le.i8 1, %v19
    br %v25 ? n32 : n8
  node n32:
    %v47 = sub.i16 %v10, 1
    br n9
})",
              "n9", 4, 2},
          sample{"loads after a branch stay",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %a2: i64, %a3: i32) -> i32 {
  node n1:
    br n6
  node n6:
    %v8 = phi.i16 [n1: 1], [n16: 0]
    %v15 = cmp.lt.i16 0, %v8
    br %v15 ? n16 : n16
  node n16:
    %v23 = phi.i8 [n6: 1], [n6: 0]
    %v30 = ld.i8 [0 + 12] alias=C
    %v39 = cmp.uge.i8 %v30, %v23
    br %v39 ? n6(0.875) : n44(0.125)
  node n44:
    br n44
})",
                 "n6", 4, 4},
          sample{"a mask of bits above all that are there",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i16) -> i64 {
  node n1:
    br n11
  node n10:
    call @f0(ptr 0, ptr 0, %v18, i32 1, i32 0) clobbers=A,B
    ret 1
  node n11 hint trip=avg:2 trip=max:5:
    %x12.1 = phi.i32 [n1: %a3], [n11: %x12.2]
    %v14 = phi.i64 [n1: %a2], [n11: %v18]
    %v15 = phi.i64 [n1: 1], [n11: %v14]
    %v18 = and.i64 %v15, 8
    %x12.2 = sub.i32 %x12.1, 1
    %v21 = cmp.gt.i32 %x12.1, 1
    br %v21 ? n11(0) : n10(1)
})",
                 "n11", 2, 3},
          sample{"a counter without a promise has no range",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i16, %a5: i64, %a6: i8) -> i64 {
  node n1:
    br n8
  node n7:
    %0 = select.i64 %v11, 9223372036854775793, 1
    %v102 = xor.i64 1, %0
    ret %v102
  node n8:
    %x9.1 = phi.i32 [n1: 6], [n8: %x9.2]
    %v11 = cmp.uge.i32 %x9.1, 9
    %x9.2 = sub.i32 %x9.1, 1 nsw
    %x20 = cmp.gt.i32 %x9.1, 1
    br %x20 ? n8 : n7
})",
                 "n8", 2, 4},
          sample{"the end of a counter is not known in copies",
                 R"(proc @f0(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: f64, %a5: i8) -> f64 {
  node n1:
    br n8
  node n7:
    ret 0x0.0000000000001p-1022
  node n8:
    %v9 = phi.i64 [n1: 0], [n8: %v23]
    %x12 = sar.i64 %a2, %v9
    %x13 = add.i64 %x12, 1
    %v14 = cmp.ult.i64 %v9, 64
    %x15 = select.i64 %v14, %x13, 0
    %v22 = call.i64 @host_mix(i64 0, %x15) clobbers=none ? 1 : 0
    %v23 = add.i64 %v9, 1 nsw
    %x24 = cmp.lt.i64 %v9, 14
    br %x24 ? n8 : n7
})",
                 "n8", 0, 21},
          sample{"header phis that begin alike stay alike",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %a2: i64, %a3: i32, %a4: i32, %a5: i8) -> i32 {
  node n1:
    %v9 = cmp.ult.i64 %a2, 2
    br n13
  node n12:
    %v107 = sext.i8.i32 %v22
    %v108 = add.i32 1, %v107
    ret %v108
  node n13:
    %v15 = phi.i64 [n1: 0], [n13: %v21]
    %v17 = phi.i64 [n1: 1], [n13: %v15]
    %v21 = and.i64 %v17, 7
    %v22 = ld.i8 [0 + %v21] alias=B
    br %v9 ? n13 : n12
})",
                 "n13", 4, 0},
          sample{"after peeling, a header phi is what the first iteration has computed from values before the loop",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %any: ptr, %a2: i64, %a3: i32) -> i64 {
  node n1:
    br n8
  node n7:
    st.i32 %x4.2, [0 + 0*4] alias=A
    ret 9223372036854775807
  node n8:
    %x4.2 = phi.i32 [n1: 0], [n10: %x4.3]
    %x9.1 = phi.i32 [n1: %a3], [n10: %x9.2]
    %x11 = cmp.gt.i32 %x9.1, 0
    br %x11 ? n10(0.625) : n7(0.375)
  node n10:
    %x4.3 = shl.i32 1, %a3
    %x9.2 = sub.i32 %x9.1, 1
    br n8
})",
                 "n8", 0, 2},
          sample{"after two peeled iterations, a header phi is what another one took up in the first",
                 R"(proc @f0(%A: ptr, %B: ptr, %C: ptr, %D: ptr, %any: ptr, %a2: i64, %a3: i32) -> i32 {
  node n1:
    br n6
  node n5:
    %v71 = sext.i16.i32 %v9
    %v72 = xor.i32 1, %v71
    ret %v72
  node n6:
    %v7 = phi.i32 [n1: %a3], [n6: %v13]
    %v9 = phi.i16 [n1: 9], [n6: %v10]
    %v10 = phi.i16 [n1: -5], [n6: 32767]
    %v12 = cmp.ne.i32 %v7, 0
    %v13 = sub.i32 %v7, 1
    br %v12 ? n6(0.625) : n5(0.375)
})",
                 "n6", 0, 2},
          sample{"a mask of a choice between numbers with fewer bits",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32, %a4: i1, %a5: f64, %a6: f64) -> f64 {
  node n1:
    %x96 = trunc.i64.i16 %a2
    %x8.5 = cmp.lt.i64 %a2, 5
    br n100
  node n100 hint trip=avg:8 trip=max:17:
    %v101 = phi.i16 [n1: 0], [n100: %v133]
    %v102 = phi.i32 [n1: 0], [n100: %v127]
    %v103 = and.i32 %v102, 255
    %v118 = cmp.lt.i32 %v103, 1
    st.i32 0, [0 + i32 1*4] alias=A ? ~%v118
    %v127 = select.i32 %x8.5, 1, %v103
    %v133 = add.i16 %v101, 3 nsw
    %v134 = cmp.lt.i16 %v133, %x96
    br %v134 ? n100(0.75) : n150(0.25)
  node n150:
    br n150
})",
                 "n100", 2, 8},
          sample{"a mask of a truncated mask",
                 R"(proc @f0(%A: ptr, %B: ptr, %a2: i64, %a3: i32) -> i1 {
  node n1:
    %v55 = cmp.ult.i64 1, %a2
    br n6
  node n5:
    %v58 = zext.i8.i64 %x31
    br n113
  node n6 hint trip=avg:8 trip=max:17:
    %x7.1 = phi.i64 [n1: 0], [n6: 1]
    %x28 = and.i64 %x7.1, 7
    %x30 = trunc.i64.i8 %x28
    %x31 = and.i8 %x30, 7
    br %v55 ? n6 : n5
  node n113:
    st.i32 0, [0 + %v58*4]
    br n113
})",
                 "n6", 2, 2},
          sample{"unsigned comparisons are decided by low bits",
                 R"(proc @main(%A: ptr, %B: ptr, %C: ptr, %a2: i64, %a3: i32) -> i16 {
  node n1:
    %v11 = and.i32 %a3, 7
    br n6
  node n6:
    %v7 = phi.i64 [n1: 0], [n13: 1]
    br n13
  node n13 hint trip=avg:8 trip=max:17:
    %v14 = phi.i64 [n6: %a2], [n13: %v25]
    %v15 = phi.i32 [n6: 0], [n13: -2147483648]
    %v17 = cmp.ugt.i32 %v11, %v15
    %v18 = and.i64 %v14, 7
    st.i32 0, [0 + %v18*2 + 4] alias=C ? %v17
    %v22 = call.i64 @host_mix(i64 0, %v7) clobbers=none
    %v25 = sub.i64 %v14, 1
    %v26 = cmp.gt.i64 %v14, 1
    br %v26 ? n13 : n6
})",
                 "n13", 4, 10},
          sample{"a guarded choice by the guard",
                 R"(proc @main(%A: ptr, %B: ptr, %a2: i64, %a3: i32) -> i64 {
  node n1:
    %v6 = trunc.i64.i16 %a2
    br n9
  node n9:
    %v10 = phi.i16 [n1: 0], [n9: %v19]
    %v11 = phi.i32 [n1: 0], [n9: %v14]
    %v13 = cmp.eq.i32 %v11, %a3
    %v14 = select.i32 0, 0, %v11 ? %v13 : %v11
    %v16 = and.i32 %v14, 15
    st.i16 0, [1 + %v16*2] alias=A
    %v19 = add.i16 %v10, 2 nsw
    %v20 = cmp.lt.i16 %v19, %v6
    br %v20 ? n9(0.8125) : n27(0.1875)
  node n27:
    br n27
})",
                 "n9", 0, 3},
          sample{"a guarded copy",
                 R"(proc @main(%A: ptr, %B: ptr, %any: ptr, %a2: i64, %a3: i32, %a4: i64, %a5: i64, %a6: i8) -> i16 {
  node n1:
    br n56
  node n56:
    %v62 = ld.i32 [0 + 0*4]
    br n67
  node n66:
    %v96 = call.f64 @host_scale(%v78)
    br n56
  node n67:
    %v68 = phi.i32 [n56: 0], [n67: %v85]
    %v70 = phi.f64 [n56: 0x1p+1], [n67: %v78]
    %v77 = cmp.gt.i32 %a3, %v68
    %v78 = mov.f64 %v70 ? %v77 : %v70
    %v85 = add.i32 %v68, 3 nsw
    %v86 = cmp.lt.i32 %v85, %v62
    br %v86 ? n67 : n66
})",
                 "n67", 2, 2},
          sample{"numbers from before the loop: what their phis and choices can be",
                 R"(proc @main(%A: ptr, %c: i1) -> i32 {
  node n1:
    br %c ? n2 : n3
  node n2:
    st.i8 0, [%A]
    br n4
  node n3:
    br n4
  node n4:
    %n = phi.i32 [n2: 4], [n3: 3]
    br n5
  node n5 hint trip=max:4:
    %i = phi.i32 [n4: %n], [n5: %i2]
    %a = phi.i32 [n4: 0], [n5: %a2]
    %b = phi.i32 [n4: 0], [n5: %b2]
    %v = ld.i8 [%A + %b]
    %w = zext.i8.i32 %v
    %s = shl.i32 %a, 6
    %a2 = or.i32 %s, %w
    %b2 = add.i32 %b, 1 nsw
    %i2 = add.i32 %i, -1
    %t = cmp.gt.i32 %i, 1
    br %t ? n5 : n6
  node n6:
    ret %a2
})",
                 "n5", 0, 11},
          sample{"ranges of sums",
                 R"(proc @main(%A: ptr, %m: i8) {
  node n1:
    %n = zext.i8.i32 %m
    br n5
  node n5 hint trip=max:3:
    %i = phi.i64 [n1: 0], [n5: %i2]
    %x = phi.i32 [n1: %n], [n5: %q]
    %h = shr.i32 %x, 1
    %s = add.i32 %x, %h
    %q = shr.i32 %s, 4
    st.i32 %q, [%A + %i*4]
    %i2 = add.i64 %i, 1 nsw
    %t = cmp.ult.i32 %x, 10
    br %t ? n6 : n5
  node n6:
    ret
})",
                 "n5", 0, 11},
          sample{"sums of values from before the loop around are computed there",
                 R"(proc @main(%A: ptr, %n: i64) {
  node n1:
    br n2
  node n2:
    %i = phi.i64 [n1: 0], [n6: %i2]
    br n5
  node n5:
    %j = phi.i64 [n2: 0], [n5: %j2]
    %r = shladd.ptr %j, 9, %A
    %s = shladd.ptr %i, 2, %r
    st.i32 0, [%s]
    %j2 = add.i64 %j, 1 nsw
    %t = cmp.eq.i64 %j, 3
    br %t ? n6 : n5
  node n6:
    %i2 = add.i64 %i, 1 nsw
    %u = cmp.lt.i64 %i2, %n
    br %u ? n2 : n7
  node n7:
    ret
})",
                 "n5", 0, 8},
          sample{"bits that are 1 before the loop",
                 R"(proc @main(%A: ptr, %m: i8) {
  node n1:
    %k = zext.i8.i32 %m
    %n = or.i32 %k, 256
    br n5
  node n5 hint trip=max:4:
    %i = phi.i64 [n1: 0], [n5: %i2]
    %x = phi.i32 [n1: %n], [n5: %y]
    %y = shl.i32 %x, 1
    %h = shr.i32 %y, 9
    st.i32 %h, [%A + %i*4]
    %i2 = add.i64 %i, 1 nsw
    %t = cmp.ult.i32 %y, 4096
    br %t ? n5 : n6
  node n6:
    ret
})",
                 "n5", 0, 10},
          sample{"header phis that begin alike by each entering edge",
                 R"(proc @main(%A: ptr, %n: i32, %m: i32, %c: i1, %d: i1) {
  node n1:
    br %c ? n5 : n2
  node n2:
    br %d ? n5 : n6
  node n5 hint trip=max:4:
    %i = phi.i64 [n1: 0], [n2: 0], [n5: %i2]
    %x = phi.i32 [n1: %n], [n2: %m], [n5: %x2]
    %y = phi.i32 [n1: %n], [n2: %m], [n5: %y2]
    %s = shr.i32 %x, 24
    st.i32 %s, [%A + %i*4]
    %z = shl.i32 %x, 8
    %x2 = or.i32 %z, 255
    %y2 = shl.i32 %y, 8
    %w = xor.i32 %y2, %z
    %i2 = add.i64 %i, 1 nsw
    %t = cmp.ult.i32 %w, 16777216
    br %t ? n5 : n6
  node n6:
    ret
})",
                 "n5", 0, 20},
      }) {
    check(x);
  }
}
