/// `run_loop_manager`: the order in which a package of loop optimizations visits the loops of a procedure.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The state of a loop.
enum class loop_state : std::uint8_t {
  undefined, ///< a loop in it is not closed yet
  processed, ///< it is in the list: its turn has come
  waiting,   ///< it was changed in this sweep
  closed     ///< nothing applies to it
};

/// What the manager did with a loop.
enum class loop_step : std::uint8_t {
  listed,   ///< `undefined` or `waiting` to `processed`
  changed,  ///< `processed` to `waiting`
  finished, ///< `processed` to `closed`
  rebuilt   ///< all changes were carried out, and the analyses made again; no loop
};

/// A step of the manager.
struct loop_manager_event {
  loop_step step;
  node_id header;      ///< of the loop; `no_node` for `rebuilt`
  std::uint32_t sweep; ///< from 0: how many rebuilds came before

  friend constexpr bool operator==(const loop_manager_event&, const loop_manager_event&) = default;
};

/// What the manager did.
struct loop_manager_log {
  flat_array<loop_manager_event> events;
  std::uint32_t changes = 0;  ///< n: optimizations that were applied
  std::uint32_t rebuilds = 0; ///< r: sweeps with at least one of them
  bool is_complete = false;   ///< every loop is closed; else the sweeps were limited
};

struct loop_manager_options {
  std::uint32_t max_sweeps = 64;
  std::uint32_t max_changes = 0; ///< in a sweep; 0: no limit. With 1, all analyses are made again after each change
};

/// What the manager asks, and orders:
///
/// - `loops()`: the loops of the procedure as it was after the last `carry_out`;
/// - `weight(l)`: how much time a loop takes; heavy loops come first;
/// - `decide(l)`: whether an optimization applies to the loop. If so, it will be applied by
/// - `carry_out()`: applies what was decided in this sweep, and makes all analyses again.
template <class W>
concept loop_work = requires(W& work, const W& known, loop_id l) {
  { known.loops() } -> std::convertible_to<const loop_forest&>;
  { known.weight(l) } -> std::convertible_to<double>;
  { work.decide(l) } -> std::convertible_to<bool>;
  { work.carry_out() };
};

