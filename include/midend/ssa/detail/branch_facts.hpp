/// The facts that branches establish, and a view of a program with copies of values after such branches.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/dominance/edge_dominance.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The fact `subject code other`, for values of the comparison's width.
template <class Constant> struct branch_fact {
  operation code;
  unsigned width; ///< of the operands of the comparison
  value_id subject;
  value_id other; ///< or `no_value`; `constant` is valid then
  std::optional<Constant> constant;
};

/// Collects the facts of one edge.
template <class IR> class branch_fact_collector {
public:
  using constant_type = constant_of<IR>;
  using fact = branch_fact<constant_type>;

  branch_fact_collector(const IR& ir, dense_values<fact>& out) : ir_(ir), out_(out) {}

  void collect(edge_id e) {
    const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
    const auto condition = static_cast<value_id>(ir_.condition(source));
    if (condition == no_value || ir_.constant(condition) || may_differ_at_each_use(condition)) {
      return;
    }
    if constexpr (has_edge_cases<IR>) {
      condition_has_cases(condition, source, e);
    } else if (const std::optional<constant_type> value = ir_.edge_case(e)) {
      learn(condition, true, *value);
    } else if (const std::optional<constant_type> other = only_other_case(source, e)) {
      learn(condition, false, *other);
    }
    look_through();
  }

  /// Collects the facts that hold where a bit is 1.
  void collect_condition(value_id condition) {
    if (!ir_.constant(condition) && !may_differ_at_each_use(condition)) {
      learn(condition, true, constant_type{1});
      look_through();
    }
  }

private:
  static constexpr bool has_numbers = std::is_same_v<constant_type, std::uint64_t>;
  static constexpr std::size_t most_equalities = 16; ///< that follow from one edge
  static constexpr std::size_t most_excluded = 4;    ///< cases of the other edges

  /// `value == number` or `value != number`.
  struct equality {
    value_id value;
    bool holds;
    std::uint64_t number;
  };

  unsigned width_of(value_id v) const { return ir_.operation(v).width; }

  bool may_differ_at_each_use([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return ir_.is_undefined(v);
    } else {
      return false;
    }
  }

  void add(const fact& known) {
    if (!ir_.constant(known.subject) && !may_differ_at_each_use(known.subject)) {
      out_.push_back(known);
    }
  }

  // ---- What the edge says about the condition.

  /// The case of the other edge, if the node has two.
  std::optional<constant_type> only_other_case(node_id n, edge_id e) const {
    std::optional<constant_type> found;
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id other) {
      ++count;
      if (other != e) {
        found = ir_.edge_case(other);
      }
    });
    return count == 2 ? found : std::nullopt;
  }

  /// For edges with several cases: the condition equals the only case, or lies in a range around all of them.
  void condition_has_cases(value_id condition, node_id source, edge_id e) {
    std::size_t count = 0;
    for_each_case(ir_, e, [&](const auto&) { ++count; });
    if (count == 0) {
      exclude_others(condition, source, e);
    } else if (count == 1) {
      for_each_case(ir_, e, [&](const auto& one) { is_case(condition, one); });
    } else if constexpr (has_numbers) {
      bool is_known = true; // how the numbers are read
      number_range hull{~std::uint64_t{0}, 0, false};
      for_each_case(ir_, e, [&](const auto& one) { is_known = add_to(hull, one) && is_known; });
      if (is_known) {
        is_case(condition, hull);
      }
    }
  }

  void is_case(value_id condition, const constant_type& value) { learn(condition, true, value); }

  void is_case(value_id condition, const number_range& range)
    requires has_numbers
  {
    if (range.low == range.high) {
      return learn(condition, true, range.low);
    }
    const unsigned width = width_of(condition);
    add({range.is_signed ? operation::greater_equal : operation::ugreater_equal, width, condition, no_value,
         range.low});
    add({range.is_signed ? operation::less_equal : operation::uless_equal, width, condition, no_value, range.high});
  }

  static bool add_to(number_range& hull, std::uint64_t value) { return add_to(hull, {value, value, false}); }

  static bool add_to(number_range& hull, const number_range& range) {
    hull.low = range.low < hull.low ? range.low : hull.low;
    hull.high = range.high > hull.high ? range.high : hull.high;
    return !range.is_signed || range.low == range.high;
  }

  /// For an edge without cases: the condition is none of the cases of the other edges, if these are few.
  void exclude_others(value_id condition, node_id source, edge_id e) {
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(source), [&](edge_id other) {
      std::size_t cases = 0;
      for_each_case(ir_, other, [&](const auto&) { ++cases; });
      count += other == e   ? 0
               : cases == 0 ? most_excluded + 1
                            : cases; // a second edge without cases: nothing is excluded
    });
    if (count > most_excluded) {
      return;
    }
    for_each_id(ir_.graph().out_edges(source), [&](edge_id other) {
      if (other != e) {
        for_each_case(ir_, other, [&](const auto& one) { exclude(condition, one); });
      }
    });
  }

  void exclude(value_id condition, const constant_type& value) { learn(condition, false, value); }

  /// Excludes a range at one end of the numbers: a bound for the rest.
  void exclude(value_id condition, const number_range& range)
    requires has_numbers
  {
    const unsigned width = width_of(condition);
    const std::uint64_t least = range.is_signed ? std::uint64_t{1} << (width - 1) : 0;
    const std::uint64_t greatest = low_ones(width) ^ least;
    if (range.low == range.high) {
      learn(condition, false, range.low);
    } else if (range.low == least) {
      add({range.is_signed ? operation::greater : operation::ugreater, width, condition, no_value, range.high});
    } else if (range.high == greatest) {
      add({range.is_signed ? operation::less : operation::uless, width, condition, no_value, range.low});
    }
  }

  // ---- Facts about the values that the condition is computed from.

  /// Notes `v == c` or `v != c` as a fact, to look through the operation that computes `v`.
  void learn(value_id v, bool holds, constant_type c) {
    const operation_info info = ir_.operation(v);
    if constexpr (has_numbers) {
      if (c > low_ones(info.width)) {
        return; // a literal: the branch always or never goes there
      }
      if (!holds && c <= 1 && (info.width == 1 || is_comparison(info.code))) { // only one of two numbers is left
        holds = true;
        c ^= 1;
      }
    }
    add({holds ? operation::equal : operation::not_equal, info.width, v, no_value, c});
    if constexpr (has_numbers) {
      if (count_ != most_equalities) {
        pending_[count_++] = {v, holds, c};
      }
    }
  }

  /// Notes an equality of the low `width` bits of `v`, if it has no others.
  void learn_low_bits(unsigned width, value_id v, bool holds, std::uint64_t c)
    requires has_numbers
  {
    if (v != no_value && !ir_.constant(v) && (has_zeros_above(v, width) || is_small_combination(v, width))) {
      learn(v, holds, c);
    }
  }

  void look_through() {
    if constexpr (has_numbers) {
      for (std::size_t i = 0; i != count_; ++i) {
        look_through(pending_[i]);
      }
    }
  }

  void look_through(const equality& known)
    requires has_numbers
  {
    const operation_info info = ir_.operation(known.value);
    if (info.code == operation::other) {
      return;
    }
    std::array<value_id, 3> operands{no_value, no_value, no_value};
    std::size_t at = 0;
    for_each_id(ir_.operands(known.value), [&](value_id v) {
      if (at != operands.size()) {
        operands[at++] = v;
      }
    });
    const unsigned width = info.width;
    const std::uint64_t ones = low_ones(width);
    const value_id a = operands[0];
    const value_id b = operands[1];
    const bool holds = known.holds;
    const std::uint64_t number = known.number;
    const auto low_bits_are = [&](value_id v, std::uint64_t n) { learn_low_bits(width, v, holds, n); };
    switch (info.code) {
    case operation::bit_and: // all bits set: in both; any bit set: in both
      if (holds && number == ones) {
        low_bits_are(a, ones);
        low_bits_are(b, ones);
      } else if (holds == (number != 0)) {
        learn_low_bits(width, a, false, 0);
        learn_low_bits(width, b, false, 0);
      }
      return;
    case operation::bit_or:
      if (holds && number == 0) {
        low_bits_are(a, 0);
        low_bits_are(b, 0);
      }
      return;
    case operation::bit_not:
      return low_bits_are(a, ~number & ones);
    case operation::bit_xor:
      if (const auto mask = constant(b, width)) {
        low_bits_are(a, number ^ *mask);
      } else if (const auto mirrored_mask = constant(a, width)) {
        low_bits_are(b, number ^ *mirrored_mask);
      } else if (number == 0) {
        compare(holds ? operation::equal : operation::not_equal, width, a, b);
      } else if (width == 1) {
        compare(operation::not_equal, width, a, b);
      }
      return;
    case operation::copy:
      return low_bits_are(a, number);
    case operation::truncate:
      if (!holds) { // if `a` were this number, its low bits would be, too
        return learn(a, false, number);
      }
      [[fallthrough]];
    case operation::zero_extend:
      return learn_low_bits(min(info.operand_width, info.width), a, holds, number);
    case operation::sign_extend: {
      const std::uint64_t low = number & low_ones(info.operand_width);
      if (info.operand_width <= width &&
          (static_cast<std::uint64_t>(as_signed(low, info.operand_width)) & ones) == number) {
        learn_low_bits(info.operand_width, a, holds, low);
      }
      return;
    }
    case operation::select: {
      const auto if_set = constant(b, width);
      const auto if_not = constant(operands[2], width);
      const bool may_be_set = !if_set || (*if_set == number) == holds;
      const bool may_be_not = !if_not || (*if_not == number) == holds;
      if (may_be_set != may_be_not) { // the chosen side is known
        learn_low_bits(64, a, !may_be_set, 0);
        low_bits_are(may_be_set ? b : operands[2], number);
      }
      return;
    }
    default:
      if (is_comparison(info.code) && holds && number <= 1) {
        compare(number != 0 ? info.code : negated(info.code), info.operand_width, a, b);
      }
    }
  }

  /// The low bits of a literal.
  std::optional<std::uint64_t> constant(value_id v, unsigned width) const
    requires has_numbers
  {
    const std::optional<std::uint64_t> c = v == no_value ? std::nullopt : std::optional<std::uint64_t>(ir_.constant(v));
    return c ? std::optional(*c & low_ones(width)) : std::nullopt;
  }

  /// Whether `v` has zeros above its low bits, by its width or its operation.
  bool has_zeros_above(value_id v, unsigned width) const {
    const operation_info info = ir_.operation(v);
    return info.width <= width || is_comparison(info.code) ||
           (info.code == operation::zero_extend && info.operand_width <= width);
  }

  /// Whether `v` combines, bit by bit, only such values and small literals.
  bool is_small_combination(value_id v, unsigned width) const
    requires has_numbers
  {
    const operation code = ir_.operation(v).code;
    bool is_small = code == operation::bit_and || code == operation::bit_or || code == operation::bit_xor;
    if (is_small) {
      for_each_id(ir_.operands(v), [&](value_id operand) {
        const std::optional<constant_type> c = ir_.constant(operand);
        is_small = is_small && (c ? *c <= low_ones(width) : has_zeros_above(operand, width));
      });
    }
    return is_small;
  }

  /// `a code b` holds for the low `width` bits of both.
  void compare(operation code, unsigned width, value_id a, value_id b)
    requires has_numbers
  {
    if (a == no_value || b == no_value) {
      return;
    }
    if (const auto c = constant(b, width)) {
      compare_with(code, width, a, *c);
    } else if (const auto c_of_a = constant(a, width)) {
      compare_with(mirrored(code), width, b, *c_of_a);
    } else if (width_of(a) == width && width_of(b) == width) {
      add({code, width, a, b, std::nullopt});
      add({mirrored(code), width, b, a, std::nullopt});
    }
  }

  /// Compares a value of another width: nothing is known about the bits that are not compared; zeros above have no
  /// sign.
  void compare_with(operation code, unsigned width, value_id v, std::uint64_t c)
    requires has_numbers
  {
    const unsigned own = width_of(v);
    const bool is_equality = code == operation::equal || code == operation::not_equal;
    if (own == width || (own < width && c <= low_ones(own) && (is_equality || code >= operation::uless))) {
      is_equality ? learn(v, code == operation::equal, c) : add({code, own, v, no_value, c});
    } else if (is_equality) {
      learn_low_bits(width, v, code == operation::equal, c);
    }
  }

  const IR& ir_;
  dense_values<fact>& out_;
  std::array<equality, most_equalities> pending_;
  std::size_t count_ = 0;
};

