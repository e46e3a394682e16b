/// The policies of `solve`: which node is visited next.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/detail/propagation.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/policies.hpp"
#include "midend/dataflow/problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/weak_topological_order.hpp"

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
    order_by_search(flow, memory);
    fill_pending(flow, memory);
    pending_set& pending = memory.pending;
    const std::uint32_t size = memory.order.size();
    for (std::uint32_t at = pending.find(0, size); at != pending_set::none;) {
      if (!visit_pending(at, flow, memory)) {
        return false;
      }
      const std::uint32_t behind = pending.find(at + 1, size);
      at = behind != pending_set::none ? behind : pending.find(0, at + 1);
    }
    return true;
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
      } else if (memory.pending.test(order.head_position(inside))) { // the only node that edges lead back to
        at = order.head_position(inside);
      } else {
        at = end;
        inside = order.parent(inside);
      }
    }
  }

  /// Sweeps that narrow, until one changes nothing, but at most `steps`.
  template <class Flow> static constexpr void descend(std::uint32_t steps, Flow& flow, const visit_order& order) {
    bool changed = true;
    for (; changed && steps != 0; --steps) {
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

  template <class Flow, class Memory> static constexpr void order_by_search(const Flow& flow, Memory& memory) {
    memory.order.template assign_reverse_postorder<direction<Flow>>(flow.graph(), flow.boundaries());
  }

  /// At first, forward, the nodes where flow begins; backward all nodes, because each may bring facts of its own.
  template <class Flow, class Memory> static constexpr void fill_pending(const Flow& flow, Memory& memory) {
    memory.pending.assign(memory.order.size(), !Flow::is_forward);
    if (Flow::is_forward) {
      for (const node_id n : flow.boundaries()) {
        memory.pending.set(memory.order.positions()[n]);
      }
    }
  }

  template <class Flow, class Memory>
  static constexpr bool visit_pending(std::uint32_t at, Flow& flow, Memory& memory) {
    pending_set& pending = memory.pending;
    const std::uint32_t* const positions = memory.order.positions();
    pending.reset(at);
    const auto note = [&](flow_edge, node_id to, bool changed) { pending.set_if(positions[to], changed); };
    return flow.visit(memory.order.nodes()[at], note);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
