/// Where calls lead.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The procedures of a program by name.
class callee_table {
public:
  explicit callee_table(std::span<const procedure> procedures) : procedures_(procedures) {
    for (std::uint32_t i = 0; i != procedures.size(); ++i) {
      by_name_.push_back(i);
    }
    std::sort(by_name_.begin(), by_name_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(procedures[a].name(), a) < std::pair(procedures[b].name(), b);
    });
  }

  /// The first procedure of this name, or `none`.
  std::uint32_t find(std::string_view name) const {
    const auto at =
        std::lower_bound(by_name_.begin(), by_name_.end(), name,
                         [&](std::uint32_t p, std::string_view wanted) { return procedures_[p].name() < wanted; });
    return at != by_name_.end() && procedures_[*at].name() == name ? *at : none;
  }

  const procedure& operator[](std::uint32_t number) const { return procedures_[number]; }

private:
  std::span<const procedure> procedures_;
  std::vector<std::uint32_t> by_name_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
