/// The numbers of an LLVM function: blocks, instructions, and operands. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/detail/small_array.hpp"
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

/// Facts about a value that are known without reading it.
struct llvm_operation_record {
  enum : std::uint8_t { phi = 1, bounded = 2, opaque = 4, branch = 8, choice = 16, constant = 32, undefined = 64 };

  operation_info info;
  std::uint8_t marks;

  static llvm_operation_record of(const llvm::Instruction& i) {
    const llvm_opcode& opcode = llvm_opcode::of(i.getOpcode());
    return visit_llvm_kind(opcode.is, [&](auto is) { return of<is()>(i, opcode); });
  }

  /// Of an argument or a constant.
  static llvm_operation_record outside(const llvm::Value& v) {
    const std::uint8_t width = llvm_width(v.getType());
    const int mark = llvm::isa<llvm::Argument>(v)     ? is_llvm_number(v.getType()) ? bounded : 0
                     : llvm::isa<llvm::UndefValue>(v) ? undefined
                     : llvm::isa<llvm::Constant>(v)   ? constant
                                                      : 0;
    return {{operation::other, width, width, {}}, static_cast<std::uint8_t>(mark)};
  }

  /// Of an instruction of a kind.
  template <llvm_opcode::kind Is>
  static llvm_operation_record of(const llvm::Instruction& i, const llvm_opcode& opcode) {
    const operation_info info = llvm_operation_of<Is>(i, opcode);
    return {info, static_cast<std::uint8_t>(marks_of<Is>(i, opcode, info.code))};
  }

  template <llvm_opcode::kind Is>
  static int marks_of(const llvm::Instruction& i, const llvm_opcode& opcode, [[maybe_unused]] operation code) {
    using kind = llvm_opcode::kind;
    const int known = opcode.is_opaque ? opaque : 0;
    if constexpr (Is == kind::phi) {
      return phi;
    } else if constexpr (Is == kind::load || Is == kind::invocation) {
      return known | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::call) {
      const bool is_opaque =
          code == operation::other && (i.getType()->isVoidTy() || is_opaque_llvm_call(llvm::cast<llvm::CallBase>(i)));
      return (is_opaque ? opaque : 0) | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::branch) {
      return llvm::cast<llvm::BranchInst>(i).isConditional() ? known | branch : known;
    } else if constexpr (Is == kind::choice) {
      return decides(llvm::cast<llvm::SwitchInst>(i)) ? known | choice : known;
    } else {
      return known;
    }
  }

  /// `branch` or `choice` if a number decides where a `br` or `switch` goes.
  static int decision(const llvm::Instruction& last) {
    if (const auto* const b = llvm::dyn_cast<llvm::BranchInst>(&last)) {
      return b->isConditional() ? branch : 0;
    }
    const auto* const s = llvm::dyn_cast<llvm::SwitchInst>(&last);
    return s != nullptr && decides(*s) ? choice : 0;
  }

  /// Whether a number decides where it goes.
  static bool decides(const llvm::SwitchInst& i) {
    return i.getNumCases() != 0 && is_llvm_number(i.getCondition()->getType());
  }
};

/// Instructions get 0, 1, … in the order of the function, then come arguments, then constants in the order of first
/// use.
///
/// One walk over the instructions numbers and reads them: walking LLVM's lists waits for memory, and reading one
/// instruction takes about as long as fetching the next. The others get their final numbers when the instructions have
/// been counted. Operands that come later in the function are filled in after the walk. Operands of phis are in the
/// order of the edges, so they come last. All arrays are in one piece of memory, that of small functions in the object.
class llvm_numbering {
public:
  llvm_numbering() { set_room(small_room()); }

