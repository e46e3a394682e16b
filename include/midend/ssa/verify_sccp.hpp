/// `verify_sccp`: proves that a result of `sccp` holds on every run.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The kinds of faults.
enum class sccp_fault : std::uint8_t {
  none,
  other_program, ///< the numbers of values, nodes or edges differ
  node,          ///< `node` may be executed: it is the entry, or `edge` leads there
  edge,          ///< control may take `edge`
  fact,          ///< the claim about `value` does not follow; if `edge` is valid, not from its input
  not_computed,  ///< `value` may have a value, contrary to the claim
  undefined      ///< `value` is claimed to be always `undef`, and need not be
};

/// The first fault and its place. Members that do not apply are `no_…`.
struct sccp_error {
  sccp_fault fault = sccp_fault::none;
  node_id node = no_node;
  value_id value = no_value;
  edge_id edge = no_edge;

  constexpr explicit operator bool() const { return fault != sccp_fault::none; }

  friend constexpr bool operator==(const sccp_error&, const sccp_error&) = default;
};

namespace detail {

/// Examines each value, edge and phi input once. Shares no code with the solver. `Equal` tells which values are known
/// to be equal: `equal(v, w)`.
template <class IR, class D, class Equal = no_congruence> class sccp_checker {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr sccp_checker(const IR& ir, const sccp_result<D>& claimed, const sccp_options& options, Equal equal = {})
      : ir_(ir), claimed_(claimed), domain_(claimed.domain()), options_(options), equal_(equal) {}

  /// Checks the first `num_values` values of the IR; the others are copies after branches.
  constexpr sccp_error run(std::size_t num_values) {
    const auto& g = ir_.graph();
    if (claimed_.num_values() != num_values || claimed_.facts_.size() < static_cast<std::size_t>(ir_.num_values()) ||
        claimed_.num_nodes() != static_cast<std::size_t>(g.num_nodes()) ||
        claimed_.num_edges() != static_cast<std::size_t>(g.num_edges())) {
      return {sccp_fault::other_program};
    }
    const auto nodes = static_cast<node_id>(ir_.graph().num_nodes());
    check_outside(nodes);
    if (nodes != 0 && !claimed_.is_executable(static_cast<node_id>(ir_.graph().entry()))) {
      fail({sccp_fault::node, static_cast<node_id>(ir_.graph().entry())});
    }
    for (node_id n = 0; n != nodes && !error_; ++n) {
      if (claimed_.is_executable(n)) {
        check_node(n);
      }
    }
    return error_;
  }

private:
  static constexpr bool has_numbers = std::same_as<constant_type, std::uint64_t>;

  constexpr void fail(const sccp_error& error) { error_ = error_ ? error_ : error; }

  // ---- The claims.

  /// Whether `v` is claimed to be always `undef`, under a policy that gives this a meaning.
  constexpr bool is_free(value_id v) const {
    return options_.undefined == undef_policy::any_value && claimed_.is_undefined(v);
  }

  /// Whether the claim is that no run computes `v`.
  constexpr bool is_absent(value_id v) const { return !claimed_.is_computed(v); }

  constexpr unsigned width_of(value_id v) const { return ir_.operation(v).width; }

  // ---- Values.

  /// Checks literals, parameters and all other values outside nodes.
  constexpr void check_outside(node_id nodes) {
    const auto count = static_cast<value_id>(ir_.num_values());
    bit_row inside(count);
    for (node_id n = 0; n != nodes; ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { inside.set(v); });
    }
    for (value_id v = 0; v != count && !error_; ++v) {
      if (inside.test(v)) {
        continue;
      }
      bool is_literal_undef = false;
      if constexpr (has_is_undefined<IR>) {
        is_literal_undef = ir_.is_undefined(v);
      }
      if (claimed_.is_undefined(v) && !(is_literal_undef && is_free(v))) {
        fail({sccp_fault::undefined, no_node, v});
      }
      require(v, no_node, no_edge, constant_or_promised(v, ir_.constant(v)));
    }
  }

