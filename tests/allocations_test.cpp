// Refilled in place, after a first round nothing allocates.
#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/flat_editor.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/ssa_ir.hpp"
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dominance/dynamic_post_dominator_tree.hpp>
#include <midend/midend.hpp>
#include <midend/ssa/construct_ssa.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/ssa/sccp.hpp>

using namespace midend_tests;

namespace {

const std::vector<midend_corpus::cfg_function>& lua() {
  static const std::vector<midend_corpus::cfg_function> functions = [] {
    std::vector<midend_corpus::cfg_function> out;
    const auto error = midend_corpus::read_cfg(MIDEND_TEST_DATA "/corpus/lua5.4-O0.cfg.gz", out);
    REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
    return out;
  }();
  return functions;
}

/// `work` on all functions, twice: the first round allocates, the second does not.
template <class Work> void check_second_round(Work work) {
  const auto& functions = lua();
  const auto all = [&] {
    for (const auto& function : functions) {
      work(function);
    }
  };
  CHECK(allocations_of(all) > 0);
  CHECK(allocations_of(all) == 0);
}

template <class Algorithm> void check_dominators(Algorithm algorithm) {
  midend::csr_graph g;
  midend::dominators_workspace memory;
  midend::dominator_tree tree;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, algorithm, memory, tree);
  });
  midend::dominators_workspace other_memory;
  midend::flat_array<node_id> alone;
  check_second_round([&](const auto& function) { // the user's own graph, without a copy
    midend::immediate_dominators(function, algorithm, other_memory, alone);
  });
}

} // namespace

TEST_CASE("allocations: the counter counts") {
  CHECK(allocations_of([] { static_cast<void>(midend::flat_array<int>(3, 0)); }) == 1);
  CHECK(allocations_of([] { delete new int(1); }) <= 1); // may be left out by the compiler
  CHECK(allocations_of([] { static_cast<void>(midend::flat_array<int>()); }) == 0);
}

TEST_CASE("allocations: flat copies") {
  midend::forward_csr_graph forward;
  check_second_round([&](const auto& function) { forward.assign(function); });
  midend::csr_graph g;
  check_second_round([&](const auto& function) { g.assign(function); });
}

TEST_CASE("allocations: a flat copy takes one allocation, none if it is small, and one more if it has many edges") {
  std::size_t with_many_edges = 0;
  for (const auto& function : lua()) {
    const midend::csr_graph g(function);
    const std::size_t more = 2 * g.num_edges() > 3 * g.num_nodes() + 4 ? 1 : 0;
    const std::size_t one = g.num_nodes() <= 6 ? 0 : 1; // small ones are in the object
    CHECK(allocations_of([&] { static_cast<void>(midend::forward_csr_graph(function)); }) <= one + more);
    CHECK(allocations_of([&] { static_cast<void>(midend::csr_graph(function)); }) <= one + more);
    with_many_edges += more;
  }
  CHECK(with_many_edges < 50);
}

TEST_CASE("allocations: depth_first_order") {
  midend::depth_first_order_workspace memory;
  midend::depth_first_numbering order;
  check_second_round([&](const auto& function) { midend::depth_first_order(function, memory, order); });
}

TEST_CASE("allocations: strongly_connected_components") {
  midend::strongly_connected_components_workspace memory;
  midend::component_partition components;
  check_second_round(
      [&](const auto& function) { midend::strongly_connected_components(function, memory, components); });
}

TEST_CASE("allocations: dominators and immediate_dominators by semi_nca") {
  check_dominators(midend::semi_nca);
}

TEST_CASE("allocations: dominators and immediate_dominators by lengauer_tarjan") {
  check_dominators(midend::lengauer_tarjan);
}

TEST_CASE("allocations: dominators and immediate_dominators by lengauer_tarjan_simple") {
  check_dominators(midend::lengauer_tarjan_simple);
}

TEST_CASE("allocations: dominators and immediate_dominators by cooper_harvey_kennedy") {
  check_dominators(midend::cooper_harvey_kennedy);
}

TEST_CASE("allocations: dominators and immediate_dominators by naive_dominators") {
  check_dominators(midend::naive_dominators);
}

