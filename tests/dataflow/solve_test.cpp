#include "dataflow/numberings.hpp"
#include "dataflow/problems.hpp"
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/lattices/boolean.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/solve.hpp>

#include <string>
#include <vector>

using namespace midend_tests;
using midend::csr_graph;
using midend::fact_of;
using midend::solution;

namespace {

constexpr flow_direction forward = flow_direction::forward;
constexpr flow_direction backward = flow_direction::backward;

/// By every policy, against the definition.
template <class P> std::string difference(const csr_graph& g, const P& p) {
  const defined_solution<P> expected(g, p);
  std::string found = expected.difference(midend::solve(g, p));
  found = found.empty() ? expected.difference(midend::solve(g, p, midend::round_robin{})) : found;
  found = found.empty() ? expected.difference(midend::solve(g, p, midend::weak_topological{})) : found;
  const auto sure = midend::solve(g, p, midend::checked{midend::within{1'000'000, midend::weak_topological{}}});
  return found.empty() && !sure.has_value() ? "a failure" : found;
}

template <flow_direction Direction, class Lattice>
gen_kill_edges<Direction, Lattice> random_edges(random_source& random, const csr_graph& g, std::size_t facts) {
  gen_kill_edges<Direction, Lattice> p{random_gen_kill<Direction, Lattice>(random, g.num_nodes(), facts), {}, {}, {}};
  constexpr bool is_may = std::is_same_v<Lattice, some_path>;
  for (std::size_t e = 0; e != g.num_edges(); ++e) {
    p.edge_kill.push_back(random_row(random, facts, 5));
    // Monotone: what passes must pass with greater facts too, which over every path are fewer.
    p.needs.push_back(is_may && random.one_in(4) ? std::optional<std::size_t>(random.below(facts)) : std::nullopt);
  }
  for (std::size_t n = 0; n != g.num_nodes(); ++n) {
    p.more_boundaries.push_back(random.one_in(10));
  }
  return p;
}

template <class Lattice> void check_both_ways(random_source& random, const csr_graph& g, const std::string& name) {
  const std::size_t facts = random.one_in(4) ? 70 : 1 + random.below(5);
  const auto check = [&](const std::string& found) {
    if (!found.empty()) {
      FAIL_CHECK(join(found, " of ", name));
    }
  };
  check(difference(g, random_gen_kill<forward, Lattice>(random, g.num_nodes(), facts)));
  check(difference(g, random_gen_kill<backward, Lattice>(random, g.num_nodes(), facts)));
  check(difference(g, random_edges<forward, Lattice>(random, g, facts)));
  check(difference(g, random_edges<backward, Lattice>(random, g, facts)));
}

/// What no path from the entry refutes, path by path: the meet over all paths of a graph without cycles.
template <class P>
void join_over_paths(const csr_graph& g, const P& p, node_id n, fact_of<P> fact, std::vector<fact_of<P>>& out) {
  p.lattice().join(out[n], fact);
  p.transfer(n, fact);
  for (const node_id to : g.successors(n)) {
    join_over_paths(g, p, to, fact, out);
  }
}

/// The numbers of facts that hold somewhere: one bit for the chosen node.
struct passes_node {
  static constexpr flow_direction direction = flow_direction::forward;
  node_id chosen = 0;

  midend::boolean lattice() const { return {}; }

  bool boundary(node_id) const { return false; }

  void transfer(node_id n, bool& fact) const { fact = fact || n == chosen; }
};

struct reaches_node : passes_node {
  static constexpr flow_direction direction = flow_direction::backward;
};

/// `i = 0; while (i < limit) { ++i; }`: 0 → 1 → 2 → 1, 1 → 3.
struct counting {
  static constexpr flow_direction direction = flow_direction::forward;
  std::int64_t limit = 100;
  std::span<const std::int64_t> thresholds = {};

  midend::signed_interval lattice() const { return midend::signed_interval(32, thresholds); }

  midend::signed_interval::element boundary(node_id) const { return lattice().top(); }

  void transfer(node_id n, midend::signed_interval::element& i) const {
    if (n == 0) {
      i = {0, 0};
    } else if (n == 2) {
      i = {i.low + 1, i.high + 1};
    }
  }

