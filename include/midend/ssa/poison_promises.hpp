/// `drop_poison_promises`: completes a plan of `plan_value_numbering` for IRs in which a broken promise makes poison.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Collects pairs (a, b) of a class: in the new program, a stands where the old one has b, so a may be poison only if b
/// is. A pair holds if the pairs of what a and b are computed from hold.
template <class IR, class D, class PromisesMore> class poison_promises {
public:
  using plan = value_numbering_plan<domain_constant<D>>;

  poison_promises(const IR& ir, const value_numbering_result<D>& found, const PromisesMore& promises_more, plan& out)
      : ir_(ir), found_(found), promises_more_(promises_more), out_(out) {}

  void run() {
    if (out_.replacements.empty() && out_.phis.empty()) {
      return;
    }
    const std::size_t count = found_.num_values();
    home_.assign(count, no_node);
    now_.resize_for_overwrite(count);
    drops_.resize(count);
    drops_.reset();
    for (const value_id v : out_.dropped_promises) {
      drops_.set(v);
    }
    collect_edges();
    while (!prove_plan()) { // seldom repeats: only if it removed a change
    }
  }

private:
  static constexpr std::uint32_t no_claim = 0xffff'ffff;
  static constexpr std::uint32_t first_root = 0x8000'0000; ///< replacements, then operations that become phis

  struct pair {
    value_id a;
    value_id b;
  };

  /// A pair that another pair, or a root, needs.
  struct reason {
    std::uint32_t pair;
    std::uint32_t needed_by;
  };

  /// Whether the rest of the plan is proved. Otherwise removes the changes that are not.
  bool prove_plan() {
    for (value_id v = 0; v != now_.size(); ++v) {
      now_[v] = v;
    }
    for (const auto& change : out_.replacements) {
      now_[change.value] = change.leader;
    }
    claim_.assign(now_.size(), no_claim);
    for (std::uint32_t i = 0; i != out_.phis.size(); ++i) {
      claim_[out_.phis[i].value] = i;
    }
    pairs_.clear();
    reasons_.clear();
    failed_.clear();
    met_.clear(out_.replacements.size());
    needed_by_ = first_root;
    for (const auto& change : out_.replacements) {
      need(change.leader, change.value);
      ++needed_by_;
    }
    for (const auto& one : out_.phis) {
      need_inputs(one, one.value);
      if (one.phi != no_value) {
        for (const auto& input : one.inputs) {
          if (input.value != no_value) {
            need(static_cast<value_id>(ir_.phi_input(one.phi, input.edge)), input.value);
          }
        }
        if (promises_more_(one.phi, one.value)) {
          drop(one.phi);
        }
      }
      ++needed_by_;
    }
    for (std::uint32_t i = 0; i != pairs_.size(); ++i) {
      if (pairs_.size() > 8 * std::size_t{now_.size()} + 64) {
        return drop_all();
      }
      const pair one = pairs_[i];
      needed_by_ = i;
      prove(one.a, one.b);
    }
    return remove_failed();
  }

  /// The pair or root at hand has no proof.
  void fail() { failed_.push_back(needed_by_); }

  bool remove_failed() {
    if (failed_.empty()) {
      return true;
    }
    flat_array<unsigned char> fails(pairs_.size() + out_.replacements.size() + out_.phis.size(), 0);
    const auto place = [this](std::uint32_t id) {
      return id < first_root ? std::size_t{id} : pairs_.size() + (id - first_root);
    };
    flat_array<std::uint32_t> starts(pairs_.size() + 1, 0);
    for (const reason& r : reasons_) {
      ++starts[r.pair];
    }
    counts_to_ends(starts);
    flat_array<std::uint32_t> needed_by(reasons_.size(), 0);
    for (const reason& r : reasons_) {
      needed_by[--starts[r.pair]] = r.needed_by;
    }
    while (!failed_.empty()) {
      const std::uint32_t id = failed_.back();
      failed_.pop_back();
      if (fails[place(id)] == 0 && id < first_root) {
        for (std::uint32_t i = starts[id]; i != starts[id + std::size_t{1}]; ++i) {
          failed_.push_back(needed_by[i]);
        }
      }
      fails[place(id)] = 1;
    }
    const std::size_t first_phi = pairs_.size() + out_.replacements.size();
    for (std::size_t i = 0; i != out_.phis.size(); ++i) { // removes an operation with those that share its phi
      const value_id first = out_.phis[i].first;
      const bool first_fails = claim_[first] != no_claim && fails[first_phi + claim_[first]] != 0;
      fails[first_phi + i] = fails[first_phi + i] != 0 || first_fails ? 1 : 0;
    }
    const std::size_t num_replacements = out_.replacements.size();
    std::size_t left = 0;
    for (std::size_t i = 0; i != num_replacements; ++i) {
      out_.replacements[left] = out_.replacements[i];
      left += fails[pairs_.size() + i] != 0 ? 0u : 1u;
    }
    out_.replacements.resize(left);
    left = 0;
    for (std::size_t i = 0; i != out_.phis.size(); ++i) {
      if (fails[first_phi + i] == 0) {
        if (left != i) {
          out_.phis[left] = std::move(out_.phis[i]);
        }
        ++left;
      }
    }
    out_.phis.erase(out_.phis.begin() + static_cast<std::ptrdiff_t>(left), out_.phis.end());
    return false;
  }

  void collect_edges() {
    const auto& g = ir_.graph();
    const auto nodes = static_cast<node_id>(g.num_nodes());
    ends_.assign(nodes + std::size_t{1}, 0);
    const auto for_each_edge = [&](auto visit) {
      for (node_id n = nodes; n-- != 0;) {
        for_each_id(g.out_edges(n), [&](edge_id e) {
          if (found_.is_executable_edge(e)) {
            visit(e, static_cast<node_id>(g.edge_target(e)));
          }
        });
      }
    };
    for_each_edge([&](edge_id, node_id target) { ++ends_[target]; });
    counts_to_ends(ends_);
    edges_.resize_for_overwrite(ends_.back());
    for_each_edge([&](edge_id e, node_id target) { edges_[--ends_[target]] = e; });
    for (node_id n = 0; n != nodes; ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
  }

  /// Requires the pair of `b` and of `a`, or what replaces it. A constant is never poison.
  void need(value_id a, value_id b) {
    a = now_[a];
    if (a == b || home_[a] == no_node || home_[b] == no_node || found_.constant(a) || !found_.is_computed(b)) {
      return;
    }
    if (!found_.is_computed(a)) {
      return fail();
    }
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    const auto fresh = static_cast<std::uint32_t>(pairs_.size());
    const std::uint32_t k = met_.find_or_insert(key, fresh);
    if (k == fresh) {
      pairs_.push_back({a, b});
    }
    reasons_.push_back({k, needed_by_});
  }

  /// Requires the pairs for a phi that stands for an operation, where `b` was: that operation, or one equal to it. On
  /// each edge, the input may be poison only if `b` of that edge's operands is. An input that is one of the operands is
  /// poison only then.
  template <class Claim> void need_inputs(const Claim& one, value_id b) {
    for (std::size_t i = 0; i != one.inputs.size(); ++i) {
      const value_id a = one.inputs[i].value;
      if (a == no_value || home_[a] == no_node) {
        continue;
      }
      if (ir_.is_phi(b)) {
        home_[b] == one.node ? need(a, static_cast<value_id>(ir_.phi_input(b, one.inputs[i].edge))) : fail();
      } else if (compute_alike(a, b)) {
        if (promises_more_(a, b)) {
          drop(a);
        }
        for_each_id(ir_.operands(a), [&](value_id operand) {
          for_each_id(ir_.operands(b), [&](value_id other) { need_operand(operand, other, one, i); });
        });
      } else if (b != one.value) {
        fail();
      }
    }
  }

  bool compute_alike(value_id a, value_id b) const {
    if (ir_.is_phi(a)) {
      return false;
    }
    const operation code = ir_.operation(a).code;
    const operation its = ir_.operation(b).code;
    return code == its || (is_comparison(code) && is_comparison(its));
  }

  /// Requires the pair of two operands, if they belong together. `b` is read on edge `i`.
  template <class Claim> void need_operand(value_id a, value_id b, const Claim& one, std::size_t i) {
    if (claim_[b] != no_claim && out_.phis[claim_[b]].node == one.node) {
      const value_id input = out_.phis[claim_[b]].inputs[i].value; // already proved for `b`
      if (input != no_value && input != now_[a] && found_.are_congruent(input, a)) {
        fail();
      }
    } else if (ir_.is_phi(b) && home_[b] == one.node) {
      need_if_equal(a, static_cast<value_id>(ir_.phi_input(b, one.inputs[i].edge)));
    } else if (now_[b] != b && home_[now_[b]] == one.node && ir_.is_phi(now_[b])) {
      fail();
    } else {
      need_if_equal(a, b);
    }
  }

  void prove(value_id a, value_id b) {
    if (claim_[a] != no_claim) {
      const std::uint32_t k = claim_[a]; // the list stays as it is
      return need_inputs(out_.phis[k], b);
    }
    const bool a_is_phi = ir_.is_phi(a);
    const bool b_is_phi = ir_.is_phi(b);
    if (a_is_phi && promises_more_(a, b)) {
      drop(a);
    }
    if (a_is_phi && b_is_phi && home_[a] == home_[b]) {
      for_each_input(a, [&](value_id, edge_id e) {
        need(static_cast<value_id>(ir_.phi_input(a, e)), static_cast<value_id>(ir_.phi_input(b, e)));
      });
    } else if (a_is_phi) { // its inputs equal b
      for_each_input(a, [&](value_id input, edge_id) {
        found_.is_computed(input) ? need_if_equal(input, b) : fail(); // the input is always poison, `b` need not be
      });
    } else if (b_is_phi) {
      for_each_input(b, [&](value_id input, edge_id) { need_if_equal(a, input); });
    } else if (!passes_on(a, [&](value_id operand) { need(operand, b); }) &&
               !passes_on(b, [&](value_id operand) { need(a, operand); })) {
      if (promises_more_(a, b)) {
        drop(a);
      }
      pair_operands(a, b);
    }
  }

  void need_if_equal(value_id a, value_id b) {
    if (found_.are_congruent(a, b)) {
      need(a, b);
    }
  }

  /// Whether `v` always equals an operand, as a copy does. Visits each such operand.
  template <class Visit> bool passes_on(value_id v, Visit visit) const {
    bool passes = false;
    if (ir_.operation(v).code != operation::other) {
      for_each_id(ir_.operands(v), [&](value_id operand) {
        if (found_.are_congruent(operand, v)) {
          passes = true;
          visit(operand);
        }
      });
    }
    return passes;
  }

  void pair_operands(value_id a, value_id b) {
    left_.clear();
    right_.clear();
    for_each_id(ir_.operands(a), [&](value_id v) { left_.push_back(v); });
    for_each_id(ir_.operands(b), [&](value_id v) { right_.push_back(v); });
    if (left_.size() == 2 && right_.size() == 2 &&
        !(found_.are_congruent(left_[0], right_[0]) && found_.are_congruent(left_[1], right_[1]))) {
      std::swap(right_[0], right_[1]); // a + b and b + a, or a < b and b > a
    }
    for (std::size_t i = 0; i != left_.size() && i != right_.size(); ++i) {
      need(left_[i], right_[i]);
    }
  }

  template <class Visit> void for_each_input(value_id phi, Visit visit) const {
    for (std::uint32_t i = ends_[home_[phi]]; i != ends_[home_[phi] + std::size_t{1}]; ++i) {
      const auto input = static_cast<value_id>(ir_.phi_input(phi, edges_[i]));
      if (input != no_value) {
        visit(input, edges_[i]);
      }
    }
  }

  void drop(value_id v) {
    if (!drops_.test(v)) {
      drops_.set(v);
      out_.dropped_promises.push_back(v);
    }
  }

  /// The cheap alternative to very many pairs: no value with an equal one keeps a promise that the other does not make.
  /// Replaces nothing where an operation never has a result.
  bool drop_all() {
    for (std::uint32_t c = 0; c != found_.num_classes(); ++c) {
      const auto members = found_.members_of_class(c);
      for (const value_id v : members) {
        if (members.size() > 1 && home_[v] != no_node) {
          drop(v);
        }
        if (home_[v] != no_node && found_.is_executable(home_[v]) && !found_.is_computed(v)) {
          out_.replacements.clear();
          out_.phis.clear();
        }
      }
    }
    for (const auto& one : out_.phis) {
      for (const auto& input : one.inputs) {
        if (input.value != no_value && home_[input.value] != no_node) {
          drop(input.value);
        }
      }
    }
    return true;
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  const PromisesMore& promises_more_;
  plan& out_;
  flat_array<node_id> home_;
  flat_array<pair> pairs_;
  flat_array<reason> reasons_;
  flat_array<std::uint32_t> failed_; ///< pairs and roots
  std::uint32_t needed_by_ = 0;      ///< the pair or root at hand
  flat_array<value_id> now_;         ///< by value: what replaces it, or itself
  flat_array<std::uint32_t> claim_;  ///< by value: its index among operations that become phis
  flat_array<std::uint32_t> ends_;
  flat_array<edge_id> edges_; ///< executable ones, by target
  bit_row drops_;
  hash_map<std::uint64_t> met_;
  flat_array<value_id> left_;
  flat_array<value_id> right_;
};

} // namespace detail

/// Adds to `plan.dropped_promises` the values that have to lose promises. For IRs like LLVM's, in which an operation
/// with a broken promise does not trap but yields *poison*. There it is not enough that a leader promises no more than
/// the value that it replaces:
///
///     n1: %x = add nsw %a, %b      n2: %y = add nsw %a, %b
///                 n3: %z = phi %x, %y
///                     %v = add %a, %b         is %z, but only if the sums of n1 and n2 promise nothing
///
/// So this follows a leader and the replaced value through phis, and through operands where neither of two equal ones
/// dominates the other, down to operations that compute the same, and compares these. `promises_more(a, b)` says
/// whether `a` promises something that `b` does not; for a phi `a` and no phi `b`, whether `a` promises anything. Both
/// are values in nodes.
///
/// `found` gives no value to an operation that never keeps its promise, and judges phis by their other inputs. In such
/// an IR the operation is poison, so a phi with this input does not equal its class. Then the phi replaces nothing
/// else, and changes that rely on it are removed from the plan.
///
/// Values that a plan does not replace keep their promises. Call it after changes were vetoed. O(values + operands +
/// edges) for usual programs; where phis make very many pairs, all members of classes of several values are listed
/// instead.
template <semantic_ir_argument IR, value_domain D, class PromisesMore>
void drop_poison_promises(const IR& ir, const value_numbering_result<D>& found, const PromisesMore& promises_more,
                          value_numbering_plan<domain_constant<D>>& plan) {
  detail::poison_promises<IR, D, PromisesMore>(ir, found, promises_more, plan).run();
}

MIDEND_END_NAMESPACE
