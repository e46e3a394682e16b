/// `verify_offsets`: checks that numbers were moved out of operations rightly.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/congruence_domain.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/addition_facts.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/paired_programs.hpp"
#include "midend/transform/separate_offsets.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with separated offsets.
enum class offset_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs have other nodes
  wrong_witness,     ///< it names a value twice, or one that is not there, not new, or not computed in time
  changed_flow,      ///< an edge, its target, its case, or a condition
  changed_operation, ///< another operation, or one that is missing, in another place, promises more, or may trap
  wrong_operand,     ///< what is read is neither the old value nor its sum, or no chain of additions leads to the base
  wrong_offset,      ///< the number is not what the operation makes of the numbers on the chain
  may_wrap,          ///< an extension of a sum that may wrap, or a promise that it does not
};

/// The answer of `verify_offsets`: the first fault and its place, or none.
struct offset_verdict {
  offset_fault fault = offset_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == offset_fault::none; }
};

namespace detail {

template <class Before, class After> class offset_checker {
public:
  offset_checker(const Before& before, const After& after, const offset_witness& witness, const addition_facts& facts)
      : pair_(before, after), before_(before), after_(after), witness_(witness), facts_(facts) {}

  offset_verdict run() {
    if (!pair_.read()) {
      fail(offset_fault::wrong_size, no_node);
      return verdict_;
    }
    tree_ = dominators(after_.graph());
    read_witness();
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      check_node(pair_.order[i]);
    }
    for (std::size_t i = 0; ok() && i != witness_.changes.size(); ++i) {
      check_change(witness_.changes[i]);
      rest_facts_.push_back(fact_of_rest(witness_.changes[i]));
    }
    return verdict_;
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  /// From a value to the start of a chain of additions: the sum of their numbers, and whether they promise not to wrap.
  struct chain {
    std::uint64_t by = 0;
    bool keeps_signed = true;
    bool keeps_unsigned = true;
  };

  /// What is added to the base that the new operation reads, and by what the operation multiplies that.
  struct scaled_chain {
    chain sum;
    std::uint64_t factor;
    value_id base;
  };

  /// An addition of a number.
  struct addition {
    value_id of = no_value;
    std::uint64_t number = 0;
    operation_info info;
  };

  bool ok() const { return verdict_.fault == offset_fault::none; }

  void fail(offset_fault fault, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_ = {fault, n, v};
    }
  }

  /// Old values that have changed, and new values by the change that made them.
  void read_witness() {
    const std::size_t old = pair_.num_old_values();
    change_of_.assign(static_cast<std::size_t>(after_.num_values()), none);
    position_.assign(change_of_.size(), 0);
    for (std::uint32_t i = 0; i != witness_.changes.size(); ++i) {
      const offset_change& c = witness_.changes[i];
      const bool is_there = c.value < old && pair_.old_home[c.value] != no_node && c.rest >= old && c.sum >= old &&
                            c.rest < change_of_.size() && c.sum < change_of_.size() && c.rest != c.sum;
      if (!is_there || change_of_[c.value] != none || change_of_[c.rest] != none || change_of_[c.sum] != none) {
        fail(offset_fault::wrong_witness, no_node, c.value);
        return;
      }
      change_of_[c.value] = change_of_[c.rest] = change_of_[c.sum] = i;
    }
  }

  /// Whether the new program reads `u` where the old one reads `x`.
  bool same_read(value_id x, value_id u) const {
    return x < pair_.num_old_values() && change_of_[x] != none ? u == witness_.changes[change_of_[x]].sum
                                                               : pair_.same_value(x, u);
  }