  bool transfer_edge(const flow_edge& e, midend::signed_interval::element& i) const {
    if (e.source == 1) {
      lattice().meet(i, e.target == 2 ? lattice().between(-1000, limit - 1) : lattice().between(limit, 1 << 30));
    }
    return !i.is_bottom();
  }
};

csr_graph counting_loop() {
  return csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {1, 2}, {1, 3}, {2, 1}}).value();
}

using range = midend::signed_interval::element;

test_graph chain(std::size_t nodes) {
  test_graph g{"chain", nodes, 0, {}};
  for (node_id n = 1; n < nodes; ++n) {
    g.edges.push_back({n - 1, n});
  }
  return g;
}

/// Up to one edge in eight nodes leads to a node with a lower number, or the same, and one more; what no edge leads to
/// is not reached.
test_graph mostly_downwards(random_source& random, std::size_t nodes) {
  test_graph g{"mostly downwards", nodes, 0, {}};
  for (node_id n = 1; n != nodes; ++n) {
    for (std::size_t i = random.below(3); i != 0; --i) {
      g.edges.push_back({n - 1 - static_cast<node_id>(random.below(n < 4 ? n : 4)), n});
    }
  }
  for (std::size_t i = 1 + random.below(nodes / 8 + 1); i != 0; --i) {
    const std::size_t source = random.below(nodes);
    g.edges.push_back({static_cast<node_id>(source), static_cast<node_id>(random.below(source + 1))});
  }
  return g;
}

/// `depth` loops in each other, left from their headers (`while`) or from their latches (`do`).
test_graph nest(std::size_t depth, bool left_from_latch) {
  test_graph g{"nest", 2 * depth + 2, 0, {}};
  const auto header = [](std::size_t level) { return static_cast<node_id>(1 + level); };
  const auto latch = [&](std::size_t level) { return static_cast<node_id>(1 + depth + level); };
  const auto exit = static_cast<node_id>(2 * depth + 1);
  g.edges.push_back({0, header(0)});
  for (std::size_t level = 0; level != depth; ++level) {
    g.edges.push_back({header(level), level + 1 == depth ? latch(level) : header(level + 1)});
    g.edges.push_back({latch(level), header(level)});
    g.edges.push_back({left_from_latch ? latch(level) : header(level), level == 0 ? exit : latch(level - 1)});
  }
  return g;
}

struct plain { // an interval without `narrow`
  using element = range;
  midend::signed_interval full{32};

  element bottom() const { return full.bottom(); }

  bool join(element& a, const element& b) const { return full.join(a, b); }

  bool widen(element& a, const element& b) const { return full.widen(a, b); }
};

struct plain_counting {
  static constexpr flow_direction direction = flow_direction::forward;
  counting original;

  plain lattice() const { return {}; }

  range boundary(node_id n) const { return original.boundary(n); }

  void transfer(node_id n, range& i) const { original.transfer(n, i); }

  bool transfer_edge(const flow_edge& e, range& i) const { return original.transfer_edge(e, i); }
};

int constructed = 0;

struct counted {
  int value = 0;
  counted() = default;

  explicit counted(int v) : value(v) { ++constructed; }

  counted(const counted& c) : value(c.value) { ++constructed; }

  counted& operator=(const counted&) = default;
  bool operator==(const counted&) const = default;
};

struct maximum {
  using element = counted;

  element bottom() const { return counted(0); }

  bool join(element& a, const element& b) const {
    const bool changed = b.value > a.value;
    a.value = changed ? b.value : a.value;
    return changed;
  }
};

struct longest {
  static constexpr flow_direction direction = flow_direction::forward;

  maximum lattice() const { return {}; }

  counted boundary(node_id) const { return counted(1); }

  void transfer(node_id, counted& f) const { f.value += f.value < 1000; }

  bool transfer_edge(const flow_edge&, counted&) const { return true; }
};

struct constant_passes {
  static constexpr flow_direction direction = flow_direction::forward;

  constexpr midend::boolean lattice() const { return {}; }

  constexpr bool boundary(node_id) const { return false; }

  constexpr void transfer(node_id n, bool& fact) const { fact = fact || n == 1; }
};

template <class P, class Policy> std::uint64_t visits(const csr_graph& g, const P& p, const Policy& policy) {
  return midend::solve(g, p, policy).num_visits();
}

} // namespace

