/// `cost_view`: the cost of operations of the Elbrus-like IR, as the cost rung of the IR contract requires it.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/views/effect_view.hpp"
#include "midend/elbrus/views/fold.hpp"
#include "midend/elbrus/views/views.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A procedure in SSA form with the costs of its operations: models `cost_ir`.
///
/// A `mov` costs nothing, since its operand can replace it, and neither does a change of width. The sign of a
/// floating-point number is a bit, so changing it is integer arithmetic. A `select` is a merge; a `select` of
/// predicates is predicate logic. A guarded operation has the class of the operation without its guard, even if it
/// never runs and so has no effect.
///
/// The hints of a header are those of the program; probabilities and counts are a profile.
class cost_view : public effect_view {
public:
  using effect_view::effect_view;

  std::optional<operation_class> cost(value_id v) const {
    const value_core& record = graph().core(v);
    if (info_of(record.code).meaning == operation::other) {
      return class_of_other(record.code, record.type);
    }
    if (record.code == opcode::select && record.type == type::i1) {
      return operation_class::predicate_logic;
    }
    return usual_class(detail::meaning_if_it_runs(record));
  }

  bool is_little_endian() const { return true; }

  bool may_reassociate(value_id v) const { return graph().core(v).flags.assoc; }

  guard_of_value guard(value_id v) const {
    return {.predicate = graph().guard(v), .otherwise = graph().otherwise(v), .negated = graph().core(v).guard_negated};
  }

  operation_info unguarded(value_id v) const {
    const value_core& record = graph().core(v);
    return info_of(record.code).meaning == operation::other ? operation(v) : detail::meaning_if_it_runs(record);
  }

  /// The operation with its types.
  std::uint32_t identity(value_id v) const {
    const value_core& record = graph().core(v);
    const auto code = static_cast<std::uint32_t>(record.code) + 1;
    return (code << 8 | static_cast<std::uint32_t>(record.type)) << 8 | static_cast<std::uint32_t>(record.operand_type);
  }

  loop_hints trip_hints(node_id n) const {
    const trip_hint& hint = graph().hint(n);
    return {.average = static_cast<double>(hint.average), .maximum = hint.maximum, .multiple = hint.multiple};
  }

  /// The probability of the edge, or the ratio of the counts of its ends if it is the only edge into its target; at
  /// most 1, whatever the counts are.
  double probability(edge_id e) const {
    const edge_record& edge = graph().edge(e);
    if (graph().probability(e) >= 0) {
      return graph().probability(e);
    }
    const std::uint64_t from = graph().node_count(edge.source);
    const std::uint64_t to = graph().node_count(edge.target);
    const bool is_known = from != no_count && from != 0 && to != no_count && graph().in_edges(edge.target).size() == 1;
    if (!is_known) {
      return -1;
    }
    return to < from ? static_cast<double>(to) / static_cast<double>(from) : 1;
  }
};

static_assert(cost_ir<cost_view> && memory_ir<cost_view> && has_may_write<cost_view> && has_guard<cost_view> &&
              has_may_reassociate<cost_view> && has_identity<cost_view> && has_trip_hints<cost_view> &&
              has_must_end<cost_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
