/// `verify_additions`: checks that additions were folded rightly.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/addition_facts.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/paired_programs.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with folded additions.
enum class addition_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs have other nodes
  changed_flow,      ///< an edge, its target, its case, or a condition
  changed_operation, ///< another operation, or one that is missing, in another place, or promises more
  wrong_operand,     ///< what is read is neither the old value nor the start of a chain of additions or masks
  wrong_number,      ///< the number is not the sum of the numbers on the chain, or not what all masks on it leave
  wrong_promise,     ///< a promise that the chain does not make, or an order of numbers that may wrap
};

/// The answer of `verify_additions`: the first fault and its place, or none.
struct addition_verdict {
  addition_fault fault = addition_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == addition_fault::none; }
};

namespace detail {

template <class Before, class After> class addition_checker {
public:
  addition_checker(const Before& before, const After& after, const addition_facts& facts)
      : pair_(before, after), before_(before), after_(after), facts_(facts) {}

  addition_verdict run() {
    if (!pair_.read()) {
      fail(addition_fault::wrong_size, no_node);
      return verdict_;
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      check_node(pair_.order[i]);
    }
    return verdict_;
  }

private:
  struct reading {
    value_id of = no_value;
    std::uint64_t number = 0;
    bool number_is_last = false;
  };

  bool ok() const { return verdict_.fault == addition_fault::none; }

  void fail(addition_fault fault, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_ = {fault, n, v};
    }
  }

  void check_node(node_id n) {
    if (!pair_.same_edges(n) ||
        !pair_.same_value(static_cast<value_id>(before_.condition(n)), static_cast<value_id>(after_.condition(n)))) {
      fail(addition_fault::changed_flow, n);
      return;
    }
    values_.clear();
    for_each_id(before_.values(n), [&](value_id v) { values_.push_back(v); });
    std::size_t i = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (i == values_.size() || values_[i] != v || !pair_.same_operation(v, v)) {
        fail(addition_fault::changed_operation, n, v);
      } else if (!before_.is_phi(v) && !pair_.same_operands(v)) {
        check_folded(n, v);
      }
      ++i;
    });
    if (i != values_.size()) {
      fail(addition_fault::changed_operation, n);
    }
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (phi >= pair_.num_old_values() || !before_.is_phi(phi) ||
            !pair_.same_value(static_cast<value_id>(before_.phi_input(phi, e)),
                              static_cast<value_id>(after_.phi_input(phi, e)))) {
          fail(addition_fault::wrong_operand, n, phi);
        }
      });
    });
  }

  /// An operation of a value and a number.
  template <class IR> static reading read(const IR& ir, value_id v) {
    reading out;
    std::size_t operands = 0;
    std::size_t numbers = 0;
    for_each_id(ir.operands(v), [&](value_id x) {
      const auto number = x == no_value ? decltype(ir.constant(x))() : ir.constant(x);
      if (number) {
        out.number = static_cast<std::uint64_t>(*number);
        out.number_is_last = operands == 1;
        ++numbers;
      } else {
        out.of = x;
      }
      ++operands;
    });
    return operands == 2 && numbers == 1 ? out : reading();
  }

  void check_folded(node_id n, value_id v) {
    const operation_info was = before_.operation(v);
    const operation_info is = after_.operation(v);
    const bool adds = was.code == operation::add || was.code == operation::sub;
    const reading old = read(before_, v);
    const reading now = read(after_, v);
    const bool is_there = now.of < pair_.num_old_values() &&
                          (pair_.new_home[now.of] != no_node || pair_.old_home[now.of] == no_node); // a parameter
    const bool masks = was.code == operation::bit_and;
    if ((!adds && !masks && !is_comparison(was.code)) || before_.effect(v) != effect_kind::none || old.of == no_value ||
        !is_there || old.number_is_last != now.number_is_last || (was.code == operation::sub && !old.number_is_last)) {
      fail(addition_fault::wrong_operand, n, v);
      return;
    }
    if (masks) {
      check_mask(n, v, was.width, old, now);
      return;
    }
    const unsigned width = adds ? was.width : was.operand_width;
    chain_ = {};
    if (adds) {
      link(was, old.number, width);
    }
    value_id at = old.of;
    for (std::size_t steps = 0; at != now.of; ++steps) {
      const bool is_operation =
          pair_.old_home[at] != no_node && !before_.is_phi(at) && before_.effect(at) == effect_kind::none;
      const operation_info info = is_operation ? before_.operation(at) : operation_info();
      const reading next = is_operation ? read(before_, at) : reading();
      const bool is_sum = info.code == operation::add || (info.code == operation::sub && next.number_is_last);
      if (!is_operation || !is_sum || next.of == no_value || info.width != width || steps > pair_.num_old_values()) {
        fail(addition_fault::wrong_operand, n, v);
        return;
      }
      link(info, next.number, width);
      at = next.of;
    }
    adds ? check_sum(n, v, is, now, width) : check_comparison(n, v, was, old, now, width);
  }

  /// Follows the masks from what was read to what is read now.
  void check_mask(node_id n, value_id v, unsigned width, const reading& old, const reading& now) {
    std::uint64_t left = old.number;
    value_id at = old.of;
    for (std::size_t steps = 0; at != now.of; ++steps) {
      const bool is_operation =
          pair_.old_home[at] != no_node && !before_.is_phi(at) && before_.effect(at) == effect_kind::none;
      const operation_info info = is_operation ? before_.operation(at) : operation_info();
      const reading next = is_operation ? read(before_, at) : reading();
      if (!is_operation || info.code != operation::bit_and || next.of == no_value || info.width != width ||
          steps > pair_.num_old_values()) {
        fail(addition_fault::wrong_operand, n, v);
        return;
      }
      left &= next.number;
      at = next.of;
    }
    if (((left ^ now.number) & low_ones(width)) != 0) {
      fail(addition_fault::wrong_number, n, v);
    }
  }

  /// Adds a step to the chain.
  void link(const operation_info& info, std::uint64_t number, unsigned width) {
    const bool subtracts = info.code == operation::sub;
    const std::int64_t own = as_signed(number, width);
    const bool is_least = own == as_signed(std::uint64_t{1} << (width - 1), width);
    const std::uint64_t by = (subtracts ? 0 - number : number) & low_ones(width);
    const std::int64_t a = as_signed(chain_.by, width);
    const std::int64_t b = as_signed(by, width);
    const std::uint64_t sum = (chain_.by + by) & low_ones(width);
    const std::int64_t c = as_signed(sum, width);
    const bool wraps = (a < 0) == (b < 0) && (c < 0) != (a < 0);
    chain_.keeps_signed = chain_.keeps_signed && info.flags.no_signed_wrap && !(subtracts && is_least) && !wraps;
    chain_.keeps_unsigned = chain_.keeps_unsigned && info.flags.no_unsigned_wrap && !subtracts && sum >= chain_.by;
    chain_.by = sum;
  }

  void check_sum(node_id n, value_id v, const operation_info& is, const reading& now, unsigned width) {
    const bool subtracts = is.code == operation::sub;
    if (((subtracts ? 0 - now.number : now.number) & low_ones(width)) != chain_.by) {
      fail(addition_fault::wrong_number, n, v);
    }
    const bool is_least = subtracts && chain_.by == std::uint64_t{1} << (width - 1);
    if ((is.flags.no_signed_wrap && (!chain_.keeps_signed || is_least)) ||
        (is.flags.no_unsigned_wrap && !chain_.keeps_unsigned)) {
      fail(addition_fault::wrong_promise, n, v);
    }
  }

  void check_comparison(node_id n, value_id v, const operation_info& was, const reading& old, const reading& now,
                        unsigned width) {
    const std::uint64_t mask = low_ones(width);
    if (((now.number + chain_.by) & mask) != (old.number & mask)) {
      fail(addition_fault::wrong_number, n, v);
    }
    if (was.code == operation::equal || was.code == operation::not_equal) {
      return;
    }
    const std::int64_t by = as_signed(chain_.by, width);
    const bool grew = as_signed(now.number, width) > as_signed(old.number, width);
    const bool fits = by == 0 || (by < 0) == grew;
    const bool is_signed = was.code < operation::uless;
    if (is_signed ? !(chain_.keeps_signed || stays_signed(now.of, width)) || !fits
                  : !(chain_.keeps_unsigned || stays_unsigned(now.of, width)) || (old.number & mask) < chain_.by) {
      fail(addition_fault::wrong_promise, n, v);
    }
  }

  /// Whether the facts about the base say that adding the chain does not wrap.
  bool stays_signed(value_id base, unsigned width) const {
    if (base >= facts_.size() || facts_[base].is_bottom()) {
      return false;
    }
    const auto limits = signed_interval::full(width);
    const auto& range = facts_[base].range.as_signed;
    const std::int64_t by = as_signed(chain_.by, width);
    return by < 0 ? range.low >= limits.low - by : range.high <= limits.high - by;
  }

  bool stays_unsigned(value_id base, unsigned width) const {
    return base < facts_.size() && !facts_[base].is_bottom() &&
           facts_[base].range.as_unsigned.high <= low_ones(width) - chain_.by;
  }

  struct chain {
    std::uint64_t by = 0;
    bool keeps_signed = true;
    bool keeps_unsigned = true;
  };

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  addition_facts facts_;
  addition_verdict verdict_;
  chain chain_;
  flat_array<value_id> values_;
};

} // namespace detail

