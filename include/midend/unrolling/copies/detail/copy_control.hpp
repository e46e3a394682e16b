/// Control flow of a copy: its branches become predicates of blocks and edges, its joins `select`, its exits branches
/// out of the new body (J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of control dependence to data
/// dependence", POPL 1983).
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/copy_state.hpp"
#include "midend/unrolling/copies/detail/folding.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A condition on the path through one copy, given that control has not left the loop before: 0 always, 1 never, and
/// for decision d, 2 · d + 2 where it holds and 2 · d + 3 where it does not. So the two sides of a decision differ in
/// the lowest bit.
using predicate_id = std::uint32_t;

inline constexpr predicate_id always = 0;
inline constexpr predicate_id never = 1;

/// The predicates of the blocks and edges of one copy. A block that runs whenever its dominator does has the predicate
/// of its dominator, so that structured code needs only the conditions of its branches.
class path_predicates {
public:
  /// Starts on a body, which has to stay until the next call. O(blocks · depth of the dominator tree) at worst.
  constexpr void begin(const loop_body& body) {
    body_ = &body;
    const std::size_t count = body.blocks.size();
    of_block_.resize_for_overwrite(count);
    of_edge_.resize_for_overwrite(body.edges.size());
    dominator_.resize_for_overwrite(count);
    postdominator_.resize_for_overwrite(count);
    compute_dominators();
    compute_postdominators();
  }

  constexpr void begin_copy() { decisions_.clear(); }

  constexpr predicate_id of_block(std::uint32_t b) const { return of_block_[b]; }

  constexpr void set_edge(std::uint32_t edge, predicate_id p) { of_edge_[edge] = p; }

  /// Whether every path from the header to `b` passes `a`.
  constexpr bool dominates(std::uint32_t a, std::uint32_t b) const {
    while (b > a) {
      b = dominator_[b];
    }
    return a == b;
  }

  /// Sets and returns the predicate of a block. Requires those of all edges into it.
  constexpr predicate_id enter(std::uint32_t block, copy_numbering& numbering) {
    of_block_[block] = block == 0 ? always : predicate_on_entry(block, numbering);
    return of_block_[block];
  }

  /// Makes a decision under `parent`: returns the side where `bit` holds; the other side is `p ^ 1`. If `bit` holds
  /// only where `parent` does, given `context`, the conjunction of `context` and `bit` suffices: the cases of one
  /// condition exclude each other. Requires a bit that is not a number.
  constexpr predicate_id decide(predicate_id parent, predicate_id context, const known_value& bit) {
    const auto d = static_cast<std::uint32_t>(decisions_.size());
    decisions_.push_back({parent, context, bit});
    return 2 * d + 2;
  }

  /// The predicate as a value of one bit, given that `base` holds.
  constexpr known_value bit_of(predicate_id p, copy_numbering& numbering, predicate_id base = always) {
    const std::size_t bottom = chain_.size();
    while (p != always && p != base) {
      const decision& d = decision_of(p);
      chain_.push_back(p);
      p = holds(p) ? d.context : d.parent;
    }
    known_value bit = literal(1, 1);
    while (chain_.size() != bottom) {
      const predicate_id last = chain_.back();
      chain_.pop_back();
      const known_value& own = decision_of(last).bit;
      bit = fold_conjunction(numbering, bit, holds(last) ? own : inverted(own));
    }
    return bit;
  }

  /// The value of the join `v`, from those of its operands whose edge control may take. O(e²) for e edges, at worst.
  constexpr known_value join(body_id v, const expression_kind& kind, const flat_array<known_value>& values,
                             copy_numbering& numbering) {
    const std::uint32_t block = body_->values[v].block;
    const auto edges = body_->in_edges_of(block);
    const auto operands = body_->operands_of(v);
    cases_.clear();
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (of_edge_[edges[i]] != never) {
        cases_.push_back({of_edge_[edges[i]], numbering.resolved(values[operands[i]])});
      }
    }
    merge_siblings(kind, numbering);
    known_value out = cases_.back().value;
    for (std::size_t i = cases_.size() - 1; i-- != 0;) {
      const known_value condition = bit_of(cases_[i].predicate, numbering, of_block_[block]);
      out = fold_select(numbering, kind, condition, cases_[i].value, out);
    }
    return out;
  }

