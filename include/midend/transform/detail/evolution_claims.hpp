/// `evolution_claims`: the claims of a `final_value_witness`, read and not yet proven.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes the witness; returns what it claims of a phi or a loop. The first part of the proof: it only finds out what is
/// claimed. `count_prover` and `prove_claims` show what is true, and drop the rest.
template <class IR> class evolution_claims {
  using kind = polynomial_atom::kind;

public:
  evolution_claims(const proof_program<IR>& program, const final_value_witness& w) : program_(program), w_(w) {}

  /// Reads the witness. A fault if it names a node that is no header, a phi that is in none, or a value from inside.
  change_verdict read() {
    claimed_.assign(program_.loops().num_loops(), none);
    for (std::uint32_t i = 0; i != w_.counts.size(); ++i) {
      const node_id h = w_.counts[i].header;
      if (h >= program_.loops().num_nodes() || !program_.loops().is_header(h)) {
        return {change_fault::wrong_witness, h};
      }
      claimed_[program_.loops().innermost_loop(h)] = i;
    }
    believed_.assign(w_.evolutions.size(), 1);
    places_.assign(3 * program_.num_values(), none);
    for (std::uint32_t i = 0; i != w_.evolutions.size(); ++i) {
      const claimed_evolution& c = w_.evolutions[i];
      const node_id h = c.phi < program_.num_values() ? program_.home[c.phi] : no_node;
      if (h == no_node || !program_.ir.is_phi(c.phi) || !program_.loops().is_header(h) ||
          !names_values_from_outside(c)) {
        return {change_fault::wrong_witness, h, c.phi};
      }
      places_[claim_place(c.phi, c.reading)] = i;
    }
    return {};
  }

  // ---- Counts.

  bool has_count(loop_id l) const { return claimed_[l] != none; }

  /// The claimed number of backedges. Requires `has_count`.
  std::uint64_t count(loop_id l) const { return w_.counts[claimed_[l]].backedges; }

  // ---- Evolutions.

  std::uint32_t num_evolutions() const { return static_cast<std::uint32_t>(w_.evolutions.size()); }

  const claimed_evolution& evolution(std::uint32_t i) const { return w_.evolutions[i]; }

  bool is_believed(std::uint32_t i) const { return believed_[i] != 0; }

  /// Stops believing a claim: it does not follow.
  void drop(std::uint32_t i) { believed_[i] = 0; }

  /// What is believed of a phi, or null.
  const claimed_evolution* believed(value_id v, number_reading r) const {
    const std::uint32_t i = places_[claim_place(v, r)];
    return i != none && is_believed(i) ? &w_.evolutions[i] : nullptr;
  }

  /// The loop of the phi of a claim.
  loop_id loop_of(const claimed_evolution& c) const { return program_.loops().innermost_loop(program_.home[c.phi]); }

  /// How many bits a claim is about.
  unsigned width_of(const claimed_evolution& c) const {
    return c.reading == low_bits ? program_.values.width(c.phi) : 64;
  }

  /// The value that a claim gives for iteration k + `later`; `later` is 0 or 1.
  polynomial claimed_in(const claimed_evolution& c, std::uint64_t later) const {
    const loop_id l = loop_of(c);
    const unsigned width = width_of(c);
    polynomial out = sum_of(c.coefficients[0], width);
    for (std::uint64_t d = 1; d <= claimed_evolution::max_degree; ++d) {
      const polynomial step = sum_of(c.coefficients[d], width);
      out.add(product_of(step, polynomial::of({kind::iteration, l, d})));
      if (later != 0) { // (k + 1 over d) is (k over d) + (k over d - 1)
        out.add(d == 1 ? step : product_of(step, polynomial::of({kind::iteration, l, d - 1})));
      }
    }
    if (c.ratio != 1) {
      out.add(product_of(sum_of(c.scale, width), polynomial::of({kind::power, l, c.ratio})), later != 0 ? c.ratio : 1);
    }
    program_.values.reduce(out, width);
    return out;
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr number_reading low_bits = number_reading::low_bits;

  static std::size_t claim_place(value_id phi, number_reading r) {
    return 3 * std::size_t{phi} + static_cast<std::size_t>(r);
  }

  /// Whether the coefficients of a claim are sums of values from outside its loop.
  bool names_values_from_outside(const claimed_evolution& c) const {
    bool good = true;
    const auto check = [&](const linear_form& f) {
      good = good && f.num_terms <= linear_form::max_terms;
      for (std::uint32_t i = 0; good && i != f.num_terms; ++i) {
        const value_id v = f.terms[i].value;
        good = v < program_.num_values() &&
               (program_.home[v] == no_node || !program_.loops().contains(loop_of(c), program_.home[v]));
      }
    };
    for (const linear_form& f : c.coefficients) {
      check(f);
    }
    check(c.scale);
    return good;
  }

  /// The sum of a form, modulo 2^width.
  polynomial sum_of(const linear_form& f, unsigned width) const {
    polynomial out = polynomial::number(f.constant);
    for (std::uint32_t i = 0; i != f.num_terms; ++i) {
      const linear_form::term& t = f.terms[i];
      const unsigned wide = program_.values.width(t.value);
      polynomial one = polynomial::unknown();
      if (t.reading != low_bits) {
        one = program_.values.read(program_.ir, t.value, wide, t.reading);
      } else if (wide >= width) {
        one = program_.values.read(program_.ir, t.value, width, low_bits);
      }
      out.add(one, t.coefficient);
    }
    program_.values.reduce(out, width);
    return out;
  }

  proof_program<IR> program_;
  const final_value_witness& w_;
  flat_array<std::uint32_t> claimed_;  ///< by loop: its claim in `counts` of the witness
  flat_array<std::uint32_t> places_;   ///< by value and reading: its claim in `evolutions` of the witness
  flat_array<unsigned char> believed_; ///< by claim
};

} // namespace detail

MIDEND_END_NAMESPACE
