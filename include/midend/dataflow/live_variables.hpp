/// Live variables: the variables whose value may still be read.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/gen_kill_effects.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The effect of nodes on variables, if that is already known: `num_variables()`; `used_in(n)`, the variables that `n`
/// reads before it writes them ("upward-exposed"); `defined_in(n)`, those that it certainly overwrites, before or after
/// it reads them. Both are ranges of variables, in any order.
template <class S>
concept variables_by_node = has_num_variables<S> && requires(const S& s, node_id n) {
  { s.used_in(n) } -> range_of_ids;
  { s.defined_in(n) } -> range_of_ids;
};

namespace detail {

struct liveness {
  static constexpr flow_direction direction = flow_direction::backward;
  static constexpr flow_confluence confluence = flow_confluence::may;
};

template <class S> struct liveness_by_node : liveness {
  const S& variables;

  constexpr explicit liveness_by_node(const S& s) : variables(s) {}

  constexpr std::size_t num_facts() const { return static_cast<std::size_t>(variables.num_variables()); }

  template <class Effects> constexpr void effects(node_id n, Effects& e) const {
    gen_each(e, variables.used_in(n));
    kill_each(e, variables.defined_in(n));
  }
};

template <class IR> struct liveness_by_statement : liveness {
  const IR& ir;

  constexpr explicit liveness_by_statement(const IR& i) : ir(i) {}

  constexpr std::size_t num_facts() const { return static_cast<std::size_t>(ir.num_variables()); }

  template <class Effects> constexpr void effects(node_id n, Effects& e) const {
    for_each_id(ir.statements(n), [&](statement_id s) {
      require_variables(ir, s);
      gen_each(e, ir.uses(s));
      kill_each(e, ir.definitions(s));
    });
  }
};

/// Adds variables that are live at exits.
template <class Problem> struct with_live_at_exit : Problem {
  span<const variable_id> live;

  constexpr with_live_at_exit(const Problem& problem, span<const variable_id> v) : Problem(problem), live(v) {}

  template <class Effects> constexpr void boundary(node_id, Effects& e) const { e.gen_all(live); }
};

} // namespace detail

/// The variables that are live at the start and at the end of each node: those that are used on some path from there
/// before they are overwritten. The facts of the result are variables.
///
/// Kennedy, "A survey of data flow analysis techniques", in Muchnick, Jones (eds.), "Program flow analysis", 1981, for
/// the equations; see `gen_kill` for how they are solved. May-definitions neither make a variable live nor end its
/// liveness.
///
/// All nodes are analysed, unreachable ones too. In an endless loop, variables that the loop uses are live. At exits
/// only `live_at_exit` is live, if given: results, globals. Duplicate edges change nothing. Returns one row of
/// `num_variables()` bits for each end of each node. Time as for `gen_kill`.
template <detail::meant_as_ir IR, fact_rows Rows>
  requires statement_ir_argument<IR>
constexpr void live_variables(const IR& ir, gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  gen_kill(ir.graph(), detail::liveness_by_statement<IR>(ir), workspace, out);
}

template <detail::meant_as_ir IR, fact_rows Rows>
  requires statement_ir_argument<IR>
constexpr void live_variables(const IR& ir, span<const variable_id> live_at_exit, gen_kill_workspace<Rows>& workspace,
                              flow_facts<Rows>& out) {
  if (live_at_exit.empty()) {
    live_variables(ir, workspace, out);
  } else {
    gen_kill(ir.graph(), detail::with_live_at_exit(detail::liveness_by_statement<IR>(ir), live_at_exit), workspace,
             out);
  }
}

/// Takes a graph whose uses and definitions are known by node.
template <detail::meant_as_graph G, variables_by_node S, fact_rows Rows>
  requires flow_graph_argument<G>
constexpr void live_variables(const G& g, const S& variables, gen_kill_workspace<Rows>& workspace,
                              flow_facts<Rows>& out) {
  gen_kill(g, detail::liveness_by_node<S>(variables), workspace, out);
}

template <detail::meant_as_graph G, variables_by_node S, fact_rows Rows>
  requires flow_graph_argument<G>
constexpr void live_variables(const G& g, const S& variables, span<const variable_id> live_at_exit,
                              gen_kill_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  if (live_at_exit.empty()) {
    live_variables(g, variables, workspace, out);
  } else {
    gen_kill(g, detail::with_live_at_exit(detail::liveness_by_node<S>(variables), live_at_exit), workspace, out);
  }
}

/// The result as a value; `live_variables<std::vector<boost::dynamic_bitset<>>>(ir)` returns other rows.
template <fact_rows Rows = bit_matrix, detail::meant_as_ir IR>
  requires statement_ir_argument<IR>
constexpr flow_facts<Rows> live_variables(const IR& ir, span<const variable_id> live_at_exit = {}) {
  flow_facts<Rows> out;
  gen_kill_workspace<Rows> workspace;
  live_variables(ir, live_at_exit, workspace, out);
  return out;
}

template <fact_rows Rows = bit_matrix, detail::meant_as_graph G, variables_by_node S>
  requires flow_graph_argument<G>
constexpr flow_facts<Rows> live_variables(const G& g, const S& variables, span<const variable_id> live_at_exit = {}) {
  flow_facts<Rows> out;
  gen_kill_workspace<Rows> workspace;
  live_variables(g, variables, live_at_exit, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
