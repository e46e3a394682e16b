/// `name_index`: numbers by name.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/hash_map.hpp"

#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

struct hash_of_name {
  constexpr std::uint64_t operator()(std::string_view name) const { return midend::detail::hash_of_bytes(name); }
};

/// Gives each name the number that it was inserted with first. Names must stay where they are as long as the index
/// lives. The functions are never inlined: hashing costs more than a call, and there are many calls.
class name_index {
public:
  static constexpr std::uint32_t missing = 0xffff'ffff;

  MIDEND_NEVER_INLINED std::uint32_t find(std::string_view name) const { return numbers_.find(name); }

  /// The number of a name; if there is none, it becomes `fresh`, which must not be `missing`.
  MIDEND_NEVER_INLINED std::uint32_t find_or_insert(std::string_view name, std::uint32_t fresh) {
    return numbers_.find_or_insert(name, fresh);
  }

private:
  midend::detail::hash_map<std::string_view, hash_of_name> numbers_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
