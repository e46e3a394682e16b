/// `unroll_body`: evaluates several copies of a loop body together, and gives what is left of them.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/copies/detail/as_written.hpp"
#include "midend/unrolling/copies/detail/copy_control.hpp"
#include "midend/unrolling/copies/detail/copy_memory.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/copy_state.hpp"
#include "midend/unrolling/copies/detail/folding.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class Folder> struct copies_evaluator;

/// By header phi what the evaluation of a new loop assumes about it, until the copies disagree.
struct phi_assumption {
  body_id same = no_body_value; ///< an earlier header phi that it always is; itself: its initial value; or nothing
  value_facts facts;            ///< what holds for it
  bool is_shown = false;        ///< the first copy shows it already
};

} // namespace detail

/// Memory of `unroll_body`, to unroll one body after the other.
class unroll_body_workspace {
  template <class Folder> friend struct detail::copies_evaluator;

  detail::copy_numbering numbering_;
  detail::path_predicates predicates_;
  detail::known_memory memory_;
  flat_array<detail::known_value> values_;
  flat_array<detail::known_value> next_values_;
  flat_array<detail::known_value> args_;
  flat_array<detail::known_value> bits_;
  flat_array<std::uint32_t> folded_tests_;
  flat_array<std::uint64_t> numbers_;
  flat_array<bool> is_invariant_;
  flat_array<bool> is_added_to_;
  flat_array<bool> leads_out_;
  flat_array<bool> is_needed_;
  flat_array<bool> is_bound_;
  flat_array<detail::phi_assumption> phis_;
  flat_array<unrolled_access> reads_;
};

