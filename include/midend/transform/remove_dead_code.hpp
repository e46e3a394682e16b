/// `remove_dead_code`: operations, phis and branches that nothing needs.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/post_dominator_tree.hpp"
#include "midend/dominance/post_dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/promised_to_end.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/removal_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A branch that decides nothing: it becomes a jump.
struct dead_branch {
  node_id node;
  edge_id edge;   ///< an edge of the node: it stays, and leads to `target`
  node_id target; ///< the nearest needed node after the branch

  friend constexpr bool operator==(const dead_branch&, const dead_branch&) = default;
};

/// A branch that decides nothing and stays, because `edge` cannot be redirected.
struct dead_branch_refusal {
  node_id node;
  edge_id edge;

  friend constexpr bool operator==(const dead_branch_refusal&, const dead_branch_refusal&) = default;
};

/// What `remove_dead_code` will do.
struct dead_code_plan {
  std::uint64_t epoch = 0;
  flat_array<value_id> values;       ///< node by node, in the order of each node
  flat_array<dead_branch> branches;  ///< by node
  flat_array<node_id> unreachable;   ///< nodes that are erased because no path leads to them any more
  flat_array<node_id> bypassed;      ///< nodes that stay and may run less often, each before its successors
  flat_array<node_id> removed_loops; ///< headers of the loops that are assumed to end
  flat_array<dead_branch_refusal> refused;

  bool empty() const { return values.empty() && branches.empty(); }
};

struct dead_code_options {
  bool loops_end = false;       ///< whether all natural loops with an exit end
  span<const node_id> ending{}; ///< the natural loops with these headers end
};

/// What `remove_dead_code` requires of an editor.
template <class E>
concept dead_code_editor =
    effect_ir<E> && can_erase_values<E> && can_set_operands<E> && can_set_phi_inputs<E> && can_keep_edges<E> &&
    can_redirect_edges<E> && can_erase_nodes<E> && has_node_of<E> && graph_has_in_edges<E>;

namespace detail {

struct dead_code_contract
    : contract<effect_contract, can_erase_values_row, can_set_operands_row, can_set_phi_inputs_row, has_node_of_row,
               graph_has_in_edges_row, can_keep_edges_row, can_redirect_edges_row, can_erase_nodes_row> {};

} // namespace detail

/// What functions take: a `dead_code_editor` with optional members that fit; otherwise an error.
template <class E>
concept dead_code_editor_argument =
    (dead_code_editor<E> && detail::dead_code_contract::fits<E>) || detail::dead_code_contract::explain<E>();

namespace detail {

/// Finds edges whose target is in a subtree and whose key is small, each once. Edges are in the order of their targets
/// in a preorder of the tree; a tree of minima over this array finds the small keys.
class edges_by_subtree {
public:
  static constexpr std::uint32_t taken = 0xffff'ffff;

  void resize(std::size_t count) {
    leaves_ = 1;
    while (leaves_ < count) {
      leaves_ *= 2;
    }
    minima_.assign(2 * leaves_, taken);
  }

  void set(std::size_t i, std::uint32_t key) { minima_[leaves_ + i] = key; }

  void build() {
    for (std::size_t i = leaves_; i-- > 1;) {
      update(i);
    }
  }

  /// Calls `visit(i)` for each place in [first, last) whose key is below `limit`, and removes it.
  template <class Visit> void take(std::size_t first, std::size_t last, std::uint32_t limit, Visit visit) {
    std::size_t low = first + leaves_;
    std::size_t high = last + leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) {
        take_below(low++, limit, visit);
      }
      if (high % 2 == 1) {
        take_below(--high, limit, visit);
      }
    }
  }

