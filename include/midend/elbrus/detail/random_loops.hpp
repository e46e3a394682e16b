/// Random loops, each with a bound on how often it runs.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_cycles.hpp"
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

/// Writes what stands around the bodies of loops.
class random_loops : public random_cycles {
protected:
  using random_cycles::random_cycles;

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

private:
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
        const value_id v = input_from(a, phi.type).value;
        b_.input(phi.value, a.edge, v == phi.value ? input_from(a, phi.type).value : v);
      }
    }
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