private:
  /// A branch whose condition is not a number: under `parent`, `bit` decides. See `decide`.
  struct decision {
    predicate_id parent;
    predicate_id context;
    known_value bit;
  };

  /// An edge into a block that control may take, and the value of a join if it does.
  struct join_case {
    predicate_id predicate;
    known_value value; ///< none if only predicates are merged
  };

  constexpr const decision& decision_of(predicate_id p) const { return decisions_[p / 2 - 1]; }

  static constexpr bool holds(predicate_id p) { return p % 2 == 0; }

  constexpr predicate_id predicate_on_entry(std::uint32_t block, copy_numbering& numbering) {
    cases_.clear();
    for (const std::uint32_t e : body_->in_edges_of(block)) {
      if (of_edge_[e] != never) {
        cases_.push_back({of_edge_[e], {}});
      }
    }
    if (cases_.empty()) {
      return never;
    }
    const std::uint32_t d = dominator_[block];
    if (block == body_->bottom()) { // every path that does not leave the loop gets there
      return always;
    }
    if (postdominator_[d] == block) {
      return of_block_[d];
    }
    merge_siblings({}, numbering);
    return cases_.size() == 1 ? cases_[0].predicate : any_of_cases(of_block_[d], numbering);
  }

  constexpr predicate_id any_of_cases(predicate_id base, copy_numbering& numbering) {
    known_value none = literal(1, 1);
    for (const join_case& c : cases_) {
      none = fold_conjunction(numbering, none, inverted(bit_of(c.predicate, numbering, base)));
    }
    return none.is_literal(0) ? base : decide(base, base, inverted(none));
  }

  /// Merges the two sides of a decision into one case, the innermost decision first, while there are two sides of one.
  constexpr void merge_siblings(const expression_kind& kind, copy_numbering& numbering) {
    while (cases_.size() > 1) {
      const std::size_t last = innermost();
      const std::size_t other = index_of(cases_[last].predicate ^ 1);
      if (other == cases_.size()) {
        return;
      }
      join_case& kept = cases_[last < other ? last : other];
      const join_case& gone = cases_[last < other ? other : last];
      const decision& d = decision_of(kept.predicate);
      if (!kept.value.is_none()) {
        const bool kept_holds = holds(kept.predicate);
        const known_value& yes = kept_holds ? kept.value : gone.value;
        const known_value& no = kept_holds ? gone.value : kept.value;
        kept.value = is_chosen_by_another_case(numbering, kind, d.bit, yes, no)
                         ? no
                         : fold_select(numbering, kind, d.bit, yes, no);
      }
      kept.predicate = d.parent;
      erase(last < other ? other : last);
    }
  }

  /// Whether both bits compare one value with different numbers.
  static constexpr bool exclude_each_other(const copy_numbering& numbering, unrolled_id p, unrolled_id q) {
    const unrolled_body& body = numbering.body();
    if (body.values[p].info.code != operation::equal || body.values[q].info.code != operation::equal) {
      return false;
    }
    const auto of_p = body.operands_of(p);
    const auto of_q = body.operands_of(q);
    const auto is_number = [&](unrolled_id n) { return body.values[n].kind == body_kind::constant; };
    return of_p[0] == of_q[0] && is_number(of_p[1].node) && is_number(of_q[1].node) && of_p[1] != of_q[1];
  }

  /// Whether `no` is `yes` but where a bit holds that `bit` excludes: as that of another case of a switch does.
  static constexpr bool is_chosen_by_another_case(const copy_numbering& numbering, const expression_kind& kind,
                                                  const known_value& bit, const known_value& yes,
                                                  const known_value& no) {
    const auto operands = operands_within(numbering, no, operation::select);
    return bit.addend == 0 && operands.size() == 3 && numbering.body().values[no.node].identity == kind.identity &&
           value_of_operand(numbering, operands[2], yes.width).is_same(yes) &&
           exclude_each_other(numbering, bit.node, operands[0].node);
  }

  /// Decisions have greater numbers than those that they depend on.
  constexpr std::size_t innermost() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i != cases_.size(); ++i) {
      best = cases_[i].predicate > cases_[best].predicate ? i : best;
    }
    return best;
  }

  constexpr std::size_t index_of(predicate_id p) const {
    std::size_t i = 0;
    while (i != cases_.size() && cases_[i].predicate != p) {
      ++i;
    }
    return i;
  }

  constexpr void erase(std::size_t i) {
    for (; i + 1 != cases_.size(); ++i) {
      cases_[i] = cases_[i + 1];
    }
    cases_.pop_back();
  }

  /// In one pass, because blocks are in topological order: the first iteration of the algorithm of K. D. Cooper, T. J.
  /// Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001, which needs no second one. `midend::dominators` on
  /// the body as a graph takes several times as long for graphs of a few blocks, and would be called for each
  /// candidate.
  constexpr void compute_dominators() {
    dominator_[0] = 0;
    for (std::uint32_t b = 1; b != dominator_.size(); ++b) {
      std::uint32_t common = b;
      for (const std::uint32_t e : body_->in_edges_of(b)) {
        std::uint32_t other = body_->edges[e].source;
        while (common != b && common != other) {
          (common > other ? common : other) = dominator_[common > other ? common : other];
        }
        common = other;
      }
      dominator_[b] = common == b ? 0 : common;
    }
  }

  constexpr void compute_postdominators() {
    const std::uint32_t none = body_->bottom() + 1;
    for (std::uint32_t b = none; b-- != 0;) {
      std::uint32_t common = b;
      for (std::uint32_t e = body_->blocks[b].first_edge; e != body_->blocks[b].last_edge; ++e) {
        std::uint32_t other = body_->edges[e].target;
        if (other == body_edge::leaves) {
          continue;
        }
        while (common != b && common != other) {
          std::uint32_t& earlier = common < other ? common : other;
          earlier = postdominator_[earlier];
        }
        common = other;
      }
      postdominator_[b] = common == b ? none : common;
    }
  }

  const loop_body* body_ = nullptr;         ///< valid from `begin` until the body goes out of scope
  flat_array<std::uint32_t> dominator_;     ///< by block: the last other block on every path from the header
  flat_array<std::uint32_t> postdominator_; ///< by block: the first other block on every path to the bottom
  flat_array<predicate_id> of_block_;       ///< of the present copy, for the blocks that were entered
  flat_array<predicate_id> of_edge_;        ///< of the present copy, for the edges of blocks that were left
  flat_array<decision> decisions_;          ///< of the present copy
  flat_array<join_case> cases_;             ///< scratch
  flat_array<predicate_id> chain_;          ///< scratch of `bit_of`
};

