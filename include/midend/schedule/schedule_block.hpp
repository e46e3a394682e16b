/// `schedule_block`: a schedule of a straight line.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/machine/straight_line_bound.hpp"
#include "midend/schedule/detail/reservation_table.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The result of `schedule_block`.
struct block_schedule_result {
  schedule_status status = schedule_status::impossible; ///< or `attained`
  std::uint64_t bound =
      0;          ///< a lower bound of the length: `straight_line_bound`, or the resource bound if that is larger
  schedule found; ///< valid if it is attained

  constexpr bool attained() const { return status == schedule_status::attained; }

  friend constexpr bool operator==(const block_schedule_result&, const block_schedule_result&) = default;
};

namespace detail {

class list_scheduler;

} // namespace detail

/// The memory of `schedule_block`, to be reused from block to block.
class schedule_block_workspace {
  friend class detail::list_scheduler;
  template <loop_machine_argument M>
  friend constexpr void schedule_block(const schedulable_body& body, const M& m, schedule_block_workspace& workspace,
                                       block_schedule_result& out);

  /// An operation whose operands are available, or will be at `key`; the least key comes first.
  struct waiting {
    std::int64_t key;
    operation_id operation;

    friend constexpr bool operator<(const waiting& a, const waiting& b) {
      return a.key != b.key ? a.key > b.key : a.operation > b.operation;
    }

    friend constexpr bool operator<=(const waiting& a, const waiting& b) { return !(b < a); }
  };

  flat_array<std::uint32_t> first_;
  flat_array<std::uint32_t> edges_;   ///< dependences of distance 0, by the operation that is placed first
  flat_array<std::uint32_t> missing_; ///< by operation: dependences on operations that are not placed
  flat_array<std::int64_t> height_;   ///< by operation: the longest chain from it to the end of the direction
  flat_array<std::int64_t> start_;    ///< by operation: the cycle at which its operands are available
  flat_array<operation_id> order_;
  flat_array<waiting> soon_;                                         ///< heap by cycle
  std::array<flat_array<waiting>, 2 * num_operation_classes> ready_; ///< heaps by height, one for each queue
  schedule best_;
  straight_line_bound_workspace bounding_;
};

namespace detail {

/// Schedules one block, forwards or backwards. Backwards, cycles are counted from the end, and an operation is placed
/// after its consumers.
class list_scheduler {
public:
  constexpr list_scheduler(const schedulable_body& body, const issue_rules& rules, schedule_block_workspace& w)
      : body_(body), rules_(rules), w_(w) {
    count_demand();
  }

  /// Returns false if the dependences have a cycle. No schedule is shorter than `bound`.
  constexpr bool run(std::uint64_t bound, schedule& out) {
    if (!prepare(true)) {
      return false;
    }
    place_all(out);
    if (out.length <= bound) {
      return true;
    }
    prepare(false);
    place_all(w_.best_);
    if (w_.best_.length < out.length) {
      out.slots = w_.best_.slots; // not swapped: an array keeps its capacity, so that a second round allocates nothing
      finish_schedule(body_, out);
    }
    return true;
  }

private:
  constexpr operation_id source(const operation_dependence& d) const { return forwards_ ? d.producer : d.consumer; }

  constexpr operation_id target(const operation_dependence& d) const { return forwards_ ? d.consumer : d.producer; }

  constexpr std::int64_t last_cycles(operation_id o) const {
    return max<std::int64_t>(body_.graph.operation(o).latency, 1);
  }

  /// Groups the dependences and computes the heights, in reverse topological order.
  constexpr bool prepare(bool forwards) {
    forwards_ = forwards;
    const span<const operation_dependence> all = body_.graph.dependences();
    w_.first_.assign(body_.size() + 1, 0);
    w_.missing_.assign(body_.size(), 0);
    for (const operation_dependence& d : all) {
      if (d.distance == 0) {
        ++w_.first_[source(d)];
        ++w_.missing_[target(d)];
      }
    }
    counts_to_ends(w_.first_);
    w_.edges_.resize_for_overwrite(w_.first_.back());
    for (std::size_t i = all.size(); i-- != 0;) {
      if (all[i].distance == 0) {
        w_.edges_[--w_.first_[source(all[i])]] = static_cast<std::uint32_t>(i);
      }
    }
    w_.order_.clear();
    for (operation_id o = 0; o != body_.size(); ++o) {
      if (w_.missing_[o] == 0) {
        w_.order_.push_back(o);
      }
    }
    for (std::size_t i = 0; i != w_.order_.size(); ++i) {
      for_each_edge(w_.order_[i], [&](const operation_dependence& d) {
        if (--w_.missing_[target(d)] == 0) {
          w_.order_.push_back(target(d));
        }
      });
    }
    if (w_.order_.size() != body_.size()) {
      return false;
    }
    w_.height_.assign(body_.size(), 0);
    w_.start_.assign(body_.size(), 0);
    for (std::size_t i = body_.size(); i-- != 0;) {
      const operation_id o = w_.order_[i];
      std::int64_t height = forwards_ ? last_cycles(o) : 1;
      for_each_edge(o, [&](const operation_dependence& d) {
        height = max(height, w_.height_[target(d)] + static_cast<std::int64_t>(d.latency));
        ++w_.missing_[target(d)];
      });
      w_.height_[o] = height;
      if (!forwards_) { // the latest cycle of its issue, counted from the end
        w_.start_[o] = last_cycles(o);
      }
    }
    return true;
  }

