/// `explain_congruence`: explains why two values are equal, or what tells them apart.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The kinds of steps of an explanation.
enum class congruence_reason : std::uint8_t {
  same,                 ///< they are one value
  constant,             ///< both are the same constant
  passed_on,            ///< equal: `value` always equals `because`, which later steps compare with `other`
  same_operation,       ///< equal: they compute the same from equal operands, which later steps compare
  same_phi,             ///< equal: phis of one node with equal inputs along executable edges
  not_computed,         ///< differ: no run computes one of them
  different_types,      ///< differ
  different_constants,  ///< differ: only one is constant, or both are, and not the same
  different_operations, ///< differ: they compute different things
  different_operands,   ///< differ: an operand does, which the next step compares
  different_inputs,     ///< differ: phis with different inputs along `edge`, which the next step compares
  unknown               ///< differ: nothing says that they are equal, as for parameters, loads and calls
};

/// A step of an explanation. Members that do not apply are `no_…`.
struct congruence_step {
  congruence_reason why;
  value_id value;
  value_id other;
  value_id because = no_value; ///< valid for `passed_on`: the operand or input that `value` equals
  edge_id edge = no_edge;

  friend constexpr bool operator==(const congruence_step&, const congruence_step&) = default;
};

namespace detail {

template <class IR, class D> class congruence_explainer {
public:
  congruence_explainer(const IR& ir, const value_numbering_result<D>& found, flat_array<congruence_step>& out)
      : ir_(ir), found_(found), out_(out) {
    home_.assign(found.num_values(), no_node);
    const auto count = static_cast<node_id>(ir.graph().num_nodes());
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
    }
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
        if (found.is_executable_edge(e)) {
          edges_.push_back(e);
        }
      });
    }
  }

  void run(value_id a, value_id b) {
    ask(a, b);
    for (std::size_t i = 0; i != asked_.size(); ++i) {
      const pair p = asked_[i];
      found_.are_congruent(p.a, p.b) ? explain_equal(p.a, p.b) : explain_different(p.a, p.b);
    }
  }

