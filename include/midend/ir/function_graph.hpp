/// `graph()`: the control-flow graph of an IR, which several rungs of the IR contract require.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/contract.hpp"

#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `graph()` exists.
template <class IR>
concept has_graph = requires(const IR& ir) { ir.graph(); };

/// The type that `graph()` returns, without reference.
template <class IR> using graph_of = std::remove_cvref_t<decltype(std::declval<const IR&>().graph())>;

/// `graph()` returns a control-flow graph.
template <class IR>
concept graph_is_a_flow_graph = flow_graph<graph_of<IR>>;

/// `graph()` returns a control-flow graph whose edges have numbers.
template <class IR>
concept graph_is_edge_indexed = edge_indexed_flow_graph<graph_of<IR>>;

namespace detail {

/// Whether a type is meant as an IR: for functions that are overloaded for graphs and IRs.
template <class IR>
concept meant_as_ir = has_graph<IR> || !meant_as_graph<IR>;

MIDEND_REQUIRED(has_graph, "an IR needs `graph() const`, which returns its control-flow graph");

/// The row of a contract of an IR: its graph fulfils a contract of graphs.
template <class GraphContract> struct graph_fits_row {
  template <class IR> static constexpr bool fits = GraphContract::template fits<graph_of<IR>>;

  template <class IR> using wrong = typename GraphContract::template wrong<graph_of<IR>>;
};

struct ir_with_flow_graph_contract : contract<has_graph_row, graph_fits_row<flow_graph_contract>> {};

struct ir_with_edges_contract : contract<has_graph_row, graph_fits_row<edge_indexed_flow_graph_contract>> {};

} // namespace detail

MIDEND_END_NAMESPACE
