// post_dominance_roots.hpp, post_dominators.hpp, post_dominator_tree.hpp.
#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/expectations.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/filtered.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/with_virtual_exit.hpp>

#include <algorithm>
#include <array>
#include <utility>

using namespace midend_tests;
using midend::csr_graph;
using midend::exits_only;
using midend::given_roots;
using midend::virtual_edge_per_endless_region;

namespace {

using nodes = std::vector<node_id>;

template <class Visit> void for_each_algorithm(Visit visit) {
  visit("semi_nca", midend::semi_nca);
  visit("lengauer_tarjan", midend::lengauer_tarjan);
  visit("lengauer_tarjan_simple", midend::lengauer_tarjan_simple);
  visit("cooper_harvey_kennedy", midend::cooper_harvey_kennedy);
  visit("naive_dominators", midend::naive_dominators);
}

/// The definition of the roots, by reachability and a recursive search.
class root_definition {
public:
  explicit root_definition(const test_graph& g) : graph_(g), facts_(g), leads_to_(g.num_nodes) {
    for (const edge e : facts_.edges()) {
      leads_to_[e.source].push_back(e.target);
    }
    rank_.assign(g.num_nodes, 0);
    seen_.assign(g.num_nodes, false);
    if (g.num_nodes != 0) {
      leave_in_postorder(g.entry);
    }
  }

  nodes exits() const {
    nodes out;
    for (node_id n = 0; n != graph_.num_nodes; ++n) {
      if (leads_to_[n].empty()) {
        out.push_back(n);
      }
    }
    return out;
  }

  /// The regions in which control stays: sets of nodes that have successors and reach each other and nothing else.
  std::vector<nodes> endless_regions() const {
    std::vector<nodes> out;
    for (node_id n = 0; n != graph_.num_nodes; ++n) {
      nodes region;
      bool stays = !leads_to_[n].empty();
      for (node_id m = 0; m != graph_.num_nodes; ++m) {
        if (facts_.reaches(n, m)) {
          stays = stays && facts_.reaches(m, n);
          region.push_back(m);
        }
      }
      if (stays && region.front() == n) {
        out.push_back(region);
      }
    }
    return out;
  }

