/// `reservation_table`: the channels and resources in use in each cycle of the kernel.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The issue rules of a machine by class, read once.
struct issue_rules {
  std::array<channel_set, num_operation_classes> channels{};
  std::array<std::uint32_t, num_operation_classes> occupancy{};
  std::array<std::uint32_t, num_operation_classes> excluded{}; ///< sets of classes
  std::array<std::array<std::uint32_t, max_resources>, num_operation_classes> uses{};
  std::array<std::uint32_t, max_resources> capacity{};
  std::size_t num_channels = 0;
  std::size_t num_resources = 0;
  std::size_t literals = 0; ///< the resource that words of literals use; `num_resources` if there is none

  template <loop_machine M> constexpr explicit issue_rules(const M& m) {
    num_channels = m.num_channels();
    num_resources = m.num_resources();
    literals = m.literal_resource();
    for (std::size_t r = 0; r != num_resources; ++r) {
      capacity[r] = m.capacity(r);
    }
    for (const operation_class c : all_operation_classes()) {
      const auto i = static_cast<std::size_t>(c);
      channels[i] = m.channels(c);
      occupancy[i] = m.channels(c) == 0 ? 0 : m.occupancy(c);
      for (std::size_t r = 0; r != num_resources; ++r) {
        uses[i][r] = m.use(c, r);
      }
      for (const operation_class other : all_operation_classes()) {
        excluded[i] |= static_cast<std::uint32_t>(m.excludes(c, other)) << static_cast<unsigned>(other);
      }
    }
  }

  constexpr channel_set channels_of(operation_class c) const { return channels[static_cast<std::size_t>(c)]; }

  constexpr std::uint32_t occupancy_of(operation_class c) const { return occupancy[static_cast<std::size_t>(c)]; }

  constexpr std::uint32_t excluded_by(operation_class c) const { return excluded[static_cast<std::size_t>(c)]; }
};

/// The memory of a `reservation_table`, reused from table to table.
struct reservation_memory {
  flat_array<channel_set> busy;      ///< by row
  flat_array<operation_id> owner;    ///< by row and channel, valid where the row is busy
  flat_array<std::uint32_t> used;    ///< by row and resource
  flat_array<operation_id> first;    ///< by row: an operation issued in it
  flat_array<operation_id> next;     ///< by operation: another one that is issued in its row
  flat_array<operation_id> previous; ///< by operation: the one before it in that list
  flat_array<std::uint32_t> row;     ///< by operation
  flat_array<std::uint32_t> channel; ///< by operation
};

/// The table of one interval. An operation that blocks its channel for one cycle may be moved to another channel of its
/// row to make room: channels of a row are a matching that grows by augmenting paths.
class reservation_table {
public:
  static constexpr operation_id nobody = static_cast<operation_id>(-1);

  constexpr reservation_table(const schedulable_body& body, const issue_rules& rules, std::uint32_t rows,
                              reservation_memory& w)
      : body_(body), rules_(rules), w_(w), rows_(rows) {
    w.busy.assign(rows, 0);
    w.owner.resize_for_overwrite(rows * rules.num_channels);
    w.used.assign(rows * rules.num_resources, 0);
    w.first.assign(rows, nobody);
    w.next.assign(body.size(), nobody);
    w.previous.assign(body.size(), nobody);
    w.row.assign(body.size(), 0);
    w.channel.assign(body.size(), no_channel);
    for (operation_id o = 0; o != body.size(); ++o) {
      const channel_set all = channels(o);
      for (channel_set rest = all; rest != 0; rest &= rest - 1) {
        wanted_[static_cast<std::size_t>(std::countr_zero(rest))] +=
            720 * std::uint64_t{occupancy(o)} / static_cast<std::uint64_t>(std::popcount(all));
      }
    }
  }

  constexpr std::uint32_t channel(operation_id o) const { return w_.channel[o]; }

  /// Whether the operation can be issued in the row.
  constexpr bool fits(operation_id o, std::uint32_t row) {
    return has_resources(o, row) && !is_excluded(o, row) && find_channel(o, row) != none_fits;
  }

