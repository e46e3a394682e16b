/// `plan_value_numbering`: the changes to a program that follow from the result of `value_numbering`, as data.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/staying_nodes.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// `promises_more(v, w)` says whether `v` promises something that `w`, of its class, does not promise: see
/// `plan_value_numbering`. Optional.
template <class IR>
concept has_promises_more = requires(const IR& ir, value_id v) {
  { ir.promises_more(v, v) } -> truth_value;
};

/// An operation that becomes a phi: see `add_phis_of_operations`.
template <class Constant> struct phi_of_operations {
  /// The input for `edge`: a value, or a constant if `value` is `no_value`.
  struct input {
    edge_id edge;
    value_id value;
    std::optional<Constant> constant;
  };

  value_id value; ///< replaced by a phi of `node`
  node_id node;
  value_id phi;              ///< one of the program, or `no_value`
  value_id first;            ///< valid if `phi` is `no_value`: the value of the list that has this phi made
  std::vector<input> inputs; ///< one for each edge into `node`
};

/// A plan. To veto the replacement of a value, remove it from its list. The others stay valid; promises that the plan
/// drops must still be dropped.
template <class Constant> struct value_numbering_plan {
  /// Every use of `value` becomes `leader`, which dominates it.
  struct replacement {
    value_id value;
    value_id leader;
    bool is_removable; ///< computing it has no other effect, so it can be erased
  };

  sccp_plan<Constant> constants;         ///< constants, dead edges and dead nodes
  std::vector<replacement> replacements; ///< leaders are in no list of values to be replaced
  flat_array<value_id> dropped_promises; ///< leaders that promise more than a value that they replace; by first need
  std::vector<phi_of_operations<Constant>> phis; ///< each `first` before those that refer to it

  bool empty() const { return constants.empty() && replacements.empty() && phis.empty(); }

  void clear() {
    constants.clear();
    replacements.clear();
    dropped_promises.clear();
    phis.clear();
  }
};

namespace detail {
template <class IR, class D> class value_numbering_planner;
}

/// The memory of `plan_value_numbering`, for reuse.
class value_numbering_plan_workspace {
  template <class IR, class D> friend class detail::value_numbering_planner;
  template <semantic_ir_argument IR, value_domain D>
  friend void plan_value_numbering(const IR& ir, const value_numbering_result<D>& found,
                                   value_numbering_plan_workspace& workspace,
                                   value_numbering_plan<domain_constant<D>>& out);

  sccp_plan_workspace constants_;
  dominators_workspace dominating_;
  dominator_tree tree_;
  flat_array<unsigned char> fixed_;
  flat_array<value_id> leader_; ///< by class: the last value that was not replaced
  flat_array<node_id> home_;
  flat_array<unsigned char> drops_;
  flat_array<unsigned char> is_replaced_;
};