/// Whether an edge is one of the block's.
constexpr bool has_edge(const body_block& block, std::uint32_t edge) {
  return block.first_edge <= edge && edge < block.last_edge;
}

/// Whether the block has the test by which the new loop ends.
constexpr bool ends_new_loop(const copy_state& s, const body_block& block) {
  return !s.request.is_straight_line && s.request.drops_counted_tests && s.copy() == s.ending_copy() &&
         has_edge(block, s.counted_edge);
}

/// The condition of a block. The test by which the new loop ends may compare with another bound, so that a remainder is
/// left: it stays a comparison, even if that with the bound of the body is decided.
constexpr known_value condition_of(copy_state& s, const body_block& block) {
  const known_value condition = s.numbering.resolved(s.values[block.condition]);
  const body_value& value = s.body.values[block.condition];
  if (condition.is_literal() && ends_new_loop(s, block) && is_comparison(value.info.code)) {
    s.numbering.set_origin(block.condition);
    const known_value bit = s.numbering.compute(kind_of(comparison_to_bit(value)), s.args_of(block.condition));
    return with_zeros(s.numbering, value, bit);
  }
  return condition;
}

/// Whether `condition`, the value of `origin`, is the number of a case.
constexpr known_value is_case(copy_state& s, const known_value& condition, std::uint64_t number, body_id origin) {
  if (condition.width == 1) {
    return number != 0 ? condition : inverted(condition);
  }
  if (condition.is_literal()) {
    return literal(condition.addend == (number & low_ones(condition.width)) ? 1 : 0, 1);
  }
  s.numbering.set_origin(origin);
  body_value test{};
  test.cost = operation_class::compare;
  test.info.code = operation::equal;
  test.info.width = 1;
  test.info.operand_width = condition.width;
  const known_value operands[] = {condition, literal(number, condition.width)};
  return fold(s.numbering, test, operands);
}

