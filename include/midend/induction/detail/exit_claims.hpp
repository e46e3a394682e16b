/// Claims about an exit: how they are noted, and which follow from a counter that is compared with a number.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The count of one comparison. If a counter of numbers is compared with a number, also these numbers.
struct compared_count {
  loop_trips trips;
  bool has_numbers = false;
  counted_exit numbers = {};
};

inline bool counts_numbers(const evolution& e) {
  return (e.is_counter() || e.is_invariant()) && e.start().is_number();
}

/// Whether it is a start plus k times a step.
inline bool is_first_degree(const evolution& e) {
  return e.is_known() && e.degree <= 1 && !e.has_power();
}

inline counted_exit counted_exit_of(const value_comparison& c, unsigned width, const evolution& counter,
                                    std::uint64_t bound) {
  return {static_cast<std::uint8_t>(width), counter.start().constant, counter.step().constant, bound, c.code, true, {}};
}

inline counter_test counter_test_of(operation ends, const evolution& counter, const evolution& bound) {
  return counter.is_counter() && bound.is_invariant()
             ? counter_test{ends, counter.start(), counter.step().constant, bound.start()}
             : counter_test();
}

/// Notes an upper bound of the number of backedges.
inline void note_most(loop_trips& out, const std::optional<std::uint64_t>& most) {
  const bool is_better = most && (out.count.kind == trip_count_kind::unknown ||
                                  (out.count.kind == trip_count_kind::at_most && *most < out.count.backedges));
  if (is_better) {
    out.count = {*most == 0 ? trip_count_kind::exact : trip_count_kind::at_most, *most, 1};
  }
}

/// The upper bound that a count gives, if it is small.
inline std::optional<std::uint64_t> small_bound(const trip_count& count) {
  return count.kind == trip_count_kind::at_most ? if_small(count.backedges) : std::nullopt;
}

/// Notes that the number of header executions is a multiple of this.
inline void note_multiple(loop_trips& out, std::uint64_t multiple) {
  if (out.count.kind != trip_count_kind::exact && multiple > out.count.multiple) {
    out.count.multiple = multiple;
  }
}

/// Whether a count is a number, or can be computed before the loop.
inline bool says_all(const loop_trips& t) {
  return (t.count.kind != trip_count_kind::unknown && t.count.kind != trip_count_kind::at_most) || t.has_formula ||
         t.test.is_direct;
}

inline bool holds_for_equal(operation order) {
  return order == operation::equal || order == operation::less_equal || order == operation::greater_equal ||
         order == operation::uless_equal || order == operation::ugreater_equal;
}

/// Whether a counter with step s is some time at a number that ends the loop. It runs through all numbers that differ
/// from its first one by multiples of the largest power of 2 that divides s.
inline bool is_met(const counter_test& t) {
  if (!t.is_known()) {
    return false;
  }
  const auto width = static_cast<std::uint8_t>(t.first.width);
  if (t.first.is_number() && t.bound.is_number()) {
    return first_leaving_test({width, t.first.constant, t.step, t.bound.constant, t.ends, true, {}}).has_value();
  }
  const bool takes_all = t.step % 2 == 1;
  if (takes_all && holds_for_equal(t.ends)) {
    return true; // it meets the bound itself
  }
  const std::uint64_t most = low_ones(width);
  const std::uint64_t offset = is_signed_order(t.ends) ? sign_bit(width) : 0;
  const auto ending = t.bound.is_number() && is_order(t.ends)
                          ? values_for_which(t.ends, (t.bound.constant + offset) & most, most)
                          : std::nullopt;
  return ending && ending->more >= ones_below(static_cast<unsigned>(std::countr_zero(t.step)));
}

} // namespace detail

MIDEND_END_NAMESPACE
