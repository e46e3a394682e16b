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
/// Instead of changing a fact in place, `transfer` may return the new one, as in textbooks; this allocates if copies of
/// facts do:
///
///       my_element transfer(midend::node_id n, const my_element& fact) const;
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
/// or `my_element transfer_statement(midend::statement_id s, const my_element& fact) const`. A node then does what its
/// statements do, in the direction of the problem. If a problem has both, the solver uses `transfer`, and tools that
/// look inside a block (`fact_cursor`, `explain_fact`, reports) use the statements; the two must agree.
///
/// **Edges.** The optional `bool transfer_edge(const midend::flow_edge& e, my_element& fact) const` changes the fact
/// that flows over an edge; false means that no fact flows, given this one. It may also take a `const my_element&` and
/// return the new fact, or a `std::optional` of it, `std::nullopt` if none flows. Source and target are those of the
/// graph, in either direction. Ids are the graph's own if its edges have ids, else those that `csr_graph` would give.
///
/// A member of one of these names that fits none of its forms is an error.
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
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <optional>
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

/// `boundary(n)` gives the fact with which flow begins at `n`. It may return `bool` only if facts are `bool`:
/// `is_boundary` says where flow begins.
template <class P>
concept has_boundary_fact = requires(const P& p, node_id n) {
  { p.boundary(n) } -> std::convertible_to<fact_of<P>>;
} && (std::same_as<fact_of<P>, bool> || !requires(const P& p, node_id n) {
                              { p.boundary(n) } -> std::same_as<bool>;
                            });

namespace detail {

// The two forms of each function. A function that takes a fact by reference takes no temporary. The form in place
// returns nothing that could be a fact, because nobody would read it.
template <class P>
concept transfers_in_place = requires(const P& p, node_id n, fact_of<P>& fact) { p.transfer(n, fact); } &&
                             !requires(const P& p, node_id n, fact_of<P>& fact) { p.transfer(n, std::move(fact)); } &&
                             !requires(const P& p, node_id n, fact_of<P>& fact) {
                               { p.transfer(n, fact) } -> std::convertible_to<fact_of<P>>;
                             };
template <class P>
concept transfers_by_value = requires(const P& p, node_id n, const fact_of<P>& fact) {
  { p.transfer(n, fact) } -> std::convertible_to<fact_of<P>>;
};
template <class P>
concept transfers_statements_in_place =
    requires(const P& p, statement_id s, fact_of<P>& fact) { p.transfer_statement(s, fact); } &&
    !requires(const P& p, statement_id s, fact_of<P>& fact) { p.transfer_statement(s, std::move(fact)); } &&
    !requires(const P& p, statement_id s, fact_of<P>& fact) {
      { p.transfer_statement(s, fact) } -> std::convertible_to<fact_of<P>>;
    };
template <class P>
concept transfers_statements_by_value = requires(const P& p, statement_id s, const fact_of<P>& fact) {
  { p.transfer_statement(s, fact) } -> std::convertible_to<fact_of<P>>;
};
template <class P>
concept transfers_edges_in_place = requires(const P& p, const flow_edge& e, fact_of<P>& fact) {
  { p.transfer_edge(e, fact) } -> std::same_as<bool>;
} && !requires(const P& p, const flow_edge& e, fact_of<P>& fact) { p.transfer_edge(e, std::move(fact)); };
template <class P>
concept transfers_edges_by_value = requires(const P& p, const flow_edge& e, const fact_of<P>& fact) {
  { p.transfer_edge(e, fact) } -> std::convertible_to<std::optional<fact_of<P>>>;
} && !requires(const P& p, const flow_edge& e, const fact_of<P>& fact) {
  { p.transfer_edge(e, fact) } -> std::same_as<bool>;
};

} // namespace detail

/// `transfer(n, fact)` changes a fact as the node does, or returns the changed one.
template <class P>
concept has_node_transfer = detail::transfers_in_place<P> || detail::transfers_by_value<P>;

/// `ir()` exists and has `statements(n)`, and `transfer_statement(s, fact)` changes a fact as the statement does, or
/// returns the changed one.
template <class P>
concept has_statement_transfer = requires(const P& p, node_id n) { p.ir().statements(n); } &&
                                 (detail::transfers_statements_in_place<P> || detail::transfers_statements_by_value<P>);

/// At least one of the two exists.
template <class P>
concept has_transfer = has_node_transfer<P> || has_statement_transfer<P>;

/// `transfer_edge(e, fact)` changes a fact that flows over an edge, or returns the changed one. Optional.
template <class P>
concept has_edge_transfer = detail::transfers_edges_in_place<P> || detail::transfers_edges_by_value<P>;

/// `is_boundary(n)` says whether flow also begins at `n`. Optional.
template <class P>
concept has_more_boundaries = requires(const P& p, node_id n) {
  { p.is_boundary(n) } -> truth_value;
};

/// A dataflow problem, for `solve`.
template <class P>
concept dataflow_problem =
    has_direction<P> && has_lattice<P> && lattice_is_a_lattice<P> && has_boundary_fact<P> && has_transfer<P>;

