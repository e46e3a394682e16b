/// `counted_loops`: the loops whose number of iterations a certificate can prove.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class counting_kind : std::uint8_t {
  unknown,
  several_exits, ///< or iterations do not come to the only one
  number,        ///< of backedges: `backedges`
  solution,      ///< (bound - first) · inverse, modulo 2^width, for an odd step up to equality
  distance,      ///< from the first number to the limit: the bound, or the first number if the bound is not further
  quotient,      ///< that over `divisor`, rounded up, since promises keep the counter from wrapping
  exact_quotient ///< the distance between bound and first number over `divisor`, up to equality
};

/// How often a loop runs.
struct loop_counting {
  counting_kind kind = counting_kind::unknown;
  std::uint64_t backedges = 0; ///< of a number
  counter_test test;
  std::uint64_t inverse = 1;
  std::uint64_t divisor = 1;          ///< of a quotient: the step without its sign
  operation limit = operation::other; ///< of bound and first number
  bool is_up = false;
  bool is_strict = false; ///< the bound itself does not end the loop
  value_id compared[2] = {no_value, no_value};
};

/// Counts of all loops, from evolutions: of those with one exit, to which each iteration comes, and a test of a
/// counter.
class counted_loops {
public:
  counted_loops(const flat_program& program, const dominator_tree& tree, const loop_forest& loops,
                const value_evolutions& found)
      : p_(program), tree_(tree), loops_(loops), found_(found) {
    counts_.assign(loops.num_loops(), {});
    for (const loop_id l : loops.loops()) {
      count_loop(l);
    }
  }

  const loop_counting& count(loop_id l) const { return counts_[l]; }

  /// Whether start, start + step, … start + count · step follow each other without wrapping.
  static bool stays_in_range(std::uint64_t start, std::uint64_t step, std::uint64_t count, unsigned width,
                             bool is_signed) {
    const std::int64_t by = as_signed(step, width);
    const std::uint64_t place = start ^ (is_signed ? std::uint64_t{1} << (width - 1) : 0);
    const std::uint64_t size = by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
    const std::uint64_t room = by < 0 ? place : low_ones(width) - place;
    return count == 0 || size <= room / count;
  }

private:
  static constexpr std::uint64_t most_added = std::uint64_t{1} << 40; ///< as the checker has it

  void count_loop(loop_id l) {
    loop_counting& c = counts_[l];
    const node_id exit = only_exit(l);
    if (exit == no_node) {
      c.kind = counting_kind::several_exits;
      return;
    }
    const loop_trips& trips = found_.trips(l);
    c.test = trips.test;
    find_compared(exit, c);
    if (!c.test.is_known() || c.compared[0] == no_value || c.test.first.is_exact || c.test.bound.is_exact ||
        !is_of_compared(l, c)) {
      return;
    }
    const bool is_order = c.test.ends != operation::equal && c.test.ends != operation::not_equal;
    if (c.test.first.is_number() && c.test.bound.is_number()) {
      if (trips.count.kind == trip_count_kind::exact && (!is_order || wraps_only_last(c.test, trips.count.backedges))) {
        c.kind = counting_kind::number;
        c.backedges = trips.count.backedges;
      }
    } else if (is_order) {
      count_distance(l, c);
    } else if (c.test.ends == operation::equal && c.test.step % 2 == 1) {
      c.kind = counting_kind::solution;
      std::uint64_t inverse = c.test.step;
      for (int i = 0; i != 6; ++i) {
        inverse *= 2 - c.test.step * inverse;
      }
      c.inverse = inverse & low_ones(c.test.first.width);
    } else if (c.test.ends == operation::equal && c.test.step != 0 &&
               (is_promised(l, c, true) || is_promised(l, c, false))) {
      c.kind = counting_kind::exact_quotient;
      c.is_up = as_signed(c.test.step, c.test.first.width) > 0;
      c.divisor = (c.is_up ? c.test.step : 0 - c.test.step) & low_ones(c.test.first.width);
    }
  }

  /// Whether one side of the test is a phi of the header, plus numbers, the other one does not change, and each
  /// backedge brings the phi plus the step: all by sums that promise not to wrap.
  bool is_promised(loop_id l, const loop_counting& c, bool is_signed) const {
    const bool is_first = changes(c.compared[0], l);
    std::uint64_t added = 0;
    const value_id phi = counter_of(c.compared[is_first ? 0 : 1], l, is_signed, added);
    const bool is_order = c.test.ends != operation::equal;
    const std::uint64_t step = is_first || is_order ? c.test.step : 0 - c.test.step; // else of the difference
    const auto each = static_cast<std::uint64_t>(as_signed(step, c.test.first.width));
    bool all = phi != no_value && is_first != changes(c.compared[1], l);
    for (const loop_edge& e : loops_.backedges(l)) {
      all = all && counter_of(p_.phi_input(phi, e.id), l, is_signed, added) == phi && added == each;
    }
    return all;
  }

