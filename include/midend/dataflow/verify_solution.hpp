/// `verify_solution`: checks in one walk over the graph whether claimed facts are a solution.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/problem_flow.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/optional.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The first point at which claimed facts are not a solution.
struct solution_error {
  enum class reason : std::uint8_t {
    wrong_size,  ///< the number of claims is not the number of nodes
    not_reached, ///< flow reaches `node`, contrary to the claim: it begins there, comes over `edge`, or the problem is
                 ///< backward
    boundary_is_lost, ///< the fact that flows into `node` is not above its boundary
    node_is_broken,   ///< the fact that leaves `node` is not above the transfer of the fact that flows in
    edge_is_broken,   ///< the fact that flows into `node` is not above the one that comes over `edge`
  };

  reason why{};
  node_id node = no_node;
  flow_edge edge = no_flow_edge;

  friend constexpr bool operator==(const solution_error&, const solution_error&) = default;
};

/// Proves that `facts` hold on every path: where F applies each transfer function once, F(x) is below x everywhere, so
/// the least solution is below x, too (Tarski, "A lattice-theoretical fixpoint theorem and its applications", Pacific
/// J. Math. 5(2), 1955). Returns the first point, in the order of nodes, where that does not hold, or `std::nullopt`.
/// It does not prove that the solution is the least one, and it trusts `leq` or `join` of the lattice.
///
/// Facts may come from anywhere: solved with widening, kept from before an edit, made by another solver. A graph that
/// is not a `csr_graph` is copied. O(n + m) transfers and comparisons.
template <flow_graph_argument G, dataflow_problem_argument P, class Fact>
constexpr optional<solution_error> verify_solution(const G& g, const P& problem, const solution<Fact>& facts) {
  static_assert(detail::facts_of_argument<Fact, P>);
  using reason = solution_error::reason;
  constexpr bool forward = P::direction == flow_direction::forward;
  const node_id count = detail::node_count(g);
  if (facts.num_nodes() != count) {
    return solution_error{reason::wrong_size};
  }
  decltype(auto) lattice = problem.lattice();
  detail::flow_memory<fact_of<P>> memory;
  detail::problem_flow<P> flow(g, problem, memory);
  const auto input = [&](node_id n) -> const fact_of<P>& { return forward ? facts.in(n) : facts.out(n); };
  const auto output = [&](node_id n) -> const fact_of<P>& { return forward ? facts.out(n) : facts.in(n); };
  fact_of<P> next = lattice.bottom();
  for (node_id n = 0; n != count; ++n) {
    const bool begins = flow.begins_at(n);
    if (!facts.is_reached(n)) {
      if (begins || !forward) {
        return solution_error{reason::not_reached, n};
      }
      continue;
    }
    if (begins && !less_or_equal(lattice, fact_of<P>(problem.boundary(n)), input(n))) {
      return solution_error{reason::boundary_is_lost, n};
    }
    next = input(n);
    flow.transfer(n, next);
    if (!less_or_equal(lattice, next, output(n))) {
      return solution_error{reason::node_is_broken, n};
    }
    optional<solution_error> error;
    flow.for_each_edge_from(n, [&](flow_edge e, node_id to) {
      const fact_of<P>* const arriving = error ? nullptr : flow.carry(e, output(n));
      if (arriving != nullptr && !facts.is_reached(to)) {
        error = solution_error{reason::not_reached, to, flow.original(e)};
      } else if (arriving != nullptr && !less_or_equal(lattice, *arriving, input(to))) {
        error = solution_error{reason::edge_is_broken, to, flow.original(e)};
      }
    });
    if (error) {
      return error;
    }
  }
  return std::nullopt;
}

MIDEND_END_NAMESPACE
