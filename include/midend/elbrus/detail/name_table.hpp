/// Names, one after the other.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Stores names by number; equal names may have several numbers. 0 is the empty name. An added name may be a view into
/// the table.
class name_table {
public:
  std::uint32_t add(std::string_view name) {
    if (name.empty()) {
      return 0;
    }
    const bool own =
        !std::less<>()(name.data(), text_.data()) && std::less<>()(name.data(), text_.data() + text_.size());
    const std::size_t offset = own ? static_cast<std::size_t>(name.data() - text_.data()) : 0;
    for (std::size_t i = 0; i != name.size(); ++i) {
      text_.push_back(own ? text_[offset + i] : name[i]);
    }
    end_.push_back(text_.size());
    return static_cast<std::uint32_t>(end_.size());
  }

  std::string_view operator[](std::uint32_t name) const {
    if (name == 0) {
      return {};
    }
    const std::size_t first = name == 1 ? 0 : end_[name - 2];
    return {text_.data() + first, end_[name - 1] - first};
  }

private:
  flat_array<char> text_;
  flat_array<std::size_t> end_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
