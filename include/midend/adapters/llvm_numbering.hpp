/// The numbers of an LLVM function: blocks, instructions, and operands. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbering_memory.hpp"
#include "midend/adapters/detail/llvm_operation_record.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Use.h>
#include <llvm/Support/Compiler.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Instructions get 0, 1, … in the order of the function, then come arguments, then constants in the order of first
/// use.
///
/// One walk over the instructions numbers and reads them: walking LLVM's lists waits for memory, and reading one
/// instruction takes about as long as fetching the next. The others get their final numbers when the instructions have
/// been counted. Operands that come later in the function are filled in after the walk. Operands of phis are in the
/// order of the edges, so they come last.
class llvm_numbering {
public:
  /// Reads everything but the operands of phis.
  void read(const llvm::Function& f, const llvm_fold_options& options = {}) {
    copies_fields_ = options.copies_fields;
    subtracts_addresses_ = options.subtracts_addresses;
    num_blocks_ = 0;
    num_others_ = 0;
    num_instructions_ = 0;
    num_slots_ = 0;
    const std::size_t num_blocks = f.size();
    num_arguments_ = static_cast<value_id>(f.arg_size());
    const std::size_t num_keys = 10 * num_blocks + num_arguments_; // about as many values, to begin with
    const std::size_t num_slots = num_keys < 32 ? 64 : std::bit_ceil(2 * num_keys);
    memory_.start({.values = 10 * num_blocks + num_arguments_ + 14,
                   .operands = 16 * num_blocks + 32,
                   .others = num_arguments_ + num_blocks + 20,
                   .blocks = num_blocks + 1,
                   .edges = 4 * num_blocks + 4,
                   .slots = num_slots}); // enough for most functions
    start_map(num_slots);
    num_blocks_ = num_blocks;
    number_blocks(f);
    for (const llvm::Argument& a : f.args()) {
      add_other(&a);
    }
    read_instructions();
    MIDEND_ASSERT(num_instructions_ < max_values, "less than 2^30 instructions", num_instructions_);
    if (has_late_operands_) {
      read_late_operands();
    }
  }

  /// Reads the rest, once the edges are known.
  void complete(const csr_graph& g) {
    if (has_phis_) {
      memory_.require({.edges = 2 * g.num_edges() + num_blocks_}, used());
      for (std::size_t n = 0; n != num_blocks_; ++n) {
        read_phis(g, static_cast<node_id>(n));
      }
    }
    num_values_ = num_instructions_ + num_others_;
    memory_.require({.values = num_values_ + 1}, used());
    const auto first =
        static_cast<std::uint32_t>(num_instructions_ - num_blocks_ - 1); // less the place of an other one
    value_id* const operand = memory_.operands();
    for (std::size_t i = 0; i != num_operands_; ++i) {
      operand[i] = static_cast<place>(operand[i]) < 0 ? first - operand[i] : operand[i];
    }
    const auto end = static_cast<std::uint32_t>(num_operands_);
    const llvm::Value** const key = memory_.keys();
    const llvm::Value** const first_other = key + place_of_other(0);
    numbered_value* const value = memory_.values();
    for (std::size_t i = 0, v = num_instructions_; i != num_others_; ++i, ++v) {
      const llvm::Value* const other = *(first_other - i);
      key[v] = other;
      value[v] = {llvm_operation_record::outside(*other), end};
    }
    value[num_values_] = {{}, end};
  }

  /// The number of a value; `no_value` if it has none.
  value_id number(const llvm::Value* v) const {
    const place at = find(v);
    return at >= 0 ? static_cast<value_id>(at)
           : at == nowhere || static_cast<std::size_t>(~at) < num_blocks_
               ? no_value
               : num_instructions() + static_cast<value_id>(~at) - static_cast<value_id>(num_blocks_);
  }

  node_id node(const llvm::BasicBlock* b) const {
    const place at = find(b);
    return at == nowhere ? no_node : static_cast<node_id>(~at);
  }

