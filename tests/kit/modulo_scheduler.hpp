// Iterative modulo scheduling: B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops",
// MICRO-27, 1994. What the bounds promise is tried here on the table of the machine. Operations may bring literals
// along.
#pragma once

#include <midend/machine/dependence_graph.hpp>
#include <midend/machine/machine_model.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace midend_tests {

/// When and where each operation of a body starts; the next iteration starts `interval` cycles later.
struct modulo_schedule {
  std::int64_t interval = 0;
  std::vector<std::int64_t> start;
  std::vector<std::size_t> channel; ///< `no_channel` of an operation that takes none
};

inline constexpr std::size_t no_channel = midend::max_channels;

/// What is scheduled: operations, dependences, and by operation words of literals, or none at all.
struct scheduled_body {
  const midend::machine_model& m;
  const midend::dependence_graph& g;
  std::span<const std::uint8_t> literals;

  midend::operation_class kind(midend::operation_id o) const { return g.operation(o).kind; }

  std::uint32_t use(midend::operation_id o, std::size_t resource) const {
    const bool of_literals = !literals.empty() && resource == m.literal_resource();
    return m.use(kind(o), resource) + (of_literals ? literals[o] : 0);
  }
};

/// What is taken in each cycle modulo the interval: channels by operation, resources, classes.
class reservation_table {
public:
  static constexpr midend::operation_id nobody = static_cast<midend::operation_id>(-1);

  reservation_table(const scheduled_body& b, std::int64_t interval)
      : b_(b), m_(b.m), interval_(interval), owner_(rows() * m_.num_channels(), nobody),
        used_(rows() * m_.num_resources(), 0), issued_(rows() * midend::num_operation_classes, 0),
        wanted_(m_.num_channels(), 0) {
    for (midend::operation_id o = 0; o != b.g.num_operations(); ++o) {
      const midend::channel_set channels = m_.channels(b.kind(o));
      for (std::size_t channel = 0; channel != m_.num_channels(); ++channel) {
        if ((channels >> channel & 1) != 0) {
          wanted_[channel] += 720 * m_.occupancy(b.kind(o)) / static_cast<std::uint32_t>(std::popcount(channels));
        }
      }
    }
  }

  /// A channel for an operation at `start`, the one that is wanted least; nothing if there is none, or not enough of a
  /// resource.
  std::optional<std::size_t> find_channel(midend::operation_id o, std::int64_t start) const {
    const midend::operation_class c = b_.kind(o);
    if (!has_resources(o, start) || is_excluded(c, start)) {
      return std::nullopt;
    }
    if (m_.channels(c) == 0) {
      return no_channel;
    }
    std::optional<std::size_t> best;
    for (std::size_t channel = 0; channel != m_.num_channels(); ++channel) {
      if ((m_.channels(c) >> channel & 1) != 0 && is_free(c, start, channel) &&
          (!best || wanted_[channel] < wanted_[*best])) {
        best = channel;
      }
    }
    return best;
  }

  bool is_free(midend::operation_class c, std::int64_t start, std::size_t channel) const {
    if (m_.occupancy(c) > interval_) {
      return false;
    }
    for (std::int64_t k = 0; k != m_.occupancy(c); ++k) {
      if (owner_[row(start + k) * m_.num_channels() + channel] != nobody) {
        return false;
      }
    }
    return true;
  }

  bool has_resources(midend::operation_id o, std::int64_t start) const {
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      if (used_[row(start) * m_.num_resources() + r] + b_.use(o, r) > m_.capacity(r)) {
        return false;
      }
    }
    return true;
  }

  bool is_excluded(midend::operation_class c, std::int64_t start) const {
    for (const midend::operation_class other : midend::all_operation_classes()) {
      if (issued(other, start) != 0 && m_.excludes(c, other)) {
        return true;
      }
    }
    return false;
  }

  void take(midend::operation_id o, std::int64_t start, std::size_t channel) { change(o, o, start, channel, 1); }

  void give_back(midend::operation_id o, std::int64_t start, std::size_t channel) {
    change(o, nobody, start, channel, static_cast<std::uint32_t>(-1));
  }

private:
  std::size_t rows() const { return static_cast<std::size_t>(interval_); }

  std::size_t row(std::int64_t cycle) const { return static_cast<std::size_t>(cycle % interval_); }

  std::uint32_t issued(midend::operation_class c, std::int64_t start) const {
    return issued_[row(start) * midend::num_operation_classes + static_cast<std::size_t>(c)];
  }

  void change(midend::operation_id o, midend::operation_id owner, std::int64_t start, std::size_t channel,
              std::uint32_t by) {
    const midend::operation_class c = b_.kind(o);
    for (std::int64_t k = 0; channel != no_channel && k != m_.occupancy(c); ++k) {
      owner_[row(start + k) * m_.num_channels() + channel] = owner;
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      used_[row(start) * m_.num_resources() + r] += by * b_.use(o, r);
    }
    issued_[row(start) * midend::num_operation_classes + static_cast<std::size_t>(c)] += by;
  }

  const scheduled_body& b_;
  const midend::machine_model& m_;
  std::int64_t interval_;
  std::vector<midend::operation_id> owner_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> issued_;
  std::vector<std::uint32_t> wanted_; ///< by channel, how much: each operation by its share
};