TEST_CASE("solve: all policies give what the definition says, on all digraphs of up to three nodes") {
  random_source random(1);
  for (std::size_t nodes = 1; nodes != 4; ++nodes) {
    for_each_digraph(nodes, [&](const bit_graph& b) {
      const csr_graph g(b);
      const std::string name = to_string(to_test_graph(b));
      random.one_in(2) ? check_both_ways<some_path>(random, g, name) : check_both_ways<every_path>(random, g, name);
    });
  }
}

TEST_CASE("solve: all policies give what the definition says, on random and ugly graphs") {
  random_source random(2);
  std::size_t number = 0;
  for (const auto& graphs : {random_graphs(), ugly_graphs()}) {
    for (const test_graph& t : graphs) {
      if (t.num_nodes <= 60) {
        const csr_graph g = make_csr(t);
        number++ % 2 != 0 ? check_both_ways<some_path>(random, g, to_string(t))
                          : check_both_ways<every_path>(random, g, to_string(t));
      }
    }
  }
  CHECK(number > 50);
}

TEST_CASE("solve: nodes numbered with the flow, but for a few edges, and otherwise") {
  random_source random(11);
  for (int i = 0; i != 40; ++i) {
    const test_graph t = mostly_downwards(random, 4 + random.below(60));
    for (const numbering kind : numberings) {
      check_both_ways<some_path>(random, renumbered(t.num_nodes, t.edges, kind), t.name);
      check_both_ways<every_path>(random, renumbered(t.num_nodes, t.edges, kind), t.name);
    }
  }
}

TEST_CASE("solve: over a graph without cycles, of what is distributive, the join over all paths") {
  random_source random(3);
  for (int i = 0; i != 200; ++i) {
    test_graph t{"acyclic", 3 + random.below(8), 0, {}};
    for (std::size_t e = 0; e != 2 * t.num_nodes; ++e) {
      const node_id from = random.below(t.num_nodes - 1);
      t.edges.push_back({from, from + 1 + random.below(t.num_nodes - from - 1)});
    }
    const csr_graph g = make_csr(t);
    const auto check = [&](const auto& p) {
      std::vector<bit_row> expected(t.num_nodes, p.lattice().bottom());
      join_over_paths(g, p, 0, p.boundary(0), expected);
      const auto found = midend::solve(g, p);
      for (node_id n = 0; n != t.num_nodes; ++n) {
        CHECK_MESSAGE(found.in(n) == expected[n], to_string(t));
      }
    };
    check(random_gen_kill<forward, some_path>(random, t.num_nodes, 6));
    check(random_gen_kill<forward, every_path>(random, t.num_nodes, 6));
  }
}

TEST_CASE("solve: reaching definitions as the table has them") {
  // entry, b1, b2, b3, b4, exit; d1 … d7 are facts 0 … 6.
  const csr_graph g =
      csr_graph::from_edges(6, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 4}, {4, 2}, {4, 5}}).value();
  const auto row = [](std::initializer_list<std::size_t> definitions) {
    bit_row out(7);
    for (const std::size_t d : definitions) {
      out.set(d - 1);
    }
    return out;
  };
  const gen_kill_rows<forward, some_path> p{
      some_path(7),
      {row({}), row({1, 2, 3}), row({4, 5}), row({6}), row({7}), row({})},
      {row({}), row({4, 5, 6, 7}), row({1, 2, 7}), row({3}), row({1, 4}), row({})},
      row({})};
  const auto check = [&](const solution<bit_row>& s) {
    CHECK((s.in(1) == row({}) && s.out(1) == row({1, 2, 3})));
    CHECK((s.in(2) == row({1, 2, 3, 5, 6, 7}) && s.out(2) == row({3, 4, 5, 6})));
    CHECK((s.in(3) == row({3, 4, 5, 6}) && s.out(3) == row({4, 5, 6})));
    CHECK((s.in(4) == row({3, 4, 5, 6}) && s.out(4) == row({3, 5, 6, 7})));
    CHECK((s.in(5) == row({3, 5, 6, 7}) && s.out(5) == row({3, 5, 6, 7})));
  };
  check(midend::solve(g, p));
  check(midend::solve(g, p, midend::round_robin{}));
  check(midend::solve(g, p, midend::weak_topological{}));
}