TEST_CASE("allocations: the value forms of dominators and natural_loops allocate their result, and little else") {
  std::size_t functions = 0;
  std::size_t with_loops = 0;
  for (const auto& function : lua()) {
    const midend::csr_graph g(function);
    const bool is_small = g.num_nodes() <= 32; // fits in the buffer of a call
    const midend::dominator_tree tree = midend::dominators(g);
    CHECK(allocations_of([&] { static_cast<void>(midend::dominators(g)); }) <= (is_small ? 1 : 2));
    const std::size_t all = allocations_of([&] { static_cast<void>(midend::natural_loops(g, tree)); });
    const std::size_t nesting =
        allocations_of([&] { static_cast<void>(midend::natural_loops(g, tree, midend::nesting_only)); });
    if (midend::natural_loops(g, tree).num_loops() == 0) {
      CHECK(all == 0);
      CHECK(nesting == 0);
    } else {
      CHECK(all <= (is_small ? 2 : 3));
      CHECK(nesting <= (is_small ? 1 : 2));
      ++with_loops;
    }
    ++functions;
  }
  CHECK(functions > 1000);
  CHECK(with_loops > 100);
}

TEST_CASE("allocations: natural_loops on a flat copy and on a graph that is copied into the workspace") {
  midend::csr_graph g;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::natural_loops_workspace memory;
  midend::loop_forest loops;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(g, tree, memory, loops);
  });
  midend::natural_loops_workspace other_memory;
  midend::loop_forest other_loops;
  check_second_round([&](const auto& function) {
    midend::dominators(function, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(function, tree, other_memory, other_loops);
  });
}

TEST_CASE("allocations: dominators_and_loops") {
  midend::csr_graph g;
  midend::dominators_and_loops_workspace memory;
  midend::dominators_and_loops_result result;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators_and_loops(g, memory, result);
  });
  midend::dominators_and_loops_workspace other_memory;
  midend::dominators_and_loops_result other_result;
  check_second_round([&](const auto& function) { midend::dominators_and_loops(function, other_memory, other_result); });
}

TEST_CASE("allocations: loops without boundaries") {
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::natural_loops_workspace memory;
  midend::loop_forest loops;
  check_second_round([&](const auto& function) {
    midend::dominators(function, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(function, tree, midend::nesting_only, memory, loops);
  });
  midend::dominators_and_loops_workspace both_memory;
  midend::dominators_and_loops_result both;
  check_second_round(
      [&](const auto& function) { midend::dominators_and_loops(function, midend::nesting_only, both_memory, both); });
}

TEST_CASE("allocations: exit_blocks refilled, and queries") {
  const auto g = make_csr({"", 5, 0, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}});
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);
  midend::flat_array<node_id> exits;
  loops.exit_blocks(loops.innermost_loop(1), exits);
  CHECK(exits.size() == 2);
  std::size_t sum = 0;
  const auto ask = [&] {
    for (const midend::loop_id l : loops.loops()) {
      loops.exit_blocks(l, exits);
      for (const midend::loop_edge& e : loops.exiting_edges(l)) {
        sum += e.target;
      }
      for (const node_id n : loops.latches(l)) {
        sum += n + tree.nearest_common_dominator(n, 4);
      }
      for (const midend::loop_id child : loops.children(l)) {
        sum += child;
      }
    }
    for (const node_id n : tree.children(0)) {
      sum += n + tree.subtree(n).size();
    }
  };
  CHECK(allocations_of(ask) == 0);
  CHECK(sum != 0);
}

TEST_CASE("allocations: frontiers and control dependence") {
  midend::csr_graph g;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::dominance_frontier_workspace frontier_memory;
  midend::frontier_sets frontiers;
  midend::iterated_dominance_frontier_workspace iterated_memory;
  midend::iterated_frontiers iterated;
  midend::flat_array<node_id> one;
  midend::post_dominators_workspace post_memory;
  midend::post_dominator_tree post_tree;
  midend::control_dependence_graph dependences;
  midend::flat_array<midend::definition_site> definitions;
  const auto everywhere = [](std::uint32_t, node_id) { return true; };
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, midend::semi_nca, dominators_memory, tree);
    midend::dominance_frontier(g, tree, frontier_memory, frontiers);
    definitions.clear();
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      for (const std::uint32_t v : function.defined_in(n)) {
        definitions.push_back({v, n});
      }
    }
    midend::iterated_dominance_frontiers(g, tree, function.num_variables, definitions, everywhere, iterated_memory,
                                         iterated);
    midend::iterated_dominance_frontier(g, tree, g.successors(0), [](node_id) { return true; }, iterated_memory, one);
    midend::post_dominators(g, midend::virtual_edge_per_endless_region, post_memory, post_tree);
    midend::control_dependence(g, post_tree, dependences);
  });
}

