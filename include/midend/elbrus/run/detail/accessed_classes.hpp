/// `accessed_classes`: records the alias classes that accessed each byte, to find classes that overlap.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// By byte of memory, the classes that have accessed it in one call of a procedure: the last one. Which classes must
/// not meet is what the IR means; here nothing else is asked of `memory_places`.
class accessed_classes {
public:
  /// Notes an access in a call, which has a number other than 0. Returns a class that must not have accessed the bytes
  /// before, or `no_alias`.
  alias_id note(std::uint32_t call, std::size_t first, std::size_t count, alias_id by, bool is_store) {
    while (bytes_.size() < first + count) {
      bytes_.push_back({0, no_alias, no_alias, 0});
    }
    for (std::size_t i = first; i != first + count; ++i) {
      accessed_byte& b = bytes_[i];
      if (b.call != call) {
        b = {call, by, no_alias, is_store ? 1u : 0u};
        continue;
      }
      const alias_id other = b.by != by ? b.by : b.also_by;
      if (classes_are_apart(other, by) && (is_store || b.is_stored != 0)) {
        return other;
      }
      b.also_by = b.by != by ? by : b.also_by;
      b.is_stored |= is_store ? 1u : 0u;
    }
    return no_alias;
  }

  /// Another class that has stored to one of the bytes in this call, or `no_alias`. For an access that the program need
  /// not make, so it is not noted.
  alias_id stored_by_other(std::uint32_t call, std::size_t first, std::size_t count, alias_id by) const {
    for (std::size_t i = first; i != first + count && i < bytes_.size(); ++i) {
      const accessed_byte& b = bytes_[i];
      if (b.call == call && b.is_stored != 0 && b.by != by) {
        return b.by;
      }
    }
    return no_alias;
  }

private:
  struct accessed_byte {
    std::uint32_t call;
    alias_id by;
    alias_id also_by; ///< another class, by loads alone
    std::uint32_t is_stored;
  };

  flat_array<accessed_byte> bytes_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