namespace detail {

// Before the first copy.

constexpr const induction_variable* induction_of(const copy_state& s, body_id phi) {
  const std::uint32_t i = phi < s.counters.induction_of.size() ? s.counters.induction_of[phi] : no_body_value;
  return i == no_body_value ? nullptr : &s.counters.inductions[i];
}

/// The value that a header phi has after the iterations before copy 0, if it takes up one that is the same in each
/// iteration within as many; else `no_body_value`. A phi may take up another phi first.
constexpr body_id taken_up(const copy_state& s, body_id phi, const flat_array<bool>& is_invariant) {
  std::uint64_t left = s.request.knows_position ? s.request.first_iteration : 0;
  body_id v = phi;
  for (body_id i = 0; v < s.body.num_phis && left != 0 && i != s.body.num_phis; ++i, --left) {
    v = s.body.next(v);
  }
  return v < s.body.num_phis || !is_invariant[v] ? no_body_value : v;
}

/// Whether the header phi is something else than a value from the iteration before copy 0.
constexpr bool is_known_phi(const copy_state& s, body_id phi, const flat_array<bool>& is_invariant) {
  if (s.request.is_straight_line && s.request.begins_at_entry) {
    return true;
  }
  if (!s.request.knows_position) {
    return false;
  }
  const induction_variable* const iv = induction_of(s, phi);
  return (s.request.is_straight_line && iv != nullptr && iv->has_start) ||
         taken_up(s, phi, is_invariant) != no_body_value;
}

/// The first header phi that is always the same as this one, which may be this one: after the first iteration, phis
/// with one next value are.
constexpr body_id earlier_twin(const copy_state& s, body_id phi) {
  body_id first = phi;
  if (s.request.knows_position && s.request.first_iteration != 0) {
    first = 0;
    while (s.body.next(first) != s.body.next(phi)) {
      ++first;
    }
  }
  return first;
}

constexpr known_value value_of_known_phi(const copy_state& s, body_id phi, const flat_array<bool>& is_invariant) {
  if (const body_id v = taken_up(s, phi, is_invariant); v != no_body_value) {
    return s.values[v];
  }
  if (const induction_variable* const iv = induction_of(s, phi); iv != nullptr && iv->has_start) {
    return literal(iv->start + s.request.first_iteration * iv->step, iv->width);
  }
  return s.values[s.body.initial(phi)];
}

/// Marks the values that the tests of exits compare.
constexpr void mark_bounds(const loop_body& body, flat_array<bool>& is_bound) {
  is_bound.assign(body.num_values(), false);
  for (const body_edge& e : body.edges) {
    if (e.target == body_edge::leaves && body.blocks[e.source].condition != no_body_value) {
      is_bound[body.blocks[e.source].condition] = true;
    }
  }
  for (auto v = static_cast<body_id>(body.num_values()); v-- != 0;) {
    if (is_bound[v] && body.values[v].kind == body_kind::pure && body.values[v].info.width == 1) {
      for (const body_id o : body.operands_of(v)) {
        is_bound[o] = true;
      }
    }
  }
}

/// What is known about a value from outside. Of what exits compare, the range is left out: their tests stay in the
/// code, since the clean-up compares each with a bound of its own.
constexpr value_facts facts_of_invariant(const body_value& v, bool is_bound) {
  const unsigned width = v.info.width;
  const signed_congruence::element stride{v.known.modulus, v.known.residue};
  value_facts f = value_facts::none(width);
  if (is_bound || v.known.modulus == 0) {
    return v.known.modulus == 0 ? f : value_facts::reduced(f.range, signed_congruence(width).wrapped(stride));
  }
  signed_interval().meet(f.range, {v.known.low, v.known.high});
  return value_facts::reduced(f.range, f.range.low >= 0 ? stride : signed_congruence(width).wrapped(stride));
}

/// Gives the header phis and the values from outside the loop their nodes or numbers; the nodes of phis come first.
/// `evaluate(v)` evaluates the operation `v`.
template <class Evaluate>
constexpr void bind_start(copy_state& s, const flat_array<phi_assumption>& phis, const flat_array<bool>& is_bound,
                          const flat_array<bool>& is_invariant, const Evaluate& evaluate) {
  s.out.phis.assign(s.body.num_phis, no_unrolled);
  body_id end = 0; // of the values that phis have taken up
  for (body_id phi = 0; phi != s.body.num_phis; ++phi) {
    const body_id v = taken_up(s, phi, is_invariant);
    end = v != no_body_value && v >= end ? v + 1 : end;
    if (!is_known_phi(s, phi, is_invariant) && earlier_twin(s, phi) == phi && phis[phi].same == no_body_value) {
      s.values[phi] = s.numbering.append(phi, s.body.values[phi], body_kind::phi);
      s.out.phis[phi] = s.values[phi].node;
      s.numbering.facts(s.out.phis[phi]) = phis[phi].facts;
    }
  }
  for (body_id v = s.body.num_phis; v != s.body.num_values() && s.is_outside(v); ++v) {
    const body_value& value = s.body.values[v];
    if (value.kind == body_kind::constant) {
      s.values[v] = literal(value.bits, value.info.width);
    } else {
      s.values[v] = s.numbering.append(v, value, body_kind::invariant);
      s.out.values.back().is_invariant = true;
      s.numbering.facts(s.values[v].node) = facts_of_invariant(value, is_bound[v]);
    }
  }
  for (body_id v = s.body.num_phis; v < end; ++v) {
    if (is_invariant[v] && !s.is_outside(v)) {
      s.values[v] = evaluate(v);
    }
  }
  for (body_id phi = 0; phi != s.body.num_phis; ++phi) {
    if (const body_id same = phis[phi].same; same != no_body_value) {
      s.values[phi] = same == phi ? s.values[s.body.initial(phi)] : s.values[same];
    } else if (s.out.phis[phi] == no_unrolled) {
      s.values[phi] = is_known_phi(s, phi, is_invariant) ? value_of_known_phi(s, phi, is_invariant)
                                                         : s.values[earlier_twin(s, phi)];
    }
  }
}

/// Whether an operation computes the same whenever its operands are the same.
constexpr bool repeats_itself(operation code, std::uint32_t identity) {
  return code != operation::other || identity != 0;
}

/// Marks the values that are computed only from values from outside: they are the same in all copies.
constexpr void mark_invariants(const loop_body& body, flat_array<bool>& is_invariant) {
  is_invariant.assign(body.num_values(), false);
  for (body_id v = body.num_phis; v != body.num_values(); ++v) {
    const body_value& value = body.values[v];
    bool invariant = value.kind == body_kind::constant || value.kind == body_kind::invariant ||
                     (value.kind == body_kind::pure && repeats_itself(value.info.code, value.identity));
    for (const body_id o : body.operands_of(v)) {
      invariant = invariant && o < v && is_invariant[o];
    }
    is_invariant[v] = invariant;
  }
}

// One copy.

/// Sets the facts of the induction variables at the top of the new body, given that this copy runs.
constexpr void note_inductions(copy_state& s, const top_iterations& top) {
  for (const induction_variable& iv : s.counters.inductions) {
    const unrolled_id n = s.out.phis[iv.phi];
    if (n != no_unrolled && (s.copy() == 0 || top.last(s.copy()))) {
      s.numbering.facts(n) = facts_of_induction(iv, top, s.copy());
    }
  }
}

/// The value of an operation that is `other`: what `folder` knows if all operands are numbers, else a node.
template <class Folder>
constexpr known_value evaluate_other(copy_state& s, body_id v, const Folder& folder,
                                     flat_array<std::uint64_t>& numbers) {
  const body_value& value = s.body.values[v];
  const span<const known_value> args = s.args_of(v);
  numbers.clear();
  for (const known_value& x : args) {
    if (x.is_literal()) {
      numbers.push_back(x.addend);
    }
  }
  if (numbers.size() == args.size()) {
    if (const auto bits = folder(v, span<const std::uint64_t>(numbers))) {
      return literal(*bits, value.info.width);
    }
  }
  return s.numbering.compute(kind_of(value), args);
}

/// The value of an operation of the vocabulary.
constexpr known_value evaluate_operation(copy_state& s, body_id v) {
  const body_value& value = s.body.values[v];
  const span<const known_value> args = s.args_of(v).first(arity(value.info.code));
  if (value.info.code == operation::select && args[0].is_literal()) {
    s.note_test(s.body.operands_of(v)[0], args[0]);
  }
  return fold(s.numbering, value, args);
}

constexpr known_value evaluate_join(copy_state& s, path_predicates& predicates, body_id v) {
  expression_kind kind;
  kind.info.code = operation::select;
  kind.info.width = s.body.values[v].info.width;
  kind.cost = operation_class::merge;
  // Phis of several nodes are not one value, even if branches choose the same input.
  kind.identity = s.copy() * static_cast<std::uint32_t>(s.body.blocks.size()) + s.body.values[v].block + 1;
  const std::size_t before = s.out.values.size();
  const known_value out = predicates.join(v, kind, s.values, s.numbering);
  for (std::size_t n = before; n != s.out.values.size(); ++n) {
    s.out.values[n].is_join = s.out.values[n].info.code == operation::select;
  }
  return out;
}

/// Records that an invariant value of an earlier copy is used again.
constexpr void note_repetition(copy_state& s, body_id v) {
  const known_value& x = s.values[v];
  if (!x.is_literal() && !s.body.values[v].is_free && s.out.values[x.node].kind == body_kind::pure &&
      s.out.values[x.node].copy != s.copy()) {
    s.numbering.save(saving_kind::shared_expression, s.out.values[x.node].copy);
  }
}

/// Records a number, or a sum of a node and a number, that an operation has become.
constexpr void note_result(copy_state& s, body_id v) {
  const known_value& x = s.values[v];
  const body_value& value = s.body.values[v];
  const bool is_sum = value.info.code == operation::add || value.info.code == operation::sub;
  if (x.is_literal() && !value.is_free) {
    s.numbering.save(saving_kind::folded, x.addend);
  } else if (!x.is_literal() && x.addend != 0 && is_sum) {
    s.out.sums.push_back({s.copy(), v, {x.node, x.addend}});
  }
}

// After the last copy.

/// Where the loads end that surely run in the first iteration, and first of all, so that they can move before the loop
/// if they always read the same; 0 if the body writes or calls. Nothing after a branch moves across it.
constexpr unrolled_id end_of_early_loads(const unrolled_body& out, unrolled_id first_branch) {
  for (const unrolled_node& node : out.values) {
    if (node.kind == body_kind::store || node.kind == body_kind::call || node.is_volatile) {
      return 0;
    }
  }
  const unrolled_id end = out.exits.empty() ? static_cast<unrolled_id>(out.values.size()) : out.exits[0].position;
  return end < first_branch ? end : first_branch;
}

/// Marks the nodes that are computed only from invariant nodes, and early loads of invariant addresses.
constexpr void spread_invariance(unrolled_body& out, unrolled_id end_of_loads) {
  const auto moves = [&](unrolled_id n) {
    return n == no_unrolled || (out.values[n].is_invariant && !out.values[n].follows_join);
  };
  for (unrolled_id n = 0; n != out.values.size(); ++n) {
    unrolled_node& node = out.values[n];
    if (node.kind == body_kind::pure && repeats_itself(node.info.code, node.identity)) {
      node.is_invariant = true;
      node.follows_join = node.is_join;
      for (const unrolled_operand& o : out.operands_of(n)) {
        node.is_invariant = node.is_invariant && out.values[o.node].is_invariant;
        node.follows_join = node.follows_join || out.values[o.node].follows_join;
      }
    } else if (node.kind == body_kind::load && n < end_of_loads && node.guard == no_unrolled) {
      const unrolled_access& a = out.accesses[node.access];
      node.is_invariant = a.base != no_unrolled && moves(a.base) && moves(a.index);
    }
  }
}

/// Marks what a straight line computes only from values from before the loop around, so that it is computed there.
constexpr void mark_before_nest(const loop_body& body, unrolled_body& out) {
  for (unrolled_id n = 0; n != out.values.size(); ++n) {
    unrolled_node& node = out.values[n];
    if (node.kind == body_kind::constant) {
      node.is_before_nest = true;
    } else if (node.kind == body_kind::invariant) {
      node.is_before_nest = body.values[node.origin].is_from_before_nest;
    } else if (node.kind == body_kind::pure && !node.is_join && repeats_itself(node.info.code, node.identity)) {
      node.is_before_nest = true;
      for (const unrolled_operand& o : out.operands_of(n)) {
        node.is_before_nest = node.is_before_nest && out.values[o.node].is_before_nest;
      }
    }
  }
}

/// Marks the values that those used after the loop are computed from, in the same iteration or an earlier one. `work`
/// is memory.
constexpr void mark_leading_out(const loop_body& body, flat_array<bool>& out, flat_array<std::uint32_t>& work) {
  out.assign(body.num_values(), false);
  work.clear();
  const auto mark = [&](body_id v) {
    if (v != no_body_value && !out[v]) {
      out[v] = true;
      work.push_back(v);
    }
  };
  for (const body_id v : body.live_out) {
    mark(v);
  }
  bool marks_conditions = false; // those of all blocks, for a join: marking them once is enough
  while (!work.empty()) {
    const body_id v = work.back();
    work.pop_back();
    const body_value& value = body.values[v];
    for (const body_id o : body.operands_of(v)) {
      mark(o);
    }
    mark(value.guard);
    if (value.kind == body_kind::load || value.kind == body_kind::store) {
      mark(body.accesses[value.access].base);
      mark(body.accesses[value.access].index);
    }
    if (value.kind == body_kind::join && !marks_conditions) {
      marks_conditions = true;
      for (const body_block& block : body.blocks) {
        mark(block.condition);
      }
    }
  }
}

/// Whether the new loop begins with the value that the header phi is next, one from before the loop.
constexpr bool is_next_initial(const copy_state& s, body_id phi) {
  const known_value& next = s.values[s.body.next(phi)];
  const known_value& initial = s.values[s.body.initial(phi)];
  return s.out.phis[phi] != no_unrolled && !s.out.is_straight_line && s.request.knows_position &&
         s.request.first_iteration == 0 && s.is_outside(s.body.initial(phi)) && !next.is_none() &&
         next.is_same(initial);
}

/// Removes the last exits of a straight line that decide nothing: they leave by the edge by which it ends, with the
/// same values, and nothing after them has an effect.
constexpr void remove_idle_exits(copy_state& s) {
  const std::size_t count = s.body.live_out.size();
  if (s.end_edge == copy_state::no_edge || s.request.as_written || s.out.live_out.size() != count) {
    return;
  }
  auto end = static_cast<unrolled_id>(s.out.values.size());
  while (!s.out.exits.empty()) {
    const unrolled_exit& last = s.out.exits.back();
    const std::size_t first = (s.out.exits.size() - 1) * count;
    bool is_idle = last.edge == s.end_edge;
    for (std::size_t i = 0; i != count; ++i) {
      is_idle = is_idle && s.out.exit_values[first + i] == s.out.live_out[i];
    }
    for (unrolled_id n = last.position; n < end; ++n) {
      const unrolled_node& node = s.out.values[n];
      is_idle = is_idle && node.kind != body_kind::store && node.kind != body_kind::call && !node.is_volatile;
    }
    if (!is_idle) {
      return;
    }
    end = last.position;
    s.out.exit_values.shrink(first);
    s.out.exits.pop_back();
  }
}

/// Sets what is used after the loop, unless the rolled loop computes it again, and what the header phis are next. If
/// control has surely left, no iteration follows: a straight line computes no next value for it, and in a loop it does
/// not matter which. A phi that is its own next value is invariant.
constexpr void bind_end(copy_state& s, bool has_left, const flat_array<bool>& leads_out) {
  const body_exit_use* use = s.body.exit_uses.begin();
  for (const body_id v : s.body.live_out) {
    const body_exit_use* const first = use;
    bool is_read_at_end = s.end_edge == copy_state::no_edge; // for all that is known
    for (; use != s.body.exit_uses.end() && use->value == v; ++use) {
      is_read_at_end = is_read_at_end || use->edge == s.end_edge;
    }
    const bool is_read_at_exits = !s.out.exits.empty() || use != first;
    const bool is_read = s.request.is_straight_line ? is_read_at_end || use == first : !is_read_at_exits;
    if (!s.request.continues_rolled && is_read) {
      s.out.live_out.push_back(s.operand_of(s.values[v]));
    } else if (s.request.is_straight_line) {
      s.out.live_out.push_back(unrolled_operand{}); // at its place, as at the exits
    }
  }
  remove_idle_exits(s);
  bool has_fixed = false;
  for (body_id phi = 0; phi != s.body.num_phis; ++phi) {
    if (s.request.continues_rolled && leads_out[phi]) {
      s.out.live_out.push_back(s.operand_of(s.values[s.body.next(phi)]));
    }
    const bool is_read = !(has_left && s.out.is_straight_line);
    s.out.next.push_back(is_read ? s.operand_of(s.values[has_left ? phi : s.body.next(phi)]) : unrolled_operand());
    const unrolled_id n = s.out.phis[phi];
    if (is_next_initial(s, phi)) {
      s.out.next.back() = {n, 0};
    }
    if (n != no_unrolled && !s.out.is_straight_line && s.out.next.back() == unrolled_operand{n, 0}) {
      s.out.values[n].is_invariant = true;
      has_fixed = true;
    }
  }
  const bool is_loop = !s.out.is_straight_line && !s.request.as_written && s.request.copies > 1;
  const unrolled_id end_of_loads = is_loop ? end_of_early_loads(s.out, s.first_branch) : 0;
  if (has_fixed || end_of_loads != 0) {
    spread_invariance(s.out, end_of_loads);
  }
}

// From evaluation to evaluation.

/// Whether what is computed is a loop of several copies, and the values are known with which its header phis begin.
constexpr bool assumes_start(const unroll_request& r) {
  return r.copies > 1 && !r.is_straight_line && r.knows_position && r.first_iteration == 0;
}

/// The first header phi before `phi`, and not far from it, that is no counter, begins with the same value, and for
/// which `agrees(other)` holds, or `no_body_value`.
template <class Agrees>
constexpr body_id find_like(const copy_state& s, const flat_array<phi_assumption>& phis, body_id phi,
                            const Agrees& agrees) {
  for (body_id other = phi < 16 ? 0 : phi - 16; other != phi; ++other) {
    if (phis[other].same == no_body_value && s.body.initial(phi) == s.body.initial(other) &&
        induction_of(s, other) == nullptr && agrees(other)) {
      return other;
    }
  }
  return no_body_value;
}

/// Assumes that each header phi of a new loop, but no counter, stays as it begins, and is like others that begin alike:
/// `take_back` corrects that.
constexpr void assume_start(const copy_state& s, flat_array<phi_assumption>& phis) {
  phis.assign(s.body.num_phis, {});
  for (body_id phi = 0; phi != s.body.num_phis; ++phi) {
    const body_value& initial = s.body.values[s.body.initial(phi)];
    const unsigned width = s.body.values[phi].info.width;
    const bool is_number = initial.kind == body_kind::constant;
    phis[phi].facts = value_facts::none(width == 0 ? 64 : width);
    if (assumes_start(s.request) && width != 0 && induction_of(s, phi) == nullptr) {
      phis[phi].facts = is_number ? value_facts::number(as_signed(initial.bits, width))
                                  : facts_of_invariant(initial, initial.kind != body_kind::invariant);
      phis[phi].same = is_number ? phi : find_like(s, phis, phi, [](body_id) { return true; });
    }
  }
}

/// The facts of both, as low bits that are known and, of a number that was assumed and a value that is not negative,
/// high bits that are 0: so a range fails once, and does not grow from round to round.
constexpr value_facts joined_bits(value_facts a, const value_facts& b, unsigned width) {
  const signed_congruence strides(width);
  const bool was_number = a.range.low == a.range.high;
  signed_interval().join(a.range, b.range);
  strides.join(a.stride, b.stride);
  a.range = a.range.low < 0 || !was_number
                ? signed_interval::full(width)
                : signed_interval::element{0, static_cast<std::int64_t>(low_ones(static_cast<unsigned>(
                                                  std::bit_width(static_cast<std::uint64_t>(a.range.high)))))};
  return value_facts::reduced(a.range, strides.wrapped(a.stride));
}

/// What the header phi is next, as far as is known after the copies until now.
constexpr known_value next_of(const copy_state& s, body_id phi) {
  return s.numbering.resolved(s.values[s.body.next(phi)]);
}

/// Whether the header phi is next what is assumed about it.
constexpr bool is_as_assumed(const copy_state& s, body_id phi, const phi_assumption& assumed) {
  const known_value next = next_of(s, phi);
  if (next.is_none() || assumed.same != no_body_value) {
    return next.is_none() ||
           next.is_same(assumed.same == phi ? s.values[s.body.initial(phi)] : next_of(s, assumed.same));
  }
  const value_facts f = facts_of_sum(s.numbering, next);
  return signed_interval().leq(f.range, assumed.facts.range) &&
         signed_congruence(next.width).leq(f.stride, assumed.facts.stride);
}

/// Takes back what is assumed about header phis and the copies have not shown, for the next weaker assumption, or all
/// of it. Whether there was something. What one copy shows already the loop as it was has shown to the clean-up before,
/// as far as the clean-up sees it: that, too, but for phis that are alike.
constexpr bool take_back(const copy_state& s, bool all, flat_array<phi_assumption>& phis) {
  bool found = false;
  for (body_id phi = 0; phi != s.body.num_phis; ++phi) {
    phi_assumption& a = phis[phi];
    const unsigned width = s.body.values[phi].info.width;
    const value_facts none = value_facts::none(width == 0 ? 64 : width);
    const bool knows = a.same != no_body_value || a.facts.range != none.range || a.facts.stride != none.stride;
    const bool may_stay = !all && (a.same < phi || !a.is_shown);
    if (knows && !(may_stay && is_as_assumed(s, phi, a))) {
      const known_value next = next_of(s, phi);
      const auto goes_on_alike = [&](body_id other) { return next_of(s, other).is_same(next); };
      a.same = all ? no_body_value : find_like(s, phis, phi, goes_on_alike);
      a.facts = may_stay && !next.is_none() ? joined_bits(a.facts, facts_of_sum(s.numbering, next), width) : none;
      found = true;
    }
  }
  return found;
}

/// Marks the nodes that effects, exits and values used after the body are computed from. `work` is memory. Whether some
/// loads are not marked, and not `unused` of them, which is set: they read no memory, so that stores before them may be
/// dead.
constexpr bool find_unused_loads(const unrolled_body& out, flat_array<bool>& is_needed, flat_array<std::uint32_t>& work,
                                 std::size_t& unused) {
  std::size_t found = 0;
  is_needed.assign(out.values.size(), false);
  work.clear();
  const auto mark = [&](unrolled_id n) {
    if (n != no_unrolled && !is_needed[n]) {
      is_needed[n] = true;
      work.push_back(n);
    }
  };
  for (const auto* operands : {&out.exit_values, &out.live_out, out.is_straight_line ? &out.next : &out.live_out}) {
    for (const unrolled_operand& o : *operands) {
      mark(o.node);
    }
  }
  for (const unrolled_exit& e : out.exits) {
    mark(e.predicate);
  }
  for (unrolled_id n = 0; n != out.values.size(); ++n) {
    const unrolled_node& node = out.values[n];
    if (node.kind == body_kind::store || node.kind == body_kind::call || node.is_volatile) {
      mark(n);
    }
  }
  while (!work.empty()) {
    const unrolled_id n = work.back();
    const unrolled_node& node = out.values[n];
    work.pop_back();
    for (const unrolled_operand& o : out.operands_of(n)) {
      mark(o.node);
    }
    mark(node.guard);
    if (node.kind == body_kind::load || node.kind == body_kind::store) {
      mark(out.accesses[node.access].base);
      mark(out.accesses[node.access].index);
      mark(out.accesses[node.access].stored.node);
    } else if (node.kind == body_kind::phi && !out.is_straight_line) {
      mark(out.next[node.origin].node);
    }
  }
  for (unrolled_id n = 0; n != out.values.size(); ++n) {
    found += out.values[n].kind == body_kind::load && !is_needed[n] ? 1U : 0U;
  }
  swap_values(found, unused);
  return found != unused;
}

/// The algorithm of `unroll_body`: rounds of evaluation, until one has found nothing that it could have used.
template <class Folder> struct copies_evaluator {
  const loop_body& body_;
  const loop_counters& counters_;
  const unroll_request& request_;
  const Folder& folder_;
  unroll_body_workspace& w_;
  unrolled_body& out_;
  unsigned rounds_left_ = 3;   ///< after rounds that found loads to be unused
  unsigned retreats_left_ = 4; ///< before all assumptions are taken back
  std::size_t unused_ = 0;     ///< loads that the round before has found unused

  constexpr void run() {
    w_.is_needed_.clear();
    w_.phis_.clear();
    w_.predicates_.begin(body_);
    mark_invariants(body_, w_.is_invariant_);
    mark_bounds(body_, w_.is_bound_);
    if (request_.as_written) {
      mark_added_to(body_, w_.is_added_to_);
    }
    while (is_another_needed_after_round()) {
    }
  }

  /// One evaluation of the copies. Whether another one has to follow, or would know more.
  constexpr bool is_another_needed_after_round() {
    out_.clear();
    out_.copies = request_.copies;
    out_.is_straight_line = request_.is_straight_line;
    w_.values_.assign(body_.num_values(), known_value{});
    w_.numbering_.begin(out_);
    w_.memory_.begin();
    w_.folded_tests_.assign(body_.num_values(), 0);
    copy_state s{body_,      counters_, request_,         out_,         w_.numbering_,
                 w_.values_, w_.args_,  w_.folded_tests_, w_.is_needed_};
    begin(s);
    const top_iterations top(counters_, request_);
    bool has_left = false; // control surely does not reach the next copy
    for (std::uint32_t copy = 0; copy != request_.copies && !has_left; ++copy) {
      begin_copy(s, copy, top);
      for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
        evaluate_block(s, b);
      }
      has_left = w_.predicates_.of_block(body_.bottom()) == never;
      note_shown(s);
    }
    end(s, has_left);
    return takes_back(s, has_left) || (!request_.as_written && body_.accesses.size() > 1 && rounds_left_-- != 0 &&
                                       find_unused_loads(out_, w_.is_needed_, w_.folded_tests_, unused_));
  }

