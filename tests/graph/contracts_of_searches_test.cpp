// Every function that searches a user's graph checks the numbers it gets, when checks are on: a successor, a
// predecessor or an entry that is no node ends in the contract handler, before it is an index.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <string>
#include <vector>

#if MIDEND_CHECKS && (defined(__unix__) || defined(__APPLE__))
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace midend_tests;

namespace {

constexpr node_id wrong = 1'000'000;

/// Blocks with a loop, a branch and a join; the numbers that a test makes wrong.
struct blocks {
  std::vector<std::vector<node_id>> to{{1}, {2, 3}, {1, 4}, {4}, {}};
  std::vector<std::vector<node_id>> from{{}, {0, 2}, {1}, {1}, {2, 3}};
  node_id first = 0;

  std::size_t num_nodes() const { return to.size(); }

  node_id entry() const { return first; }

  const std::vector<node_id>& successors(node_id n) const { return to[n]; }
};

/// The same with predecessors.
struct linked_blocks : blocks {
  const std::vector<node_id>& predecessors(node_id n) const { return from[n]; }
};

/// Nothing but `num_nodes` and `successors`.
struct entryless_blocks {
  blocks all;

  std::size_t num_nodes() const { return all.num_nodes(); }

  const std::vector<node_id>& successors(node_id n) const { return all.successors(n); }
};

/// Whether `f` ends in the contract handler that says where the number is wrong.
template <class F> bool is_named(F f) {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool named = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                     text.find("midend contract violation") != std::string::npos &&
                     text.find("within the graph") != std::string::npos &&
                     (text.find("1000000 5") != std::string::npos || text.find("1000000 6") != std::string::npos);
  if (!named) {
    MESSAGE(text);
  }
  return named;
}

/// Gen/kill problems and a problem for `solve` without facts worth speaking of.
template <midend::flow_direction Direction> struct one_fact {
  static constexpr auto direction = Direction;
  static constexpr auto confluence = midend::flow_confluence::may;

  std::size_t num_facts() const { return 1; }

  template <class Effects> void effects(node_id, Effects&) const {}
};

struct reached_problem {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::boolean lattice() const { return {}; }

  bool boundary(node_id) const { return true; }

  void transfer(node_id, bool&) const {}
};

} // namespace

/// Calls `check(name, f)` for each function: `f(g)` applies it to a graph. Trees and forests are of `good`.
template <class G, class Check> void for_each_search(const G& good, Check check) {
  const auto tree = midend::dominators(good);
  const auto loops = midend::natural_loops(good, tree);
  const auto forest = midend::cycles(good);
  check("depth_first_order", [](const G& g) { midend::depth_first_order(g); });
  check("reverse_post_order", [](const G& g) { midend::reverse_post_order(g); });
  check("strongly_connected_components", [](const G& g) { midend::strongly_connected_components(g); });
  check("dominators semi_nca", [](const G& g) { midend::dominators(g); });
  check("dominators lengauer_tarjan", [](const G& g) { midend::dominators(g, midend::lengauer_tarjan); });
  check("dominators simple", [](const G& g) { midend::dominators(g, midend::lengauer_tarjan_simple); });
  check("dominators cooper", [](const G& g) { midend::dominators(g, midend::cooper_harvey_kennedy); });
  check("dominators naive", [](const G& g) { midend::dominators(g, midend::naive_dominators); });
  check("immediate_dominators", [](const G& g) { midend::immediate_dominators(g); });
  check("post_dominators", [](const G& g) { midend::post_dominators(g); });
  check("post_dominators exits_only", [](const G& g) { midend::post_dominators(g, midend::exits_only); });
  check("post_dominance_roots", [](const G& g) { midend::post_dominance_roots(g); });
  check("dynamic_dominator_tree", [](const G& g) { midend::dynamic_dominator_tree{g}; });
  check("dominators_and_loops", [](const G& g) { midend::dominators_and_loops(g); });
  check("cycles", [](const G& g) { midend::cycles(g); });
  check("is_reducible", [](const G& g) { midend::is_reducible(g); });
  check("weak_topological_order", [](const G& g) { midend::weak_topological_order(g); });
  check("control_dependence", [](const G& g) { midend::control_dependence(g, midend::post_dominators(g)); });
  check("gen_kill forward", [](const G& g) { midend::gen_kill(g, one_fact<midend::flow_direction::forward>()); });
  check("gen_kill backward", [](const G& g) { midend::gen_kill(g, one_fact<midend::flow_direction::backward>()); });
  check("solve", [](const G& g) { midend::solve(g, reached_problem()); });
  check("csr_graph", [](const G& g) { midend::csr_graph{g}; });
  check("with_virtual_exit", [](const G& g) { midend::dominators(midend::with_virtual_exit(g)); });
  check("filtered", [](const G& g) { midend::dominators(midend::filtered(g, [](node_id, node_id) { return true; })); });
  // With a tree of the right graph.
  check("natural_loops", [&](const G& g) { midend::natural_loops(g, tree); });
  check("dominance_frontier", [&](const G& g) { midend::dominance_frontier(g, tree); });
  check("iterated_dominance_frontier",
        [&](const G& g) { midend::iterated_dominance_frontier(g, tree, std::vector<node_id>{2, 3}); });
  check("dominating_edges", [&](const G& g) { midend::dominating_edges(g, tree); });
  check("explain_dominance", [&](const G& g) { midend::explain_dominance(g, tree, 3, 4); });
  check("certify", [&](const G& g) { midend::certify(g, tree); });
  check("low_high_order", [&](const G& g) { static_cast<void>(midend::low_high_order(g, tree)); });
  check("is_reducible with a tree", [&](const G& g) { midend::is_reducible(g, tree); });
  check("edge_kinds", [&](const G& g) { midend::edge_kinds(g, midend::depth_first_order(good)); });
  check("condensation", [&](const G& g) { midend::condensation(g, midend::strongly_connected_components(good)); });
  check("is_exiting", [&](const G& g) { midend::is_exiting(g, loops, 0, 2); });
}

