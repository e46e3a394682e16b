/// `unrolled_body`: what is left of several copies of a loop body after they were evaluated together.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A value of an unrolled body. Dense.
using unrolled_id = std::uint32_t;

inline constexpr unrolled_id no_unrolled = static_cast<unrolled_id>(-1);

/// A value plus a number, modulo 2^width of the value. The counter in copy k is the counter at the top plus k steps,
/// and an address is another address with another offset; the sum is computed only where it is needed in a register.
struct unrolled_operand {
  unrolled_id node = no_unrolled;
  std::uint64_t addend = 0;

  friend constexpr bool operator==(const unrolled_operand&, const unrolled_operand&) = default;
};

/// An operation or other value of the new body. Each is computed once, whichever copies use it.
struct unrolled_node {
  body_kind kind; ///< never `join`: a join has become a `pure` node with the operation `select`. A store that a later
                  ///< one overwrites before anything can read it is `pure`, too, and no other `pure` node has an access
  operation_class cost;
  bool is_free;
  bool reassociates;
  bool is_volatile;
  bool guard_negated;
  bool is_join = false;        ///< a `select` that was a join: without predication, a branch does its work
  bool is_invariant;           ///< the same in all iterations: a constant, an invariant, or computed only from such
  bool is_before_nest = false; ///< of a straight line: computed only from values from before the loop around it
  bool follows_join = false;   ///< computed from a `select` that was a join, from which no pass moves it away
  operation_info info;
  std::uint32_t identity;
  std::uint32_t first_operand;
  std::uint32_t num_operands; ///< 0 for a phi, see `unrolled_body::next`
  std::uint32_t access;       ///< of a load or store; else `no_unrolled`
  unrolled_id guard;          ///< of a load, store or call: a value of one bit, or `no_unrolled`
  std::uint64_t bits;         ///< of a constant
  std::uint32_t copy;         ///< the first that needed it
  body_id origin;             ///< the value of the loop body that it was made for
};

/// The address of a load or store: base + index · scale + offset in 64 bits. The addends of base and index are part of
/// the offset.
struct unrolled_access {
  unrolled_id base;
  unrolled_id index;       ///< sign-extended to 64 bits; or `no_unrolled`
  unrolled_operand stored; ///< by a store; else no node
  std::uint32_t bytes;
  std::uint32_t memory;
  std::int64_t scale;
  std::int64_t offset;
};

/// A branch out of the new body.
struct unrolled_exit {
  std::uint32_t copy;
  std::uint32_t edge;    ///< of the body
  unrolled_id predicate; ///< control leaves if this holds; if `negated`, if it does not
  bool negated;
  bool is_counted = false;    ///< the test of `loop_counters::counted_exit`
  bool bounds_top = false;    ///< the bound of the test includes what is added to the counter, which takes no operation
  std::uint32_t position = 0; ///< nodes with an effect before this one precede the test, the others follow it
};

/// A sum of a value and a number. It takes an operation only if some use needs it in a register.
struct unrolled_sum {
  std::uint32_t copy;
  body_id value; ///< of the loop body
  unrolled_operand sum;
};

/// How an operation of a copy was saved.
enum class saving_kind : std::uint8_t {
  folded,            ///< its result is a constant in this copy
  folded_test,       ///< the condition of a branch, guard or select is a constant in this copy
  removed_exit_test, ///< the copy does not need this test, because the new loop counts its iterations
  shared_expression, ///< an earlier copy has computed the same
  shared_load,       ///< an earlier copy has loaded the same place
  forwarded_load,    ///< an earlier store has written the place
  dead_operation,    ///< nothing uses the result in this copy: increments of counters, above all
  vanished_phi       ///< a header phi that was rotated is its own next value again, and needs no move
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

/// An operation that was saved: which value of the loop body, in which copy.
struct unrolling_saving {
  saving_kind kind;
  std::uint32_t copy;
  body_id value;        ///< of a test its condition, or the guarded operation
  std::uint64_t result; ///< folded: the constant; folded_test: 1 if it holds; shared: the copy that computes it

  friend constexpr bool operator==(const unrolling_saving&, const unrolling_saving&) = default;
};

/// What to evaluate.
struct unroll_request {
  std::uint32_t copies = 1;

  /// The copies run once, without a backedge: a loop that is unrolled completely, a remainder, peeled iterations.
  bool is_straight_line = false;

  /// For a straight line: copy 0 is the first iteration, and header phis have their initial values. Otherwise header
  /// phis are values from the iteration before.
  bool begins_at_entry = false;

  /// The number of iterations before copy 0 runs for the first time.
  std::uint64_t first_iteration = 0;

  /// Whether `first_iteration` is known. If not, only what holds in every iteration is known about induction variables.
  bool knows_position = true;

  /// The copies do not test the exit `loop_counters::counted_exit`; in a loop the last copy does. In a straight line no
  /// copy does.
  bool drops_counted_tests = true;

  /// For a straight line: the last copy is the last iteration, whatever its test says. It leaves by the exit of the
  /// loop if there is only one.
  bool ends_loop = false;

  /// A copy, counted from 0, that keeps the test of the counted exit all the same, so that the remainder leaves in the
  /// middle; or -1 for none.
  std::uint32_t mid_exit_copy = static_cast<std::uint32_t>(-1);

  /// The rolled loop runs the remaining iterations, at least one. So values that are used after the loop are those of
  /// the rolled loop, and where the counted exit leaves the new body, only the header phis are needed.
  bool continues_rolled = false;

  /// One copy as the program writes it, to count what is there: each operation is a node of its own. Nothing is folded,
  /// shared, forwarded or moved before the loop. What an instruction selector sees at one operation stays: a number
  /// added in an address, a division of what is not negative, a bit that is negated.
  bool as_written = false;
};

/// The result of `unroll_body`. Operands precede their users.
struct unrolled_body {
  flat_array<unrolled_node> nodes;
  flat_array<unrolled_operand> operands;
  flat_array<unrolled_access> accesses;
  flat_array<unrolled_id> phis;             ///< by header phi of the loop body; `no_unrolled` if it is another value:
                                            ///< in straight lines, and after peeled iterations
  flat_array<unrolled_operand> next;        ///< by header phi: its value in the next iteration of the new loop, or
                                            ///< after a straight line
  flat_array<unrolled_exit> exits;          ///< in program order
  flat_array<unrolled_operand> exit_values; ///< by exit, for each of `loop_body::live_out` its value there; no node if
                                            ///< some path to the exit does not compute it, nothing reads it after this
                                            ///< exit, or the rolled loop computes it
  flat_array<unrolled_operand> live_out; ///< the values of `loop_body::live_out` after the last copy; likewise. A new
                                         ///< loop has only those that may be read after any exit. If the rolled loop
                                         ///< follows: the next values of the header phis that they depend on. Then
                                         ///< the values that loads after a straight line find in memory
  flat_array<unrolled_sum> sums;         ///< by copy; sums with addend 0 may be missing
  flat_array<unrolling_saving> savings;  ///< by copy; without `dead_operation` and `vanished_phi`, which show only
                                         ///< when the nodes that are used are known
  std::uint32_t copies = 0;
  std::uint32_t inner_branches = 0; ///< branches inside the copies that are not decided; needed without predication
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

  constexpr span<const unrolled_operand> operands_of(unrolled_id n) const {
    return span<const unrolled_operand>(operands).subspan(nodes[n].first_operand, nodes[n].num_operands);
  }
};

MIDEND_END_NAMESPACE
