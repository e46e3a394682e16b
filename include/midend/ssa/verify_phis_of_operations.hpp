/// `verify_phis_of_operations`: proves that operations equal the phis that a plan makes of them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/detail/translated_operations.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/ssa/verify_congruence.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR, class D> class phi_of_operations_checker {
public:
  using constant_type = domain_constant<D>;
  using claim = phi_of_operations<constant_type>;

  phi_of_operations_checker(const IR& ir, const value_numbering_result<D>& found,
                            const value_numbering_plan<constant_type>& plan)
      : ir_(ir), found_(found), plan_(plan), at_(ir, found, plan) {}

  congruence_error run() {
    for (const auto& change : plan_.replacements) { // operands are read through these
      if (!found_.are_congruent(change.value, change.leader)) {
        return {congruence_fault::not_equal, change.value, change.leader, no_edge};
      }
    }
    for (std::size_t i = 0; i != plan_.phis.size(); ++i) {
      if (const congruence_error error = check(plan_.phis[i])) {
        return error;
      }
      at_.add_claim(i);
    }
    return {};
  }

private:
  congruence_error check(const claim& one) {
    const value_id v = one.value;
    if (!at_.may_translate(v) || !at_.tree().dominates(one.node, at_.home(v))) {
      return {congruence_fault::not_equal, v, no_value, no_edge};
    }
    const span<const edge_id> edges = at_.in_edges(one.node);
    if (edges.size() != one.inputs.size()) {
      return {congruence_fault::edge, v, no_value, no_edge};
    }
    for (std::size_t i = 0; i != edges.size(); ++i) {
      const auto& input = one.inputs[i];
      if (input.edge != edges[i] || !found_.is_executable_edge(edges[i])) {
        return {congruence_fault::edge, v, no_value, edges[i]};
      }
      if (!at_.translate(v, one.node, i) || !is_on_edge(v, input)) {
        return {congruence_fault::not_equal, v, input.value, edges[i]};
      }
    }
    return check_phi(one);
  }

  /// Whether the translated `v` equals this input.
  bool is_on_edge(value_id v, const typename claim::input& input) {
    if (input.value == no_value) {
      return input.constant && at_.folded(v) == input.constant;
    }
    if (!at_.arrives(input.value, input.edge) || !found_.is_computed(input.value) || !same_type(ir_, v, input.value)) {
      return false;
    }
    if (at_.passed_on(v).value == input.value) {
      return true;
    }
    if (!at_.may_translate(input.value)) {
      return false;
    }
    at_.describe(v, description_);
    at_.describe_here(input.value, other_description_);
    return description_ == other_description_;
  }

  /// Checks that the phi of the program, or that of another operation of the list, has the same inputs.
  congruence_error check_phi(const claim& one) {
    const congruence_error error{congruence_fault::not_equal, one.value, one.phi != no_value ? one.phi : one.first,
                                 no_edge};
    if (one.phi != no_value) {
      if (at_.home(one.phi) != one.node || !ir_.is_phi(one.phi) || !same_type(ir_, one.value, one.phi)) {
        return error;
      }
      for (const auto& input : one.inputs) {
        const auto other = static_cast<value_id>(ir_.phi_input(one.phi, input.edge));
        if (other == no_value || !found_.is_computed(other) || is_undefined_literal(ir_, other) ||
            !(input.value != no_value ? found_.are_congruent(input.value, other)
                                      : at_.constant(other) == input.constant)) {
          return error;
        }
      }
    } else if (one.first != one.value) {
      const claim* const first = earlier(one);
      if (first == nullptr || first->node != one.node || !same_type(ir_, one.value, first->value)) {
        return error;
      }
      for (std::size_t i = 0; i != one.inputs.size(); ++i) {
        const auto& a = one.inputs[i];
        const auto& b = first->inputs[i];
        const auto of = [this](const typename claim::input& input) {
          return input.value != no_value ? at_.constant(input.value) : input.constant;
        };
        const bool are_congruent = a.value != no_value && b.value != no_value && found_.are_congruent(a.value, b.value);
        if (!are_congruent && !(of(a) && of(a) == of(b))) {
          return error;
        }
      }
    }
    return {};
  }

  /// The operation for which the same phi is made.
  const claim* earlier(const claim& one) const {
    for (const claim& other : plan_.phis) {
      if (&other == &one) {
        break;
      }
      if (other.value == one.first && other.phi == no_value && other.first == other.value) {
        return &other;
      }
    }
    return nullptr;
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  const value_numbering_plan<constant_type>& plan_;
  translated_operations<IR, D> at_;
  flat_array<std::uint32_t> description_;
  flat_array<std::uint32_t> other_description_;
};

} // namespace detail

/// The first operation of `plan` that `found` does not prove equal to its phi, or none. For each edge into the node of
/// the phi, the operation is computed from the values of its operands on that edge: inputs of phis of the node, values
/// computed above it, and inputs of earlier operations of the list. The result has to be the input: a constant, an
/// operand, or an operation that was computed before the edge is taken and computes the same. `verify_congruence`
/// proves `found`.
///
/// O(values + operands + edges + inputs), and for each operation that shares the phi of another one, the list.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
congruence_error verify_phis_of_operations(const IR& ir, const value_numbering_result<D>& found,
                                           const value_numbering_plan<domain_constant<D>>& plan) {
  return detail::phi_of_operations_checker<IR, D>(ir, found, plan).run();
}

MIDEND_END_NAMESPACE
