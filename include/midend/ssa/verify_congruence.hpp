/// `verify_congruence`: proves that a result of `value_numbering` holds on every run.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_congruence.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/ssa/verify_sccp.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The kinds of faults.
enum class congruence_fault : std::uint8_t {
  none,
  other_program, ///< the numbers of values, nodes or edges differ
  fact,          ///< the fact about `value` does not follow
  edge,          ///< `edge` may be executed, but the result says never
  not_computed,  ///< `value` has no value, or is said to have none, and is in a class with others
  not_equal      ///< `value` and `other` are in one class, but their equality does not follow
};

struct congruence_error {
  congruence_fault fault = congruence_fault::none;
  value_id value = no_value;
  value_id other = no_value;
  edge_id edge = no_edge;

  constexpr explicit operator bool() const { return fault != congruence_fault::none; }

  friend constexpr bool operator==(const congruence_error&, const congruence_error&) = default;
};

namespace detail {

template <class IR, class D> class congruence_checker {
public:
  congruence_checker(const IR& ir, const value_numbering_result<D>& claimed) : ir_(ir), claimed_(claimed) {}

  /// The result covers the first `num_values` values; the others are copies after branches.
  congruence_error run(std::size_t num_values, sccp_options options) {
    options.undefined = undef_policy::top;
    const auto& g = ir_.graph();
    if (claimed_.num_values() != num_values || claimed_.class_.size() != static_cast<std::size_t>(ir_.num_values()) ||
        claimed_.facts().num_nodes() != static_cast<std::size_t>(g.num_nodes()) ||
        claimed_.facts().num_edges() != static_cast<std::size_t>(g.num_edges())) {
      return {congruence_fault::other_program, no_value, no_value, no_edge};
    }
    collect_in_edges();
    collect_members();
    for (std::size_t c = 0; c + 1 < starts_.size(); ++c) {
      if (const congruence_error error =
              check_class({members_.data() + starts_[c], members_.data() + starts_[c + 1]})) {
        return error;
      }
    }
    return check_facts(num_values, options);
  }

private:
  congruence_error check_facts(std::size_t num_values, const sccp_options& options) const {
    const auto equal = [this](value_id v, value_id w) { return claimed_.are_congruent(v, w); };
    const sccp_error error =
        sccp_checker<IR, D, decltype(equal)>(ir_, claimed_.facts(), options, equal).run(num_values);
    switch (error.fault) {
    case sccp_fault::none:
      return {};
    case sccp_fault::other_program:
      return {congruence_fault::other_program, no_value, no_value, no_edge};
    case sccp_fault::node:
    case sccp_fault::edge:
      return {congruence_fault::edge, no_value, no_value, error.edge};
    case sccp_fault::not_computed:
      return {congruence_fault::not_computed, error.value, no_value, no_edge};
    default:
      return {congruence_fault::fact, error.value, no_value, no_edge};
    }
  }

  /// Checks that all members are one constant, or that each equals a member by itself or computes the same as the first
  /// that does not.
  ///
  /// Checks both for the whole class. Facts hold at the definitions of values, so a member may be a constant where
  /// others are not: a branch's fact belongs to the copy after it, and narrowing may find a constant after the classes
  /// are known. Such a class is one of the second kind, and the constant says nothing about the other members.
  congruence_error check_class(span<const value_id> members) {
    if (members.size() < 2) {
      return {};
    }
    for (const value_id v : members) {
      if (!is_computed(v)) {
        return {congruence_fault::not_computed, v, no_value, no_edge};
      }
    }
    const congruence_error of_constants = check_constants(members);
    return of_constants ? check_operations(members, of_constants) : of_constants;
  }

  /// Checks that each member is the same constant by its fact, or passes a member on and is not known as another
  /// constant.
  congruence_error check_constants(span<const value_id> members) const {
    value_id known = no_value; // the first constant
    for (const value_id v : members) {
      known = known == no_value && constant(v) ? v : known;
    }
    for (const value_id v : members) {
      const auto its = constant(v);
      const bool is_same = known != no_value && its && *its == *constant(known) && same_type(ir_, known, v);
      if (!is_same && (known == no_value || its || !passes_member_on(v))) {
        return {congruence_fault::not_equal, v, known, no_edge};
      }
    }
    return {};
  }

  /// Ignores facts about members. If one is a constant, `of_constants` is the error.
  congruence_error check_operations(span<const value_id> members, const congruence_error& of_constants) {
    value_id own = no_value;
    for (const value_id v : members) {
      if (passes_member_on(v)) {
        continue;
      }
      if (own != no_value && !compute_the_same(own, v)) {
        return of_constants.other != no_value ? of_constants
                                              : congruence_error{congruence_fault::not_equal, v, own, no_edge};
      }
      own = own == no_value ? v : own;
    }
    return {};
  }

  bool passes_member_on(value_id v) const {
    if (home_[v] == no_node) {
      return false;
    }
    if (!ir_.is_phi(v)) {
      if (!depends_on_operands_alone(ir_, v)) {
        return false;
      }
      const value_id operand = operand_passed_on(
          ir_, v,
          [this](value_id a, value_id b) {
            return is_computed(a) && is_computed(b) && claimed_.are_congruent(a, b) && !is_undefined_literal(ir_, a);
          },
          [this](value_id a) { return constant(a); });
      return operand != no_value && is_computed(operand) && claimed_.are_congruent(operand, v);
    }
    bool passes = true;
    for_each_executable_edge(home_[v], [&](edge_id e) {
      const auto input = static_cast<value_id>(ir_.phi_input(v, e));
      if (input != no_value && is_computed(input)) {
        passes =
            passes && !is_undefined_literal(ir_, input) && same_type(ir_, v, input) && claimed_.are_congruent(input, v);
      }
    });
    return passes;
  }

  bool compute_the_same(value_id v, value_id w) {
    if (home_[v] == no_node || home_[w] == no_node || ir_.is_phi(v) != ir_.is_phi(w) || !same_type(ir_, v, w)) {
      return false;
    }
    if (!ir_.is_phi(v)) {
      if (!depends_on_operands_alone(ir_, v) || !depends_on_operands_alone(ir_, w)) {
        return false;
      }
      const auto number = [this](value_id operand) { return claimed_.class_of(operand); };
      describe_operation(ir_, v, number, description_);
      describe_operation(ir_, w, number, other_description_);
      return description_ == other_description_;
    }
    bool agree = home_[v] == home_[w];
    if (agree) {
      for_each_executable_edge(home_[v], [&](edge_id e) {
        const auto i = static_cast<value_id>(ir_.phi_input(v, e));
        const auto k = static_cast<value_id>(ir_.phi_input(w, e));
        const bool i_arrives = i != no_value && is_computed(i);
        const bool k_arrives = k != no_value && is_computed(k);
        agree = agree && i_arrives == k_arrives &&
                (!i_arrives || (!is_undefined_literal(ir_, i) && claimed_.are_congruent(i, k)));
      });
    }
    return agree;
  }

  /// Class by class, with copies.
  void collect_members() {
    std::uint32_t count = 0;
    for (const std::uint32_t c : claimed_.class_) {
      count = c < count ? count : c + 1;
    }
    starts_.assign(count + std::size_t{1}, 0);
    for (const std::uint32_t c : claimed_.class_) {
      ++starts_[c];
    }
    counts_to_ends(starts_);
    members_.resize_for_overwrite(claimed_.class_.size());
    for (auto v = static_cast<value_id>(members_.size()); v-- != 0;) {
      members_[--starts_[claimed_.class_[v]]] = v;
    }
  }

  void collect_in_edges() {
    const auto count = static_cast<node_id>(ir_.graph().num_nodes());
    home_.assign(claimed_.class_.size(), no_node);
    ends_.assign(count + std::size_t{1}, 0);
    const auto for_each_edge = [&](auto visit) {
      for (node_id n = count; n-- != 0;) {
        for_each_id(ir_.graph().out_edges(n),
                    [&](edge_id e) { visit(e, static_cast<node_id>(ir_.graph().edge_target(e))); });
      }
    };
    for_each_edge([&](edge_id, node_id target) { ++ends_[target]; });
    counts_to_ends(ends_);
    in_edges_.resize_for_overwrite(ends_.back());
    for_each_edge([&](edge_id e, node_id target) { in_edges_[--ends_[target]] = e; });
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
  }

  template <class Visit> void for_each_executable_edge(node_id n, Visit visit) const {
    for (std::uint32_t i = ends_[n]; i != ends_[n + std::size_t{1}]; ++i) {
      if (claimed_.is_executable_edge(in_edges_[i])) {
        visit(in_edges_[i]);
      }
    }
  }

  bool is_computed(value_id v) const { return claimed_.is_computed(v) && claimed_.facts().is_computed(v); }

  std::optional<domain_constant<D>> constant(value_id v) const {
    const std::optional<domain_constant<D>> literal = ir_.constant(v);
    return literal ? literal : claimed_.constant(v);
  }

  const IR& ir_;
  const value_numbering_result<D>& claimed_;
  flat_array<node_id> home_;
  flat_array<std::uint32_t> ends_;
  flat_array<edge_id> in_edges_;
  flat_array<std::uint32_t> starts_; ///< by class: its first member in `members_`; and the end
  flat_array<value_id> members_;     ///< class by class
  flat_array<std::uint32_t> description_;
  flat_array<std::uint32_t> other_description_;
};

} // namespace detail