  bool changes(value_id v, loop_id l) const {
    const loop_id home = v == no_value ? no_loop : found_.home_loop(v);
    return home != no_loop && loops_.contains_loop(l, home);
  }

  /// The phi of a sum, or `no_value`, and what is added to it as an integer.
  value_id counter_of(value_id v, loop_id l, bool is_signed, std::uint64_t& added) const {
    added = 0;
    for (unsigned steps = 0; steps != 4 && changes(v, l) && !p_.is_phi(v); ++steps) {
      const operation_info info = p_.operation(v);
      const bool is_sum = info.code == operation::add || info.code == operation::sub;
      const auto number = is_sum ? p_.constant(p_.operands(v)[1]) : std::nullopt;
      if (!number || !(is_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap)) {
        return no_value;
      }
      const std::uint64_t by = is_signed ? static_cast<std::uint64_t>(as_signed(*number, info.width)) : *number;
      if (by + (most_added - 1) >= 2 * most_added - 1) { // -by and by are less
        return no_value;
      }
      added += info.code == operation::add ? by : 0 - by;
      v = p_.operands(v)[0];
    }
    return changes(v, l) && p_.is_phi(v) && p_.node_of(v) == loops_.header(l) ? v : no_value;
  }

  node_id only_exit(loop_id l) const {
    node_id source = no_node;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      if (source != no_node) {
        return no_node;
      }
      source = e.source;
    }
    bool is_tested = source != no_node && loops_.innermost_loop(source) == l;
    for (const loop_edge& e : loops_.backedges(l)) {
      is_tested = is_tested && tree_.dominates(source, e.source);
    }
    return is_tested ? source : no_node;
  }

  /// The operands of the comparison, through negations.
  void find_compared(node_id exit, loop_counting& c) const {
    value_id test = p_.condition(exit);
    for (unsigned steps = 0; steps != 4 && test != no_value; ++steps) {
      const operation_info info = p_.operation(test);
      if (is_comparison(info.code)) {
        c.compared[0] = p_.operands(test)[0];
        c.compared[1] = p_.operands(test)[1];
        return;
      }
      const bool is_negation = info.code == operation::bit_not || info.code == operation::bit_xor;
      test = is_negation ? p_.operands(test)[0] : no_value;
    }
  }

  /// Whether the test is that of what is compared, in all its bits: not one that follows from it.
  bool is_of_compared(loop_id l, const loop_counting& c) const {
    const evolution a = found_.evolution_of(c.compared[0], l);
    const evolution b = found_.evolution_of(c.compared[1], l);
    const auto is_start = [](const evolution& e, const linear_form& form) {
      return e.is_known() && !e.is_exact() && e.start().width == form.width && same_sum(e.start(), form);
    };
    if (c.test.ends == operation::equal || c.test.ends == operation::not_equal) {
      evolution apart = a;
      if (!a.is_known() || !b.is_known() || a.is_exact() || b.is_exact() || a.start().width != b.start().width) {
        return false;
      }
      apart.add(b, ~std::uint64_t{0});
      return is_start(apart, c.test.first);
    }
    return (is_start(a, c.test.first) && b.is_invariant() && is_start(b, c.test.bound)) ||
           (is_start(b, c.test.first) && a.is_invariant() && is_start(a, c.test.bound));
  }

  /// Whether the counter stays in the order of its numbers until the test that ends the loop.
  static bool wraps_only_last(const counter_test& t, std::uint64_t backedges) {
    return backedges == 0 ||
           stays_in_range(t.first.constant, t.step, backedges - 1, t.first.width, is_signed_order(t.ends));
  }

  void count_distance(loop_id l, loop_counting& c) const {
    const unsigned width = c.test.first.width;
    const operation ends = c.test.ends;
    c.is_up = as_signed(c.test.step, width) > 0;
    c.divisor = (c.is_up ? c.test.step : 0 - c.test.step) & low_ones(width);
    const bool ends_above = ends == operation::greater || ends == operation::greater_equal ||
                            ends == operation::ugreater || ends == operation::ugreater_equal;
    if (width == 1 || c.test.step == 0 || c.is_up != ends_above ||
        (c.divisor != 1 && !is_promised(l, c, is_signed_order(ends)))) {
      return;
    }
    c.is_strict = ends == operation::greater || ends == operation::ugreater || ends == operation::less ||
                  ends == operation::uless;
    const bool is_signed = is_signed_order(ends);
    c.limit = c.is_up ? (is_signed ? operation::max : operation::umax) : is_signed ? operation::min : operation::umin;
    c.kind = c.divisor == 1 ? counting_kind::distance : counting_kind::quotient;
  }

  const flat_program& p_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  flat_array<loop_counting> counts_; ///< by loop
};

} // namespace detail

MIDEND_END_NAMESPACE