  template <class Visit> constexpr void for_each_edge(operation_id o, const Visit& visit) const {
    for (std::uint32_t i = w_.first_[o]; i != w_.first_[o + std::size_t{1}]; ++i) {
      visit(body_.graph.dependences()[w_.edges_[i]]);
    }
  }

  // Heaps.

  static constexpr void push(flat_array<schedule_block_workspace::waiting>& heap, std::int64_t key, operation_id o) {
    heap.push_back({key, o});
    for (std::size_t at = heap.size() - 1; at != 0 && heap[(at - 1) / 2] < heap[at]; at = (at - 1) / 2) {
      swap_values(heap[(at - 1) / 2], heap[at]);
    }
  }

  static constexpr operation_id pop(flat_array<schedule_block_workspace::waiting>& heap) {
    const operation_id o = heap[0].operation;
    heap[0] = heap.back();
    heap.pop_back();
    if (!heap.empty()) {
      sift_down(heap.data(), 0, heap.size());
    }
    return o;
  }

  // Cycle by cycle.

  constexpr void place_all(schedule& out) {
    out.interval = 0;
    out.slots.resize_for_overwrite(body_.size());
    w_.soon_.clear();
    for (auto& heap : w_.ready_) {
      heap.clear();
    }
    num_ready_ = 0;
    free_at_.fill(0);
    for (operation_id o = 0; o != body_.size(); ++o) {
      if (w_.missing_[o] == 0) {
        push(w_.soon_, w_.start_[o], o);
      }
    }
    std::int64_t last = 0;
    for (std::int64_t cycle = 0; !w_.soon_.empty() || num_ready_ != 0; ++cycle) {
      if (num_ready_ == 0 && w_.soon_[0].key > cycle) {
        cycle = w_.soon_[0].key;
      }
      used_.fill(0);
      issued_ = 0;
      closed_ = 0;
      do {
        while (!w_.soon_.empty() && w_.soon_[0].key <= cycle) {
          const operation_id o = pop(w_.soon_);
          push(w_.ready_[queue_of(o)], -w_.height_[o], o);
          ++num_ready_;
        }
        issue_ready(cycle, out);
      } while (!w_.soon_.empty() && w_.soon_[0].key <= cycle); // operations that only an order delayed
      last = cycle;
    }
    for (operation_id o = 0; !forwards_ && o != body_.size(); ++o) {
      out.slots[o].cycle = static_cast<std::uint32_t>(last) - out.slots[o].cycle;
    }
    finish_schedule(body_, out);
  }

  /// Operations of a class wait in two queues, those without literals and the others, so that a queue whose first
  /// operation does not fit is closed for the cycle.
  constexpr std::size_t queue_of(operation_id o) const {
    return 2 * static_cast<std::size_t>(body_.kind(o)) + (body_.literal_words(o) != 0 ? 1 : 0);
  }

  /// Issues operations of the cycle, those of the greatest height first.
  constexpr void issue_ready(std::int64_t cycle, schedule& out) {
    for (;;) {
      std::size_t best = w_.ready_.size();
      for (std::size_t q = 0; q != w_.ready_.size(); ++q) {
        if ((closed_ >> q & 1) == 0 && !w_.ready_[q].empty() &&
            (best == w_.ready_.size() || w_.ready_[best][0] < w_.ready_[q][0])) {
          best = q;
        }
      }
      if (best == w_.ready_.size()) {
        return;
      }
      const operation_id o = w_.ready_[best][0].operation;
      const std::uint32_t channel = find_channel(o, cycle);
      if (channel == no_channel - 1) {
        closed_ |= std::uint64_t{1} << best;
        continue;
      }
      pop(w_.ready_[best]);
      --num_ready_;
      take(o, cycle, channel);
      out.slots[o] = {static_cast<std::uint32_t>(cycle), channel};
      for_each_edge(o, [&](const operation_dependence& d) {
        const operation_id next = target(d);
        w_.start_[next] = max(w_.start_[next], cycle + static_cast<std::int64_t>(d.latency));
        if (--w_.missing_[next] == 0) {
          push(w_.soon_, w_.start_[next], next);
        }
      });
    }
  }

  constexpr std::uint32_t use(operation_id o, std::size_t r) const {
    return rules_.uses[static_cast<std::size_t>(body_.kind(o))][r] +
           (r == rules_.literals ? body_.literal_words(o) : 0);
  }

