/// The blocks and edges of a loop body, read from the graph.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory for the blocks of a loop.
struct loop_block_arrays {
  static constexpr std::uint32_t outside = static_cast<std::uint32_t>(-1);

  flat_array<std::uint32_t> number;  ///< by node: its block; all `outside` between one loop and the next
  flat_array<std::uint32_t> missing; ///< by position among the loop's nodes: edges that have not been seen yet
  flat_array<node_id> order;         ///< by block
  flat_array<edge_id> edge_ids;      ///< by edge of the body: of the graph
};

/// Puts the blocks of an innermost loop in topological order, and gives them their edges.
template <class G> class loop_block_reader {
public:
  constexpr loop_block_reader(const G& g, const loop_forest& forest, loop_id l, loop_block_arrays& arrays,
                              loop_body& out)
      : g_(g), own_(forest.own_blocks(l)), header_(forest.header(l)), a_(arrays), out_(out) {}

  /// False if there is a cycle that does not go through the header.
  constexpr bool order_blocks() {
    if (a_.number.size() < g_.num_nodes()) {
      a_.number.assign(static_cast<std::size_t>(g_.num_nodes()), loop_block_arrays::outside);
    }
    for (std::uint32_t i = 0; i != own_.size(); ++i) {
      a_.number[own_[i]] = i;
    }
    sort_topologically();
    if (a_.order.size() != own_.size()) {
      return false;
    }
    for (std::uint32_t i = 0; i != a_.order.size(); ++i) {
      a_.number[a_.order[i]] = i;
    }
    return true;
  }

  /// After `order_blocks`. Leaves conditions and cases open.
  constexpr void read_edges() {
    const auto bottom = static_cast<std::uint32_t>(a_.order.size());
    a_.edge_ids.clear();
    for (const node_id n : a_.order) {
      const std::uint32_t source = a_.number[n];
      body_block block = blank_block(n);
      for_each_edge_of(n, [&](edge_id e, node_id target) {
        const std::uint32_t number = target == header_ ? bottom : a_.number[target];
        out_.edges.push_back({.source = source,
                              .target = number == loop_block_arrays::outside ? body_edge::leaves : number,
                              .has_case = false,
                              .case_value = 0,
                              .origin = target});
        a_.edge_ids.push_back(e);
      });
      block.last_edge = static_cast<std::uint32_t>(out_.edges.size());
      out_.blocks.push_back(block);
    }
    out_.blocks.push_back(blank_block(no_node));
    group_edges_by_target();
  }

  /// The nodes are outside again.
  constexpr void forget() {
    for (const node_id n : own_) {
      a_.number[n] = loop_block_arrays::outside;
    }
  }

private:
  template <class Visit> constexpr void for_each_edge_of(node_id n, Visit visit) const {
    auto&& edges = g_.out_edges(n);
    const auto last = std::end(edges);
    for (auto it = std::begin(edges); it != last; ++it) {
      const auto e = static_cast<edge_id>(*it);
      visit(e, static_cast<node_id>(g_.edge_target(e)));
    }
  }

  /// The same with the edges that stay inside and do not lead back, and the position of their targets.
  template <class Visit> constexpr void for_each_inner_edge_of(node_id n, Visit visit) const {
    for_each_edge_of(n, [&](edge_id, node_id target) {
      if (target != header_ && a_.number[target] != loop_block_arrays::outside) {
        visit(target, a_.number[target]);
      }
    });
  }

  /// A node is in order when all edges into it have been seen; the list is its own queue.
  constexpr void sort_topologically() {
    a_.missing.assign(own_.size(), 0);
    for (const node_id n : own_) {
      for_each_inner_edge_of(n, [&](node_id, std::uint32_t position) { ++a_.missing[position]; });
    }
    a_.order.clear();
    a_.order.push_back(header_);
    for (std::size_t i = 0; i != a_.order.size(); ++i) {
      for_each_inner_edge_of(a_.order[i], [&](node_id target, std::uint32_t position) {
        if (--a_.missing[position] == 0) {
          a_.order.push_back(target);
        }
      });
    }
  }

  constexpr body_block blank_block(node_id origin) const {
    const auto edges = static_cast<std::uint32_t>(out_.edges.size());
    return {.first_value = 0,
            .last_value = 0,
            .first_edge = edges,
            .last_edge = edges,
            .first_in_edge = 0,
            .last_in_edge = 0,
            .condition = no_body_value,
            .origin = origin};
  }

  /// A counting sort, by way of `last_in_edge`.
  constexpr void group_edges_by_target() {
    for (const body_edge& e : out_.edges) {
      if (e.target != body_edge::leaves) {
        ++out_.blocks[e.target].last_in_edge;
      }
    }
    std::uint32_t total = 0;
    for (body_block& block : out_.blocks) {
      block.first_in_edge = total;
      total += block.last_in_edge;
      block.last_in_edge = block.first_in_edge;
    }
    out_.in_edges.resize_for_overwrite(total);
    for (std::uint32_t e = 0; e != out_.edges.size(); ++e) {
      if (out_.edges[e].target != body_edge::leaves) {
        out_.in_edges[out_.blocks[out_.edges[e].target].last_in_edge++] = e;
      }
    }
  }

  const G& g_;
  std::span<const node_id> own_;
  node_id header_;
  loop_block_arrays& a_;
  loop_body& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