  /// Checks values up to the first that never returns; if there is none, also the edges.
  constexpr void check_node(node_id n) {
    bool passes = true;
    for_each_id(ir_.values(n), [&](value_id v) {
      if (passes && !error_) {
        ir_.is_phi(v) ? check_mark_of_phi(n, v) : check_operation(n, v);
        if constexpr (has_never_returns<IR>) {
          passes = !ir_.never_returns(v);
        }
      }
    });
    if (passes && !error_) {
      check_edges(n);
    }
  }

  /// Requires that the claim about `v` covers `follows`, the fact that follows.
  constexpr void require(value_id v, node_id n, edge_id e, const element& follows) {
    if (is_bottom(domain_, follows)) {
      return; // no run computes it
    }
    if (is_absent(v)) {
      fail({sccp_fault::not_computed, n, v, e});
    } else if (!less_or_equal(domain_, follows, claimed_.fact(v))) {
      fail({sccp_fault::fact, n, v, e});
    }
  }

  constexpr void check_mark_of_phi(node_id n, value_id phi) {
    if (is_free(phi)) {
      require(phi, n, no_edge, domain_.top(width_of(phi)));
    } else if (claimed_.is_undefined(phi)) {
      fail({sccp_fault::undefined, n, phi});
    }
  }

  /// Checks the input along an executable edge. An `undef` input may be any value that the claim about the phi allows.
  constexpr void check_input(node_id n, value_id phi, edge_id e) {
    const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
    if (input == no_value || is_absent(input)) {
      return;
    }
    if (is_free(input)) {
      if (is_absent(phi)) {
        fail({sccp_fault::not_computed, n, phi, e});
      }
    } else if (is_free(phi)) {
      fail({sccp_fault::undefined, n, phi, e});
    } else {
      require(phi, n, e, claimed_.fact(input));
    }
  }

  constexpr void check_operation(node_id n, value_id v) {
    const operation_info info = ir_.operation(v);
    if (claimed_.is_undefined(v)) {
      if constexpr (has_implied<IR>) {
        if (const auto* const implied = ir_.implied(v); implied && is_bottom(domain_, refined(*implied))) {
          return; // a copy on an edge that no run takes; its subject was undefined when the solver visited it
        }
      }
      if (is_free(v) && is_copy_of_undef(v, info)) {
        require(v, n, no_edge, domain_.top(info.width));
      } else {
        fail({sccp_fault::undefined, n, v});
      }
      return;
    }
    if constexpr (has_implied<IR>) {
      if (const auto* const implied = ir_.implied(v)) {
        require(v, n, no_edge, refined(*implied));
        return;
      }
    }
    if (is_opaque(ir_, v)) {
      require(v, n, no_edge, promised(v));
      return;
    }
    if constexpr (!std::same_as<Equal, no_congruence> && has_numbers) {
      if (follows_from_equal_operands(v, info)) {
        return;
      }
    }
    if constexpr (has_value_transfer<D>) {
      if (info.code != operation::other) {
        check_known(n, v, info);
        return;
      }
    }
    require(v, n, no_edge, folded(v, info));
  }

  /// Whether the claim allows the results of x - x, x == x and the like.
  constexpr bool follows_from_equal_operands(value_id v, const operation_info& info) const {
    const std::optional<std::uint64_t> result = result_for_equal_operands(info.code);
    if (!result || is_absent(v)) {
      return false;
    }
    const auto [a, b, c] = operands_of_known(ir_, v, info.code);
    return !is_absent(a) && !is_absent(b) && !is_undefined_literal(ir_, a) && !is_undefined_literal(ir_, b) &&
           equal_(a, b) && less_or_equal(domain_, domain_.constant(info.width, *result), claimed_.fact(v));
  }

  constexpr bool is_copy_of_undef(value_id v, const operation_info& info) const {
    return info.code == operation::copy && reads_free(v) && !is_opaque(ir_, v);
  }

  constexpr bool reads_free(value_id v) const {
    bool reads = false;
    for_each_id(ir_.operands(v), [&](value_id operand) { reads = reads || is_free(operand); });
    return reads;
  }

