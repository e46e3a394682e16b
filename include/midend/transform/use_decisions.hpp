/// `use_decisions`: after a branch on a bit, what reads the bit reads the number that the branch has found.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A use of a bit that branches decide.
struct decided_use {
  value_id user;         ///< an operation or a phi
  edge_id edge;          ///< of the input, if `user` is a phi; else `no_edge`
  std::uint32_t operand; ///< if `user` is an operation
  bool bit;              ///< what is read from now on

  friend constexpr bool operator==(const decided_use&, const decided_use&) = default;
};

/// What `use_decisions` will do. To veto a change, remove it.
struct decision_plan {
  std::uint64_t epoch = 0;
  flat_array<decided_use> uses; ///< by node, in preorder of the dominator tree

  bool empty() const { return uses.empty(); }
};

/// What `use_decisions` requires of an editor.
template <class E>
concept decision_editor = effect_ir<E> && semantic_ir<E> && has_cases_of_edges<E> && graph_has_in_edges<E> &&
                          can_set_operands<E> && can_set_phi_inputs<E> && can_make_numbers<E>;

namespace detail {

/// The error of what is no such editor: one sentence for each thing that is missing. Always false.
template <class E> constexpr bool explain_decision_editor() {
  static_assert(
      effect_ir<E> && semantic_ir<E> && has_cases_of_edges<E>,
      "midend: to use decisions, an editor needs the semantics and effects of values, and `edge_case` or `edge_cases`");
  static_assert(graph_has_in_edges<E>, "midend: to use decisions, the graph of an editor needs `in_edges(n)`");
  static_assert(can_set_operands<E>, "midend: to use decisions, an editor needs `void set_operand(midend::value_id "
                                     "user, std::size_t i, midend::value_id v)`");
  static_assert(can_set_phi_inputs<E>, "midend: to use decisions, an editor needs `void "
                                       "set_phi_input(midend::value_id phi, midend::edge_id e, midend::value_id v)`");
  static_assert(can_make_numbers<E>, "midend: to use decisions, an editor needs `midend::value_id "
                                     "make_number(unsigned width, std::uint64_t bits)`");
  return false;
}

} // namespace detail

/// What functions take: a `decision_editor`; otherwise an error.
template <class E>
concept decision_editor_argument = decision_editor<E> || detail::explain_decision_editor<E>();

namespace detail {

/// How far bits are followed from a branch to what its condition is computed from, and from a use likewise.
inline constexpr unsigned decided_bits_depth = 4;

/// Wherever `node` dominates, `value` is `bit`.
struct decided_bit {
  node_id node;
  value_id value;
  bool bit;
  std::uint32_t previous; ///< about the value
};

template <class IR> class decision_planner;

} // namespace detail

/// The memory of `plan_use_decisions`, to be reused.
class use_decisions_workspace {
  template <class IR> friend class detail::decision_planner;

  dominators_workspace dominating_;
  dominator_tree tree_;
  flat_array<std::uint32_t> last_;     ///< by value, of the nodes so far
  flat_array<unsigned char> is_local_; ///< by value: it is in a node
  flat_array<detail::decided_bit> facts_;
};

