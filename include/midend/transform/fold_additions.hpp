/// `fold_additions`: chains of additions of numbers become one addition each, and masks of masks one mask.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/addition_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An addition or subtraction of a number, a comparison or an `and` with one, that reads the start of a chain from now
/// on.
struct folded_addition {
  value_id value;
  std::uint32_t operand; ///< the one that is not the number
  value_id base;         ///< what it becomes
  std::uint64_t number;  ///< what the other operand becomes
  unsigned width;        ///< of the number
  bool keeps_promises;   ///< else they are dropped
};

/// What `fold_additions` will do. To veto a change, remove it.
struct addition_plan {
  std::uint64_t epoch = 0;
  flat_array<folded_addition> folded; ///< by value

  bool empty() const { return folded.empty(); }
};

/// What `fold_additions` requires of an editor.
template <class E>
concept addition_editor =
    effect_ir<E> && semantic_ir<E> && can_set_operands<E> && can_make_numbers<E> && can_drop_promises<E>;

namespace detail {

/// The error of what is no such editor: one sentence for each thing that is missing. Always false.
template <class E> constexpr bool explain_addition_editor() {
  static_assert(effect_ir<E> && semantic_ir<E>,
                "midend: to fold additions, an editor needs the semantics and effects of values");
  static_assert(can_set_operands<E>, "midend: to fold additions, an editor needs `void set_operand(midend::value_id "
                                     "user, std::size_t i, midend::value_id v)`");
  static_assert(can_make_numbers<E>, "midend: to fold additions, an editor needs `midend::value_id "
                                     "make_number(unsigned width, std::uint64_t bits)`");
  static_assert(can_drop_promises<E>,
                "midend: to fold additions, an editor needs `void drop_promises(midend::value_id v)`");
  return false;
}

} // namespace detail

/// What functions take: an `addition_editor`; otherwise an error.
template <class E>
concept addition_editor_argument = addition_editor<E> || detail::explain_addition_editor<E>();

namespace detail {

/// base + by modulo 2^width. Exact: no step of the chain wraps if each keeps its promise, and their sum fits.
struct chain_sum {
  value_id base = no_value;
  std::uint64_t by = 0;
  std::uint32_t links = 0; ///< additions in the chain
  bool exact_signed = true;
  bool exact_unsigned = true;
};

/// base & number.
struct chain_mask {
  value_id base = no_value;
  std::uint64_t number = 0;
};

template <class IR> class addition_planner {
public:
  addition_planner(const IR& ir, const addition_facts& facts, addition_plan& out) : ir_(ir), facts_(facts), out_(out) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    reach();
    sums_.assign(static_cast<std::size_t>(ir_.num_values()), {});
    state_.assign(sums_.size(), unseen);
    masks_.assign(sums_.size(), {});
    note_needs();
    for (const node_id n : order_) {
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v) && !is_terminator(ir_, v)) {
          plan(v);
        }
      });
    }
  }

