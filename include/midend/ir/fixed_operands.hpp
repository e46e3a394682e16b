/// `fixed_operands`: values whose readers must keep reading them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// `may_replace_operand(user, i)` says whether operand i of an operation may become another value. Optional: without it
/// every operand may.
template <class IR>
concept has_may_replace_operand = requires(const IR& ir, value_id v, std::size_t i) {
  { ir.may_replace_operand(v, i) } -> truth_value;
};

/// Whether operand `i` of `user`, which is no phi, may become another value of its type.
template <class IR>
constexpr bool may_replace_operand([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id user,
                                   [[maybe_unused]] std::size_t i) {
  if constexpr (has_may_replace_operand<IR>) {
    return static_cast<bool>(ir.may_replace_operand(user, i));
  } else {
    return true;
  }
}

/// The values that are read as operands that must not be replaced, at the time of construction. O(n + values +
/// operands) if the IR has `may_replace_operand`; otherwise O(1), and every value may be replaced.
template <class IR> class fixed_operands {
public:
  constexpr explicit fixed_operands(const IR& ir) : fixed_operands(ir, own_) {}

  /// Uses memory of the caller, which must outlive this object.
  constexpr fixed_operands([[maybe_unused]] const IR& ir, flat_array<unsigned char>& memory) : is_fixed_(memory) {
    if constexpr (has_may_replace_operand<IR>) {
      is_fixed_.assign(static_cast<std::size_t>(ir.num_values()), 0);
      for (node_id n = 0; n != detail::node_count(ir.graph()); ++n) {
        detail::for_each_id(ir.values(n), [&](value_id user) {
          std::size_t i = 0;
          if (!ir.is_phi(user)) {
            detail::for_each_id(ir.operands(user), [&](value_id v) {
              if (!ir.may_replace_operand(user, i++) && v != no_value) {
                is_fixed_[v] = 1;
              }
            });
          }
        });
      }
    }
  }

  fixed_operands(const fixed_operands&) = delete;
  fixed_operands& operator=(const fixed_operands&) = delete;

  /// Whether all readers of `v` may read another value in its place.
  constexpr bool may_replace([[maybe_unused]] value_id v) const {
    if constexpr (has_may_replace_operand<IR>) {
      return v >= is_fixed_.size() || is_fixed_[v] == 0;
    } else {
      return true;
    }
  }

private:
  flat_array<unsigned char> own_;
  flat_array<unsigned char>& is_fixed_; ///< by value
};

namespace detail {

MIDEND_OPTIONAL_MEMBER(may_replace_operand, has_may_replace_operand, it.may_replace_operand(value_id(), 0),
                       "would never be called, and every operand be replaced",
                       "`bool may_replace_operand(midend::value_id user, std::size_t i) const`");

} // namespace detail

MIDEND_END_NAMESPACE
