/// `read_access`: the address of a load or store of a region.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_values.hpp"
#include "midend/machine/lowering/program_region.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether the loop with this header is `l`, or around it, so that all iterations of `l` are in one run of it.
constexpr bool is_loop_around(const loop_forest& loops, loop_id l, node_id header) {
  for (; l != no_loop; l = loops.parent(l)) {
    if (loops.header(l) == header) {
      return true;
    }
  }
  return false;
}

/// Whether a sum with a number is the exact sum.
template <class IR> constexpr bool is_exact_sum(const IR& ir, value_id v) {
  const value_id source = through_copies(ir, v);
  return adds_number(ir, source) && ir.operation(source).flags.no_signed_wrap;
}

/// The value of a part of an address. The addend times `scale` is added to `offset` if that is equal in 64 bits;
/// otherwise the value is the sum.
template <class IR>
constexpr region_id read_address_part(const value_reader<IR>& values, value_id v, std::int64_t scale,
                                      std::uint64_t& offset) {
  region_builder& builder = values.builder();
  const region_operand o = values.operand_of(v);
  const std::uint8_t width = builder.width_of(o);
  if (o.addend == 0) {
    return o.node;
  }
  if (width == 64 || is_exact_sum(values.ir(), v)) {
    offset += static_cast<std::uint64_t>(as_signed(o.addend, width)) * static_cast<std::uint64_t>(scale);
    return o.node;
  }
  const region_operand operands[] = {o};
  region_value& sum = builder.append_pure({operation::copy, width, width, {}}, operands);
  sum.is_free = true; // the sum in a register, which each reader shares
  return builder.last();
}

/// Takes the place of a load or store in loop `l` (`no_loop` in straight code), and returns its access in the region,
/// with all numbers of the address in the offset. Reads base, index and stored value, in this order.
template <class IR>
constexpr region_access read_access(const value_reader<IR>& values, const loop_forest& loops, loop_id l,
                                    const memory_reference& place) {
  const region_builder& builder = values.builder();
  region_access access{no_region_value, no_region_value, {}, place.bytes, place.memory, place.scale, place.offset};
  if (place.local != any_memory && is_loop_around(loops, l, place.scope)) {
    access.local = place.local;
    access.scope = place.scope;
  }
  auto offset = static_cast<std::uint64_t>(place.offset);
  if (place.base != no_value) {
    access.base = read_address_part(values, place.base, 1, offset);
  }
  if (place.index != no_value) {
    const region_operand index = values.operand_of(place.index);
    if (builder.is_number(index)) {
      offset += static_cast<std::uint64_t>(as_signed(builder.number(index), builder.width_of(index))) *
                static_cast<std::uint64_t>(place.scale);
    } else {
      access.index = read_address_part(values, place.index, place.scale, offset);
    }
  }
  access.offset = static_cast<std::int64_t>(offset);
  if (place.stored != no_value) {
    access.stored = values.operand_of(place.stored);
  }
  return access;
}

} // namespace detail

MIDEND_END_NAMESPACE
