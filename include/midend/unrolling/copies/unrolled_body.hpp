/// `unrolled_body`: what is left of several copies of a loop body after they were evaluated together.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

// What an unrolled body has in common with other pieces of programs that are lowered to a machine.
using unrolled_id = region_id;
using unrolled_operand = region_operand;
using unrolled_node = region_value;
using unrolled_access = region_access;
using unrolled_exit = region_exit;

inline constexpr unrolled_id no_unrolled = no_region_value;

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

/// The result of `unroll_body`. Values whose origin is one of the loop body are those of a copy. `live_out` has the
/// values of `loop_body::live_out` after the last copy, `exit_values` those at each exit. A new loop has only those
/// that may be read after any exit. If the rolled loop follows: the next values of the header phis that they depend on.
/// Then the values that loads after a straight line find in memory. No exit value: the rolled loop computes it.
struct unrolled_body : program_region {
  flat_array<unrolled_sum> sums;        ///< by copy; sums with addend 0 may be missing
  flat_array<unrolling_saving> savings; ///< by copy; without `dead_operation` and `vanished_phi`, which show only
                                        ///< when the values that are used are known
  std::uint32_t copies = 0;

  constexpr void clear() {
    program_region::clear();
    sums.clear();
    savings.clear();
    copies = 0;
  }
};

/// The operations of several copies of a body, and what needs none.
struct lowered_copies : machine_body {
  flat_array<unrolling_saving> savings; ///< of kind `dead_operation` and `vanished_phi`
};

MIDEND_END_NAMESPACE
