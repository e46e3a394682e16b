// problem.hpp: both forms of transfer functions, in place and as in textbooks, give the same facts.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <optional>
#include <span>
#include <vector>

using namespace midend_tests;

namespace {

using bits = midend::powerset<>;
using fact = bits::element;

/// Reachability by numbered nodes: node n adds n; edges into node 3 carry only facts with 1 in them. All functions are
/// written once more for each form.
struct base {
  static constexpr auto direction = midend::flow_direction::forward;
  std::uint32_t count = 0;

  bits lattice() const { return bits(count); }

  fact boundary(midend::node_id) const { return lattice().bottom(); }

  fact after(midend::node_id n, const fact& before) const {
    fact out = before;
    out.set(n);
    return out;
  }

  static bool flows(const midend::flow_edge& e, const fact& f) { return e.target != 3 || f.test(1); }
};

struct in_place : base {
  void transfer(midend::node_id n, fact& f) const { f = after(n, f); }

  bool transfer_edge(const midend::flow_edge& e, fact& f) const { return flows(e, f); }
};

struct by_value : base {
  fact transfer(midend::node_id n, const fact& f) const { return after(n, f); }

  std::optional<fact> transfer_edge(const midend::flow_edge& e, const fact& f) const {
    return flows(e, f) ? std::optional<fact>(f) : std::nullopt;
  }
};

/// A copy for an argument is a textbook form too, and a number is a truth value, as in C.
struct by_copy : base {
  fact transfer(midend::node_id n, fact f) const { return after(n, f); }

  fact transfer_edge(midend::flow_edge, fact f) const { return f; }

  int is_boundary(midend::node_id n) const { return n == 2 ? 4 : 0; }
};

struct no_edges_in_place : base {
  void transfer(midend::node_id n, fact& f) const { f = after(n, f); }

  bool is_boundary(midend::node_id n) const { return n == 2; }
};

/// Each node has two statements, 2 n and 2 n + 1; a statement adds itself and removes the other.
struct two_statements {
  midend::id_range<midend::statement_id> statements(midend::node_id n) const { return {2 * n, 2 * n + 2}; }
};

struct statement_base : base {
  two_statements ir() const { return {}; }

  static fact step(midend::statement_id s, fact f) {
    f.set(s);
    f.reset(s ^ 1);
    return f;
  }
};

struct statements_in_place : statement_base {
  void transfer_statement(midend::statement_id s, fact& f) const { f = step(s, f); }
};

struct statements_by_value : statement_base {
  fact transfer_statement(midend::statement_id s, const fact& f) const { return step(s, f); }
};

/// Values 0 … 4; 3 is a phi of 1 and 4, 4 is what 3 is, with itself added.
struct values {
  std::vector<std::vector<midend::value_id>> lists{{}, {0}, {0, 1}, {1, 4}, {3}};

  std::size_t num_values() const { return lists.size(); }

  const std::vector<midend::value_id>& operands(midend::value_id v) const { return lists[v]; }

  unsigned is_phi(midend::value_id v) const { return v == 3 ? 2 : 0; }
};

struct evaluates_in_place : values {
  bits lattice() const { return bits(5); }

  void evaluate(midend::value_id v, std::span<const fact> facts, fact& f) const {
    for (const midend::value_id operand : lists[v]) {
      f |= facts[operand];
    }
    f.set(v);
  }
};

struct evaluates_by_value : values {
  bits lattice() const { return bits(5); }

  fact evaluate(midend::value_id v, std::span<const fact> facts) const {
    fact f = lattice().bottom();
    evaluates_in_place().evaluate(v, facts, f);
    return f;
  }
};

template <class A, class B> bool same_facts(const midend::csr_graph& g, const A& a, const B& b) {
  const auto first = midend::solve(g, a);
  const auto second = midend::solve(g, b);
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    if (first.is_reached(n) != second.is_reached(n) || !(first.in(n) == second.in(n)) ||
        !(first.out(n) == second.out(n))) {
      return false;
    }
  }
  return !midend::verify_solution(g, b, first).has_value();
}

} // namespace

TEST_CASE("problem: textbook forms of transfer and transfer_edge give what the forms in place give") {
  random_source random(14);
  for (int i = 0; i != 200; ++i) {
    const auto g = make_csr(random_digraph(random, 6, 9));
    const auto count = static_cast<std::uint32_t>(g.num_nodes());
    CHECK(same_facts(g, in_place{{count}}, by_value{{count}}));
    CHECK(same_facts(g, no_edges_in_place{{count}}, by_copy{{count}}));
  }
}

TEST_CASE("problem: textbook forms of transfer_statement and evaluate") {
  random_source random(15);
  for (int i = 0; i != 100; ++i) {
    const auto g = make_csr(random_digraph(random, 6, 9));
    const auto count = static_cast<std::uint32_t>(2 * g.num_nodes());
    const statements_in_place one{{{count}}};
    const statements_by_value other{{{count}}};
    CHECK(same_facts(g, one, other));
    // Inside a block, too.
    const auto facts = midend::solve(g, one);
    std::vector<fact> seen[2];
    midend::visit_facts(one, facts, [&](midend::node_id, midend::statement_id, const fact&, const fact& after) {
      seen[0].push_back(after);
    });
    midend::visit_facts(other, facts, [&](midend::node_id, midend::statement_id, const fact&, const fact& after) {
      seen[1].push_back(after);
    });
    CHECK(seen[0] == seen[1]);
  }
  const auto one = midend::solve_sparse(values(), evaluates_in_place());
  const auto other = midend::solve_sparse(values(), evaluates_by_value());
  for (midend::value_id v = 0; v != 5; ++v) {
    CHECK(one.fact(v) == other.fact(v));
  }
  CHECK(one.fact(4).test(4));
  CHECK(one.fact(3).test(1));
}