  std::size_t num_blocks() const { return num_blocks_; }

  const llvm::BasicBlock* block(std::size_t n) const {
    MIDEND_ASSERT(n < num_blocks_, "a block of the function", n, num_blocks_);
    return static_cast<const llvm::BasicBlock*>(memory_.keys()[place_of_block(n)]);
  }

  std::size_t num_values() const { return num_values_; }

  const llvm::Value* value(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return memory_.keys()[v];
  }

  value_id num_instructions() const { return static_cast<value_id>(num_instructions_); }

  value_id num_arguments() const { return num_arguments_; }

  /// The first value of block `n`; for the number of blocks, one past the last value of the last block.
  value_id first_value(std::size_t n) const {
    MIDEND_ASSERT(n <= num_blocks_, "a block of the function", n, num_blocks_);
    return memory_.first_values()[n];
  }

  const llvm_operation_record& record(value_id v) const { return value_record(v).record; }

  llvm_operation_record& record(value_id v) {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return memory_.values()[v].record;
  }

  /// Makes `of` the first operand.
  void set_first_operand(value_id v, value_id of) {
    MIDEND_ASSERT(!operands(v).empty(), "an instruction with operands", v);
    memory_.operands()[value_record(v).first_operand] = of;
  }

  /// The operands of an instruction; empty for arguments and constants.
  span<const value_id> operands(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    const numbered_value* const at = memory_.values() + v;
    return {memory_.operands() + at[0].first_operand, memory_.operands() + at[1].first_operand};
  }

  /// The position of an edge among those into its target. Requires that the target has phis.
  std::uint32_t position(edge_id e) const { return memory_.positions()[e]; }

private:
  using numbered_value = llvm_numbering_memory::numbered_value;

  using place = llvm_numbering_memory::place;

