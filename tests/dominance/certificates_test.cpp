// low_high_order.hpp, verify_low_high.hpp, certify.hpp.
#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/expectations.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dominance/certify.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/with_virtual_exit.hpp>

#include <algorithm>
#include <array>
#include <utility>

using namespace midend_tests;
using midend::csr_graph;
using midend::dominance_error;
using enum midend::dominance_error::reason;

namespace {

using nodes = std::vector<node_id>;

nodes true_claims(const definitions& facts) {
  nodes out;
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    out.push_back(facts.immediate_dominator(n));
  }
  return out;
}

/// By definition: the reachable nodes, each once, what a node dominates in one piece after it.
bool is_preorder(const definitions& facts, const nodes& order) {
  nodes all = order;
  std::sort(all.begin(), all.end());
  if (order.size() != facts.num_reachable() || std::adjacent_find(all.begin(), all.end()) != all.end()) {
    return false;
  }
  for (const node_id n : order) {
    if (n >= facts.num_nodes() || !facts.is_reachable(n)) {
      return false;
    }
  }
  for (std::size_t i = 0; i != order.size(); ++i) {
    std::size_t end = i;
    while (end != order.size() && facts.dominates(order[i], order[end])) {
      ++end;
    }
    for (std::size_t k = 0; k != order.size(); ++k) {
      if (facts.dominates(order[i], order[k]) != (i <= k && k < end)) {
        return false;
      }
    }
  }
  return true;
}

/// By definition, for the true dominator tree.
bool is_low_high(const definitions& facts, const nodes& order) {
  if (!is_preorder(facts, order)) {
    return false;
  }
  std::vector<std::size_t> position(facts.num_nodes());
  for (std::size_t i = 0; i != order.size(); ++i) {
    position[order[i]] = i;
  }
  for (const node_id v : order) {
    bool low = v == facts.entry();
    bool high = low;
    for (const edge& e : facts.edges()) {
      if (e.target == v && facts.is_reachable(e.source)) {
        const bool from_parent = e.source == facts.immediate_dominator(v);
        low = low || from_parent || position[e.source] < position[v];
        high = high || from_parent || (position[e.source] > position[v] && !facts.dominates(v, e.source));
      }
    }
    if (!low || !high) {
      return false;
    }
  }
  return true;
}

/// Calls `visit` with all lists of up to `size` different nodes.
template <class Visit> void for_each_arrangement(std::size_t size, nodes& list, Visit visit) {
  visit(std::as_const(list));
  for (node_id n = 0; n != size; ++n) {
    if (std::find(list.begin(), list.end(), n) == list.end()) {
      list.push_back(n);
      for_each_arrangement(size, list, visit);
      list.pop_back();
    }
  }
}

/// Calls `visit` with all claims for `size` nodes: nodes, and `no_node`.
template <class Visit> void for_each_claims(std::size_t size, Visit visit) {
  nodes claims(size, 0);
  for (;;) {
    nodes given = claims;
    std::replace(given.begin(), given.end(), static_cast<node_id>(size), no_node);
    visit(std::as_const(given));
    std::size_t i = 0;
    while (i != size && claims[i]++ == size) {
      claims[i++] = 0;
    }
    if (i == size) {
      return;
    }
  }
}

/// All claims and all orders: those and only those that are right by definition are accepted.
class exhaustive_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    const std::size_t size = facts.num_nodes();
    std::vector<nodes> orders;
    std::vector<bool> right;
    nodes list;
    for_each_arrangement(size, list, [&](const nodes& order) {
      orders.push_back(order);
      right.push_back(is_low_high(facts, order));
    });
    if (std::find(right.begin(), right.end(), true) == right.end()) {
      return "no order is right";
    }
    const nodes truth = true_claims(facts);
    std::string wrong;
    for_each_claims(size, [&](const nodes& claims) {
      for (std::size_t i = 0; i != orders.size(); ++i) {
        const bool accepted = !midend::verify_low_high(g, claims, orders[i], memory_);
        if (accepted != (claims == truth && right[i])) {
          wrong = accepted ? "accepted" : "rejected";
        }
      }
    });
    return wrong;
  }

