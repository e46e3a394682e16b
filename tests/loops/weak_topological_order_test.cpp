// weak_topological_order.hpp.
#include "kit/affordable.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"
#include "loops/cycle_definitions.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/loops/cycles.hpp>
#include <midend/loops/weak_topological_order.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::hierarchical_ordering;
using midend::no_wto_component;
using midend::wto_component_id;

namespace {

/// The algorithm of Bourdoncle's paper, which decomposes each component anew, as it is printed there. Its partitions
/// grow at the front, so these grow at the back and are turned round in the end.
class bourdoncle {
public:
  explicit bourdoncle(const test_graph& graph, const cycle_definitions& facts) : facts_(facts) {
    number_.assign(graph.num_nodes, 0);
    if (graph.num_nodes != 0) {
      visit(graph.entry, order_);
    }
    std::reverse(order_.begin(), order_.end());
  }

  struct element {
    node_id node;
    std::uint32_t depth; ///< of components around it
    bool is_head;

    friend bool operator==(const element&, const element&) = default;
  };

  const std::vector<element>& order() const { return order_; }

private:
  static constexpr std::uint32_t done = 0xffff'ffff;

  std::uint32_t visit(node_id n, std::vector<element>& partition) {
    stack_.push_back(n);
    std::uint32_t head = number_[n] = ++met_;
    bool loop = false;
    for (const node_id s : facts_.successors(n)) {
      const std::uint32_t least = number_[s] == 0 ? visit(s, partition) : number_[s];
      if (least <= head) {
        head = least;
        loop = true;
      }
    }
    if (head != number_[n]) {
      return head;
    }
    number_[n] = done;
    node_id member = stack_.back();
    stack_.pop_back();
    if (loop) {
      while (member != n) {
        number_[member] = 0;
        member = stack_.back();
        stack_.pop_back();
      }
      decompose(n, partition);
    } else {
      partition.push_back({n, depth_, false});
    }
    return head;
  }

  void decompose(node_id head, std::vector<element>& partition) {
    ++depth_;
    for (const node_id s : facts_.successors(head)) {
      if (number_[s] == 0) {
        visit(s, partition);
      }
    }
    partition.push_back({head, depth_, true});
    --depth_;
  }

  const cycle_definitions& facts_;
  std::vector<std::uint32_t> number_; ///< 0 not met, `done` placed
  std::vector<node_id> stack_;
  std::vector<element> order_;
  std::uint32_t met_ = 0;
  std::uint32_t depth_ = 0;
};

/// Whether what is left without the heads is acyclic: nothing reaches itself.
bool heads_cut_all_cycles(const cycle_definitions& facts, const hierarchical_ordering& wto) {
  const auto count = static_cast<node_id>(wto.num_nodes());
  for (node_id start = 0; start != count; ++start) {
    if (!wto.is_reachable(start) || wto.is_head(start)) {
      continue;
    }
    std::vector<char> reached(count, 0);
    std::vector<node_id> todo{start};
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      for (const node_id s : facts.successors(n)) {
        if (s == start) {
          return false;
        }
        if (!wto.is_head(s) && reached[s] == 0) {
          reached[s] = 1;
          todo.push_back(s);
        }
      }
    }
  }
  return true;
}

bool head_positions_ascend(const hierarchical_ordering& wto, const auto& siblings, wto_component_id parent) {
  std::uint32_t end = 0;
  for (const wto_component_id c : siblings) {
    if (wto.parent(c) != parent || wto.head_position(c) < end ||
        wto.depth(c) != (parent == no_wto_component ? 1 : wto.depth(parent) + 1)) {
      return false;
    }
    end = wto.end_position(c);
  }
  return true;
}

