/// `loop_package_log`: what the loop package did.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loop_package/loop_manager.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A change that the package chose.
struct decided_loop_change {
  loop_change change;            ///< in nodes of the procedure
  std::uint32_t sweep = 0;       ///< the sweep that chose it
  double entries = 0;            ///< entries of the loop for each entry of the procedure
  double cycles_before = 0;      ///< cycles of the unchanged loop after a clean-up, for each entry
  double cycles_after = 0;       ///< cycles of the changed loop after a clean-up, for each entry
  std::uint64_t size_before = 0; ///< operations of the loop
  std::uint64_t size_after = 0;  ///< operations of the code that replaces it, before the clean-up
  std::uint64_t room = 0;        ///< the member's share: how many operations the loop might grow by
  bool is_applied = false;       ///< whether the member also succeeded on the procedure

  std::uint64_t growth() const { return size_after > size_before ? size_after - size_before : 0; }
};

/// Why a loop was closed without a change.
enum class loop_package_refusal_reason : std::uint8_t {
  no_gain,      ///< no member proposes a change that pays
  no_room,      ///< a change is profitable, but exceeds the loop's share of the growth
  too_large,    ///< the loop has more than `max_trial` operations or `max_trial_loops` loops
  known_already ///< an equal loop was tried before
};

inline constexpr std::size_t num_loop_package_refusal_reasons = 4;

struct loop_package_refusal {
  node_id header;
  loop_package_refusal_reason why;

  friend constexpr bool operator==(const loop_package_refusal&, const loop_package_refusal&) = default;
};

/// A loop of the procedure, at the beginning of a sweep.
struct loop_of_sweep {
  std::uint32_t sweep = 0;
  node_id header = no_node;
  node_id parent = no_node; ///< the header of the loop around; `no_node` if there is none
  double cycles = 0;        ///< cycles in the loop without its inner loops, for each entry of the procedure
};

/// What the loop package did. Sizes are numbers of operations, phis aside.
struct loop_package_log {
  loop_manager_log manager; ///< n, r, and each step
  flat_array<decided_loop_change> changes;
  flat_array<decided_loop_change> vetoed;   ///< profitable changes whose growth exceeds their `room`; headers are those
                                            ///< of the procedure
  flat_array<std::uint16_t> importance;     ///< by member
  flat_array<loop_of_sweep> loops;          ///< for each sweep and at the end; outer loops before inner ones
  flat_array<loop_package_refusal> refused; ///< for closed loops, in the order of their closing
  std::uint64_t size_before = 0;            ///< of the procedure, after the first clean-up
  std::uint64_t size_after = 0;
  std::uint64_t largest_size = 0; ///< the largest size before a clean-up
  std::uint64_t max_size = 0;     ///< the limit
  double cycles_before = 0;       ///< cycles of the procedure, for each entry
  double cycles_after = 0;
  std::uint32_t extractions = 0; ///< number of extracted loops
  std::uint32_t trials = 0;      ///< number of trials, of changes and of unchanged loops
  std::uint32_t clean_ups = 0;   ///< number of clean-ups of the procedure

  /// How many profitable changes the limit on growth has vetoed.
  std::size_t vetoes() const { return vetoed.size(); }

  /// n/r of the paper: how many changes one rebuild serves.
  double changes_per_rebuild() const {
    return manager.rebuilds == 0 ? 0 : static_cast<double>(manager.changes) / manager.rebuilds;
  }
};

MIDEND_END_NAMESPACE
