/// `iteration_values`: what a value is in an iteration of a loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/detail/counter_steps.hpp"
#include "midend/transform/detail/evolution_claims.hpp"
#include "midend/transform/detail/iteration_polynomials.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes what is believed of phis and counts; returns values as polynomials of the iteration of a loop. The step of
/// the induction: all claims hold in iteration k, so this is what values are then. Loops inside have ended, after a
/// number of iterations that is proven.
template <class IR> class iteration_values {
  using kind = polynomial_atom::kind;

public:
  iteration_values(const proof_program<IR>& program, const evolution_claims<IR>& claims, const proven_counts& counts)
      : program_(program), claims_(claims), counts_(counts) {}

  /// `p` with what its values are in iteration k of `l`, modulo 2^width; or unknown.
  polynomial in_iteration(const polynomial& p, loop_id l, unsigned width) const {
    return resolved(p, l, width, most_steps);
  }

private:
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr unsigned most_steps = 12; ///< of what is resolved in what is resolved

  /// A polynomial, with what its values are in iteration k of `l`. Modulo 2^width.
  polynomial resolved(const polynomial& p, loop_id l, unsigned width, unsigned steps) const {
    polynomial out;
    out.is_known = p.is_known && steps != 0;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; out.is_known && product.is_known && k != t.size; ++k) {
        product = product_of(product, resolved(t.atoms[k], l, width, steps - 1));
      }
      out.add(product);
    }
    program_.values.reduce(out, width);
    return out;
  }

  /// What an atom is in iteration k of `l`.
  polynomial resolved(const polynomial_atom& a, loop_id l, unsigned width, unsigned steps) const {
    const bool is_of_value = a.is_number_of_value() || a.what == kind::pairs;
    const node_id n = is_of_value && a.id < program_.num_values() ? program_.home[a.id] : no_node;
    if (n == no_node || !program_.loops().contains(l, n)) {
      return polynomial::of(a);
    }
    if (!a.is_number_of_value()) {
      return polynomial::unknown();
    }
    loop_id at = program_.loops().innermost_loop(n);
    polynomial p = claimed_number(a, at, width);
    if (!p.is_known) {
      p = counter_in_range(a, l, steps, at);
    }
    while (at != l && p.is_known) { // what it is when the loops inside have ended
      if (!counts_[at].is_number && has_iteration(p, at)) {
        return polynomial::unknown();
      }
      set_iteration(p, at, counts_[at].backedges);
      at = program_.loops().parent(at);
      p = steps == 0 ? polynomial::unknown() : resolved(p, at, width, steps - 1);
    }
    return p;
  }

  /// What a phi of the header of `l` is by its claim.
  polynomial claimed_number(const polynomial_atom& a, loop_id l, unsigned width) const {
    const unsigned wide = program_.values.width(a.id);
    if (program_.ir.is_phi(a.id) && program_.loops().header(l) == program_.home[a.id]) {
      const number_reading r = a.what == kind::signed_number ? number_reading::as_signed
                               : width <= wide               ? low_bits
                                                             : number_reading::as_unsigned;
      if (const claimed_evolution* c = claims_.believed(a.id, r)) {
        return claims_.claimed_in(*c, 0);
      }
    }
    return polynomial::unknown();
  }

  /// A value whose bits are a counter of numbers that does not leave the range of its width as long as the loop runs:
  /// the innermost one in which they change, from `at` to `l`, which then is `at`.
  polynomial counter_in_range(const polynomial_atom& a, loop_id l, unsigned steps, loop_id& at) const {
    const unsigned wide = program_.values.width(a.id);
    polynomial bits = program_.values.number_of(a.id, low_bits);
    polynomial_atom itself;
    if (steps == 0 || (bits.is_atom(itself) && itself.id == a.id && claims_.believed(a.id, low_bits) == nullptr)) {
      return polynomial::unknown();
    }
    bits = resolved(bits, at, wide, steps - 1);
    while (at != l && bits.is_known && !has_iteration(bits, at)) {
      at = program_.loops().parent(at);
      bits = resolved(bits, at, wide, steps - 1);
    }
    polynomial rest;
    std::uint64_t step = 0;
    if (!split_counter(bits, at, rest, step) || !rest.is_number()) {
      return polynomial::unknown();
    }
    const bool is_signed = a.what == kind::signed_number;
    const std::uint64_t start = rest.constant();
    if (step != 0 &&
        (!counts_[at].is_bounded || !stays_in_range(start, step, counts_[at].backedges, wide, is_signed))) {
      return polynomial::unknown();
    }
    polynomial out = polynomial::number(is_signed ? static_cast<std::uint64_t>(as_signed(start, wide)) : start);
    const polynomial_atom iteration{kind::iteration, at, 1};
    out.add(polynomial::of(iteration), static_cast<std::uint64_t>(as_signed(step, wide)));
    return out;
  }

  proof_program<IR> program_;
  const evolution_claims<IR>& claims_;
  const proven_counts& counts_;
};

} // namespace detail

MIDEND_END_NAMESPACE
