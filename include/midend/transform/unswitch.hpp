/// `unswitch`: branches of a loop on invariants are decided before the loop, between copies of it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/build_versions.hpp"
#include "midend/transform/detail/divided_counts.hpp"
#include "midend/transform/detail/version_flows.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a branch is not decided before a loop.
enum class unswitch_obstacle : std::uint8_t {
  none,
  not_a_branch,     ///< its terminator does more than choose an edge by the condition
  decided,          ///< a branch before the loop has decided it already
  same_condition,   ///< another branch on this condition was chosen, with other cases
  may_be_undefined, ///< a branch before the loop might read an undefined condition that the loop does not read
  not_copied,       ///< the loop cannot be copied: see `copying`
  too_large,        ///< more would be copied than the limit
  overlaps          ///< an outer or inner loop is copied for other branches
};

/// A branch in a loop on an invariant condition.
struct unswitch_candidate {
  loop_id loop;
  node_id node; ///< the node of the branch, perhaps in an inner loop
  value_id condition;
  unswitch_obstacle obstacle = unswitch_obstacle::none;
  loop_copy_obstacle copying = loop_copy_obstacle::none;
  std::uint32_t versions = 0; ///< versions of the loop for this branch alone: the number of its distinct edges
  std::size_t cloned = 0;     ///< operations and phis copied for this branch alone: those of all versions but one

  friend constexpr bool operator==(const unswitch_candidate&, const unswitch_candidate&) = default;
};

/// A branch that is inserted before a loop: a copy of the one at the end of `node`.
struct unswitch_test {
  node_id node;
  value_id condition;
  std::uint32_t first_version; ///< into `unswitch_plan::version_of_edge`: one for each of its edges
  std::uint32_t num_edges;
  std::uint32_t versions;
};

/// A loop that is copied.
struct loop_unswitching {
  loop_id loop;
  std::uint32_t first_candidate; ///< into `unswitch_plan::candidates`; those without obstacle are decided
  std::uint32_t num_candidates;
  std::uint32_t first_test; ///< into `unswitch_plan::tests`
  std::uint32_t num_tests;
  std::uint32_t first_node; ///< into `unswitch_plan::nodes`; the header
  std::uint32_t num_nodes;
  std::uint32_t versions; ///< with the original: the product of the versions of the tests
  std::size_t cloned;     ///< operations and phis
};

/// What `apply_unswitch` will do. To veto a loop, remove its `loop_unswitching`.
struct unswitch_plan {
  std::uint64_t epoch = 0;
  flat_array<unswitch_candidate> candidates; ///< all of them, chosen or not
  flat_array<loop_unswitching> loops;
  flat_array<unswitch_test> tests;
  flat_array<std::uint32_t> version_of_edge;
  flat_array<node_id> nodes;
  std::size_t cloned = 0; ///< by all of them

  bool empty() const { return loops.empty(); }
};

struct unswitch_limits {
  /// Operations and phis to copy for all loops together, before any clean-up.
  std::size_t max_cloned = 1024;
  /// Versions of one loop, the original included. Each further condition multiplies the number.
  std::uint32_t max_versions = 8;
  span<const wanted_loop> only =
      {}; ///< if any, only these loops, also for conditions that are invariant in a loop around
};

