/// `phi_permutation`: header phis that exchange their values from iteration to iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The value of `next[p]` if the latch input of phi p is not a phi of the header.
inline constexpr std::uint32_t no_phi = static_cast<std::uint32_t>(-1);

/// Cycles of phis: each phi takes, in the next iteration, the present value of the next phi of the cycle. After n
/// iterations, each phi of a cycle of n phis has its own value again: if the loop is unrolled by a multiple of n, the
/// phis vanish.
class phi_permutation {
public:
  constexpr std::size_t num_cycles() const { return ends_.size(); }

  /// The phis of a cycle in the order in which their values reach the first: the first phi, the phi from which it takes
  /// its next value, and so on.
  constexpr span<const std::uint32_t> cycle(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return span<const std::uint32_t>(phis_).subspan(begin, ends_[i] - begin);
  }

  /// The least common multiple of the lengths, 1 without cycles: the least number of iterations after which every phi
  /// of every cycle has its own value again. 0 if it does not fit in 64 bits.
  constexpr std::uint64_t period() const { return period_; }

  /// Computes the cycles of a map, refilling this object. Requires that each `next[p]` is below the size of `next` or
  /// `no_phi`. Several phis may take the value of one. A phi that keeps its value is a cycle of length 1. Cycles are in
  /// the order of their least phis, and begin with them. O(phis).
  constexpr void assign(span<const std::uint32_t> next) {
    phis_.clear();
    ends_.clear();
    period_ = 1;
    mark_cycles(next);
    for (std::uint32_t p = 0; p != next.size(); ++p) {
      if (state_[p] == on_cycle) {
        append_cycle(p, next);
      }
    }
  }

private:
  /// Other states are the number of the walk that visited the phi.
  static constexpr std::uint32_t unseen = no_phi;
  static constexpr std::uint32_t on_cycle = no_phi - 1;

  constexpr void mark_cycles(span<const std::uint32_t> next) {
    state_.assign(next.size(), unseen);
    for (std::uint32_t walk = 0; walk != next.size(); ++walk) {
      std::uint32_t p = walk;
      while (p != no_phi && state_[p] == unseen) {
        MIDEND_ASSERT(next[p] == no_phi || next[p] < next.size(), "a phi of the header", p, next[p], next.size());
        state_[p] = walk;
        p = next[p];
      }
      while (p != no_phi && state_[p] == walk) { // the walk returned to one of its own phis
        state_[p] = on_cycle;
        p = next[p];
      }
    }
  }

  /// Starts at the least phi of the cycle.
  constexpr void append_cycle(std::uint32_t least, span<const std::uint32_t> next) {
    const std::size_t begin = phis_.size();
    for (std::uint32_t p = least; state_[p] == on_cycle; p = next[p]) {
      state_[p] = least;
      phis_.push_back(p);
    }
    ends_.push_back(static_cast<std::uint32_t>(phis_.size()));
    extend_period(phis_.size() - begin);
  }

  constexpr void extend_period(std::uint64_t length) {
    const std::uint64_t factor = length / greatest_common_divisor(period_, length);
    period_ = period_ <= ~std::uint64_t{0} / factor ? period_ * factor : 0;
  }

  flat_array<std::uint32_t> phis_;
  flat_array<std::uint32_t> ends_;
  flat_array<std::uint32_t> state_;
  std::uint64_t period_ = 1;
};

MIDEND_END_NAMESPACE