private:
  template <class Visit> void take_below(std::size_t top, std::uint32_t limit, Visit visit) {
    while (minima_[top] < limit) {
      std::size_t at = top;
      while (at < leaves_) {
        at = 2 * at + (minima_[2 * at] < limit ? 0u : 1u);
      }
      minima_[at] = taken;
      visit(at - leaves_);
      do {
        at /= 2;
      } while (at != 0 && update(at)); // minima above an equal minimum stay
    }
  }

  /// Computes a minimum anew. Returns whether it changes.
  bool update(std::size_t i) {
    const std::uint32_t before = minima_[i];
    minima_[i] = minima_[2 * i] < minima_[2 * i + 1] ? minima_[2 * i] : minima_[2 * i + 1];
    return minima_[i] != before;
  }

  std::size_t leaves_ = 1;
  flat_array<std::uint32_t> minima_;
};

template <class IR> class dead_code_planner;
template <class E> class dead_code_removal;

} // namespace detail

/// Temporary memory of `remove_dead_code` and its parts. A workspace that has seen a program as large allocates
/// nothing; the editor, and a witness that names loops, may.
class dead_code_workspace {
  template <class IR> friend class detail::dead_code_planner;
  template <class E> friend class detail::dead_code_removal;

  using ids = flat_array<std::uint32_t>;
  using marks = flat_array<unsigned char>;

  csr_graph graph_; ///< copy of the graph
  post_dominators_workspace post_dominators_;
  post_dominator_tree tree_;
  dominators_and_loops_workspace loops_;
  dominators_and_loops_result found_;
  ids home_;        ///< by value, unless the IR knows it
  ids ends_;        ///< values that end nodes, by node
  ids ends_end_;    ///< by node, and one more: where the ends of the nodes before it end
  ids deciding_;    ///< the sources of edges that may decide something, by the preorder of their targets
  ids place_begin_; ///< by number in the preorder: where its edges begin in `deciding_`
  detail::edges_by_subtree undecided_; ///< by place in `deciding_`: the depth of the source's immediate post-dominator
  ids ending_;
  marks value_state_;
  marks node_needed_;
  marks branch_state_;
  ids values_; ///< needed values whose operands are still to be marked
  ids nodes_;
  ids first_needed_; ///< by node
  // Searches.
  marks state_;   ///< by node: 1, on the path; 2, done
  marks ends_it_; ///< valid if loops are known to end, by edge: whether it goes back in one of them
  marks says_so_; ///< by node: whether it is the header of such a loop
  ids path_;
  ids next_;
  marks reached_;
  marks passed_;
  ids entered_;
  ids todo_;
  // Of removed code.
  marks erased_;
  ids removed_;
  ids inputs_;
};

namespace detail {

template <class IR> class dead_code_planner {
public:
  dead_code_planner(const IR& ir, const dead_code_options& options, dead_code_workspace& w, dead_code_plan& out)
      : ir_(ir), options_(options), w_(w), out_(out) {}

  void run() {
    count_ = node_count(ir_.graph());
    clear();
    out_.epoch = graph_epoch(ir_.graph());
    node_needed_.assign(count_, 0);
    branch_state_.assign(count_, 0);
    copy_edges();
    list_values();
    need_endless_loops();
    work();
    if (refuse_stuck_branches()) {
      find_first_needed();
      list_nodes();
    }
    list_dead_values();
  }

private:
  using ids = flat_array<std::uint32_t>;

  void clear() {
    out_.values.clear();
    out_.branches.clear();
    out_.unreachable.clear();
    out_.bypassed.clear();
    out_.removed_loops.clear();
    out_.refused.clear();
    ends_.clear();
    ending_.clear();
    values_.clear();
    nodes_.clear();
  }

  /// Whether literals and parameters need no numbers.
  static constexpr bool knows_operations = has_operand_operations<IR> && has_node_of<IR>;

  node_id target(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_target(e)); }

  std::size_t out_degree(node_id n) const { return graph_.out_edges(n).size(); }

  /// Copies the edges: those of a program are far apart in memory, and are read several times.
  void copy_edges() {
    graph_.assign(ir_.graph());
    bool branches = false;
    for (node_id n = 0; n != count_; ++n) {
      branches = branches || out_degree(n) > 1;
      for (const node_id to : graph_.successors(n)) {
        goes_back_ = goes_back_ || to <= n;
      }
    }
    decides_ = branches || goes_back_; // otherwise each node runs if its predecessor does
    if (decides_) {
      list_deciding_edges();
    }
  }

