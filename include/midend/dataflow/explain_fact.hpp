/// `explain_fact`: the origin of a fact, and the path that it came along.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/dataflow/solve.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/swap.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The start or the end of a node, in program order.
struct node_point {
  enum class end : std::uint8_t { in, out };

  node_id node;
  end side;
};

/// The point whose fact is `solution::in(n)`.
constexpr node_point point_in(node_id n) {
  return {n, node_point::end::in};
}

/// The point whose fact is `solution::out(n)`.
constexpr node_point point_out(node_id n) {
  return {n, node_point::end::out};
}

/// The first cause of the property.
enum class fact_source : std::uint8_t {
  not_held,  ///< none: the property does not hold at the point
  boundary,  ///< the boundary of `node`
  statement, ///< `statement`, in `node`
  node,      ///< `node`, in a problem without statements
  edge,      ///< the first edge of the path, which leaves `node`
  join,      ///< joining the facts that arrive at `node`, none of which has the property; or widening
  bottom,    ///< bottom, with which `node` of a backward problem starts
};

/// The origin of a property that holds at a point. `path` leads from there to the point, in the direction of flow. The
/// property holds all along: after the source, and at the end of each edge and each node between.
struct fact_derivation {
  fact_source source = fact_source::not_held;
  node_id node = no_node;
  statement_id statement = no_statement;
  flat_array<flow_edge> path;
};

namespace detail {

/// How `holds` became true at the start of flow through a node.
enum class arrival : std::uint8_t {
  none,     ///< it did not
  at_start, ///< before any visit
  carried,  ///< over an edge; it held before the edge
  by_edge,  ///< over an edge, which made it hold
  by_join,  ///< by joining, or widening
};

/// While a problem is solved, records where `holds` first becomes true, and over which edge the fact came.
template <class P, class Holds>
class derivation_trace : public propagation<P, policy_traits<reverse_postorder_worklist>> {
public:
  using base = propagation<P, policy_traits<reverse_postorder_worklist>>;
  using fact = fact_of<P>;

  struct node_trace {
    arrival how;            ///< how it became true for the incoming fact
    bool holds_after;       ///< it is true for the outgoing fact
    bool is_made_here;      ///< it was true for the outgoing fact before it was for the incoming one
    statement_id statement; ///< valid if it is made here and the problem has statements: the one that made it true
    flow_edge edge;         ///< valid if it came over an edge
  };

  template <class G>
  constexpr derivation_trace(const G& g, const P& problem, const widening_options& widen, solve_workspace<fact>& memory,
                             solution<fact>& facts, std::optional<solve_failure<fact>>& error, const Holds& holds)
      : base(g, problem, widen, ~std::uint64_t{0}, memory, facts, error), facts_(facts), holds_(holds) {
    nodes_.assign(facts.num_nodes(), {arrival::none, false, false, no_statement, no_flow_edge});
    for (node_id n = 0; n != facts.num_nodes(); ++n) {
      if (facts.is_reached(n) && holds(input(n))) {
        nodes_[n].how = arrival::at_start;
      }
    }
  }

  constexpr const node_trace& operator[](node_id n) const { return nodes_[n]; }

  template <class Arrived> constexpr bool visit(node_id n, Arrived arrived) {
    base::visit(n, [&](flow_edge e, node_id to, bool changed) {
      note_output(n);
      if (changed) {
        note_input(to, e, n);
      }
      arrived(e, to, changed);
    });
    note_output(n);
    return true;
  }

private:
  constexpr const fact& input(node_id n) const { return base::is_forward ? facts_.in(n) : facts_.out(n); }

  constexpr const fact& output(node_id n) const { return base::is_forward ? facts_.out(n) : facts_.in(n); }

  constexpr void note_output(node_id n) {
    node_trace& at = nodes_[n];
    if (!at.holds_after && holds_(output(n))) {
      at.holds_after = true;
      at.is_made_here = at.how == arrival::none;
      if (at.is_made_here) {
        at.statement = last_statement_making(n);
      }
    }
  }

  constexpr void note_input(node_id to, flow_edge e, node_id from) {
    node_trace& at = nodes_[to];
    if (at.how == arrival::none && holds_(input(to))) {
      const fact* const brought = base::flow().carry(e, output(from));
      at.edge = e;
      at.how = brought == nullptr || !holds_(*brought) ? arrival::by_join
               : nodes_[from].holds_after              ? arrival::carried
                                                       : arrival::by_edge;
    }
  }

  /// The last statement of `n` that makes `holds` true.
  constexpr statement_id last_statement_making([[maybe_unused]] node_id n) {
    statement_id found = no_statement;
    if constexpr (has_statement_transfer<P>) {
      fact f = input(n);
      bool held = false;
      base::flow().for_each_statement(n, [&](statement_id s) {
        apply_statement(base::flow().problem(), s, f);
        const bool holds = holds_(std::as_const(f));
        found = holds && !held ? s : found;
        held = holds;
      });
    }
    return found;
  }

  const solution<fact>& facts_;
  const Holds& holds_;
  flat_array<node_trace> nodes_;
};

/// Follows a trace backwards from a point.
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
    detail::swap_values(out.path[first], out.path[--last]);
  }
  return out;
}

} // namespace detail

/// Why `holds(fact)` is true at a point: the first place that made it true, in the order of visits, and the path from
/// there. `holds` is a property that every greater fact shares ("d3 is in the set", "x may be negative", "x is not a
/// constant", over a `dual` "y is missing").
///
/// Solves the problem once more and records where the property first holds. If it holds only in the given solution,
/// because that is not the least one, the source is `join`. Unreached nodes have no property. Cost as `solve`, plus two
/// facts and 28 bytes a node.
template <flow_graph_argument G, dataflow_problem_argument P, class Fact, class Holds>
constexpr fact_derivation explain_fact(const G& g, const P& problem, const solution<Fact>& facts, node_point point,
                                       const Holds& holds) {
  static_assert(detail::facts_of_argument<Fact, P>);
  static_assert(std::predicate<const Holds&, const Fact&>,
                "midend: explain_fact asks `bool holds(const fact& f)` for the property of a fact that it explains");
  MIDEND_ASSERT(facts.num_nodes() == g.num_nodes(), "a solution over this graph", facts.num_nodes());
  MIDEND_ASSERT(facts.epoch() == graph_epoch(g), "a solution for the graph as it is", facts.epoch(), graph_epoch(g));
  constexpr bool forward = P::direction == flow_direction::forward;
  constexpr std::uint32_t patience = 16; // visits of a node before widening, for lattices with infinite chains
  const bool at_in = point.side == node_point::end::in;
  if (!facts.is_reached(point.node) || !holds(at_in ? facts.in(point.node) : facts.out(point.node))) {
    return {};
  }
  const widening_options widen{.after = has_widen<lattice_of<P>> ? patience : widening_options::never};
  solve_workspace<fact_of<P>> memory;
  solution<fact_of<P>> again;
  std::optional<solve_failure<fact_of<P>>> no_error;
  detail::derivation_trace<P, Holds> trace(g, problem, widen, memory, again, no_error, holds);
  detail::strategy::run(reverse_postorder_worklist{}, trace, memory);
  return detail::derivation_from(trace.flow(), trace, point.node, at_in == forward);
}

MIDEND_END_NAMESPACE