private:
  enum : unsigned char { unseen, in_work, done };

  /// An operation of a value and a number.
  struct step {
    value_id of = no_value; ///< none: it is no such operation
    std::uint32_t operand = 0;
    std::uint64_t number = 0;
  };

  void reach() {
    const auto& g = ir_.graph();
    flat_array<unsigned char> reached(node_count(g), 0);
    if (!reached.empty()) {
      order_.push_back(static_cast<node_id>(g.entry()));
      reached[order_[0]] = 1;
    }
    for (std::size_t i = 0; i != order_.size(); ++i) {
      for_each_id(g.successors(order_[i]), [&](node_id s) {
        if (reached[s] == 0) {
          reached[s] = 1;
          order_.push_back(s);
        }
      });
    }
  }

  /// The operand that is no number, of an operation with one.
  step step_of(value_id v, bool number_is_last) const {
    step out;
    std::uint32_t i = 0;
    std::uint32_t numbers = 0;
    for_each_id(ir_.operands(v), [&](value_id x) {
      if (const auto number = ir_.constant(x); number && (i == 1 || !number_is_last)) {
        out.number = static_cast<std::uint64_t>(*number);
        ++numbers;
      } else {
        out.of = x;
        out.operand = i;
      }
      ++i;
    });
    return i == 2 && numbers == 1 && !ir_.constant(out.of) ? out : step(); // not a number minus a number
  }

  /// Of an addition or subtraction of a number.
  step addition(value_id v) const {
    if (ir_.is_phi(v) || is_terminator(ir_, v) || ir_.effect(v) != effect_kind::none) {
      return {};
    }
    const operation code = ir_.operation(v).code;
    return code == operation::add || code == operation::sub ? step_of(v, code == operation::sub) : step();
  }

  /// Sums that some operation needs in a register whatever is folded: an address is not computed in one. A phi does not
  /// count: where it is the next value of a counter the comparison loses nothing. Nor do operations after the innermost
  /// loop of the sum: what they read can be computed there.
  void note_needs() {
    is_needed_.assign(sums_.size(), 0);
    const loop_forest loops = dominators_and_loops(ir_.graph()).loops;
    flat_array<loop_id> loop_of(sums_.size(), no_loop); // what has no node is in none
    for (const node_id n : order_) {
      for_each_id(ir_.values(n), [&](value_id v) { loop_of[v] = loops.innermost_loop(n); });
    }
    for (const node_id n : order_) {
      const loop_id here = loops.innermost_loop(n);
      const auto need = [&](value_id v) {
        if (v != no_value && (loop_of[v] == no_loop || (here != no_loop && loops.contains_loop(loop_of[v], here)))) {
          is_needed_[v] = 1;
        }
      };
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v)) {
          const bool is_folded = !is_terminator(ir_, v) && (addition(v).of != no_value || comparison(v).of != no_value);
          if (const auto stored = stored_at_address(v)) {
            need(*stored);
          } else if (ir_.effect(v) != effect_kind::reads && !is_folded) {
            for_each_id(ir_.operands(v), need);
          }
        }
      });
    }
  }

  /// What a store with a known address writes; nothing of other operations, or if the IR does not say what is address.
  std::optional<value_id> stored_at_address([[maybe_unused]] value_id v) const {
    if constexpr (has_memory<IR>) {
      const auto m = ir_.effect(v) == effect_kind::writes ? ir_.memory(v) : std::nullopt;
      return m && m->base != no_value ? std::optional(m->stored) : std::nullopt;
    } else {
      return std::nullopt;
    }
  }

  step comparison(value_id v) const {
    return ir_.effect(v) == effect_kind::none && is_comparison(ir_.operation(v).code) ? step_of(v, false) : step();
  }

  /// The sum that `v` is, from the start of its chain. A chain of any length, without recursion.
  const chain_sum& sum_of(value_id v) {
    while (state_[v] != done) {
      value_id top = v;
      while (true) { // down to what is known
        const step s = state_[top] == unseen ? addition(top) : step();
        if (s.of == no_value || state_[s.of] == in_work) {
          sums_[top] = {top, 0, 0, true, true};
          state_[top] = done;
          break;
        }
        if (state_[s.of] == done) {
          add(top, s);
          state_[top] = done;
          break;
        }
        state_[top] = in_work;
        pending_.push_back(top);
        top = s.of;
      }
      while (!pending_.empty()) {
        const value_id next = pending_.back();
        pending_.pop_back();
        add(next, addition(next));
        state_[next] = done;
      }
    }
    return sums_[v];
  }

  void add(value_id v, const step& s) {
    const operation_info info = ir_.operation(v);
    const bool subtracts = info.code == operation::sub;
    const wrapping_result number = wrapping_sub(0, s.number, info.width);
    const bool is_negated = subtracts && !number.signed_wrap;
    chain_sum sum = sums_[s.of];
    const wrapping_result total = wrapping_add(sum.by, subtracts ? number.bits : s.number, info.width);
    sum.exact_signed =
        sum.exact_signed && info.flags.no_signed_wrap && (is_negated || !subtracts) && !total.signed_wrap;
    sum.exact_unsigned = sum.exact_unsigned && info.flags.no_unsigned_wrap && !subtracts && !total.unsigned_wrap;
    sum.by = total.bits & low_ones(info.width);
    ++sum.links;
    sums_[v] = sum;
  }

  /// Of an `and` with a number.
  step mask(value_id v) const {
    if (ir_.is_phi(v) || is_terminator(ir_, v) || ir_.effect(v) != effect_kind::none ||
        ir_.operation(v).code != operation::bit_and) {
      return {};
    }
    return step_of(v, false);
  }

  /// The start of the chain of masks that ends with `v`, and what they leave of it together; of other values, the value
  /// itself. A chain of any length, without recursion: no phi is in it, so it ends.
  chain_mask mask_of(value_id v) {
    value_id at = v;
    while (masks_[at].base == no_value) {
      const step s = mask(at);
      if (s.of == no_value) {
        masks_[at] = {at, ~std::uint64_t{0}};
        break;
      }
      pending_.push_back(at);
      at = s.of;
    }
    while (!pending_.empty()) {
      const value_id next = pending_.back();
      pending_.pop_back();
      const step s = mask(next);
      masks_[next] = {masks_[s.of].base, masks_[s.of].number & s.number};
    }
    return masks_[v];
  }

  /// Whether both operands of `v` may become others.
  bool may_change(value_id v) const { return may_replace_operand(ir_, v, 0) && may_replace_operand(ir_, v, 1); }

  void plan(value_id v) {
    if (!may_change(v)) {
      return;
    }
    if (const step s = mask(v); s.of != no_value) {
      if (const chain_mask all = mask_of(v); all.base != s.of) {
        const unsigned width = ir_.operation(v).width;
        out_.folded.push_back({v, s.operand, all.base, all.number & low_ones(width), width, true});
      }
      return;
    }
    if (const step s = addition(v); s.of != no_value) {
      if (const chain_sum before = sum_of(s.of); before.links != 0) {
        const operation_info info = ir_.operation(v);
        const chain_sum& sum = sum_of(v);
        const bool keeps =
            (!info.flags.no_signed_wrap || sum.exact_signed) && (!info.flags.no_unsigned_wrap || sum.exact_unsigned);
        const std::uint64_t number = (info.code == operation::sub ? 0 - sum.by : sum.by) & low_ones(info.width);
        const bool is_least = info.code == operation::sub && number == sum.by && number != 0; // its own negative
        out_.folded.push_back({v, s.operand, sum.base, number, info.width, keeps && !is_least});
      }
      return;
    }
    if (const step s = comparison(v); s.of != no_value && is_needed_[s.of] == 0) {
      plan_comparison(v, s);
    }
  }

  /// x + c < n becomes x < n - c if neither wraps.
  void plan_comparison(value_id v, const step& s) {
    const chain_sum& sum = sum_of(s.of);
    const operation_info info = ir_.operation(v);
    const unsigned width = info.operand_width;
    const wrapping_result number = wrapping_sub(s.number, sum.by, width);
    if (sum.links == 0) {
      return;
    }
    const bool is_equality = info.code == operation::equal || info.code == operation::not_equal;
    const bool is_signed = info.code < operation::uless;
    const bool may_move = is_signed ? keeps_signed(sum, width) && !number.signed_wrap
                                    : keeps_unsigned(sum, width) && !number.unsigned_wrap;
    if (is_equality || may_move) {
      out_.folded.push_back({v, s.operand, sum.base, number.bits & low_ones(width), width, true});
    }
  }

  bool keeps_signed(const chain_sum& sum, unsigned width) const {
    return sum.exact_signed || signed_sum_fits(fact_about(facts_, sum.base), sum.by, width);
  }

  bool keeps_unsigned(const chain_sum& sum, unsigned width) const {
    return sum.exact_unsigned ||
           (as_signed(sum.by, width) >= 0 && unsigned_sum_fits(fact_about(facts_, sum.base), sum.by, width));
  }

  const IR& ir_;
  addition_facts facts_;
  addition_plan& out_;
  flat_array<node_id> order_;
  flat_array<chain_sum> sums_;   ///< by value
  flat_array<chain_mask> masks_; ///< by value
  flat_array<unsigned char> state_;
  flat_array<unsigned char> is_needed_;
  flat_array<value_id> pending_;
};

} // namespace detail

