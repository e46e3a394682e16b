/// `checked_pair`: the facts about two loops that the checkers of interchange and collapse establish. Shares no code
/// with the planners.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One loop of a pair, in the program before.
struct checked_level {
  loop_id loop = no_loop;
  node_id header = no_node;
  node_id latch = no_node;
  node_id test = no_node;
  edge_id entering = no_edge;
  edge_id back = no_edge;
  edge_id exit = no_edge;
  value_id counter = no_value;
  bool stays_if_one = true;
};

/// Two loops with one entering edge, one backedge and one exit each, and no branch between them.
template <class IR> class checked_pair {
public:
  checked_pair(const IR& ir, const loop_forest& loops) : ir_(&ir), loops_(&loops) {}

  checked_level outer;
  checked_level inner;

  bool read(node_id outer_header, node_id inner_header) {
    const auto count = node_count(ir_->graph());
    if (outer_header >= count || inner_header >= count || !loops_->is_header(outer_header) ||
        !loops_->is_header(inner_header)) {
      return false;
    }
    if (!read_level(outer_header, outer) || !read_level(inner_header, inner) ||
        loops_->parent(inner.loop) != outer.loop) {
      return false;
    }
    for (const node_id n : loops_->blocks(outer.loop)) {
      if (is_between(n)) {
        std::size_t ways = 0;
        for_each_id(ir_->graph().out_edges(n), [&](edge_id e) { ways += e == outer.exit ? 0u : 1u; });
        if (ways != 1) {
          return false;
        }
      } else if (!loops_->contains(inner.loop, n)) {
        return false; // of another loop inside
      }
    }
    return true;
  }

  bool is_rotated() const { return outer.test == outer.latch && inner.test == inner.latch; }

  bool tests_first() const {
    return outer.test == outer.header && inner.test == inner.header && outer.test != outer.latch &&
           inner.test != inner.latch;
  }

  bool is_inside(node_id n) const { return n != no_node && loops_->contains(inner.loop, n); }

  bool is_between(node_id n) const { return n != no_node && loops_->innermost_loop(n) == outer.loop; }

  bool is_outside(node_id n) const { return n == no_node || !loops_->contains(outer.loop, n); }

  /// Whether `root` is computed by repeatable operations without effects from the counter of the level and from values
  /// outside both loops. `is_seen` has a zero for each value.
  bool is_function_of_counter(value_id root, const checked_level& level, const flat_array<node_id>& home,
                              flat_array<unsigned char>& is_seen) const {
    flat_array<value_id> seen;
    seen.push_back(root);
    const bool found = follow(seen, level, home, is_seen);
    for (const value_id v : seen) {
      if (v < home.size()) {
        is_seen[v] = 0;
      }
    }
    return found;
  }

  bool is_pure(value_id v) const {
    return ir_->effect(v) == effect_kind::none && !ir_->is_volatile(v) && !ir_->may_not_return(v) &&
           !is_terminator(*ir_, v) && is_repeatable(*ir_, v) && !is_convergent(*ir_, v);
  }

private:
  bool follow(flat_array<value_id>& seen, const checked_level& level, const flat_array<node_id>& home,
              flat_array<unsigned char>& is_seen) const {
    for (std::size_t i = 0; i != seen.size(); ++i) {
      const value_id v = seen[i];
      if (v == no_value || v >= home.size()) {
        return false;
      }
      if (v == level.counter || is_outside(home[v])) {
        continue;
      }
      if (loops_->innermost_loop(home[v]) != level.loop || ir_->is_phi(v) || !is_pure(v)) {
        return false;
      }
      for_each_id(ir_->operands(v), [&](value_id x) {
        if (x == no_value || x >= home.size() || is_seen[x] == 0) {
          seen.push_back(x);
          if (x < home.size()) {
            is_seen[x] = 1;
          }
        }
      });
    }
    return true;
  }

  bool read_level(node_id header, checked_level& out) {
    const loop_id l = loops_->innermost_loop(header);
    if (loops_->entering_edges(l).size() != 1 || loops_->backedges(l).size() != 1 ||
        header == static_cast<node_id>(ir_->graph().entry())) {
      return false;
    }
    out.loop = l;
    out.header = header;
    out.entering = loops_->entering_edges(l)[0].id;
    out.back = loops_->backedges(l)[0].id;
    out.latch = loops_->backedges(l)[0].source;
    std::size_t exits = 0;
    for (const loop_edge& e : loops_->exiting_edges(l)) {
      out.exit = e.id;
      out.test = e.source;
      ++exits;
    }
    if (exits != 1 || loops_->innermost_loop(out.test) != l) {
      return false;
    }
    edge_id other = no_edge;
    std::size_t edges = 0;
    for_each_id(ir_->graph().out_edges(out.test), [&](edge_id e) {
      other = e != out.exit ? e : other;
      ++edges;
    });
    const auto condition = static_cast<value_id>(ir_->condition(out.test));
    if (edges != 2 || condition == no_value || ir_->operation(condition).width != 1) {
      return false;
    }
    const edge_id one = edge_of_case(*ir_, out.test, constant_of<IR>(1));
    const edge_id zero = edge_of_case(*ir_, out.test, constant_of<IR>(0));
    out.stays_if_one = one == other;
    return (one == other && zero == out.exit) || (zero == other && one == out.exit);
  }

  const IR* ir_;
  const loop_forest* loops_;
};

} // namespace detail

MIDEND_END_NAMESPACE
