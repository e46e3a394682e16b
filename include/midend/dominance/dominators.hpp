/// Dominators of a control-flow graph, by five algorithms behind one signature.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/cooper_harvey_kennedy.hpp"
#include "midend/dominance/detail/lengauer_tarjan.hpp"
#include "midend/dominance/detail/naive_dominators.hpp"
#include "midend/dominance/detail/semi_nca.hpp"
#include "midend/dominance/detail/workspace.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Semi-NCA: the default. O(n²) in the worst case on paper, near-linear on every graph that was measured, and the
/// fastest here. Georgiadis, Tarjan, Werneck, "Finding dominators in practice", JGAA 10(1), 2006.
struct semi_nca_t {
  using algorithm = detail::semi_nca_algorithm;
};

/// Lengauer-Tarjan with balanced linking: O(m α(m, n)) on any graph, the guarantee for hostile input. Lengauer, Tarjan,
/// "A fast algorithm for finding dominators in a flowgraph", TOPLAS 1(1), 1979.
struct lengauer_tarjan_t {
  using algorithm = detail::lengauer_tarjan_algorithm<detail::balanced_link_forest>;
};

/// Lengauer-Tarjan with simple linking: O(m log n), and faster than the balanced one in practice.
struct lengauer_tarjan_simple_t {
  using algorithm = detail::lengauer_tarjan_algorithm<detail::simple_link_forest>;
};

/// The iterative algorithm: good on small and reducible graphs, quadratic where the tree of dominators is deep
/// (ladders, nests: seconds at 10^5 nodes). Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001.
struct cooper_harvey_kennedy_t {
  using algorithm = detail::cooper_harvey_kennedy_algorithm;
};

/// The definition, node by node: O(n m). For tests.
struct naive_dominators_t {
  using algorithm = detail::naive_dominators_algorithm;
};

inline constexpr semi_nca_t semi_nca{};
inline constexpr lengauer_tarjan_t lengauer_tarjan{};
inline constexpr lengauer_tarjan_simple_t lengauer_tarjan_simple{};
inline constexpr cooper_harvey_kennedy_t cooper_harvey_kennedy{};
inline constexpr naive_dominators_t naive_dominators{};

template <class T>
concept dominator_algorithm =
    std::same_as<T, semi_nca_t> || std::same_as<T, lengauer_tarjan_t> || std::same_as<T, lengauer_tarjan_simple_t> ||
    std::same_as<T, cooper_harvey_kennedy_t> || std::same_as<T, naive_dominators_t>;

namespace detail {

/// Turns idom[] over numbers into the tree over nodes.
struct dominator_tree_builder {
  template <class G, class Algorithm>
  static constexpr void build(const G& g, Algorithm algorithm, dominance_memory& memory, dominator_tree& out) {
    const node_id count = node_count(g);
    out.epoch_ = graph_epoch(g);
    out.number_.assign(count, no_node);
    dominance_arrays a(memory, out.preorder_, out.depth_, out.size_, out.immediate_dominator_);
    const std::uint32_t reached = algorithm.run(g, out.number_.data(), a);
    out.immediate_dominator_.resize_for_overwrite(count);
    out.depth_.resize_for_overwrite(count);
    out.size_.resize_for_overwrite(count);
    out.preorder_.resize_for_overwrite(reached);
    if (reached != count) {
      clear_unreachable(out);
    }
    if (reached != 0) {
      count_subtrees(a, reached);
      number_subtrees(a, reached, out);
    }
  }

  static constexpr void clear_unreachable(dominator_tree& out) {
    for (std::size_t n = 0; n != out.number_.size(); ++n) {
      if (out.number_[n] == no_node) {
        out.immediate_dominator_[n] = no_node;
        out.depth_[n] = no_node;
        out.size_[n] = 0;
      }
    }
  }

