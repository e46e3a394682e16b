/// What instructions other than calls, guards and terminators do.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/float_operations.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/elbrus/run/detail/frames.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/trap.hpp"
#include "midend/ir/evaluate.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Why an instruction has no result. An operand that cannot be used is always `diagnostic_value` here.
using fault = std::optional<trap_kind>;

inline trap_kind trap_of(evaluation_fault f) {
  switch (f) {
  case evaluation_fault::division_by_zero:
    return trap_kind::division_by_zero;
  case evaluation_fault::division_overflow:
    return trap_kind::division_overflow;
  case evaluation_fault::shift_too_far:
    return trap_kind::shift_too_far;
  default:
    return trap_kind::broken_nsw;
  }
}

inline fault evaluate_any(const instruction& i, slot_view s) {
  const std::array args = {s.bits[i.a], s.bits[i.b], s.bits[i.c]};
  const evaluation result = evaluate(i.info, std::span(args).first(i.arity));
  if (!result) {
    return trap_of(result.fault);
  }
  s.put(i.result, result.bits);
  return {};
}

inline fault add_nsw(const instruction& i, slot_view s) {
  const midend::detail::wrapping_result sum = midend::detail::wrapping_add(s.bits[i.a], s.bits[i.b], i.info.width);
  if (sum.signed_wrap) {
    return trap_kind::broken_nsw;
  }
  s.put(i.result, sum.bits & low_ones(i.info.width));
  return {};
}

inline fault convert_to_integer(const instruction& i, slot_view s) {
  const auto number = float_to_integer(i.operand_type, i.type, s.bits[i.a]);
  if (!number) {
    return trap_kind::bad_conversion;
  }
  s.put(i.result, *number);
  return {};
}

/// The address of a load or store.
inline std::uint64_t address_of(const instruction& i, slot_view s) {
  const auto index = static_cast<std::uint64_t>(as_signed(s.bits[i.c], i.info.operand_width));
  return s.bits[i.b] + index * i.count + static_cast<std::uint64_t>(i.offset);
}

inline fault access_memory(const instruction& i, slot_view s, memory& m) {
  if (i.code == opcode::st) {
    return m.store(i.type, address_of(i, s), s.bits[i.a]) ? fault() : trap_kind::bad_access;
  }
  const auto found = m.load(i.type, address_of(i, s));
  if (!found) {
    return trap_kind::bad_access;
  }
  s.put(i.result, *found);
  return {};
}

/// A result from three numbers. Requires that they are defined.
inline fault compute(const instruction& i, slot_view s, memory& m) {
  const std::uint64_t a = s.bits[i.a];
  const std::uint64_t b = s.bits[i.b];
  const unsigned width = i.info.operand_width;
  std::uint64_t result = 0;
  switch (i.what) {
  case action::evaluate:
    return evaluate_any(i, s);
  case action::add_nsw:
    return add_nsw(i, s);
  case action::float_to_integer:
    return convert_to_integer(i, s);
  case action::load:
  case action::store:
    return access_memory(i, s, m);
  case action::add:
    result = (a + b) & low_ones(width);
    break;
  case action::sub:
    result = (a - b) & low_ones(width);
    break;
  case action::mul:
    result = (a * b) & low_ones(width);
    break;
  case action::bit_and:
    result = a & b;
    break;
  case action::bit_or:
    result = a | b;
    break;
  case action::bit_xor:
    result = a ^ b;
    break;
  case action::equal:
    result = a == b;
    break;
  case action::not_equal:
    result = a != b;
    break;
  case action::less:
    result = as_signed(a, width) < as_signed(b, width);
    break;
  case action::less_equal:
    result = as_signed(a, width) <= as_signed(b, width);
    break;
  case action::uless:
    result = a < b;
    break;
  case action::uless_equal:
    result = a <= b;
    break;
  case action::integer_to_float:
    result = integer_to_float(i.operand_type, i.type, a);
    break;
  default:
    result = evaluate_float(i.code, i.operand_type == type::none ? i.type : i.operand_type, a, b, s.bits[i.c]);
  }
  s.put(i.result, result);
  return {};
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
