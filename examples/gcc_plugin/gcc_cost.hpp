/// `gcc_cost`: what the operations of a function of GCC cost, as the cost rung of midend's IR contract.
#pragma once

#include <midend/ir/cost.hpp>
#include <midend/ir/effects.hpp>
#include <midend/ir/operation_class.hpp>

#include <cstdint>
#include <optional>

#include "gcc_ssa.hpp"

// [cost]
struct gcc_cost : gcc_ssa {
  using gcc_ssa::gcc_ssa;

  midend::effect_kind effect(midend::value_id v) const {
    const gimple* const s = statement(v);
    if (s == nullptr || (gimple_vuse(s) == NULL_TREE && gimple_vdef(s) == NULL_TREE)) {
      return gimple_code_of(s) == GIMPLE_ASM ? midend::effect_kind::unknown : midend::effect_kind::none;
    }
    if (gimple_code(s) == GIMPLE_RETURN || gimple_vdef(s) == NULL_TREE) {
      return midend::effect_kind::reads;
    }
    return memory_of(s) != NULL_TREE ? midend::effect_kind::writes : midend::effect_kind::unknown;
  }

  /// Calls of functions that only compute return; GCC does not say whether others do.
  bool may_not_return(midend::value_id v) const {
    const gimple* const s = statement(v);
    const int flags = gimple_code_of(s) == GIMPLE_CALL ? gimple_call_flags(s) : ECF_CONST;
    return (flags & (ECF_CONST | ECF_PURE)) == 0 || (flags & ECF_LOOPING_CONST_OR_PURE) != 0;
  }

  std::optional<midend::memory_reference> memory(midend::value_id v) const {
    const gimple* const s = statement(v);
    const tree ref = memory_of(s);
    if (ref == NULL_TREE) {
      return std::nullopt;
    }
    const tree size = TYPE_SIZE_UNIT(TREE_TYPE(ref));
    const gcc_address at = address_of(ref);
    midend::memory_reference out{
        .base = number_of(at.base), .index = number_of(at.index), .scale = at.scale, .offset = at.offset};
    out.bytes = size != NULL_TREE && tree_fits_uhwi_p(size) ? static_cast<std::uint32_t>(tree_to_uhwi(size)) : 0;
    out.bits = width_of(TREE_TYPE(ref));
    out.stored = gimple_vdef(s) == NULL_TREE ? midend::no_value : number_of(gimple_assign_rhs1(s));
    out.is_volatile = gimple_has_volatile_ops(s);
    return out;
  }

  std::optional<midend::operation_class> cost(midend::value_id v) const {
    using enum midend::operation_class;
    const gimple* const s = statement(v);
    switch (gimple_code_of(s)) {
    case GIMPLE_NOP: // a parameter, a literal
      return std::nullopt;
    case GIMPLE_CALL:
    case GIMPLE_ASM:
      return call;
    case GIMPLE_ASSIGN:
      break;
    default:
      return branch;
    }
    if (gimple_vuse(s) != NULL_TREE) {
      return gimple_vdef(s) == NULL_TREE ? load : store;
    }
    const tree from = TREE_TYPE(gimple_assign_rhs1(s));
    const tree to = TREE_TYPE(gimple_assign_lhs(s));
    if (!FLOAT_TYPE_P(from) && !FLOAT_TYPE_P(to)) {
      return midend::usual_class(operation(v));
    }
    switch (gimple_assign_rhs_code(s)) {
    case MULT_EXPR:
      return fp_multiply;
    case RDIV_EXPR:
      return TYPE_PRECISION(to) == 32 ? fp_divide_single : fp_divide_double;
    case FLOAT_EXPR:
      return convert_to_fp;
    case FIX_TRUNC_EXPR:
      return convert_to_integer;
    case SSA_NAME:
    case REAL_CST:
      return std::nullopt;
    default:
      return FLOAT_TYPE_P(to) ? fp_add : compare;
    }
  }

private:
  /// GIMPLE_NOP for a value without a statement.
  static enum gimple_code gimple_code_of(const gimple* s) { return s == nullptr ? GIMPLE_NOP : ::gimple_code(s); }

  midend::value_id number_of(tree t) const { return t == NULL_TREE ? midend::no_value : number(t); }
};

// [cost]

static_assert(midend::cost_ir<gcc_cost>);
