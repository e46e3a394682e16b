/// `fact_traits`: properties of the facts of values while `sccp` computes them.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/arena.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class fact_trait : std::uint8_t {
  settled = 1, ///< it will not change: known from the start, follows from such facts, or top
  widened = 2, ///< it follows from one that was widened, and narrowing may lower it
  resolved = 4 ///< an operand without a value is top for this value
};

/// The traits of each value's fact, a set of bits. Traits are only added. A copy refers to the same sets.
class fact_traits {
public:
  static constexpr unsigned settled = static_cast<unsigned>(fact_trait::settled);
  static constexpr unsigned widened = static_cast<unsigned>(fact_trait::widened);

  /// No value has any. The array comes from `memory` and lives until it is reset.
  constexpr fact_traits(std::size_t num_values, arena& memory) : traits_(memory.array<std::uint8_t>(num_values, 0)) {}

  constexpr unsigned of(value_id v) const { return traits_[v]; }

  constexpr bool has(value_id v, fact_trait t) const { return (traits_[v] & static_cast<unsigned>(t)) != 0; }

  constexpr void add(value_id v, fact_trait t) const { add(v, static_cast<unsigned>(t)); }

  /// Adds a set of traits.
  constexpr void add(value_id v, unsigned traits) const { traits_[v] = static_cast<std::uint8_t>(traits_[v] | traits); }

private:
  std::uint8_t* traits_; ///< by value
};

/// What follows from the traits of a value's operands. Their facts may settle the value's only if `may_settle`.
class operand_traits {
public:
  constexpr explicit operand_traits(bool may_settle) : all_(may_settle ? fact_traits::settled : 0u) {}

  /// An operand has these traits.
  constexpr void add(unsigned traits) {
    all_ &= traits;
    any_ |= traits;
  }

  /// `widened` if an operand is.
  constexpr unsigned widened() const { return any_ & fact_traits::widened; }

  /// Also `settled` if all operands are.
  constexpr unsigned inherited() const { return all_ | widened(); }

private:
  unsigned all_; ///< `settled` if all operands have it
  unsigned any_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
