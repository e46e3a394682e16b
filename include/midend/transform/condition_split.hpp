/// `condition_split`: a loop with a branch becomes three loops: one that decides, and one for each arm.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/hierarchical_ordering.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/condition_split_plan.hpp"
#include "midend/transform/detail/local_classes.hpp"
#include "midend/transform/detail/value_reads.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What `plan_condition_split` reads: effects, memory, numbers of 64 bits, and how many bytes values have in memory.
template <class IR>
concept condition_splittable_ir =
    memory_ir<IR> && freezable_ir<IR> && has_operation<IR> && has_cases_of_edges<IR> && has_storage_bytes<IR>;

/// What `apply_condition_split` requires of an editor.
template <class E>
concept condition_split_editor = operation_editor<E> && branch_editor<E> && memory_editor<E> && memory_ir<E>;

namespace detail {

/// Plans the splits of one function.
template <class IR> class condition_split_planner {
public:
  condition_split_planner(const IR& ir, const dominators_and_loops_result& flow, const value_evolutions& found,
                          span<const number_facts> facts, const condition_split_options& options,
                          condition_split_plan& plan)
      : ir_(ir), g_(ir.graph()), flow_(flow), loops_(flow.loops), found_(found), facts_(facts), options_(options),
        plan_(plan), reads_(ir), num_in_(node_count(g_), 0), region_(node_count(g_), 0), from_first_(node_count(g_), 0),
        from_second_(node_count(g_), 0), is_seen_(static_cast<std::size_t>(ir.num_values()), 0),
        is_taken_(static_cast<std::size_t>(g_.num_edges()), 0) {}

  void run() {
    for (node_id n = 0; n != node_count(g_); ++n) {
      for_each_id(g_.out_edges(n), [&](edge_id e) { ++num_in_[g_.edge_target(e)]; });
    }
    for (const loop_id l : loops_.loops()) {
      if (options_.only != no_loop && options_.only != l) {
        continue;
      }
      refusal_ = {l, obstacle::none};
      const std::size_t sizes[4] = {plan_.nodes.size(), plan_.values.size(), plan_.bytes.size(), plan_.pairs.size()};
      condition_split s;
      if (read_loop(l, s) && split_at_some_branch(s) && is_apart(s)) {
        is_taken_[s.entering] = 1;
        is_taken_[s.exit] = 1;
        plan_.loops.push_back(s);
        continue;
      }
      plan_.nodes.shrink(sizes[0]);
      plan_.values.shrink(sizes[1]);
      plan_.bytes.shrink(sizes[2]);
      plan_.pairs.resize(sizes[3], {});
      plan_.refused.push_back(refusal_);
    }
  }

private:
  using obstacle = condition_split_obstacle;

  /// A branch whose arms meet again.
  struct candidate {
    condition_split split;
    std::size_t operations = 0;
  };

  bool refuse(obstacle why, node_id n, value_id v = no_value, value_id second = no_value) {
    refusal_.why = why;
    refusal_.node = n;
    refusal_.value = v;
    refusal_.second = second;
    return false;
  }

  // ---- The loop.

  bool read_loop(loop_id l, condition_split& s) {
    s.loop = l;
    s.header = loops_.header(l);
    if (loops_.subloops(l).size() != 1) {
      return refuse(obstacle::contains_loops, s.header);
    }
    if (loops_.entering_edges(l).size() != 1 || loops_.backedges(l).size() != 1 || num_in_[s.header] != 2 ||
        s.header == static_cast<node_id>(g_.entry())) {
      return refuse(obstacle::several_entries, s.header);
    }
    s.entering = loops_.entering_edges(l)[0].id;
    s.back = loops_.backedges(l)[0].id;
    s.latch = loops_.backedges(l)[0].source;
    std::size_t exits = 0;
    for (const node_id n : loops_.blocks(l)) {
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        if (!loops_.contains(l, static_cast<node_id>(g_.edge_target(e)))) {
          s.exit = e;
          exit_from_ = n;
          ++exits;
        }
      });
    }
    if (exits != 1) {
      return refuse(obstacle::several_exits, s.header);
    }
    s.first_block = static_cast<std::uint32_t>(plan_.nodes.size());
    for (const node_id n : loops_.blocks(l)) {
      plan_.nodes.push_back(n);
    }
    s.num_blocks = static_cast<std::uint32_t>(plan_.nodes.size()) - s.first_block;
    s.iterations = iterations_of(s);
    return check_operations(s) && read_accesses(s);
  }

  /// The number of iterations that is known, or that of the profile.
  double iterations_of(const condition_split& s) const {
    const trip_count& count = found_.trips(s.loop).count;
    const std::optional<std::uint64_t> runs = count.header_executions();
    if (runs && count.kind == trip_count_kind::exact) {
      return static_cast<double>(*runs);
    }
    if constexpr (has_trip_hints<IR>) {
      return static_cast<loop_hints>(ir_.trip_hints(s.header)).average;
    } else {
      return 0;
    }
  }

  bool check_operations(const condition_split& s) {
    for (const node_id n : loops_.blocks(s.loop)) {
      value_id wrong = no_value;
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v) && (ir_.effect(v) == effect_kind::unknown || ir_.may_not_return(v) ||
                               is_fixed_access(ir_, v) || is_convergent(ir_, v))) {
          wrong = wrong == no_value ? v : wrong;
        }
      });
      if (wrong != no_value) {
        return refuse(obstacle::fixed_order, n, wrong);
      }
    }
    for (const edge_id e : {s.entering, s.back, s.exit}) {
      if (!may_redirect(ir_, e)) {
        return refuse(obstacle::fixed_edge, s.header);
      }
    }
    return true;
  }

  bool read_accesses(const condition_split& s) {
    if (order_.num_nodes() == 0) {
      weak_topological_order_workspace workspace;
      weak_topological_order(g_, workspace, order_);
    }
    read_nest(ir_, loops_, flow_.dominators, found_, facts_, s.loop, order_, nest_workspace_, nest_);
    return nest_.obstacle != nest_obstacle::none                   ? refuse(obstacle::irreducible, s.header)
           : nest_.accesses.num_accesses() > options_.max_accesses ? refuse(obstacle::too_many_accesses, s.header)
                                                                   : true;
  }

  /// Whether no loop directly before or after this one is split.
  bool is_apart(const condition_split& s) {
    const bool is_taken = is_taken_[s.entering] != 0 || is_taken_[s.exit] != 0;
    return !is_taken || refuse(obstacle::overlaps, s.header);
  }

  // ---- Branches.

  /// Splits at the branch with the most operations in its arms; if that is not possible, tries another one.
  bool split_at_some_branch(condition_split& s) {
    in_order_.clear();
    for (const node_id n : loops_.blocks(s.loop)) {
      in_order_.push_back(order_.position(n));
    }
    sort_and_deduplicate(in_order_);
    candidates_.clear();
    condition_split_refusal first = refusal_;
    std::size_t most = 0;
    first.why = obstacle::no_condition;
    first.node = s.header;
    left_from_ = no_node;
    for (std::uint32_t i = 0; i != in_order_.size(); ++i) {
      const node_id n = order_.order()[in_order_[i]];
      candidate c;
      c.split = s;
      c.split.node = n;
      if (!flow_.dominators.dominates(n, s.latch) || !has_two_edges(n) || !find_arms(c, i)) {
        continue;
      }
      if (c.operations != 0) {
        candidates_.push_back(c);
      }
    }
    if (candidates_.empty() && left_from_ != no_node) {
      first.why = obstacle::leaves_arm;
      first.node = left_from_;
    }
    for (std::uint32_t tries = 0; !candidates_.empty() && tries != options_.max_branches; ++tries) {
      std::size_t best = 0;
      for (std::size_t i = 1; i != candidates_.size(); ++i) {
        best = candidates_[i].operations > candidates_[best].operations ? i : best;
      }
      candidate c = candidates_[best];
      candidates_[best] = candidates_.back();
      candidates_.shrink(candidates_.size() - 1);
      if (plan_branch(c)) {
        s = c.split;
        return true;
      }
      if (c.operations > most) {
        most = c.operations;
        first = refusal_;
      }
    }
    refusal_ = first;
    return false;
  }

  bool has_two_edges(node_id n) const {
    std::size_t count = 0;
    for_each_id(g_.out_edges(n), [&](edge_id) { ++count; });
    return count == 2;
  }

  /// Finds where the arms of a branch meet: the first node, in order, to which all edges lead that have left the branch
  /// or its arms so far. Marks the nodes of the arms in `region_` by 1 and 2.
  bool find_arms(candidate& c, std::uint32_t at) {
    condition_split& s = c.split;
    clear_region();
    std::size_t open = 2;
    std::uint32_t k = 0;
    bool meets = false;
    bool both_stay = true;
    node_id left_from = no_node;
    for_each_id(g_.out_edges(s.node), [&](edge_id e) {
      s.arms[k].entry = e;
      ++k;
      both_stay = both_stay && is_ahead(s, static_cast<node_id>(g_.edge_target(e)));
    });
    if (!both_stay) {
      return false;
    }
    count_edges_from(s.node, s);
    for (std::uint32_t i = at + 1; i != in_order_.size(); ++i) {
      const node_id n = order_.order()[in_order_[i]];
      const std::size_t reached = std::size_t{from_first_[n]} + from_second_[n];
      if (reached == 0) {
        continue;
      }
      if (reached == open) {
        s.join = n;
        meets = true;
        break;
      }
      const bool one_arm = (from_first_[n] == 0) != (from_second_[n] == 0);
      if (!one_arm) {
        break; // reached from both arms before all edges meet
      }
      region_[n] = from_first_[n] != 0 ? 1 : 2;
      marked_.push_back(n);
      count_edges_from(n, s);
      std::size_t edges = 0;
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        ++edges;
        left_from = is_ahead(s, static_cast<node_id>(g_.edge_target(e))) ? left_from : n;
      });
      open = open - reached + edges;
      for_each_id(ir_.values(n), [&](value_id v) { c.operations += ir_.is_phi(v) || is_terminator(ir_, v) ? 0u : 1u; });
    }
    left_from_ = meets || left_from == no_node || left_from_ != no_node ? left_from_ : left_from;
    return meets;
  }

  /// Whether a node follows in the same iteration of the loop.
  bool is_ahead(const condition_split& s, node_id n) const { return loops_.contains(s.loop, n) && n != s.header; }

  /// Counts the edges that leave the branch or a node of an arm, by their targets.
  void count_edges_from(node_id from, const condition_split& s) {
    for_each_id(g_.out_edges(from), [&](edge_id e) {
      const auto to = static_cast<node_id>(g_.edge_target(e));
      const bool is_first = from != s.node ? region_[from] == 1 : e == s.arms[0].entry;
      ++(is_first ? from_first_ : from_second_)[to];
      counted_.push_back(to);
    });
  }

  void clear_region() {
    for (const node_id n : marked_) {
      region_[n] = 0;
    }
    for (const node_id n : counted_) {
      from_first_[n] = from_second_[n] = 0;
    }
    counted_.clear();
    marked_.clear();
  }

  bool plan_branch(candidate& c) {
    condition_split& s = c.split;
    std::uint32_t at = 0;
    while (order_.order()[in_order_[at]] != s.node) {
      ++at;
    }
    c.operations = 0;
    find_arms(c, at); // again, to mark its nodes
    const std::size_t sizes[3] = {plan_.nodes.size(), plan_.values.size(), plan_.pairs.size()};
    const bool fits = read_arms(s) && read_leaving(s) && check_places(s) && find_dependences(s);
    if (!fits) {
      plan_.nodes.shrink(sizes[0]);
      plan_.values.shrink(sizes[1]);
      plan_.bytes.shrink(sizes[1]);
      plan_.pairs.resize(sizes[2], {});
    }
    return fits;
  }

  // ---- The arms.

  /// Keeps the arms that can become loops. Refuses if there is none.
  bool read_arms(condition_split& s) {
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k != 2; ++k) {
      condition_split_arm a;
      a.entry = s.arms[k].entry;
      const std::size_t nodes = plan_.nodes.size();
      const std::size_t values = plan_.values.size();
      std::size_t operations = 0;
      if (static_cast<node_id>(g_.edge_target(a.entry)) != s.join && read_arm(s, k + 1, a, operations)) {
        s.arms[kept++] = a;
        s.operations += operations;
        continue;
      }
      for (std::size_t i = nodes; i != plan_.nodes.size(); ++i) {
        region_[plan_.nodes[i]] = 0; // stays in the first loop
      }
      plan_.nodes.shrink(nodes);
      plan_.values.shrink(values);
      plan_.bytes.shrink(values);
    }
    s.num_arms = kept;
    if (kept != 0 && s.operations < options_.least_work) {
      return refuse(obstacle::too_little_work, s.node);
    }
    for (std::uint32_t k = 0; k != kept; ++k) { // from here on, `region_` is 1 and 2 for kept arms only
      for (std::uint32_t i = 0; i != s.arms[k].num_nodes; ++i) {
        region_[plan_.nodes[s.arms[k].first_node + i]] = static_cast<unsigned char>(k + 1);
      }
    }
    return kept != 0;
  }

  bool read_arm(const condition_split& s, std::uint32_t number, condition_split_arm& a, std::size_t& operations) {
    a.first_node = static_cast<std::uint32_t>(plan_.nodes.size());
    a.first_value = static_cast<std::uint32_t>(plan_.values.size());
    for (const node_id n : marked_) {
      if (region_[n] == number) {
        plan_.nodes.push_back(n);
      }
    }
    a.num_nodes = static_cast<std::uint32_t>(plan_.nodes.size()) - a.first_node;
    const span<const node_id> nodes(plan_.nodes.data() + a.first_node, a.num_nodes);
    if (num_in_[nodes[0]] != 1 || has_phi(nodes[0])) {
      return refuse(obstacle::entered_elsewhere, nodes[0]);
    }
    for (const node_id n : nodes) {
      std::size_t ends = 0;
      bool leaves = false;
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(g_.edge_target(e));
        leaves = leaves || (to != s.join && region_[to] != number);
        ends += to == s.join ? 1u : 0u;
        a.end = to == s.join ? (a.end == no_edge ? e : s.entering) : a.end;
      });
      if (leaves) {
        return refuse(obstacle::leaves_arm, n);
      }
      if (ends > 1 || a.end == s.entering) {
        return refuse(obstacle::several_ends, n);
      }
      if ((number == 1 ? from_first_ : from_second_)[n] != num_in_[n]) {
        return refuse(obstacle::entered_elsewhere, n); // an edge from unreachable code
      }
    }
    return read_values(s, number, nodes, a, operations);
  }

  bool has_phi(node_id n) const {
    bool has = false;
    for_each_phi(ir_, n, [&](value_id) { has = true; });
    return has;
  }

  /// Lists the values of the loop that the arm reads, and checks that only the arm reads its own values.
  bool read_values(const condition_split& s, std::uint32_t number, span<const node_id> nodes, condition_split_arm& a,
                   std::size_t& operations) {
    value_id wrong = no_value;
    value_id fixed = no_value;
    const auto read = [&](value_id x) {
      if (x == no_value || is_seen_[x] != 0) {
        return;
      }
      const node_id home = reads_.home(x);
      if (home != no_node && loops_.contains(s.loop, home) && region_[home] != number) {
        is_seen_[x] = 1;
        plan_.values.push_back(x);
        plan_.bytes.push_back(static_cast<std::uint32_t>(ir_.storage_bytes(x)));
      }
    };
    for (const node_id n : nodes) {
      for_each_id(ir_.values(n), [&](value_id v) {
        operations += ir_.is_phi(v) || is_terminator(ir_, v) ? 0u : 1u;
        for (const value_read& r : reads_.of(v)) {
          wrong = region_[r.node] != number ? v : wrong;
        }
        if (ir_.is_phi(v)) {
          return;
        }
        std::uint32_t i = 0;
        for_each_id(ir_.operands(v), [&](value_id x) {
          read(x);
          const bool is_kept = x != no_value && is_seen_[x] != 0;
          fixed = is_kept && !may_replace_operand(ir_, v, i) ? x : fixed;
          ++i;
        });
      });
      read(static_cast<value_id>(ir_.condition(n)));
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        for_each_phi(ir_, static_cast<node_id>(g_.edge_target(e)), [&](value_id phi) {
          if (e != a.end) {
            read(static_cast<value_id>(ir_.phi_input(phi, e)));
          }
        });
      });
    }
    a.num_values = static_cast<std::uint32_t>(plan_.values.size()) - a.first_value;
    value_id unfit = no_value;
    for (std::uint32_t i = a.first_value; i != plan_.values.size(); ++i) {
      is_seen_[plan_.values[i]] = 0;
      unfit = plan_.bytes[i] == 0 ? plan_.values[i] : unfit;
    }
    if (wrong != no_value) {
      return refuse(obstacle::value_leaves, s.node, wrong);
    }
    if (fixed != no_value) {
      return refuse(obstacle::fixed_operand, s.node, fixed);
    }
    if (unfit != no_value) {
      return refuse(obstacle::not_stored, s.node, unfit);
    }
    return a.num_values <= options_.max_values || refuse(obstacle::too_many_values, s.node);
  }

  /// Lists the values that are read after the loop.
  bool read_leaving(condition_split& s) {
    s.first_leaving = static_cast<std::uint32_t>(plan_.values.size());
    value_id fixed = no_value;
    value_id unfit = no_value;
    for (const node_id n : loops_.blocks(s.loop)) {
      for_each_id(ir_.values(n), [&](value_id v) {
        bool leaves = false;
        for (const value_read& r : reads_.of(v)) {
          if (!loops_.contains(s.loop, r.node)) {
            leaves = true;
            const bool names =
                r.reader != no_value && !ir_.is_phi(r.reader) && !may_replace_operand(ir_, r.reader, r.operand);
            fixed = names ? v : fixed;
          }
        }
        if (leaves) {
          plan_.values.push_back(v);
          plan_.bytes.push_back(0);
          unfit = may_insert_phi(ir_, v) ? unfit : v;
        }
      });
    }
    s.num_leaving = static_cast<std::uint32_t>(plan_.values.size()) - s.first_leaving;
    return fixed != no_value                      ? refuse(obstacle::fixed_operand, s.node, fixed)
           : s.num_leaving > options_.max_leaving ? refuse(obstacle::too_many_values, s.node)
           : unfit != no_value                    ? refuse(obstacle::no_place, s.node, unfit)
                                                  : true;
  }

  bool check_places(condition_split& s) {
    s.exits_after = flow_.dominators.dominates(s.join, exit_from_);
    std::size_t into_join = 0;
    for (const node_id n : loops_.blocks(s.loop)) {
      for_each_id(g_.out_edges(n),
                  [&](edge_id e) { into_join += static_cast<node_id>(g_.edge_target(e)) == s.join ? 1u : 0u; });
    }
    if (num_in_[s.join] != into_join) {
      return refuse(obstacle::entered_elsewhere, s.join); // unreachable code
    }
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      const auto first = static_cast<node_id>(g_.edge_target(s.arms[k].entry));
      if (!accepts_operations(ir_, first)) {
        return refuse(obstacle::no_place, first);
      }
      if (!may_redirect(ir_, s.arms[k].entry) || !may_redirect(ir_, s.arms[k].end)) {
        return refuse(obstacle::fixed_edge, s.node);
      }
    }
    return true;
  }

  // ---- Dependences.

  /// The arm of an access, 1 or 2; 0 outside the arms.
  unsigned arm_of(const nest_access& x) const { return region_[reads_.home(x.operation)]; }

  bool find_dependences(condition_split& s) {
    const nest_accesses& accesses = nest_.accesses;
    s.first_pair = static_cast<std::uint32_t>(plan_.pairs.size());
    std::size_t pairs = 0;
    for (access_id a = 0; a != accesses.num_accesses(); ++a) {
      for (access_id b = a; b != accesses.num_accesses(); ++b) {
        const nest_access& first = accesses.access(a);
        const nest_access& second = accesses.access(b);
        if ((!first.writes && !second.writes) || arm_of(first) == arm_of(second)) {
          continue;
        }
        if (++pairs > options_.max_pairs) {
          return refuse(obstacle::too_many_accesses, s.node);
        }
        dependence_result result;
        dependence(accesses, a, b, {}, dependence_workspace_, result);
        for (const dependence_case& c : result.cases) {
          if (c.kind == dependence_case_kind::possible && changes_order(s, first, second, result.orders_of(c))) {
            return refuse(c.has_witness ? obstacle::dependence : obstacle::maybe_dependence, s.node, first.operation,
                          second.operation);
          }
        }
        plan_.pairs.push_back(result);
      }
    }
    s.last_pair = static_cast<std::uint32_t>(plan_.pairs.size());
    return true;
  }

  /// Whether two accesses of different parts change order in iterations with one of these orders. The first loop runs
  /// before the first arm, and that before the second arm.
  bool changes_order(const condition_split& s, const nest_access& a, const nest_access& b,
                     span<const iteration_order> orders) const {
    if (orders.empty()) {
      return true;
    }
    const unsigned part_a = arm_of(a);
    const unsigned part_b = arm_of(b);
    const iteration_order o = orders[0];
    if (o == iteration_order::same) { // only one arm runs; operations after the arms move before them
      const value_id other = part_a == 0 ? a.operation : b.operation;
      return (part_a == 0 || part_b == 0) && order_.position(reads_.home(other)) > order_.position(s.node);
    }
    return (part_a < part_b) == (o == iteration_order::after); // the later access is in an earlier part now
  }

  const IR& ir_;
  const decltype(ir_.graph()) g_;
  const dominators_and_loops_result& flow_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  span<const number_facts> facts_;
  const condition_split_options& options_;
  condition_split_plan& plan_;
  value_reads<IR> reads_;
  flat_array<std::uint32_t> num_in_;     ///< by node
  flat_array<unsigned char> region_;     ///< by node: its arm, 1 or 2; 0 for none
  flat_array<std::uint32_t> from_first_; ///< by node: edges from the first arm, or from the branch to the arm's entry
  flat_array<std::uint32_t> from_second_;
  flat_array<node_id> counted_;
  flat_array<unsigned char> is_seen_;  ///< by value
  flat_array<node_id> marked_;         ///< marked nodes, in order
  flat_array<std::uint32_t> in_order_; ///< positions of the nodes of the loop
  flat_array<candidate> candidates_;
  flat_array<unsigned char> is_taken_; ///< by edge: whether it connects a split loop with others
  node_id exit_from_ = no_node;
  node_id left_from_ = no_node; ///< the node of an arm whose edge leaves the iteration
  condition_split_refusal refusal_;
  hierarchical_ordering order_;
  read_nest_workspace nest_workspace_;
  function_nest nest_;
  dependence_workspace dependence_workspace_;
};

} // namespace detail