  nodes exits_and_endless() const {
    nodes out = exits();
    for (const nodes& region : endless_regions()) {
      out.push_back(
          *std::max_element(region.begin(), region.end(), [&](node_id a, node_id b) { return before(a, b); }));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

private:
  void leave_in_postorder(node_id n) {
    seen_[n] = true;
    for (const node_id s : leads_to_[n]) {
      if (!seen_[s]) {
        leave_in_postorder(s);
      }
    }
    rank_[n] = left_++;
  }

  /// In reverse postorder; what the entry does not reach comes after the rest, by number.
  bool before(node_id a, node_id b) const {
    if (seen_[a] != seen_[b]) {
      return seen_[a];
    }
    return seen_[a] ? rank_[a] > rank_[b] : a < b;
  }

  const test_graph& graph_;
  definitions facts_;
  std::vector<nodes> leads_to_;
  std::vector<bool> seen_;
  std::vector<std::size_t> rank_;
  std::size_t left_ = 0;
};

/// The graph whose dominators the post-dominators are: edges turned round, and a node that leads to the roots.
test_graph turned_round(const test_graph& g, const nodes& roots) {
  test_graph out{g.name, g.num_nodes + 1, static_cast<node_id>(g.num_nodes), {}};
  for (const edge e : g.edges) {
    out.edges.push_back({e.target, e.source});
  }
  for (const node_id root : roots) {
    out.edges.push_back({out.entry, root});
  }
  return out;
}

/// Compares all that a tree answers with the definition.
std::string difference(const midend::post_dominator_tree& post, const test_graph& g, const nodes& roots) {
  const definitions facts(turned_round(g, roots));
  const auto exit = static_cast<node_id>(g.num_nodes);
  if (listed(post.roots()) != roots) {
    return "roots";
  }
  if (post.num_nodes() != g.num_nodes || post.virtual_exit() != exit) {
    return "size";
  }
  for (node_id a = 0; a <= exit; ++a) {
    const node_id parent = facts.immediate_dominator(a);
    if (post.is_diverging(a) == facts.reaches(exit, a) ||
        post.immediate_post_dominator(a) != (parent == exit ? no_node : parent)) {
      return join("immediate post-dominator of ", a);
    }
    nodes children;
    for (node_id b = 0; b <= exit; ++b) {
      if (post.post_dominates(a, b) != facts.dominates(a, b) ||
          post.strictly_post_dominates(a, b) != (a != b && facts.dominates(a, b))) {
        return join("whether ", a, " post-dominates ", b);
      }
      if (facts.immediate_dominator(b) == a) {
        children.push_back(b);
      }
      const node_id common = post.nearest_common_post_dominator(a, b);
      const node_id expected = post.tree().nearest_common_dominator(a, b);
      if (common != (expected == exit ? no_node : expected)) {
        return join("common post-dominator of ", a, " and ", b);
      }
    }
    if (sorted(post.children(a)) != children || post.depth(a) != post.tree().depth(a)) {
      return join("children or depth of ", a);
    }
  }
  return midend_tests::difference(post.tree(), facts);
}

/// All policies and algorithms on one graph, through one workspace and result that are used for every graph.
class post_dominators_check {
public:
  template <class G> std::string operator()(const G& g, const test_graph& graph) {
    const root_definition definition(graph);
    nodes some;
    for (node_id n = 0; n < graph.num_nodes; n += 2) {
      some.push_back(n);
    }
    std::string wrong = with(g, graph, exits_only, definition.exits());
    if (wrong.empty()) {
      wrong = with(g, graph, virtual_edge_per_endless_region, definition.exits_and_endless());
    }
    if (wrong.empty()) {
      wrong = with(g, graph, given_roots{some}, some);
    }
    return wrong;
  }

private:
  template <class G, class Policy>
  std::string with(const G& g, const test_graph& graph, Policy policy, const nodes& roots) {
    midend::post_dominance_roots(g, policy, roots_memory_, roots_);
    if (listed(roots_) != roots) {
      return "post_dominance_roots";
    }
    std::string wrong;
    midend::post_dominators(g, policy, memory_, first_);
    wrong = difference(first_, graph, roots);
    for_each_algorithm([&](const char* name, auto algorithm) {
      midend::post_dominators(g, policy, algorithm, memory_, tree_);
      bool same = listed(tree_.roots()) == roots && tree_.num_nodes() == graph.num_nodes;
      for (node_id n = 0; n <= graph.num_nodes && same; ++n) {
        same = tree_.tree().immediate_dominator(n) == first_.tree().immediate_dominator(n) &&
               tree_.depth(n) == first_.depth(n);
      }
      if (wrong.empty() && !same) {
        wrong = join(name, " differs from the default algorithm");
      }
    });
    return wrong;
  }

  midend::post_dominance_roots_workspace roots_memory_;
  midend::flat_array<node_id> roots_;
  midend::post_dominators_workspace memory_;
  midend::post_dominator_tree first_;
  midend::post_dominator_tree tree_;
};

struct with_epoch {
  const csr_graph* g;
  std::uint64_t changes;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const { return g->successors(n); }

  std::uint64_t epoch() const { return changes; }
};

nodes default_roots(const test_graph& graph) {
  return listed(midend::post_dominance_roots(make_csr(graph)));
}

nodes immediate_post_dominators(const midend::post_dominator_tree& post) {
  nodes out;
  for (node_id n = 0; n != post.num_nodes(); ++n) {
    out.push_back(post.immediate_post_dominator(n));
  }
  return out;
}

} // namespace

TEST_CASE("post_dominators: all digraphs of up to 3 nodes from every root, without predecessors and with") {
  post_dominators_check check;
  comparisons graphs;
  csr_graph copy;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      const test_graph graph = to_test_graph(g);
      graphs.add(check(g, graph), g);
      copy.assign(g);
      graphs.add(check(copy, graph), g);
    });
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() == 2 * (2 * 1 + 16 * 2 + 512 * 3));
}

