/// `plain_trip_counter`: how often the loops of a function run, from the loops alone.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/loops/loop_forest.hpp"

#include <concepts>

MIDEND_BEGIN_NAMESPACE

/// Knows how often the loops of a program run, by `evolutions()`, whose loops, values and edges are those of the
/// program. A transformation that takes one trusts it.
template <class C>
concept trip_counter = requires(const C& counter) {
  { counter.evolutions() } -> std::convertible_to<const value_evolutions&>;
};

/// The memory of `plain_trip_counter`, to be reused.
class plain_trip_counter_workspace {
  friend class plain_trip_counter;

  evolutions_workspace evolving_;
  value_evolutions found_;
};

/// Counts from the loops, and from branches before them. `loop_trip_counter` also uses facts from the function around
/// them.
class plain_trip_counter {
public:
  /// Requires the forest of `ir.graph()`, with boundaries. Takes the time of `evolutions`.
  template <cost_ir_argument IR>
  plain_trip_counter(const IR& ir, const loop_forest& forest, plain_trip_counter_workspace& workspace)
      : found_(workspace.found_) {
    midend::evolutions(ir, forest, {}, workspace.evolving_, workspace.found_, evolved_values::header_phis);
  }

  const value_evolutions& evolutions() const { return found_; }

private:
  const value_evolutions& found_;
};

MIDEND_END_NAMESPACE