/// Plans which innermost loops are split by a condition. The first loop evaluates the condition and everything outside
/// the arms. For each iteration it appends what the arm reads to local arrays. Then a loop runs the iterations of the
/// first arm, and another one those of the second arm: each only as often as its arm ran. An outer loop does this in
/// chunks of `chunk` records, so that the arrays have a fixed size. A. Drozdov, A. Stepanenkov, "Managed optimization
/// packages": splitting by an arbitrary condition; J. R. Allen, K. Kennedy, D. Callahan, "Dependence analysis for
/// high-performance architectures" is about moving statements between loops.
///
/// **Form.** The loop has one entering edge, one backedge, one exit, and no loops inside. The branch runs in each
/// iteration, and its arms meet again in the iteration. An arm has one entry and one end, no edge leaves it otherwise,
/// and what it computes is read nowhere else: so no reduction in an arm. An arm that does not fit stays in the first
/// loop. Values that it reads must be fit for memory (`storage_bytes`).
///
/// **Order.** Within a chunk, the first loop runs before the arms, and the first arm before the second one. No pair of
/// accesses with a write may meet in iterations that change order; each is proven. Calls, volatile accesses and
/// operations that may not return prevent the split. An operation that traps does so in both orders; the memory that a
/// trapping run leaves is not defined.
///
/// Legality decides, not profit; of several branches, the one with the most operations in its arms. Requires the flow
/// of `ir.graph()`, and `found` from `evolutions(ir, flow.loops, facts)`; `facts` may be empty. Unreachable code stays.
/// O(values + operands), for each of the first `max_branches` branches the nodes of a loop, and one `dependence` query
/// for each pair of accesses.
///
///     for (i …) {                    for each chunk:
///       if (c(i)) a(i);                for (i …) if (c(i)) store i in A; else store i in B;
///       else b(i);             →       for (i from A) a(i);
///     }                                for (i from B) b(i);
template <condition_splittable_ir IR>
condition_split_plan plan_condition_split(const IR& ir, const dominators_and_loops_result& flow,
                                          const value_evolutions& found, span<const number_facts> facts = {},
                                          const condition_split_options& options = {}) {
  MIDEND_ASSERT(options.chunk != 0 && options.chunk <= 1U << 16, "a chunk of 1 … 2^16 iterations", options.chunk);
  condition_split_plan out;
  out.epoch = graph_epoch(ir.graph());
  out.chunk = options.chunk;
  if (flow.loops.num_loops() != 0) {
    detail::condition_split_planner<IR>(ir, flow, found, facts, options, out).run();
  }
  return out;
}

