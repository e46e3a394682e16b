/// `row_search`: whether the operations of a small body can be assigned to the cycles of a kernel.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/detail/reservation_table.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The constraints of a body that are kept: all, unless some are dropped.
struct kept_constraints {
  flat_array<std::uint8_t> operations;         ///< by operation: 0: neither it nor its dependences; empty: all are kept
  flat_array<std::uint8_t> dependences;        ///< by dependence, likewise
  std::uint32_t resources = ~std::uint32_t{0}; ///< a set
  bool channels = true;
  bool exclusions = true;

  constexpr bool keeps_operation(operation_id o) const { return operations.empty() || operations[o] != 0; }

  constexpr bool keeps_dependence(std::size_t d) const { return dependences.empty() || dependences[d] != 0; }
};

/// The memory of `row_search`, reused from search to search.
struct row_search_memory {
  /// A row, and the channel of an operation that blocks it for several cycles.
  struct place {
    std::uint32_t row;
    std::uint32_t channel;
  };

  /// A decision.
  struct level {
    operation_id operation;
    std::uint32_t next; ///< the next place to try, in `places`
    std::uint32_t end;
  };

  flat_array<std::int64_t> distances; ///< by level: the matrix of longest paths before its decision
  flat_array<place> places;
  flat_array<level> levels;
  flat_array<std::uint32_t> row;     ///< by operation
  flat_array<std::uint32_t> channel; ///< by operation; of one that blocks its channel for one cycle at the end only
  flat_array<channel_set> blocked;   ///< by row: channels of operations that block theirs for several cycles
  flat_array<std::uint32_t> used;    ///< by row and resource
  flat_array<std::uint64_t> members; ///< by row: set of operations issued in it
  flat_array<std::uint64_t> domain;  ///< by operation and word: set of rows
  flat_array<operation_id> slot_owner;
  flat_array<std::uint32_t> seen;
  flat_array<operation_id> queue;
};

/// Decides whether a schedule with a given interval exists, for at most 64 operations.
///
/// A schedule is a row for each operation, its cycle modulo the interval, and its stage. Given the rows, stages exist
/// unless some cycle of dependences is too long; so only the rows are searched, and only dependences within a
/// recurrence constrain them. Their longest paths are kept as a matrix: between two rows that are known, a path is as
/// long as the next number that is congruent to the difference of the rows.
class row_search {
public:
  static constexpr std::size_t most_operations = 64;

  constexpr row_search(const schedulable_body& body, const issue_rules& rules, const kept_constraints& kept,
                       std::uint32_t interval, row_search_memory& w)
      : body_(body), rules_(rules), kept_(kept), w_(w), n_(static_cast<std::uint32_t>(body.size())),
        interval_(interval), words_((interval + std::size_t{63}) / 64) {}

  /// `steps` is counted down at each decision; at 0 the search ends.
  constexpr schedule_status run(std::uint64_t& steps) {
    MIDEND_ASSERT(n_ <= most_operations, "few operations", n_);
    clear();
    for (operation_id o = 0; o != n_; ++o) {
      if (!fits_alone(o)) {
        return schedule_status::infeasible;
      }
    }
    if (!find_longest_paths()) {
      return schedule_status::infeasible;
    }
    find_twins();
    return search(steps);
  }

  /// The rows found as a schedule. Requires that all constraints were kept and that the search attained one.
  constexpr void store(schedule& out) {
    out.interval = interval_;
    out.slots.resize_for_overwrite(n_);
    for (std::uint32_t r = 0; r != interval_; ++r) {
      match_row(r, no_operation_id, true);
    }
    for (operation_id o = 0; o != n_; ++o) {
      if (occupancy(o) == 0) {
        const channel_set all = rules_.channels_of(body_.kind(o));
        w_.channel[o] = all == 0 ? no_channel : static_cast<std::uint32_t>(std::countr_zero(all));
      }
      out.slots[o] = {w_.row[o], w_.channel[o]};
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const operation_dependence& d : body_.graph.dependences()) {
        const std::uint64_t ready = std::uint64_t{out.slots[d.producer].cycle} + d.latency;
        const std::uint64_t there = std::uint64_t{out.slots[d.consumer].cycle} + std::uint64_t{interval_} * d.distance;
        if (there < ready) {
          const std::uint64_t later = (ready - there + interval_ - 1) / interval_;
          out.slots[d.consumer].cycle += static_cast<std::uint32_t>(later * interval_);
          changed = true;
        }
      }
    }
    finish_schedule(body_, out);
  }

