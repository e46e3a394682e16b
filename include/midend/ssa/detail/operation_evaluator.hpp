/// `operation_evaluator`: the fact of a value that is not a phi, from the facts of its operands.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/detail/fact_readers.hpp"
#include "midend/ssa/detail/fact_traits.hpp"
#include "midend/ssa/detail/growing_facts.hpp"
#include "midend/ssa/detail/promised_facts.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A list in the memory of a workspace if the elements are trivial.
template <class T>
using list_of_call = std::conditional_t<is_plain<T> && alignof(T) <= arena::alignment, arena_list<T>, dense_values<T>>;

template <class List> constexpr void start_list(List& list, arena& memory) {
  if constexpr (requires { list.start(memory); }) {
    list.start(memory);
  } else {
    list.clear();
  }
}

/// Memory for the operands of the value that is being folded.
template <class Constant> struct folded_operands {
  list_of_call<Constant> constants;
  list_of_call<std::optional<Constant>> partial_constants; ///< some unknown

  constexpr void start(arena& memory) {
    start_list(constants, memory);
    start_list(partial_constants, memory);
  }
};

/// Values of this IR may be copies after a branch; `implied(v)` is the branch's fact about `v`, or null.
template <class IR>
concept has_implied = requires(const IR& ir, value_id v) {
  { ir.implied(v) } -> std::convertible_to<const branch_fact<constant_of<IR>>*>;
};

/// The partition of `sccp`, which knows no equal values.
struct no_congruence {};

