/// `short_text<N>`: a name or a title within a machine model, without memory of its own.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Up to `Capacity` bytes, at most 255.
template <std::size_t Capacity> class short_text {
  static_assert(Capacity <= 255);

public:
  constexpr short_text() = default;

  /// Requires a text that fits.
  constexpr short_text(const char* text) {
    for (; *text != '\0'; ++text) {
      push_back(*text);
    }
  }

  /// Nothing if the text does not fit: `fits` tells.
  constexpr explicit short_text(std::span<const char> text) {
    for (std::size_t i = 0; fits(text) && i != text.size(); ++i) {
      push_back(text[i]);
    }
  }

  static constexpr bool fits(std::span<const char> text) { return text.size() <= Capacity; }

  constexpr std::size_t size() const { return size_; }

  constexpr bool empty() const { return size_ == 0; }

  constexpr const char* begin() const { return bytes_.data(); }

  constexpr const char* end() const { return bytes_.data() + size_; }

  constexpr std::span<const char> text() const { return {bytes_.data(), size_}; }

  friend constexpr bool operator==(const short_text&, const short_text&) = default;

private:
  constexpr void push_back(char c) {
    MIDEND_ASSERT(size_ < Capacity, "a text that fits", Capacity);
    bytes_[size_++] = c;
  }

  std::array<char, Capacity> bytes_{};
  std::uint8_t size_ = 0;
};

namespace detail {

/// Whether both are the same bytes.
constexpr bool same_text(std::span<const char> a, std::span<const char> b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i != a.size(); ++i) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

/// The characters of a string literal or another text that ends with 0.
constexpr std::span<const char> as_text(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') {
    ++size;
  }
  return {text, size};
}

} // namespace detail

MIDEND_END_NAMESPACE
