/// Random numbers that are the same everywhere.
#pragma once

#include "midend/config.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). The distributions
/// are our own: those of <random> differ between libraries.
class random_numbers {
public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
  }

  /// 0 … bound-1. Requires a bound of at least 1.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  /// low … high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low) + 1));
  }

  bool one_in(std::size_t n) { return below(n) == 0; }

  bool percent(std::size_t p) { return below(100) < p; }

  template <class T, std::size_t N> const T& any_of(const T (&choices)[N]) { return choices[below(N)]; }

  template <class List> const auto& any_of(const List& choices) { return choices[below(choices.size())]; }

private:
  std::uint64_t state_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