namespace detail {

template <class IR> class decision_planner {
public:
  decision_planner(const IR& ir, use_decisions_workspace& workspace, decision_plan& out)
      : ir_(ir), out_(out), w_(workspace) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    out_.uses.clear();
    if (!may_decide_uses()) {
      return;
    }
    dominators(ir_.graph(), semi_nca, w_.dominating_, w_.tree_);
    facts_.clear();
    last_.assign(static_cast<std::size_t>(ir_.num_values()), none);
    is_local_.assign(last_.size(), 0);
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { is_local_[v] = 1; });
    }
    for (const node_id n : tree_.preorder()) {
      enter(n);
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v)) {
          plan_operands(n, v);
        }
      });
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { plan_inputs(n, e); });
    }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// Whether something besides branches reads a bit that a branch decides: else, nothing can be planned. A look at
  /// users is cheaper than dominators, and most conditions are read once.
  bool may_decide_uses() const {
    if constexpr (has_users<IR>) {
      bool may = false;
      for (node_id n = 0; !may && n != node_count(ir_.graph()); ++n) {
        const auto condition = static_cast<value_id>(ir_.condition(n));
        if (condition != no_value && ir_.operation(condition).width == 1 && may_be_decided(condition)) {
          const operation code = ir_.is_phi(condition) ? operation::other : ir_.operation(condition).code;
          std::size_t branches = 0; // 0: terminators are no values
          may = code == operation::bit_and || code == operation::bit_or || code == operation::bit_not;
          for_each_id(ir_.users(condition), [&](value_id user) {
            const bool is_branch = !ir_.is_phi(user) && is_terminator(ir_, user);
            branches += is_branch ? 1 : 0;
            may = may || !is_branch;
          });
          may = may || branches != 1;
        }
      }
      return may;
    } else {
      return true;
    }
  }

  enum class known : std::uint8_t { nothing, zero, one };

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  /// What the branch says if it takes `e`: `nothing` if it is no branch on a bit.
  known decided_by(edge_id e) const {
    const auto condition = static_cast<value_id>(ir_.condition(source(e)));
    if (condition == no_value || ir_.operation(condition).width != 1) {
      return known::nothing;
    }
    if (const auto one = only_case(ir_, e)) {
      return static_cast<std::uint64_t>(*one) != 0 ? known::one : known::zero;
    }
    if (has_cases(ir_, e)) {
      return known::nothing; // both bits
    }
    known other = known::nothing; // what the only other case is
    std::size_t others = 0;
    for_each_id(ir_.graph().out_edges(source(e)), [&](edge_id f) {
      others += f != e && !only_case(ir_, f) ? 2U : 0U;
      if (const auto one = only_case(ir_, f)) {
        other = static_cast<std::uint64_t>(*one) != 0 ? known::one : known::zero;
        ++others;
      }
    });
    return others != 1 ? known::nothing : other == known::one ? known::zero : known::one;
  }

  /// The only edge into `n` from a reachable node that `n` does not dominate; `no_edge` if there is not exactly one.
  edge_id only_way_into(node_id n) const {
    edge_id in = no_edge;
    std::size_t ways = n == static_cast<node_id>(ir_.graph().entry()) ? 1 : 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      if (tree_.is_reachable(source(e)) && !tree_.dominates(n, source(e))) {
        in = e;
        ++ways;
      }
    });
    return ways == 1 ? in : no_edge;
  }

  void enter(node_id n) {
    const edge_id in = only_way_into(n);
    if (in != no_edge) {
      each_decided(in, [&](value_id v, bool bit) {
        facts_.push_back({n, v, bit, last_at(n, v)});
        last_[v] = static_cast<std::uint32_t>(facts_.size() - 1);
      });
    }
  }

  /// The bits that taking `e` decides: the condition and what it is computed from.
  template <class Visit> void each_decided(edge_id e, Visit visit) const {
    const known bit = decided_by(e);
    if (bit != known::nothing) {
      each_implied(static_cast<value_id>(ir_.condition(source(e))), bit == known::one, decided_bits_depth, visit);
    }
  }

  template <class Visit> void each_implied(value_id v, bool bit, unsigned depth, Visit& visit) const {
    if (is_local_[v] == 0 && !may_be_decided(v)) {
      return;
    }
    visit(v, bit);
    if (is_local_[v] == 0 || depth == 0 || ir_.is_phi(v)) {
      return;
    }
    const operation code = ir_.operation(v).code;
    const bool inverts = code == operation::bit_not;
    if (inverts || (code == operation::bit_and && bit) || (code == operation::bit_or && !bit)) {
      for_each_id(ir_.operands(v), [&](value_id x) { each_implied(x, bit != inverts, depth - 1, visit); });
    }
  }

  /// Parameters may; literals are known, and `undef` may be another value at each read.
  bool may_be_decided(value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      if (ir_.is_undefined(v)) {
        return false;
      }
    }
    return !ir_.constant(v);
  }

  /// The last fact about a value at `n`. In preorder, one that does not dominate a node dominates none after it.
  std::uint32_t last_at(node_id n, value_id v) {
    std::uint32_t& last = last_[v];
    while (last != none && !tree_.dominates(facts_[last].node, n)) {
      last = facts_[last].previous;
    }
    return last;
  }

  /// What is known about `v` in `n`, after taking `e` if that is an edge.
  known bit_at(node_id n, edge_id e, value_id v, unsigned depth = decided_bits_depth) {
    if (v == no_value || ir_.operation(v).width != 1 || !may_be_decided(v)) {
      return known::nothing;
    }
    if (const std::uint32_t i = last_at(n, v); i != none) {
      return facts_[i].bit ? known::one : known::zero;
    }
    known found = known::nothing;
    if (e != no_edge) {
      each_decided(e, [&](value_id x, bool bit) { found = x == v ? (bit ? known::one : known::zero) : found; });
    }
    if (found != known::nothing || is_local_[v] == 0 || depth == 0 || ir_.is_phi(v)) {
      return found;
    }
    return computed_at(n, e, v, depth);
  }

  /// The same from what is known about the operands.
  known computed_at(node_id n, edge_id e, value_id v, unsigned depth) {
    const operation code = ir_.operation(v).code;
    if (code != operation::bit_not && code != operation::bit_and && code != operation::bit_or) {
      return known::nothing;
    }
    const known strong = code == operation::bit_and ? known::zero : known::one; // one operand suffices
    const known weak = code == operation::bit_and ? known::one : known::zero;
    known out = weak;
    for_each_id(ir_.operands(v), [&](value_id x) {
      const known bit = bit_at(n, e, x, depth - 1);
      if (code == operation::bit_not) {
        out = bit == known::nothing ? bit : bit == known::one ? known::zero : known::one;
      } else if (bit == strong) {
        out = strong;
      } else if (bit == known::nothing && out != strong) {
        out = bit;
      }
    });
    return out;
  }

  void plan_operands(node_id n, value_id user) {
    std::uint32_t i = 0;
    for_each_id(ir_.operands(user), [&](value_id x) {
      if (const known bit = bit_at(n, no_edge, x); bit != known::nothing && may_replace_operand(ir_, user, i)) {
        out_.uses.push_back({user, no_edge, i, bit == known::one});
      }
      ++i;
    });
  }

  void plan_inputs(node_id n, edge_id e) {
    for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
      if (const known bit = bit_at(n, e, static_cast<value_id>(ir_.phi_input(phi, e))); bit != known::nothing) {
        out_.uses.push_back({phi, e, 0, bit == known::one});
      }
    });
  }

  const IR& ir_;
  decision_plan& out_;
  use_decisions_workspace& w_;
  const dominator_tree& tree_ = w_.tree_;
  flat_array<std::uint32_t>& last_ = w_.last_;
  flat_array<unsigned char>& is_local_ = w_.is_local_;
  flat_array<decided_bit>& facts_ = w_.facts_;
};

} // namespace detail

