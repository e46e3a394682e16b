/// Why it may pay to let the first iterations of a loop come before it.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/detail/iteration_count.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct peeling_reasons {
  const loop_body& body;
  const loop_counters& counters;
  const iteration_count& count;

  /// A counter is compared with a number that it passes then, a phi does not change after the first iteration, or the
  /// profile says that there are no more.
  constexpr bool may_pay_to_peel(std::uint32_t peeled) const {
    return (count.is_profiled && count.expected == peeled) || (peeled == 1 && has_settling_phi()) ||
           passes_a_number(peeled);
  }

  constexpr bool has_settling_phi() const {
    for (body_id phi = 0; phi != body.num_phis; ++phi) {
      const body_kind next = body.values[body.next(phi)].kind;
      if (next == body_kind::invariant || next == body_kind::constant) {
        return true;
      }
    }
    return false;
  }

  constexpr bool passes_a_number(std::uint32_t peeled) const {
    for (const body_value& v : body.values) {
      if (v.kind != body_kind::pure || !is_comparison(v.info.code) || v.num_operands != 2) {
        continue;
      }
      const body_id a = body.operands[v.first_operand];
      const body_value& b = body.values[body.operands[v.first_operand + std::size_t{1}]];
      if (a >= body.num_phis || b.kind != body_kind::constant || counters.induction_of[a] == no_body_value) {
        continue;
      }
      const induction_variable& i = counters.inductions[counters.induction_of[a]];
      const std::uint64_t ones = low_ones(i.width);
      const std::uint64_t last = (i.start + (peeled - 1) * i.step) & ones;
      const std::uint64_t behind = (last + i.step) & ones;
      if (i.has_start && (last == b.bits || behind == b.bits)) {
        return true;
      }
    }
    return false;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
