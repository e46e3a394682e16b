/// The frames of procedures that have begun and not ended.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The slots of a frame. Valid until the next frame is made.
struct slot_view {
  std::uint64_t* bits = nullptr;
  slot_state* states = nullptr;

  void put(std::uint32_t slot, std::uint64_t value) const {
    bits[slot] = value;
    states[slot] = slot_state::defined;
  }

  void copy(std::uint32_t from, std::uint32_t to) const {
    bits[to] = bits[from];
    states[to] = states[from];
  }

  /// Whether the three operands of an instruction can be computed with.
  bool defined(const instruction& i) const { return (states[i.a] | states[i.b] | states[i.c]) == slot_state::defined; }
};

struct frame {
  std::uint32_t procedure;
  std::size_t first_slot;
  const instruction* at; ///< where it goes on; while it calls: behind the call
};

/// All frames, their slots in one array that grows.
class frame_stack {
public:
  void clear() {
    frames_.clear();
    bits_.clear();
    states_.clear();
  }

  std::size_t depth() const { return frames_.size(); }

  std::size_t num_slots() const { return bits_.size(); }

  frame& top() { return frames_.back(); }

  slot_view slots(const frame& f) { return {bits_.data() + f.first_slot, states_.data() + f.first_slot}; }

  /// The frame of a procedure that begins. Its arguments are the slots `arguments` of the frame below.
  void push(std::uint32_t procedure, const decoded_procedure& code, std::span<const argument> arguments) {
    const std::size_t first = bits_.size();
    add_slots(code);
    if (!arguments.empty()) {
      const slot_view from = slots(top());
      for (std::size_t i = 0; i != arguments.size(); ++i) {
        bits_[first + i] = from.bits[arguments[i].slot];
        states_[first + i] = slot_state::defined;
      }
    }
    frames_.push_back({procedure, first, code.code.data()});
  }

  void pop() {
    bits_.shrink(top().first_slot);
    states_.shrink(top().first_slot);
    frames_.pop_back();
  }

private:
  void add_slots(const decoded_procedure& code) {
    const std::size_t first = bits_.size();
    const std::size_t size = first + code.num_slots();
    bits_.reserve(size);
    states_.reserve(size);
    bits_.resize_for_overwrite(size); // within the capacity, so that what was there stays
    states_.resize_for_overwrite(size);
    if (code.num_slots() != 0) {
      std::memcpy(bits_.data() + first, code.bits.data(), code.num_slots() * sizeof(std::uint64_t));
      std::memcpy(states_.data() + first, code.states.data(), code.num_slots() * sizeof(slot_state));
    }
  }

  flat_array<frame> frames_;
  flat_array<std::uint64_t> bits_;
  flat_array<slot_state> states_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
