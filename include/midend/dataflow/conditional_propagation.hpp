/// Conditional propagation over variables: facts about variables, without branches that are never taken.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/lattices/map.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/dataflow/unassigned_variable.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// What statements assign and where branches go; `facts[x]` is the fact about variable x:
///
///     element evaluate(statement_id s, variable_id x, std::span<const element> facts) const;  // of x, which s defines
///     bool may_take(const flow_edge& e, std::span<const element> facts) const;
///     unsigned width(variable_id x) const;
///
/// `evaluate` sees facts, not constants, so it can say what holds for unknown operands (x - x is 0).
///
/// Both must be monotone: with more possible values, more values are assigned and at least as many edges are taken. So
/// `may_take` is false as long as the condition is bottom.
template <class S, class D>
concept program_semantics =
    requires(const S& s, statement_id statement, variable_id x, const flow_edge& e, span<const element_of<D>> facts) {
      { s.evaluate(statement, x, facts) } -> std::convertible_to<element_of<D>>;
      { s.may_take(e, facts) } -> std::same_as<bool>;
      { s.width(x) } -> std::convertible_to<unsigned>;
    };

namespace detail {

MIDEND_REQUIRED_WITH(
    program_semantics,
    "the semantics of statements need `fact evaluate(midend::statement_id s, midend::variable_id x, "
    "std::span<const fact> facts) const`, `bool may_take(const midend::flow_edge& e, std::span<const fact> "
    "facts) const` and `unsigned width(midend::variable_id x) const`, where fact is the `element` of the "
    "domain");

} // namespace detail

/// For signatures: a `program_semantics`; any other type is an error with a reason.
template <class S, class D>
concept program_semantics_argument = program_semantics<S, D> || detail::program_semantics_row<D>::template explain<S>();

/// Conditional propagation as a problem for `solve`, `fact_cursor` and reports: forward over `map<D>`, an element for
/// each variable. Wegman, Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991, "conditional
/// constants", with dense facts and for any domain; for programs in SSA form, `sccp` computes these facts at less cost.
///
/// A statement reads all its uses before it writes. A variable that it may define becomes top. Nodes that `solve` does
/// not reach are never executed. Refers to the IR.
///
/// Requires a domain with short chains (constants, known bits), because nothing is widened. O(v) for each visit of a
/// node and v variables, and as many visits as the chains allow; two facts for each node and variable.
template <value_domain_argument D, statement_ir_argument IR, program_semantics_argument<D> Semantics>
class conditional_propagation_problem {
public:
  using value = element_of<D>;
  using fact = element_of<map<D>>;

  static constexpr flow_direction direction = flow_direction::forward;

  constexpr conditional_propagation_problem(const IR& ir, Semantics semantics,
                                            unassigned_variable unassigned = unassigned_variable::is_bottom,
                                            D domain = {})
      : ir_(ir), semantics_(std::move(semantics)), unassigned_(unassigned), domain_(domain),
        lattice_(domain, static_cast<std::size_t>(ir.num_variables())) {}

  constexpr const map<D>& lattice() const { return lattice_; }

  constexpr const IR& ir() const { return ir_; }

  constexpr fact boundary(node_id) const {
    fact out = lattice_.bottom();
    if (unassigned_ == unassigned_variable::is_top) {
      for (variable_id x = 0; x != ir_.num_variables(); ++x) {
        out[x] = domain_.top(semantics_.width(x));
      }
    }
    return out;
  }

  constexpr void transfer_statement(statement_id s, fact& f) const {
    detail::dense_values<value> assigned;
    const span<const value> before(f.data(), f.size());
    detail::for_each_id(ir_.definitions(s),
                        [&](variable_id x) { assigned.push_back(semantics_.evaluate(s, x, before)); });
    if constexpr (has_may_definitions<IR>) {
      detail::for_each_id(ir_.may_definitions(s), [&](variable_id x) { f[x] = domain_.top(semantics_.width(x)); });
    }
    std::size_t i = 0;
    detail::for_each_id(ir_.definitions(s), [&](variable_id x) { f[x] = assigned[i++]; });
  }

  constexpr bool transfer_edge(const flow_edge& e, fact& f) const {
    return semantics_.may_take(e, span<const value>(f.data(), f.size()));
  }

private:
  const IR& ir_;
  [[no_unique_address]] Semantics semantics_;
  unassigned_variable unassigned_;
  [[no_unique_address]] D domain_;
  map<D> lattice_;
};

MIDEND_END_NAMESPACE
