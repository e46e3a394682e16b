/// `loop_facts`: what is known about the values of a loop body beyond what the body says.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The least and the greatest number that a value of a loop body is, in all iterations of all runs of the loop.
struct value_bounds {
  std::uint64_t low; ///< read as unsigned numbers
  std::uint64_t high;
  std::int64_t signed_low; ///< read as signed numbers
  std::int64_t signed_high;

  /// All numbers of `width` bits.
  static constexpr value_bounds all(unsigned width) {
    const std::uint64_t most = low_ones(width);
    return {0, most, as_signed(most ^ (most >> 1), width), static_cast<std::int64_t>(most >> 1)};
  }

  /// One number.
  static constexpr value_bounds exactly(std::uint64_t n, unsigned width) {
    const std::uint64_t bits = n & low_ones(width);
    return {bits, bits, as_signed(bits, width), as_signed(bits, width)};
  }

  constexpr std::optional<std::uint64_t> number() const { return low == high ? std::optional(low) : std::nullopt; }

  friend constexpr bool operator==(const value_bounds&, const value_bounds&) = default;
};

/// A value from before the loop as a sum: `base` plus `number`, plus `second` if there is one, modulo 2^bits.
struct invariant_sum {
  value_id base; ///< in the IR; `no_value`: unknown
  std::uint64_t number;
  std::uint8_t bits = 64;     ///< at least the width: the whole sum is known; else only so many low bits of it
  value_id second = no_value; ///< in the IR, not less than `base`; only in `cut_sums`

  /// Whether both are sums of the same values.
  constexpr bool has_bases_of(const invariant_sum& other) const {
    return base != no_value && base == other.base && second == other.second;
  }

  friend constexpr bool operator==(const invariant_sum&, const invariant_sum&) = default;
};

/// A value from before the loop as a sum of which one term lies between bounds: `base` plus `number`, plus a multiple
/// of 2^zeros from 0 to `more`, modulo 2^width.
struct invariant_reach {
  value_id base = no_value; ///< in the IR; `no_value`: unknown
  std::uint64_t number = 0;
  std::uint64_t more = 0;
  std::uint8_t zeros = 0;
};

/// What is known about the values of a loop body from the function around it. Facts are about values as they are
/// computed: if one is broken, the run has no meaning or does not compute the value.
///
/// Plain data, filled in by `read_loop_facts` or by hand. Default-constructed, it says nothing.
struct loop_facts {
  flat_array<value_bounds> bounds;    ///< by value of the body; or empty: nothing is known
  flat_array<invariant_sum> sums;     ///< by value of the body, of invariants, all bits; or empty: nothing is known
  flat_array<invariant_sum> cut_sums; ///< the same with a base from before extensions: all bits that it has are known
  flat_array<invariant_sum> low_sums; ///< the same with a base further back, of which some low bits may be known
  flat_array<invariant_sum> low_bits; ///< by value of the body, of invariants: known low bits, as `number` with base 0;
                                      ///< or empty
  flat_array<invariant_reach> reaches; ///< by value of the body, of invariants; or empty
  flat_array<value_bounds> cut_bounds; ///< by value of the body, of invariants: of the low bits that the cut sum has;
                                       ///< or empty

  constexpr void clear() {
    bounds.clear();
    sums.clear();
    cut_sums.clear();
    low_sums.clear();
    low_bits.clear();
    reaches.clear();
    cut_bounds.clear();
  }

  /// `body` is the one that the facts are about.
  constexpr value_bounds bounds_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    if (value.kind == body_kind::constant) {
      return value_bounds::exactly(value.bits, value.info.width);
    }
    return bounds.empty() ? value_bounds::all(value.info.width) : bounds[v];
  }

  /// The number that a value is in all iterations, if that is known.
  constexpr std::optional<std::uint64_t> number(body_id v) const {
    return bounds.empty() ? std::nullopt : bounds[v].number();
  }

  constexpr invariant_sum sum(body_id v) const { return sums.empty() ? invariant_sum{no_value, 0} : sums[v]; }

  constexpr invariant_sum cut_sum(body_id v) const {
    return cut_sums.empty() ? invariant_sum{no_value, 0} : cut_sums[v];
  }

  constexpr invariant_sum low_sum(body_id v) const {
    return low_sums.empty() ? invariant_sum{no_value, 0} : low_sums[v];
  }
};

MIDEND_END_NAMESPACE
