/// Results of value numbering that are wrong on purpose, or another partition of the same values.
#pragma once

#include <midend/ssa/value_numbering_result.hpp>
#include <midend/support/flat_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Makes other results.
struct midend::detail::congruence_mutation {
  /// With these classes, numbered from 0 without gaps.
  template <class D> static void set_classes(value_numbering_result<D>& r, const std::vector<std::uint32_t>& classes) {
    std::uint32_t count = 0;
    for (const std::uint32_t c : classes) {
      count = std::max(count, c + 1);
    }
    r.starts_.assign(count + std::size_t{1}, 0);
    for (value_id v = 0; v != classes.size(); ++v) {
      r.class_[v] = classes[v];
      r.starts_[classes[v]] += v < r.members_.size() ? 1u : 0u; // the others are copies after branches
    }
    counts_to_ends(r.starts_);
    for (value_id v = static_cast<value_id>(r.members_.size()); v-- != 0;) {
      r.members_[--r.starts_[classes[v]]] = v;
    }
  }

  template <class D> static void merge(value_numbering_result<D>& r, std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> classes(r.class_.begin(), r.class_.end());
    for (std::uint32_t& c : classes) {
      c = c == b ? a : c > b ? c - 1 : c; // a is less than b
    }
    set_classes(r, classes);
  }
};