namespace detail {

template <class IR> class unswitch_planner {
public:
  unswitch_planner(const IR& ir, const loop_forest& loops, const unswitch_limits& limits, unswitch_plan& out)
      : ir_(ir), loops_(loops), limits_(limits), wanted_(loops, limits.only), costs_(ir, loops), out_(out) {}

  void run() {
    if (loops_.num_loops() == 0) {
      return;
    }
    find_homes();
    list_branches();
    if (branches_.empty()) {
      return;
    }
    find_decided();
    taken_.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) { // a loop comes before those in it
      plan_loop(l);
    }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct branch {
    node_id node;
    value_id condition;
    std::uint32_t next = none; ///< of the same loop
  };

  /// A dominator subtree in which branches on a condition are decided.
  struct fact {
    std::uint32_t end; ///< in preorder
    value_id condition;
  };

  void find_homes() {
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
  }

  bool is_literal([[maybe_unused]] value_id v) const {
    if constexpr (has_constant<IR>) {
      return static_cast<bool>(ir_.constant(v));
    } else {
      return false;
    }
  }

  bool is_invariant(value_id v, loop_id l) const { return home_[v] == no_node || !loops_.contains(l, home_[v]); }

  /// Collects branches, each with the outermost loop that does not change its condition.
  void list_branches() {
    first_.assign(loops_.num_loops(), none);
    for (node_id n = node_count(ir_.graph()); n-- != 0;) {
      const loop_id innermost = loops_.innermost_loop(n);
      const auto condition = innermost == no_loop ? no_value : static_cast<value_id>(ir_.condition(n));
      if (condition == no_value || is_literal(condition) || !is_invariant(condition, innermost)) {
        continue;
      }
      loop_id l = innermost;
      while ((wanted_.is_any() || !wanted_.has(l)) && loops_.parent(l) != no_loop &&
             is_invariant(condition, loops_.parent(l))) {
        l = loops_.parent(l);
      }
      if (wanted_.has(l, n)) {
        push(l, {n, condition});
      }
    }
  }

  void push(loop_id l, branch b) {
    b.next = first_[l];
    first_[l] = static_cast<std::uint32_t>(branches_.size());
    branches_.push_back(b);
  }

  /// Finds for each branch the first dominator at which another branch has decided its condition.
  void find_decided() {
    const auto& g = ir_.graph();
    tree_ = dominators(g);
    decided_from_.assign(node_count(g), no_node);
    flat_array<node_id> known(home_.size(), no_node); // by value: the first node where it is decided
    flat_array<fact> facts;
    const auto order = tree_.preorder();
    for (std::uint32_t i = 0; i != order.size(); ++i) {
      const node_id n = order[i];
      while (!facts.empty() && facts.back().end <= i) {
        known[facts.back().condition] = no_node;
        facts.pop_back();
      }
      if (const value_id v = decided_at(n); v != no_value && known[v] == no_node) {
        known[v] = n;
        facts.push_back({i + static_cast<std::uint32_t>(tree_.subtree(n).size()), v});
      }
      const auto condition = static_cast<value_id>(ir_.condition(n));
      decided_from_[n] = condition == no_value ? no_node : known[condition];
    }
  }

  bool is_decided_before(const branch& b, loop_id l) const {
    const node_id from = decided_from_[b.node];
    return from != no_node && tree_.dominates(from, loops_.header(l));
  }

  /// The condition of the branch whose edge is the only one into a node, apart from edges from nodes that the node
  /// dominates.
  value_id decided_at(node_id n) const {
    edge_id in = no_edge;
    std::size_t entered = n == static_cast<node_id>(ir_.graph().entry()) ? 2 : 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
      if (tree_.is_reachable(source) && !tree_.dominates(n, source)) {
        in = e;
        ++entered;
      }
    });
    return entered == 1 ? static_cast<value_id>(ir_.condition(static_cast<node_id>(ir_.graph().edge_source(in))))
                        : no_value;
  }

  void plan_loop(loop_id l) {
    if (first_[l] == none) {
      return;
    }
    const loop_copy_cost cost = costs_.of(l);
    const node_id certain = first_branch_of_loop(ir_, loops_, l);
    const std::size_t left = limits_.max_cloned - min(out_.cloned, limits_.max_cloned);
    loop_unswitching x{l, static_cast<std::uint32_t>(out_.candidates.size()),
                       0, static_cast<std::uint32_t>(out_.tests.size()),
                       0, 0,
                       0, 1,
                       0};
    flat_array<branch> inwards;
    for (std::uint32_t i = first_[l]; i != none; i = branches_[i].next) {
      const branch b = branches_[i];
      unswitch_candidate c{l, b.node, b.condition};
      const std::uint32_t first_version = static_cast<std::uint32_t>(out_.version_of_edge.size());
      c.versions = list_versions(b.node);
      c.cloned = (c.versions - std::size_t{1}) * cost.operations;
      c.copying = cost.obstacle;
      c.obstacle = obstacle_of(l, b, c, certain);
      bool joins = false;
      for (std::uint32_t t = x.first_test; t != out_.tests.size() && c.obstacle == unswitch_obstacle::none; ++t) {
        if (out_.tests[t].condition == b.condition) {
          joins = has_same_cases(out_.tests[t].node, b.node);
          c.obstacle = joins ? unswitch_obstacle::none : unswitch_obstacle::same_condition;
        }
      }
      if (c.obstacle == unswitch_obstacle::none && !joins) {
        const std::uint64_t versions = std::uint64_t{x.versions} * c.versions;
        if (versions > limits_.max_versions || (versions - 1) * cost.operations > left) {
          c.obstacle = unswitch_obstacle::too_large;
        } else {
          x.versions = static_cast<std::uint32_t>(versions);
          const auto edges = static_cast<std::uint32_t>(out_.version_of_edge.size()) - first_version;
          out_.tests.push_back({b.node, b.condition, first_version, edges, c.versions});
          ++x.num_tests;
        }
      }
      if (c.obstacle != unswitch_obstacle::none || joins) {
        out_.version_of_edge.shrink(first_version);
      }
      out_.candidates.push_back(c);
      if (c.obstacle != unswitch_obstacle::none && c.obstacle != unswitch_obstacle::not_a_branch &&
          c.obstacle != unswitch_obstacle::decided && c.obstacle != unswitch_obstacle::overlaps) {
        inwards.push_back(b);
      }
    }
    for (const branch& b : inwards) { // an inner loop may be copied for it
      if (x.num_tests == 0 && loops_.innermost_loop(b.node) != l) {
        loop_id inner = loops_.innermost_loop(b.node);
        while (loops_.parent(inner) != l) {
          inner = loops_.parent(inner);
        }
        if (wanted_.is_any()) {
          push(inner, b);
        }
      }
    }
    if (x.num_tests != 0) {
      choose(l, x, cost);
    }
  }

  void choose(loop_id l, loop_unswitching& x, const loop_copy_cost& cost) {
    x.num_candidates = static_cast<std::uint32_t>(out_.candidates.size()) - x.first_candidate;
    x.first_node = static_cast<std::uint32_t>(out_.nodes.size());
    for (const node_id n : loops_.blocks(l)) {
      out_.nodes.push_back(n);
    }
    x.num_nodes = static_cast<std::uint32_t>(out_.nodes.size()) - x.first_node;
    x.cloned = (x.versions - std::size_t{1}) * cost.operations;
    out_.cloned += x.cloned;
    out_.loops.push_back(x);
    for (const loop_id inner : loops_.subloops(l)) {
      taken_[inner] = 1;
    }
    for (loop_id outer = loops_.parent(l); outer != no_loop; outer = loops_.parent(outer)) {
      taken_[outer] = 1;
    }
  }

  unswitch_obstacle obstacle_of(loop_id l, const branch& b, const unswitch_candidate& c, node_id certain) const {
    if (!is_plain_branch(ir_, b.node) || c.versions < 2) {
      return unswitch_obstacle::not_a_branch;
    }
    if (is_decided_before(b, l)) {
      return unswitch_obstacle::decided;
    }
    if (taken_[l] != 0) {
      return unswitch_obstacle::overlaps;
    }
    if (may_ask_undefined(b, certain)) {
      return unswitch_obstacle::may_be_undefined;
    }
    return c.copying == loop_copy_obstacle::none ? unswitch_obstacle::none : unswitch_obstacle::not_copied;
  }

  /// The condition of an inserted branch must be defined, unless every run that enters the loop reads it anyway.
  bool may_ask_undefined(const branch& b, node_id certain) const {
    bool may = static_cast<bool>(ir_.may_trap(end_of_node(ir_, b.node)));
    if constexpr (has_is_undefined<IR>) {
      may = may || static_cast<bool>(ir_.is_undefined(b.condition));
    }
    if constexpr (has_may_be_indeterminate<IR>) {
      may = may || (b.node != certain && static_cast<bool>(ir_.may_be_indeterminate(b.condition)));
    }
    return may;
  }

  /// Appends the version of each edge. Edges to one node with equal phi inputs have one version. Returns the number of
  /// versions.
  std::uint32_t list_versions(node_id n) {
    const auto& g = ir_.graph();
    edges_.clear();
    for_each_id(g.out_edges(n), [&](edge_id e) { edges_.push_back(e); });
    std::uint32_t count = 0;
    const std::size_t first = out_.version_of_edge.size();
    for (std::size_t i = 0; i != edges_.size(); ++i) {
      std::uint32_t version = count;
      for (std::size_t k = 0; k != i && version == count && i < 64; ++k) {
        bool is_equal = g.edge_target(edges_[i]) == g.edge_target(edges_[k]);
        if (is_equal) {
          for_each_phi(ir_, static_cast<node_id>(g.edge_target(edges_[i])), [&](value_id phi) {
            is_equal = is_equal && ir_.phi_input(phi, edges_[i]) == ir_.phi_input(phi, edges_[k]);
          });
        }
        version = is_equal ? out_.version_of_edge[first + k] : version;
      }
      count += version == count ? 1u : 0u;
      out_.version_of_edge.push_back(version);
    }
    return count;
  }

  /// Whether two branches on one value have two edges each, and take the edge at the same position for each value.
  bool has_same_cases([[maybe_unused]] node_id a, [[maybe_unused]] node_id b) {
    if constexpr (has_cases_of_edges<IR>) {
      flat_array<edge_id> edges;
      edges_.clear();
      for_each_id(ir_.graph().out_edges(a), [&](edge_id e) { edges.push_back(e); });
      for_each_id(ir_.graph().out_edges(b), [&](edge_id e) { edges_.push_back(e); });
      bool same = edges.size() == 2 && edges_.size() == 2;
      for (std::size_t i = 0; i != edges.size() && same; ++i) {
        same = same_cases(ir_, edges[i], ir_, edges_[i]);
      }
      return same;
    } else {
      return false;
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  const unswitch_limits& limits_;
  wanted_loops wanted_;
  loop_copy_costs<IR> costs_;
  unswitch_plan& out_;
  flat_array<node_id> home_;
  flat_array<std::uint32_t> first_; ///< by loop, into `branches_`
  flat_array<branch> branches_;
  dominator_tree tree_;
  flat_array<node_id> decided_from_; ///< by node
  flat_array<unsigned char> taken_;  ///< by loop
  flat_array<edge_id> edges_;
};

template <class E> class unswitch_builder {
public:
  unswitch_builder(unfolding<E>& u, const unswitch_plan& plan, const loop_unswitching& x,
                   flat_array<std::uint32_t>& position)
      : u_(u), plan_(plan), x_(x), nodes_(plan.nodes.data() + x.first_node, x.num_nodes),
        versions_(u, nodes_, position) {}

  /// Makes the new node before the loop, before anything is copied.
  void gather() {
    versions_.mark();
    has_counts_ = read_counts(u_.editor(), nodes_, versions_.position(), counts_);
    read_flows();
    flat_array<edge_id> entering;
    for_each_id(graph().in_edges(nodes_[0]), [&](edge_id e) {
      if (versions_.position()[static_cast<node_id>(graph().edge_source(e))] == no_node) {
        entering.push_back(e);
      }
    });
    versions_.unmark();
    versions_.gather(entering);
  }

  /// Makes the copies. Requires a call of `unfolding::finish` afterwards.
  void copy() {
    versions_.copy(x_.versions - 1);
    versions_.open();
    make_tests();
    u_.grow_witness();
  }

  /// Completes the tests, after `finish`. A condition may have become a phi, because an earlier loop was copied, too,
  /// and the IR may not know that this phi is defined. Then control always enters the first version.
  void close() {
    E& editor = u_.editor();
    for (const node_id n : tests_) {
      if (static_cast<bool>(editor.may_trap(end_of_node(static_cast<const E&>(editor), n)))) {
        edge_id first = no_edge;
        for_each_id(graph().out_edges(n), [&](edge_id e) { first = first == no_edge ? e : first; });
        editor.keep_edge(first);
      }
    }
    u_.grow_witness();
    divide_counts();
  }

private:
  const auto& graph() const { return u_.program().graph(); }

  std::uint32_t version_of(const unswitch_test& t, std::size_t slot) const {
    return plan_.version_of_edge[t.first_version + slot];
  }

  const unswitch_test& test(std::uint32_t i) const { return plan_.tests[x_.first_test + i]; }

  /// Builds a tree of branches, one level for each test. The digits of the number of a version, in mixed radix, are the
  /// versions of the tests; the last test is the least significant.
  void make_tests() {
    E& editor = u_.editor();
    flat_array<node_id> entered;
    for (std::uint32_t v = 0; v != x_.versions; ++v) {
      entered.push_back(versions_.enter(v));
    }
    flat_array<node_id> level(1, versions_.gate());
    flat_array<edge_id> edges;
    for (std::uint32_t i = 0; i != x_.num_tests; ++i) {
      const unswitch_test& t = test(i);
      flat_array<node_id> next;
      for (std::size_t k = 0; k != level.size(); ++k) {
        const std::size_t first = k * t.versions;
        for (std::uint32_t v = 0; v != t.versions; ++v) {
          next.push_back(i + 1 == x_.num_tests ? entered[first + v] : versions_.make_node());
        }
        const node_id n = level[k];
        tests_.push_back(n);
        editor.clone_value(end_of_node(u_.program(), t.node), n);
        edges.clear();
        for_each_id(graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
        for (std::size_t slot = 0; slot != edges.size(); ++slot) {
          editor.redirect_edge(edges[slot], next[first + version_of(t, slot)]);
        }
      }
      level = next;
    }
    inserted_ = tests_;
    for (const node_id n : entered) {
      inserted_.push_back(n);
    }
  }

  /// Reads the loop before it is copied: the share of each version, and the edges that it takes.
  void read_flows() {
    if constexpr (profile_editor<E>) {
      shares_.assign(x_.versions, 1);
      flat_array<double> parts;
      std::uint32_t stride = x_.versions;
      for (std::uint32_t i = 0; i != x_.num_tests; ++i) {
        const unswitch_test& t = test(i);
        parts.assign(t.versions, 0);
        double all = 0;
        bool is_known = true;
        std::size_t slot = 0;
        first_probability_.push_back(static_cast<std::uint32_t>(probabilities_.size()));
        for_each_id(graph().out_edges(t.node), [&](edge_id e) {
          const double taken = has_counts_ ? counts_.taken(versions_.position()[t.node], slot)
                                           : static_cast<double>(u_.program().probability(e));
          probabilities_.push_back(taken);
          is_known = is_known && taken >= 0;
          parts[version_of(t, slot++)] += taken;
          all += taken;
        });
        for (std::uint32_t v = 0; v != t.versions; ++v) {
          parts[v] = !is_known || !(all > 0) ? 1 / static_cast<double>(t.versions) : parts[v] / all;
        }
        for (std::size_t k = first_probability_.back(); k != probabilities_.size(); ++k) {
          probabilities_[k] = !is_known ? -1 : all > 0 ? probabilities_[k] / all : 1 / static_cast<double>(t.num_edges);
        }
        stride /= t.versions;
        for (std::uint32_t v = 0; v != x_.versions; ++v) {
          shares_[v] *= parts[v / stride % t.versions];
        }
      }
      if (has_counts_) {
        flows_.read(graph(), nodes_, versions_.position(), counts_);
        list_decided();
        flows_.divide(span<const double>(shares_),
                      [&](std::uint32_t v, std::uint32_t n) { return decided_slot(v, n); });
      }
    }
  }

  /// By node of the loop: the test that its branch repeats, if any.
  void list_decided() {
    test_of_.assign(nodes_.size(), no_node);
    for (std::uint32_t k = 0; k != x_.num_candidates; ++k) {
      const unswitch_candidate& c = plan_.candidates[x_.first_candidate + k];
      for (std::uint32_t i = 0; i != x_.num_tests && c.obstacle == unswitch_obstacle::none; ++i) {
        if (test(i).condition == c.condition) {
          test_of_[versions_.position()[c.node]] = i;
        }
      }
    }
  }

  /// The position of the edge that a version takes at a node. Of several edges of one version, the first with a count.
  int decided_slot(std::uint32_t v, std::uint32_t n) const {
    if (test_of_[n] == no_node) {
      return -1;
    }
    std::uint32_t stride = x_.versions;
    for (std::uint32_t i = 0; i <= test_of_[n]; ++i) {
      stride /= test(i).versions;
    }
    const unswitch_test& t = test(test_of_[n]);
    const std::uint32_t wanted = v / stride % t.versions;
    int slot = -1;
    std::uint32_t count = 0;
    for (std::uint32_t s = 0; s != t.num_edges; ++s) {
      if (version_of(t, s) == wanted) {
        slot = static_cast<int>(s);
        ++count;
      }
    }
    return count == 1 ? slot : -1;
  }

  void divide_counts() {
    if constexpr (profile_editor<E>) {
      E& editor = u_.editor();
      flat_array<node_id> all;
      flat_array<double> flows;
      for (const node_id n : versions_.copies()) {
        all.push_back(n);
      }
      flat_array<edge_id> edges;
      std::size_t level_size = 1;
      std::size_t at = 0;
      std::uint32_t below = x_.versions; // number of versions below a node of the level
      if (has_counts_) {
        for (std::uint32_t v = 0; v != x_.versions; ++v) {
          for (const double f : flows_.flows(v)) {
            flows.push_back(f);
          }
        }
      }
      for (std::uint32_t i = 0; i != x_.num_tests; ++i) {
        const unswitch_test& t = test(i);
        for (std::size_t k = 0; k != level_size; ++k, ++at) {
          edges.clear();
          for_each_id(graph().out_edges(tests_[at]), [&](edge_id e) { edges.push_back(e); });
          double arrives = 0;
          for (std::uint32_t v = 0; v != below; ++v) {
            arrives += shares_[k * below + v];
          }
          for (std::size_t slot = 0; slot != edges.size(); ++slot) {
            const double p = edges.size() == 1 ? 1 : probabilities_[first_probability_[i] + slot];
            flows.push_back(flows_.entered() * arrives * p);
            if (!has_counts_ && edges.size() != 1) {
              editor.set_probability(edges[slot], p);
            }
          }
        }
        level_size *= t.versions;
        below /= t.versions;
      }
      for (std::uint32_t v = 0; v != x_.versions; ++v) {
        flows.push_back(flows_.entered() * shares_[v]);
      }
      for (const node_id n : inserted_) {
        all.push_back(n);
      }
      if (has_counts_) {
        counts_.write(editor, all, {}, flows);
      }
    }
  }

  unfolding<E>& u_;
  const unswitch_plan& plan_;
  const loop_unswitching& x_;
  span<const node_id> nodes_;
  loop_versions<E> versions_;
  divided_counts counts_;
  version_flows flows_;
  bool has_counts_ = false;
  flat_array<double> shares_; ///< by version
  flat_array<double> probabilities_;
  flat_array<std::uint32_t> first_probability_; ///< by test
  flat_array<std::uint32_t> test_of_;
  flat_array<node_id> tests_;    ///< the tree, level by level
  flat_array<node_id> inserted_; ///< and the nodes from which the versions are entered
};

} // namespace detail

/// Plans which branches and switches on loop invariants, at any depth of a loop, are decided before the loop (F. Allen,
/// J. Cocke, "A catalogue of optimizing transformations", 1971). A condition is decided before the outermost loop that
/// does not change it and can be copied. `hoist_invariants` must first move conditions that the loop computes from
/// invariants alone.
///
/// All conditions of a loop are decided together. k branches make 2^k versions, so branches are accepted in the order
/// of their nodes while versions and copies stay within the limits. Of nested loops only one is copied, so copies
/// contain no copies. A branch on a condition that a dominating branch has decided is not planned again, cleaned up or
/// not.
///
/// The new branch reads the condition even if the loop would not. So the condition must be defined: the terminator may
/// not trap (`may_trap`), and a value that may be indeterminate (`may_be_indeterminate`) is accepted only if each entry
/// of the loop reads it before any effect. An IR can freeze such a value first.
///
/// Requires a forest of this graph as it is, with boundaries. Unreachable nodes are in no loop and stay. O(n + m +
/// branches · depth of loops).
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
unswitch_plan plan_unswitch(const IR& ir, const loop_forest& loops, const unswitch_limits& limits = {}) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a loop forest of this graph", loops.epoch(),
                graph_epoch(ir.graph()));
  unswitch_plan plan;
  plan.epoch = graph_epoch(ir.graph());
  detail::unswitch_planner<IR>(ir, loops, limits, plan).run();
  return plan;
}

