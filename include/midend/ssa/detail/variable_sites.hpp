/// Where variables are defined, and where they are live.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/iterated_dominance_frontier.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/statement_variables.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// For each variable some nodes, in one array.
class nodes_by_variable {
public:
  constexpr void assign(std::size_t num_variables, std::span<const definition_site> sites) {
    ends_.assign(num_variables + 1, 0);
    for (const definition_site& site : sites) {
      ++ends_[site.variable];
    }
    counts_to_ends(ends_);
    nodes_.resize_for_overwrite(sites.size());
    for (const definition_site& site : sites) {
      nodes_[--ends_[site.variable]] = site.node;
    }
  }

  constexpr std::span<const node_id> operator[](variable_id x) const {
    return {nodes_.data() + ends_[x], nodes_.data() + ends_[x + std::size_t{1}]};
  }

private:
  flat_array<std::uint32_t> ends_; ///< where the nodes of a variable begin, once they are filled in
  flat_array<node_id> nodes_;
};

/// The nodes that define a variable, and those that read it before they write it: found in one pass over the program.
class variable_sites {
public:
  template <class IR> constexpr void assign(const IR& ir, statement_variables& statement) {
    const auto num_variables = static_cast<std::size_t>(ir.num_variables());
    const node_id num_nodes = node_count(ir.graph());
    statement.start(num_variables);
    defined_in_.assign(num_variables, no_node);
    exposed_in_.assign(num_variables, no_node);
    definitions_.clear();
    exposed_.clear();
    for (node_id n = 0; n != num_nodes; ++n) {
      for_each_id(ir.statements(n), [&](statement_id s) {
        statement.assign(ir, s);
        for (const variable_id x : statement.read()) {
          if (defined_in_[x] != n) {
            add(exposed_, exposed_in_, x, n);
          }
        }
        for (const variable_id x : statement.written()) {
          add(definitions_, defined_in_, x, n);
        }
      });
    }
    defining_.assign(num_variables, definitions_);
    exposing_.assign(num_variables, exposed_);
  }

  constexpr std::size_t num_variables() const { return defined_in_.size(); }

  /// Each node once for a variable.
  constexpr std::span<const definition_site> definitions() const { return definitions_; }

  constexpr std::span<const node_id> defining(variable_id x) const { return defining_[x]; }

  /// The nodes where a read of `x` may see what came in.
  constexpr std::span<const node_id> exposing(variable_id x) const { return exposing_[x]; }

private:
  static constexpr void add(flat_array<definition_site>& sites, flat_array<node_id>& listed_in, variable_id x,
                            node_id n) {
    if (listed_in[x] != n) {
      listed_in[x] = n;
      sites.push_back({x, n});
    }
  }

  flat_array<node_id> defined_in_; ///< by variable: the last node that is in its list
  flat_array<node_id> exposed_in_;
  flat_array<definition_site> definitions_;
  flat_array<definition_site> exposed_;
  nodes_by_variable defining_;
  nodes_by_variable exposing_;
};

/// Where one variable after the other is live: found by a walk from its reads against the flow up to its definitions.
/// For most variables nobody asks, as they have no frontier.
class live_nodes {
public:
  constexpr void start(std::size_t num_nodes) {
    variable_ = no_variable;
    defined_.assign(num_nodes, no_variable);
    live_in_.assign(num_nodes, no_variable);
  }

  /// Whether `x` is live at the start of `n`. The first question about another variable takes the walk.
  template <class G> constexpr bool is_live_in(const G& g, const variable_sites& sites, variable_id x, node_id n) {
    if (x != variable_) {
      variable_ = x;
      walk(g, sites);
    }
    return live_in_[n] == x;
  }

private:
  template <class G> constexpr void walk(const G& g, const variable_sites& sites) {
    for (const node_id n : sites.defining(variable_)) {
      defined_[n] = variable_;
    }
    work_stack<node_id> todo(memory_);
    for (const node_id n : sites.exposing(variable_)) {
      live_in_[n] = variable_;
      todo.push(n);
    }
    while (!todo.empty()) {
      for_each_id(g.predecessors(todo.pop()), [&](node_id p) {
        if (live_in_[p] != variable_ && defined_[p] != variable_) {
          live_in_[p] = variable_;
          todo.push(p);
        }
      });
    }
  }

  variable_id variable_ = no_variable;
  flat_array<variable_id> defined_; ///< by node: the last variable that was asked for and is defined there
  flat_array<variable_id> live_in_;
  flat_array<node_id> memory_;
};

} // namespace detail

MIDEND_END_NAMESPACE
