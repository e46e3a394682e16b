/// The names of values and nodes in reports.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <concepts>
#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

/// The default names of values and nodes: their numbers. To change some, derive from it, or pass a type with these
/// members.
struct numbered_values {
  std::string value(value_id v) const { return "v" + std::to_string(v); }

  std::string node(node_id n) const { return "block " + std::to_string(n); }
};

/// `value(v)` and `node(n)` convert to `std::string`.
template <class Names>
concept value_names = requires(const Names& names, std::uint32_t number) {
  { names.value(number) } -> std::convertible_to<std::string>;
  { names.node(number) } -> std::convertible_to<std::string>;
};

MIDEND_END_NAMESPACE
