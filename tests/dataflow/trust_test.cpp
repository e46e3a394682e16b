// `checked`, `verify_solution`, `explain_fact`.
#include "dataflow/problems.hpp"
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/explain_fact.hpp>
#include <midend/dataflow/lattices/boolean.hpp>
#include <midend/dataflow/lattices/flat.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/dataflow/verify_solution.hpp>

#include <string>
#include <vector>

using namespace midend_tests;
using midend::csr_graph;
using midend::fact_source;
using midend::solution;

namespace {

constexpr flow_direction forward = flow_direction::forward;
constexpr flow_direction backward = flow_direction::backward;

csr_graph loop() {
  return csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 1}, {1, 3}}).value();
}

/// Node 2 counts up, as far as numbers go.
struct climbing {
  static constexpr flow_direction direction = flow_direction::forward;

  midend::signed_interval lattice() const { return midend::signed_interval(64); }

  midend::signed_interval::element boundary(node_id) const { return {0, 0}; }

  void transfer(node_id n, midend::signed_interval::element& i) const {
    const std::int64_t step = n == 2 && i.high != lattice().top().high ? 1 : 0;
    i = {i.low, i.high + step};
  }
};

/// Node 1 forgets fact 0 as soon as it sees fact 1, which node 2 makes.
struct forgetful {
  static constexpr flow_direction direction = flow_direction::forward;

  midend::powerset<> lattice() const { return midend::powerset<>(2); }

  bit_row boundary(node_id) const {
    bit_row start(2);
    start.set(0);
    return start;
  }

  void transfer(node_id n, bit_row& facts) const {
    if (n == 1 && facts.test(1)) {
      facts.reset(0);
    }
    if (n == 2) {
      facts.set(1);
    }
  }
};

/// The same fault on an edge: out of node 1 to 3 either fact 0 is lost, or nothing flows any more.
struct forgetful_edge : forgetful {
  bool dries_up = false;

  void transfer(node_id n, bit_row& facts) const {
    if (n == 2) {
      facts.set(1);
    }
  }

  bool transfer_edge(const flow_edge& e, bit_row& facts) const {
    if (e.target == 3 && facts.test(1)) {
      if (dries_up) {
        return false;
      }
      facts.reset();
    }
    return true;
  }
};

bit_row bits(bool first, bool second) {
  bit_row out(2);
  out.set(0, first);
  out.set(1, second);
  return out;
}

template <class P> solution<bit_row> solved(const csr_graph& g, const P& p) {
  return midend::solve(g, p);
}

/// The derivation leads to the point and each step is one of the equations; the source is what it says.
template <class P>
std::string derivation_fault(const csr_graph& g, const P& p, const solution<bit_row>& s, midend::node_point point,
                             std::size_t fact, bool expected, const midend::fact_derivation& d) {
  constexpr bool is_forward = P::direction == flow_direction::forward;
  const auto holds = [&](const bit_row& f) { return f.test(fact) == expected; };
  const auto input = [&](node_id n) -> const bit_row& { return is_forward ? s.in(n) : s.out(n); };
  const auto output = [&](node_id n) -> const bit_row& { return is_forward ? s.out(n) : s.in(n); };
  const bool at_input = (point.side == midend::node_point::end::in) == is_forward;
  const bool held = s.is_reached(point.node) && holds(at_input ? input(point.node) : output(point.node));
  if (!held) {
    return d.source == fact_source::not_held ? "" : "explained what does not hold";
  }
  node_id at = d.node;
  for (std::size_t i = 0; i != d.path.size(); ++i) {
    const flow_edge e = d.path[i];
    if (e.id >= g.num_edges() || g.edge_source(e.id) != e.source || g.edge_target(e.id) != e.target ||
        (is_forward ? e.source : e.target) != at) {
      return "no path";
    }
    bit_row f = output(at);
    if (!holds(f) && !(i == 0 && d.source == fact_source::edge)) {
      return "it does not hold after a node";
    }
    if constexpr (midend::has_edge_transfer<P>) {
      if (!p.transfer_edge(e, f)) {
        return "nothing flows over an edge";
      }
    }
    if (!holds(f)) {
      return "it does not hold after an edge";
    }
    at = is_forward ? e.target : e.source;
  }
  if (at != point.node) {
    return "leads elsewhere";
  }
  if (at_input && d.path.empty() && d.source != fact_source::boundary) {
    return "nothing leads to where it flows in";
  }
  const bool begins = is_forward ? d.node == g.entry() : g.successors(d.node).empty();
  switch (d.source) {
  case fact_source::boundary:
    return begins && holds(p.boundary(d.node)) && holds(input(d.node)) ? "" : "no boundary";
  case fact_source::node:
    if (bit_row nothing(p.gen[d.node].size(), !expected); true) {
      p.transfer(d.node, nothing);
      return holds(nothing) ? "" : "not the node";
    }
    return "";
  case fact_source::edge:
    if constexpr (midend::has_edge_transfer<P>) {
      bit_row nothing(p.gen[d.node].size(), !expected);
      return !d.path.empty() && p.transfer_edge(d.path[0], nothing) && holds(nothing) ? "" : "not the edge";
    }
    return "there are no such edges";
  case fact_source::join:
    return "sets are not joined to what none of them has";
  default:
    return "no source";
  }
}

