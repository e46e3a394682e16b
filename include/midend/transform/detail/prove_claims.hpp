/// `prove_claims`: the proof that loops run as often, and that phis evolve, as a witness claims.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/detail/count_prover.hpp"
#include "midend/transform/detail/evolution_claims.hpp"
#include "midend/transform/detail/iteration_polynomials.hpp"
#include "midend/transform/detail/iteration_values.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One step of the induction for a claim about a phi. Whether the edges into the loop give the phi its claimed value of
/// iteration 0, and whether the backedges give it that of iteration k + 1 if all believed claims hold in iteration k.
template <class IR>
bool follows(const proof_program<IR>& program, const evolution_claims<IR>& claims, const iteration_values<IR>& values,
             const claimed_evolution& c) {
  const loop_id l = claims.loop_of(c);
  const unsigned width = claims.width_of(c);
  const unsigned wide = program.values.width(c.phi);
  polynomial first = claims.claimed_in(c, 0);
  set_iteration(first, l, 0);
  program.values.reduce(first, width);
  bool good = first.is_known;
  for (const loop_edge& e : program.loops().entering_edges(l)) {
    if (good && program.dominators().is_reachable(e.source)) {
      polynomial start =
          program.values.read(program.ir, static_cast<value_id>(program.ir.phi_input(c.phi, e.id)), wide, c.reading);
      good = same_polynomial(start, first);
    }
  }
  const polynomial next = claims.claimed_in(c, 1);
  for (const loop_edge& e : program.loops().backedges(l)) {
    if (good) {
      const polynomial input =
          program.values.read(program.ir, static_cast<value_id>(program.ir.phi_input(c.phi, e.id)), wide, c.reading);
      polynomial there = values.in_iteration(input, l, width);
      program.values.reduce(there, width);
      good = same_polynomial(there, next);
    }
  }
  return good;
}

/// Takes the claims that were read; leaves those that prove each other, and sets the counts that follow from them. The
/// induction over the iterations: drops all claims that do not follow, with counts that are proven anew each time,
/// until the rest follow from each other.
template <class IR>
void prove_claims(const proof_program<IR>& program, evolution_claims<IR>& claims, proven_counts& counts) {
  const iteration_values<IR> values(program, claims, counts);
  for (bool changed = true; changed;) {
    changed = false;
    counts.start(program.loops().num_loops());
    count_prover<IR> prover(program, claims, values, counts);
    for (auto l = static_cast<loop_id>(program.loops().num_loops()); l-- != 0;) { // from inside out
      prover.prove(l);
    }
    for (std::uint32_t i = 0; i != claims.num_evolutions(); ++i) {
      if (claims.is_believed(i) && !follows(program, claims, values, claims.evolution(i))) {
        claims.drop(i);
        changed = true;
      }
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
