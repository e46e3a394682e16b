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
#include "midend/transform/detail/paired_programs.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a program in which tests were replaced.
enum class range_test_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs have different nodes, or values are missing
  changed_flow,      ///< an edge, its target or its case differs
  changed_operation, ///< an old operation differs, is missing, or is at another place
  wrong_operand,     ///< an old operation or phi reads another value
  new_operation,     ///< a new operation may trap or has an effect
  other_test         ///< a branch reads another condition that is no equal test
};

/// The answer of `verify_range_tests`: the first fault and its place in the new program, or none.
struct range_test_verdict {
  range_test_fault fault = range_test_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == range_test_fault::none; }
};

namespace detail {

template <class Before, class After> class range_test_checker {
public:
  range_test_checker(const Before& before, const After& after) : pair_(before, after), before_(before), after_(after) {}

  range_test_verdict run() {
    if (!pair_.read()) {
      return {range_test_fault::wrong_size};
    }
    polynomials_.run(after_);
    for (std::size_t i = 0; verdict_ && i != pair_.order.size(); ++i) {
      check_node(pair_.order[i]);
    }
    return verdict_;
  }

private:
  void fail(range_test_fault fault, node_id n, value_id v = no_value) {
    if (verdict_) {
      verdict_ = {fault, n, v};
    }
  }

  void check_node(node_id n) {
    if (!pair_.same_edges(n)) {
      return fail(range_test_fault::changed_flow, n);
    }
    old_.clear();
    for_each_id(before_.values(n), [&](value_id v) { old_.push_back(v); });
    std::size_t at = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (at != old_.size() && old_[at] == v) {
        check_old(n, v);
        ++at;
      } else if (v < pair_.num_old_values() && pair_.old_home[v] != no_node) {
        fail(range_test_fault::changed_operation, n, v);
      } else if (after_.is_phi(v) || is_terminator(after_, v) || after_.may_trap(v) || !is_removable(after_, v)) {
        fail(range_test_fault::new_operation, n, v);
      }
    });
    if (at != old_.size()) {
      fail(range_test_fault::changed_operation, n);
    }
    check_condition(n);
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (phi >= pair_.num_old_values() || !before_.is_phi(phi)) {
          fail(range_test_fault::new_operation, n, phi);
        } else if (!pair_.same_value(static_cast<value_id>(before_.phi_input(phi, e)),
                                     static_cast<value_id>(after_.phi_input(phi, e)))) {
          fail(range_test_fault::wrong_operand, n, phi);
        }
      });
    });
  }

  /// Compares an old operation. A terminator may read another condition.
  void check_old(node_id n, value_id v) {
    if (!pair_.same_operation(v, v)) {
      return fail(range_test_fault::changed_operation, n, v);
    }
    if (before_.is_phi(v) || pair_.same_operands(v)) {
      return;
    }
    reads_.clear();
    for_each_id(before_.operands(v), [&](value_id x) { reads_.push_back(x); });
    const auto old_condition = static_cast<value_id>(before_.condition(n));
    const auto new_condition = static_cast<value_id>(after_.condition(n));
    std::size_t i = 0;
    bool same = is_terminator(after_, v);
    for_each_id(after_.operands(v), [&](value_id u) {
      same = same && i < reads_.size() &&
             (pair_.same_value(reads_[i], u) || (reads_[i] == old_condition && u == new_condition));
      ++i;
    });
    if (!same || i != reads_.size()) {
      fail(range_test_fault::wrong_operand, n, v);
    }
  }

  void check_condition(node_id n) {
    const auto was = static_cast<value_id>(before_.condition(n));
    const auto is = static_cast<value_id>(after_.condition(n));
    if (!verdict_ || pair_.same_value(was, is)) {
      return;
    }
    if (!pair_.same_value(was, was) || !are_equal_tests(was, is)) {
      fail(range_test_fault::other_test, n, is);
    }
  }

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

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  value_polynomials polynomials_;
  range_test_verdict verdict_;
  flat_array<value_id> old_;
  flat_array<value_id> reads_;
};

} // namespace detail

/// Checks that `after` is `before` with other conditions of branches, which are equal tests, and with operations that
/// compute these. It shares no code with `range_tests`; one must trust this function, `operation` and `same_operation`
/// of the IR. Requires IRs that `check_ir` accepts. Values keep their numbers, so there is no witness.
///
/// **What is checked** of the reachable part. Edges, cases, operations and phis are the old ones, in their order, and
/// read what they read. Operations that were added could be removed: they have no effect and do not trap. A condition
/// is the old one; or both are == or both are != of numbers of one width, and the differences of the two numbers, as
/// polynomials of values modulo 2^width, are equal or negatives of each other.
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
