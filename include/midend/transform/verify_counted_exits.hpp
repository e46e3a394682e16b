/// `verify_counted_exits`: checks that edges are never taken, by what the counter of a loop is in each iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why there is no proof that an edge is never taken.
enum class counted_exit_fault : std::uint8_t {
  none,
  unknown_edge,  ///< the program has no such edge, no run reaches it, or its node has no condition with cases
  no_comparison, ///< the condition is no comparison of two numbers of the same width, of at most 64 bits
  no_counter,    ///< no side is a sum of a number and of a phi of a loop that contains the test
  no_exit,       ///< it does not leave that loop
  no_step,       ///< what goes around is not always the phi plus the same number
  unknown_start, ///< what goes in is not always the same sum
  unknown_bound, ///< the distance between start and bound is no number; or they are unknown and their order is tested
  may_be_taken   ///< the test fires in an iteration, and no exit that is always tested ends the loop before
};

/// The answer of `verify_counted_exits`.
struct counted_exits_verdict {
  std::size_t proven = 0; ///< edges that were dropped as `assumed` and are never taken
  edge_id edge = no_edge; ///< of the old program: the first one for which there is no proof, or none
  counted_exit_fault fault = counted_exit_fault::none;

  explicit operator bool() const { return fault == counted_exit_fault::none; }
};

namespace detail {

/// The first time that something happens.
struct first_crossing {
  bool exists = false;
  std::uint64_t n = 0;
};

/// Numbers modulo 2^width from `low` on, upwards; after the last number comes 0.
struct cyclic_interval {
  std::uint64_t low = 0;
  std::uint64_t count = 0; ///< 0: none, or all
  bool has_all = false;
};

constexpr cyclic_interval complement_of(const cyclic_interval& of, unsigned width) {
  if (of.count == 0) {
    return {0, 0, !of.has_all};
  }
  return {(of.low + of.count) & low_ones(width), (0 - of.count) & low_ones(width), false};
}

/// The numbers x for which a comparison of x with `bound` is true. Of any other operation: all.
constexpr cyclic_interval numbers_that_are(operation code, std::uint64_t bound, unsigned width) {
  const std::uint64_t least_signed = std::uint64_t{1} << (width - 1);
  const auto below = [&](std::uint64_t least) { return cyclic_interval{least, (bound - least) & low_ones(width)}; };
  const auto up_to = [&](std::uint64_t least) {
    const std::uint64_t count = (bound - least + 1) & low_ones(width);
    return cyclic_interval{least, count, count == 0};
  };
  switch (code) {
  case operation::equal:
    return {bound, 1, false};
  case operation::not_equal:
    return complement_of({bound, 1, false}, width);
  case operation::less:
    return below(least_signed);
  case operation::less_equal:
    return up_to(least_signed);
  case operation::greater:
    return complement_of(up_to(least_signed), width);
  case operation::greater_equal:
    return complement_of(below(least_signed), width);
  case operation::uless:
    return below(0);
  case operation::uless_equal:
    return up_to(0);
  case operation::ugreater:
    return complement_of(up_to(0), width);
  case operation::ugreater_equal:
    return complement_of(below(0), width);
  default:
    return {0, 0, true};
  }
}

/// n · a - m · t is in the interval that was asked for, and n is the least such number.
struct first_multiple {
  bool exists = false;
  std::uint64_t n = 0;
  std::uint64_t t = 0;
};

/// The first multiple of `a` that is in [low, high] modulo m; m = 0 is 2^64. As Euclid's algorithm: if no multiple of a
/// is in the interval itself, m · t has to be in [-high, -low] modulo a, and the first such t has the first n.
///
/// Requires 0 < low ≤ high < m, and a < m. The depth is at most twice the bits of m.
constexpr first_multiple find_first_multiple(std::uint64_t a, std::uint64_t m, std::uint64_t low, std::uint64_t high) {
  if (a == 0) {
    return {};
  }
  if (a > m - a) { // backwards
    const first_multiple found = find_first_multiple(m - a, m, m - high, m - low);
    return {found.exists, found.n, found.n - found.t - 1};
  }
  const std::uint64_t quotient = low / a;
  const std::uint64_t rest = low % a;
  const std::uint64_t missing = rest == 0 ? 0 : a - rest;
  if (missing <= high - low) {
    return {true, quotient + (rest == 0 ? 0u : 1u), 0};
  }
  std::uint64_t times = (m - 1) / a;
  std::uint64_t rest_of_m = (m - 1) % a + 1;
  if (rest_of_m == a) {
    rest_of_m = 0;
    ++times;
  }
  const first_multiple inner = find_first_multiple(rest_of_m, a, a - high % a, a - rest);
  if (!inner.exists) {
    return {};
  }
  const std::uint64_t over = rest_of_m * inner.n - a * inner.t; // both may wrap, the difference does not
  const std::uint64_t sum = rest + over;                        // of two numbers below a, which is at most 2^63
  return {true, times * inner.n + inner.t + quotient + sum / a + (sum % a == 0 ? 0u : 1u), inner.n};
}

/// The first n for which start + n · step modulo 2^width is in an interval. O(width).
constexpr first_crossing find_first_crossing(std::uint64_t start, std::uint64_t step, const cyclic_interval& in,
                                             unsigned width) {
  const std::uint64_t mask = low_ones(width);
  const std::uint64_t from_low = (start - in.low) & mask;
  if (in.has_all || from_low < in.count) {
    return {true, 0};
  }
  if (in.count == 0) {
    return {};
  }
  const std::uint64_t low = (0 - from_low) & mask; // not 0, and the interval does not wrap
  const std::uint64_t size = width == 64 ? 0 : std::uint64_t{1} << width;
  const first_multiple found = find_first_multiple(step & mask, size, low, low + in.count - 1);
  return {found.exists, found.n};
}

/// A value that is another one plus a number, modulo 2^width.
struct value_and_number {
  value_id value = no_value; ///< or no value: it is the number
  std::uint64_t number = 0;
  unsigned width = 0; ///< 0: it is no number of 1 … 64 bits

