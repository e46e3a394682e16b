// SSA construction: the form, the meaning and the number of phis, by definition and against the bits of liveness.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/variable_editor.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/gen_kill.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/iterated_dominance_frontier.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/ssa/construct_ssa.hpp>
#include <midend/ssa/construct_ssa_on_the_fly.hpp>

using namespace midend_tests;
using midend::construct_ssa;
using midend::construct_ssa_on_the_fly;
using midend::inserted_phis;
using midend::redundant_phis;

namespace {

using phi_places = std::vector<std::pair<variable_id, node_id>>;

phi_places places_of(const inserted_phis& result) {
  phi_places out;
  for (const midend::variable_phi& phi : result.phis()) {
    out.emplace_back(phi.variable, phi.node);
  }
  return out;
}

/// Liveness by bits; what may be defined is read, too.
struct liveness {
  static constexpr auto direction = midend::flow_direction::backward;
  static constexpr auto confluence = midend::flow_confluence::may;

  const statement_program& p;

  std::size_t num_facts() const { return p.num_variables(); }

  template <class Effects> void effects(node_id n, Effects& e) const {
    for (const statement_id s : p.statements(n)) {
      e.gen_all(p.uses(s));
      for (const variable_id x : p.may_definitions(s)) {
        const auto certain = p.definitions(s);
        if (std::find(certain.begin(), certain.end(), x) == certain.end()) {
          e.gen(x);
        }
      }
      e.kill_all(p.definitions(s));
    }
  }
};

/// Where pruned SSA form has phis.
phi_places expected_places(const statement_program& p) {
  const auto live = midend::gen_kill(p.graph(), liveness{p});
  const auto tree = midend::dominators(p.graph());
  phi_places out;
  for (variable_id x = 0; x != p.num_variables(); ++x) {
    std::vector<node_id> defining;
    for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
      for (const statement_id s : p.statements(n)) {
        const auto writes = [&](std::span<const variable_id> list) {
          return std::find(list.begin(), list.end(), x) != list.end();
        };
        if (writes(p.definitions(s)) || writes(p.may_definitions(s))) {
          defining.push_back(n);
        }
      }
    }
    for (const node_id n : midend::iterated_dominance_frontier(p.graph(), tree, defining,
                                                               [&](node_id m) { return live.in(m).test(x); })) {
      out.emplace_back(x, n);
    }
  }
  return out;
}

/// With an entry of its own, into which no edge leads.
test_graph with_entry(test_graph g) {
  g.edges.push_back({static_cast<node_id>(g.num_nodes), g.entry});
  g.entry = static_cast<node_id>(g.num_nodes++);
  return g;
}

bool has_unreachable_predecessor(const midend::csr_graph& g) {
  const auto tree = midend::dominators(g);
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    if (!tree.is_reachable(g.edge_source(e))) {
      return true;
    }
  }
  return false;
}

void check_both(const statement_program& p, const std::string& name) {
  INFO(name);
  renamed_program renamed(p);
  const inserted_phis result = construct_ssa(renamed);
  const std::string wrong = wrong_about(renamed, result);
  CHECK_MESSAGE(wrong.empty(), join(wrong, "\n", to_string(p)));
  const phi_places expected = expected_places(p);
  CHECK_MESSAGE(places_of(result) == expected, to_string(p));

  for (const redundant_phis redundant : {redundant_phis::remove, redundant_phis::keep}) {
    renamed_program other(p);
    const inserted_phis on_the_fly = construct_ssa_on_the_fly(other, redundant);
    const std::string wrong_there = wrong_about(other, on_the_fly);
    CHECK_MESSAGE(wrong_there.empty(), join("on the fly: ", wrong_there, "\n", to_string(p)));
    if (has_unreachable_predecessor(p.graph())) {
      continue;
    }
    if (redundant == redundant_phis::remove || midend::is_reducible(p.graph())) {
      CHECK_MESSAGE(places_of(on_the_fly) == expected, join("on the fly\n", to_string(p)));
    } else {
      CHECK(on_the_fly.num_phis() >= expected.size());
    }
  }
}

} // namespace

TEST_CASE("construct_ssa: all digraphs of 3 nodes after an entry") {
  random_source random(1);
  for_each_digraph(3, [&](const bit_graph& g) {
    const test_graph graph = with_entry(to_test_graph(g));
    check_both(random_program(random, graph, 2, 2), graph.name);
  });
}

TEST_CASE("construct_ssa: random and ugly graphs") {
  random_source random(2);
  for (const auto& graphs : {ugly_graphs(), random_graphs()}) {
    for (const test_graph& g : graphs) {
      if (g.num_nodes != 0 && g.num_nodes <= 60) {
        check_both(random_program(random, with_entry(g), 1 + random.below(4), 3), g.name);
      }
    }
  }
}

TEST_CASE("construct_ssa: many cycles within cycles") {
  random_source random(3);
  for (std::size_t i = 0; i != affordable(3000); ++i) {
    const std::size_t nodes = 4 + random.below(6);
    const test_graph g = with_entry(random_digraph(random, nodes, nodes + random.below(2 * nodes)));
    check_both(random_program(random, g, 1, 1), g.name);
  }
}