/// The first difference between an order and what the definition says, and Bourdoncle's algorithm, and the cycles.
std::string difference(const hierarchical_ordering& wto, const midend::cycle_forest& cycles, const test_graph& graph,
                       const cycle_definitions& facts) {
  const bourdoncle paper(graph, facts);
  const auto& expected = paper.order();
  const auto order = wto.order();
  if (wto.num_nodes() != graph.num_nodes || wto.num_reachable() != order.size() || order.size() != expected.size()) {
    return "size";
  }
  for (std::uint32_t i = 0; i != order.size(); ++i) {
    const node_id n = order[i];
    if (wto.position(n) != i || expected[i] != bourdoncle::element{n, wto.component_depth(n), wto.is_head(n)}) {
      return join("position ", i);
    }
  }
  if (wto.num_components() != cycles.num_cycles() || !head_positions_ascend(wto, wto.top_level(), no_wto_component)) {
    return "components";
  }
  for (const wto_component_id c : wto.components()) {
    const midend::cycle_id cycle = cycles.innermost_cycle(wto.head(c));
    if (cycles.header(cycle) != wto.head(c) || wto.members(c)[0] != wto.head(c) ||
        sorted(wto.members(c)) != sorted(cycles.blocks(cycle)) || cycles.depth(cycle) != wto.depth(c)) {
      return join("the component of ", wto.head(c), " is not its cycle");
    }
    if (wto.position(wto.head(c)) != wto.head_position(c) || !head_positions_ascend(wto, wto.children(c), c) ||
        (c != 0 && wto.head_position(c) <= wto.head_position(c - 1)) || *wto.subcomponents(c).begin() != c ||
        listed(wto.subcomponents(c)).size() != listed(cycles.subcycles(cycle)).size()) {
      return join("the component of ", wto.head(c));
    }
  }
  for (node_id n = 0; n != graph.num_nodes; ++n) {
    if (wto.is_reachable(n) != facts.is_reachable(n) || (!facts.is_reachable(n) && wto.position(n) != no_node)) {
      return join("reachability of ", n);
    }
    const midend::cycle_id cycle = cycles.innermost_cycle(n);
    const wto_component_id innermost = wto.innermost_component(n);
    if ((innermost == no_wto_component) != (cycle == midend::no_cycle) ||
        (cycle != midend::no_cycle && wto.head(innermost) != cycles.header(cycle))) {
      return join("innermost component of ", n);
    }
    for (const wto_component_id c : wto.components()) {
      if (wto.contains(c, n) != cycles.contains(cycles.innermost_cycle(wto.head(c)), n)) {
        return join("contains ", n);
      }
    }
    for (const node_id s : facts.successors(n)) {
      const bool forward = wto.position(n) < wto.position(s);
      const bool to_head = wto.is_head(s) && wto.contains(wto.innermost_component(s), n);
      if (facts.is_reachable(n) && forward == to_head) {
        return join("edge from ", n, " to ", s);
      }
    }
  }
  return heads_cut_all_cycles(facts, wto) ? "" : "a cycle without a head";
}

/// Both orders of one graph, through workspaces and results that are used for every graph.
class orders_check {
public:
  template <class G> std::string operator()(const G& g, const test_graph& graph) {
    midend::weak_topological_order(g, memory_, wto_);
    const std::string wrong = difference(wto_, midend::cycles(g), graph, cycle_definitions(graph, true));
    if (!wrong.empty()) {
      return wrong;
    }
    midend::weak_topological_order(g, midend::first_to_last, memory_, wto_);
    return difference(wto_, midend::cycles(g, midend::first_to_last), graph, cycle_definitions(graph, false));
  }

private:
  midend::weak_topological_order_workspace memory_;
  hierarchical_ordering wto_;
};

/// The order in Bourdoncle's notation.
std::string notation(const hierarchical_ordering& wto) {
  std::string out;
  std::vector<wto_component_id> open;
  for (std::uint32_t i = 0; i != wto.order().size(); ++i) {
    for (; !open.empty() && wto.end_position(open.back()) == i; open.pop_back()) {
      out += ")";
    }
    const node_id n = wto.order()[i];
    out += out.empty() ? "" : " ";
    if (wto.is_head(n)) {
      open.push_back(wto.innermost_component(n));
      out += "(";
    }
    out += std::to_string(n);
  }
  return out + std::string(open.size(), ')');
}