  friend constexpr bool operator==(const value_and_number&, const value_and_number&) = default;
};

template <class IR> class counted_exits_checker {
public:
  explicit counted_exits_checker(const IR& ir) : ir_(ir), found_(dominators_and_loops(ir.graph())) {
    read_sums();
    find_ends();
  }

  /// Why there is no proof that edge `e` is never taken.
  counted_exit_fault fault_of(edge_id e) const {
    if (e >= static_cast<std::size_t>(ir_.graph().num_edges())) {
      return counted_exit_fault::unknown_edge;
    }
    const firing fires = firing_of(e);
    if (fires.loop != no_loop && !leaves(e, fires.loop)) {
      return counted_exit_fault::no_exit;
    }
    if (fires.fault != counted_exit_fault::none || !fires.first.exists) {
      return fires.fault;
    }
    const end_of_loop& end = ends_[fires.loop];
    const bool ends_before =
        end.exists &&
        (end.n < fires.first.n || (end.n == fires.first.n && tree().strictly_dominates(end.node, source_of(e))));
    return ends_before ? counted_exit_fault::none : counted_exit_fault::may_be_taken;
  }

private:
  /// In which iteration of a loop an edge is the one that its node takes, for the first time.
  struct firing {
    counted_exit_fault fault = counted_exit_fault::none;
    loop_id loop = no_loop;
    first_crossing first;
  };

  /// The loop is left by this node in iteration n, or before.
  struct end_of_loop {
    bool exists = false;
    std::uint64_t n = 0;
    node_id node = no_node;
  };

  /// How a phi changes: it starts as `start`, and `step` is added in each iteration.
  struct counter_progress {
    counted_exit_fault fault = counted_exit_fault::none;
    value_and_number start;
    std::uint64_t step = 0;
  };

  const dominator_tree& tree() const { return found_.dominators; }

  bool leaves(edge_id e, loop_id l) const {
    return !found_.loops.contains(l, static_cast<node_id>(ir_.graph().edge_target(e)));
  }

  node_id source_of(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  // Values as sums.

  void read_sums() {
    sums_.assign(static_cast<std::size_t>(ir_.num_values()), {});
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    // A definition dominates its uses, apart from inputs of phis, so it is read first. Of phis, nothing is read.
    for (const node_id n : tree().preorder()) {
      for_each_id(ir_.values(n), [&](value_id v) {
        home_[v] = n;
        sums_[v] = sum_of_definition(v);
      });
    }
  }

  value_and_number itself(value_id v) const {
    const unsigned width = ir_.operation(v).width;
    return width <= 64 ? value_and_number{v, 0, width} : value_and_number{};
  }

  /// What a reader of `width` bits gets, if the value has no other width.
  value_and_number read(value_id v, unsigned width) const {
    if (v >= sums_.size() || width == 0 || width > 64) {
      return {};
    }
    if constexpr (has_is_undefined<IR>) {
      if (ir_.is_undefined(v)) {
        return {};
      }
    }
    if (const auto bits = ir_.constant(v)) {
      const unsigned own = ir_.operation(v).width;
      const bool has_width = own != 0 && own <= 64;
      return has_width ? value_and_number{no_value, *bits & low_ones(own) & low_ones(width), width}
                       : value_and_number{};
    }
    const value_and_number sum = sums_[v].width == 0 ? itself(v) : sums_[v];
    return sum.width == width ? sum : value_and_number{};
  }

  value_and_number sum_of_definition(value_id v) const {
    if (ir_.is_phi(v) || ir_.constant(v)) {
      return itself(v);
    }
    const operation_info info = ir_.operation(v);
    if (info.code != operation::copy && info.code != operation::add && info.code != operation::sub) {
      return itself(v);
    }
    value_and_number x[2];
    std::size_t count = 0;
    for_each_id(ir_.operands(v), [&](value_id o) {
      if (count < 2) {
        x[count] = read(o, info.width);
      }
      ++count;
    });
    if (count != (info.code == operation::copy ? 1u : 2u) || x[0].width == 0) {
      return itself(v);
    }
    if (info.code == operation::copy) {
      return x[0];
    }
    if (x[1].width == 0 || (x[1].value != no_value && (x[0].value != no_value || info.code == operation::sub))) {
      return itself(v);
    }
    const std::uint64_t bits = info.code == operation::add ? x[0].number + x[1].number : x[0].number - x[1].number;
    return {x[0].value != no_value ? x[0].value : x[1].value, bits & low_ones(info.width), info.width};
  }

  // Counters and tests.

  counter_progress counter_of(value_id phi, node_id header) const {
    counter_progress out;
    const unsigned width = ir_.operation(phi).width;
    bool has_start = false;
    bool has_step = false;
    for_each_id(ir_.graph().in_edges(header), [&](edge_id e) {
      const node_id source = source_of(e);
      if (!tree().is_reachable(source)) {
        return;
      }
      const value_and_number input = read(static_cast<value_id>(ir_.phi_input(phi, e)), width);
      if (tree().dominates(header, source)) {
        const bool is_step = input.width != 0 && input.value == phi && (!has_step || input.number == out.step);
        out.fault = is_step ? out.fault : counted_exit_fault::no_step;
        out.step = input.number;
        has_step = true;
      } else {
        const bool is_start = input.width != 0 && (!has_start || input == out.start);
        out.fault =
            is_start || out.fault == counted_exit_fault::no_step ? out.fault : counted_exit_fault::unknown_start;
        out.start = input;
        has_start = true;
      }
    });
    if (out.fault == counted_exit_fault::none && (!has_start || !has_step)) {
      out.fault = counted_exit_fault::unknown_start;
    }
    return out;
  }

  /// The loop of whose header `v` is a phi, if it contains `n`.
  loop_id loop_counted_by(value_id v, node_id n) const {
    if (v == no_value || !ir_.is_phi(v) || home_[v] == no_node || !found_.loops.is_header(home_[v])) {
      return no_loop;
    }
    const loop_id l = found_.loops.innermost_loop(home_[v]);
    return found_.loops.contains(l, n) ? l : no_loop;
  }

  /// The comparison with its sides exchanged.
  static constexpr operation exchanged(operation code) {
    switch (code) {
    case operation::less:
      return operation::greater;
    case operation::less_equal:
      return operation::greater_equal;
    case operation::greater:
      return operation::less;
    case operation::greater_equal:
      return operation::less_equal;
    case operation::uless:
      return operation::ugreater;
    case operation::uless_equal:
      return operation::ugreater_equal;
    case operation::ugreater:
      return operation::uless;
    case operation::ugreater_equal:
      return operation::uless_equal;
    default:
      return code;
    }
  }

  firing firing_of([[maybe_unused]] edge_id e) const {
    if constexpr (has_cases_of_edges<IR>) {
      const node_id n = source_of(e);
      const auto condition = tree().is_reachable(n) ? static_cast<value_id>(ir_.condition(n)) : no_value;
      if (condition != no_value && condition < sums_.size()) {
        return firing_of(e, n, condition);
      }
    }
    return {counted_exit_fault::unknown_edge, no_loop, {}};
  }

  firing firing_of(edge_id e, node_id n, value_id condition) const {
    if (ir_.is_phi(condition) || ir_.constant(condition)) {
      return {counted_exit_fault::no_comparison, no_loop, {}};
    }
    const operation_info info = ir_.operation(condition);
    const unsigned width = info.operand_width;
    value_and_number x[2];
    std::size_t count = 0;
    if (info.code < operation::equal || info.code > operation::ugreater_equal || width == 0 || width > 64) {
      return {counted_exit_fault::no_comparison, no_loop, {}};
    }
    for_each_id(ir_.operands(condition), [&](value_id o) {
      if (count < 2) {
        x[count] = read(o, width);
      }
      ++count;
    });
    if (count != 2 || x[0].width == 0 || x[1].width == 0) {
      return {counted_exit_fault::no_comparison, no_loop, {}};
    }
    const bool fires_if_true = edge_of_case(ir_, n, constant_of<IR>{1}) == e;
    const bool fires_if_false = edge_of_case(ir_, n, constant_of<IR>{0}) == e;
    firing out{counted_exit_fault::no_counter, no_loop, {}};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const loop_id l = loop_counted_by(x[side].value, n);
      if (l != no_loop) {
        const operation code = side == 0 ? info.code : exchanged(info.code);
        out = firing_in(l, code, x[side], x[1 - side], fires_if_true, fires_if_false);
        if (out.fault == counted_exit_fault::none) {
          return out;
        }
      }
    }
    return out;
  }

  firing firing_in(loop_id l, operation code, const value_and_number& counted, value_and_number bound,
                   bool fires_if_true, bool fires_if_false) const {
    const counter_progress counter = counter_of(counted.value, found_.loops.header(l));
    if (counter.fault != counted_exit_fault::none) {
      return {counter.fault, l, {}};
    }
    const unsigned width = counted.width;
    value_and_number start = counter.start;
    if (start.value != bound.value) {
      return {counted_exit_fault::unknown_bound, l, {}};
    }
    if (start.value != no_value) {
      // Both are the same unknown number plus one that is known. It does not change while the loop runs, as it is
      // outside. Only the difference is known, so only equality is.
      const node_id home = home_[start.value];
      const bool is_outside = home == no_node || !found_.loops.contains(l, home);
      if (!is_outside || (code != operation::equal && code != operation::not_equal)) {
        return {counted_exit_fault::unknown_bound, l, {}};
      }
    }
    cyclic_interval in = numbers_that_are(code, bound.number, width);
    if (fires_if_true == fires_if_false) {
      in = {0, 0, fires_if_true};
    } else if (fires_if_false) {
      in = complement_of(in, width);
    }
    return {counted_exit_fault::none, l, find_first_crossing(start.number + counted.number, counter.step, in, width)};
  }

  // Where loops end.

  /// All that are tested in each iteration dominate the sources of all backedges, so they are in a chain, and preorder
  /// visits them in the order of tests.
  void find_ends() {
    ends_.assign(found_.loops.num_loops(), {});
    for (const node_id n : tree().preorder()) {
      if (found_.loops.innermost_loop(n) == no_loop) {
        continue;
      }
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        const firing fires = firing_of(e);
        if (fires.fault != counted_exit_fault::none || !fires.first.exists || !leaves(e, fires.loop)) {
          return;
        }
        end_of_loop& end = ends_[fires.loop];
        if ((!end.exists || fires.first.n < end.n) && is_always_tested(fires.loop, n)) {
          end = {true, fires.first.n, n};
        }
      });
    }
  }

  bool is_always_tested(loop_id l, node_id n) const {
    bool is = true;
    for (const loop_edge& e : found_.loops.backedges(l)) {
      is = is && tree().dominates(n, e.source);
    }
    return is;
  }

  const IR& ir_;
  dominators_and_loops_result found_;
  flat_array<value_and_number> sums_; ///< by value
  flat_array<node_id> home_;          ///< by value
  flat_array<end_of_loop> ends_;      ///< by loop
};

} // namespace detail