TEST_CASE("solve: live variables as the table has them") {
  // B1 … B4 are nodes 0 … 3, a b c are facts 0 1 2.
  const csr_graph g = csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}).value();
  const auto row = [](std::initializer_list<std::size_t> variables) {
    bit_row out(3);
    for (const std::size_t v : variables) {
      out.set(v);
    }
    return out;
  };
  const gen_kill_rows<backward, some_path> p{
      some_path(3), {row({}), row({}), row({0}), row({1})}, {row({0, 1, 2}), row({1}), row({0}), row({})}, row({})};
  const solution<bit_row> s = midend::solve(g, p);
  CHECK((s.in(0) == row({}) && s.out(0) == row({0, 1})));
  CHECK((s.in(1) == row({}) && s.out(1) == row({1})));
  CHECK((s.in(2) == row({0, 1}) && s.out(2) == row({1})));
  CHECK((s.in(3) == row({1}) && s.out(3) == row({})));
}

TEST_CASE("solve: available expressions as the spec has them") {
  // a + b is the one fact; B2 writes a, and in the second program computes a + b again.
  const csr_graph g = csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 2}}).value();
  const bit_row none(1);
  const bit_row all(1, true);
  const every_path lattice{midend::powerset<>(1)};
  const gen_kill_rows<forward, every_path> lost{lattice, {all, none, none}, {none, all, none}, none};
  CHECK(midend::solve(g, lost).in(2) == none);
  const gen_kill_rows<forward, every_path> computed{lattice, {all, all, none}, {none, all, none}, none};
  CHECK(midend::solve(g, computed).in(2) == all);
}

TEST_CASE("solve: endless regions of a backward problem start at bottom, unless they are given a boundary") {
  // 0 → 1 ⇄ 2, no exit; 0 → 3.
  const csr_graph g = csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 1}, {0, 3}}).value();
  const bit_row none(1);
  const bit_row all(1, true);
  gen_kill_edges<backward, every_path> p{
      {every_path(midend::powerset<>(1)), {none, none, none, all}, {none, none, none, none}, none},
      std::vector<bit_row>(4, none),
      std::vector<std::optional<std::size_t>>(4),
      {false, false, false, false}};
  CHECK(midend::solve(g, p).in(1) == all);
  CHECK(midend::solve(g, p).out(0) == all);
  p.more_boundaries[2] = true;
  CHECK(midend::solve(g, p).in(1) == none);
  CHECK(midend::solve(g, p).out(0) == none);
}

TEST_CASE("solve: edge ids are those of the graph, and parallel edges are told apart") {
  struct by_edge : passes_node {
    midend::edge_id open = 0;

    bool transfer_edge(const flow_edge& e, bool&) const { return e.id == open; }
  };

  const csr_graph g = csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 1}, {0, 2}}).value();
  for (midend::edge_id open = 0; open != 3; ++open) {
    const auto s = midend::solve(g, by_edge{{.chosen = 0}, open});
    CHECK(s.is_reached(1) == (open < 2));
    CHECK(s.is_reached(2) == (open == 2));
    CHECK(s.joins(1) == 0);
  }

  struct odd_edges { // a graph with numbers of its own
    csr_graph g;

    std::size_t num_nodes() const { return g.num_nodes(); }

    node_id entry() const { return g.entry(); }

    auto successors(node_id n) const { return g.successors(n); }

    std::size_t num_edges() const { return 2 * g.num_edges(); }

    auto out_edges(node_id n) const {
      return midend::mapped(g.out_edges(n), [](midend::edge_id e) { return 2 * e + 1; });
    }

    node_id edge_source(midend::edge_id e) const { return g.edge_source(e / 2); }

    node_id edge_target(midend::edge_id e) const { return g.edge_target(e / 2); }
  };

  static_assert(midend::edge_indexed_flow_graph<odd_edges>);
  const auto s = midend::solve(odd_edges{g}, by_edge{{.chosen = 0}, 5});
  CHECK((!s.is_reached(1) && s.is_reached(2)));
}