/// The iteration that the documentation of the class shows, on a problem whose heads change `times` times each whenever
/// they are entered. Gives the nodes in the order of their updates.
std::vector<node_id> stabilise(const hierarchical_ordering& wto, int times) {
  std::vector<node_id> updates;
  std::vector<int> changes(wto.num_nodes(), 0);
  const auto update_head_again = [&](node_id n) {
    updates.push_back(n);
    if (changes[n] == times) {
      changes[n] = 0;
      return false;
    }
    ++changes[n];
    return true;
  };
  std::uint32_t at = 0;
  wto_component_id inside = no_wto_component;
  for (;;) {
    if (inside != no_wto_component && at == wto.end_position(inside)) {
      if (update_head_again(wto.head(inside))) {
        at = wto.head_position(inside) + 1;
      } else {
        inside = wto.parent(inside);
      }
    } else if (at == wto.order().size()) {
      return updates;
    } else {
      const node_id n = wto.order()[at++];
      if (wto.is_head(n)) {
        inside = wto.innermost_component(n);
      }
      updates.push_back(n);
    }
  }
}

constexpr bool holds_in_constant_expressions() {
  constexpr std::array edges{midend::edge{0, 1}, midend::edge{1, 2}, midend::edge{2, 2},
                             midend::edge{2, 1}, midend::edge{1, 3}, midend::edge{4, 1}};
  const auto g = midend::csr_graph::from_edges(5, 0, edges).value();
  const auto wto = midend::weak_topological_order(g);
  return wto.num_components() == 2 && wto.order().size() == 4 && wto.order()[3] == 3 && wto.is_head(1) &&
         wto.head(1) == 2 && wto.members(0).size() == 2 && !wto.is_reachable(4) && wto.component_depth(2) == 2;
}

static_assert(holds_in_constant_expressions());

} // namespace

