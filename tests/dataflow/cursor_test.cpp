#include "dataflow/problems.hpp"
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/cursor.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/solve.hpp>

#include <string>
#include <vector>

using namespace midend_tests;
using midend::bit_row;
using midend::flow_direction;
using midend::solution;

namespace {

/// Which statements have been passed since the variable that they define was last used: an odd thing, but the order of
/// statements matters. Counts how often a statement is transferred.
template <flow_direction Direction> struct recent_statements {
  static constexpr flow_direction direction = Direction;

  const statement_program& program;
  std::size_t* transfers;

  midend::powerset<> lattice() const { return midend::powerset<>(program.num_statements()); }

  bit_row boundary(node_id) const { return lattice().bottom(); }

  const statement_program& ir() const { return program; }

  void transfer_statement(statement_id s, bit_row& facts) const {
    ++*transfers;
    for (statement_id other = 0; other != program.num_statements(); ++other) {
      for (const variable_id v : program.definitions(other)) {
        for (const variable_id used : program.uses(s)) {
          if (v == used) {
            facts.reset(other);
          }
        }
      }
    }
    facts.set(s);
  }
};

/// The same, composed by hand.
template <flow_direction Direction> struct composed {
  static constexpr flow_direction direction = Direction;

  recent_statements<Direction> original;

  midend::powerset<> lattice() const { return original.lattice(); }

  bit_row boundary(node_id n) const { return original.boundary(n); }

  void transfer(node_id n, bit_row& facts) const {
    const auto statements = original.program.statements(n);
    for (std::size_t i = 0; i != statements.size(); ++i) {
      const bool forward = Direction == flow_direction::forward;
      original.transfer_statement(statements[forward ? i : statements.size() - 1 - i], facts);
    }
  }
};

/// An IR whose statements can only be read forwards, once.
struct forward_only {
  const statement_program* program;

  struct iterator {
    const statement_id* at;

    statement_id operator*() const { return *at; }

    iterator& operator++() {
      ++at;
      return *this;
    }

    bool operator==(const iterator&) const = default;
  };

  struct range {
    iterator first, last;

    iterator begin() const { return first; }

    iterator end() const { return last; }
  };

  range statements(node_id n) const {
    const auto s = program->statements(n);
    return {{s.data()}, {s.data() + s.size()}};
  }
};

struct through_forward_only : recent_statements<flow_direction::backward> {
  forward_only ir() const { return {&program}; }
};

/// What is between the statements of a node, by definition: the facts before each and after the last.
template <class P> std::vector<bit_row> facts_between(const P& p, const solution<bit_row>& s, node_id n) {
  const auto statements = p.program.statements(n);
  std::vector<bit_row> out(statements.size() + 1, p.lattice().bottom());
  if (!s.is_reached(n)) {
    return out;
  }
  if (P::direction == flow_direction::forward) {
    out[0] = s.in(n);
    for (std::size_t i = 0; i != statements.size(); ++i) {
      out[i + 1] = out[i];
      p.transfer_statement(statements[i], out[i + 1]);
    }
  } else {
    out.back() = s.out(n);
    for (std::size_t i = statements.size(); i-- != 0;) {
      out[i] = out[i + 1];
      p.transfer_statement(statements[i], out[i]);
    }
  }
  return out;
}

template <class P> void check_cursor(random_source& random, const statement_program& program) {
  std::size_t transfers = 0;
  const P p{program, &transfers};
  const solution<bit_row> s = midend::solve(program.graph(), p);
  midend::fact_cursor<P> cursor(p, s);
  for (int jumps = 0; jumps != 40; ++jumps) {
    const node_id n = random.below(program.graph().num_nodes());
    const std::vector<bit_row> expected = facts_between(p, s, n);
    CHECK(cursor.statements(n).size() + 1 == expected.size());
    if (expected.size() > 1) {
      const std::size_t i = random.below(expected.size() - 1);
      CHECK(cursor.before(n, i) == expected[i]);
      CHECK(cursor.after(n, i) == expected[i + 1]);
      const std::size_t other = random.below(expected.size() - 1);
      CHECK(cursor.after(n, other) == expected[other + 1]);
    }
  }
  std::size_t seen = 0;
  std::size_t of_reached = 0;
  std::vector<bit_row> expected;
  node_id current = no_node;
  std::size_t at = 0;
  for (node_id n = 0; n != program.graph().num_nodes(); ++n) {
    of_reached += s.is_reached(n) ? program.statements(n).size() : 0;
  }
  transfers = 0;
  const auto look = [&](node_id n, statement_id statement, const bit_row& before, const bit_row& after) {
    const std::size_t so_far = transfers;
    if (n != current) {
      CHECK((current == no_node || current < n));
      current = n;
      expected = facts_between(p, s, n);
      at = 0;
    }
    const std::size_t count = program.statements(n).size();
    const std::size_t index = P::direction == flow_direction::forward ? at : count - 1 - at;
    CHECK(program.statements(n)[index] == statement);
    CHECK(before == expected[index]);
    CHECK(after == expected[index + 1]);
    ++at;
    ++seen;
    transfers = so_far;
  };
  midend::visit_facts(p, s, look);
  CHECK(seen == of_reached);
  CHECK(transfers == of_reached);
}

} // namespace