template <class P> void check_derivations(const csr_graph& g, const P& p, bool expected, const std::string& name) {
  const solution<bit_row> s = midend::solve(g, p);
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const midend::node_point point : {midend::point_in(n), midend::point_out(n)}) {
      for (std::size_t fact = 0; fact != 3; ++fact) {
        const auto d = midend::explain_fact(g, p, s, point, [&](const bit_row& f) { return f.test(fact) == expected; });
        const std::string fault = derivation_fault(g, p, s, point, fact, expected, d);
        if (!fault.empty()) {
          FAIL_CHECK(join(fault, ": node ", n, " fact ", fact, " of ", name));
        }
      }
    }
  }
}

template <flow_direction Direction> struct defined_somewhere {
  static constexpr flow_direction direction = Direction;
  const statement_program& program;

  midend::powerset<> lattice() const { return midend::powerset<>(program.num_variables()); }

  bit_row boundary(node_id) const { return lattice().bottom(); }

  const statement_program& ir() const { return program; }

  void transfer_statement(statement_id s, bit_row& facts) const {
    for (const variable_id v : program.uses(s)) {
      facts.reset(v);
    }
    for (const variable_id v : program.definitions(s)) {
      facts.set(v);
    }
  }
};

/// x = 1 in node 1, x = 2 in node 2.
struct one_variable {
  static constexpr flow_direction direction = flow_direction::forward;

  midend::flat<int> lattice() const { return {}; }

  midend::flat<int>::element boundary(node_id) const { return lattice().bottom(); }

  void transfer(node_id n, midend::flat<int>::element& x) const {
    if (n == 1 || n == 2) {
      x = lattice().constant(static_cast<int>(n));
    }
  }
};

} // namespace

TEST_CASE("checked: a transfer function that is not monotone is named, with what it did") {
  using failure = midend::solve_failure<bit_row>;
  const auto found = midend::solve(loop(), forgetful(), midend::checked());
  REQUIRE(!found.has_value());
  const failure& f = found.error();
  CHECK(f.why == failure::reason::not_monotone);
  CHECK(f.node == 1);
  CHECK(f.edge == midend::no_edge);
  CHECK(f.visits == 2);
  REQUIRE(f.witness.has_value());
  CHECK(f.witness->first_input == bits(true, false));
  CHECK(f.witness->first_output == bits(true, false));
  CHECK(f.witness->second_input == bits(true, true));
  CHECK(f.witness->second_output == bits(false, true));
  CHECK(!midend::solve(loop(), forgetful(), midend::checked{midend::round_robin{}}).has_value());
  CHECK(!midend::solve(loop(), forgetful(), midend::within{100, midend::checked{midend::weak_topological{}}}));
  CHECK(midend::solve(loop(), forgetful(), midend::within{100}).has_value()); // nobody looked
}

TEST_CASE("checked: an edge that is not monotone is named too") {
  for (const bool dries_up : {false, true}) {
    const auto found = midend::solve(loop(), forgetful_edge{{}, dries_up}, midend::checked{});
    REQUIRE(!found.has_value());
    CHECK(found.error().node == 1);
    CHECK(found.error().edge == 2); // 1 → 3, as edges are sorted by source
    CHECK(found.error().witness->second_flows == !dries_up);
    CHECK(found.error().witness->first_input == bits(true, false));
    CHECK(found.error().witness->first_output == bits(true, false));
    CHECK(found.error().witness->second_input == bits(true, true));
    CHECK(found.error().witness->second_output == bits(dries_up, dries_up));
  }
}