private:
  static constexpr std::int64_t no_path = -(std::int64_t{1} << 60);
  static constexpr operation_id no_operation_id = static_cast<operation_id>(-1);

  // The kept part of the body.

  constexpr std::uint32_t occupancy(operation_id o) const {
    return kept_.channels && kept_.keeps_operation(o) ? rules_.occupancy_of(body_.kind(o)) : 0;
  }

  constexpr channel_set channels(operation_id o) const { return rules_.channels_of(body_.kind(o)); }

  constexpr std::uint32_t use(operation_id o, std::size_t r) const {
    if (!kept_.keeps_operation(o) || (kept_.resources >> r & 1) == 0) {
      return 0;
    }
    return rules_.uses[static_cast<std::size_t>(body_.kind(o))][r] +
           (r == rules_.literals ? body_.literal_words(o) : 0);
  }

  constexpr std::uint32_t excluded(operation_id o) const {
    return kept_.exclusions && kept_.keeps_operation(o) ? rules_.excluded_by(body_.kind(o)) : 0;
  }

  constexpr bool fits_alone(operation_id o) const {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      if (use(o, r) > rules_.capacity[r]) {
        return false;
      }
    }
    return occupancy(o) <= interval_;
  }

  constexpr void clear() {
    w_.row.assign(n_, 0);
    w_.channel.assign(n_, no_channel);
    w_.blocked.assign(interval_, 0);
    w_.used.assign(interval_ * rules_.num_resources, 0);
    w_.members.assign(interval_, 0);
    w_.domain.assign(n_ * words_, 0);
    w_.distances.resize_for_overwrite((n_ + std::size_t{1}) * n_ * n_);
    w_.places.clear();
    w_.levels.clear();
    assigned_ = 0;
  }

  // Longest paths.

  constexpr std::int64_t* matrix(std::size_t level) { return w_.distances.data() + level * n_ * n_; }

  /// Floyd and Warshall. False if an operation waits for itself for longer than its distance.
  constexpr bool find_longest_paths() {
    std::int64_t* const d = matrix(0);
    for (std::size_t i = 0; i != std::size_t{n_} * n_; ++i) {
      d[i] = no_path;
    }
    std::size_t i = 0;
    for (const operation_dependence& e : body_.graph.dependences()) {
      const bool is_kept =
          kept_.keeps_dependence(i++) && kept_.keeps_operation(e.producer) && kept_.keeps_operation(e.consumer);
      const std::int64_t delay =
          static_cast<std::int64_t>(e.latency) - std::int64_t{interval_} * static_cast<std::int64_t>(e.distance);
      std::int64_t& now = d[e.producer * std::size_t{n_} + e.consumer];
      now = is_kept ? max(now, delay) : now;
    }
    for (std::size_t k = 0; k != n_; ++k) {
      close_over(d, k);
    }
    for (std::size_t a = 0; a != n_; ++a) {
      if (d[a * n_ + a] > 0) {
        return false;
      }
    }
    for (std::size_t a = 0; a != n_; ++a) { // rows of operations that do not wait for each other are independent
      for (std::size_t b = 0; b != a; ++b) {
        if (d[a * n_ + b] == no_path || d[b * n_ + a] == no_path) {
          d[a * n_ + b] = d[b * n_ + a] = no_path;
        }
      }
    }
    return true;
  }

  constexpr void close_over(std::int64_t* d, std::size_t k) const {
    for (std::size_t a = 0; a != n_; ++a) {
      if (d[a * n_ + k] == no_path) {
        continue;
      }
      for (std::size_t b = 0; b != n_; ++b) {
        if (d[k * n_ + b] != no_path) {
          d[a * n_ + b] = max(d[a * n_ + b], d[a * n_ + k] + d[k * n_ + b]);
        }
      }
    }
  }

  constexpr bool is_bound(const std::int64_t* d, operation_id a, operation_id b) const {
    return a != b && d[a * std::size_t{n_} + b] != no_path;
  }

  /// The least number from `least` on that is congruent to the difference of two rows.
  constexpr std::int64_t rounded(std::int64_t least, std::uint32_t from, std::uint32_t to) const {
    const std::int64_t wanted = std::int64_t{to} - std::int64_t{from} - least;
    const std::int64_t rest = wanted % std::int64_t{interval_};
    return least + (rest < 0 ? rest + std::int64_t{interval_} : rest);
  }

  /// Rounds paths between known rows until nothing changes. False if some cycle is too long.
  constexpr bool tighten(std::int64_t* d) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint64_t as = assigned_; as != 0; as &= as - 1) {
        const auto a = static_cast<operation_id>(std::countr_zero(as));
        for (std::uint64_t bs = assigned_; bs != 0; bs &= bs - 1) {
          const auto b = static_cast<operation_id>(std::countr_zero(bs));
          if (!is_bound(d, a, b)) {
            continue;
          }
          const std::int64_t now = d[a * std::size_t{n_} + b];
          const std::int64_t least = rounded(now, w_.row[a], w_.row[b]);
          if (least != now) {
            changed = true;
            if (!lengthen(d, a, b, least)) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  /// Sets a path and those through it.
  constexpr bool lengthen(std::int64_t* d, std::size_t from, std::size_t to, std::int64_t length) const {
    if (d[to * n_ + from] != no_path && length + d[to * n_ + from] > 0) {
      return false;
    }
    d[from * n_ + to] = length;
    for (std::size_t a = 0; a != n_; ++a) {
      const std::int64_t before = a == from ? 0 : d[a * n_ + from];
      if (before == no_path) {
        continue;
      }
      for (std::size_t b = 0; b != n_; ++b) {
        const std::int64_t after = b == to ? 0 : d[to * n_ + b];
        if (after != no_path && before + length + after > d[a * n_ + b]) {
          d[a * n_ + b] = before + length + after;
          if (a == b && d[a * n_ + b] > 0) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /// Whether `o` can be in a row, by its paths from and to those whose rows are known.
  constexpr bool is_in_time(const std::int64_t* d, operation_id o, std::uint32_t row) const {
    for (std::uint64_t as = assigned_; as != 0; as &= as - 1) {
      const auto a = static_cast<operation_id>(std::countr_zero(as));
      if (is_bound(d, a, o) && rounded(d[a * std::size_t{n_} + o], w_.row[a], row) > -d[o * std::size_t{n_} + a]) {
        return false;
      }
    }
    return true;
  }

  // Twins: operations that can be exchanged. Their rows are in order.

  constexpr void find_twins() {
    const std::int64_t* const d = matrix(0);
    for (operation_id o = 0; o != n_; ++o) {
      earlier_twins_[o] = 0;
      if (waits_for_others(d, o)) {
        continue;
      }
      for (operation_id a = 0; a != o; ++a) {
        const bool is_twin = !waits_for_others(d, a) && body_.kind(a) == body_.kind(o) &&
                             body_.literal_words(a) == body_.literal_words(o) &&
                             kept_.keeps_operation(a) == kept_.keeps_operation(o);
        earlier_twins_[o] |= is_twin ? std::uint64_t{1} << a : 0;
      }
    }
  }

  constexpr bool waits_for_others(const std::int64_t* d, operation_id o) const {
    for (operation_id a = 0; a != n_; ++a) {
      if (is_bound(d, a, o)) {
        return true;
      }
    }
    return false;
  }

  constexpr bool keeps_order_of_twins(operation_id o, std::uint32_t row) const {
    for (std::uint64_t as = assigned_; as != 0; as &= as - 1) {
      const auto a = static_cast<operation_id>(std::countr_zero(as));
      if (((earlier_twins_[o] >> a & 1) != 0 && w_.row[a] > row) ||
          ((earlier_twins_[a] >> o & 1) != 0 && w_.row[a] < row)) {
        return false;
      }
    }
    return true;
  }

  // Reservations.

  constexpr std::uint32_t row_after(std::uint32_t row, std::uint32_t k) const {
    return row + k < interval_ ? row + k : row + k - interval_;
  }

  constexpr bool has_resources(operation_id o, std::uint32_t row) const {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      if (use(o, r) != 0 && w_.used[row * rules_.num_resources + r] + use(o, r) > rules_.capacity[r]) {
        return false;
      }
    }
    for (std::uint64_t as = excluded(o) == 0 ? 0 : w_.members[row]; as != 0; as &= as - 1) {
      const auto a = static_cast<operation_id>(std::countr_zero(as));
      if (kept_.keeps_operation(a) && (excluded(o) >> static_cast<unsigned>(body_.kind(a)) & 1) != 0) {
        return false;
      }
    }
    return true;
  }

  /// Whether the operations of a row that block a channel for one cycle, and `more`, can have different channels;
  /// stores the channels on request.
  constexpr bool match_row(std::uint32_t row, operation_id more, bool stores) {
    std::array<operation_id, max_channels> owner{};
    owner.fill(no_operation_id);
    std::uint64_t members = w_.members[row] | (more == no_operation_id ? 0 : std::uint64_t{1} << more);
    for (; members != 0; members &= members - 1) {
      const auto o = static_cast<operation_id>(std::countr_zero(members));
      if (occupancy(o) == 1 && !augment(o, row, owner)) {
        return false;
      }
    }
    for (std::size_t c = 0; stores && c != rules_.num_channels; ++c) {
      if (owner[c] != no_operation_id) {
        w_.channel[owner[c]] = static_cast<std::uint32_t>(c);
      }
    }
    return true;
  }

  /// Finds a channel for `o`, along an augmenting path.
  constexpr bool augment(operation_id o, std::uint32_t row, std::array<operation_id, max_channels>& owner) const {
    std::array<std::uint32_t, max_channels> source{};
    const channel_set own = channels(o) & ~w_.blocked[row];
    channel_set frontier = own;
    channel_set reached = own;
    while (frontier != 0) {
      auto c = static_cast<std::uint32_t>(std::countr_zero(frontier));
      frontier &= frontier - 1;
      if (owner[c] == no_operation_id) {
        while ((own >> c & 1) == 0) {
          owner[c] = owner[source[c]];
          c = source[c];
        }
        owner[c] = o;
        return true;
      }
      const channel_set added = channels(owner[c]) & ~w_.blocked[row] & ~reached;
      reached |= added;
      frontier |= added;
      for (channel_set rest = added; rest != 0; rest &= rest - 1) {
        source[static_cast<std::size_t>(std::countr_zero(rest))] = c;
      }
    }
    return false;
  }

  /// Whether an operation that blocks its channel for several cycles has it in all of them, with room for the others.
  constexpr bool has_channel(operation_id o, std::uint32_t row, std::uint32_t channel) {
    const channel_set bit = channel_set{1} << channel;
    for (std::uint32_t k = 0; k != occupancy(o); ++k) {
      if ((w_.blocked[row_after(row, k)] & bit) != 0) {
        return false;
      }
    }
    bool fits = true;
    for (std::uint32_t k = 0; fits && k != occupancy(o); ++k) {
      const std::uint32_t at = row_after(row, k);
      w_.blocked[at] |= bit;
      fits = match_row(at, no_operation_id, false);
      w_.blocked[at] &= ~bit;
    }
    return fits;
  }

  /// Calls `visit(channel)` for each channel with which the operation can be issued in the row: once with `no_channel`
  /// if the channel is chosen at the end.
  template <class Visit> constexpr void for_each_channel(operation_id o, std::uint32_t row, const Visit& visit) {
    if (!has_resources(o, row)) {
      return;
    }
    if (occupancy(o) <= 1) {
      if (occupancy(o) == 0 || match_row(row, o, false)) {
        visit(no_channel);
      }
      return;
    }
    for (channel_set rest = channels(o); rest != 0; rest &= rest - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (has_channel(o, row, channel)) {
        visit(channel);
      }
    }
  }

  constexpr void change(operation_id o, bool takes) {
    const std::uint32_t row = w_.row[o];
    assigned_ ^= std::uint64_t{1} << o;
    w_.members[row] ^= std::uint64_t{1} << o;
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      std::uint32_t& used = w_.used[row * rules_.num_resources + r];
      used = takes ? used + use(o, r) : used - use(o, r);
    }
    for (std::uint32_t k = 0; occupancy(o) > 1 && k != occupancy(o); ++k) {
      w_.blocked[row_after(row, k)] ^= channel_set{1} << w_.channel[o];
    }
  }

  // Pruning.

  /// Computes the remaining rows of each operation. Returns false if some operation has none. Sets `chosen_` to the
  /// operation with the fewest.
  constexpr bool find_domains(const std::int64_t* d) {
    std::size_t fewest = static_cast<std::size_t>(-1);
    chosen_ = no_operation_id;
    for (operation_id o = 0; o != n_; ++o) {
      if ((assigned_ >> o & 1) != 0) {
        continue;
      }
      std::size_t count = 0;
      std::uint64_t* const domain = w_.domain.data() + o * words_;
      for (std::size_t i = 0; i != words_; ++i) {
        domain[i] = 0;
      }
      for (std::uint32_t row = 0; row != interval_; ++row) {
        if (!keeps_order_of_twins(o, row) || !is_in_time(d, o, row)) {
          continue;
        }
        std::size_t places = 0;
        for_each_channel(o, row, [&](std::uint32_t) { ++places; });
        domain[row / 64] |= std::uint64_t{places != 0} << row % 64;
        count += places;
      }
      if (count == 0) {
        return false;
      }
      // Of equals, the one that constrains others most: it waits for itself, or blocks a channel.
      const std::size_t weight = 4 * count + (waits_for_others(d, o) ? 0 : 2) + (occupancy(o) > 1 ? 0 : 1);
      if (weight < fewest) {
        fewest = weight;
        chosen_ = o;
      }
    }
    return true;
  }

  /// Whether the free part of a resource is enough for the remaining operations that use it.
  constexpr bool has_enough_resources() const {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      for (operation_id least = 0; least != n_; ++least) {
        const std::uint32_t amount = use(least, r);
        if ((assigned_ >> least & 1) != 0 || amount == 0) {
          continue;
        }
        std::uint64_t wanted = 0;
        std::uint64_t all = 0;
        for (operation_id o = 0; o != n_; ++o) {
          const bool is_open = (assigned_ >> o & 1) == 0;
          wanted += is_open && use(o, r) >= amount ? 1U : 0U;
          all += is_open ? use(o, r) : 0;
        }
        std::uint64_t room = 0;
        std::uint64_t left = 0;
        for (std::uint32_t row = 0; row != interval_; ++row) {
          const std::uint32_t free = rules_.capacity[r] - w_.used[row * rules_.num_resources + r];
          room += free / amount;
          left += free;
        }
        if (wanted > room || all > left) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether all operations that block a channel for one cycle can be issued in different slots of their domains: a
  /// matching, found by augmenting paths.
  constexpr bool has_enough_slots() {
    const std::size_t slots = interval_ * rules_.num_channels;
    w_.slot_owner.assign(slots, no_operation_id);
    for (operation_id o = 0; o != n_; ++o) {
      if (occupancy(o) == 1 && !augment_slots(o, slots)) {
        return false;
      }
    }
    return true;
  }

  constexpr bool may_take(operation_id o, std::uint32_t row) const {
    return (assigned_ >> o & 1) != 0 ? w_.row[o] == row : (w_.domain[o * words_ + row / 64] >> row % 64 & 1) != 0;
  }

  /// Breadth first, over operations.
  constexpr bool augment_slots(operation_id first, std::size_t slots) {
    w_.seen.assign(slots, 0); // one more than the operation that reached the slot
    w_.queue.clear();
    w_.queue.push_back(first);
    for (std::size_t next = 0; next != w_.queue.size(); ++next) {
      const operation_id o = w_.queue[next];
      for (std::uint32_t row = 0; row != interval_; ++row) {
        if (!may_take(o, row)) {
          continue;
        }
        for (channel_set rest = channels(o) & ~w_.blocked[row]; rest != 0; rest &= rest - 1) {
          const std::size_t slot = row * rules_.num_channels + static_cast<std::size_t>(std::countr_zero(rest));
          if (w_.seen[slot] != 0) {
            continue;
          }
          w_.seen[slot] = o + 1;
          if (w_.slot_owner[slot] == no_operation_id) {
            shift_along(first, slot);
            return true;
          }
          w_.queue.push_back(w_.slot_owner[slot]);
        }
      }
    }
    return false;
  }

  /// Gives the slot to the operation that reached it, and moves the slots along the augmenting path.
  constexpr void shift_along(operation_id first, std::size_t slot) {
    for (;;) {
      const operation_id o = w_.seen[slot] - 1;
      std::size_t before = 0;
      while (o != first && w_.slot_owner[before] != o) {
        ++before;
      }
      w_.slot_owner[slot] = o;
      if (o == first) {
        return;
      }
      slot = before;
    }
  }

  // Search.

  constexpr schedule_status search(std::uint64_t& steps) {
    if (!open_level()) {
      return assigned_ == all_operations() ? schedule_status::attained : schedule_status::infeasible;
    }
    for (;;) {
      row_search_memory::level& level = w_.levels.back();
      if (level.next == level.end) {
        w_.levels.pop_back();
        if (w_.levels.empty()) {
          return schedule_status::infeasible;
        }
        w_.places.shrink(level_begin());
        change(w_.levels.back().operation, false);
        continue;
      }
      if (steps == 0) {
        return schedule_status::budget_exhausted;
      }
      --steps;
      const row_search_memory::place place = w_.places[level.next++];
      w_.row[level.operation] = place.row;
      w_.channel[level.operation] = place.channel;
      change(level.operation, true);
      const std::size_t depth = w_.levels.size();
      const std::size_t size = std::size_t{n_} * n_;
      for (std::size_t i = 0; i != size; ++i) {
        matrix(depth)[i] = matrix(depth - 1)[i];
      }
      if (tighten(matrix(depth))) {
        if (assigned_ == all_operations()) {
          return schedule_status::attained;
        }
        if (open_level()) {
          continue;
        }
      }
      change(w_.levels.back().operation, false);
    }
  }

  constexpr std::uint64_t all_operations() const { return n_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_) - 1; }

  constexpr std::uint32_t level_begin() const { return w_.levels.back().end; }

  /// Chooses the next operation and lists its places. False if there is no operation left, or one without a place.
  constexpr bool open_level() {
    if (assigned_ == all_operations()) {
      return false;
    }
    const std::int64_t* const d = matrix(w_.levels.size());
    if (!find_domains(d) || !has_enough_resources() || !has_enough_slots()) {
      return false;
    }
    const auto begin = static_cast<std::uint32_t>(w_.places.size());
    if (assigned_ == 0) { // all rows can be shifted together
      for_each_channel(chosen_, 0, [&](std::uint32_t channel) { w_.places.push_back({0, channel}); });
    } else {
      for (std::uint32_t row = 0; row != interval_; ++row) {
        if ((w_.domain[chosen_ * words_ + row / 64] >> row % 64 & 1) != 0) {
          for_each_channel(chosen_, row, [&](std::uint32_t channel) { w_.places.push_back({row, channel}); });
        }
      }
    }
    w_.levels.push_back({chosen_, begin, static_cast<std::uint32_t>(w_.places.size())});
    return true;
  }

  const schedulable_body& body_;
  const issue_rules& rules_;
  const kept_constraints& kept_;
  row_search_memory& w_;
  std::uint32_t n_;
  std::uint32_t interval_;
  std::size_t words_;
  std::uint64_t assigned_ = 0; ///< set of operations
  operation_id chosen_ = no_operation_id;
  std::array<std::uint64_t, most_operations> earlier_twins_{};
};

} // namespace detail

MIDEND_END_NAMESPACE