TEST_CASE("allocations: loop forms, guards and explanations") {
  midend::csr_graph g;
  midend::dominators_and_loops_workspace memory;
  midend::dominators_and_loops_result result;
  midend::cycles_workspace cycles_memory;
  midend::cycle_forest cycles;
  midend::explain_loop_form_workspace form_memory;
  midend::loop_form_explanation form;
  midend::explain_irreducible_workspace irreducible_memory;
  midend::irreducible_explanation irreducible;
  std::size_t seen = 0;
  const auto explain = [&](const auto& graph) {
    for (const midend::loop_id l : result.loops.loops()) {
      midend::explain_loop_form(graph, result.dominators, result.loops, l, form_memory, form);
      seen += form.obstacles().size();
    }
  };
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators_and_loops(g, memory, result);
    midend::cycles(g, cycles_memory, cycles);
    explain(g);
    explain(function); // has no predecessors
    for (const midend::loop_id l : result.loops.loops()) {
      seen += midend::is_loop_simplify_form(g, result.loops, l) && midend::is_rotated(g, result.loops, l);
      seen += midend::find_loop_guard(g, result.loops, l).has_value();
    }
    for (const midend::cycle_id c : cycles.cycles()) {
      midend::explain_irreducible(g, cycles, c, irreducible_memory, irreducible);
      seen += irreducible.path_to_first().size();
    }
  });
  CHECK(seen > 0);
}

TEST_CASE("allocations: cycles, weak topological order and is_reducible") {
  midend::cycles_workspace memory;
  midend::cycle_forest cycles;
  midend::flat_array<node_id> entries;
  midend::weak_topological_order_workspace order_memory;
  midend::hierarchical_ordering order;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::is_reducible_workspace reducibility_memory;
  std::size_t seen = 0;
  const auto analyse = [&](const auto& graph) {
    midend::cycles(graph, memory, cycles);
    midend::cycles(graph, midend::first_to_last, memory, cycles);
    for (const midend::cycle_id c : cycles.cycles()) {
      cycles.entries(c, entries);
      seen += entries.size();
    }
    midend::weak_topological_order(graph, order_memory, order);
    midend::dominators(graph, midend::semi_nca, dominators_memory, tree);
    seen += midend::is_reducible(graph, reducibility_memory) ? 1 : 0;
    seen += midend::is_reducible(graph, tree, reducibility_memory) ? 1 : 0;
  };
  check_second_round(analyse);
  // The corpus of Lua has no irreducible cycles.
  const auto web = make_csr({"", 5, 0, {{0, 4}, {0, 1}, {1, 3}, {1, 2}, {2, 3}, {3, 4}, {4, 3}, {4, 2}, {4, 1}}});
  analyse(web);
  CHECK(allocations_of([&] { analyse(web); }) == 0);
  CHECK(seen != 0);
}

TEST_CASE("allocations: updates of dominators and post-dominators") {
  midend::csr_graph g;
  midend::dynamic_dominator_tree tree;
  midend::dynamic_post_dominator_tree post;
  midend::dominators_workspace memory;
  midend::dominator_tree snapshot;
  midend::flat_array<midend::edge_update> gone;
  midend::flat_array<midend::edge_update> back;
  check_second_round([&](const auto& function) {
    g.assign(function);
    tree.assign(g);
    post.assign(g);
    for (node_id n = 0; n < g.num_nodes(); n += 5) {
      const auto without = midend::filtered(g, [=](node_id source, node_id) { return source != n; });
      gone.clear();
      back.clear();
      for (const node_id target : g.successors(n)) {
        gone.push_back({midend::edge_change::erase, n, target});
        back.push_back({midend::edge_change::insert, n, target});
      }
      tree.apply(without, gone);
      tree.apply(g, back);
      post.apply(without, gone);
      post.apply(g, back);
    }
    tree.snapshot(memory, snapshot);
  });
}