namespace detail {

/// Splits the loops of a plan.
template <class E> class condition_split_writer {
public:
  condition_split_writer(E& editor, const condition_split_plan& plan) : editor_(editor), plan_(plan) {
    witness_.chunk = plan.chunk;
    zero_ = number(64, 0);
    one_ = number(64, 1);
    most_ = number(64, plan.chunk);
    no_ = number(1, 0);
    yes_ = number(1, 1);
    for (const condition_split& s : plan.loops) {
      for (std::uint32_t k = 0; k != s.num_arms; ++k) {
        for (std::uint32_t i = 0; i != s.arms[k].num_values; ++i) {
          arrays_.push_back(
              static_cast<value_id>(editor_.make_local_array(plan.chunk * plan.bytes[s.arms[k].first_value + i])));
        }
      }
    }
  }

  /// Whether the IR has what is needed. Makes only literals and arrays.
  bool can_write() const {
    bool can = zero_ != no_value && one_ != no_value && most_ != no_value && no_ != no_value && yes_ != no_value;
    for (const value_id a : arrays_) {
      can = can && a != no_value;
    }
    return can;
  }

  /// Removes the arrays, the last one first.
  void take_back() {
    for (std::size_t i = arrays_.size(); i-- != 0;) {
      if (arrays_[i] != no_value) {
        editor_.erase_value(arrays_[i]);
      }
    }
  }

  void write(const condition_split& s) {
    split_loop done;
    done.header = s.header;
    done.node = s.node;
    done.outer = node_like(s.header);
    done.full = node_like(s.latch);
    done.drain = node_like(s.header);
    done.last = node_like(s.header);
    done.first_arm = static_cast<std::uint32_t>(witness_.arms.size());
    done.num_arms = s.num_arms;
    done.first_carried = static_cast<std::uint32_t>(witness_.carried.size());
    done.first_pair = s.first_pair;
    done.last_pair = s.last_pair;
    const loop_hints hints = hints_of(s.header);
    const double shares[2] = {probability(s.arms[0].entry), probability(s.arms[1].entry)};
    first_kept_ = witness_.kept.size();
    make_chunks(s, done);
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      append(s, s.arms[k]);
    }
    test_chunk(s, done);
    drain(s, done);
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      run_arm(s, s.arms[k], k, done);
    }
    set_hints(s, done, hints, shares);
    witness_.loops.push_back(done);
  }

  condition_split_witness take_witness() {
    witness_.pairs = plan_.pairs;
    return witness_;
  }

