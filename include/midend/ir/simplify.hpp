/// `simplify`: the first rule of a table that matches an operation of any IR, with facts about its values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/algebra_rules.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The questions of `simplify` about values:
///
///     unsigned width(value_id v);                          // of a number
///     std::optional<std::uint64_t> constant(value_id v);   // a literal
///     operation_info definition(value_id v);               // `other`: it may not be looked through
///     auto operands(value_id v);                           // of such an operation
///     bool is_undefined(value_id v);                       // the literal `undef`, which no rule reads
///     number_facts facts(value_id v);                       // `number_facts::any(width)` if nothing is known
template <class R>
concept definition_reader = requires(const R& reader, value_id v) {
  reader.width(v);
  reader.constant(v);
  reader.definition(v);
  reader.operands(v);
  reader.is_undefined(v);
  reader.facts(v);
};

/// The match of an operation with the pattern of a rule.
struct rule_match {
  algebra_match match = {};
  value_id leaves[3] = {no_value, no_value, no_value};
  value_id matched[algebra_tree::max_terms] = {}; ///< by term of the pattern, except the root
};

namespace detail {

/// Bit k of `orders` exchanges the operands of the k-th operation that allows it, counted from the root.
template <definition_reader Reader>
constexpr bool matches_in_order(const Reader& reader, const operation_info& root, span<const value_id> operands,
                                const algebra_rule& rule, unsigned orders, rule_match& out) {
  const unsigned width = is_comparison(root.code) ? root.operand_width : root.width;
  const algebra_tree& pattern = rule.pattern;
  out.match.width = width;
  out.match.promises = {true, true};
  bool bound[2] = {};
  for (value_id& leaf : out.leaves) {
    leaf = no_value;
  }
  bool is_amount[algebra_tree::max_terms] = {};
  bool is_subtracted[algebra_tree::max_terms] = {};
  unsigned exchanged = 0;
  for (std::size_t i = pattern.size; i-- != 0;) { // operands come before their operation
    const algebra_term& t = pattern.terms[i];
    const bool is_root = i + 1U == pattern.size;
    const value_id u = is_root ? no_value : out.matched[i];
    if (t.kind == term_kind::leaf) {
      if (reader.is_undefined(u) || reader.width(u) != width ||
          (out.leaves[t.index] != no_value && out.leaves[t.index] != u)) {
        return false;
      }
      out.leaves[t.index] = u;
    } else if (t.kind != term_kind::operation) {
      auto c = reader.constant(u);
      if (!c || (!is_amount[i] && reader.width(u) != width)) {
        return false;
      }
      if (is_subtracted[i]) { // for the least number, the promise has another meaning
        out.match.promises.no_signed_wrap =
            out.match.promises.no_signed_wrap && !wrapping_sub(0, *c, width).signed_wrap;
        c = (0 - *c) & low_ones(width);
      }
      const std::uint64_t wanted = t.kind == term_kind::fixed
                                       ? static_cast<std::uint64_t>(std::int64_t{t.value}) & low_ones(width)
                                       : out.match.numbers[t.index];
      if ((t.kind == term_kind::fixed || bound[t.index]) && *c != wanted) {
        return false;
      }
      if (t.kind == term_kind::number) {
        bound[t.index] = true;
        out.match.numbers[t.index] = *c;
      }
    } else {
      const operation_info info = is_root ? root : reader.definition(u);
      const bool subtracts = !is_root && t.code == operation::add && info.code == operation::sub; // x - 1 is x + -1
      if ((info.code != t.code && !subtracts) || (!is_root && info.width != width)) {
        return false;
      }
      if (can_wrap(info.code)) {
        out.match.promises.no_signed_wrap = out.match.promises.no_signed_wrap && info.flags.no_signed_wrap;
        out.match.promises.no_unsigned_wrap =
            out.match.promises.no_unsigned_wrap && info.flags.no_unsigned_wrap && !subtracts;
      }
      value_id read[3] = {no_value, no_value, no_value};
      std::size_t count = 0;
      const auto add = [&](value_id x) {
        if (count < 3) {
          read[count++] = x;
        }
      };
      if (is_root) {
        for (const value_id x : operands) {
          add(x);
        }
      } else {
        for_each_id(reader.operands(u), add);
      }
      if (subtracts && (read[1] == no_value || !reader.constant(read[1]))) {
        return false;
      }
      std::size_t subtracted = 1;
      if (is_commutative(t.code) && (orders >> exchanged++ & 1) != 0) {
        subtracted = 0;
        const value_id first = read[0];
        read[0] = read[1];
        read[1] = first;
      }
      std::size_t end = i;
      for (unsigned k = arity(t.code); k-- != 0;) {
        out.matched[end - 1] = read[k];
        is_amount[end - 1] = reads_whole(t.code, k);
        is_subtracted[end - 1] = subtracts && k == subtracted;
        if (is_subtracted[end - 1] && pattern.terms[end - 1].kind == term_kind::leaf) {
          return false; // a leaf does not look through operations
        }
        if (read[k] == no_value) {
          return false;
        }
        end = first_term(pattern, end - 1);
      }
    }
  }
  return true;
}

} // namespace detail

