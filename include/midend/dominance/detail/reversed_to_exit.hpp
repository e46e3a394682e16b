/// The graph whose dominators are the post-dominators of another one.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/endless_regions.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/chained_range.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A graph with all edges reversed, entered at a virtual exit after its last node, which leads to the roots:
/// `reversed(with_virtual_exit(g, roots))` without predecessors and without memory of its own.
///
/// With an `endless_region_search`, `number_and_chain` continues in the endless regions. They are computed when all
/// nodes that reach the roots are numbered, and only if there are other nodes. Other algorithms need all roots
/// beforehand.
template <bidirectional_flow_graph G> class reversed_to_exit {
public:
  constexpr reversed_to_exit(const G& g, span<const node_id> roots, endless_region_search* endless = nullptr)
      : graph_(&g), exit_(node_count(g)), roots_(roots), endless_(endless) {}

  constexpr std::size_t num_nodes() const { return exit_ + std::size_t{1}; }

  constexpr node_id entry() const { return exit_; }

  constexpr std::uint64_t epoch() const { return graph_epoch(*graph_); }

  constexpr auto successors(node_id n) const {
    using range = chained_range<iterator_of<predecessors_of<G>>, sentinel_of<predecessors_of<G>>>;
    if (n == exit_) {
      return range(roots_);
    }
    auto&& own = graph_->predecessors(n);
    return range(std::begin(own), std::end(own), span<const node_id>());
  }

  constexpr span<const node_id> roots() const { return roots_; }

  constexpr decltype(auto) inner_successors(node_id n) const { return graph_->predecessors(n); }

  constexpr node_id late_root(const std::uint32_t* number, std::uint32_t met) const {
    return endless_ == nullptr || met == num_nodes() ? no_node : next_endless_root(number);
  }

private:
  MIDEND_SELDOM_CALLED constexpr node_id next_endless_root(const std::uint32_t* number) const {
    if (endless_->roots().empty()) {
      endless_->run(*graph_, [&](node_id n) { return number[n] != no_node; });
    }
    return endless_->next_root();
  }

protected:
  const G* graph_;
  node_id exit_;

private:
  span<const node_id> roots_;
  endless_region_search* endless_;
};

template <class G> inline constexpr bool has_virtual_entry<reversed_to_exit<G>> = true;

} // namespace detail

MIDEND_END_NAMESPACE
