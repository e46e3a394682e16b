/// What a machine can do with its classes of operations.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Classes of a machine, as bits.
struct machine_classes {
  std::uint32_t predicated = 0;
  std::uint32_t speculated = 0;
  std::uint32_t missing = 0; ///< those that the machine does not have

  template <class M> constexpr explicit machine_classes(const M& m) {
    for (const operation_class c : all_operation_classes()) {
      predicated |= static_cast<std::uint32_t>(m.is_predicated(c)) << static_cast<unsigned>(c);
      speculated |= static_cast<std::uint32_t>(m.is_speculated(c)) << static_cast<unsigned>(c);
      missing |= static_cast<std::uint32_t>(is_missing_of(m, c)) << static_cast<unsigned>(c);
    }
  }

  constexpr bool is_predicated(operation_class c) const { return (predicated >> static_cast<unsigned>(c) & 1) != 0; }

  constexpr bool is_speculated(operation_class c) const { return (speculated >> static_cast<unsigned>(c) & 1) != 0; }

  constexpr bool is_missing(operation_class c) const { return (missing >> static_cast<unsigned>(c) & 1) != 0; }

  /// Else blocks inside the body stay blocks, and what a `join` selects is where the branch left it.
  constexpr bool has_predication() const { return is_predicated(operation_class::alu); }

private:
  template <class M> static constexpr bool is_missing_of(const M& m, operation_class c) {
    bool takes_something = m.channels(c) != 0;
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      takes_something = takes_something || m.use(c, r) != 0;
    }
    return !takes_something;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