TEST_CASE("solve: widening ends what climbs, narrowing and thresholds win back") {
  const csr_graph g = counting_loop();
  const counting p;
  const auto exact = midend::solve(g, p);
  CHECK(exact.in(1) == range{0, 100});
  CHECK(exact.out(3) == range{100, 100});
  CHECK(exact.num_visits() > 200);
  CHECK(exact.widenings(1) == 0);

  const auto check = [&](const auto& policy) {
    auto widening_only = policy;
    widening_only.widen = {.after = 0};
    const auto wide = midend::solve(g, p, widening_only);
    CHECK(wide.in(1) == range{0, 0x7fff'ffff});
    CHECK(wide.num_visits() <= 16);
    CHECK(wide.widenings(1) > 0);
    CHECK(wide.widenings(2) + wide.widenings(3) + wide.widenings(0) == 0);

    auto both = policy;
    both.widen = {.after = 0, .narrowing_steps = 4};
    const auto narrowed = midend::solve(g, p, both);
    CHECK(narrowed.in(1) == range{0, 100});
    CHECK(narrowed.in(2) == range{0, 99});
    CHECK(narrowed.out(3) == range{100, 100});
  };
  check(midend::round_robin{});
  check(midend::reverse_postorder_worklist{});
  check(midend::weak_topological{});

  for (const std::uint32_t after : {0U, 1U, 3U}) { // 2 → 1 brings facts joined until 1 has been visited often enough
    CHECK(midend::solve(g, p, midend::reverse_postorder_worklist{.widen = {.after = after}}).joins(1) == after);
    CHECK(midend::solve(g, p, midend::weak_topological{.widen = {.after = after}}).joins(1) == after);
  }

  const std::int64_t thresholds[] = {10, 100, 1000};
  const counting with_thresholds{100, thresholds};
  CHECK(midend::solve(g, with_thresholds, midend::weak_topological{.widen = {.after = 0}}).in(1) == range{0, 100});
}

TEST_CASE("solve: a self loop is widened too, and narrowing looks at reached predecessors alone") {
  struct counts_in_place : counting {
    void transfer(node_id n, range& i) const { i = n == 0 ? range{0, 0} : range{i.low + 1, i.high + 1}; }

    bool transfer_edge(const flow_edge& e, range& i) const {
      if (e.source == e.target) {
        lattice().meet(i, lattice().between(-1000, 50));
      }
      return !i.is_bottom();
    }
  };

  const csr_graph loop = csr_graph::from_edges(2, 0, std::vector<edge>{{0, 1}, {1, 1}}).value();
  const auto wide = midend::solve(loop, counts_in_place(), midend::reverse_postorder_worklist{.widen = {.after = 0}});
  CHECK(wide.widenings(1) > 0);
  CHECK(wide.num_visits() <= 5);

  // Node 4 is not reached; the solution that is refilled has a fact of an earlier graph there.
  midend::solve_workspace<range> memory;
  solution<range> out;
  const midend::weak_topological policy{.widen = {.after = 0, .narrowing_steps = 4}};
  const std::vector<edge> all{{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 4}};
  const std::vector<edge> without{{0, 1}, {1, 2}, {1, 3}, {2, 1}, {4, 1}};
  CHECK(!midend::solve(csr_graph::from_edges(5, 0, all).value(), counting{5000}, policy, memory, out));
  CHECK(out.is_reached(4));
  CHECK(!midend::solve(csr_graph::from_edges(5, 0, without).value(), counting(), policy, memory, out));
  CHECK(out.in(1) == range{0, 100});
  CHECK((!out.is_reached(4) && out.in(4).is_bottom() && out.out(4).is_bottom()));
}

TEST_CASE("solve: narrowing keeps what begins at a boundary, also of one that a loop leads to") {
  struct counts_from_entry : counting {
    plain lattice() const { return {}; }

    range boundary(node_id) const { return {7, 7}; }

    void transfer(node_id, range& i) const { i = {i.low + 1, i.high + 1}; }

    bool transfer_edge(const flow_edge&, range& i) const {
      lattice().full.meet(i, lattice().full.between(-1000, 50));
      return !i.is_bottom();
    }
  };

  const csr_graph loop = csr_graph::from_edges(1, 0, std::vector<edge>{{0, 0}}).value();
  const midend::reverse_postorder_worklist policy{.widen = {.after = 0, .narrowing_steps = 3}};
  const auto s = midend::solve(loop, counts_from_entry(), policy);
  CHECK(s.widenings(0) > 0);
  CHECK(s.in(0) == range{7, 50});
}

TEST_CASE("solve: narrowing may find that nothing flows to a node, which only widening had reached") {
  // 1 → 3 wants at least 100, but the loop stops at 50 by another test on 2 → 1.
  struct stops_early : counting {
    bool transfer_edge(const flow_edge& e, range& i) const {
      if (e.source == 2) {
        lattice().meet(i, lattice().between(0, 50));
        return !i.is_bottom();
      }
      return counting::transfer_edge(e, i);
    }
  };

  const csr_graph g = counting_loop();
  const stops_early p;
  CHECK(!midend::solve(g, p).is_reached(3));
  const auto wide = midend::solve(g, p, midend::weak_topological{.widen = {.after = 0}});
  CHECK(wide.is_reached(3));
  const auto narrowed = midend::solve(g, p, midend::weak_topological{.widen = {.after = 0, .narrowing_steps = 9}});
  CHECK(!narrowed.is_reached(3));
  CHECK(narrowed.in(3).is_bottom());
  CHECK(narrowed.in(1) == range{0, 50});
}

TEST_CASE("solve: a lattice without narrow steps down as far as the equations say") {

  const auto s = midend::solve(counting_loop(), plain_counting{},
                               midend::weak_topological{.widen = {.after = 0, .narrowing_steps = 3}});
  CHECK(s.in(1) == range{0, 100});
}

TEST_CASE("solve: within a number of visits, or the node that kept moving") {
  const csr_graph g = counting_loop();
  const counting p;
  const auto failed = midend::solve(g, p, midend::within{50});
  REQUIRE(!failed.has_value());
  using failure = midend::solve_failure<range>;
  CHECK(failed.error().why == failure::reason::out_of_visits);
  CHECK((failed.error().node == 1 || failed.error().node == 2));
  CHECK(failed.error().visits >= 16);
  CHECK(!failed.error().witness.has_value());

  const std::uint64_t needed = midend::solve(g, p).num_visits();
  CHECK(midend::solve(g, p, midend::within{needed}).has_value());
  CHECK(!midend::solve(g, p, midend::within{needed - 1}).has_value());
  CHECK(!midend::solve(g, p, midend::within{1000, midend::within{needed - 1}}).has_value());
  const auto by_rounds = midend::solve(g, p, midend::within{0, midend::round_robin{}});
  CHECK(!by_rounds.has_value());
}

TEST_CASE("solve: visits, joins and widenings are the same each time, and in the order given") {
  const csr_graph g = csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 1}, {1, 3}}).value();
  const std::vector<node_id> order{3, 2, 1, 0};
  const auto s = midend::solve(g, passes_node{2}, midend::round_robin{.order = order});
  CHECK(s.in(3));
  CHECK(s.visits(0) == 4); // a round each until 0, 1 and then 2 and 3 are reached, and one that changes nothing
  CHECK(s.num_visits() == 1 + 2 + 4 + 4);
  const auto sweeps = midend::solve(g, passes_node{2});
  CHECK((sweeps.visits(0) == 1 && sweeps.visits(1) == 2 && sweeps.visits(2) == 2 && sweeps.visits(3) == 2));
  CHECK((sweeps.joins(0) == 0 && sweeps.joins(1) == 2));
}

