/// Boost.Graph, in both directions: `boost_graph_view` makes any BGL graph a `flow_graph`, and `csr_graph` and
/// `forward_csr_graph` are BGL graphs, so that Boost's algorithms and `write_graphviz` accept them.
///
///     boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> theirs = …;
///     auto dom = midend::dominators(midend::boost_graph_view(theirs, entry));
///
///     midend::csr_graph ours = …;
///     boost::breadth_first_search(ours, ours.entry(), boost::visitor(…));
///
/// For Boost 1.74 and newer.
#pragma once

#include "midend/adapters/boost_csr_graph.hpp"
#include "midend/adapters/boost_graph_view.hpp"