TEST_CASE("verify_solution: solutions are proven, those of smaller problems are not") {
  random_source random(1);
  std::size_t refuted = 0;
  const auto check = [&]<class P>(const csr_graph& g, P p, std::size_t facts) {
    const solution<bit_row> s = midend::solve(g, p);
    CHECK(!midend::verify_solution(g, p, s).has_value());
    const defined_solution<P> before(g, p);
    P other = p;
    const node_id n = random.below(g.num_nodes());
    const std::size_t fact = random.below(facts);
    other.gen[n].set(fact, std::is_same_v<midend::lattice_of<P>, some_path>);
    other.kill[n].set(fact, !std::is_same_v<midend::lattice_of<P>, some_path>);
    const defined_solution<P> after(g, other);
    // What was claimed is refuted if the least solution has grown.
    const bool grown = before.reached[n] && after.output[n] != before.output[n];
    const auto error = midend::verify_solution(g, other, s);
    CHECK(error.has_value() == grown);
    if (error.has_value()) {
      ++refuted;
      CHECK(*error == midend::solution_error{midend::solution_error::reason::node_is_broken, n});
    }
  };
  for (int i = 0; i != 100; ++i) {
    const test_graph t = small_digraph(random, 12, 24);
    const csr_graph g = make_csr(t);
    check(g, random_gen_kill<forward, some_path>(random, t.num_nodes, 4), 4);
    check(g, random_gen_kill<backward, some_path>(random, t.num_nodes, 4), 4);
    check(g, random_gen_kill<forward, every_path>(random, t.num_nodes, 4), 4);
    check(g, random_gen_kill<backward, every_path>(random, t.num_nodes, 4), 4);
  }
  CHECK(refuted > 50);
}

TEST_CASE("verify_solution: each thing that can be wrong is named") {
  using reason = midend::solution_error::reason;
  const auto row = [](bool value) { return bit_row(1, value); };
  const std::vector<edge> list{{0, 1}};
  const csr_graph g = csr_graph::from_edges(3, 0, list).value();
  const gen_kill_rows<forward, some_path> p{
      some_path(1), {row(false), row(false), row(false)}, {row(false), row(false), row(false)}, row(false)};
  const solution<bit_row> s = midend::solve(g, p);
  CHECK(!midend::verify_solution(g, p, s));

  const csr_graph larger = csr_graph::from_edges(4, 0, list).value();
  CHECK(midend::verify_solution(larger, p, s)->why == reason::wrong_size);

  const csr_graph more = csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 2}}).value();
  const auto not_reached = midend::verify_solution(more, p, s);
  CHECK(*not_reached == midend::solution_error{reason::not_reached, 2, {1, 0, 2}});
  CHECK(*midend::verify_solution(csr_graph::from_edges(3, 2, list).value(), p, s) ==
        midend::solution_error{reason::not_reached, 2});

  auto other_start = p;
  other_start.start = row(true);
  CHECK(*midend::verify_solution(g, other_start, s) == midend::solution_error{reason::boundary_is_lost, 0});

  gen_kill_edges<forward, some_path> by_edge{p, {row(true), row(true)}, {{}, {}}, {false, false, false}};
  by_edge.gen[0] = row(true);
  const solution<bit_row> lost = midend::solve(g, by_edge);
  CHECK(!midend::verify_solution(g, by_edge, lost));
  by_edge.edge_kill[0] = row(false);
  CHECK(*midend::verify_solution(g, by_edge, lost) == midend::solution_error{reason::edge_is_broken, 1, {0, 0, 1}});

  // Backward all nodes are reached, also one that is no boundary.
  const csr_graph apart = csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {2, 2}}).value();
  const gen_kill_rows<backward, some_path> against{p.lattice_, p.gen, p.kill, p.start};
  CHECK(*midend::verify_solution(apart, against, midend::solve(apart, p)) ==
        midend::solution_error{reason::not_reached, 2});
}

TEST_CASE("explain_fact: derivations are paths along which the fact holds, from what made it hold") {
  random_source random(2);
  for (int i = 0; i != 120; ++i) {
    const test_graph t = small_digraph(random, 9, 20);
    const csr_graph g = make_csr(t);
    const std::string name = to_string(t);
    check_derivations(g, random_gen_kill<forward, some_path>(random, t.num_nodes, 3), true, name);
    check_derivations(g, random_gen_kill<backward, some_path>(random, t.num_nodes, 3), true, name);
    check_derivations(g, random_gen_kill<forward, every_path>(random, t.num_nodes, 3), false, name);
    check_derivations(g, random_gen_kill<backward, every_path>(random, t.num_nodes, 3), false, name);
    gen_kill_edges<forward, every_path> by_edge{random_gen_kill<forward, every_path>(random, t.num_nodes, 3),
                                                {},
                                                std::vector<std::optional<std::size_t>>(g.num_edges()),
                                                std::vector<bool>(t.num_nodes)};
    for (std::size_t e = 0; e != g.num_edges(); ++e) {
      by_edge.edge_kill.push_back(random_row(random, 3, 4));
    }
    check_derivations(g, by_edge, false, name);
  }
}

