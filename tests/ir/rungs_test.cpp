// One view models every rung of the IR contract at once: no two rungs ask for members of the same name and parameters.
#include "midend/ir/expressions.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"

#include "midend/dataflow/available_expressions.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ssa/live_values.hpp"
#include "midend/ssa/sccp.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace {

using namespace midend;

using ids = std::span<const std::uint32_t>;

/// One node: statement 0 writes `y = x + x` from variable 0 to variable 1. Value 0 is the literal 21, which `x` holds,
/// and value 1 the sum.
struct every_rung {
  using constant_type = std::uint64_t;

  const csr_graph& graph() const { return *g; }

  std::size_t num_statements() const { return 1; }

  ids statements(node_id) const { return zero; }

  std::size_t num_variables() const { return 2; }

  ids definitions(statement_id) const { return one; }

  ids uses(statement_id) const { return zero; }

  std::size_t num_expressions() const { return 1; }

  expression_id expression(statement_id) const { return 0; }

  ids expression_operands(expression_id) const { return zero; }

  std::size_t num_values() const { return 2; }

  ids values(node_id) const { return one; }

  ids operands(value_id v) const { return v == 1 ? ids(zero_twice) : ids(); }

  bool is_phi(value_id) const { return false; }

  value_id phi_input(value_id, edge_id) const { return no_value; }

  value_id condition(node_id) const { return no_value; }

  operation_info operation(value_id v) const { return {v == 1 ? operation::add : operation::other, 32, 32, {}}; }

  std::optional<std::uint64_t> constant(value_id v) const {
    return v == 0 ? std::optional<std::uint64_t>(21) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t> args) const { return args[0] + args[1]; }

  std::optional<std::uint64_t> edge_case(edge_id) const { return std::nullopt; }

  const csr_graph* g;
  std::array<std::uint32_t, 1> zero{0};
  std::array<std::uint32_t, 1> one{1};
  std::array<std::uint32_t, 2> zero_twice{0, 0};
};

static_assert(statement_ir<every_rung> && expression_ir<every_rung> && ssa_ir<every_rung> && semantic_ir<every_rung>);

} // namespace

TEST_CASE("one view is analysed as statements, as expressions and as values") {
  const csr_graph g = csr_graph::from_edges(1, 0, {}).value();
  const every_rung ir{&g};
  CHECK(available_expressions(ir).out(0).test(0));
  CHECK(live_values(ir).live_in(0).empty());
  CHECK(sccp(ir).constant(1) == 42);
}