  /// Reads everything but the operands of phis.
  void read(const llvm::Function& f, const llvm_fold_options& options = {}) {
    copies_fields_ = options.copies_fields;
    subtracts_addresses_ = options.subtracts_addresses;
    num_blocks_ = 0;
    num_others_ = 0;
    num_instructions_ = 0;
    num_slots_ = 0;
    if (memory_.size() < room_.end()) { // the memory was moved away
      set_room(small_room());
    }
    const std::size_t num_blocks = f.size();
    num_arguments_ = static_cast<value_id>(f.arg_size());
    const std::size_t num_keys = 10 * num_blocks + num_arguments_; // about as many values, to begin with
    const std::size_t num_slots = num_keys < 32 ? 64 : std::bit_ceil(2 * num_keys);
    start_room({.values = 10 * num_blocks + num_arguments_ + 14,
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
      require({.edges = 2 * g.num_edges() + num_blocks_});
      for (std::size_t n = 0; n != num_blocks_; ++n) {
        read_phis(g, static_cast<node_id>(n));
      }
    }
    num_values_ = num_instructions_ + num_others_;
    require({.values = num_values_ + 1});
    const auto first =
        static_cast<std::uint32_t>(num_instructions_ - num_blocks_ - 1); // less the place of an other one
    value_id* const operand = operands();
    for (std::size_t i = 0; i != num_operands_; ++i) {
      operand[i] = static_cast<place>(operand[i]) < 0 ? first - operand[i] : operand[i];
    }
    const auto end = static_cast<std::uint32_t>(num_operands_);
    const llvm::Value** const key = keys();
    const llvm::Value** const first_other = key + place_of_other(0);
    numbered_value* const value = values();
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
    return static_cast<const llvm::BasicBlock*>(keys()[place_of_block(n)]);
  }

  std::size_t num_values() const { return num_values_; }

  const llvm::Value* value(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return keys()[v];
  }

  value_id num_instructions() const { return static_cast<value_id>(num_instructions_); }

  value_id num_arguments() const { return num_arguments_; }

  /// The first value of block `n`; for the number of blocks, one past the last value of the last block.
  value_id first_value(std::size_t n) const {
    MIDEND_ASSERT(n <= num_blocks_, "a block of the function", n, num_blocks_);
    return first_values()[n];
  }

  const llvm_operation_record& record(value_id v) const { return value_record(v).record; }

  llvm_operation_record& record(value_id v) {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return values()[v].record;
  }

  /// Makes `of` the first operand.
  void set_first_operand(value_id v, value_id of) {
    MIDEND_ASSERT(!operands(v).empty(), "an instruction with operands", v);
    operands()[value_record(v).first_operand] = of;
  }

  /// The operands of an instruction; empty for arguments and constants.
  span<const value_id> operands(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    const numbered_value* const at = values() + v;
    return {operands() + at[0].first_operand, operands() + at[1].first_operand};
  }

  /// The position of an edge among those into its target. Requires that the target has phis.
  std::uint32_t position(edge_id e) const { return positions()[e]; }

private:
  /// The position of a key, relative to the keys of instructions: instruction v is at v, block n at -1 - n, and the
  /// others, arguments and constants, are before the blocks.
  using place = std::int32_t;

  /// The place of a value without a number. All its bytes are equal.
  static constexpr place nowhere = static_cast<place>(0x8080'8080);

  static constexpr std::size_t max_values = 0x4000'0000;

  static constexpr place place_of_block(std::size_t n) {
    return static_cast<place>(-1 - static_cast<std::ptrdiff_t>(n));
  }

  place place_of_other(std::size_t i) const { return place_of_block(num_blocks_ + i); }

  struct numbered_value {
    llvm_operation_record record;
    std::uint32_t first_operand; ///< its operands end where those of the next one start
  };

  /// Sizes of the arrays. They share one piece of memory, so that a view that is made for one function allocates
  /// little.
  struct room {
    std::size_t values = 0; ///< instructions, in the end also the others, and one more
    std::size_t operands = 0;
    std::size_t others = 0; ///< arguments and constants
    std::size_t blocks = 0; ///< and one more
    std::size_t edges = 0;  ///< numbers, for late operands, then to place the operands of phis
    std::size_t slots = 0;

    // In bytes. The values are first.
    constexpr std::size_t first_key_at() const { return (values * sizeof(numbered_value) + 7) / 8 * 8; }

    constexpr std::size_t keys_at() const { return first_key_at() + (others + blocks) * sizeof(const llvm::Value*); }

    constexpr std::size_t slots_at() const { return keys_at() + values * sizeof(const llvm::Value*); }

    constexpr std::size_t blocks_at() const { return slots_at() + slots * sizeof(place); }

    constexpr std::size_t operands_at() const { return blocks_at() + blocks * sizeof(value_id); }

    constexpr std::size_t positions_at() const { return operands_at() + operands * sizeof(value_id); }

    constexpr std::size_t end() const { return positions_at() + edges * sizeof(std::uint32_t); }

    bool holds(const room& r) const {
      return values >= r.values && operands >= r.operands && others >= r.others && blocks >= r.blocks &&
             edges >= r.edges && slots >= r.slots;
    }

    void extend_to(const room& r) {
      const auto extend = [](std::size_t& mine, std::size_t other) { mine = mine < other ? other : mine; };
      extend(values, r.values);
      extend(operands, r.operands);
      extend(others, r.others);
      extend(blocks, r.blocks);
      extend(edges, r.edges);
      extend(slots, r.slots);
    }
  };

  /// What is part of the object.
  static constexpr room small_room() {
    return {.values = 96, .operands = 192, .others = 44, .blocks = 12, .edges = 48, .slots = 256};
  }

  void require(const room& wanted) {
    if (!room_.holds(wanted)) [[unlikely]] {
      enlarge(wanted);
    }
  }

  /// Makes room, and keeps no contents.
  void start_room(const room& wanted) {
    if (!room_.holds(wanted)) [[unlikely]] {
      if (memory_.capacity() == own_bytes && wanted.end() <= own_bytes) {
        set_room(wanted);
      } else {
        enlarge(wanted);
      }
    }
  }

  void set_room(const room& r) {
    room_ = r;
    keys_at_ = r.keys_at();
    slots_at_ = r.slots_at();
    blocks_at_ = r.blocks_at();
    operands_at_ = r.operands_at();
    positions_at_ = r.positions_at();
    memory_.clear();
    memory_.extend_for_overwrite(r.end());
  }

  /// Makes more room, and keeps the contents.
  MIDEND_NEVER_INLINED void enlarge(const room& wanted) {
    const room before = room_;
    room after = before;
    after.extend_to(wanted);
    memory old_memory;
    const std::byte* const old = memory_.replace(after.end(), old_memory);
    set_room(after);
    const auto move = [&](std::size_t from, std::size_t to, std::size_t bytes) {
      if (bytes != 0) {
        std::memcpy(memory_.data() + to, old + from, bytes);
      }
    };
    move(0, 0, num_instructions_ * sizeof(numbered_value));
    const std::size_t in_front = (num_blocks_ + num_others_) * sizeof(const llvm::Value*);
    move(before.keys_at() - in_front, keys_at_ - in_front, in_front + num_instructions_ * sizeof(const llvm::Value*));
    move(before.slots_at(), slots_at_, num_slots_ * sizeof(place));
    move(before.blocks_at(), blocks_at_, before.blocks * sizeof(value_id));
    move(before.operands_at(), operands_at_, before.operands * sizeof(value_id));
    move(before.positions_at(), positions_at_, before.edges * sizeof(std::uint32_t));
  }

  // The map from addresses to places: as in `hash_map`, but in the memory of the view, and it grows by inserting all
  // keys again. A slot has only the place of a key, so that there is little to clear.

  place* slots() { return array<place>(slots_at_); }

  const place* slots() const { return array<place>(slots_at_); }

  void start_map(std::size_t num_slots) {
    num_slots_ = num_slots;
    shift_ = 64 - std::countr_zero(num_slots);
    std::memset(slots(), nowhere & 0xff, num_slots * sizeof(place));
  }

  /// Where the key is, or would go.
  const place& slot_of(const llvm::Value* key) const {
    const place* const all = slots();
    const llvm::Value* const* const known = keys();
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
    keys()[at] = key;
  }

  std::size_t num_keys() const { return num_blocks_ + num_instructions_ + num_others_; }

  /// Makes room for keys; at most half of the slots are used.
  MIDEND_NEVER_INLINED void add_slots(std::size_t count) {
    const std::size_t wanted = std::bit_ceil(2 * count);
    const std::size_t slots = wanted < 2 * num_slots_ ? 2 * num_slots_ : wanted;
    num_slots_ = 0; // nothing to keep
    require({.slots = slots});
    start_map(slots);
    const auto end = static_cast<place>(num_instructions_);
    for (place at = place_of_other(num_others_) + 1; at != end; ++at) {
      const_cast<place&>(slot_of(keys()[at])) = at;
    }
  }

  template <class T> T* array(std::size_t at) { return reinterpret_cast<T*>(memory_.data() + at); }

  template <class T> const T* array(std::size_t at) const { return reinterpret_cast<const T*>(memory_.data() + at); }

  numbered_value* values() { return array<numbered_value>(0); }

  const numbered_value* values() const { return array<numbered_value>(0); }

  const llvm::Value** keys() { return array<const llvm::Value*>(keys_at_); }

  const llvm::Value* const* keys() const { return array<const llvm::Value* const>(keys_at_); }

  value_id* first_values() { return array<value_id>(blocks_at_); }

  const value_id* first_values() const { return array<value_id>(blocks_at_); }

  value_id* operands() { return array<value_id>(operands_at_); }

  const value_id* operands() const { return array<value_id>(operands_at_); }

  std::uint32_t* positions() { return array<std::uint32_t>(positions_at_); }

  const std::uint32_t* positions() const { return array<std::uint32_t>(positions_at_); }

  const numbered_value& value_record(value_id v) const {
    MIDEND_ASSERT(v < num_values_, "a value of the function", v, num_values_);
    return values()[v];
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
      first_values()[n] = v;
      for (const llvm::Instruction& i : *block(n)) {
        prefetch_next(i);
        make_room(n, v, end, i.getNumOperands());
        insert(&i, static_cast<place>(v));
        num_instructions_ = v + std::size_t{1};
        numbered_value& at = values()[v];
        at.first_operand = static_cast<std::uint32_t>(end);
        value_id* const to = operands() + end;
        end += static_cast<std::size_t>(read_instruction(i, at.record, to) - to);
        ++v;
      }
    }
    num_operands_ = end;
    first_values()[num_blocks_] = v;
  }

  /// Reads instructions again that had operands without a number.
  MIDEND_SELDOM_CALLED void read_late_operands() {
    for (std::size_t v = 0; v != num_instructions_; ++v) {
      const value_id* const first = operands() + values()[v].first_operand;
      const value_id* const end =
          operands() + (v + 1 == num_instructions_ ? num_operands_ : values()[v + 1].first_operand);
      for (const value_id* at = first; at != end && !is_phi(v); ++at) {
        if (*at == static_cast<value_id>(nowhere)) {
          read_instruction(llvm::cast<llvm::Instruction>(*keys()[v]), values()[v].record,
                           operands() + values()[v].first_operand);
          break;
        }
      }
    }
  }

  /// Makes room for instruction `v` in block `n`, with `count` operands after the first `end`; a field may be replaced
  /// by two.
  void make_room(std::size_t n, value_id v, std::size_t end, std::size_t count) {
    if (v >= room_.values || end + count >= room_.operands || num_others_ + count >= room_.others) [[unlikely]] {
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
    enlarge({.values = expected(values),
             .operands = expected(operands),
             .others = expected(others),
             .slots = std::bit_ceil(2 * (num_blocks_ + expected(values + others)))});
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
    for (value_id v = first_values()[n]; v != num_instructions_ && is_phi(v); ++v) {
      const auto& phi = llvm::cast<llvm::PHINode>(*keys()[v]);
      if (last == nullptr || !have_same_entries(phi, *last)) {
        find_entries(g, phi);
      }
      MIDEND_ASSERT(phi.getNumIncomingValues() == num_edges, "an entry of the phi for each edge", v);
      if (num_others_ + num_edges > room_.others) [[unlikely]] {
        enlarge({.others = 2 * (num_others_ + num_edges)});
      }
      if (2 * (num_keys() + num_edges) > num_slots_) [[unlikely]] {
        add_slots(num_keys() + num_edges);
      }
      const std::uint32_t* const entries = positions() + g.num_edges();
      value_id* const to = operands() + values()[v].first_operand;
      for (std::size_t position = 0; position != num_edges; ++position) {
        const llvm::Value* const input = phi.getIncomingValue(entries[position]);
        const place at = find(input);
        to[position] = static_cast<value_id>(at == nowhere ? add_other(input) : at);
      }
      last = &phi;
    }
  }

  bool is_phi(std::size_t v) const { return (values()[v].record.marks & llvm_operation_record::phi) != 0; }

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
    std::uint32_t* const entries = positions() + g.num_edges();
    bool is_ordered = edges.size() == phi.getNumIncomingValues();
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      positions()[edges[position]] = position;
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

  static constexpr std::size_t own_bytes = 4864;
  using memory = small_array<std::byte, own_bytes>;

  /// Values. Keys: those of others, then of blocks, both downwards; then of instructions and, in the end, of the others
  /// again. Slots. The first value of each block, and one more. Operands. Positions of edges; then, of a phi, the
  /// entries by position of the edge, and by node.
  memory memory_;
  room room_;
  std::size_t keys_at_ = 0; ///< of instructions
  std::size_t slots_at_ = 0;
  std::size_t blocks_at_ = 0;
  std::size_t operands_at_ = 0;
  std::size_t positions_at_ = 0;
  std::size_t num_slots_ = 0; ///< in use; a power of 2
  int shift_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
