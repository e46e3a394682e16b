/// Names, one after the other.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Keeps names; the same name may be there twice. 0 is the empty one.
class name_table {
public:
  std::uint32_t add(std::string_view name) {
    if (name.empty()) {
      return 0;
    }
    for (const char c : name) {
      text_.push_back(c);
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
