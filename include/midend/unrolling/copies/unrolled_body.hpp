/// `unrolled_body`: what is left of several copies of a loop body when they were evaluated together.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// A value of an unrolled body: dense.
using unrolled_id = std::uint32_t;

inline constexpr unrolled_id no_unrolled = static_cast<unrolled_id>(-1);

/// A value plus a number, modulo 2^width of the value: base and literal. So the counter in copy k is the counter at the
/// top plus k steps, and an address is one with another offset; only where the sum itself is wanted is it computed.
struct unrolled_operand {
  unrolled_id node = no_unrolled;
  std::uint64_t addend = 0;

  friend constexpr bool operator==(const unrolled_operand&, const unrolled_operand&) = default;
};

/// A value of the new body. Each is computed once, whichever copies use it.
struct unrolled_node {
  body_kind kind; ///< no `join`: those are `pure`, as `select`
  operation_class cost;
  bool is_free;
  bool reassociates;
  bool is_volatile;
  bool guard_negated;
  bool is_join = false; ///< a `select` that was a `join`: without predication a branch does its work
  bool is_invariant; ///< does not change while the loop runs: constants, what comes from outside and what is computed
                     ///< of such
  operation_info info;
  std::uint32_t identity;
  std::uint32_t first_operand;
  std::uint32_t num_operands; ///< of a phi 0: see `next`
  std::uint32_t access;       ///< of a load or store
  unrolled_id guard;          ///< load, store, call: a value of one bit, or `no_unrolled`
  std::uint64_t bits;
  std::uint32_t copy; ///< the first that needed it
  body_id origin;     ///< what it came from
};

/// Where a load or store goes; all in 64 bits, so that the addends are part of the offset.
struct unrolled_access {
  unrolled_id base;
  unrolled_id index; ///< or `no_unrolled`; extended with its sign
  unrolled_operand stored;
  std::uint32_t bytes;
  std::uint32_t memory;
  std::int64_t scale;
  std::int64_t offset;
};

/// A branch out of the new body.
struct unrolled_exit {
  std::uint32_t copy;
  std::uint32_t edge;    ///< of the body
  unrolled_id predicate; ///< control leaves if it holds (or not, if `negated`)
  bool negated;
  bool is_counted = false;    ///< the test of `loop_counters::counted_exit`
  std::uint32_t position = 0; ///< nodes with an effect before this one precede the test, the others follow it
};

/// A sum of a value of the loop and a number. It takes an operation only where somebody wants it in a register.
struct unrolled_sum {
  std::uint32_t copy;
  body_id value; ///< of the loop body
  unrolled_operand sum;
};

/// What evaluating the copies together saved.
enum class saving_kind : std::uint8_t {
  folded,            ///< the result is a constant in this copy
  folded_test,       ///< a branch, guard or select is decided in this copy: `result` says how
  removed_exit_test, ///< the copy needs no test of this exit
  shared_expression, ///< an earlier copy computed it
  shared_load,       ///< an earlier copy loaded it
  forwarded_load,    ///< an earlier store has it
  dead_operation,    ///< nobody needs it in this copy: counters, above all
  vanished_phi       ///< a header phi that changed places has its own value again, and needs no move
};

inline constexpr std::size_t num_saving_kinds = 8;

namespace detail {

inline constexpr std::array<const char*, num_saving_kinds> saving_kind_names = {
    "folded",      "folded_test",    "removed_exit_test", "shared_expression",
    "shared_load", "forwarded_load", "dead_operation",    "vanished_phi"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(saving_kind k) {
  return detail::saving_kind_names[static_cast<std::size_t>(k)];
}

/// One of them: which value of the body in which copy.
struct unrolling_saving {
  saving_kind kind;
  std::uint32_t copy;
  body_id value;        ///< of a test its condition, or the value that is guarded
  std::uint64_t result; ///< folded: the constant; folded_test: 1 if it holds; shared: the copy that computes it

  friend constexpr bool operator==(const unrolling_saving&, const unrolling_saving&) = default;
};

/// How to unroll.
struct unroll_request {
  std::uint32_t copies = 1;

  /// The copies follow each other once, and no edge leads back: a loop unrolled completely, a remainder, what is
  /// peeled off.
  bool is_straight_line = false;

  /// Straight line: copy 0 is the first iteration, so phis are what they are on entry. Else phis are values from
  /// before.
  bool begins_at_entry = false;

  /// How many iterations come before copy 0 (of the first pass).
  std::uint64_t first_iteration = 0;

  /// Whether `first_iteration` says where copy 0 is. Else induction variables are known only as far as every
  /// iteration knows them.
  bool knows_position = true;

  /// Exits of `loop_counters::counted_exit` are not tested in the copies but in the last one of a loop. In a straight
  /// line none is.
  bool drops_counted_tests = true;

  /// One more copy (counted from 0) that keeps the test of the counted exit, so that the remainder leaves in the
  /// middle; or none.
  std::uint32_t mid_exit_copy = static_cast<std::uint32_t>(-1);
};

/// The copies, as values in an order in which operands come first. Refilled by `unroll_body`.
struct unrolled_body {
  flat_array<unrolled_node> nodes;
  flat_array<unrolled_operand> operands;
  flat_array<unrolled_access> accesses;
  flat_array<unrolled_id> phis;             ///< of the header, in the order of the body; `no_unrolled` where
                                            ///< the phi is known otherwise: in straight lines, behind what is peeled
  flat_array<unrolled_operand> next;        ///< by header phi: what it is in the next pass (behind a straight line)
  flat_array<unrolled_exit> exits;          ///< in the order in which control meets them
  flat_array<unrolled_operand> exit_values; ///< by exit, for each of the body's `live_out` what it is there; no node if
                                            ///< it is not computed on all ways to the exit
  flat_array<unrolled_operand> live_out;    ///< what is used behind the loop, after the last copy; no node as above
  flat_array<unrolled_sum> sums;            ///< in the order of copies; those with addend 0 may be left out
  flat_array<unrolling_saving> savings;     ///< in the order of copies; without `dead_operation` and `vanished_phi`
  std::uint32_t copies = 0;
  std::uint32_t inner_branches = 0; ///< conditions inside the body that stayed open: branches, without predication
  bool is_straight_line = false;
  bool has_call = false;

  constexpr void clear() {
    nodes.clear();
    operands.clear();
    accesses.clear();
    phis.clear();
    next.clear();
    exits.clear();
    exit_values.clear();
    live_out.clear();
    sums.clear();
    savings.clear();
    copies = 0;
    inner_branches = 0;
    is_straight_line = false;
    has_call = false;
  }

  constexpr std::span<const unrolled_operand> operands_of(unrolled_id n) const {
    return std::span<const unrolled_operand>(operands).subspan(nodes[n].first_operand, nodes[n].num_operands);
  }
};

MIDEND_END_NAMESPACE