  /// Issues the operation in the row. Requires that it fits.
  constexpr void put(operation_id o, std::uint32_t row) {
    const std::uint32_t channel = find_channel(o, row);
    MIDEND_ASSERT(channel != none_fits, "an operation that fits", o, row);
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      vacate(channel, row_after(row, k));
    }
    take(o, row, channel);
  }

  /// Issues the operation in the row on a channel that is free.
  constexpr void put_on(operation_id o, std::uint32_t row, std::uint32_t channel) { take(o, row, channel); }

  /// Takes the operation out of the table.
  constexpr void remove(operation_id o) {
    const std::uint32_t row = w_.row[o];
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      w_.busy[row_after(row, k)] &= ~(channel_set{1} << w_.channel[o]);
    }
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      w_.used[row * rules_.num_resources + r] -= use(o, r);
    }
    (w_.previous[o] == nobody ? w_.first[row] : w_.next[w_.previous[o]]) = w_.next[o];
    if (w_.next[o] != nobody) {
      w_.previous[w_.next[o]] = w_.previous[o];
    }
  }

  /// Takes operations out until this one fits; calls `removed` for each. `rank` of an operation: those with the
  /// highest go first. Requires that the operation fits into an empty table.
  template <class Removed>
  constexpr void make_room(operation_id o, std::uint32_t row, const flat_array<std::uint32_t>& rank,
                           const Removed& removed) {
    const auto evict = [&](operation_id other) {
      remove(other);
      removed(other);
    };
    while (!has_resources(o, row)) {
      evict(last_ranked(row, rank, [&](operation_id other) { return shares_exceeded_resource(o, other, row); }));
    }
    while (is_excluded(o, row)) {
      evict(last_ranked(row, rank, [&](operation_id other) { return excludes(o, other); }));
    }
    if (find_channel(o, row) != none_fits) {
      return;
    }
    const std::uint32_t channel = cheapest_channel(o, row, rank);
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      const std::uint32_t at = row_after(row, k);
      if ((w_.busy[at] >> channel & 1) != 0) {
        evict(owner(at, channel));
      }
    }
  }

