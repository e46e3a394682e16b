/// `straight_line_bound`: a lower bound on the length of a straight line, from latencies and resources together.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class M> class straight_line_search;

} // namespace detail

/// The memory of `straight_line_bound`, to be reused from call to call.
class straight_line_bound_workspace {
  template <class M> friend class detail::straight_line_search;

  /// One unit of a pool for one cycle.
  struct piece {
    std::int64_t head; ///< the earliest cycle
    std::int64_t tail; ///< at least so many cycles from the start of its cycle to the end of the line

    friend constexpr bool operator<(const piece& a, const piece& b) {
      return a.head != b.head ? a.head < b.head : a.tail > b.tail;
    }

    friend constexpr bool operator<=(const piece& a, const piece& b) { return !(b < a); }
  };

  flat_array<std::uint32_t> first_;
  flat_array<std::uint32_t> out_; ///< dependences of distance 0, by producer
  flat_array<std::uint32_t> missing_;
  flat_array<operation_id> order_;
  flat_array<std::int64_t> head_; ///< by operation: its earliest cycle
  flat_array<std::int64_t> tail_; ///< by operation: the line ends at least so many cycles after the operation is issued
  flat_array<piece> pieces_;
  flat_array<std::int64_t> waiting_; ///< heap of tails
};

namespace detail {

/// One call of `straight_line_bound`.
template <class M> class straight_line_search {
public:
  constexpr straight_line_search(const dependence_graph& g, span<const std::uint8_t> literals, const M& m,
                                 straight_line_bound_workspace& w)
      : g_(g), literals_(literals), m_(m), w_(w) {}

  constexpr std::uint64_t run() {
    if (!sort_topologically()) {
      return 0;
    }
    compute_heads_and_tails();
    summarize_classes();
    consider_channels();
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      consider_resource(r);
    }
    return static_cast<std::uint64_t>(bound_);
  }

private:
  using piece = straight_line_bound_workspace::piece;

  /// Of one operation in a pool. Fewer pieces than it needs leave a lower bound.
  static constexpr std::uint32_t most_pieces = 64;

  constexpr std::uint32_t blocked_cycles(operation_class c) const { return min(m_.occupancy(c), most_pieces); }

  constexpr std::uint32_t used_units(operation_class c, std::size_t r) const { return min(m_.use(c, r), most_pieces); }

  /// The operations of one class, or of several.
  struct summary {
    std::uint64_t work = 0; ///< pieces
    std::int64_t most_head = 0;
    std::int64_t most_tail = 0;

    constexpr void add(const summary& other) {
      if (other.work != 0) {
        work += other.work;
        most_head = max(most_head, other.most_head);
        most_tail = max(most_tail, other.most_tail);
      }
    }
  };

