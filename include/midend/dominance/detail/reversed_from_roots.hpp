/// The graph that updates of post-dominators are about.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/chained_range.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `reversed(with_virtual_exit(g, roots))`, made without going over the nodes: which of them are roots is known. Refers
/// to everything given.
template <bidirectional_flow_graph G> class reversed_from_roots {
public:
  constexpr reversed_from_roots(const G& g, std::span<const node_id> roots, const flat_array<bool>& is_root)
      : graph_(&g), exit_(node_count(g)), roots_(roots), is_root_(&is_root) {}

  constexpr std::size_t num_nodes() const { return exit_ + std::size_t{1}; }

  constexpr node_id entry() const { return exit_; }

  constexpr std::uint64_t epoch() const { return graph_epoch(*graph_); }

  constexpr auto successors(node_id n) const {
    using range = chained_range<iterator_of<predecessors_of<G>>, sentinel_of<predecessors_of<G>>>;
    if (n == exit_) {
      return range(roots_);
    }
    auto&& own = graph_->predecessors(n);
    return range(std::begin(own), std::end(own), std::span<const node_id>());
  }

  constexpr auto predecessors(node_id n) const {
    using range = chained_range<iterator_of<successors_of<G>>, sentinel_of<successors_of<G>>>;
    if (n == exit_) {
      return range();
    }
    auto&& own = graph_->successors(n);
    return range(std::begin(own), std::end(own), std::span(&exit_, (*is_root_)[n] ? 1 : 0));
  }

private:
  const G* graph_;
  node_id exit_;
  std::span<const node_id> roots_;
  const flat_array<bool>* is_root_;
};

} // namespace detail

MIDEND_END_NAMESPACE