TEST_CASE("explain_fact: the statement, by the shortest way") {
  // 0 → 1 → 2 → 3 and 0 → 3; the long way round defines v0 too, in node 1.
  const csr_graph g = csr_graph::from_edges(4, 0, std::vector<edge>{{0, 1}, {0, 3}, {1, 2}, {2, 3}}).value();
  statement_program program(g, 2);
  program.add(1, {.definitions = {0}});
  const statement_id use = program.add(1, {.uses = {0}});
  const statement_id last = program.add(1, {.definitions = {0}});
  program.add(1, {.definitions = {1}});
  program.add(3, {.uses = {1}});
  CHECK(use == 1);
  const defined_somewhere<flow_direction::forward> p{program};
  const auto s = midend::solve(g, p);
  const auto has = [](variable_id v) { return [v](const bit_row& f) { return f.test(v); }; };
  const auto d = midend::explain_fact(g, p, s, midend::point_in(3), has(0));
  CHECK(d.source == fact_source::statement);
  CHECK(d.node == 1);
  CHECK(d.statement == last);
  REQUIRE(d.path.size() == 2);
  CHECK(d.path[0] == flow_edge{2, 1, 2});
  CHECK(d.path[1] == flow_edge{3, 2, 3});
  CHECK(midend::explain_fact(g, p, s, midend::point_out(3), has(1)).source == fact_source::not_held);
  const auto here = midend::explain_fact(g, p, s, midend::point_out(1), has(0));
  CHECK((here.statement == last && here.path.empty()));
}

TEST_CASE("explain_fact: what joining makes in a loop does not owe it to itself") {
  struct counting : one_variable {
    midend::flat<int>::element boundary(node_id) const { return lattice().constant(0); }

    void transfer(node_id n, midend::flat<int>::element& x) const {
      if (n == 2 && x.is_constant()) {
        ++x.value;
      }
    }
  };

  const auto s = midend::solve(loop(), counting());
  const auto is_top = [](const auto& f) { return f.is_top(); };
  for (const node_id n : {1U, 2U, 3U}) {
    const auto d = midend::explain_fact(loop(), counting(), s, midend::point_out(n), is_top);
    CHECK(d.source == fact_source::join);
    CHECK(d.node == 1);
    CHECK(d.path.size() == (n == 1 ? 0 : 1));
  }
}

TEST_CASE("explain_fact: what would climb for ever is widened") {
  const auto s = midend::solve(loop(), climbing(), midend::weak_topological{.widen = {.after = 2}});
  const auto is_large = [](const auto& i) { return i.high > 1'000'000; };
  const auto d = midend::explain_fact(loop(), climbing(), s, midend::point_in(3), is_large);
  CHECK(d.source == fact_source::join);
  CHECK(d.node == 1);
  REQUIRE(d.path.size() == 1);
  CHECK(d.path[0] == flow_edge{2, 1, 3});
}

TEST_CASE("explain_fact: no node is looked at twice, however many ways there are") {
  test_graph t{"diamonds", 3 * 60 + 1, 0, {}};
  for (node_id n = 0; n != 3 * 60; n += 3) {
    t.edges.insert(t.edges.end(), {{n, n + 1}, {n, n + 2}, {n + 1, n + 3}, {n + 2, n + 3}});
  }
  const csr_graph g = make_csr(t);
  const bit_row none(1);
  const gen_kill_rows<forward, some_path> p{some_path(1), std::vector<bit_row>(t.num_nodes, none),
                                            std::vector<bit_row>(t.num_nodes, none), bit_row(1, true)};
  const auto d = midend::explain_fact(g, p, midend::solve(g, p), midend::point_in(3 * 60),
                                      [](const bit_row& f) { return f.test(0); });
  CHECK(d.source == fact_source::boundary);
  CHECK(d.path.size() == 120);
}

TEST_CASE("explain_fact: what joining makes, and what holds of bottom") {
  const csr_graph g = csr_graph::from_edges(5, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}).value();
  const auto s = midend::solve(g, one_variable());
  CHECK(s.in(4).is_top());
  const auto d =
      midend::explain_fact(g, one_variable(), s, midend::point_in(4), [](const auto& f) { return f.is_top(); });
  CHECK(d.source == fact_source::join);
  CHECK(d.node == 3);
  REQUIRE(d.path.size() == 1);
  CHECK(d.path[0] == flow_edge{4, 3, 4});

  // Nothing flows into 1 ⇄ 2 but bottom, of which all facts hold.
  const csr_graph endless = csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 1}}).value();
  const bit_row none(1);
  const gen_kill_rows<backward, every_path> p{
      every_path(midend::powerset<>(1)), {none, none, none}, {none, none, none}, none};
  const auto of_bottom = midend::explain_fact(endless, p, midend::solve(endless, p), midend::point_in(1),
                                              [](const bit_row& f) { return f.test(0); });
  CHECK(of_bottom.source == fact_source::bottom);
}
