// Reaching definitions, live variables, available and very busy expressions: the worked examples, and paths through the
// statements of small programs.
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/available_expressions.hpp>
#include <midend/dataflow/def_use_chains.hpp>
#include <midend/dataflow/live_variables.hpp>
#include <midend/dataflow/reaching_definitions.hpp>
#include <midend/dataflow/very_busy_expressions.hpp>

#if __has_include(<boost/dynamic_bitset.hpp>)
#include <boost/dynamic_bitset.hpp>
#endif

#include <algorithm>
#include <set>

using namespace midend_tests;

namespace {

using numbers = std::vector<std::uint32_t>;

template <class Set> numbers members(const Set& set) {
  numbers out;
  for (const std::uint32_t bit : midend::set_bits(set)) {
    out.push_back(bit);
  }
  return out;
}

midend::csr_graph graph_of(std::size_t nodes, const std::vector<edge>& edges) {
  return midend::csr_graph::from_edges(nodes, 0, edges).value();
}

/// Statement numbers, from 1, of a set of definitions: d1, d2, … of the examples.
numbers names(const midend::definition_table& table, midend::bit_row_view definitions) {
  numbers out;
  for (const midend::definition_id d : definitions) {
    out.push_back(table[d].statement + 1);
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

TEST_CASE("reaching definitions: the worked example") {
  enum : node_id { entry, b1, b2, b3, b4, exit };

  enum : variable_id { i, j, a };

  statement_program p(graph_of(6, {{entry, b1}, {b1, b2}, {b2, b3}, {b2, b4}, {b3, b4}, {b4, b2}, {b4, exit}}), 3);
  p.add(b1, {.definitions = {i}}); // d1 … d7
  p.add(b1, {.definitions = {j}});
  p.add(b1, {.definitions = {a}});
  p.add(b2, {.definitions = {i}, .uses = {i}});
  p.add(b2, {.definitions = {j}, .uses = {j}});
  p.add(b3, {.definitions = {a}});
  p.add(b4, {.definitions = {i}});
  const midend::definition_table table(p);
  const auto facts = midend::reaching_definitions(p, table);
  CHECK(names(table, facts.in(b1)) == numbers{});
  CHECK(names(table, facts.out(b1)) == numbers{1, 2, 3});
  CHECK(names(table, facts.in(b2)) == numbers{1, 2, 3, 5, 6, 7});
  CHECK(names(table, facts.out(b2)) == numbers{3, 4, 5, 6});
  CHECK(names(table, facts.in(b3)) == numbers{3, 4, 5, 6});
  CHECK(names(table, facts.out(b3)) == numbers{4, 5, 6});
  CHECK(names(table, facts.in(b4)) == numbers{3, 4, 5, 6});
  CHECK(names(table, facts.out(b4)) == numbers{3, 5, 6, 7});
  CHECK(names(table, facts.in(exit)) == numbers{3, 5, 6, 7});
  CHECK(names(table, facts.out(exit)) == numbers{3, 5, 6, 7});

  const midend::def_use_chains chains(p, table, facts);
  REQUIRE(chains.num_uses() == 2);
  CHECK(chains.use(0) == midend::variable_use{3, i});
  numbers of_i;
  for (const midend::definition_id d : chains.definitions(0)) {
    of_i.push_back(table[d].statement + 1);
    CHECK(chains.uses(d).size() == 1);
  }
  CHECK(of_i == numbers{1, 7});
}

TEST_CASE("live variables: the worked example") {
  enum : node_id { B1, B2, B3, B4 };

  enum : variable_id { a, b, c };

  statement_program p(graph_of(4, {{B1, B2}, {B1, B3}, {B2, B4}, {B3, B4}}), 3);
  p.add(B1, {.definitions = {a}});
  p.add(B1, {.definitions = {b}});
  p.add(B1, {.definitions = {c}});
  p.add(B2, {.definitions = {b}});
  p.add(B3, {.definitions = {a}, .uses = {a}});
  p.add(B4, {.uses = {b}});
  const auto live = midend::live_variables(p);
  CHECK(members(live.in(B1)) == numbers{});
  CHECK(members(live.out(B1)) == numbers{a, b});
  CHECK(members(live.in(B2)) == numbers{});
  CHECK(members(live.out(B2)) == numbers{b});
  CHECK(members(live.in(B3)) == numbers{a, b});
  CHECK(members(live.out(B3)) == numbers{b});
  CHECK(members(live.in(B4)) == numbers{b});
  CHECK(members(live.out(B4)) == numbers{});

  const std::vector<variable_id> results{c};
  const auto with_results = midend::live_variables(p, results);
  CHECK(members(with_results.out(B4)) == numbers{c});
  CHECK(members(with_results.in(B2)) == numbers{c});
  CHECK(members(with_results.in(B1)) == numbers{});
}

TEST_CASE("available expressions: the worked example") {
  enum : node_id { B1, B2, B3 };

  enum : variable_id { a, b, t, x };

  const auto program = [](bool computed_again) {
    statement_program p(graph_of(3, {{B1, B2}, {B1, B3}, {B2, B3}}), 4);
    p.assign(B1, t, '+', a, b);
    p.add(B2, {.definitions = {a}});
    if (computed_again) {
      p.assign(B2, x, '+', a, b);
    }
    return p;
  };
  CHECK(members(midend::available_expressions(program(false)).in(B3)) == numbers{});
  CHECK(members(midend::available_expressions(program(true)).in(B3)) == numbers{0});
}

TEST_CASE("very busy expressions: both arms of a branch, and endless loops") {
  enum : node_id { branch, left, right, end };

  enum : variable_id { a, b, t };

  statement_program p(graph_of(4, {{branch, left}, {branch, right}, {left, end}, {right, end}}), 3);
  p.assign(left, t, '+', a, b);
  p.assign(right, t, '+', a, b);
  CHECK(members(midend::very_busy_expressions(p).out(branch)) == numbers{0});

  // The right arm never ends, and computes a + b in each round, or never does.
  for (const bool computes : {true, false}) {
    statement_program endless(graph_of(3, {{branch, left}, {branch, right}, {right, right}}), 3);
    endless.assign(left, t, '+', a, b);
    if (computes) {
      endless.assign(right, t, '+', a, b);
    }
    CHECK(midend::very_busy_expressions(endless).out(branch).test(0) == computes);
    CHECK(midend::very_busy_expressions(endless, midend::exits_only).out(branch).test(0));
  }
}

namespace {

/// A place before, between or after the statements of a node.
struct point {
  node_id node;
  std::size_t next; ///< of the statements in the node

  friend auto operator<=>(const point&, const point&) = default;
};

bool contains(std::span<const std::uint32_t> list, std::uint32_t id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// Searches from points on, statement by statement, in the direction of control.
class walk {
public:
  explicit walk(const statement_program& p) : p_(p) {}

  /// Whether `found(point)` for a point that is reached from `from` through statements that `passes(s)`.
  template <class Passes, class Found> bool reaches(std::vector<point> from, Passes passes, Found found) const {
    std::set<point> seen(from.begin(), from.end());
    while (!from.empty()) {
      const point at = from.back();
      from.pop_back();
      if (found(at)) {
        return true;
      }
      const auto go = [&](point next) {
        if (seen.insert(next).second) {
          from.push_back(next);
        }
      };
      const auto statements = p_.statements(at.node);
      if (at.next != statements.size()) {
        if (passes(statements[at.next])) {
          go({at.node, at.next + 1});
        }
      } else {
        for (const node_id s : p_.graph().successors(at.node)) {
          go({s, 0});
        }
      }
    }
    return false;
  }

  bool is_reachable(node_id n) const {
    return reaches(
        {{p_.graph().entry(), 0}}, [](statement_id) { return true; }, [&](point at) { return at == point{n, 0}; });
  }

  bool is_end(point at) const { return at.next == p_.statements(at.node).size(); }

  statement_id statement(point at) const { return p_.statements(at.node)[at.next]; }

private:
  const statement_program& p_;
};

bool writes_operand(const statement_program& p, statement_id s, expression_id e) {
  return std::ranges::any_of(p.expression_operands(e), [&](variable_id v) {
    return contains(p.definitions(s), v) || contains(p.may_definitions(s), v);
  });
}

/// What the facts at a point must be, by definition.
class by_definition {
public:
  explicit by_definition(const statement_program& p) : p_(p), walk_(p) {
    for (const node_id root : midend::post_dominance_roots(p.graph())) {
      roots_.insert(root);
    }
    for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
      reachable_.push_back(walk_.is_reachable(n));
    }
  }

  /// There is a path to a use on which nothing defines `v` before, or to an exit if it is used after those.
  bool is_live(variable_id v, point at, bool live_at_exit) const {
    return walk_.reaches(
        {at}, [&](statement_id s) { return !contains(p_.definitions(s), v); },
        [&](point q) {
          return walk_.is_end(q) ? live_at_exit && p_.graph().successors(q.node).empty()
                                 : contains(p_.uses(walk_.statement(q)), v);
        });
  }

  /// Control comes to the definition, and from there on to `at` without another one that is certain.
  bool is_reached(const midend::definition& d, point at) const {
    const point after = after_statement(d.statement);
    return reachable_[after.node] &&
           walk_.reaches(
               {after}, [&](statement_id s) { return !contains(p_.definitions(s), d.variable); },
               [&](point q) { return q == at; });
  }

  /// No path from the entry, or from a write to an operand, comes to `at` without computing `e`.
  bool is_available(expression_id e, point at) const {
    std::vector<point> lost{{p_.graph().entry(), 0}};
    for (node_id n = 0; n != p_.graph().num_nodes(); ++n) {
      for (const statement_id s : p_.statements(n)) {
        if (reachable_[n] && writes_operand(p_, s, e)) {
          lost.push_back(after_statement(s));
        }
      }
    }
    return !walk_.reaches(
        lost, [&](statement_id s) { return p_.expression(s) != e; }, [&](point q) { return q == at; });
  }

  /// No path from `at` comes to a write to an operand, or to where paths end, without computing `e` before.
  bool is_very_busy(expression_id e, point at) const {
    return !walk_.reaches(
        {at}, [&](statement_id s) { return p_.expression(s) != e; },
        [&](point q) {
          return walk_.is_end(q) ? roots_.contains(q.node)
                                 : p_.expression(walk_.statement(q)) != e && writes_operand(p_, walk_.statement(q), e);
        });
  }

  /// At the start of a node, or at its end.
  point place(node_id n, bool at_end) const { return {n, at_end ? p_.statements(n).size() : 0}; }

  point before_statement(statement_id s) const {
    const point after = after_statement(s);
    return {after.node, after.next - 1};
  }

  point after_statement(statement_id s) const {
    for (node_id n = 0;; ++n) {
      for (std::size_t i = 0; i != p_.statements(n).size(); ++i) {
        if (p_.statements(n)[i] == s) {
          return {n, i + 1};
        }
      }
    }
  }

  bool is_reachable(node_id n) const { return reachable_[n]; }

private:
  const statement_program& p_;
  walk walk_;
  std::set<node_id> roots_;
  std::vector<bool> reachable_;
};

/// Compares rows with `holds(fact, point)`.
template <class Rows, class Holds>
std::string compare(const char* what, const by_definition& truth, const midend::flow_facts<Rows>& facts, Holds holds) {
  for (node_id n = 0; n != facts.num_nodes(); ++n) {
    for (std::uint32_t f = 0; f != facts.num_facts(); ++f) {
      if (facts.in(n).test(f) != holds(f, truth.place(n, false)) ||
          facts.out(n).test(f) != holds(f, truth.place(n, true))) {
        return join(what, ": fact ", f, " at node ", n);
      }
    }
  }
  return {};
}

/// All four analyses with one kind of rows; workspaces and results are used for all programs.
template <class Rows> class analyses {
public:
  std::string operator()(const statement_program& p, const by_definition& truth) {
    midend::live_variables(p, gen_kill_, facts_);
    std::string wrong =
        compare("live", truth, facts_, [&](variable_id v, point at) { return truth.is_live(v, at, false); });
    const std::vector<variable_id> results{0};
    midend::live_variables(p, results, gen_kill_, facts_);
    wrong += compare("live with results", truth, facts_,
                     [&](variable_id v, point at) { return truth.is_live(v, at, v == 0); });

    midend::available_expressions(p, available_, facts_);
    wrong += compare("available", truth, facts_, [&](expression_id e, point at) { return truth.is_available(e, at); });
    midend::very_busy_expressions(p, midend::virtual_edge_per_endless_region, very_busy_, facts_);
    wrong += compare("very busy", truth, facts_, [&](expression_id e, point at) { return truth.is_very_busy(e, at); });

    definitions_.assign(p);
    midend::reaching_definitions(p, definitions_, gen_kill_, facts_);
    wrong += compare("reaching", truth, facts_,
                     [&](midend::definition_id d, point at) { return truth.is_reached(definitions_[d], at); });
    return wrong.empty() ? check_chains(p, truth) : wrong;
  }

private:
  std::string check_chains(const statement_program& p, const by_definition& truth) {
    chains_.assign(p, definitions_, facts_);
    std::size_t uses = 0;
    for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
      for (const statement_id s : p.statements(n)) {
        uses += std::set<variable_id>(p.uses(s).begin(), p.uses(s).end()).size();
      }
    }
    if (uses != chains_.num_uses()) {
      return join(chains_.num_uses(), " uses");
    }
    for (midend::use_id u = 0; u != chains_.num_uses(); ++u) {
      const auto [statement, variable] = chains_.use(u);
      const point at = truth.before_statement(statement);
      for (midend::definition_id d = 0; d != definitions_.num_definitions(); ++d) {
        const bool linked = contains(chains_.definitions(u), d);
        if (linked != contains(chains_.uses(d), u)) {
          return join("use ", u, " and definition ", d, " do not agree");
        }
        if (truth.is_reachable(at.node) &&
            linked != (definitions_[d].variable == variable && truth.is_reached(definitions_[d], at))) {
          return join("link of use ", u, " and definition ", d);
        }
      }
      if (!std::ranges::is_sorted(chains_.definitions(u))) {
        return join("definitions of use ", u, " do not ascend");
      }
    }
    return {};
  }

  midend::gen_kill_workspace<Rows> gen_kill_;
  midend::available_expressions_workspace<Rows> available_;
  midend::very_busy_expressions_workspace<Rows> very_busy_;
  midend::flow_facts<Rows> facts_;
  midend::definition_table definitions_;
  midend::def_use_chains chains_;
};

/// All four with all kinds of rows.
class all_analyses {
public:
  void operator()(const statement_program& p) {
    const by_definition truth(p);
    std::string wrong = words_(p, truth) + sets_(p, truth);
#if __has_include(<boost/dynamic_bitset.hpp>)
    wrong += boost_(p, truth);
#endif
    if (!wrong.empty()) {
      FAIL_CHECK(wrong << to_string(p));
    }
  }

private:
  analyses<midend::bit_matrix> words_;
  analyses<std::vector<midend::bit_row>> sets_;
#if __has_include(<boost/dynamic_bitset.hpp>)
  analyses<std::vector<boost::dynamic_bitset<>>> boost_;
#endif
};

} // namespace

TEST_CASE("standard analyses: random programs over all digraphs of up to 3 nodes, from each root") {
  random_source random(1);
  all_analyses check;
  std::uint64_t left_out = 0;
  for (std::size_t nodes = 1; nodes != 4; ++nodes) {
    for_each_digraph(nodes, [&](const bit_graph& g) {
      if (nodes < 3 || left_out++ % 3 == 0) {
        check(random_program(random, to_test_graph(g), 1 + random.below(3), 3));
      }
    });
  }
}

TEST_CASE("standard analyses: random programs over ugly and random graphs") {
  random_source random(2);
  all_analyses check;
  for (const test_graph& g : ugly_graphs()) {
    if (g.num_nodes != 0 && g.num_nodes <= 20) {
      check(random_program(random, g, 3, 3));
    }
  }
  for (std::size_t round = 0; round != 40; ++round) {
    check(random_program(random, random_digraph(random, 2 + random.below(9), random.below(20)), 4, 3));
    check(random_program(random, random_reducible(random, 8), 3, 3));
    check(random_program(random, random_irreducible(random, 8), 3, 3));
  }
}

TEST_CASE("standard analyses: more than 64 variables, definitions and expressions") {
  random_source random(3);
  all_analyses check;
  for (std::size_t round = 0; round != 2; ++round) {
    const statement_program p = random_program(random, random_reducible(random, 9), 70, 20);
    const midend::definition_table table(p);
    CHECK(table.num_definitions() > 64);
    check(p);
    const statement_program q = random_program(random, random_irreducible(random, 6), 30, 100);
    CHECK(q.num_expressions() > 64);
    check(q);
  }
}

TEST_CASE("definition_table: numbers, duplicates, may-definitions") {
  statement_program p(graph_of(2, {{0, 1}}), 3);
  p.add(1, {.definitions = {2, 0, 2}});
  p.add(0, {.definitions = {2}, .uses = {}, .may_definitions = {2, 0}});
  const midend::definition_table table(p);
  REQUIRE(table.num_definitions() == 4);
  CHECK(table[0] == midend::definition{1, 0, false}); // node 0 first, variable 0 first
  CHECK(table[1] == midend::definition{0, 0, true});
  CHECK(table[2] == midend::definition{1, 2, true});
  CHECK(table[3] == midend::definition{0, 2, true});
  CHECK(table.of_variable(1).empty());
  CHECK(*table.of_variable(2).begin() == 2);
  CHECK(std::ranges::equal(table.of_node(0), numbers{2, 0}));
  CHECK(std::ranges::equal(table.of_node(1), numbers{3, 1}));
}

TEST_CASE("standard analyses: programs without statements, and graphs without nodes") {
  const statement_program nothing(midend::csr_graph(), 3);
  const midend::definition_table table(nothing);
  const auto facts = midend::reaching_definitions(nothing, table);
  CHECK(facts.num_nodes() == 0);
  CHECK(midend::def_use_chains(nothing, table, facts).num_uses() == 0);
  CHECK(midend::live_variables(nothing).num_nodes() == 0);
  const statement_program empty(graph_of(2, {{0, 1}}), 0);
  CHECK(midend::available_expressions(empty).in(1).none());
  CHECK(midend::very_busy_expressions(empty).in(1).none());
  CHECK(midend::live_variables(empty).in(0).none());
}

namespace {

constexpr std::uint32_t everything_at_compile_time() {
  const edge edges[] = {{0, 1}, {1, 1}, {1, 2}};
  statement_program p(midend::csr_graph::from_edges(3, 0, edges).value(), 3);
  p.assign(0, 0, '+', 1, 2); // v0 = v1 + v2; while (…) { v1 = v0 + v1; } v1 + v2
  p.assign(1, 1, '+', 0, 1);
  p.assign(2, 0, '+', 1, 2);
  const midend::definition_table table(p);
  const auto reaching = midend::reaching_definitions(p, table);
  const midend::def_use_chains chains(p, table, reaching);
  const std::size_t sum = midend::live_variables(p).in(1).count() * 1000 + reaching.in(1).count() * 100 +
                          midend::available_expressions(p).out(2).count() * 10 + chains.num_uses();
  return static_cast<std::uint32_t>(sum);
}

} // namespace

// {v0, v1, v2} are live in the loop, the definitions of v0 and v1 reach it, {v0 + v1} and {v1 + v2} at the end: the
// former was made old by the write to v0.
static_assert(everything_at_compile_time() == 3216);
