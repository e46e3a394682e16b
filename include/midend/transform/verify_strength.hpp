/// `verify_strength`: checks that values of loops were replaced by counters that are always equal to them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_strength`: the first fault and its place in the new program, or none.
struct strength_verdict : change_verdict {
  std::size_t proven = 0; ///< operands and inputs that were replaced
};

namespace detail {

/// There may be new phis, and new operations that only compute. A new phi may be read in place of a value if it is
/// equal.
template <class Before, class After> class strength_checker : public allowed_changes {
  using kind = polynomial_atom::kind;

public:
  strength_checker(const Before& before, const After& after) : pair_(before, after), before_(before), after_(after) {}

  strength_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return {verdict_};
    }
    pair_.compare_flow(*this);
    if (ok()) {
      flow_ = dominators_and_loops(before_.graph());
      values_.run(before_);
      equal_to_.assign(pair_.new_home.size(), no_value);
    }
    pair_.compare_operations(*this);
    pair_.compare_reads(*this);
    return {verdict_, proven_};
  }

  change_fault added(node_id, value_id v) {
    if (v < pair_.num_old_values() || (!after_.is_phi(v) && !computes_without_promises(after_, v))) {
      return change_fault::extra_operation;
    }
    values_.define_new(after_, v);
    return change_fault::none;
  }

  change_fault read(const changed_read& r) {
    if (!is_counter_of(r.x, r.u)) {
      return change_fault::different_value;
    }
    ++proven_;
    return change_fault::none;
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  static constexpr number_reading low_bits = number_reading::low_bits;

  const loop_forest& loops() const { return flow_.loops; }

  bool is_inside(value_id v, loop_id l) const {
    const node_id n = v < pair_.new_home.size() ? pair_.new_home[v] : no_node;
    return n != no_node && loops().contains(l, n);
  }

  /// Whether `u` is a new phi that is equal to `x` in each iteration of the innermost loop of `x`.
  bool is_counter_of(value_id x, value_id u) {
    if (x == no_value || u == no_value || x >= pair_.num_old_values() || u < pair_.num_old_values() ||
        u >= pair_.new_home.size() || pair_.old_home[x] == no_node || pair_.new_home[u] == no_node ||
        !after_.is_phi(u)) {
      return false;
    }
    if (equal_to_[u] == x) {
      return true;
    }
    const loop_id l = loops().innermost_loop(pair_.old_home[x]);
    if (l == no_loop || loops().header(l) != pair_.new_home[u] || values_.width(x) != after_.operation(u).width ||
        !follows(x, u, l)) {
      return false;
    }
    equal_to_[u] = x;
    return true;
  }

  /// Proves by induction that the counter begins with the value of the first iteration, and that equality in one
  /// iteration implies equality in the next.
  bool follows(value_id x, value_id u, loop_id l) {
    const unsigned width = values_.width(x);
    polynomial now = values_.number_of(x, low_bits);
    values_.reduce(now, width);
    bool good = now.is_known;
    for (const loop_edge& e : loops().entering_edges(l)) {
      if (good && flow_.dominators.is_reachable(e.source)) {
        const polynomial start = read_new(static_cast<value_id>(after_.phi_input(u, e.id)), width);
        good = same_polynomial(start, along(now, e.id, l, width));
      }
    }
    for (const loop_edge& e : loops().backedges(l)) {
      if (good) {
        polynomial next = read_new(static_cast<value_id>(after_.phi_input(u, e.id)), width);
        put(next, u, now);
        values_.reduce(next, width);
        good = same_polynomial(next, along(now, e.id, l, width));
      }
    }
    return good;
  }

  polynomial read_new(value_id v, unsigned width) const {
    const bool fits = v != no_value && v < pair_.new_home.size() && after_.operation(v).width == width;
    return fits ? values_.read(after_, v, width, low_bits) : polynomial::unknown();
  }

  /// A value of the loop after control has taken an edge to the header: its phis are replaced by their inputs. The
  /// value must consist of phis of the header and invariants.
  polynomial along(const polynomial& p, edge_id e, loop_id l, unsigned width) const {
    polynomial out;
    out.is_known = p.is_known;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; k != t.size; ++k) {
        product = product_of(product, along(t.atoms[k], e, l, width));
      }
      out.add(product);
    }
    values_.reduce(out, width);
    return out;
  }

  polynomial along(const polynomial_atom& a, edge_id e, loop_id l, unsigned width) const {
    const bool is_of_value = a.is_number_of_value() || a.what == kind::pairs;
    if (is_of_value && !is_inside(a.id, l)) {
      return polynomial::of(a);
    }
    if (!a.is_number_of_value() || a.id >= pair_.num_old_values() || !before_.is_phi(a.id) ||
        pair_.old_home[a.id] != loops().header(l)) {
      return polynomial::unknown();
    }
    const unsigned wide = values_.width(a.id);
    const number_reading r = a.what == kind::signed_number ? number_reading::as_signed
                             : width <= wide               ? low_bits
                                                           : number_reading::as_unsigned;
    return values_.read(before_, static_cast<value_id>(before_.phi_input(a.id, e)), wide, r);
  }

  /// Substitutes a polynomial for value `u`.
  static void put(polynomial& p, value_id u, const polynomial& image) {
    polynomial out;
    out.is_known = p.is_known;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; k != t.size; ++k) {
        const bool is_u = t.atoms[k].is_number_of_value() && t.atoms[k].id == u;
        // The number of a value, with sign or in more bits, is not the polynomial of its bits.
        product = product_of(product, !is_u                                      ? polynomial::of(t.atoms[k])
                                      : t.atoms[k].what == kind::unsigned_number ? image
                                                                                 : polynomial::unknown());
      }
      out.add(product);
    }
    p = out;
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  std::size_t proven_ = 0;
  dominators_and_loops_result flow_;
  value_polynomials values_;
  flat_array<value_id> equal_to_; ///< by new phi: a value that is proven to be equal
};

} // namespace detail

/// Checks that `after` is `before`, where operations and phis read counters of loops in place of values that are always
/// equal to them. It shares no code with the transformation, and needs no witness; one must trust this function,
/// `dominators_and_loops`, and the semantics, effects and `same_operation` of the IRs. Requires IRs that `check_ir`
/// accepts.
///
/// **What is checked** of the reachable part of the new program. All is as it was (`compared_programs`), but:
/// 1. There may be new phis, and new operations that neither trap nor promise anything nor have effects.
/// 2. In place of x, a new phi u of the header of the innermost loop around x may be read, if u is equal to x in each
///    iteration.
///
/// **Counters.** x is a polynomial of phis of the header and of values that the loop does not change
/// (`value_polynomials`). By induction over the iterations: along each edge into the loop, u begins with the polynomial
/// of x at the phis' inputs; and along each backedge, if u equals x, the next u equals x at the next phis. Both are
/// identities of polynomials modulo 2^width. Numbers with and without sign (for extensions) are followed as far as
/// operations promise not to wrap.
///
/// **Why this is enough.** The header dominates the loop, so u is there wherever x is. A read of x is in the iteration
/// that computed x, or after the loop without a further iteration: otherwise there would be a path to the read without
/// x. Values from outside the loop do not change while it runs; and the operands of u's start cannot change between its
/// computation and the loop, because they dominate it.
///
/// O(n + m + values + operands).
template <certifiable_ir Before, certifiable_ir After>
  requires has_operation<Before> && has_operation<After>
strength_verdict verify_strength(const Before& before, const After& after) {
  return detail::strength_checker<Before, After>(before, after).run();
}

MIDEND_END_NAMESPACE
