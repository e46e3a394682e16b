/// `add_phis_of_operations`: completes a plan of `plan_value_numbering` by operations that phis can replace.
///
///     n1: x1 = a + c        n2: x2 = b + c              n1: x1 = a + c        n2: x2 = b + c
///                  \        /                                        \        /
///               n3: p = phi(a, b)                  →              n3: q = phi(x1, x2)
///                   y = p + c                                         y is q
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/detail/translated_operations.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR, class D> class phi_of_operations_finder {
public:
  using plan = value_numbering_plan<domain_constant<D>>;
  using claim = phi_of_operations<domain_constant<D>>;
  using term = typename translated_operations<IR, D>::term;

  phi_of_operations_finder(const IR& ir, const value_numbering_result<D>& found, plan& out)
      : ir_(ir), found_(found), out_(out), fixed_(ir), at_(ir, found, out) {}

  void run() {
    const std::size_t count = found_.num_values();
    next_.assign(count, no_value);
    first_.clear();
    operations_.clear(count);
    phis_.clear();
    drops_.resize(count);
    drops_.reset();
    for (const value_id v : out_.dropped_promises) {
      drops_.set(v);
    }
    for (const node_id n : at_.tree().preorder()) {
      if (found_.is_executable(n)) {
        for_each_id(ir_.values(n), [&](value_id v) { enter(v, n); });
      }
    }
    for (const node_id n : at_.tree().preorder()) {
      if (found_.is_executable(n)) {
        for_each_id(ir_.values(n), [&](value_id v) { consider(v); });
      }
    }
  }

private:
  /// Enters an operation or a phi that stays into the table, under what it computes.
  void enter(value_id v, node_id n) {
    if (at_.now(v) != v || found_.constant(v) || !found_.is_computed(v)) {
      return;
    }
    if (ir_.is_phi(v)) {
      if (is_taken_whole(n)) {
        description_.clear();
        description_.push_back(n);
        for (const edge_id e : at_.in_edges(n)) {
          const auto input = static_cast<value_id>(ir_.phi_input(v, e));
          if (input == no_value || is_undefined_literal(ir_, input) || !found_.is_computed(input)) {
            return;
          }
          description_.push_back(found_.class_of(input));
        }
        (void)phi_with(v, {v, no_value});
      }
    } else if (at_.may_translate(v)) {
      at_.describe_here(v, description_);
      const auto fresh = static_cast<std::uint32_t>(first_.size());
      const std::uint32_t k = operation_with(v, fresh);
      if (k == fresh) {
        first_.push_back(v);
        last_.push_back(v);
      } else {
        next_[last_[k]] = v;
        last_[k] = v;
      }
    }
  }

  /// The list of operations that match the description and have the type of `v`.
  std::uint32_t operation_with(value_id v, std::uint32_t fresh) {
    return operations_.find_or_insert(hash_of_description(description_), fresh, [&](std::uint32_t k) {
      at_.describe_here(first_[k], other_description_);
      return description_ == other_description_ && same_type(ir_, v, first_[k]);
    });
  }

  /// A phi of the program, or the operation whose phi will be made.
  struct described_phi {
    value_id phi;
    value_id operation;
    std::vector<std::uint32_t> description = {};
  };

  /// The phi with the described inputs and the type of `v`, or else `fresh`, which is then entered.
  const described_phi& phi_with(value_id v, described_phi fresh) {
    const auto at = static_cast<std::uint32_t>(made_.size());
    const std::uint32_t k = phis_.find_or_insert(hash_of_description(description_), at, [&](std::uint32_t other) {
      const described_phi& its = made_[other];
      bool agrees = its.description.size() == description_.size() &&
                    same_type(ir_, v, its.phi != no_value ? its.phi : its.operation);
      for (std::size_t i = 0; agrees && i != description_.size(); ++i) {
        agrees = its.description[i] == description_[i];
      }
      return agrees;
    });
    if (k == at) {
      fresh.description.assign(description_.begin(), description_.end());
      made_.push_back(std::move(fresh));
    }
    return made_[k];
  }

  /// Whether all edges into `n` may be taken. Otherwise a phi would lack an input.
  bool is_taken_whole(node_id n) const {
    for (const edge_id e : at_.in_edges(n)) {
      if (!found_.is_executable_edge(e)) {
        return false;
      }
    }
    return true;
  }

  void consider(value_id v) {
    if (at_.now(v) != v || !at_.may_translate(v) || found_.constant(v) || !may_insert_phi(ir_, v) ||
        !fixed_.may_replace(v) || !can_erase(v)) {
      return;
    }
    node_id n = no_node; // the node of the lowest phi
    for_each_id(ir_.operands(v), [&](value_id operand) {
      const node_id home = at_.node_of_phi(operand);
      n = home != no_node && (n == no_node || at_.tree().dominates(n, home)) ? home : n;
    });
    if (n == no_node || !is_taken_whole(n)) {
      return;
    }
    claim one{v, n, no_value, v, {}};
    for (std::size_t i = 0; i != at_.in_edges(n).size(); ++i) {
      const edge_id e = at_.in_edges(n)[i];
      const term input = at_.translate(v, n, i) ? input_for(v, e) : term();
      if (!input) {
        return;
      }
      one.inputs.push_back({e, input.value, input.value == no_value ? input.constant : std::nullopt});
    }
    add(std::move(one));
  }

  /// The input for `e` that equals `v` there, if one exists. The operands of `v` have been translated.
  term input_for(value_id v, edge_id e) {
    if (const auto c = at_.folded(v)) {
      return {no_value, c};
    }
    if (const term passed = at_.passed_on(v)) {
      return passed;
    }
    at_.describe(v, description_);
    const std::uint32_t k = operations_.find(hash_of_description(description_), [&](std::uint32_t other) {
      at_.describe_here(first_[other], other_description_);
      return description_ == other_description_ && same_type(ir_, v, first_[other]);
    });
    std::size_t tries = 0;
    for (value_id w = k == operations_.missing ? no_value : first_[k]; w != no_value && tries != most_tries;
         w = next_[w], ++tries) {
      if (w != v && at_.arrives(w, e)) {
        return {w, std::nullopt};
      }
    }
    return {};
  }

  void add(claim one) {
    description_.clear();
    description_.push_back(one.node);
    for (const auto& input : one.inputs) {
      description_.push_back(at_.number({input.value, input.constant}, one.value));
    }
    const described_phi& same = phi_with(one.value, {no_value, one.value});
    one.phi = same.phi;
    one.first = same.phi == no_value ? same.operation : one.value;
    for (const auto& input : one.inputs) {
      if (input.value != no_value && at_.home(input.value) != no_node && !drops_.test(input.value) &&
          !ir_.is_phi(input.value) && plan_promises_more(ir_, input.value, one.value)) {
        drops_.set(input.value);
        out_.dropped_promises.push_back(input.value);
      }
    }
    out_.phis.push_back(std::move(one));
    at_.add_claim(out_.phis.size() - 1);
  }

  bool can_erase(value_id v) const {
    if constexpr (effect_ir<IR>) {
      return is_removable(ir_, v);
    } else {
      return true;
    }
  }

  static constexpr std::size_t most_tries = 32; ///< the number of equal operations to try until one arrives

  const IR& ir_;
  const value_numbering_result<D>& found_;
  plan& out_;
  fixed_operands<IR> fixed_;
  translated_operations<IR, D> at_;
  flat_array<value_id> next_;  ///< the next operation that computes the same
  flat_array<value_id> first_; ///< by list
  flat_array<value_id> last_;
  hash_map<std::uint64_t> operations_; ///< lists, by what they compute
  std::vector<described_phi> made_;
  hash_map<std::uint64_t> phis_; ///< of the program and made ones
  bit_row drops_;
  flat_array<std::uint32_t> description_;
  flat_array<std::uint32_t> other_description_;
};

} // namespace detail

