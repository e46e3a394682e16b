/// Numbers by name.
#pragma once

#include "midend/config.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Gives each name the number it was seen with first. Open addressing with linear probing; no deletion, and the order
/// of entries is never shown. Names have to stay where they are as long as the index lives.
class name_index {
public:
  static constexpr std::uint32_t missing = 0xffff'ffff;

  std::uint32_t find(std::string_view name) const { return slots_.empty() ? missing : slots_[slot_of(name)].number; }

  /// The number of a name; `fresh`, which must not be `missing`, becomes it if there is none.
  std::uint32_t find_or_insert(std::string_view name, std::uint32_t fresh) {
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
    }
    entry& slot = slots_[slot_of(name)];
    if (slot.number == missing) {
      slot = {name, fresh};
      ++used_;
    }
    return slot.number;
  }

  void clear() {
    slots_.clear();
    used_ = 0;
  }

private:
  struct entry {
    std::string_view name;
    std::uint32_t number = missing;
  };

  static std::size_t hash_of(std::string_view name) {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325; // FNV-1a
    for (const char c : name) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01b3;
    }
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }

  std::size_t slot_of(std::string_view name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(name) & mask;
    while (slots_[slot].number != missing && slots_[slot].name != name) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    const std::vector<entry> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? 64 : 2 * old.size());
    for (const entry& kept : old) {
      if (kept.number != missing) {
        slots_[slot_of(kept.name)] = kept;
      }
    }
  }

  std::vector<entry> slots_; ///< a power of two, at most half full
  std::size_t used_ = 0;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
