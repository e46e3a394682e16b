/// `phi_reader`: reads the phis of a loop into a region.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_paths.hpp"
#include "midend/machine/lowering/detail/region_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes the predicates of paths, and returns the values of phis. Header phis are values of the region, whose next
/// values are known only at its end; phis at joins are `select`.
template <class IR> class phi_reader {
public:
  constexpr phi_reader(const value_reader<IR>& values, const region_flow& flow, region_paths& paths)
      : values_(values), flow_(flow), paths_(paths), builder_(values.builder()) {}

  /// Appends the header phis. They come first.
  constexpr void add_header_phis() {
    for_each_phi(0, [&](value_id v) {
      builder_.set_origin(v);
      builder_.append(region_value_kind::phi, values_.ir().operation(v).width);
      builder_.region().phis.push_back(builder_.last());
      values_.set_to_last(v);
    });
  }

  /// Reads the phis of another block. Requires the predicates of the edges into it.
  constexpr void read_joins(std::uint32_t block) {
    for_each_phi(block, [&](value_id v) { values_.set(v, join(v, block)); });
  }

  /// Sets the next values of the header phis. Requires the predicates of all edges.
  constexpr void add_next_values() {
    const std::uint32_t bottom = flow_.bottom();
    paths_.enter(bottom);
    for (const region_id phi : builder_.region().phis) {
      const value_id v = builder_.region().values[phi].origin;
      builder_.region().next.push_back(join(v, bottom));
    }
  }

private:
  /// Phis come first in their node.
  template <class Visit> constexpr void for_each_phi(std::uint32_t block, Visit visit) const {
    for (const value_id v : values_.ir().values(flow_.blocks[block].node)) {
      if (!values_.ir().is_phi(v)) {
        return;
      }
      visit(v);
    }
  }

  /// The value that a phi takes by the edges into a block.
  constexpr region_operand join(value_id phi, std::uint32_t block) {
    const auto edges = flow_.in_edges_of(block);
    const auto input = [&](std::uint32_t e) {
      return static_cast<value_id>(values_.ir().phi_input(phi, flow_.edges[e].id));
    };
    bool differs = false;
    for (const std::uint32_t e : edges) {
      values_.operand_of(input(e)); // values from outside precede the first join
      differs = differs || input(e) != input(edges[0]);
    }
    builder_.set_origin(phi);
    return differs ? paths_.join(block, values_.ir().operation(phi).width,
                                 [&](std::uint32_t e) {
                                   const region_operand o = values_.operand_of(input(e));
                                   builder_.set_origin(phi);
                                   return o;
                                 })
                   : values_.operand_of(input(edges[0]));
  }

  value_reader<IR> values_;
  const region_flow& flow_;
  region_paths& paths_;
  region_builder& builder_;
};

} // namespace detail

MIDEND_END_NAMESPACE