/// Evaluates values that are not phis, by the domain's transfer function, by the IR, or by the branch that made a copy.
/// Monotone: greater facts of operands give no smaller fact. Bottom means that the value has to wait for operands.
///
/// A `Congruence` other than `no_congruence` is asked which operands may be equal.
template <class IR, class D, class Congruence> class operation_evaluator {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr operation_evaluator(const IR& ir, const D& domain, growing_facts<D> facts, fact_traits traits,
                                fact_readers readers, folded_operands<constant_type>& memory, bool is_checked,
                                Congruence congruence)
      : ir_(ir), domain_(domain), facts_(facts), traits_(traits), readers_(readers), memory_(memory),
        is_checked_(is_checked), congruence_(congruence) {}

  /// Whether no fact about an operand, now or later, says anything about `v`. Either `v` is opaque, or only the IR can
  /// compute it and the fact of an operand is settled and no constant. Most values are such: loads, calls, addresses.
  MIDEND_ALWAYS_INLINED constexpr bool follows_from_nothing(value_id v) {
    if constexpr (has_implied<IR>) {
      if (ir_.implied(v) != nullptr) {
        return false;
      }
    }
    if (is_opaque(ir_, v)) {
      return true;
    }
    if constexpr (numbers_values || has_partial_fold<IR> || !has_value_transfer<D>) {
      return false;
    } else {
      if (ir_.operation(v).code != operation::other) {
        return false;
      }
      for (auto&& id : ir_.operands(v)) {
        const auto operand = static_cast<value_id>(id);
        if (traits_.has(operand, fact_trait::settled) && !facts_.is_unknown(operand) &&
            !domain_.as_constant(facts_[operand])) {
          return !ir_.constant(v);
        }
      }
      return false;
    }
  }

  /// The fact of `v`. Adds the traits of the operands that it reads. On the first evaluation, notes `v` as their
  /// reader.
  MIDEND_ALWAYS_INLINED constexpr element evaluate(value_id v, bool is_first, operand_traits& of_operands) {
    if constexpr (has_implied<IR>) {
      if (const auto* const implied = ir_.implied(v)) {
        for_each_id(ir_.operands(v), [&](value_id operand) { note_operand(operand, v, is_first, of_operands); });
        return sharpened(*implied);
      }
    }
    if (is_opaque(ir_, v)) {
      return promised_fact(ir_, domain_, v, ir_.operation(v).width);
    }
    if constexpr (numbers_values || has_value_transfer<D>) {
      const operation_info info = ir_.operation(v);
      std::optional<element> of_equal;
      if constexpr (numbers_values) {
        of_equal = congruence_.fact_of_equal_operands(v, info);
      }
      if constexpr (has_value_transfer<D>) {
        if (info.code != operation::other) {
          const element known = transfer(v, info, is_first, of_operands); // the only call, so that it is inlined
          if (of_equal) {
            return not_equal_or(*of_equal, known);
          }
          if constexpr (has_partial_fold<IR>) {
            return folded_or(v, info.width, known);
          } else {
            return known;
          }
        }
      }
      if (of_equal) {
        return *of_equal;
      }
    }
    return fold(v, is_first, of_operands);
  }

private:
  static constexpr bool numbers_values = !std::same_as<Congruence, no_congruence>;

  constexpr void note_operand([[maybe_unused]] value_id operand, [[maybe_unused]] value_id v,
                              [[maybe_unused]] bool is_first, [[maybe_unused]] operand_traits& of_operands) {
    MIDEND_ASSERT(operand < static_cast<value_id>(ir_.num_values()), "an operand is a value of the program", v,
                  operand);
    if constexpr (!numbers_values) {
      of_operands.add(traits_.of(operand));
      if (is_first) {
        readers_.note(operand, {v, no_edge});
      }
    }
  }

  /// The fact for equal operands; or `known`, the fact from the operands' facts, if these exclude it: then the operands
  /// are not equal. So nothing is lost if they turn out to differ.
  constexpr element not_equal_or(const element& of_equal, const element& known) const {
    return less_or_equal(domain_, of_equal, known) ? of_equal : known;
  }

  /// The constant that the IR knows for an operation of the vocabulary, or else `out`, the fact from the operands. A
  /// fact that has risen above constants cannot become one again.
  constexpr element folded_or(value_id v, unsigned width, const element& out) {
    const bool may_gain = facts_.is_unknown(v) || domain_.as_constant(facts_[v]);
    if (!may_gain || is_bottom(domain_, out) || domain_.as_constant(out)) {
      return out;
    }
    memory_.partial_constants.clear();
    for_each_id(ir_.operands(v), [&](value_id operand) {
      memory_.partial_constants.push_back(facts_.is_unknown(operand) ? std::nullopt
                                                                     : domain_.as_constant(facts_[operand]));
    });
    const std::optional<constant_type> c = fold_some(v);
    if (c && is_checked_ && !may_be(domain_, width, out, *c)) {
      facts_.fail(v);
    }
    return c ? domain_.constant(width, *c) : out;
  }

  /// Folds `v` by the IR, from `partial_constants`.
  constexpr std::optional<constant_type> fold_some(value_id v) const {
    return ir_.fold(v, span<const std::optional<constant_type>>(memory_.partial_constants.data(),
                                                                memory_.partial_constants.size()));
  }

  MIDEND_ALWAYS_INLINED constexpr element transfer(value_id v, const operation_info& info, bool is_first,
                                                   operand_traits& of_operands) {
    if constexpr (std::is_trivially_default_constructible_v<element>) {
      element args[3]; // only the elements that are read are set
      return transfer(v, info, is_first, of_operands, args);
    } else {
      element args[3]{domain_.bottom(), domain_.bottom(), domain_.bottom()};
      return transfer(v, info, is_first, of_operands, args);
    }
  }

  MIDEND_ALWAYS_INLINED constexpr element transfer(value_id v, const operation_info& info, bool is_first,
                                                   operand_traits& of_operands, element (&args)[3]) {
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    const bool is_resolved = traits_.has(v, fact_trait::resolved);
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count != wanted) {
        note_operand(operand, v, is_first, of_operands);
        args[count] =
            is_resolved && facts_.is_undefined(operand) ? domain_.top(ir_.operation(operand).width) : facts_[operand];
        if constexpr (!reads_any_width<D>) {
          if (const auto i = static_cast<unsigned>(count); !reads_whole(info.code, i)) {
            args[i] = read_as(domain_, read_width(info), args[i], ir_.operation(operand).width);
          }
        }
        ++count;
      }
    });
    MIDEND_ASSERT(count == wanted, "as many operands as the operation needs", v, count);
    return domain_.transfer(info, span<const element>(args, count));
  }

  /// Evaluates an operation that only the IR can compute, from constants; or from some constants, if the IR can do
  /// that. An operand without a value does not mean that there is no result: the operation may not need it.
  constexpr element fold(value_id v, bool is_first, operand_traits& of_operands) {
    if (const std::optional<constant_type> literal = ir_.constant(v)) {
      return constant_or_promised(ir_, domain_, v, literal);
    }
    bool waits = false;
    if constexpr (has_partial_fold<IR>) {
      memory_.partial_constants.clear();
      for_each_id(ir_.operands(v), [&](value_id operand) {
        note_operand(operand, v, is_first, of_operands);
        waits = waits || facts_.is_unknown(operand);
        memory_.partial_constants.push_back(facts_.is_unknown(operand) ? std::nullopt
                                                                       : domain_.as_constant(facts_[operand]));
      });
      return waits && !traits_.has(v, fact_trait::resolved) ? domain_.bottom()
                                                            : constant_or_promised(ir_, domain_, v, fold_some(v));
    } else {
      bool varies = false;
      memory_.constants.clear();
      for_each_id(ir_.operands(v), [&](value_id operand) {
        note_operand(operand, v, is_first, of_operands);
        if (facts_.is_unknown(operand)) {
          waits = true;
        } else if (const std::optional<constant_type> c = domain_.as_constant(facts_[operand])) {
          memory_.constants.push_back(*c);
        } else {
          varies = true;
        }
      });
      if (waits && !traits_.has(v, fact_trait::resolved)) {
        return domain_.bottom();
      }
      return constant_or_promised(
          ir_, domain_, v,
          waits || varies ? std::nullopt
                          : ir_.fold(v, span<const constant_type>(memory_.constants.data(), memory_.constants.size())));
    }
  }

  /// The fact of a copy after a branch: that of the original, refined by the comparison. Bottom as long as the other
  /// side of the comparison has no value.
  constexpr element sharpened(const branch_fact<constant_type>& implied) {
    element subject = facts_[implied.subject];
    element other = implied.constant ? domain_.constant(implied.width, *implied.constant) : facts_[implied.other];
    if (is_bottom(domain_, subject) || is_bottom(domain_, other)) {
      return domain_.bottom();
    }
    if constexpr (has_assume<D>) {
      domain_.assume(implied.code, implied.width, subject, other);
    }
    return subject;
  }

  const IR& ir_;
  const D& domain_;
  growing_facts<D> facts_;
  fact_traits traits_;
  fact_readers readers_;
  folded_operands<constant_type>& memory_;
  bool is_checked_; ///< a constant of the IR that the domain excludes is a failure
  [[no_unique_address]] Congruence congruence_;
};

} // namespace detail

MIDEND_END_NAMESPACE
