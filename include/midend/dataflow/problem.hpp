/// The problem contract: what the solver requires of an analysis. A problem is any type with the members below; there
/// is nothing to specialise and nothing to derive from.
///
///     struct my_problem {
///       static constexpr midend::flow_direction direction = midend::flow_direction::forward;
///       const my_lattice& lattice() const;                       // or by value
///       my_element boundary(midend::node_id n) const;            // the fact with which flow begins at `n`
///       void transfer(midend::node_id n, my_element& fact) const;  // applies the node to a fact, in place
///     };
///
/// **Where flow begins.** Forward at the entry; backward at the nodes without successors. The optional `is_boundary(n)`
/// adds nodes: handlers that are entered from outside, the last block of an endless loop. `boundary(n)` is called for
/// all of them, and joined with the facts that arrive over edges.
///
/// **Which nodes are solved.** A forward problem is solved for the nodes that flow reaches, and visits no other node. A
/// backward problem is solved for all nodes, also those that cannot reach an exit or are unreachable: their facts start
/// at bottom. So in an endless region, where no backward flow begins, a fact "on some path to the end" never holds, and
/// a fact "on every path to the end" (over a `dual`) always holds, because there is no such path. To change this, make
/// one node of each such region a boundary: `post_dominance_roots` picks them.
///
/// **Statements.** Instead of `transfer`, a problem may define what a statement does, and name the IR:
///
///       const my_ir& ir() const;                                 // or by value: a view with `statements(n)`
///       void transfer_statement(midend::statement_id s, my_element& fact) const;
///
/// A node then does what its statements do, in the direction of the problem. If a problem has both, the solver uses
/// `transfer`, and tools that look inside a block (`fact_cursor`, `explain_fact`, reports) use the statements; the two
/// must agree.
///
/// **Edges.** The optional `bool transfer_edge(const midend::flow_edge& e, my_element& fact) const` changes the fact
/// that flows over an edge; false means that no fact flows, given this one. Source and target are those of the graph,
/// in either direction. Ids are the graph's own if its edges have ids, else those that `csr_graph` would give.
///
/// All these must be monotone: greater facts give greater results, and if a fact flows over an edge, so does every
/// greater one. The `checked` policy reports violations.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// An edge that facts flow over, in the direction of the graph.
struct flow_edge {
  edge_id id;
  node_id source;
  node_id target;

  friend constexpr bool operator==(const flow_edge&, const flow_edge&) = default;
};

inline constexpr flow_edge no_flow_edge{no_edge, no_node, no_node};

/// `lattice()` exists.
template <class P>
concept has_lattice = requires(const P& p) { p.lattice(); };

/// The lattice of a problem, and the type of its facts.
template <class P> using lattice_of = std::remove_cvref_t<decltype(std::declval<const P&>().lattice())>;
template <class P> using fact_of = element_of<lattice_of<P>>;

/// `lattice()` returns a lattice.
template <class P>
concept lattice_is_a_lattice = lattice<lattice_of<P>>;

/// `boundary(n)` gives the fact with which flow begins at `n`.
template <class P>
concept has_boundary_fact = requires(const P& p, node_id n) {
  { p.boundary(n) } -> std::convertible_to<fact_of<P>>;
};

/// `transfer(n, fact)` changes a fact as the node does.
template <class P>
concept has_node_transfer = requires(const P& p, node_id n, fact_of<P>& fact) { p.transfer(n, fact); };

/// `ir()` exists and has `statements(n)`, and `transfer_statement(s, fact)` changes a fact as the statement does.
template <class P>
concept has_statement_transfer = requires(const P& p, node_id n, statement_id s, fact_of<P>& fact) {
  p.ir().statements(n);
  p.transfer_statement(s, fact);
};

/// At least one of the two exists.
template <class P>
concept has_transfer = has_node_transfer<P> || has_statement_transfer<P>;

/// `transfer_edge(e, fact)` changes a fact that flows over an edge; false if none flows. Optional.
template <class P>
concept has_edge_transfer = requires(const P& p, const flow_edge& e, fact_of<P>& fact) {
  { p.transfer_edge(e, fact) } -> std::same_as<bool>;
};

/// `is_boundary(n)` says whether flow also begins at `n`. Optional.
template <class P>
concept has_more_boundaries = requires(const P& p, node_id n) {
  { p.is_boundary(n) } -> std::same_as<bool>;
};

/// A dataflow problem, for `solve`.
template <class P>
concept dataflow_problem =
    has_direction<P> && has_lattice<P> && lattice_is_a_lattice<P> && has_boundary_fact<P> && has_transfer<P>;

MIDEND_END_NAMESPACE