namespace detail {

/// Applies a node to a fact, by either form of `transfer`.
template <class P> constexpr void apply_node(const P& problem, node_id n, fact_of<P>& fact) {
  if constexpr (transfers_in_place<P>) {
    problem.transfer(n, fact);
  } else {
    fact = problem.transfer(n, std::as_const(fact));
  }
}

/// Applies a statement to a fact.
template <class P> constexpr void apply_statement(const P& problem, statement_id s, fact_of<P>& fact) {
  if constexpr (transfers_statements_in_place<P>) {
    problem.transfer_statement(s, fact);
  } else {
    fact = problem.transfer_statement(s, std::as_const(fact));
  }
}

/// Applies an edge to a fact; false if none flows.
template <class P> constexpr bool apply_edge(const P& problem, const flow_edge& e, fact_of<P>& fact) {
  if constexpr (transfers_edges_in_place<P>) {
    return problem.transfer_edge(e, fact);
  } else {
    std::optional<fact_of<P>> flows = problem.transfer_edge(e, std::as_const(fact));
    if (flows) {
      fact = std::move(*flows);
    }
    return flows.has_value();
  }
}

template <class P>
concept names_transfer =
    requires { &P::transfer; } || requires(P& p, node_id n, fact_of<P>& fact) { p.transfer(n, fact); };
template <class P>
concept names_transfer_statement = requires { &P::transfer_statement; } ||
                                   requires(P& p, statement_id s, fact_of<P>& fact) { p.transfer_statement(s, fact); };
template <class P>
concept names_transfer_edge =
    requires { &P::transfer_edge; } || requires(P& p, flow_edge& e, fact_of<P>& fact) { p.transfer_edge(e, fact); };

/// A `transfer` that fits, or none and a `transfer_statement`, fitting or not.
template <class P>
concept transfers = has_node_transfer<P> || (!names_transfer<P> && names_transfer_statement<P>);

MIDEND_REQUIRED(has_direction, "a dataflow problem needs `static constexpr midend::flow_direction direction = "
                               "midend::flow_direction::forward;`, or backward");
MIDEND_REQUIRED(has_lattice, "a dataflow problem needs `lattice() const`, which returns the lattice of its facts");

/// The row of a contract of a problem: its lattice fulfils a contract of lattices.
template <class LatticeContract> struct facts_row {
  template <class P> static constexpr bool fits = LatticeContract::template fits<lattice_of<P>>;

  template <class P> using wrong = typename LatticeContract::template wrong<lattice_of<P>>;
};

MIDEND_REQUIRED(has_boundary_fact, "a dataflow problem needs `fact boundary(midend::node_id n) const`, the fact with "
                                   "which flow begins at n; `is_boundary(n)` says whether it does");
MIDEND_REQUIRED(transfers, "a dataflow problem needs `void transfer(midend::node_id n, fact& f) const`, which changes "
                           "f, or `fact transfer(midend::node_id n, const fact& f) const`, which returns the new fact; "
                           "or `transfer_statement` and `ir()`");
MIDEND_OPTIONAL_ROW(
    transfer_statement_row, has_statement_transfer, names_transfer_statement,
    "`transfer_statement` of a dataflow problem would never be called; write `void "
    "transfer_statement(midend::statement_id s, fact& f) const`, which changes f, or `fact "
    "transfer_statement(midend::statement_id s, const fact& f) const`, and `ir() const`, which has `statements(n)`");
MIDEND_OPTIONAL_ROW(transfer_edge_row, has_edge_transfer, names_transfer_edge,
                    "`transfer_edge` of a dataflow problem would never be called; write `bool transfer_edge(const "
                    "midend::flow_edge& e, fact& f) const`, which changes f and returns whether it flows, or "
                    "`std::optional<fact> transfer_edge(const midend::flow_edge& e, const fact& f) const`");
MIDEND_OPTIONAL_MEMBER(is_boundary, has_more_boundaries, it.is_boundary(node_id()),
                       "of a dataflow problem would never be called", "`bool is_boundary(midend::node_id n) const`");

struct problem_contract
    : contract<has_direction_row, has_lattice_row, facts_row<lattice_contract>, has_boundary_fact_row, transfers_row,
               transfer_statement_row, transfer_edge_row, is_boundary_row> {};

} // namespace detail

/// For signatures: a `dataflow_problem` with optional members that fit; any other type is an error with a reason.
template <class P>
concept dataflow_problem_argument =
    (dataflow_problem<P> && detail::problem_contract::fits<P>) || detail::problem_contract::explain<P>();

namespace detail {

template <class Fact, class P>
concept facts_of = std::same_as<Fact, fact_of<P>>;

MIDEND_REQUIRED_WITH(facts_of,
                     "a solution or workspace for facts of another type: write `midend::solution<my_fact>` with the "
                     "`element` of the problem's lattice, midend::fact_of<my_problem>");

/// Results and workspaces that are passed together with a problem hold its facts. Functions deduce the type from them,
/// and check it inside: a signature that asks the problem for it would fail before anything says what is wrong with the
/// problem.
template <class Fact, class P>
concept facts_of_argument = facts_of<Fact, P> || facts_of_row<P>::template explain<Fact>();

} // namespace detail

MIDEND_END_NAMESPACE
