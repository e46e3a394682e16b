/// The order in which a depth-first search follows the successors of a node, for analyses whose results depend on it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <concepts>
#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// From the last successor to the first, as LLVM's cycle analysis does. The reverse postorder of such a search lists
/// the nodes after the first successor of a branch before those after the second.
struct last_to_first_t {};

/// From the first successor to the last, as `depth_first_order` does.
struct first_to_last_t {};

inline constexpr last_to_first_t last_to_first{};
inline constexpr first_to_last_t first_to_last{};

template <class T>
concept search_order = std::same_as<T, last_to_first_t> || std::same_as<T, first_to_last_t>;

namespace detail {

MIDEND_REQUIRED(search_order, "an order of the search is midend::last_to_first, the default, or midend::first_to_last");

} // namespace detail

/// For signatures: a `search_order`; any other type is an error with a reason.
template <class T>
concept search_order_argument = search_order<T> || detail::search_order_row::explain<T>();

namespace detail {

/// `g` with the successors of each node in reverse order, for a search that reads one range before it requests the
/// next.
template <class G> class turned_successors {
public:
  constexpr turned_successors(const G& g, flat_array<node_id>& memory) : graph_(g), turned_(memory) {}

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(graph_.num_nodes()); }

  constexpr node_id entry() const { return static_cast<node_id>(graph_.entry()); }

  constexpr span<const node_id> successors(node_id n) const {
    turned_.clear();
    for (const auto successor : graph_.successors(n)) {
      turned_.push_back(static_cast<node_id>(successor));
    }
    for (std::size_t low = 0, high = turned_.size(); high - low > 1 && low < high; ++low) {
      detail::swap_values(turned_[low], turned_[--high]);
    }
    return turned_;
  }

private:
  const G& graph_;
  flat_array<node_id>& turned_;
};

} // namespace detail

MIDEND_END_NAMESPACE
