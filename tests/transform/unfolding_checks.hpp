/// What tests of transformations have in common: random unfoldings, and the checks of a transformed procedure.
#pragma once

#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/transform/unfolding.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tests {

/// The program of `g` in SSA form.
inline midend::elbrus::program in_ssa_form(const generated_program& g) {
  midend::elbrus::program p = g.program;
  midend::elbrus::construct_ssa(p);
  return p;
}

inline midend::unfolding_verdict certificate(const midend::elbrus::procedure& before,
                                             const midend::elbrus::procedure& after,
                                             const midend::unfolding_witness& witness) {
  return midend::verify_unfolding(midend::elbrus::effect_view(before), midend::elbrus::effect_view(after), witness);
}

inline std::string to_text(const midend::unfolding_verdict& v) {
  const auto number = [](std::uint32_t id) { return id == midend::no_value ? std::string("-") : std::to_string(id); };
  return "fault " + std::to_string(static_cast<int>(v.fault)) + ", node " + number(v.node) + ", value " +
         number(v.value) + ", old " + number(v.old_value) + ", edge " + number(v.edge);
}

/// Copies random nodes, leads edges to random copies, and routes random edges through new nodes.
inline void unfold_at_random(midend::elbrus::procedure& p, midend::unfolding<midend::elbrus::editor>& u,
                             random_source& random) {
  const auto original_nodes = static_cast<node_id>(p.num_nodes());
  std::vector<std::vector<node_id>> copies(original_nodes);
  for (node_id n = 0; n != original_nodes; ++n) {
    copies[n] = {n};
  }
  std::vector<node_id> original(original_nodes);
  for (node_id n = 0; n != original_nodes; ++n) {
    original[n] = n;
  }
  for (std::uint32_t times = random.below(3); times != 0 && original_nodes > 1; --times) {
    std::vector<node_id> region;
    for (std::uint32_t i = 1 + random.below(5); i != 0; --i) {
      const node_id n = 1 + random.below(original_nodes - 1);
      if (!p.node(n).erased && std::find(region.begin(), region.end(), n) == region.end()) {
        region.push_back(n);
      }
    }
    midend::flat_array<node_id> made;
    u.duplicate_region(region, made);
    for (std::size_t i = 0; i != region.size(); ++i) {
      copies[region[i]].push_back(made[i]);
      original.resize(p.num_nodes());
      original[made[i]] = region[i];
    }
  }
  for (edge_id e = 0; e != p.num_edges(); ++e) {
    if (p.edge_source(e) != no_node && original[p.edge_target(e)] < original_nodes) {
      const auto& choice = copies[original[p.edge_target(e)]];
      const node_id target = choice[random.below(choice.size())];
      if (target != p.edge_target(e)) {
        u.lead(e, target);
      }
    }
  }
  u.finish();
  for (std::uint32_t times = random.below(4); times != 0; --times) {
    const auto n = random.below(p.num_nodes());
    std::vector<edge_id> edges;
    for (const edge_id e : p.in_edges(n)) {
      if (!random.one_in(3)) {
        edges.push_back(e);
      }
    }
    if (!edges.empty()) {
      u.route_edges(edges);
    }
  }
}

} // namespace midend_tests
