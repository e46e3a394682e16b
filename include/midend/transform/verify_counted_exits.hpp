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
#include "midend/transform/counter_limits.hpp"
#include "midend/transform/linear_sums.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why there is no proof that an edge is never taken.
enum class counted_exit_fault : std::uint8_t {
  none,
  unknown_edge,  ///< the program has no such edge, no run reaches it, or its node has no condition with cases
  no_comparison, ///< the condition is no comparison of two numbers of the same width, of at most 64 bits
  no_induction,  ///< neither side is a phi of a loop around the test plus a number
  no_exit,       ///< the edge does not leave that loop
  no_step,       ///< a backedge brings something else than the phi plus a fixed number
  unknown_start, ///< edges into the loop bring different sums
  unknown_bound, ///< the distance between start and bound is no number, or both are unknown and the test is one of
                 ///< order
  may_be_taken   ///< the test fires in an iteration, and no exit that is always tested ends the loop before
};

/// The answer of `verify_counted_exits`.
struct counted_exits_verdict {
  std::size_t proven = 0; ///< edges that were dropped as `assumed` and are never taken
  edge_id edge = no_edge; ///< of the old program: the first edge without a proof, or none
  counted_exit_fault fault = counted_exit_fault::none;

  explicit operator bool() const { return fault == counted_exit_fault::none; }
};

namespace detail {

/// The first iteration in which something happens.
struct first_crossing {
  bool exists = false;
  std::uint64_t n = 0;
};

/// Consecutive numbers modulo 2^width from `low` upwards. After the last number comes 0.
struct cyclic_interval {
  std::uint64_t low = 0;
  std::uint64_t count = 0; ///< 0: no numbers, or all
  bool has_all = false;
};

constexpr cyclic_interval complement_of(const cyclic_interval& of, unsigned width) {
  if (of.count == 0) {
    return {0, 0, !of.has_all};
  }
  return {(of.low + of.count) & low_ones(width), (0 - of.count) & low_ones(width), false};
}

/// The numbers x for which a comparison of x with `bound` is true. All, if the operation is no comparison.
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

/// The least n for which n · a - m · t is in the requested interval.
struct first_multiple {
  bool exists = false;
  std::uint64_t n = 0;
  std::uint64_t t = 0;
};

/// The first multiple of `a` that is in [low, high] modulo m; m = 0 is 2^64. Works like Euclid's algorithm: if no
/// multiple of a is in the interval itself, m · t must be in [-high, -low] modulo a, and the first such t has the first
/// n.
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
  const std::uint64_t over = rest_of_m * inner.n - a * inner.t; // both products may wrap, but not their difference
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

/// The numbers of `width` bits that are in an interval after they are extended to `wide` bits. They form one interval:
/// the extended numbers are one, and if the given interval meets both of its ends, these are neighbours modulo 2^width.
constexpr cyclic_interval unextended(const cyclic_interval& of, operation extension, unsigned width, unsigned wide) {
  if (extension == operation::copy || of.has_all || of.count == 0) {
    return of;
  }
  const std::uint64_t mask = low_ones(wide);
  const std::uint64_t size = std::uint64_t{1} << width;
  const std::uint64_t shift = extension == operation::sign_extend ? size >> 1 : 0; // then they are 0 … size - 1
  const std::uint64_t low = (of.low + shift) & mask;
  const std::uint64_t to_wrap = (0 - low) & mask; // 0: all
  const std::uint64_t after_wrap = to_wrap == 0 || of.count <= to_wrap ? 0 : of.count - to_wrap;
  std::uint64_t first = 0;
  std::uint64_t count = after_wrap < size ? after_wrap : size;
  if (low < size) {
    const std::uint64_t below = after_wrap < low ? after_wrap : low;
    first = low;
    count = below + (of.count < size - low ? of.count : size - low);
  }
  return {(first - shift) & (size - 1), count & (size - 1), count == size};
}

/// How a phi changes: it begins as `start`, and each iteration adds `step`.
struct counter_progress {
  counted_exit_fault fault = counted_exit_fault::none;
  value_and_number start;
  std::uint64_t step = 0;
};

/// The node leaves the loop in iteration n, if it was not left before.
struct end_of_counted_loop {
  bool exists = false;
  std::uint64_t n = 0;
  node_id node = no_node;
  edge_id edge = no_edge;
};

} // namespace detail

