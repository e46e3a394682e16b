/// `mark_counted_exits`: finds the exits of a loop that its number of iterations decides.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Compares the tests of a finished region with its header phis. See `mark_counted_exits`.
template <class IR> class counted_exit_finder {
public:
  constexpr counted_exit_finder(const IR& ir, const loop_forest& loops, loop_id l, bool knows_trip,
                                const program_region& region)
      : ir_(ir), loops_(loops), loop_(l), knows_trip_(knows_trip), region_(region) {}

  /// Sets the flags of one exit.
  constexpr void mark(region_exit& e) const {
    const region_value& test = region_.values[e.predicate];
    if (test.kind != region_value_kind::pure || !is_comparison(test.info.code)) {
      return;
    }
    const auto operands = region_.operands_of(e.predicate);
    const operation code = test.info.code;
    e.is_counted = (is_counter(operands[0], code) && is_from_outside(operands[1])) ||
                   (is_counter(operands[1], code) && is_from_outside(operands[0]));
    e.bounds_top = e.is_counted && (code == operation::equal || code == operation::not_equal);
  }

private:
  constexpr bool is_from_outside(const region_operand& o) const {
    const region_value_kind kind = region_.values[o.node].kind;
    return kind == region_value_kind::constant || kind == region_value_kind::invariant;
  }

  constexpr bool is_conversion(region_id n) const {
    const operation code = region_.values[n].info.code;
    return region_.values[n].kind == region_value_kind::pure &&
           (code == operation::copy || code == operation::truncate || code == operation::zero_extend ||
            code == operation::sign_extend);
  }

  /// Whether the value is a header phi, or its next value, that changes by the same amount in each iteration, so that
  /// the comparison can be decided before the loop.
  constexpr bool is_counter(region_operand o, operation comparison) const {
    while (is_conversion(o.node)) {
      o = region_.operands_of(o.node)[0];
    }
    for (std::size_t p = 0; p != region_.phis.size(); ++p) {
      const region_id phi = region_.phis[p];
      if ((o.node == phi || o.node == region_.next[p].node) && steps(phi, region_.next[p], comparison)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a header phi moves by a number, or by a value from outside, and cannot step over the bound of a comparison
  /// and return to it: it moves by 1, or promises not to wrap.
  constexpr bool steps(region_id phi, const region_operand& next, operation comparison) const {
    const std::uint64_t all = low_ones(region_.values[phi].info.width);
    if (next.node == phi && (next.addend == 1 || next.addend == all)) {
      return true;
    }
    const region_value& sum = region_.values[next.node];
    const bool is_sum = sum.kind == region_value_kind::pure && sum.num_operands == 2 &&
                        (sum.info.code == operation::add || sum.info.code == operation::sub);
    bool is_step = next.node == phi && next.addend != 0;
    if (next.node != phi && next.addend == 0 && is_sum) {
      const auto operands = region_.operands_of(next.node);
      is_step = (operands[0].node == phi && is_from_outside(operands[1])) ||
                (sum.info.code == operation::add && operands[1].node == phi && is_from_outside(operands[0]));
    }
    return is_step && (knows_trip_ || promises_not_to_wrap(region_.values[phi].origin, comparison));
  }

  /// Whether all increments of a header phi promise that a comparison sees no wrap-around.
  constexpr bool promises_not_to_wrap(value_id phi, operation comparison) const {
    if (comparison == operation::equal || comparison == operation::not_equal) {
      return false;
    }
    const bool is_signed = comparison >= operation::less && comparison <= operation::greater_equal;
    bool all = true;
    for (const loop_edge& e : loops_.backedges(loop_)) {
      const value_id next = through_copies(ir_, static_cast<value_id>(ir_.phi_input(phi, e.id)));
      const operation_flags flags = ir_.is_phi(next) ? operation_flags() : ir_.operation(next).flags;
      all = all && (is_signed ? flags.no_signed_wrap : flags.no_unsigned_wrap);
    }
    return all;
  }

  const IR& ir_;
  const loop_forest& loops_;
  loop_id loop_;
  bool knows_trip_;
  const program_region& region_;
};

/// Takes the finished region of a loop, and sets `is_counted` and `bounds_top` of its exits. Needs the next values of
/// the header phis, so it comes last. `knows_trip`: see `region_reader::read_loop`. O(exits · (header phis · backedges
/// + length of a chain of conversions)).
template <class IR>
constexpr void mark_counted_exits(const IR& ir, const loop_forest& loops, loop_id l, bool knows_trip,
                                  program_region& region) {
  const counted_exit_finder<IR> finder(ir, loops, l, knows_trip, region);
  for (region_exit& e : region.exits) {
    finder.mark(e);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
