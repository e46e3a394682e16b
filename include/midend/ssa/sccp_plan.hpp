/// `plan_sccp`: the changes to a program that follow from the result of `sccp`, as data that can be printed and edited.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/staying_nodes.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// A plan. To veto a change, remove it from its list. The others stay valid, and `apply_sccp` skips those that are then
/// no longer possible.
template <class Constant> struct sccp_plan {
  /// Every use of `value` becomes the constant.
  struct replacement {
    value_id value;
    Constant constant;
    bool is_removable; ///< computing it has no other effect, so it can be erased
  };

  /// `phi` has one input left, that for `edge`, and is replaced by it.
  struct forwarding {
    value_id phi;
    edge_id edge;
  };

  std::vector<replacement> replacements;   ///< ordered by node, and by position in the node
  std::vector<decided_use<Constant>> uses; ///< uses that will read the constant; ordered by node
  flat_array<edge_id> kept_edges;          ///< the source always continues along this edge; ordered by source
  flat_array<node_id> erased_nodes;        ///< never executed; ascending
  flat_array<forwarding> forwardings;

  bool empty() const {
    return replacements.empty() && uses.empty() && kept_edges.empty() && erased_nodes.empty() && forwardings.empty();
  }

  void clear() {
    replacements.clear();
    uses.clear();
    kept_edges.clear();
    erased_nodes.clear();
    forwardings.clear();
  }
};

namespace detail {
template <class IR, class D> class sccp_planner;
}

/// The memory of `plan_sccp`, for reuse.
class sccp_plan_workspace {
  template <class IR, class D> friend class detail::sccp_planner;

  flat_array<unsigned char> fixed_;
  flat_array<std::uint32_t> in_edges_;      ///< by node
  flat_array<std::uint32_t> left_in_edges_; ///< by node
  flat_array<edge_id> only_in_edge_;        ///< by node
};

