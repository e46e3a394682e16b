/// `operation_class`: the kinds of operations that a machine model tells apart.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What a machine issues as one operation, classified by cost. A machine that lacks a class leaves its row empty:
/// no channel, no resource.
enum class operation_class : std::uint8_t {
  alu,                ///< add, subtract, bitwise operations
  shift,              ///< shifts and rotations
  merge,              ///< select by a predicate
  move,               ///< copy of a register
  combined_alu,       ///< two dependent integer operations in one, as shift and add
  integer_multiply,   ///< product of integers
  integer_divide,     ///< quotient or remainder of integers
  fp_divide_single,   ///< quotient of floating-point numbers of 32 bits
  fp_divide_double,   ///< quotient of floating-point numbers of 64 bits
  fp_sqrt_single,     ///< square root, 32 bits
  fp_sqrt_double,     ///< square root, 64 bits
  fp_add,             ///< sum, difference, minimum, maximum of floating-point numbers
  fp_multiply,        ///< product of floating-point numbers
  fused_multiply_add, ///< a · b + c, rounded once
  convert_to_integer, ///< floating-point number to integer, or to a whole number
  convert_to_fp,      ///< integer to floating-point number, or from one such type to another
  compare,            ///< comparison into a predicate
  load,               ///< from memory
  store,              ///< to memory
  array_read,         ///< of an element that was fetched ahead of the loop
  predicate_logic,    ///< and, or, not of predicates
  branch,             ///< transfer of control
  branch_prepare,     ///< preparation of a branch
  call                ///< of a procedure
};

inline constexpr std::size_t num_operation_classes = 24;

namespace detail {

inline constexpr std::array<const char*, num_operation_classes> operation_class_names = {
    "alu",
    "shift",
    "merge",
    "move",
    "combined_alu",
    "integer_multiply",
    "integer_divide",
    "fp_divide_single",
    "fp_divide_double",
    "fp_sqrt_single",
    "fp_sqrt_double",
    "fp_add",
    "fp_multiply",
    "fused_multiply_add",
    "convert_to_integer",
    "convert_to_fp",
    "compare",
    "load",
    "store",
    "array_read",
    "predicate_logic",
    "branch",
    "branch_prepare",
    "call",
};

} // namespace detail

/// The enumerator's name, which is also that of machine files.
constexpr const char* name_of(operation_class c) {
  return detail::operation_class_names[static_cast<std::size_t>(c)];
}

/// All classes in their order.
constexpr std::array<operation_class, num_operation_classes> all_operation_classes() {
  std::array<operation_class, num_operation_classes> all{};
  for (std::size_t i = 0; i != all.size(); ++i) {
    all[i] = static_cast<operation_class>(i);
  }
  return all;
}

MIDEND_END_NAMESPACE
