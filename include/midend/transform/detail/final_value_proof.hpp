/// `final_value_proof`: proves that a value is what another one is after its loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/detail/count_names.hpp"
#include "midend/transform/detail/evolution_claims.hpp"
#include "midend/transform/detail/iteration_polynomials.hpp"
#include "midend/transform/detail/iteration_values.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether `v` of the new program of a pair is a literal, a new operation, or a value that is the same in both
/// programs.
template <class Pair> bool is_same_or_new(const Pair& pair, value_id v) {
  if (v == no_value || v >= pair.new_home.size()) {
    return false;
  }
  const bool is_in_node = pair.new_home[v] != no_node;
  return is_in_node ? v >= pair.num_old_values() || pair.old_home[v] != no_node
                    : static_cast<bool>(pair.after.constant(v)) || pair.same_value(v, v);
}

/// Takes claims and counts that are proven; returns whether the new program may read a value in place of another one.
/// The last part of the proof: both are equal as polynomials when the loop has ended.
template <class Before, class After> class final_value_proof {
  using kind = polynomial_atom::kind;

public:
  final_value_proof(const compared_programs<Before, After>& pair, const proof_program<Before>& program,
                    const evolution_claims<Before>& claims, const proven_counts& counts)
      : pair_(pair), program_(program), counts_(counts), inside_(program, claims, counts),
        names_(pair.after, pair.new_home, program.values, counts) {}

  /// Whether control has left a loop of `x` on the edge, or in the node if both are that. Requires that `x` has a node.
  bool is_left(value_id x, node_id from, node_id to) const {
    const loop_id l = program_.loops().innermost_loop(program_.home[x]);
    return l != no_loop && !contains(l, from, to);
  }

  /// Whether `u` is what `x` is when control has left one of its loops.
  bool is_proven(value_id x, value_id u, node_id from, node_id to) const {
    if (x == no_value || u == no_value || x >= program_.num_values() || program_.home[x] == no_node ||
        u >= pair_.new_home.size()) {
      return false;
    }
    for (loop_id l = program_.loops().innermost_loop(program_.home[x]); l != no_loop && !contains(l, from, to);
         l = program_.loops().parent(l)) {
      if (is_final_value(x, u, l)) {
        return true;
      }
    }
    return false;
  }

private:
  static constexpr number_reading low_bits = number_reading::low_bits;

  /// Whether a loop contains an edge, or a node if both are that.
  bool contains(loop_id l, node_id from, node_id to) const {
    return program_.loops().contains(l, from) && program_.loops().contains(l, to);
  }

  /// Whether `u` is computed before `l`, and is what `x` is in the last iteration: both polynomials are equal then.
  bool is_final_value(value_id x, value_id u, loop_id l) const {
    const proven_count& c = counts_[l];
    const unsigned width = program_.values.width(x);
    const node_id place = pair_.new_home[u];
    const bool is_before =
        place == no_node || program_.dominators().strictly_dominates(place, program_.loops().header(l));
    if ((!c.is_number && !c.is_formula) || !is_before || !is_same_or_new(pair_, u) ||
        pair_.after.operation(u).width != width) {
      return false;
    }
    polynomial old = inside_.in_iteration(program_.values.number_of(x, low_bits), l, width);
    if (c.is_number) {
      set_iteration(old, l, c.backedges);
    } else {
      replace_atoms(old, [&](const polynomial_atom& a) { return after_last_iteration(a, l, width); });
    }
    polynomial now = program_.values.read(pair_.after, u, width, low_bits);
    if (c.is_formula) {
      names_.name_counts(old, l, width);
      names_.name_counts(now, l, width);
    }
    program_.values.reduce(old, width);
    program_.values.reduce(now, width);
    return same_polynomial(old, now);
  }

  /// The number of the last iteration, for an atom.
  polynomial after_last_iteration(const polynomial_atom& a, loop_id l, unsigned width) const {
    if (!a.is_of_iteration(l)) {
      return polynomial::of(a);
    }
    if (a.what == kind::iteration && a.extra == 1) {
      const polynomial count = counts_.loaded(counts_[l].formula);
      return width <= counts_[l].width || count.is_number() ? count : polynomial::of({kind::count, l, 0});
    }
    return a.what == kind::iteration && a.extra == 2 ? polynomial::of({kind::count_pairs, l, 0})
                                                     : polynomial::unknown();
  }

  const compared_programs<Before, After>& pair_;
  proof_program<Before> program_;
  const proven_counts& counts_;
  iteration_values<Before> inside_;
  count_names<After> names_;
};

} // namespace detail

MIDEND_END_NAMESPACE
