/// `solve_sparse`: a fact for each SSA value, over the edges from definitions to uses.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// The two forms of `evaluate`; see `problem.hpp`.
template <class P>
concept evaluates_in_place = requires(const P& p, value_id v, span<const fact_of<P>> facts, fact_of<P>& fact) {
  p.evaluate(v, facts, fact);
} && !requires(const P& p, value_id v, span<const fact_of<P>> facts, fact_of<P>& fact) {
  p.evaluate(v, facts, std::move(fact));
};
template <class P>
concept evaluates_by_value = requires(const P& p, value_id v, span<const fact_of<P>> facts) {
  { p.evaluate(v, facts) } -> std::convertible_to<fact_of<P>>;
};

} // namespace detail

/// `evaluate(v, facts, fact)` computes the fact of a value that is not a phi from those of its operands,
/// `facts[operand]`; `fact` is bottom before the call. Or `evaluate(v, facts)` returns the fact.
template <class P>
concept has_evaluation = detail::evaluates_in_place<P> || detail::evaluates_by_value<P>;

/// A problem for `solve_sparse`: `lattice()` as for `solve`, and `evaluate`. Parameters and values read from outside
/// evaluate to top, or to the facts about them.
template <class P>
concept sparse_problem = has_lattice<P> && lattice_is_a_lattice<P> && has_evaluation<P>;

namespace detail {

struct sparse_solver;

MIDEND_REQUIRED(
    has_evaluation,
    "a problem for solve_sparse needs `void evaluate(midend::value_id v, std::span<const fact> facts, fact& f) const`, "
    "which changes f, or `fact evaluate(midend::value_id v, std::span<const fact> facts) const`");

struct sparse_problem_contract : contract<has_lattice_row, facts_row<lattice_contract>, has_evaluation_row> {};

} // namespace detail

/// For signatures: a `sparse_problem` whose lattice has optional members that fit; any other type is an error with a
/// reason.
template <class P>
concept sparse_problem_argument =
    (sparse_problem<P> && detail::sparse_problem_contract::fits<P>) || detail::sparse_problem_contract::explain<P>();

/// The fact of each value. 8 bytes a value beside the fact.
template <class Element> class sparse_solution {
public:
  using element = Element;

  constexpr std::size_t num_values() const { return visits_.size(); }

  constexpr const Element& fact(value_id v) const { return facts_[v]; }

  /// All facts, by value.
  constexpr span<const Element> facts() const { return {facts_.data(), facts_.size()}; }

  /// The number of times that `v` was evaluated.
  constexpr std::uint32_t visits(value_id v) const { return visits_[v]; }

  /// The number of times that the phi `v` was widened.
  constexpr std::uint32_t widenings(value_id v) const { return widenings_[v]; }

private:
  friend detail::sparse_solver;

  detail::fact_array<Element> facts_;
  flat_array<std::uint32_t> visits_;
  flat_array<std::uint32_t> widenings_;
};

/// Memory of `solve_sparse`, reusable for problem after problem.
template <class Element> class solve_sparse_workspace {
  friend detail::sparse_solver;

  flat_array<std::uint32_t> user_offsets_;
  flat_array<value_id> users_;
  detail::pending_set pending_;
  std::optional<Element> fact_;
};

