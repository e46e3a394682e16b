/// The policies of `solve`: which node is visited next.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/node_orders.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/detail/propagation.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/weak_topological_order.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Each `run` says whether a solution has been found.
struct strategy {
  template <class Flow, class Memory> static constexpr bool run(const round_robin& policy, Flow& flow, Memory& memory) {
    if (policy.order.empty()) {
      order_by_search(flow, memory);
    } else {
      MIDEND_ASSERT(policy.order.size() == flow.graph().num_nodes(), "an order of all nodes", policy.order.size());
      memory.order.assign(policy.order);
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (const node_id n : memory.order.nodes()) {
        if (flow.is_reached(n) && !flow.visit(n, [&](flow_edge, node_id, bool moved) { changed |= moved; })) {
          return false;
        }
      }
    }
    return true;
  }

  template <class Flow, class Memory>
  static constexpr bool run(const reverse_postorder_worklist&, Flow& flow, Memory& memory) {
    if (!flow.widening().is_wanted() && numbers_follow_flow(flow.graph())) {
      return sweep(number_order<direction<Flow>>{node_count(flow.graph())}, flow, memory.pending);
    }
    order_by_search(flow, memory);
    return sweep(memory.order.list(), flow, memory.pending);
  }

  template <class Flow, class Memory> static constexpr bool run(const weak_topological&, Flow& flow, Memory& memory) {
    visit_order& order = memory.order;
    order.template assign_weak_topological<direction<Flow>>(flow.graph(), flow.boundaries());
    fill_pending(flow, memory);
    std::uint32_t at = 0;
    wto_component_id inside = no_wto_component; // the component that is being brought to an end
    for (;;) {
      const bool at_top = inside == no_wto_component;
      const std::uint32_t end = at_top ? order.size() : order.end_position(inside);
      if (const std::uint32_t next = memory.pending.find(at, end); next != pending_set::none) {
        if (!visit_pending(next, flow, memory)) {
          return false;
        }
        inside = order.innermost_component(order.nodes()[next]);
        at = next + 1;
      } else if (at_top) {
        return true;
      } else if (memory.pending.contains(order.head_position(inside))) { // the only node that edges lead back to
        at = order.head_position(inside);
      } else {
        at = end;
        inside = order.parent(inside);
      }
    }
  }

  /// Sweeps that narrow, until one changes nothing, but at most as many as are wanted.
  template <class Flow> static constexpr void descend(Flow& flow, const visit_order& order) {
    bool changed = true;
    for (std::uint32_t steps = flow.widening().narrowing_steps; changed && steps != 0; --steps) {
      changed = false;
      for (const node_id n : order.nodes()) {
        if (flow.is_reached(n)) {
          changed |= flow.narrow(n);
        }
      }
    }
  }

private:
  template <class Flow>
  static constexpr flow_direction direction = Flow::is_forward ? flow_direction::forward : flow_direction::backward;

  /// Whether few edges lead against the numbers of the nodes. Then sweeps in that order see nearly everything in time,
  /// and the search for a better one would cost a third as much as all the rest, where facts are sets of one word.
  static constexpr bool numbers_follow_flow(const csr_graph& g) {
    std::size_t against = 0;
    for_each_edge(g, [&](edge_id, node_id source, node_id target) { against += target < source; });
    return against <= g.num_nodes() / 8 + 1;
  }

  /// The first sweep goes over all that is reached, so that only what changes behind it has to be remembered: hardly an
  /// edge, and branches that are easily predicted.
  template <class Order, class Flow> static constexpr bool sweep(const Order order, Flow& flow, pending_set& pending) {
    pending.assign(order.size, false);
    for (std::uint32_t at = 0; at != order.size; ++at) {
      const node_id n = order.node(at);
      const auto note = [&](flow_edge, node_id to, bool changed) {
        if (const std::uint32_t position = order.position(to); position <= at && changed) {
          pending.insert(position);
        }
      };
      if (flow.is_reached(n) && !flow.visit(n, note)) {
        return false;
      }
    }
    return pending.drain([&](std::uint32_t at) {
      return flow.visit(order.node(at), [&](flow_edge, node_id to, bool changed) {
        if (changed) {
          pending.insert(order.position(to));
        }
      });
    });
  }

  template <class Flow, class Memory> static constexpr void order_by_search(const Flow& flow, Memory& memory) {
    memory.order.template assign_reverse_postorder<direction<Flow>>(flow.graph(), flow.boundaries());
  }

  /// At first, forward, the nodes where flow begins; backward all nodes, because each may bring facts of its own.
  template <class Flow, class Memory> static constexpr void fill_pending(const Flow& flow, Memory& memory) {
    memory.pending.assign(memory.order.size(), !Flow::is_forward);
    if (Flow::is_forward) {
      for (const node_id n : flow.boundaries()) {
        memory.pending.insert(memory.order.positions()[n]);
      }
    }
  }

  template <class Flow, class Memory>
  static constexpr bool visit_pending(std::uint32_t at, Flow& flow, Memory& memory) {
    pending_set& pending = memory.pending;
    const std::uint32_t* const positions = memory.order.positions();
    pending.erase(at);
    return flow.visit(memory.order.nodes()[at], [&](flow_edge, node_id to, bool changed) {
      if (changed) {
        pending.insert(positions[to]);
      }
    });
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