  constexpr void begin(copy_state& s) {
    if (w_.phis_.empty()) {
      assume_start(s, w_.phis_);
    }
    bind_start(s, w_.phis_, w_.is_bound_, w_.is_invariant_, [&](body_id v) { return value_of_pure(s, v); });
    note_earlier_decisions(s, w_.predicates_);
    if (request_.is_straight_line && request_.begins_at_entry && !request_.as_written) {
      note_before(s, w_.memory_);
    }
  }

  /// The header phis are what the copy before computed for them.
  constexpr void begin_copy(copy_state& s, std::uint32_t copy, const top_iterations& top) {
    if (copy != 0) {
      w_.next_values_.resize_for_overwrite(body_.num_phis);
      for (body_id phi = 0; phi != body_.num_phis; ++phi) {
        w_.next_values_[phi] = w_.values_[body_.next(phi)];
      }
      for (body_id phi = 0; phi != body_.num_phis; ++phi) {
        w_.values_[phi] = w_.next_values_[phi];
      }
    }
    w_.numbering_.begin_copy(copy);
    w_.predicates_.begin_copy();
    note_inductions(s, top);
  }

  constexpr void evaluate_block(copy_state& s, std::uint32_t b) {
    const body_block& block = body_.blocks[b];
    if (w_.predicates_.enter(b, w_.numbering_) == never) {
      for (body_id v = block.first_value; v != block.last_value; ++v) {
        w_.values_[v] = {};
      }
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        w_.predicates_.set_edge(e, never);
      }
      return;
    }
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      evaluate_value(s, v, b);
    }
    std::size_t exit = out_.exits.size();
    leave_block(s, w_.predicates_, b, w_.bits_);
    for (; exit != out_.exits.size(); ++exit) {
      if (!(out_.exits[exit].is_counted && request_.continues_rolled)) { // else the test is at the end of the pass
        w_.memory_.note_observer();
      }
    }
  }

  constexpr void evaluate_value(copy_state& s, body_id v, std::uint32_t b) {
    w_.numbering_.set_origin(v);
    const auto reached = [&] { return w_.predicates_.bit_of(w_.predicates_.of_block(b), w_.numbering_); };
    const body_kind kind = body_.values[v].kind;
    if (request_.as_written && (kind == body_kind::load || kind == body_kind::store)) {
      w_.memory_.forget();
    }
    switch (kind) {
    case body_kind::pure:
      evaluate_pure(s, v);
      break;
    case body_kind::join:
      w_.values_[v] = evaluate_join(s, w_.predicates_, v);
      break;
    case body_kind::load:
      w_.values_[v] = evaluate_load(s, w_.memory_, v, reached());
      break;
    case body_kind::store:
      evaluate_store(s, w_.memory_, v, reached());
      break;
    case body_kind::call:
      w_.values_[v] = evaluate_call(s, w_.memory_, v, reached());
      break;
    default:
      break; // phis and values from outside are not operations
    }
  }

  constexpr known_value value_of_pure(copy_state& s, body_id v) {
    w_.numbering_.set_origin(v);
    return body_.values[v].info.code == operation::other ? evaluate_other(s, v, folder_, w_.numbers_)
                                                         : evaluate_operation(s, v);
  }

  constexpr void evaluate_pure(copy_state& s, body_id v) {
    known_value& value = w_.values_[v];
    if (request_.as_written) {
      value = value_as_written(s, v, w_.is_added_to_[v]);
      return;
    }
    if (w_.is_invariant_[v] && !value.is_none()) {
      note_repetition(s, v);
    } else {
      value = value_of_pure(s, v);
    }
    note_result(s, v);
  }

  /// What one copy shows, no clean-up has found.
  constexpr void note_shown(const copy_state& s) {
    for (body_id phi = 0; phi != body_.num_phis && s.copy() == 0 && assumes_start(request_); ++phi) {
      w_.phis_[phi].is_shown = body_.values[phi].info.width != 0 && is_as_assumed(s, phi, w_.phis_[phi]);
    }
  }

  constexpr void end(copy_state& s, bool has_left) {
    if (request_.continues_rolled && !request_.is_straight_line && !has_left) {
      overwrite_in_next_pass(s, w_.memory_,
                             [&](std::uint32_t b) { return w_.predicates_.dominates(b, body_.bottom()); });
    }
    if (request_.continues_rolled) {
      mark_leading_out(body_, w_.leads_out_, w_.folded_tests_);
    }
    bind_end(s, has_left, w_.leads_out_);
    if (request_.is_straight_line && request_.ends_loop && !request_.as_written) {
      evaluate_after(s, w_.memory_, w_.reads_);
      mark_before_nest(body_, out_);
    }
  }

  /// Whether something was assumed that the copies do not show; it is assumed no longer.
  constexpr bool takes_back(const copy_state& s, bool has_left) {
    if (!assumes_start(request_) || !take_back(s, has_left || retreats_left_ == 0, w_.phis_)) {
      return false;
    }
    retreats_left_ -= retreats_left_ == 0 ? 0 : 1;
    w_.is_needed_.clear();
    unused_ = 0;
    return true;
  }
};

} // namespace detail

