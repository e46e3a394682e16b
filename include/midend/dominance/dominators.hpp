/// Dominators of a control-flow graph, by five algorithms behind one signature.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/cooper_harvey_kennedy.hpp"
#include "midend/dominance/detail/lengauer_tarjan.hpp"
#include "midend/dominance/detail/naive_dominators.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/dominance/detail/semi_nca.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Semi-NCA, the default. O(n²) in the worst case in theory, near-linear on every graph that was measured, and the
/// fastest of the five. Georgiadis, Tarjan, Werneck, "Finding dominators in practice", JGAA 10(1), 2006.
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

/// By definition, node by node: O(n m). The oracle of tests.
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

MIDEND_REQUIRED(dominator_algorithm,
                "an algorithm for dominators is midend::semi_nca, midend::lengauer_tarjan, "
                "midend::lengauer_tarjan_simple, midend::cooper_harvey_kennedy or midend::naive_dominators");

} // namespace detail

/// For signatures: a `dominator_algorithm`; any other type is an error with a reason.
template <class T>
concept dominator_algorithm_argument = dominator_algorithm<T> || detail::dominator_algorithm_row::explain<T>();

namespace detail {

struct dominator_tree_builder;
struct immediate_dominator_search;

} // namespace detail

/// Memory for dominators that are computed again and again, by any of the algorithms.
class dominators_workspace {
  friend detail::dominator_tree_builder;
  friend detail::immediate_dominator_search;

  detail::arena memory_;
};

namespace detail {

/// Turns idom[] over numbers into the tree over nodes.
struct dominator_tree_builder {
  template <class G, class Algorithm> static constexpr dominator_tree build(const G& g, Algorithm algorithm) {
    call_buffer buffer;
    arena memory(buffer);
    dominator_tree out;
    build(g, algorithm, memory, out);
    return out;
  }

  template <class G, class Algorithm>
  static constexpr void build(const G& g, Algorithm algorithm, dominators_workspace& workspace, dominator_tree& out) {
    build(g, algorithm, workspace.memory_, out);
  }

private:
  template <class G, class Algorithm>
  static constexpr void build(const G& g, Algorithm algorithm, arena& memory, dominator_tree& out) {
    using tree = dominator_tree;
    const std::size_t count = node_count(g);
    out.epoch_ = graph_epoch(g);
    out.num_nodes_ = count;
    out.columns_.resize_for_overwrite(5 * count);
    std::uint32_t* const number = out.column(tree::numbers);
    for (std::size_t n = 0; n != count; ++n) {
      number[n] = no_node;
    }
    // The columns that the result fills last are scratch until then.
    const scratch_columns scratch{.chain = out.column(tree::preorders),
                                  .label = out.column(tree::depths),
                                  .ancestor = out.column(tree::sizes),
                                  .selected = out.column(tree::parents)};
    dominance_arrays a(g, memory, scratch);
    const std::uint32_t reached = algorithm.run(g, number, a);
    out.num_reachable_ = reached;
    out.columns_.shrink(4 * count + reached);
    if (reached != count) {
      clear_unreachable(out);
    }
    if (reached != 0) {
      count_subtrees(a, reached);
      number_subtrees(a, reached, out);
    }
  }

  static constexpr void clear_unreachable(dominator_tree& out) {
    using tree = dominator_tree;
    for (std::size_t n = 0; n != out.num_nodes_; ++n) {
      if (out.column(tree::numbers)[n] == no_node) {
        out.column(tree::parents)[n] = no_node;
        out.column(tree::depths)[n] = no_node;
        out.column(tree::sizes)[n] = 0;
      }
    }
  }

  /// Leaves the size of each subtree in `semi`, which no algorithm needs any more.
  static constexpr void count_subtrees(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const size = a.semi;
    const std::uint32_t* const idom = a.idom;
    for (std::uint32_t w = 0; w != reached; ++w) {
      size[w] = 1;
    }
    for (std::uint32_t w = reached; w-- > 1;) {
      size[idom[w]] += size[w];
    }
  }

  /// In the numbers of the search, parents come before their children. So one walk gives each node its interval, from
  /// the root down. Children get theirs from the end of the parent's interval; `size` becomes the size of the rest.
  static constexpr void number_subtrees(dominance_arrays& a, std::uint32_t reached, dominator_tree& out) {
    using tree = dominator_tree;
    std::uint32_t* const size = a.semi;
    const node_id* const vertex = a.vertex;
    const std::uint32_t* const idom = a.idom;
    node_id* const out_idom = out.column(tree::parents);
    std::uint32_t* const out_depth = out.column(tree::depths);
    std::uint32_t* const out_number = out.column(tree::numbers);
    std::uint32_t* const out_size = out.column(tree::sizes);
    node_id* const out_preorder = out.column(tree::preorders);
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

struct immediate_dominator_search {
  template <class G, class Algorithm>
  static constexpr void run(const G& g, Algorithm algorithm, dominators_workspace& workspace,
                            flat_array<node_id>& out) {
    dominance_arrays a(g, workspace.memory_);
    out.assign(node_count(g), no_node);
    node_id* const immediate_dominator = out.data();
    const std::uint32_t reached = algorithm.run(g, immediate_dominator, a);
    for (std::uint32_t w = 1; w < reached; ++w) {
      immediate_dominator[a.vertex[w]] = a.vertex[a.idom[w]];
    }
    if (reached != 0) {
      immediate_dominator[a.vertex[0]] = no_node;
    }
  }
};

} // namespace detail

/// The dominator tree of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// All algorithms give the same relation. Reads only `successors`, once for each reachable node (the oracle: n
/// times), so a flat copy is not needed for speed. Never reads `predecessors`. Duplicate edges, self loops and edges
/// out of unreachable nodes change nothing. Cost: see the algorithms; 20 bytes a node for the result, 12 to 44 a node
/// and at most 16 an edge of workspace.
template <flow_graph_argument G, dominator_algorithm_argument Algorithm>
constexpr void dominators(const G& g, Algorithm, dominators_workspace& workspace, dominator_tree& out) {
  detail::dominator_tree_builder::build(g, typename Algorithm::algorithm(), workspace, out);
}

/// The dominator tree of `g` by the given algorithm. Allocates the result, and for more than about 40 nodes one block
/// of memory.
template <flow_graph_argument G, dominator_algorithm_argument Algorithm = semi_nca_t>
constexpr dominator_tree dominators(const G& g, Algorithm = {}) {
  return detail::dominator_tree_builder::build(g, typename Algorithm::algorithm());
}

/// The immediate dominators alone, by node: `no_node` for the entry and for unreachable nodes. Refills `out`. Saves the
/// last two walks of `dominators`; treats all graphs alike. 4 bytes a node for the result.
template <flow_graph_argument G, dominator_algorithm_argument Algorithm>
constexpr void immediate_dominators(const G& g, Algorithm, dominators_workspace& workspace, flat_array<node_id>& out) {
  detail::immediate_dominator_search::run(g, typename Algorithm::algorithm(), workspace, out);
}

/// The immediate dominators by the given algorithm.
template <flow_graph_argument G, dominator_algorithm_argument Algorithm = semi_nca_t>
constexpr flat_array<node_id> immediate_dominators(const G& g, Algorithm algorithm = {}) {
  flat_array<node_id> out;
  dominators_workspace workspace;
  immediate_dominators(g, algorithm, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
