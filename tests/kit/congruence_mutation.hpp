/// Results of value numbering that are wrong on purpose.
#pragma once

#include <midend/ssa/value_numbering_result.hpp>

#include <cstdint>
#include <vector>

/// A friend of results.
struct midend::detail::congruence_mutation {
  /// Makes one class of two, `a` < `b`.
  template <class D> static void merge(value_numbering_result<D>& r, std::uint32_t a, std::uint32_t b) {
    std::vector<std::vector<value_id>> classes(r.num_classes());
    for (std::uint32_t c = 0; c != r.num_classes(); ++c) {
      classes[c].assign(r.members_of_class(c).begin(), r.members_of_class(c).end());
    }
    classes[a].insert(classes[a].end(), classes[b].begin(), classes[b].end());
    classes.erase(classes.begin() + b);
    r.starts_.assign(1, 0);
    r.members_.clear();
    for (std::uint32_t c = 0; c != classes.size(); ++c) {
      for (const value_id v : classes[c]) {
        r.class_[v] = c;
        r.members_.push_back(v);
      }
      r.starts_.push_back(static_cast<std::uint32_t>(r.members_.size()));
    }
  }
};
