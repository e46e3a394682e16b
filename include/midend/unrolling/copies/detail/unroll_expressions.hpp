/// The values of an unrolled body while it is made: each expression is there once.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/detail/unroll_table.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `unroll_expressions` owns between calls.
struct unroll_expression_memory {
  flat_array<value_facts> facts; ///< by node
  interning_table table;
};

/// What an operation is, beside its operands.
struct expression_kind {
  operation_info info;
  operation_class cost = operation_class::alu;
  bool is_free = false;
  bool reassociates = false;
  std::uint32_t identity = 0; ///< of `other`
};

constexpr expression_kind kind_of(const body_value& v) {
  return {v.info, v.cost, v.is_free, v.reassociates, v.identity};
}

/// Makes nodes, for the value `origin` of the body in the copy `copy`.
class unroll_expressions {
public:
  constexpr unroll_expressions(const loop_body& of, unroll_expression_memory& memory, unrolled_body& result)
      : body(of), out(result), facts_(memory.facts), table_(memory.table) {
    facts_.clear();
    table_.clear();
  }

  const loop_body& body;
  unrolled_body& out;
  std::uint32_t copy = 0;
  body_id origin = no_body_value;

  constexpr const unrolled_node& node(unrolled_id n) const { return out.nodes[n]; }

  constexpr value_facts& facts(unrolled_id n) { return facts_[n]; }

  constexpr value_facts facts_of(const known_value& x) const {
    return x.is_literal() ? value_facts{{x.signed_addend(), x.signed_addend()}} : facts_[x.node];
  }

  constexpr signed_range range_of(const known_value& x) const { return shifted(facts_of(x), x); }

  constexpr bool is_exact(const known_value& x) const { return x.is_literal() || is_exact_sum(facts_[x.node], x); }

  constexpr bool is_invariant(const known_value& x) const { return x.is_literal() || out.nodes[x.node].is_invariant; }

  constexpr void save(saving_kind kind, std::uint64_t result) { save(kind, origin, result); }

  constexpr void save(saving_kind kind, body_id value, std::uint64_t result) {
    out.savings.push_back({kind, copy, value, result});
  }

  constexpr unrolled_operand operand(const known_value& x) {
    return x.is_literal() ? unrolled_operand{constant(x.addend, x.width), 0} : unrolled_operand{x.node, x.addend};
  }

  /// The node that is a number.
  constexpr unrolled_id constant(std::uint64_t bits, unsigned width) {
    const auto fresh = static_cast<unrolled_id>(out.nodes.size());
    const unrolled_id found = table_.find_or_insert(mixed(mixed(width, bits), 0), fresh, [&](unrolled_id n) {
      const unrolled_node& other = out.nodes[n];
      return other.kind == body_kind::constant && other.bits == bits && other.info.width == width;
    });
    if (found == fresh) {
      unrolled_node& n = append(body_kind::constant, width);
      n.bits = bits;
      n.is_invariant = true;
      const std::int64_t number = as_signed(bits, width);
      facts_[fresh] = {{number, number}};
    }
    return found;
  }

  /// A node with nothing but a kind and a width, equal to no other: phis, what comes from outside, effects.
  constexpr unrolled_node& append(body_kind kind, unsigned width) {
    unrolled_node n{};
    n.kind = kind;
    n.info.width = static_cast<std::uint8_t>(width);
    n.info.operand_width = n.info.width;
    n.first_operand = static_cast<std::uint32_t>(out.operands.size());
    n.access = no_unrolled;
    n.guard = no_unrolled;
    n.copy = copy;
    n.origin = origin;
    out.nodes.push_back(n);
    facts_.push_back(value_facts::none(width));
    return out.nodes.back();
  }

  /// Whether the last call of `compute` or `apply` made a node.
  constexpr bool is_fresh() const { return is_fresh_; }