  /// Lists the edges on which nodes may depend, by the position of their target in the post-dominator tree.
  void list_deciding_edges() {
    post_dominators(graph_, virtual_edge_per_endless_region_t{}, w_.post_dominators_, tree_);
    ids& ends = place_begin_;
    ends.assign(count_ + std::size_t{2}, 0);
    const auto up = tree_.tree().immediate_dominators();
    const auto for_each = [&](auto visit) {
      for (node_id n = 0; n != count_; ++n) {
        for (const node_id to : graph_.successors(n)) {
          if (up[n] != to) {
            visit(n, tree_.tree().preorder_number(to));
          }
        }
      }
    };
    for_each([&](node_id, std::uint32_t place) { ++ends[place]; });
    counts_to_ends(ends);
    deciding_.resize_for_overwrite(ends.back());
    undecided_.resize(deciding_.size());
    for_each([&](node_id n, std::uint32_t place) {
      const std::uint32_t at = --ends[place];
      deciding_[at] = n;
      undecided_.set(at, tree_.depth(static_cast<node_id>(up[n])));
    });
    undecided_.build();
  }

  /// Lists the nodes of values, the ends of nodes, and branches, and marks what must stay: operations, ends of the
  /// function, and branches that do more than branch. Where only operations matter, no numbers of other values are
  /// asked for. Everything about an operation is read here, while it is in the cache.
  void list_values() {
    if constexpr (knows_operations) {
      value_state_.clear();
      value_state_.reserve(8 * std::size_t{count_}); // a first estimate
    } else {
      value_state_.assign(static_cast<std::size_t>(ir_.num_values()), 0);
      home_.assign(value_state_.size(), no_node);
    }
    out_.values.reserve(4 * std::size_t{count_});
    ends_.reserve(count_);
    ends_end_.resize_for_overwrite(count_ + std::size_t{1});
    ends_end_[0] = 0;
    ids& must_stay = w_.todo_;
    must_stay.clear();
    ids& reading = w_.entered_; // ends that read something, of nodes with one edge: they stay with the node
    reading.clear();
    for (node_id n = 0; n != count_; ++n) {
      bool stays = out_degree(n) == 0;
      for_each_id(ir_.values(n), [&](value_id v) {
        if constexpr (knows_operations) {
          while (v >= value_state_.size()) {
            value_state_.push_back(0);
          }
        } else {
          home_[v] = n;
        }
        if (ir_.is_phi(v)) {
          out_.values.push_back(v);
        } else if (is_terminator(ir_, v)) {
          value_state_[v] = ends_node;
          ends_.push_back(v);
          stays = stays || ir_.effect(v) != effect_kind::none || ir_.may_not_return(v) || ir_.is_volatile(v);
          if (out_degree(n) == 1 && reads(v)) {
            reading.push_back(v);
          }
        } else if (is_removable(ir_, v)) {
          out_.values.push_back(v);
        } else {
          value_state_[v] = needed;
          values_.push_back(v);
        }
      });
      ends_end_[n + std::size_t{1}] = static_cast<std::uint32_t>(ends_.size());
      if (stays) {
        must_stay.push_back(n);
      } else if (out_degree(n) > 1 || static_cast<value_id>(ir_.condition(n)) != no_value) { // also of a node with one
                                                                                             // edge
        branch_state_[n] = may_be_dead;
      }
    }
    for (const node_id n : must_stay) {
      need_branch(n);
    }
    for (const value_id v : reading) {
      if (branch_state_[home(v)] != may_be_dead) { // it is no branch that becomes a jump
        for_each_operand(v, [&](value_id operand) { need(operand); });
      }
    }
  }

  /// Visits the operands of a value in a node; where only operations matter, those operands that are operations.
  template <class Visit> void for_each_operand(value_id v, Visit visit) const {
    if constexpr (knows_operations) {
      for_each_id(ir_.operand_operations(v), visit);
    } else {
      for_each_id(ir_.operands(v), visit);
    }
  }