TEST_CASE("allocations: gen/kill analyses, by node and by statement") {
  midend::csr_graph g;
  midend::gen_kill_workspace<> memory;
  midend::flow_facts<> live;
  check_second_round([&](const auto& function) {
    g.assign(function);
    const midend_corpus::cfg_variables variables{function};
    midend::live_variables(g, variables, memory, live);
    midend::live_variables(function, variables, memory, live); // has no predecessors
  });
  midend::gen_kill_workspace<std::vector<midend::bit_row>> set_memory;
  midend::flow_facts<std::vector<midend::bit_row>> set_live;
  check_second_round([&](const auto& function) {
    midend::live_variables(function, midend_corpus::cfg_variables{function}, set_memory, set_live);
  });

  random_source random(1);
  std::vector<statement_program> programs;
  for (const test_graph& shape : ugly_graphs()) {
    programs.push_back(random_program(random, shape, 5, 4));
  }
  midend::definition_table definitions;
  midend::flow_facts<> facts;
  midend::def_use_chains chains;
  midend::available_expressions_workspace<> available_memory;
  midend::very_busy_expressions_workspace<> very_busy_memory;
  const auto all = [&] {
    for (const statement_program& p : programs) {
      midend::live_variables(p, memory, facts);
      definitions.assign(p);
      midend::reaching_definitions(p, definitions, memory, facts);
      chains.assign(p, definitions, facts);
      midend::available_expressions(p, available_memory, facts);
      midend::very_busy_expressions(p, midend::virtual_edge_per_endless_region, very_busy_memory, facts);
    }
  };
  CHECK(allocations_of(all) > 0);
  CHECK(allocations_of(all) == 0);
}

TEST_CASE("allocations: certificates and explanations of dominance") {
  midend::csr_graph g;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::certify_workspace memory;
  midend::explain_dominance_workspace explain_memory;
  midend::dominance_explanation explanation;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, midend::semi_nca, dominators_memory, tree);
    static_cast<void>(midend::certify(g, tree, memory));
    static_cast<void>(midend::certify(g, tree.immediate_dominators(), memory));
    const auto last = static_cast<node_id>(g.num_nodes() - 1);
    midend::explain_dominance(g, tree, 0, last, explain_memory, explanation);
    midend::explain_dominance(g, tree, last, last / 2, explain_memory, explanation);
  });
}

namespace {

/// A constant that nothing changes: facts without memory of their own.
struct constant_facts {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::flat<std::uint32_t> lattice() const { return {}; }

  auto boundary(node_id) const { return lattice().constant(0); }

  void transfer(node_id, midend::flat<std::uint32_t>::element&) const {}
};

} // namespace

TEST_CASE("allocations: the general solver, with facts that own no memory") {
  midend::csr_graph g;
  midend::solve_workspace<midend::flat<std::uint32_t>::element> memory;
  midend::solution<midend::flat<std::uint32_t>::element> facts;
  check_second_round([&](const auto& function) {
    g.assign(function);
    static_cast<void>(midend::solve(g, constant_facts{}, midend::reverse_postorder_worklist{}, memory, facts));
    static_cast<void>(midend::solve(g, constant_facts{}, midend::round_robin{}, memory, facts));
    static_cast<void>(midend::solve(g, constant_facts{}, midend::weak_topological{}, memory, facts));
  });
}

namespace {

/// Live variables, in sets some of which are on the heap. Counts what it has to allocate itself.
struct live_sets {
  static constexpr auto direction = midend::flow_direction::backward;

  midend_corpus::cfg_variables variables;
  midend::powerset<> sets;
  std::size_t* own_allocations;

  const midend::powerset<>& lattice() const { return sets; }

  midend::bit_row boundary(node_id) const {
    *own_allocations += sets.universe() > 64 ? 1 : 0;
    return sets.bottom();
  }

  void transfer(node_id n, midend::bit_row& live) const {
    for (const auto v : variables.defined_in(n)) {
      live.reset(v);
    }
    for (const auto v : variables.used_in(n)) {
      live.set(v);
    }
  }
};

} // namespace

TEST_CASE("allocations: the general solver makes no facts, whatever memory they own, but takes those it is given") {
  midend::csr_graph g;
  midend::solve_workspace<midend::bit_row> memory;
  midend::solution<midend::bit_row> facts;
  std::size_t own = 0;
  std::size_t visits = 0;
  const auto round = [&] {
    for (const midend_corpus::cfg_function& function : lua()) {
      g.assign(function);
      const midend_corpus::cfg_variables variables{function};
      const auto count = static_cast<std::size_t>(variables.num_variables());
      const live_sets p{variables, midend::powerset<>(count), &own};
      const auto solve = [&](const auto& policy) {
        own += count > 64 ? 1 : 0; // the bottom
        static_cast<void>(midend::solve(g, p, policy, memory, facts));
        visits += count > 64 ? facts.num_visits() : 0;
      };
      solve(midend::reverse_postorder_worklist{});
      solve(midend::round_robin{});
      solve(midend::weak_topological{});
    }
  };
  CHECK(allocations_of(round) > 0);
  own = visits = 0;
  const std::size_t made = allocations_of(round);
  CHECK(made == own);
  CHECK(visits > 10 * own);
}

