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

/// Names must stay where they are as long as the index lives.
using name_index = midend::detail::hash_map<std::string_view, hash_of_name>;

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