namespace detail {

struct sparse_solver {
  template <class IR, class P, class Fact>
  static constexpr void run(const IR& ir, const P& problem, const widening_options& widen,
                            solve_sparse_workspace<Fact>& memory, sparse_solution<Fact>& out) {
    decltype(auto) lattice = problem.lattice();
    const auto count = static_cast<value_id>(ir.num_values());
    const Fact bottom = lattice.bottom();
    out.facts_.assign(count, bottom);
    out.visits_.assign(count, 0);
    out.widenings_.assign(count, 0);
    if constexpr (!has_users<IR>) {
      derive_users(ir, count, memory);
    }
    memory.fact_ = bottom;
    pending_set& pending = memory.pending_;
    pending.assign(count, true);
    pending.drain([&](value_id v) {
      if (update(ir, problem, lattice, widen, bottom, v, *memory.fact_, out)) {
        for_each_user(ir, v, memory, [&](value_id user) { pending.insert(user); });
      }
      return true;
    });
  }

private:
  template <class IR, class P, class L, class Fact>
  static constexpr bool update(const IR& ir, const P& problem, const L& lattice, const widening_options& widen,
                               const Fact& bottom, value_id v, Fact& scratch, sparse_solution<Fact>& out) {
    const span<const Fact> facts = out.facts();
    Fact& fact = out.facts_.data()[v];
    ++out.visits_[v];
    scratch = bottom;
    if (!ir.is_phi(v)) {
      if constexpr (evaluates_in_place<P>) {
        problem.evaluate(v, facts, scratch);
      } else {
        scratch = problem.evaluate(v, facts);
      }
      return lattice.join(fact, scratch);
    }
    for_each_id(ir.operands(v), [&](value_id operand) { lattice.join(scratch, facts[operand]); });
    if constexpr (has_widen<L>) {
      if (out.visits_[v] > widen.after) {
        ++out.widenings_[v];
        return lattice.widen(fact, scratch);
      }
    }
    return lattice.join(fact, scratch);
  }

  template <class IR, class Fact>
  static constexpr void derive_users(const IR& ir, value_id count, solve_sparse_workspace<Fact>& memory) {
    flat_array<std::uint32_t>& offsets = memory.user_offsets_;
    offsets.assign(count + std::size_t{1}, 0);
    for (value_id v = 0; v != count; ++v) {
      for_each_id(ir.operands(v), [&](value_id operand) { ++offsets[operand]; });
    }
    counts_to_ends(offsets);
    memory.users_.resize_for_overwrite(offsets[count]);
    for (value_id v = count; v-- != 0;) {
      for_each_id(ir.operands(v), [&](value_id operand) { memory.users_[--offsets[operand]] = v; });
    }
  }

  template <class IR, class Fact, class Visit>
  static constexpr void for_each_user(const IR& ir, value_id v, const solve_sparse_workspace<Fact>& memory,
                                      Visit visit) {
    if constexpr (has_users<IR>) {
      for_each_id(ir.users(v), visit);
    } else {
      for (std::uint32_t i = memory.user_offsets_[v]; i != memory.user_offsets_[v + std::size_t{1}]; ++i) {
        visit(memory.users_[i]);
      }
    }
  }
};

} // namespace detail

/// The least fact for each value such that a phi is above all its operands and every other value above the result of
/// `evaluate`, refilling `out`. Allocates nothing once workspace and result have seen as many values, if `evaluate`
/// does not.
///
/// The sparse form of a forward problem whose facts are about single values: for a program in SSA form, each value gets
/// the fact that `solve` computes for it over a `map`, if all blocks are reachable and edges imply nothing. (`sccp`
/// also leaves out code that is never executed.) Reif, Lewis, "Symbolic evaluation and the global value graph", POPL
/// 1977; Wegman, Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991, "sparse simple
/// constants".
///
/// Requires a monotone `evaluate`. With `widen.after`, phis that are visited more often are widened, which is enough
/// because every cycle has a phi; requires a lattice with `widen`. Does not narrow. Visits values in sweeps by number:
/// fast if most operands have lower numbers than their users.
///
/// O(h e) for e operands and a lattice of height h. The workspace takes 8 bytes a value and 4 an operand, if the IR has
/// no `users`.
template <ssa_values_argument IR, sparse_problem_argument P, class Fact>
constexpr void solve_sparse(const IR& ir, const P& problem, const widening_options& widen,
                            solve_sparse_workspace<Fact>& workspace, sparse_solution<Fact>& out) {
  static_assert(detail::facts_of_argument<Fact, P>);
  MIDEND_ASSERT(widen.after == widening_options::never || has_widen<lattice_of<P>>, "a lattice with widen");
  detail::sparse_solver::run(ir, problem, widen, workspace, out);
}

/// The least fact of each value.
template <ssa_values_argument IR, sparse_problem_argument P>
constexpr auto solve_sparse(const IR& ir, const P& problem, const widening_options& widen = {}) {
  sparse_solution<fact_of<P>> out;
  solve_sparse_workspace<fact_of<P>> workspace;
  solve_sparse(ir, problem, widen, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
