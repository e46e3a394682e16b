/// Lengauer and Tarjan's algorithm with simple and with balanced linking.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/path_minimum.hpp"
#include "midend/dominance/detail/search_numbers.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A number and its semidominator in one word, ordered by the semidominator.
constexpr std::uint64_t ranked(std::uint32_t semi, std::uint32_t number) {
  return std::uint64_t{semi} << 32 | number;
}

constexpr std::uint32_t rank_in(std::uint64_t ranked) {
  return static_cast<std::uint32_t>(ranked >> 32);
}

constexpr std::uint32_t number_in(std::uint64_t ranked) {
  return static_cast<std::uint32_t>(ranked);
}

/// Simple linking: the forest is the part of the search tree above w, and paths are halved. O(m log n).
class simple_link_forest {
public:
  constexpr simple_link_forest(dominance_arrays& a, std::uint32_t reached) {
    label_ = a.memory.array<std::uint64_t>(reached);
    ancestor_ = a.ancestor;
    for (std::uint32_t v = 0; v != reached; ++v) {
      ancestor_[v] = a.idom[v];
      label_[v] = ranked(a.semi[v], v);
    }
  }

  /// The semidominator of w is final: from now on, w is in the forest.
  constexpr void link(std::uint32_t, std::uint32_t w, std::uint32_t semi) { label_[w] = ranked(semi, w); }

  /// The node of least semidominator on the path from v up to the last node above w.
  constexpr std::uint64_t evaluate(std::uint32_t v, std::uint32_t w) {
    return least_label_on_path(v, w, label_, ancestor_);
  }

private:
  std::uint64_t* label_ = nullptr;
  std::uint32_t* ancestor_ = nullptr;
};

/// Balanced linking, as in the appendix of the paper: trees of the virtual forest are kept shallow by size. O(m α(m,
/// n)).
class balanced_link_forest {
public:
  /// There are two numbers after the real ones: `null`, of size 0 and semidominator 0, and the label of a node that is
  /// not linked yet, whose semidominator is larger than any: the root of a tree is not evaluated with its tree.
  constexpr balanced_link_forest(dominance_arrays& a, std::uint32_t reached) : null_(reached) {
    const std::size_t count = reached + std::size_t{1};
    const std::uint32_t unlinked = reached + 1;
    label_ = a.memory.array(count, unlinked);
    ancestor_ = a.memory.array(count, null_);
    size_ = a.memory.array(count, std::uint32_t{1});
    child_ = a.memory.array(count, null_);
    semi_ = a.semi;
    label_[null_] = null_;
    size_[null_] = 0;
    a.semi[null_] = 0;
    a.semi[unlinked] = no_node;
  }

  constexpr void link(std::uint32_t v, std::uint32_t w, std::uint32_t) {
    label_[w] = w;
    std::uint32_t s = w;
    while (semi_[label_[w]] < semi_[label_[child_[s]]]) {
      const std::uint32_t c = child_[s];
      if (size_[s] + size_[child_[c]] >= 2 * size_[c]) {
        ancestor_[c] = s;
        child_[s] = child_[c];
      } else {
        size_[c] = size_[s];
        ancestor_[s] = c;
        s = c;
      }
    }
    label_[s] = label_[w];
    size_[v] += size_[w];
    if (size_[v] < 2 * size_[w]) {
      const std::uint32_t c = s;
      s = child_[v];
      child_[v] = c;
    }
    for (; s != null_; s = child_[s]) {
      ancestor_[s] = v;
    }
  }

  constexpr std::uint64_t evaluate(std::uint32_t v, std::uint32_t) {
    std::uint32_t found = label_[v];
    if (ancestor_[v] != null_) {
      const std::uint32_t root = halve_path(v);
      found = better(label_[root], label_[v]);
    }
    return ranked(semi_[found], found);
  }

private:
  /// Makes `label_[v]` right for the path from v to the root, the root left out, and returns the root.
  constexpr std::uint32_t halve_path(std::uint32_t v) {
    std::uint32_t least = label_[v];
    std::uint32_t at = v;
    std::uint32_t up = ancestor_[at];
    while (ancestor_[up] != null_) {
      const std::uint32_t next = ancestor_[up];
      label_[at] = better(label_[up], label_[at]);
      least = better(label_[at], least);
      ancestor_[at] = next;
      if (ancestor_[next] == null_) {
        up = next;
        break;
      }
      at = next;
      least = better(label_[at], least);
      up = ancestor_[at];
    }
    label_[v] = better(least, label_[v]);
    return up;
  }

  constexpr std::uint32_t better(std::uint32_t a, std::uint32_t b) const { return semi_[a] < semi_[b] ? a : b; }

  std::uint32_t null_;
  std::uint32_t* label_ = nullptr;
  std::uint32_t* ancestor_ = nullptr;
  std::uint32_t* size_ = nullptr;
  std::uint32_t* child_ = nullptr;
  const std::uint32_t* semi_ = nullptr;
};

/// Lengauer, Tarjan, "A fast algorithm for finding dominators in a flowgraph", ACM TOPLAS 1(1), 1979, with the shortcut
/// that a node whose semidominator is its parent needs no bucket.
template <class Forest> struct lengauer_tarjan_algorithm {
  /// Numbers the graph and leaves idom[] in the arrays. Returns the number of reachable nodes.
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    if (reached > 1) {
      semidominators_and_buckets(a, reached);
      explicit_dominators(a, reached);
    }
    return reached;
  }

  /// From the last number down. The bucket of w holds the nodes whose semidominator is w. It is emptied when all
  /// descendants of w are linked and w is not: evaluated paths then end below w.
  static constexpr void semidominators_and_buckets(dominance_arrays& a, std::uint32_t reached) {
    Forest forest(a, reached);
    std::uint32_t* const parent_then_idom = a.idom; // a parent is last read before its idom is written
    std::uint32_t* const semi = a.semi;
    std::uint32_t* const bucket = a.memory.array(reached, end_of_chain);
    std::uint32_t* const bucket_next = a.memory.array<std::uint32_t>(reached);
    const std::uint32_t* const chain = a.chain;
    const chained_edge* const edges = a.edges;
    for (std::uint32_t w = reached; w-- != 0;) {
      for (std::uint32_t v = bucket[w]; v != end_of_chain; v = bucket_next[v]) {
        const std::uint64_t u = forest.evaluate(v, w);
        parent_then_idom[v] = rank_in(u) < w ? number_in(u) : w;
      }
      std::uint32_t best = semi[w];
      for (std::uint32_t edge = chain[w]; edge != end_of_chain; edge = edges[edge].next) {
        best = min(best, rank_in(forest.evaluate(edges[edge].source, w)));
      }
      semi[w] = best;
      const std::uint32_t parent = parent_then_idom[w];
      if (best != parent) {
        bucket_next[w] = bucket[best];
        bucket[best] = w;
      }
      forest.link(parent, w, best);
    }
  }

  static constexpr void explicit_dominators(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const idom = a.idom;
    const std::uint32_t* const semi = a.semi;
    for (std::uint32_t w = 1; w < reached; ++w) {
      if (idom[w] != semi[w]) {
        idom[w] = idom[idom[w]];
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
