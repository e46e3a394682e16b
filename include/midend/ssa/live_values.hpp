/// `live_values`: liveness of SSA values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/live_value_walk.hpp"
#include "midend/ssa/live_value_sets.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory for `live_values`, to be used again.
class live_values_workspace {
  friend detail::live_value_solver;

  struct value_record {
    node_id definition;
    node_id read_in;        ///< the last node that reads it from outside
    node_id read_at_end_of; ///< the last node at whose end phis of successors read it
    std::uint32_t last_use; ///< in `uses_`
  };

  struct use {
    node_id node;
    bool at_end;          ///< by phis of successors
    std::uint32_t before; ///< the use of the same value before
  };

  flat_array<value_record> values_;
  flat_array<use> uses_;
  detail::live_walk_memory walk_;
  detail::live_batches batches_;
  csr_graph copy_; ///< of a graph without predecessors
};

namespace detail {

struct live_value_solver {
  template <class IR> static constexpr void run(const IR& ir, live_values_workspace& w, live_value_sets& out) {
    using graph = graph_of<IR>;
    const graph& g = ir.graph();
    find_definitions(ir, g, w);
    list_uses(ir, g, w);
    if constexpr (bidirectional_flow_graph<graph>) {
      out.num_visits_ = walk_all(g, w);
    } else {
      w.copy_.assign(g);
      out.num_visits_ = walk_all(w.copy_, w);
    }
    out.in_.template assign<&live_words::in>(node_count(g), w.batches_);
    out.out_.template assign<&live_words::out>(node_count(g), w.batches_);
    out.epoch_ = graph_epoch(g);
  }

private:
  using use = live_values_workspace::use;
  using value_record = live_values_workspace::value_record;

  // The numbers of nodes end far below these.
  static constexpr node_id outside = no_node;
  static constexpr node_id not_tracked = no_node - 1;
  static constexpr std::uint32_t no_use = 0xffff'ffff;

  template <class IR, class G>
  static constexpr void find_definitions(const IR& ir, const G& g, live_values_workspace& w) {
    w.values_.assign(static_cast<std::size_t>(ir.num_values()), {not_tracked, no_node, no_node, no_use});
    if constexpr (has_parameters<IR>) {
      for_each_id(ir.parameters(), [&](value_id v) { w.values_[v].definition = outside; });
    }
    const node_id count = node_count(g);
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.values(n), [&](value_id v) { w.values_[v].definition = n; });
    }
  }

  /// For each value the nodes where it is live because of what is read right there: once, or once at the end and once
  /// before.
  template <class IR, class G> static constexpr void list_uses(const IR& ir, const G& g, live_values_workspace& w) {
    w.uses_.clear();
    const node_id count = node_count(g);
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.values(n), [&](value_id v) {
        if (!ir.is_phi(v)) {
          for_each_id(ir.operands(v), [&](value_id operand) { read(operand, n, w); });
        }
      });
      for_each_id(g.out_edges(n), [&](edge_id e) {
        for_each_phi(ir, static_cast<node_id>(g.edge_target(e)),
                     [&](value_id phi) { read_at_end(static_cast<value_id>(ir.phi_input(phi, e)), n, w); });
      });
    }
  }

  template <class IR, class Visit> static constexpr void for_each_phi(const IR& ir, node_id n, Visit visit) {
    auto&& values = ir.values(n);
    const auto last = std::end(values);
    for (auto it = std::begin(values); it != last && ir.is_phi(static_cast<value_id>(*it)); ++it) {
      visit(static_cast<value_id>(*it));
    }
  }

  static constexpr void read(value_id v, node_id n, live_values_workspace& w) {
    value_record& value = w.values_[v];
    if (value.definition != n && value.definition != not_tracked && value.read_in != n) {
      value.read_in = n;
      add_use(value, n, false, w);
    }
  }

  static constexpr void read_at_end(value_id v, node_id n, live_values_workspace& w) {
    if (v == no_value) {
      return;
    }
    value_record& value = w.values_[v];
    if (value.definition != not_tracked && value.read_at_end_of != n) {
      value.read_at_end_of = n;
      add_use(value, n, true, w);
    }
  }

  static constexpr void add_use(value_record& value, node_id n, bool at_end, live_values_workspace& w) {
    const auto number = static_cast<std::uint32_t>(w.uses_.size());
    w.uses_.push_back({n, at_end, value.last_use});
    value.last_use = number;
  }

  /// Most values are not read outside of their node, and are left out.
  template <class G> static constexpr std::size_t walk_all(const G& g, live_values_workspace& w) {
    live_value_walk<G> walk(g, w.walk_, w.batches_);
    for (value_id v = 0; v != w.values_.size(); ++v) {
      const value_record& value = w.values_[v];
      if (value.last_use == no_use) {
        continue;
      }
      walk.add_value(v, value.definition);
      for (std::uint32_t i = value.last_use; i != no_use; i = w.uses_[i].before) {
        if (w.uses_[i].at_end) {
          walk.add_read_at_end(w.uses_[i].node);
        } else {
          walk.add_read(w.uses_[i].node);
        }
      }
    }
    return walk.finish();
  }
};

} // namespace detail

/// The values that are live at the start and at the end of each node: those of which there is a path from there to a
/// read that does not come through the value's own node.
///
/// Phis read on the edges: the input for edge e is live at the end of e's source, and not at the start of its target
/// unless something else reads it there or later. What a phi computes is not live at the start of its node; nor is any
/// other value live at the start of the node that it stands in. (LLVM has it like this for machine code; Boissinot and
/// others count phis as live at the start of their node.)
///
/// Values that stand in nodes are looked at, and parameters if `ir.parameters()` names them: these are defined before
/// the entry. Other values that stand in no node, literals, are not.
///
/// Boissinot, Hack, Grund, Dupont de Dinechin, Rastello, "Fast liveness checking for SSA-form programs", CGO 2008, for
/// the definition; Brandner, Boissinot, Darte, Dupont de Dinechin, Rastello, "Computing liveness sets for SSA-form
/// programs", INRIA RR-7503, 2011, algorithms 6 and 7, which walk from each use to the definition, variable by
/// variable. Departures: 64 values walk together, since what is defined close together is mostly live in the same
/// nodes; no recursion; and no sets, but lists that are sorted by counting in the end.
///
/// Does not require that definitions dominate uses, so that it is defined in unreachable nodes, which are analysed like
/// others: a value that is read where its node does not come before is live up to the start of the function, or around
/// a cycle. Duplicate edges change nothing but for phis, whose inputs may differ by edge. Inputs that are not set
/// (`no_value`) read nothing.
///
/// Refills `out`; allocates nothing once workspace and result have seen as much. Time and space are linear in the IR,
/// in the answer, and, times the predecessors of a node, in the number of visits, of which there are less than there
/// are places where values are live.
template <ssa_ir IR> constexpr void live_values(const IR& ir, live_values_workspace& workspace, live_value_sets& out) {
  detail::live_value_solver::run(ir, workspace, out);
}

/// The result as a value.
template <ssa_ir IR> constexpr live_value_sets live_values(const IR& ir) {
  live_value_sets out;
  live_values_workspace workspace;
  live_values(ir, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
