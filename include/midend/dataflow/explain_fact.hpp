/// `explain_fact`: where a fact comes from, and by which way.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/derivation_trace.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/detail/propagation.hpp"
#include "midend/dataflow/detail/strategies.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The beginning or the end of a node, in program order.
struct node_point {
  enum class end : std::uint8_t { in, out };

  node_id node;
  end side;
};

/// The point of which `solution::in(n)` tells the fact.
constexpr node_point point_in(node_id n) {
  return {n, node_point::end::in};
}

/// The point of which `solution::out(n)` tells the fact.
constexpr node_point point_out(node_id n) {
  return {n, node_point::end::out};
}

/// What first made something hold.
enum class fact_source : std::uint8_t {
  not_held,  ///< it does not hold at the point
  boundary,  ///< the boundary of `node`
  statement, ///< `statement`, in `node`
  node,      ///< `node`, of a problem that knows no statements
  edge,      ///< the first edge of the path, which leaves `node`
  join,      ///< it holds of what comes to `node` together, not of what any edge brings; or widening made it so
  bottom,    ///< it holds of bottom, with which `node` of a backward problem starts
};

/// Where something that holds at a point comes from. `path` leads from there to the point, in the order in which facts
/// flow, and it holds all along: after the source, at the end of each edge and of each node between.
struct fact_derivation {
  fact_source source = fact_source::not_held;
  node_id node = no_node;
  statement_id statement = no_statement;
  flat_array<flow_edge> path;
};

namespace detail {

/// Follows a trace back from a point.
template <class P, class Trace>
constexpr fact_derivation derivation_from(problem_flow<P>& flow, const Trace& trace, node_id n, bool at_input) {
  fact_derivation out;
  const auto made_in = [&](node_id maker) {
    out.node = maker;
    out.statement = trace[maker].statement;
    out.source = out.statement == no_statement ? fact_source::node : fact_source::statement;
  };
  if (!at_input && trace[n].is_made_here) {
    made_in(n);
    return out;
  }
  while (out.source == fact_source::not_held) {
    const flow_edge e = trace[n].edge;
    const node_id from = problem_flow<P>::is_forward ? e.source : e.target;
    out.node = n;
    switch (trace[n].how) {
    case arrival::at_start:
      out.source = flow.begins_at(n) ? fact_source::boundary : fact_source::bottom;
      break;
    case arrival::carried:
      out.path.push_back(flow.original(e));
      if (trace[from].is_made_here) {
        made_in(from);
      }
      n = from;
      break;
    case arrival::by_edge:
      out.path.push_back(flow.original(e));
      out.node = from;
      out.source = fact_source::edge;
      break;
    default:
      out.source = fact_source::join;
    }
  }
  for (std::size_t first = 0, last = out.path.size(); last - first > 1 && first < last; ++first) {
    std::swap(out.path[first], out.path[--last]);
  }
  return out;
}

} // namespace detail

/// Why `holds(fact)` is true at a point: what first made it so, in the order in which `solve` goes, and the way from
/// there. `holds` says something of a fact that greater facts share ("d3 is in it", "x may be negative", "x is no
/// constant", of a `dual` "y is missing").
///
/// Solves the problem once more and notes where it first holds. What only the solution given knows, because that is not
/// the least one, comes from `join`. Unreached nodes hold nothing. Cost as `solve`, and two facts and 28 bytes a node.
template <flow_graph G, dataflow_problem P, class Holds>
  requires std::predicate<const Holds&, const fact_of<P>&>
constexpr fact_derivation explain_fact(const G& g, const P& problem, const solution<fact_of<P>>& facts,
                                       node_point point, const Holds& holds) {
  MIDEND_ASSERT(facts.num_nodes() == g.num_nodes(), "a solution over this graph", facts.num_nodes());
  MIDEND_ASSERT(facts.epoch() == graph_epoch(g), "a solution for the graph as it is", facts.epoch(), graph_epoch(g));
  constexpr bool forward = P::direction == flow_direction::forward;
  constexpr std::uint32_t patience = 16; // visits of a node before facts that might climb for ever are widened
  const bool at_in = point.side == node_point::end::in;
  if (!facts.is_reached(point.node) || !holds(at_in ? facts.in(point.node) : facts.out(point.node))) {
    return {};
  }
  const widening_options widen{.after = has_widen<lattice_of<P>> ? patience : widening_options::never};
  detail::solver_memory<fact_of<P>> memory;
  solution<fact_of<P>> again;
  std::optional<solve_failure<fact_of<P>>> no_error;
  detail::derivation_trace<P, Holds> trace(g, problem, widen, memory, again, no_error, holds);
  detail::strategy::run(reverse_postorder_worklist{}, trace, memory);
  return detail::derivation_from(trace.flow(), trace, point.node, at_in == forward);
}

MIDEND_END_NAMESPACE
