/// A procedure in the form that the interpreter executes: one flat list of instructions over the slots of a frame.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/run/detail/scope_loops.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

inline constexpr std::uint32_t no_index = 0xffff'ffff;

/// The state of a slot. The bits of a slot are valid only if it is `defined`; `or` of states is 0 if all are defined.
enum class slot_state : std::uint8_t {
  defined = 0,
  diagnostic = 1,
  undefined = 2, ///< the literal `undef`
  unwritten = 4, ///< a variable before its first assignment
};

constexpr slot_state operator|(slot_state a, slot_state b) {
  return static_cast<slot_state>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

/// The action of an instruction.
enum class action : std::uint8_t {
  // Results of a, b and c, which are defined.
  evaluate, ///< any operation of the vocabulary
  add,      ///< the frequent ones, without promises
  sub,
  mul,
  bit_and,
  bit_or,
  bit_xor,
  add_nsw,
  equal,
  not_equal,
  less,
  less_equal,
  uless,
  uless_equal,
  floating,
  integer_to_float,
  conversion,      ///< any other one that is not in the vocabulary
  extended,        ///< any computation, load or store of an `f80`
  load,            ///< from b + c·scale + offset, which is, without an index, b + b·0 + offset
  store,           ///< a, to the same place
  volatile_access, ///< one of these two
  // These return the chosen value in any state.
  move,
  select,
  guard, ///< may skip the next instruction, by the value of a; the result is then b
  // Calls, with `count` arguments from `first` on.
  call,
  host_call,
  bad_call,
  // Terminators.
  jump,
  branch,
  switch_,
  ret,
  unreachable,
};

struct instruction {
  action what = action::unreachable;
  bool speculative = false;
  bool negated = false; ///< of a guard
  bool is_volatile = false;
  bool noreturn = false;
  opcode code = opcode::mov;
  elbrus::type type = elbrus::type::none; ///< of the result; of a store, of what is stored
  elbrus::type operand_type = elbrus::type::none;
  operation_info info = {}; ///< `operand_width` of a load or store is that of the index
  std::uint8_t arity = 0;
  std::uint32_t result = no_index; ///< slots; `no_index` if there is none
  std::uint32_t a = no_index;
  std::uint32_t b = no_index;
  std::uint32_t c = no_index;
  value_id value = no_value;
  std::uint32_t first = no_index;  ///< argument, case; edge if a condition is true
  std::uint32_t count = 0;         ///< of arguments or cases; scale
  std::uint32_t target = no_index; ///< edge if the condition is false, default edge; callee
  std::int64_t offset = 0;
};

struct move {
  std::uint32_t to;
  std::uint32_t from;
};

/// The moves along an edge: the phis of its target, to be done in this order.
struct decoded_edge {
  std::uint32_t target = no_index; ///< instruction
  std::uint32_t first_move = 0;
  std::uint32_t num_moves = 0;
  std::uint32_t num_phis = 0;
  value_id first_phi = no_value;
  node_id scope = no_node; ///< the header of a loop with local classes that it enters
};

struct case_edge {
  std::uint64_t bits;
  std::uint32_t edge;
};

struct argument {
  std::uint32_t slot;
  elbrus::type type;
};

/// A local array.
struct local_slot {
  std::uint32_t slot;
  std::uint32_t bytes;
};

struct decoded_procedure {
  bool ready = false;
  std::vector<instruction> code;   ///< that of node 0 comes first
  std::vector<decoded_edge> edges; ///< by number
  std::vector<move> moves;
  std::vector<case_edge> cases; ///< ascending within a switch
  std::vector<argument> arguments;
  std::vector<local_slot> locals;
  std::size_t local_bytes = 0; ///< of all of them
  scope_loops scopes;          ///< of local classes

  // The frame at the beginning of the procedure, parameters first.
  std::vector<std::uint64_t> bits;
  std::vector<slot_state> states;
  std::vector<value_id> value_of; ///< slot

  std::size_t num_slots() const { return bits.size(); }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