  bool reads(value_id v) const {
    bool some = false;
    for_each_operand(v, [&](value_id operand) { some = some || operand != no_value; });
    return some;
  }

  node_id home(value_id v) const {
    if constexpr (knows_operations) {
      return static_cast<node_id>(ir_.node_of(v));
    } else {
      return home_[v];
    }
  }

  template <class Visit> void for_each_end(node_id n, Visit visit) const {
    for (std::uint32_t i = ends_end_[n]; i != ends_end_[n + std::size_t{1}]; ++i) {
      visit(ends_[i]);
    }
  }

  /// Marks the sources of edges that go back in a depth-first search as needed, except in loops that end. Without these
  /// edges there is no cycle.
  void need_endless_loops() {
    if (!goes_back_) {
      return; // the numbers of nodes increase along each edge
    }
    flat_array<unsigned char>& ends = w_.ends_it_;
    list_ending_loops(ends);
    flat_array<unsigned char>& state = w_.state_;
    state.assign(count_, 0);
    ids& endless = w_.todo_;
    endless.clear();
    ids& path = w_.path_; // both are empty between searches
    path.reserve(count_);
    ids& next = w_.next_; // by node of the path: where its edges that are still to be followed end
    next.reserve(count_);
    const auto enter = [&](node_id n) {
      state[n] = 1;
      path.push_back(n);
      next.push_back(graph_.offsets()[n + std::size_t{1}]);
    };
    const auto search = [&](node_id root) {
      if (state[root] == 0) {
        enter(root);
      }
      while (!path.empty()) {
        const node_id n = path.back();
        if (next.back() == graph_.offsets()[n]) {
          state[n] = 2;
          path.pop_back();
          next.pop_back();
          continue;
        }
        const edge_id e = --next.back();
        const node_id to = graph_.edge_target(e);
        if (state[to] == 0) {
          enter(to);
        } else if (state[to] == 1 && (ends.empty() || ends[e] == 0)) {
          endless.push_back(n);
        }
      }
    };
    if (count_ != 0) {
      search(graph_.entry());
    }
    for (node_id n = 0; n != count_; ++n) {
      search(n);
    }
    work();
    while (!endless.empty()) { // one after the other, since a node needs nodes near it
      need_node(endless.back());
      endless.pop_back();
      work();
    }
  }

  /// Whether the program promises of some loop that it ends. Only then is the forest needed.
  bool promises_ends() const {
    bool promises = false;
    for (node_id n = 0; n != count_ && !promises; ++n) {
      promises = loop_ends(ir_, n);
      if constexpr (has_must_end<IR>) {
        for_each_id(ir_.graph().out_edges(n),
                    [&](edge_id e) { promises = promises || static_cast<bool>(ir_.must_end(e)); });
      }
    }
    return promises;
  }

  void list_ending_loops(flat_array<unsigned char>& ends) {
    ends.clear();
    if (!options_.loops_end && options_.ending.empty() && !promises_ends()) {
      return;
    }
    ends.assign(graph_.num_edges(), 0);
    flat_array<unsigned char>& says_so = w_.says_so_;
    says_so.assign(count_, options_.loops_end ? 1 : 0);
    for (const node_id n : options_.ending) {
      MIDEND_ASSERT(n < count_, "a node of the graph", n, count_);
      says_so[n] = 1;
    }
    const auto& found = w_.found_;
    dominators_and_loops(graph_, w_.loops_, w_.found_);
    for (const loop_id l : found.loops.loops()) {
      const node_id header = found.loops.header(l);
      if (!found.loops.is_statically_infinite(l) && (says_so[header] != 0 || is_promised_to_end(ir_, found.loops, l))) {
        ending_.push_back(header);
        for (const loop_edge& e : found.loops.backedges(l)) {
          ends[e.id] = 1;
        }
      }
    }
  }

  void need(value_id v) {
    if (v != no_value && (value_state_[v] & needed) == 0) {
      value_state_[v] |= needed;
      values_.push_back(v);
    }
  }

  void need_node(node_id n) {
    if (node_needed_[n] == 0) {
      node_needed_[n] = 1;
      nodes_.push_back(n);
    }
  }