  /// Requires that the domain or the IR proves the fact. If a `select` chooses `undef`, that may be anything that the
  /// fact allows.
  constexpr void check_known(node_id n, value_id v, const operation_info& info) {
    element follows = transfer(v, info, std::nullopt);
    if (info.code == operation::select && reads_free(v)) {
      const element chosen = transfer(v, info, domain_.bottom());
      follows = is_bottom(domain_, chosen) ? follows : chosen;
    }
    if constexpr (has_partial_fold<IR>) {
      if (!is_bottom(domain_, follows) && !is_absent(v) && !less_or_equal(domain_, follows, claimed_.fact(v))) {
        if (const std::optional<constant_type> c = fold_some(v)) {
          follows = domain_.constant(info.width, *c);
        }
      }
    }
    require(v, n, no_edge, follows);
  }

  /// The fact from the operands. `of_undef` is the fact about `undef` operands; without it, they are any value.
  constexpr element transfer(value_id v, const operation_info& info, const std::optional<element>& of_undef) const {
    std::array<element, 3> args{domain_.bottom(), domain_.bottom(), domain_.bottom()};
    const std::size_t wanted = arity(info.code);
    std::size_t count = 0;
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count == wanted) {
        return;
      }
      element& arg = args[count];
      if (is_free(operand)) {
        arg = of_undef ? *of_undef : domain_.top(width_of(operand));
      } else if (!is_absent(operand)) {
        arg = claimed_.fact(operand);
      }
      if constexpr (!reads_any_width<D>) {
        if (!reads_whole(info.code, static_cast<unsigned>(count))) {
          arg = read_as(domain_, read_width(info), arg, width_of(operand));
        }
      }
      ++count;
    });
    return domain_.transfer(info, span<const element>(args.data(), wanted));
  }

  /// The fact about an operation that only the IR can compute. Bottom if an operand that it needs is not computed; an
  /// operation outside the vocabulary may not need it.
  constexpr element folded(value_id v, const operation_info& info) {
    if (const std::optional<constant_type> literal = ir_.constant(v)) {
      return constant_or_promised(v, literal);
    }
    if (info.code != operation::other && reads_absent(v)) {
      return domain_.bottom();
    }
    return constant_or_promised(v, fold_some(v));
  }

  constexpr bool reads_absent(value_id v) const {
    bool reads = false;
    for_each_id(ir_.operands(v), [&](value_id operand) { reads = reads || (is_absent(operand) && !is_free(operand)); });
    return reads;
  }

  constexpr std::optional<constant_type> fold_some(value_id v) {
    known_.clear();
    bool all = true;
    for_each_id(ir_.operands(v), [&](value_id operand) {
      const bool is_known = !is_free(operand) && !is_absent(operand);
      known_.push_back(is_known ? domain_.as_constant(claimed_.fact(operand)) : std::nullopt);
      all = all && known_.back();
    });
    if constexpr (has_partial_fold<IR>) {
      return ir_.fold(v, span<const std::optional<constant_type>>(known_));
    } else {
      constants_.clear();
      for (const std::optional<constant_type>& c : known_) {
        if (c) {
          constants_.push_back(*c);
        }
      }
      return all ? ir_.fold(v, span<const constant_type>(constants_)) : std::nullopt;
    }
  }

  /// The fact about a copy after a branch.
  template <class Fact> constexpr element refined(const Fact& implied) const {
    const auto present = [&](value_id v) { return is_absent(v) ? domain_.bottom() : claimed_.fact(v); };
    element subject = present(implied.subject);
    element other = implied.constant ? domain_.constant(implied.width, *implied.constant) : present(implied.other);
    if (is_bottom(domain_, subject) || is_bottom(domain_, other)) {
      return domain_.bottom();
    }
    if constexpr (has_assume<D>) {
      domain_.assume(implied.code, implied.width, subject, other);
    }
    return subject;
  }

  constexpr element constant_or_promised(value_id v, const std::optional<constant_type>& c) const {
    return c ? domain_.constant(width_of(v), *c) : promised(v);
  }

  /// The fact that holds for all operands.
  constexpr element promised(value_id v) const {
    element out = domain_.top(width_of(v));
    if constexpr (has_facts<IR> && has_known<D>) {
      if (const optional<number_facts> facts = ir_.facts(v)) {
        return domain_.known(*facts);
      }
    }
    if constexpr (has_bounds<IR> && has_assume<D>) {
      if (const optional<number_range> bounds = ir_.bounds(v)) {
        const unsigned width = width_of(v);
        assume(bounds->is_signed ? operation::greater_equal : operation::ugreater_equal, width, out, bounds->low);
        assume(bounds->is_signed ? operation::less_equal : operation::uless_equal, width, out, bounds->high);
      }
    }
    return out;
  }

  // ---- Edges.

  /// Requires claims for edges that may be taken, for their targets, and for the phis' inputs along them.
  constexpr void check_edges(node_id n) {
    const auto condition = static_cast<value_id>(ir_.condition(n));
    bool is_first = true;
    bool is_default_covered = false;
    bool is_default_examined = false;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (error_) {
        return;
      }
      const bool is_first_edge = is_first;
      is_first = false;
      if (claimed_.is_executable_edge(e)) {
        check_target(e);
        return;
      }
      bool may_be_taken = true;
      if (condition != no_value && is_free(condition)) {
        may_be_taken = options_.branch_on_undefined == undef_branch::all ||
                       (options_.branch_on_undefined == undef_branch::any && is_first_edge);
      } else if (condition != no_value && is_absent(condition)) {
        may_be_taken = false;
      } else if (condition != no_value) {
        bool has_cases = false;
        may_be_taken = false;
        for_each_case(ir_, e, [&](const auto& one) {
          has_cases = true;
          may_be_taken = may_be_taken || may_be_case(condition, one);
        });
        if (!has_cases) {
          if (!is_default_examined) {
            is_default_covered = cases_cover(n, condition);
            is_default_examined = true;
          }
          may_be_taken = !is_default_covered;
        }
      }
      if (may_be_taken) {
        fail({sccp_fault::edge, n, no_value, e});
      }
    });
  }

  constexpr void check_target(edge_id e) {
    const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
    if (!claimed_.is_executable(target)) {
      fail({sccp_fault::node, target, no_value, e});
      return;
    }
    for_each_phi(ir_, target, [&](value_id phi) {
      if (!error_) {
        check_input(target, phi, e);
      }
    });
  }

  constexpr bool may_be_case(value_id condition, const constant_type& one) const {
    return may_be(domain_, width_of(condition), claimed_.fact(condition), one);
  }

  constexpr bool may_be_case(value_id condition, const number_range& range) const {
    if (range.low == range.high) {
      return may_be_case(condition, range.low);
    }
    bool may = false;
    for_each_interval(range, width_of(condition),
                      [&](const interval& i) { may = may || may_be_in(condition, i.low, i.high); });
    return may;
  }

  /// Whether each value that the condition may have is a case of an edge. Cases are disjoint, as `check_ir` requires.
  /// So if only single values are listed, it is enough to count the possible ones. If there are ranges, the condition
  /// must not have a value in the gaps between them.
  constexpr bool cases_cover(node_id n, value_id condition) {
    std::uint64_t possible = 0;
    bool has_ranges = false;
    intervals_.clear();
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      for_each_case(ir_, e, [&](const auto& one) {
        possible += may_be_case(condition, one) ? 1u : 0u;
        if constexpr (has_numbers) {
          const number_range range = as_range(one);
          has_ranges = has_ranges || range.low != range.high;
          for_each_interval(range, width_of(condition), [&](const interval& i) { intervals_.push_back(i); });
        }
      });
    });
    return has_ranges ? !may_be_in_gap(condition)
                      : possible >= size_bound(domain_, width_of(condition), claimed_.fact(condition));
  }

  /// The numbers from `low` to `high`, unsigned.
  struct interval {
    std::uint64_t low;
    std::uint64_t high;

    friend constexpr bool operator<(const interval& a, const interval& b) { return a.low < b.low; }

    friend constexpr bool operator<=(const interval& a, const interval& b) { return a.low <= b.low; }
  };

  static constexpr number_range as_range(std::uint64_t c) { return {c, c, false}; }

  static constexpr number_range as_range(const number_range& range) { return range; }

  /// A signed range with numbers of both signs becomes two unsigned intervals.
  template <class Visit>
  static constexpr void for_each_interval(const number_range& range, unsigned width, Visit visit) {
    if (range.low <= range.high) {
      visit(interval{range.low, range.high});
    } else {
      visit(interval{0, range.high});
      visit(interval{range.low, low_ones(width)});
    }
  }

  constexpr bool may_be_in_gap(value_id condition) {
    heap_sort(intervals_.data(), intervals_.size());
    std::uint64_t next = 0; // all numbers below are in an interval, or examined
    for (const interval& i : intervals_) {
      if (next < i.low && may_be_in(condition, next, i.low - 1)) {
        return true;
      }
      if (i.high >= low_ones(width_of(condition))) {
        return false;
      }
      next = next < i.high + 1 ? i.high + 1 : next;
    }
    return may_be_in(condition, next, low_ones(width_of(condition)));
  }

  /// Whether the condition may be one of these numbers. Asks the domain about each half, where signed and unsigned
  /// order agree.
  constexpr bool may_be_in(value_id condition, std::uint64_t low, std::uint64_t high) const {
    const unsigned width = width_of(condition);
    const std::uint64_t middle = width == 0 ? 0 : std::uint64_t{1} << (width - 1);
    if (low < middle && high >= middle) {
      return may_be_in(condition, low, middle - 1) || may_be_in(condition, middle, high);
    }
    if constexpr (has_assume<D>) {
      element rest = claimed_.fact(condition);
      assume(operation::ugreater_equal, width, rest, low);
      assume(operation::uless_equal, width, rest, high);
      assume(operation::greater_equal, width, rest, low);
      assume(operation::less_equal, width, rest, high);
      return !is_bottom(domain_, rest);
    } else {
      const std::optional<std::uint64_t> only = domain_.as_constant(claimed_.fact(condition));
      return !only || (low <= *only && *only <= high);
    }
  }

  constexpr void assume(operation code, unsigned width, element& a, std::uint64_t c) const {
    element other = domain_.constant(width, c);
    domain_.assume(code, width, a, other);
  }

  const IR& ir_;
  const sccp_result<D>& claimed_;
  const D& domain_;
  const sccp_options& options_;
  [[no_unique_address]] Equal equal_;
  sccp_error error_;
  dense_values<std::optional<constant_type>> known_; ///< operands of the operation at hand
  dense_values<constant_type> constants_;
  flat_array<interval> intervals_; ///< of the cases of a node
};

} // namespace detail

