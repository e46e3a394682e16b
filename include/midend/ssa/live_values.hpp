/// `live_values`: liveness of SSA values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/live_value_sets.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <bit>
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

/// The result of the walks, batch after batch.
struct live_batches {
  flat_array<value_id> values;  ///< ascending; 64 for each batch, perhaps fewer for the last
  flat_array<live_words> words; ///< each batch lists a node at most once, if anything is live there
  flat_array<std::size_t> ends; ///< by batch: where its words end
};

/// The state of a node during a batch; all zero between batches.
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

/// The walk from reads of values up to their definitions, for 64 values at a time. A node is visited again only when
/// another value has become live at its start. So there are at most as many visits as pairs of a value and a node where
/// it is live, and at best 64 times fewer.
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

  /// Adds the next value, greater than all before, defined in `definition` or in no node (`no_node`). Its reads follow.
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

  /// The value is read in `n`, and defined elsewhere.
  constexpr void add_read(node_id n) { live_in(n, touch(n), bit_); }

  /// The value is read at the end of `n`, and may be defined there.
  constexpr void add_read_at_end(node_id n) { live_out(n, bit_); }

  /// Walks up from all reads that were added. Returns the number of visits so far.
  constexpr std::size_t finish() {
    while (!pending_.empty()) {
      ++visits_;
      const node_id n = pending_.pop();
      nodes_[n].is_pending = false;
      const word live = nodes_[n].in;
      for_each_id(g_.predecessors(n), [&](node_id p) { live_out(node_in(g_, p), live); });
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

/// Memory of `live_values`, reusable for program after program.
class live_values_workspace {
  friend detail::live_value_solver;

  struct value_record {
    node_id definition;
    node_id read_in;        ///< the last node that reads it and does not define it
    node_id read_at_end_of; ///< the last node at whose end phis of successors read it
    std::uint32_t last_use; ///< in `uses_`
  };

  struct use {
    node_id node;
    bool at_end;          ///< by phis of successors
    std::uint32_t before; ///< the previous use of the same value
  };

  flat_array<value_record> values_;
  flat_array<use> uses_;
  detail::live_walk_memory walk_;
  detail::live_batches batches_;
  csr_graph copy_; ///< of a graph without predecessors
};

namespace detail {

struct live_value_solver {
  template <class IR> static constexpr void run(const IR& ir, live_values_workspace& w, live_value_sets& out) {
    using graph = graph_of<IR>;
    const graph& g = ir.graph();
    locate_definitions(ir, g, w);
    list_uses(ir, g, w);
    if constexpr (bidirectional_flow_graph<graph>) {
      out.num_visits_ = walk_all(g, w);
    } else {
      w.copy_.assign(g);
      out.num_visits_ = walk_all(w.copy_, w);
    }
    write_lists<&live_words::in>(node_count(g), w.batches_, out.in_);
    write_lists<&live_words::out>(node_count(g), w.batches_, out.out_);
    out.epoch_ = graph_epoch(g);
  }

private:
  using use = live_values_workspace::use;
  using value_record = live_values_workspace::value_record;

  // Node numbers are far below these (`max_nodes`).
  static constexpr node_id outside = no_node;
  static constexpr node_id not_tracked = no_node - 1;
  static constexpr std::uint32_t no_use = 0xffff'ffff;

  template <class IR, class G>
  static constexpr void locate_definitions(const IR& ir, const G& g, live_values_workspace& w) {
    w.values_.assign(static_cast<std::size_t>(ir.num_values()), {not_tracked, no_node, no_node, no_use});
    if constexpr (has_parameters<IR>) {
      for_each_id(ir.parameters(), [&](value_id v) { w.values_[v].definition = outside; });
    }
    const node_id count = node_count(g);
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.values(n), [&](value_id v) { w.values_[v].definition = n; });
    }
  }

  /// Lists for each value the nodes that read it: each at most twice, once inside and once at the end.
  template <class IR, class G> static constexpr void list_uses(const IR& ir, const G& g, live_values_workspace& w) {
    w.uses_.clear();
    const node_id count = node_count(g);
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.values(n), [&](value_id v) {
        if (!ir.is_phi(v)) {
          for_each_id(ir.operands(v), [&](value_id operand) { read(operand, n, w); });
        }
      });
      if (const auto condition = static_cast<value_id>(ir.condition(n)); condition != no_value) {
        read(condition, n, w);
      }
      for_each_id(g.out_edges(n), [&](edge_id e) {
        for_each_phi(ir, static_cast<node_id>(g.edge_target(e)),
                     [&](value_id phi) { read_at_end(static_cast<value_id>(ir.phi_input(phi, e)), n, w); });
      });
    }
  }

  static constexpr void read(value_id v, node_id n, live_values_workspace& w) {
    value_record& value = w.values_[v];
    if (value.definition != n && value.definition != not_tracked && value.read_in != n) {
      value.read_in = n;
      add_use(value, n, false, w);
    }
  }

  static constexpr void read_at_end(value_id v, node_id n, live_values_workspace& w) {
    if (v == no_value) {
      return;
    }
    value_record& value = w.values_[v];
    if (value.definition != not_tracked && value.read_at_end_of != n) {
      value.read_at_end_of = n;
      add_use(value, n, true, w);
    }
  }

  static constexpr void add_use(value_record& value, node_id n, bool at_end, live_values_workspace& w) {
    const auto number = static_cast<std::uint32_t>(w.uses_.size());
    w.uses_.push_back({n, at_end, value.last_use});
    value.last_use = number;
  }

  /// Leaves out values that only their own node reads, which are most.
  template <class G> static constexpr std::size_t walk_all(const G& g, live_values_workspace& w) {
    live_value_walk<G> walk(g, w.walk_, w.batches_);
    for (value_id v = 0; v != w.values_.size(); ++v) {
      const value_record& value = w.values_[v];
      if (value.last_use == no_use) {
        continue;
      }
      walk.add_value(v, value.definition);
      for (std::uint32_t i = value.last_use; i != no_use; i = w.uses_[i].before) {
        if (w.uses_[i].at_end) {
          walk.add_read_at_end(w.uses_[i].node);
        } else {
          walk.add_read(w.uses_[i].node);
        }
      }
    }
    return walk.finish();
  }

  /// Lists the values of the words `Member` of all batches, node by node; the lists come out ascending. O(nodes + words
  /// + length of the lists).
  template <word live_words::* Member>
  static constexpr void write_lists(std::size_t num_nodes, const live_batches& batches, values_by_node& out) {
    flat_array<std::size_t>& offsets = out.offsets;
    offsets.assign(num_nodes + 2, 0);
    for (const live_words& w : batches.words) {
      offsets[w.node + std::size_t{2}] += static_cast<std::size_t>(std::popcount(w.*Member));
    }
    for (std::size_t n = 2; n < offsets.size(); ++n) {
      offsets[n] += offsets[n - 1];
    }
    out.values.resize_for_overwrite(offsets.back());
    value_id* const values = out.values.data();
    std::size_t i = 0;
    for (std::size_t batch = 0; batch != batches.ends.size(); ++batch) {
      const value_id* const names = batches.values.data() + batch * word_bits;
      for (; i != batches.ends[batch]; ++i) {
        // While lists are filled, offsets[n + 1] is where n's next value goes; in the end it is where n's list ends.
        std::size_t& end = offsets[batches.words[i].node + std::size_t{1}];
        for (word live = batches.words[i].*Member; live != 0; live &= live - 1) {
          values[end++] = names[std::countr_zero(live)];
        }
      }
    }
  }
};

} // namespace detail