template <semantic_ir IR> class counted_exits_checker;

/// Memory of `verify_counted_exits`, to be reused.
class verify_counted_exits_workspace {
  template <semantic_ir IR> friend class counted_exits_checker;

  dominators_and_loops_workspace searching_;
  dominators_and_loops_result found_;
  linear_sums_memory sums_;
  counter_limits_memory limits_;
  flat_array<detail::counter_progress> progress_; ///< by value: valid for phis of headers
  flat_array<edge_id> entered_by_;  ///< by node: the only edge from nodes that it does not dominate; `no_edge` if there
                                    ///< are none or several
  flat_array<node_id> first_latch_; ///< by loop, in preorder
  flat_array<node_id> last_latch_;  ///< by loop
  flat_array<detail::end_of_counted_loop> ends_; ///< by loop
};

/// Answers for the edges of one program.
template <semantic_ir IR> class counted_exits_checker {
public:
  /// O(n + m + values + operands + cases). Both must outlive this object.
  counted_exits_checker(const IR& ir, verify_counted_exits_workspace& workspace)
      : ir_(ir), w_(found(ir, workspace)), sums_(ir, w_.found_, w_.sums_), limits_(sums_, w_.limits_) {
    read_edges();
    read_counters();
    find_ends();
  }

  /// Why there is no proof that edge `e` is never taken. Ask for the edges of one loop after another: O(edges of its
  /// source + width), and O(exits) once for each loop.
  counted_exit_fault fault_of(edge_id e) {
    if (e >= static_cast<std::size_t>(ir_.graph().num_edges())) {
      return counted_exit_fault::unknown_edge;
    }
    const firing fires = firing_of(e);
    if (fires.loop != no_loop && !leaves(e, fires.loop)) {
      return counted_exit_fault::no_exit;
    }
    if (fires.fault == counted_exit_fault::unknown_bound && never_fires(fires)) {
      return counted_exit_fault::none;
    }
    if (fires.fault != counted_exit_fault::none || !fires.first.exists) {
      return fires.fault;
    }
    const auto& end = w_.ends_[fires.loop];
    const bool ends_before =
        end.exists &&
        (end.n < fires.first.n || (end.n == fires.first.n && tree().strictly_dominates(end.node, source_of(e))));
    return ends_before || never_fires(fires) ? counted_exit_fault::none : counted_exit_fault::may_be_taken;
  }

  /// The iteration of the innermost loop around the source of an edge from which on no run takes the edge; the largest
  /// number if there is none. O(1).
  std::uint64_t untaken_from(edge_id e) const {
    const node_id n = source_of(e);
    const loop_id l = tree().is_reachable(n) ? loops().innermost_loop(n) : no_loop;
    if (l == no_loop || !w_.ends_[l].exists) {
      return ~std::uint64_t{0};
    }
    const auto& end = w_.ends_[l];
    const bool is_after = n == end.node ? e != end.edge : tree().dominates(end.node, n);
    return is_after || end.n == ~std::uint64_t{0} ? end.n : end.n + 1;
  }

  /// Of the program.
  const loop_forest& loops() const { return w_.found_.loops; }

private:
  /// The first iteration of a loop in which a node takes an edge.
  struct firing {
    counted_exit_fault fault = counted_exit_fault::none;
    loop_id loop = no_loop;
    detail::first_crossing first;
    iteration_test test; ///< valid if its operation is not `other`
  };

  static verify_counted_exits_workspace& found(const IR& ir, verify_counted_exits_workspace& workspace) {
    dominators_and_loops(ir.graph(), workspace.searching_, workspace.found_);
    return workspace;
  }

  const dominator_tree& tree() const { return w_.found_.dominators; }

  bool leaves(edge_id e, loop_id l) const {
    return !loops().contains(l, static_cast<node_id>(ir_.graph().edge_target(e)));
  }

  node_id source_of(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  /// Whether a value is invariant in a loop.
  bool is_outside(loop_id l, value_id v) const {
    const node_id home = v == no_value ? no_node : sums_.home(v);
    return home == no_node || !loops().contains(l, home);
  }

  // What is read once.

  void read_edges() {
    w_.entered_by_.assign(static_cast<std::size_t>(ir_.graph().num_nodes()), no_edge);
    for (const node_id n : tree().preorder()) {
      std::uint32_t count = 0;
      edge_id only = no_edge;
      detail::for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
        if (tree().is_reachable(source_of(e)) && !tree().dominates(n, source_of(e))) {
          ++count;
          only = e;
        }
      });
      w_.entered_by_[n] = count == 1 ? only : no_edge;
    }
    w_.first_latch_.assign(loops().num_loops(), no_node);
    w_.last_latch_.assign(loops().num_loops(), no_node);
    for (const loop_id l : loops().loops()) {
      node_id& first = w_.first_latch_[l];
      node_id& last = w_.last_latch_[l];
      for (const loop_edge& e : loops().backedges(l)) {
        const std::uint32_t number = tree().preorder_number(e.source);
        first = first == no_node || number < tree().preorder_number(first) ? e.source : first;
        last = last == no_node || number > tree().preorder_number(last) ? e.source : last;
      }
    }
  }

  void read_counters() {
    w_.progress_.assign(static_cast<std::size_t>(ir_.num_values()), {});
    for (const loop_id l : loops().loops()) {
      detail::for_each_phi(ir_, loops().header(l),
                           [&](value_id phi) { w_.progress_[phi] = progress_of(phi, loops().header(l)); });
    }
  }

  detail::counter_progress progress_of(value_id phi, node_id header) const {
    detail::counter_progress out;
    const unsigned width = ir_.operation(phi).width;
    bool has_start = false;
    bool has_step = false;
    detail::for_each_id(ir_.graph().in_edges(header), [&](edge_id e) {
      const node_id source = source_of(e);
      if (!tree().is_reachable(source)) {
        return;
      }
      const value_and_number input = sums_.read(static_cast<value_id>(ir_.phi_input(phi, e)), width);
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

  // Tests.

  /// The loop whose header has the phi `v`, if the loop contains `n`.
  loop_id loop_counted_by(value_id v, node_id n) const {
    if (v == no_value || !ir_.is_phi(v) || sums_.home(v) == no_node || !loops().is_header(sums_.home(v))) {
      return no_loop;
    }
    const loop_id l = loops().innermost_loop(sums_.home(v));
    return loops().contains(l, n) ? l : no_loop;
  }

  firing firing_of([[maybe_unused]] edge_id e) const {
    if constexpr (has_cases_of_edges<IR>) {
      const node_id n = source_of(e);
      const auto condition = tree().is_reachable(n) ? static_cast<value_id>(ir_.condition(n)) : no_value;
      if (condition != no_value && condition < static_cast<std::size_t>(ir_.num_values())) {
        return firing_of(e, n, condition);
      }
    }
    return {counted_exit_fault::unknown_edge, no_loop, {}, {}};
  }

  firing firing_of(edge_id e, node_id n, value_id condition) const {
    const auto d = comparison_of(condition);
    firing out{counted_exit_fault::no_comparison, no_loop, {}, {}};
    if (const value_and_number known = sums_.read(condition); known.width != 0 && known.value == no_value) {
      out.fault = edge_of_case(ir_, n, constant_of<IR>{known.number}) != e ? counted_exit_fault::none : out.fault;
      return out;
    }
    if (d.info.code == operation::other) {
      return out;
    }
    const value_and_number x[] = {sums_.operand(d, 0), sums_.operand(d, 1)};
    if (x[0].width == 0 || x[1].width == 0) {
      return out;
    }
    const bool fires_if_true = edge_of_case(ir_, n, constant_of<IR>{1}) == e;
    const bool fires_if_false = edge_of_case(ir_, n, constant_of<IR>{0}) == e;
    out.fault = counted_exit_fault::no_induction;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      value_and_number counted = x[side];
      operation extension = operation::copy;
      if (const auto inner = sums_.definition_of(counted.value); counted.number == 0 && is_extension(inner.info)) {
        counted = sums_.operand(inner, 0);
        extension = inner.info.code;
      }
      const loop_id l = loop_counted_by(counted.value, n);
      if (l != no_loop) {
        const operation code = side == 0 ? d.info.code : mirrored(d.info.code);
        const firing found = firing_in(l, code, counted, x[1 - side], extension, fires_if_true, fires_if_false);
        if (found.fault == counted_exit_fault::none) {
          return found;
        }
        // The other side may count an outer loop, which this edge does not leave.
        out = out.loop == no_loop || leaves(e, l) ? found : out;
      }
    }
    return out;
  }

  /// The comparison that computes a condition, perhaps through copies; else its operation is `other`.
  typename linear_sums<IR>::definition comparison_of(value_id condition) const {
    const value_and_number sum = sums_.read(condition);
    auto d = sums_.definition_of(sum.number == 0 ? sum.value : no_value);
    const bool is_comparison = d.info.code >= operation::equal && d.info.code <= operation::ugreater_equal;
    d.info.code = is_comparison && d.info.operand_width <= 64 ? d.info.code : operation::other;
    return d;
  }

  static constexpr bool is_extension(const operation_info& info) {
    return (info.code == operation::zero_extend || info.code == operation::sign_extend) &&
           info.operand_width < info.width;
  }

  firing firing_in(loop_id l, operation code, const value_and_number& counted, const value_and_number& bound,
                   operation extension, bool fires_if_true, bool fires_if_false) const {
    const auto& counter = w_.progress_[counted.value];
    firing out{counter.fault, l, {}, {}};
    if (counter.fault != counted_exit_fault::none) {
      return out;
    }
    const unsigned width = counted.width;
    const value_and_number start{counter.start.value, (counter.start.number + counted.number) & low_ones(width), width};
    if (fires_if_true != fires_if_false && is_outside(l, start.value) && is_outside(l, bound.value)) {
      out.test = {fires_if_true ? negated(code) : code, start, counter.step & low_ones(width), bound, extension};
    }
    detail::cyclic_interval in{0, 0, fires_if_true};
    if (bound.value == no_value) {
      in = detail::numbers_that_are(code, bound.number, bound.width);
      in = fires_if_false ? detail::complement_of(in, bound.width) : in;
      in = fires_if_true == fires_if_false ? detail::cyclic_interval{0, 0, fires_if_true} : in;
      in = detail::unextended(in, extension, width, bound.width);
      if (start.value != no_value && (in.has_all || in.count == 0)) { // for every number of the counter
        out.first = {in.has_all, 0};
        return out;
      }
    }
    if (start.value != bound.value) {
      out.fault = counted_exit_fault::unknown_bound;
      return out;
    }
    if (start.value != no_value) {
      // Both are one unknown number plus known ones. The unknown number is invariant, as it is from outside. Only the
      // difference is known, so only equality can be decided.
      if (!is_outside(l, start.value) || extension != operation::copy || fires_if_true == fires_if_false ||
          (code != operation::equal && code != operation::not_equal)) {
        out.fault = counted_exit_fault::unknown_bound;
        return out;
      }
      in = detail::numbers_that_are(code, bound.number, width);
      in = fires_if_false ? detail::complement_of(in, width) : in;
    }
    out.first = detail::find_first_crossing(start.number, counter.step, in, width);
    return out;
  }

  // Where loops end.

  /// Exits that each iteration tests dominate the sources of all backedges. So they form a chain, and preorder visits
  /// them in the order of tests.
  void find_ends() {
    w_.ends_.assign(loops().num_loops(), {});
    for (const node_id n : tree().preorder()) {
      if (loops().innermost_loop(n) == no_loop) {
        continue;
      }
      detail::for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        const firing fires = firing_of(e);
        if (fires.fault != counted_exit_fault::none || !fires.first.exists || !leaves(e, fires.loop)) {
          return;
        }
        auto& end = w_.ends_[fires.loop];
        if ((!end.exists || fires.first.n < end.n) && is_always_tested(fires.loop, n)) {
          end = {true, fires.first.n, n, e};
        }
      });
    }
  }

  /// Whether `n` dominates the sources of all backedges: then its subtree has the first and the last one.
  bool is_always_tested(loop_id l, node_id n) const {
    return tree().dominates(n, w_.first_latch_[l]) && tree().dominates(n, w_.last_latch_[l]);
  }

  bool never_fires(const firing& fires) {
    if (limits_of_ != fires.loop) {
      find_limits(fires.loop);
    }
    return limits_.never_runs() || (fires.test.stays != operation::other && limits_.never_fires(fires.test));
  }

  void find_limits(loop_id l) {
    limits_of_ = l;
    limits_.clear();
    if constexpr (has_cases_of_edges<IR>) {
      node_id n = loops().header(l);
      for (int steps = 0; steps != 16 && n != no_node; ++steps) {
        const edge_id e = w_.entered_by_[n];
        n = tree().immediate_dominator(n);
        const auto condition = e == no_edge ? no_value : static_cast<value_id>(ir_.condition(source_of(e)));
        if (condition == no_value || ir_.operation(condition).width > 1) {
          continue;
        }
        const node_id source = source_of(e);
        const bool if_true = edge_of_case(ir_, source, constant_of<IR>{1}) == e;
        const bool if_false = edge_of_case(ir_, source, constant_of<IR>{0}) == e;
        if (if_true != if_false) {
          limits_.add_condition(condition, if_true);
        }
      }
    }
    for (const loop_edge& x : loops().exiting_edges(l)) {
      if (is_always_tested(l, x.source)) {
        const firing fires = firing_of(x.id);
        if (fires.loop == l) {
          limits_.add_limit(fires.test);
        }
      }
    }
    limits_.derive();
  }

  const IR& ir_;
  verify_counted_exits_workspace& w_;
  linear_sums<IR> sums_;
  counter_limits<IR> limits_;
  loop_id limits_of_ = no_loop; ///< the loop that `limits_` describes
};