/// Checks that `after` is `before` with chains of additions folded, so that both do the same: `fold_additions` needs no
/// other witness than the new program. It shares no code with the transformation; what remains to be trusted is this
/// function, and `operation`, `constant` and `same_operation` of the IR. Requires IRs that `check_ir` accepts.
///
/// **What is checked** of the reachable part. Nodes have the same edges and the same operations in the same order; none
/// promises more. What an operation reads is the same, unless it is an addition or subtraction of a number, or a
/// comparison with one. Then, from what it read in the old program, a chain of additions and subtractions of numbers
/// leads to what it reads now, and the numbers add up. A promise is kept only if each step of the chain makes it and
/// the sum fits; an order of numbers is moved only if neither side wraps, by promise or by `facts` about the old
/// program (check them by `verify_sccp`). An `and` with a number may read the start of a chain of such, with the bits
/// that all of them leave.
///
/// **Why this is enough.** Modulo 2^width the sums are equal. Each start of a chain dominates its end. If the steps of
/// a chain keep their promises, the exact sum of all is the exact value, which fits.
///
/// O(n + m + values + operands), and the lengths of the chains of what was folded.
template <certifiable_ir Before, certifiable_ir After>
addition_verdict verify_additions(const Before& before, const After& after, const addition_facts& facts = {}) {
  MIDEND_ASSERT(facts.are_about(before.graph()), "facts about the old program", facts.size());
  return detail::addition_checker<Before, After>(before, after, facts).run();
}

MIDEND_END_NAMESPACE
