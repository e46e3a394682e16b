/// The rules by which `value_numbering` and its checker call two values equal.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/swap.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether `v` computes its result from its operands alone, so that it can be compared with other operations. `v` is no
/// phi and no literal. False for reads and writes of memory, for operations that may give another result each time
/// (`is_repeatable`) or depend on which threads run them (`is_convergent`), and for readers of `undef`, since each may
/// read another number. For operations that only an `identity` describes, the effects rung decides.
template <class IR> constexpr bool depends_on_operands_alone(const IR& ir, value_id v, const operation_info& info) {
  if (is_opaque(ir, v)) {
    return false;
  }
  if constexpr (has_never_returns<IR>) {
    if (ir.never_returns(v)) {
      return false;
    }
  }
  if constexpr (has_guard<IR>) {
    if (ir.guard(v).predicate != no_value) {
      return false;
    }
  }
  if (is_convergent(ir, v)) {
    return false;
  }
  if constexpr (has_is_repeatable<IR>) {
    if (!ir.is_repeatable(v)) {
      return false;
    }
  }
  if (info.code == operation::other) {
    if constexpr (has_effect<IR>) {
      if (ir.effect(v) != effect_kind::none || is_terminator(ir, v)) {
        return false;
      }
    }
    if constexpr (has_is_volatile<IR>) {
      if (ir.is_volatile(v)) {
        return false;
      }
    }
    if constexpr (has_identity<IR> && has_effect<IR>) {
      if (ir.identity(v) == 0) {
        return false;
      }
      if constexpr (has_may_not_return<IR>) {
        if (ir.may_not_return(v)) {
          return false;
        }
      }
    } else {
      return false;
    }
  }
  bool reads_undefined = false;
  for_each_id(ir.operands(v),
              [&](value_id operand) { reads_undefined = reads_undefined || is_undefined_literal(ir, operand); });
  return !reads_undefined;
}

template <class IR> constexpr bool depends_on_operands_alone(const IR& ir, value_id v) {
  return depends_on_operands_alone(ir, v, ir.operation(v));
}

/// The first three operands of an operation of the vocabulary.
template <class IR> constexpr std::array<value_id, 3> operands_of_known(const IR& ir, value_id v, operation code) {
  std::array<value_id, 3> out{no_value, no_value, no_value};
  std::size_t count = 0;
  const std::size_t wanted = arity(code);
  for_each_id(ir.operands(v), [&](value_id operand) {
    if (count != wanted) {
      out[count++] = operand;
    }
  });
  return out;
}

/// The result of an operation on two equal numbers, if it is always the same.
constexpr std::optional<std::uint64_t> result_for_equal_operands(operation code) {
  switch (code) {
  case operation::sub:
  case operation::bit_xor:
  case operation::rem:
  case operation::urem:
  case operation::not_equal:
  case operation::less:
  case operation::greater:
  case operation::uless:
  case operation::ugreater:
    return std::uint64_t{0};
  case operation::div: // where it has a result
  case operation::udiv:
  case operation::equal:
  case operation::less_equal:
  case operation::greater_equal:
  case operation::uless_equal:
  case operation::ugreater_equal:
    return std::uint64_t{1};
  default:
    return std::nullopt;
  }
}

/// Whether `code`, given two equal operands, returns that operand.
constexpr bool is_idempotent(operation code) {
  return code == operation::bit_and || code == operation::bit_or || code == operation::min || code == operation::max ||
         code == operation::umin || code == operation::umax;
}

/// Whether `a code c` is a, in `width` bits.
constexpr bool is_neutral(operation code, std::uint64_t c, unsigned width) {
  const std::uint64_t read = c & low_ones(width);
  switch (code) {
  case operation::add:
  case operation::sub:
  case operation::bit_or:
  case operation::bit_xor:
  case operation::umax:
    return read == 0;
  case operation::shl:
  case operation::shr:
  case operation::sar:
  case operation::shl_modulo:
  case operation::shr_modulo:
  case operation::sar_modulo:
    return c == 0; // the amount is read whole
  case operation::mul:
  case operation::udiv:
    return read == 1;
  case operation::div:
    return read == 1 && width != 1; // of one bit, 1 is -1
  case operation::bit_and:
  case operation::umin:
    return read == low_ones(width);
  case operation::min:
    return read == low_ones(width) >> 1;
  case operation::max:
    return read == std::uint64_t{1} << (width - 1);
  default:
    return false;
  }
}

