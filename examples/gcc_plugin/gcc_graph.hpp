/// `gcc_graph`: the control flow of a function of GCC as a graph of midend.
#pragma once

#include <midend/graph/concepts.hpp>
#include <midend/support/range.hpp>
#include <midend/support/span.hpp>

#include <cstddef>

#include "gcc_headers.hpp"

/// The edges that leave a block, those of exceptions and abnormal ones too.
inline midend::span<const edge> edges_out_of(basic_block b) {
  return {vec_safe_address(b->succs), vec_safe_length(b->succs)};
}

// [graph]
/// Blocks have the numbers that GCC gives them: 0 is ENTRY, 1 is EXIT. The number of a removed block is a node without
/// edges.
struct gcc_graph {
  const function* f;

  std::size_t num_nodes() const { return static_cast<std::size_t>(last_basic_block_for_fn(f)); }

  midend::node_id entry() const { return ENTRY_BLOCK; }

  auto successors(midend::node_id n) const {
    const basic_block b = BASIC_BLOCK_FOR_FN(f, n);
    return midend::mapped(b == nullptr ? midend::span<const edge>() : edges_out_of(b),
                          [](edge e) { return static_cast<midend::node_id>(e->dest->index); });
  }
};

// [graph]

/// The same graph with a mistake, to see that the comparison finds it: the last edge out of one block is missing.
struct wrong_graph : gcc_graph {
  midend::node_id without_last;

  auto successors(midend::node_id n) const {
    const basic_block b = BASIC_BLOCK_FOR_FN(f, n);
    const midend::span<const edge> all = b == nullptr ? midend::span<const edge>() : edges_out_of(b);
    return midend::mapped(midend::span<const edge>(all.data(), all.size() - (n == without_last ? 1 : 0)),
                          [](edge e) { return static_cast<midend::node_id>(e->dest->index); });
  }
};

static_assert(midend::flow_graph<gcc_graph>);
