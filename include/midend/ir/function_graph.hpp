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

MIDEND_END_NAMESPACE