TEST_CASE("post_dominators: all digraphs of 4 nodes, default policy") {
  midend::post_dominators_workspace memory;
  midend::post_dominator_tree post;
  midend::post_dominance_roots_workspace roots_memory;
  midend::flat_array<node_id> roots;
  definitions facts;
  csr_graph copy;
  comparisons graphs;
  for (std::uint64_t bits = 0; bits < 65536; bits += tests_are_shortened ? 7 : 1) {
    const bit_graph g(4, bits, static_cast<node_id>(bits % 4));
    const test_graph graph = to_test_graph(g);
    const nodes expected = root_definition(graph).exits_and_endless();
    copy.assign(g);
    midend::post_dominance_roots(copy, virtual_edge_per_endless_region, roots_memory, roots);
    midend::post_dominators(copy, virtual_edge_per_endless_region, memory, post);
    facts.assign(5, 4, turned_round(graph, expected).edges);
    std::string wrong = midend_tests::difference(post.tree(), facts);
    if (listed(roots) != expected || listed(post.roots()) != expected) {
      wrong = "roots";
    }
    graphs.add(wrong, g);
  }
  CHECK(graphs.failed() == 0);
}

TEST_CASE("post_dominators: random and ugly graphs, all policies and algorithms") {
  post_dominators_check check;
  comparisons compared;
  for (const test_graph& graph : random_graphs()) {
    if (graph.num_nodes <= 60) {
      compared.add(check(make_csr(graph), graph), graph);
    }
  }
  for (const test_graph& graph : ugly_graphs()) {
    compared.add(check(make_csr(graph), graph), graph);
  }
  CHECK(compared.failed() == 0);
  CHECK(compared.all() > affordable(300));
}

// Sparse random graphs have many endless regions of several nodes, which the entry reaches and does not.
TEST_CASE("post_dominators: graphs of many endless regions") {
  post_dominators_check check;
  comparisons compared;
  random_source random(31);
  std::size_t large_regions = 0;
  std::size_t regions = 0;
  for (std::size_t i = 0; i != 150; ++i) {
    test_graph graph = random_digraph(random, 12 + random.below(30), 0);
    for (node_id n = 0; n != graph.num_nodes; ++n) {
      graph.edges.push_back({n, random.below(graph.num_nodes)});
      if (random.one_in(3)) {
        graph.edges.push_back({n, (n / 4) * 4 + random.below(std::min<std::size_t>(4, graph.num_nodes - n / 4 * 4))});
      }
    }
    for (const nodes& region : root_definition(graph).endless_regions()) {
      ++regions;
      large_regions += region.size() > 2 ? 1 : 0;
    }
    compared.add(check(make_csr(graph), graph), graph);
  }
  CHECK(compared.failed() == 0);
  CHECK(regions > 150);
  CHECK(large_regions > 50);
}

TEST_CASE("post_dominators: any model of a graph with predecessors gives the same") {
  for (const test_graph& graph : random_graphs()) {
    const csr_graph g = make_csr(graph);
    const auto all = midend::filtered(g, [](node_id, node_id) { return true; });
    CHECK(midend::post_dominators(all) == midend::post_dominators(g));
    CHECK(midend::post_dominance_roots(all) == midend::post_dominance_roots(g));
  }
}

TEST_CASE("post_dominators: the dominators of the public views") {
  midend::dominators_workspace memory;
  for (const test_graph& graph : random_graphs()) {
    const csr_graph g = make_csr(graph);
    const auto post = midend::post_dominators(g);
    const auto with_exit = midend::with_virtual_exit(g, post.roots());
    const auto tree = midend::dominators(midend::reversed(with_exit));
    for (node_id n = 0; n != tree.num_nodes(); ++n) {
      CHECK(tree.immediate_dominator(n) == post.tree().immediate_dominator(n));
    }
    const auto from_exits = midend::with_virtual_exit(g);
    CHECK(midend::post_dominators(g, exits_only).tree() == midend::dominators(midend::reversed(from_exits)));
  }
}

