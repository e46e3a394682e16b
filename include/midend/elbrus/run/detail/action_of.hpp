/// The actions of operations that compute.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/ir/operation.hpp"

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Comparisons the other way round have the action of their mirror image, with operands that change places.
constexpr bool is_swapped(opcode code) {
  return code == opcode::cmp_gt || code == opcode::cmp_ge || code == opcode::cmp_ugt || code == opcode::cmp_uge;
}

/// What an operation on numbers does.
constexpr action action_of(opcode code, bool nsw) {
  switch (code) {
  case opcode::mov:
    return action::move;
  case opcode::select:
    return action::select;
  case opcode::add:
    return nsw ? action::add_nsw : action::add;
  case opcode::sub:
    return nsw ? action::evaluate : action::sub;
  case opcode::mul:
    return nsw ? action::evaluate : action::mul;
  case opcode::bit_and:
    return action::bit_and;
  case opcode::bit_or:
    return action::bit_or;
  case opcode::bit_xor:
    return action::bit_xor;
  case opcode::cmp_eq:
    return action::equal;
  case opcode::cmp_ne:
    return action::not_equal;
  case opcode::cmp_lt:
  case opcode::cmp_gt:
    return action::less;
  case opcode::cmp_le:
  case opcode::cmp_ge:
    return action::less_equal;
  case opcode::cmp_ult:
  case opcode::cmp_ugt:
    return action::uless;
  case opcode::cmp_ule:
  case opcode::cmp_uge:
    return action::uless_equal;
  case opcode::itof:
    return action::integer_to_float;
  case opcode::ftoi:
    return action::float_to_integer;
  default:
    return info_of(code).meaning == operation::other ? action::floating : action::evaluate;
  }
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
