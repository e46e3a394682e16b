/// `solve`: the least solution of a dataflow problem, by iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/propagation.hpp"
#include "midend/dataflow/detail/strategies.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/solution.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/result.hpp"

#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Memory for problems with facts of one type that are solved again and again.
template <class Element> class solve_workspace {
public:
  /// For the algorithms; not part of the interface.
  detail::solver_memory<Element> memory_;
};

/// The least solution of `problem` over `g`, refilling `out`; `std::nullopt` or, by a policy that may fail, why there
/// is none: then `out` holds what is no solution yet. Once workspace and result have seen a graph and facts as large,
/// nothing is allocated but what the problem itself allocates: for the bottom of its lattice, which is asked for once,
/// for boundaries, and in transfer functions.
///
/// Kildall, "A unified approach to global program optimization", POPL 1973; Kam, Ullman, "Monotone data flow analysis
/// frameworks", Acta Informatica 7, 1977. In place of recomputing the fact of a node from those before, each visit
/// joins what leaves the node into the facts behind it. All policies give the same solution where nothing widens; with
/// `widen` it is one that is safe, and depends on the order.
///
/// Requires a finite lattice (or chains that end, or `widen`) and monotone transfer functions: `check_lattice` and the
/// `checked` policy help, and `verify_solution` proves a solution. What the problem says of boundaries, unreachable
/// nodes and endless regions, see `problem.hpp`. Parallel edges are edges each, self loops are loops of one node. A
/// graph that is no `csr_graph` is copied into the workspace.
///
/// Cost: of `reverse_postorder_worklist` O((d + 2) m) transfers and joins for problems of sets that are generated and
/// killed, where d is the largest number of edges leading back on a path without cycles, 1 or 2 in most programs;
/// otherwise O(h m), h the height of the lattice. Two facts and 13 bytes a node of result; of workspace 40 bytes a node
/// (70 for `weak_topological`), and 16 an edge if the graph is copied.
template <flow_graph G, dataflow_problem P, solve_policy Policy>
constexpr std::optional<solve_failure<fact_of<P>>> solve(const G& g, const P& problem, const Policy& policy,
                                                         solve_workspace<fact_of<P>>& workspace,
                                                         solution<fact_of<P>>& out) {
  using traits = detail::policy_traits<Policy>;
  const auto& base = traits::base_of(policy);
  std::optional<solve_failure<fact_of<P>>> error;
  detail::propagation<P, traits> flow(g, problem, base.widen, traits::max_visits(policy), workspace.memory_, out,
                                      error);
  if (detail::strategy::run(base, flow, workspace.memory_)) {
    detail::strategy::descend(flow, workspace.memory_.order);
  }
  flow.finish();
  return error;
}

/// The least solution of `problem` over `g`: a `solution`, or a `result` of one if the policy may fail.
template <flow_graph G, dataflow_problem P, solve_policy Policy = reverse_postorder_worklist>
constexpr auto solve(const G& g, const P& problem, const Policy& policy = {}) {
  using facts = solution<fact_of<P>>;
  facts out;
  solve_workspace<fact_of<P>> workspace;
  auto failure = solve(g, problem, policy, workspace, out);
  if constexpr (fallible_policy<Policy>) {
    using outcome = result<facts, solve_failure<fact_of<P>>>;
    return failure ? outcome(std::move(*failure)) : outcome(std::move(out));
  } else {
    return out;
  }
}

MIDEND_END_NAMESPACE
