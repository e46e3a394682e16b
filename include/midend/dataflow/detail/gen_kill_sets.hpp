/// The rows of a gen/kill engine as vectors of any `bit_set`; see `gen_kill_words.hpp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/gen_kill_effects.hpp"
#include "midend/dataflow/flow_confluence.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/bit_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class P, bit_set Set> class set_table {
public:
  using row = Set*;
  using rows = std::vector<Set>;

  constexpr set_table(const P& problem, std::size_t num_nodes, rows& joined, rows& moved, rows& gens, rows& kills)
      : problem_(problem), num_nodes_(num_nodes) {
    fit(num_nodes, joined);
    fit(num_nodes, moved);
    fit(num_nodes + 1, gens); // the last set is for boundaries and results to compare with
    fit(num_nodes + 1, kills);
    joined_ = joined.data();
    moved_ = moved.data();
    gens_ = gens.data();
    kills_ = kills.data();
    for (std::size_t n = 0; n != num_nodes; ++n) {
      make_neutral(joined_[n]);
      make_neutral(moved_[n]);
    }
  }

  template <class Nodes, class Visit> constexpr row join(node_id n, Nodes&& sources, Visit visit) {
    Set& joined = joined_[n];
    make_neutral(joined);
    const auto last = std::end(sources);
    for (auto it = std::begin(sources); it != last; ++it) {
      const auto source = static_cast<node_id>(*it);
      visit(source);
      join_sets(joined, moved_[source]);
    }
    return &joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    effects e = no_effects(num_nodes_);
    if constexpr (has_boundary<P>) {
      problem_.boundary(n, e);
    }
    join_sets(*joined, gens_[num_nodes_]);
    return joined;
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects(n);
    problem_.effects(n, e);
    move(n, joined);
  }

  constexpr bool move(node_id n, row joined) {
    Set& moved = gens_[num_nodes_];
    moved = *joined;
    moved -= kills_[n];
    moved |= gens_[n];
    if (moved == moved_[n]) {
      return false;
    }
    moved_[n] = moved;
    return true;
  }

private:
  using effects = set_effects<P::direction, Set>;

  static constexpr bool is_may = P::confluence == flow_confluence::may;

  static constexpr void fit(std::size_t count, rows& sets) {
    if (sets.size() < count) {
      sets.resize(count, Set()); // larger vectors keep their sets, and with them their memory
    }
  }

  constexpr void clear(Set& set) const {
    set.resize(static_cast<std::size_t>(problem_.num_facts()));
    set.reset();
  }

  constexpr void make_neutral(Set& set) const {
    clear(set);
    if constexpr (!is_may) {
      set.set();
    }
  }

  constexpr effects no_effects(std::size_t row) {
    clear(gens_[row]);
    clear(kills_[row]);
    return {gens_[row], kills_[row]};
  }

  static constexpr void join_sets(Set& a, const Set& b) {
    if constexpr (is_may) {
      a |= b;
    } else {
      a &= b;
    }
  }

  const P& problem_;
  std::size_t num_nodes_;
  Set* joined_ = nullptr;
  Set* moved_ = nullptr;
  Set* gens_ = nullptr;
  Set* kills_ = nullptr;
};

} // namespace detail

MIDEND_END_NAMESPACE