  /// The free channel with the least demand; `no_channel - 1` if there is none. Backwards, an operation that blocks its
  /// channel needs it in cycles that are filled already.
  constexpr std::uint32_t find_channel(operation_id o, std::int64_t cycle) const {
    const operation_class c = body_.kind(o);
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      if (used_[r] + use(o, r) > rules_.capacity[r]) {
        return no_channel - 1;
      }
    }
    if ((rules_.excluded_by(c) & issued_) != 0) {
      return no_channel - 1;
    }
    const channel_set all = rules_.channels_of(c);
    if (all == 0) {
      return no_channel;
    }
    std::uint32_t best = no_channel - 1;
    const std::int64_t before = forwards_ ? 0 : max<std::int64_t>(rules_.occupancy_of(c), 1) - 1;
    for (channel_set rest = all; rest != 0; rest &= rest - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(rest));
      const bool is_free = rules_.occupancy_of(c) == 0 || free_at_[channel] + before <= cycle;
      if (is_free && (best == no_channel - 1 || demand_[channel] < demand_[best])) {
        best = channel;
      }
    }
    return best;
  }

  constexpr void take(operation_id o, std::int64_t cycle, std::uint32_t channel) {
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      used_[r] += use(o, r);
    }
    issued_ |= std::uint32_t{1} << static_cast<unsigned>(body_.kind(o));
    const std::int64_t blocked = rules_.occupancy_of(body_.kind(o));
    if (channel != no_channel && blocked != 0) {
      free_at_[channel] = cycle + (forwards_ ? blocked : 1);
    }
  }

  /// The demand for each channel: an operation spreads its occupancy equally over its channels.
  constexpr void count_demand() {
    for (operation_id o = 0; o != body_.size(); ++o) {
      const channel_set all = rules_.channels_of(body_.kind(o));
      for (channel_set rest = all; rest != 0; rest &= rest - 1) {
        demand_[static_cast<std::size_t>(std::countr_zero(rest))] +=
            720 * std::uint64_t{rules_.occupancy_of(body_.kind(o))} / static_cast<std::uint64_t>(std::popcount(all));
      }
    }
  }

  const schedulable_body& body_;
  const issue_rules& rules_;
  schedule_block_workspace& w_;
  bool forwards_ = true;
  std::array<std::int64_t, max_channels> free_at_{};
  std::array<std::uint32_t, max_resources> used_{};
  std::array<std::uint64_t, max_channels> demand_{};
  std::uint32_t issued_ = 0; ///< set of classes
  std::uint64_t closed_ = 0; ///< set of queues
  std::size_t num_ready_ = 0;
};

/// Whether the machine cannot issue some operation; also computes the resource bound.
template <loop_machine M> constexpr bool cannot_issue(const schedulable_body& body, const M& m, std::uint64_t& bound) {
  operation_mix mix = mix_of(body.graph);
  const std::size_t r = m.literal_resource();
  bool is_impossible = false;
  bool ends_in_time = true; // no channel is blocked after the last result
  for (operation_id o = 0; o != body.size(); ++o) {
    if (r != m.num_resources()) {
      mix.extra_uses[r] += body.literal_words(o);
      is_impossible = is_impossible || m.use(body.kind(o), r) + body.literal_words(o) > m.capacity(r);
    }
    ends_in_time = ends_in_time && m.occupancy(body.kind(o)) <= max(body.graph.operation(o).latency, std::uint32_t{1});
  }
  const resource_bound_result resources = resource_bound(m, mix);
  bound = ends_in_time ? resources.cycles : 0;
  return is_impossible || resources.is_impossible;
}

} // namespace detail

/// A schedule of a straight line, refilling `out`: only dependences of distance 0 count. List scheduling, cycle by
/// cycle: among the operations whose operands are available, the one with the longest chain to the end goes first. If
/// the result is longer than the bound, a second run schedules from the end to the beginning, and the shorter
/// of the two schedules is the result. Allocates nothing once workspace and result have seen bodies as large.
///
/// `impossible` if dependences of distance 0 have a cycle, or the machine cannot issue some operation. O(operations ·
/// log operations + dependences), times the number of classes and channels.
template <loop_machine_argument M>
constexpr void schedule_block(const schedulable_body& body, const M& m, schedule_block_workspace& workspace,
                              block_schedule_result& out) {
  out.bound = 0;
  out.status = schedule_status::impossible;
  std::uint64_t resources = 0;
  if (detail::cannot_issue(body, m, resources)) {
    return;
  }
  const std::uint64_t bound =
      detail::max(resources, straight_line_bound(body.graph, body.literals, m, workspace.bounding_));
  const detail::issue_rules rules(m);
  detail::list_scheduler scheduler(body, rules, workspace);
  if (scheduler.run(bound, out.found)) {
    out.status = schedule_status::attained;
    out.bound = bound;
  }
}

/// A schedule of a straight line.
template <loop_machine_argument M>
constexpr block_schedule_result schedule_block(const schedulable_body& body, const M& m) {
  schedule_block_workspace workspace;
  block_schedule_result out;
  schedule_block(body, m, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
