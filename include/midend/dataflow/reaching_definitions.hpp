/// Reaching definitions: the writes that a value may come from.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/definition_table.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct reaching_problem {
  static constexpr flow_direction direction = flow_direction::forward;
  static constexpr flow_confluence confluence = flow_confluence::may;

  const definition_table& definitions;

  constexpr std::size_t num_facts() const { return definitions.num_definitions(); }

  template <class Effects> constexpr void effects(node_id n, Effects& e) const {
    for (const definition_id d : definitions.of_node(n)) {
      if (definitions[d].is_certain) {
        const auto others = definitions.of_variable(definitions[d].variable);
        e.kill_range(*others.begin(), *others.end());
      }
      e.gen(d);
    }
  }
};

} // namespace detail

/// The definitions that reach the start and the end of each node: those from which a path leads there that does not
/// overwrite the variable. The facts of the result are the definitions of `definitions`, the table of `ir`.
///
/// Kennedy, "A survey of data flow analysis techniques", in Muchnick, Jones (eds.), "Program flow analysis", 1981, for
/// the equations; see `gen_kill` for how they are solved. A may-definition reaches later statements and stops no other
/// definition.
///
/// The result does not show that a variable has no definition on some path; if that matters, give it a definition at
/// the entry. Nothing reaches unreachable nodes, and their definitions reach nothing. Duplicate edges change nothing. A
/// row has a bit for each definition, so the result is quadratic in the size of a program.
template <statement_ir_argument IR, fact_rows Rows>
constexpr void reaching_definitions(const IR& ir, const definition_table& definitions,
                                    gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  MIDEND_ASSERT(definitions.num_nodes() == detail::node_count(ir.graph()) &&
                    definitions.epoch() == graph_epoch(ir.graph()),
                "the definitions of this program", definitions.num_nodes(), definitions.epoch());
  gen_kill(ir.graph(), detail::reaching_problem{definitions}, workspace, out);
}

/// The result as a value.
template <fact_rows Rows = bit_matrix, statement_ir_argument IR>
constexpr flow_facts<Rows> reaching_definitions(const IR& ir, const definition_table& definitions) {
  flow_facts<Rows> out;
  gen_kill_workspace<Rows> workspace;
  reaching_definitions(ir, definitions, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