TEST_CASE("contracts: every search names a successor that is no node") {
  blocks bad;
  bad.to[2] = {wrong, 1, 4};
  std::size_t count = 0;
  for_each_search(blocks(), [&](const char* name, auto search) {
    CHECK_MESSAGE(is_named([&] { search(bad); }), std::string(name));
    ++count;
  });
  CHECK(count == 35);
  linked_blocks linked;
  linked.to[2] = {wrong, 1, 4};
  for_each_search(linked_blocks(), [&](const char* name, auto search) {
    const std::string asked = name;
    if (asked != "natural_loops" && asked != "dominance_frontier" && asked.rfind("post_domina", 0) != 0) {
      CHECK_MESSAGE(is_named([&] { search(linked); }), std::string(name));
    }
  });
  entryless_blocks entryless{bad};
  CHECK(is_named([&] { midend::strongly_connected_components(entryless); }));
  CHECK(is_named([&] { midend::csr_graph{entryless}; }));
}

TEST_CASE("contracts: every search names an entry that is no node") {
  blocks bad;
  bad.first = wrong;
  std::size_t count = 0;
  for_each_search(blocks(), [&](const char* name, auto search) {
    const std::string asked = name;
    for (const char* whole : {"depth_first_order", "reverse_post_order", "strongly_connected_components", "dominators",
                              "immediate_dominators", "dynamic", "cycles", "is_reducible", "weak_topological_order",
                              "gen_kill", "solve", "csr_graph"}) {
      if (asked.rfind(whole, 0) == 0 && asked != "is_reducible with a tree") {
        CHECK_MESSAGE(is_named([&] { search(bad); }), std::string(name));
        ++count;
        break;
      }
    }
  });
  CHECK(count >= 16);
}

TEST_CASE("contracts: what reads predecessors names one that is no node") {
  linked_blocks bad;
  bad.from[1] = {0, wrong};
  bad.from[2] = {1, wrong};
  bad.from[4] = {3, wrong};
  const auto tree = midend::dominators(linked_blocks());
  CHECK(is_named([&] { midend::dominance_frontier(bad, tree); }));
  CHECK(is_named([&] { midend::natural_loops(bad, tree, midend::nesting_only); }));
  CHECK(is_named([&] { midend::edge_dominates(bad, tree, 0, 1, 2); }));
  CHECK(is_named([&] { midend::post_dominators(bad); }));
  CHECK(is_named([&] { midend::gen_kill(bad, one_fact<midend::flow_direction::forward>()); }));
  CHECK(is_named([&] { midend::gen_kill(bad, one_fact<midend::flow_direction::backward>()); }));
  CHECK(is_named([&] {
    midend::dynamic_dominator_tree dynamic{linked_blocks()};
    bad.to[2] = {1}; // the edge 2 → 4 has gone
    dynamic.delete_edge(bad, 2, 4);
  }));
}

#endif
