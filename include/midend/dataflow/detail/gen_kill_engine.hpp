/// The iteration of the gen/kill engine: in which order nodes are visited, and again.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/node_orders.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What the iteration needs beside the rows.
struct gen_kill_iteration_memory {
  flat_array<node_id> stale;
  flat_array<bool> reached;
  flat_array<bool> visited;
  flat_array<bool> is_root;
  pending_set pending;
  depth_first_order_workspace search;
  depth_first_numbering order;
  flat_array<node_id> nodes;
  flat_array<std::uint32_t> positions;
};

template <class P, class G, class Table> class gen_kill_iteration {
public:
  constexpr gen_kill_iteration(const G& g, Table& table, gen_kill_iteration_memory& memory)
      : g_(g), table_(table), memory_(memory), num_nodes_(node_count(g)) {}

  /// Returns the number of visits.
  constexpr std::size_t run() {
    sweep_once();
    if (!memory_.stale.empty()) {
      if (follows_the_flow()) {
        settle(number_order<P::direction>{num_nodes_});
      } else {
        settle(order_by_search());
      }
    }
    return visits_;
  }

private:
  static constexpr bool forward = is_forward<P>;

  /// The nodes whose facts flow into `n`, and those that the facts of `n` flow into.
  constexpr decltype(auto) sources(node_id n) const {
    if constexpr (forward) {
      return g_.predecessors(n);
    } else {
      return g_.successors(n);
    }
  }

  constexpr decltype(auto) targets(node_id n) const {
    if constexpr (forward) {
      return g_.successors(n);
    } else {
      return g_.predecessors(n);
    }
  }

  constexpr bool is_boundary(node_id n) const {
    if constexpr (forward) {
      return n == static_cast<node_id>(g_.entry());
    } else {
      return memory_.is_root.data()[n];
    }
  }

  template <class Visit> constexpr typename Table::row join(node_id n, Visit visit) {
    auto joined = table_.join(n, sources(n), visit);
    if constexpr (boundary_matters<P>) {
      if (is_boundary(n)) {
        joined = table_.join_boundary(n, joined);
      }
    }
    return joined;
  }

  constexpr void visit_first(node_id n) {
    table_.summarise_and_move(n, join(n, [](node_id) {}));
    ++visits_;
  }

  constexpr void sweep_once() {
    if constexpr (forward) {
      sweep_forward();
    } else {
      sweep_backward();
    }
  }

  /// Every node counts, whether the entry reaches it or not. Most nodes come before their successors, so going down
  /// settles most; `stale` are those with an edge to one that comes later.
  constexpr void sweep_backward() {
    memory_.stale.resize_for_overwrite(num_nodes_);
    node_id* const stale = memory_.stale.data();
    std::size_t found = 0;
    for (node_id n = num_nodes_; n-- != 0;) {
      bool is_stale = false;
      const auto joined = join(n, [&](node_id source) { is_stale |= source <= n; });
      table_.summarise_and_move(n, joined);
      stale[found] = n;
      found += is_stale;
    }
    memory_.stale.shrink(found);
    visits_ += num_nodes_;
  }

  /// What the entry does not reach is never visited. `stale` are the targets of edges from nodes that come later, which
  /// may not have been reached when it was their turn.
  constexpr void sweep_forward() {
    memory_.reached.assign(num_nodes_, false);
    memory_.visited.assign(num_nodes_, false);
    bool* const reached = memory_.reached.data();
    bool* const visited = memory_.visited.data();
    work_stack<node_id> stale(memory_.stale);
    reached[g_.entry()] = true;
    for (node_id n = 0; n != num_nodes_; ++n) {
      if (reached[n]) {
        visit_first(n);
        visited[n] = true;
        auto&& successors = g_.successors(n);
        const auto last = std::end(successors);
        for (auto it = std::begin(successors); it != last; ++it) {
          const auto target = static_cast<node_id>(*it);
          reached[target] = true;
          if (target <= n) {
            stale.push(target);
          }
        }
      }
    }
    memory_.stale.shrink(stale.size());
  }

  /// Whether the numbers of nodes are a good order to go on in: then few edges lead against it.
  constexpr bool follows_the_flow() const { return memory_.stale.size() <= num_nodes_ / 4 + 8; }

  template <class Order> constexpr void settle(Order order) {
    pending_set& pending = memory_.pending;
    pending.assign(num_nodes_, false);
    for (const node_id n : memory_.stale) {
      pending.insert(order.position(n));
    }
    pending.drain([&](std::uint32_t position) {
      const node_id n = order.node(position);
      if (visit_again(n)) {
        auto&& targets_of_n = targets(n);
        const auto last = std::end(targets_of_n);
        for (auto it = std::begin(targets_of_n); it != last; ++it) {
          pending.insert(order.position(static_cast<node_id>(*it)));
        }
      }
      return true;
    });
  }

  /// Whether its targets have to be visited then.
  constexpr bool visit_again(node_id n) {
    if constexpr (forward) {
      bool& visited = memory_.visited.data()[n];
      if (!visited) {
        visited = true;
        visit_first(n);
        return true;
      }
    }
    ++visits_;
    return table_.move(n, join(n, [](node_id) {}));
  }

  /// Postorder or its reverse, then what the search did not meet, which only backward problems ask for.
  constexpr listed_order order_by_search() {
    depth_first_order(g_, memory_.search, memory_.order);
    memory_.nodes.resize_for_overwrite(num_nodes_);
    memory_.positions.resize_for_overwrite(num_nodes_);
    const std::span<const node_id> postorder = memory_.order.postorder();
    std::uint32_t next = 0;
    const auto append = [&](node_id n) {
      memory_.nodes[next] = n;
      memory_.positions[n] = next++;
    };
    for (std::size_t i = 0; i != postorder.size(); ++i) {
      append(postorder[forward ? postorder.size() - 1 - i : i]);
    }
    for (node_id n = num_nodes_; next != num_nodes_ && n-- != 0;) {
      if (!memory_.order.is_reachable(n)) {
        append(n);
      }
    }
    return {num_nodes_, memory_.nodes.data(), memory_.positions.data()};
  }

  const G& g_;
  Table& table_;
  gen_kill_iteration_memory& memory_;
  node_id num_nodes_;
  std::size_t visits_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
