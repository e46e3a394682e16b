/// Random cycles that are no loops with a body: irreducible ones, and those without an exit.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_flow.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Writes such cycles.
class random_cycles : public random_flow {
protected:
  using random_flow::random_flow;

  /// A cycle with several entries: nodes that jump among each other until a counter says that it is enough.
  void irreducible() {
    const std::uint64_t runs_outside = runs_;
    cycle c;
    c.fuel = random_.between(3, 8);
    c.in_variable = to_variable();
    c.exit = new_meeting();
    if (c.in_variable) {
      c.variable = b_.variable(type::i32, fresh('x'));
      b_.assign(c.variable, b_.i32(c.fuel));
    }
    for (std::size_t slots = phis_allowed() ? 1 + random_.below(2) : 0; slots != 0; --slots) {
      c.slots.push_back(random_type());
    }
    c.blocks.resize(2 + random_.below(2));
    for (cycle_block& block : c.blocks) {
      block.node = new_node();
    }
    const branch_edges in = b_.branch(predicate(), c.blocks[0].node, c.blocks[1].node);
    const std::size_t base = scope_.size(); // with the predicate
    arrive(c, 0, in.when_true, b_.i32(c.fuel));
    arrive(c, 1, in.when_false, b_.i32(c.fuel));
    runs_ *= static_cast<std::uint64_t>(c.fuel) + 2;
    for (std::size_t i = 0; i != c.blocks.size(); ++i) {
      scope_.shrink(base);
      write_block(c, i);
    }
    scope_.shrink(base);
    close_phis(c);
    runs_ = runs_outside;
    meet(c.exit);
  }

  /// A loop without exit, into which a predicate leads.
  void endless() {
    const node_id loop = new_node();
    meeting_point behind;
    behind.node = new_node();
    const value_id in = predicate();
    behind.base = scope_.size();
    const branch_edges edges = b_.branch(in, loop, behind.node);
    scope_.arrive(behind, edges.when_false);
    enter(loop);
    simple(runs_);
    b_.jump(loop);
    meet(behind);
  }

private:
  /// A node of the cycle: its phis, and what they get for each edge.
  struct cycle_block {
    node_id node = no_node;
    std::vector<value_id> phis; ///< the counter, if it is one, then the slots
    std::vector<edge_id> edges;
    std::vector<std::vector<value_id>> inputs; ///< by edge and phi
  };

  struct cycle {
    std::int64_t fuel = 0;
    bool in_variable = false;
    value_id variable = no_value; ///< the counter, if it is one
    std::vector<type> slots;
    std::vector<cycle_block> blocks;
    meeting_point exit;
  };

  /// An edge to a block, with what there is now.
  void arrive(cycle& c, std::size_t block, edge_id e, value_id fuel) {
    std::vector<value_id> inputs;
    if (!c.in_variable) {
      inputs.push_back(fuel);
    }
    for (const type t : c.slots) {
      inputs.push_back(pick_known(t, true).value);
    }
    c.blocks[block].edges.push_back(e);
    c.blocks[block].inputs.push_back(inputs);
  }

  void write_block(cycle& c, std::size_t i) {
    cycle_block& block = c.blocks[i];
    enter(block.node);
    value_id fuel = c.variable;
    if (!c.in_variable) {
      fuel = read(b_.phi(type::i32));
      block.phis.push_back(fuel);
      see_bounded(fuel, 0, c.fuel);
    }
    for (const type t : c.slots) {
      block.phis.push_back(see(b_.phi(t)).value);
    }
    for (std::size_t left = 1 + random_.below(3); left != 0; --left) {
      simple(runs_);
    }
    const extras more = c.in_variable ? extras{.into = c.variable} : extras{};
    const value_id rest = read(write({opcode::sub, type::i32, {fuel, b_.i32(1)}, more}));
    const value_id alive = see(write({opcode::cmp_gt, type::i32, {rest, b_.i32(0)}, somewhere_safe(type::i1)})).value;
    const std::size_t next = (i + 1) % c.blocks.size();
    const std::size_t other = random_.below(c.blocks.size());
    if (other == next) {
      const branch_edges edges = branch(alive, c.blocks[next].node, c.exit.node);
      scope_.arrive(c.exit, edges.when_false);
      arrive(c, next, edges.when_true, rest);
      return;
    }
    const node_id chooser = new_node();
    scope_.arrive(c.exit, branch(alive, chooser, c.exit.node).when_false);
    enter(chooser);
    const branch_edges edges = branch(predicate(), c.blocks[next].node, c.blocks[other].node);
    arrive(c, next, edges.when_true, rest);
    arrive(c, other, edges.when_false, rest);
  }

  void close_phis(const cycle& c) {
    for (const cycle_block& block : c.blocks) {
      for (std::size_t e = 0; e != block.edges.size(); ++e) {
        for (std::size_t i = 0; i != block.phis.size(); ++i) {
          b_.input(block.phis[i], block.edges[e], block.inputs[e][i]);
        }
      }
    }
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
