/// `value_numbering_result`: classes of equal values, facts, and executed nodes and edges. The result of
/// `value_numbering`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Counts the work on the partition, in addition to `sccp_counters`.
struct value_numbering_counters {
  std::uint64_t placements = 0;  ///< values put into a class, the first time or because they left another one
  std::uint64_t use_visits = 0;  ///< visits of uses of values whose class had changed
  std::uint64_t splits = 0;      ///< classes made by splitting one
  std::uint64_t refinements = 0; ///< refinements of the partition, one at each fixpoint of the facts

  friend constexpr bool operator==(const value_numbering_counters&, const value_numbering_counters&) = default;
};

namespace detail {
template <class IR, class D> class congruence_solver;
template <class IR, class D> class congruence_checker;
struct congruence_mutation;
} // namespace detail

/// Facts and classes that hold on every run of the program. Does not refer to the IR.
///
/// **What a class means.** Whenever control is at a place that the definitions of two values of a class dominate, the
/// two have the same value. Nothing is said about values in nodes that are never executed: each is alone in its class.
/// So is `undef`, which is not even equal to itself.
///
/// 12 bytes a value in addition to `sccp_result`.
template <value_domain D> class value_numbering_result {
public:
  using domain_type = D;
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  /// Facts, executable nodes and edges, as `sccp` reports them.
  constexpr const sccp_result<D>& facts() const { return facts_; }

  constexpr std::size_t num_values() const { return members_.size(); }

  /// Classes of one value count.
  constexpr std::size_t num_classes() const { return starts_.empty() ? 0 : starts_.size() - 1; }

  /// The number of the class of `v`, in the order of leaders.
  constexpr std::uint32_t class_of(value_id v) const { return class_[v]; }

  /// The first member of the class of `v`: the least number among those in no node, else the one that was found
  /// executable first. It need not dominate the others.
  constexpr value_id leader(value_id v) const { return members_[starts_[class_[v]]]; }

  /// The class of `v`, the leader first; nodes in the order in which they were found executable, so that a value comes
  /// after those that dominate it.
  constexpr span<const value_id> members(value_id v) const { return members_of_class(class_[v]); }

  constexpr span<const value_id> members_of_class(std::uint32_t number) const {
    return {members_.data() + starts_[number], members_.data() + starts_[number + std::size_t{1}]};
  }

  /// Whether both are equal wherever both are defined. True for a value and itself.
  constexpr bool are_congruent(value_id v, value_id w) const { return class_[v] == class_[w]; }

  /// Whether some run may compute `v`. Otherwise it is alone in its class: its node is never executed, or an earlier
  /// operation that it needs has no result.
  constexpr bool is_computed(value_id v) const { return !without_value_.test(v); }

  constexpr const element& fact(value_id v) const { return facts_.fact(v); }

  /// The constant that `v` is whenever it is computed, if there is one.
  constexpr std::optional<constant_type> constant(value_id v) const { return facts_.constant(v); }

  /// Whether `n` may be executed.
  constexpr bool is_executable(node_id n) const { return facts_.is_executable(n); }

  /// Whether control may take `e`.
  constexpr bool is_executable_edge(edge_id e) const { return facts_.is_executable_edge(e); }

  constexpr const value_numbering_counters& counters() const { return counters_; }

  constexpr std::uint64_t epoch() const { return facts_.epoch(); }

private:
  template <class IR, class Domain> friend class detail::congruence_solver;
  template <class IR, class Domain> friend class detail::congruence_checker;
  friend detail::congruence_mutation; // of tests

  sccp_result<D> facts_;
  flat_array<std::uint32_t> class_;  ///< by value, with copies after branches; theirs may come after all others
  flat_array<std::uint32_t> starts_; ///< by class: its first member in `members_`; and the end
  flat_array<value_id> members_;     ///< class by class
  bit_row without_value_;
  value_numbering_counters counters_;
};

MIDEND_END_NAMESPACE
