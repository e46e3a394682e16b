/// Dominators and natural loops in one call.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/dominance/detail/semi_nca.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/flat_copy.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/detail/loop_forest_builder.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The dominator tree of a graph and its natural loops.
struct dominators_and_loops_result {
  dominator_tree dominators;
  loop_forest loops;
};

/// Memory for `dominators_and_loops` that is called again and again.
class dominators_and_loops_workspace {
  friend detail::dominators_and_loops_search;

  dominators_workspace dominators_;
  natural_loops_workspace loops_;
};

namespace detail {

/// Semi-NCA that also finds the natural loops. The evaluation of semidominators recognises backedges, and the search
/// tree exists until the last step overwrites it. If v is in a loop, so is the tree path from the header to v; apart
/// from it, only the sources of cross edges to the path have to be added, since forward edges start on the path. So no
/// predecessors are needed.
struct semi_nca_loop_search {
  static constexpr std::uint32_t none = loop_drafts::none;

  arena& memory; ///< for the loops; the dominators have their own
  loop_drafts& drafts;

  /// An algorithm for the dominator tree, which also leaves drafts of the loops, whose blocks are nodes.
  template <class G> constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    if (a.num_chained != 0) {
      arena_stack<backedge> backedges(memory);
      semi_nca_algorithm::evaluate_semidominators(
          a, reached, [&](std::uint32_t source, std::uint32_t target) { backedges.push({source, target}); });
      if (!backedges.empty()) {
        collect_loops(a, reached, {backedges.data(), backedges.size()});
        numbers_to_nodes(a);
      }
    }
    semi_nca_algorithm::ascend_to_idoms(a, reached);
    return reached;
  }

private:
  /// Both ends by their numbers.
  struct backedge {
    std::uint32_t source;
    std::uint32_t target;
  };

  /// The targets of the backedges descend, so inner headers come first.
  constexpr void collect_loops(const dominance_arrays& a, std::uint32_t reached, span<const backedge> backedges) {
    std::uint32_t* const draft_of = memory.array(reached, none);
    drafts.start(memory, backedges.size(), reached);
    drafts.num_backedges = static_cast<std::uint32_t>(backedges.size());
    std::uint32_t* last = drafts.blocks;
    arena_stack<std::uint32_t> with_cross_edges(memory, reached);
    for (std::size_t i = 0; i != backedges.size();) {
      const std::uint32_t header = backedges[i].target;
      const std::uint32_t* const first = last;
      const std::uint32_t draft = drafts.open(header);
      draft_of[header] = draft;
      *last++ = header;
      for (; i != backedges.size() && backedges[i].target == header; ++i) {
        last = take_path(a, backedges[i].source, draft, last, draft_of, with_cross_edges);
      }
      while (!with_cross_edges.empty()) {
        const std::uint32_t target = with_cross_edges.pop();
        for (std::uint32_t edge = a.chain[target]; edge != end_of_chain; edge = a.edges[edge].next) {
          last = take_path(a, a.edges[edge].source, draft, last, draft_of, with_cross_edges);
        }
      }
      drafts.own_blocks[draft] = static_cast<std::uint32_t>(last - first);
    }
    drafts.num_blocks = static_cast<std::uint32_t>(last - drafts.blocks);
  }

  /// Takes v and its ancestors into the draft, up to one that is in it.
  constexpr std::uint32_t* take_path(const dominance_arrays& a, std::uint32_t v, std::uint32_t draft,
                                     std::uint32_t* last, std::uint32_t* innermost,
                                     arena_stack<std::uint32_t>& with_cross_edges) {
    for (;;) {
      const std::uint32_t known = innermost[v];
      if (known == draft) {
        return last;
      }
      if (known == none) {
        innermost[v] = draft;
        *last++ = v;
      } else {
        const std::uint32_t inner = drafts.outermost(known);
        if (inner == draft) {
          return last;
        }
        drafts.put_inside(inner, draft);
        v = drafts.header[inner];
      }
      if (a.chain[v] != end_of_chain) {
        with_cross_edges.push(v);
      }
      v = a.idom[v]; // still the parent in the search tree
    }
  }

  constexpr void numbers_to_nodes(const dominance_arrays& a) {
    for (std::uint32_t draft = 0; draft != drafts.count; ++draft) {
      drafts.header[draft] = a.vertex[drafts.header[draft]];
    }
    for (std::uint32_t i = 0; i != drafts.num_blocks; ++i) {
      drafts.blocks[i] = a.vertex[drafts.blocks[i]];
    }
  }
};

struct dominators_and_loops_search {
  template <class G>
  static constexpr void run(const G& g, bool boundaries, dominators_and_loops_workspace& workspace,
                            dominators_and_loops_result& out) {
    arena& memory = workspace.loops_.memory_;
    memory.reset(loop_search_bytes(g, node_count(g)));
    loop_drafts drafts;
    dominator_tree_builder::build(g, semi_nca_loop_search{memory, drafts}, workspace.dominators_, out.dominators);
    if (drafts.count == 0) {
      loop_forest_builder::clear(out.dominators, boundaries, out.loops);
    } else if (boundaries) {
      flat_copy& flat = workspace.loops_.flat_;
      flat.assign(g, true);
      note_innermost(out.dominators.num_nodes(), memory, drafts);
      loop_forest_builder::build(flat.graph(), out.dominators, drafts, memory, out.loops);
      loop_forest_builder::restore_edge_ids(flat, out.loops);
    } else {
      loop_forest_builder::build(out.dominators, drafts, out.loops);
    }
  }

private:
  static constexpr void note_innermost(std::size_t num_nodes, arena& memory, loop_drafts& drafts) {
    drafts.innermost = memory.array(num_nodes, loop_drafts::none);
    const node_id* next = drafts.blocks;
    for (std::uint32_t draft = 0; draft != drafts.count; ++draft) {
      for (std::uint32_t left = drafts.own_blocks[draft]; left != 0; --left) {
        drafts.innermost[*next++] = draft;
      }
    }
  }
};

} // namespace detail

/// The results of `dominators(g, semi_nca)` and `natural_loops`, for less than the cost of both, refilling `out`: the
/// search for dominators also finds backedges and the blocks of loops. Allocates nothing once workspace and result have
/// seen a graph as large.
///
/// Requirements and the treatment of unreachable nodes and irreducible flow are those of the two functions. The loops
/// are those of `natural_loops`; siblings may be numbered, and the blocks of one loop listed, in another order.
template <flow_graph_argument G>
constexpr void dominators_and_loops(const G& g, dominators_and_loops_workspace& workspace,
                                    dominators_and_loops_result& out) {
  detail::dominators_and_loops_search::run(g, true, workspace, out);
}

/// Leaves out the boundaries of loops. Reads successors only, once, and never copies the graph.
template <flow_graph_argument G>
constexpr void dominators_and_loops(const G& g, nesting_only_t, dominators_and_loops_workspace& workspace,
                                    dominators_and_loops_result& out) {
  detail::dominators_and_loops_search::run(g, false, workspace, out);
}

/// The dominator tree and the natural loops of `g`.
template <flow_graph_argument G> constexpr dominators_and_loops_result dominators_and_loops(const G& g) {
  dominators_and_loops_result out;
  dominators_and_loops_workspace workspace;
  dominators_and_loops(g, workspace, out);
  return out;
}

/// Leaves out the boundaries of loops.
template <flow_graph_argument G>
constexpr dominators_and_loops_result dominators_and_loops(const G& g, nesting_only_t) {
  dominators_and_loops_result out;
  dominators_and_loops_workspace workspace;
  dominators_and_loops(g, nesting_only, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
