/// `program_region`: a piece of a program as plain data, ready to be lowered to a machine: one iteration of a loop, or
/// straight code.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A value of a region. Dense.
using region_id = std::uint32_t;

inline constexpr region_id no_region_value = static_cast<region_id>(-1);

/// A value plus a number, modulo 2^width of the value. An increment is a value plus its step, and an address is another
/// address with another offset; the sum is computed only where it is needed in a register.
struct region_operand {
  region_id node = no_region_value;
  std::uint64_t addend = 0;

  friend constexpr bool operator==(const region_operand&, const region_operand&) = default;
};

/// An operation or other value of a region.
struct region_value {
  /// A store that a later one overwrites before anything can read it is `pure`, and no other `pure` value has an
  /// access.
  region_value_kind kind;
  operation_class cost;
  bool is_free;
  bool reassociates;
  bool is_volatile;
  bool guard_negated;
  bool is_join = false; ///< a `select` that was a join: without predication, a branch does its work
  bool is_invariant;    ///< equal in all iterations: a constant, an invariant, or computed only from such values
  operation_info info;
  std::uint32_t identity;
  std::uint32_t first_operand;
  std::uint32_t num_operands; ///< 0 for a phi, see `program_region::next`
  std::uint32_t access;       ///< of a load or store; else `no_region_value`
  region_id guard;            ///< of a load, store or call: a value of one bit, or `no_region_value`
  std::uint64_t bits;         ///< of a constant
  std::uint32_t copy;         ///< of several copies of a body, the first that needed it
  std::uint32_t origin;       ///< the value that it was made for: one of the program
};

/// The address of a load or store: base + index · scale + offset in 64 bits. The addends of base and index are part of
/// the offset.
struct region_access {
  region_id base;
  region_id index;       ///< sign-extended to 64 bits; or `no_region_value`
  region_operand stored; ///< by a store; else no value
  std::uint32_t bytes;
  std::uint32_t memory;
  std::int64_t scale;
  std::int64_t offset;
  std::uint32_t local = any_memory; ///< a class within a run of the loop whose header is `scope`, which is around
  node_id scope = no_node;
};

/// A branch out of a region.
struct region_exit {
  std::uint32_t copy;
  std::uint32_t edge;  ///< of the program
  region_id predicate; ///< control leaves if this holds; if `negated`, if it does not
  bool negated;
  bool is_counted = false;    ///< the number of iterations decides it, not data: nothing waits for its test
  bool bounds_top = false;    ///< the bound of the test includes the addend of the counter, which takes no operation
  std::uint32_t position = 0; ///< values with an effect before this one precede the test, the others follow it
};

/// One iteration of a loop without its backedges, or straight code, in which branches have become predicates. Operands
/// precede their users.
struct program_region {
  flat_array<region_value> values;
  flat_array<region_operand> operands;
  flat_array<region_access> accesses;
  flat_array<region_id> phis;             ///< by header phi; `no_region_value` if it is another value
  flat_array<region_operand> next;        ///< by header phi: its value in the next iteration, or after straight code
  flat_array<region_exit> exits;          ///< in program order
  flat_array<region_operand> exit_values; ///< by exit, for each value that is used after the region, its value there;
                                          ///< none if some path to the exit does not compute it, or nothing reads it
                                          ///< after this exit
  flat_array<region_operand> live_out;    ///< values that are used after the region, by whichever exit; or none
  flat_array<value_id> live_out_values; ///< by element of `live_out`: the value of the program; set by `region_reader`
  std::uint32_t inner_branches = 0;     ///< that are not decided; needed without predication
  bool is_straight_line = false;
  bool has_call = false;
  bool ends_in_return = false; ///< of straight code: a branch without a condition ends it

  constexpr void clear() {
    values.clear();
    operands.clear();
    accesses.clear();
    phis.clear();
    next.clear();
    exits.clear();
    exit_values.clear();
    live_out.clear();
    live_out_values.clear();
    inner_branches = 0;
    is_straight_line = false;
    has_call = false;
    ends_in_return = false;
  }

  constexpr span<const region_operand> operands_of(region_id n) const {
    return span<const region_operand>(operands).subspan(values[n].first_operand, values[n].num_operands);
  }
};

MIDEND_END_NAMESPACE