private:
  static constexpr std::uint32_t none_fits = no_channel - 1;

  constexpr channel_set channels(operation_id o) const { return rules_.channels_of(body_.kind(o)); }

  constexpr std::uint32_t occupancy(operation_id o) const { return rules_.occupancy_of(body_.kind(o)); }

  constexpr std::uint32_t use(operation_id o, std::size_t r) const {
    return rules_.uses[static_cast<std::size_t>(body_.kind(o))][r] +
           (r == rules_.literals ? body_.literal_words(o) : 0);
  }

  constexpr std::uint32_t row_after(std::uint32_t row, std::uint32_t k) const {
    const std::uint32_t at = row + k;
    return at < rows_ ? at : at - rows_;
  }

  constexpr operation_id& owner(std::uint32_t row, std::uint32_t channel) {
    return w_.owner[row * rules_.num_channels + channel];
  }

  constexpr bool has_resources(operation_id o, std::uint32_t row) const {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      if (w_.used[row * rules_.num_resources + r] + use(o, r) > rules_.capacity[r]) {
        return false;
      }
    }
    return true;
  }

  constexpr bool shares_exceeded_resource(operation_id o, operation_id other, std::uint32_t row) const {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      if (use(other, r) != 0 && w_.used[row * rules_.num_resources + r] + use(o, r) > rules_.capacity[r]) {
        return true;
      }
    }
    return false;
  }

  constexpr bool excludes(operation_id a, operation_id b) const {
    return (rules_.excluded_by(body_.kind(a)) >> static_cast<unsigned>(body_.kind(b)) & 1) != 0;
  }

  constexpr bool is_excluded(operation_id o, std::uint32_t row) const {
    if (rules_.excluded_by(body_.kind(o)) == 0) {
      return false;
    }
    for (operation_id other = w_.first[row]; other != nobody; other = w_.next[other]) {
      if (excludes(o, other)) {
        return true;
      }
    }
    return false;
  }

  template <class Condition>
  constexpr operation_id last_ranked(std::uint32_t row, const flat_array<std::uint32_t>& rank,
                                     const Condition& condition) const {
    operation_id last = nobody;
    for (operation_id other = w_.first[row]; other != nobody; other = w_.next[other]) {
      if (condition(other) && (last == nobody || rank[other] > rank[last])) {
        last = other;
      }
    }
    return last;
  }

  constexpr bool may_move(operation_id o) const { return occupancy(o) == 1; }

  /// A free channel of the row at the end of a path from a `wanted` one, or `none_fits`. If each operation on the path
  /// moves to the next channel, the wanted one becomes free; `source_` leads back along the path. A wanted channel that
  /// is free is a path by itself. Nothing moves from or to channels of `reached`.
  constexpr std::uint32_t find_free(std::uint32_t row, channel_set wanted, channel_set reached) {
    channel_set frontier = wanted & ~reached;
    reached |= wanted;
    const channel_set busy = w_.busy[row];
    for (;;) {
      const channel_set free = frontier & ~busy;
      if (free != 0) {
        return least_wanted(free);
      }
      if (frontier == 0) {
        return none_fits;
      }
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(frontier));
      frontier &= frontier - 1;
      const operation_id other = owner(row, channel);
      if (may_move(other)) {
        const channel_set more = channels(other) & ~reached;
        for (channel_set rest = more; rest != 0; rest &= rest - 1) {
          source_[static_cast<std::size_t>(std::countr_zero(rest))] = channel;
        }
        reached |= more;
        frontier |= more;
      }
    }
  }

  constexpr std::uint32_t least_wanted(channel_set free) const {
    auto best = static_cast<std::uint32_t>(std::countr_zero(free));
    for (channel_set rest = free & (free - 1); rest != 0; rest &= rest - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(rest));
      best = wanted_[channel] < wanted_[best] ? channel : best;
    }
    return best;
  }

  /// The channel on which the operation can be issued if others move; `no_channel` if it takes none, `none_fits` if
  /// there is none.
  constexpr std::uint32_t find_channel(operation_id o, std::uint32_t row) {
    const channel_set all = channels(o);
    if (all == 0) {
      return no_channel;
    }
    if (occupancy(o) == 0) {
      return static_cast<std::uint32_t>(std::countr_zero(all));
    }
    if (occupancy(o) == 1) {
      const channel_set free = all & ~w_.busy[row];
      if (free != 0) {
        return least_wanted(free);
      }
      const std::uint32_t end = find_free(row, all, 0);
      return end == none_fits ? none_fits : beginning_of_path(end, all);
    }
    if (occupancy(o) > rows_) {
      return none_fits;
    }
    std::uint32_t best = none_fits;
    for (channel_set rest = all; rest != 0; rest &= rest - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(rest));
      if ((best == none_fits || wanted_[channel] < wanted_[best]) && can_vacate(o, channel, row)) {
        best = channel;
      }
    }
    return best;
  }

  constexpr std::uint32_t beginning_of_path(std::uint32_t end, channel_set wanted) const {
    while ((wanted >> end & 1) == 0) {
      end = source_[end];
    }
    return end;
  }

  constexpr bool can_vacate(operation_id o, std::uint32_t channel, std::uint32_t row) {
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      const std::uint32_t at = row_after(row, k);
      if ((w_.busy[at] >> channel & 1) == 0) {
        continue;
      }
      const operation_id other = owner(at, channel);
      if (!may_move(other) || find_free(at, channels(other), channel_set{1} << channel) == none_fits) {
        return false;
      }
    }
    return true;
  }

  /// Moves the operation on a channel, and those on the path, to other channels.
  constexpr void vacate(std::uint32_t channel, std::uint32_t row) {
    if ((w_.busy[row] >> channel & 1) == 0) {
      return;
    }
    const operation_id other = owner(row, channel);
    const channel_set all = channels(other) & ~(channel_set{1} << channel);
    std::uint32_t to = find_free(row, all, channel_set{1} << channel);
    MIDEND_ASSERT(to != none_fits, "a channel that can be vacated", channel, row);
    while ((all >> to & 1) == 0) {
      move(source_[to], to, row);
      to = source_[to];
    }
    move(channel, to, row);
  }

  constexpr void move(std::uint32_t from, std::uint32_t to, std::uint32_t row) {
    const operation_id o = owner(row, from);
    owner(row, to) = o;
    w_.channel[o] = to;
    w_.busy[row] = (w_.busy[row] | channel_set{1} << to) & ~(channel_set{1} << from);
  }

  constexpr void take(operation_id o, std::uint32_t row, std::uint32_t channel) {
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      const std::uint32_t at = row_after(row, k);
      w_.busy[at] |= channel_set{1} << channel;
      owner(at, channel) = o;
    }
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      w_.used[row * rules_.num_resources + r] += use(o, r);
    }
    w_.row[o] = row;
    w_.channel[o] = channel;
    w_.previous[o] = nobody;
    w_.next[o] = w_.first[row];
    if (w_.first[row] != nobody) {
      w_.previous[w_.first[row]] = o;
    }
    w_.first[row] = o;
  }

  /// The channel whose owners rank last: the first of them counts.
  constexpr std::uint32_t cheapest_channel(operation_id o, std::uint32_t row, const flat_array<std::uint32_t>& rank) {
    std::uint32_t best = none_fits;
    std::uint32_t best_rank = 0;
    for (channel_set rest = channels(o); rest != 0; rest &= rest - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint32_t first_rank = static_cast<std::uint32_t>(-1);
      for (std::uint32_t k = 0; k != occupancy(o); ++k) {
        const std::uint32_t at = row_after(row, k);
        if ((w_.busy[at] >> channel & 1) != 0) {
          const std::uint32_t r = rank[owner(at, channel)];
          first_rank = r < first_rank ? r : first_rank;
        }
      }
      if (best == none_fits || first_rank > best_rank) {
        best = channel;
        best_rank = first_rank;
      }
    }
    return best;
  }

  const schedulable_body& body_;
  const issue_rules& rules_;
  reservation_memory& w_;
  std::uint32_t rows_;
  std::array<std::uint64_t, max_channels> wanted_{}; ///< by channel: each operation by its share
  std::array<std::uint32_t, max_channels> source_{}; ///< by channel on a path: the one before it
};

} // namespace detail

MIDEND_END_NAMESPACE
