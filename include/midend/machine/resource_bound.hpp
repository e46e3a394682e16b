/// `resource_bound`: a lower bound on the cycles in which the operations of a loop body can be issued.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The limit that a resource bound comes from.
enum class resource_limit : std::uint8_t {
  none,            ///< there are no operations
  channels,        ///< operations that can only use `channels`
  scalar_resource, ///< `resource`
  occupancy,       ///< one operation of `first` occupies its channel for that long
  exclusion        ///< `first` and `second` cannot be issued in the same cycle
};

/// A lower bound on the cycles per iteration, and its reason. `exact` holds on average over any number of iterations;
/// `cycles` holds if iterations start at a fixed distance, and is at least the ceiling of `exact`.
struct resource_bound_result {
  std::uint64_t cycles = 0;                      ///< the maximum over all limits, each rounded up
  resource_limit limit = resource_limit::none;   ///< the limit that attains `cycles`; the first of them in enum order
  channel_set channels = 0;                      ///< of `resource_limit::channels`: the smallest such set; else 0
  std::uint32_t resource = 0;                    ///< of `scalar_resource`
  operation_class first = operation_class::alu;  ///< of `occupancy` and `exclusion`
  operation_class second = operation_class::alu; ///< of `occupancy` and `exclusion`
  fraction limit_exact;                          ///< the bound of `limit` before rounding
  fraction exact;                                ///< the maximum over all limits before rounding
  bool is_impossible = false; ///< an operation needs a channel or a resource that the machine does not have

  friend constexpr bool operator==(const resource_bound_result&, const resource_bound_result&) = default;
};

namespace detail {

/// One call of `resource_bound`.
template <class M> class resource_bound_search {
public:
  constexpr resource_bound_search(const M& m, const operation_mix& mix) : m_(m), mix_(mix) {}

  constexpr resource_bound_result run() {
    collect_classes();
    consider_channel_sets();
    consider_resources();
    consider_occupancies();
    consider_exclusions();
    best_.is_impossible = is_impossible();
    return best_;
  }

private:
  /// Cycles of all classes that can be issued on exactly these channels.
  struct channel_demand {
    channel_set channels;
    std::uint64_t cycles;
  };

  constexpr void collect_classes() {
    for (const operation_class c : all_operation_classes()) {
      if (mix_[c] != 0) {
        classes_[num_classes_++] = c;
      }
    }
  }

  /// The classes that have operations.
  constexpr span<const operation_class> classes() const {
    return span<const operation_class>(classes_).first(num_classes_);
  }

  constexpr span<const channel_demand> demands() const {
    return span<const channel_demand>(demands_).first(num_demands_);
  }

  /// Completes `reason`, and keeps it if it is better than the bound so far. Better is, in this order: more cycles, the
  /// larger bound before rounding, the smaller set of channels, the set with the highest channels, the earlier one.
  constexpr void offer(std::uint64_t cycles, const fraction& exact, resource_bound_result& reason) {
    reason.cycles = cycles;
    reason.limit_exact = exact;
    reason.exact = max(exact, best_.exact);
    if (is_better(reason)) {
      best_ = reason;
    } else {
      best_.exact = reason.exact;
    }
  }

  constexpr bool is_better(const resource_bound_result& reason) const {
    if (reason.cycles != best_.cycles) {
      return reason.cycles > best_.cycles;
    }
    if (reason.limit_exact != best_.limit_exact) {
      return reason.limit_exact > best_.limit_exact;
    }
    if (reason.limit != resource_limit::channels || best_.limit != resource_limit::channels) {
      return false;
    }
    const int channels = std::popcount(reason.channels);
    const int fewest = std::popcount(best_.channels);
    return channels != fewest ? channels < fewest : reason.channels > best_.channels;
  }

  /// A quick test, with one division, that `demand` / `size` cannot change the result.
  constexpr bool is_far_below_best(std::uint64_t demand, std::uint64_t size) const {
    constexpr std::uint64_t limit = std::uint64_t{1} << 31;
    const bool fits =
        demand < limit && size < limit && best_.exact.numerator() < limit && best_.exact.denominator() < limit;
    return fits && demand * best_.exact.denominator() <= best_.exact.numerator() * size &&
           static_cast<std::uint32_t>(demand + size - 1) / static_cast<std::uint32_t>(size) < best_.cycles;
  }

  /// Hall's condition: operations that can only be issued on the channels of a set must fit there. A set with a channel
  /// that no class inside it can use is no tighter than the set without it, so it suffices to consider unions of the
  /// classes' sets.
  constexpr void consider_channel_sets() {
    collect_demands();
    const std::uint32_t last = (std::uint32_t{1} << num_demands_) - 1;
    if (num_demands_ <= 6) {
      for (std::uint32_t chosen = last; chosen != 0; --chosen) {
        consider_channels(union_of(chosen));
      }
    } else {
      const channel_set used = union_of(last);
      for (channel_set set = used; set != 0; set = (set - 1) & used) {
        consider_channels(set);
      }
    }
  }

  /// Adds up the classes that have the same set of channels.
  constexpr void collect_demands() {
    for (const operation_class c : classes()) {
      const channel_set wanted = m_.channels(c);
      std::size_t i = 0;
      while (i != num_demands_ && demands_[i].channels != wanted) {
        ++i;
      }
      if (i == num_demands_ && wanted != 0) {
        demands_[num_demands_++] = {wanted, 0};
      }
      demands_[i].cycles += wanted != 0 ? std::uint64_t{mix_[c]} * m_.occupancy(c) : 0;
    }
  }

  constexpr channel_set union_of(std::uint32_t chosen) const {
    channel_set all = 0;
    for (std::size_t i = 0; i != num_demands_; ++i) {
      all |= (chosen >> i & 1) != 0 ? demands_[i].channels : 0;
    }
    return all;
  }

  constexpr void consider_channels(channel_set set) {
    std::uint64_t demand = 0;
    channel_set needed = 0;
    for (const channel_demand& d : demands()) {
      const bool fits = (d.channels & ~set) == 0;
      demand += fits ? d.cycles : 0;
      needed |= fits ? d.channels : 0;
    }
    const auto size = static_cast<std::uint64_t>(std::popcount(set));
    if (demand != 0 && needed == set && !is_far_below_best(demand, size)) {
      resource_bound_result reason;
      reason.limit = resource_limit::channels;
      reason.channels = set;
      const fraction exact(demand, size);
      offer(exact.ceiling(), exact, reason);
    }
  }

  constexpr void consider_resources() {
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      std::uint64_t demand = mix_.extra_uses[r];
      for (const operation_class c : classes()) {
        demand += std::uint64_t{mix_[c]} * m_.use(c, r);
      }
      if (demand != 0 && m_.capacity(r) != 0 && !is_far_below_best(demand, m_.capacity(r))) {
        resource_bound_result reason;
        reason.limit = resource_limit::scalar_resource;
        reason.resource = static_cast<std::uint32_t>(r);
        const fraction exact(demand, m_.capacity(r));
        offer(exact.ceiling(), exact, reason);
      }
    }
  }