TEST_CASE("post_dominators: the forms and defaults agree") {
  for (const test_graph& graph : ugly_graphs()) {
    const csr_graph g = make_csr(graph);
    const auto post = midend::post_dominators(g);
    CHECK(post == midend::post_dominators(g, virtual_edge_per_endless_region));
    CHECK(post == midend::post_dominators(g, virtual_edge_per_endless_region, midend::semi_nca));
    CHECK(midend::post_dominance_roots(g) == midend::post_dominance_roots(g, virtual_edge_per_endless_region));
    CHECK(listed(midend::post_dominance_roots(g)) == listed(post.roots()));
    CHECK(immediate_post_dominators(midend::post_dominators(g, given_roots{post.roots()})) ==
          immediate_post_dominators(post));
  }
}

TEST_CASE("post_dominance_roots: given roots are sorted and count once, and other exits diverge") {
  const csr_graph g = make_csr({"", 4, 0, {{0, 1}, {0, 2}, {1, 3}}});
  const std::array<node_id, 4> given{3, 0, 3, 0};
  CHECK(listed(midend::post_dominance_roots(g, given_roots{given})) == nodes{0, 3});
  const auto post = midend::post_dominators(g, given_roots{given});
  CHECK(listed(post.roots()) == nodes{0, 3});
  CHECK(immediate_post_dominators(post) == nodes{no_node, 3, no_node, no_node});
  CHECK(post.is_diverging(2));
  CHECK_FALSE(post.post_dominates(2, 2));
  CHECK(midend::post_dominators(g, given_roots{}).is_diverging(0));
}

// Worked example 1 of the loop definitions, without a way out: 1 → 2, 2 → 3, 2 → 4, 3 → 5, 4 → 5, 5 → 2; from 0 here.
TEST_CASE("post_dominance_roots: the root of an endless simple loop is its latch") {
  const test_graph loop{"", 5, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}}};
  CHECK(default_roots(loop) == nodes{4});
  const auto post = midend::post_dominators(make_csr(loop));
  CHECK(immediate_post_dominators(post) == nodes{1, 4, 4, 4, no_node});
  CHECK(midend::post_dominators(make_csr(loop), exits_only).is_diverging(0));
}

TEST_CASE("post_dominance_roots: the latch whatever the numbers, and the order of successors decides between two") {
  CHECK(default_roots({"", 5, 0, {{0, 4}, {4, 2}, {4, 1}, {2, 3}, {1, 3}, {3, 4}}}) == nodes{3});
  CHECK(default_roots({"two latches", 4, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}}}) == nodes{2});
  CHECK(default_roots({"two latches", 4, 0, {{0, 1}, {1, 3}, {1, 2}, {2, 1}, {3, 1}}}) == nodes{3});
}

// Worked example 3, goto into a loop, without a way out: {4, 5} is entered in both, 4 from 3 and 5 from 2.
TEST_CASE("post_dominance_roots: endless irreducible region") {
  CHECK(default_roots({"", 5, 0, {{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 4}, {4, 3}}}) == nodes{3});
  CHECK(default_roots({"", 5, 0, {{0, 2}, {0, 1}, {1, 4}, {2, 3}, {3, 4}, {4, 3}}}) == nodes{4});
}

// Worked example 8: the body of a loop with a break, an abort, an unreachable arm and an endless loop inside.
TEST_CASE("post_dominators: break, abort, unreachable arm and inner endless loop") {
  // 0 → 1 header; 1 → 2 body; 2 → 3 break, 2 → 4 abort, 2 → 5 endless loop 5 ↔ 6, 2 → 7 latch; 8 unreachable → 7; 9 end
  const test_graph graph{
      "", 10, 0, {{0, 1}, {1, 2}, {1, 9}, {2, 3}, {2, 4}, {2, 5}, {2, 7}, {3, 9}, {5, 6}, {6, 5}, {7, 1}, {8, 7}}};
  const csr_graph g = make_csr(graph);
  const auto post = midend::post_dominators(g);
  CHECK(listed(post.roots()) == nodes{4, 6, 9});
  CHECK(immediate_post_dominators(post) == nodes{1, no_node, no_node, 9, no_node, 6, no_node, 1, 7, no_node});
  CHECK(post.nearest_common_post_dominator(0, 8) == 1);
  CHECK(post.nearest_common_post_dominator(3, 4) == no_node);
  CHECK(sorted(post.children(post.virtual_exit())) == nodes{1, 2, 4, 6, 9});
  CHECK(post.depth(8) == 3);
  const auto without = midend::post_dominators(g, exits_only);
  CHECK(listed(without.roots()) == nodes{4, 9});
  CHECK(without.is_diverging(5));
  CHECK(without.is_diverging(6));
  CHECK_FALSE(without.is_diverging(2));
  CHECK_FALSE(without.post_dominates(6, 5));
  CHECK(without.nearest_common_post_dominator(5, 6) == no_node);
}

