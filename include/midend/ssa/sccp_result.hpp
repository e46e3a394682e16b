/// What sparse conditional constant propagation finds: a fact for each value, and what is executed.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// How much work it was.
struct sccp_counters {
  std::uint64_t value_visits = 0;  ///< operations and phis that were looked at
  std::uint64_t branch_visits = 0; ///< ends of nodes that were looked at
  std::uint64_t edge_visits = 0;   ///< edges that turned out to be executable; each once
  std::uint64_t use_visits = 0;    ///< uses that were told of a change
  std::uint64_t widenings = 0;

  friend constexpr bool operator==(const sccp_counters&, const sccp_counters&) = default;
};

namespace detail {

/// The columns of a result.
template <value_domain D> struct sccp_columns {
  [[no_unique_address]] D domain;
  std::size_t num_values = 0; ///< copies behind branches come after these
  fact_array<element_of<D>> facts;
  bit_row executable_nodes;
  bit_row executable_edges;
  bit_row undefined;
  flat_array<std::uint32_t> visits;
  flat_array<std::uint32_t> widenings; ///< empty if the domain does not widen
  sccp_counters counters;
  value_id broken_value = no_value;
  std::uint64_t epoch = 0;
};

struct sccp_access;

} // namespace detail

/// Facts hold on every run of the program, for every value that is computed. Does not refer to the IR. 4 bytes a value
/// beside the fact, 8 if the domain widens, and a bit for each value, node and edge.
template <value_domain D> class sccp_result {
public:
  using domain_type = D;
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr const D& domain() const { return columns_.domain; }

  constexpr std::size_t num_values() const { return columns_.num_values; }

  constexpr std::size_t num_nodes() const { return columns_.executable_nodes.size(); }

  constexpr std::size_t num_edges() const { return columns_.executable_edges.size(); }

  /// What is known of `v`. Bottom if `v` is in a node that is never executed. Top, too, if it is in one that is and yet
  /// has no value: it depends on what always traps, or on `undef`.
  constexpr const element& fact(value_id v) const { return columns_.facts[v]; }

  /// By value.
  constexpr std::span<const element> facts() const { return {columns_.facts.data(), num_values()}; }

  /// The constant that `v` is whenever it is computed, if there is one.
  constexpr std::optional<constant_type> constant(value_id v) const {
    return columns_.domain.as_constant(columns_.facts[v]);
  }

  /// Whether `n` may be executed. What is not executable never is.
  constexpr bool is_executable(node_id n) const { return columns_.executable_nodes.test(n); }

  /// Whether control may go by `e`.
  constexpr bool is_executable_edge(edge_id e) const { return columns_.executable_edges.test(e); }

  /// Whether `v` is `undef` whenever it is computed; under `undef_policy::any_value`.
  constexpr bool is_undefined(value_id v) const { return columns_.undefined.test(v); }

  /// How often `v` was looked at.
  constexpr std::uint32_t visits(value_id v) const { return columns_.visits[v]; }

  /// How often the phi `v` was widened.
  constexpr std::uint32_t widenings(value_id v) const { return columns_.widenings.empty() ? 0 : columns_.widenings[v]; }

  constexpr const sccp_counters& counters() const { return columns_.counters; }

  /// The value at which a checked run has stopped, else `no_value`: its fact did not rise when those of its operands
  /// did, so that nothing here can be relied upon.
  constexpr value_id broken_value() const { return columns_.broken_value; }

  constexpr std::uint64_t epoch() const { return columns_.epoch; }

private:
  friend detail::sccp_access;

  detail::sccp_columns<D> columns_;
};

namespace detail {

/// The way for the algorithm to the columns.
struct sccp_access {
  template <class D> static constexpr sccp_columns<D>& columns(sccp_result<D>& result) { return result.columns_; }
};

} // namespace detail

MIDEND_END_NAMESPACE
