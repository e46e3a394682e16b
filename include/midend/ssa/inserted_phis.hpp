/// `inserted_phis`: the result of SSA construction (`construct_ssa`, `construct_ssa_on_the_fly`).
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct ssa_constructor;
template <class E> class on_the_fly_constructor;
} // namespace detail

/// A phi that was inserted for a variable.
struct variable_phi {
  variable_id variable;
  node_id node;
  value_id value;

  friend constexpr bool operator==(const variable_phi&, const variable_phi&) = default;
};

/// The phis that SSA construction inserted, and the variables that may be read before they are written. 12 bytes a phi,
/// 8 a variable.
class inserted_phis {
public:
  constexpr std::size_t num_phis() const { return phis_.size(); }

  /// Ordered by variable, then by node.
  constexpr span<const variable_phi> phis() const { return phis_; }

  /// The phis of `x`, ordered by node.
  constexpr span<const variable_phi> phis(variable_id x) const {
    return phis().subspan(phi_offsets_[x], phi_offsets_[x + std::size_t{1}] - phi_offsets_[x]);
  }

  /// The variables for which some operand of a statement or phi became `undefined_value`, ascending: the variable is
  /// not written on some path from the entry, or it is read in an unreachable node.
  constexpr span<const variable_id> undefined_variables() const { return undefined_variables_; }

private:
  friend detail::ssa_constructor;
  template <class E> friend class detail::on_the_fly_constructor;

  flat_array<variable_phi> phis_;
  flat_array<std::uint32_t> phi_offsets_; ///< by variable, and one more
  flat_array<variable_id> undefined_variables_;
};

MIDEND_END_NAMESPACE