/// Whether each edge that a witness drops with the reason `assumed` is never taken by `before`, by what counters are.
/// It shares no code with `untaken_exits` and asks it nothing, nor does it count iterations as `induction/` does. What
/// remains to be trusted is this function, `dominators_and_loops`, and the IR with its cases and operations.
///
/// **What is checked** of an edge. The condition of its node compares two sums of a value and a number, modulo 2^width.
/// One is of a phi in the header of a loop that the edge leaves. What goes in by all edges from outside is one
/// sum, and what goes around by all backedges is the phi plus one number, the step. Start and bound are numbers; or
/// they are sums of the same value from outside of the loop, and the comparison is == or !=. Then the test of iteration
/// n is of start + n · step, and the first n for which it takes the edge is found as by Euclid's algorithm. Either
/// there is none; or an exit of the same loop, for which the same is known and whose node dominates all
/// sources of backedges, is taken in an iteration before, or in the same one and its node dominates that of the edge.
///
/// **Why this is enough.** By induction, the phi is start + n · step in iteration n, whatever wraps. All paths from the
/// header to a backedge contain the exit's node, so iteration n of the exit is the last one. In it, all paths to a
/// node that it dominates contain its node first.
///
/// Not proven are bounds and starts that are unknown, apart from the above, and counters of more than 64 bits, with
/// extensions, or that rest on facts from elsewhere. Requires IR that `check_ir` accepts. O(n + m + values + operands),
/// and for each branch O(edges + cases + in-edges of the header + width).
template <semantic_ir IR>
counted_exits_verdict verify_counted_exits(const IR& before, const unfolding_witness& witness) {
  counted_exits_verdict out;
  const detail::counted_exits_checker<IR> checker(before);
  for (const dropped_edge& d : witness.dropped) {
    if (d.why != drop_reason::assumed) {
      continue;
    }
    const counted_exit_fault fault = checker.fault_of(d.edge);
    if (fault == counted_exit_fault::none) {
      ++out.proven;
    } else if (out) {
      out.edge = d.edge;
      out.fault = fault;
    }
  }
  return out;
}

MIDEND_END_NAMESPACE