private:
  struct pair {
    value_id a;
    value_id b;
  };

  void ask(value_id a, value_id b) {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    if (met_.find_or_insert(key, static_cast<std::uint32_t>(asked_.size())) == asked_.size()) {
      asked_.push_back({a, b});
    }
  }

  void explain_equal(value_id a, value_id b) {
    if (a == b) {
      out_.push_back({congruence_reason::same, a, b});
    } else if (constant(a) && constant(b)) {
      out_.push_back({congruence_reason::constant, a, b});
    } else if (const value_id from = passed_on_by(a); from != no_value) {
      out_.push_back({congruence_reason::passed_on, a, b, from});
      ask(from, b);
    } else if (const value_id source = passed_on_by(b); source != no_value) {
      out_.push_back({congruence_reason::passed_on, b, a, source});
      ask(a, source);
    } else if (ir_.is_phi(a)) {
      out_.push_back({congruence_reason::same_phi, a, b});
      for_each_input(a, b, [&](value_id i, value_id k, edge_id) { ask(i, k); });
    } else {
      out_.push_back({congruence_reason::same_operation, a, b});
      for_each_operand(a, b, [&](value_id i, value_id k) { ask(i, k); });
    }
  }

  void explain_different(value_id a, value_id b) {
    const auto x = constant(a);
    const auto y = constant(b);
    congruence_step step{congruence_reason::unknown, a, b};
    pair next{no_value, no_value};
    if (!found_.is_computed(a) || !found_.is_computed(b)) {
      step.why = congruence_reason::not_computed;
    } else if (!same_type(ir_, a, b)) {
      step.why = congruence_reason::different_types;
    } else if (x || y) {
      step.why = congruence_reason::different_constants;
    } else if (home_[a] != no_node && home_[b] != no_node && ir_.is_phi(a) && ir_.is_phi(b) && home_[a] == home_[b]) {
      for_each_input(a, b, [&](value_id i, value_id k, edge_id e) {
        if (step.edge == no_edge && !found_.are_congruent(i, k)) {
          step.why = congruence_reason::different_inputs;
          step.edge = e;
          next = {i, k};
        }
      });
    } else if (is_operation(a) && is_operation(b)) {
      step.why = congruence_reason::different_operations;
      const auto nothing = [](value_id) { return std::uint32_t{0}; };
      describe_operation(ir_, a, nothing, description_);
      describe_operation(ir_, b, nothing, other_description_);
      if (description_ == other_description_) {
        for_each_operand(a, b, [&](value_id i, value_id k) {
          if (next.a == no_value && !found_.are_congruent(i, k)) {
            step.why = congruence_reason::different_operands;
            next = {i, k};
          }
        });
      }
    } else if ((is_operation(a) && home_[b] != no_node && ir_.is_phi(b)) ||
               (is_operation(b) && home_[a] != no_node && ir_.is_phi(a))) {
      step.why = congruence_reason::different_operations;
    }
    out_.push_back(step);
    if (next.a != no_value) {
      ask(next.a, next.b);
    }
  }

  bool is_operation(value_id v) const {
    return home_[v] != no_node && !ir_.is_phi(v) && depends_on_operands_alone(ir_, v);
  }

  /// The operand or input that `v` always equals, or `no_value`.
  value_id passed_on_by(value_id v) const {
    if (home_[v] == no_node) {
      return no_value;
    }
    value_id out = no_value;
    if (ir_.is_phi(v)) {
      for_each_input(v, v, [&](value_id i, value_id, edge_id) {
        out = out == no_value && i != v && found_.are_congruent(i, v) ? i : out;
      });
    } else if (is_operation(v)) {
      out = operand_passed_on(
          ir_, v, [this](value_id a, value_id b) { return found_.are_congruent(a, b); },
          [this](value_id a) { return constant(a); });
    }
    return out != no_value && found_.are_congruent(out, v) ? out : no_value;
  }

  /// The inputs of two phis of one node along executable edges.
  template <class Visit> void for_each_input(value_id a, value_id b, Visit visit) const {
    for (const edge_id e : edges_) {
      if (static_cast<node_id>(ir_.graph().edge_target(e)) == home_[a]) {
        const auto i = static_cast<value_id>(ir_.phi_input(a, e));
        const auto k = static_cast<value_id>(ir_.phi_input(b, e));
        if (i != no_value && k != no_value && found_.is_computed(i) && found_.is_computed(k)) {
          visit(i, k, e);
        }
      }
    }
  }

  /// Pairs the operands of two operations that compute the same. Exchanges them if they agree only then.
  template <class Visit> void for_each_operand(value_id a, value_id b, Visit visit) {
    flat_array<value_id> i;
    flat_array<value_id> k;
    for_each_id(ir_.operands(a), [&](value_id v) { i.push_back(v); });
    for_each_id(ir_.operands(b), [&](value_id v) { k.push_back(v); });
    const operation code = ir_.operation(a).code;
    const operation other = ir_.operation(b).code;
    if (i.size() == 2 && k.size() == 2 && code != operation::other) {
      const bool agree = found_.are_congruent(i[0], k[0]) && found_.are_congruent(i[1], k[1]);
      const bool agree_exchanged = found_.are_congruent(i[0], k[1]) || found_.are_congruent(i[1], k[0]);
      if (code != other || (is_commutative(code) && !agree && agree_exchanged)) {
        detail::swap_values(k[0], k[1]);
      }
    }
    for (std::size_t n = 0; n != i.size() && n != k.size(); ++n) {
      visit(i[n], k[n]);
    }
  }

  std::optional<domain_constant<D>> constant(value_id v) const {
    const std::optional<domain_constant<D>> literal = ir_.constant(v);
    return literal ? literal : found_.constant(v);
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  flat_array<congruence_step>& out_;
  flat_array<node_id> home_;
  flat_array<edge_id> edges_; ///< executable ones
  flat_array<pair> asked_;
  hash_map<std::uint64_t> met_;
  flat_array<std::uint32_t> description_;
  flat_array<std::uint32_t> other_description_;
};

} // namespace detail

/// Explains why `a` and `b` are in one class, or what tells them apart. If they are equal, the steps follow operands
/// and inputs down to a common value, a constant, or a pair that was explained before. If they differ, the steps lead
/// to a first difference. Each pair once. O(n + m), and O(m) for each pair of phis.
template <semantic_ir_argument IR, value_domain D>
flat_array<congruence_step> explain_congruence(const IR& ir, const value_numbering_result<D>& found, value_id a,
                                               value_id b) {
  MIDEND_ASSERT(a < found.num_values() && b < found.num_values(), "values of the program", a, b, found.num_values());
  flat_array<congruence_step> out;
  detail::congruence_explainer<IR, D>(ir, found, out).run(a, b);
  return out;
}

MIDEND_END_NAMESPACE
