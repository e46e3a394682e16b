/// `explain_dependence`: why two accesses are independent, may meet, or have an unknown relation.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A reason as data. Spans are parts of the result, which must live as long.
struct dependence_explanation {
  dependence_answer answer = dependence_answer::unknown;
  dependence_test by = dependence_test::none;  ///< valid for an independent pair: the test that decided
  std::size_t proof_steps = 0;                 ///< number of steps in its proofs
  bool has_witness = false;                    ///< whether there are two iterations in which they meet
  span<const checked_integer> first_iteration; ///< valid with a witness: the counters, from outside in
  span<const checked_integer> second_iteration;
  span<const checked_integer> symbols;                      ///< valid with a witness: numbers of the symbols for which
                                                            ///< they meet there
  dependence_obstacle obstacle = dependence_obstacle::none; ///< valid if something is unknown
  bool is_first_place = false; ///< valid for an unknown place: whether the first access has it, else the second one
  place_obstacle place = place_obstacle::none;
  evolution_obstacle why = evolution_obstacle::none; ///< valid for a place that is not affine
};

/// The reason of the answer about a pair: the test, two iterations that meet, or the obstacle. Requires a result of
/// this nest. O(cases).
inline dependence_explanation explain_dependence(const nest_accesses& nest, const dependence_result& result) {
  dependence_explanation out;
  out.answer = result.answer;
  out.by = result.is_independent() ? result.by : dependence_test::none;
  out.obstacle = result.obstacle;
  const nest_access& a = nest.access(result.first);
  const nest_access& b = nest.access(result.second);
  for (const dependence_case& c : result.cases) {
    out.proof_steps += c.kind == dependence_case_kind::refuted ? c.proof.count : 0;
    if (c.has_witness && !out.has_witness) {
      const span<const checked_integer> numbers = result.witness_of(c);
      const std::uint32_t of_a = nest.depth_below(a.loop);
      const std::uint32_t of_b = nest.depth_below(b.loop);
      const std::size_t wraps = nest.address_bits() != 0 ? 1 : 0;
      out.has_witness = true;
      out.first_iteration = numbers.first(of_a);
      out.second_iteration = numbers.subspan(of_a, of_b);
      out.symbols = numbers.subspan(of_a + of_b, numbers.size() - of_a - of_b - wraps);
    }
  }
  if (out.obstacle == dependence_obstacle::unknown_place) {
    out.is_first_place = a.obstacle != place_obstacle::none || a.base == no_value;
    const nest_access& unknown = out.is_first_place ? a : b;
    out.place = unknown.obstacle == place_obstacle::none ? place_obstacle::unknown_base : unknown.obstacle;
    out.why = unknown.why;
  }
  return out;
}

MIDEND_END_NAMESPACE