  constexpr bool sort_topologically() {
    w_.first_.assign(g_.num_operations() + 1, 0);
    w_.missing_.assign(g_.num_operations(), 0);
    const span<const operation_dependence> all = g_.dependences();
    for (const operation_dependence& d : all) {
      if (d.distance == 0) {
        ++w_.first_[d.producer];
        ++w_.missing_[d.consumer];
      }
    }
    counts_to_ends(w_.first_);
    w_.out_.resize_for_overwrite(w_.first_.back());
    for (std::size_t i = all.size(); i-- != 0;) {
      if (all[i].distance == 0) {
        w_.out_[--w_.first_[all[i].producer]] = static_cast<std::uint32_t>(i);
      }
    }
    w_.order_.clear();
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      if (w_.missing_[o] == 0) {
        w_.order_.push_back(o);
      }
    }
    for (std::size_t i = 0; i != w_.order_.size(); ++i) {
      for_each_out(w_.order_[i], [&](const operation_dependence& d) {
        if (--w_.missing_[d.consumer] == 0) {
          w_.order_.push_back(d.consumer);
        }
      });
    }
    return w_.order_.size() == g_.num_operations();
  }

  template <class Visit> constexpr void for_each_out(operation_id o, const Visit& visit) const {
    for (std::uint32_t i = w_.first_[o]; i != w_.first_[o + std::size_t{1}]; ++i) {
      visit(g_.dependences()[w_.out_[i]]);
    }
  }

  constexpr void compute_heads_and_tails() {
    w_.head_.assign(g_.num_operations(), 0);
    w_.tail_.assign(g_.num_operations(), 0);
    for (const operation_id o : w_.order_) {
      for_each_out(o, [&](const operation_dependence& d) {
        w_.head_[d.consumer] = max(w_.head_[d.consumer], w_.head_[o] + static_cast<std::int64_t>(d.latency));
      });
    }
    for (std::size_t i = w_.order_.size(); i-- != 0;) {
      const operation_id o = w_.order_[i];
      w_.tail_[o] = max<std::int64_t>(g_.operation(o).latency, 1);
      for_each_out(o, [&](const operation_dependence& d) {
        w_.tail_[o] = max(w_.tail_[o], w_.tail_[d.consumer] + static_cast<std::int64_t>(d.latency));
      });
      bound_ = max(bound_, w_.head_[o] + w_.tail_[o]);
    }
  }

  constexpr void summarize_classes() {
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      classes_[static_cast<std::size_t>(g_.operation(o).kind)].add({1, w_.head_[o], w_.tail_[o]});
    }
  }

  /// The pools of Hall's condition: unions of the channel sets of classes. Of more than six different sets, only each
  /// one, and all together.
  constexpr void consider_channels() {
    std::array<channel_set, num_operation_classes> sets{};
    std::size_t num_sets = 0;
    for (const operation_class c : all_operation_classes()) {
      const channel_set wanted = m_.channels(c);
      bool is_new = wanted != 0 && classes_[static_cast<std::size_t>(c)].work != 0;
      for (std::size_t i = 0; i != num_sets; ++i) {
        is_new = is_new && sets[i] != wanted;
      }
      if (is_new) {
        sets[num_sets++] = wanted;
      }
    }
    constexpr std::size_t most_sets = 6;
    if (num_sets <= most_sets) {
      for (std::uint32_t chosen = 1; chosen != std::uint32_t{1} << num_sets; ++chosen) {
        consider_channels(union_of(sets, chosen));
      }
      return;
    }
    channel_set all = 0;
    for (std::size_t i = 0; i != num_sets; ++i) {
      all |= sets[i];
      consider_channels(sets[i]);
    }
    consider_channels(all);
  }

  static constexpr channel_set union_of(const std::array<channel_set, num_operation_classes>& sets,
                                        std::uint32_t chosen) {
    channel_set all = 0;
    for (std::size_t i = 0; (chosen >> i) != 0; ++i) {
      all |= (chosen >> i & 1) != 0 ? sets[i] : 0;
    }
    return all;
  }

  constexpr void consider_channels(channel_set set) {
    const auto units = [&](operation_class c) -> std::uint64_t {
      const channel_set wanted = m_.channels(c);
      return wanted != 0 && (wanted & ~set) == 0 ? 1 : 0;
    };
    const auto cycles = [&](operation_class c) { return max(blocked_cycles(c), std::uint32_t{1}); };
    if (may_raise_bound(static_cast<std::uint64_t>(std::popcount(set)), units, cycles)) {
      w_.pieces_.clear();
      for (operation_id o = 0; o != g_.num_operations(); ++o) {
        const operation_class c = g_.operation(o).kind;
        for (std::uint32_t k = 0; units(c) != 0 && k != blocked_cycles(c); ++k) {
          w_.pieces_.push_back({w_.head_[o] + k, w_.tail_[o] - k});
        }
      }
      fill_pool(static_cast<std::uint64_t>(std::popcount(set)));
    }
  }

  constexpr void consider_resource(std::size_t r) {
    const bool has_literals = r == m_.literal_resource();
    const std::uint32_t most_words = has_literals ? most_literal_words() : 0;
    const auto units = [&](operation_class c) -> std::uint64_t { return used_units(c, r) + most_words; };
    const auto cycles = [](operation_class) { return std::uint32_t{1}; };
    if (m_.capacity(r) != 0 && may_raise_bound(m_.capacity(r), units, cycles)) {
      w_.pieces_.clear();
      for (operation_id o = 0; o != g_.num_operations(); ++o) {
        const std::uint32_t words = has_literals && o < literals_.size() ? literals_[o] : 0;
        for (std::uint32_t k = 0; k != used_units(g_.operation(o).kind, r) + words; ++k) {
          w_.pieces_.push_back({w_.head_[o], w_.tail_[o]});
        }
      }
      fill_pool(m_.capacity(r));
    }
  }

  constexpr std::uint32_t most_literal_words() const {
    std::uint32_t most = 0;
    for (const std::uint8_t words : literals_) {
      most = max<std::uint32_t>(most, words);
    }
    return most;
  }

  /// Whether the pool might need more cycles than the bound: if all came as late, and had to wait as long, as any.
  template <class Units, class Cycles>
  constexpr bool may_raise_bound(std::uint64_t capacity, const Units& units, const Cycles& cycles) const {
    summary all;
    for (const operation_class c : all_operation_classes()) {
      const summary& s = classes_[static_cast<std::size_t>(c)];
      if (s.work != 0 && units(c) != 0) {
        const std::int64_t later = static_cast<std::int64_t>(cycles(c)) - 1;
        all.add({s.work * units(c) * cycles(c), s.most_head + later, s.most_tail});
      }
    }
    const std::uint64_t full = (all.work + capacity - 1) / capacity;
    return all.work != 0 && all.most_head + static_cast<std::int64_t>(full) - 1 + all.most_tail > bound_;
  }

  /// Fills the pool cycle by cycle, the longest tail first. No schedule of the pieces ends sooner.
  constexpr void fill_pool(std::uint64_t capacity) {
    heap_sort(w_.pieces_.data(), w_.pieces_.size());
    w_.waiting_.clear();
    std::size_t next = 0;
    for (std::int64_t cycle = 0; next != w_.pieces_.size() || !w_.waiting_.empty(); ++cycle) {
      if (w_.waiting_.empty()) {
        cycle = max(cycle, w_.pieces_[next].head);
      }
      for (; next != w_.pieces_.size() && w_.pieces_[next].head <= cycle; ++next) {
        push(w_.pieces_[next].tail);
      }
      for (std::uint64_t unit = 0; unit != capacity && !w_.waiting_.empty(); ++unit) {
        bound_ = max(bound_, cycle + pop());
      }
    }
  }

  constexpr void push(std::int64_t tail) {
    w_.waiting_.push_back(tail);
    for (std::size_t at = w_.waiting_.size() - 1; at != 0 && w_.waiting_[(at - 1) / 2] < w_.waiting_[at];
         at = (at - 1) / 2) {
      swap_values(w_.waiting_[(at - 1) / 2], w_.waiting_[at]);
    }
  }

  constexpr std::int64_t pop() {
    const std::int64_t tail = w_.waiting_[0];
    w_.waiting_[0] = w_.waiting_.back();
    w_.waiting_.pop_back();
    if (!w_.waiting_.empty()) {
      sift_down(w_.waiting_.data(), 0, w_.waiting_.size());
    }
    return tail;
  }

  const dependence_graph& g_;
  span<const std::uint8_t> literals_;
  const M& m_;
  straight_line_bound_workspace& w_;
  std::array<summary, num_operation_classes> classes_{};
  std::int64_t bound_ = 0;
};

} // namespace detail