/// Stores in `bits`, by edge of the block, whether it is taken. The edge for all other cases gets none, or 0 if one of
/// the cases is taken. Drops the tests that the new loop does not need.
constexpr void evaluate_tests(copy_state& s, const body_block& block, flat_array<known_value>& bits) {
  const std::uint32_t count = block.last_edge - block.first_edge;
  bits.assign(count, literal(1, 1));
  if (count == 1) {
    return;
  }
  const known_value condition = condition_of(s, block);
  const std::uint32_t dropped = s.dropped_edge();
  if (condition.is_literal() && !has_edge(block, dropped)) {
    s.note_test(block.condition, condition);
  }
  bool is_decided = false;
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    const body_edge& edge = s.body.edges[e];
    known_value& bit = bits[e - block.first_edge];
    bit = edge.is_idle && e != s.counted_edge ? literal(0, 1)
          : edge.has_case                     ? is_case(s, condition, edge.case_value, block.condition)
                                              : known_value{};
    is_decided = is_decided || bit.is_literal(1);
  }
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    known_value& bit = bits[e - block.first_edge];
    if (is_decided && !bit.is_literal(1)) {
      bit = literal(0, 1);
    }
    if (e == dropped || s.is_dropped_with_counted(e) || s.is_never_taken(e)) {
      bit = literal(bit.is_literal(1) ? 1 : 0, 1);
      s.numbering.save(saving_kind::removed_exit_test, block.condition, 0);
    }
  }
}

/// The only edge that may be taken; `body_edge::leaves` if there are several. If there is none, the program has no
/// meaning, and the last edge is returned.
constexpr std::uint32_t only_edge(const body_block& block, const flat_array<known_value>& bits) {
  std::uint32_t only = body_edge::leaves;
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (!bits[e - block.first_edge].is_literal(0)) {
      if (only != body_edge::leaves) {
        return body_edge::leaves;
      }
      only = e;
    }
  }
  return only == body_edge::leaves ? block.last_edge - 1 : only;
}

/// Whether the condition is none of the cases of the edges.
constexpr known_value none_of_the_cases(copy_state& s, const body_block& block, const flat_array<known_value>& bits) {
  known_value none = literal(1, 1);
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (s.body.edges[e].has_case) {
      none = fold_conjunction(s.numbering, none, inverted(bits[e - block.first_edge]));
    }
  }
  return none;
}

/// The test of a new body whose remainder the rolled loop runs: whether the counter of the next pass is at its limit.
/// It is a comparison of its own, whatever else the copies compare. The limit is a number if the trip count is, and the
/// counter at the top is compared then; else it is computed before the loop.
constexpr known_value compare_with_limit(copy_state& s) {
  const loop_exit& exit = s.counters.exits[s.counters.counted_exit];
  const induction_variable& counter = s.counters.inductions[exit.induction];
  expression_kind kind;
  kind.cost = operation_class::compare;
  kind.info.code = operation::equal;
  kind.info.width = 1;
  kind.info.operand_width = counter.width;
  const std::uint64_t step = counter.step * s.request.copies;
  known_value at_top = value_of_node(s.out.phis[counter.phi], counter.width);
  if (s.counters.is_exact() && counter.has_start) {
    const std::uint64_t passes = s.counters.trip.backedges / s.request.copies;
    const known_value operands[] = {at_top, literal(counter.start + (passes - 1) * step, counter.width)};
    return s.numbering.compute_alone(kind, operands);
  }
  at_top.addend = step & low_ones(counter.width);
  const auto limit = static_cast<unrolled_id>(s.out.values.size());
  s.numbering.append(body_kind::invariant, counter.width).is_invariant = true;
  const known_value operands[] = {at_top, value_of_node(limit, counter.width)};
  return s.numbering.compute_alone(kind, operands);
}

/// Whether the exit by `edge` is tested by `compare_with_limit`.
constexpr bool is_compared_with_limit(const copy_state& s, std::uint32_t edge) {
  if (!s.request.continues_rolled || s.request.is_straight_line || edge != s.counted_edge) {
    return false;
  }
  const loop_exit& exit = s.counters.exits[s.counters.counted_exit];
  return exit.is_counted && s.out.phis[s.counters.inductions[exit.induction].phi] != no_unrolled;
}

/// Whether a comparison is one of a sum with a number that could not be moved to the other side.
constexpr bool keeps_sum(const copy_state& s, unrolled_id comparison) {
  if (!is_comparison(s.out.values[comparison].info.code)) {
    return false;
  }
  const auto operands = s.out.operands_of(comparison);
  return operands[0].addend != 0 && s.out.values[operands[1].node].kind == body_kind::constant;
}

