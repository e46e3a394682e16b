/// `diagnostic`: an error in a program, with its place.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// An error and its place. The message is a phrase without the place, the word `error` and a full stop. The location
/// is 0:0 if there is none: in a procedure that was not read from a file.
struct diagnostic {
  source_location location;
  std::string message;

  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

/// Sorts the diagnostics from number `first` on by place. Those at one place keep their order.
MIDEND_SELDOM_CALLED inline void sort_by_place(std::vector<diagnostic>& all, std::size_t first = 0) {
  struct place {
    std::uint32_t line;
    std::uint32_t column;
    std::size_t number;

    auto operator<=>(const place&) const = default;
  };

  flat_array<place> places;
  for (std::size_t i = first; i != all.size(); ++i) {
    places.push_back({all[i].location.line, all[i].location.column, i});
  }
  midend::detail::heap_sort(places.data(), places.size());
  std::vector<diagnostic> sorted;
  sorted.reserve(all.size());
  for (std::size_t i = 0; i != first; ++i) {
    sorted.push_back(std::move(all[i]));
  }
  for (const place& p : places) {
    sorted.push_back(std::move(all[p.number]));
  }
  all = std::move(sorted);
}

} // namespace elbrus

MIDEND_END_NAMESPACE
