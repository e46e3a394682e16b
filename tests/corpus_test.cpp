// All functions of the corpus against LLVM's answers.
#include "kit/expectations.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dataflow/live_variables.hpp>
#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/iterated_dominance_frontier.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/graph/with_virtual_exit.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/support/bit_row.hpp>

#include <algorithm>
#include <map>

using namespace midend_tests;
using midend_corpus::cfg_function;

namespace {

std::int64_t signed_number(node_id n) {
  return n == no_node ? -1 : static_cast<std::int64_t>(n);
}

template <class Range> std::vector<std::int64_t> signed_list(Range&& range) {
  std::vector<std::int64_t> out;
  for (const node_id n : sorted(range)) {
    out.push_back(n);
  }
  return out;
}

/// The loops as the `loop` lines have them, ordered by depth and header.
std::vector<expected_loop> lines_of(const midend::loop_forest& forest) {
  std::vector<expected_loop> out;
  for (const midend::loop_id l : forest.loops()) {
    const midend::loop_id parent = forest.parent(l);
    std::vector<std::int64_t> blocks;
    for (const node_id n : forest.blocks(l)) {
      blocks.push_back(n);
    }
    std::sort(blocks.begin(), blocks.end());
    out.push_back({forest.header(l), parent == midend::no_loop ? -1 : std::int64_t{forest.header(parent)},
                   forest.depth(l), blocks, signed_list(forest.latches(l)), signed_number(forest.preheader(l)),
                   signed_list(forest.exiting_blocks(l)), signed_list(forest.exit_blocks(l))});
  }
  std::sort(out.begin(), out.end(), [](const expected_loop& a, const expected_loop& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.header < b.header;
  });
  return out;
}

/// Component numbers count by equality only; LLVM names those of reachable blocks.
bool same_partition(const midend::component_partition& components, const std::vector<std::int64_t>& expected) {
  std::map<std::int64_t, midend::component_id> ours;
  std::map<midend::component_id, std::int64_t> theirs;
  for (node_id n = 0; n != expected.size(); ++n) {
    if (components.is_reachable(n) != (expected[n] != -1)) {
      return false;
    }
    if (expected[n] != -1 &&
        (ours.emplace(expected[n], components.component(n)).first->second != components.component(n) ||
         theirs.emplace(components.component(n), expected[n]).first->second != expected[n])) {
      return false;
    }
  }
  return true;
}

/// One function, with everything that is used for all functions.
class corpus_check {
public:
  std::string operator()(const cfg_function& function, const expected_function& expected) {
    if (function.name != expected.name || function.num_nodes() != expected.immediate_dominators.size()) {
      return "the files do not have the same functions";
    }
    g_.assign(function);
    if (midend::check_graph(g_)) {
      return "check_graph";
    }
    midend::strongly_connected_components(g_, component_memory_, components_);
    if (!same_partition(components_, expected.components)) {
      return "scc";
    }
    std::string wrong = with("semi_nca", midend::semi_nca, expected);
    if (wrong.empty()) {
      wrong = with("lengauer_tarjan", midend::lengauer_tarjan, expected);
    }
    if (wrong.empty()) {
      wrong = with("lengauer_tarjan_simple", midend::lengauer_tarjan_simple, expected);
    }
    if (wrong.empty()) {
      wrong = with("cooper_harvey_kennedy", midend::cooper_harvey_kennedy, expected);
    }
    if (wrong.empty() && function.num_nodes() <= 400) { // the definition is quadratic
      wrong = with("naive_dominators", midend::naive_dominators, expected);
    }
    if (wrong.empty()) {
      midend::dominators_and_loops(g_, both_memory_, both_);
      wrong = same_immediate_dominators(both_.dominators, expected) ? "" : "idom of dominators_and_loops";
      wrong += lines_of(both_.loops) == expected.loops ? "" : "loops of dominators_and_loops";
    }
    if (wrong.empty()) {
      wrong = frontiers(expected);
    }
    if (wrong.empty()) {
      wrong = live_variables(function, expected);
    }
    if (wrong.empty()) {
      wrong = phis(function, expected);
    }
    return wrong.empty() ? post_dominators(expected) : wrong;
  }

private:
  static bool same_immediate_dominators(const midend::dominator_tree& tree, const expected_function& expected) {
    for (node_id n = 0; n != tree.num_nodes(); ++n) {
      if (signed_number(tree.immediate_dominator(n)) != expected.immediate_dominators[n]) {
        return false;
      }
    }
    return true;
  }

  template <class Algorithm>
  std::string with(const char* name, Algorithm algorithm, const expected_function& expected) {
    midend::dominators(g_, algorithm, dominators_memory_, tree_);
    midend::natural_loops(g_, tree_, loops_memory_, loops_);
    if (!same_immediate_dominators(tree_, expected)) {
      return join("idom by ", name);
    }
    return lines_of(loops_) == expected.loops ? "" : join("loops with ", name);
  }

  /// The immediate dominators of the reversed graph, entered through a virtual exit after the roots.
  std::string post_dominators(const expected_function& expected) {
    std::vector<node_id> roots;
    for (const std::int64_t root : expected.post_dominator_roots) {
      roots.push_back(static_cast<node_id>(root));
    }
    const auto with_exit = midend::with_virtual_exit(g_, std::span<const node_id>(roots));
    midend::dominators(midend::reversed(with_exit), midend::semi_nca, dominators_memory_, tree_);
    for (node_id n = 0; n != g_.num_nodes(); ++n) {
      const node_id dominator = tree_.immediate_dominator(n);
      if ((dominator == with_exit.exit() ? -1 : std::int64_t{dominator}) != expected.immediate_post_dominators[n]) {
        return join("ipdom of ", n);
      }
    }
    return {};
  }

