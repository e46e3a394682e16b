/// `graph()`: the control-flow graph of an IR, which several rungs of the IR contract require.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

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

/// Meant as an IR: where a function is overloaded for graphs and for IRs.
template <class IR>
concept meant_as_ir = has_graph<IR> || !meant_as_graph<IR>;

/// The optional members of the graph fit.
template <class IR>
concept graph_members_fit = epoch_fits<graph_of<IR>> && predecessors_fit<graph_of<IR>> && edges_fit<graph_of<IR>>;

/// The error of an IR without a fitting `graph()`. Always false.
template <class IR, bool NeedsEdges> constexpr bool explain_graph() {
  if constexpr (!has_graph<IR>) {
    static_assert(has_graph<IR>, "midend: an IR needs `graph() const`, which returns its control-flow graph");
  } else if constexpr (NeedsEdges) {
    explain_edge_indexed_flow_graph<graph_of<IR>>();
  } else {
    explain_flow_graph<graph_of<IR>>();
  }
  return false;
}

} // namespace detail

MIDEND_END_NAMESPACE
