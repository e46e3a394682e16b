/// `copy_numbering`: the nodes of an unrolled body, each expression once.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What an operation computes from its operands, and what it costs.
struct expression_kind {
  operation_info info;
  operation_class cost = operation_class::alu;
  bool is_free = false;
  bool reassociates = false;
  std::uint32_t identity = 0; ///< of `operation::other`
};

constexpr expression_kind kind_of(const body_value& v) {
  return {v.info, v.cost, v.is_free, v.reassociates, v.identity};
}

/// The half of a hash in which all bits of what was mixed have a say.
constexpr std::uint32_t high_bits(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

/// Appends nodes to an unrolled body and finds equal ones again by a hash table (B. Alpern, M. Wegman, F. K. Zadeck,
/// "Detecting equality of variables in programs", POPL 1988). Records what an earlier copy has computed as a saving, in
/// the copy and for the value of the loop body that the caller has set.
class copy_numbering {
public:
  /// Appends to `out`, which is empty, until the next call.
  constexpr void begin(unrolled_body& out) {
    out_ = &out;
    facts_.clear();
    found_.clear();
    copy_ = 0;
    origin_ = no_body_value;
    has_decisions_ = false;
  }

  constexpr void begin_copy(std::uint32_t copy) { copy_ = copy; }

  constexpr std::uint32_t copy() const { return copy_; }

  /// Sets the value of the loop body for which the next nodes are made.
  constexpr void set_origin(body_id v) { origin_ = v; }

  constexpr const unrolled_body& body() const { return *out_; }

  constexpr value_facts& facts(unrolled_id n) { return facts_[n]; }

  constexpr const value_facts& facts(unrolled_id n) const { return facts_[n]; }

  constexpr value_facts facts_of(const known_value& x) const {
    return x.is_literal() ? value_facts::number(x.signed_addend()) : facts_[x.node];
  }

  constexpr signed_interval::element range_of(const known_value& x) const { return range_of_sum(facts_of(x), x); }

  constexpr bool is_exact(const known_value& x) const { return x.is_literal() || is_exact_sum(facts_[x.node], x); }

  /// Control goes on only where the bit `x` is `bit`. So are the operands of a conjunction that holds, and of a
  /// disjunction that does not.
  constexpr void decide(const known_value& x, bool bit) {
    if (x.is_literal() || x.is_none() || x.width != 1) {
      return;
    }
    const bool holds = bit != (x.addend != 0);
    facts_[x.node] = value_facts::number(holds ? -1 : 0);
    has_decisions_ = true;
    const unrolled_node& n = out_->values[x.node];
    const operation code = n.info.code;
    if (n.kind == body_kind::pure && code == (holds ? operation::bit_and : operation::bit_or)) {
      for (const unrolled_operand& o : out_->operands_of(x.node)) {
        if (out_->values[o.node].kind != body_kind::constant) {
          decide(flipped(value_of_node(o.node, 1), o.addend), holds);
        }
      }
    }
  }

  /// The number that `x` is by a decision, if it is one; else `x`.
  constexpr known_value resolved(const known_value& x) const {
    if (!has_decisions_ || x.width != 1 || x.is_literal() || x.is_none()) {
      return x;
    }
    const signed_interval::element& range = facts_[x.node].range;
    return range.low == range.high ? literal(static_cast<std::uint64_t>(range.low) + x.addend, 1) : x;
  }

  constexpr bool is_invariant(const known_value& x) const {
    return x.is_literal() || out_->values[x.node].is_invariant;
  }

  constexpr void save(saving_kind kind, std::uint64_t result) { save(kind, origin_, result); }

  constexpr void save(saving_kind kind, body_id value, std::uint64_t result) {
    out_->savings.push_back({kind, copy_, value, result});
  }

  /// The value as an operand; a number gets a node.
  constexpr unrolled_operand operand(const known_value& value) {
    const known_value x = resolved(value);
    return x.is_literal() ? unrolled_operand{constant(x.addend, x.width), 0} : unrolled_operand{x.node, x.addend};
  }

  /// The node of a number.
  constexpr unrolled_id constant(std::uint64_t bits, unsigned width) {
    const auto fresh = static_cast<unrolled_id>(out_->values.size());
    const unrolled_id found =
        found_.find_or_insert(high_bits(mix_hash(mix_hash(width, bits), 0)), fresh, [&](unrolled_id n) {
          const unrolled_node& other = out_->values[n];
          return other.kind == body_kind::constant && other.bits == bits && other.info.width == width;
        });
    if (found == fresh) {
      unrolled_node& n = append(body_kind::constant, width);
      n.bits = bits;
      n.is_invariant = true;
      facts_[fresh] = value_facts::number(as_signed(bits, width));
    }
    return found;
  }

  /// Appends a node that is equal to no other and has only a kind and a width: a phi, an invariant, an effect.
  constexpr unrolled_node& append(body_kind kind, unsigned width) {
    unrolled_node n{};
    n.kind = kind;
    n.info.width = static_cast<std::uint8_t>(width);
    n.info.operand_width = n.info.width;
    n.first_operand = static_cast<std::uint32_t>(out_->operands.size());
    n.access = no_unrolled;
    n.guard = no_unrolled;
    n.copy = copy_;
    n.origin = origin_;
    out_->values.push_back(n);
    facts_.push_back(value_facts::none(width));
    return out_->values.back();
  }

  /// Appends a node that is equal to no other, for the value `v` of the loop body.
  constexpr known_value append(body_id v, const body_value& value, body_kind kind) {
    origin_ = v;
    unrolled_node& n = append(kind, value.info.width);
    n.cost = value.cost;
    n.is_free = value.is_free;
    n.is_volatile = value.is_volatile;
    n.info = value.info;
    n.identity = value.identity;
    return value_of_node(static_cast<unrolled_id>(out_->values.size() - 1), value.info.width);
  }

  /// Whether the last call of `compute` or `apply` made a node.
  constexpr bool is_fresh() const { return is_fresh_; }

  /// The value of an operation of the vocabulary in the class in which most machines issue it. Not for comparisons and
  /// changes of width.
  constexpr known_value apply(operation code, unsigned width, std::initializer_list<known_value> args) {
    expression_kind kind;
    kind.info.code = code;
    kind.info.width = static_cast<std::uint8_t>(width);
    kind.info.operand_width = kind.info.width;
    const auto usual = usual_operation_class(kind.info);
    kind.cost = usual ? *usual : operation_class::alu;
    kind.is_free = !usual;
    return compute(kind, {args.begin(), args.size()});
  }

  /// The value of an operation: a node that exists, or a new one. The node drops the promises of the operation, so that
  /// operations that differ only in these are one.
  constexpr known_value compute(expression_kind kind, span<const known_value> args) {
    const bool is_vocabulary = kind.info.code != operation::other;
    kind.info.flags = {};
    if (!reads_operand_width(kind.info.code)) {
      kind.info.operand_width = kind.info.width;
    }
    const auto first = static_cast<std::uint32_t>(out_->operands.size());
    std::uint64_t hash = mix_hash(static_cast<std::uint64_t>(kind.info.code) << 16 |
                                      std::uint64_t{kind.info.width} << 8 | kind.info.operand_width,
                                  kind.identity);
    bool invariant = true;
    for (const known_value& x : args) {
      const unrolled_operand o = operand(x);
      out_->operands.push_back(o);
      hash = mix_hash(hash, o.addend << 32 ^ o.addend ^ o.node);
      invariant = invariant && out_->values[o.node].is_invariant;
    }
    const auto fresh = static_cast<unrolled_id>(out_->values.size());
    unrolled_id found = fresh;
    if (is_vocabulary || kind.identity != 0) {
      found = found_.find_or_insert(high_bits(hash), fresh, [&](unrolled_id n) { return is_same(n, kind, first); });
    }
    is_fresh_ = found == fresh;
    if (is_fresh_) {
      append_operation(kind, first, invariant);
    } else {
      out_->operands.shrink(first);
      share(found, kind);
    }
    return value_of_node(found, kind.info.width);
  }

  /// A node for an operation of the program as it is written: it is shared with no other, and counts as an operation
  /// of the loop even if its operands do not change.
  constexpr known_value compute_alone(expression_kind kind, span<const known_value> args) {
    kind.info.flags = {};
    if (!reads_operand_width(kind.info.code)) {
      kind.info.operand_width = kind.info.width;
    }
    const auto first = static_cast<std::uint32_t>(out_->operands.size());
    for (const known_value& x : args) {
      const unrolled_operand o = operand(x);
      out_->operands.push_back(o);
    }
    is_fresh_ = true;
    append_operation(kind, first, false);
    return value_of_node(static_cast<unrolled_id>(out_->values.size() - 1), kind.info.width);
  }

  /// The value of the operation of `v`, which has two operands. Those of a commutative operation are put in a fixed
  /// order, numbers last.
  constexpr known_value compute(const body_value& v, const known_value& a, const known_value& b) {
    const bool swap = is_commutative(v.info.code) && b.node < a.node;
    const known_value operands[] = {swap ? b : a, swap ? a : b};
    return compute(kind_of(v), operands);
  }

private:
  /// Whether `operand_width` says something about the operation.
  static constexpr bool reads_operand_width(operation code) {
    return is_comparison(code) || is_modulo_shift(code) || code == operation::truncate ||
           code == operation::zero_extend || code == operation::sign_extend;
  }

  /// Whether node `n` computes `kind` from the operands from `first` on.
  constexpr bool is_same(unrolled_id n, const expression_kind& kind, std::uint32_t first) const {
    const unrolled_node& other = out_->values[n];
    const std::size_t count = out_->operands.size() - first;
    if (other.kind != body_kind::pure || other.info != kind.info || other.identity != kind.identity ||
        other.num_operands != count || (kind.info.code == operation::other && other.cost != kind.cost)) {
      return false;
    }
    for (std::size_t i = 0; i != count; ++i) {
      if (out_->operands[other.first_operand + i] != out_->operands[first + i]) {
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
    n.num_operands = static_cast<std::uint32_t>(out_->operands.size()) - first;
    n.is_invariant = invariant;
  }

  constexpr void share(unrolled_id n, const expression_kind& kind) {
    unrolled_node& shared = out_->values[n];
    shared.reassociates = shared.reassociates && kind.reassociates;
    if (shared.copy != copy_ && !shared.is_free) {
      save(saving_kind::shared_expression, shared.copy);
    }
  }

  unrolled_body* out_ = nullptr;  ///< valid from `begin` until the body that is made goes out of scope
  flat_array<value_facts> facts_; ///< by node
  hash_map<std::uint32_t> found_; ///< constants and pure nodes, by the high bits of their hash
  std::uint32_t copy_ = 0;
  body_id origin_ = no_body_value;
  bool is_fresh_ = false;
  bool has_decisions_ = false; ///< `decide` was called
};

} // namespace detail

MIDEND_END_NAMESPACE