/// The first reason why a result need not hold for `ir`, or none. Computes nothing anew: each class must follow from
/// the classes of operands and from the facts, and the facts as in `verify_sccp`, where x - x and the like also follow
/// from the classes. By induction over the steps of a run, such a result holds on every run, however it was made. It
/// need not be the coarsest.
///
/// `options` are those of `value_numbering`. O(values + operands + edges), and the time for branches in `verify_sccp`.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
congruence_error verify_congruence(const IR& ir, const value_numbering_result<D>& found,
                                   const sccp_options& options = {}) {
  return detail::congruence_checker<IR, D>(ir, found).run(static_cast<std::size_t>(ir.num_values()), options);
}

/// For a result of `value_numbering_with_branch_facts`. Also trusts the view in which values have copies after
/// branches, and that a branch is taken only where its comparison holds.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
congruence_error verify_congruence_with_branch_facts(const IR& ir, const value_numbering_result<D>& found,
                                                     const sccp_options& options = {}) {
  using view = detail::branch_congruence_view<IR>;
  detail::branch_facts_workspace<constant_of<IR>> workspace;
  const view with_copies(ir, workspace);
  return detail::congruence_checker<view, D>(with_copies, found)
      .run(static_cast<std::size_t>(ir.num_values()), options);
}

MIDEND_END_NAMESPACE
