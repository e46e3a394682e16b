/// `extrapolated_body`: extrapolates the cost of a body with more copies from two tried bodies.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The value at `copies` of the line through (from, first) and (to, last); at least `last`: a figure that has fallen
/// falls no further. Requires from < to <= copies.
constexpr fraction extrapolated(const fraction& first, std::uint32_t from, const fraction& last, std::uint32_t to,
                                std::uint32_t copies) {
  if (last < first) {
    return last;
  }
  const fraction slope = difference(last, first);
  return last + fraction(slope.numerator() * (copies - to), slope.denominator() * (to - from));
}

/// The cost of a body of `copies`, if each further copy adds as much as those between `first` (`from` copies) and
/// `last` (`to` copies). Copies run side by side, so an iteration of the body is as long as before, unless its interval
/// gets longer. Requires from < to <= copies. Constant time.
constexpr body_cost extrapolated_body(const body_cost& first, std::uint32_t from, const body_cost& last,
                                      std::uint32_t to, std::uint32_t copies) {
  const auto at = [&](const fraction& a, const fraction& b) { return extrapolated(a, from, b, to, copies); };
  const auto number_at = [&](std::uint64_t a, std::uint64_t b) { return at(a, b).ceiling(); };
  body_cost out = last;
  out.resources.exact = at(first.resources.exact, last.resources.exact);
  out.resources.cycles = out.resources.exact.ceiling();
  out.recurrence_exact = at(first.recurrence_exact, last.recurrence_exact);
  out.critical_path = number_at(first.critical_path, last.critical_path);
  out.operations = number_at(first.operations, last.operations);
  out.branches = number_at(first.branches, last.branches);
  out.bytes = number_at(first.bytes, last.bytes);
  out.general_registers = number_at(first.general_registers, last.general_registers);
  out.predicate_registers = number_at(first.predicate_registers, last.predicate_registers);
  out.interval = max(max<std::uint64_t>(out.resources.cycles, 1), out.recurrence_exact.ceiling());
  out.alone = max(out.interval, out.critical_path);
  out.length = max(last.length, out.interval);
  out.stages = (out.length + out.interval - 1) / out.interval;
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
