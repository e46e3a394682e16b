/// `verify_schedule`: checks that a schedule satisfies all dependences and reservations.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The faults of a schedule.
enum class schedule_fault : std::uint8_t {
  missing_operation,   ///< there is no slot for `first`
  too_many_slots,      ///< there are slots for operations that the body does not have
  missing_class,       ///< the machine cannot issue `first`: it has neither a channel nor a resource for it
  too_early,           ///< `second` is issued before `dependence` allows it
  missing_channel,     ///< `first` takes a channel and has none
  wrong_channel,       ///< `first` cannot be issued on `channel`
  blocks_itself,       ///< `first` blocks `channel` for longer than the interval
  channel_taken_twice, ///< `first` and `second` both need `channel` in `cycle`
  resource_exceeded,   ///< the operations up to `first` use more of `resource` in `cycle` than there is
  excluded_pair,       ///< `first` and `second` cannot be issued in the same `cycle`
  wrong_stages,        ///< `stages` is not the number of stages
  wrong_length         ///< `length` is not the time of an iteration
};

/// A mistake and its place. Members that the fault does not name are 0, or `no_channel`.
struct schedule_mistake {
  schedule_fault fault;
  operation_id first = 0;
  operation_id second = 0;
  std::uint32_t cycle = 0; ///< of the kernel, or of a straight line; of `too_early`, that of `second`
  std::uint32_t channel = no_channel;
  std::uint32_t resource = 0;
  std::uint32_t dependence = 0; ///< its position in the graph
  std::uint32_t missing = 0;    ///< of `too_early`: how many cycles

  friend constexpr bool operator==(const schedule_mistake&, const schedule_mistake&) = default;
};

namespace detail {

/// One call of `verify_schedule`.
template <class M> class schedule_checker {
public:
  constexpr schedule_checker(const schedulable_body& body, const M& m, const schedule& s,
                             flat_array<schedule_mistake>& out)
      : body_(body), m_(m), s_(s), out_(out) {}

  constexpr void run() {
    out_.clear();
    for (std::size_t o = s_.slots.size(); o < body_.size(); ++o) {
      add(schedule_fault::missing_operation).first = static_cast<operation_id>(o);
    }
    if (s_.slots.size() > body_.size()) {
      add(schedule_fault::too_many_slots);
    }
    if (out_.empty()) {
      check_dependences();
      sort_by_row();
      check_channels();
      check_rows();
      check_extent();
    }
  }

private:
  static constexpr operation_id nothing = static_cast<operation_id>(-1);

  constexpr schedule_mistake& add(schedule_fault fault) {
    schedule_mistake m{};
    m.fault = fault;
    m.channel = no_channel;
    out_.push_back(m);
    return out_.back();
  }

  constexpr void check_dependences() {
    std::uint32_t i = 0;
    for (const operation_dependence& d : body_.graph.dependences()) {
      const std::uint64_t ready = std::uint64_t{s_.slots[d.producer].cycle} + d.latency;
      const std::uint64_t start = std::uint64_t{s_.slots[d.consumer].cycle} + std::uint64_t{s_.interval} * d.distance;
      const bool is_checked = s_.interval != 0 || d.distance == 0; // a straight line has no next iteration
      if (is_checked && start < ready) {
        schedule_mistake& m = add(schedule_fault::too_early);
        m.first = d.producer;
        m.second = d.consumer;
        m.cycle = s_.row(d.consumer);
        m.dependence = i;
        m.missing = static_cast<std::uint32_t>(ready - start);
      }
      ++i;
    }
  }

  /// A row and an operation issued in it; sorted by row.
  struct issue {
    std::uint32_t row;
    operation_id operation;
    std::uint32_t channel;

    constexpr bool comes_before(const issue& b) const {
      return row != b.row ? row < b.row : channel != b.channel ? channel < b.channel : operation < b.operation;
    }
  };

  /// Merge sort, bottom up.
  static constexpr void sort(flat_array<issue>& list, flat_array<issue>& memory) {
    memory.resize_for_overwrite(list.size());
    for (std::size_t width = 1; width < list.size(); width *= 2) {
      for (std::size_t low = 0; low < list.size(); low += 2 * width) {
        const std::size_t middle = low + width < list.size() ? low + width : list.size();
        const std::size_t high = low + 2 * width < list.size() ? low + 2 * width : list.size();
        std::size_t a = low;
        std::size_t b = middle;
        for (std::size_t to = low; to != high; ++to) {
          const bool takes_second = a == middle || (b != high && list[b].comes_before(list[a]));
          memory[to] = takes_second ? list[b++] : list[a++];
        }
      }
      list.swap(memory);
    }
  }

  constexpr void sort_by_row() {
    issues_.clear();
    for (operation_id o = 0; o != body_.size(); ++o) {
      issues_.push_back({s_.row(o), o, s_.slots[o].channel});
    }
    sort(issues_, memory_);
  }

  /// Each operation takes its channel for `occupancy` cycles, which wrap around at the end of the interval.
  constexpr void check_channels() {
    taken_.clear();
    for (operation_id o = 0; o != body_.size(); ++o) {
      const operation_class c = body_.kind(o);
      const channel_set allowed = m_.channels(c);
      const std::uint32_t channel = s_.slots[o].channel;
      if (allowed == 0 && channel == no_channel) {
        continue;
      }
      if (channel >= m_.num_channels() || (allowed >> channel & 1) == 0) {
        schedule_mistake& m =
            add(channel == no_channel ? schedule_fault::missing_channel : schedule_fault::wrong_channel);
        m.first = o;
        m.channel = channel;
        m.cycle = s_.row(o);
        continue;
      }
      const std::uint32_t occupancy = m_.occupancy(c);
      if (s_.interval != 0 && occupancy > s_.interval) {
        schedule_mistake& m = add(schedule_fault::blocks_itself);
        m.first = o;
        m.channel = channel;
        m.cycle = s_.row(o);
        continue;
      }
      for (std::uint32_t k = 0; k != occupancy; ++k) {
        const std::uint64_t cycle = std::uint64_t{s_.row(o)} + k;
        taken_.push_back({static_cast<std::uint32_t>(s_.interval == 0 ? cycle : cycle % s_.interval), o, channel});
      }
    }
    sort(taken_, memory_);
    for (std::size_t i = 1; i < taken_.size(); ++i) {
      if (taken_[i].row == taken_[i - 1].row && taken_[i].channel == taken_[i - 1].channel) {
        schedule_mistake& m = add(schedule_fault::channel_taken_twice);
        m.first = taken_[i - 1].operation;
        m.second = taken_[i].operation;
        m.cycle = taken_[i].row;
        m.channel = taken_[i].channel;
      }
    }
  }

  constexpr void check_rows() {
    for (std::size_t first = 0; first != issues_.size();) {
      std::size_t last = first;
      while (last != issues_.size() && issues_[last].row == issues_[first].row) {
        ++last;
      }
      check_resources(first, last);
      check_exclusions(first, last);
      first = last;
    }
  }

  constexpr void check_resources(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i != last; ++i) {
      bool exists = m_.channels(body_.kind(issues_[i].operation)) != 0;
      for (std::size_t r = 0; r != m_.num_resources(); ++r) {
        exists = exists || m_.use(body_.kind(issues_[i].operation), r) != 0;
      }
      if (!exists) {
        add(schedule_fault::missing_class).first = issues_[i].operation;
      }
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      std::uint64_t used = 0;
      for (std::size_t i = first; i != last; ++i) {
        const operation_id o = issues_[i].operation;
        const std::uint64_t before = used;
        used += m_.use(body_.kind(o), r) + (r == m_.literal_resource() ? body_.literal_words(o) : 0);
        if (before <= m_.capacity(r) && used > m_.capacity(r)) {
          schedule_mistake& m = add(schedule_fault::resource_exceeded);
          m.first = o;
          m.cycle = issues_[i].row;
          m.resource = static_cast<std::uint32_t>(r);
        }
      }
    }
  }

