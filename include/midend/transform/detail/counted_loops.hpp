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
  distance       ///< from the first number to the limit: the bound, or the first number if the bound is not further
};

/// How often a loop runs.
struct loop_counting {
  counting_kind kind = counting_kind::unknown;
  std::uint64_t backedges = 0; ///< of a distance from a number, the most
  bool is_bounded = false;     ///< `backedges` is valid
  counter_test test;
  std::uint64_t inverse = 1;
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
        c.is_bounded = true;
        c.backedges = trips.count.backedges;
      }
    } else if (is_order) {
      count_distance(c);
    } else if (c.test.ends == operation::equal && c.test.step % 2 == 1) {
      c.kind = counting_kind::solution;
      std::uint64_t inverse = c.test.step;
      for (int i = 0; i != 6; ++i) {
        inverse *= 2 - c.test.step * inverse;
      }
      c.inverse = inverse & low_ones(c.test.first.width);
    }
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

  static void count_distance(loop_counting& c) {
    const unsigned width = c.test.first.width;
    const operation ends = c.test.ends;
    c.is_up = c.test.step == 1;
    const bool ends_above = ends == operation::greater || ends == operation::greater_equal ||
                            ends == operation::ugreater || ends == operation::ugreater_equal;
    if (width == 1 || (!c.is_up && c.test.step != low_ones(width)) || c.is_up != ends_above) {
      return;
    }
    c.is_strict = ends == operation::greater || ends == operation::ugreater || ends == operation::less ||
                  ends == operation::uless;
    const bool is_signed = is_signed_order(ends);
    c.limit = c.is_up ? (is_signed ? operation::max : operation::umax) : is_signed ? operation::min : operation::umin;
    c.kind = counting_kind::distance;
    if (c.test.first.is_number()) {
      const std::uint64_t place = c.test.first.constant ^ (is_signed ? std::uint64_t{1} << (width - 1) : 0);
      c.is_bounded = true;
      c.backedges = c.is_up ? low_ones(width) - place : place;
    }
  }

  const flat_program& p_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  flat_array<loop_counting> counts_; ///< by loop
};

} // namespace detail

MIDEND_END_NAMESPACE