/// Whether a comparison tells a counter from a number that does not change, and the body as written has no such exit:
/// only what a decision has left of its condition is one.
constexpr bool becomes_counted(const copy_state& s, unrolled_id comparison) {
  const operation code = s.out.values[comparison].info.code;
  if (s.request.as_written || s.request.is_straight_line || s.counted_edge != copy_state::no_edge ||
      (code != operation::equal && code != operation::not_equal)) {
    return false;
  }
  for (const unrolled_exit& e : s.out.exits) {
    if (e.bounds_top) {
      return false;
    }
  }
  const auto operands = s.out.operands_of(comparison);
  for (const induction_variable& iv : s.counters.inductions) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (s.out.phis[iv.phi] == operands[i].node && s.out.values[operands[1 - i].node].is_invariant) {
        return true;
      }
    }
  }
  return false;
}

/// Appends the exit by `edge`, which is taken if `bit` holds.
constexpr void append_exit(copy_state& s, const path_predicates& predicates, std::uint32_t edge,
                           const known_value& bit) {
  const unrolled_operand predicate = s.numbering.operand(bit);
  const std::uint32_t source = s.body.edges[edge].source;
  const bool is_recomputed = s.request.continues_rolled && edge == s.counted_edge;
  const body_exit_use* use = s.body.exit_uses.begin();
  for (const body_id v : s.body.live_out) {
    bool is_read = use == s.body.exit_uses.end() || use->value != v; // anywhere after the loop
    for (; use != s.body.exit_uses.end() && use->value == v; ++use) {
      is_read = is_read || use->edge == edge;
    }
    const bool is_computed =
        is_read && !is_recomputed &&
        (v < s.body.num_phis || s.is_outside(v) || predicates.dominates(s.body.values[v].block, source));
    s.out.exit_values.push_back(is_computed ? s.operand_of(s.values[v]) : unrolled_operand{});
  }
  const bool is_counted = edge == s.counted_edge;
  const operation code = s.out.values[predicate.node].info.code;
  const bool is_equality = code == operation::equal || code == operation::not_equal;
  s.out.exits.push_back({s.copy(), edge, predicate.node, predicate.addend != 0, is_counted,
                         (is_counted && (is_equality || !(s.request.as_written || keeps_sum(s, predicate.node)))) ||
                             becomes_counted(s, predicate.node),
                         static_cast<std::uint32_t>(s.out.values.size())});
}

/// Sets the predicates of the edges that stay in the loop. Each but the last edge is a decision; the last one, which is
/// the edge for all other cases if there is one, gets the rest.
constexpr void divide_paths(copy_state& s, path_predicates& predicates, const body_block& block, predicate_id here,
                            const flat_array<known_value>& bits) {
  const auto stays = [&](std::uint32_t e) {
    return s.body.edges[e].target != body_edge::leaves && !bits[e - block.first_edge].is_literal(0);
  };
  std::uint32_t last = block.last_edge;
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (stays(e) && (last == block.last_edge || !bits[last - block.first_edge].is_none())) {
      last = e;
    }
  }
  predicate_id rest = here;
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (!stays(e)) {
      predicates.set_edge(e, never);
    } else if (e != last) {
      const predicate_id taken = predicates.decide(rest, here, bits[e - block.first_edge]);
      predicates.set_edge(e, taken);
      rest = taken ^ 1;
      ++s.out.inner_branches;
      if (s.first_branch == no_unrolled && s.body.edges[e].target != s.body.edges[last].target) {
        s.first_branch = static_cast<unrolled_id>(s.out.values.size());
      }
    }
  }
  if (last != block.last_edge) {
    predicates.set_edge(last, rest);
  }
}

/// The other edge of a block with two edges, else `body_edge::leaves`.
constexpr std::uint32_t other_edge(const body_block& block, std::uint32_t e) {
  return block.last_edge - block.first_edge == 2 ? block.first_edge + block.last_edge - 1 - e : body_edge::leaves;
}

/// The edge by which a block of the last copy of a loop that is unrolled completely does not go on: that of the only
/// exit, of one that is taken by then, or the one beside a backedge. Else `body_edge::leaves`.
constexpr std::uint32_t last_edge(const copy_state& s, const body_block& block) {
  if (!s.request.ends_loop || !s.is_last_copy()) {
    return body_edge::leaves;
  }
  for (const loop_exit& x : s.counters.exits) {
    const bool is_bounded = x.count.kind == trip_count_kind::exact || x.count.kind == trip_count_kind::at_most;
    const bool ends = is_bounded && x.is_always_tested && x.count.backedges < s.request.copies;
    if (has_edge(block, x.edge) && (ends || s.counters.exits.size() == 1)) {
      return x.edge;
    }
  }
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    if (s.body.edges[e].target == s.body.bottom()) {
      return other_edge(block, e);
    }
  }
  return body_edge::leaves;
}

