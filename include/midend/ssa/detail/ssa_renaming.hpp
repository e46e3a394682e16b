/// The second half of SSA construction: what each read of a variable sees.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/statement_variables.hpp"
#include "midend/ssa/ssa_construction.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of a renaming.
struct renaming_memory {
  struct former_value {
    variable_id variable;
    value_id value;
  };

  flat_array<value_id> current;           ///< by variable: what it holds, `no_value` if it was not written
  flat_array<former_value> log;           ///< what variables held before, to be taken back
  flat_array<std::size_t> log_end;        ///< by depth in the dominator tree, 0 for nothing taken back
  flat_array<std::uint32_t> phi_end;      ///< by node, into `phis`
  flat_array<std::uint32_t> phis;         ///< numbers of phis, node by node
  flat_array<unsigned char> is_undefined; ///< by variable
};

/// Walks the dominator tree: what a variable holds at the start of a node is its phi there, else what it holds at the
/// end of the immediate dominator. Unreachable nodes come last, each by itself.
template <class E> class ssa_renaming {
public:
  constexpr ssa_renaming(E& editor, const dominator_tree& tree, statement_variables& statement, renaming_memory& memory)
      : editor_(editor), tree_(tree), statement_(statement), memory_(memory) {}

  constexpr void run(std::span<const variable_phi> phis) {
    phis_ = phis;
    group_phis_by_node();
    const auto num_variables = static_cast<std::size_t>(editor_.num_variables());
    memory_.current.assign(num_variables, no_value);
    memory_.is_undefined.assign(num_variables, 0);
    memory_.log.clear();
    memory_.log_end.assign(1, 0);
    for (const node_id n : tree_.preorder()) {
      const std::size_t depth = tree_.depth(n);
      take_back(memory_.log_end[depth]);
      rename_node(n);
      memory_.log_end.shrink(depth + 1);
      memory_.log_end.push_back(memory_.log.size());
    }
    for (node_id n = 0; n != tree_.num_nodes(); ++n) {
      if (!tree_.is_reachable(n)) {
        take_back(0);
        rename_node(n);
      }
    }
  }

  constexpr void list_undefined(flat_array<variable_id>& out) const {
    out.clear();
    for (std::size_t x = 0; x != memory_.is_undefined.size(); ++x) {
      if (memory_.is_undefined[x] != 0) {
        out.push_back(static_cast<variable_id>(x));
      }
    }
  }

private:
  constexpr void group_phis_by_node() {
    memory_.phi_end.assign(tree_.num_nodes() + 1, 0);
    for (const variable_phi& phi : phis_) {
      ++memory_.phi_end[phi.node];
    }
    counts_to_ends(memory_.phi_end);
    memory_.phis.resize_for_overwrite(phis_.size());
    for (std::size_t i = phis_.size(); i-- != 0;) {
      memory_.phis[--memory_.phi_end[phis_[i].node]] = static_cast<std::uint32_t>(i);
    }
  }

  template <class Visit> constexpr void for_each_phi(node_id n, Visit visit) const {
    const std::uint32_t last = memory_.phi_end[n + std::size_t{1}];
    for (std::uint32_t i = memory_.phi_end[n]; i != last; ++i) {
      visit(phis_[memory_.phis[i]]);
    }
  }

  constexpr void rename_node(node_id n) {
    for_each_phi(n, [&](const variable_phi& phi) { write(phi.variable, phi.value); });
    for_each_id(editor_.statements(n), [&](statement_id s) { rename_statement(s); });
    for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(static_cast<node_id>(editor_.graph().edge_target(e)),
                   [&](const variable_phi& phi) { editor_.set_phi_input(phi.value, e, value_of(phi.variable)); });
    });
  }

  constexpr void rename_statement(statement_id s) {
    statement_.assign(editor_, s);
    for (const variable_id x : statement_.read()) {
      editor_.rename_use(s, x, value_of(x));
    }
    for (const variable_id x : statement_.written()) {
      write(x, editor_.rename_definition(s, x));
    }
  }

  constexpr value_id value_of(variable_id x) {
    if (memory_.current[x] != no_value) {
      return memory_.current[x];
    }
    memory_.is_undefined[x] = 1;
    return editor_.undefined_value(x);
  }

  constexpr void write(variable_id x, value_id v) {
    memory_.log.push_back({x, memory_.current[x]});
    memory_.current[x] = v;
  }

  /// To what variables held when the log was as long.
  constexpr void take_back(std::size_t log_size) {
    while (memory_.log.size() != log_size) {
      memory_.current[memory_.log.back().variable] = memory_.log.back().value;
      memory_.log.pop_back();
    }
  }

  E& editor_;
  const dominator_tree& tree_;
  statement_variables& statement_;
  renaming_memory& memory_;
  std::span<const variable_phi> phis_;
};

} // namespace detail

MIDEND_END_NAMESPACE