namespace detail {

/// Whether an operation of the vocabulary has a result for all operands, so that it can be erased.
constexpr bool always_has_result(const operation_info& info) {
  switch (info.code) {
  case operation::other:
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
  case operation::shl:
  case operation::shr:
  case operation::sar:
  case operation::shladd:
    return false;
  default:
    return info.flags == operation_flags{};
  }
}

template <class IR, class D> class sccp_planner {
public:
  using plan = sccp_plan<domain_constant<D>>;

  sccp_planner(const IR& ir, const sccp_result<D>& found, sccp_plan_workspace& workspace, plan& out)
      : ir_(ir), found_(found), out_(out), w_(workspace), fixed_(ir, workspace.fixed_) {}

  void run() {
    out_.clear();
    left_in_edges_.assign(num_nodes(), 0);
    in_edges_.assign(num_nodes(), 0);
    only_in_edge_.assign(num_nodes(), no_edge);
    for (node_id n = 0; n != num_nodes(); ++n) {
      found_.is_executable(n) ? plan_executable(n) : plan_erased(n);
    }
    for (node_id n = 0; n != num_nodes(); ++n) {
      if (found_.is_executable(n) && left_in_edges_[n] == 1 && in_edges_[n] > 1 && n != ir_.graph().entry()) {
        plan_forwardings(n);
      }
    }
    for (const auto& use : found_.decided_uses()) {
      if (use.edge != no_edge || may_replace_operand(ir_, use.user, use.operand)) {
        out_.uses.push_back(use);
      }
    }
  }

private:
  node_id num_nodes() const { return static_cast<node_id>(ir_.graph().num_nodes()); }

  /// Whether the operation can go once its result is a constant: it neither traps nor does anything else.
  bool is_erasable(value_id v) const {
    if (ir_.is_phi(v)) {
      return true;
    }
    if constexpr (effect_ir<IR>) {
      if (!is_removable(ir_, v)) {
        return false;
      }
    }
    return always_has_result(ir_.operation(v));
  }

  void plan_executable(node_id n) {
    for_each_id(ir_.values(n), [&](value_id v) {
      const auto c = found_.constant(v);
      if (c && !ir_.constant(v) && fixed_.may_replace(v)) {
        out_.replacements.push_back({v, *c, is_erasable(v)});
      }
    });
    edge_id kept = no_edge;
    std::size_t executable = 0;
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      ++count;
      if (found_.is_executable_edge(e)) {
        ++executable;
        kept = e;
      }
    });
    const bool is_decided = executable == 1 && count > 1 && ir_.condition(n) != no_value && agrees(n, kept);
    if (is_decided) {
      out_.kept_edges.push_back(kept);
    }
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { count_edge(e, !is_decided || e == kept); });
  }

  /// Whether the constant that replaces the condition takes this edge, too. Narrowing improves facts but leaves edges
  /// executable: a node may be reached only by an edge that the condition, as known now, never takes. No run comes
  /// there, and the branch stays.
  bool agrees(node_id n, edge_id kept) const {
    if constexpr (has_cases_of_edges<IR>) {
      const auto c = found_.constant(static_cast<value_id>(ir_.condition(n)));
      return !c || edge_of_case(ir_, n, *c) == kept;
    } else {
      return true;
    }
  }

  /// Skips nodes without values and edges, which were erased before.
  void plan_erased(node_id n) {
    bool is_empty = true;
    for_each_id(ir_.values(n), [&](value_id) { is_empty = false; });
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      is_empty = false;
      count_edge(e, false);
    });
    if (n != ir_.graph().entry() && !is_empty) {
      out_.erased_nodes.push_back(n);
    }
  }

  void count_edge(edge_id e, bool is_left) {
    const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
    ++in_edges_[target];
    if (is_left) {
      ++left_in_edges_[target];
      only_in_edge_[target] = e;
    }
  }

  void plan_forwardings(node_id n) {
    for_each_phi(ir_, n, [&](value_id phi) {
      if (!found_.constant(phi) && fixed_.may_replace(phi)) {
        out_.forwardings.push_back({phi, only_in_edge_[n]});
      }
    });
  }

  const IR& ir_;
  const sccp_result<D>& found_;
  plan& out_;
  sccp_plan_workspace& w_;
  fixed_operands<IR> fixed_;
  flat_array<std::uint32_t>& in_edges_ = w_.in_edges_;
  flat_array<std::uint32_t>& left_in_edges_ = w_.left_in_edges_;
  flat_array<edge_id>& only_in_edge_ = w_.only_in_edge_;
};

} // namespace detail

/// The changes that follow from a result for its program. Unreachable nodes are erased, too.
///
///     before                        after
///     n1: x = 2 > 1                 n1: goto n2
///         if x goto n2 else n3
///     n3: ...                       erased
///     n4: p = phi(n2: a, n3: b)     readers of p read a
///
/// A branch with only one executable edge becomes a jump along it, unless the constant that its condition becomes takes
/// another one: no run reaches such a branch, and it stays. A branch that is itself never executed (after a value that
/// never returns, or on a condition without value) keeps all edges and their targets, because an editor can turn a
/// branch into a jump but not remove it. A phi with one input left is replaced by the input, which is defined wherever
/// the phi is; a phi that had only one before is not changed. Uses that branches decide are changed if the result lists
/// them. O(n + m) plus the values and their operands.
template <semantic_ir_argument IR, value_domain D>
void plan_sccp(const IR& ir, const sccp_result<D>& found, sccp_plan_workspace& workspace,
               sccp_plan<domain_constant<D>>& out) {
  MIDEND_ASSERT(found.epoch() == graph_epoch(ir.graph()), "a result of this graph as it is now", found.epoch());
  detail::sccp_planner<IR, D>(ir, found, workspace, out).run();
  if (!out.erased_nodes.empty()) {
    detail::staying_nodes<IR>(ir, out.kept_edges, out.erased_nodes).remove_from(out.erased_nodes);
  }
}

template <semantic_ir_argument IR, value_domain D>
sccp_plan<domain_constant<D>> plan_sccp(const IR& ir, const sccp_result<D>& found) {
  sccp_plan_workspace workspace;
  sccp_plan<domain_constant<D>> out;
  plan_sccp(ir, found, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