private:
  midend::verify_low_high_workspace memory_;
};

/// Everything that should hold for a graph and its tree, in memory that is used for every graph.
class certificates_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    const midend::dominator_tree tree = midend::dominators(g);
    if (midend::low_high_order(g, tree, building_, order_) || !is_low_high(facts, listed(order_))) {
      return "no low-high order of the tree";
    }
    if (midend::verify_low_high(g, tree, order_, verifying_) || midend::certify(g, tree, memory_)) {
      return "the tree is rejected";
    }
    const nodes claims = true_claims(facts);
    if (midend::low_high_order(g, claims, building_, order_) || !is_low_high(facts, listed(order_))) {
      return "no low-high order of claims";
    }
    if (midend::verify_low_high(g, claims, order_, verifying_) || midend::certify(g, claims, memory_)) {
      return "claims are rejected";
    }
    return {};
  }

private:
  midend::low_high_order_workspace building_;
  midend::verify_low_high_workspace verifying_;
  midend::certify_workspace memory_;
  midend::flat_array<node_id> order_;
};

/// Whether any change of one claim is accepted, by a proof built for the changed claims or for the true ones.
class mutations_check {
public:
  template <class G> std::string operator()(const G& g) {
    const midend::dominator_tree tree = midend::dominators(g);
    if (midend::low_high_order(g, tree, building_, order_)) {
      return "no order";
    }
    nodes claims = listed(tree.immediate_dominators());
    for (std::size_t n = 0; n != claims.size(); ++n) {
      const node_id truth = claims[n];
      for (std::size_t i = 0; i != claims.size() + 2; ++i) { // one number is out of range
        claims[n] = i == claims.size() + 1 ? no_node : static_cast<node_id>(i);
        if (claims[n] != truth &&
            (!midend::certify(g, claims, memory_) || !midend::verify_low_high(g, claims, order_, verifying_))) {
          return join("accepted: ", claims[n], " dominates ", n);
        }
      }
      claims[n] = truth;
    }
    return {};
  }

private:
  midend::low_high_order_workspace building_;
  midend::verify_low_high_workspace verifying_;
  midend::certify_workspace memory_;
  midend::flat_array<node_id> order_;
};

dominance_error error_of(const test_graph& graph, const nodes& claims, const nodes& order) {
  const auto error = midend::verify_low_high(make_csr(graph), claims, order);
  REQUIRE(error.has_value());
  return *error;
}

dominance_error certify_error(const test_graph& graph, const nodes& claims) {
  const auto error = midend::certify(make_csr(graph), claims);
  REQUIRE(error.has_value());
  return *error;
}

const test_graph diamond{"diamond", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}};

nodes as_claims(const std::vector<std::int64_t>& lines, node_id none) {
  nodes out;
  for (const std::int64_t line : lines) {
    out.push_back(line < 0 ? none : static_cast<node_id>(line));
  }
  return out;
}

/// A tree whose arrays can be set to anything.
struct forged_tree {
  explicit forged_tree(const midend::dominator_tree& tree) : nodes_in_preorder(listed(tree.preorder())) {
    for (node_id n = 0; n != tree.num_nodes(); ++n) {
      numbers.push_back(tree.preorder_number(n));
      sizes.push_back(static_cast<std::uint32_t>(tree.subtree(n).size()));
      depths.push_back(tree.depth(n));
    }
  }

  nodes nodes_in_preorder;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> depths;

  struct sized {
    std::uint32_t count;

    std::uint32_t size() const { return count; }
  };

  std::size_t num_reachable() const { return nodes_in_preorder.size(); }

  std::span<const node_id> preorder() const { return nodes_in_preorder; }

  bool is_reachable(node_id n) const { return numbers[n] != no_node; }

  std::uint32_t preorder_number(node_id n) const { return numbers[n]; }

  std::uint32_t depth(node_id n) const { return depths[n]; }

  sized subtree(node_id n) const { return {sizes[n]}; }
};

} // namespace

