/// Random programs with much to do for whoever removes loads and stores.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/editor.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

/// Repeats loads and stores later on: what they do changes, so that little is as it was, but runs hardly trap.
inline void repeat_accesses(midend::elbrus::procedure& p, random_source& random) {
  namespace elbrus = midend::elbrus;
  using midend::value_id;
  elbrus::editor e(p);
  const midend::dominator_tree tree = midend::dominators(p);
  std::vector<value_id> accesses;
  std::vector<value_id> places;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      const elbrus::opcode code = p.value(v).code;
      if (tree.is_reachable(n) && !p.is_phi(v)) {
        places.push_back(v);
        if (code == elbrus::opcode::ld || code == elbrus::opcode::st) {
          accesses.push_back(v);
        }
      }
    }
  }
  for (std::size_t times = accesses.empty() ? 0 : 2 + 2 * accesses.size(); times != 0; --times) {
    const value_id v = accesses[random.below(static_cast<std::uint32_t>(accesses.size()))];
    const value_id at = places[random.below(static_cast<std::uint32_t>(places.size()))];
    const midend::node_id from = p.value(v).node;
    const midend::node_id to = p.value(at).node;
    bool later = false;
    for (value_id w = v; from == to && w != midend::no_value; w = p.value(w).next) {
      later = later || (w == at && w != v);
    }
    if (!later && !tree.strictly_dominates(from, to)) {
      continue;
    }
    const value_id clone = e.clone_value(v, midend::place_before(at));
    if (p.value(v).code == elbrus::opcode::ld && random.below(2) == 0) {
      const elbrus::type t = p.value(v).type; // and store it, at an address of this type
      for (const value_id s : accesses) {
        if (p.value(s).code == elbrus::opcode::st && p.value(s).operand_type == t &&
            tree.strictly_dominates(p.value(s).node, to)) {
          e.set_operand(e.clone_value(s, midend::place_before(at)), 0, clone);
          break;
        }
      }
    }
  }
}

} // namespace midend_tests
