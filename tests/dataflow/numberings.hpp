// The same graph with its nodes numbered in other ways: what engines make of it must not depend on that.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/graph/csr_graph.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace midend_tests {

enum class numbering { with_the_flow, against_it, shuffled };

inline constexpr numbering numberings[] = {numbering::with_the_flow, numbering::against_it, numbering::shuffled};

/// By node, its new number; for graphs that are numbered with the flow, as the first kind says.
inline std::vector<node_id> numbers(std::size_t count, numbering kind) {
  std::vector<node_id> number(count);
  for (node_id n = 0; n != count; ++n) {
    number[n] = kind == numbering::against_it ? static_cast<node_id>(count - 1 - n) : n;
  }
  if (kind == numbering::shuffled) {
    random_source random(4);
    for (std::size_t n = count; n > 1; --n) {
      std::swap(number[n - 1], number[random.below(n)]);
    }
  }
  return number;
}

inline midend::csr_graph renumbered(std::size_t count, std::vector<edge> edges, numbering kind) {
  const std::vector<node_id> number = numbers(count, kind);
  for (edge& e : edges) {
    e = {number[e.source], number[e.target]};
  }
  return midend::csr_graph::from_edges(count, number[0], edges).value();
}

} // namespace midend_tests