private:
  value_id number(unsigned width, std::uint64_t bits) {
    return static_cast<value_id>(editor_.make_number(width, bits));
  }

  node_id node_like(node_id like) {
    const auto n = static_cast<node_id>(editor_.create_node(like));
    if constexpr (profile_editor<E>) {
      editor_.set_count(n, std::nullopt);
    }
    return n;
  }

  value_id compute(operation code, unsigned width, unsigned operand_width, value_id a, value_id b, node_id n) {
    operation_info info;
    info.code = code;
    info.width = static_cast<std::uint8_t>(width);
    info.operand_width = static_cast<std::uint8_t>(operand_width);
    const value_id operands[2] = {a, b};
    const auto v =
        static_cast<value_id>(editor_.make_operation(info, span<const value_id>(operands, 2), place_at_end(n)));
    MIDEND_ASSERT(v != no_value, "an IR with sums and comparisons of 64 bits", width);
    return v;
  }

  edge_id edge_to(node_id from, node_id to) const {
    edge_id found = no_edge;
    for_each_id(editor_.graph().out_edges(from), [&](edge_id e) {
      found = found == no_edge && static_cast<node_id>(editor_.graph().edge_target(e)) == to ? e : found;
    });
    return found;
  }

  value_id phi_like(node_id n, value_id like) { return static_cast<value_id>(editor_.insert_phi(n, like)); }

  /// Makes the loop over chunks around the loop. The next chunk continues with the phis of the header.
  void make_chunks(const condition_split& s, split_loop& done) {
    flat_array<value_id> first;
    for_each_phi(editor_, s.header, [&](value_id phi) {
      witness_.carried.push_back({phi, no_value, no_value});
      first.push_back(static_cast<value_id>(editor_.phi_input(phi, s.entering)));
      next_.push_back(static_cast<value_id>(editor_.phi_input(phi, s.back)));
    });
    done.num_carried = static_cast<std::uint32_t>(witness_.carried.size()) - done.first_carried;
    for (std::uint32_t i = 0; i != done.num_carried; ++i) {
      carried_value& c = witness_.carried[done.first_carried + i];
      c.outer = phi_like(done.outer, c.value);
    }
    editor_.redirect_edge(s.entering, done.outer);
    editor_.set_jump(done.outer, s.header);
    const edge_id enters = edge_to(done.outer, s.header);
    for (std::uint32_t i = 0; i != done.num_carried; ++i) {
      const carried_value& c = witness_.carried[done.first_carried + i];
      editor_.set_phi_input(c.outer, s.entering, first[i]);
      editor_.set_phi_input(c.value, enters, c.outer);
    }
  }

  /// Puts a record of the iteration in the place of the arm.
  void append(const condition_split& s, const condition_split_arm& a) {
    split_off_arm arm;
    arm.entry = a.entry;
    arm.end = a.end;
    const auto first = static_cast<node_id>(editor_.graph().edge_target(a.entry));
    arm.append = static_cast<node_id>(editor_.create_node(first));
    arm.header = node_like(first);
    arm.first_value = static_cast<std::uint32_t>(witness_.kept.size());
    arm.num_values = a.num_values;
    flat_array<value_id> phis;
    flat_array<value_id> inputs;
    for_each_phi(editor_, s.join, [&](value_id phi) {
      phis.push_back(phi);
      inputs.push_back(static_cast<value_id>(editor_.phi_input(phi, a.end)));
    });
    editor_.redirect_edge(a.entry, arm.append);
    editor_.redirect_edge(a.end, arm.header);
    editor_.set_jump(arm.append, s.join);
    const edge_id meets = edge_to(arm.append, s.join);
    for (std::size_t i = 0; i != phis.size(); ++i) {
      editor_.set_phi_input(phis[i], meets, inputs[i]);
    }
    arm.count = phi_like(s.header, zero_);
    for (std::uint32_t i = 0; i != a.num_values; ++i) {
      kept_value kept;
      kept.value = plan_.values[a.first_value + i];
      kept.array = arrays_[next_array_++];
      memory_reference m = reference(kept.array, arm.count, plan_.bytes[a.first_value + i]);
      m.memory = class_of(witness_.kept.size() - first_kept_);
      classes_.push_back(m.memory);
      kept.store = static_cast<value_id>(editor_.make_store(kept.value, m, place_at_end(arm.append)));
      MIDEND_ASSERT(kept.store != no_value, "a store of what `storage_bytes` allows", kept.value);
      witness_.kept.push_back(kept);
    }
    arm.appended = compute(operation::add, 64, 64, arm.count, one_, arm.append);
    witness_.arms.push_back(arm);
  }

  /// The class of an array; arrays of one loop have different classes.
  std::uint32_t class_of(std::size_t i) {
    while (pool_.size() <= i) {
      pool_.push_back(static_cast<std::uint32_t>(editor_.make_memory_class()));
    }
    return pool_[i];
  }

  static memory_reference reference(value_id base, value_id index, std::uint32_t bytes) {
    memory_reference m;
    m.base = base;
    m.index = index;
    m.bytes = bytes;
    m.scale = bytes;
    return m;
  }

  /// Ends a chunk when an array is full.
  void test_chunk(const condition_split& s, split_loop& done) {
    edges_.clear();
    for_each_edge_into(s, done, [&](edge_id e) { edges_.push_back(e); });
    value_id full = no_value;
    for (std::uint32_t k = 0; k != done.num_arms; ++k) {
      split_off_arm& arm = witness_.arms[done.first_arm + k];
      arm.joined = phi_like(s.join, zero_);
      for (const edge_id e : edges_) {
        editor_.set_phi_input(arm.joined, e, e == edge_to(arm.append, s.join) ? arm.appended : arm.count);
      }
      const value_id is_full = compute(operation::equal, 1, 64, arm.joined, most_, done.full);
      full = full == no_value ? is_full : compute(operation::bit_or, 1, 1, full, is_full, done.full);
    }
    editor_.redirect_edge(s.back, done.full);
    editor_.set_branch(done.full, full, done.drain, s.header);
    const edge_id again = edge_to(done.full, s.header);
    const edge_id enters = edge_to(done.outer, s.header);
    for (std::uint32_t i = 0; i != done.num_carried; ++i) {
      editor_.set_phi_input(witness_.carried[done.first_carried + i].value, again, next_[i]);
    }
    for (std::uint32_t k = 0; k != done.num_arms; ++k) {
      const split_off_arm& arm = witness_.arms[done.first_arm + k];
      editor_.set_phi_input(arm.count, enters, zero_);
      editor_.set_phi_input(arm.count, again, arm.joined);
    }
  }

  /// Visits the edges to where the arms meet: from the branch, from arms that stay, and from nodes that append.
  template <class Visit> void for_each_edge_into(const condition_split& s, const split_loop& done, Visit visit) {
    const auto look = [&](node_id n) {
      for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
        if (static_cast<node_id>(editor_.graph().edge_target(e)) == s.join) {
          visit(e);
        }
      });
    };
    for_each_node_left(s, look);
    for (std::uint32_t k = 0; k != done.num_arms; ++k) {
      look(witness_.arms[done.first_arm + k].append);
    }
  }

  /// Visits the nodes of the first loop between the branch and the node where its arms meet.
  template <class Visit> void for_each_node_left(const condition_split& s, Visit visit) {
    const std::size_t count = node_count(editor_.graph());
    while (is_left_.size() < count) {
      is_left_.push_back(0);
    }
    flat_array<node_id> seen(1, s.node);
    is_left_[s.node] = 1;
    for (std::size_t i = 0; i != seen.size(); ++i) {
      visit(seen[i]);
      for_each_id(editor_.graph().out_edges(seen[i]), [&](edge_id e) {
        const auto to = static_cast<node_id>(editor_.graph().edge_target(e));
        bool is_new = to != s.join && is_left_[to] == 0;
        for (std::uint32_t k = 0; k != s.num_arms; ++k) {
          is_new = is_new && s.arms[k].entry != e;
        }
        if (is_new) {
          is_left_[to] = 1;
          seen.push_back(to);
        }
      });
    }
    for (const node_id n : seen) {
      is_left_[n] = 0;
    }
  }

  /// Makes, before the loops of the arms, the phis for whether the old loop has ended, and for values that go on.
  void drain(const condition_split& s, split_loop& done) {
    flat_array<value_id> phis;
    flat_array<value_id> inputs;
    const auto after = static_cast<node_id>(editor_.graph().edge_target(s.exit));
    for_each_phi(editor_, after, [&](value_id phi) {
      phis.push_back(phi);
      inputs.push_back(static_cast<value_id>(editor_.phi_input(phi, s.exit)));
    });
    editor_.redirect_edge(s.exit, done.drain);
    const edge_id full = edge_to(done.full, done.drain);
    done.done = phi_like(done.drain, no_);
    editor_.set_phi_input(done.done, s.exit, yes_);
    editor_.set_phi_input(done.done, full, no_);
    for (std::uint32_t k = 0; k != done.num_arms; ++k) {
      split_off_arm& arm = witness_.arms[done.first_arm + k];
      arm.drained = phi_like(done.drain, zero_);
      editor_.set_phi_input(arm.drained, s.exit, s.exits_after ? arm.joined : arm.count);
      editor_.set_phi_input(arm.drained, full, arm.joined);
    }
    for (std::uint32_t i = 0; i != done.num_carried; ++i) {
      carried_value& c = witness_.carried[done.first_carried + i];
      c.drained = phi_like(done.drain, c.value);
      editor_.set_phi_input(c.drained, s.exit, c.value);
      editor_.set_phi_input(c.drained, full, next_[i]);
    }
    next_.clear();
    for (std::uint32_t i = 0; i != s.num_leaving; ++i) {
      const value_id v = plan_.values[s.first_leaving + i];
      const value_id phi = phi_like(done.drain, v);
      witness_.carried.push_back({v, phi, no_value});
      for (value_id& x : inputs) {
        x = x == v ? phi : x;
      }
      replace_after(s, done, v, phi);
      editor_.set_phi_input(phi, s.exit, v);
      editor_.set_phi_input(phi, full, static_cast<value_id>(editor_.make_constant(v, constant_of<E>(0))));
    }
    done.num_carried = static_cast<std::uint32_t>(witness_.carried.size()) - done.first_carried;
    editor_.set_branch(done.last, done.done, after, done.outer);
    const edge_id leaves = edge_to(done.last, after);
    for (std::size_t i = 0; i != phis.size(); ++i) {
      editor_.set_phi_input(phis[i], leaves, inputs[i]);
    }
    const edge_id again = edge_to(done.last, done.outer);
    for (std::uint32_t i = 0; i != done.num_carried; ++i) {
      const carried_value& c = witness_.carried[done.first_carried + i];
      if (c.outer != no_value) {
        editor_.set_phi_input(c.outer, again, c.drained);
      }
    }
  }

  /// Makes all reads of `v` outside of the old loop read the phi.
  void replace_after(const condition_split& s, const split_loop& done, value_id v, value_id phi) {
    editor_.replace_uses(v, phi);
    const auto put_back = [&](node_id n) {
      flat_array<value_id> readers;
      for_each_id(editor_.values(n), [&](value_id u) { readers.push_back(u); });
      for (const value_id u : readers) {
        if (editor_.is_phi(u)) {
          continue;
        }
        operands_.clear();
        for_each_id(editor_.operands(u), [&](value_id x) { operands_.push_back(x); });
        for (std::size_t i = 0; i != operands_.size(); ++i) {
          if (operands_[i] == phi) {
            editor_.set_operand(u, i, v);
          }
        }
      }
      for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
        for_each_phi(editor_, static_cast<node_id>(editor_.graph().edge_target(e)), [&](value_id u) {
          if (static_cast<value_id>(editor_.phi_input(u, e)) == phi) {
            changed_.push_back(u);
            changed_edges_.push_back(e);
          }
        });
      });
      for (std::size_t i = 0; i != changed_.size(); ++i) {
        editor_.set_phi_input(changed_[i], changed_edges_[i], v);
      }
      changed_.clear();
      changed_edges_.clear();
    };
    for (std::uint32_t i = 0; i != s.num_blocks; ++i) {
      put_back(plan_.nodes[s.first_block + i]);
    }
    put_back(done.full);
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      put_back(witness_.arms[done.first_arm + k].append);
    }
  }

  /// Makes the loop that runs the iterations of an arm.
  void run_arm(const condition_split& s, const condition_split_arm& a, std::uint32_t k, split_loop& done) {
    split_off_arm& arm = witness_.arms[done.first_arm + k];
    const auto first = plan_.nodes[a.first_node];
    if (k == 0) {
      editor_.set_jump(done.drain, arm.header);
    }
    arm.index = phi_like(arm.header, zero_);
    arm.next = compute(operation::add, 64, 64, arm.index, one_, arm.header);
    const value_id goes_on = compute(operation::uless, 1, 64, arm.index, arm.drained, arm.header);
    const node_id after = k + 1 == s.num_arms ? done.last : witness_.arms[done.first_arm + k + 1].header;
    editor_.set_branch(arm.header, goes_on, first, after);
    editor_.set_phi_input(arm.index, a.end, arm.next);
    const node_id before = k == 0 ? done.drain : witness_.arms[done.first_arm + k - 1].header;
    editor_.set_phi_input(arm.index, edge_to(before, arm.header), zero_);
    for (std::uint32_t i = arm.num_values; i-- != 0;) {
      kept_value& kept = witness_.kept[arm.first_value + i];
      memory_reference m = reference(kept.array, arm.index, plan_.bytes[a.first_value + i]);
      m.memory = classes_[arm.first_value + i];
      kept.load = static_cast<value_id>(editor_.make_load(kept.value, m, place_at_head(first)));
      MIDEND_ASSERT(kept.load != no_value, "a load of what `storage_bytes` allows", kept.value);
    }
    for (std::uint32_t i = 0; i != a.num_nodes; ++i) {
      read_loads(plan_.nodes[a.first_node + i], arm);
    }
  }

  void read_loads(node_id n, const split_off_arm& arm) {
    const auto loaded = [&](value_id x) {
      for (std::uint32_t i = 0; i != arm.num_values; ++i) {
        const kept_value& kept = witness_.kept[arm.first_value + i];
        x = x == kept.value ? kept.load : x;
      }
      return x;
    };
    flat_array<value_id> readers;
    for_each_id(editor_.values(n), [&](value_id u) { readers.push_back(u); });
    for (const value_id u : readers) {
      if (editor_.is_phi(u)) {
        continue;
      }
      operands_.clear();
      for_each_id(editor_.operands(u), [&](value_id x) { operands_.push_back(x); });
      for (std::size_t i = 0; i != operands_.size(); ++i) {
        if (loaded(operands_[i]) != operands_[i]) {
          editor_.set_operand(u, i, loaded(operands_[i]));
        }
      }
    }
    flat_array<edge_id> edges;
    for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
    for (const edge_id e : edges) {
      flat_array<value_id> phis;
      for_each_phi(editor_, static_cast<node_id>(editor_.graph().edge_target(e)),
                   [&](value_id u) { phis.push_back(u); });
      for (const value_id u : phis) {
        const auto x = static_cast<value_id>(editor_.phi_input(u, e));
        if (x != no_value && loaded(x) != x) {
          editor_.set_phi_input(u, e, loaded(x));
        }
      }
    }
  }

  // ---- The profile.

  loop_hints hints_of(node_id n) const {
    if constexpr (can_set_trip_hints<E>) {
      return editor_.trip_hints(n);
    } else {
      static_cast<void>(n);
      return {};
    }
  }

  /// The probability that an iteration runs an arm.
  double probability([[maybe_unused]] edge_id e) const {
    double p = -1;
    if constexpr (profile_ir<E>) {
      p = e == no_edge ? -1 : static_cast<double>(editor_.probability(e));
    }
    return p < 0 || p > 1 ? 0.5 : p;
  }

  /// Sets hints: the iterations of the old loop are those of all chunks together, and an arm has its share of them.
  void set_hints([[maybe_unused]] const condition_split& s, [[maybe_unused]] const split_loop& done,
                 [[maybe_unused]] const loop_hints& old, [[maybe_unused]] const double (&shares)[2]) {
    if constexpr (can_set_trip_hints<E>) {
      loop_hints hints = old;
      hints.multiple = 0;
      if (s.iterations > 0) {
        double share = shares[0];
        share = done.num_arms > 1 && shares[1] > share ? shares[1] : share;
        const double most = share > 0 ? static_cast<double>(plan_.chunk) / share : s.iterations;
        hints.average = s.iterations < most ? s.iterations : most;
        loop_hints outer;
        outer.average = s.iterations / hints.average;
        editor_.set_trip_hints(done.outer, outer);
        for (std::uint32_t k = 0; k != done.num_arms; ++k) {
          loop_hints of_arm;
          of_arm.average = hints.average * shares[k] + 1; // its loop tests first, so the header runs once more
          editor_.set_trip_hints(witness_.arms[done.first_arm + k].header, of_arm);
        }
      }
      editor_.set_trip_hints(s.header, hints);
    }
  }

  E& editor_;
  const condition_split_plan& plan_;
  condition_split_witness witness_;
  value_id zero_ = no_value;
  value_id one_ = no_value;
  value_id most_ = no_value;
  value_id no_ = no_value;
  value_id yes_ = no_value;
  flat_array<value_id> arrays_;
  std::size_t next_array_ = 0;
  flat_array<std::uint32_t> classes_; ///< by kept value
  flat_array<std::uint32_t> pool_;    ///< classes that were made
  std::size_t first_kept_ = 0;        ///< of the loop
  flat_array<value_id> next_;         ///< by phi of the header: its value in the next iteration
  flat_array<unsigned char> is_left_; ///< by node
  flat_array<edge_id> edges_;
  flat_array<value_id> operands_;
  flat_array<value_id> changed_;
  flat_array<edge_id> changed_edges_;
};

} // namespace detail

/// Applies a plan for the program as it is. The operations stay; those of the arms are in loops of their own. If the IR
/// lacks local arrays or numbers of 64 bits, the program stays, `plan` has no loops left, and `refused` names them.
/// `verify_condition_split` checks the result. O(operations of the loops), times the values that are read after a loop.
template <memory_editor_argument E>
  requires condition_split_editor<E>
condition_split_witness apply_condition_split(E& editor, condition_split_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::condition_split_writer<E> writer(editor, plan);
  if (!writer.can_write()) {
    writer.take_back();
    for (const condition_split& s : plan.loops) {
      plan.refused.push_back({s.loop, condition_split_obstacle::not_made, s.header, no_value, no_value});
    }
    plan.loops.clear();
    return {};
  }
  flat_array<node_id> headers; // the arms are no longer part of their loops
  for (const condition_split& s : plan.loops) {
    writer.write(s);
    headers.push_back(s.header);
  }
  detail::clear_local_classes(editor, headers);
  return writer.take_witness();
}

MIDEND_END_NAMESPACE
