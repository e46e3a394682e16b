/// `verify_loop_ends`: checks that loops end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
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
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_loop_ends`: the first header without a proof that its loop ends, or `no_node`.
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

  /// Whether each iteration makes a test that a counter meets some time, or the program promises an end.
  bool ends(node_id header) const {
    if (header >= flow_.loops.num_nodes() || !flow_.loops.is_header(header)) {
      return false;
    }
    const loop_id l = flow_.loops.innermost_loop(header);
    if (is_promised(l)) {
      return true;
    }
    for (const loop_edge& e : flow_.loops.exiting_edges(l)) {
      bool is_tested = flow_.loops.innermost_loop(e.source) == l;
      for (const loop_edge& back : flow_.loops.backedges(l)) {
        is_tested = is_tested && flow_.dominators.dominates(e.source, back.source);
      }
      if (is_tested && leaves_some_time(l, e.source)) {
        return true;
      }
    }
    bool breaks = false;
    for_each_phi(ir_, header, [&](value_id phi) { breaks = breaks || breaks_promise(l, phi); });
    return breaks;
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  /// Whether the IR promises the end for the header, or for each edge back to it.
  bool is_promised(loop_id l) const {
    bool is = false;
    if constexpr (has_must_end<IR>) {
      is = true;
      for (const loop_edge& back : flow_.loops.backedges(l)) {
        is = is && static_cast<bool>(ir_.must_end(back.id));
      }
    }
    return is || loop_ends(ir_, flow_.loops.header(l));
  }

  /// A bit of a condition, and its value when the loop is left.
  struct leaving_bit {
    value_id v;
    bool is_set;
  };

  /// Whether the branch of `n` leaves the loop if one comparison holds, and that comparison is met some time. Takes the
  /// condition apart where one of two bits suffices.
  bool leaves_some_time(loop_id l, node_id n) const {
    const auto leaves = [&](std::uint64_t bit) {
      const edge_id e = edge_of_case(ir_, n, static_cast<constant_of<IR>>(bit));
      return e != no_edge && !flow_.loops.contains(l, static_cast<node_id>(ir_.graph().edge_target(e)));
    };
    const auto condition = static_cast<value_id>(ir_.condition(n));
    if (condition == no_value || leaves(0) == leaves(1)) {
      return false;
    }
    leaving_bit waiting[most_bits] = {{condition, leaves(1)}};
    std::size_t size = 1;
    for (unsigned looks = 0; size != 0 && looks != 4 * most_bits; ++looks) {
      const leaving_bit at = waiting[--size];
      if (at.v == no_value || ir_.is_phi(at.v) || ir_.constant(at.v)) {
        continue;
      }
      const operation_info info = ir_.operation(at.v);
      value_id x[3] = {no_value, no_value, no_value};
      std::size_t count = 0;
      for_each_id(ir_.operands(at.v), [&](value_id o) { x[count < 2 ? count : 2] = o, ++count; });
      if (count != arity(info.code) || info.width != 1) {
        continue;
      }
      const auto bit_of = [&](value_id v) {
        return v != no_value && ir_.constant(v) ? optional(static_cast<std::uint64_t>(*ir_.constant(v)) & 1)
                                                : std::nullopt;
      };
      const bool is_one_of_two = info.code == (at.is_set ? operation::bit_or : operation::bit_and);
      if (info.code == operation::bit_not || info.code == operation::copy) {
        waiting[size++] = {x[0], at.is_set != (info.code == operation::bit_not)};
      } else if (info.code == operation::bit_xor && bit_of(x[1])) {
        waiting[size++] = {x[0], at.is_set != (*bit_of(x[1]) == 1)};
      } else if (is_one_of_two && size + 2 <= most_bits) {
        waiting[size++] = {x[0], at.is_set};
        waiting[size++] = {x[1], at.is_set};
      } else if (info.code == operation::select && size + 2 <= most_bits) {
        for (const std::size_t arm : {std::size_t{1}, std::size_t{2}}) { // the other bit may be as wanted, too
          if (bit_of(x[arm]) && (*bit_of(x[arm]) == 1) == at.is_set) {
            waiting[size++] = {x[0], arm == 1};
            waiting[size++] = {x[3 - arm], at.is_set};
            break;
          }
        }
      } else if (is_comparison(info.code) &&
                 is_met(l, {at.is_set ? info.code : negated(info.code), info.operand_width, x[0], x[1]})) {
        return true;
      }
    }
    return false;
  }

  /// Whether each iteration adds numbers to a phi, with a sum other than 0, by operations that promise not to wrap: no
  /// run does that for ever.
  bool breaks_promise(loop_id l, value_id phi) const {
    const unsigned width = ir_.operation(phi).width;
    if (width < 1 || width > 64) {
      return false;
    }
    const counter c = counter_of(values_.number_of(phi, number_reading::low_bits), l, width);
    return c.is_known && c.phi == phi && c.step != 0 && (c.promises_signed || c.promises_unsigned);
  }

  static constexpr std::size_t most_bits = 16;

  /// A polynomial as start + k · step in iteration k of a loop, where the step is a number.
  struct counter {
    bool is_known = false;
    polynomial start; ///< a sum of invariants
    std::uint64_t step = 0;
    value_id phi = no_value;     ///< the last one in it
    bool promises_signed = true; ///< whether all phis in it promise not to wrap
    bool promises_unsigned = true;
  };

  /// Reads a counter: each phi in it is itself plus a number in the next iteration.
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

  /// Whether the next value is the phi plus literals, by operations that promise not to wrap.
  void note_promises(value_id next, value_id phi, counter& out) const {
    unsigned steps = 0;
    while (next != phi && steps++ != 8) {
      const bool is_operation = next != no_value && home_[next] != no_node && !ir_.is_phi(next);
      const operation_info info = is_operation ? ir_.operation(next) : operation_info();
      value_id x[2] = {no_value, no_value};
      if (info.code == operation::add || info.code == operation::sub) {
        std::size_t count = 0;
        for_each_id(ir_.operands(next), [&](value_id o) { x[count < 1 ? count : 1] = o, ++count; });
      }
      const bool is_literal = x[1] != no_value && ir_.constant(x[1]);
      out.promises_signed = out.promises_signed && is_literal && info.flags.no_signed_wrap;
      out.promises_unsigned = out.promises_unsigned && is_literal && info.flags.no_unsigned_wrap;
      next = is_literal ? x[0] : phi;
    }
    if (next != phi) {
      out.promises_signed = out.promises_unsigned = false;
    }
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

  /// Whether the counter meets the test. It runs through all numbers that differ from its start by a multiple of a
  /// power of two.
  static bool meets_equality(const counter& c, const leaving_test& t) {
    if (t.code == operation::not_equal) { // two consecutive numbers differ
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
    // The counter breaks a promise before it has passed all its numbers, and the test reads it.
    if (values_.width(a.phi) == t.width && (is_signed ? a.promises_signed : a.promises_unsigned)) {
      return true;
    }
    const unsigned shift = static_cast<unsigned>(std::countr_zero(a.step));
    if (shift == 0 && !is_strict) {
      return true; // the bound itself is met
    }
    if (!b.start.is_number()) {
      return false;
    }
    // The numbers that leave go from `low` to `high`. One of them must be start + a multiple of 2^shift.
    const std::uint64_t sign = is_signed ? std::uint64_t{1} << (t.width - 1) : 0;
    const std::uint64_t bound = b.start.constant() ^ sign;
    const std::uint64_t ones = low_ones(t.width);
    if (is_strict && bound == (is_above ? ones : 0)) {
      return false;
    }
    const std::uint64_t low = is_above ? bound + (is_strict ? 1 : 0) : 0;
    const std::uint64_t high = is_above ? ones : bound - (is_strict ? 1 : 0);
    return shift == 0 || high - low >= low_ones(shift) ||
           (a.start.is_number() && (((a.start.constant() ^ sign) - low) & low_ones(shift)) <= high - low);
  }

  const IR& ir_;
  dominators_and_loops_result flow_;
  value_polynomials values_;
  flat_array<node_id> home_; ///< by value
};

} // namespace detail

/// Checks that the natural loops with these headers do not run for ever, as long as each of their iterations ends. The
/// witness of `remove_dead_code` claims this, and `verify_removal` counts it as assumed. It shares no code with
/// `evolutions` and its users. Nothing is checked where the IR itself promises the end (`must_end`, `loop_ends`).
///
/// **What is checked.** Each iteration reaches an exit, which is taken if a comparison of a counter holds, perhaps
/// among others. The counter is a sum of phis that each iteration changes by a number. A counter with step s meets all
/// numbers that are its start plus a multiple of the largest power of two that divides s. One of them must be among the
/// numbers for which the loop is left: with an odd step, the bound itself; otherwise the bound is a number, and so is
/// the start unless there are as many of those numbers in a row as the power. Or each iteration changes a phi by
/// numbers, and promises not to wrap.
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