  /// The value of an operation of the vocabulary as most machines issue it.
  constexpr known_value apply(operation code, unsigned width, std::initializer_list<known_value> args) {
    expression_kind kind;
    kind.info.code = code;
    kind.info.width = static_cast<std::uint8_t>(is_comparison(code) ? 1 : width);
    kind.info.operand_width = static_cast<std::uint8_t>(width);
    const auto usual = usual_class(kind.info);
    kind.cost = usual ? *usual : operation_class::alu;
    kind.is_free = !usual;
    return compute(kind, {args.begin(), args.size()});
  }

  /// The value of an operation: a node that is there, or a new one. Promises of the operation are not kept, so that
  /// those that differ in nothing else are one.
  constexpr known_value compute(expression_kind kind, std::span<const known_value> args) {
    const bool is_vocabulary = kind.info.code != operation::other;
    kind.info.flags = {};
    if (!changes_width(kind.info.code)) {
      kind.info.operand_width = kind.info.width;
    }
    const auto first = static_cast<std::uint32_t>(out.operands.size());
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(kind.info.code) << 16 | std::uint64_t{kind.info.width} << 8 |
                                   kind.info.operand_width,
                               kind.identity);
    bool invariant = true;
    for (const known_value& x : args) {
      const unrolled_operand o = operand(x);
      out.operands.push_back(o);
      hash = mixed(hash, o.addend << 32 ^ o.addend ^ o.node);
      invariant = invariant && out.nodes[o.node].is_invariant;
    }
    const auto fresh = static_cast<unrolled_id>(out.nodes.size());
    unrolled_id found = fresh;
    if (is_vocabulary || kind.identity != 0) {
      found = table_.find_or_insert(hash, fresh, [&](unrolled_id n) { return is_same(n, kind, first); });
    }
    is_fresh_ = found == fresh;
    if (is_fresh_) {
      append_operation(kind, first, invariant);
    } else {
      out.operands.shrink(first);
      share(found, kind);
    }
    return value_of_node(found, kind.info.width);
  }

  /// The operation of a value of two operands as it is. Those of a commutative one have a fixed order: numbers last.
  constexpr known_value compute(const body_value& v, const known_value& a, const known_value& b) {
    const bool swap = is_commutative(v.info.code) && b.node < a.node;
    const known_value operands[] = {swap ? b : a, swap ? a : b};
    return compute(kind_of(v), operands);
  }

private:
  /// Whether operands have another width than the result.
  static constexpr bool changes_width(operation code) {
    return is_comparison(code) || code == operation::truncate || code == operation::zero_extend ||
           code == operation::sign_extend;
  }

  /// Whether a node computes `kind` of the operands from `first` on.
  constexpr bool is_same(unrolled_id n, const expression_kind& kind, std::uint32_t first) const {
    const unrolled_node& other = out.nodes[n];
    const std::size_t count = out.operands.size() - first;
    if (other.kind != body_kind::pure || other.info != kind.info || other.identity != kind.identity ||
        other.num_operands != count || (kind.info.code == operation::other && other.cost != kind.cost)) {
      return false;
    }
    for (std::size_t i = 0; i != count; ++i) {
      if (out.operands[other.first_operand + i] != out.operands[first + i]) {
        return false;
      }
    }
    return true;
  }

  constexpr void append_operation(const expression_kind& kind, std::uint32_t first, bool invariant) {
    unrolled_node& n = append(body_kind::pure, kind.info.width);
    n.info = kind.info;
    n.cost = kind.cost;
    n.is_free = kind.is_free;
    n.reassociates = kind.reassociates;
    n.identity = kind.identity;
    n.first_operand = first;
    n.num_operands = static_cast<std::uint32_t>(out.operands.size()) - first;
    n.is_invariant = invariant;
  }

  constexpr void share(unrolled_id n, const expression_kind& kind) {
    unrolled_node& shared = out.nodes[n];
    shared.reassociates = shared.reassociates && kind.reassociates;
    if (shared.copy != copy && !shared.is_free) {
      save(saving_kind::shared_expression, shared.copy);
    }
  }

  flat_array<value_facts>& facts_;
  interning_table& table_;
  bool is_fresh_ = false;
};

} // namespace detail

MIDEND_END_NAMESPACE
