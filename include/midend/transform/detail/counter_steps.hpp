/// Why counters do not wrap: they stay in the range of their width, or their operations promise it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether start, start + step, … start + count · step are all numbers of the width.
constexpr bool stays_in_range(std::uint64_t start, std::uint64_t step, std::uint64_t count, unsigned width,
                              bool is_signed) {
  const std::int64_t by = as_signed(step, width);
  const std::uint64_t size = by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
  // With the sign bit inverted, the order of signed numbers is that of unsigned ones.
  const std::uint64_t place = is_signed ? start ^ (std::uint64_t{1} << (width - 1)) : start;
  const std::uint64_t room = by < 0 ? place : low_ones(width) - place;
  return count == 0 || size <= room / count;
}

/// If `v` is a phi of the header plus a number: the phi, and the number in `added`. Otherwise `no_value`.
template <class IR>
value_id promised_sum_of(const proof_program<IR>& program, value_id v, loop_id l, bool is_signed, std::int64_t& added) {
  constexpr std::int64_t most_added = std::int64_t{1} << 40; // so that sums do not wrap
  for (unsigned steps = 0; steps != 4 && program.is_inside(v, l); ++steps) {
    if (program.ir.is_phi(v)) {
      return program.home[v] == program.loops().header(l) ? v : no_value;
    }
    const operation_info info = program.ir.operation(v);
    value_id x[2] = {no_value, no_value};
    std::size_t count = 0;
    for_each_id(program.ir.operands(v), [&](value_id o) {
      if (count < 2) {
        x[count] = o;
      }
      ++count;
    });
    const bool is_sum = info.code == operation::add || info.code == operation::sub;
    if (!is_sum || count != 2 || x[1] == no_value || !program.ir.constant(x[1]) ||
        !(is_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap)) {
      return no_value;
    }
    const std::uint64_t bits = static_cast<std::uint64_t>(*program.ir.constant(x[1])) & low_ones(info.width);
    const std::int64_t by = is_signed ? as_signed(bits, info.width) : static_cast<std::int64_t>(bits);
    if (by <= -most_added || by >= most_added) {
      return no_value;
    }
    added += info.code == operation::add ? by : -by;
    v = x[0];
  }
  return no_value;
}

/// Whether what is compared is, as a number with or without a sign, larger by `step` in each iteration than in the
/// one before: one side is the phi of a counter to which operations add numbers that promise not to wrap, or such a
/// sum, and the other one does not change. If it wraps, the run breaks a promise before the test.
template <class IR>
bool steps_by_promise(const proof_program<IR>& program, const leaving_test& t, loop_id l, std::uint64_t step,
                      bool is_signed) {
  const bool is_first = program.is_inside(t.a, l);
  if (is_first == program.is_inside(t.b, l)) {
    return false;
  }
  std::int64_t added = 0;
  const value_id phi = promised_sum_of(program, is_first ? t.a : t.b, l, is_signed, added);
  bool good = phi != no_value;
  for (const loop_edge& e : program.loops().backedges(l)) {
    added = 0;
    good =
        good &&
        promised_sum_of(program, static_cast<value_id>(program.ir.phi_input(phi, e.id)), l, is_signed, added) == phi &&
        added == as_signed(step, t.width);
  }
  return good;
}

} // namespace detail

MIDEND_END_NAMESPACE