/// The additions and subtractions of a number whose other operand is one, too: i + 1 + 1 + 1 becomes i + 3, read from
/// i. So the copies of an unrolled loop compute their counters from that of the first copy, and not one from another.
/// A comparison of a sum with a number reads the start of the chain if no other operation of the sum's loop but phis
/// needs the sum: i + 3 < 10 becomes i < 7. Loads need no sums, and neither do addresses of stores if the IR has
/// `memory` of the cost rung. (x & 12) & 6 becomes x & 4, for the same reason. What nothing reads afterwards stays for
/// `remove_dead_code`.
///
/// **Promises.** If no step of a chain wraps, the whole chain is the sum of integers; so an addition keeps its promise
/// if all additions before it make it and the sum of their numbers fits. Else it is dropped. Orders are changed only
/// where neither side wraps, by promise or by `facts`: a counter that is a multiple of 4 may be compared with 3 less.
///
/// Guarded operations, and unreachable ones, stay. O(n + m + values + operands). This is the part of reassociation that
/// concerns constants (Muchnick, Advanced Compiler Design and Implementation, 1997, section 12.3).
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
addition_plan plan_fold_additions(const IR& ir, const addition_facts& facts = {}) {
  MIDEND_ASSERT(facts.are_about(ir.graph()), "facts about this program as it is now", facts.size());
  addition_plan plan;
  detail::addition_planner<IR>(ir, facts, plan).run();
  return plan;
}

/// Applies a plan for the program as it is. No operation is made or erased; each keeps its number and its place. The
/// certificate is the new program: `verify_additions` compares it with the old one.
template <addition_editor_argument E> void apply_fold_additions(E& editor, const addition_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const folded_addition& f : plan.folded) {
    value_id old = no_value; // the number that is there
    std::uint32_t i = 0;
    detail::for_each_id(editor.operands(f.value), [&](value_id x) { old = i++ == 1 - f.operand ? x : old; });
    const value_id number = number_like(editor, old, f.width, f.number);
    if (number != no_value) {
      if (!f.keeps_promises) {
        editor.drop_promises(f.value);
      }
      editor.set_operand(f.value, f.operand, f.base);
      editor.set_operand(f.value, 1 - f.operand, number);
    }
  }
}

/// Plans and applies; returns the plan.
template <addition_editor_argument E> addition_plan fold_additions(E& editor, const addition_facts& facts = {}) {
  addition_plan plan = plan_fold_additions(editor, facts);
  apply_fold_additions(editor, plan);
  return plan;
}

MIDEND_END_NAMESPACE
