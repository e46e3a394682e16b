/// Tables as text.
#pragma once

#include "midend/config.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Rows of cells. Columns are as wide as they must be.
template <std::size_t Columns> class text_table {
public:
  using row = std::array<std::string, Columns>;

  void add(row r) { rows_.push_back(std::move(r)); }

  /// Appends the lines. `at_right` says which columns end together.
  void append_to(std::string& out, std::string_view indentation, const std::array<bool, Columns>& at_right) const {
    std::array<std::size_t, Columns> width{};
    for (const row& r : rows_) {
      for (std::size_t c = 0; c != Columns; ++c) {
        width[c] = std::max(width[c], r[c].size());
      }
    }
    for (const row& r : rows_) {
      std::string line(indentation);
      for (std::size_t c = 0; c != Columns; ++c) {
        const std::string fill(width[c] - r[c].size(), ' ');
        line += (c == 0 ? "" : "  ") + (at_right[c] ? fill + r[c] : r[c] + fill);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
  }

private:
  std::vector<row> rows_;
};

} // namespace detail

MIDEND_END_NAMESPACE
