/// `llvm_numbering_memory`: the arrays of an `llvm_numbering`, in one piece of memory. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_operation_record.hpp"
#include "midend/config.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/small_array.hpp"

#include <llvm/IR/Value.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Seven arrays in one piece of memory, so that a view that is made for one function allocates little: those of a small
/// function are in the object. Pointers into them are valid until more room is made.
class llvm_numbering_memory {
public:
  /// The position of a key, relative to the keys of instructions: instruction v is at v, block n at -1 - n, and the
  /// others, arguments and constants, are before the blocks.
  using place = std::int32_t;

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

  /// What is in the arrays, and stays when they are enlarged. Operands and what belongs to blocks and edges stay
  /// anyway.
  struct contents {
    std::size_t instructions = 0;
    std::size_t keys_before = 0; ///< of blocks and others
    std::size_t slots = 0;
  };

  llvm_numbering_memory() { set_room(small_room()); }

  const room& has() const { return room_; }

  /// Makes room, and keeps no contents.
  void start(const room& wanted) {
    if (memory_.size() < room_.end()) { // the memory was moved away
      set_room(small_room());
    }
    if (!room_.holds(wanted)) [[unlikely]] {
      if (memory_.capacity() == own_bytes && wanted.end() <= own_bytes) {
        set_room(wanted);
      } else {
        enlarge(wanted, {});
      }
    }
  }

  void require(const room& wanted, const contents& used) {
    if (!room_.holds(wanted)) [[unlikely]] {
      enlarge(wanted, used);
    }
  }

  /// Makes more room, and keeps the contents.
  MIDEND_NEVER_INLINED void enlarge(const room& wanted, const contents& used) {
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
    move(0, 0, used.instructions * sizeof(numbered_value));
    const std::size_t in_front = used.keys_before * sizeof(const llvm::Value*);
    move(before.keys_at() - in_front, keys_at_ - in_front, in_front + used.instructions * sizeof(const llvm::Value*));
    move(before.slots_at(), slots_at_, used.slots * sizeof(place));
    move(before.blocks_at(), blocks_at_, before.blocks * sizeof(value_id));
    move(before.operands_at(), operands_at_, before.operands * sizeof(value_id));
    move(before.positions_at(), positions_at_, before.edges * sizeof(std::uint32_t));
  }

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

  place* slots() { return array<place>(slots_at_); }

  const place* slots() const { return array<place>(slots_at_); }

private:
  /// What is part of the object.
  static constexpr room small_room() {
    return {.values = 96, .operands = 192, .others = 44, .blocks = 12, .edges = 48, .slots = 256};
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

  template <class T> T* array(std::size_t at) { return reinterpret_cast<T*>(memory_.data() + at); }

  template <class T> const T* array(std::size_t at) const { return reinterpret_cast<const T*>(memory_.data() + at); }

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
};

} // namespace detail

MIDEND_END_NAMESPACE
