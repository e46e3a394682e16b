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
  undefined, ///< it contains a loop that is not closed yet
  processed, ///< it is in the list and waits for its turn
  waiting,   ///< it was changed in this sweep
  closed     ///< no optimization applies to it
};

/// What the manager did with a loop.
enum class loop_step : std::uint8_t {
  listed,   ///< `undefined` or `waiting` to `processed`
  changed,  ///< `processed` to `waiting`
  finished, ///< `processed` to `closed`
  rebuilt   ///< all changes were applied and the analyses recomputed; names no loop
};

/// A step of the manager.
struct loop_manager_event {
  loop_step step;
  node_id header;      ///< the header of the loop; `no_node` for `rebuilt`
  std::uint32_t sweep; ///< the number of rebuilds before, from 0

  friend constexpr bool operator==(const loop_manager_event&, const loop_manager_event&) = default;
};

/// What the manager did.
struct loop_manager_log {
  flat_array<loop_manager_event> events;
  std::uint32_t changes = 0;  ///< n of the paper: loops for which `decide` found an optimization
  std::uint32_t rebuilds = 0; ///< r of the paper: sweeps with at least one change
  bool is_complete = false;   ///< whether every loop is closed; if not, `max_sweeps` was reached
};

struct loop_manager_options {
  std::uint32_t max_sweeps = 64;
  std::uint32_t max_changes = 0; ///< changes in a sweep; 0: no limit. With 1, analyses are recomputed after each change
};

/// What the manager requires of its client:
///
/// - `loops()`: the loops of the procedure as it was after the last `carry_out`;
/// - `weight(l)`: the time that a loop takes; the manager visits the loop with the largest weight first;
/// - `decide(l)`: whether an optimization applies to the loop. If one does, the client remembers it;
/// - `carry_out()`: applies the optimizations of this sweep and recomputes all analyses.
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

  /// Rebuilds the list from the new forest. Headers identify loops across rebuilds. A closed loop stays closed unless
  /// it contains an open loop. An open loop enters the list if it contains no open loop.
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
    list_.clear(); // loops that a limited sweep did not reach enter again
    for (const loop_id l : loops().loops()) {
      if (states_[l] == loop_state::undefined && open_children_[l] == 0) {
        enter(l);
      }
    }
  }

  /// Visits each loop of the list once, the heaviest first. A changed loop waits for the rebuild. When the last open
  /// loop inside a loop is closed, the outer loop enters the list of this sweep.
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

  /// Puts a loop into the list. Requires that the loop is open and all loops inside it are closed; so no loop of the
  /// list contains another.
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

  /// A heap visits its greatest element first: the heaviest loop, and among equal weights the one with the smallest
  /// number.
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
  flat_array<std::uint32_t> open_children_; ///< by loop: number of open loops directly in it
  flat_array<unsigned char> was_closed_;    ///< by node: whether the loop with this header was closed
  flat_array<listed_loop> list_;            ///< a heap
};

} // namespace detail

/// Runs a package of loop optimizations over the loop tree, inner loops before outer ones and hot loops first. `work`
/// decides what applies to a loop, and applies it.
///
/// **Algorithm.** The manager of the loop macro package of A. Drozdov, A. Stepanenkov, "Managed optimization packages".
/// The list holds disjoint loops, at first the innermost ones. A sweep visits each loop of the list. A loop to which an
/// optimization applies waits for the end of the sweep. A loop to which none applies is closed; when all loops inside a
/// loop are closed, the outer loop enters the list in the same sweep. A sweep with changes ends with a rebuild of all
/// analyses, and the next sweep visits the waiting loops again. The loops of a sweep are independent, so one rebuild
/// serves many changes.
///
/// **Departures.** All decisions of a sweep precede all its changes. The paper applies each change at once; a changed
/// loop only waits, so the result is the same, but here the analyses are valid for every decision. A loop that is new
/// after a rebuild enters the list if every loop inside it is closed. A loop that a change removed is not in the new
/// forest; its parent can enter the list after the rebuild. The number of sweeps and of changes in a sweep can be
/// limited.
///
/// Requires that `carry_out` keeps the numbers of nodes, because headers identify closed loops. Returns n, r and every
/// step. Irreducible cycles and unreachable loops are not in the forest and are not visited. O(loops · log loops) for
/// each sweep and O(n) in all, without the time of `work`.
template <loop_work W> void run_loop_manager(W& work, const loop_manager_options& options, loop_manager_log& out) {
  detail::loop_manager<W>(work, out).run(options);
}

MIDEND_END_NAMESPACE
