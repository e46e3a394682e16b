/// Interval and known bits of the same number, reduced by each other.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"
#include "midend/dataflow/lattices/reduced_product.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The reduction between an interval of unsigned numbers and known bits. The ends of the interval move inwards to the
/// next numbers that the bits allow. Then the leading bits in which both ends agree become known. If the two contradict
/// each other, both become bottom.
///
/// This is optimal. Both ends are now members. At the highest bit in which they differ, the low end has 0 and the high
/// end has 1. The least member with 1 there has 0 in all lower unknown bits; the greatest member with 0 there has 1 in
/// all lower unknown bits. So each bit that stays unknown takes both values.
struct reduce_interval_and_bits {
  constexpr bool operator()(unsigned_interval::element& range, known_bits::element& bits) const {
    const bool narrowed = unsigned_interval().meet(range, hull_of_members(range, bits));
    return known_bits().meet(bits, common_bits(range)) || narrowed;
  }

private:
  static constexpr unsigned_interval::element hull_of_members(const unsigned_interval::element& range,
                                                              const known_bits::element& bits) {
    if (range.is_bottom() || bits.is_bottom()) {
      return unsigned_interval().bottom();
    }
    const std::uint64_t low = least_member(range.low, bits);
    const std::uint64_t high = ~least_member(~range.high, {.zeros = bits.ones, .ones = bits.zeros}); // upside down
    const bool none = low < range.low || high > range.high;
    return none ? unsigned_interval().bottom() : unsigned_interval().between(low, high);
  }

  /// The least number ≥ `low` that the bits allow; 0, which is then less than `low`, if there is none.
  static constexpr std::uint64_t least_member(std::uint64_t low, const known_bits::element& bits) {
    const std::uint64_t wrong = (low & bits.zeros) | (~low & bits.ones);
    if (wrong == 0) {
      return low;
    }
    std::uint64_t raised = std::bit_floor(wrong);
    if ((low & raised) != 0) { // must be 0, so a bit above it that may be 1 and is not has to become 1
      const std::uint64_t free = ~(bits.zeros | bits.ones | low) & ~(2 * raised - 1);
      if (free == 0) {
        return 0;
      }
      raised = free & (0 - free);
    }
    const std::uint64_t below = raised - 1;
    return (low & ~below) | raised | (bits.ones & below);
  }

  static constexpr known_bits::element common_bits(const unsigned_interval::element& range) {
    if (range.is_bottom()) {
      return known_bits().bottom();
    }
    const int common = std::countl_zero(range.low ^ range.high);
    const std::uint64_t mask = common == 0 ? 0 : ~std::uint64_t{0} << (64 - common);
    return {.zeros = ~range.low & mask, .ones = range.low & mask};
  }
};

/// An interval of unsigned numbers and the known bits of the same number: knows bounds and alignment.
using interval_and_known_bits = reduced_product<unsigned_interval, known_bits, reduce_interval_and_bits>;

/// For numbers of `width` bits.
constexpr interval_and_known_bits make_interval_and_known_bits(unsigned width) {
  return {unsigned_interval(width), known_bits(width)};
}

MIDEND_END_NAMESPACE
