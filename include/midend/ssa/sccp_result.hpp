/// `sccp_result`: a fact for each value, and which nodes and edges are executed. The result of `sccp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/small_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Counts the work of an analysis.
struct sccp_counters {
  std::uint64_t value_visits = 0;  ///< visits of operations and phis
  std::uint64_t branch_visits = 0; ///< visits of ends of nodes
  std::uint64_t edge_visits = 0;   ///< edges found executable
  std::uint64_t use_visits = 0;    ///< uses notified of a change
  std::uint64_t widenings = 0;

  friend constexpr bool operator==(const sccp_counters&, const sccp_counters&) = default;
};

/// A use of a value that branches decide: this use always reads `constant`, while other uses may read other values.
template <class Constant> struct decided_use {
  value_id user;         ///< an operation or a phi
  edge_id edge;          ///< the edge of the input if `user` is a phi; else `no_edge`
  std::uint32_t operand; ///< valid if `user` is an operation: the index of the operand
  Constant constant;

  friend constexpr bool operator==(const decided_use&, const decided_use&) = default;
};

namespace detail {
template <class IR, class D> class decided_use_checker;
template <class IR, class D> class decided_use_lister;
template <class D> class growing_facts;
template <class IR, class D, class Equal> class sccp_checker;
struct sccp_mutation;
} // namespace detail

/// Facts that hold on every run of the program, for every value that is computed. Does not refer to the IR. 4 bytes a
/// value in addition to its fact, 8 if the domain widens, two bits for each value, and one for each node and edge.
template <value_domain_argument D> class sccp_result {
public:
  using domain_type = D;
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr const D& domain() const { return domain_; }

  constexpr std::size_t num_values() const { return num_values_; }

  constexpr std::size_t num_nodes() const { return executable_nodes_.size; }

  constexpr std::size_t num_edges() const { return executable_edges_.size; }

  /// The fact about `v`. Bottom if `v` is in a node that is never executed. Top if nothing is known, and also if `v` is
  /// executed but has no value, because it depends on an operation that always traps or on `undef`.
  constexpr const element& fact(value_id v) const { return facts_[v]; }

  /// All facts, by value.
  constexpr span<const element> facts() const { return {facts_.data(), num_values()}; }

  /// The constant that `v` is whenever it is computed, if there is one.
  constexpr std::optional<constant_type> constant(value_id v) const { return domain_.as_constant(facts_[v]); }

  /// Whether `n` may be executed. If not, no run executes it.
  constexpr bool is_executable(node_id n) const { return test(executable_nodes_, n); }

  /// Whether control may take `e`.
  constexpr bool is_executable_edge(edge_id e) const { return test(executable_edges_, e); }

  /// Whether some run may compute `v`. Otherwise its node is never executed, or `v` or something that it needs has no
  /// result.
  constexpr bool is_computed(value_id v) const { return !test(without_value_, v) && !is_bottom(domain_, facts_[v]); }

  /// Whether `v` is `undef` whenever it is computed; under `undef_policy::any_value`.
  constexpr bool is_undefined(value_id v) const { return test(undefined_, v); }

  /// The number of visits of `v`.
  constexpr std::uint32_t visits(value_id v) const {
    MIDEND_ASSERT(v < facts_.size(), "a value of the program", v, facts_.size());
    return numbers_.data()[v];
  }

  /// The number of times the phi `v` was widened.
  constexpr std::uint32_t widenings(value_id v) const {
    MIDEND_ASSERT(v < facts_.size(), "a value of the program", v, facts_.size());
    const std::uint32_t growths = counts_growths_ ? numbers_.data()[facts_.size() + v] : 0;
    return growths > widen_after_ ? growths - widen_after_ : 0;
  }

  /// The uses that branches decide, by node. The values are not constant everywhere. Empty unless
  /// `sccp_options::lists_decided_uses` was set for `sccp_with_branch_facts`.
  constexpr span<const decided_use<constant_type>> decided_uses() const {
    return {decided_uses_.data(), decided_uses_.size()};
  }

  constexpr const sccp_counters& counters() const { return counters_; }

  /// The value at which a checked run stopped, else `no_value`. Its fact did not rise when those of its operands did,
  /// so the domain is not monotone and all facts here are unreliable.
  constexpr value_id broken_value() const { return broken_value_; }

  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::growing_facts<D>;
  template <class IR, class Domain, class Equal> friend class detail::sccp_checker;
  template <class IR, class Domain> friend class detail::decided_use_checker;
  template <class IR, class Domain> friend class detail::decided_use_lister;
  friend detail::sccp_mutation; // of tests

  /// Bits in `numbers_`.
  struct bit_set_place {
    std::size_t first_word = 0;
    std::size_t size = 0;
  };

  constexpr bool test(const bit_set_place& set, std::size_t bit) const {
    MIDEND_ASSERT(bit < set.size, "a bit within the set", bit, set.size);
    return (numbers_.data()[set.first_word + bit / 32] >> bit % 32 & 1) != 0;
  }

  constexpr void set(const bit_set_place& set, std::size_t bit) {
    MIDEND_ASSERT(bit < set.size, "a bit within the set", bit, set.size);
    numbers_.data()[set.first_word + bit / 32] |= std::uint32_t{1} << bit % 32;
  }

  constexpr void reset(const bit_set_place& set, std::size_t bit) {
    MIDEND_ASSERT(bit < set.size, "a bit within the set", bit, set.size);
    numbers_.data()[set.first_word + bit / 32] &= ~(std::uint32_t{1} << bit % 32);
  }

  /// All counts are 0 and all bits unset.
  constexpr void clear(std::size_t values, std::size_t nodes, std::size_t edges, bool counts_growths) {
    counts_growths_ = counts_growths;
    std::size_t words = (counts_growths ? 2 : 1) * values;
    const auto place = [&words](std::size_t size) {
      const bit_set_place at{words, size};
      words += size / 32 + 1;
      return at;
    };
    executable_nodes_ = place(nodes);
    executable_edges_ = place(edges);
    undefined_ = place(values);
    without_value_ = place(values);
    numbers_.assign(words, 0);
  }

  [[no_unique_address]] D domain_;
  std::size_t num_values_ = 0; ///< copies of values after branches come after these
  detail::fact_array<element_of<D>> facts_;

  /// Visits by value; if the domain widens, then growths of phis along back edges; then the sets. Programs of up to
  /// about 50 values need no memory outside the object.
  detail::small_array<std::uint32_t, 128> numbers_;
  bool counts_growths_ = false;
  bit_set_place executable_nodes_;
  bit_set_place executable_edges_;
  bit_set_place undefined_;
  bit_set_place without_value_;   ///< executed, but no run computes it: the fact is top
  std::uint32_t widen_after_ = 0; ///< number of growths before the first widening
  detail::dense_values<decided_use<constant_type>> decided_uses_;
  sccp_counters counters_;
  value_id broken_value_ = no_value;
  std::uint64_t epoch_ = 0;
};

MIDEND_END_NAMESPACE