/// The end of a block: decides its branch as far as possible, sets the predicates of its edges and appends the exits
/// that are left. A straight line ends where control surely leaves, without an exit.
constexpr void leave_block(copy_state& s, path_predicates& predicates, std::uint32_t b, flat_array<known_value>& bits) {
  const body_block& block = s.body.blocks[b];
  const predicate_id here = predicates.of_block(b);
  if (block.first_edge == block.last_edge) {
    return;
  }
  MIDEND_ASSERT(block.condition != no_body_value || block.last_edge - block.first_edge == 1,
                "a condition that decides among edges", b);
  evaluate_tests(s, block, bits);
  const std::uint32_t last = last_edge(s, block);
  const std::uint32_t taken = last != body_edge::leaves ? last : only_edge(block, bits);
  if (taken != body_edge::leaves) {
    const bool leaves = s.body.edges[taken].target == body_edge::leaves;
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      predicates.set_edge(e, e == taken && !leaves ? here : never);
    }
    if (leaves && s.request.is_straight_line && here == always) {
      s.end_edge = taken;
    } else if (leaves) {
      append_exit(s, predicates, taken, predicates.bit_of(here, s.numbering));
    }
    return;
  }
  for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
    const known_value& bit = bits[e - block.first_edge];
    if (s.body.edges[e].target == body_edge::leaves && !bit.is_literal(0)) {
      const known_value reached = predicates.bit_of(here, s.numbering);
      const known_value own = is_compared_with_limit(s, e) ? compare_with_limit(s)
                              : bit.is_none()              ? none_of_the_cases(s, block, bits)
                                                           : bit;
      append_exit(s, predicates, e, fold_conjunction(s.numbering, reached, own));
      if (here == always && block.last_edge - block.first_edge == 2 && !s.request.as_written) {
        s.numbering.decide(own, false);
      }
    }
  }
  divide_paths(s, predicates, block, here, bits);
}

/// Notes that `v`, a value of the body, is `bit` wherever the copies run, and what that says about values from outside.
constexpr void decide_before(copy_state& s, body_id v, bool bit) {
  const body_value& value = s.body.values[v];
  const operation code = value.info.code;
  if (s.is_outside(v)) {
    s.numbering.decide(s.values[v], bit);
  } else if (value.kind == body_kind::pure && value.info.width == 1 &&
             (code == operation::bit_not || code == (bit ? operation::bit_and : operation::bit_or))) {
    for (const body_id o : s.body.operands_of(v)) {
      decide_before(s, o, bit != (code == operation::bit_not));
    }
  } else if (value.kind == body_kind::pure && code != operation::other) {
    for (const body_id o : s.body.operands_of(v)) {
      if (!s.is_outside(o)) {
        return;
      }
    }
    s.numbering.set_origin(v);
    s.numbering.decide(fold(s.numbering, value, s.args_of(v)), bit);
  }
}

/// After the first iteration, the loop has not been left in it: bits from outside by which it would have been are
/// known.
constexpr void note_earlier_decisions(copy_state& s, const path_predicates& predicates) {
  if (s.request.as_written || !s.request.knows_position || s.request.first_iteration == 0) {
    return;
  }
  for (std::uint32_t b = 0; b != s.body.blocks.size(); ++b) {
    const body_block& block = s.body.blocks[b];
    if (block.last_edge - block.first_edge != 2 || s.body.values[block.condition].info.width != 1 ||
        !predicates.dominates(b, s.body.bottom())) {
      continue;
    }
    const body_edge& first = s.body.edges[block.first_edge];
    const body_edge& second = s.body.edges[block.first_edge + 1];
    const bool first_leaves = first.target == body_edge::leaves;
    if (first_leaves == (second.target == body_edge::leaves)) {
      continue;
    }
    const body_edge& stays = first_leaves ? second : first;
    const body_edge& leaves = first_leaves ? first : second;
    decide_before(s, block.condition, stays.has_case ? stays.case_value != 0 : leaves.case_value == 0);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