/// Whether an operation matches the pattern of a rule that applies. `operands` may end with those of a guard, which are
/// not read. Operands that can be exchanged are tried in both orders.
template <definition_reader Reader>
constexpr bool matches_rule(const Reader& reader, const operation_info& root, span<const value_id> operands,
                            const algebra_rule& rule, rule_match& out) {
  if (rule.pattern.root().code != root.code) {
    return false;
  }
  unsigned exchangeable = 0;
  for (std::size_t i = 0; i != rule.pattern.size; ++i) {
    const algebra_term& t = rule.pattern.terms[i];
    exchangeable += t.kind == term_kind::operation && is_commutative(t.code) ? 1u : 0u;
  }
  for (unsigned orders = 0; orders >> exchangeable == 0; ++orders) {
    if (!detail::matches_in_order(reader, root, operands, rule, orders, out)) {
      continue;
    }
    for (std::size_t i = 0; rule.reads_facts && i != 3; ++i) {
      out.match.facts[i] = out.leaves[i] == no_value ? number_facts() : reader.facts(out.leaves[i]);
    }
    if (rule.applies == nullptr || rule.applies(out.match)) {
      return true;
    }
  }
  return false;
}

/// The kinds of an operand, or those that a pattern allows: a bit for each operation, one for literals. If the sets of
/// an operand and of a position in a pattern have a common bit, they may match.
namespace detail {

inline constexpr std::uint64_t any_kind = ~std::uint64_t{0};
inline constexpr std::uint64_t literal_kind = std::uint64_t{1} << 63;

constexpr std::uint64_t kind_of_operation(operation code) {
  static_assert(static_cast<unsigned>(last_operation) < 63);
  return std::uint64_t{1} << static_cast<unsigned>(code);
}

constexpr std::uint64_t kinds_of_term(const algebra_term& t) {
  switch (t.kind) {
  case term_kind::leaf:
    return any_kind;
  case term_kind::operation: // x - 1 is x + -1
    return kind_of_operation(t.code) | (t.code == operation::add ? kind_of_operation(operation::sub) : 0);
  default:
    return literal_kind;
  }
}

/// The kinds of the operands of an operation.
struct operand_kinds {
  std::uint64_t kinds[3] = {any_kind, any_kind, any_kind};
  std::uint64_t literals[3] = {};
  unsigned width = 0; ///< the width that rules for the operation read

  template <definition_reader Reader>
  constexpr operand_kinds(const Reader& reader, const operation_info& root, span<const value_id> operands)
      : width(is_comparison(root.code) ? root.operand_width : root.width) {
    for (std::size_t i = 0; i < operands.size() && i != 3; ++i) {
      const value_id v = operands[i];
      const auto c = v == no_value ? decltype(reader.constant(v))() : reader.constant(v);
      literals[i] = c ? static_cast<std::uint64_t>(*c) : 0;
      kinds[i] =
          (c ? literal_kind : 0) | kind_of_operation(c || v == no_value ? operation::other : reader.definition(v).code);
    }
  }
};

} // namespace detail

