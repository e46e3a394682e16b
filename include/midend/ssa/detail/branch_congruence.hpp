/// The view of a program for `value_numbering`, with copies of values after branches.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `branch_facts_view` with the members of the cost and effects rungs that tell operations apart. Copies have no
/// effect.
template <semantic_ir IR> class branch_congruence_view : public branch_facts_view<IR> {
public:
  branch_congruence_view(const IR& ir, typename branch_facts_view<IR>::workspace& w)
      : branch_facts_view<IR>(ir, w, opaque_operands::shown), ir_(ir) {}

  std::uint32_t identity(value_id v) const
    requires has_identity<IR>
  {
    return is_copy(v) ? 0 : static_cast<std::uint32_t>(ir_.identity(v));
  }

  effect_kind effect(value_id v) const
    requires has_effect<IR>
  {
    return is_copy(v) ? effect_kind::none : static_cast<effect_kind>(ir_.effect(v));
  }

  bool is_volatile(value_id v) const
    requires has_is_volatile<IR>
  {
    return !is_copy(v) && ir_.is_volatile(v);
  }

  bool may_not_return(value_id v) const
    requires has_may_not_return<IR>
  {
    return !is_copy(v) && ir_.may_not_return(v);
  }

  bool is_repeatable(value_id v) const
    requires has_is_repeatable<IR>
  {
    return is_copy(v) || ir_.is_repeatable(v);
  }

  bool is_convergent(value_id v) const
    requires has_is_convergent<IR>
  {
    return !is_copy(v) && ir_.is_convergent(v);
  }

  bool is_terminator(value_id v) const
    requires has_is_terminator<IR>
  {
    return !is_copy(v) && ir_.is_terminator(v);
  }

  guard_of_value guard(value_id v) const
    requires has_guard<IR>
  {
    return is_copy(v) ? guard_of_value{} : ir_.guard(v);
  }

  operation_info unguarded(value_id v) const
    requires has_guard<IR>
  {
    return is_copy(v) ? this->operation(v) : static_cast<operation_info>(ir_.unguarded(v));
  }

private:
  bool is_copy(value_id v) const { return this->implied(v) != nullptr; }

  const IR& ir_;
};

} // namespace detail

MIDEND_END_NAMESPACE
