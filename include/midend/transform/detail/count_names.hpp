/// `count_names`: values of a new program that are parts of the number of iterations of a loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/iteration_polynomials.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes proven counts; returns polynomials in which values of the new program that are a count, a limit or a quotient
/// have these names. The part of the proof that compares formulas: a formula is no polynomial, so both sides name it.
template <class IR> class count_names {
  using kind = polynomial_atom::kind;

public:
  /// `home`: the node of each value of `ir`, or `no_node`.
  count_names(const IR& ir, const flat_array<node_id>& home, const value_polynomials& values,
              const proven_counts& counts)
      : after_(ir), home_(home), values_(values), counts_(counts) {}

  /// Names values that are the limit of a loop by that, and, in more bits than the count has, those that are the count.
  void name_counts(polynomial& p, loop_id l, unsigned width) const {
    const proven_count& c = counts_[l];
    replace_atoms(p, [&](polynomial_atom a) {
      if (a.what == kind::pairs && is_count(a.id, l)) {
        return polynomial::of({kind::count_pairs, l, 0});
      }
      polynomial_atom count;
      const bool is_unsigned = a.what == kind::unsigned_number;
      bool is_the_count = is_unsigned && width > c.width && is_count(a.id, l);
      if (is_unsigned && width > c.width &&
          counts_.loaded(c.formula).is_atom(count)) { // the number itself, not only its bits
        is_the_count = is_the_count ||
                       (count.what == kind::limit ? is_limit(a.id, l) : a == count && values_.width(a.id) <= c.width);
      }
      return is_the_count ? polynomial::of({kind::count, l, 0}) : named(a, l);
    });
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  static constexpr number_reading low_bits = number_reading::low_bits;

  /// The limit of a loop, and parts of the number of its backedges, by these names.
  polynomial named(const polynomial_atom& a, loop_id l) const {
    const bool is_unsigned = a.what == kind::unsigned_number;
    if (is_unsigned && is_limit(a.id, l)) {
      return polynomial::of({kind::limit, l, 0});
    }
    if (is_unsigned && counts_[l].divisor != 1) {
      if (is_entered(a.id, l)) {
        return polynomial::of({kind::limit, l, 1});
      }
      if (is_quotient(a.id, l)) { // the number of backedges, or one less if there are some
        polynomial out = polynomial::of({kind::count, l, 0});
        if (counts_[l].limit != operation::other) {
          out.add(polynomial::of({kind::limit, l, 1}), minus_one);
        }
        return out;
      }
    }
    return polynomial::of(a);
  }

  /// The polynomial of one of two operands of a new operation, where the limit of the loop has its name; and with
  /// `names_entered`, also what `is_entered`.
  polynomial named_operand(value_id v, std::size_t place, loop_id l, bool names_entered) const {
    polynomial out = polynomial::unknown();
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id o) {
      if (i++ == place) {
        out = values_.read(after_, o, counts_[l].width, low_bits);
      }
    });
    replace_atoms(out, [&](const polynomial_atom& a) {
      const bool is_unsigned = a.what == kind::unsigned_number;
      return is_unsigned && is_limit(a.id, l)                      ? polynomial::of({kind::limit, l, 0})
             : is_unsigned && names_entered && is_entered(a.id, l) ? polynomial::of({kind::limit, l, 1})
                                                                   : polynomial::of(a);
    });
    out.cut(counts_[l].width);
    return i == 2 ? out : polynomial::unknown();
  }

  /// Whether a node of the new program computes a value with this operation, old or new.
  bool is_new_operation(value_id v, operation code, unsigned width) const {
    return v < home_.size() && home_[v] != no_node && !after_.is_phi(v) && !after_.constant(v) &&
           after_.operation(v).code == code && after_.operation(v).width == width;
  }

  /// Whether a value is 0 if the distance of a quotient is 0, else 1: the smaller one of 1 and the distance.
  bool is_entered(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    if (c.divisor == 1 || c.limit == operation::other || !is_new_operation(v, operation::umin, c.width)) {
      return false;
    }
    const polynomial x[2] = {named_operand(v, 0, l, false), named_operand(v, 1, l, false)};
    const polynomial one = polynomial::number(1);
    const polynomial distance = counts_.loaded(c.distance);
    return (same_polynomial(x[0], one) && same_polynomial(x[1], distance)) ||
           (same_polynomial(x[1], one) && same_polynomial(x[0], distance));
  }

  /// Whether a value is the distance over the step, rounded down; up to an order, the distance less 1, unless it is 0.
  bool is_quotient(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    const bool is_shift = is_new_operation(v, operation::shr, c.width);
    if (c.divisor == 1 || (!is_shift && !is_new_operation(v, operation::udiv, c.width))) {
      return false;
    }
    polynomial divided = counts_.loaded(c.distance);
    if (c.limit != operation::other) {
      divided.add(polynomial::of({kind::limit, l, 1}), minus_one);
      divided.cut(c.width);
    }
    const polynomial by = named_operand(v, 1, l, false);
    const bool is_divisor =
        by.is_number() && (is_shift ? by.constant() < c.width && std::uint64_t{1} << by.constant() == c.divisor
                                    : by.constant() == c.divisor);
    return is_divisor && same_polynomial(named_operand(v, 0, l, true), divided);
  }

  /// Whether a value is the smaller, or the larger one, of bound and start, as the order of the loop says.
  bool is_limit(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    if (c.limit == operation::other || v >= home_.size() || home_[v] == no_node || after_.is_phi(v) ||
        after_.operation(v).code != c.limit || after_.operation(v).width != c.width) {
      return false;
    }
    const polynomial first = counts_.loaded(c.first);
    const polynomial bound = counts_.loaded(c.bound);
    polynomial x[2] = {polynomial::unknown(), polynomial::unknown()};
    std::size_t count = 0;
    for_each_id(after_.operands(v), [&](value_id o) {
      if (count < 2) {
        x[count] = values_.read(after_, o, c.width, low_bits);
      }
      ++count;
    });
    return count >= 2 && ((same_polynomial(x[0], first) && same_polynomial(x[1], bound)) ||
                          (same_polynomial(x[1], first) && same_polynomial(x[0], bound)));
  }

  /// Whether a value is, as an unsigned number, the number of backedges.
  bool is_count(value_id v, loop_id l) const {
    while (v < home_.size() && home_[v] != no_node && !after_.is_phi(v) &&
           after_.operation(v).code == operation::zero_extend && after_.operation(v).width > counts_[l].width) {
      for_each_id(after_.operands(v), [&](value_id o) { v = o; });
    }
    if (v >= home_.size() || after_.constant(v) || after_.operation(v).width != counts_[l].width) {
      return false;
    }
    polynomial p = values_.number_of(v, low_bits);
    replace_atoms(p, [&](const polynomial_atom& a) { return named(a, l); });
    p.cut(counts_[l].width);
    return same_polynomial(p, counts_.loaded(counts_[l].formula));
  }

  const IR& after_;
  const flat_array<node_id>& home_;
  const value_polynomials& values_;
  const proven_counts& counts_;
};

} // namespace detail

MIDEND_END_NAMESPACE