/// The rules of a table by the operation that they begin with, in the order of the table, which must live as long. The
/// kinds of its operands exclude rules that need not be matched, as in fingerprint indexing (S. Schulz, IJCAR 2012),
/// with the root's operands as positions. Made in O(rules).
class rule_index {
public:
  explicit rule_index(span<const algebra_rule> rules)
      : rules_(rules), order_(rules.size(), 0), needs_(rules.size(), kinds_needed{}) {
    for (const algebra_rule& rule : rules) {
      ++first_[code_of(rule)];
    }
    for (std::size_t code = 1; code != num_codes; ++code) {
      first_[code] += first_[code - 1];
    }
    for (std::size_t i = rules.size(); i-- != 0;) {
      const std::size_t at = --first_[code_of(rules[i])]; // leaves the beginning of each list in `first_`
      order_[at] = static_cast<std::uint32_t>(i);
      needs_[at] = needs_of(rules[i].pattern);
    }
  }

  /// The number of rules that begin with this operation.
  std::size_t count(operation code) const {
    const std::size_t i = static_cast<std::size_t>(code);
    return (i + 1 == num_codes ? order_.size() : first_[i + 1]) - first_[i];
  }

  /// The k-th of these rules.
  const algebra_rule& rule(operation code, std::size_t k) const { return rules_[order_[number(code, k)]]; }

  /// False if the pattern cannot match these operands.
  bool may_match(operation code, std::size_t k, const detail::operand_kinds& operands) const {
    const kinds_needed& needs = needs_[number(code, k)];
    return (fits(needs, 0, operands, 0) && fits(needs, 1, operands, 1) && fits(needs, 2, operands, 2)) ||
           (is_commutative(code) && fits(needs, 0, operands, 1) && fits(needs, 1, operands, 0));
  }

private:
  struct kinds_needed {
    std::uint64_t at[3];
    std::int64_t number[3]; ///< the number that the literal must be
    bool is_number[3];
  };

  static constexpr std::size_t num_codes = static_cast<std::size_t>(last_operation) + 1;

  static std::size_t code_of(const algebra_rule& rule) { return static_cast<std::size_t>(rule.pattern.root().code); }

  static kinds_needed needs_of(const algebra_tree& pattern) {
    kinds_needed out = {{detail::any_kind, detail::any_kind, detail::any_kind}, {}, {}};
    std::size_t end = pattern.size - std::size_t{1};
    for (unsigned k = arity(pattern.root().code); k-- != 0;) {
      const algebra_term& t = pattern.terms[end - 1];
      out.at[k] = detail::kinds_of_term(t);
      out.is_number[k] = t.kind == term_kind::fixed && !reads_whole(pattern.root().code, k);
      out.number[k] = t.value;
      end = detail::first_term(pattern, end - 1);
    }
    return out;
  }

  static bool fits(const kinds_needed& needs, std::size_t i, const detail::operand_kinds& operands, std::size_t at) {
    return (needs.at[i] & operands.kinds[at]) != 0 &&
           (!needs.is_number[i] ||
            operands.literals[at] == (static_cast<std::uint64_t>(needs.number[i]) & low_ones(operands.width)));
  }

  std::size_t number(operation code, std::size_t k) const { return first_[static_cast<std::size_t>(code)] + k; }

  span<const algebra_rule> rules_;
  std::uint32_t first_[num_codes] = {};
  flat_array<std::uint32_t> order_;
  flat_array<kinds_needed> needs_; ///< by place in `order_`
};

/// Looks for a rule that simplifies the operation `root` with these operands, among the rules for its code, from number
/// `first` on. Returns the number of the first one, with its match; `rules.count(root.code)` if there is none. The
/// caller decides by costs whether it pays; if not, call again from the next number. O(these rules): patterns are
/// small.
template <definition_reader Reader>
std::size_t simplify(const Reader& reader, const operation_info& root, span<const value_id> operands,
                     const rule_index& rules, std::size_t first, rule_match& out) {
  const std::size_t count = rules.count(root.code);
  if (first >= count) {
    return count;
  }
  const detail::operand_kinds kinds(reader, root, operands);
  for (std::size_t k = first; k < count; ++k) {
    if (rules.may_match(root.code, k, kinds) && matches_rule(reader, root, operands, rules.rule(root.code, k), out)) {
      return k;
    }
  }
  return count;
}

MIDEND_END_NAMESPACE
