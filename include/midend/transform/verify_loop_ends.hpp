/// `verify_loop_ends`: checks that loops end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/promised_to_end.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_loop_ends`: the first header of which nothing shows that its loop ends, or `no_node`.
struct loop_ends_verdict {
  node_id node = no_node;

  explicit operator bool() const { return node == no_node; }
};

namespace detail {

template <class IR> class loop_ends_checker {
  using kind = polynomial_atom::kind;

public:
  explicit loop_ends_checker(const IR& ir) : ir_(ir), flow_(dominators_and_loops(ir.graph())) {
    values_.run(ir);
    home_.assign(static_cast<std::size_t>(ir.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir.graph()); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
    }
  }

  /// Whether a test that each iteration makes is met by a counter some time, or the program promises an end.
  bool ends(node_id header) const {
    if (header >= flow_.loops.num_nodes() || !flow_.loops.is_header(header)) {
      return false;
    }
    const loop_id l = flow_.loops.innermost_loop(header);
    if (is_promised_to_end(ir_, flow_.loops, l)) {
      return true;
    }
    for (const loop_edge& e : flow_.loops.exiting_edges(l)) {
      bool is_tested = flow_.loops.innermost_loop(e.source) == l;
      for (const loop_edge& back : flow_.loops.backedges(l)) {
        is_tested = is_tested && flow_.dominators.dominates(e.source, back.source);
      }
      if (is_tested && is_met(l, leaving_test_of(ir_, flow_.loops, l, e.source))) {
        return true;
      }
    }
    return false;
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  /// A polynomial as start + k · step in iteration k of a loop, where the step is a number.
  struct counter {
    bool is_known = false;
    polynomial start; ///< of values that the loop does not change
    std::uint64_t step = 0;
    value_id phi = no_value;     ///< the last one in it
    bool promises_signed = true; ///< all phis in it promise not to wrap
    bool promises_unsigned = true;
  };

  /// Each phi in it is itself plus a number in the next iteration.
  counter counter_of(const polynomial& p, loop_id l, unsigned width) const {
    counter out;
    out.is_known = p.is_known;
    for (const polynomial_term& t : p.terms) {
      bool changes = false;
      for (std::uint32_t i = 0; i != t.size; ++i) {
        changes = changes || !t.atoms[i].is_number_of_value() || is_inside(t.atoms[i].id, l);
      }
      if (!changes) {
        out.start.add(t);
      } else if (t.size == 1 && t.atoms[0].what == kind::unsigned_number && width <= values_.width(t.atoms[0].id)) {
        add_phi(t.atoms[0].id, l, width, t.coefficient, out);
      } else {
        out.is_known = false;
      }
    }
    values_.reduce(out.start, width);
    out.is_known = out.is_known && out.start.is_known;
    out.step &= low_ones(width);
    return out;
  }

  bool is_inside(value_id v, loop_id l) const { return home_[v] != no_node && flow_.loops.contains(l, home_[v]); }

  void add_phi(value_id phi, loop_id l, unsigned width, std::uint64_t by, counter& out) const {
    if (!ir_.is_phi(phi) || home_[phi] != flow_.loops.header(l)) {
      out.is_known = false;
      return;
    }
    polynomial start = polynomial::unknown();
    for (const loop_edge& e : flow_.loops.entering_edges(l)) {
      if (flow_.dominators.is_reachable(e.source)) {
        const polynomial one =
            values_.read(ir_, static_cast<value_id>(ir_.phi_input(phi, e.id)), width, number_reading::low_bits);
        out.is_known = out.is_known && one.is_known && (!start.is_known || same_polynomial(start, one));
        start = one;
      }
    }
    bool is_first = true;
    std::uint64_t step = 0;
    for (const loop_edge& e : flow_.loops.backedges(l)) {
      const auto next = static_cast<value_id>(ir_.phi_input(phi, e.id));
      polynomial apart = values_.read(ir_, next, width, number_reading::low_bits);
      apart.add(values_.number_of(phi, number_reading::low_bits), minus_one);
      values_.reduce(apart, width);
      out.is_known = out.is_known && apart.is_number() && (is_first || apart.constant() == step);
      step = apart.is_number() ? apart.constant() : 0;
      is_first = false;
      note_promises(next, phi, out);
    }
    out.phi = phi;
    out.start.add(start, by);
    out.step += step * by;
  }

  /// Whether the next value is the phi plus a literal, by an operation that promises not to wrap.
  void note_promises(value_id next, value_id phi, counter& out) const {
    bool reads_phi = false;
    const bool is_operation = next != no_value && home_[next] != no_node && !ir_.is_phi(next);
    const operation_info info = is_operation ? ir_.operation(next) : operation_info();
    if (info.code == operation::add || info.code == operation::sub) {
      for_each_id(ir_.operands(next), [&](value_id o) { reads_phi = reads_phi || o == phi; });
    }
    out.promises_signed = out.promises_signed && reads_phi && info.flags.no_signed_wrap;
    out.promises_unsigned = out.promises_unsigned && reads_phi && info.flags.no_unsigned_wrap;
  }

  bool is_met(loop_id l, leaving_test t) const {
    if (t.code == operation::other) {
      return false;
    }
    const polynomial x = values_.read(ir_, t.a, t.width, number_reading::low_bits);
    const polynomial y = values_.read(ir_, t.b, t.width, number_reading::low_bits);
    if (t.code == operation::equal || t.code == operation::not_equal) {
      polynomial apart = x;
      apart.add(y, minus_one);
      values_.reduce(apart, t.width);
      const counter c = counter_of(apart, l, t.width);
      return c.is_known && meets_equality(c, t);
    }
    counter a = counter_of(x, l, t.width);
    counter b = counter_of(y, l, t.width);
    if (a.step == 0) {
      t.code = mirrored(t.code);
      swap_values(a, b);
    }
    return a.is_known && b.is_known && b.step == 0 && meets_order(a, b, t);
  }

  /// The counter runs through all numbers that differ from its start by a multiple of a power of two.
  static bool meets_equality(const counter& c, const leaving_test& t) {
    if (t.code == operation::not_equal) { // two numbers in a row that are not both 0
      return c.step != 0 || (c.start.is_number() && c.start.constant() != 0);
    }
    const unsigned shift = c.step == 0 ? t.width : static_cast<unsigned>(std::countr_zero(c.step));
    return shift == 0 || (c.start.is_number() && (c.start.constant() & low_ones(shift)) == 0);
  }

  bool meets_order(const counter& a, const counter& b, const leaving_test& t) const {
    const bool is_signed = t.code >= operation::less && t.code <= operation::greater_equal;
    const bool is_strict = t.code == operation::less || t.code == operation::greater || t.code == operation::uless ||
                           t.code == operation::ugreater;
    const bool is_above = t.code == operation::greater || t.code == operation::greater_equal ||
                          t.code == operation::ugreater || t.code == operation::ugreater_equal;
    if (a.step == 0) {
      return false;
    }
    // Before the counter has passed all its numbers, it breaks a promise; and the test reads it.
    if (values_.width(a.phi) == t.width && (is_signed ? a.promises_signed : a.promises_unsigned)) {
      return true;
    }
    const unsigned shift = static_cast<unsigned>(std::countr_zero(a.step));
    if (shift == 0 && !is_strict) {
      return true; // the bound itself is met
    }
    if (!b.start.is_number() || (shift != 0 && !a.start.is_number())) {
      return false;
    }
    // Of the numbers that leave, which are those from `low` to `high`, one must be start + a multiple of 2^shift.
    const std::uint64_t sign = is_signed ? std::uint64_t{1} << (t.width - 1) : 0;
    const std::uint64_t bound = b.start.constant() ^ sign;
    const std::uint64_t ones = low_ones(t.width);
    if (is_strict && bound == (is_above ? ones : 0)) {
      return false;
    }
    const std::uint64_t low = is_above ? bound + (is_strict ? 1 : 0) : 0;
    const std::uint64_t high = is_above ? ones : bound - (is_strict ? 1 : 0);
    return shift == 0 || (((a.start.constant() ^ sign) - low) & low_ones(shift)) <= high - low;
  }

  const IR& ir_;
  dominators_and_loops_result flow_;
  value_polynomials values_;
  flat_array<node_id> home_; ///< by value
};

} // namespace detail

/// Checks that the natural loops with these headers do not go round for ever, as long as each of their iterations ends:
/// what the witness of `remove_dead_code` says, and `verify_removal` counts as assumed. It shares no code with
/// `ending_loops`, `evolutions` and the passes that use them. Where the IR itself promises it (`must_end`,
/// `loop_ends`), nothing is left to check.
///
/// **What is checked.** The loop has an exit to which each iteration comes, and which compares a counter: a sum of phis
/// that each iteration changes by a number. A counter with step s meets all numbers that are its start plus a multiple
/// of the largest power of two that divides s. One of them must be among the numbers for which the loop is left: with
/// an odd step, the bound itself; otherwise start and bound are numbers. Or the test compares a counter in an order
/// that its increment promises to keep.
///
/// Requires a program that `check_ir` accepts; the headers may be anything. O(n + m + values + operands).
template <semantic_ir IR> loop_ends_verdict verify_loop_ends(const IR& ir, span<const node_id> headers) {
  if (headers.empty()) {
    return {};
  }
  const detail::loop_ends_checker<IR> checker(ir);
  for (const node_id n : headers) {
    if (!checker.ends(n)) {
      return {n};
    }
  }
  return {};
}

MIDEND_END_NAMESPACE
