/// An editor that takes a small program into SSA form, and what the result must be by definition.
#pragma once

#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <midend/ir/editing.hpp>
#include <midend/ssa/inserted_phis.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace midend_tests {

using midend::edge_id;
using midend::no_value;
using midend::value_id;

enum class renamed_kind : std::uint8_t { definition, phi, undefined, erased };

/// What a value of a renamed program is.
struct renamed_value {
  renamed_kind kind;
  variable_id variable;
  node_id node = no_node;
  statement_id statement = midend::no_statement;
  std::vector<value_id> inputs = {}; ///< of a phi, in the order of `in_edges(node)`
};

/// Models `on_the_fly_editor`. Statements keep their numbers; what they read and write is known by variable.
class renamed_program {
public:
  using place = std::pair<statement_id, variable_id>;

  explicit renamed_program(const statement_program& program) : program_(&program) {
    for (statement_id s = 0; s != program.num_statements(); ++s) {
      const auto copy = [](std::span<const variable_id> list) {
        return std::vector<variable_id>(list.begin(), list.end());
      };
      left_.push_back({.definitions = copy(program.definitions(s)),
                       .uses = copy(program.uses(s)),
                       .may_definitions = copy(program.may_definitions(s))});
    }
  }

  const statement_program& original() const { return *program_; }

  const midend::csr_graph& graph() const { return program_->graph(); }

  std::size_t num_statements() const { return program_->num_statements(); }

  std::span<const statement_id> statements(node_id n) const { return program_->statements(n); }

  std::size_t num_variables() const { return program_->num_variables(); }

  std::span<const variable_id> definitions(statement_id s) const { return left_[s].definitions; }

  std::span<const variable_id> uses(statement_id s) const { return left_[s].uses; }

  std::span<const variable_id> may_definitions(statement_id s) const { return left_[s].may_definitions; }

  value_id insert_variable_phi(node_id n, variable_id x) {
    values_.push_back({.kind = renamed_kind::phi, .variable = x, .node = n});
    values_.back().inputs.assign(graph().in_edges(n).size(), no_value);
    return last();
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    std::size_t i = 0;
    while (graph().in_edges(values_[phi].node)[i] != e) {
      ++i;
    }
    values_[phi].inputs[i] = v;
  }

  void rename_use(statement_id s, variable_id x, value_id v) {
    complain_unless(reads_.insert({{s, x}, v}).second, "a use was renamed twice");
    std::erase(left_[s].uses, x);
  }

  value_id rename_definition(statement_id s, variable_id x) {
    std::erase(left_[s].definitions, x);
    std::erase(left_[s].may_definitions, x);
    values_.push_back({.kind = renamed_kind::definition, .variable = x, .node = no_node, .statement = s});
    complain_unless(writes_.insert({{s, x}, last()}).second, "a definition was renamed twice");
    return last();
  }

  value_id undefined_value(variable_id x) {
    values_.push_back({.kind = renamed_kind::undefined, .variable = x});
    return last();
  }

  void replace_uses(value_id v, value_id by) {
    for (renamed_value& value : values_) {
      std::replace(value.inputs.begin(), value.inputs.end(), v, by);
    }
    for (auto& [where, value] : reads_) {
      value = value == v ? by : value;
    }
  }

  void erase_value(value_id v) { values_[v].kind = renamed_kind::erased; }

  const renamed_value& operator[](value_id v) const { return values_[v]; }

  std::size_t num_values() const { return values_.size(); }

  const std::map<place, value_id>& reads() const { return reads_; }

  const std::map<place, value_id>& writes() const { return writes_; }

  const std::string& complaint() const { return complaint_; }

private:
  value_id last() const { return static_cast<value_id>(values_.size() - 1); }

  void complain_unless(bool right, const char* what) {
    if (!right) {
      complaint_ = what;
    }
  }

  const statement_program* program_;
  std::vector<statement> left_; ///< what was not renamed
  std::vector<renamed_value> values_;
  std::map<place, value_id> reads_;
  std::map<place, value_id> writes_;
  std::string complaint_;
};

static_assert(midend::on_the_fly_editor<renamed_program>);

/// Checks by definition that a renamed program is in SSA form and means what it meant: each value that is read is
/// defined on every path to the read, and stands for the definitions that reach it. Phis are those of `result`. Gives
/// the first thing that is wrong, or nothing.
std::string wrong_about(const renamed_program& program, const midend::inserted_phis& result);

} // namespace midend_tests