TEST_CASE("solve: nothing is constructed for a visit, only assigned") {

  const csr_graph g = make_csr(nest(20, true));
  midend::solve_workspace<counted> memory;
  solution<counted> out;
  CHECK(!midend::solve(g, longest{}, midend::reverse_postorder_worklist{}, memory, out).has_value());
  CHECK(out.num_visits() > 1000);
  constructed = 0;
  CHECK(!midend::solve(g, longest{}, midend::reverse_postorder_worklist{}, memory, out).has_value());
  CHECK(constructed <= 5);
}

TEST_CASE("solve: workspaces serve graphs and problems of any size, one after the other") {
  random_source random(5);
  midend::solve_workspace<bit_row> memory;
  solution<bit_row> out;
  for (int i = 0; i != 60; ++i) {
    const test_graph t = small_digraph(random, 40, 80);
    const csr_graph g = make_csr(t);
    const auto p = random_gen_kill<backward, some_path>(random, t.num_nodes, 1 + random.below(130));
    CHECK(!midend::solve(g, p, midend::weak_topological{}, memory, out).has_value());
    CHECK(defined_solution(g, p).difference(out) == "");
    CHECK(!midend::solve(g, p, midend::reverse_postorder_worklist{}, memory, out).has_value());
    CHECK(defined_solution(g, p).difference(out) == "");
    const auto q = random_gen_kill<forward, some_path>(random, t.num_nodes, 1 + random.below(130));
    CHECK(!midend::solve(g, q, midend::reverse_postorder_worklist{}, memory, out).has_value());
    CHECK(defined_solution(g, q).difference(out) == "");
  }
  const csr_graph none;
  CHECK(midend::solve(none, passes_node{}).num_nodes() == 0);
  CHECK(midend::solve(none, reaches_node{}, midend::weak_topological{}).num_nodes() == 0);
  CHECK(midend::solve(none, reaches_node{}, midend::round_robin{}).num_nodes() == 0);
}