TEST_CASE("verify_low_high: accepts what is right by definition and nothing else, of all claims and all orders") {
  exhaustive_check check;
  definitions facts;
  comparisons compared;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      facts.assign(size, g.entry(), to_test_graph(g).edges);
      compared.add(check(g, facts), g);
    });
  }
  random_source random(4);
  for (std::size_t i = 0; i != 40; ++i) { // of 4 nodes, mostly reachable
    const bit_graph g(4, random.next() & (random.next() | random.next()) & 0xffff, random.below(4));
    facts.assign(4, g.entry(), to_test_graph(g).edges);
    compared.add(check(g, facts), g);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("certify: the trees of all digraphs of up to 4 nodes, from every root") {
  certificates_check check;
  definitions facts;
  comparisons compared;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      if (size < 4 || g.entry() == 0) {
        facts.assign(size, g.entry(), to_test_graph(g).edges);
        compared.add(check(g, facts), g);
      }
    });
  }
  CHECK(compared.failed() == 0);
  CHECK(compared.all() == 2 * 1 + 16 * 2 + 512 * 3 + 65536);
}

TEST_CASE("certify: rejects every change of one claim, on all digraphs of up to 4 nodes") {
  mutations_check check;
  comparisons compared;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      if (size < 4 || g.entry() == 1) {
        compared.add(check(g), g);
      }
    });
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("certify: random and ugly graphs") {
  certificates_check check;
  comparisons compared;
  for (const std::vector<test_graph>& graphs : {random_graphs(), ugly_graphs()}) {
    for (const test_graph& graph : graphs) {
      compared.add(check(make_csr(graph), definitions(graph)), graph);
    }
  }
  CHECK(compared.failed() == 0);
}

