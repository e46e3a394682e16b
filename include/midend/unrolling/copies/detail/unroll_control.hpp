/// How control goes on at the end of a block of a copy.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_context.hpp"
#include "midend/unrolling/copies/detail/unroll_predicates.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Decides the branches of the copies as far as they can be, and lists the exits that are left.
class unroll_control {
public:
  constexpr explicit unroll_control(unroll_context& context) : c_(context) {}

  /// Sets the predicates of the edges and appends the exits.
  constexpr void leave(std::uint32_t b) {
    const body_block& block = c_.body.blocks[b];
    const predicate_id here = c_.predicates.of_block(b);
    if (block.first_edge == block.last_edge) {
      return;
    }
    MIDEND_ASSERT(block.condition != no_body_value || block.last_edge - block.first_edge == 1,
                  "a condition that decides among edges", b);
    find_bits(block);
    const std::uint32_t taken = only_edge(block);
    if (taken != body_edge::leaves) {
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        c_.predicates.set_edge(e, e == taken && c_.body.edges[e].target != body_edge::leaves ? here : never);
      }
      if (c_.body.edges[taken].target == body_edge::leaves && !(c_.request.is_straight_line && here == always)) {
        append_exit(taken, c_.predicates.bit_of(here));
      }
      return; // a straight line ends where control surely leaves
    }
    append_exits(block, here);
    divide(block, here);
  }

private:
  constexpr bool is_counted(std::uint32_t edge) const {
    return c_.counters.counted_exit != no_body_value && c_.counters.exits[c_.counters.counted_exit].edge == edge;
  }

  constexpr bool drops_test(std::uint32_t edge) const {
    const bool is_last = !c_.request.is_straight_line && c_.copy() + 1 == c_.request.copies;
    return c_.request.drops_counted_tests && is_counted(edge) && !is_last && c_.copy() != c_.request.mid_exit_copy;
  }

  constexpr bool is_dropped(const body_block& block) const {
    bool is_dropped = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      is_dropped = is_dropped || drops_test(e);
    }
    return is_dropped;
  }

  constexpr known_value& bit_of(const body_block& block, std::uint32_t e) {
    return c_.memory.bits[e - block.first_edge];
  }

  /// Whether edges are taken, each; of the edge for all other cases a value without a node, or 0 if there are none.
  constexpr void find_bits(const body_block& block) {
    const std::uint32_t count = block.last_edge - block.first_edge;
    c_.memory.bits.assign(count, literal(1, 1));
    if (count == 1) {
      return;
    }
    const known_value condition = condition_of(block);
    if (condition.is_literal() && !is_dropped(block)) {
      c_.note_test(block.condition, condition);
    }
    bool is_decided = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      known_value& bit = bit_of(block, e);
      bit =
          c_.body.edges[e].has_case ? is_case(condition, c_.body.edges[e].case_value, block.condition) : known_value{};
      is_decided = is_decided || bit.is_literal(1);
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      known_value& bit = bit_of(block, e);
      if (is_decided && !bit.is_literal(1)) {
        bit = literal(0, 1);
      }
      if (drops_test(e)) {
        bit = literal(bit.is_literal(1) ? 1 : 0, 1);
        c_.expressions.save(saving_kind::removed_exit_test, block.condition, 0);
      }
    }
  }

  /// The test by which the new loop ends may compare with another bound, so that a remainder is left: what the bound of
  /// the body says of it does not count.
  constexpr known_value condition_of(const body_block& block) {
    const known_value& condition = c_.values[block.condition];
    const body_value& value = c_.body.values[block.condition];
    if (condition.is_literal() && ends_new_loop(block) && is_comparison(value.info.code)) {
      c_.expressions.origin = block.condition;
      return c_.expressions.compute(kind_of(value), c_.args_of(block.condition));
    }
    return condition;
  }

  constexpr bool ends_new_loop(const body_block& block) const {
    if (c_.request.is_straight_line || !c_.request.drops_counted_tests || c_.copy() + 1 != c_.request.copies) {
      return false;
    }
    bool ends = false;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      ends = ends || is_counted(e);
    }
    return ends;
  }

  constexpr known_value is_case(const known_value& condition, std::uint64_t number, body_id origin) {
    if (condition.width == 1) {
      return number != 0 ? condition : negated(condition);
    }
    if (condition.is_literal()) {
      return literal(condition.addend == (number & low_ones(condition.width)) ? 1 : 0, 1);
    }
    c_.expressions.origin = origin;
    body_value test{};
    test.cost = operation_class::compare;
    test.info.code = operation::equal;
    test.info.width = 1;
    test.info.operand_width = condition.width;
    const known_value operands[] = {condition, literal(number, condition.width)};
    return c_.folding.fold(test, operands);
  }

  /// The edge that is taken if no other one can be; else `leaves`.
  constexpr std::uint32_t only_edge(const body_block& block) {
    std::uint32_t only = body_edge::leaves;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (!bit_of(block, e).is_literal(0)) {
        if (only != body_edge::leaves) {
          return body_edge::leaves;
        }
        only = e;
      }
    }
    return only == body_edge::leaves ? block.last_edge - 1 : only; // no case: the program has no meaning
  }

  /// Whether none of the cases of the other edges is the one.
  constexpr known_value none_of_the_cases(const body_block& block) {
    known_value none = literal(1, 1);
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (c_.body.edges[e].has_case) {
        none = c_.folding.both(none, negated(bit_of(block, e)));
      }
    }
    return none;
  }

  constexpr void append_exits(const body_block& block, predicate_id here) {
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (c_.body.edges[e].target == body_edge::leaves && !bit_of(block, e).is_literal(0)) {
        const known_value& bit = bit_of(block, e);
        append_exit(e, c_.folding.both(c_.predicates.bit_of(here), bit.is_none() ? none_of_the_cases(block) : bit));
      }
    }
  }

  /// Edges that stay in the loop: one decision after the other, the last edge is for what is left.
  constexpr void divide(const body_block& block, predicate_id here) {
    std::uint32_t last = block.last_edge;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (stays(block, e) && (last == block.last_edge || !bit_of(block, last).is_none())) {
        last = e;
      }
    }
    predicate_id rest = here;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (!stays(block, e)) {
        c_.predicates.set_edge(e, never);
      } else if (e != last) {
        const predicate_id taken = c_.predicates.decide(rest, here, bit_of(block, e));
        c_.predicates.set_edge(e, taken);
        rest = taken ^ 1;
        ++c_.out.inner_branches;
      }
    }
    if (last != block.last_edge) {
      c_.predicates.set_edge(last, rest);
    }
  }

  constexpr bool stays(const body_block& block, std::uint32_t e) {
    return c_.body.edges[e].target != body_edge::leaves && !bit_of(block, e).is_literal(0);
  }

  constexpr void append_exit(std::uint32_t edge, const known_value& bit) {
    const unrolled_operand predicate = c_.expressions.operand(bit);
    const std::uint32_t source = c_.body.edges[edge].source;
    for (const body_id v : c_.body.live_out) {
      const body_value& value = c_.body.values[v];
      const bool is_there = v < c_.body.num_phis || c_.is_outside(v) || c_.predicates.dominates(value.block, source);
      c_.out.exit_values.push_back(is_there ? c_.operand_of(c_.values[v]) : unrolled_operand{});
    }
    c_.out.exits.push_back({c_.copy(), edge, predicate.node, predicate.addend != 0, is_counted(edge),
                            static_cast<std::uint32_t>(c_.out.nodes.size())});
  }

  unroll_context& c_;
};

} // namespace detail

MIDEND_END_NAMESPACE
