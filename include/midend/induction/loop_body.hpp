/// `loop_body`: one iteration of a loop, as data that knows nothing of the IR that it was read from.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Why a loop has no body to look at.
enum class loop_obstacle : std::uint8_t {
  none,
  contains_loop,  ///< the loop is not innermost
  irreducible,    ///< there is a cycle inside that is no natural loop
  unusual_control ///< control leaves a block in a way that no condition decides
};

/// A value of a loop body: dense, `0 … num_values() - 1`.
using body_id = std::uint32_t;

inline constexpr body_id no_body_value = static_cast<body_id>(-1);

/// What a value of a loop body is.
enum class body_kind : std::uint8_t {
  phi,       ///< of the header. Operands: what it is on entry, what it is in the next iteration
  constant,  ///< `bits`
  invariant, ///< from before the loop, a number that is not known
  join,      ///< phi of another block. Operands: one for each edge into the block, in the order of `in_edges`
  pure,      ///< computes `info` from its operands, and nothing else
  load,      ///< `access` says from where
  store,     ///< `access` says where and what
  call       ///< may do anything: nothing is moved across it
};

/// A value. `info.width` is the width of every value that has bits.
struct body_value {
  body_kind kind;
  operation_class cost;   ///< of an operation that is issued as it stands
  bool is_free;           ///< takes no operation
  bool reassociates;      ///< may change places with operations of the same kind
  bool is_volatile;       ///< a load or store that is neither dropped nor shared
  bool guard_negated;     ///< the guard must be 0
  operation_info info;    ///< `other` if the vocabulary has no word; two of them are the same only if `info`,
                          ///< `cost` and `identity` agree
  std::uint32_t identity; ///< tells operations that are `other` apart; 0 if it computes nothing twice
  std::uint32_t block;    ///< by which it is computed; of phis 0, of what comes from outside `no_body_value`
  std::uint32_t first_operand;
  std::uint32_t num_operands;
  std::uint32_t access; ///< of a load or store
  body_id guard;        ///< load, store, call: does nothing unless this holds; or `no_body_value`
  std::uint64_t bits;   ///< of a constant
  value_id origin;      ///< in the IR
};

/// Where a load or store goes: base + index · scale + offset, in 64 bits; an index of fewer bits is extended with its
/// sign. All that the address and a store are made of is here: a load or store has no operands beside it.
struct body_access {
  body_id base;         ///< `no_body_value`: anywhere
  body_id index;        ///< or `no_body_value`
  body_id stored;       ///< what a store writes; else `no_body_value`
  std::uint32_t bytes;  ///< 0: not known
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
  body_id
      condition;  ///< decides which of its edges is taken; `no_body_value` if there is one, or something else decides
  node_id origin; ///< in the IR; `no_node` of the bottom
};

/// An edge from a block of the loop.
struct body_edge {
  static constexpr std::uint32_t leaves = static_cast<std::uint32_t>(-1);

  std::uint32_t source;
  std::uint32_t target;     ///< a block, or `leaves`
  bool has_case;            ///< taken if the condition is `case_value`; else if it is none of the cases of the others
  std::uint64_t case_value; ///< of a two-way branch 1 and 0
  node_id origin;           ///< where it leads in the IR
};

/// One iteration of an innermost loop, without backedges: blocks in topological order, block 0 the header, the last
/// one the *bottom*, to which all edges back lead and where the next iteration begins; if there are several, it has
/// a `join` for each phi whose inputs differ. Values come in this order: the phis of the header, what comes from
/// outside, the operations and joins block by block. So operands come before their users, but for the second operand
/// of a phi.
///
/// Plain data to be filled in, by `describe_loop` or by hand.
struct loop_body {
  flat_array<body_value> values;
  flat_array<body_id> operands;
  flat_array<body_access> accesses;
  flat_array<body_block> blocks;
  flat_array<body_edge> edges;
  flat_array<std::uint32_t> in_edges; ///< numbers of edges, by target
  flat_array<body_id> live_out;       ///< values that are used behind the loop, ascending
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

  constexpr std::span<const body_id> operands_of(body_id v) const {
    return std::span<const body_id>(operands).subspan(values[v].first_operand, values[v].num_operands);
  }

  constexpr body_id initial(body_id phi) const { return operands_of(phi)[0]; }

  constexpr body_id next(body_id phi) const { return operands_of(phi)[1]; }

  constexpr std::span<const std::uint32_t> in_edges_of(std::uint32_t block) const {
    const body_block& b = blocks[block];
    return std::span<const std::uint32_t>(in_edges).subspan(b.first_in_edge, b.last_in_edge - b.first_in_edge);
  }
};

MIDEND_END_NAMESPACE