/// Which operations are placed first: as Rau does it, those from which it is far to the end; or before them those that
/// wait for themselves, since they have the least room (J. Llosa, A. González, E. Ayguadé, M. Valero, "Swing modulo
/// scheduling", PACT 1996).
enum class placing_order { by_height, recurrences_first };

/// One attempt at an interval.
class modulo_scheduler {
public:
  modulo_scheduler(const scheduled_body& b, std::int64_t interval, placing_order order)
      : b_(b), m_(b.m), g_(b.g), interval_(interval), table_(b, interval), out_(g_.num_operations()),
        in_(g_.num_operations()), placed_(g_.num_operations(), false), last_start_(g_.num_operations(), -1) {
    for (const midend::operation_dependence& d : g_.dependences()) {
      out_[d.producer].push_back(d);
      in_[d.consumer].push_back(d);
    }
    schedule_.interval = interval;
    schedule_.start.assign(g_.num_operations(), 0);
    schedule_.channel.assign(g_.num_operations(), no_channel);
    compute_heights();
    compute_earliest();
    if (order == placing_order::recurrences_first) {
      raise_recurrences();
    }
  }

  /// Gives up after `budget` steps.
  std::optional<modulo_schedule> run(std::size_t budget) {
    while (const auto next = highest_unplaced()) {
      if (budget-- == 0 || !fits_alone(*next)) {
        return std::nullopt;
      }
      place(*next);
    }
    return schedule_;
  }

private:
  bool fits_alone(midend::operation_id o) const {
    return reservation_table(b_, interval_).find_channel(o, 0).has_value();
  }

  /// The longest way to the end, each iteration further on counting `-interval`.
  void compute_heights() {
    height_.assign(g_.num_operations(), 0);
    for (std::size_t pass = 0; pass <= g_.num_operations(); ++pass) {
      for (std::size_t i = g_.dependences().size(); i-- != 0;) {
        const midend::operation_dependence& d = g_.dependences()[i];
        height_[d.producer] = std::max(height_[d.producer], height_[d.consumer] + delay(d));
      }
    }
  }

  /// The longest way from the beginning; with it what waits for much is not placed too early at first.
  void compute_earliest() {
    earliest_.assign(g_.num_operations(), 0);
    for (std::size_t pass = 0; pass <= g_.num_operations(); ++pass) {
      bool changed = false;
      for (const midend::operation_dependence& d : g_.dependences()) {
        const std::int64_t start = earliest_[d.producer] + delay(d);
        changed = changed || start > earliest_[d.consumer];
        earliest_[d.consumer] = std::max(earliest_[d.consumer], start);
      }
      if (!changed) {
        return;
      }
    }
  }

  /// Above all others, with the order among them kept.
  void raise_recurrences() {
    const std::int64_t highest = height_.empty() ? 0 : *std::max_element(height_.begin(), height_.end());
    for (midend::operation_id o = 0; o != g_.num_operations(); ++o) {
      height_[o] += waits_for_itself(o) ? highest + 1 : 0;
    }
  }

  bool waits_for_itself(midend::operation_id o) const {
    std::vector<bool> reached(g_.num_operations(), false);
    std::vector<midend::operation_id> work = {o};
    while (!work.empty()) {
      const midend::operation_id from = work.back();
      work.pop_back();
      for (const midend::operation_dependence& d : out_[from]) {
        if (d.consumer == o) {
          return true;
        }
        if (!reached[d.consumer]) {
          reached[d.consumer] = true;
          work.push_back(d.consumer);
        }
      }
    }
    return false;
  }

  std::int64_t delay(const midend::operation_dependence& d) const { return d.latency - interval_ * d.distance; }

  std::optional<midend::operation_id> highest_unplaced() const {
    std::optional<midend::operation_id> best;
    for (midend::operation_id o = 0; o != g_.num_operations(); ++o) {
      if (!placed_[o] && (!best || height_[o] > height_[*best])) {
        best = o;
      }
    }
    return best;
  }

  std::int64_t earliest(midend::operation_id o) const {
    std::int64_t start = earliest_[o];
    for (const midend::operation_dependence& d : in_[o]) {
      start = placed_[d.producer] ? std::max(start, schedule_.start[d.producer] + delay(d)) : start;
    }
    return start;
  }

  /// In the first cycle of an interval that has room, else where it throws others out; there not as early as last time.
  void place(midend::operation_id o) {
    const std::int64_t from = earliest(o);
    for (std::int64_t start = from; start != from + interval_; ++start) {
      if (const auto channel = table_.find_channel(o, start)) {
        return put(o, start, *channel);
      }
    }
    const std::int64_t start = std::max(from, last_start_[o] + 1);
    put(o, start, make_room(o, start));
  }

