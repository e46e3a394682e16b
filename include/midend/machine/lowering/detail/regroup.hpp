/// Regrouping: the order in which the terms of a sum, or of another tree of one operation, are combined.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr operation_id no_operation = static_cast<operation_id>(-1);

/// A term: a value of the body, or the result of an operation of the tree.
struct regrouped_term {
  std::uint64_t ready = 0;    ///< the cycle in which it can be read
  std::uint32_t position = 0; ///< among the terms
  bool comes_last = false;    ///< it depends on the result of the previous iteration
  operation_id operation = no_operation;
  region_operand value; ///< valid without `operation`

  friend constexpr bool operator<(const regrouped_term& a, const regrouped_term& b) {
    if (a.comes_last != b.comes_last) {
      return b.comes_last;
    }
    return a.ready != b.ready ? a.ready < b.ready : a.position < b.position;
  }

  friend constexpr bool operator<=(const regrouped_term& a, const regrouped_term& b) { return !(b < a); }
};

/// Combines the terms two by two, and returns the result of all; `combine(a, b)` returns the result of two of them,
/// which is ready later than both. It always combines the two that are ready first: for operations of equal latency no
/// other tree is done earlier (M. C. Golumbic, "Combinatorial merging", IEEE Trans. Computers C-25(11), 1976: Huffman's
/// algorithm with maximum plus one in place of the sum). Results appear in the order in which they are ready, so two
/// queues are enough. Terms that come last are combined at the end, one after the other, so that a value carried around
/// the loop goes through as few operations as possible.
///
/// Sorts `terms`; `results` is memory. Requires at least one term. O(n log n).
template <class Combine>
constexpr regrouped_term regroup(flat_array<regrouped_term>& terms, flat_array<regrouped_term>& results,
                                 const Combine& combine) {
  heap_sort(terms.data(), terms.size());
  std::size_t early = 0;
  while (early != terms.size() && !terms[early].comes_last) {
    ++early;
  }
  results.clear();
  std::size_t term = 0;
  std::size_t result = 0;
  const auto take = [&] {
    const bool takes_term = term != early && (result == results.size() || terms[term].ready <= results[result].ready);
    return takes_term ? terms[term++] : results[result++];
  };
  while (early - term + results.size() - result > 1) {
    const regrouped_term first = take();
    const regrouped_term second = take();
    results.push_back(combine(first, second));
  }
  regrouped_term all = early == 0 ? terms[early++] : take();
  for (; early != terms.size(); ++early) {
    all = combine(all, terms[early]);
  }
  return all;
}

/// The terms of a tree that depend on its result in the previous iteration: those come last. Sets of header phis are
/// bits of a word; with more than 64 phis some share a bit, so that a term may come last without need.
struct tree_recurrences {
  flat_array<std::uint64_t> depends_on; ///< by node: the header phis that it depends on
  flat_array<std::uint64_t> decides;    ///< by node: the header phis that depend on it in some later iteration
  bool are_known = false; ///< else the body has no trees or no next iteration, and the arrays are not filled

  /// Whether `term` depends on the `result` of an earlier iteration.
  constexpr bool connect(region_id result, region_id term) const {
    return are_known && (decides[result] & depends_on[term]) != 0;
  }
};

/// The algorithm of `find_tree_recurrences`.
class tree_recurrence_search {
public:
  constexpr tree_recurrence_search(const program_region& body, const needed_values& needs,
                                   const lowering_choices& choices, tree_recurrences& out)
      : body_(body), needs_(needs), choices_(choices), out_(out) {}

  constexpr void run() {
    out_.are_known = !body_.is_straight_line && choices_.has_trees;
    if (out_.are_known) {
      look_forward();
      look_back(phis_decided_by_phis());
    }
  }

private:
  static constexpr std::uint64_t bit_of(std::uint32_t phi) { return std::uint64_t{1} << (phi & 63); }

  constexpr bool is_header_phi(std::uint32_t p) const {
    return body_.phis[p] != no_region_value && choices_.is(body_.phis[p], lowered_as::header_phi);
  }

  constexpr void look_forward() {
    out_.depends_on.resize_for_overwrite(body_.values.size());
    for (region_id n = 0; n != body_.values.size(); ++n) {
      std::uint64_t all = choices_.is(n, lowered_as::header_phi) ? bit_of(needs_.nodes[n].phi) : 0;
      for_each_operand(n, [&](region_id o) { all |= out_.depends_on[o]; });
      out_.depends_on[n] = all;
    }
  }

  constexpr void look_back(const std::array<std::uint64_t, 64>& decided) {
    out_.decides.assign(body_.values.size(), 0);
    for (std::uint32_t p = 0; p != body_.phis.size(); ++p) {
      if (is_header_phi(p)) {
        out_.decides[body_.next[p].node] |= bit_of(p) | decided[p & 63];
      }
    }
    for (region_id n = static_cast<region_id>(body_.values.size()); n-- != 0;) {
      for_each_operand(n, [&](region_id o) { out_.decides[o] |= out_.decides[n]; });
    }
  }

  /// The transitive closure (S. Warshall, "A theorem on Boolean matrices", J. ACM 9(1), 1962), by rows.
  constexpr std::array<std::uint64_t, 64> phis_decided_by_phis() const {
    std::array<std::uint64_t, 64> rows{};
    for (std::uint32_t p = 0; p != body_.phis.size(); ++p) {
      if (!is_header_phi(p)) {
        continue;
      }
      std::size_t q = 0;
      for (std::uint64_t from = out_.depends_on[body_.next[p].node]; from != 0; from >>= 1, ++q) {
        rows[q] |= (from & 1) != 0 ? bit_of(p) : 0;
      }
    }
    const std::size_t count = body_.phis.size() < 64 ? body_.phis.size() : 64;
    for (std::size_t k = 0; k != count; ++k) {
      for (std::size_t i = 0; i != count; ++i) {
        rows[i] |= (rows[i] >> k & 1) != 0 ? rows[k] : 0;
      }
    }
    return rows;
  }

  template <class Visit> constexpr void for_each_operand(region_id n, const Visit& visit) const {
    const region_value& node = body_.values[n];
    for (const region_operand o : body_.operands_of(n)) {
      visit(o.node);
    }
    if (node.kind == region_value_kind::load || node.kind == region_value_kind::store) {
      const region_access& a = body_.accesses[node.access];
      for (const region_id o : {a.base, a.index, a.stored.node}) {
        if (o != no_region_value) {
          visit(o);
        }
      }
    }
    if (node.guard != no_region_value) {
      visit(node.guard);
    }
  }

  const program_region& body_;
  const needed_values& needs_;
  const lowering_choices& choices_;
  tree_recurrences& out_;
};

/// Finds which header phis each value depends on, and which it decides. Refills `out`. Linear, and 64² for the closure.
constexpr void find_tree_recurrences(const program_region& body, const needed_values& needs,
                                     const lowering_choices& choices, tree_recurrences& out) {
  tree_recurrence_search(body, needs, choices, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE
