/// `verify_use_decisions`: checks that bits were replaced by numbers only where branches have decided them.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/paired_programs.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a program in which decisions were used.
enum class decision_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs have other nodes
  changed_flow,      ///< an edge, its target or its case
  changed_operation, ///< another operation, or one that is missing or in another place
  wrong_operand,     ///< what is read is neither the old value nor a bit
  not_decided,       ///< a bit is read that no branch on every way has decided so
};

/// The answer of `verify_use_decisions`: the first fault and its place, or none.
struct decision_verdict {
  decision_fault fault = decision_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == decision_fault::none; }
};

namespace detail {

template <class Before, class After> class decision_checker {
public:
  decision_checker(const Before& before, const After& after)
      : pair_(before, after), before_(before), after_(after), tree_(dominators(before.graph())) {}

  decision_verdict run() {
    if (!pair_.read()) {
      fail(decision_fault::wrong_size, no_node);
      return verdict_;
    }
    newest_.assign(2 * pair_.num_old_values(), none);
    for (std::size_t i = 0; ok() && i != tree_.preorder().size(); ++i) {
      const node_id n = tree_.preorder()[i];
      note_last_way(n);
      check_node(n);
    }
    return verdict_;
  }

private:
  /// How many operations are followed, from a condition or from what is read.
  static constexpr unsigned most_operations = 4;
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// A bit that the last edge on each way to a node shows.
  struct shown_bit {
    node_id node;
    std::uint32_t earlier; ///< the one before it of the same value and bit
  };

  bool ok() const { return verdict_.fault == decision_fault::none; }

  void fail(decision_fault fault, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_ = {fault, n, v};
    }
  }

  void check_node(node_id n) {
    if (!same_flow(n)) {
      fail(decision_fault::changed_flow, n);
      return;
    }
    old_values_.clear();
    for_each_id(before_.values(n), [&](value_id v) { old_values_.push_back(v); });
    std::size_t i = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (i == old_values_.size() || old_values_[i] != v || !pair_.same_operation(v, v)) {
        fail(decision_fault::changed_operation, n, v);
      } else if (!before_.is_phi(v)) {
        check_operands(n, v);
      }
      ++i;
    });
    if (i != old_values_.size()) {
      fail(decision_fault::changed_operation, n);
    }
    check_read(n, no_edge, no_value, static_cast<value_id>(before_.condition(n)),
               static_cast<value_id>(after_.condition(n)));
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (phi >= pair_.num_old_values() || !before_.is_phi(phi)) {
          fail(decision_fault::changed_operation, n, phi);
        } else if (ok()) {
          check_read(n, e, phi, static_cast<value_id>(before_.phi_input(phi, e)),
                     static_cast<value_id>(after_.phi_input(phi, e)));
        }
      });
    });
  }

  bool same_flow(node_id n) {
    if (!pair_.same_edges(n)) {
      return false;
    }
    const bool had = static_cast<value_id>(before_.condition(n)) != no_value;
    return had == (static_cast<value_id>(after_.condition(n)) != no_value);
  }

  void check_operands(node_id n, value_id v) {
    old_operands_.clear();
    for_each_id(before_.operands(v), [&](value_id x) { old_operands_.push_back(x); });
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id x) {
      if (i == old_operands_.size()) {
        fail(decision_fault::changed_operation, n, v);
      } else if (ok()) {
        check_read(n, no_edge, v, old_operands_[i], x);
      }
      i = i == old_operands_.size() ? i : i + 1;
    });
    if (i != old_operands_.size()) {
      fail(decision_fault::changed_operation, n, v);
    }
  }

  /// Node `n`, or a phi on edge `e` from there, read `was` and reads `is`.
  void check_read(node_id n, edge_id e, value_id user, value_id was, value_id is) {
    if (pair_.same_value(was, is)) {
      return;
    }
    if (was == no_value || is == no_value || was >= pair_.num_old_values() || pair_.new_home[is] != no_node ||
        !after_.constant(is) || width(before_, was) != 1 || width(after_, is) != 1) {
      fail(decision_fault::wrong_operand, n, user);
    } else if (!is_known(n, e, was, static_cast<std::uint64_t>(*after_.constant(is)) != 0, most_operations)) {
      fail(decision_fault::not_decided, n, user);
    }
  }

  template <class IR> static unsigned width(const IR& ir, value_id v) { return ir.operation(v).width; }

  /// Whether `x` is `bit` at the end of each way that goes to `n` and then along `e`, if that is an edge.
  bool is_known(node_id n, edge_id e, value_id x, bool bit, unsigned depth) {
    return says(e, x, bit) || is_shown_at(n, x, bit) || (depth != 0 && follows(n, e, x, bit, depth - 1));
  }

  /// Whether the last edge into `n` or a node that dominates it shows it. Nodes come in preorder: what does not
  /// dominate one of them dominates none after it.
  bool is_shown_at(node_id n, value_id x, bool bit) {
    std::uint32_t& newest = newest_[2 * std::size_t{x} + (bit ? 1 : 0)];
    while (newest != none && !tree_.dominates(shown_[newest].node, n)) {
      newest = shown_[newest].earlier;
    }
    return newest != none;
  }

  void note_last_way(node_id n) {
    each_shown(last_way_into(n), [&](value_id x, bool bit) {
      std::uint32_t& newest = newest_[2 * std::size_t{x} + (bit ? 1 : 0)];
      shown_.push_back({n, newest});
      newest = static_cast<std::uint32_t>(shown_.size() - 1);
    });
  }

  /// Whether the operands of `x` show it.
  bool follows(node_id n, edge_id e, value_id x, bool bit, unsigned depth) {
    if (pair_.old_home[x] == no_node || before_.is_phi(x)) {
      return false;
    }
    const operation code = before_.operation(x).code;
    const bool all = code == operation::bit_not || code == (bit ? operation::bit_and : operation::bit_or);
    const bool one = code == (bit ? operation::bit_or : operation::bit_and);
    if (!all && !one) {
      return false;
    }
    bool out = all;
    for_each_id(before_.operands(x), [&](value_id y) {
      const bool wanted = bit != (code == operation::bit_not);
      if (out == all) { // not yet decided
        out = y != no_value && width(before_, y) == 1 && !is_literal(y) && is_known(n, e, y, wanted, depth);
      }
    });
    return out;
  }

  /// Whether a branch that takes `e` shows it.
  bool says(edge_id e, value_id x, bool bit) const {
    bool found = false;
    each_shown(e, [&](value_id y, bool is) { found = found || (y == x && is == bit); });
    return found;
  }

  /// `visit(value_id, bool)` for each bit that a branch shows if it takes `e`.
  template <class Visit> void each_shown(edge_id e, Visit visit) const {
    if (e == no_edge) {
      return;
    }
    const auto n = static_cast<node_id>(before_.graph().edge_source(e));
    const auto condition = static_cast<value_id>(before_.condition(n));
    if (condition == no_value || width(before_, condition) != 1) {
      return;
    }
    // A bit that an edge is taken for; without cases, one that is no case of another edge.
    bool may_be[2] = {false, false};
    if (has_cases(before_, e)) {
      list_bits(e, may_be);
    } else {
      bool is_case[2] = {false, false};
      for_each_id(before_.graph().out_edges(n), [&](edge_id f) { list_bits(f, is_case); });
      may_be[0] = !is_case[0];
      may_be[1] = !is_case[1];
    }
    if (may_be[0] != may_be[1]) {
      const bool taken_for = may_be[1];
      each_meant(condition, taken_for, most_operations, visit);
    }
  }

  /// Marks the bits that are cases of an edge.
  void list_bits(edge_id e, bool (&bits)[2]) const {
    for_each_case(before_, e, [&](const auto& one) {
      bits[0] = bits[0] || case_includes(1, one, constant_of<Before>{0});
      bits[1] = bits[1] || case_includes(1, one, constant_of<Before>{1});
    });
  }

  /// The same of each bit that follows if `y` is `is`.
  template <class Visit> void each_meant(value_id y, bool is, unsigned depth, Visit& visit) const {
    if (is_literal(y)) {
      return;
    }
    visit(y, is);
    if (depth == 0 || pair_.old_home[y] == no_node || before_.is_phi(y)) {
      return;
    }
    const operation code = before_.operation(y).code;
    if (code == operation::bit_not || code == (is ? operation::bit_and : operation::bit_or)) {
      for_each_id(before_.operands(y), [&](value_id z) {
        if (z != no_value && width(before_, z) == 1) {
          each_meant(z, is != (code == operation::bit_not), depth - 1, visit);
        }
      });
    }
  }

  /// A literal is not decided, and `undef` may be another value at each read.
  bool is_literal(value_id v) const {
    if constexpr (has_is_undefined<Before>) {
      if (before_.is_undefined(v)) {
        return true;
      }
    }
    return before_.constant(v).has_value();
  }

  /// The only edge into `n` from a reachable node that `n` does not dominate; `no_edge` if there is not exactly one.
  edge_id last_way_into(node_id n) const {
    edge_id only = no_edge;
    bool several = n == static_cast<node_id>(before_.graph().entry());
    for_each_id(before_.graph().in_edges(n), [&](edge_id e) {
      const auto source = static_cast<node_id>(before_.graph().edge_source(e));
      if (tree_.is_reachable(source) && !tree_.dominates(n, source)) {
        several = several || only != no_edge;
        only = e;
      }
    });
    return several ? no_edge : only;
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  dominator_tree tree_;
  decision_verdict verdict_;
  flat_array<shown_bit> shown_;
  flat_array<std::uint32_t> newest_; ///< into `shown_`, by 2 · value + bit, for nodes so far
  flat_array<value_id> old_values_;
  flat_array<value_id> old_operands_;
};

} // namespace detail

/// Checks that `after` is `before` but for bits that are read as numbers where branches have decided them. It shares no
/// code with `use_decisions`; what remains to be trusted is this function, `dominators`, `operation` and
/// `same_operation` of the IR. Requires IRs that `check_ir` accepts, and that a branch on an undefined value is itself
/// undefined, or that none is there.
///
/// **What is checked** of the reachable part. Edges, cases, operations and phis are the old ones, in their order. Each
/// operand, condition and input of a phi is the old one, or a literal of one bit where the old one was x, and
/// 1. the input is read on an edge, or the node is dominated by one, whose branch is taken only if x is that bit: x is
///    the condition, or the condition is computed from it by negations, by conjunctions that hold, and by disjunctions
///    that do not; or
/// 2. x is a negation, conjunction or disjunction whose operands are known in this way and give that bit.
///
/// No more than four operations are followed. An edge dominates its target, and what that dominates, if all other edges
/// into it come from nodes that it dominates.
///
/// **Why this is enough.** When control last took the edge, x was the bit. It still is: to be computed again before the
/// use, control would have to come to the definition of x, which dominates the branch, and from there to the use
/// without the edge; but there is a way from the entry to the definition without the edge, since the definition is not
/// dominated by it, and so the edge would not dominate the use.
///
/// O(n + m + values + operands), apart from `dominators`.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires has_operation<Before> && has_operation<After> && graph_has_in_edges<Before>
decision_verdict verify_use_decisions(const Before& before, const After& after) {
  return detail::decision_checker<Before, After>(before, after).run();
}

MIDEND_END_NAMESPACE