/// Adds to a plan for `found` the operations that equal a phi of existing values: y = op(p, c), where p is a phi of a
/// node that dominates y, and c is computed above that node. On each edge into the node, op has to be a constant, an
/// operand, or an operation that was computed before the edge is taken; (b extended by zeros) != 0 is b. Nothing is
/// computed anew, so nothing traps that did not. The phi may be one of the program, one that another operation needs,
/// or a new one. Operations on operations that became phis are considered, too.
///
/// Gargi, "A sparse algorithm for predicated global value numbering", PLDI 2002, and the "phi of ops" of LLVM's NewGVN.
/// Departure: runs after the classes are known, not while they are refined. So it does not find an operation that is a
/// phi only if a later value of a loop is one, too; equalities that follow only from such phis appear when the program
/// is numbered again. On the other hand, each step follows from proved classes, and it ends.
///
/// Leaves out nodes with an edge that is never taken. Call it before `drop_poison_promises`. Expected O(values +
/// operands + edges), and for each operation that reads a phi, the edges into the node of the phi up to the first one
/// without an input.
template <semantic_ir_argument IR, value_domain D>
void add_phis_of_operations(const IR& ir, const value_numbering_result<D>& found,
                            value_numbering_plan<domain_constant<D>>& plan) {
  MIDEND_ASSERT(plan.phis.empty(), "a plan without phis of operations", plan.phis.size());
  detail::phi_of_operations_finder<IR, D>(ir, found, plan).run();
}

MIDEND_END_NAMESPACE
