/// `ending_loops`: loops that do not run for ever, as their counters tell.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR> class ending_loop_search {
public:
  ending_loop_search(const IR& ir, const dominator_tree& tree, const loop_forest& loops)
      : ir_(ir), tree_(tree), loops_(loops) {}

  void run(flat_array<node_id>& out) {
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
    for (const loop_id l : loops_.loops()) {
      bool ends = false;
      for_each_phi(ir_, loops_.header(l), [&](value_id phi) { ends = ends || counts_to_the_end(l, phi); });
      if (ends) {
        out.push_back(loops_.header(l));
      }
    }
  }

private:
  struct counter {
    value_id phi;
    value_id next;
    operation_info increment;
    std::uint64_t step;
    std::optional<std::uint64_t> start;
  };

  static std::uint64_t low_bits(std::uint64_t number, unsigned width) {
    return number & (~std::uint64_t{0} >> (64 - width));
  }

  std::optional<counter> counter_of(loop_id l, value_id phi) const {
    value_id next = no_value;
    bool same = true;
    for (const loop_edge& e : loops_.backedges(l)) {
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e.id));
      same = same && (next == no_value || next == input) && input != no_value;
      next = input;
    }
    if (!same || next == no_value || home_[next] == no_node || ir_.is_phi(next) || !loops_.contains(l, home_[next])) {
      return std::nullopt;
    }
    const operation_info info = ir_.operation(next);
    if ((info.code != operation::add && info.code != operation::sub) || ir_.operation(phi).width != info.width) {
      return std::nullopt;
    }
    value_id operands[2] = {no_value, no_value};
    std::size_t i = 0;
    for_each_id(ir_.operands(next), [&](value_id v) {
      if (i < 2) {
        operands[i] = v;
      }
      ++i;
    });
    if (i != 2) {
      return std::nullopt;
    }
    const bool is_first = operands[0] == phi;
    const value_id other = operands[is_first ? 1 : 0];
    const auto step = ir_.constant(other);
    if ((!is_first && (operands[1] != phi || info.code == operation::sub)) || !step) {
      return std::nullopt;
    }
    counter c{phi, next, info, low_bits(info.code == operation::sub ? 0 - *step : *step, info.width), std::nullopt};
    bool one_start = true;
    for (const loop_edge& e : loops_.entering_edges(l)) {
      if (tree_.is_reachable(e.source)) {
        const auto start = ir_.constant(static_cast<value_id>(ir_.phi_input(phi, e.id)));
        one_start = one_start && start && (!c.start || *c.start == *start);
        c.start = start;
      }
    }
    c.start = one_start ? c.start : std::nullopt;
    return c;
  }

  bool counts_to_the_end(loop_id l, value_id phi) const {
    const std::optional<counter> c = counter_of(l, phi);
    if (!c || c->step == 0) {
      return false;
    }
    if (c->increment.flags.no_signed_wrap ||
        (c->increment.flags.no_unsigned_wrap && c->increment.code == operation::add)) {
      return true; // the promise is broken before it has counted through all numbers
    }
    for (const node_id n : loops_.own_blocks(l)) {
      if (runs_each_time(l, n) && test_ends(l, n, *c)) {
        return true;
      }
    }
    return false;
  }

  bool runs_each_time(loop_id l, node_id n) const {
    for (const loop_edge& e : loops_.backedges(l)) {
      if (!tree_.dominates(n, e.source)) {
        return false;
      }
    }
    return true;
  }

  /// Whether the loop is left at the end of `n` if the condition is `result`.
  bool leaves(loop_id l, node_id n, std::uint64_t result) const {
    const edge_id e = edge_of_case(ir_, n, result);
    return e != no_edge && !loops_.contains(l, static_cast<node_id>(ir_.graph().edge_target(e)));
  }

  /// Whether the test at the end of a node is met by the counter, whatever else the loop does.
  bool test_ends(loop_id l, node_id n, const counter& c) const {
    const auto condition = static_cast<value_id>(ir_.condition(n));
    if (condition == no_value || home_[condition] == no_node || ir_.is_phi(condition)) {
      return false;
    }
    const operation_info info = ir_.operation(condition);
    const bool exits_when = leaves(l, n, 1);
    if (!is_comparison(info.code) || info.operand_width != c.increment.width || exits_when == leaves(l, n, 0)) {
      return false;
    }
    value_id tested = no_value;
    value_id bound = no_value;
    std::size_t i = 0;
    for_each_id(ir_.operands(condition), [&](value_id v) { (i++ == 0 ? tested : bound) = v; });
    // The comparison itself must be of this iteration.
    if (i != 2 || (tested != c.phi && tested != c.next) || !loops_.contains(l, home_[condition]) ||
        loops_.innermost_loop(home_[condition]) != l) {
      return false;
    }
    const auto number = ir_.constant(bound);
    if (number && c.start) {
      const std::uint64_t start = low_bits(*c.start + (tested == c.next ? c.step : 0), c.increment.width);
      return trip_count_of({.width = c.increment.width,
                            .start = start,
                            .step = c.step,
                            .bound = *number,
                            .comparison = info.code,
                            .exits_when = exits_when,
                            .flags = {}})
                 .kind == trip_count_kind::exact;
    }
    // An odd step counts through all numbers of the width, the bound among them, if that does not change.
    bool is_invariant = home_[bound] == no_node || !loops_.contains(l, home_[bound]);
    if constexpr (has_is_undefined<IR>) {
      is_invariant = is_invariant && !ir_.is_undefined(bound); // it may be another number each time
    }
    return c.step % 2 == 1 && is_invariant && exits_when == holds_for_equal(info.code);
  }

  static bool holds_for_equal(operation code) {
    switch (code) {
    case operation::equal:
    case operation::less_equal:
    case operation::greater_equal:
    case operation::uless_equal:
    case operation::ugreater_equal:
      return true;
    default:
      return false;
    }
  }

  const IR& ir_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  flat_array<node_id> home_; ///< by value
};

} // namespace detail

/// The headers of natural loops that do not go round for ever, at any depth: loops with a counter, a header phi to
/// which each iteration adds the same number that is not 0, such that
/// - the addition promises not to wrap, so the run is undefined before it can go on for ever; or
/// - the loop is left by a comparison of the counter, or of the sum, which each iteration makes, with a number that the
///   counter meets from its literal start (`trip_count_of`); or with anything that does not change in the loop, if the
///   step is odd, so that the counter meets all numbers, and the loop is left when both are equal.
///
/// For `dead_code_options::ending`. An iteration may still not end, because of a loop inside. Comparisons with the
/// counter on the right, and conversions, are not looked through. Requires results of this graph as it is, with
/// boundaries, and numbers as constants. By loop, outer ones first.
///
/// O(n + m + values + operands), plus, for each counter, the blocks of its loop that are in no inner one.
template <semantic_ir IR>
  requires std::same_as<constant_of<IR>, std::uint64_t> && has_cases_of_edges<IR>
flat_array<node_id> ending_loops(const IR& ir, const dominator_tree& tree, const loop_forest& loops) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && loops.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), loops.epoch());
  flat_array<node_id> out;
  detail::ending_loop_search<IR>(ir, tree, loops).run(out);
  return out;
}

MIDEND_END_NAMESPACE
