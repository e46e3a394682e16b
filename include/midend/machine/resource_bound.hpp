/// The resource bound: in fewer cycles a loop body cannot be issued.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/operation_mix.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// What a resource bound comes from.
enum class resource_limit : std::uint8_t {
  none,            ///< there are no operations
  channels,        ///< operations that all need one of `channels`
  scalar_resource, ///< `resource`
  occupancy,       ///< one operation of `first` keeps its channel so long
  exclusion        ///< `first` and `second` are never issued together
};

/// At least so many cycles an iteration, and why. `exact` holds for the average of any number of iterations together;
/// `cycles`, for a body whose iterations start at a fixed distance, is at least its ceiling.
struct resource_bound_result {
  std::uint64_t cycles = 0;                    ///< the greatest of the bounds of all limits, each rounded up
  resource_limit limit = resource_limit::none; ///< which attains `cycles`, the first of them in the order of the kinds
  channel_set channels = 0;                    ///< the set, the smallest of those that attain it; else 0
  std::uint32_t resource = 0;
  operation_class first = operation_class::alu;
  operation_class second = operation_class::alu;
  fraction limit_exact;       ///< the bound of that limit before rounding
  fraction exact;             ///< the greatest bound of any limit before rounding
  bool is_impossible = false; ///< an operation needs a channel or a resource that the machine does not have

  friend constexpr bool operator==(const resource_bound_result&, const resource_bound_result&) = default;
};

namespace detail {

/// Of all classes that can be issued on these channels and no others.
struct channel_demand {
  channel_set channels;
  std::uint64_t cycles;
};

template <class M> struct resource_bound_search {
  const M& m;
  const operation_mix& mix;
  resource_bound_result best{};
  std::array<operation_class, num_operation_classes> classes{}; ///< of which there are operations
  std::size_t num_classes = 0;
  std::array<channel_demand, num_operation_classes + 1> demands{};
  std::size_t num_demands = 0;

  constexpr std::span<const operation_class> present() const {
    return std::span<const operation_class>(classes).first(num_classes);
  }

  constexpr void find_classes() {
    for (const operation_class c : all_operation_classes()) {
      if (mix[c] != 0) {
        classes[num_classes++] = c;
      }
    }
  }

  constexpr std::uint64_t busy(operation_class c) const { return std::uint64_t{mix[c]} * m.occupancy(c); }

  /// Keeps the better of two; at the same number of cycles the limit that is tighter before rounding, then the smaller
  /// set of channels, then that with the highest channels, then the first.
  constexpr void offer(std::uint64_t cycles, const fraction& exact, resource_bound_result reason) {
    reason.cycles = cycles;
    reason.limit_exact = exact;
    reason.exact = detail::max(exact, best.exact);
    if (is_better(reason)) {
      best = reason;
    } else {
      best.exact = reason.exact;
    }
  }

  /// Whether `demand` / `size` changes nothing, by what can be said without a division but one.
  constexpr bool is_far_behind(std::uint64_t demand, std::uint64_t size) const {
    constexpr std::uint64_t limit = std::uint64_t{1} << 31;
    const bool fits =
        demand < limit && size < limit && best.exact.numerator() < limit && best.exact.denominator() < limit;
    return fits && demand * best.exact.denominator() <= best.exact.numerator() * size &&
           static_cast<std::uint32_t>(demand + size - 1) / static_cast<std::uint32_t>(size) < best.cycles;
  }

  constexpr bool is_better(const resource_bound_result& reason) const {
    if (reason.cycles != best.cycles) {
      return reason.cycles > best.cycles;
    }
    if (reason.limit_exact != best.limit_exact) {
      return reason.limit_exact > best.limit_exact;
    }
    if (reason.limit != resource_limit::channels || best.limit != resource_limit::channels) {
      return false;
    }
    const int channels = std::popcount(reason.channels);
    const int fewest = std::popcount(best.channels);
    return channels != fewest ? channels < fewest : reason.channels > best.channels;
  }

  /// Hall's condition: what can only go to the channels of a set has to fit there. A set with channels that nobody in
  /// it wants is no tighter than the one without them, so that the unions of what classes want are all there is to look
  /// at.
  constexpr void look_at_channel_sets() {
    collect_demands();
    const std::uint32_t last = (std::uint32_t{1} << num_demands) - 1;
    if (num_demands <= 6) {
      for (std::uint32_t chosen = last; chosen != 0; --chosen) {
        look_at_channels(union_of(chosen));
      }
    } else {
      const channel_set used = union_of(last);
      for (channel_set set = used; set != 0; set = (set - 1) & used) {
        look_at_channels(set);
      }
    }
  }

  /// Classes that go to the same channels are as one.
  constexpr void collect_demands() {
    for (const operation_class c : present()) {
      const channel_set wanted = m.channels(c);
      std::size_t i = 0;
      while (i != num_demands && demands[i].channels != wanted) {
        ++i;
      }
      if (i == num_demands && wanted != 0) {
        demands[num_demands++] = {wanted, 0};
      }
      demands[i].cycles += wanted != 0 ? busy(c) : 0;
    }
  }

  constexpr channel_set union_of(std::uint32_t chosen) const {
    channel_set all = 0;
    for (std::size_t i = 0; i != num_demands; ++i) {
      all |= (chosen >> i & 1) != 0 ? demands[i].channels : 0;
    }
    return all;
  }

  constexpr void look_at_channels(channel_set set) {
    std::uint64_t demand = 0;
    channel_set needed = 0;
    for (std::size_t i = 0; i != num_demands; ++i) {
      const bool fits = (demands[i].channels & ~set) == 0;
      demand += fits ? demands[i].cycles : 0;
      needed |= fits ? demands[i].channels : 0;
    }
    const auto size = static_cast<std::uint64_t>(std::popcount(set));
    if (demand != 0 && needed == set && !is_far_behind(demand, size)) {
      resource_bound_result reason;
      reason.limit = resource_limit::channels;
      reason.channels = set;
      const fraction exact(demand, size);
      offer(exact.ceiling(), exact, reason);
    }
  }

  constexpr void look_at_resources() {
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      std::uint64_t demand = mix.extra_uses[r];
      for (const operation_class c : present()) {
        demand += std::uint64_t{mix[c]} * m.use(c, r);
      }
      if (demand != 0 && m.capacity(r) != 0 && !is_far_behind(demand, m.capacity(r))) {
        resource_bound_result reason;
        reason.limit = resource_limit::scalar_resource;
        reason.resource = static_cast<std::uint32_t>(r);
        const fraction exact(demand, m.capacity(r));
        offer(exact.ceiling(), exact, reason);
      }
    }
  }