  std::string frontiers(const expected_function& expected) {
    midend::dominance_frontier(g_, tree_, frontier_memory_, frontiers_);
    expected_lists found;
    for (node_id n = 0; n != g_.num_nodes(); ++n) {
      if (!frontiers_[n].empty()) {
        found[n] = std::vector<std::int64_t>(frontiers_[n].begin(), frontiers_[n].end());
      }
    }
    return found == expected.frontiers ? "" : "df";
  }

  std::string live_variables(const cfg_function& function, const expected_function& expected) {
    const midend_corpus::cfg_variables variables{function};
    midend::live_variables(g_, variables, live_memory_, live_);
    midend::live_variables(function, variables, live_sets_memory_, live_sets_); // has no predecessors
    expected_lists found;
    for (node_id n = 0; n != g_.num_nodes(); ++n) {
      for (const midend::variable_id v : live_.in(n)) {
        found[n].push_back(v);
        if (!live_sets_.in(n).test(v)) {
          return join("livein of block ", n, " as a set");
        }
      }
      if (live_sets_.in(n).count() != live_.in(n).count()) {
        return join("livein of block ", n, " as a set");
      }
    }
    return found == expected.live_in ? "" : "livein";
  }

  /// Where pruned SSA needs phis, all variables at once and each alone.
  std::string phis(const cfg_function& function, const expected_function& expected) {
    std::vector<midend::definition_site> definitions;
    std::vector<std::vector<node_id>> sites(function.num_variables);
    for (node_id n = 0; n != g_.num_nodes(); ++n) {
      for (const std::uint32_t v : function.defined_in(n)) {
        definitions.push_back({v, n});
        sites[v].push_back(n);
      }
    }
    const auto live_in = [&](std::uint32_t v, node_id n) { return live_.in(n).test(v); };
    midend::iterated_dominance_frontiers(g_, tree_, function.num_variables, definitions, live_in, iterated_memory_,
                                         iterated_);
    expected_lists found;
    for (std::uint32_t v = 0; v != function.num_variables; ++v) {
      if (!iterated_[v].empty()) {
        found[v] = std::vector<std::int64_t>(iterated_[v].begin(), iterated_[v].end());
      }
      if (v % 16 == 0) {
        const auto alone =
            midend::iterated_dominance_frontier(g_, tree_, sites[v], [&](node_id n) { return live_in(v, n); });
        if (!std::equal(alone.begin(), alone.end(), iterated_[v].begin(), iterated_[v].end())) {
          return join("iterated frontier of variable ", v);
        }
      }
    }
    return found == expected.phis ? "" : "phi";
  }

  midend::csr_graph g_;
  midend::strongly_connected_components_workspace component_memory_;
  midend::component_partition components_;
  midend::dominators_workspace dominators_memory_;
  midend::dominator_tree tree_;
  midend::dominance_frontier_workspace frontier_memory_;
  midend::frontier_sets frontiers_;
  midend::gen_kill_workspace<> live_memory_;
  midend::flow_facts<> live_;
  midend::gen_kill_workspace<std::vector<midend::bit_row>> live_sets_memory_;
  midend::flow_facts<std::vector<midend::bit_row>> live_sets_;
  midend::iterated_dominance_frontier_workspace iterated_memory_;
  midend::iterated_frontiers iterated_;
  midend::natural_loops_workspace loops_memory_;
  midend::loop_forest loops_;
  midend::dominators_and_loops_workspace both_memory_;
  midend::dominators_and_loops_result both_;
};

struct counts {
  std::size_t functions;
  std::size_t blocks;
  std::size_t edges;
  std::size_t loops;
};

/// The counts are those of the table in FORMAT.md.
void check_set(const std::string& name, counts expected_counts) {
  std::vector<cfg_function> functions;
  const auto error = midend_corpus::read_cfg(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".cfg.gz", functions);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  const std::vector<expected_function> expected =
      read_expectations(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".expect.gz");
  REQUIRE(functions.size() == expected.size());
  CHECK(functions.size() == expected_counts.functions);
  corpus_check check;
  counts seen{};
  std::size_t failed = 0;
  for (std::size_t i = 0; i != functions.size(); ++i) {
    const std::string wrong = check(functions[i], expected[i]);
    if (!wrong.empty() && ++failed <= 3) {
      FAIL_CHECK(name << ", function " << functions[i].name << ": " << wrong);
    }
    seen.blocks += functions[i].num_nodes();
    seen.edges += functions[i].successor_list.size();
    seen.loops += expected[i].loops.size();
  }
  CHECK(failed == 0);
  CHECK(seen.blocks == expected_counts.blocks);
  CHECK(seen.edges == expected_counts.edges);
  CHECK(seen.loops == expected_counts.loops);
}

} // namespace

TEST_CASE("corpus: lua5.4-O0") {
  check_set("lua5.4-O0", {1093, 8519, 11026, 311});
}

TEST_CASE("corpus: sqlite3-O0") {
  check_set("sqlite3-O0", {3553, 50337, 68490, 2218});
}

TEST_CASE("corpus: sqlite3-O2") {
  check_set("sqlite3-O2", {2030, 62696, 100537, 4053});
}

TEST_CASE("corpus: irreducible") {
  check_set("irreducible", {300, 15080, 26642, 1544});
}
