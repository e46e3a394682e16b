/// A hash table that gives equal things the same number, and is emptied in constant time.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Mixes a number into a hash.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x9e37'79b9'7f4a'7c15;
  return hash ^ hash >> 29;
}

/// Numbers of things by what they are made of. The table does not keep the things: a lookup brings a hash and a test of
/// equality. Results never depend on the order of the slots.
class interning_table {
public:
  /// Forgets everything.
  constexpr void clear() {
    if (slots_.empty() || ++generation_ == 0) {
      slots_.assign(slots_.empty() ? 64 : slots_.size(), slot{});
      generation_ = 1;
    }
    count_ = 0;
  }

  /// The number of the thing with this hash for which `is_equal(number)` holds. If there is none, inserts `fresh` and
  /// returns it. O(1) expected.
  template <class Equal>
  constexpr std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t fresh, const Equal& is_equal) {
    const auto key = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = key & mask;; at = (at + 1) & mask) {
      slot& s = slots_[at];
      if (s.generation != generation_) {
        s = {generation_, key, fresh};
        if (++count_ * 2 > slots_.size()) {
          grow();
        }
        return fresh;
      }
      if (s.key == key && is_equal(s.number)) {
        return s.number;
      }
    }
  }

private:
  /// Empty if its generation is not that of the table.
  struct slot {
    std::uint32_t generation;
    std::uint32_t key;
    std::uint32_t number;
  };

  MIDEND_SELDOM_CALLED constexpr void grow() {
    old_.swap(slots_);
    slots_.assign(old_.size() * 4, slot{});
    const std::size_t mask = slots_.size() - 1;
    for (const slot& s : old_) {
      if (s.generation == generation_) {
        std::size_t at = s.key & mask;
        while (slots_[at].generation == generation_) {
          at = (at + 1) & mask;
        }
        slots_[at] = s;
      }
    }
  }

  flat_array<slot> slots_;
  flat_array<slot> old_; ///< scratch of `grow`
  std::uint32_t generation_ = 0;
  std::size_t count_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
