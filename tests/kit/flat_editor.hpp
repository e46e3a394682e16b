/// An editor of large programs with little to say: each statement reads one variable at most and writes one.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/graph/csr_graph.hpp>
#include <midend/ir/editing.hpp>
#include <midend/support/flat_array.hpp>
#include <midend/support/range.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace midend_tests {

/// Models `on_the_fly_editor`. Counts what it is asked to do.
class flat_editor {
public:
  struct work {
    std::size_t phis = 0;
    std::size_t inputs = 0;
    std::size_t replacements = 0;
    std::size_t renamed = 0;
  };

  constexpr flat_editor(midend::csr_graph g, std::size_t num_variables)
      : graph_(std::move(g)), num_variables_(num_variables), first_(1, 0) {
    position_.assign(graph_.num_edges(), 0);
    for (node_id n = 0; n != graph_.num_nodes(); ++n) {
      std::uint32_t position = 0;
      for (const edge_id e : graph_.in_edges(n)) {
        position_[e] = position++;
      }
    }
  }

  /// A statement of node `n`. Nodes come in ascending order.
  constexpr void add(node_id n, midend::variable_id used, midend::variable_id defined) {
    close_up_to(n);
    statements_.push_back({used, defined});
  }

  /// Takes all renaming back.
  constexpr void restore() {
    close_up_to(static_cast<node_id>(graph_.num_nodes()));
    now_.assign(std::span<const statement>(statements_));
    read_.assign(statements_.size(), midend::no_value);
    num_values_ = 0;
    phi_.clear();
    inputs_.clear();
    replaced_by_.clear();
    done = {};
  }

  constexpr const midend::csr_graph& graph() const { return graph_; }

  constexpr std::size_t num_statements() const { return statements_.size(); }

  constexpr midend::id_range<> statements(node_id n) const { return {first_[n], first_[n + std::size_t{1}]}; }

  constexpr std::size_t num_variables() const { return num_variables_; }

  constexpr std::span<const midend::variable_id> uses(midend::statement_id s) const { return list(now_[s].used); }

  constexpr std::span<const midend::variable_id> definitions(midend::statement_id s) const {
    return list(now_[s].defined);
  }

  constexpr midend::value_id insert_variable_phi(node_id n, midend::variable_id) {
    ++done.phis;
    phi_.push_back(static_cast<std::uint32_t>(inputs_.size()));
    for (std::size_t left = graph_.in_edges(n).size(); left != 0; --left) {
      inputs_.push_back(midend::no_value);
    }
    return add_value();
  }

  constexpr void set_phi_input(midend::value_id phi, edge_id e, midend::value_id v) {
    ++done.inputs;
    inputs_[phi_[phi] + position_[e]] = v;
  }

  constexpr void rename_use(midend::statement_id s, midend::variable_id, midend::value_id v) {
    ++done.renamed;
    now_[s].used = midend::no_variable;
    read_[s] = v;
  }

  constexpr midend::value_id rename_definition(midend::statement_id s, midend::variable_id) {
    ++done.renamed;
    now_[s].defined = midend::no_variable;
    phi_.push_back(no_phi);
    return add_value();
  }

  constexpr midend::value_id undefined_value(midend::variable_id) {
    phi_.push_back(no_phi);
    return add_value();
  }

  constexpr void replace_uses(midend::value_id v, midend::value_id by) {
    ++done.replacements;
    replaced_by_[v] = by;
  }

  constexpr void erase_value(midend::value_id) {}

  /// What a statement reads.
  constexpr midend::value_id read(midend::statement_id s) { return present(read_[s]); }

  constexpr midend::value_id phi_input(midend::value_id phi, std::size_t i) { return present(inputs_[phi_[phi] + i]); }

  constexpr bool is_phi(midend::value_id v) const { return phi_[v] != no_phi; }

  work done;

private:
  static constexpr std::uint32_t no_phi = 0xffff'ffff;

  struct statement {
    midend::variable_id used;
    midend::variable_id defined;
  };

  constexpr void close_up_to(node_id n) {
    while (first_.size() <= n) {
      first_.push_back(static_cast<std::uint32_t>(statements_.size()));
    }
  }

  static constexpr std::span<const midend::variable_id> list(const midend::variable_id& x) {
    return {&x, x == midend::no_variable ? std::size_t{0} : std::size_t{1}};
  }

  constexpr midend::value_id add_value() {
    replaced_by_.push_back(midend::no_value);
    return num_values_++;
  }

  constexpr midend::value_id present(midend::value_id v) {
    while (replaced_by_[v] != midend::no_value) {
      const midend::value_id next = replaced_by_[v];
      if (replaced_by_[next] != midend::no_value) {
        replaced_by_[v] = replaced_by_[next]; // half the way for those who come later
      }
      v = next;
    }
    return v;
  }

  midend::csr_graph graph_;
  std::size_t num_variables_;
  midend::flat_array<std::uint32_t> position_; ///< of each edge among those into its target
  midend::flat_array<std::uint32_t> first_;    ///< statement of each node
  midend::flat_array<statement> statements_;
  midend::flat_array<statement> now_;
  midend::flat_array<midend::value_id> read_;
  midend::value_id num_values_ = 0;
  midend::flat_array<std::uint32_t> phi_; ///< by value: its first input
  midend::flat_array<midend::value_id> inputs_;
  midend::flat_array<midend::value_id> replaced_by_;
};

static_assert(midend::on_the_fly_editor<flat_editor>);

} // namespace midend_tests