  void need_branch(node_id n) {
    if (branch_state_[n] != branch_needed) {
      branch_state_[n] = branch_needed;
      need_node(n);
      for_each_end(n, [&](value_id v) { need(v); });
      if (!knows_operations || ends_end_[n] == ends_end_[n + std::size_t{1}]) { // otherwise an end reads it
        need_condition(n);
      }
    }
  }

  void need_condition(node_id n) {
    const auto v = static_cast<value_id>(ir_.condition(n));
    if (v < value_state_.size()) { // a literal may have a larger number
      need(v);
    }
  }

  /// Nodes first: what a node needs is near its values.
  void work() {
    while (!values_.empty() || !nodes_.empty()) {
      if (!nodes_.empty()) {
        const node_id n = nodes_.back();
        nodes_.pop_back();
        need_for_node(n);
      } else {
        const value_id v = values_.back();
        values_.pop_back();
        need_for_value(v);
      }
    }
  }

  void need_for_value(value_id v) {
    const node_id n = home(v);
    if (n == no_node) {
      return;
    }
    for_each_operand(v, [&](value_id operand) { need(operand); });
    if ((value_state_[v] & ends_node) != 0) {
      need_branch(n); // it stays, since its result is read
    }
    need_node(n);
    if (ir_.is_phi(v)) { // its value depends on the edge by which control arrives
      for (const node_id p : graph_.predecessors(n)) {
        out_degree(p) == 1 ? need_node(p) : need_branch(p);
      }
    }
  }

  /// Marks the branches on which a node is control dependent: the sources of edges into its subtree of the
  /// post-dominator tree, if their post-dominators are not all in the subtree.
  void need_for_node(node_id n) {
    if (!decides_) {
      return;
    }
    const std::size_t first = tree_.tree().preorder_number(n);
    const std::size_t last = first + tree_.tree().subtree(n).size();
    undecided_.take(place_begin_[first], place_begin_[last], tree_.depth(n),
                    [&](std::size_t i) { need_branch(deciding_[i]); });
  }

