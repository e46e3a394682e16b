/// `verify_range_tests`: checks that tests for equality were replaced by equal ones.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_range_tests`.
using range_test_verdict = change_verdict;

namespace detail {

/// A branch may read an equal test, and there may be new operations that nothing else needs.
template <class Before, class After> class range_test_checker : public allowed_changes {
public:
  range_test_checker(const Before& before, const After& after) : pair_(before, after), before_(before), after_(after) {}

  range_test_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return verdict_;
    }
    pair_.compare_flow(*this);
    pair_.compare_operations(*this);
    polynomials_.run(after_);
    pair_.compare_reads(*this);
    return verdict_;
  }

  change_fault added(node_id, value_id v) const {
    const bool is_allowed = !after_.is_phi(v) && !is_terminator(after_, v) && after_.effect(v) == effect_kind::none &&
                            !after_.may_trap(v) && is_removable(after_, v);
    return is_allowed ? change_fault::none : change_fault::extra_operation;
  }

  change_fault read(const changed_read& r) const {
    if (r.user == no_value) {
      return pair_.same_value(r.x, r.x) && are_equal_tests(r.x, r.u) ? change_fault::none
                                                                     : change_fault::different_value;
    }
    // The terminator reads the condition as well.
    const bool is_condition = !after_.is_phi(r.user) && is_terminator(after_, r.user) &&
                              r.x == static_cast<value_id>(before_.condition(r.from)) &&
                              r.u == static_cast<value_id>(after_.condition(r.from));
    return is_condition ? change_fault::none : change_fault::wrong_operand;
  }

private:
  /// Whether both compare for equality, and the differences of their operands are equal, or one is the negative of the
  /// other, modulo 2^width. The new program has both.
  bool are_equal_tests(value_id v, value_id w) const {
    if (v == no_value || w == no_value || !is_equality(v) || !is_equality(w)) {
      return false;
    }
    const operation_info one = after_.operation(v);
    const operation_info other = after_.operation(w);
    if (one.code != other.code || one.operand_width != other.operand_width) {
      return false;
    }
    const polynomial x = difference(v, one.operand_width);
    polynomial minus_x;
    minus_x.add(x, ~std::uint64_t{0});
    minus_x.cut(one.operand_width);
    const polynomial y = difference(w, one.operand_width);
    return same_modulo(x, y, one.operand_width) || same_modulo(minus_x, y, one.operand_width);
  }

  bool is_equality(value_id v) const {
    if (after_.is_phi(v) || after_.constant(v)) {
      return false;
    }
    const operation_info info = after_.operation(v);
    return (info.code == operation::equal || info.code == operation::not_equal) && info.width == 1 &&
           info.operand_width != 0 && info.operand_width <= 64;
  }

  polynomial difference(value_id test, unsigned width) const {
    polynomial out;
    std::size_t count = 0;
    for_each_id(after_.operands(test), [&](value_id x) {
      out.add(polynomials_.read(after_, x, width, number_reading::low_bits), count++ == 0 ? 1 : ~std::uint64_t{0});
    });
    out.cut(width);
    return count == 2 ? out : polynomial::unknown();
  }

  static bool same_modulo(const polynomial& a, const polynomial& b, unsigned width) {
    polynomial apart = a;
    apart.add(b, ~std::uint64_t{0});
    apart.cut(width);
    return apart.is_known && apart.terms.empty();
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  value_polynomials polynomials_;
};

} // namespace detail

/// Checks that `after` is `before` with other conditions of branches, which are equal tests, and with operations that
/// compute these. It shares no code with `range_tests`; one must trust this function, `operation` and `same_operation`
/// of the IR. Requires IRs that `check_ir` accepts. Values keep their numbers, so there is no witness.
///
/// **What is checked** of the reachable part. All is as it was (`compared_programs`), but:
/// 1. There may be new operations without effects that are removable and do not trap.
/// 2. A branch may read another condition if both are == or both are != of numbers of one width, and the differences of
///    the two numbers, as polynomials of values modulo 2^width, are equal or negatives of each other.
///
/// **Why this is enough.** a == b if and only if a - b is 0 modulo 2^width, which it is if and only if its negative is.
/// Only conditions and added operations read the results of added operations.
///
/// O(n + m + values + operands).
template <certifiable_ir Before, certifiable_ir After>
  requires semantic_ir<After>
range_test_verdict verify_range_tests(const Before& before, const After& after) {
  return detail::range_test_checker<Before, After>(before, after).run();
}

MIDEND_END_NAMESPACE
