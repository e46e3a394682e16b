/// The rule by which one form of a loop is accepted in place of another.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// a - b. Requires a >= b.
constexpr fraction difference(const fraction& a, const fraction& b) {
  const std::uint64_t common = greatest_common_divisor(a.denominator(), b.denominator());
  return {a.numerator() * (b.denominator() / common) - b.numerator() * (a.denominator() / common),
          a.denominator() / common * b.denominator()};
}

/// (before - now) / before.
constexpr fraction relative_fall(const fraction& before, const fraction& now) {
  const fraction fall = difference(before, now);
  return {fall.numerator() * before.denominator(), fall.denominator() * before.numerator()};
}

constexpr double to_double(const fraction& f) {
  return static_cast<double>(f.numerator()) / static_cast<double>(f.denominator());
}

/// The limits of a machine; 0: no limit.
struct machine_limits {
  std::uint64_t general_registers = 0;
  std::uint64_t predicate_registers = 0;
  std::uint64_t instruction_cache = 0; ///< bytes
  std::uint64_t loop_buffer = 0;       ///< bytes

  template <loop_machine M>
  constexpr explicit machine_limits(const M& m)
      : general_registers(m.value(machine_field::general_registers)),
        predicate_registers(m.value(machine_field::predicate_registers)),
        instruction_cache(m.value(machine_field::instruction_cache)), loop_buffer(m.value(machine_field::loop_buffer)) {
  }

  constexpr bool has_registers_for(const body_cost& b) const {
    return (general_registers == 0 || b.general_registers <= general_registers) &&
           (predicate_registers == 0 || b.predicate_registers <= predicate_registers);
  }
};

struct unrolling_rule {
  const machine_limits& machine;
  const unrolling_options& options;
  const unrolling_candidate& rolled;
  const unrolling_candidate& last;
  bool count_is_exact;

  /// `rejection::none` if the candidate should be accepted. Sets `fall` and `gain` if it computes them.
  constexpr rejection judge(unrolling_candidate& c) const {
    const rejection limit = exceeded_limit(c);
    return limit == rejection::none ? compare(c) : limit;
  }

private:
  constexpr rejection exceeded_limit(const unrolling_candidate& c) const {
    const auto fits_buffer = [&](const unrolling_candidate& x) {
      return machine.loop_buffer == 0 || x.body.bytes <= machine.loop_buffer;
    };
    if (c.body.operations > options.max_operations) {
      return rejection::too_many_operations;
    }
    if (c.total_bytes > options.max_bytes ||
        (machine.instruction_cache != 0 && c.total_bytes > machine.instruction_cache)) {
      return rejection::too_many_bytes;
    }
    if (!machine.has_registers_for(c.body) && machine.has_registers_for(rolled.body)) {
      return rejection::too_many_registers;
    }
    if (c.kind != unrolling_kind::full && !fits_buffer(c) && fits_buffer(rolled)) {
      return rejection::leaves_loop_buffer;
    }
    return rejection::none;
  }

  constexpr rejection compare(unrolling_candidate& c) const {
    const auto [now, before] = compared_cycles(c);
    if (now == before) {
      return wins_tie(c) && is_no_slower(c, rolled) ? rejection::none : rejection::tie;
    }
    if (now > before && all_cycles(c) >= all_cycles(last)) {
      return rejection::not_faster;
    }
    // A candidate may take longer per iteration in a long run and still less time in all: a mask before the loop is
    // cheaper than a division, and a short remainder cheaper than a long one.
    c.fall = now < before ? relative_fall(before, now) : relative_fall(all_cycles(last), all_cycles(c));
    if (!is_no_slower(c, last)) {
      return count_is_exact || is_no_slower(c, rolled) ? rejection::slower_in_total : rejection::below_break_even;
    }
    return is_worth_its_size(c) ? rejection::none : rejection::gain_too_small;
  }

  struct compared_fractions {
    fraction now;
    fraction before;
  };

  /// The cycles of the candidate and of the last accepted one: for an iteration in a long run; for all iterations if
  /// one of the two is not a uniform loop.
  constexpr compared_fractions compared_cycles(const unrolling_candidate& c) const {
    if (c.kind == unrolling_kind::full || c.kind == unrolling_kind::peel || last.kind == unrolling_kind::peel) {
      return {all_cycles(c), all_cycles(last)};
    }
    return {c.cycles_per_iteration, last.cycles_per_iteration};
  }

  constexpr bool wins_tie(const unrolling_candidate& c) const {
    return c.body.operations != last.body.operations ? c.body.operations < last.body.operations
                                                     : c.total_bytes < last.total_bytes;
  }

  static constexpr fraction all_cycles(const unrolling_candidate& c) { return c.total_cycles + c.setup_cycles; }

  static constexpr bool is_no_slower(const unrolling_candidate& c, const unrolling_candidate& than) {
    return all_cycles(c) <= all_cycles(than);
  }

  constexpr bool is_worth_its_size(unrolling_candidate& c) const {
    const std::uint64_t old_bytes = max<std::uint64_t>(last.body.bytes, 1);
    const std::uint64_t new_bytes = c.kind == unrolling_kind::peel ? c.total_bytes : c.body.bytes;
    if (new_bytes <= old_bytes) {
      return true;
    }
    c.gain = to_double(c.fall) / binary_logarithm({new_bytes, old_bytes});
    return c.gain >= to_double(options.least_gain);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