namespace detail {

/// Whether a leader promises more than a value that it replaces. An operation of another kind, such as a copy, equals
/// one of its operands: it reads the leader, or a value for which the leader already stands.
template <class IR> constexpr bool plan_promises_more(const IR& ir, value_id leader, value_id v) {
  if constexpr (has_promises_more<IR>) {
    return static_cast<bool>(ir.promises_more(leader, v));
  } else {
    const operation_info a = ir.is_phi(leader) ? operation_info{} : ir.operation(leader);
    const operation_info b = ir.is_phi(v) ? operation_info{} : ir.operation(v);
    return a.code == b.code && ((a.flags.no_signed_wrap && !b.flags.no_signed_wrap) ||
                                (a.flags.no_unsigned_wrap && !b.flags.no_unsigned_wrap));
  }
}

template <class IR, class D> class value_numbering_planner {
public:
  using plan = value_numbering_plan<domain_constant<D>>;

  value_numbering_planner(const IR& ir, const value_numbering_result<D>& found,
                          value_numbering_plan_workspace& workspace, plan& out)
      : ir_(ir), found_(found), out_(out), w_(workspace), fixed_(ir, workspace.fixed_) {}

  /// Walks down the dominator tree. Stores for each class the value that stands for it here. One entry is enough in
  /// place of a stack, because a value that stands for others is not replaced itself: the entry is valid if it
  /// dominates.
  void run() {
    dominators(ir_.graph(), semi_nca, w_.dominating_, w_.tree_);
    const dominator_tree& tree = w_.tree_;
    const dominator_tree::dominance_test dominates = tree.test();
    leader_.assign(found_.num_classes(), no_value);
    home_.assign(found_.num_values(), no_node);
    drops_.assign(found_.num_values(), 0);
    const auto count = static_cast<node_id>(ir_.graph().num_nodes());
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
    for (std::uint32_t c = 0; c != found_.num_classes(); ++c) {
      const value_id first = found_.members_of_class(c).front();
      leader_[c] = home_[first] == no_node ? first : no_value;
    }
    for (const node_id n : tree.preorder()) {
      if (found_.is_executable(n)) {
        for_each_id(ir_.values(n), [&](value_id v) {
          value_id& leader = leader_[found_.class_of(v)];
          if (leader != no_value && (home_[leader] == no_node || dominates(home_[leader], n))) {
            replace(v, leader);
          } else {
            leader = v;
          }
        });
      }
    }
    forget_replaced_phis();
  }

private:
  void replace(value_id v, value_id leader) {
    if (found_.constant(v) || is_end(v) || !fixed_.may_replace(v)) {
      return;
    }
    if (home_[leader] != no_node && drops_[leader] == 0 && plan_promises_more(ir_, leader, v)) {
      if (ir_.is_phi(leader)) {
        return; // editors drop the promises of operations only
      }
      drops_[leader] = 1;
      out_.dropped_promises.push_back(leader);
    }
    out_.replacements.push_back({v, leader, can_be_removed(v)});
  }

  /// A phi that has one input left and is equal to an earlier value is replaced by that.
  void forget_replaced_phis() {
    flat_array<unsigned char>& is_replaced = w_.is_replaced_;
    is_replaced.assign(found_.num_values(), 0);
    for (const auto& change : out_.replacements) {
      is_replaced[change.value] = 1;
    }
    auto& forwardings = out_.constants.forwardings;
    std::size_t left = 0;
    for (const auto& one : forwardings) {
      forwardings[left] = one;
      left += is_replaced[one.phi] != 0 ? 0u : 1u;
    }
    forwardings.shrink(left);
  }

  bool is_end(value_id v) const { return !ir_.is_phi(v) && is_terminator(ir_, v); }

  bool can_be_removed(value_id v) const {
    if (ir_.is_phi(v)) {
      return true;
    }
    if constexpr (effect_ir<IR>) {
      return is_removable(ir_, v);
    } else {
      return true; // without its result, the leader has none either
    }
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  plan& out_;
  value_numbering_plan_workspace& w_;
  fixed_operands<IR> fixed_;
  flat_array<value_id>& leader_ = w_.leader_;
  flat_array<node_id>& home_ = w_.home_;
  flat_array<unsigned char>& drops_ = w_.drops_;
};

} // namespace detail

/// The changes that follow from a result for its program: those of `plan_sccp`, and each value that another one of its
/// class dominates is replaced by the first such value. Values never move, so an operation that may trap runs where it
/// ran before or not at all, and two equal values both stay if neither dominates the other.
///
///     before               after
///     x = a + b            x = a + b
///     if c { y = b + a     if c { readers of y read x
///            z = y + 1 }          z = x + 1 }
///
/// **Promises.** If the leader makes a promise that the replaced operation does not make, the leader loses it: its new
/// readers read it where only the other one had a result. Promises are the `operation_flags`. An IR with others has a
/// member `bool promises_more(value_id v, value_id w) const`, which covers all of them: whether a leader promises more
/// than a value that it replaces. A phi that does replaces nothing.
///
/// O(n + m) plus the values and their operands, and the dominator tree.
template <semantic_ir_argument IR, value_domain D>
void plan_value_numbering(const IR& ir, const value_numbering_result<D>& found,
                          value_numbering_plan_workspace& workspace, value_numbering_plan<domain_constant<D>>& out) {
  out.clear();
  plan_sccp(ir, found.facts(), workspace.constants_, out.constants);
  detail::value_numbering_planner<IR, D>(ir, found, workspace, out).run();
}

template <semantic_ir_argument IR, value_domain D>
value_numbering_plan<domain_constant<D>> plan_value_numbering(const IR& ir, const value_numbering_result<D>& found) {
  value_numbering_plan_workspace workspace;
  value_numbering_plan<domain_constant<D>> out;
  plan_value_numbering(ir, found, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
