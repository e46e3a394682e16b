/// Which operations of a machine compute a value, and which of its numbers have to be literals.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/lower_classes.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Operations that follow each other, each with the result of the one before.
struct operation_sequence {
  std::array<operation_class, 5> steps{};
  std::uint8_t count = 0;
  std::uint8_t readers = 0; ///< bit k: step k reads the operands too
  bool is_split = false;    ///< of two steps the first reads all operands but the last, the second that one

  constexpr operation_sequence(operation_class only) : steps{only}, count(1), readers(1) {}

  constexpr operation_sequence(std::initializer_list<operation_class> all, std::initializer_list<int> reading) {
    for (const operation_class c : all) {
      steps[count++] = c;
    }
    for (const int step : reading) {
      readers = static_cast<std::uint8_t>(readers | 1u << step);
    }
  }

  static constexpr operation_sequence split(operation_class first, operation_class second) {
    operation_sequence s({first, second}, {0, 1});
    s.is_split = true;
    return s;
  }

  constexpr bool reads(std::size_t step) const { return (readers >> step & 1) != 0; }
};

/// 32-bit words of literal that a number takes; a machine extends a short one, with zeros or with its sign.
constexpr std::uint32_t literal_words(std::uint64_t bits, std::uint8_t width, std::uint64_t largest_small) {
  if (bits <= largest_small) {
    return 0;
  }
  constexpr std::uint64_t short_negative = ~std::uint64_t{0} << 31;
  return width <= 32 || bits <= 0xffffffffu || bits >= short_negative ? 1 : 2;
}

/// An addend can be added or subtracted.
constexpr std::uint64_t smaller_addend(std::uint64_t bits, std::uint8_t width) {
  const std::uint64_t opposite = (0 - bits) & low_ones(width);
  return opposite < bits ? opposite : bits;
}

constexpr bool has_effect(const unrolled_node& n) {
  return n.kind == body_kind::store || n.kind == body_kind::call || n.is_volatile;
}

/// A predicate plus 1 is its negation, and who reads it can read it negated.
constexpr unrolled_operand without_negation(const unrolled_body& body, unrolled_operand o) {
  return body.nodes[o.node].info.width == 1 ? unrolled_operand{o.node, 0} : o;
}

/// Whether `o` is a constant by itself.
constexpr bool is_constant_operand(const unrolled_body& body, unrolled_operand o) {
  return o.addend == 0 && body.nodes[o.node].kind == body_kind::constant;
}

constexpr bool is_zero_operand(const unrolled_body& body, unrolled_operand o) {
  return is_constant_operand(body, o) && body.nodes[o.node].bits == 0;
}

/// Not of a predicate: who reads one can read it negated.
constexpr bool negates_predicate(const unrolled_body& body, unrolled_id n) {
  const unrolled_node& node = body.nodes[n];
  if (node.kind != body_kind::pure || node.info.width != 1) {
    return false;
  }
  return node.info.code == operation::bit_not ||
         (node.info.code == operation::bit_xor && is_constant_operand(body, body.operands_of(n)[1]));
}

/// Remainders by a power of two are 0 where the low bits are, whichever sign.
constexpr bool selects_low_bits(const unrolled_body& body, unrolled_id n) {
  const unrolled_node& node = body.nodes[n];
  if (node.kind != body_kind::pure || node.num_operands != 2) {
    return false;
  }
  if (node.info.code == operation::bit_and) {
    return node.info.width != 1;
  }
  const unrolled_operand divisor = body.operands_of(n)[1];
  return (node.info.code == operation::rem || node.info.code == operation::urem) &&
         is_constant_operand(body, divisor) && std::has_single_bit(body.nodes[divisor.node].bits);
}

/// Division by a number, as H. S. Warren, Hacker's Delight, 2nd ed., 2013, chapter 10 has it.
struct division_steps {
  using enum operation_class;

  /// A number that may be negative is rounded towards 0: 2^k - 1 is added to it if it is.
  static constexpr operation_sequence signed_by_power(bool is_remainder, bool by_two, bool by_negative) {
    if (is_remainder) {
      return by_two ? operation_sequence({shift, alu, alu, alu}, {0, 1, 3})
                    : operation_sequence({shift, shift, alu, alu, alu}, {0, 2, 4});
    }
    if (by_negative) {
      return by_two ? operation_sequence({shift, alu, shift, alu}, {0, 1})
                    : operation_sequence({shift, shift, alu, shift, alu}, {0, 2});
    }
    return by_two ? operation_sequence({shift, alu, shift}, {0, 1})
                  : operation_sequence({shift, shift, alu, shift}, {0, 2});
  }

  static constexpr operation_sequence by_multiplying(bool is_signed, bool is_remainder) {
    if (is_remainder) {
      return is_signed ? operation_sequence({integer_multiply, shift, alu, integer_multiply, alu}, {0, 2, 4})
                       : operation_sequence({integer_multiply, shift, integer_multiply, alu}, {0, 3});
    }
    return is_signed ? operation_sequence({integer_multiply, shift, alu}, {0, 2})
                     : operation_sequence({integer_multiply, shift}, {0});
  }

  static constexpr operation_sequence of(const unrolled_node& node, std::uint64_t divisor, bool multiplies) {
    const bool is_signed = node.info.code == operation::div || node.info.code == operation::rem;
    const bool is_remainder = node.info.code == operation::rem || node.info.code == operation::urem;
    const std::uint64_t sign = (low_ones(node.info.width) >> 1) + 1;
    const bool by_negative = is_signed && (divisor & sign) != 0;
    const std::uint64_t size = by_negative ? (0 - divisor) & low_ones(node.info.width) : divisor;
    if (std::has_single_bit(size)) {
      if (is_signed) {
        return signed_by_power(is_remainder, size == 2, by_negative);
      }
      return is_remainder ? alu : shift;
    }
    return multiplies && size != 0 ? by_multiplying(is_signed, is_remainder) : node.cost;
  }
};

/// A machine without an operation that does two things does them one after the other (and rounds twice, which does not
/// change what it costs).
constexpr operation_sequence sequence_of_class(operation_class c, const machine_classes& classes) {
  if (c == operation_class::combined_alu && classes.is_missing(c)) {
    return operation_sequence::split(operation_class::shift, operation_class::alu);
  }
  if (c == operation_class::fused_multiply_add && classes.is_missing(c)) {
    return operation_sequence::split(operation_class::fp_multiply, operation_class::fp_add);
  }
  return c;
}

/// What computes node `n`, which takes operations.
constexpr operation_sequence sequence_of(const unrolled_body& body, unrolled_id n, const lowering_options& options,
                                         const machine_classes& classes) {
  const unrolled_node& node = body.nodes[n];
  if (node.kind != body_kind::pure) {
    return node.cost;
  }
  const auto operands = body.operands_of(n);
  switch (node.info.code) {
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
    return is_constant_operand(body, operands[1])
               ? division_steps::of(node, body.nodes[operands[1].node].bits, options.divides_by_multiplying)
               : node.cost;
  case operation::mul:
    return is_constant_operand(body, operands[1]) && std::has_single_bit(body.nodes[operands[1].node].bits)
               ? operation_class::shift
               : node.cost;
  case operation::select:
    return node.info.width == 1 ? operation_class::predicate_logic : node.cost;
  default:
    return sequence_of_class(node.cost, classes);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
