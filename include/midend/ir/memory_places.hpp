/// `memory_places`: which bytes two accesses to memory have in common. All of the library asks here.
///
/// An access is a class of memory, an address and a number of bytes. The address is base + index · scale + offset, as
/// in a `memory_reference`; of the accesses of a loop, it grows by a step in each iteration. Nests of loops have sums
/// of counters and symbols in place of an index (`nest_access`); whether two of them meet is a system of inequalities,
/// which `dependence` solves, and which takes from here when classes are apart and at which distances bytes are common.
///
/// The first part is what an IR means. Checkers of certificates may ask it, because they have to know what the program
/// means, too. The second part reasons. Transformations and analyses ask it, but no checker does: what a checker needs
/// of it, it computes by itself, so that a mistake here is not made twice.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

// ---- What the IR means: for all.

/// Whether accesses of two classes of memory never have a byte in common.
constexpr bool classes_are_apart(std::uint32_t a, std::uint32_t b) {
  return a != b && a != any_memory && b != any_memory;
}

/// Whether accesses of two local classes have no byte in common within a run of a loop. A local class belongs to a
/// loop, which the caller names as it likes; classes of different loops say nothing about each other.
template <class Loop>
constexpr bool local_classes_are_apart(std::uint32_t a, Loop loop_of_a, std::uint32_t b, Loop loop_of_b) {
  return loop_of_a == loop_of_b && classes_are_apart(a, b);
}

// ---- What follows: not for checkers.

/// How many bytes after the start of one access another one starts, modulo 2^64: `bytes` if both run in the same
/// iteration of a loop, and `step` more for each iteration by which the other one runs later. A distance that is a
/// number is one with the step 0. What is not known is no distance: functions return `std::optional`.
struct place_distance {
  std::uint64_t bytes = 0;
  std::uint64_t step = 0;

  /// How far the first access is after the other one, if it is the first that runs later.
  constexpr place_distance reversed() const { return {0 - bytes, step}; }

  friend constexpr bool operator==(const place_distance&, const place_distance&) = default;
};

/// Distances at which accesses of known sizes have a byte in common: from `low` to `high`.
struct common_bytes {
  std::int64_t low;
  std::int64_t high;

  /// Requires that both sizes are known, which means not 0.
  constexpr common_bytes(std::uint32_t bytes_of_first, std::uint32_t bytes_of_second)
      : low(1 - std::int64_t{bytes_of_second}), high(std::int64_t{bytes_of_first} - 1) {}

  /// How many distances these are, less 1.
  constexpr std::uint64_t span() const { return static_cast<std::uint64_t>(high - low); }
};

/// Whether two accesses at a distance may have a byte in common. An unknown size is 0, and may be any.
constexpr bool may_have_common_bytes(std::uint64_t distance, std::uint32_t bytes_of_first,
                                     std::uint32_t bytes_of_second) {
  return distance < bytes_of_first || 0 - distance < bytes_of_second || bytes_of_first == 0 || bytes_of_second == 0;
}

/// Whether all bytes of the second access are among those of the first one, from the distance of their starts.
constexpr bool covers(std::uint64_t distance, std::uint32_t bytes_of_first, std::uint32_t bytes_of_second) {
  return bytes_of_second != 0 && distance < bytes_of_first && bytes_of_second <= bytes_of_first - distance;
}

/// How far reference `b` is after `a`, modulo 2^64, if their bases and indices are the same; `same(x, y)` says of two
/// values that they are equal where the accesses run. Nothing if that is unknown. A reference has the members `base`,
/// `index`, `scale` and `offset` of a `memory_reference`, with any numbers for values; -1 is none.
template <class Reference, class Same>
constexpr std::optional<std::uint64_t> distance_between(const Reference& a, const Reference& b, const Same& same) {
  constexpr auto none = static_cast<decltype(a.base)>(-1);
  const auto equal = [&](auto x, auto y) { return x == y || (x != none && y != none && same(x, y)); };
  if (a.base == none || b.base == none || !equal(a.base, b.base) || !equal(a.index, b.index) ||
      (a.index != none && a.scale != b.scale)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(b.offset) - static_cast<std::uint64_t>(a.offset);
}

namespace detail {

/// The least multiple `k` · `step` that is from `low` to `high` modulo `last` + 1: returns `k`, or 0 if there is none.
/// Requires 1 <= low <= high <= last and step <= last.
///
/// If no multiple of the step lies between them before the sum wraps, it must wrap y times, and what is left of
/// y · (last + 1) modulo the step is in a range, too: the same question about smaller numbers, as in Euclid's
/// algorithm. `k` grows with y, so the least y gives the least `k`. It is linear in what the next question gives, so
/// three factors are all that has to be kept. They may wrap: the result does not.
constexpr std::uint64_t least_multiple_between(std::uint64_t step, std::uint64_t low, std::uint64_t high,
                                               std::uint64_t last) {
  std::uint64_t factor = 1;
  std::uint64_t before = 0;
  std::uint64_t constant = 0;
  while (step != 0) {
    const std::uint64_t over = low % step;
    if (over == 0 || step - over <= high - low) {
      return factor * (low / step + (over == 0 ? 0 : 1)) + constant;
    }
    std::uint64_t turns = last / step; // (last + 1) / step, and what is left
    std::uint64_t left = last % step + 1;
    if (left == step) {
      left = 0;
      ++turns;
    }
    constant += factor * (low / step + 1);
    const std::uint64_t next = factor * turns + before;
    before = factor;
    factor = next;
    const std::uint64_t new_low = step - high % step;
    high = step - over;
    low = new_low;
    last = step - 1;
    step = left;
  }
  return 0;
}

} // namespace detail

/// The least number of iterations, from `first` on, by which the second access has to run later for both to have a byte
/// in common. Nothing if there is none, however long the loop runs and however often addresses of `address_bits` wrap.
/// Requires that both sizes are known, and `first` below 2^32. O(address_bits) in the worst case, and mostly one or two
/// divisions.
constexpr std::optional<std::uint64_t> first_meeting(const place_distance& distance, std::uint32_t bytes_of_first,
                                                     std::uint32_t bytes_of_second, std::uint64_t first,
                                                     unsigned address_bits = 64) {
  const common_bytes common(bytes_of_first, bytes_of_second);
  const std::uint64_t last = low_ones(address_bits);
  const std::uint64_t step = distance.step & last;
  const std::uint64_t at = (distance.bytes + first * step - static_cast<std::uint64_t>(common.low)) & last;
  if (common.span() >= at || common.span() >= last) {
    return first;
  }
  const std::uint64_t low = last - at + 1;
  const std::uint64_t more = detail::least_multiple_between(step, low, low + common.span(), last);
  constexpr std::uint64_t most = ~std::uint64_t{0};
  return more == 0 ? std::nullopt : std::optional(more > most - first ? most : first + more);
}

MIDEND_END_NAMESPACE