/// The values that are live at the start and at the end of each node: a value is live where a path leads to a read of
/// it without going through its definition.
///
/// Phis read on edges: the input for edge e is live at the end of e's source, and at the start of its target only if
/// something else reads it there or later. A phi is not live at the start of its own node, and neither is any other
/// value defined there. (LLVM's liveness of machine code does the same; Boissinot et al. count phis as live at the
/// start of their node.)
///
/// The end of a node reads the condition of the node, whether or not a terminator among its values does.
///
/// Covers the values defined in nodes, and parameters if the IR has `parameters()`; those are defined before the entry.
/// Other values, such as literals, are never live.
///
/// Boissinot, Hack, Grund, Dupont de Dinechin, Rastello, "Fast liveness checking for SSA-form programs", CGO 2008, for
/// the definition; Brandner, Boissinot, Darte, Dupont de Dinechin, Rastello, "Computing liveness sets for SSA-form
/// programs", INRIA RR-7503, 2011, algorithms 6 and 7, which walk from each use to the definition, variable by
/// variable. Departures: 64 values walk together, because values defined close together are mostly live in the same
/// nodes; no recursion; lists sorted by counting in place of sets.
///
/// Definitions need not dominate uses, so unreachable nodes are analysed like others: a value read where its definition
/// does not come first is live up to the start of the function, or around a cycle. Duplicate edges matter only to phis,
/// whose inputs may differ by edge. Inputs that are not set (`no_value`) read nothing.
///
/// Refills `out`; allocates nothing once workspace and result have seen a program as large. Time and space are linear
/// in the IR, in the result, and in the number of visits times the predecessors of a node. There are fewer visits than
/// pairs of a value and a place where it is live.
template <ssa_ir_argument IR>
constexpr void live_values(const IR& ir, live_values_workspace& workspace, live_value_sets& out) {
  detail::live_value_solver::run(ir, workspace, out);
}

/// Returns the result, with a workspace of its own.
template <ssa_ir_argument IR> constexpr live_value_sets live_values(const IR& ir) {
  live_value_sets out;
  live_values_workspace workspace;
  live_values(ir, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
