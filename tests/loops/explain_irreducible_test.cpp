#include <midend/loops/explain_irreducible.hpp>

#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/loops/cycles.hpp>

#include <algorithm>
#include <array>

using namespace midend_tests;
using midend::csr_graph;
using midend::cycle_forest;
using midend::cycle_id;
using midend::irreducible_explanation;

namespace {

/// How many edges a path has at least that leads from the entry to `target` and before that avoids the cycle.
std::size_t shortest_way(const cycle_forest& forest, cycle_id c, const definitions& facts, node_id target) {
  std::vector<node_id> level{facts.entry()};
  std::vector<char> seen(facts.num_nodes(), 0);
  for (std::size_t length = 0; !level.empty(); ++length) {
    std::vector<node_id> next;
    for (const node_id n : level) {
      if (n == target) {
        return length;
      }
      if (seen[n] == 0 && !forest.contains(c, n)) {
        for (const edge& e : facts.out_edges(n)) {
          next.push_back(e.target);
        }
      }
      seen[n] = 1;
    }
    level = std::move(next);
  }
  return no_node;
}

std::string wrong_path(std::span<const node_id> path, node_id target, const cycle_forest& forest, cycle_id c,
                       const definitions& facts) {
  if (path.empty() || path.front() != facts.entry() || path.back() != target || !forest.contains(c, target)) {
    return "ends of the path";
  }
  for (std::size_t i = 0; i + 1 != path.size(); ++i) {
    const auto out = facts.out_edges(path[i]);
    if (std::none_of(out.begin(), out.end(), [&](const edge& e) { return e.target == path[i + 1]; })) {
      return "the path has no such edge";
    }
    if (forest.contains(c, path[i])) {
      return "the path enters elsewhere";
    }
  }
  return path.size() == shortest_way(forest, c, facts, target) + 1 ? "" : "not a shortest path";
}

/// All cycles of a graph by both searches, through a workspace and a result that are used for all graphs.
class irreducible_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    std::string wrong = with(g, facts, midend::last_to_first);
    return wrong.empty() ? with(g, facts, midend::first_to_last) : wrong;
  }

  std::size_t reducible = 0;
  std::size_t irreducible = 0;
  std::size_t inner_irreducible = 0;

private:
  template <class G, class Order> std::string with(const G& g, const definitions& facts, Order order) {
    midend::cycles(g, order, cycles_memory_, forest_);
    for (const cycle_id c : forest_.cycles()) {
      midend::explain_irreducible(g, forest_, c, memory_, out_);
      if (std::string wrong = check_cycle(facts, c); !wrong.empty()) {
        return join(wrong, ", cycle of ", forest_.header(c));
      }
    }
    return {};
  }

  std::string check_cycle(const definitions& facts, cycle_id c) {
    const std::vector<node_id> entries = listed(forest_.entries(c));
    if (out_.cycle() != c || out_.first_entry() != entries[0]) {
      return "cycle or first entry";
    }
    if (std::string wrong = wrong_path(out_.path_to_first(), entries[0], forest_, c, facts); !wrong.empty()) {
      return "to the first: " + wrong;
    }
    if (out_.is_irreducible() != (entries.size() > 1)) {
      return "is_irreducible";
    }
    if (entries.size() == 1) {
      ++reducible;
      return out_.second_entry() == no_node && out_.path_to_second().empty() ? "" : "a second entry";
    }
    ++irreducible;
    inner_irreducible += forest_.depth(c) > 1;
    if (out_.second_entry() != entries[1]) {
      return "second entry";
    }
    if (facts.dominates(entries[0], entries[1]) || facts.dominates(entries[1], entries[0])) {
      return "an entry dominates the other";
    }
    const std::string wrong = wrong_path(out_.path_to_second(), entries[1], forest_, c, facts);
    return wrong.empty() ? "" : "to the second: " + wrong;
  }

  midend::cycles_workspace cycles_memory_;
  cycle_forest forest_;
  midend::explain_irreducible_workspace memory_;
  irreducible_explanation out_;
};

using node_list = std::vector<node_id>;

irreducible_explanation explain(const test_graph& graph, node_id in_cycle) {
  const auto g = make_csr(graph);
  const auto forest = midend::cycles(g);
  const std::string wrong = irreducible_check()(g, definitions(graph));
  CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
  return midend::explain_irreducible(g, forest, forest.innermost_cycle(in_cycle));
}

} // namespace

TEST_CASE("explain_irreducible: all digraphs of up to 3 nodes, and of 4 from every third bit pattern") {
  irreducible_check check;
  definitions facts;
  comparisons graphs;
  const auto compare = [&](const bit_graph& bits) {
    facts.assign(bits.num_nodes(), bits.entry(), to_test_graph(bits).edges);
    graphs.add(check(bits, facts), bits);
  };
  for (std::size_t size = 1; size != 4; ++size) {
    for_each_digraph(size, compare);
  }
  for (std::uint64_t bits = 0; bits < 65536; bits += 3) {
    for (node_id root = 0; root != 4; ++root) {
      compare(bit_graph(4, bits, root));
    }
  }
  CHECK(graphs.failed() == 0);
  CHECK(check.irreducible > 1000);
  CHECK(check.reducible > 1000);
}

