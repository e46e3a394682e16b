/// The factors by which it may pay to unroll a loop.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/sort.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Collects candidates: those that divide the trip count leave no remainder; powers of two divide often, and counters
/// by them are cheap; at multiples of a modulus its quotients and remainders are known; at multiples of a cycle of phis
/// the moves vanish; at the denominator of a bound no part of a cycle is lost.
struct unrolling_factors {
  flat_array<std::uint32_t> factors; ///< ascending, each once, at least 2
  flat_array<std::uint64_t> moduli;

  constexpr void offer(std::uint64_t factor, std::uint64_t most) {
    if (factor >= 2 && factor <= most) {
      factors.push_back(static_cast<std::uint32_t>(factor));
    }
  }

  constexpr void offer_divisors(std::uint64_t count, std::uint64_t most) {
    for (std::uint64_t d = 2; d <= most && d <= count; ++d) {
      if (count % d == 0) {
        offer(d, most);
      }
    }
  }

  /// What a value is divided by, or masked with, if that is a number: of x & (2^k - 1) it is 2^k.
  static constexpr std::optional<std::uint64_t> modulus_of(const loop_body& body, const body_value& v) {
    if (v.kind != body_kind::pure || v.num_operands != 2) {
      return std::nullopt;
    }
    const body_value& by = body.values[body.operands[v.first_operand + std::size_t{1}]];
    if (by.kind != body_kind::constant) {
      return std::nullopt;
    }
    switch (v.info.code) {
    case operation::div:
    case operation::rem:
      return static_cast<std::uint64_t>(as_signed(by.bits, v.info.width) < 0 ? 0 - as_signed(by.bits, v.info.width)
                                                                             : as_signed(by.bits, v.info.width));
    case operation::udiv:
    case operation::urem:
      return by.bits;
    case operation::shr:
    case operation::sar:
      return by.bits < 63 ? std::optional(std::uint64_t{1} << by.bits) : std::nullopt;
    case operation::bit_and:
      return std::has_single_bit(by.bits + 1) ? std::optional(by.bits + 1) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  constexpr void find_moduli(const loop_body& body, std::uint64_t most) {
    moduli.clear();
    for (const body_value& v : body.values) {
      const auto m = modulus_of(body, v);
      if (m && *m >= 2 && *m <= most) {
        moduli.push_back(*m);
      }
    }
    sort_and_deduplicate(moduli);
  }

  /// With their greatest common divisors and least common multiples, two by two.
  constexpr void offer_moduli(std::uint64_t most) {
    for (std::size_t i = 0; i != moduli.size(); ++i) {
      offer(moduli[i], most);
      for (std::size_t j = 0; j != i; ++j) {
        const std::uint64_t common = greatest_common_divisor(moduli[i], moduli[j]);
        offer(common, most);
        offer(moduli[i] / common * moduli[j], most);
      }
    }
  }

  /// One more, larger than 2, in its place.
  constexpr void insert(std::uint64_t factor, std::uint64_t most) {
    if (factor > 2) {
      offer(factor, most);
      sort_and_deduplicate(factors);
    }
  }

  /// Refills `factors`.
  constexpr void collect(const loop_body& body, const loop_counters& counters, std::uint64_t divisible,
                         std::uint64_t denominator, std::uint32_t forced, std::uint64_t most) {
    factors.clear();
    for (std::uint64_t f = 2; f <= 16; f *= 2) {
      offer(f, most);
    }
    offer_divisors(divisible, most);
    find_moduli(body, most);
    offer_moduli(most);
    offer(counters.phi_period, most);
    offer(denominator, most);
    offer(forced, forced);
    sort_and_deduplicate(factors);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
