/// Lists of nodes and edges in doctest's messages.
#pragma once

#include "kit/test_graph.hpp"

#include <doctest/doctest.h>

namespace doctest {

template <> struct StringMaker<std::vector<midend_tests::node_id>> {
  static String convert(const std::vector<midend_tests::node_id>& nodes) {
    std::string out = "{";
    for (const midend_tests::node_id n : nodes) {
      out += " " + std::to_string(n);
    }
    return (out + " }").c_str();
  }
};

template <> struct StringMaker<std::vector<midend_tests::edge>> {
  static String convert(const std::vector<midend_tests::edge>& edges) {
    std::string out = "{";
    for (const midend_tests::edge e : edges) {
      out += " " + std::to_string(e.source) + "->" + std::to_string(e.target);
    }
    return (out + " }").c_str();
  }
};

} // namespace doctest

namespace midend_tests {

/// Any range of nodes as a vector, to compare and print.
template <class Range> std::vector<node_id> listed(Range&& range) {
  std::vector<node_id> out;
  const auto last = std::end(range);
  for (auto it = std::begin(range); it != last; ++it) {
    out.push_back(static_cast<node_id>(*it));
  }
  return out;
}

/// The same, ascending.
template <class Range> std::vector<node_id> sorted(Range&& range) {
  std::vector<node_id> out = listed(range);
  for (std::size_t i = 1; i < out.size(); ++i) {
    for (std::size_t k = i; k != 0 && out[k] < out[k - 1]; --k) {
      std::swap(out[k], out[k - 1]);
    }
  }
  return out;
}

/// Counts what is compared and reports the first few differences: thousands of the same kind say no more than three.
class comparisons {
public:
  void add(const std::string& wrong, const test_graph& graph) {
    ++all_;
    if (!wrong.empty() && ++failed_ <= 3) {
      FAIL_CHECK(wrong << " of " << to_string(graph));
    }
  }

  void add(const std::string& wrong, const bit_graph& graph) {
    if (wrong.empty()) {
      ++all_;
    } else {
      add(wrong, to_test_graph(graph));
    }
  }

  std::size_t all() const { return all_; }

  std::size_t failed() const { return failed_; }

private:
  std::size_t all_ = 0;
  std::size_t failed_ = 0;
};

} // namespace midend_tests
