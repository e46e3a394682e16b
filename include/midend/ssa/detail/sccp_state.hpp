/// The state of a run of `sccp`, from its beginning to its end.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/constant_thresholds.hpp"
#include "midend/ssa/detail/ssa_uses.hpp"
#include "midend/ssa/sccp_options.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of a solver.
template <class D> struct sccp_memory {
  ssa_layout layout;
  ssa_uses uses;
  pending_set pending;
  flat_array<std::uint32_t> end_visits; ///< by node
  flat_array<std::uint32_t> waiting;    ///< items that wait for operands
  bit_row resolved;                     ///< values that wait no longer
  constant_thresholds thresholds;
  std::vector<domain_constant<D>> constants; ///< the operands of what is being folded
  fact_array<element_of<D>> arriving;        ///< by phi, while facts are worked out anew
};

/// What is known so far, and how it begins and ends.
template <class IR, class D> class sccp_state {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr sccp_state(const IR& ir, const D& domain, const sccp_options& options, sccp_memory<D>& memory,
                       sccp_columns<D>& out)
      : ir_(ir), domain_(domain), options_(options), memory_(memory), layout_(memory.layout), out_(out) {}

protected:
  static constexpr bool widens = has_widen_of_width<D>;

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(ir_.graph().num_nodes()); }

  constexpr element& fact(value_id v) { return out_.facts.data()[v]; }

  constexpr bool is_unknown(value_id v) { return is_bottom(domain_, fact(v)); }

  constexpr element constant_or_top(value_id v, const std::optional<constant_type>& c) const {
    const unsigned width = ir_.operation(v).width;
    return c ? domain_.constant(width, *c) : promised(v, width);
  }

  /// What is known of `v` if nothing follows from its operands.
  constexpr element promised([[maybe_unused]] value_id v, unsigned width) const {
    element out = domain_.top(width);
    if constexpr (has_bounds<IR> && has_assume<D>) {
      if (const std::optional<number_range> bounds = ir_.bounds(v)) {
        element low = domain_.constant(width, bounds->low);
        element high = domain_.constant(width, bounds->high);
        domain_.assume(bounds->is_signed ? operation::greater_equal : operation::ugreater_equal, width, out, low);
        domain_.assume(bounds->is_signed ? operation::less_equal : operation::uless_equal, width, out, high);
      }
    }
    return out;
  }

  constexpr bool is_undefined(value_id v) { return out_.undefined.test(v) && is_unknown(v); }

  /// Nothing is executed and nothing known but of what stands in no node.
  constexpr void start() {
    const value_id count = layout_.num_values();
    out_.domain = domain_;
    out_.facts.assign(count, domain_.bottom());
    clear(out_.executable_nodes, num_nodes());
    clear(out_.executable_edges, static_cast<std::size_t>(ir_.graph().num_edges()));
    clear(out_.undefined, count);
    out_.visits.assign(count, 0);
    out_.widenings.assign(widens ? count : 0, 0);
    out_.counters = {};
    out_.broken_value = no_value;
    out_.epoch = graph_epoch(ir_.graph());
    memory_.end_visits.assign(num_nodes(), 0);
    memory_.pending.assign(layout_.num_positions(), false);
    memory_.waiting.clear();
    clear(memory_.resolved, count);
    for (value_id v = 0; v != count; ++v) {
      if (layout_.position(v) == ssa_layout::none) {
        start_literal(v);
      }
    }
    const auto nodes = static_cast<node_id>(num_nodes());
    for (node_id n = 0; n != nodes; ++n) {
      if (!layout_.is_reachable(n)) {
        for_each_id(ir_.values(n), [this](value_id v) { fact(v) = domain_.bottom(); });
      }
    }
    if constexpr (widens) {
      memory_.thresholds.forget();
    }
  }

  static constexpr void clear(bit_row& bits, std::size_t count) {
    bits.resize(count);
    bits.reset();
  }

  constexpr void start_literal(value_id v) {
    if (may_choose(v)) {
      out_.undefined.set(v);
    } else {
      fact(v) = constant_or_top(v, ir_.constant(v));
    }
  }

  /// Whether `v` is a literal `undef` that is taken for whatever is convenient.
  constexpr bool may_choose([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return options_.undefined == undef_policy::any_value && ir_.is_undefined(v);
    } else {
      return false;
    }
  }

  /// What has no value although it is executed reads as top.
  constexpr void finish() {
    for (const std::uint32_t v : set_bits(out_.undefined)) {
      if (is_unknown(v)) {
        fact(v) = domain_.top(ir_.operation(v).width);
      } else {
        out_.undefined.reset(v); // has become a value since
      }
    }
    for (const node_id n : layout_.postorder()) {
      if (!out_.executable_nodes.test(n)) {
        continue;
      }
      for (std::uint32_t position = layout_.first_position(n); position != layout_.last_position(n); ++position) {
        const value_id v = layout_.item(position);
        if (is_unknown(v)) {
          fact(v) = domain_.top(ir_.operation(v).width);
        }
      }
    }
    if constexpr (widens) {
      for (std::uint32_t& growths : out_.widenings) {
        growths = growths > options_.widen_after ? growths - options_.widen_after : 0;
      }
    }
  }

  const IR& ir_;
  const D& domain_;
  const sccp_options& options_;
  sccp_memory<D>& memory_;
  ssa_layout& layout_;
  sccp_columns<D>& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
