/// The records of the Elbrus-like IR: values, nodes and edges.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/span.hpp"

#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A place in a file, from 1 on; 0 where there is none.
struct source_location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend constexpr bool operator==(source_location, source_location) = default;
};

/// A name in the table of a procedure; 0 for none.
using name_id = std::uint32_t;

/// An alias class of a procedure. Accesses of different classes never overlap.
using alias_id = std::uint32_t;

/// The access may overlap anything.
inline constexpr alias_id no_alias = 0xffff'ffff;

/// The most bytes of a local array.
inline constexpr std::uint32_t largest_local = 0x7fff'ffff;

/// The count is not known.
inline constexpr std::uint64_t no_count = ~std::uint64_t{0};

/// The kind of a value.
enum class value_kind : std::uint8_t {
  parameter,
  variable,  ///< the variable itself; as an operand, its current value
  constant,  ///< a literal: `bits`
  undefined, ///< the literal `undef`: the value of a variable that was not written
  local,     ///< the address of a local array: memory of its own for each call of the procedure
  operation, ///< an operation in a node
  erased
};

/// The flags of an operation.
struct attributes {
  bool nsw : 1 = false;         ///< the program promises no signed overflow
  bool assoc : 1 = false;       ///< reassociation is allowed
  bool spec : 1 = false;        ///< speculative: gives a diagnostic value instead of a fault
  bool is_volatile : 1 = false; ///< a load or store that must be done
  bool noreturn : 1 = false;    ///< a call that does not return

  friend constexpr bool operator==(attributes, attributes) = default;
};

/// The address `[base + index*scale + offset]`. Base and index are operands of the operation.
struct memory_access {
  bool indexed = false;
  std::uint32_t scale = 1;
  std::int64_t offset = 0;
  alias_id alias = no_alias;
  alias_id local = no_alias; ///< a class that holds within a run of the loop with header `scope`
  node_id scope = no_node;

  friend constexpr bool operator==(const memory_access&, const memory_access&) = default;
};

/// The memory that a call may write.
enum class clobber_kind : std::uint8_t { anything, nothing, listed };

/// The callee of a call, and the memory that it may write.
struct call_record {
  name_id callee = 0;
  clobber_kind clobbers = clobber_kind::anything;
  midend::detail::pooled_list classes = {}; ///< of `clobber_kind::listed`
};

/// The part of a value that most passes read. Values, statements and variables of the IR contract share one number
/// here. Passes wait for the memory of a large procedure more than they compute: so this is half a cache line, and the
/// procedure stores names and locations elsewhere.
struct value_core {
  value_kind kind : 3 = value_kind::erased;
  bool guarded : 1 = false;       ///< the operands end with a predicate …
  bool guard_negated : 1 = false; ///< … which must be 0
  bool has_otherwise : 1 = false; ///< … and with the result if the operation does not run
  opcode code = opcode::mov;
  elbrus::type type : 4 = elbrus::type::none;         ///< of the value; `none` if the operation has no result
  elbrus::type operand_type : 4 = elbrus::type::none; ///< of a comparison, conversion, store or switch
  attributes flags = {};
  value_id variable = no_value; ///< valid if it writes a variable: that one; the operation then has no name
  node_id node = no_node;
  value_id previous = no_value; ///< in the node
  value_id next = no_value;
  midend::detail::pooled_list operands = {};
  std::uint32_t extra = 0; ///< number of the access, of the call or of the literal; bytes of a local array
};

/// A value of any kind, whole.
struct value_record : value_core {
  name_id name = 0;
  std::uint64_t bits = 0; ///< of a constant, with zeros above its width
  source_location location = {};
};

/// The hints of the program about the runs of a loop header; 0 for no hint.
struct trip_hint {
  std::uint64_t average = 0;
  std::uint64_t maximum = 0;
  std::uint64_t multiple = 0;

  friend constexpr bool operator==(const trip_hint&, const trip_hint&) = default;
};

/// The part of a node that most passes read.
struct node_core {
  name_id name = 0;
  bool erased = false;
  opcode last_code = opcode::mov; ///< of its last value, if it has one: the end of a node is the most frequent question
  value_id first = no_value;      ///< its first value: phis come first
  value_id last = no_value;
  midend::detail::pooled_list out = {}; ///< edges, in the order of the terminator
  midend::detail::pooled_list in = {};  ///< edges, in the order of the operands of phis
};

/// A node, whole.
struct node_record : node_core {
  std::uint64_t count = no_count;
  trip_hint hint = {};
  source_location location = {};
};

/// An edge, whole: a procedure has the members in arrays of their own. `case_value` of the edges of a branch is 1 and
/// 0.
struct edge_record {
  node_id source = no_node; ///< `no_node` if it was erased
  node_id target = no_node;
  std::uint32_t position = 0; ///< among the edges into its target
  bool is_default = true;     ///< of a switch, or the only edge of a jump
  std::uint64_t case_value = 0;
  double probability = -1; ///< negative for unknown
};

namespace detail {

/// The parts of a value, a node and an edge that few passes read.
struct value_details {
  name_id name = 0;
  source_location location = {};
};

struct node_details {
  std::uint64_t count = no_count;
  trip_hint hint = {};
  source_location location = {};
};

/// The place of an edge among those into its target, and whether it is the default.
struct edge_place {
  std::uint32_t position : 31 = 0;
  std::uint32_t is_default : 1 = 1;
};

struct edge_details {
  std::uint64_t case_value = 0;
  double probability = -1;
};

} // namespace detail

/// A description of an operation to make; `value_record` documents the members.
struct operation_draft {
  opcode code = opcode::mov;
  elbrus::type type = elbrus::type::none;
  elbrus::type operand_type = elbrus::type::none;
  span<const value_id> operands =
      {}; ///< without guard and otherwise; of `ld`: base, index; of `st`: value, base, index
  attributes flags = {};
  value_id guard = no_value;
  bool guard_negated = false;
  value_id otherwise = no_value;
  value_id variable = no_value;
  std::string_view name = {};
  memory_access access = {};
  source_location location = {};
};

} // namespace elbrus

MIDEND_END_NAMESPACE
