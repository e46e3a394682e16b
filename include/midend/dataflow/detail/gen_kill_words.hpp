/// The rows of a gen/kill engine, in three forms behind one interface: one word a node, several words, or any
/// `bit_set`.
///
/// `joined` is what flows together before a node, `moved` what its effects make of that. A node that was not visited
/// has the neutral element of the confluence as `moved` (nothing, or everything), so that joining it changes nothing.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/gen_kill_effects.hpp"
#include "midend/dataflow/flow_confluence.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/gen_kill_problem.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/detail/short_lists.hpp"
#include "midend/support/detail/word_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Up to 64 facts. All that happens between the rows of two nodes happens in registers.
template <class P> class one_word_table {
public:
  using row = word;

  constexpr one_word_table(const P& problem, std::size_t num_nodes, bit_matrix& joined, bit_matrix& moved,
                           bit_matrix& gens, bit_matrix& kills)
      : problem_(problem), num_nodes_(static_cast<node_id>(num_nodes)), num_facts_(problem.num_facts()),
        neutral_(P::confluence == flow_confluence::may ? 0 : last_word_mask(num_facts_)) {
    if constexpr (P::direction == flow_direction::forward) { // backward, each node is visited
      joined.assign(num_nodes, num_facts_, neutral_ != 0);
    } else {
      joined.resize_for_overwrite(num_nodes, num_facts_);
    }
    moved.assign(num_nodes + 1, num_facts_, neutral_ != 0);
    gens.resize_for_overwrite(num_nodes, num_facts_);
    kills.resize_for_overwrite(num_nodes, num_facts_);
    joined_ = joined.words(0);
    moved_ = moved.words(0);
    gens_ = gens.words(0);
    kills_ = kills.words(0);
  }

  template <class Nodes, class Visit> constexpr row join(node_id, Nodes&& sources, Visit visit) {
    if constexpr (std::is_convertible_v<Nodes, std::span<const node_id>>) {
      return join_listed(sources, visit);
    }
    word joined = neutral_;
    const auto last = std::end(sources);
    for (auto it = std::begin(sources); it != last; ++it) {
      const auto source = static_cast<node_id>(*it);
      visit(source);
      joined = join_words(joined, moved_[source]);
    }
    return joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    effects e = no_effects();
    if constexpr (has_boundary<P>) {
      problem_.boundary(n, e);
    }
    return join_words(joined, e.gens().value);
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects();
    problem_.effects(n, e);
    const word gens = e.gens().value;
    const word kills = e.kills().value;
    gens_[n] = gens;
    kills_[n] = kills;
    joined_[n] = joined;
    moved_[n] = gens | (joined & ~kills);
  }

  constexpr bool move(node_id n, row joined) {
    const word moved = gens_[n] | (joined & ~kills_[n]);
    const bool changed = moved != moved_[n];
    joined_[n] = joined;
    moved_[n] = moved;
    return changed;
  }

private:
  using effects = bit_effects<P::direction, one_word>;

  constexpr effects no_effects() const { return {one_word{}, one_word{}, num_facts_}; }

  /// The row behind the last node stands for sources that are missing.
  template <class Visit> constexpr row join_listed(std::span<const node_id> sources, Visit visit) {
    const auto [first, second] = first_two(sources, num_nodes_);
    visit(first);
    visit(second);
    word joined = join_words(moved_[first], moved_[second]);
    for (std::size_t i = 2; i < sources.size(); ++i) {
      visit(sources[i]);
      joined = join_words(joined, moved_[sources[i]]);
    }
    return joined;
  }

  static constexpr word join_words(word a, word b) { return P::confluence == flow_confluence::may ? a | b : a & b; }

  const P& problem_;
  node_id num_nodes_;
  std::size_t num_facts_;
  word neutral_;
  word* joined_;
  word* moved_;
  word* gens_;
  word* kills_;
};

/// Any number of facts.
template <class P> class many_words_table {
public:
  using row = word*;

  constexpr many_words_table(const P& problem, std::size_t num_nodes, bit_matrix& joined, bit_matrix& moved,
                             bit_matrix& gens, bit_matrix& kills)
      : problem_(problem), num_nodes_(num_nodes), num_facts_(problem.num_facts()), num_words_(words_for(num_facts_)),
        joined_(joined), moved_(moved), gens_(gens), kills_(kills) {
    if constexpr (P::direction == flow_direction::forward) {
      joined.assign(num_nodes, num_facts_, !is_may);
    } else {
      joined.resize_for_overwrite(num_nodes, num_facts_);
    }
    moved.assign(num_nodes, num_facts_, !is_may);
    gens.resize_for_overwrite(num_nodes + 1, num_facts_); // the last row is for boundaries
    kills.resize_for_overwrite(num_nodes + 1, num_facts_);
  }

  template <class Nodes, class Visit> constexpr row join(node_id n, Nodes&& sources, Visit visit) {
    word* const joined = joined_.words(n);
    auto it = std::begin(sources);
    const auto last = std::end(sources);
    if (it == last) {
      fill_words(joined, num_facts_, !is_may);
      return joined;
    }
    const auto first = static_cast<node_id>(*it);
    visit(first);
    copy_words(joined, moved_.words(first), num_words_);
    while (++it != last) {
      const auto source = static_cast<node_id>(*it);
      visit(source);
      join_words(joined, moved_.words(source));
    }
    return joined;
  }

  constexpr row join_boundary(node_id n, row joined) {
    if constexpr (has_boundary<P>) {
      effects e = no_effects(num_nodes_);
      problem_.boundary(n, e);
      join_words(joined, e.gens().words);
    } else if constexpr (!is_may) {
      fill_words(joined, num_facts_, false);
    }
    return joined;
  }

  constexpr void summarise_and_move(node_id n, row joined) {
    effects e = no_effects(n);
    problem_.effects(n, e);
    transfer_words(moved_.words(n), e.gens().words, joined, e.kills().words, num_words_);
  }

  constexpr bool move(node_id n, row joined) {
    return transfer_words(moved_.words(n), gens_.words(n), joined, kills_.words(n), num_words_);
  }

private:
  using effects = bit_effects<P::direction, word_row>;

  static constexpr bool is_may = P::confluence == flow_confluence::may;

  constexpr effects no_effects(std::size_t row) {
    fill_words(gens_.words(row), num_facts_, false);
    fill_words(kills_.words(row), num_facts_, false);
    return {word_row{gens_.words(row)}, word_row{kills_.words(row)}, num_facts_};
  }

  constexpr void join_words(word* a, const word* b) const {
    if constexpr (is_may) {
      unite_words(a, b, num_words_);
    } else {
      intersect_words(a, b, num_words_);
    }
  }

  const P& problem_;
  std::size_t num_nodes_;
  std::size_t num_facts_;
  std::size_t num_words_;
  bit_matrix& joined_;
  bit_matrix& moved_;
  bit_matrix& gens_;
  bit_matrix& kills_;
};

} // namespace detail

MIDEND_END_NAMESPACE
