/// `proof_program`: what the proofs about a program and its loops read.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The program before a change with its analyses, which all parts of a proof read and none changes. Holds references.
template <class IR> struct proof_program {
  const IR& ir;
  const flat_array<node_id>& home; ///< by value: its node, or `no_node`
  const dominators_and_loops_result& flow;
  const value_polynomials& values;

  const loop_forest& loops() const { return flow.loops; }

  const dominator_tree& dominators() const { return flow.dominators; }

  std::size_t num_values() const { return home.size(); }

  /// Whether an operation or phi in `l` computes `v`.
  bool is_inside(value_id v, loop_id l) const {
    return v < num_values() && home[v] != no_node && loops().contains(l, home[v]);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
