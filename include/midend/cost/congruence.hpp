/// What is known of a counter modulo a number, in each copy of an unrolled body.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/fraction.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The numbers that leave `residue` modulo `modulus`; if that is 0, the number `residue` itself. Modulus 1: all.
struct congruence {
  std::uint64_t modulus = 1;
  std::uint64_t residue = 0; ///< below the modulus, if that is not 0

  friend constexpr bool operator==(const congruence&, const congruence&) = default;
};

/// A number whose only known property is that it is this one.
constexpr congruence exactly(std::uint64_t number) {
  return {0, number};
}

/// What the number leaves modulo `m`, if that is decided. Requires m ≠ 0.
constexpr std::optional<std::uint64_t> residue_of(const congruence& c, std::uint64_t m) {
  MIDEND_ASSERT(m != 0, "a modulus other than 0");
  return c.modulus % m == 0 ? std::optional(c.residue % m) : std::nullopt;
}

/// The counter in copy `copy` (0 … factor - 1) of a body that is unrolled by `factor`, at the top of which it is
/// `start`, `start + factor · step`, …: start + copy · step modulo the greatest common divisor of factor · step and the
/// modulus of the start. Steps count upwards; for a counter that goes down, ask for that of the negated counter.
///
/// Requires that neither factor · step nor start + copy · step passes 2^64, and that the counter does not wrap; a
/// counter of w bits that does is congruent as well modulo every divisor of the modulus that is a power of 2, up to
/// 2^w.
constexpr congruence congruence_in_copy(const congruence& start, std::uint64_t step, std::uint64_t factor,
                                        std::uint64_t copy) {
  MIDEND_ASSERT(copy < factor, "a copy of the body", copy, factor);
  const std::uint64_t modulus = detail::greatest_common_divisor(start.modulus, factor * step);
  const std::uint64_t value = start.residue + copy * step;
  return {modulus, modulus == 0 ? value : value % modulus};
}

MIDEND_END_NAMESPACE
