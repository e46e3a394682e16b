/// `verify_implied_branches`: proves that dominating branches on the same value decide branches.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The result of `verify_implied_branches`: how much is proven, and the first edge that is not.
struct implied_branches_verdict {
  std::size_t proven = 0; ///< edges that were dropped as `assumed` and are never taken
  edge_id edge = no_edge; ///< the first edge of the old program without a proof; `no_edge`: all are proven

  explicit operator bool() const { return edge == no_edge; }
};

namespace detail {

template <class IR> class implied_branches_checker {
public:
  implied_branches_checker(const IR& before, const unfolding_witness& witness)
      : ir_(before), witness_(witness), tree_(dominators(before.graph())) {}

  implied_branches_verdict run() {
    implied_branches_verdict verdict;
    for_each_assumed([&](edge_id e) { verdict.edge = verdict.edge == no_edge && !is_edge(e) ? e : verdict.edge; });
    if (!verdict) {
      return verdict;
    }
    sort_by_source();
    last_.assign(static_cast<std::size_t>(ir_.num_values()), none);
    for (const node_id n : tree_.preorder()) { // an edge of an unreachable node is never taken either
      add_fact(n);
      for (std::uint32_t i = first_[n]; i != first_[n + 1]; ++i) {
        if (!is_never_taken(n, dropped_[i])) {
          verdict.edge = dropped_[i];
          return verdict;
        }
      }
    }
    verdict.proven = dropped_.size();
    return verdict;
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// Control came to `node` by its only edge, so a branch on the value took that edge.
  struct fact {
    node_id node;
    edge_id in;
    std::uint32_t previous; ///< the value's fact before this one
  };

  /// Sorts the edges that were dropped without a reason. Those of node n begin at `first_[n]`.
  void sort_by_source() {
    first_.assign(static_cast<std::size_t>(node_count(ir_.graph())) + 1, 0);
    for_each_assumed([&](edge_id e) { ++first_[source(e) + 1]; });
    for (std::size_t n = 1; n != first_.size(); ++n) {
      first_[n] += first_[n - 1];
    }
    dropped_.assign(first_.back(), no_edge);
    flat_array<std::uint32_t> next = first_;
    for_each_assumed([&](edge_id e) { dropped_[next[source(e)]++] = e; });
  }

  template <class Visit> void for_each_assumed(Visit visit) const {
    for (const dropped_edge& d : witness_.dropped) {
      if (d.why == drop_reason::assumed) {
        visit(d.edge);
      }
    }
  }

  bool is_edge(edge_id e) const {
    return e < static_cast<edge_id>(ir_.graph().num_edges()) && source(e) < node_count(ir_.graph());
  }

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  void add_fact(node_id n) {
    edge_id in = no_edge;
    std::size_t entered = n == static_cast<node_id>(ir_.graph().entry()) ? 1 : 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      in = e;
      ++entered;
    });
    const value_id v = entered == 1 && in != no_edge ? static_cast<value_id>(ir_.condition(source(in))) : no_value;
    if (v != no_value) {
      facts_.push_back({n, in, last_at(n, v)});
      last_[v] = static_cast<std::uint32_t>(facts_.size() - 1);
    }
  }

  /// The last fact about a value at `n`. In preorder, a fact that does not dominate a node dominates no later one.
  std::uint32_t last_at(node_id n, value_id v) {
    std::uint32_t& last = last_[v];
    while (last != none && !tree_.dominates(facts_[last].node, n)) {
      last = facts_[last].previous;
    }
    return last;
  }

  /// Whether a fact that dominates `n` excludes the edge. If the transformation is right, the last fact does.
  bool is_never_taken(node_id n, edge_id e) {
    const auto v = static_cast<value_id>(ir_.condition(n));
    std::uint32_t i = v == no_value ? none : last_at(n, v);
    while (i != none && !excludes(facts_[i].in, e)) {
      i = facts_[i].previous;
    }
    return i != none;
  }

  /// Whether two branches on one value exclude each other: if the first takes `in`, the second does not take `e`.
  bool excludes(edge_id in, edge_id e) const {
    const unsigned width = width_of_cases(ir_, source(in));
    const bool was_listed = has_cases(ir_, in);
    const bool is_listed = has_cases(ir_, e);
    if (was_listed && is_listed) {
      bool meet = false;
      for_each_case(ir_, in, [&](const auto& was) {
        for_each_case(ir_, e, [&](const auto& is) { meet = meet || cases_meet(width, was, is); });
      });
      return !meet;
    }
    // A default edge is taken for no value that another edge of its node lists.
    return was_listed ? are_all_cases_of(in, source(e)) : is_listed && are_all_cases_of(e, source(in));
  }

  /// Whether `n` lists each case of the edge `of`, too. Both branches read one value.
  bool are_all_cases_of(edge_id of, node_id n) const {
    bool all = true;
    for_each_case(ir_, of, [&](const auto& wanted) {
      bool found = false;
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        for_each_case(ir_, e,
                      [&](const auto& one) { found = found || case_includes(width_of_cases(ir_, n), one, wanted); });
      });
      all = all && found;
    });
    return all;
  }

  const IR& ir_;
  const unfolding_witness& witness_;
  dominator_tree tree_;
  flat_array<std::uint32_t> first_;
  flat_array<edge_id> dropped_;
  flat_array<fact> facts_;
  flat_array<std::uint32_t> last_; ///< by value: its last fact in the nodes so far
};

} // namespace detail

/// Whether each edge that a witness drops as `assumed` is never taken in `before`. The proof for an edge: a dominating
/// branch on the same value took an edge with other cases. Trusts only the dominators and the witness's list of edges.
/// Together with `verify_unfolding`, which counts these edges, it proves a round of `control_canonicalization`.
///
/// A value does not change between its definition and its uses: a path from the first branch to the second that
/// goes through the definition again also goes through the first branch again. Requires that a branch on an undefined
/// value is undefined, or that there is none.
///
/// Requires IR in SSA form. O(n + m) if it accepts.
template <semantic_ir IR>
implied_branches_verdict verify_implied_branches(const IR& before, const unfolding_witness& witness) {
  return detail::implied_branches_checker<IR>(before, witness).run();
}

MIDEND_END_NAMESPACE
