/// The operations of a copy as the program writes them, for `unroll_request::as_written`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/copy_state.hpp"
#include "midend/unrolling/copies/detail/folding.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether `v` is the sum or difference of a value and a number.
constexpr bool adds_number(const loop_body& body, body_id v) {
  const body_value& value = body.values[v];
  if (value.kind != body_kind::pure || (value.info.code != operation::add && value.info.code != operation::sub)) {
    return false;
  }
  const auto operands = body.operands_of(v);
  const auto is_number = [&](std::size_t i) { return body.values[operands[i]].kind == body_kind::constant; };
  return is_number(1) ? !is_number(0) : is_number(0) && value.info.code == operation::add;
}

/// Marks the sums with a number to which another number is added. The program needs them in a register for that.
constexpr void mark_added_to(const loop_body& body, flat_array<bool>& out) {
  out.assign(body.num_values(), false);
  for (body_id v = 0; v != body.num_values(); ++v) {
    if (adds_number(body, v)) {
      for (const body_id o : body.operands_of(v)) {
        out[o] = out[o] || (adds_number(body, o) && body.values[o].block != no_body_value);
      }
    }
  }
}

/// A division by a number, a remainder or a shift right: of what is not negative, by a power of 2, a shift or a mask.
constexpr known_value division_as_written(copy_numbering& numbering, const body_value& v,
                                          span<const known_value> args) {
  const known_value& a = args[0];
  const known_value& b = args[1];
  const operation code = v.info.code;
  const bool is_signed = code == operation::div || code == operation::rem;
  const bool is_division = is_signed || code == operation::udiv || code == operation::urem;
  const bool is_natural = !is_signed || (numbering.range_of(a).low >= 0 && numbering.is_exact(a));
  expression_kind kind = kind_of(v);
  if (!is_division || !b.is_literal() || b.addend == 0 || !is_natural || (is_signed && b.signed_addend() < 0)) {
    return numbering.compute_alone(kind, args);
  }
  const bool is_remainder = code == operation::rem || code == operation::urem;
  known_value by = b;
  if (!std::has_single_bit(b.addend)) {
    kind.info.code = is_remainder ? operation::urem : operation::udiv;
  } else {
    kind.info.code = is_remainder ? operation::bit_and : operation::shr;
    const auto places = static_cast<std::uint64_t>(std::countr_zero(b.addend));
    by = literal(is_remainder ? b.addend - 1 : places, b.width);
  }
  kind.cost = usual_operation_class(kind.info).value_or(kind.cost);
  const known_value operands[] = {a, by};
  return numbering.compute_alone(kind, operands);
}

/// Whether a value is a number, as a bit: a comparison of its own, or the one that a switch by the value makes anyway.
constexpr known_value equality_as_written(copy_state& s, body_id v, span<const known_value> args) {
  const expression_kind kind = kind_of(comparison_to_bit(s.body.values[v]));
  if (!args[1].is_literal() || args[0].is_literal()) {
    return s.numbering.compute_alone(kind, args);
  }
  const known_value shared = s.numbering.compute(kind, args);
  const bool is_case = s.numbering.body().values[shared.node].origin == s.body.operands_of(v)[0];
  return s.numbering.is_fresh() || is_case ? shared : s.numbering.compute_alone(kind, args);
}

/// The value of a pure operation as the program writes it: a node, or a node plus a number. `is_added_to`: see
/// `mark_added_to`. Facts are those that addresses and divisions ask for.
constexpr known_value value_as_written(copy_state& s, body_id v, bool is_added_to) {
  copy_numbering& numbering = s.numbering;
  const body_value& value = s.body.values[v];
  const operation code = value.info.code;
  expression_kind kind = kind_of(value);
  if (code == operation::other) {
    return numbering.compute_alone(kind, s.args_of(v));
  }
  const span<const known_value> args = s.args_of(v).first(arity(code));
  const bool has_number = args.size() == 2 && (args[0].is_literal() || args[1].is_literal());
  const bool is_number = args[0].is_literal() && args[args.size() - 1].is_literal();
  switch (code) {
  case operation::copy:
    return args[0];
  case operation::add:
  case operation::sub:
    if (is_added_to || is_number || !adds_number(s.body, v)) {
      return numbering.compute_alone(kind, args);
    }
    return fold(numbering, value, args);
  case operation::mul: {
    const known_value& by = args[args[0].is_literal() ? 0 : 1];
    const known_value& a = args[args[0].is_literal() ? 1 : 0];
    if (!has_number || is_number || by.addend <= 1) {
      return numbering.compute_alone(kind, args);
    }
    known_value amount = by;
    if (std::has_single_bit(by.addend)) {
      kind.info.code = operation::shl;
      kind.cost = usual_operation_class(kind.info).value_or(kind.cost);
      amount = literal(static_cast<std::uint64_t>(std::countr_zero(by.addend)), by.width);
    }
    const value_facts facts = a.addend == 0 ? numbering.facts_of(a) : value_facts::none(a.width);
    const known_value operands[] = {a, amount};
    const known_value product = numbering.compute_alone(kind, operands);
    numbering.facts(product.node) = facts_of_product(facts, by);
    return product;
  }
  case operation::shl: {
    const value_facts facts = args[0].addend == 0 ? numbering.facts_of(args[0]) : value_facts::none(value.info.width);
    const known_value by = args[1];
    const known_value shifted = numbering.compute_alone(kind, args);
    if (by.is_literal() && by.addend < value.info.width) {
      numbering.facts(shifted.node) = facts_of_product(facts, literal(std::uint64_t{1} << by.addend, value.info.width));
    }
    return shifted;
  }
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
  case operation::shr:
  case operation::sar:
    return is_number ? numbering.compute_alone(kind, args) : division_as_written(numbering, value, args);
  case operation::bit_xor:
    return value.info.width == 1 && has_number && !is_number ? fold(numbering, value, args)
                                                             : numbering.compute_alone(kind, args);
  case operation::bit_not:
    return value.info.width == 1 && !is_number ? inverted(args[0]) : numbering.compute_alone(kind, args);
  case operation::bit_and: {
    const known_value mask = args[args[0].is_literal() ? 0 : 1];
    const known_value masked = numbering.compute_alone(kind, args);
    if (mask.is_literal() && mask.signed_addend() >= 0) {
      numbering.facts(masked.node).range = {0, mask.signed_addend()};
    }
    return masked;
  }
  case operation::zero_extend:
  case operation::sign_extend: {
    const known_value a = args[0];
    const known_value wide = numbering.compute_alone(kind, args);
    if (!a.is_literal()) {
      numbering.facts(wide.node) = facts_of_extension(numbering, code, a);
    }
    return wide;
  }
  case operation::select: {
    known_value operands[] = {is_not_zero(numbering, args[0]), args[1], args[2]};
    if (operands[0].is_literal()) { // a guard that always holds takes no operation
      return operands[0].addend != 0 ? operands[1] : operands[2];
    }
    if (operands[0].addend != 0) {
      swap_values(operands[1], operands[2]);
      operands[0].addend = 0;
    }
    return numbering.compute_alone(kind, operands);
  }
  default:
    if (is_comparison(code)) {
      return with_zeros(numbering, value,
                        code == operation::equal ? equality_as_written(s, v, args)
                                                 : numbering.compute_alone(kind_of(comparison_to_bit(value)), args));
    }
    return numbering.compute_alone(kind, args);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
