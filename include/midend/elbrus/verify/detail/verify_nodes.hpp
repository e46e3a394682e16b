/// Whether each node is in order: phis, then operations, then a terminator with the edges that it needs.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/support/detail/hash_map.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Looks at nodes one by one. Requires a sound structure.
class node_check {
public:
  node_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    if (!p_.in_edges(p_.entry()).empty()) {
      errors_.of_node(p_.entry(), {"the entry must not have predecessors"});
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node(n).erased) {
        order(n);
        flow(n);
      }
    }
  }

  /// What can be said of an operation alone, if the rest of its node is not in order: inputs of phis and cases.
  void run_on(value_id v) {
    if (p_.is_phi(v)) {
      variables_among(p_.arguments(v), v);
    } else if (p_.value(v).code == opcode::switch_) {
      cases(v, p_.value(v).node);
    }
  }

private:
  void order(node_id n) {
    bool in_head = true;
    for (const value_id v : p_.values(n)) {
      if (!p_.is_phi(v)) {
        in_head = false;
        if (p_.is_terminator(v) && v != p_.node(n).last) {
          errors_.of_value(v, {spelled(p_.value(v)), " must be the last operation of its node"});
        }
      } else if (!in_head) {
        errors_.of_value(v, {"a phi must stand at the head of its node"});
      } else {
        phi(v, n);
      }
    }
  }

  /// One input for each edge into the node, none of them a variable, which has no fixed value on an edge.
  void phi(value_id v, node_id n) {
    if (n == p_.entry()) {
      errors_.of_value(v, {"there cannot be a phi in the entry"});
    }
    const std::span<const value_id> inputs = p_.arguments(v);
    const std::span<const edge_id> edges = p_.in_edges(n);
    if (inputs.size() != edges.size()) {
      errors_.of_value(
          v, {"the phi has ", std::to_string(inputs.size()), " inputs for ", std::to_string(edges.size()), " edges"});
      return;
    }
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (inputs[i] == no_value) {
        errors_.of_value(v, {"the phi has no entry for an edge from ", spelled_node(p_, p_.edge_source(edges[i]))});
      }
    }
    variables_among(inputs, v);
  }

  void variables_among(std::span<const value_id> inputs, value_id v) {
    for (const value_id input : inputs) {
      if (input != no_value && p_.value(input).kind == value_kind::variable) {
        errors_.of_value(v, {"an input of a phi must be a value, ", spelled(p_, input), " is a variable"});
      }
    }
  }

  void flow(node_id n) {
    for (const edge_id e : p_.out_edges(n)) {
      probability(n, p_.edge(e));
    }
    const value_id end = p_.terminator(n);
    if (end == no_value) {
      errors_.of_node(n, {"the node does not end with a terminator"});
      return;
    }
    switch (p_.value(end).code) {
    case opcode::jump:
      number_of_edges(end, 1);
      break;
    case opcode::branch:
      branch(end, n);
      break;
    case opcode::switch_:
      cases(end, n);
      break;
    default:
      number_of_edges(end, 0);
    }
  }

  /// Written so that it catches what is not a number. Negative is unknown.
  void probability(node_id n, const edge_record& edge) {
    if (!(edge.probability <= 1)) {
      errors_.of_node(n, {"the probability of the edge to ", spelled_node(p_, edge.target), " is more than 1"});
    }
  }

  bool number_of_edges(value_id end, std::size_t count) {
    const std::size_t present = p_.out_edges(p_.value(end).node).size();
    if (present != count) {
      errors_.of_value(end, {spelled(p_.value(end)), " has ", std::to_string(present),
                             present == 1 ? " edge, not " : " edges, not ", std::to_string(count)});
    }
    return present == count;
  }

  void branch(value_id end, node_id n) {
    if (!number_of_edges(end, 2)) {
      return;
    }
    const edge_record& taken = p_.edge(p_.out_edges(n)[0]);
    const edge_record& other = p_.edge(p_.out_edges(n)[1]);
    if (taken.is_default || taken.case_value != 1 || other.is_default || other.case_value != 0) {
      errors_.of_value(end, {"the edges of a branch must have the cases 1 and 0"});
    }
  }

  /// Different values of its type, and one edge for all others, which comes last.
  void cases(value_id end, node_id n) {
    const std::span<const edge_id> edges = p_.out_edges(n);
    if (edges.empty() || !p_.edge(edges.back()).is_default) {
      errors_.of_value(end, {"the last edge of a switch must be its default"});
    }
    if (!is_integer(p_.value(end).operand_type)) {
      return; // which is an error elsewhere
    }
    const unsigned width = width_of(p_.value(end).operand_type);
    midend::detail::hash_map<std::uint64_t> seen;
    for (std::uint32_t i = 0; i + 1 < edges.size(); ++i) {
      const edge_record& edge = p_.edge(edges[i]);
      const std::string text = std::to_string(as_signed(edge.case_value, width));
      if (edge.is_default) {
        errors_.of_value(end, {"a switch has one default, at its end"});
      } else if ((edge.case_value & ~low_ones(width)) != 0) {
        errors_.of_value(end, {"case ", std::to_string(edge.case_value), " does not fit into ",
                               name_of(p_.value(end).operand_type)});
      } else if (seen.find_or_insert(edge.case_value, i) != i) {
        errors_.of_value(end, {"the switch has two cases ", text});
      }
    }
  }

  const procedure& p_;
  error_list& errors_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
