// The statements and expressions rungs: who models them, and who does not.
#include "kit/statement_ir.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/live_variables.hpp>
#include <midend/ir/expressions.hpp>
#include <midend/ir/statements.hpp>
#include <midend/support/range.hpp>

#include <array>
#include <list>
#include <vector>

using namespace midend_tests;

namespace {

/// A user's view whose lists are temporaries, with numbers of another type.
struct temporary_ir {
  midend::csr_graph g;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_statements() const { return 2; }

  midend::id_range<> statements(node_id n) const { return {n, n + 1}; }

  unsigned num_variables() const { return 2; }

  std::vector<unsigned short> definitions(statement_id s) const {
    return s == 0 ? std::vector<unsigned short>{0} : std::vector<unsigned short>();
  }

  std::list<std::uint32_t> uses(statement_id s) const {
    return s == 0 ? std::list<std::uint32_t>{1} : std::list<std::uint32_t>{0, 0};
  }
};

static_assert(midend::statement_ir<temporary_ir>);
static_assert(!midend::has_may_definitions<temporary_ir>);
static_assert(!midend::expression_ir<temporary_ir>);

struct expressions_too : temporary_ir {
  std::size_t num_expressions() const { return 0; }

  expression_id expression(statement_id) const { return no_expression; }

  std::array<variable_id, 0> expression_operands(expression_id) const { return {}; }
};

static_assert(midend::expression_ir<expressions_too>);

struct no_graph {
  std::size_t num_statements() const { return 0; }
};

static_assert(!midend::has_graph<no_graph> && midend::has_num_statements<no_graph>);
static_assert(!midend::statement_ir<no_graph>);

struct graph_is_a_number : temporary_ir {
  int graph() const { return 0; }
};

static_assert(midend::has_graph<graph_is_a_number> && !midend::graph_is_a_flow_graph<graph_is_a_number>);

struct uses_are_a_number : temporary_ir {
  int uses(statement_id) const { return 0; }
};

static_assert(midend::has_uses<uses_are_a_number> && !midend::uses_are_a_range_of_ids<uses_are_a_number>);
static_assert(!midend::statement_ir<uses_are_a_number>);

struct may_definitions_of_pointers : temporary_ir {
  std::span<int* const> may_definitions(statement_id) const { return {}; }
};

static_assert(!midend::statement_ir<may_definitions_of_pointers>);

struct expression_is_a_text : expressions_too {
  const char* expression(statement_id) const { return ""; }
};

static_assert(!midend::has_expression<expression_is_a_text>);

} // namespace

TEST_CASE("statements: lists that are temporaries") {
  const temporary_ir ir{make_csr({"", 2, 0, {{0, 1}}})};
  const auto live = midend::live_variables(ir);
  CHECK((!live.in(0).test(0) && live.in(0).test(1)));
  CHECK((live.out(0).test(0) && !live.out(0).test(1)));
  CHECK((live.in(1).test(0) && !live.in(1).test(1)));
}

TEST_CASE("statements: what a node is said to do replaces its statements") {
  struct summary {
    std::size_t num_variables() const { return 2; }

    std::span<const variable_id> used_in(node_id n) const { return std::span(used).subspan(n == 0 ? 1 : 0, 1); }

    std::span<const variable_id> defined_in(node_id n) const { return std::span(used).subspan(0, n == 0 ? 1 : 0); }

    std::array<variable_id, 2> used{0, 1};
  };

  static_assert(midend::variables_by_node<summary>);
  const temporary_ir ir{make_csr({"", 2, 0, {{0, 1}}})};
  const auto live = midend::live_variables(ir);
  const auto same = midend::live_variables(ir.graph(), summary());
  for (node_id n = 0; n != 2; ++n) {
    CHECK(live.in(n) == same.in(n));
    CHECK(live.out(n) == same.out(n));
  }
}

TEST_CASE("statements: random programs are the same each time, and well formed") {
  random_source one(7);
  random_source two(7);
  for (const test_graph& g : ugly_graphs()) {
    const statement_program p = random_program(one, g, 3, 4);
    CHECK(to_string(p) == to_string(random_program(two, g, 3, 4)));
    std::vector<int> found(p.num_statements());
    for (node_id n = 0; n != g.num_nodes; ++n) {
      for (const statement_id s : p.statements(n)) {
        ++found[s];
        if (p.expression(s) != no_expression) {
          CHECK(p.expression(s) < p.num_expressions());
          for (const variable_id v : p.expression_operands(p.expression(s))) {
            CHECK(v < p.num_variables());
          }
        }
      }
    }
    CHECK(found == std::vector<int>(p.num_statements(), 1));
  }
}
