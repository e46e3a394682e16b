/// `loop_body`: one iteration of a loop as plain data, independent of the IR that it was read from.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/body_kind.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop cannot be described as a `loop_body`.
enum class loop_obstacle : std::uint8_t {
  none,
  contains_loop,  ///< the loop is not innermost
  irreducible,    ///< contains a cycle that is not a natural loop
  unusual_control ///< a block has several successors, and no value decides between them
};

/// Whether the description of a loop with this obstacle says enough to count its iterations.
constexpr bool can_be_counted(loop_obstacle o) {
  return o == loop_obstacle::none || o == loop_obstacle::unusual_control;
}

/// A value. `info.width` is the width of its bits, if it has bits, whatever its kind.
struct body_value {
  body_kind kind;
  operation_class cost; ///< the class in which it is issued, unless it is free
  bool is_free;         ///< takes no issue slot
  bool is_volatile;     ///< a load or store that is neither removed nor merged with another
  bool guard_negated;   ///< runs if the guard is 0
  operation_info info;  ///< `other` if the vocabulary has no operation for it
  std::uint32_t block;  ///< the block that computes it; 0 for phis, `no_body_value` for values from outside
  std::uint32_t first_operand;
  std::uint32_t num_operands;
  std::uint32_t access;        ///< of a load or store
  body_id guard;               ///< of a load, store or call: it runs only if this holds; `no_body_value`: always
  std::uint64_t bits;          ///< of a constant
  value_id origin;             ///< in the IR
  bool writes_nothing = false; ///< a call after which memory is as it was
  bool returns = false;        ///< a call after which control surely goes on
};

/// The address of a load or store, base + index · scale + offset in 64 bits, and what a store writes; an index of fewer
/// bits is sign-extended. A load or store has no operands besides these.
struct body_access {
  body_id base;         ///< `no_body_value`: the address is unknown
  body_id index;        ///< `no_body_value`: no index
  body_id stored;       ///< what a store writes; else `no_body_value`
  std::uint32_t bytes;  ///< 0: unknown
  std::uint32_t memory; ///< class of memory, or `any_memory`
  std::int64_t scale;
  std::int64_t offset;
};

/// A block of the loop. Its values are consecutive; the phis of the header are not among them.
struct body_block {
  body_id first_value;
  body_id last_value; ///< one past
  std::uint32_t first_edge;
  std::uint32_t last_edge; ///< one past
  std::uint32_t first_in_edge;
  std::uint32_t last_in_edge; ///< one past
  body_id condition; ///< decides which edge is taken; `no_body_value` if there is one edge, or if no value decides
  node_id origin;    ///< in the IR; `no_node` for the bottom
};

/// An edge from a block of the loop.
struct body_edge {
  static constexpr std::uint32_t leaves = static_cast<std::uint32_t>(-1);

  std::uint32_t source;
  std::uint32_t target;     ///< a block, or `leaves`
  bool has_case;            ///< taken if the condition is `case_value`; without a case, if no other edge is taken
  std::uint64_t case_value; ///< 1 and 0 for the edges of a two-way branch
  node_id origin;           ///< its target in the IR
};

/// One iteration of an innermost loop, without backedges: blocks in topological order. Block 0 is the header. The last
/// block is the *bottom*, the target of all backedges, after which the next iteration begins; if there are several
/// backedges, the bottom has a `join` for each phi whose inputs differ. Values are ordered as follows: the phis of the
/// header, the values from outside, the operations and joins block by block. So operands precede their users, except
/// for the second operand of a phi.
///
/// Plain data, filled in by `describe_loop` or by hand.
struct loop_body {
  flat_array<body_value> values;
  flat_array<body_id> operands;
  flat_array<body_access> accesses;
  flat_array<body_block> blocks;
  flat_array<body_edge> edges;
  flat_array<std::uint32_t> in_edges; ///< positions in `edges`, grouped by target
  flat_array<body_id> live_out;       ///< values that are used after the loop, ascending
  std::uint32_t num_phis = 0;
  loop_hints hints;

  constexpr void clear() {
    values.clear();
    operands.clear();
    accesses.clear();
    blocks.clear();
    edges.clear();
    in_edges.clear();
    live_out.clear();
    num_phis = 0;
    hints = {};
  }

  constexpr std::size_t num_values() const { return values.size(); }

  constexpr std::uint32_t bottom() const { return static_cast<std::uint32_t>(blocks.size() - 1); }

  constexpr span<const body_id> operands_of(body_id v) const {
    return span<const body_id>(operands).subspan(values[v].first_operand, values[v].num_operands);
  }

  /// The value of a header phi on entry.
  constexpr body_id initial(body_id phi) const { return operands_of(phi)[0]; }

  /// The value of a header phi in the next iteration.
  constexpr body_id next(body_id phi) const { return operands_of(phi)[1]; }

  constexpr span<const std::uint32_t> in_edges_of(std::uint32_t block) const {
    const body_block& b = blocks[block];
    return span<const std::uint32_t>(in_edges).subspan(b.first_in_edge, b.last_in_edge - b.first_in_edge);
  }
};

namespace detail {

/// Fills in the edges into each block, in the order of `edges`. A counting sort, with `last_in_edge` as the counter.
/// Requires that the blocks have none.
constexpr void group_edges_by_target(loop_body& body) {
  for (const body_edge& e : body.edges) {
    if (e.target != body_edge::leaves) {
      ++body.blocks[e.target].last_in_edge;
    }
  }
  std::uint32_t total = 0;
  for (body_block& block : body.blocks) {
    block.first_in_edge = total;
    total += block.last_in_edge;
    block.last_in_edge = block.first_in_edge;
  }
  body.in_edges.resize_for_overwrite(total);
  std::uint32_t number = 0;
  for (const body_edge& e : body.edges) {
    if (e.target != body_edge::leaves) {
      body.in_edges[body.blocks[e.target].last_in_edge++] = number;
    }
    ++number;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
