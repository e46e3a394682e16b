/// `flow_facts`: the result of gen/kill analyses.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/bit_set.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct gen_kill_solver;

/// The members of `std::vector` that `gen_kill` uses, so that this header does not include <vector>.
template <class Rows>
concept list_of_bit_sets = requires(Rows& rows, const Rows& read, std::size_t count) {
  requires bit_set<typename Rows::value_type>;
  rows.resize(count, typename Rows::value_type());
  { rows.data() } -> std::same_as<typename Rows::value_type*>;
  { read.size() } -> std::convertible_to<std::size_t>;
  { read[count] } -> std::same_as<const typename Rows::value_type&>;
};

} // namespace detail

/// Containers of facts: a `bit_matrix`, or a `std::vector` of any `bit_set`, for example `boost::dynamic_bitset<>`,
/// or a container with the same members.
template <class Rows>
concept fact_rows = std::is_same_v<Rows, bit_matrix> || detail::list_of_bit_sets<Rows>;

/// The facts that hold at the start and at the end of each node. Each analysis defines what its facts are, and what
/// holds in nodes that flow does not reach. `set_bits(facts.in(n))` is the range of facts at the start of `n`,
/// ascending, whatever the container.
template <fact_rows Rows = bit_matrix> class flow_facts {
public:
  constexpr std::size_t num_nodes() const { return num_nodes_; }

  constexpr std::size_t num_facts() const { return num_facts_; }

  /// The facts at the start of `n` in program order, whatever the direction of the analysis.
  constexpr decltype(auto) in(node_id n) const { return row(in_, n); }

  /// The facts at the end of `n`.
  constexpr decltype(auto) out(node_id n) const { return row(out_, n); }

  /// The number of node visits of the analysis; each node that flow reaches is visited at least once.
  constexpr std::size_t num_visits() const { return num_visits_; }

  /// The `epoch()` of the graph that was analysed.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::gen_kill_solver;

  constexpr decltype(auto) row(const Rows& rows, [[maybe_unused]] node_id n) const {
    MIDEND_ASSERT(n < num_nodes_, "a node of the graph", n, num_nodes_);
    return rows[n];
  }

  std::size_t num_nodes_ = 0; ///< a vector keeps the sets of larger graphs
  std::size_t num_facts_ = 0;
  std::size_t num_visits_ = 0;
  std::uint64_t epoch_ = 0;
  Rows in_;
  Rows out_;
};

MIDEND_END_NAMESPACE
