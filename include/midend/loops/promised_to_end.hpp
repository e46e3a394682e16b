/// `is_promised_to_end`: whether the program promises that a natural loop without effects ends.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"

MIDEND_BEGIN_NAMESPACE

/// Whether a run that stays in natural loop `l` for ever, and from some time on has no effects there (calls, volatile
/// accesses), has no meaning: `loop_ends` of the effects rung says it of the header, or `must_end` of the cost rung of
/// each backedge. An IR without either promises nothing. O(backedges).
template <class IR> bool is_promised_to_end(const IR& ir, const loop_forest& loops, loop_id l) {
  bool is_promised = loop_ends(ir, loops.header(l));
  if constexpr (has_must_end<IR>) {
    bool edges_promise = true;
    for (const loop_edge& e : loops.backedges(l)) {
      edges_promise = edges_promise && static_cast<bool>(ir.must_end(e.id));
    }
    is_promised = is_promised || edges_promise;
  }
  return is_promised;
}

MIDEND_END_NAMESPACE
