/// The walk from reads of values up to their definitions, for 64 values at a time.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The values of a batch that are live in a node, one bit each.
struct live_words {
  word in;
  word out;
  node_id node;
};

/// What was found, batch after batch.
struct live_batches {
  flat_array<value_id> values;  ///< 64 of each batch, ascending; of the last perhaps less
  flat_array<live_words> words; ///< each batch names a node once, if anything is live there
  flat_array<std::size_t> ends; ///< of the words of each batch
};

/// What a batch knows of a node. Between batches there is nothing.
struct live_node_state {
  word in;
  word out;
  word defined;
  bool is_pending;
  bool is_touched;
};

struct live_walk_memory {
  flat_array<live_node_state> nodes;
  flat_array<node_id> pending;
  flat_array<node_id> touched;
};

/// A node is visited again only when another value has become live at its start. So there are at most as many visits as
/// there are nodes for each value to be live in, and at best 64 times less.
template <class G> class live_value_walk {
public:
  constexpr live_value_walk(const G& g, live_walk_memory& memory, live_batches& out)
      : g_(g), out_(out), pending_(memory.pending), touched_(memory.touched) {
    memory.nodes.assign(node_count(g), {0, 0, 0, false, false});
    nodes_ = memory.nodes.data();
    out.values.clear();
    out.words.clear();
    out.ends.clear();
  }

  /// The next value, greater than all before, which stands in `definition`, or in no node (`no_node`). What reads it
  /// follows.
  constexpr void add_value(value_id v, node_id definition) {
    if (out_.values.size() % word_bits == 0) {
      finish();
    }
    bit_ = bit_mask(out_.values.size());
    out_.values.push_back(v);
    if (definition != no_node) {
      touch(definition).defined |= bit_;
    }
  }

  /// It is read in `n`, where it does not stand.
  constexpr void add_read(node_id n) { live_in(n, touch(n), bit_); }

  /// It is read at the end of `n`, where it may stand.
  constexpr void add_read_at_end(node_id n) { live_out(n, bit_); }

  /// Walks up from what was added. Returns the number of visits so far.
  constexpr std::size_t finish() {
    while (!pending_.empty()) {
      ++visits_;
      const node_id n = pending_.pop();
      nodes_[n].is_pending = false;
      const word live = nodes_[n].in;
      for_each_id(g_.predecessors(n), [&](node_id p) { live_out(p, live); });
    }
    if (!touched_.empty()) {
      write_words();
    }
    return visits_;
  }

private:
  constexpr live_node_state& touch(node_id n) {
    live_node_state& node = nodes_[n];
    if (!node.is_touched) {
      node.is_touched = true;
      touched_.push(n);
    }
    return node;
  }

  constexpr void live_in(node_id n, live_node_state& node, word live) {
    if ((live & ~node.in) != 0) {
      node.in |= live;
      if (!node.is_pending) {
        node.is_pending = true;
        pending_.push(n);
      }
    }
  }

  constexpr void live_out(node_id n, word live) {
    if ((live & ~nodes_[n].out) != 0) {
      live_node_state& node = touch(n);
      node.out |= live;
      live_in(n, node, live & ~node.defined);
    }
  }

  constexpr void write_words() {
    while (!touched_.empty()) {
      const node_id n = touched_.pop();
      if (const live_node_state& node = nodes_[n]; (node.in | node.out) != 0) {
        out_.words.push_back({node.in, node.out, n});
      }
      nodes_[n] = {0, 0, 0, false, false};
    }
    out_.ends.push_back(out_.words.size());
  }

  const G& g_;
  live_batches& out_;
  live_node_state* nodes_ = nullptr;
  work_stack<node_id> pending_;
  work_stack<node_id> touched_;
  word bit_ = 0;
  std::size_t visits_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
