/// The graph that updates of post-dominators are about.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/reversed_to_exit.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/chained_range.hpp"
#include "midend/support/flat_array.hpp"

#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `reversed_to_exit` with predecessors, so that it is all of `reversed(with_virtual_exit(g, roots))`, but made without
/// going over the nodes: which of them are roots is known. Refers to everything given.
template <bidirectional_flow_graph G> class reversed_from_roots : public reversed_to_exit<G> {
public:
  constexpr reversed_from_roots(const G& g, std::span<const node_id> roots, const flat_array<bool>& is_root)
      : reversed_to_exit<G>(g, roots), is_root_(&is_root) {}

  constexpr auto predecessors(node_id n) const {
    using range = chained_range<iterator_of<successors_of<G>>, sentinel_of<successors_of<G>>>;
    if (n == this->exit_) {
      return range();
    }
    auto&& own = this->graph_->successors(n);
    return range(std::begin(own), std::end(own), std::span(&this->exit_, (*is_root_)[n] ? 1 : 0));
  }

private:
  const flat_array<bool>* is_root_;
};

} // namespace detail

MIDEND_END_NAMESPACE
