/// The operations of the Elbrus-like IR: names, operands and meaning in the vocabulary of the library.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The kinds of operations.
enum class opcode : std::uint8_t {
  // integers
  mov,
  add,
  sub,
  mul,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  sar,
  div,
  udiv,
  rem,
  urem,
  neg,
  bit_not,
  shladd,
  min,
  max,
  umin,
  umax,
  select,
  // conversions
  trunc,
  zext,
  sext,
  itof,
  ftoi,
  utof,
  ftou,
  ftof,
  bitcast,
  // floating point
  fadd,
  fsub,
  fmul,
  fdiv,
  fma,
  fsqrt,
  fneg, // these three change the sign of NaN, too
  fabs,
  fcopysign,
  fmin, // the number if the other operand is NaN
  fmax,
  fminimum, // NaN if an operand is
  fmaximum,
  ffloor,
  fceil,
  ftrunc,
  frint,  // ties to even
  fround, // ties away from 0
  // comparisons
  cmp_eq,
  cmp_ne,
  cmp_lt,
  cmp_le,
  cmp_gt,
  cmp_ge,
  cmp_ult,
  cmp_ule,
  cmp_ugt,
  cmp_uge,
  fcmp_oeq,
  fcmp_one,
  fcmp_olt,
  fcmp_ole,
  fcmp_ogt,
  fcmp_oge,
  fcmp_uno,
  // memory, calls and phis
  ld,
  st,
  call,
  phi,
  // terminators
  jump,
  branch,
  switch_,
  ret,
  unreachable
};

/// How an operation is written and which types it has.
enum class opcode_form : std::uint8_t {
  moving,     ///< `mov.T`, `select.T`: any type
  integer,    ///< `add.T`: integer operands and result of one type
  floating,   ///< `fadd.T`: floating-point operands and result of one type
  comparison, ///< `cmp.lt.T`: two operands of type T, an `i1` as result
  conversion, ///< `zext.FROM.TO`
  memory,     ///< `ld.T`, `st.T`
  call,
  phi,
  terminator
};

/// A row of the table of operations.
struct opcode_info {
  std::string_view name; ///< without types
  opcode_form form;
  std::uint8_t operands; ///< their number if it is fixed, without the guard; 0 for addresses and arguments
  operation meaning;     ///< in the vocabulary of the library

  // Of those that are `other` there:
  operation_class cost = operation_class::alu; ///< of quotients and roots, with 32 bits
  bool may_trap = false;                       ///< for some operands
};

