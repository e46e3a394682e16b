/// What bringing an unrolled body on a machine works with.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/regroup.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr std::uint32_t no_lowered = static_cast<std::uint32_t>(-1);

/// What becomes of a value on a machine.
enum class lowered_as : std::uint8_t {
  nothing,     ///< nobody needs it
  outside,     ///< known before the body
  header_phi,  ///< what the pass before computed
  alias,       ///< takes no operation: who reads it reads its operands
  operations,  ///< one or more of its own
  with_select, ///< predicated, and computed where the select stands that alone reads it
  in_group     ///< inner node of a tree that is grouped anew and computed where its root stands
};

/// By node of the unrolled body.
struct lowered_node {
  std::uint32_t uses = 0;               ///< by what is needed
  std::uint32_t zero_tests = 0;         ///< uses that compare it with 0
  std::uint32_t first_sum = no_lowered; ///< of those with this node
  std::uint32_t phi = no_lowered;       ///< which header phi it is
  std::uint32_t reading = 0;            ///< in which it was looked through last
  operation_id result = no_lowered;     ///< the operation that has its value
  lowered_as as = lowered_as::nothing;
  std::uint8_t fused = 0;       ///< of a select: the operand that is computed under its predicate
  bool is_counted_test = false; ///< decides the counted exit
  bool is_needed = false;       ///< else it is dead
  bool is_next = false;         ///< a header phi has it in the next pass
  bool has_register = false;    ///< of what comes from outside: counted
};

/// A value and a number whose sum is wanted in a register.
struct lowered_sum {
  unrolled_operand value;
  std::uint32_t uses = 0;
  std::uint32_t next_sum = no_lowered; ///< of the same node
  operation_id result = no_lowered;
  bool with_select = false; ///< see `lowered_as`
  bool is_next = false;
};

/// That an operation reads a value, or keeps it if its own predicate does not hold.
struct lowered_use {
  operation_id consumer;
  std::uint32_t phi; ///< which header phi it is that is read
  std::uint32_t distance;
  dependence_kind kind;
  bool is_kept;
};

/// What a header phi is given for the next pass.
struct lowered_next {
  unrolled_operand value;
  operation_id move = no_lowered;
  bool takes_move = false;
};

/// By how much a value changes from pass to pass, modulo 2^64.
struct value_stride {
  bool is_known = false;
  std::uint64_t by = 0;
};

struct lowering_memory {
  bool has_order = false;     ///< dependences were added that `start` knows nothing of
  std::uint32_t readings = 0; ///< of operands, so far
  flat_array<lowered_node> nodes;
  flat_array<lowered_sum> sums;
  flat_array<unrolled_id> work;
  flat_array<unrolled_operand> aliases;  ///< still to be looked through
  flat_array<lowered_use> phi_uses;      ///< of what the pass before computes, where that is not there yet
  flat_array<lowered_next> next;         ///< by header phi
  flat_array<std::uint64_t> start;       ///< by operation, how early values and predicates of this pass let it be
  flat_array<unrolled_id> accesses;      ///< of memory, and calls
  flat_array<value_stride> strides;      ///< by node
  flat_array<regrouped_leaf> leaves;
  flat_array<regrouped_leaf> partial_results;
  flat_array<unrolled_id> tree;         ///< inner nodes of the tree in hand
  flat_array<std::uint64_t> depends_on; ///< by node, header phis as bits
  flat_array<std::uint64_t> decides;    ///< by node, the header phis whose next value depends on it
};

/// The place of a sum that is wanted; `no_lowered` if it is not.
constexpr std::uint32_t find_sum(const lowering_memory& w, unrolled_operand o) {
  std::uint32_t s = w.nodes[o.node].first_sum;
  while (s != no_lowered && w.sums[s].value.addend != o.addend) {
    s = w.sums[s].next_sum;
  }
  return s;
}

constexpr lowered_sum& sum_of(lowering_memory& w, unrolled_operand o) {
  return w.sums[find_sum(w, o)];
}

} // namespace detail

MIDEND_END_NAMESPACE