/// What is left of `request.copies` consecutive copies of the body, refilling `out`: each expression once,
/// operations on numbers folded, branches decided where that is possible, loads shared and stores forwarded.
///
/// Copy after copy, in topological order of the blocks, each value is expressed by the values at the top of copy 0.
/// That is value numbering (B. Alpern, M. Wegman, F. K. Zadeck, "Detecting equality of variables in programs", POPL
/// 1988, here with a hash table that grows along the way) with constant folding: `evaluate` for the vocabulary, and for
/// `operation::other` `folder(v, numbers)`, which returns the number that value v of the body is, or nothing. Further:
///
/// - Values are node + number. So what the copies add to a counter costs nothing until an operation needs the sum.
/// - Induction variables have ranges, from promises and in straight code from the trip count, and a residue modulo what
///   one iteration of the new loop adds to them, so that their quotients, remainders and comparisons are decided or
///   shared (P. Granger, "Static analysis of arithmetical congruences", International Journal of Computer Mathematics
///   30, 1989, for one variable). If an induction variable may wrap, only the residue modulo a power of 2 is known.
/// - Branches inside the body become predicates, and joins `select` (J. R. Allen, K. Kennedy, C.
///   Porterfield, J. Warren, "Conversion of control dependence to data dependence", POPL 1983). Blocks that
///   run whenever another one runs have its predicate. Operations without an effect have none: they run
///   speculatively.
/// - An exit is a branch on its predicate; what follows it is right if it is not taken. The copies end where control
///   surely leaves, and a straight line has no exit there.
/// - A header phi of a new loop that is no counter is assumed to stay as it begins, or like another one that begins
///   alike. What the copies disagree with is taken back in favour of its low bits and its size, and the copies are
///   evaluated again, until they agree: what is left is proved by induction over the passes (the optimistic way of the
///   paper above, and of M. N. Wegman, F. K. Zadeck, "Constant propagation with conditional branches", TOPLAS 1991).
///
/// What is known in a copy holds whenever that copy runs. A program that breaks a promise, or whose result depends on
/// an operation without a result (`evaluate`), has no meaning; such operations are neither folded nor executed where
/// the program did not.
///
/// Requires a body as described at `loop_body`, the counters that `count_iterations` gives for it, and at least one
/// copy; a straight line that begins at the entry begins with iteration 0. Nodes come after their operands, and some
/// have no users; savings are in the order of copies. Blocks that control does not reach are left out; parallel edges
/// count separately. Allocates nothing once workspace and result have seen bodies as large. At most 8 more rounds, 5
/// for assumptions and 3 for loads that prove to be unused. O(1) expected for each value of a copy and a round, plus
/// O(s) for a load after s stores and O(e²) for a join of e edges, at worst.
template <class Folder>
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           const Folder& folder, unroll_body_workspace& workspace, unrolled_body& out) {
  MIDEND_ASSERT(request.copies != 0, "at least one copy");
  MIDEND_ASSERT(!body.blocks.empty(), "a body with a header");
  MIDEND_ASSERT(!request.as_written || request.copies == 1, "one copy as it is written", request.copies);
  detail::copies_evaluator<Folder>{body, counters, request, folder, workspace, out}.run();
}

/// The same if nothing is known about operations that are `other`.
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           unroll_body_workspace& workspace, unrolled_body& out) {
  const auto nothing = [](body_id, span<const std::uint64_t>) { return std::optional<std::uint64_t>(); };
  unroll_body(body, counters, request, nothing, workspace, out);
}

/// What is left of several copies of a body. See above.
constexpr unrolled_body unroll_body(const loop_body& body, const loop_counters& counters,
                                    const unroll_request& request) {
  unroll_body_workspace workspace;
  unrolled_body out;
  unroll_body(body, counters, request, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
