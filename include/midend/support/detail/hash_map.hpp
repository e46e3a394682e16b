/// `hash_map`: the one hash map of midend, from keys to numbers.
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

/// Mixes a number into a hash, for keys that are made of several numbers.
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x9e37'79b9'7f4a'7c15;
  return hash ^ hash >> 29;
}

/// FNV-1a over a range of bytes or characters.
template <class Bytes> constexpr std::uint64_t hash_of_bytes(const Bytes& bytes) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const auto byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x0000'0100'0000'01b3;
  }
  return hash;
}

/// The hash of the handles of a user's IR: a pointer, an integer, or a small struct of them.
struct hash_of_handle {
  template <class Handle> constexpr std::uint64_t operator()(const Handle& handle) const {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<std::uintptr_t>(handle);
    } else if constexpr (std::is_integral_v<Handle> || std::is_enum_v<Handle>) {
      return static_cast<std::uint64_t>(handle);
    } else {
      static_assert(std::has_unique_object_representations_v<Handle>, "a handle must not have padding");
      return hash_of_bytes(std::bit_cast<std::array<unsigned char, sizeof(Handle)>>(handle));
    }
  }
};

/// For calls that compare keys alone.
struct equal_keys_are_enough {
  constexpr bool operator()(std::uint32_t) const { return true; }
};

/// Gives each key a number. Open addressing with linear probing, at most half full, no deletion. The order of entries
/// is never shown, so nothing depends on addresses.
///
/// A key is trivially copyable and has `==`; `Hash()(key)` gives 64 bits, any of which may be significant. The map can
/// also find things that it does not store: the key is then a hash of the thing, and each call passes a test that
/// compares the thing with the one that has a given number.
template <class Key, class Hash = hash_of_handle> class hash_map {
public:
  /// What `find` returns if there is no such key.
  static constexpr std::uint32_t missing = 0xffff'ffff;

  /// Forgets everything in O(1) and makes room for `expected` keys; there may be more. Allocates only if the map was
  /// never this large. A map that once was larger uses only as much of its memory as is needed now.
  constexpr void clear(std::size_t expected = 0) {
    used_ = 0;
    make_room(expected < 32 ? 64 : std::bit_ceil(2 * expected));
  }

  /// The number of the key, if also `is_equal(number)` holds, or `missing`. O(1) expected.
  template <class Equal = equal_keys_are_enough>
  constexpr std::uint32_t find(const Key& key, const Equal& is_equal = {}) const {
    if (capacity_ == 0) {
      return missing;
    }
    const slot& at = slots_.data()[slot_of(key, is_equal)];
    return at.generation == generation_ ? at.number : missing;
  }

  /// The number of a key. A new key gets the number `fresh`, which must not be `missing`.
  template <class Equal = equal_keys_are_enough>
  constexpr std::uint32_t find_or_insert(const Key& key, std::uint32_t fresh, const Equal& is_equal = {}) {
    if (2 * (used_ + 1) > capacity_) [[unlikely]] {
      grow();
    }
    slot& at = slots_.data()[slot_of(key, is_equal)];
    if (at.generation == generation_) {
      return at.number;
    }
    at = {key, fresh, generation_};
    ++used_;
    return fresh;
  }

private:
  /// Empty if it is of another generation than the map.
  struct slot {
    Key key;
    std::uint32_t number;
    std::uint32_t generation;
  };

  /// Where the key is, or the free slot where it would go. Multiplication by 2^64 / φ spreads the low bits of aligned
  /// pointers over the high bits, which choose the slot (Knuth, TAOCP 3, 6.4).
  template <class Equal> constexpr std::size_t slot_of(const Key& key, const Equal& is_equal) const {
    const slot* const slots = slots_.data();
    const std::size_t mask = capacity_ - 1;
    auto at = static_cast<std::size_t>((Hash()(key) * 0x9e37'79b9'7f4a'7c15) >> shift_);
    while (slots[at].generation == generation_ && !(slots[at].key == key && is_equal(slots[at].number))) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /// Leaves no key; `capacity` is a power of 2.
  constexpr void make_room(std::size_t capacity) {
    if (capacity > slots_.size()) {
      slots_.resize_for_overwrite(capacity);
      generation_ = 0xffff'ffff;
    }
    if (++generation_ == 0) {
      slots_.assign(slots_.size(), slot{});
      generation_ = 1;
    }
    capacity_ = capacity;
    shift_ = 64 - std::countr_zero(capacity);
  }

  MIDEND_SELDOM_CALLED constexpr void grow() {
    kept_.clear();
    kept_.reserve(used_);
    for (std::size_t i = 0; i != capacity_; ++i) {
      if (slots_.data()[i].generation == generation_) {
        kept_.push_back(slots_.data()[i]);
      }
    }
    make_room(capacity_ == 0 ? 64 : 4 * capacity_);
    for (const slot& s : kept_) {
      const auto none_is_equal = [](std::uint32_t) { return false; };
      slots_.data()[slot_of(s.key, none_is_equal)] = {s.key, s.number, generation_};
    }
  }

  flat_array<slot> slots_;
  flat_array<slot> kept_;    ///< while the map grows; stays, so that a map that is used again does not allocate
  std::size_t capacity_ = 0; ///< how many of the slots are in use
  std::size_t used_ = 0;     ///< how many keys there are
  std::uint32_t generation_ = 0;
  int shift_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