  /// Refuses dead branches that cannot become jumps. Returns whether there are dead branches.
  bool refuse_stuck_branches() {
    std::size_t dead = 0;
    for (node_id n = 0; n != count_; ++n) {
      if (!is_dead_branch(n)) {
        continue;
      }
      edge_id stuck = no_edge;
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { stuck = may_redirect(ir_, e) ? stuck : e; });
      if (stuck != no_edge) {
        out_.refused.push_back({n, stuck});
        need_branch(n);
      } else {
        ++dead;
      }
    }
    work();
    return dead != 0;
  }

  /// Finds the first needed node after each node that is not needed. It is the same on all paths: if a needed node is
  /// on some paths only, a branch decides about it and is needed, too.
  void find_first_needed() {
    first_needed_.assign(count_, no_node);
    ids& queue = w_.todo_;
    queue.clear();
    for (node_id n = 0; n != count_; ++n) {
      if (node_needed_[n] != 0) {
        first_needed_[n] = n;
        queue.push_back(n);
      }
    }
    for (std::size_t i = 0; i != queue.size(); ++i) {
      const node_id n = queue[i];
      for (const node_id p : graph_.predecessors(n)) {
        if (first_needed_[p] == no_node) {
          first_needed_[p] = first_needed_[n];
          queue.push_back(p);
        }
      }
    }
  }

  bool is_dead_branch(node_id n) const { return branch_state_[n] == may_be_dead; }

  /// The first needed node after a branch.
  node_id target_of_branch(node_id n) const {
    node_id t = no_node;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { t = first_needed_[target(e)]; });
    MIDEND_ASSERT(t != no_node, "a needed node after a branch", n);
    return t;
  }

  /// Lists what remains. It begins at nodes from which the entry was reached, and at nodes that nothing ever reached.
  void list_nodes() {
    const auto& g = ir_.graph();
    flat_array<unsigned char>& reached = w_.reached_;
    reached.assign(count_, 0);
    ids& todo = w_.todo_;
    todo.clear();
    const auto reach = [&](node_id n, unsigned char how) {
      if ((reached[n] & how) == 0) {
        reached[n] = static_cast<unsigned char>(reached[n] | how);
        todo.push_back(n);
      }
    };
    const auto search = [&](unsigned char how) {
      while (!todo.empty()) {
        const node_id n = todo.back();
        todo.pop_back();
        if (how != before && is_dead_branch(n)) {
          reach(target_of_branch(n), how);
          continue;
        }
        for_each_id(g.out_edges(n), [&](edge_id e) { reach(target(e), how); });
      }
    };
    if (count_ != 0) {
      reach(static_cast<node_id>(g.entry()), before);
      search(before);
      reach(static_cast<node_id>(g.entry()), after);
    }
    for (node_id n = 0; n != count_; ++n) {
      if (reached[n] == 0) {
        reach(n, after);
      }
    }
    search(after);
    for (node_id n = 0; n != count_; ++n) {
      if ((reached[n] & after) == 0) {
        out_.unreachable.push_back(n);
      } else if (is_dead_branch(n)) {
        list_branch(n);
      }
    }
    if (!out_.branches.empty()) {
      out_.removed_loops = ending_;
    }
    list_bypassed(reached);
  }

  void list_branch(node_id n) {
    dead_branch b{n, no_edge, target_of_branch(n)};
    for_each_id(ir_.graph().out_edges(n),
                [&](edge_id e) { b.edge = b.edge == no_edge || target(e) == b.target ? e : b.edge; });
    out_.branches.push_back(b);
  }

  /// Lists nodes on paths from removed branches to their targets that other paths still reach.
  void list_bypassed(const flat_array<unsigned char>& reached) {
    const auto& g = ir_.graph();
    flat_array<unsigned char>& passed = w_.passed_;
    passed.assign(count_, 0);
    ids& todo = w_.todo_;
    todo.clear();
    const auto pass = [&](node_id n) {
      if (node_needed_[n] == 0 && passed[n] == 0) {
        passed[n] = 1;
        todo.push_back(n);
      }
    };
    for (const dead_branch& b : out_.branches) {
      for_each_id(g.out_edges(b.node), [&](edge_id e) { pass(target(e)); });
    }
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      for_each_id(g.out_edges(n), [&](edge_id e) { pass(target(e)); });
    }
    // A passed node that stays has one edge, to a needed node or to another passed one: no cycles.
    ids& entered = w_.entered_;
    entered.assign(count_, 0);
    const auto on = [&](node_id n) {
      node_id t = no_node;
      for_each_id(g.out_edges(n), [&](edge_id e) { t = target(e); });
      return is_dead_branch(n) ? target_of_branch(n) : t;
    };
    const auto stays = [&](node_id n) { return passed[n] != 0 && (reached[n] & after) != 0; };
    for (node_id n = 0; n != count_; ++n) {
      if (stays(n) && stays(on(n))) {
        ++entered[on(n)];
      }
    }
    for (node_id n = 0; n != count_; ++n) {
      if (stays(n) && entered[n] == 0) {
        todo.push_back(n);
      }
    }
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      out_.bypassed.push_back(n);
      if (stays(on(n)) && --entered[on(n)] == 0) {
        todo.push_back(on(n));
      }
    }
  }

  /// Lists the dead values, in the order of nodes. Does not read the program again: for large programs, reading takes
  /// most of the time.
  void list_dead_values() {
    std::size_t dead = 0;
    for (const value_id v : out_.values) {
      if (value_state_[v] == 0) {
        out_.values[dead++] = v;
      }
    }
    out_.values.shrink(dead);
  }

  static constexpr unsigned char before = 1;
  static constexpr unsigned char after = 2;

  // Of branches; 0 if there is no branch.
  static constexpr unsigned char may_be_dead = 1;
  static constexpr unsigned char branch_needed = 2;

  // Of values.
  static constexpr unsigned char needed = 1;
  static constexpr unsigned char ends_node = 2;

  const IR& ir_;
  const dead_code_options& options_;
  dead_code_workspace& w_;
  dead_code_plan& out_;
  node_id count_ = 0;
  bool goes_back_ = false; ///< whether an edge leads to a node with a smaller number
  bool decides_ = false;   ///< whether a branch decides which nodes run
  csr_graph& graph_ = w_.graph_;
  post_dominator_tree& tree_ = w_.tree_;
  edges_by_subtree& undecided_ = w_.undecided_;
  ids& home_ = w_.home_;
  ids& ends_ = w_.ends_;
  ids& ends_end_ = w_.ends_end_;
  ids& deciding_ = w_.deciding_;
  ids& place_begin_ = w_.place_begin_;
  ids& ending_ = w_.ending_;
  ids& values_ = w_.values_;
  ids& nodes_ = w_.nodes_;
  ids& first_needed_ = w_.first_needed_;
  flat_array<unsigned char>& value_state_ = w_.value_state_;
  flat_array<unsigned char>& node_needed_ = w_.node_needed_;
  flat_array<unsigned char>& branch_state_ = w_.branch_state_;
};

