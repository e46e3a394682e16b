/// `arena`: the memory of a workspace, handed out array by array and taken back all at once.
#pragma once

#include "midend/config.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory on the stack of a function that makes its arrays once and throws them away.
struct call_buffer {
  constexpr call_buffer() {} // indeterminate

  alignas(8) std::byte bytes[4096];
};

/// Arrays of trivial elements that live from one `reset` to the next. They come from few large blocks, so a workspace
/// that is made for one call allocates once. Blocks are kept until destruction: after a `reset`, the same or smaller
/// arrays, requested in the same order, need no allocation. A copy has no memory yet.
class arena {
public:
  constexpr arena() = default;

  /// Uses the buffer, which must outlive the arena, before it allocates.
  constexpr explicit arena(call_buffer& buffer) : buffer_(buffer.bytes) {}

  constexpr arena(const arena&) {}

  constexpr arena(arena&& other) noexcept { swap(other); }

  constexpr arena& operator=(const arena&) { return *this; }

  constexpr arena& operator=(arena&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~arena() {
    if (first_ != nullptr || constant_ != nullptr) {
      release();
    }
  }

  /// Ends the life of all arrays. Nothing is allocated until the first array is requested; then there is space for at
  /// least `bytes`.
  constexpr void reset(std::size_t bytes) {
    if (std::is_constant_evaluated()) {
      release();
    } else if (first_ != nullptr) {
      enter(first_);
    } else {
      expected_ = bytes;
      at_ = buffer_;
      end_ = buffer_ == nullptr ? nullptr : buffer_ + sizeof(call_buffer::bytes);
    }
  }

  /// An array of `count` elements with indeterminate values.
  template <class T> constexpr T* array(std::size_t count) {
    static_assert(MIDEND_IS_PLAIN(T) && alignof(T) <= alignment);
    if (std::is_constant_evaluated()) {
      auto* const made = new constant_array<T>(count);
      made->next = constant_;
      constant_ = made;
      return made->elements;
    }
    const std::size_t bytes = (count * sizeof(T) + alignment - 1) & ~(alignment - 1);
    if (bytes > static_cast<std::size_t>(end_ - at_)) [[unlikely]] {
      go_to_block(bytes);
    }
    void* const elements = at_;
    at_ += bytes;
    return static_cast<T*>(elements);
  }

  /// An array of `count` copies of `value`.
  template <class T> constexpr T* array(std::size_t count, T value) {
    T* const elements = array<T>(count);
    for (std::size_t i = 0; i != count; ++i) {
      elements[i] = value;
    }
    return elements;
  }

  /// Of all arrays.
  static constexpr std::size_t alignment = 8;

private:
  /// In front of the memory of each block.
  struct block {
    block* next;
    std::size_t size;
  };

  // Constant expressions cannot make arrays out of bytes: each array is allocated there, and the list knows its type.
  struct constant_list {
    constexpr virtual ~constant_list() = default;
    constant_list* next = nullptr;
  };

  template <class T> struct constant_array final : constant_list {
    constexpr explicit constant_array(std::size_t count) : elements(new T[count]) {}

    constant_array(const constant_array&) = delete;
    constant_array& operator=(const constant_array&) = delete;

    constexpr ~constant_array() override { delete[] elements; }

    T* elements;
  };

  constexpr void swap(arena& other) noexcept {
    swap_values(at_, other.at_);
    swap_values(end_, other.end_);
    swap_values(first_, other.first_);
    swap_values(current_, other.current_);
    swap_values(expected_, other.expected_);
    swap_values(constant_, other.constant_);
    swap_values(buffer_, other.buffer_);
  }

  /// Goes on in the next block that is large enough, a new one if there is none.
  MIDEND_SELDOM_CALLED void go_to_block(std::size_t bytes) {
    block** link = current_ == nullptr ? &first_ : &current_->next;
    while (*link != nullptr && (*link)->size < bytes) {
      link = &(*link)->next;
    }
    if (*link == nullptr) {
      std::size_t size = current_ == nullptr ? expected_ : 2 * current_->size;
      size = size < bytes ? bytes : size;
      *link = static_cast<block*>(::operator new(sizeof(block) + size));
      **link = {nullptr, size};
    }
    enter(*link);
  }

  void enter(block* b) {
    current_ = b;
    at_ = reinterpret_cast<std::byte*>(b + 1);
    end_ = at_ + b->size;
  }

  MIDEND_SELDOM_CALLED constexpr void release() {
    while (constant_ != nullptr) {
      constant_list* const next = constant_->next;
      delete constant_;
      constant_ = next;
    }
    while (first_ != nullptr) {
      block* const next = first_->next;
      ::operator delete(first_);
      first_ = next;
    }
  }

  std::byte* at_ = nullptr; ///< where the next array goes
  std::byte* end_ = nullptr;
  block* first_ = nullptr;
  block* current_ = nullptr; ///< the one that arrays come from
  std::size_t expected_ = 0; ///< size of the first block, if there is none yet
  constant_list* constant_ = nullptr;
  std::byte* buffer_ = nullptr;
};

/// A stack in an arena. A loop keeps the three pointers in registers.
template <class T> class arena_stack {
public:
  constexpr explicit arena_stack(arena& memory) : memory_(memory) {}

  /// Room for `capacity` elements at first.
  constexpr arena_stack(arena& memory, std::size_t capacity)
      : memory_(memory), first_(memory.array<T>(capacity)), top_(first_), limit_(first_ + capacity) {}

  arena_stack(const arena_stack&) = delete;
  arena_stack& operator=(const arena_stack&) = delete;

  constexpr bool empty() const { return top_ == first_; }

  constexpr std::size_t size() const { return static_cast<std::size_t>(top_ - first_); }

  constexpr T* data() const { return first_; }

  constexpr const T& top() const { return top_[-1]; }

  constexpr void push(T value) {
    if (top_ == limit_) [[unlikely]] {
      const std::size_t used = size();
      const std::size_t capacity = 2 * used + 16;
      first_ = enlarged(memory_, first_, used, capacity);
      top_ = first_ + used;
      limit_ = first_ + capacity;
    }
    *top_++ = value;
  }

  constexpr T pop() { return *--top_; }

  /// Reverses the entries from position `base` on.
  constexpr void reverse_from(std::size_t base) {
    for (T *low = first_ + base, *high = top_; high - low > 1;) {
      std::swap(*low++, *--high);
    }
  }

private:
  /// Static, because the pointers stay in registers only if the address of the object does not escape.
  MIDEND_SELDOM_CALLED static constexpr T* enlarged(arena& memory, const T* old, std::size_t used,
                                                    std::size_t capacity) {
    T* const fresh = memory.array<T>(capacity);
    for (std::size_t i = 0; i != used; ++i) {
      fresh[i] = old[i];
    }
    return fresh;
  }

  arena& memory_;
  T* first_ = nullptr;
  T* top_ = nullptr;
  T* limit_ = nullptr;
};

/// A list in an arena, to be started again after each reset.
template <class T> class arena_list {
public:
  /// Makes it empty, without memory.
  constexpr void start(arena& memory) {
    memory_ = &memory;
    elements_ = nullptr;
    size_ = 0;
    capacity_ = 0;
  }

  constexpr std::size_t size() const { return size_; }

  constexpr T* data() { return elements_; }

  constexpr const T* data() const { return elements_; }

  constexpr void clear() { size_ = 0; }

  constexpr void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] {
      grow();
    }
    elements_[size_++] = value;
  }

private:
  MIDEND_SELDOM_CALLED constexpr void grow() {
    capacity_ = 2 * capacity_ + 8;
    T* const more = memory_->array<T>(capacity_);
    for (std::size_t i = 0; i != size_; ++i) {
      more[i] = elements_[i];
    }
    elements_ = more;
  }

  arena* memory_ = nullptr;
  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
