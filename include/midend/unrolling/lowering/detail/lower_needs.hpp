/// Which values of an unrolled body somebody needs.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/lower_operations.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What a value is another name for: what takes no operation and has one operand, and predicates that are only negated.
constexpr unrolled_operand look_through(const unrolled_body& body, unrolled_operand o) {
  while (o.addend == 0) {
    const unrolled_node& node = body.nodes[o.node];
    const bool is_other_name =
        node.kind == body_kind::pure && ((node.is_free && node.num_operands == 1) || negates_predicate(body, o.node));
    if (!is_other_name) {
      break;
    }
    o = body.operands_of(o.node)[0];
  }
  return o;
}

/// Where the hardware counts, it tests too.
constexpr bool is_tested(const unrolled_exit& e, const lowering_options& options) {
  return !e.is_counted || !options.counts_in_hardware;
}

/// From what has an effect, tests that are made and what is used behind the body back to all that they are computed
/// from; of a header phi, back to what the pass before gave it. Counts the uses of what is needed, and lists the sums
/// of a value and a number that are wanted as such: all but those that are used behind the body, for which they are
/// computed there.
struct needed_values {
  const unrolled_body& body;
  const lowering_options& options;
  lowering_memory& w;

  constexpr void find() {
    w.nodes.assign(body.nodes.size(), {});
    w.sums.clear();
    w.work.clear();
    for (std::uint32_t p = 0; p != body.phis.size(); ++p) {
      if (body.phis[p] != no_unrolled) {
        w.nodes[body.phis[p]].phi = p;
      }
    }
    need_roots();
    while (!w.work.empty()) {
      const unrolled_id n = w.work.back();
      w.work.pop_back();
      need_what_it_reads(n);
    }
  }

private:
  constexpr void need_roots() {
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      if (has_effect(body.nodes[n])) {
        need(n);
      }
    }
    for (const unrolled_exit& e : body.exits) {
      if (is_tested(e, options)) {
        need_use(e.predicate);
      }
    }
    for (const unrolled_exit& e : body.exits) {
      w.nodes[e.predicate].is_counted_test = w.nodes[e.predicate].is_counted_test || e.is_counted;
    }
    need_exit_values();
    for (const unrolled_operand o : body.live_out) {
      need_use(o.node);
    }
    for (std::size_t p = 0; body.is_straight_line && p != body.next.size(); ++p) {
      need_use(body.next[p].node);
    }
  }

  /// What is used behind the loop, for each exit.
  constexpr void need_exit_values() {
    for (const unrolled_operand o : body.exit_values) {
      need_use(o.node);
    }
  }

  constexpr void need(unrolled_id n) {
    if (!w.nodes[n].is_needed) {
      w.nodes[n].is_needed = true;
      w.work.push_back(n);
    }
  }

  constexpr void need_use(unrolled_id n) {
    if (n != no_unrolled) {
      need(n);
      ++w.nodes[n].uses;
    }
  }

  constexpr void need_value(unrolled_operand o) {
    if (o.node == no_unrolled) {
      return;
    }
    const unrolled_operand wanted = without_negation(body, o);
    if (wanted.addend == 0) {
      need_use(wanted.node);
    } else {
      ++sum_of(wanted).uses;
    }
  }

  /// The sum itself is one use of the node.
  constexpr lowered_sum& sum_of(unrolled_operand o) {
    const std::uint32_t s = find_sum(w, o);
    if (s != no_lowered) {
      return w.sums[s];
    }
    need_use(o.node);
    lowered_sum fresh;
    fresh.value = o;
    fresh.next_sum = w.nodes[o.node].first_sum;
    w.nodes[o.node].first_sum = static_cast<std::uint32_t>(w.sums.size());
    w.sums.push_back(fresh);
    return w.sums.back();
  }

  constexpr void need_what_it_reads(unrolled_id n) {
    const unrolled_node& node = body.nodes[n];
    if (node.kind == body_kind::phi) {
      need_next(w.nodes[n].phi, n);
      return;
    }
    for (const unrolled_operand o : body.operands_of(n)) {
      w.nodes[n].is_counted_test ? need_use(o.node) : need_value(o);
    }
    if (node.kind == body_kind::load || node.kind == body_kind::store) {
      const unrolled_access& a = body.accesses[node.access];
      need_use(a.base);
      need_use(a.index);
      need_value(a.stored);
    }
    need_use(node.guard);
    count_zero_test(n);
  }

  /// A phi that is given itself needs nothing.
  constexpr void need_next(std::uint32_t phi, unrolled_id n) {
    if (body.is_straight_line || phi == no_lowered) {
      return;
    }
    if (look_through(body, body.next[phi]) != unrolled_operand{n, 0}) {
      need_value(body.next[phi]);
    }
  }

  constexpr void count_zero_test(unrolled_id n) {
    const unrolled_node& node = body.nodes[n];
    if (node.info.code != operation::equal && node.info.code != operation::not_equal) {
      return;
    }
    const auto operands = body.operands_of(n);
    for (std::size_t i = 0; i != 2; ++i) {
      if (operands[i].addend == 0 && is_zero_operand(body, operands[1 - i])) {
        ++w.nodes[operands[i].node].zero_tests;
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