TEST_CASE("weak_topological_order: all digraphs of up to 3 nodes from every root, and some of 4") {
  orders_check check;
  comparisons compared;
  const auto compare = [&](const bit_graph& bits) { compared.add(check(bits, to_test_graph(bits)), bits); };
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, compare);
  }
  for (std::uint64_t bits = 0; bits < 65536; bits += tests_are_shortened ? 7 : 1) {
    compare(bit_graph(4, bits, static_cast<node_id>(bits % 4)));
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("weak_topological_order: random and ugly graphs") {
  std::vector<test_graph> graphs = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    graphs.push_back(std::move(ugly));
  }
  random_source random(41);
  for (std::size_t round = 0; round != 100; ++round) {
    graphs.push_back(random_irreducible(random, 6 + random.below(60)));
    graphs.push_back(random_digraph(random, 20, 35 + random.below(20)));
  }
  orders_check check;
  comparisons compared;
  for (const test_graph& graph : graphs) {
    compared.add(check(make_csr(graph), graph), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("weak_topological_order: the corpus") {
  for (const char* const set : {"sqlite3-O0", "sqlite3-O2", "lua5.4-O0", "irreducible"}) {
    std::vector<midend_corpus::cfg_function> functions;
    const auto error = midend_corpus::read_cfg(std::string(MIDEND_TEST_DATA "/corpus/") + set + ".cfg.gz", functions);
    REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
    midend::weak_topological_order_workspace memory;
    hierarchical_ordering wto;
    std::size_t wrong = 0;
    for (const auto& function : functions) {
      midend::weak_topological_order(function, memory, wto);
      for (node_id n = 0; n != function.num_nodes(); ++n) {
        for (const node_id s : function.successors(n)) {
          const bool forward = wto.position(n) < wto.position(s);
          const bool to_head = wto.is_head(s) && wto.contains(wto.innermost_component(s), n);
          wrong += wto.is_reachable(n) && forward == to_head ? 1 : 0;
        }
      }
    }
    CHECK_MESSAGE(wrong == 0, set);
  }
}

// Bourdoncle, "Efficient chaotic iteration strategies with widenings", FMPA 1993, figure 1 and section 3.
TEST_CASE("weak_topological_order: the example of the paper") {
  const test_graph graph{
      "", 9, 1, {{1, 2}, {2, 3}, {2, 8}, {3, 4}, {4, 5}, {4, 7}, {5, 6}, {6, 5}, {6, 7}, {7, 3}, {7, 8}}};
  CHECK(notation(midend::weak_topological_order(make_csr(graph))) == "1 2 (3 4 (5 6) 7) 8");
}

TEST_CASE("weak_topological_order: the first successor comes first, unless one asks otherwise") {
  const auto g = make_csr({"", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}});
  CHECK(notation(midend::weak_topological_order(g)) == "0 1 2 3");
  CHECK(notation(midend::weak_topological_order(g, midend::first_to_last)) == "0 2 1 3");
}

// The exits of a loop come after all of the loop, whichever successor they are.
TEST_CASE("weak_topological_order: what follows a loop comes after it") {
  const auto g = make_csr({"", 5, 0, {{0, 1}, {1, 4}, {1, 2}, {2, 4}, {2, 3}, {3, 1}}});
  CHECK(notation(midend::weak_topological_order(g)) == "0 (1 2 3) 4");
  CHECK(notation(midend::weak_topological_order(g, midend::first_to_last)) == "0 (1 2 3) 4");
}

TEST_CASE("weak_topological_order: iteration that stabilises inner components first") {
  const auto wto = midend::weak_topological_order(make_csr({"", 4, 0, {{0, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 3}}}));
  CHECK(notation(wto) == "0 (1 (2)) 3");
  CHECK(stabilise(wto, 0) == std::vector<node_id>{0, 1, 2, 2, 1, 3});
  CHECK(stabilise(wto, 1) == std::vector<node_id>{0, 1, 2, 2, 2, 1, 2, 2, 2, 1, 3});
}

TEST_CASE("weak_topological_order: of no nodes, and the epoch") {
  const hierarchical_ordering none;
  CHECK(none.num_nodes() == 0);
  CHECK(none.components().empty());
  CHECK(none.order().empty());
  const auto of_no_nodes = midend::weak_topological_order(make_csr({"", 0, 0, {}}));
  CHECK(of_no_nodes.order().empty());
  CHECK(of_no_nodes.top_level().empty());
  CHECK(of_no_nodes.epoch() == 0);
}

TEST_CASE("weak_topological_order: a million nodes, half a million components inside each other") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id k = midend_tests::million / 2;
    std::vector<edge> edges;
    for (node_id n = 0; n + 1 != 2 * k; ++n) {
      edges.push_back({n, n + 1});
      if (n >= k) {
        edges.push_back({n, 2 * k - 1 - n});
      }
    }
    edges.push_back({2 * k - 1, 0});
    const auto wto = midend::weak_topological_order(midend::csr_graph::from_edges(2 * k, 0, edges).value());
    for (node_id n = 0; n != 2 * k; ++n) {
      if (wto.position(n) != n || wto.is_head(n) != (n < k)) {
        return join("position of ", n);
      }
    }
    for (const wto_component_id c : wto.components()) {
      if (wto.head(c) != c || wto.end_position(c) != 2 * k - c || wto.depth(c) != c + 1) {
        return join("component ", c);
      }
    }
    return {};
  });
  CHECK(wrong == "");
}

TEST_CASE("weak_topological_order: a million nodes, chain, ladder and switch") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id end = midend_tests::million;
    std::vector<edge> chain;
    std::vector<edge> ladder;
    std::vector<edge> cases;
    for (node_id n = 0; n != end; ++n) {
      chain.push_back({n, n + 1});
      ladder.push_back({n, n + 1});
      ladder.push_back({n, end});
      cases.push_back({0, n + 1});
      cases.push_back({n + 1, 0});
    }
    for (const auto& edges : {chain, ladder, cases}) {
      const auto wto = midend::weak_topological_order(midend::csr_graph::from_edges(end + 1, 0, edges).value());
      for (node_id n = 0; n <= end; ++n) {
        if (wto.position(n) != n) {
          return join("position of ", n);
        }
      }
    }
    return {};
  });
  CHECK(wrong == "");
}
