/// Instruction selection: the operations of a machine that compute a value of a region.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/machine/machine.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr bool may_have_effect(const region_value& n) {
  return n.kind == region_value_kind::store || n.kind == region_value_kind::call || n.is_volatile;
}

/// A predicate plus 1 is its negation. Every reader of a predicate can read it negated, so the addend is dropped.
constexpr region_operand without_negation(const program_region& body, region_operand o) {
  return body.values[o.node].info.width == 1 ? region_operand{o.node, 0} : o;
}

/// Whether `o` is a constant without an addend.
constexpr bool is_constant_operand(const program_region& body, region_operand o) {
  return o.addend == 0 && body.values[o.node].kind == region_value_kind::constant;
}

constexpr bool is_zero_operand(const program_region& body, region_operand o) {
  return is_constant_operand(body, o) && body.values[o.node].bits == 0;
}

/// Whether `n` is the negation of a predicate, which takes no operation.
constexpr bool negates_predicate(const program_region& body, region_id n) {
  const region_value& node = body.values[n];
  if (node.kind != region_value_kind::pure || node.info.width != 1) {
    return false;
  }
  return node.info.code == operation::bit_not ||
         (node.info.code == operation::bit_xor && is_constant_operand(body, body.operands_of(n)[1]));
}

/// The value that `o` is another name for: looks through values that take no operation and have one operand, and
/// through negations of predicates.
constexpr region_operand look_through(const program_region& body, region_operand o) {
  while (o.addend == 0) {
    const region_value& node = body.values[o.node];
    const bool is_other_name = node.kind == region_value_kind::pure &&
                               ((node.is_free && node.num_operands == 1) || negates_predicate(body, o.node));
    if (!is_other_name) {
      break;
    }
    o = body.operands_of(o.node)[0];
  }
  return o;
}

/// Whether `n` is zero exactly if some low bits of its first operand are: a mask, or a remainder by a power of two,
/// signed or unsigned.
constexpr bool selects_low_bits(const program_region& body, region_id n) {
  const region_value& node = body.values[n];
  if (node.kind != region_value_kind::pure || node.num_operands != 2) {
    return false;
  }
  if (node.info.code == operation::bit_and) {
    return node.info.width != 1;
  }
  const region_operand divisor = body.operands_of(n)[1];
  return (node.info.code == operation::rem || node.info.code == operation::urem) &&
         is_constant_operand(body, divisor) && std::has_single_bit(body.values[divisor.node].bits);
}

/// The number of 32-bit literal words for a constant. The machine extends a short literal with zeros or with its sign.
constexpr std::uint32_t literal_words(std::uint64_t bits, std::uint8_t width, std::uint64_t largest_small) {
  if (bits <= largest_small) {
    return 0;
  }
  constexpr std::uint64_t short_negative = ~std::uint64_t{0} << 31;
  return width <= 32 || bits <= 0xffffffffu || bits >= short_negative ? 1 : 2;
}

/// `bits` or its negation, whichever is the smaller number: an addend can be added or subtracted.
constexpr std::uint64_t smaller_addend(std::uint64_t bits, std::uint8_t width) {
  const std::uint64_t opposite = (0 - bits) & low_ones(width);
  return opposite < bits ? opposite : bits;
}

/// The abilities of a machine by class of operations, as sets of bits.
struct machine_classes {
  std::uint32_t predicated = 0;
  std::uint32_t speculated = 0;
  std::uint32_t missing = 0; ///< classes that use no channel and no resource: the machine does not have them

  template <loop_machine M> constexpr explicit machine_classes(const M& m) {
    for (const operation_class c : all_operation_classes()) {
      bool uses_something = m.channels(c) != 0;
      for (std::size_t r = 0; r != m.num_resources(); ++r) {
        uses_something = uses_something || m.use(c, r) != 0;
      }
      predicated |= static_cast<std::uint32_t>(m.is_predicated(c)) << static_cast<unsigned>(c);
      speculated |= static_cast<std::uint32_t>(m.is_speculated(c)) << static_cast<unsigned>(c);
      missing |= static_cast<std::uint32_t>(!uses_something) << static_cast<unsigned>(c);
    }
  }

