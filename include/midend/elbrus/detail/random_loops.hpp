/// Random loops, each with a bound on how often it runs.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_flow.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A counted loop whose body is being written. It is left when the counter says so, and often for other reasons, too.
struct open_loop {
  node_id header = no_node;
  std::size_t base = 0; ///< what can be read before the loop: so many of the scope
  meeting_point exit;
  meeting_point latch;          ///< where `continue` goes …
  bool several_latches = false; ///< … unless that is the header
  bool test_first = false;      ///< before the body, or behind it
  bool up = true;               ///< 0, step, 2·step … below the bound; or the bound, bound-1 … above 0
  bool in_variable = false;     ///< where the counter is
  bool also_others = false;     ///< a predicate of the program ends it, too
  type counter_type = type::i32;
  value_id counter = no_value;
  value_id next = no_value; ///< the counter of the next time
  std::int64_t step = 1;
  known_value bound;
  std::vector<known_value> carried; ///< phis of the header beside the counter
  std::vector<arrival> back;        ///< edges to the header
  std::uint64_t runs_outside = 1;
};

/// Writes what stands around the bodies of loops, and cycles without such a form.
class random_loops : public random_flow {
protected:
  using random_flow::random_flow;

  /// Writes header and test of a loop that runs at most `most` times; the body is to follow. Requires `most >= 1`.
  open_loop begin_loop(std::size_t most) {
    open_loop l;
    l.counter_type = random_integer_type();
    l.up = random_.percent(70);
    l.step = l.up ? random_.between(1, 3) : 1;
    l.test_first = random_.one_in(2);
    l.several_latches = l.test_first && random_.one_in(3);
    l.also_others = random_.one_in(3);
    l.in_variable = to_variable();
    l.bound = loop_bound(l.counter_type, most);
    l.runs_outside = runs_;
    enter_header(l);
    if (l.test_first) {
      const node_id body = new_node();
      const value_id stays = test(l, l.counter);
      if (l.several_latches) {
        advance(l);
      }
      const branch_edges edges = branch(stays, body, l.exit.node);
      scope_.arrive(l.exit, edges.when_false);
      enter(body);
    }
    l.latch.base = scope_.size();
    return l;
  }

  /// Ends the present path with the next time round.
  void continue_loop(open_loop& l) {
    if (l.several_latches) {
      go_back(l, b_.jump(l.header));
      return;
    }
    if (l.latch.node == no_node) {
      l.latch.node = new_node();
    }
    jump(l.latch);
  }

  /// Ends the body, and goes on behind the loop.
  void end_loop(open_loop& l) {
    if (l.several_latches) {
      go_back(l, b_.jump(l.header));
    } else {
      if (l.latch.node != no_node || random_.one_in(4)) {
        continue_loop(l);
        meet(l.latch);
      }
      advance(l);
      if (l.test_first) {
        go_back(l, b_.jump(l.header));
      } else {
        const value_id stays = test(l, l.next);
        const branch_edges edges = branch(stays, l.header, l.exit.node);
        go_back(l, edges.when_true);
        scope_.arrive(l.exit, edges.when_false);
      }
    }
    close_phis(l);
    runs_ = l.runs_outside;
    meet(l.exit);
  }

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
    for (std::size_t slots = phis_allowed() ? random_.between(1, 2) : 0; slots != 0; --slots) {
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
  // Counted loops.

  known_value loop_bound(type t, std::size_t most) {
    if (most == 1 || random_.percent(40)) {
      const std::int64_t n = random_.between(1, static_cast<std::int64_t>(most));
      return bounded_value(b_.literal(t, n), t, n, n);
    }
    return between(t, 0, static_cast<std::int64_t>(std::bit_floor(most + 1) - 1));
  }

  void enter_header(open_loop& l) {
    l.exit = new_meeting();
    l.base = scope_.size();
    l.header = new_node();
    const value_id start = l.up ? b_.literal(l.counter_type, 0) : l.bound.value;
    const bool phi_counter = !l.in_variable && b_.get().value(start).kind != value_kind::variable;
    l.in_variable = !phi_counter;
    if (l.in_variable) {
      l.counter = b_.variable(l.counter_type, fresh('x'));
      b_.assign(l.counter, start);
    }
    std::vector<value_id> inputs;
    for (std::size_t left = phis_allowed() ? 1 + random_.below(3) : 0; left != 0; --left) {
      const type t = random_type();
      known_value carried;
      carried.type = t;
      l.carried.push_back(carried);
      inputs.push_back(pick_known(t, true).value);
    }
    const edge_id in = b_.jump(l.header);
    runs_ *= static_cast<std::uint64_t>(l.bound.high) + 2;
    enter(l.header);
    if (!l.in_variable) {
      l.counter = read(b_.phi(l.counter_type));
      b_.input(l.counter, in, start);
    }
    for (std::size_t i = 0; i != inputs.size(); ++i) {
      l.carried[i].value = read(b_.phi(l.carried[i].type));
      b_.input(l.carried[i].value, in, inputs[i]);
      scope_.push(l.carried[i]);
    }
    see_counter(l, l.counter);
    if (options_.profile && random_.one_in(3)) {
      const auto maximum = static_cast<std::uint64_t>(l.bound.high) + 2;
      b_.get().set_hint(l.header, {.average = maximum / 2, .maximum = maximum, .multiple = 0});
    }
  }

  /// The counter and its successor stay within this, whatever the form of the loop.
  void see_counter(const open_loop& l, value_id v) {
    see(bounded_value(v, l.counter_type, l.up ? 0 : -1, l.bound.high + 2 * l.step));
  }

  /// Whether the loop goes on.
  value_id test(const open_loop& l, value_id counter) {
    const value_id limit = l.up ? l.bound.value : b_.literal(l.counter_type, 0);
    const bool may_pass = !l.test_first || l.step != 1; // the counter need not meet the limit exactly
    opcode code = l.up ? opcode::cmp_lt : opcode::cmp_gt;
    if (l.up && random_.one_in(3)) {
      code = opcode::cmp_ult;
    } else if (!may_pass && random_.one_in(3)) {
      code = opcode::cmp_ne;
    }
    const value_id counts = see(write({code, l.counter_type, {counter, limit}, somewhere_safe(type::i1)})).value;
    if (!l.also_others) {
      return counts;
    }
    return see(write({opcode::bit_and, type::i1, {counts, predicate()}, somewhere_safe(type::i1)})).value;
  }

  void advance(open_loop& l) {
    const value_id by = b_.literal(l.counter_type, l.step);
    extras more;
    if (l.in_variable) {
      more.into = l.counter;
    }
    more.nsw = options_.promises && random_.percent(70);
    l.next = read(write({l.up ? opcode::add : opcode::sub, l.counter_type, {l.counter, by}, more}));
    see_counter(l, l.next);
  }

  void go_back(open_loop& l, edge_id e) {
    meeting_point header;
    header.base = l.base;
    scope_.arrive(header, e);
    l.back.push_back(header.arrivals.front());
  }

  void close_phis(const open_loop& l) {
    scope_.shrink(l.base);
    for (const arrival& a : l.back) {
      if (!l.in_variable) {
        b_.input(l.counter, a.edge, l.next);
      }
      for (const known_value& phi : l.carried) {
        b_.input(phi.value, a.edge, input_from(a, phi.type).value);
      }
    }
  }

  // Cycles with several entries.

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