  /// The place of a value without a number. All its bytes are equal.
  static constexpr place nowhere = static_cast<place>(0x8080'8080);

  static constexpr std::size_t max_values = 0x4000'0000;

  static constexpr place place_of_block(std::size_t n) {
    return static_cast<place>(-1 - static_cast<std::ptrdiff_t>(n));
  }

  place place_of_other(std::size_t i) const { return place_of_block(num_blocks_ + i); }

  llvm_numbering_memory::contents used() const { return {num_instructions_, num_blocks_ + num_others_, num_slots_}; }

  // The map from addresses to places: as in `hash_map`, but in the memory of the view, and it grows by inserting all
  // keys again. A slot has only the place of a key, so that there is little to clear.

  void start_map(std::size_t num_slots) {
    num_slots_ = num_slots;
    shift_ = 64 - std::countr_zero(num_slots);
    std::memset(memory_.slots(), nowhere & 0xff, num_slots * sizeof(place));
  }

  /// Where the key is, or would go.
  const place& slot_of(const llvm::Value* key) const {
    const place* const all = memory_.slots();
    const llvm::Value* const* const known = memory_.keys();
    const std::size_t mask = num_slots_ - 1;
    auto at = static_cast<std::size_t>((hash_of_handle()(key) * 0x9e37'79b9'7f4a'7c15) >> shift_);
    while (all[at] != nowhere && known[all[at]] != key) {
      at = (at + 1) & mask;
    }
    return all[at];
  }

  /// The place of a key, or `nowhere`.
  place find(const llvm::Value* key) const { return num_slots_ == 0 ? nowhere : slot_of(key); }

  /// Requires that the key is not there, and that there is room.
  void insert(const llvm::Value* key, place at) {
    const_cast<place&>(slot_of(key)) = at;
    memory_.keys()[at] = key;
  }

  std::size_t num_keys() const { return num_blocks_ + num_instructions_ + num_others_; }

  /// Makes room for keys; at most half of the slots are used.
  MIDEND_NEVER_INLINED void add_slots(std::size_t count) {
    const std::size_t wanted = std::bit_ceil(2 * count);
    const std::size_t slots = wanted < 2 * num_slots_ ? 2 * num_slots_ : wanted;
    num_slots_ = 0; // nothing to keep
    memory_.require({.slots = slots}, used());
    start_map(slots);
    const auto end = static_cast<place>(num_instructions_);
    for (place at = place_of_other(num_others_) + 1; at != end; ++at) {
      const_cast<place&>(slot_of(memory_.keys()[at])) = at;
    }
  }

  const numbered_value& value_record(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return memory_.values()[v];
  }

  void number_blocks(const llvm::Function& f) {
    std::size_t n = 0;
    for (const llvm::BasicBlock& b : f) {
      insert(&b, place_of_block(n++));
    }
  }

  void read_instructions() {
    has_phis_ = false;
    has_late_operands_ = false;
    value_id v = 0;
    std::size_t end = 0; // of the operands
    for (std::size_t n = 0; n != num_blocks_; ++n) {
      memory_.first_values()[n] = v;
      for (const llvm::Instruction& i : *block(n)) {
        prefetch_next(i);
        make_room(n, v, end, i.getNumOperands());
        insert(&i, static_cast<place>(v));
        num_instructions_ = v + std::size_t{1};
        numbered_value& at = memory_.values()[v];
        at.first_operand = static_cast<std::uint32_t>(end);
        value_id* const to = memory_.operands() + end;
        end += static_cast<std::size_t>(read_instruction(i, at.record, to) - to);
        ++v;
      }
    }
    num_operands_ = end;
    memory_.first_values()[num_blocks_] = v;
  }

  /// Reads instructions again that had operands without a number.
  MIDEND_SELDOM_CALLED void read_late_operands() {
    for (std::size_t v = 0; v != num_instructions_; ++v) {
      const value_id* const first = memory_.operands() + memory_.values()[v].first_operand;
      const value_id* const end =
          memory_.operands() + (v + 1 == num_instructions_ ? num_operands_ : memory_.values()[v + 1].first_operand);
      for (const value_id* at = first; at != end && !is_phi(v); ++at) {
        if (*at == static_cast<value_id>(nowhere)) {
          read_instruction(llvm::cast<llvm::Instruction>(*memory_.keys()[v]), memory_.values()[v].record,
                           memory_.operands() + memory_.values()[v].first_operand);
          break;
        }
      }
    }
  }

  /// Makes room for instruction `v` in block `n`, with `count` operands after the first `end`; a field may be replaced
  /// by two.
  void make_room(std::size_t n, value_id v, std::size_t end, std::size_t count) {
    if (v >= memory_.has().values || end + count >= memory_.has().operands ||
        num_others_ + count >= memory_.has().others) [[unlikely]] {
      enlarge_for_rest(n, v + std::size_t{1}, end + count + 1, num_others_ + count + 1);
    }
    if (2 * (num_keys() + count + 2) > num_slots_) [[unlikely]] {
      add_slots(num_keys() + count + 2);
    }
  }

  /// Enlarges the memory. The blocks up to `n` have so many values and operands; expects that the others are alike.
  MIDEND_SELDOM_CALLED void enlarge_for_rest(std::size_t n, std::size_t values, std::size_t operands,
                                             std::size_t others) {
    const auto expected = [&](std::size_t so_far) {
      return so_far + so_far / 2 + 8 + so_far * (num_blocks_ - n - 1) / (n + 1);
    };
    memory_.enlarge({.values = expected(values),
                     .operands = expected(operands),
                     .others = expected(others),
                     .slots = std::bit_ceil(2 * (num_blocks_ + expected(values + others)))},
                    used());
  }

  /// Operands are in front of their instruction.
  static void prefetch_next(const llvm::Instruction& i) {
    if (const auto* const next = reinterpret_cast<const char*>(i.getNextNode())) {
      LLVM_PREFETCH(next - sizeof(llvm::Use), 0, 3);
      LLVM_PREFETCH(next + sizeof(llvm::Instruction) - 1, 0, 3);
    }
  }

  MIDEND_ALWAYS_INLINED value_id* read_instruction(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    const llvm_opcode& opcode = llvm_opcode::of(i.getOpcode());
    return visit_llvm_kind(opcode.is, [&](auto is) MIDEND_ALWAYS_INLINED {
      r = llvm_operation_record::of<is()>(i, opcode);
      return read_operands<is()>(i, r, to);
    });
  }

  template <llvm_opcode::kind Is>
  value_id* read_operands(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    using kind = llvm_opcode::kind;
    if constexpr (Is == kind::phi) {
      has_phis_ = true;
      return to + i.getNumOperands(); // to be filled in
    } else if constexpr (Is == kind::branch) {
      return (r.marks & llvm_operation_record::branch) == 0 ? to : add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::field) {
      return copies_fields_ ? read_field(i, r, to) : add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::aggregate) {
      return copies_fields_ ? read_aggregate(i, r, to) : add_first_operands<2>(i, to);
    } else if constexpr (Is == kind::load) {
      return copies_fields_ && loads_undefined_llvm_memory(i) ? copy_literal(llvm::UndefValue::get(i.getType()), r, to)
                                                              : add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::cast || Is == kind::choice) { // and not its cases
      return add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::binary) {
      if (copies_fields_ && r.info.code == operation::other && is_zero_llvm_high_part(i)) { // wider than 64 bits
        return copy_literal(llvm::Constant::getNullValue(i.getType()), r, to);
      }
      return subtracts_addresses_ && subtracts_llvm_addresses(i) ? read_distance(i, r, to)
                                                                 : add_first_operands<2>(i, to);
    } else if constexpr (Is == kind::comparison) {
      return add_first_operands<2>(i, to);
    } else if constexpr (Is == kind::select) {
      return add_first_operands<3>(i, to);
    } else {
      for (const llvm::Use& use : i.operands()) {
        to = add_operand(use.get(), to);
      }
      return to;
    }
  }

  template <unsigned Count> value_id* add_first_operands(const llvm::Instruction& i, value_id* to) {
    const llvm::Use* const uses = i.op_begin();
    for (unsigned k = 0; k != Count; ++k) {
      to = add_operand(uses[k].get(), to);
    }
    return to;
  }

  MIDEND_SELDOM_CALLED value_id* read_field(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    if (const llvm::Value* const field = llvm_known_field(i)) {
      r.info.code = operation::copy;
      return add_operand(field, to);
    }
    if (const llvm_replacement known = llvm_field_with_overflow(i); known.code != operation::other) {
      r = {{known.code, known.width, known.operand_width, {}}, 0};
      return add_operand(known.right, add_operand(known.left, to));
    }
    return add_operand(i.getOperand(0), to);
  }

  MIDEND_SELDOM_CALLED value_id* read_aggregate(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    if (!is_undefined_llvm_aggregate(i.getOperand(0))) {
      return add_first_operands<2>(i, to);
    }
    return is_undefined_llvm_literal(i.getOperand(1)) ? copy_literal(llvm::UndefValue::get(i.getType()), r, to)
                                                      : add_operand(i.getOperand(1), to);
  }

  value_id* copy_literal(const llvm::Constant* literal, llvm_operation_record& r, value_id* to) {
    r.info.code = operation::copy;
    return add_operand(literal, to);
  }

  MIDEND_SELDOM_CALLED value_id* read_distance(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    r.info = {operation::other, r.info.width, r.info.width, {}};
    to = add_operand(llvm_pointer_of_address(i.getOperand(0)), to);
    return add_operand(llvm_pointer_of_address(i.getOperand(1)), to);
  }

  /// Looks at the value itself only if it has no number yet: it may be far away in memory.
  value_id* add_operand(const llvm::Value* v, value_id* to) {
    const place at = find(v);
    if (static_cast<std::size_t>(~at) >= num_blocks_ && at != nowhere) [[likely]] { // no block
      *to = static_cast<value_id>(at);
      return to + 1;
    }
    return at == nowhere ? add_new_operand(v, to) : to;
  }

  MIDEND_SELDOM_CALLED value_id* add_new_operand(const llvm::Value* v, value_id* to) {
    if (llvm::isa<llvm::Constant>(v)) {
      *to = static_cast<value_id>(add_other(v));
    } else if (llvm::isa<llvm::Instruction>(v)) {
      *to = static_cast<value_id>(nowhere);
      has_late_operands_ = true;
    } else {
      return to;
    }
    return to + 1;
  }

  /// Requires room.
  place add_other(const llvm::Value* v) {
    const place at = place_of_other(num_others_);
    insert(v, at);
    ++num_others_;
    return at;
  }

  void read_phis(const csr_graph& g, node_id n) {
    const std::size_t num_edges = g.in_edges(n).size();
    const llvm::PHINode* last = nullptr;
    for (value_id v = memory_.first_values()[n]; v != num_instructions_ && is_phi(v); ++v) {
      const auto& phi = llvm::cast<llvm::PHINode>(*memory_.keys()[v]);
      if (last == nullptr || !have_same_entries(phi, *last)) {
        find_entries(g, phi);
      }
      MIDEND_ASSERT(phi.getNumIncomingValues() == num_edges, "an entry of the phi for each edge", v);
      if (num_others_ + num_edges > memory_.has().others) [[unlikely]] {
        memory_.enlarge({.others = 2 * (num_others_ + num_edges)}, used());
      }
      if (2 * (num_keys() + num_edges) > num_slots_) [[unlikely]] {
        add_slots(num_keys() + num_edges);
      }
      const std::uint32_t* const entries = memory_.positions() + g.num_edges();
      value_id* const to = memory_.operands() + memory_.values()[v].first_operand;
      for (std::size_t position = 0; position != num_edges; ++position) {
        const llvm::Value* const input = phi.getIncomingValue(entries[position]);
        const place at = find(input);
        to[position] = static_cast<value_id>(at == nowhere ? add_other(input) : at);
      }
      last = &phi;
    }
  }

  bool is_phi(std::size_t v) const { return (memory_.values()[v].record.marks & llvm_operation_record::phi) != 0; }

  /// Whether two phis of a block list their blocks in one order.
  static bool have_same_entries(const llvm::PHINode& a, const llvm::PHINode& b) {
    for (unsigned i = 0; i != a.getNumIncomingValues(); ++i) {
      if (a.getIncomingBlock(i) != b.getIncomingBlock(i)) {
        return false;
      }
    }
    return true;
  }

  /// Finds the entry of the phi for each edge into its block, by the positions of the edges. Entries of parallel edges
  /// have equal values.
  void find_entries(const csr_graph& g, const llvm::PHINode& phi) {
    const span<const edge_id> edges = g.in_edges(node(phi.getParent()));
    std::uint32_t* const entries = memory_.positions() + g.num_edges();
    bool is_ordered = edges.size() == phi.getNumIncomingValues();
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      memory_.positions()[edges[position]] = position;
      entries[position] = position;
      is_ordered = is_ordered && phi.getIncomingBlock(position) == block(g.edge_source(edges[position]));
    }
    if (is_ordered) {
      return;
    }
    std::uint32_t* const entry_of = entries + edges.size();
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      entry_of[node(phi.getIncomingBlock(i))] = i;
    }
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      entries[position] = entry_of[g.edge_source(edges[position])];
    }
  }

  std::size_t num_blocks_ = 0;
  std::size_t num_instructions_ = 0;
  std::size_t num_operands_ = 0;
  std::size_t num_others_ = 0; ///< arguments and constants
  std::size_t num_values_ = 0;
  value_id num_arguments_ = 0;
  bool copies_fields_ = false;
  bool subtracts_addresses_ = false;
  bool has_phis_ = false;
  bool has_late_operands_ = false;

  llvm_numbering_memory memory_;
  std::size_t num_slots_ = 0; ///< in use; a power of 2
  int shift_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
