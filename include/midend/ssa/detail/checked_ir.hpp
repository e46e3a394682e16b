/// What the checks of `check_ir` share: the part of an IR that the checks before have found right.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What a check can find wrong.
using ir_reason = ir_error::reason;

/// Where values and edges of an IR are. A check may ask the IR about all numbers below `nodes` and `values`. The check
/// named at a field fills it, so checks of later rungs find the fields of earlier rungs filled.
struct checked_ir {
  node_id nodes = 0;                  ///< how many (`check_the_graph`)
  value_id values = 0;                ///< how many (`check_operands`)
  flat_array<node_id> node_of;        ///< by value: its node, or `no_node` (`check_places`)
  flat_array<std::uint32_t> place_of; ///< by value: its position in its node (`check_places`)
  dominator_tree dominators;          ///< (`check_phis`)
  flat_array<std::uint32_t> first_in; ///< by node, and one more: where its edges start in `in_edges` (`check_phis`)
  flat_array<edge_id> in_edges;       ///< by target, then by source (`check_phis`)

  /// The place after all values of a node.
  static constexpr std::uint32_t at_end = 0xffff'ffff;

  /// Whether `v` is computed whenever control is in `n`, before `place`. Always true in unreachable nodes.
  constexpr bool is_available(value_id v, node_id n, std::uint32_t place) const {
    const node_id home = node_of[v];
    if (home == no_node || !dominators.is_reachable(n)) {
      return true;
    }
    return home == n ? place_of[v] < place : dominators.dominates(home, n);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
