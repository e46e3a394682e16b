/// The types that an operation may have and that its operands must have.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"

#include <cstddef>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The type that an operand must have, or a set of types.
struct operand_need {
  elbrus::type type = elbrus::type::none;
  bool any_integer = false;
  bool anything = false;

  constexpr bool met_by(elbrus::type t) const {
    return anything || (any_integer ? is_integer(t) : converts_freely(t, type));
  }
};

/// The type that argument `i` of an operation must have.
constexpr operand_need argument_need(const value_core& record, std::size_t i) {
  switch (info_of(record.code).form) {
  case opcode_form::moving:
    return {record.code == opcode::select && i == 0 ? type::i1 : record.type};
  case opcode_form::integer:
  case opcode_form::floating:
  case opcode_form::phi:
    return {record.type};
  case opcode_form::memory: {
    const bool stored = record.code == opcode::st && i == 0;
    const bool index = i == (record.code == opcode::st ? 2U : 1U);
    return {stored ? record.operand_type : type::ptr, index};
  }
  case opcode_form::call:
    return {.anything = true};
  default:
    return {.type = record.operand_type, .anything = record.code == opcode::ret}; // its type is that of the procedure
  }
}

/// The number of arguments of an operation; `any_number` for calls and phis, which are checked elsewhere.
inline constexpr std::size_t any_number = ~std::size_t{0};

constexpr std::size_t argument_count(const value_core& record, bool indexed, type result_of_procedure) {
  switch (record.code) {
  case opcode::ld:
    return indexed ? 2 : 1;
  case opcode::st:
    return indexed ? 3 : 2;
  case opcode::call:
  case opcode::phi:
    return any_number;
  case opcode::ret:
    return result_of_procedure == type::none ? 0 : 1;
  default:
    return info_of(record.code).operands;
  }
}

/// Whether there is such a conversion: the width grows, shrinks or stays as the opcode requires.
constexpr bool converts(opcode code, type from, type to) {
  switch (code) {
  case opcode::trunc:
    return is_integer(from) && is_integer(to) && width_of(to) < width_of(from);
  case opcode::zext:
  case opcode::sext:
    return is_integer(from) && is_integer(to) && width_of(from) < width_of(to);
  case opcode::itof:
  case opcode::utof:
    return is_integer(from) && is_float(to);
  case opcode::ftof:
    return is_float(from) && is_float(to) && from != to;
  case opcode::bitcast:
    return from != type::none && to != type::none && is_float(from) != is_float(to) && width_of(from) == width_of(to);
  default:
    return is_float(from) && is_integer(to);
  }
}

/// The error in the types of an operation; empty if there is none.
constexpr std::string_view type_fault(const value_core& record) {
  const bool has_result = record.type != type::none;
  switch (info_of(record.code).form) {
  case opcode_form::moving:
  case opcode_form::phi:
    return has_result ? "" : "a type is missing";
  case opcode_form::integer:
    return is_integer(record.type) ? "" : "the type must be an integer";
  case opcode_form::floating:
    return !is_float(record.type)                                   ? "the type must be floating point"
           : record.type == type::f80 && record.code == opcode::fma ? "there is no fma of f80"
                                                                    : "";
  case opcode_form::comparison:
    if (record.type != type::i1) {
      return "a comparison gives an i1";
    }
    if (is_float_comparison(record.code)) {
      return is_float(record.operand_type) ? "" : "the type must be floating point";
    }
    return is_integer(record.operand_type) ? "" : "the type must be an integer";
  case opcode_form::conversion:
    return converts(record.code, record.operand_type, record.type) ? "" : "there is no such conversion";
  case opcode_form::memory:
    if (record.code == opcode::ld) {
      return has_result ? "" : "a type is missing";
    }
    return has_result ? "a store has no result" : record.operand_type != type::none ? "" : "a type is missing";
  case opcode_form::call:
    return "";
  case opcode_form::terminator:
    if (has_result) {
      return "a terminator has no result";
    }
    if (record.code == opcode::branch) {
      return record.operand_type == type::i1 ? "" : "a branch is decided by an i1";
    }
    return record.code != opcode::switch_ || is_integer(record.operand_type) ? "" : "the type must be an integer";
  }
  return "";
}

/// Whether a promise of no signed overflow means something here.
constexpr bool can_be_nsw(opcode code) {
  switch (code) {
  case opcode::add:
  case opcode::sub:
  case opcode::mul:
  case opcode::neg:
  case opcode::shl:
  case opcode::shladd:
    return true;
  default:
    return false;
  }
}

/// Whether operations of this kind, or the addition in them, can be regrouped.
constexpr bool can_be_assoc(opcode code) {
  switch (code) {
  case opcode::add:
  case opcode::sub:
  case opcode::mul:
  case opcode::bit_and:
  case opcode::bit_or:
  case opcode::bit_xor:
  case opcode::shladd:
  case opcode::min:
  case opcode::max:
  case opcode::umin:
  case opcode::umax:
  case opcode::fadd:
  case opcode::fsub:
  case opcode::fmul:
  case opcode::fma:
  case opcode::fmin:
  case opcode::fmax:
  case opcode::fminimum:
  case opcode::fmaximum:
    return true;
  default:
    return false;
  }
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