TEST_CASE("post_dominance_roots: endless regions that the entry does not reach are numbered by id") {
  CHECK(default_roots({"", 5, 2, {{3, 1}, {1, 3}, {0, 4}, {4, 0}}}) == nodes{2, 3, 4});
}

TEST_CASE("post_dominator_tree: remembers the epoch of the graph, also through a copy of it") {
  const csr_graph g = make_csr({"", 2, 0, {{0, 1}}});
  CHECK(midend::post_dominators(g).epoch() == 0);
  CHECK(midend::post_dominators(with_epoch{&g, 17}).epoch() == 17);
}

TEST_CASE("post_dominator_tree: one that nothing was computed for, and copies") {
  CHECK(midend::post_dominator_tree().num_nodes() == 0);
  CHECK(midend::post_dominator_tree().roots().empty());
  const auto empty = midend::post_dominators(csr_graph());
  CHECK(empty.num_nodes() == 0);
  CHECK(empty.tree().root() == empty.virtual_exit());
  const auto post = midend::post_dominators(make_csr({"", 2, 0, {{0, 1}, {1, 0}}}));
  const auto copy = post;
  CHECK(copy == post);
  CHECK(listed(copy.roots()) == nodes{1});
}

namespace {

std::int64_t signed_number(node_id n) {
  return n == no_node ? -1 : static_cast<std::int64_t>(n);
}

/// LLVM's answers with LLVM's roots; our roots and LLVM's agree but for which node of an endless region is one.
class corpus_check {
public:
  std::string operator()(const midend_corpus::cfg_function& function, const expected_function& expected) {
    g_.assign(function);
    nodes given;
    for (const std::int64_t root : expected.post_dominator_roots) {
      given.push_back(static_cast<node_id>(root));
    }
    std::string wrong;
    for_each_algorithm([&](const char* name, auto algorithm) {
      if (std::is_same_v<decltype(algorithm), midend::naive_dominators_t> && function.num_nodes() > 150) {
        return; // quadratic
      }
      midend::post_dominators(g_, given_roots{given}, algorithm, memory_, post_);
      for (node_id n = 0; n != g_.num_nodes(); ++n) {
        if (signed_number(post_.immediate_post_dominator(n)) != expected.immediate_post_dominators[n]) {
          wrong = join("ipdom of ", n, " by ", name);
        }
      }
    });
    midend::post_dominators(g_, virtual_edge_per_endless_region, memory_, post_);
    const nodes ours = listed(post_.roots());
    if (ours.size() != given.size() || ours != listed(midend::post_dominance_roots(function))) {
      return "number of roots";
    }
    if (function.num_nodes() <= 400) {
      test_graph graph{function.name, function.num_nodes(), 0, {}};
      for (node_id n = 0; n != function.num_nodes(); ++n) {
        for (const node_id s : function.successors(n)) {
          graph.edges.push_back({n, s});
        }
      }
      const root_definition definition(graph);
      if (ours != definition.exits_and_endless()) {
        return "roots";
      }
      for (const nodes& region : definition.endless_regions()) {
        ++regions;
        if (std::count_if(region.begin(), region.end(),
                          [&](node_id n) { return std::find(given.begin(), given.end(), n) != given.end(); }) != 1) {
          return "LLVM has not one root in an endless region";
        }
      }
    }
    return wrong;
  }