/// Whether `before` never takes the edges that a witness drops with the reason `assumed`, as counters prove. It shares
/// no code with `untaken_exits` and asks it nothing, nor does it count iterations as `induction/` does. One must trust
/// this function with `linear_sums` and `counter_limits`, `dominators_and_loops`, and the IR with its cases and
/// operations.
///
/// **What is checked** of an edge. The condition of its node compares two sums of a value and a number, modulo 2^width;
/// one of them may be extended before. One of the values is a phi in the header of a loop that the edge leaves. All
/// edges from outside bring one sum, and all backedges bring the phi plus one number, the step. So the test of
/// iteration n is of start + n · step. One of these holds:
///
/// - Start and bound are numbers; or they are sums of the same value from outside of the loop, and the comparison is ==
///   or !=. The first n for which the test takes the edge is found as by Euclid's algorithm. There is none; or an exit
///   of the same loop, for which the same is known and whose node dominates all sources of backedges, is taken in an
///   iteration before, or in the same one and its node dominates that of the edge.
/// - The loop is left when a counter is at a limit, and `counter_limits` proves that the test stays until then.
/// - Conditions before the loop contradict each other as numbers: it is never entered.
/// - The condition itself is a number.
///
/// **Why this is enough.** By induction, the phi is start + n · step in iteration n, whatever wraps. All paths from the
/// header to a backedge contain the exit's node, so iteration n of the exit is the last one. In it, all paths to a node
/// that it dominates contain its node first.
///
/// Not proven are other bounds and starts that are unknown, counters of more than 64 bits, and what rests on promises
/// or on facts from elsewhere. Requires IR that `check_ir` accepts. O(n + m + values + operands), and for each branch
/// O(edges + cases + width); without recursion over the program.
template <semantic_ir_argument IR>
counted_exits_verdict verify_counted_exits(const IR& before, const unfolding_witness& witness) {
  verify_counted_exits_workspace workspace;
  return verify_counted_exits(before, witness, workspace);
}

/// Uses memory from before.
template <semantic_ir_argument IR>
counted_exits_verdict verify_counted_exits(const IR& before, const unfolding_witness& witness,
                                           verify_counted_exits_workspace& workspace) {
  counted_exits_verdict out;
  counted_exits_checker<IR> checker(before, workspace);
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