/// A lower bound on the length of every schedule of a straight line: the cycles until its last result can be used. Only
/// dependences of distance 0 count. At least the longest chain; 0 if dependences have a cycle.
///
/// Each operation has a head, the earliest cycle in which its operands are available, and a tail, the cycles that
/// follow it at least. For each set of channels, and for each resource, the operations that need it are placed by their
/// heads and tails alone, the longest tail first. For operations that take one cycle, this relaxed problem is solved
/// exactly (J. R. Jackson, "Scheduling a production line to minimize maximum tardiness", UCLA, 1955; as a bound for
/// code: M. Rim and R. Jain, "Lower-bound performance estimation for the high-level synthesis scheduling problem", IEEE
/// TCAD 13(4), 1994). An operation that blocks its channel for longer, or needs several units, counts as that many
/// pieces, up to 64.
///
/// `literals`: by operation, the words of literals; may be empty. Of more than six different channel sets of classes,
/// only each one and their union are considered. Allocates nothing once the workspace has seen lines as large.
/// O((operations · log operations + dependences) · sets that can raise the bound).
template <loop_machine_argument M>
constexpr std::uint64_t straight_line_bound(const dependence_graph& g, span<const std::uint8_t> literals, const M& m,
                                            straight_line_bound_workspace& workspace) {
  return detail::straight_line_search<M>(g, literals, m, workspace).run();
}

/// A lower bound on the length of every schedule of a straight line.
template <loop_machine_argument M>
constexpr std::uint64_t straight_line_bound(const dependence_graph& g, span<const std::uint8_t> literals, const M& m) {
  straight_line_bound_workspace workspace;
  return straight_line_bound(g, literals, m, workspace);
}

MIDEND_END_NAMESPACE