  std::size_t regions = 0;

private:
  csr_graph g_;
  midend::post_dominators_workspace memory_;
  midend::post_dominator_tree post_;
};

/// Returns the number of endless regions.
std::size_t check_set(const std::string& name) {
  std::vector<midend_corpus::cfg_function> functions;
  const auto error = midend_corpus::read_cfg(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".cfg.gz", functions);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  const auto expected = read_expectations(std::string(MIDEND_TEST_DATA "/corpus/") + name + ".expect.gz");
  REQUIRE(functions.size() == expected.size());
  corpus_check check;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < functions.size(); i += tests_are_shortened ? 5 : 1) {
    const std::string wrong = check(functions[i], expected[i]);
    if (!wrong.empty() && ++failed <= 3) {
      FAIL_CHECK(name << ", function " << functions[i].name << ": " << wrong);
    }
  }
  CHECK(failed == 0);
  return check.regions;
}

} // namespace

TEST_CASE("post_dominators: LLVM's answers for the corpus") {
  CHECK(check_set("lua5.4-O0") == 0);
  CHECK(check_set("sqlite3-O0") == 0);
  CHECK(check_set("sqlite3-O2") == 0);
  CHECK(check_set("irreducible") > affordable(100));
}

TEST_CASE("post_dominators: a million nodes on a small stack") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    std::vector<edge> edges;
    for (node_id n = 0; n + 1 != million; ++n) {
      edges.push_back({n, n + 1});
    }
    midend::post_dominators_workspace memory;
    midend::post_dominator_tree post;
    const auto compute = [&] {
      midend::post_dominators(csr_graph::from_edges(million, 0, edges).value(), virtual_edge_per_endless_region, memory,
                              post);
    };
    compute();
    if (post.depth(0) != million || post.immediate_post_dominator(7) != 8) {
      return "chain";
    }
    edges.push_back({million - 1, million / 2}); // endless: the latch is the root
    compute();
    if (post.roots().size() != 1 || post.roots()[0] != million - 1 || post.depth(0) != million) {
      return "chain into an endless loop";
    }
    edges.clear();
    for (node_id n = 0; n != million; n += 2) { // half a million endless loops of two nodes
      edges.push_back({n, n + 1});
      edges.push_back({n + 1, n});
      edges.push_back({n + 1, n + 1});
    }
    compute();
    if (post.roots().size() != million / 2 || post.immediate_post_dominator(0) != 1 || post.depth(million - 2) != 2) {
      return "endless loops";
    }
    return {};
  });
  CHECK(wrong == "");
}

// In constant expressions.
namespace {

constexpr bool holds_at_compile_time() {
  constexpr std::array edges{edge{0, 1}, edge{1, 2}, edge{2, 3}, edge{3, 1}, edge{0, 4}, edge{5, 4}, edge{6, 6}};
  const csr_graph g = csr_graph::from_edges(7, 0, edges).value();
  const auto post = midend::post_dominators(g);
  const auto only = midend::post_dominators(g, exits_only, midend::cooper_harvey_kennedy);
  const std::array<node_id, 1> four{4};
  const auto given = midend::post_dominators(g, given_roots{four}, midend::lengauer_tarjan);
  return post.roots().size() == 3 && post.roots()[0] == 3 && post.roots()[1] == 4 && post.roots()[2] == 6 &&
         post.immediate_post_dominator(1) == 2 && post.immediate_post_dominator(0) == no_node &&
         post.immediate_post_dominator(5) == 4 && only.is_diverging(6) && !only.is_diverging(0) &&
         only.immediate_post_dominator(0) == 4 && given.tree() == only.tree() &&
         midend::post_dominance_roots(g).size() == 3 && midend::post_dominators(bit_graph(1, 1, 0)).roots().size() == 1;
}

static_assert(holds_at_compile_time());
static_assert(midend::post_dominance_policy<given_roots> && !midend::post_dominance_policy<midend::semi_nca_t>);

} // namespace
