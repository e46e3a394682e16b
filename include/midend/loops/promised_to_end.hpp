/// `is_promised_to_end`: whether the program promises that a natural loop without effects ends.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"

MIDEND_BEGIN_NAMESPACE

/// Whether the program promises to leave natural loop `l`: staying there for ever, from some time on without effects
/// (calls, volatile accesses), has no meaning. `loop_ends` of the effects rung says so about the header, or `must_end`
/// of the cost rung about each backedge. An IR without either promises nothing. The forest may be that of a copy of the
/// graph with other edge numbers. O(backedges and the edges of their sources).
template <class IR> bool is_promised_to_end(const IR& ir, const loop_forest& loops, loop_id l) {
  bool is_promised = loop_ends(ir, loops.header(l));
  if constexpr (has_must_end<IR>) {
    bool edges_promise = true;
    for (const node_id latch : loops.latches(l)) {
      detail::for_each_id(ir.graph().out_edges(latch), [&](edge_id e) {
        const bool goes_back = static_cast<node_id>(ir.graph().edge_target(e)) == loops.header(l);
        edges_promise = edges_promise && (!goes_back || static_cast<bool>(ir.must_end(e)));
      });
    }
    is_promised = is_promised || edges_promise;
  }
  return is_promised;
}

MIDEND_END_NAMESPACE
