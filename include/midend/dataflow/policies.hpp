/// The policies of `solve`: the order of visits, when to widen, and when to give up.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// For lattices with long or infinite ascending chains. Facts that come over an edge which leads back in the policy's
/// order are widened into its target instead of joined. Every cycle has such an edge, so `solve` terminates if `widen`
/// is correct. Requires a lattice with `widen`.
struct widening_options {
  static constexpr std::uint32_t never = 0xffff'ffff;

  /// Join until the target has been visited more often than this. 0: widen at once; `never`: always join.
  std::uint32_t after = never;

  /// The number of times, at most, that all facts are then recomputed to regain precision; with `narrow`, if the
  /// lattice has it, at nodes that were widened. Sound after each step.
  std::uint32_t narrowing_steps = 0;

  /// Whether widening or narrowing is requested.
  constexpr bool is_wanted() const { return after != never || narrowing_steps != 0; }
};

/// Visits all nodes in turn until a round changes nothing: the simplest policy, and the slowest.
struct round_robin {
  /// All nodes of the graph, each once; reverse postorder of the direction if empty.
  span<const node_id> order = {};
  widening_options widen = {};
};

/// The default: nodes whose fact has changed, by reverse postorder of the direction. Kildall, "A unified approach to
/// global program optimization", POPL 1973; Kam, Ullman, "Global data flow analysis and iterative algorithms", J. ACM
/// 23(1), 1976, for the order.
///
/// If few edges lead against the numbers of the nodes (about one for every eight nodes), the numbers are as good an
/// order, and no search is made for another. But widening and narrowing depend on the edges that lead back, so they
/// always search.
///
/// Works in sweeps: a changed node earlier in the order waits for the next sweep. Going back at once, as a priority
/// queue would, visits the inner loops of a nest again for each outer loop.
struct reverse_postorder_worklist {
  widening_options widen = {};
};

/// The recursive strategy over a weak topological order: the innermost loop is stabilized before the loop around it
/// continues, and only nodes whose fact has changed are visited. Widens at heads only. Bourdoncle, "Efficient chaotic
/// iteration strategies with widenings", FMPA 1993. Choose it with `widen`; on deep nests where each loop adds facts it
/// visits more nodes than the sweeps do.
struct weak_topological {
  widening_options widen = {};
};

template <class Policy>
concept iteration_policy = std::same_as<Policy, round_robin> || std::same_as<Policy, reverse_postorder_worklist> ||
                           std::same_as<Policy, weak_topological>;

/// `policy`, but gives up after `max_visits` visits. `solve` then returns a `result`.
template <class Policy = reverse_postorder_worklist> struct within {
  std::uint64_t max_visits = 0;
  Policy policy = {};
};

template <class Policy> within(std::uint64_t, Policy) -> within<Policy>;
within(std::uint64_t) -> within<reverse_postorder_worklist>;

/// `policy`, but each time a node is visited again, checks that its greater input gave a greater output; likewise for
/// its edges. So it finds a transfer function that is not monotone where it does harm. `solve` then returns a `result`.
/// Can be combined with `within` in either order.
template <class Policy = reverse_postorder_worklist> struct checked {
  Policy policy = {};
};

template <class Policy> checked(Policy) -> checked<Policy>;
checked() -> checked<reverse_postorder_worklist>;

/// Why `solve` has given up.
template <class Element> struct solve_failure {
  enum class reason : std::uint8_t {
    out_of_visits, ///< `node` has been visited most often, `visits` times
    not_monotone,  ///< `node`, or `edge` if it is set, gave a smaller output for a greater input: see `witness`
  };

  /// The inputs and outputs of a transfer function on two visits, in order; the second input is the greater one.
  struct evidence {
    Element first_input;
    Element first_output;
    Element second_input;
    Element second_output;
    bool second_flows = true; ///< false if a fact flowed over `edge` the first time only
  };

  reason why{};
  node_id node = no_node;
  std::uint32_t visits = 0; ///< of `node`
  edge_id edge = no_edge;
  std::optional<evidence> witness = std::nullopt;
};

namespace detail {

/// The properties of a policy, with `within` and `checked` unwrapped.
template <class Policy> struct policy_traits {
  using base = Policy;
  static constexpr bool is_budgeted = false;
  static constexpr bool is_checked = false;

  static constexpr const base& base_of(const Policy& policy) { return policy; }

  static constexpr std::uint64_t max_visits(const Policy&) { return ~std::uint64_t{0}; }
};

template <class Policy> struct policy_traits<within<Policy>> : policy_traits<Policy> {
  using inner = policy_traits<Policy>;
  static constexpr bool is_budgeted = true;

  static constexpr const typename inner::base& base_of(const within<Policy>& w) { return inner::base_of(w.policy); }

  static constexpr std::uint64_t max_visits(const within<Policy>& w) {
    const std::uint64_t others = inner::max_visits(w.policy);
    return w.max_visits < others ? w.max_visits : others;
  }
};

template <class Policy> struct policy_traits<checked<Policy>> : policy_traits<Policy> {
  using inner = policy_traits<Policy>;
  static constexpr bool is_checked = true;

  static constexpr const typename inner::base& base_of(const checked<Policy>& c) { return inner::base_of(c.policy); }

  static constexpr std::uint64_t max_visits(const checked<Policy>& c) { return inner::max_visits(c.policy); }
};

} // namespace detail

/// A policy that `solve` accepts: one of the iteration policies, alone or inside `within` and `checked`.
template <class Policy>
concept solve_policy = iteration_policy<typename detail::policy_traits<Policy>::base>;

namespace detail {

MIDEND_REQUIRED(
    solve_policy,
    "a policy of `solve` is midend::reverse_postorder_worklist{}, midend::weak_topological{}, "
    "midend::round_robin{}, or one of them in `midend::within{limit, policy}` or `midend::checked{policy}`");

} // namespace detail

/// For signatures: a `solve_policy`; any other type is an error with a reason.
template <class Policy>
concept solve_policy_argument = solve_policy<Policy> || detail::solve_policy_row::explain<Policy>();

/// Whether solving by this policy may fail, so that it returns a `result`.
template <class Policy>
concept fallible_policy =
    solve_policy<Policy> && (detail::policy_traits<Policy>::is_budgeted || detail::policy_traits<Policy>::is_checked);

MIDEND_END_NAMESPACE
