/// Semi-NCA that finds the natural loops on the way.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/dominance/detail/semi_nca.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Between the evaluation of semidominators, which recognises backedges, and the last step, which overwrites the search
/// tree, everything that loops need is there: with v, the tree path from the header to v is in the loop, and beyond it
/// only the sources of cross edges to the path. Forward edges start on the path. So no predecessors are needed.
struct semi_nca_loop_search {
  static constexpr std::uint32_t none = loop_drafts::none;

  flat_array<chained_edge>& backedges; ///< as pairs of numbers: source, and target in `next`
  flat_array<std::uint32_t>& draft_of;
  flat_array<std::uint32_t>& pending;
  loop_drafts& drafts;

  /// As an algorithm for the dominator tree, which also leaves drafts of the loops, of nodes.
  template <class G> constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    drafts.clear();
    if (a.num_chained != 0) {
      backedges.clear();
      semi_nca_algorithm::evaluate_semidominators(
          a, reached, [&](std::uint32_t source, std::uint32_t target) { backedges.push_back({source, target}); });
      if (!backedges.empty()) {
        collect_loops(a, reached);
        numbers_to_nodes(a);
      }
    }
    semi_nca_algorithm::ascend_to_idoms(a, reached);
    return reached;
  }

private:
  /// The targets of the backedges descend, so inner headers come first.
  constexpr void collect_loops(const dominance_arrays& a, std::uint32_t reached) {
    draft_of.assign(reached, none);
    drafts.blocks.resize_for_overwrite(reached);
    std::uint32_t* last = drafts.blocks.data();
    work_stack<std::uint32_t> with_cross_edges(pending);
    for (std::size_t i = 0; i != backedges.size();) {
      const std::uint32_t header = backedges[i].next;
      const std::uint32_t* const first = last;
      const std::uint32_t draft = drafts.open(header);
      draft_of[header] = draft;
      *last++ = header;
      for (; i != backedges.size() && backedges[i].next == header; ++i) {
        last = take_path(a, backedges[i].source, draft, last, with_cross_edges);
      }
      while (!with_cross_edges.empty()) {
        const std::uint32_t target = with_cross_edges.pop();
        for (std::uint32_t edge = a.chain[target]; edge != end_of_chain; edge = a.edges[edge].next) {
          last = take_path(a, a.edges[edge].source, draft, last, with_cross_edges);
        }
      }
      drafts.own_blocks[draft] = static_cast<std::uint32_t>(last - first);
    }
    drafts.blocks.shrink(static_cast<std::size_t>(last - drafts.blocks.data()));
  }

  /// Takes v and its ancestors into the draft, up to one that is in it.
  constexpr std::uint32_t* take_path(const dominance_arrays& a, std::uint32_t v, std::uint32_t draft,
                                     std::uint32_t* last, work_stack<std::uint32_t>& with_cross_edges) {
    std::uint32_t* const innermost = draft_of.data();
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
    for (flat_array<std::uint32_t>* numbers : {&drafts.header, &drafts.blocks}) {
      for (std::uint32_t& number : *numbers) {
        number = a.vertex[number];
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