/// The operand that `v` returns unchanged, or `no_value`: `v` is a copy, an operation with a neutral operand, a choice
/// between two equal values, or a decided choice. `v` is no phi. `same(a, b)` says whether two operands are equal,
/// `constant(a)` returns the constant that `a` is.
template <class IR, class Same, class Constant>
constexpr value_id operand_passed_on(const IR& ir, value_id v, const operation_info& info, const Same& same,
                                     const Constant& constant) {
  if (info.code == operation::other) {
    return no_value;
  }
  const auto [a, b, c] = operands_of_known(ir, v, info.code);
  const auto fits = [&](value_id operand) {
    return ir.operation(operand).width == info.width && same_type(ir, v, operand);
  };
  if (info.code == operation::copy) {
    return fits(a) ? a : no_value;
  }
  if (info.code == operation::select) {
    value_id chosen = no_value;
    if constexpr (std::same_as<constant_of<IR>, std::uint64_t>) {
      if (const std::optional<std::uint64_t> decides = constant(a)) {
        chosen = *decides != 0 ? b : c;
      }
    }
    chosen = chosen == no_value && same(b, c) ? b : chosen;
    return chosen != no_value && fits(chosen) ? chosen : no_value;
  }
  if (is_idempotent(info.code) && same(a, b) && fits(a)) {
    return a;
  }
  if constexpr (std::same_as<constant_of<IR>, std::uint64_t>) {
    if (arity(info.code) == 2) {
      const auto is_neutral_operand = [&](value_id operand) {
        const std::optional<std::uint64_t> number = constant(operand);
        return number && is_neutral(info.code, *number, info.width);
      };
      if (is_neutral_operand(b) && fits(a)) {
        return a;
      }
      if (is_commutative(info.code) && is_neutral_operand(a) && fits(b)) {
        return b;
      }
    }
  }
  return no_value;
}

template <class IR, class Same, class Constant>
constexpr value_id operand_passed_on(const IR& ir, value_id v, const Same& same, const Constant& constant) {
  return operand_passed_on(ir, v, ir.operation(v), same, constant);
}

/// Calls `visit` with numbers that describe what `v` computes: equal numbers and equal types mean equal results. `v` is
/// no phi. `number(a)` is the number of an operand's class. Flags are left out: where both operations have a result, it
/// is the same.
template <class IR, class Number, class Visit>
constexpr void for_each_part_of_operation(const IR& ir, value_id v, const operation_info& info, const Number& number,
                                          const Visit& visit) {
  if (info.code == operation::other) {
    visit(static_cast<std::uint32_t>(operation::other));
    if constexpr (has_identity<IR>) {
      visit(static_cast<std::uint32_t>(ir.identity(v)));
    }
    for_each_id(ir.operands(v), [&](value_id operand) { visit(number(operand)); });
    return;
  }
  const bool is_mirrored = info.code == operation::greater || info.code == operation::greater_equal ||
                           info.code == operation::ugreater || info.code == operation::ugreater_equal;
  const operation code = is_mirrored ? mirrored(info.code) : info.code;
  const bool reads_operand_width = is_comparison(code) || is_modulo_shift(code) || read_width(info) != info.width ||
                                   (code >= operation::truncate && code <= operation::sign_extend);
  visit(static_cast<std::uint32_t>(code) | std::uint32_t{info.width} << 8 |
        (reads_operand_width ? std::uint32_t{info.operand_width} << 16 : 0));
  const std::size_t count = arity(info.code);
  std::array<std::uint32_t, 3> numbers{};
  std::size_t known = 0;
  for_each_id(ir.operands(v), [&](value_id operand) {
    if (known != count) {
      numbers[known++] = number(operand);
    }
  });
  if (is_mirrored || (is_commutative(code) && numbers[1] < numbers[0])) {
    swap_values(numbers[0], numbers[1]);
  }
  for (std::size_t i = 0; i != count; ++i) {
    visit(numbers[i]);
  }
}

/// Appends these numbers to a list.
template <class IR, class Number>
constexpr void describe_operation(const IR& ir, value_id v, const operation_info& info, const Number& number,
                                  flat_array<std::uint32_t>& out) {
  out.clear();
  for_each_part_of_operation(ir, v, info, number, [&out](std::uint32_t part) { out.push_back(part); });
}

template <class IR, class Number>
constexpr void describe_operation(const IR& ir, value_id v, const Number& number, flat_array<std::uint32_t>& out) {
  describe_operation(ir, v, ir.operation(v), number, out);
}

constexpr std::uint64_t hash_of_description(const flat_array<std::uint32_t>& description) {
  std::uint64_t hash = 0;
  for (const std::uint32_t part : description) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

/// The hash of that list, without building it.
template <class IR, class Number>
constexpr std::uint64_t hash_of_operation(const IR& ir, value_id v, const operation_info& info, const Number& number) {
  std::uint64_t hash = 0;
  for_each_part_of_operation(ir, v, info, number, [&hash](std::uint32_t part) { hash = mix_hash(hash, part); });
  return hash;
}

/// Equal constants have equal hashes. All constants that are neither numbers nor bytes share one hash.
template <class Constant> constexpr std::uint64_t hash_of_constant([[maybe_unused]] const Constant& c) {
  if constexpr (std::integral<Constant>) {
    return mix_hash(1, static_cast<std::uint64_t>(c));
  } else {
    return 0;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