  /// Throws out what is in the way, one operation after the other, those that least hang on.
  std::size_t make_room(midend::operation_id o, std::int64_t start) {
    for (;;) {
      if (const auto channel = table_.find_channel(o, start)) {
        return *channel;
      }
      std::optional<midend::operation_id> victim;
      for (midend::operation_id other = 0; other != g_.num_operations(); ++other) {
        if (placed_[other] && other != o && is_in_the_way(o, start, other) &&
            (!victim || height_[other] < height_[*victim])) {
          victim = other;
        }
      }
      remove(*victim);
    }
  }

  bool is_in_the_way(midend::operation_id o, std::int64_t start, midend::operation_id other) const {
    const std::int64_t length = std::max<std::int64_t>(m_.occupancy(kind(o)), 1);
    const std::int64_t other_length = std::max<std::int64_t>(m_.occupancy(kind(other)), 1);
    const std::int64_t after = ((schedule_.start[other] - start) % interval_ + interval_) % interval_;
    const std::int64_t before = (interval_ - after) % interval_;
    const bool overlaps = after < length || before < other_length;
    const bool same_channels = (m_.channels(kind(o)) & m_.channels(kind(other))) != 0;
    return (overlaps && same_channels) ||
           (after == 0 && (shares_resource(o, other) || m_.excludes(kind(o), kind(other))));
  }

  bool shares_resource(midend::operation_id a, midend::operation_id b) const {
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      if (b_.use(a, r) != 0 && b_.use(b, r) != 0) {
        return true;
      }
    }
    return false;
  }

  void put(midend::operation_id o, std::int64_t start, std::size_t channel) {
    table_.take(o, start, channel);
    schedule_.start[o] = last_start_[o] = start;
    schedule_.channel[o] = channel;
    placed_[o] = true;
    for (const midend::operation_dependence& d : out_[o]) {
      if (placed_[d.consumer] && schedule_.start[d.consumer] < start + delay(d)) {
        remove(d.consumer);
      }
    }
  }

  void remove(midend::operation_id o) {
    table_.give_back(o, schedule_.start[o], schedule_.channel[o]);
    placed_[o] = false;
  }

  midend::operation_class kind(midend::operation_id o) const { return g_.operation(o).kind; }

  const scheduled_body& b_;
  const midend::machine_model& m_;
  const midend::dependence_graph& g_;
  std::int64_t interval_;
  reservation_table table_;
  std::vector<std::vector<midend::operation_dependence>> out_;
  std::vector<std::vector<midend::operation_dependence>> in_;
  std::vector<bool> placed_;
  std::vector<std::int64_t> last_start_;
  std::vector<std::int64_t> height_;
  std::vector<std::int64_t> earliest_;
  modulo_schedule schedule_;
};

/// The first interval from `least` on at which an attempt succeeds, up to `most`.
inline std::optional<modulo_schedule> schedule_modulo(const midend::machine_model& m, const midend::dependence_graph& g,
                                                      std::int64_t least, std::int64_t most,
                                                      std::span<const std::uint8_t> literals = {}) {
  const scheduled_body b{m, g, literals};
  for (std::int64_t interval = std::max<std::int64_t>(least, 1); interval <= most; ++interval) {
    for (const placing_order order : {placing_order::by_height, placing_order::recurrences_first}) {
      if (auto schedule = modulo_scheduler(b, interval, order).run(20 * g.num_operations() + 20)) {
        return schedule;
      }
    }
  }
  return std::nullopt;
}

/// Whether dependences are kept and nothing is taken twice, from the definition.
inline bool is_valid_schedule(const midend::machine_model& m, const midend::dependence_graph& g,
                              const modulo_schedule& s, std::span<const std::uint8_t> literals = {}) {
  const scheduled_body b{m, g, literals};
  for (const midend::operation_dependence& d : g.dependences()) {
    if (s.start[d.consumer] + s.interval * d.distance < s.start[d.producer] + d.latency) {
      return false;
    }
  }
  const auto row = [&](std::int64_t cycle) { return static_cast<std::size_t>(cycle % s.interval); };
  std::vector<std::uint32_t> channels(static_cast<std::size_t>(s.interval) * midend::max_channels, 0);
  std::vector<std::uint32_t> used(static_cast<std::size_t>(s.interval) * midend::max_resources, 0);
  for (midend::operation_id o = 0; o != g.num_operations(); ++o) {
    const midend::operation_class c = g.operation(o).kind;
    if (s.start[o] < 0 || (s.channel[o] == no_channel) != (m.channels(c) == 0)) {
      return false;
    }
    for (std::int64_t k = 0; s.channel[o] != no_channel && k != m.occupancy(c); ++k) {
      if ((m.channels(c) >> s.channel[o] & 1) == 0 ||
          ++channels[row(s.start[o] + k) * midend::max_channels + s.channel[o]] > 1) {
        return false;
      }
    }
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      if ((used[row(s.start[o]) * midend::max_resources + r] += b.use(o, r)) > m.capacity(r)) {
        return false;
      }
    }
    for (midend::operation_id other = 0; other != o; ++other) {
      if (row(s.start[o]) == row(s.start[other]) && m.excludes(c, g.operation(other).kind)) {
        return false;
      }
    }
  }
  return true;
}

} // namespace midend_tests