  constexpr void check_exclusions(std::size_t first, std::size_t last) {
    std::array<operation_id, num_operation_classes> issued{}; // by class: the first operation of this row, or nothing
    issued.fill(nothing);
    for (std::size_t i = first; i != last; ++i) {
      const operation_id o = issues_[i].operation;
      for (const operation_class other : all_operation_classes()) {
        const operation_id earlier = issued[static_cast<std::size_t>(other)];
        if (earlier != nothing && m_.excludes(body_.kind(o), other)) {
          schedule_mistake& m = add(schedule_fault::excluded_pair);
          m.first = earlier;
          m.second = o;
          m.cycle = issues_[i].row;
        }
      }
      operation_id& of_class = issued[static_cast<std::size_t>(body_.kind(o))];
      of_class = of_class == nothing ? o : of_class;
    }
  }

  constexpr void check_extent() {
    std::uint64_t length = 0;
    std::uint64_t stages = 1;
    for (operation_id o = 0; o != body_.size(); ++o) {
      const std::uint64_t issued = std::uint64_t{s_.slots[o].cycle} + 1;
      const std::uint64_t used = issued - 1 + body_.graph.operation(o).latency;
      length = issued > length ? issued : length;
      length = used > length ? used : length;
      stages = s_.interval != 0 && (issued - 1) / s_.interval + 1 > stages ? (issued - 1) / s_.interval + 1 : stages;
    }
    if (s_.stages != stages) {
      add(schedule_fault::wrong_stages);
    }
    if (s_.length != length) {
      add(schedule_fault::wrong_length);
    }
  }

  const schedulable_body& body_;
  const M& m_;
  const schedule& s_;
  flat_array<schedule_mistake>& out_;
  flat_array<issue> issues_;
  flat_array<issue> taken_;
  flat_array<issue> memory_;
};

} // namespace detail

/// Checks a schedule of a loop body, or of a straight line if its interval is 0, by the definitions alone: each
/// dependence, `cycle(consumer) + interval · distance >= cycle(producer) + latency`; each reservation of a channel, of
/// a resource and of words of literals, in cycles modulo the interval; each excluded pair; and what the schedule says
/// about itself. In a straight line, dependences on other iterations are not checked. Shares no code with the
/// schedulers.
///
/// Refills `out` with the mistakes, none if the schedule is valid. If slots are missing or superfluous, only that is
/// listed. O(operations · log operations · largest occupancy + dependences), for operations in a row times classes.
template <loop_machine_argument M>
constexpr void verify_schedule(const schedulable_body& body, const M& m, const schedule& s,
                               flat_array<schedule_mistake>& out) {
  detail::schedule_checker<M>(body, m, s, out).run();
}

/// The mistakes of a schedule.
template <loop_machine_argument M>
constexpr flat_array<schedule_mistake> verify_schedule(const schedulable_body& body, const M& m, const schedule& s) {
  flat_array<schedule_mistake> out;
  verify_schedule(body, m, s, out);
  return out;
}

MIDEND_END_NAMESPACE
