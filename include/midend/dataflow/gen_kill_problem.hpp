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
#include "midend/support/detail/contract.hpp"
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

template <class P>
concept names_boundary = requires { &P::boundary; } || requires(P& p, node_id n, any_effects& e) {
  p.boundary(n, e);
} || requires(P& p, node_id n) { p.boundary(n); };
template <class P>
concept has_direction_of_facts = has_direction<P>;
template <class P>
concept has_roots = has_root_policy<P> && P::direction == flow_direction::backward;

MIDEND_REQUIRED(has_direction_of_facts, "a gen/kill problem needs `static constexpr midend::flow_direction direction = "
                                        "midend::flow_direction::forward;`, or backward");
MIDEND_REQUIRED(has_confluence, "a gen/kill problem needs `static constexpr midend::flow_confluence confluence = "
                                "midend::flow_confluence::may;`, or must");
MIDEND_REQUIRED(has_num_facts, "a gen/kill problem needs `std::size_t num_facts() const`");
MIDEND_REQUIRED(has_effects, "a gen/kill problem needs `template <class Effects> void effects(midend::node_id n, "
                             "Effects& e) const`, which calls e.gen and e.kill");
MIDEND_OPTIONAL_ROW(
    boundary_row, has_boundary, names_boundary,
    "`boundary` of a gen/kill problem would never be called; write `template <class Effects> void "
    "boundary(midend::node_id n, Effects& e) const`, which calls e.gen, or give the member another name");
MIDEND_OPTIONAL_MEMBER(roots, has_roots, it.roots(), "of a gen/kill problem would never be called",
                       "`auto roots() const` in a backward problem so that it returns a post-dominance policy, such as "
                       "midend::given_roots");

struct gen_kill_contract : contract<has_direction_of_facts_row, has_confluence_row, has_num_facts_row, has_effects_row,
                                    boundary_row, roots_row> {};

} // namespace detail

/// For signatures: a `gen_kill_problem` with optional members that fit; any other type is an error with a reason.
template <class P>
concept gen_kill_problem_argument =
    (gen_kill_problem<P> && detail::gen_kill_contract::fits<P>) || detail::gen_kill_contract::explain<P>();

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