  /// The next iteration issues the operation on the same channel.
  constexpr void look_at_occupancies() {
    for (const operation_class c : present()) {
      if (m.channels(c) != 0 && m.occupancy(c) >= best.cycles) {
        resource_bound_result reason;
        reason.limit = resource_limit::occupancy;
        reason.first = reason.second = c;
        offer(m.occupancy(c), fraction(), reason);
      }
    }
  }

  /// The average of the cycles in which something of `c` is issued, and, rounded up, the least number of them.
  constexpr fraction issue_cycles(operation_class c) const {
    fraction cycles(m.excludes(c, c) ? mix[c] : 0);
    if (m.channels(c) != 0 && mix[c] != 0) {
      cycles = detail::max(cycles, fraction(mix[c], static_cast<std::uint64_t>(std::popcount(m.channels(c)))));
    }
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      const std::uint32_t use = m.use(c, r);
      if (use != 0 && m.capacity(r) >= use) {
        cycles = detail::max(cycles, fraction(mix[c], m.capacity(r) / use));
      }
    }
    return cycles;
  }

  /// The cycles that issue one and those that issue the other are not the same ones.
  constexpr void look_at_exclusions() {
    for (const operation_class a : present()) {
      for (const operation_class b : present()) {
        if (b < a || !m.excludes(a, b)) {
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

  constexpr void look_for_what_is_missing() {
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      best.is_impossible = best.is_impossible || (mix.extra_uses[r] != 0 && m.capacity(r) == 0);
    }
    for (const operation_class c : present()) {
      best.is_impossible = best.is_impossible || !can_issue(c);
    }
  }

  constexpr bool can_issue(operation_class c) const {
    bool takes_something = m.channels(c) != 0;
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      takes_something = takes_something || m.use(c, r) != 0;
      if (m.use(c, r) > m.capacity(r)) {
        return false;
      }
    }
    return takes_something;
  }
};

} // namespace detail

/// The least number of cycles in which the operations of `mix` can be issued, again and again, on `m`:
///
///     max over non-empty sets S of channels of   Σ { count · occupancy : classes whose channels all lie in S } / |S|
///     max over scalar resources of               use / capacity
///
/// the ResMII of B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops", MICRO-27, 1994,
/// which there comes from assigning operations to alternatives one by one; over all sets it is exact for fully
/// pipelined operations (P. Hall, "On representatives of subsets", J. London Math. Soc. 10, 1935). If some occupancies
/// are greater it is still a lower bound, and at least the greatest of them. With classes that exclude each other, it
/// is at least the sum of what each of two needs alone.
///
/// An operation whose class has no channels and uses no resource is one that the machine does not have: then, and if a
/// capacity is too small for one operation, the bound is that of the rest and `is_impossible` is set.
///
/// O(2^k · classes that are there) for the k channels that the operations can go to, at most 16, or for the k sets of
/// channels that their classes have, if those are at most 6.
template <class M>
  requires machine_with_channels<M> && machine_with_resources<M> && machine_with_exclusions<M>
constexpr resource_bound_result resource_bound(const M& m, const operation_mix& mix) {
  MIDEND_ASSERT(m.num_channels() <= max_channels, "few enough channels", m.num_channels());
  detail::resource_bound_search<M> search{m, mix};
  search.find_classes();
  search.look_at_channel_sets();
  search.look_at_resources();
  search.look_at_occupancies();
  search.look_at_exclusions();
  search.look_for_what_is_missing();
  return search.best;
}

MIDEND_END_NAMESPACE