/// The facts that hold after `e`, refilling `out`.
template <class IR>
void collect_branch_facts(const IR& ir, edge_id e, dense_values<branch_fact<constant_of<IR>>>& out) {
  out.clear();
  branch_fact_collector<IR>(ir, out).collect(e);
}

/// Memory of `branch_facts_view`, reusable for program after program.
template <class Constant> class branch_facts_workspace {
  template <semantic_ir IR> friend class branch_facts_view;

  /// A copy of a value.
  struct copy {
    value_id original;
    branch_fact<Constant> known;
  };

  arena memory_; ///< holds the arrays of the view
  dominators_workspace dominators_;
  dominator_tree tree_;
  flat_array<edge_id> dominating_;
  dense_values<branch_fact<Constant>> facts_; ///< of one edge
  dense_values<copy> copies_;
};

/// Whether `branch_facts_view` shows the operands of opaque values. No fact follows from these.
enum class opaque_operands : bool { hidden, shown };

/// A view of `ir` with additional values. After an edge that is taken if x < y, uses of x and y refer to copies with
/// that fact, in nodes that the edge dominates and in phis on the edge itself. Models `semantic_ir`; the values of `ir`
/// keep their numbers. x and y are computed before the branch, so no path from the edge to a node that it dominates
/// recomputes them. Values that only the condition reads have no copies.
///
///     before                    in the view
///     n1: if x < y → n2         n1: if x < y → n2
///     n2: z = x + 1             n2: x' = copy x, known: x' < y; z = x' + 1
///
/// After x == y, the copies copy the one that is computed first, so that equal values are seen to be equal.
///
/// Bodik, Gupta, Sarkar, "ABCD: eliminating array bounds checks on demand", PLDI 2000, whose e-SSA form has such copies
/// (π) for each branch. Departure: phis do not merge the copies where paths meet, because facts there are facts about
/// the original.
///
/// Refers to the workspace, which must not serve another view meanwhile.
template <semantic_ir IR> class branch_facts_view {
public:
  using constant_type = constant_of<IR>;
  using fact = branch_fact<constant_type>;
  using workspace = branch_facts_workspace<constant_type>;

  branch_facts_view(const IR& ir, workspace& w, opaque_operands opaque = opaque_operands::hidden)
      : ir_(ir), count_(static_cast<value_id>(ir.num_values())), shows_opaque_(opaque == opaque_operands::shown),
        facts_(w.facts_), copies_(w.copies_), memory_(start(w, count_)), values_(memory_, count_ + count_ / 4),
        operands_(memory_, 2 * std::size_t{count_}), operands_of_(memory_, count_ + count_ / 4), inputs_(memory_, 16),
        renamings_(memory_, 16), open_(memory_, 16) {
    const auto& g = ir.graph();
    dominators(g, semi_nca, w.dominators_, w.tree_);
    dominating_edges(g, w.tree_, w.dominating_);
    const auto nodes = static_cast<std::size_t>(g.num_nodes());
    bounds_ = memory_.template array<range>(nodes, {0, 0});
    conditions_ = memory_.template array<value_id>(nodes, no_value);
    first_input_ = memory_.template array<std::uint32_t>(static_cast<std::size_t>(g.num_edges()), no_input);
    ordinals_ = memory_.template array<std::uint32_t>(count_, 0);
    ranks_ = memory_.template array<std::uint32_t>(count_, 0);
    reads_ = memory_.template array<std::uint8_t>(count_, 0);
    names_ = memory_.template array<value_id>(count_);
    for (value_id v = 0; v != count_; ++v) {
      names_[v] = v;
      operands_of_.push({0, 0});
    }
    for (const node_id n : w.tree_.preorder()) {
      count_reads(n);
    }
    for (const node_id n : w.tree_.preorder()) {
      undo_up_to(w.tree_.immediate_dominator(n));
      open_.push({n, static_cast<std::uint32_t>(renamings_.size())});
      rename(n, w.dominating_[n]);
    }
  }

  const auto& graph() const { return ir_.graph(); }

  std::size_t num_values() const { return count_ + copies_.size(); }

  span<const value_id> values(node_id n) const {
    return {values_.data() + bounds_[n].first, values_.data() + bounds_[n].last};
  }

  span<const value_id> operands(value_id v) const {
    const range& of = operands_of_.data()[v];
    return {operands_.data() + of.first, operands_.data() + of.last};
  }

  bool is_phi(value_id v) const { return v < count_ && ir_.is_phi(v); }

  value_id phi_input(value_id v, edge_id e) const {
    return first_input_[e] == no_input ? static_cast<value_id>(ir_.phi_input(v, e))
                                       : inputs_.data()[first_input_[e] + ordinals_[v]];
  }

  value_id condition(node_id n) const { return conditions_[n]; }

  operation_info operation(value_id v) const {
    if (v < count_) {
      return ir_.operation(v);
    }
    const std::uint8_t width = ir_.operation(copies_[v - count_].original).width;
    return {midend::operation::copy, width, width, {}};
  }

  std::optional<constant_type> constant(value_id v) const {
    return v < count_ ? std::optional<constant_type>(ir_.constant(v)) : std::nullopt;
  }

  std::optional<constant_type> fold(value_id v, span<const constant_type> args) const
    requires has_fold<IR>
  {
    return ir_.fold(v, args);
  }

  std::optional<constant_type> fold(value_id v, span<const std::optional<constant_type>> args) const
    requires has_partial_fold<IR>
  {
    return ir_.fold(v, args);
  }

  std::optional<constant_type> edge_case(edge_id e) const
    requires has_edge_case<IR>
  {
    return ir_.edge_case(e);
  }

  decltype(auto) edge_cases(edge_id e) const
    requires has_edge_cases<IR>
  {
    return ir_.edge_cases(e);
  }

  bool is_undefined(value_id v) const
    requires has_is_undefined<IR>
  {
    return v < count_ && ir_.is_undefined(v);
  }

  bool never_returns(value_id v) const
    requires has_never_returns<IR>
  {
    return v < count_ && ir_.never_returns(v);
  }

  optional<number_range> bounds(value_id v) const
    requires has_bounds<IR>
  {
    return v < count_ ? optional<number_range>(ir_.bounds(v)) : std::nullopt;
  }

  optional<number_facts> facts(value_id v) const
    requires has_facts<IR>
  {
    return v < count_ ? optional<number_facts>(ir_.facts(v)) : std::nullopt;
  }

  bool is_opaque(value_id v) const
    requires has_is_opaque<IR>
  {
    return v < count_ && ir_.is_opaque(v);
  }

  bool same_type(value_id v, value_id w) const
    requires has_same_type<IR>
  {
    return static_cast<bool>(ir_.same_type(original(v), original(w)));
  }

  /// The fact about a copy; its subject is the copied value or, after x == y, the value equal to it.
  const fact* implied(value_id v) const { return v < count_ ? nullptr : &copies_[v - count_].known; }

  /// The value of `ir` that a copy stands for.
  value_id original(value_id v) const { return v < count_ ? v : copies_[v - count_].original; }

private:
  static constexpr std::uint32_t no_input = 0xffff'ffff;

  struct range {
    std::uint32_t first;
    std::uint32_t last;
  };

  struct renaming {
    value_id original;
    value_id old_name;
  };

  struct open_node {
    node_id node;
    std::uint32_t renamings; ///< the number of earlier renamings
  };

  static arena& start(workspace& w, std::size_t count) {
    w.copies_.clear();
    w.memory_.reset(48 * count + 256);
    return w.memory_;
  }

  /// Counts the readers of values, up to two. The condition of a branch is one.
  void count_reads(node_id n) {
    for_each_id(ir_.values(n), [&](value_id v) {
      if (!ir_.is_phi(v) && is_shown(v)) {
        for_each_id(ir_.operands(v), [&](value_id operand) { count_read(operand); });
      }
    });
    count_read(ir_.condition(n));
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)),
                   [&](value_id phi) { count_read(ir_.phi_input(phi, e)); });
    });
  }

  void count_read(value_id v) {
    if (v != no_value) {
      reads_[v] = static_cast<std::uint8_t>(reads_[v] | (reads_[v] << 1) | 1); // 0, 1, 3, …
    }
  }

  bool is_shown(value_id v) const { return shows_opaque_ || !midend::is_opaque(ir_, v); }

  /// Undoes the renamings of nodes that do not dominate the next one.
  void undo_up_to(node_id dominator) {
    while (!open_.empty() && open_.top().node != dominator) {
      while (renamings_.size() != open_.top().renamings) {
        const renaming last = renamings_.pop();
        names_[last.original] = last.old_name;
      }
      open_.pop();
    }
  }

  void push(value_id v) {
    values_.push(v);
    ranks_[v] = static_cast<std::uint32_t>(values_.size());
  }

  value_id name(value_id v) const { return v == no_value ? no_value : names_[v]; }

  void rename(node_id n, edge_id dominating) {
    const auto first = static_cast<std::uint32_t>(values_.size());
    std::uint32_t phis = 0;
    for_each_phi(ir_, n, [&](value_id phi) {
      ordinals_[phi] = phis++;
      push(phi);
    });
    if (dominating != no_edge) {
      collect_branch_facts(ir_, dominating, facts_);
      for (const fact& known : facts_) {
        if (reads_[known.subject] > 1) {
          const value_id made = make_copy(known);
          renamings_.push({known.subject, names_[known.subject]});
          names_[known.subject] = made;
        }
      }
    }
    for_each_id(ir_.values(n), [&](value_id v) {
      if (!ir_.is_phi(v)) {
        push(v);
        if (is_shown(v)) {
          const auto first_operand = static_cast<std::uint32_t>(operands_.size());
          for_each_id(ir_.operands(v), [&](value_id operand) { operands_.push(name(operand)); });
          operands_of_.data()[v] = {first_operand, static_cast<std::uint32_t>(operands_.size())};
        }
      }
    });
    conditions_[n] = name(ir_.condition(n));
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { rename_inputs(e); });
    bounds_[n] = {first, static_cast<std::uint32_t>(values_.size())};
  }

  /// Copies for phis alone are at the end of the edge's source, because they are read on the edge only.
  void rename_inputs(edge_id e) {
    first_input_[e] = static_cast<std::uint32_t>(inputs_.size());
    facts_.clear();
    bool are_collected = false;
    for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
      if (!are_collected) {
        collect_branch_facts(ir_, e, facts_);
        are_collected = true;
      }
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
      value_id arrives = name(input);
      for (const fact& known : facts_) {
        if (known.subject == input) {
          arrives = make_copy(known, arrives);
        }
      }
      inputs_.push(arrives);
    });
  }

  value_id make_copy(const fact& known) { return make_copy(known, names_[known.subject]); }

  value_id make_copy(fact known, value_id present) {
    const auto made = static_cast<value_id>(num_values());
    const value_id original = known.subject;
    const bool copies_other =
        known.code == operation::equal && known.other != no_value && ranks_[known.other] < ranks_[original];
    known.subject = present;
    known.other = name(known.other);
    const auto first = static_cast<std::uint32_t>(operands_.size());
    operands_.push(copies_other ? known.other : known.subject);
    if (known.other != no_value) {
      operands_.push(copies_other ? known.subject : known.other);
    }
    operands_of_.push({first, static_cast<std::uint32_t>(operands_.size())});
    copies_.push_back({original, known});
    values_.push(made);
    return made;
  }

  const IR& ir_;
  value_id count_;
  bool shows_opaque_;
  dense_values<fact>& facts_; ///< of the present edge
  dense_values<typename workspace::copy>& copies_;
  arena& memory_;
  arena_stack<value_id> values_;
  arena_stack<value_id> operands_;
  arena_stack<range> operands_of_; ///< by value of the view
  arena_stack<value_id> inputs_;
  arena_stack<renaming> renamings_;
  arena_stack<open_node> open_;
  range* bounds_ = nullptr; ///< by node: of its values
  value_id* conditions_ = nullptr;
  std::uint32_t* first_input_ = nullptr; ///< by edge
  std::uint32_t* ordinals_ = nullptr;    ///< by phi: its index among the phis of its node
  std::uint32_t* ranks_ = nullptr;       ///< by value of `ir`: its position in the walk, 0 if it is in no node
  std::uint8_t* reads_ = nullptr;        ///< by value of `ir`: more than 1 if there are two readers
  value_id* names_ = nullptr;            ///< by value of `ir`: its name at the current node
};

} // namespace detail

MIDEND_END_NAMESPACE
