/// The one hash map of midend: from the handles of a user's IR to dense numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Open addressing with linear probing over two flat arrays; no deletion. The order of entries is never shown, so that
/// nothing depends on addresses.
template <class Handle> class handle_map {
public:
  static constexpr std::uint32_t missing = 0xffff'ffff;

  /// Forgets everything and makes room for `expected` handles; there may be more. Allocates only if there has never
  /// been so much room, and costs no more for a map that once was larger.
  void clear(std::size_t expected) {
    used_ = 0;
    make_room(std::bit_ceil(2 * expected < 64 ? 64 : 2 * expected));
  }

  std::uint32_t find(Handle handle) const {
    if (numbers_.empty()) {
      return missing;
    }
    return numbers_[slot_of(handle)];
  }

  /// The number of `handle`; `fresh`, which must not be `missing`, becomes its number if it has none.
  std::uint32_t find_or_insert(Handle handle, std::uint32_t fresh) {
    if (2 * (used_ + 1) > numbers_.size()) {
      grow();
    }
    const std::size_t slot = slot_of(handle);
    if (numbers_[slot] == missing) {
      handles_[slot] = handle;
      numbers_[slot] = fresh;
      ++used_;
    }
    return numbers_[slot];
  }

private:
  static std::uint64_t bits_of(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<std::uintptr_t>(handle);
    } else if constexpr (std::is_integral_v<Handle> || std::is_enum_v<Handle>) {
      return static_cast<std::uint64_t>(handle);
    } else {
      static_assert(std::has_unique_object_representations_v<Handle>, "a handle must not have padding");
      std::uint64_t bits = 0xcbf2'9ce4'8422'2325; // FNV-1a over the bytes
      for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(Handle)>>(handle)) {
        bits = (bits ^ byte) * 0x0000'0100'0000'01b3;
      }
      return bits;
    }
  }

  /// Where `handle` is, or the free slot where it would go. Multiplication by 2^64 / φ spreads the low bits of aligned
  /// pointers over the high bits, which choose the slot (Knuth, TAOCP 3, 6.4).
  std::size_t slot_of(Handle handle) const {
    const std::size_t mask = numbers_.size() - 1;
    std::size_t slot = static_cast<std::size_t>((bits_of(handle) * 0x9e37'79b9'7f4a'7c15) >> shift_);
    while (numbers_[slot] != missing && !(handles_[slot] == handle)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /// Empty slots; `capacity` is a power of 2.
  void make_room(std::size_t capacity) {
    shift_ = 64 - std::countr_zero(capacity);
    handles_.resize_for_overwrite(capacity);
    numbers_.assign(capacity, missing);
  }

  MIDEND_SELDOM_CALLED void grow() {
    old_handles_.assign(handles_);
    old_numbers_.assign(numbers_);
    make_room(numbers_.empty() ? 64 : 2 * numbers_.size());
    for (std::size_t i = 0; i != old_numbers_.size(); ++i) {
      if (old_numbers_[i] != missing) {
        const std::size_t slot = slot_of(old_handles_[i]);
        handles_[slot] = old_handles_[i];
        numbers_[slot] = old_numbers_[i];
      }
    }
  }

  flat_array<Handle> handles_;
  flat_array<std::uint32_t> numbers_;
  flat_array<Handle> old_handles_; ///< while the map grows; kept, so that maps that are used again do not allocate
  flat_array<std::uint32_t> old_numbers_;
  std::size_t used_ = 0;
  int shift_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
