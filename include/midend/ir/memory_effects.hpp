/// Which operations may read or write a place or a class of memory. On top of the effects rung, of `memory` of the cost
/// rung and of `memory_places`. Two members are optional:
///
///     bool may_write(midend::value_id v, std::uint32_t memory) const; // a call, and a class of memory
///     bool is_little_endian() const;                                  // the low bytes of a number come first
///
/// `may_write` is asked about an operation whose effect is `unknown`: whether it may write memory of this class, or any
/// memory at all if that is `any_memory`. Without it, such operations write everything. Without `is_little_endian`, the
/// parts of a number in memory are unknown.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `may_write(v, memory)` says whether a call may write a class of memory. Optional.
template <class IR>
concept has_may_write = requires(const IR& ir, value_id v, std::uint32_t memory) {
  { ir.may_write(v, memory) } -> truth_value;
};

/// `is_little_endian()` says how numbers lie in memory. Optional.
template <class IR>
concept has_is_little_endian = requires(const IR& ir) {
  { ir.is_little_endian() } -> truth_value;
};

/// An IR that gives the effects of its operations on memory, and their places.
template <class IR>
concept memory_ir = effect_ir<IR> && has_memory<IR>;

namespace detail {

struct memory_contract : contract<effect_contract, has_memory_row> {};

} // namespace detail

/// What functions take: a `memory_ir` with optional members that fit; otherwise an error.
template <class IR>
concept memory_ir_argument =
    (memory_ir<IR> && detail::memory_contract::fits<IR>) || detail::memory_contract::explain<IR>();

namespace detail {

/// If `v` is the sum of a value and a number in 64 bits, `v` becomes the value, and the number is returned; else `v`
/// stays, and the result is empty. A narrower `v` that is sign-extended by its reader is taken apart if the sum
/// promises not to wrap.
template <class IR>
constexpr std::optional<std::uint64_t> take_number(const IR& ir, value_id& v, bool extends_signs = false) {
  if (ir.is_phi(v)) {
    return std::nullopt;
  }
  const operation_info info = ir.operation(v);
  const bool subtracts = info.code == operation::sub;
  const bool is_exact = info.width == 64 || (extends_signs && info.flags.no_signed_wrap);
  if (!is_exact || (!subtracts && info.code != operation::add)) {
    return std::nullopt;
  }
  value_id of = no_value;
  std::optional<std::uint64_t> number;
  std::size_t count = 0;
  for_each_id(ir.operands(v), [&](value_id x) {
    const auto c = ir.constant(x);
    if (c && !number && (count == 1 || !subtracts)) {
      number = static_cast<std::uint64_t>(*c);
    } else {
      of = x;
    }
    ++count;
  });
  if (count != 2 || !number || ir.constant(of)) {
    return std::nullopt;
  }
  if (info.width != 64 && ir.operation(of).width != info.width) {
    return std::nullopt;
  }
  v = of;
  const auto wide = static_cast<std::uint64_t>(as_signed(*number, info.width));
  return subtracts ? 0 - wide : wide;
}

} // namespace detail

/// `ir.memory(v)` with numbers that are added to base and index, in 64 bits, as part of the offset: [q] with q = p + 1
/// becomes [p + 1], and an index likewise. A narrower index is sign-extended; a number is taken from it if the sum
/// promises not to wrap. Looks through four additions at most: fold additions first. Without the semantics rung,
/// addresses stay as they are.
template <class IR> constexpr optional<memory_reference> accessed_place(const IR& ir, value_id v) {
  optional<memory_reference> m = ir.memory(v);
  if constexpr (has_operation<IR> && has_64_bit_constants<IR>) {
    for (int step = 0; m && step != 4; ++step) {
      const auto base = m->base == no_value ? std::nullopt : detail::take_number(ir, m->base);
      const auto index = m->index == no_value ? std::nullopt : detail::take_number(ir, m->index, true);
      if (!base && !index) {
        break;
      }
      m->offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(m->offset) + base.value_or(0) +
                                            index.value_or(0) * static_cast<std::uint64_t>(m->scale));
    }
    if (const auto number = m && m->index != no_value ? ir.constant(m->index) : std::nullopt) {
      const auto bits = static_cast<std::uint64_t>(*number);
      const auto index = static_cast<std::uint64_t>(as_signed(bits, ir.operation(m->index).width));
      m->offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(m->offset) +
                                            index * static_cast<std::uint64_t>(m->scale));
      m->index = no_value;
    }
  }
  return m;
}