/// Applies a plan for the program as it is. Each loop is copied with everything inside, and a copy of each branch
/// chooses the version before the loop:
///
///     before the loop   c ? enter1 : enter0        two more tests: a tree of branches
///     enter1            to a copy of the loop
///     enter0            to the loop
///
/// All versions keep all branches, so every choice of a version is correct, and the witness needs no justification.
/// Afterwards `sccp` with branch facts and control canonicalization decide the branches, because the edge into each
/// version implies its conditions.
///
/// Counts of a profile add up to the old ones: a version gets the share of its edges, and edges that its branches never
/// take have count 0 (see `detail::version_flows` for the exceptions). Hints about trip counts are copied.
///
/// O(cloned operations) and the cost of one `repair_ssa` for all loops.
template <class E> void apply_unswitch(unfolding<E>& u, const unswitch_plan& plan) {
  static_assert(loop_version_editor<E>, "midend: to unswitch loops, an editor needs `erase_end` and the effects rung");
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  detail::build_versions<detail::unswitch_builder<E>>(u, plan, plan.loops);
}

/// Applies a plan as above and returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_unswitch(E& editor, const unswitch_plan& plan) {
  unfolding<E> u(editor);
  apply_unswitch(u, plan);
  return u.take_witness();
}

MIDEND_END_NAMESPACE