// Sparse graphs of these sizes have the most intricate sets of siblings: joins that only other joins lead to, in
// cycles with several entries.
TEST_CASE("certify: many random digraphs of 5 to 14 nodes") {
  certificates_check check;
  mutations_check mutations;
  comparisons compared;
  random_source random(5);
  for (std::size_t i = 0; i != 6'000; ++i) {
    const std::size_t size = 5 + random.below(10);
    const test_graph graph = random_digraph(random, size, size + random.below(2 * size));
    compared.add(check(make_csr(graph), definitions(graph)), graph);
    if (i % 10 == 0) {
      compared.add(mutations(make_csr(graph)), graph);
    }
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("verify_low_high: changed orders of right trees are rejected, unless they are low-high orders too") {
  midend::verify_low_high_workspace memory;
  random_source random(6);
  std::size_t accepted = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != 2'000; ++i) {
    const std::size_t size = 4 + random.below(8);
    const test_graph graph = random_digraph(random, size, 2 * size);
    const definitions facts(graph);
    const csr_graph g = make_csr(graph);
    const nodes claims = true_claims(facts);
    nodes order = listed(midend::low_high_order(g, claims).value());
    for (std::size_t change = 0; change != 6; ++change) {
      const std::uint32_t at = random.below(order.size());
      if (change < 4) {
        std::swap(order[at], order[random.below(order.size())]);
      } else {
        order[at] = random.below(size + 1);
      }
      const bool right = is_low_high(facts, order);
      accepted += right;
      wrong += right == midend::verify_low_high(g, claims, order, memory).has_value();
      wrong += right == midend::verify_low_high(g, midend::dominators(g), order, memory).has_value();
    }
  }
  CHECK(wrong == 0);
  CHECK(accepted > 500);
  CHECK(accepted < 11'500);
}

TEST_CASE("verify_low_high: an order of another length is rejected") {
  const csr_graph g = make_csr(diamond);
  const nodes claims{no_node, 0, 0, 0};
  CHECK_FALSE(midend::verify_low_high(g, claims, nodes{0, 1, 3, 2}).has_value());
  CHECK(error_of(diamond, claims, {0, 1, 3}) == dominance_error{not_a_preorder, 2});
  CHECK(error_of(diamond, claims, {0, 1, 3, 2, 2}).why == wrong_size);
  CHECK(error_of(diamond, claims, {}).why == wrong_size);
}

TEST_CASE("verify_low_high: each reason, and the place") {
  const nodes claims{no_node, 0, 0, 0};
  CHECK(error_of(diamond, {no_node, 0, 0}, {0, 1, 3, 2}).why == wrong_size);
  CHECK(error_of(diamond, {0, 0, 0, 0}, {0, 1, 3, 2}) == dominance_error{not_a_preorder, 0});
  CHECK(error_of(diamond, claims, {1, 0, 3, 2}) == dominance_error{not_a_preorder, 1});
  CHECK(error_of(diamond, claims, {0, 1, 1, 2}) == dominance_error{not_a_preorder, 1});
  CHECK(error_of(diamond, claims, {0, 1, 4, 2}) == dominance_error{not_a_preorder, 4});
  CHECK(error_of(diamond, {no_node, 0, 0, 9}, {0, 1, 3, 2}) == dominance_error{not_a_preorder, 3});
  CHECK(error_of(diamond, {no_node, 0, 0, 2}, {0, 1, 3, 2}) == dominance_error{not_a_preorder, 3});
  CHECK(error_of(diamond, {no_node, 0, 0, 1}, {0, 1, 2, 3}).why == not_a_preorder); // 3 is not after 1
  CHECK(error_of(diamond, claims, {0, 1, 2, 3}) == dominance_error{not_closest, 3});
  CHECK(error_of(diamond, {no_node, 0, 0, 1}, {0, 2, 1, 3}) == dominance_error{edge_avoids_claim, 3, 2});
  CHECK(error_of(diamond, {no_node, 0, 0, no_node}, {0, 1, 2}) == dominance_error{edge_leaves_tree, 3, 1});
  CHECK(error_of({"", 3, 0, {{0, 1}, {2, 1}}}, {no_node, 0, 0}, {0, 1, 2}) == dominance_error{not_closest, 2});
}

TEST_CASE("certify: each reason, and the place") {
  CHECK(certify_error(diamond, {}).why == wrong_size);
  CHECK(certify_error(diamond, {no_node, 0, 0, 0, 0}).why == wrong_size);
  CHECK(certify_error(diamond, {2, 0, 0, 0}) == dominance_error{not_a_tree, 0});
  CHECK(certify_error(diamond, {no_node, 0, 0, 4}) == dominance_error{not_a_tree, 3});
  CHECK(certify_error(diamond, {no_node, 0, 2, 0}) == dominance_error{not_a_tree, 2});
  CHECK(certify_error(diamond, {no_node, 2, 3, 1}) == dominance_error{not_a_tree, 1});
  CHECK(certify_error(diamond, {no_node, 0, no_node, 2}) == dominance_error{not_a_tree, 3});
  CHECK(certify_error(diamond, {no_node, 0, 0, 1}) == dominance_error{edge_avoids_claim, 3, 2});
  CHECK(certify_error(diamond, {no_node, 0, 0, no_node}) == dominance_error{edge_leaves_tree, 3, 1});
  CHECK(certify_error({"", 3, 0, {{0, 1}, {1, 2}}}, {no_node, 0, 0}) == dominance_error{not_closest, 2});
  CHECK(certify_error({"", 3, 0, {{0, 1}, {2, 1}}}, {no_node, 0, 0}) == dominance_error{not_closest, 2});
  CHECK(certify_error({"", 4, 0, {{0, 1}, {2, 3}, {3, 2}}}, {no_node, 0, 0, 0}) == dominance_error{not_closest, 2});
}

TEST_CASE("certify: no nodes") {
  const csr_graph g;
  CHECK_FALSE(midend::certify(g, nodes{}).has_value());
  CHECK_FALSE(midend::certify(g, midend::dominators(g)).has_value());
  CHECK(midend::certify(g, nodes{no_node})->why == wrong_size);
  CHECK(midend::verify_low_high(g, nodes{}, nodes{0})->why == wrong_size);
}

TEST_CASE("low_high_order: where all have an edge from their parent it is the preorder of the tree") {
  const csr_graph g = make_csr({"", 5, 0, {{0, 1}, {0, 2}, {2, 3}, {3, 2}, {2, 4}, {1, 0}}});
  const auto tree = midend::dominators(g);
  CHECK(listed(midend::low_high_order(g, tree).value()) == listed(tree.preorder()));
}

// Joins 3 and 4 lead to each other, and to each of them leads one node more.
TEST_CASE("low_high_order: a cycle with two entries") {
  const test_graph graph{"", 5, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 3}}};
  const nodes order = listed(midend::low_high_order(make_csr(graph), nodes{no_node, 0, 0, 0, 0}).value());
  CHECK((order == nodes{0, 1, 3, 4, 2} || order == nodes{0, 2, 4, 3, 1}));
}

