/// `dependence_kind`: why one operation waits for another.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

enum class dependence_kind : std::uint8_t {
  value,  ///< uses its result
  guard,  ///< is guarded by the predicate that it computes
  memory, ///< accesses the same cell after it
  order   ///< must not come before it, and can go with it: a write after a read
};

inline constexpr std::size_t num_dependence_kinds = 4;

namespace detail {

inline constexpr std::array<const char*, num_dependence_kinds> dependence_kind_names = {"value", "guard", "memory",
                                                                                        "order"};

} // namespace detail

/// The enumerator's name, which is also that of machine files.
constexpr const char* name_of(dependence_kind k) {
  return detail::dependence_kind_names[static_cast<std::size_t>(k)];
}

MIDEND_END_NAMESPACE