  constexpr bool is_predicated(operation_class c) const { return (predicated >> static_cast<unsigned>(c) & 1) != 0; }

  constexpr bool is_speculated(operation_class c) const { return (speculated >> static_cast<unsigned>(c) & 1) != 0; }

  constexpr bool is_missing(operation_class c) const { return (missing >> static_cast<unsigned>(c) & 1) != 0; }

  /// Without predication, branches inside the body stay branches, and they do the work of a `join`.
  constexpr bool has_predication() const { return is_predicated(operation_class::alu); }
};

/// Operations in a chain: each reads the result of the one before it.
struct operation_sequence {
  std::array<operation_class, 5> steps{};
  std::uint8_t count = 0;
  std::uint8_t readers = 0; ///< bit k: step k also reads the operands of the node
  bool is_split = false;    ///< of two steps, the first reads all operands but the last, the second reads the last

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

/// Signed division or remainder by a power of two. It rounds towards 0: 2^k - 1 is added to a negative dividend.
constexpr operation_sequence signed_division_by_power(bool is_remainder, bool by_two, bool by_negative) {
  using enum operation_class;
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

constexpr operation_sequence division_by_multiplying(bool is_signed, bool is_remainder) {
  using enum operation_class;
  if (is_remainder) {
    return is_signed ? operation_sequence({integer_multiply, shift, alu, integer_multiply, alu}, {0, 2, 4})
                     : operation_sequence({integer_multiply, shift, integer_multiply, alu}, {0, 3});
  }
  return is_signed ? operation_sequence({integer_multiply, shift, alu}, {0, 2})
                   : operation_sequence({integer_multiply, shift}, {0});
}

/// Division or remainder by a constant (H. S. Warren, Hacker's Delight, 2nd ed., 2013, chapter 10).
constexpr operation_sequence division_by_constant(const region_value& node, std::uint64_t divisor, bool multiplies) {
  const bool is_signed = node.info.code == operation::div || node.info.code == operation::rem;
  const bool is_remainder = node.info.code == operation::rem || node.info.code == operation::urem;
  const std::uint64_t sign = (low_ones(node.info.width) >> 1) + 1;
  const bool by_negative = is_signed && (divisor & sign) != 0;
  const std::uint64_t size = by_negative ? (0 - divisor) & low_ones(node.info.width) : divisor;
  if (std::has_single_bit(size)) {
    if (is_signed) {
      return signed_division_by_power(is_remainder, size == 2, by_negative);
    }
    return is_remainder ? operation_class::alu : operation_class::shift;
  }
  return multiplies && size != 0 ? division_by_multiplying(is_signed, is_remainder) : node.cost;
}

/// The operations that compute node `n`, which is not an alias. A machine without a combined operation takes two; the
/// second rounding of a fused multiplication and addition that was split does not change the cost.
constexpr operation_sequence sequence_of(const program_region& body, region_id n, const lowering_options& options,
                                         const machine_classes& classes) {
  const region_value& node = body.values[n];
  if (node.kind != region_value_kind::pure) {
    return node.cost;
  }
  const auto operands = body.operands_of(n);
  switch (node.info.code) {
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
    return is_constant_operand(body, operands[1])
               ? division_by_constant(node, body.values[operands[1].node].bits, options.divides_by_multiplying)
               : node.cost;
  case operation::mul:
    return is_constant_operand(body, operands[1]) && std::has_single_bit(body.values[operands[1].node].bits)
               ? operation_class::shift
               : node.cost;
  case operation::select:
    return node.info.width == 1 ? operation_class::predicate_logic : node.cost;
  default:
    break;
  }
  if (node.cost == operation_class::combined_alu && classes.is_missing(node.cost)) {
    return operation_sequence::split(operation_class::shift, operation_class::alu);
  }
  if (node.cost == operation_class::fused_multiply_add && classes.is_missing(node.cost)) {
    return operation_sequence::split(operation_class::fp_multiply, operation_class::fp_add);
  }
  return node.cost;
}

} // namespace detail

MIDEND_END_NAMESPACE