/// By opcode.
inline constexpr std::array<opcode_info, 75> opcode_table = {{
    {"mov", opcode_form::moving, 1, operation::copy},
    {"add", opcode_form::integer, 2, operation::add},
    {"sub", opcode_form::integer, 2, operation::sub},
    {"mul", opcode_form::integer, 2, operation::mul},
    {"and", opcode_form::integer, 2, operation::bit_and},
    {"or", opcode_form::integer, 2, operation::bit_or},
    {"xor", opcode_form::integer, 2, operation::bit_xor},
    {"shl", opcode_form::integer, 2, operation::shl},
    {"shr", opcode_form::integer, 2, operation::shr},
    {"sar", opcode_form::integer, 2, operation::sar},
    {"div", opcode_form::integer, 2, operation::div},
    {"udiv", opcode_form::integer, 2, operation::udiv},
    {"rem", opcode_form::integer, 2, operation::rem},
    {"urem", opcode_form::integer, 2, operation::urem},
    {"neg", opcode_form::integer, 1, operation::neg},
    {"not", opcode_form::integer, 1, operation::bit_not},
    {"shladd", opcode_form::integer, 3, operation::shladd},
    {"min", opcode_form::integer, 2, operation::min},
    {"max", opcode_form::integer, 2, operation::max},
    {"umin", opcode_form::integer, 2, operation::umin},
    {"umax", opcode_form::integer, 2, operation::umax},
    {"select", opcode_form::moving, 3, operation::select},
    {"trunc", opcode_form::conversion, 1, operation::truncate},
    {"zext", opcode_form::conversion, 1, operation::zero_extend},
    {"sext", opcode_form::conversion, 1, operation::sign_extend},
    {"itof", opcode_form::conversion, 1, operation::other, operation_class::convert_to_fp},
    {"ftoi", opcode_form::conversion, 1, operation::other, operation_class::convert_to_integer, true},
    {"utof", opcode_form::conversion, 1, operation::other, operation_class::convert_to_fp},
    {"ftou", opcode_form::conversion, 1, operation::other, operation_class::convert_to_integer, true},
    {"ftof", opcode_form::conversion, 1, operation::other, operation_class::convert_to_fp},
    {"bitcast", opcode_form::conversion, 1, operation::other, operation_class::move},
    {"fadd", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"fsub", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"fmul", opcode_form::floating, 2, operation::other, operation_class::fp_multiply},
    {"fdiv", opcode_form::floating, 2, operation::other, operation_class::fp_divide_single},
    {"fma", opcode_form::floating, 3, operation::other, operation_class::fused_multiply_add},
    {"fsqrt", opcode_form::floating, 1, operation::other, operation_class::fp_sqrt_single},
    {"fneg", opcode_form::floating, 1, operation::other, operation_class::alu},
    {"fabs", opcode_form::floating, 1, operation::other, operation_class::alu},
    {"fcopysign", opcode_form::floating, 2, operation::other, operation_class::alu},
    {"fmin", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"fmax", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"fminimum", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"fmaximum", opcode_form::floating, 2, operation::other, operation_class::fp_add},
    {"ffloor", opcode_form::floating, 1, operation::other, operation_class::convert_to_integer},
    {"fceil", opcode_form::floating, 1, operation::other, operation_class::convert_to_integer},
    {"ftrunc", opcode_form::floating, 1, operation::other, operation_class::convert_to_integer},
    {"frint", opcode_form::floating, 1, operation::other, operation_class::convert_to_integer},
    {"fround", opcode_form::floating, 1, operation::other, operation_class::convert_to_integer},
    {"cmp.eq", opcode_form::comparison, 2, operation::equal},
    {"cmp.ne", opcode_form::comparison, 2, operation::not_equal},
    {"cmp.lt", opcode_form::comparison, 2, operation::less},
    {"cmp.le", opcode_form::comparison, 2, operation::less_equal},
    {"cmp.gt", opcode_form::comparison, 2, operation::greater},
    {"cmp.ge", opcode_form::comparison, 2, operation::greater_equal},
    {"cmp.ult", opcode_form::comparison, 2, operation::uless},
    {"cmp.ule", opcode_form::comparison, 2, operation::uless_equal},
    {"cmp.ugt", opcode_form::comparison, 2, operation::ugreater},
    {"cmp.uge", opcode_form::comparison, 2, operation::ugreater_equal},
    {"fcmp.oeq", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.one", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.olt", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.ole", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.ogt", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.oge", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"fcmp.uno", opcode_form::comparison, 2, operation::other, operation_class::compare},
    {"ld", opcode_form::memory, 0, operation::other, operation_class::load, true},
    {"st", opcode_form::memory, 0, operation::other, operation_class::store, true},
    {"call", opcode_form::call, 0, operation::other, operation_class::call, true},
    {"phi", opcode_form::phi, 0, operation::other},
    {"br", opcode_form::terminator, 0, operation::other, operation_class::branch},
    {"br", opcode_form::terminator, 1, operation::other, operation_class::branch},
    {"switch", opcode_form::terminator, 1, operation::other, operation_class::branch},
    {"ret", opcode_form::terminator, 0, operation::other, operation_class::branch},
    {"unreachable", opcode_form::terminator, 0, operation::other, operation_class::branch, true},
}};

/// The row of an operation.
constexpr const opcode_info& info_of(opcode code) {
  return opcode_table[static_cast<std::size_t>(code)];
}

/// The name in text, without types.
constexpr std::string_view name_of(opcode code) {
  return info_of(code).name;
}

/// The operation with this name, without types; `br` gives `jump`. `sqrt` and `ffma` are aliases of `fsqrt` and `fma`.
constexpr std::optional<opcode> opcode_named(std::string_view name) {
  if (name == "sqrt") {
    return opcode::fsqrt;
  }
  if (name == "ffma") {
    return opcode::fma;
  }
  for (std::size_t i = 0; i != opcode_table.size(); ++i) {
    if (opcode_table[i].name == name) {
      return static_cast<opcode>(i);
    }
  }
  return std::nullopt;
}

/// Whether it ends a node.
constexpr bool is_terminator(opcode code) {
  return code >= opcode::jump;
}

/// The class in which a machine issues an operation of a type that is `other` in the vocabulary of the library.
constexpr operation_class class_of_other(opcode code, type t) {
  const operation_class narrow = info_of(code).cost;
  return (t != type::f64 && t != type::f80)            ? narrow
         : narrow == operation_class::fp_divide_single ? operation_class::fp_divide_double
         : narrow == operation_class::fp_sqrt_single   ? operation_class::fp_sqrt_double
                                                       : narrow;
}

/// Whether the operation compares floating-point numbers.
constexpr bool is_float_comparison(opcode code) {
  return code >= opcode::fcmp_oeq && code <= opcode::fcmp_uno;
}

/// Whether the operation does something besides computing its result.
constexpr bool has_side_effects(opcode code) {
  return code == opcode::st || code == opcode::call || is_terminator(code);
}

} // namespace elbrus

MIDEND_END_NAMESPACE
