/// The rule by which one way to unroll a loop is taken in place of another.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// a - b. Requires that the first is not smaller.
constexpr fraction difference(const fraction& a, const fraction& b) {
  const std::uint64_t common = greatest_common_divisor(a.denominator(), b.denominator());
  return {a.numerator() * (b.denominator() / common) - b.numerator() * (a.denominator() / common),
          a.denominator() / common * b.denominator()};
}

/// Looks at a candidate beside the loop as it is and the last candidate that was accepted.
template <class M> struct unrolling_rule {
  const M& machine;
  const unrolling_options& options;
  const unrolling_candidate& rolled;
  const unrolling_candidate& last;
  bool count_is_exact;

  /// Whether it is more than the options or the machine take.
  constexpr rejection beyond_limits(const unrolling_candidate& c) const {
    const auto registers = [&](const body_cost& b) {
      const std::uint64_t general = machine.value(machine_field::general_registers);
      const std::uint64_t predicates = machine.value(machine_field::predicate_registers);
      return (general == 0 || b.general_registers <= general) &&
             (predicates == 0 || b.predicate_registers <= predicates);
    };
    const std::uint64_t cache = machine.value(machine_field::instruction_cache);
    const std::uint64_t buffer = machine.value(machine_field::loop_buffer);
    if (c.body.operations > options.max_operations) {
      return rejection::too_many_operations;
    }
    if (c.total_bytes > options.max_bytes || (cache != 0 && c.total_bytes > cache)) {
      return rejection::too_many_bytes;
    }
    if (!registers(c.body) && registers(rolled.body)) {
      return rejection::too_many_registers;
    }
    if (c.kind != unrolling_kind::full && buffer != 0 && c.body.bytes > buffer && rolled.body.bytes <= buffer) {
      return rejection::leaves_loop_buffer;
    }
    return rejection::none;
  }

  /// Cycles of one iteration where they are compared: of loops in a long run, else by the whole.
  constexpr std::pair<fraction, fraction> compared_cycles(const unrolling_candidate& c) const {
    if (c.kind == unrolling_kind::full || c.kind == unrolling_kind::peel || last.kind == unrolling_kind::peel) {
      return {fraction(c.total_cycles + c.setup_cycles), fraction(last.total_cycles + last.setup_cycles)};
    }
    return {c.cycles_per_iteration, last.cycles_per_iteration};
  }

  constexpr rejection against_last_accepted(unrolling_candidate& c) const {
    const auto [now, before] = compared_cycles(c);
    if (now > before) {
      return rejection::not_faster;
    }
    if (now == before) {
      return wins_tie(c) && is_no_loss(c, rolled) ? rejection::none : rejection::tie;
    }
    c.fall = relative_fall(before, now);
    if (!is_no_loss(c, last)) {
      return count_is_exact || is_no_loss(c, rolled) ? rejection::slower_in_total : rejection::below_break_even;
    }
    return is_worth_its_size(c) ? rejection::none : rejection::gain_too_small;
  }

  constexpr bool wins_tie(const unrolling_candidate& c) const {
    return std::pair(c.body.operations, c.total_bytes) < std::pair(last.body.operations, last.total_bytes);
  }

  static constexpr bool is_no_loss(const unrolling_candidate& c, const unrolling_candidate& than) {
    return c.total_cycles + c.setup_cycles <= than.total_cycles + than.setup_cycles;
  }

  /// (before - now) / before.
  static constexpr fraction relative_fall(const fraction& before, const fraction& now) {
    const fraction fall = difference(before, now);
    return {fall.numerator() * before.denominator(), fall.denominator() * before.numerator()};
  }

  constexpr bool is_worth_its_size(unrolling_candidate& c) const {
    const std::uint64_t old_bytes = max<std::uint64_t>(last.body.bytes, 1);
    const std::uint64_t new_bytes = c.kind == unrolling_kind::peel ? c.total_bytes : c.body.bytes;
    const double fall = static_cast<double>(c.fall.numerator()) / static_cast<double>(c.fall.denominator());
    if (new_bytes <= old_bytes) {
      return true;
    }
    c.gain = fall / binary_logarithm({new_bytes, old_bytes});
    const double least =
        static_cast<double>(options.least_gain.numerator()) / static_cast<double>(options.least_gain.denominator());
    return c.gain >= least;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
