/// `fact_array`: one fact for each node or value, in reusable memory.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Facts that own memory keep it for the next assignment, also those beyond the present size.
template <class T> class fact_array {
public:
  /// Sets the size. The facts are unspecified; `filler` initializes new ones.
  constexpr void stretch(std::size_t count, const T& filler) {
    if (count > facts_.size()) {
      facts_.resize(count, filler);
    }
    size_ = count;
  }

  constexpr void assign(std::size_t count, const T& value) {
    stretch(count, value);
    for (std::size_t i = 0; i != count; ++i) {
      facts_[i] = value;
    }
  }

  constexpr std::size_t size() const { return size_; }

  constexpr T* data() { return facts_.data(); }

  constexpr const T* data() const { return facts_.data(); }

  constexpr const T& operator[](std::size_t i) const {
    MIDEND_ASSERT(i < size_, "a node of the graph that was analysed", i, size_);
    return facts_.data()[i];
  }

private:
  object_array<T> facts_;
  std::size_t size_ = 0;
};

template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>)
class fact_array<T> : public flat_array<T> {
public:
  constexpr void stretch(std::size_t count, const T&) { this->resize_for_overwrite(count); }
};

} // namespace detail

MIDEND_END_NAMESPACE