namespace detail {

/// One run of the manager.
template <class W> class loop_manager {
public:
  loop_manager(W& work, loop_manager_log& log) : work_(work), log_(log) {}

  void run(const loop_manager_options& options) {
    log_ = {};
    take_up_loops();
    for (std::uint32_t sweeps = 0; !list_.empty() && sweeps != options.max_sweeps; ++sweeps) {
      const std::uint32_t before = log_.changes;
      sweep(options.max_changes);
      if (log_.changes != before) {
        work_.carry_out();
        log_.events.push_back({loop_step::rebuilt, no_node, log_.rebuilds});
        ++log_.rebuilds;
        take_up_loops();
      }
    }
    log_.is_complete = list_.empty();
  }

private:
  const loop_forest& loops() const { return static_cast<const W&>(work_).loops(); }

  void note(loop_step step, loop_id l) { log_.events.push_back({step, loops().header(l), log_.rebuilds}); }

  /// A loop is known by its header. One that was closed stays closed, unless there is a loop in it that is not. Of the
  /// others, those in which every loop is closed come into the list.
  void take_up_loops() {
    states_.assign(loops().num_loops(), loop_state::undefined);
    open_children_.assign(loops().num_loops(), 0);
    while (was_closed_.size() < loops().num_nodes()) {
      was_closed_.push_back(0);
    }
    for (std::size_t i = loops().num_loops(); i-- != 0;) { // inner before outer
      const auto l = static_cast<loop_id>(i);
      if (open_children_[l] == 0 && was_closed_[loops().header(l)] != 0) {
        states_[l] = loop_state::closed;
      } else if (loops().parent(l) != no_loop) {
        ++open_children_[loops().parent(l)];
      }
    }
    list_.clear(); // what had no turn in a limited sweep is taken up again
    for (const loop_id l : loops().loops()) {
      if (states_[l] == loop_state::undefined && open_children_[l] == 0) {
        enter(l);
      }
    }
  }

  /// Each loop of the list has its turn once, the heaviest first, then the next one. What was changed waits for the
  /// rebuild. A loop in which the last one was closed comes in at its place among those whose turn is still to come.
  void sweep(std::uint32_t max_changes) {
    const std::uint32_t before = log_.changes;
    while (!list_.empty() && (max_changes == 0 || log_.changes - before != max_changes)) {
      const loop_id l = take_heaviest();
      if (work_.decide(l)) {
        ++log_.changes;
        states_[l] = loop_state::waiting;
        note(loop_step::changed, l);
      } else {
        close(l);
        const loop_id parent = loops().parent(l);
        if (parent != no_loop && --open_children_[parent] == 0) {
          enter(parent);
        }
      }
    }
  }

  void close(loop_id l) {
    states_[l] = loop_state::closed;
    was_closed_[loops().header(l)] = 1;
    note(loop_step::finished, l);
  }

  /// A loop of the list is open, and all loops in it are closed. So no loop of the list is in another one.
  void enter(loop_id l) {
    MIDEND_ASSERT(open_children_[l] == 0 && states_[l] == loop_state::undefined, "loops that are not in each other", l);
    states_[l] = loop_state::processed;
    note(loop_step::listed, l);
    list_.push_back({static_cast<double>(static_cast<const W&>(work_).weight(l)), l});
    std::push_heap(list_.begin(), list_.end());
  }

  loop_id take_heaviest() {
    std::pop_heap(list_.begin(), list_.end());
    const loop_id l = list_.back().loop;
    list_.pop_back();
    return l;
  }

  /// The next one is the greatest: the heaviest, of equal ones that with the least number.
  struct listed_loop {
    double weight;
    loop_id loop;

    friend bool operator<(const listed_loop& a, const listed_loop& b) {
      return a.weight != b.weight ? a.weight < b.weight : a.loop > b.loop;
    }
  };

  W& work_;
  loop_manager_log& log_;
  flat_array<loop_state> states_;           ///< by loop
  flat_array<std::uint32_t> open_children_; ///< by loop: loops directly in it that are not closed
  flat_array<unsigned char> was_closed_;    ///< by node: as the header of a loop
  flat_array<listed_loop> list_;            ///< a heap
};

} // namespace detail

/// Runs a package of loop optimizations over the tree of loops, from inside out, heavy loops first. `work` decides what
/// applies to a loop, and does it.
///
/// **Algorithm.** The manager of the loop macro package of A. Drozdov, A. Stepanenkov, "Managed optimization packages".
/// The list holds loops that are not in each other, at first the innermost ones. In a sweep each loop of the list has
/// its turn. A loop to which something applies waits for the end of the sweep. One to which nothing applies is closed;
/// once all loops in a loop are closed, that one comes into the list, in the same sweep. A sweep that has changed
/// something ends with a rebuild of all analyses, and then what waited has its turn again. As the loops of a sweep are
/// independent, one rebuild serves many changes.
///
/// **Departures.** All decisions of a sweep come first, then all changes. In the paper each change is made at once; as
/// a changed loop only waits, the result is the same, but here the analyses hold for each decision. Loops that are new
/// after a rebuild come into the list if each loop in them is closed. A loop that a change has made vanish is not in
/// the new forest; the loop around it has its turn after the rebuild. Sweeps, and changes in a sweep, can be limited.
///
/// Requires that nodes keep their numbers: closed loops are known by their headers. Returns n, r and every step. The
/// time, besides that of the work, is O(loops · log loops) a sweep, and linear in the nodes once.
template <loop_work W> void run_loop_manager(W& work, const loop_manager_options& options, loop_manager_log& out) {
  detail::loop_manager<W>(work, out).run(options);
}

MIDEND_END_NAMESPACE