TEST_CASE("explain_irreducible: random and ugly graphs") {
  irreducible_check check;
  comparisons graphs;
  std::vector<test_graph> all = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    all.push_back(std::move(ugly));
  }
  for (const test_graph& graph : all) {
    graphs.add(check(make_csr(graph), definitions(graph)), graph);
  }
  CHECK(graphs.failed() == 0);
  CHECK(check.irreducible > 100);
  CHECK(check.inner_irreducible > 100);
}

TEST_CASE("explain_irreducible: real functions") {
  std::vector<midend_corpus::cfg_function> functions;
  const auto error = midend_corpus::read_cfg(MIDEND_TEST_DATA "/corpus/sqlite3-O2.cfg.gz", functions);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  irreducible_check check;
  for (const auto& function : functions) {
    if (midend::cycles(function).is_reducible()) {
      continue;
    }
    test_graph graph{function.name, function.num_nodes(), 0, {}};
    for (node_id n = 0; n != function.num_nodes(); ++n) {
      for (const node_id s : function.successors(n)) {
        graph.edges.push_back({n, s});
      }
    }
    const std::string wrong = check(function, definitions(graph));
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << function.name);
  }
  CHECK(check.irreducible >= 5);
}

TEST_CASE("explain_irreducible: worked example 3, goto into a loop") {
  const auto e = explain({"", 7, 1, {{1, 2}, {1, 3}, {2, 5}, {3, 4}, {4, 5}, {5, 4}, {5, 6}}}, 4);
  REQUIRE(e.is_irreducible());
  CHECK(e.first_entry() == 4);
  CHECK(listed(e.path_to_first()) == node_list{1, 3, 4});
  CHECK(e.second_entry() == 5);
  CHECK(listed(e.path_to_second()) == node_list{1, 2, 5});
}

TEST_CASE("explain_irreducible: worked example 4, an irreducible cycle between loops") {
  const test_graph graph = three_kinds_of_cycles();
  // The search comes from 3 to 5 first, and to 6 from there. Without 5, a cycle {4, 6, 7} is left, irreducible again.
  const auto outer = explain(graph, 5);
  CHECK(listed(outer.path_to_first()) == node_list{1, 2, 3, 5});
  CHECK(listed(outer.path_to_second()) == node_list{1, 2, 3, 4});
  const auto inner = explain(graph, 7);
  CHECK(listed(inner.path_to_first()) == node_list{1, 2, 3, 5, 6});
  CHECK(listed(inner.path_to_second()) == node_list{1, 2, 3, 4});
  const auto loop = explain(graph, 9);
  CHECK_FALSE(loop.is_irreducible());
  CHECK(loop.first_entry() == 8);
  CHECK(listed(loop.path_to_first()) == node_list{1, 2, 3, 4, 6, 7, 8});
  CHECK(loop.path_to_second().empty());
}

TEST_CASE("explain_irreducible: where the graph starts in the cycle") {
  const auto e = explain({"", 3, 0, {{0, 1}, {1, 0}, {2, 1}}}, 1);
  CHECK_FALSE(e.is_irreducible());
  CHECK(listed(e.path_to_first()) == node_list{0});
}

TEST_CASE("explain_irreducible: a result is refilled whatever it held") {
  const auto two = make_csr({"", 3, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}}});
  const auto one = make_csr({"", 2, 0, {{0, 1}, {1, 1}}});
  midend::explain_irreducible_workspace memory;
  irreducible_explanation out;
  CHECK(out.cycle() == midend::no_cycle);
  CHECK_FALSE(out.is_irreducible());
  CHECK(out.path_to_first().empty());
  midend::explain_irreducible(two, midend::cycles(two), 0, memory, out);
  CHECK(out.is_irreducible());
  midend::explain_irreducible(one, midend::cycles(one), 0, memory, out);
  CHECK_FALSE(out.is_irreducible());
  CHECK(listed(out.path_to_first()) == node_list{0, 1});
  CHECK(out.path_to_second().empty());
}

TEST_CASE("explain_irreducible: a way of a million blocks, on a small stack") {
  // Two chains side by side to a cycle of two blocks.
  constexpr node_id length = midend_tests::million / 2;
  const std::string wrong = on_a_small_stack([] {
    std::vector<edge> edges{{0, 1}, {0, 2}};
    for (node_id n = 1; n + 2 <= 2 * length; ++n) {
      edges.push_back({n, n + 2});
    }
    edges.push_back({2 * length - 1, 2 * length});
    edges.push_back({2 * length, 2 * length - 1});
    const auto g = csr_graph::from_edges(2 * length + 1, 0, edges).value();
    const auto forest = midend::cycles(g);
    const auto e = midend::explain_irreducible(g, forest, 0);
    if (forest.num_cycles() != 1 || !e.is_irreducible()) {
      return std::string("not irreducible");
    }
    return e.path_to_first().size() == length + 1 && e.path_to_second().size() == length + 1 ? std::string()
                                                                                             : std::string("paths");
  });
  CHECK(wrong == "");
}

// In a constant expression.
namespace {

constexpr bool explanation_holds() {
  constexpr std::array edges{edge{0, 1}, edge{0, 2}, edge{1, 2}, edge{2, 1}};
  const csr_graph g = csr_graph::from_edges(3, 0, edges).value();
  const auto e = midend::explain_irreducible(g, midend::cycles(g), 0);
  return e.is_irreducible() && e.path_to_first().size() == 2 && e.path_to_second()[1] == e.second_entry();
}

static_assert(explanation_holds());

} // namespace
