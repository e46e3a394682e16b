/// How the copies of a loop body are evaluated: the steps of `unroll_body`.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_context.hpp"
#include "midend/unrolling/copies/detail/unroll_control.hpp"
#include "midend/unrolling/copies/detail/unroll_counters.hpp"
#include "midend/unrolling/copies/detail/unroll_effects.hpp"
#include "midend/unrolling/copies/detail/unroll_start.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Walks through the blocks of copy after copy.
template <class Folder> class unroller {
public:
  constexpr unroller(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                     const Folder& folder, unroll_memory& memory, unrolled_body& out)
      : c_(body, counters, request, memory, out), effects_(c_), control_(c_), folder_(folder), top_(counters, request) {
  }

  constexpr void run() {
    c_.out.copies = c_.request.copies;
    c_.out.is_straight_line = c_.request.is_straight_line;
    unroll_start(c_).run();
    evaluate_copy();
    while (!has_left_ && !c_.is_last_copy()) {
      ++c_.expressions.copy;
      advance_phis();
      evaluate_copy();
    }
    finish();
  }

private:
  // From copy to copy.

  constexpr void advance_phis() {
    c_.memory.next.resize_for_overwrite(c_.body.num_phis);
    for (body_id phi = 0; phi != c_.body.num_phis; ++phi) {
      c_.memory.next[phi] = c_.values[c_.body.next(phi)];
    }
    for (body_id phi = 0; phi != c_.body.num_phis; ++phi) {
      c_.values[phi] = c_.memory.next[phi];
    }
  }

  /// That this copy runs says something of the counters at the top.
  constexpr void note_counters() {
    for (const induction_variable& iv : c_.counters.inductions) {
      const unrolled_id n = c_.out.phis[iv.phi];
      if (n != no_unrolled && (c_.copy() == 0 || top_.last(c_.copy()))) {
        c_.expressions.facts(n) = facts_of_counter(iv, top_, c_.copy());
      }
    }
  }

  constexpr void evaluate_copy() {
    note_counters();
    c_.predicates.begin_copy();
    for (std::uint32_t b = 0; b != c_.body.blocks.size(); ++b) {
      const body_block& block = c_.body.blocks[b];
      if (c_.predicates.enter(b) == never) {
        skip(block);
        continue;
      }
      for (body_id v = block.first_value; v != block.last_value; ++v) {
        c_.expressions.origin = v;
        evaluate(v);
      }
      control_.leave(b);
    }
    has_left_ = c_.predicates.of_block(c_.body.bottom()) == never;
  }

  constexpr void skip(const body_block& block) {
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      c_.values[v] = {};
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      c_.predicates.set_edge(e, never);
    }
  }

  // Values.

  constexpr void evaluate(body_id v) {
    const body_value& value = c_.body.values[v];
    switch (value.kind) {
    case body_kind::pure:
      if (c_.memory.is_invariant[v] && !c_.values[v].is_none()) {
        note_repetition(v);
      } else {
        c_.values[v] = pure(v, value);
      }
      note_constant(v, value);
      return;
    case body_kind::join:
      c_.values[v] = join(v, value);
      return;
    case body_kind::load:
      c_.values[v] = effects_.load(v, value);
      return;
    case body_kind::store:
      effects_.store(v, value);
      return;
    case body_kind::call:
      c_.values[v] = effects_.call(v, value);
      return;
    default:
      return; // phis and what comes from outside are no operations
    }
  }

  constexpr void note_repetition(body_id v) {
    const known_value& x = c_.values[v];
    if (!x.is_literal() && !c_.body.values[v].is_free && c_.out.nodes[x.node].kind == body_kind::pure) {
      c_.expressions.save(saving_kind::shared_expression, c_.out.nodes[x.node].copy);
    }
  }

  constexpr void note_constant(body_id v, const body_value& value) {
    const known_value& x = c_.values[v];
    if (x.is_literal() && !value.is_free) {
      c_.expressions.save(saving_kind::folded, x.addend);
    } else if (!x.is_literal() && x.addend != 0 && is_sum(value.info.code)) {
      c_.out.sums.push_back({c_.copy(), v, {x.node, x.addend}});
    }
  }

  static constexpr bool is_sum(operation code) { return code == operation::add || code == operation::sub; }

  constexpr known_value pure(body_id v, const body_value& value) {
    std::span<const known_value> args = c_.args_of(v);
    if (value.info.code == operation::other) {
      return other(v, value, args);
    }
    args = args.first(arity(value.info.code));
    if (value.info.code == operation::select && args[0].is_literal()) {
      c_.note_test(c_.body.operands_of(v)[0], args[0]);
    }
    return c_.folding.fold(value, args);
  }

  constexpr known_value other(body_id v, const body_value& value, std::span<const known_value> args) {
    c_.memory.numbers.clear();
    for (const known_value& x : args) {
      if (x.is_literal()) {
        c_.memory.numbers.push_back(x.addend);
      }
    }
    if (c_.memory.numbers.size() == args.size()) {
      if (const auto bits = folder_(v, std::span<const std::uint64_t>(c_.memory.numbers))) {
        return literal(*bits, value.info.width);
      }
    }
    return c_.expressions.compute(kind_of(value), args);
  }

  constexpr known_value join(body_id v, const body_value& value) {
    expression_kind kind;
    kind.info.code = operation::select;
    kind.info.width = value.info.width;
    kind.cost = operation_class::merge;
    const std::size_t before = c_.out.nodes.size();
    const known_value out = c_.predicates.join(v, kind, [this](body_id operand) { return c_.values[operand]; });
    for (std::size_t n = before; n != c_.out.nodes.size(); ++n) {
      c_.out.nodes[n].is_join = c_.out.nodes[n].info.code == operation::select;
    }
    return out;
  }

  // Behind the copies.

  /// If control has surely left, the next pass never begins, and what the phis would be does not matter.
  constexpr void finish() {
    for (const body_id v : c_.body.live_out) {
      c_.out.live_out.push_back(c_.operand_of(c_.values[v]));
    }
    bool has_fixed = false;
    for (body_id phi = 0; phi != c_.body.num_phis; ++phi) {
      c_.out.next.push_back(c_.operand_of(c_.values[has_left_ ? phi : c_.body.next(phi)]));
      const unrolled_id n = c_.out.phis[phi];
      if (n != no_unrolled && !c_.out.is_straight_line && c_.out.next.back() == unrolled_operand{n, 0}) {
        c_.out.nodes[n].is_invariant = true;
        has_fixed = true;
      }
    }
    if (has_fixed) {
      spread_invariance();
    }
  }

  constexpr void spread_invariance() {
    for (unrolled_id n = 0; n != c_.out.nodes.size(); ++n) {
      unrolled_node& node = c_.out.nodes[n];
      if (node.kind == body_kind::pure && (node.info.code != operation::other || node.identity != 0)) {
        node.is_invariant = true;
        for (const unrolled_operand& o : c_.out.operands_of(n)) {
          node.is_invariant = node.is_invariant && c_.out.nodes[o.node].is_invariant;
        }
      }
    }
  }

  unroll_context c_;
  unroll_effects effects_;
  unroll_control control_;
  const Folder& folder_;
  top_iterations top_;
  bool has_left_ = false; ///< control surely does not come to the next copy
};

} // namespace detail

MIDEND_END_NAMESPACE