// What a dominator_tree answers beside immediate dominators is verified as well. No such tree can be made by the
// interface, so one with the same members is.
TEST_CASE("verify_low_high: rejects every change of a number, size, depth or preorder of a tree") {
  random_source random(7);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != 60; ++i) {
    const std::size_t size = 2 + random.below(7);
    const test_graph graph = random_digraph(random, size, size + random.below(size));
    const definitions facts(graph);
    const csr_graph g = make_csr(graph);
    const auto tree = midend::dominators(g);
    const auto order = midend::low_high_order(g, tree).value();
    forged_tree forged(tree);
    const auto accepted = [&] {
      midend::verify_low_high_workspace workspace;
      midend::detail::low_high_verifier verifier(workspace);
      const auto claims = tree.immediate_dominators();
      const midend::detail::tree_numbers numbers(forged);
      return !verifier.run(g, claims, order, numbers) && !numbers.look_at_others(claims, order);
    };
    wrong += !accepted();
    for (auto* list : {&forged.numbers, &forged.sizes, &forged.depths, &forged.nodes_in_preorder}) {
      for (std::uint32_t& entry : *list) {
        const std::uint32_t truth = std::exchange(entry, 0);
        for (; entry != size + 2; ++entry) {
          wrong += entry != truth && accepted();
        }
        entry = no_node;
        wrong += entry != truth && accepted();
        entry = truth;
      }
    }
    for (node_id& a : forged.nodes_in_preorder) { // another numbering without contradictions may be a preorder
      for (node_id& b : forged.nodes_in_preorder) {
        std::swap(forged.numbers[a], forged.numbers[b]);
        std::swap(a, b);
        wrong += accepted() != is_preorder(facts, forged.nodes_in_preorder);
        std::swap(a, b);
        std::swap(forged.numbers[a], forged.numbers[b]);
      }
    }
    forged.nodes_in_preorder.push_back(0);
    wrong += accepted();
  }
  CHECK(wrong == 0);
}

