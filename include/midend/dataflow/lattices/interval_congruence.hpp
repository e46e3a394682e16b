/// Intervals and congruences of one number, which learn from each other.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/lattices/reduced_product.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The reduction between an interval and a congruence. The ends of the interval move inwards to the next numbers with
/// the residue; if they meet, the congruence becomes that number. If the two exclude each other, both become bottom.
///
/// This is optimal: both ends are members now, and if there are two members or more, neighbours are as far apart as the
/// modulus says.
class reduce_interval_and_congruence {
  // Templates before their uses: clang evaluates a call in a constant expression only then.
  /// The distance from `x` up to the next number with the residue.
  template <class T> static constexpr std::uint64_t ahead(T x, std::uint64_t residue, std::uint64_t modulus) {
    const std::uint64_t own = detail::remainder_of(x, modulus);
    return residue >= own ? residue - own : residue + (modulus - own);
  }

  /// The range from its first to its last number with the residue.
  template <class T>
  static constexpr typename interval<T>::element moved_inwards(const typename interval<T>::element& range,
                                                               const typename congruence<T>::element& stride) {
    const std::uint64_t up = ahead<T>(range.low, stride.residue, stride.modulus);
    const std::uint64_t beyond = ahead<T>(range.high, stride.residue, stride.modulus);
    const std::uint64_t down = beyond == 0 ? 0 : stride.modulus - beyond;
    const std::uint64_t length = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
    if (up > length || down > length) {
      return interval<T>().bottom();
    }
    return {static_cast<T>(static_cast<std::uint64_t>(range.low) + up),
            static_cast<T>(static_cast<std::uint64_t>(range.high) - down)};
  }

  /// The number, if it is in the range.
  template <class T>
  static constexpr typename interval<T>::element cut(const typename interval<T>::element& range, T number) {
    return range.contains(number) ? interval<T>().constant(number) : interval<T>().bottom();
  }

  template <class T>
  static constexpr bool reduce(typename interval<T>::element& range, typename congruence<T>::element& stride) {
    const auto old_range = range;
    const auto old_stride = stride;
    if (!range.is_bottom() && !stride.is_bottom()) {
      range = stride.is_constant() ? cut<T>(range, static_cast<T>(stride.residue)) : moved_inwards<T>(range, stride);
    }
    if (range.is_bottom() || stride.is_bottom()) {
      range = interval<T>().bottom();
      stride = congruence<T>().bottom();
    } else if (range.is_constant()) {
      stride = congruence<T>().constant(range.low);
    }
    return !(range == old_range && stride == old_stride);
  }

public:
  constexpr bool operator()(signed_interval::element& range, signed_congruence::element& stride) const {
    return reduce<std::int64_t>(range, stride);
  }

  constexpr bool operator()(unsigned_interval::element& range, unsigned_congruence::element& stride) const {
    return reduce<std::uint64_t>(range, stride);
  }
};

/// An interval and a congruence of the same number: both bounds and steps. Also called strided intervals; G.
/// Balakrishnan, T. Reps, "Analyzing memory accesses in x86 executables", CC 2004.
template <class T>
using interval_and_congruence = reduced_product<interval<T>, congruence<T>, reduce_interval_and_congruence>;

/// For numbers of `width` bits.
template <class T> constexpr interval_and_congruence<T> make_interval_and_congruence(unsigned width) {
  return {interval<T>(width), congruence<T>(width)};
}

MIDEND_END_NAMESPACE