TEST_CASE("solve: a chain of 10^5 blocks is visited once, a nest of 10^3 loops a few times, however numbered") {
  for (const numbering kind : numberings) {
    CAPTURE(static_cast<int>(kind));
    const csr_graph blocks = renumbered(100'000, chain(100'000).edges, kind);
    const node_id first = blocks.entry();
    const node_id last = numbers(100'000, kind).back();
    CHECK(visits(blocks, passes_node{first}, midend::reverse_postorder_worklist{}) == 100'000);
    CHECK(visits(blocks, passes_node{first}, midend::weak_topological{}) == 100'000);
    CHECK(visits(blocks, passes_node{first}, midend::round_robin{}) == 200'000);
    CHECK(visits(blocks, reaches_node{last}, midend::reverse_postorder_worklist{}) == 100'000);
    CHECK(visits(blocks, reaches_node{last}, midend::weak_topological{}) == 100'000);

    for (const bool left_from_latch : {false, true}) {
      const test_graph loops = nest(1000, left_from_latch);
      const csr_graph g = renumbered(loops.num_nodes, loops.edges, kind);
      const std::uint64_t few = 5 * g.num_nodes();
      for (const std::size_t level : {0U, 1U, 500U, 1000U, 1001U, 1500U, 2000U, 2001U}) {
        CAPTURE(left_from_latch);
        CAPTURE(level);
        const node_id chosen = numbers(loops.num_nodes, kind)[level];
        CHECK(visits(g, passes_node{chosen}, midend::reverse_postorder_worklist{}) <= few);
        CHECK(visits(g, reaches_node{chosen}, midend::reverse_postorder_worklist{}) <= few);
        CHECK(visits(g, passes_node{chosen}, midend::weak_topological{}) <= few);
        CHECK(visits(g, reaches_node{chosen}, midend::weak_topological{}) <= few);
      }
    }
  }
}

TEST_CASE("solve: a million blocks on a small stack") {
  const auto half = static_cast<node_id>(affordable(500'000));
  const csr_graph g = make_csr(nest(half, true));
  CHECK(on_a_small_stack([&] {
          const auto check = [&](const auto& policy) {
            const auto s = midend::solve(g, passes_node{2 * half}, policy);
            const auto b = midend::solve(g, reaches_node{1}, policy);
            return s.in(2) && s.out(2 * half + 1) && !s.in(0) && b.in(0) && b.in(2 * half) && !b.in(2 * half + 1);
          };
          return check(midend::reverse_postorder_worklist{}) && check(midend::weak_topological{}) ? "" : "wrong";
        }) == "");
}

TEST_CASE("solve: in constant expressions") {
  static_assert([] {
    const edge edges[] = {{0, 1}, {1, 2}, {2, 1}, {0, 3}};
    const csr_graph g = csr_graph::from_edges(5, 0, edges).value();
    const auto s = midend::solve(g, constant_passes());
    return s.in(1) && s.out(2) && !s.in(3) && !s.is_reached(4) && s.num_visits() == 5;
  }());
}
