/// `copy_state`: what the evaluation of copies reads and writes.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The inputs of one call of `unroll_body`, its result, and the values of the present copy. The arrays belong to the
/// workspace.
struct copy_state {
  const loop_body& body;
  const loop_counters& counters;
  const unroll_request& request;
  unrolled_body& out;
  copy_numbering& numbering;       ///< of the nodes of `out`
  flat_array<known_value>& values; ///< by value of the body: of this copy once evaluated, before of the copy before;
                                   ///< none where control does not arrive. Header phis: from the start of the copy
  flat_array<known_value>& args;   ///< scratch of `args_of`
  flat_array<std::uint32_t>& folded_tests; ///< by value of the body: the last copy for which `note_test` recorded it,
                                           ///< plus 1; 0 for none
  const flat_array<bool>& is_needed; ///< by node, in the evaluation before this one: something needs it; empty at first

  std::uint32_t counted_edge = edge_of_counted_exit(counters); ///< or `no_edge`
  std::uint32_t end_edge = no_edge;                            ///< by which a straight line surely leaves; or `no_edge`
  unrolled_id first_branch = no_unrolled;   ///< the first node after a branch between nodes of the loop
  bool loads_parts = accesses_differ(body); ///< a load may read a part of what another access has shown

  static constexpr std::uint32_t no_edge = static_cast<std::uint32_t>(-1);

  constexpr std::uint32_t copy() const { return numbering.copy(); }

  constexpr bool is_last_copy() const { return copy() + 1 == request.copies; }

  /// The copy with the test by which the new loop ends: that in which the trip count ends, if it is known.
  constexpr std::uint32_t ending_copy() const {
    const std::uint32_t last = request.copies - 1;
    if (counted_edge == no_edge || request.continues_rolled || !request.knows_position ||
        request.mid_exit_copy < request.copies) {
      return last;
    }
    const auto count = counters.exits[counters.counted_exit].count.header_executions();
    const std::uint64_t first = request.first_iteration;
    return count && *count > first ? static_cast<std::uint32_t>((*count - 1 - first) % request.copies) : last;
  }

  /// The edge whose test this copy leaves out, because the new loop counts its iterations; or `no_edge`.
  constexpr std::uint32_t dropped_edge() const {
    const bool ends_loop = !request.is_straight_line && copy() == ending_copy();
    return request.drops_counted_tests && !ends_loop && copy() != request.mid_exit_copy ? counted_edge : no_edge;
  }

  /// Whether the node is a load that nothing needs, as far as is known: it reads no memory.
  constexpr bool is_unused(unrolled_id n) const { return n < is_needed.size() && !is_needed[n]; }

  /// Whether edge `e` is left out with the test of the counted exit: it is the other side of another branch on the same
  /// condition, and leaves the loop, too. If the new loop has a limit of its own, the last copy leaves it out as well.
  constexpr bool is_dropped_with_counted(std::uint32_t e) const {
    if (counted_edge == no_edge || e == counted_edge || body.edges[e].target != body_edge::leaves) {
      return false;
    }
    const body_edge& edge = body.edges[e];
    const body_edge& counted = body.edges[counted_edge];
    return body.blocks[edge.source].condition == body.blocks[counted.source].condition &&
           edge.has_case == counted.has_case && edge.case_value == counted.case_value &&
           (dropped_edge() != no_edge || (request.continues_rolled && request.drops_counted_tests));
  }

  /// Whether the loop surely leaves by the counted exit before it would take edge `e`, so that no copy tests that.
  constexpr bool is_never_taken(std::uint32_t e) const {
    const bool is_new = request.copies > 1 && !request.as_written && request.drops_counted_tests;
    if (!is_new || counted_edge == no_edge || e == counted_edge || body.edges[e].target != body_edge::leaves ||
        counters.exits[counters.counted_exit].count.kind != trip_count_kind::exact) {
      return false;
    }
    for (const loop_exit& x : counters.exits) {
      if (x.edge == e) { // the counted exit is the first of those with an exact count
        return x.is_always_tested && x.count.kind != trip_count_kind::unknown &&
               x.count.kind != trip_count_kind::at_most;
      }
    }
    return false;
  }

  /// Whether the value is computed before the loop.
  constexpr bool is_outside(body_id v) const {
    return body.values[v].kind == body_kind::constant || body.values[v].kind == body_kind::invariant;
  }

  /// The operands of a value. Valid until the next call.
  constexpr span<const known_value> args_of(body_id v) const {
    const auto operands = body.operands_of(v);
    args.resize_for_overwrite(operands.size());
    for (std::size_t i = 0; i != operands.size(); ++i) {
      args[i] = numbering.resolved(values[operands[i]]);
    }
    return args;
  }

  constexpr unrolled_operand operand_of(const known_value& x) const {
    return x.is_none() ? unrolled_operand{} : numbering.operand(x);
  }

  /// Records, once a copy, that a number decides what `condition` decides.
  constexpr void note_test(body_id condition, const known_value& bit) const {
    if (folded_tests[condition] != copy() + 1) {
      folded_tests[condition] = copy() + 1;
      numbering.save(saving_kind::folded_test, condition, bit.addend);
    }
  }

private:
  /// Whether accesses have different sizes or classes of memory.
  static constexpr bool accesses_differ(const loop_body& body) {
    const auto differs = [&](const body_access& a) {
      return a.bytes != body.accesses[0].bytes || a.memory != body.accesses[0].memory;
    };
    bool found = false;
    for (const body_access& a : body.accesses) {
      found = found || differs(a);
    }
    for (const body_neighbour& b : body.before) {
      found = found || (!body.accesses.empty() && differs(b.access));
    }
    return found;
  }

  static constexpr std::uint32_t edge_of_counted_exit(const loop_counters& counters) {
    return counters.counted_exit == no_body_value ? no_edge : counters.exits[counters.counted_exit].edge;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