template <class E> class dead_code_removal {
public:
  dead_code_removal(E& editor, dead_code_workspace& w) : editor_(editor), w_(w) {}

  void run(const dead_code_plan& plan) {
    if (plan.empty()) {
      return;
    }
    if constexpr (profile_editor<E>) {
      calls_ = calls();
    }
    for (const dead_branch& b : plan.branches) {
      editor_.keep_edge(b.edge);
      if (static_cast<node_id>(editor_.graph().edge_target(b.edge)) != b.target) {
        editor_.redirect_edge(b.edge, b.target);
      }
    }
    for (const value_id v : plan.values) { // they may read each other in cycles
      forget_operands(v);
    }
    if (plan.unreachable.empty()) {
      for (const value_id v : plan.values) {
        editor_.erase_value(v);
      }
    } else {
      erase_nodes_and_values(plan);
    }
    if constexpr (profile_editor<E>) {
      for (const node_id n : plan.bypassed) {
        editor_.set_count(n, inflow(n, n == static_cast<node_id>(editor_.graph().entry()) ? calls_ : 0));
      }
    }
  }

private:
  const E& view() const { return editor_; }

  /// Erases nodes; their values are erased with them.
  void erase_nodes_and_values(const dead_code_plan& plan) {
    flat_array<unsigned char>& erased = w_.erased_;
    erased.assign(static_cast<std::size_t>(editor_.graph().num_nodes()), 0);
    for (const node_id n : plan.unreachable) {
      erased[n] = 1;
    }
    flat_array<value_id>& values = w_.removed_;
    values.clear();
    for (const value_id v : plan.values) {
      if (erased[static_cast<node_id>(editor_.node_of(v))] == 0) {
        values.push_back(v);
      }
    }
    editor_.erase_nodes(plan.unreachable);
    for (const value_id v : values) {
      editor_.erase_value(v);
    }
  }

  void forget_operands(value_id v) {
    if (editor_.is_phi(v)) {
      w_.inputs_.clear();
      detail::for_each_id(editor_.graph().in_edges(static_cast<node_id>(editor_.node_of(v))),
                          [&](edge_id e) { w_.inputs_.push_back(e); });
      for (const edge_id e : w_.inputs_) {
        editor_.set_phi_input(v, e, no_value);
      }
    } else {
      std::size_t count = 0;
      detail::for_each_id(editor_.operands(v), [&](value_id) { ++count; });
      for (std::size_t i = 0; i != count; ++i) {
        editor_.set_operand(v, i, no_value);
      }
    }
  }

  /// How often the function is called: the count of the entry less what flows into it.
  std::optional<std::uint64_t> calls() const {
    if (node_count(editor_.graph()) == 0) {
      return std::nullopt;
    }
    const auto entry = static_cast<node_id>(editor_.graph().entry());
    const std::optional<std::uint64_t> all = view().count(entry);
    const std::optional<std::uint64_t> in = inflow(entry, 0);
    return all && in && *in <= *all ? std::optional(*all - *in) : std::nullopt;
  }

  std::optional<std::uint64_t> inflow(node_id n, std::optional<std::uint64_t> sum) const {
    for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
      const std::optional<std::uint64_t> flow = edge_count(view(), editor_.graph(), e);
      sum = sum && flow ? std::optional(*sum + *flow) : std::nullopt;
    });
    return sum;
  }

  E& editor_;
  dead_code_workspace& w_;
  std::optional<std::uint64_t> calls_;
};

} // namespace detail

