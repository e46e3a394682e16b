/// The contract of gen/kill problems: analyses whose facts are numbers, and whose nodes make some facts true and some
/// false whatever came in, and pass on the rest.
///
///     struct liveness {                                // which variables are read later
///       static constexpr auto direction = midend::flow_direction::backward;
///       static constexpr auto confluence = midend::flow_confluence::may;
///       std::size_t num_facts() const { return num_variables; }
///       template <class Effects> void effects(midend::node_id n, Effects& e) const {
///         for (const my_instruction& i : blocks[n]) {
///           e.gen(i.operand);
///           e.kill(i.result);
///         }
///       }
///     };
///
/// `effects(n, e)` reports what the node does to facts **in the order of execution, whatever the direction**: the
/// solver composes the effects as the direction requires. In a forward problem the last effect on a fact counts, in a
/// backward problem the first. `e` has `gen(fact)`, `kill(fact)` and `kill_range(first, last)`, which excludes `last`.
/// Each call for a node must report the same effects.
///
/// Optional members:
///
/// - `boundary(n, e)`: calls `e.gen` for the facts that hold where control enters (forward, `n` is the entry) or leaves
///   (backward, `n` is one of the roots). Default: none.
/// - `roots()`: for backward problems, a post-dominance policy that says where control leaves: `exits_only`,
///   `virtual_edge_per_endless_region` or `given_roots`. Default: `exits_only` for may-problems and
///   `virtual_edge_per_endless_region` for must-problems, because otherwise every fact would hold in an endless loop.
///
/// A member of such a name that does not fit is an error.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// A fact of a gen/kill problem: dense, `0 … num_facts() - 1`.
using fact_id = std::uint32_t;

namespace detail {

/// The argument of `effects` and `boundary` in concepts.
struct any_effects {
  constexpr void gen(fact_id) {}

  constexpr void kill(fact_id) {}

  constexpr void gen_all(span<const fact_id>) {}

  constexpr void kill_all(span<const fact_id>) {}

  constexpr void kill_range(fact_id, fact_id) {}
};

} // namespace detail

/// `num_facts()` gives the number of facts.
template <class P>
concept has_num_facts = requires(const P& p) {
  { p.num_facts() } -> std::convertible_to<std::size_t>;
};

/// `effects(n, e)` exists, and takes `e` by reference.
template <class P>
concept has_effects = requires(const P& p, node_id n, detail::any_effects& e) { p.effects(n, e); } &&
                      !requires(const P& p, node_id n) { p.effects(n, detail::any_effects()); };

/// `boundary(n, e)` exists, and takes `e` by reference; optional.
template <class P>
concept has_boundary = requires(const P& p, node_id n, detail::any_effects& e) { p.boundary(n, e); } &&
                       !requires(const P& p, node_id n) { p.boundary(n, detail::any_effects()); };

/// `roots()` exists and gives a post-dominance policy; optional.
template <class P>
concept has_root_policy = requires(const P& p) {
  { p.roots() } -> post_dominance_policy;
};

/// A gen/kill problem, for `gen_kill`.
template <class P>
concept gen_kill_problem = has_direction<P> && has_confluence<P> && has_num_facts<P> && has_effects<P>;

namespace detail {

// A member of this name exists, whether it fits or not; see `graph/concepts.hpp`.
template <class P>
concept names_boundary = requires { &P::boundary; } || requires(P& p, node_id n, any_effects& e) {
  p.boundary(n, e);
} || requires(P& p, node_id n) { p.boundary(n); };
template <class P>
concept names_roots = requires { &P::roots; } || requires(P& p) { p.roots(); };

template <class P>
concept boundary_fits = has_boundary<P> || !names_boundary<P>;
template <class P>
concept roots_fit = (has_root_policy<P> && P::direction == flow_direction::backward) || !names_roots<P>;

/// Diagnostics for `gen_kill_problem`: one sentence for the first thing that is wrong. Always false.
template <class P> constexpr bool explain_gen_kill_problem() {
  if constexpr (!has_direction<P>) {
    static_assert(has_direction<P>, "midend: a gen/kill problem needs `static constexpr midend::flow_direction "
                                    "direction = midend::flow_direction::forward;`, or backward");
  } else if constexpr (!has_confluence<P>) {
    static_assert(has_confluence<P>, "midend: a gen/kill problem needs `static constexpr midend::flow_confluence "
                                     "confluence = midend::flow_confluence::may;`, or must");
  } else if constexpr (!has_num_facts<P>) {
    static_assert(has_num_facts<P>, "midend: a gen/kill problem needs `std::size_t num_facts() const`");
  } else if constexpr (!has_effects<P>) {
    static_assert(has_effects<P>, "midend: a gen/kill problem needs `template <class Effects> void "
                                  "effects(midend::node_id n, Effects& e) const`, which calls e.gen and e.kill");
  } else if constexpr (!boundary_fits<P>) {
    static_assert(has_boundary<P>, "midend: `boundary` of a gen/kill problem would never be called; write `template "
                                   "<class Effects> void boundary(midend::node_id n, Effects& e) const`, which calls "
                                   "e.gen, or give the member another name");
  } else if constexpr (!roots_fit<P>) {
    static_assert(roots_fit<P>,
                  "midend: `roots` of a gen/kill problem would never be called; write `auto roots() const` "
                  "in a backward problem so that it returns a post-dominance policy, such as "
                  "midend::given_roots, or give the member another name");
  }
  return false;
}

} // namespace detail

/// For signatures: a `gen_kill_problem` with optional members that fit; any other type is an error with a reason.
template <class P>
concept gen_kill_problem_argument =
    (gen_kill_problem<P> && detail::boundary_fits<P> && detail::roots_fit<P>) || detail::explain_gen_kill_problem<P>();

namespace detail {

template <class P> inline constexpr bool is_forward = P::direction == flow_direction::forward;

template <class P> inline constexpr bool is_may = P::confluence == flow_confluence::may;

/// Whether the facts at the boundary differ from the neutral element of the join.
template <class P> inline constexpr bool boundary_matters = has_boundary<P> || !is_may<P>;

template <class P> constexpr auto roots_of(const P& problem) {
  if constexpr (has_root_policy<P>) {
    return problem.roots();
  } else if constexpr (is_may<P>) {
    return exits_only;
  } else {
    return virtual_edge_per_endless_region;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