/// How many bytes after the start of `a` the access `b` starts, modulo 2^64. Nothing if that is unknown. `resolve(v)`
/// is the representative of `v`; values with one representative must be equal at both accesses.
template <class Resolve>
constexpr std::optional<std::uint64_t> distance_of(const memory_reference& a, const memory_reference& b,
                                                   const Resolve& resolve) {
  return distance_between(a, b, [&](value_id x, value_id y) { return resolve(x) == resolve(y); });
}

/// Whether two accesses may have a byte in common. Different classes of memory have none, and neither have parts of one
/// object that lie apart. Local classes do not count: the two may run in different runs of their loop.
template <class Resolve>
constexpr bool accesses_may_overlap(const memory_reference& a, const memory_reference& b, const Resolve& resolve) {
  if (classes_are_apart(a.memory, b.memory)) {
    return false;
  }
  const std::optional<std::uint64_t> distance = distance_of(a, b, resolve);
  return !distance || may_have_common_bytes(*distance, a.bytes, b.bytes);
}

/// The class of memory that a load or store names, or any memory.
template <class IR>
constexpr std::uint32_t class_of_access([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_memory<IR>) {
    const optional<memory_reference> m = ir.memory(v);
    return m ? m->memory : any_memory;
  } else {
    return any_memory;
  }
}

namespace detail {

/// `may_write` of an operation whose effect is unknown.
template <class IR>
constexpr bool call_may_write([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v,
                              [[maybe_unused]] std::uint32_t memory) {
  if constexpr (has_may_write<IR>) {
    return static_cast<bool>(ir.may_write(v, memory));
  } else {
    return true;
  }
}

} // namespace detail

/// Whether an operation may write memory of a class; for `any_memory`, whether it may write at all. Volatile loads
/// count as no writes here.
template <class IR> constexpr bool may_write_class(const IR& ir, value_id v, std::uint32_t memory) {
  const effect_kind effect = ir.effect(v);
  return effect == effect_kind::writes ? !classes_are_apart(class_of_access(ir, v), memory)
                                       : effect == effect_kind::unknown && detail::call_may_write(ir, v, memory);
}

/// Whether an operation is a volatile access, which must stay unchanged at its place.
template <class IR> constexpr bool is_fixed_access(const IR& ir, value_id v) {
  if (ir.is_volatile(v)) {
    return true;
  }
  const effect_kind effect = ir.effect(v);
  if (effect != effect_kind::reads && effect != effect_kind::writes) {
    return false;
  }
  const optional<memory_reference> m = ir.memory(v);
  return m && m->is_volatile;
}

/// Whether `v`, which is neither a phi nor a literal, may write a byte of `place`, an `accessed_place`. Volatile
/// accesses count as writes.
template <class IR, class Resolve>
constexpr bool may_write_to(const IR& ir, value_id v, const memory_reference& place, const Resolve& resolve) {
  if (is_fixed_access(ir, v)) {
    return true;
  }
  switch (ir.effect(v)) {
  case effect_kind::none:
  case effect_kind::reads:
    return false;
  case effect_kind::writes: {
    const optional<memory_reference> m = accessed_place(ir, v);
    return !m || accesses_may_overlap(*m, place, resolve);
  }
  default:
    return detail::call_may_write(ir, v, place.memory);
  }
}

/// Whether the contents of a byte of `place` may matter to `v`, which is neither a phi nor a literal. An operation that
/// may not return reads everything, because the memory can be observed then. Volatile accesses count as reads.
template <class IR, class Resolve>
constexpr bool may_read_from(const IR& ir, value_id v, const memory_reference& place, const Resolve& resolve) {
  if (ir.may_not_return(v) || is_fixed_access(ir, v)) {
    return true;
  }
  switch (ir.effect(v)) {
  case effect_kind::none:
  case effect_kind::writes:
    return false;
  case effect_kind::reads: {
    const optional<memory_reference> m = accessed_place(ir, v);
    return !m || accesses_may_overlap(*m, place, resolve);
  }
  default:
    return true;
  }
}

MIDEND_END_NAMESPACE
