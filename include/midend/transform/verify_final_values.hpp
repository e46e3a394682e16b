/// `verify_final_values`: checks the certificate of values that are computed without their loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/detail/evolution_claims.hpp"
#include "midend/transform/detail/final_value_proof.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/prove_claims.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_final_values`: the first fault and its place in the new program, or none.
struct final_value_verdict : change_verdict {
  std::size_t proven = 0; ///< operands and inputs that were replaced
};

namespace detail {

/// A read of the program before whose new value is not proven.
struct unproven_read {
  value_id user = no_value;
  value_id read = no_value; ///< before
};

/// There may be new operations that only compute. After a loop, another value may be read if it is the final one.
/// Answers the questions of `compared_programs`, and has the order of the proof: `evolution_claims` reads the witness,
/// `prove_claims` drops what is not true (`count_prover`: how often loops run), and `final_value_proof` decides about
/// each read.
template <class Before, class After> class final_value_checker : public allowed_changes {
public:
  final_value_checker(const Before& before, const After& after, const final_value_witness& w)
      : pair_(before, after), program_{before, pair_.old_home, flow_, values_}, claims_(program_, w),
        proof_(pair_, program_, claims_, counts_) {}

  final_value_checker(const final_value_checker&) = delete; // parts refer to others
  final_value_checker& operator=(const final_value_checker&) = delete;

  final_value_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return {verdict_};
    }
    pair_.compare_flow(*this);
    if (ok()) {
      flow_ = dominators_and_loops(pair_.before.graph());
      values_.run(pair_.before);
    }
    pair_.compare_operations(*this);
    if (ok()) {
      verdict_ = claims_.read();
    }
    if (ok()) {
      prove_claims(program_, claims_, counts_);
    }
    pair_.compare_reads(*this);
    return {verdict_, proven_};
  }

  /// Lists all reads that are not proven, for a plan that is tried. The verdict is on everything else.
  final_value_verdict list_unproven(flat_array<unproven_read>& out) {
    unproven_ = &out;
    return run();
  }

  change_fault added(node_id, value_id v) {
    if (v < pair_.num_old_values() || !computes_without_promises(pair_.after, v) || !reads_what_was(v)) {
      return change_fault::extra_operation;
    }
    values_.define_new(pair_.after, v);
    return change_fault::none;
  }

  change_fault read(const changed_read& r) {
    if (r.x == no_value || pair_.old_home[r.x] == no_node || !proof_.is_left(r.x, r.from, r.to)) {
      return change_fault::wrong_operand;
    }
    if (!proof_.is_proven(r.x, r.u, r.from, r.to)) {
      return unproven(r);
    }
    proven_ += r.user != no_value ? 1u : 0u;
    return change_fault::none;
  }

private:
  change_fault unproven(const changed_read& r) {
    if (unproven_ == nullptr) {
      return change_fault::different_value;
    }
    if (r.user != no_value) { // a condition is an operand of the end, too
      unproven_->push_back({r.user, r.x});
    }
    return change_fault::none;
  }

  /// Whether a new operation reads only literals, new operations, and values that are the same in both programs.
  bool reads_what_was(value_id v) const {
    bool good = true;
    for_each_id(pair_.after.operands(v), [&](value_id o) { good = good && is_same_or_new(pair_, o); });
    return good;
  }

  compared_programs<Before, After> pair_;
  dominators_and_loops_result flow_; ///< of the program before
  value_polynomials values_;         ///< of the program before, and of new operations
  proof_program<Before> program_;
  evolution_claims<Before> claims_;
  proven_counts counts_;
  final_value_proof<Before, After> proof_;
  flat_array<unproven_read>* unproven_ = nullptr; ///< null: the first unproven read is a fault
  std::size_t proven_ = 0;
};

} // namespace detail

/// Checks that `after` is `before`, where operations after loops read other values, which are computed before the loop
/// and are what the old ones are when it has ended. It shares no code with the transformation; what remains to be
/// trusted is this function, `dominators_and_loops`, and the semantics, effects and `same_operation` of the IRs.
/// Requires IRs that `check_ir` accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the new program. All is as it was (`compared_programs`), but:
/// 1. There may be new operations that neither trap nor promise anything nor have effects.
/// 2. Where control has left a loop of x, a value may be read in place of x if it is computed in a node that strictly
///    dominates the header, and *is the final value* of x.
///
/// **Final values.** Each value is a polynomial of values that are phis or no sums (`value_polynomials`). The witness
/// claims what phis of headers are in iteration k. A claim is proven by induction over the iterations: for k = 0 it is
/// what the edges into the loop bring, and if all claims hold in iteration k, what the backedges bring is what it says
/// of k + 1; both are identities of polynomials modulo 2^width. Claims that do not follow are dropped until all the
/// others follow from each other. Numbers with and without sign (for extensions) have claims of their own, which hold
/// by promises of the operations; or they are counters that stay in range as long as the loop runs. Loops inside have
/// to end after a number of iterations that is proven, too.
///
/// **Numbers of iterations.** The loop has one exit, each iteration comes there, and it compares a counter with what
/// does not change. A claimed number is right if the test ends the loop then and not before: at equality, since the
/// counter repeats nothing before; at an order, since the counter does not wrap before. Otherwise the number T is a
/// formula: the only solution of first + T · step = bound for an odd step; or, for steps of one up to an order,
/// max(first, bound) - first, which is right for all numbers for which the loop ends. (t >> 1) · ((t - 1) | 1) is t
/// over 2.
///
/// For a larger step, T is a quotient. Each operation of the sums that lead from the phi of the counter to what is
/// compared, and to the phi of the next iteration, promises not to wrap; so the counter is first + k · step as an
/// integer, at any width, or the run breaks a promise that its test reads. At equality, the distance to the bound is
/// T · step then. At an order, the test ends the loop at the first k for which k · step is at least the distance d of
/// max(first, bound) and first: T = (d - e) / step + e with e = min(d, 1), unsigned, which nothing overflows. In
/// polynomials, such a quotient is T - e, and T is an atom.
///
/// **Why this is enough.** Each value that a final value is computed of is computed again before its node is, and this
/// before the loop is entered; so when the loop has ended, it is what it would be of the present values. When x is
/// read, its loop has been left since. So both programs read the same, step by step.
///
/// O(n + m + values + operands), and rounds over the claims: at most one more than claims that do not hold.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires has_operation<Before> && has_operation<After>
final_value_verdict verify_final_values(const Before& before, const After& after, const final_value_witness& witness) {
  return detail::final_value_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
