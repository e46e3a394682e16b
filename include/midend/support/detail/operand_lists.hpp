/// The operands of values, and for each value the list of its users.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr std::uint32_t no_slot = 0xffff'ffff;

/// An operand that is not set.
inline constexpr std::uint32_t no_operand = 0xffff'ffff;

/// Each operand has a slot; the slots of one user are neighbours, and slots that hold the same value are linked. An
/// operand that is not set is in no list.
class operand_lists {
public:
  /// Walks the slots that hold a value.
  class slot_iterator : public iterator_base<slot_iterator, std::uint32_t> {
  public:
    slot_iterator() = default;

    slot_iterator(const operand_lists* lists, std::uint32_t slot) : lists_(lists), slot_(slot) {}

    std::uint32_t operator*() const { return slot_; }

    void advance() { slot_ = lists_->next_[slot_]; }

    friend bool operator==(slot_iterator a, slot_iterator b) { return a.slot_ == b.slot_; }

  private:
    const operand_lists* lists_ = nullptr;
    std::uint32_t slot_ = no_slot;
  };

  /// The user that a slot belongs to.
  struct user_of_slot {
    const operand_lists* lists = nullptr;

    std::uint32_t operator()(std::uint32_t slot) const { return lists->user_[slot]; }
  };

  /// Memory for so many operands of a list that has none.
  void reserve(pooled_list& list, std::size_t count) {
    if (count > list.capacity()) {
      move_to_end(list, count);
    }
  }

  /// No values, and memory for so many with so many operands.
  void reset(std::size_t values, std::size_t operands) {
    for (flat_array<std::uint32_t>* const a : {&value_, &user_, &next_, &previous_, &first_use_}) {
      a->clear();
    }
    for (flat_array<std::uint32_t>* const a : {&value_, &user_, &next_, &previous_}) {
      a->reserve(operands);
    }
    first_use_.reserve(values);
  }

  /// One more value, without users.
  void add_value() { first_use_.push_back(no_slot); }

  span<const std::uint32_t> operands(const pooled_list& list) const { return {value_.data() + list.first, list.count}; }

  void push_back(pooled_list& list, std::uint32_t user, std::uint32_t operand) {
    if (list.count == list.capacity()) {
      move_to_end(list, list.more());
    }
    const std::uint32_t slot = list.first + list.count++;
    user_[slot] = user;
    link(slot, operand);
  }

  void set(const pooled_list& list, std::size_t position, std::uint32_t operand) {
    MIDEND_ASSERT(position < list.count, "an operand of the value", position, list.count);
    const auto slot = static_cast<std::uint32_t>(list.first + position);
    unlink(slot);
    link(slot, operand);
  }

  /// Keeps the order of the others.
  void erase(pooled_list& list, std::size_t position) {
    for (std::size_t i = position + 1; i < list.count; ++i) {
      set(list, i - 1, value_[list.first + i]);
    }
    unlink(list.first + --list.count);
  }

  void clear(pooled_list& list) {
    while (list.count != 0) {
      unlink(list.first + --list.count);
    }
  }

  /// The slots that hold a value, latest first.
  iterator_range<slot_iterator> slots(std::uint32_t v) const {
    return {slot_iterator(this, first_use_[v]), slot_iterator(this, no_slot)};
  }

  /// The users of `v`: each appears once for each operand that is `v`.
  auto users(std::uint32_t v) const { return mapped(slots(v), user_of_slot{this}); }

  std::uint32_t user(std::uint32_t slot) const { return user_[slot]; }

  bool has_users(std::uint32_t v) const { return first_use_[v] != no_slot; }

  void replace_uses(std::uint32_t v, std::uint32_t by) {
    if (v == by) {
      return;
    }
    for (std::uint32_t slot = first_use_[v]; slot != no_slot;) {
      const std::uint32_t next = next_[slot];
      unlink(slot);
      link(slot, by);
      slot = next;
    }
  }

private:
  void link(std::uint32_t slot, std::uint32_t operand) {
    value_[slot] = operand;
    if (operand == no_operand) {
      return;
    }
    const std::uint32_t next = first_use_[operand];
    next_[slot] = next;
    previous_[slot] = no_slot;
    if (next != no_slot) {
      previous_[next] = slot;
    }
    first_use_[operand] = slot;
  }

  void unlink(std::uint32_t slot) {
    const std::uint32_t operand = value_[slot];
    if (operand == no_operand) {
      return;
    }
    if (previous_[slot] == no_slot) {
      first_use_[operand] = next_[slot];
    } else {
      next_[previous_[slot]] = next_[slot];
    }
    if (next_[slot] != no_slot) {
      previous_[next_[slot]] = previous_[slot];
    }
    value_[slot] = no_operand;
  }

  /// Moves a list to the end, with more slots. Users keep their order.
  void move_to_end(pooled_list& list, std::size_t least) {
    const pooled_list moved = list.moved(value_.size(), least);
    for (std::uint32_t i = 0; i != moved.capacity(); ++i) {
      value_.push_back(no_operand);
      user_.push_back(no_operand);
      next_.push_back(no_slot);
      previous_.push_back(no_slot);
    }
    for (std::uint32_t i = 0; i != list.count; ++i) {
      move_slot(list.first + i, moved.first + i);
    }
    list = moved;
  }

  void move_slot(std::uint32_t from, std::uint32_t to) {
    value_[to] = value_[from];
    user_[to] = user_[from];
    next_[to] = next_[from];
    previous_[to] = previous_[from];
    if (value_[to] == no_operand) {
      return;
    }
    value_[from] = no_operand;
    if (previous_[to] == no_slot) {
      first_use_[value_[to]] = to;
    } else {
      next_[previous_[to]] = to;
    }
    if (next_[to] != no_slot) {
      previous_[next_[to]] = to;
    }
  }

  flat_array<std::uint32_t> value_; ///< by slot
  flat_array<std::uint32_t> user_;
  flat_array<std::uint32_t> next_;      ///< slot that holds the same value
  flat_array<std::uint32_t> previous_;  ///< the other direction of `next_`
  flat_array<std::uint32_t> first_use_; ///< by value
};

} // namespace detail

MIDEND_END_NAMESPACE
