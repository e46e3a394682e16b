/// `solution`: the result of `solve`, the facts at both ends of each node.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
template <class P, class Traits> class propagation;
}

/// The facts at the start and at the end of each node, `in(n)` and `out(n)`, in the order of the program, whatever the
/// direction of flow: for live variables, `in(n)` are those live at the start of the node. `fact_cursor` gives the
/// facts inside of nodes.
///
/// Nodes that flow does not reach, which only forward problems have, have bottom at both ends and `is_reached` false.
/// 13 bytes a node, and two facts.
template <class Element> class solution {
public:
  using element = Element;

  constexpr std::size_t num_nodes() const { return counts_.size(); }

  /// The fact at the start of `n`, before its statements.
  constexpr const Element& in(node_id n) const { return in_[n]; }

  /// The fact at the end of `n`, before edges change it.
  constexpr const Element& out(node_id n) const { return out_[n]; }

  constexpr bool is_reached(node_id n) const { return reached_[n]; }

  /// The number of times that `n` was transferred.
  constexpr std::uint32_t visits(node_id n) const { return counts_[n].visits; }

  /// The number of facts joined into the incoming fact of `n`. The first fact to arrive is copied, not joined.
  constexpr std::uint32_t joins(node_id n) const { return counts_[n].joins; }

  /// The number of facts widened into the incoming fact of `n`.
  constexpr std::uint32_t widenings(node_id n) const { return counts_[n].widenings; }

  /// The visits of all nodes.
  constexpr std::uint64_t num_visits() const {
    std::uint64_t sum = 0;
    for (const node_counts& counts : counts_) {
      sum += counts.visits;
    }
    return sum;
  }

  /// The `epoch()` of the graph.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  template <class P, class Traits> friend class detail::propagation;

  struct node_counts {
    std::uint32_t visits;
    std::uint32_t joins;
    std::uint32_t widenings;
  };

  std::uint64_t epoch_ = 0;
  detail::fact_array<Element> in_;
  detail::fact_array<Element> out_;
  flat_array<bool> reached_;
  flat_array<node_counts> counts_;
};

MIDEND_END_NAMESPACE
