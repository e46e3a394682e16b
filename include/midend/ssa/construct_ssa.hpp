/// `construct_ssa`: turns the variables of a program into values.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/dominance/iterated_dominance_frontier.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/detail/ssa_renaming.hpp"
#include "midend/ssa/detail/statement_variables.hpp"
#include "midend/ssa/detail/variable_sites.hpp"
#include "midend/ssa/ssa_construction.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory for SSA constructions that are done again and again.
class construct_ssa_workspace {
  friend detail::ssa_constructor;

  csr_graph copy_; ///< of a graph without predecessors
  dominators_workspace dominators_;
  dominator_tree tree_;
  detail::statement_variables statement_;
  detail::variable_sites sites_;
  detail::live_nodes live_;
  iterated_dominance_frontier_workspace frontier_memory_;
  iterated_frontiers frontiers_;
  detail::renaming_memory renaming_;
};

namespace detail {

struct ssa_constructor {
  template <class E> static constexpr void run(E& editor, construct_ssa_workspace& w, ssa_construction& out) {
    const auto& g = editor.graph();
    require_no_way_back_to_entry(g);
    dominators(g, semi_nca, w.dominators_, w.tree_);
    w.sites_.assign(editor, w.statement_);
    if constexpr (bidirectional_flow_graph<graph_of<E>>) {
      find_frontiers(g, g, w);
    } else {
      w.copy_.assign(g);
      find_frontiers(g, w.copy_, w);
    }
    insert_phis(editor, w.frontiers_, out);
    w.statement_.start(static_cast<std::size_t>(editor.num_variables()));
    ssa_renaming<E> renaming(editor, w.tree_, w.statement_, w.renaming_);
    renaming.run(out.phis_);
    renaming.list_undefined(out.undefined_variables_);
  }

private:
  /// A phi at the entry would need an input for the arrival from outside.
  template <class G> static constexpr void require_no_way_back_to_entry([[maybe_unused]] const G& g) {
#if MIDEND_CHECKS
    for (node_id n = 0; n != node_count(g); ++n) {
      for_each_id(g.successors(n),
                  [&](node_id s) { MIDEND_ASSERT(s != g.entry(), "an entry without predecessors", s, n); });
    }
#endif
  }

  template <class G, class WithPredecessors>
  static constexpr void find_frontiers(const G& g, const WithPredecessors& backward, construct_ssa_workspace& w) {
    w.live_.start(node_count(g));
    iterated_dominance_frontiers(
        g, w.tree_, w.sites_.num_variables(), w.sites_.definitions(),
        [&](variable_id x, node_id n) { return w.live_.is_live_in(backward, w.sites_, x, n); }, w.frontier_memory_,
        w.frontiers_);
  }

  /// From the last variable to the first, since each phi goes before those that are there.
  template <class E>
  static constexpr void insert_phis(E& editor, const iterated_frontiers& frontiers, ssa_construction& out) {
    const std::size_t num_variables = frontiers.num_variables();
    out.phis_.resize_for_overwrite(frontiers.num_members());
    out.phi_offsets_.resize_for_overwrite(num_variables + 1);
    std::size_t at = frontiers.num_members();
    out.phi_offsets_[num_variables] = static_cast<std::uint32_t>(at);
    for (std::size_t x = num_variables; x-- != 0;) {
      const auto variable = static_cast<variable_id>(x);
      const auto nodes = frontiers[variable];
      for (std::size_t i = nodes.size(); i-- != 0;) {
        const value_id phi = editor.insert_variable_phi(nodes[i], variable);
        out.phis_[--at] = {variable, nodes[i], phi};
      }
      out.phi_offsets_[x] = static_cast<std::uint32_t>(at);
    }
  }
};

} // namespace detail

/// Turns all variables of a program into values: each statement then reads values, each definition is one, and where
/// several definitions meet in a variable that is live there stands a phi. The result is *pruned* SSA form, with as few
/// phis as iterated dominance frontiers and liveness allow.
///
/// Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently computing static single assignment form and the control
/// dependence graph", TOPLAS 13(4), 1991. Frontiers are iterated as by Sreedhar and Gao (see
/// `iterated_dominance_frontiers`), without the sets of single nodes. Liveness is looked for variable by variable, and
/// only if a variable has a frontier, by a walk from its reads back to its definitions: bits for all variables in all
/// nodes, as in `live_variables`, could not be kept for large programs. The dominator tree is walked by preorder
/// number; a log takes the place of a stack for each variable.
///
/// Requires that no edge leads to the entry, as SSA form does. A may-definition reads the variable and writes it, as
/// `ir/editing.hpp` says. Where nothing was written on a path from the entry, `undefined_value` stands in, in phis too.
/// Unreachable nodes have no phis: what is read there is what was written before in the node, else undefined, and
/// that is what phis get on edges from there. Parallel edges have an input each; they are equal.
///
/// Time: O(n + m + size of the statements + inputs of phis), and for each variable with a frontier the nodes where it
/// is live and the edges into them. Memory beside the result: about 90 bytes a node, 24 a variable, 20 a node that
/// defines or reads a variable. With a workspace nothing is allocated but by the editor once a program as large was
/// seen.
template <variable_editor E>
constexpr void construct_ssa(E& editor, construct_ssa_workspace& workspace, ssa_construction& out) {
  detail::ssa_constructor::run(editor, workspace, out);
}

/// The result as a value.
template <variable_editor E> constexpr ssa_construction construct_ssa(E& editor) {
  ssa_construction out;
  construct_ssa_workspace workspace;
  construct_ssa(editor, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
