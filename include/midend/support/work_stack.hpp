/// `work_stack<T>`: the stack of an iterative search, in memory of a workspace.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Grows in `memory`, which nothing else may use while the stack lives. A loop keeps the three pointers in registers;
/// `flat_array::push_back` would access memory.
template <class T> class work_stack {
public:
  constexpr explicit work_stack(flat_array<T>& memory) : memory_(memory) {
    memory.clear();
    if (memory.capacity() == 0) {
      memory.reserve(64);
    }
    memory.resize_for_overwrite(memory.capacity());
    first_ = top_ = memory.data();
    limit_ = first_ + memory.size();
  }

  work_stack(const work_stack&) = delete;
  work_stack& operator=(const work_stack&) = delete;

  constexpr bool empty() const { return top_ == first_; }

  constexpr std::size_t size() const { return static_cast<std::size_t>(top_ - first_); }

  constexpr void push(T value) {
    if (top_ == limit_) [[unlikely]] {
      const std::size_t used = size();
      first_ = enlarge(memory_, used);
      top_ = first_ + used;
      limit_ = first_ + memory_.size();
    }
    *top_++ = value;
  }

  constexpr T pop() { return *--top_; }

  constexpr const T& top() const { return top_[-1]; }

  /// Reverses the entries from position `base` on.
  constexpr void reverse_from(std::size_t base) {
    for (T *low = first_ + base, *high = top_; high - low > 1;) {
      const T value = *low;
      *low++ = *--high;
      *high = value;
    }
  }

private:
  /// Static, because the pointers stay in registers only if the address of the object does not escape.
  MIDEND_SELDOM_CALLED static constexpr T* enlarge(flat_array<T>& memory, std::size_t used) {
    memory.reserve(used + 1);
    memory.resize_for_overwrite(memory.capacity());
    return memory.data();
  }

  flat_array<T>& memory_;
  T* first_ = nullptr;
  T* top_ = nullptr;
  T* limit_ = nullptr;
};

} // namespace detail

MIDEND_END_NAMESPACE