/// The first reason why a result need not hold for `ir`, or none. Computes nothing anew. In one walk it checks three
/// things. The entry is executable. An edge from an executable node is executable, unless the condition cannot have its
/// case. The claimed fact of a value covers what follows from operands, from inputs of a phi along executable edges,
/// and from literals. By induction over the steps of a run, such facts hold on every run, whatever made them:
/// `docs/certificates.md` has the proof. They need not be the least ones.
///
/// `options` are those of the run, for `undef`. Claims for nodes that are not executable, for values after one that
/// never returns, and for unreachable nodes may be anything, unless they are claimed to be executable. Trusts the
/// domain (`transfer`, `assume`, `contains`, `size`, `join`) and the IR, which must pass `check_ir`. Facts that
/// branches have sharpened may not follow: for these, `verify_sccp_with_branch_facts`.
///
/// O(values + operands + edges + cases), and O(c log c) for a branch with c ranges as cases.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
constexpr sccp_error verify_sccp(const IR& ir, const sccp_result<D>& found, const sccp_options& options = {}) {
  return detail::sccp_checker<IR, D>(ir, found, options).run(static_cast<std::size_t>(ir.num_values()));
}

/// For a result of `sccp_with_branch_facts`. Also trusts the view in which values have copies after branches, and
/// copies what it copies.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
  requires has_assume<D>
sccp_error verify_sccp_with_branch_facts(const IR& ir, const sccp_result<D>& found, const sccp_options& options = {}) {
  detail::branch_facts_workspace<constant_of<IR>> workspace;
  const detail::branch_facts_view<IR> view(ir, workspace);
  return detail::sccp_checker<detail::branch_facts_view<IR>, D>(view, found, options)
      .run(static_cast<std::size_t>(ir.num_values()));
}

MIDEND_END_NAMESPACE