TEST_CASE("certify: what LLVM says of the corpus, both ways, and no change of it") {
  midend::certify_workspace memory;
  random_source random(8);
  comparisons compared;
  for (const std::string name : {"sqlite3-O0", "sqlite3-O2", "lua5.4-O0", "irreducible"}) {
    std::vector<midend_corpus::cfg_function> functions;
    const std::string path = MIDEND_TEST_DATA "/corpus/" + name;
    REQUIRE_FALSE(midend_corpus::read_cfg(path + ".cfg.gz", functions).has_value());
    const auto expected = read_expectations(path + ".expect.gz");
    REQUIRE(functions.size() == expected.size());
    for (std::size_t i = 0; i != functions.size(); ++i) {
      const csr_graph g(functions[i]);
      const test_graph place{join(name, " ", expected[i].name), 0, 0, {}};
      const auto try_changes = [&](const auto& graph, nodes claims) {
        compared.add(midend::certify(graph, claims, memory) ? "rejected" : "", place);
        for (std::size_t change = 0; change != 3; ++change) {
          node_id& claim = claims[random.below(claims.size())];
          const auto other = random.one_in(4) ? no_node : random.below(claims.size());
          if (other != claim) {
            const node_id truth = std::exchange(claim, other);
            compared.add(midend::certify(graph, claims, memory) ? "" : "accepted", place);
            claim = truth;
          }
        }
      };
      try_changes(g, as_claims(expected[i].immediate_dominators, no_node));
      compared.add(midend::certify(g, midend::dominators(g), memory) ? "tree rejected" : "", place);
      const nodes roots = as_claims(expected[i].post_dominator_roots, no_node);
      const auto to_exit = midend::with_virtual_exit(g, roots);
      nodes claims = as_claims(expected[i].immediate_post_dominators, to_exit.exit());
      claims.push_back(no_node);
      try_changes(midend::reversed(to_exit), claims);
    }
  }
  CHECK(compared.failed() == 0);
  CHECK(compared.all() > 40'000);
}

TEST_CASE("certify: post-dominator trees") {
  comparisons compared;
  for (const std::vector<test_graph>& graphs : {random_graphs(), ugly_graphs()}) {
    for (const test_graph& graph : graphs) {
      const csr_graph g = make_csr(graph);
      const midend::post_dominator_tree tree = midend::post_dominators(g);
      const auto to_exit = midend::with_virtual_exit(g, tree.roots());
      compared.add(midend::certify(midend::reversed(to_exit), tree.tree()) ? "rejected" : "", graph);
    }
  }
  CHECK(compared.failed() == 0);
}

namespace {

/// Builds a graph of a million nodes and certifies its tree, whose immediate dominators are given by a formula.
template <class Successors, class Dominator>
std::string certify_a_million(Successors successors_of, Dominator dominator_of) {
  constexpr node_id size = midend_tests::million;
  std::vector<edge> edges;
  for (node_id n = 0; n != size; ++n) {
    for (const std::int64_t s : successors_of(std::int64_t{n})) {
      if (s >= 0 && s < size) {
        edges.push_back({n, static_cast<node_id>(s)});
      }
    }
  }
  nodes claims(size, no_node);
  for (node_id n = 1; n != size; ++n) {
    claims[n] = dominator_of(n);
  }
  const csr_graph g = csr_graph::from_edges(size, 0, edges).value();
  edges = {};
  if (midend::certify(g, claims)) {
    return "the claims are rejected";
  }
  if (midend::certify(g, midend::dominators(g))) {
    return "the tree is rejected";
  }
  claims[size / 2] = size / 2 - 3;
  return midend::certify(g, claims) ? "" : "a wrong claim is accepted";
}

using targets = std::vector<std::int64_t>;

} // namespace

TEST_CASE("certify: a million nodes on a small stack: chain") {
  CHECK(on_a_small_stack([] {
          return certify_a_million([](std::int64_t n) { return targets{n + 1, n - 7}; },
                                   [](node_id n) { return n - 1; });
        }) == "");
}

// Each rung of two leads to the next, so 2 and all after it are joins with the entry as parent.
TEST_CASE("certify: a million nodes on a small stack: ladder") {
  CHECK(on_a_small_stack([] {
          return certify_a_million([](std::int64_t n) { return n == 0 ? targets{1, 2} : targets{n + 1, n + 2}; },
                                   [](node_id) { return node_id{0}; });
        }) == "");
}

// Both ends of a path that can be walked both ways are entries: any node in between depends on all others.
TEST_CASE("certify: a million nodes on a small stack: a path between two entries") {
  CHECK(on_a_small_stack([] {
          return certify_a_million(
              [](std::int64_t n) { return n == 0 ? targets{1, million - 1} : targets{n + 1, n == 1 ? -1 : n - 1}; },
              [](node_id) { return node_id{0}; });
        }) == "");
}

namespace {

constexpr bool certificates_hold_in_constant_expressions() {
  constexpr std::array edges{edge{0, 1}, edge{0, 2}, edge{1, 3}, edge{2, 4}, edge{3, 4}, edge{4, 3}, edge{5, 3}};
  const csr_graph g = csr_graph::from_edges(6, 0, edges).value();
  const auto tree = midend::dominators(g);
  std::array<node_id, 6> claims{no_node, 0, 0, 0, 0, no_node};
  const auto order = midend::low_high_order(g, claims).value();
  bool holds = !midend::certify(g, tree) && !midend::certify(g, claims) && !midend::verify_low_high(g, tree, order);
  claims[4] = 3;
  holds = holds && midend::certify(g, claims).has_value() &&
          midend::verify_low_high(g, claims, order) == dominance_error{edge_avoids_claim, 4, 2};
  return holds;
}

static_assert(certificates_hold_in_constant_expressions());

} // namespace