TEST_CASE("cursor: facts between statements, and all of them by visit_facts, are those of a replay") {
  random_source random(1);
  for (int i = 0; i != 60; ++i) {
    const test_graph t = small_digraph(random, 8, 14);
    const statement_program program = random_program(random, t, 1 + random.below(4), 5);
    check_cursor<recent_statements<flow_direction::forward>>(random, program);
    check_cursor<recent_statements<flow_direction::backward>>(random, program);
  }
}

TEST_CASE("cursor: a node does what its statements do, in the direction of the problem") {
  random_source random(2);
  const auto check = [&]<class P, class Q>(const statement_program& program, const P& by_statement, const Q& by_node) {
    const auto s = midend::solve(program.graph(), by_statement);
    const auto n = midend::solve(program.graph(), by_node);
    for (node_id i = 0; i != program.graph().num_nodes(); ++i) {
      CHECK((s.in(i) == n.in(i) && s.out(i) == n.out(i)));
    }
  };
  for (int i = 0; i != 60; ++i) {
    const test_graph t = small_digraph(random, 8, 14);
    const statement_program program = random_program(random, t, 1 + random.below(4), 5);
    std::size_t count = 0;
    const recent_statements<flow_direction::forward> forward{program, &count};
    const recent_statements<flow_direction::backward> backward{program, &count};
    check(program, forward, composed<flow_direction::forward>{forward});
    check(program, backward, composed<flow_direction::backward>{backward});
    check(program, through_forward_only{backward}, composed<flow_direction::backward>{backward});
  }
}

TEST_CASE("cursor: to walk along a node transfers each statement once") {
  statement_program program(make_csr({"one", 1, 0, {}}), 1);
  for (int i = 0; i != 1000; ++i) {
    program.add(0, {.definitions = {}, .uses = {}});
  }
  std::size_t transfers = 0;
  const auto walk = [&]<class P>(const P& p) {
    constexpr bool forward = P::direction == flow_direction::forward;
    const auto s = midend::solve(program.graph(), p);
    midend::fact_cursor<P> cursor(p, s);
    transfers = 0;
    std::size_t held = 0;
    for (std::size_t i = 0; i != 1000; ++i) {
      const std::size_t index = forward ? i : 999 - i;
      held += (forward ? cursor.before(0, index) : cursor.after(0, index)).count();
      held += (forward ? cursor.after(0, index) : cursor.before(0, index)).count();
    }
    CHECK(held == 1'000'000);
    return transfers;
  };
  CHECK(walk(recent_statements<flow_direction::forward>{program, &transfers}) == 1000);
  CHECK(walk(recent_statements<flow_direction::backward>{program, &transfers}) == 1000);
}
