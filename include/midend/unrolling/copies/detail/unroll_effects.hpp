/// The operations of the copies that touch memory or do what nobody knows.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_context.hpp"
#include "midend/unrolling/copies/detail/unroll_memory.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Loads, stores and calls of the copies, one after the other.
class unroll_effects {
public:
  constexpr explicit unroll_effects(unroll_context& context)
      : c_(context), places_(context.expressions, context.memory.places) {}

  constexpr known_value load(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return literal(0, value.info.width); // nobody looks at it
    }
    const unrolled_operand guard = operand_of_guard(guard_bit);
    const unrolled_access access = access_of(c_.body.accesses[value.access]);
    std::uint32_t place = no_unrolled;
    if (value.is_volatile) {
      places_.forget();
    } else if (const known_value known = places_.load(value, access, guard, place); !known.is_none()) {
      return known;
    }
    append_guarded(v, body_kind::load, guard).access = append_access(access);
    const known_value loaded = value_of_node(static_cast<unrolled_id>(c_.out.nodes.size() - 1), value.info.width);
    places_.note(place, loaded, guard, false);
    return loaded;
  }

  constexpr void store(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return;
    }
    const unrolled_operand guard = operand_of_guard(guard_bit);
    const body_access& from = c_.body.accesses[value.access];
    unrolled_access access = access_of(from);
    access.stored = c_.expressions.operand(c_.values[from.stored]);
    append_guarded(v, body_kind::store, guard).access = append_access(access);
    if (value.is_volatile) {
      places_.forget();
    } else {
      places_.store(access, c_.values[from.stored], guard);
    }
  }

  constexpr known_value call(body_id v, const body_value& value) {
    const known_value guard_bit = guard_of(v, value);
    if (guard_bit.is_literal(0)) {
      return literal(0, value.info.width);
    }
    const std::span<const known_value> args = c_.args_of(v);
    const auto first = static_cast<std::uint32_t>(c_.out.operands.size());
    for (const known_value& x : args) {
      c_.out.operands.push_back(c_.expressions.operand(x));
    }
    unrolled_node& n = append_guarded(v, body_kind::call, operand_of_guard(guard_bit));
    n.first_operand = first;
    n.num_operands = static_cast<std::uint32_t>(args.size());
    c_.out.has_call = true;
    places_.forget();
    return value_of_node(static_cast<unrolled_id>(c_.out.nodes.size() - 1), value.info.width);
  }

private:
  /// The bit without which an operation with an effect does not run.
  constexpr known_value guard_of(body_id v, const body_value& value) {
    const known_value way = c_.predicates.bit_of(c_.predicates.of_block(value.block));
    if (value.guard == no_body_value) {
      return way;
    }
    const known_value guard = value.guard_negated ? negated(c_.values[value.guard]) : c_.values[value.guard];
    if (guard.is_literal()) {
      c_.expressions.save(saving_kind::folded_test, v, guard.addend);
    }
    return c_.folding.both(way, guard);
  }

  constexpr unrolled_operand operand_of_guard(const known_value& guard) {
    return guard.is_literal() ? unrolled_operand{} : unrolled_operand{guard.node, guard.addend};
  }

  constexpr unrolled_node& append_guarded(body_id v, body_kind kind, const unrolled_operand& guard) {
    c_.make_node(v, kind);
    unrolled_node& n = c_.out.nodes.back();
    n.guard = guard.node;
    n.guard_negated = guard.addend != 0;
    return n;
  }

  constexpr std::uint32_t append_access(const unrolled_access& a) {
    c_.out.accesses.push_back(a);
    return static_cast<std::uint32_t>(c_.out.accesses.size() - 1);
  }

  /// Addends become part of the offset where the sum is the same in 64 bits.
  constexpr unrolled_access access_of(const body_access& a) {
    auto offset = static_cast<std::uint64_t>(a.offset);
    unrolled_access out{};
    out.bytes = a.bytes;
    out.memory = a.memory;
    out.scale = a.scale;
    out.base = out.index = no_unrolled;
    if (a.base != no_body_value) {
      out.base = node_and_offset(c_.values[a.base], 1, offset);
    }
    if (a.index != no_body_value) {
      const known_value& index = c_.values[a.index];
      if (index.is_literal()) {
        offset += static_cast<std::uint64_t>(index.signed_addend()) * static_cast<std::uint64_t>(a.scale);
      } else {
        out.index = node_and_offset(index, a.scale, offset);
      }
    }
    out.offset = static_cast<std::int64_t>(offset);
    return out;
  }

  constexpr unrolled_id node_and_offset(const known_value& x, std::int64_t scale, std::uint64_t& offset) {
    if (x.is_literal()) {
      return c_.expressions.constant(x.addend, x.width);
    }
    if (x.width == 64 || c_.expressions.is_exact(x)) {
      offset += static_cast<std::uint64_t>(x.signed_addend()) * static_cast<std::uint64_t>(scale);
      return x.node;
    }
    return c_.expressions.apply(operation::add, x.width, {value_of_node(x.node, x.width), literal(x.addend, x.width)})
        .node;
  }

  unroll_context& c_;
  unroll_places places_;
};

} // namespace detail

MIDEND_END_NAMESPACE