/// Finds values and branches that nothing needs, as R. Cytron et al., "Efficiently computing static single assignment
/// form and the control dependence graph", ACM TOPLAS 13(4), 1991, section 7.1: everything is dead until something
/// needs it. Needed are
/// - operations that are not removable (`is_removable`): those with effects, volatile accesses, and those that may not
///   return;
/// - the ends of the function, and the sources of the edges by which loops go back, so loops stay, endless ones too;
/// - the operands of needed operations, and the branches on which the nodes of these depend;
/// - the operands of the end of a node with one edge, such as the address of its jump;
/// - for a needed phi, also the branches that decide by which edge control arrives.
///
/// A branch that is not needed becomes a jump to the first needed node after it, which all paths reach. So arms and
/// whole conditions go, and cycles of phis and operations that read only each other.
///
/// **Loops** that compute nothing go if it is known that they end: because the IR promises it (`must_end`,
/// `loop_ends`), by the options, or all of them by `loops_end`. Only natural loops with an exit can go. In unreachable
/// code no loop is known to end.
///
/// Control dependence is that of `control_dependence` with `virtual_edge_per_endless_region`: a needed node of an
/// endless region keeps the branches that lead there. Each edge is found once, in a tree of minima, when the first node
/// that depends on it is needed; so ladders, which have O(n²) pairs of dependent nodes, cost no more.
///
/// Operations of unreachable nodes are treated like others. Nodes that become unreachable are erased. Branches with an
/// edge that cannot be redirected stay, and are in `refused` if they decide nothing.
///
/// O((n + m) log m + values + operands, and for each needed phi its edges).
///
///     if (c) x = …; else y = …     →     jump join
///     join: (nothing reads x, y)         join:
template <effect_ir_argument IR>
void plan_remove_dead_code(const IR& ir, const dead_code_options& options, dead_code_workspace& workspace,
                           dead_code_plan& out) {
  detail::dead_code_planner<IR>(ir, options, workspace, out).run();
}

/// Refills `plan`, with memory to reuse.
template <effect_ir_argument IR>
dead_code_plan plan_remove_dead_code(const IR& ir, const dead_code_options& options = {}) {
  dead_code_workspace workspace;
  dead_code_plan plan;
  plan_remove_dead_code(ir, options, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is. Parts of a plan depend on each other: to veto one, plan with an IR in which
/// the operation has an effect. Counts of a profile stay consistent: nodes that a removed branch passed run less often.
/// O(operands).
template <dead_code_editor_argument E>
removal_witness apply_remove_dead_code(E& editor, const dead_code_plan& plan, dead_code_workspace& workspace) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::dead_code_removal<E>(editor, workspace).run(plan);
  return {plan.removed_loops};
}

/// Needs no workspace.
template <dead_code_editor_argument E> removal_witness apply_remove_dead_code(E& editor, const dead_code_plan& plan) {
  dead_code_workspace workspace;
  return apply_remove_dead_code(editor, plan, workspace);
}

/// Plans and applies; `plan` is what was done. Returns the witness for `verify_removal`.
template <dead_code_editor_argument E>
removal_witness remove_dead_code(E& editor, const dead_code_options& options, dead_code_workspace& workspace,
                                 dead_code_plan& plan) {
  plan_remove_dead_code(editor, options, workspace, plan);
  return apply_remove_dead_code(editor, plan, workspace);
}

/// Needs no workspace.
template <dead_code_editor_argument E>
removal_witness remove_dead_code(E& editor, const dead_code_options& options = {}) {
  dead_code_workspace workspace;
  dead_code_plan plan;
  return remove_dead_code(editor, options, workspace, plan);
}

MIDEND_END_NAMESPACE
