/// A small IR to test with: statements in the nodes of a flat graph, with variables and expressions.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/graph/csr_graph.hpp>
#include <midend/ir/expressions.hpp>
#include <midend/ir/statements.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace midend_tests {

using midend::expression_id;
using midend::no_expression;
using midend::statement_id;
using midend::variable_id;

/// What one statement does.
struct statement {
  std::vector<variable_id> definitions = {};
  std::vector<variable_id> uses = {};
  std::vector<variable_id> may_definitions = {};
  expression_id expression = no_expression;
};

/// A program over `graph()`, which is made statement by statement. Statements have numbers in the order in which they
/// were added. Models `expression_ir`.
class statement_program {
public:
  constexpr statement_program() = default;

  constexpr statement_program(midend::csr_graph g, std::size_t num_variables)
      : graph_(std::move(g)), num_variables_(num_variables) {
    blocks_.assign(graph_.num_nodes(), {});
  }

  /// Adds a statement at the end of node `n`.
  constexpr statement_id add(node_id n, statement s) {
    const auto id = static_cast<statement_id>(statements_.size());
    statements_.push_back(std::move(s));
    blocks_[n].push_back(id);
    return id;
  }

  /// The number of the expression `operation` of `operands`: the same one for the same call.
  constexpr expression_id expression_of(char operation, std::vector<variable_id> operands) {
    for (expression_id e = 0; e != expressions_.size(); ++e) {
      if (expressions_[e].operation == operation && expressions_[e].operands == operands) {
        return e;
      }
    }
    expressions_.push_back({operation, std::move(operands)});
    return static_cast<expression_id>(expressions_.size() - 1);
  }

  /// Adds `target = left operation right`.
  constexpr statement_id assign(node_id n, variable_id target, char operation, variable_id left, variable_id right) {
    const expression_id e = expression_of(operation, {left, right});
    return add(n, {.definitions = {target}, .uses = {left, right}, .may_definitions = {}, .expression = e});
  }

  constexpr const midend::csr_graph& graph() const { return graph_; }

  constexpr std::size_t num_statements() const { return statements_.size(); }

  constexpr std::span<const statement_id> statements(node_id n) const { return blocks_[n]; }

  constexpr std::size_t num_variables() const { return num_variables_; }

  constexpr std::span<const variable_id> definitions(statement_id s) const { return statements_[s].definitions; }

  constexpr std::span<const variable_id> uses(statement_id s) const { return statements_[s].uses; }

  constexpr std::span<const variable_id> may_definitions(statement_id s) const {
    return statements_[s].may_definitions;
  }

  constexpr std::size_t num_expressions() const { return expressions_.size(); }

  constexpr expression_id expression(statement_id s) const { return statements_[s].expression; }

  constexpr std::span<const variable_id> expression_operands(expression_id e) const { return expressions_[e].operands; }

  constexpr char operation(expression_id e) const { return expressions_[e].operation; }

private:
  struct expression_data {
    char operation;
    std::vector<variable_id> operands;
  };

  midend::csr_graph graph_;
  std::size_t num_variables_ = 0;
  std::vector<statement> statements_;
  std::vector<std::vector<statement_id>> blocks_;
  std::vector<expression_data> expressions_;
};

static_assert(midend::expression_ir<statement_program> && midend::has_may_definitions<statement_program>);

/// A program over `g` with `num_variables` variables (at least one) and up to `most` statements a node: assignments of
/// constants, copies, operations (few, so that they meet again), uses alone, and possible definitions.
statement_program random_program(random_source& random, const test_graph& g, std::size_t num_variables,
                                 std::size_t most);

/// Graph and statements, to reproduce a failure.
std::string to_string(const statement_program& program);

} // namespace midend_tests