  /// Leaves the size of each subtree in `semi`, which no algorithm needs any more.
  static constexpr void count_subtrees(dominance_arrays& a, std::uint32_t reached) {
    a.semi.resize_for_overwrite(reached);
    std::uint32_t* const size = a.semi.data();
    const std::uint32_t* const idom = a.idom.data();
    for (std::uint32_t w = 0; w != reached; ++w) {
      size[w] = 1;
    }
    for (std::uint32_t w = reached; w-- > 1;) {
      size[idom[w]] += size[w];
    }
  }

  /// Parents come before their children in the numbers of the search, so one pass hands out intervals from the root
  /// down. Children get theirs from the end of the parent's interval, and `size` becomes what of the interval is left.
  static constexpr void number_subtrees(dominance_arrays& a, std::uint32_t reached, dominator_tree& out) {
    std::uint32_t* const size = a.semi.data();
    const node_id* const vertex = a.vertex.data();
    const std::uint32_t* const idom = a.idom.data();
    node_id* const out_idom = out.immediate_dominator_.data();
    std::uint32_t* const out_depth = out.depth_.data();
    std::uint32_t* const out_number = out.number_.data();
    std::uint32_t* const out_size = out.size_.data();
    node_id* const out_preorder = out.preorder_.data();
    out_idom[vertex[0]] = no_node;
    out_depth[vertex[0]] = 0;
    out_number[vertex[0]] = 0;
    out_size[vertex[0]] = reached;
    out_preorder[0] = vertex[0];
    for (std::uint32_t w = 1; w != reached; ++w) {
      const node_id n = vertex[w];
      const node_id parent = vertex[idom[w]];
      const std::uint32_t left = size[idom[w]] -= size[w];
      const std::uint32_t number = out_number[parent] + left;
      out_idom[n] = parent;
      out_depth[n] = out_depth[parent] + 1;
      out_number[n] = number;
      out_size[n] = size[w];
      out_preorder[number] = n;
    }
  }
};

} // namespace detail

/// The dominator tree of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// All algorithms give the same relation. Only `successors` is read, once for each reachable node (by the oracle, as
/// often as there are nodes), so a flat copy is not needed for speed; `predecessors` is never asked for. Duplicate
/// edges and self loops change nothing, edges out of unreachable nodes count for nothing. Cost: see the algorithms; 20
/// bytes a node for the result, 12 to 44 a node and at most 16 an edge of workspace.
template <flow_graph G, dominator_algorithm Algorithm>
constexpr void dominators(const G& g, Algorithm, dominators_workspace& workspace, dominator_tree& out) {
  detail::dominator_tree_builder::build(g, typename Algorithm::algorithm(), workspace.memory_, out);
}

/// The dominator tree of `g` by the algorithm named.
template <flow_graph G, dominator_algorithm Algorithm = semi_nca_t>
constexpr dominator_tree dominators(const G& g, Algorithm algorithm = {}) {
  dominator_tree out;
  dominators_workspace workspace;
  dominators(g, algorithm, workspace, out);
  return out;
}

/// The immediate dominators alone, by node: `no_node` for the entry and for unreachable nodes. Refills `out`. Saves the
/// two last passes of `dominators` and says the same of ugly graphs. 4 bytes a node for the result.
template <flow_graph G, dominator_algorithm Algorithm>
constexpr void immediate_dominators(const G& g, Algorithm, dominators_workspace& workspace, flat_array<node_id>& out) {
  detail::dominance_arrays a(workspace.memory_);
  out.assign(detail::node_count(g), no_node);
  const std::uint32_t reached = Algorithm::algorithm::run(g, out.data(), a);
  for (std::uint32_t w = 1; w < reached; ++w) {
    out.data()[a.vertex.data()[w]] = a.vertex.data()[a.idom.data()[w]];
  }
  if (reached != 0) {
    out[a.vertex[0]] = no_node;
  }
}

/// The immediate dominators by the algorithm named.
template <flow_graph G, dominator_algorithm Algorithm = semi_nca_t>
constexpr flat_array<node_id> immediate_dominators(const G& g, Algorithm algorithm = {}) {
  flat_array<node_id> out;
  dominators_workspace workspace;
  immediate_dominators(g, algorithm, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