TEST_CASE("allocations: live_values") {
  random_source random(71);
  std::vector<ssa_program> programs;
  for (const test_graph& g : random_graphs()) {
    const midend::csr_graph copy = make_csr(g);
    if (midend::dominators(copy).preorder().size() == g.num_nodes) {
      programs.push_back(random_ssa_program(random, copy, 3));
    }
  }
  CHECK(programs.size() > affordable(20));
  midend::live_values_workspace memory;
  midend::live_value_sets live;
  const auto round = [&] {
    for (const ssa_program& p : programs) {
      midend::live_values(p, memory, live);
    }
  };
  CHECK(allocations_of(round) > 0);
  CHECK(allocations_of(round) == 0);
}

TEST_CASE("allocations: construct_ssa") {
  std::vector<flat_editor> editors;
  for (const auto& function : lua()) {
    flat_editor& editor = editors.emplace_back(midend::csr_graph(function), function.num_variables);
    for (node_id n = 0; n != function.num_nodes(); ++n) {
      for (const std::uint32_t x : function.used_in(n)) {
        editor.add(n, x, midend::no_variable);
      }
      for (const std::uint32_t x : function.defined_in(n)) {
        editor.add(n, midend::no_variable, x);
      }
    }
  }
  midend::construct_ssa_workspace memory;
  midend::inserted_phis result;
  std::size_t phis = 0;
  const auto round = [&] {
    for (flat_editor& editor : editors) {
      editor.restore();
      midend::construct_ssa(editor, memory, result);
      phis += result.num_phis();
      editor.restore();
      midend::construct_ssa(editor, midend::agreeing_phis::remove, memory, result);
    }
  };
  CHECK(allocations_of(round) > 0);
  CHECK(allocations_of(round) == 0);
  CHECK(phis > 1000);
}

TEST_CASE("allocations: sccp") {
  std::vector<semantic_program> programs;
  random_source random(3);
  for (const test_graph& g : random_graphs()) {
    programs.push_back(random_semantic_program(random, g, {}));
  }
  const auto check = [&](auto domain, const midend::sccp_options& options) {
    midend::sccp_workspace<decltype(domain)> memory;
    midend::sccp_result<decltype(domain)> found;
    const auto round = [&] {
      for (const semantic_program& p : programs) {
        midend::sccp(p, domain, options, memory, found);
      }
    };
    CHECK(allocations_of(round) > 0);
    CHECK(allocations_of(round) == 0);
  };
  check(midend::flat_domain<>(), {});
  check(midend::flat_domain<>(), {.undefined = midend::undef_policy::any_value});
  check(midend::number_domain(), {.widen_after = 0});

  midend::sccp_workspace<midend::number_domain> memory;
  midend::sccp_result<midend::number_domain> found;
  const auto round = [&] {
    for (const semantic_program& p : programs) {
      midend::sccp_with_branch_facts(p, midend::number_domain(), {}, memory, found);
    }
  };
  CHECK(allocations_of(round) > 0);
  CHECK(allocations_of(round) == 0);
}

TEST_CASE("allocations: the value form of sccp allocates facts alone, and memory and counts for large programs") {
  random_source random(5);
  std::size_t small_ones = 0;
  for (const test_graph& g : random_graphs()) {
    const semantic_program p = random_semantic_program(random, g, {});
    const std::size_t small = p.num_values() + p.graph().num_nodes() + p.graph().num_edges() <= 50 ? 1 : 0;
    const auto check = [&](auto domain) {
      const std::size_t allocations = allocations_of([&] { static_cast<void>(midend::sccp(p, domain)); });
      CHECK(allocations <= (small == 1 ? 1 : 5));
      CHECK(allocations >= (p.num_values() == 0 ? 0 : 1));
    };
    check(midend::flat_domain<>());
    check(midend::interval_domain());
    check(midend::number_domain());
    small_ones += small;
  }
  CHECK(small_ones > 10);
}