  void check_node(node_id n) {
    if (!pair_.same_edges(n) ||
        !same_read(static_cast<value_id>(before_.condition(n)), static_cast<value_id>(after_.condition(n)))) {
      fail(offset_fault::changed_flow, n);
      return;
    }
    check_values(n);
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (phi >= pair_.num_old_values() || !before_.is_phi(phi) ||
            !same_read(static_cast<value_id>(before_.phi_input(phi, e)),
                       static_cast<value_id>(after_.phi_input(phi, e)))) {
          fail(offset_fault::wrong_operand, n, phi);
        }
      });
    });
  }

  /// The old values in their order, each that has changed by its sum, and what is left of them between.
  void check_values(node_id n) {
    values_.clear();
    for_each_id(before_.values(n), [&](value_id v) { values_.push_back(v); });
    std::size_t i = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      position_[v] = num_placed_++;
      if (v >= pair_.num_old_values()) {
        if (change_of_[v] == none) {
          fail(offset_fault::changed_operation, n, v);
        } else if (const offset_change& c = witness_.changes[change_of_[v]]; v == c.sum) {
          if (i >= values_.size() || values_[i] != c.value) {
            fail(offset_fault::changed_operation, n, v);
          }
          ++i;
        }
      } else if (i >= values_.size() || values_[i] != v || change_of_[v] != none || !pair_.same_operation(v, v)) {
        fail(offset_fault::changed_operation, n, v);
      } else {
        ++i;
        if (!before_.is_phi(v)) {
          check_operands(n, v);
        }
      }
    });
    if (i != values_.size()) {
      fail(offset_fault::changed_operation, n);
    }
  }

  void check_operands(node_id n, value_id v) {
    std::size_t differing = 0;
    if (!read_operands(v, v, differing) || differing != 0) {
      fail(offset_fault::wrong_operand, n, v);
    }
  }

  /// Reads the operands of an old value and of a new one, and counts those that differ. False if there are more or
  /// fewer.
  bool read_operands(value_id v, value_id now, std::size_t& differing) {
    old_operands_.clear();
    new_operands_.clear();
    for_each_id(before_.operands(v), [&](value_id x) { old_operands_.push_back(x); });
    for_each_id(after_.operands(now), [&](value_id u) { new_operands_.push_back(u); });
    differing = 0;
    for (std::size_t i = 0; i < old_operands_.size() && i < new_operands_.size(); ++i) {
      differing += same_read(old_operands_[i], new_operands_[i]) ? 0U : 1U;
    }
    return old_operands_.size() == new_operands_.size();
  }

  void check_change(const offset_change& c) {
    const node_id n = pair_.old_home[c.value];
    if (pair_.reached[n] == 0) {
      return;
    }
    const bool is_placed = pair_.new_home[c.rest] != no_node && pair_.new_home[c.sum] == n && is_before(c.rest, c.sum);
    if (!is_placed || before_.is_phi(c.value) || is_terminator(before_, c.value) ||
        before_.effect(c.value) != effect_kind::none) {
      fail(offset_fault::wrong_witness, n, c.value);
      return;
    }
    check_sum(n, c, check_rest(n, c));
  }

  /// That what is left is the same operation, of the start of a chain. Returns what the chain adds.
  std::optional<scaled_chain> check_rest(node_id n, const offset_change& c) {
    const operation_info info = before_.operation(c.value);
    const operation_flags promised = after_.operation(c.rest).flags;
    std::size_t differing = 0;
    const bool traps =
        after_.may_trap(c.rest) || (!before_.may_trap(c.value) && may_trap_without_promises(after_, c.sum));
    if (!pair_.same_operation(c.value, c.rest) || promised != operation_flags() || traps) {
      fail(offset_fault::changed_operation, n, c.rest);
    } else if (!read_operands(c.value, c.rest, differing) || differing != 1 ||
               old_operands_.size() != arity(info.code)) {
      fail(offset_fault::wrong_operand, n, c.rest);
    } else if (!are_there(c.rest)) {
      fail(offset_fault::wrong_witness, n, c.rest);
    } else {
      std::size_t k = 0;
      while (same_read(old_operands_[k], new_operands_[k])) {
        ++k;
      }
      const auto found = chain_between(now_read(old_operands_[k]), new_operands_[k]);
      const auto factor = found ? factor_of(info, k) : std::nullopt;
      if (factor) {
        return scaled_chain{*found, *factor, new_operands_[k]};
      }
      fail(offset_fault::wrong_operand, n, c.rest);
    }
    return std::nullopt;
  }

  /// Whether `v` is computed on each way to `at`.
  bool is_before(value_id v, value_id at) const {
    const node_id n = pair_.new_home[v];
    const node_id m = pair_.new_home[at];
    return n == no_node || (n == m ? after_.is_phi(v) || position_[v] < position_[at] : tree_.dominates(n, m));
  }

  /// Whether what the new operation reads is computed before it.
  bool are_there(value_id v) const {
    bool all = true;
    for_each_id(after_.operands(v), [&](value_id x) { all = all && x != no_value && is_before(x, v); });
    return all;
  }

  /// What the new program reads in place of `x`.
  value_id now_read(value_id x) const {
    return x < pair_.num_old_values() && change_of_[x] != none ? witness_.changes[change_of_[x]].sum : x;
  }

  using element = strided_interval_domain::element;

  static constexpr bool is_on_bits(operation code) {
    return code == operation::bit_and || code == operation::bit_or || code == operation::bit_xor ||
           code == operation::shr || code == operation::sar;
  }

  /// What is known about a value of the new program that was in the old one, or that an earlier change has left.
  element fact_about(value_id v) const {
    if (v < pair_.num_old_values()) {
      const auto c = number_of(before_, v);
      const bool is_known = v < facts_.size() && !facts_[v].is_bottom();
      return c          ? domain_.constant(before_.operation(v).width, *c)
             : is_known ? facts_[v]
                        : domain_.top(before_.operation(v).width);
    }
    const std::uint32_t change = change_of_[v];
    const bool is_rest = change != none && witness_.changes[change].rest == v && change < rest_facts_.size();
    return is_rest ? rest_facts_[change] : domain_.top(after_.operation(v).width);
  }

  /// The same about what the change has left: what the domain says about the operation.
  element fact_of_rest(const offset_change& c) const {
    operation_info info = ok() ? after_.operation(c.rest) : operation_info();
    info.flags = {};
    std::array<element, 2> args{};
    std::size_t count = 0;
    if (ok() && pair_.new_home[c.rest] != no_node && arity(info.code) <= args.size()) {
      for_each_id(after_.operands(c.rest), [&](value_id x) {
        if (count < args.size()) {
          const auto number = x == no_value ? std::nullopt : number_of(after_, x);
          args[count] = number ? domain_.constant(after_.operation(x).width, *number) : fact_about(x);
        }
        ++count;
      });
    }
    return count != 0 && count == arity(info.code) ? domain_.transfer(info, span<const element>(args.data(), count))
                                                   : domain_.top(64); // which is never asked for
  }

  /// What adding to the base changes in an operation on bits: its results for the low bits, if they are all that
  /// changes and are known.
  std::optional<std::uint64_t> change_of_bits(const operation_info& info, const scaled_chain& s) const {
    const congruence_domain::element known = fact_about(s.base).stride;
    const std::uint64_t power = known.modulus & (0 - known.modulus);
    if (power == 0 || power - 1 > low_ones(info.width)) {
      return std::nullopt;
    }
    const std::uint64_t bits[2] = {known.residue % power, (known.residue % power + s.sum.by) & low_ones(info.width)};
    const std::uint64_t first[2] = {bits[0], s.factor};
    const std::uint64_t second[2] = {bits[1], s.factor};
    return bits[1] < power ? std::optional(evaluate(info, second).bits - evaluate(info, first).bits) : std::nullopt;
  }

  /// By what the operation multiplies a number that is added to operand `k`, modulo 2^width; nothing if it does not
  /// distribute over addition. Of extensions: 1. Of operations on bits: the other operand. The operands of the
  /// operation have been read.
  std::optional<std::uint64_t> factor_of(const operation_info& info, std::size_t k) const {
    const auto other =
        k < old_operands_.size() && old_operands_.size() == 2 ? number_of(before_, old_operands_[1 - k]) : std::nullopt;
    switch (info.code) {
    case operation::add:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return 1;
    case operation::sub:
      return k == 0 ? 1 : ~std::uint64_t{0};
    case operation::mul:
      return other;
    case operation::shl:
      return k == 0 && other && *other < info.width ? std::optional(std::uint64_t{1} << *other) : std::nullopt;
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
      return other;
    case operation::shr:
    case operation::sar:
      return k == 0 && other && *other < info.width ? other : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  void check_sum(node_id n, const offset_change& c, const std::optional<scaled_chain>& s) {
    if (!s) {
      return;
    }
    const operation_info info = before_.operation(c.value);
    const addition sum = addition_of(c.sum);
    const bool has_type = info.code == operation::add || info.code == operation::sub
                              ? pair_.same_operation(c.value, c.sum)
                              : sum.info.code == operation::add;
    if (sum.of != c.rest || sum.info.width != info.width || !has_type) {
      fail(offset_fault::wrong_operand, n, c.sum);
      return;
    }
    const bool extends = info.code == operation::sign_extend || info.code == operation::zero_extend;
    const bool is_on_low_bits = is_on_bits(info.code);
    const auto changed = is_on_low_bits ? change_of_bits(info, *s) : std::nullopt;
    const std::uint64_t by = is_on_low_bits ? changed.value_or(0)
                             : extends      ? extended(info, *s)
                                            : s->sum.by * s->factor;
    const std::uint64_t is = sum.info.code == operation::sub ? 0 - sum.number : sum.number;
    if (is_on_low_bits && !changed) {
      fail(offset_fault::may_wrap, n, c.sum);
    } else if (((is ^ by) & low_ones(info.width)) != 0) {
      fail(offset_fault::wrong_offset, n, c.sum);
    } else if (extends ? !may_extend(info, *s) || (sum.info.flags.no_unsigned_wrap && !may_promise_unsigned(info, by))
                       : sum.info.flags != operation_flags()) {
      fail(offset_fault::may_wrap, n, c.sum);
    }
  }

  /// What the chain adds to the extension: its number as a signed one, unless zeros are put above a sum that wraps only
  /// as a signed one.
  std::uint64_t extended(const operation_info& info, const scaled_chain& s) const {
    const bool as_number = info.code == operation::sign_extend || !s.sum.keeps_unsigned || is_small(info, s);
    return as_number ? static_cast<std::uint64_t>(as_signed(s.sum.by, info.operand_width)) : s.sum.by;
  }

  bool may_extend(const operation_info& info, const scaled_chain& s) const {
    const unsigned width = info.operand_width;
    const interval_domain::element fact = fact_about(s.base).range;
    if (info.code == operation::sign_extend) {
      const auto limits = signed_interval::full(width);
      const std::int64_t by = as_signed(s.sum.by, width);
      return s.sum.keeps_signed ||
             (by < 0 ? fact.as_signed.low >= limits.low - by : fact.as_signed.high <= limits.high - by);
    }
    const bool is_natural = fact.as_signed.low >= 0 && as_signed(s.sum.by, width) >= 0;
    return s.sum.keeps_unsigned || is_small(info, s) || (s.sum.keeps_signed && is_natural);
  }

  /// Whether adding the number to the extension does not wrap as an unsigned addition.
  static bool may_promise_unsigned(const operation_info& info, std::uint64_t by) {
    return info.code == operation::zero_extend && as_signed(by, info.width) >= 0;
  }

  /// Whether the facts about the base show that the sum, with the number read as a signed one, is a number from 0 to
  /// 2^width - 1.
  bool is_small(const operation_info& info, const scaled_chain& s) const {
    const auto range = fact_about(s.base).range.as_unsigned;
    const std::int64_t by = as_signed(s.sum.by, info.operand_width);
    return by < 0 ? range.low >= 0 - static_cast<std::uint64_t>(by)
                  : low_ones(info.operand_width) - range.high >= static_cast<std::uint64_t>(by);
  }

  template <class IR> static std::optional<std::uint64_t> number_of(const IR& ir, value_id v) {
    const auto c = v == no_value ? decltype(ir.constant(v))() : ir.constant(v);
    return c ? std::optional(static_cast<std::uint64_t>(*c)) : std::nullopt;
  }

  /// The operation of the new program, if it adds a number to a value or subtracts it.
  addition addition_of(value_id v) const {
    const bool is_operation = v != no_value && pair_.new_home[v] != no_node && !after_.is_phi(v) &&
                              !is_terminator(after_, v) && after_.effect(v) == effect_kind::none;
    addition out;
    if (!is_operation) {
      return out;
    }
    out.info = after_.operation(v);
    std::size_t operands = 0;
    std::size_t numbers = 0;
    bool is_last = false;
    for_each_id(after_.operands(v), [&](value_id x) {
      if (const auto number = number_of(after_, x)) {
        out.number = *number;
        is_last = operands == 1;
        ++numbers;
      } else {
        out.of = x;
      }
      ++operands;
    });
    const bool adds = out.info.code == operation::add || (out.info.code == operation::sub && is_last);
    if (!adds || operands != 2 || numbers != 1) {
      out.of = no_value;
    }
    return out;
  }

  /// The additions that lead from `from` to `base` in the new program.
  std::optional<chain> chain_between(value_id from, value_id base) const {
    chain out;
    for (std::size_t steps = 0; from != base; ++steps) {
      const addition a = addition_of(from);
      if (a.of == no_value || steps > pair_.new_home.size()) {
        return std::nullopt;
      }
      link(out, a, flags_of(from, a));
      from = a.of;
    }
    return out;
  }

  /// What an addition promises. That of a sum with an extension cannot wrap if the change is right, which is checked
  /// for each, so it counts as a promise even if the IR has none of this kind.
  operation_flags flags_of(value_id v, const addition& a) const {
    if (v < pair_.num_old_values() || change_of_[v] == none) {
      return a.info.flags;
    }
    const operation code = before_.operation(witness_.changes[change_of_[v]].value).code;
    const bool is_natural = as_signed(a.number, a.info.width) >= 0;
    return {code == operation::sign_extend || code == operation::zero_extend,
            code == operation::zero_extend && is_natural};
  }

  static void link(chain& c, const addition& a, operation_flags flags) {
    const unsigned width = a.info.width;
    const bool subtracts = a.info.code == operation::sub;
    const std::uint64_t by = (subtracts ? 0 - a.number : a.number) & low_ones(width);
    const bool is_least = subtracts && by == std::uint64_t{1} << (width - 1);
    const std::uint64_t sum = (c.by + by) & low_ones(width);
    const std::int64_t x = as_signed(c.by, width);
    const std::int64_t y = as_signed(by, width);
    const bool wraps = (x < 0) == (y < 0) && (as_signed(sum, width) < 0) != (x < 0);
    c.keeps_signed = c.keeps_signed && flags.no_signed_wrap && !is_least && !wraps;
    c.keeps_unsigned = c.keeps_unsigned && flags.no_unsigned_wrap && !subtracts && sum >= c.by;
    c.by = sum;
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  dominator_tree tree_;
  const offset_witness& witness_;
  addition_facts facts_;
  offset_verdict verdict_;
  flat_array<std::uint32_t> change_of_; ///< by value of the new program
  flat_array<std::size_t> position_;    ///< likewise
  std::size_t num_placed_ = 0;
  strided_interval_domain domain_;
  flat_array<element> rest_facts_; ///< by change: about what it has left
  flat_array<value_id> values_;
  flat_array<value_id> old_operands_;
  flat_array<value_id> new_operands_;
};

} // namespace detail

/// Checks that `after` is `before` with numbers moved out of operations as the witness says, so that both do the same.
/// It shares no code with the transformation. What remains to be trusted is this function, `operation`, `constant` and
/// `same_operation` of the IR, and the facts: check them by `verify_sccp`. Requires IRs that `check_ir` accepts.
///
/// **What is checked** of the reachable part. Nodes have the same edges and the same operations in the same order, none
/// promises more, and each reads what it read, or the sum of what has changed. New operations are those of the witness.
/// The first is the same operation without promises, one operand of which is the start of a chain of additions of
/// numbers that leads to what the old one read; its operands are computed before it, and it does not trap. The second
/// is directly before the old one or earlier in its node; it adds to the first what the operation makes of the numbers
/// on the chain. Only sums with an extension promise anything. Extensions need that each step of the chain promises not
/// to wrap, or that the base plus the number does not, by the facts. Operations on bits need that all bits in which
/// base and sum differ are known by the facts. Facts about the first operation of an earlier change are what the domain
/// makes of those about its operands.
///
/// **Why this is enough.** Truncation, sums, differences and products by a number distribute over addition modulo
/// 2^width; extensions do where the addition does not wrap. Operations without promises that do not trap may run where
/// the old one does not.
///
/// O(n log n + m + values + operands), and the lengths of the chains.
template <certifiable_ir Before, certifiable_ir After>
offset_verdict verify_offsets(const Before& before, const After& after, const offset_witness& witness,
                              const addition_facts& facts = {}) {
  MIDEND_ASSERT(facts.are_about(before.graph()), "facts about the old program", facts.size());
  return detail::offset_checker<Before, After>(before, after, witness, facts).run();
}

MIDEND_END_NAMESPACE
