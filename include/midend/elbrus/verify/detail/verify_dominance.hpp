/// Whether each value is computed before it is read.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A definition dominates its uses; a phi reads at the end of the source of the edge. Where the entry does not lead,
/// nothing is asked. Requires a sound structure, and phis with one operand an edge.
class dominance_check {
public:
  dominance_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    run([](value_id) { return true; });
  }

  /// Looks at those operations only that `is_asked(v)` says.
  template <class Asked> void run(const Asked& is_asked) {
    tree_ = dominators(p_);
    place_.assign(p_.num_values(), 0);
    std::uint32_t place = 0;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        place_[v] = place++;
      }
    }
    for (const node_id n : tree_.preorder()) {
      for (const value_id v : p_.values(n)) {
        if (!is_asked(v)) {
          continue;
        }
        if (p_.is_phi(v)) {
          inputs(v, n);
        } else {
          operands(v, n);
        }
      }
    }
  }

private:
  void operands(value_id v, node_id n) {
    for (const value_id operand : p_.operands(v)) {
      if (operand == no_value || !p_.is_operation(operand)) {
        continue;
      }
      const node_id home = p_.value(operand).node;
      if (home == n ? place_[operand] >= place_[v] : !tree_.dominates(home, n)) {
        errors_.of_value(v, {spelled(p_, operand), " is read where it need not have been computed: ",
                             home == n ? "it stands further down" : "not all paths come by node ",
                             home == n ? "" : spelled_node(p_, home)});
      }
    }
  }

  void inputs(value_id v, node_id n) {
    const std::span<const value_id> inputs = p_.operands(v);
    const std::span<const edge_id> edges = p_.in_edges(n);
    for (std::size_t i = 0; i != edges.size() && i != inputs.size(); ++i) {
      const node_id source = p_.edge_source(edges[i]);
      if (inputs[i] == no_value || !p_.is_operation(inputs[i]) || !tree_.is_reachable(source)) {
        continue;
      }
      const node_id home = p_.value(inputs[i]).node;
      if (!tree_.dominates(home, source)) {
        errors_.of_value(v, {spelled(p_, inputs[i]), " need not have been computed at the end of node ",
                             spelled_node(p_, source), ": not all paths come by node ", spelled_node(p_, home)});
      }
    }
  }

  const procedure& p_;
  error_list& errors_;
  dominator_tree tree_;
  flat_array<std::uint32_t> place_; ///< of an operation, in the order of nodes
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