/// The uses of bits that branches decide. Where each way passes an edge of a branch on a bit, the bit is known; so are
/// the operands of a conjunction that holds and of a disjunction that does not, that of a negation, and what such
/// operations compute from known bits. Inputs of phis are read on their edge. This is the part of conditional constant
/// propagation that M. Wegman and K. Zadeck ("Constant propagation with conditional branches", TOPLAS 1991, section 6)
/// leave to assertions after branches; uses are looked up instead of given names.
///
/// Conditions of later branches are uses, too: `sccp` or `clean_control` then drops their other edges. Literals and
/// `undef` stay. Requires that a branch on an undefined value is itself undefined, or that none is there.
///
/// O(n + m + values + operands), apart from `dominators`: bits are followed over at most four operations.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
void plan_use_decisions(const IR& ir, use_decisions_workspace& workspace, decision_plan& out) {
  detail::decision_planner<IR>(ir, workspace, out).run();
}

template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
decision_plan plan_use_decisions(const IR& ir) {
  use_decisions_workspace workspace;
  decision_plan plan;
  plan_use_decisions(ir, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is. No operation is made or erased, and no edge is dropped. The certificate is
/// the new program: `verify_use_decisions` compares it with the old one.
template <decision_editor_argument E> void apply_use_decisions(E& editor, const decision_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const decided_use& u : plan.uses) {
    value_id old = u.edge != no_edge ? static_cast<value_id>(editor.phi_input(u.user, u.edge)) : no_value;
    std::uint32_t i = 0;
    if (u.edge == no_edge) {
      detail::for_each_id(editor.operands(u.user), [&](value_id x) { old = i++ == u.operand ? x : old; });
    }
    const value_id number = number_like(editor, old, 1, u.bit ? 1 : 0);
    if (number == no_value) {
      continue;
    }
    if (u.edge != no_edge) {
      editor.set_phi_input(u.user, u.edge, number);
    } else {
      editor.set_operand(u.user, u.operand, number);
    }
  }
}

/// Plans and applies; returns the plan.
template <decision_editor_argument E> decision_plan use_decisions(E& editor) {
  decision_plan plan = plan_use_decisions(editor);
  apply_use_decisions(editor, plan);
  return plan;
}

MIDEND_END_NAMESPACE
