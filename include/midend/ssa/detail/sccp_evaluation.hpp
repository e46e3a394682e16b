/// What a value is, given what its operands are: a step of `sccp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_conditions.hpp"
#include "midend/ssa/detail/sccp_state.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `implied(v)` is what is known of a value that is a copy of another one behind a branch, or null.
template <class IR>
concept has_implied = requires(const IR& ir, value_id v) {
  { ir.implied(v) } -> std::convertible_to<const branch_fact<constant_of<IR>>*>;
};

/// How values follow from their operands.
template <class IR, class D> class sccp_evaluation : protected sccp_state<IR, D> {
  using state = sccp_state<IR, D>;

protected:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  using state::constant_or_top;
  using state::domain_;
  using state::fact;
  using state::ir_;
  using state::is_undefined;
  using state::is_unknown;
  using state::memory_;
  using state::promised;

  using state::state;

  /// What is known of `v`, which is no phi, now.
  constexpr element evaluate(value_id v) {
    if constexpr (has_implied<IR>) {
      if (const auto* const implied = ir_.implied(v)) {
        return sharpened(*implied);
      }
    }
    if (is_opaque(ir_, v)) {
      return promised(v, ir_.operation(v).width);
    }
    if constexpr (has_value_transfer<D>) {
      const operation_info info = ir_.operation(v);
      if (info.code != operation::other) {
        return transfer(v, info);
      }
    }
    return fold(v);
  }

private:
  constexpr element transfer(value_id v, const operation_info& info) {
    std::array<element, 3> args{domain_.bottom(), domain_.bottom(), domain_.bottom()};
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count != wanted) {
        args[count++] = memory_.resolved.test(v) && is_undefined(operand) ? domain_.top(ir_.operation(operand).width)
                                                                          : fact(operand);
      }
    });
    MIDEND_ASSERT(count == wanted, "as many operands as the operation needs", v, count);
    return domain_.transfer(info, std::span<const element>(args.data(), count));
  }

  /// What only the IR knows to compute, and only from constants. That an operand has no value does not say that there
  /// is no result: the operation may not need it.
  constexpr element fold(value_id v) {
    if (const std::optional<constant_type> literal = ir_.constant(v)) {
      return constant_or_top(v, literal);
    }
    bool waits = false;
    bool varies = false;
    memory_.constants.clear();
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (is_unknown(operand)) {
        waits = true;
      } else if (const std::optional<constant_type> c = domain_.as_constant(fact(operand))) {
        memory_.constants.push_back(*c);
      } else {
        varies = true;
      }
    });
    if (waits && !memory_.resolved.test(v)) {
      return domain_.bottom();
    }
    return constant_or_top(v, waits || varies ? std::nullopt
                                              : ir_.fold(v, std::span<const constant_type>(memory_.constants)));
  }

  /// A copy behind a branch. Nothing, as long as nothing is known of what it is compared with.
  constexpr element sharpened(const branch_fact<constant_type>& implied) {
    element subject = fact(implied.subject);
    element other = implied.constant ? domain_.constant(implied.width, *implied.constant) : fact(implied.other);
    if (is_bottom(domain_, subject) || is_bottom(domain_, other)) {
      return domain_.bottom();
    }
    if constexpr (has_assume<D>) {
      domain_.assume(implied.code, implied.width, subject, other);
    }
    return subject;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