  /// The next iteration issues the operation on the same channel.
  constexpr void consider_occupancies() {
    for (const operation_class c : classes()) {
      if (m_.channels(c) != 0 && m_.occupancy(c) >= best_.cycles) {
        resource_bound_result reason;
        reason.limit = resource_limit::occupancy;
        reason.first = reason.second = c;
        offer(m_.occupancy(c), fraction(), reason);
      }
    }
  }

  /// No cycle issues operations of both classes, so that their issue cycles add up.
  constexpr void consider_exclusions() {
    for (const operation_class a : classes()) {
      for (const operation_class b : classes()) {
        if (b < a || !m_.excludes(a, b)) {
          continue;
        }
        resource_bound_result reason;
        reason.limit = resource_limit::exclusion;
        reason.first = a;
        reason.second = b;
        const fraction of_a = issue_cycles(a);
        const fraction of_b = a == b ? fraction() : issue_cycles(b);
        offer(of_a.ceiling() + of_b.ceiling(), of_a + of_b, reason);
      }
    }
  }

  /// A lower bound on the average number of cycles that issue an operation of `c`; rounded up, on their number.
  constexpr fraction issue_cycles(operation_class c) const {
    fraction cycles(m_.excludes(c, c) ? mix_[c] : 0);
    if (m_.channels(c) != 0 && mix_[c] != 0) {
      cycles = max(cycles, fraction(mix_[c], static_cast<std::uint64_t>(std::popcount(m_.channels(c)))));
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      const std::uint32_t use = m_.use(c, r);
      if (use != 0 && m_.capacity(r) >= use) {
        cycles = max(cycles, fraction(mix_[c], m_.capacity(r) / use));
      }
    }
    return cycles;
  }

  constexpr bool is_impossible() const {
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      if (mix_.extra_uses[r] != 0 && m_.capacity(r) == 0) {
        return true;
      }
    }
    for (const operation_class c : classes()) {
      if (!can_issue(c)) {
        return true;
      }
    }
    return false;
  }

  constexpr bool can_issue(operation_class c) const {
    bool exists = m_.channels(c) != 0;
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      exists = exists || m_.use(c, r) != 0;
      if (m_.use(c, r) > m_.capacity(r)) {
        return false;
      }
    }
    return exists;
  }

  const M& m_;
  const operation_mix& mix_;
  resource_bound_result best_{};
  std::array<operation_class, num_operation_classes> classes_{};
  std::size_t num_classes_ = 0;
  std::array<channel_demand, num_operation_classes + 1> demands_{}; ///< one more: classes without channels add nothing
  std::size_t num_demands_ = 0;
};

} // namespace detail

/// A lower bound on the cycles in which the operations of `mix` can be issued, iteration after iteration, on `m`:
///
///     max over non-empty sets S of channels of   Σ { count · occupancy : classes whose channels all lie in S } / |S|
///     max over scalar resources of               use / capacity
///
/// This is the ResMII of B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops",
/// MICRO-27, 1994, who assigns operations to alternatives one by one. The maximum over all sets is exact for fully
/// pipelined operations (P. Hall, "On representatives of subsets", J. London Math. Soc. 10, 1935). With larger
/// occupancies it is still a lower bound, and at least the largest occupancy. With excluded pairs, it is at least the
/// sum of what each class of a pair needs alone.
///
/// An operation whose class has no channels and uses no resource does not exist on the machine: then, and if a capacity
/// is too small for one operation, `is_impossible` is set, and the bound is that of the other operations.
///
/// O(2^k · classes that occur) for the k channels that the operations can use, at most 16, or for the k different sets
/// of channels of their classes, if these are at most 6.
template <issuing_machine_argument M>
constexpr resource_bound_result resource_bound(const M& m, const operation_mix& mix) {
  MIDEND_ASSERT(m.num_channels() <= max_channels, "few enough channels", m.num_channels());
  return detail::resource_bound_search<M>(m, mix).run();
}

MIDEND_END_NAMESPACE
