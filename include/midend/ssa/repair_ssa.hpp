/// `repair_ssa`: restores SSA form after values got more definitions.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// One more definition of a value: where `copy` reaches, readers of `original` have to read `copy`.
struct value_copy {
  value_id original;
  value_id copy;

  friend constexpr bool operator==(const value_copy&, const value_copy&) = default;
};

/// An editor of SSA form that makes phis and sets operands and inputs, as `repair_ssa` does.
template <class E>
concept repairing_editor = ssa_ir<E> && can_insert_phis<E> && can_set_phi_inputs<E> && can_set_operands<E> &&
                           can_make_undefined_values<E> && has_node_of<E> && graph_has_in_edges<E>;

namespace detail {

struct repairing_contract : contract<ssa_contract, can_insert_phis_row, can_set_phi_inputs_row, can_set_operands_row,
                                     can_make_undefined_values_row, has_node_of_row, graph_has_in_edges_row> {};

} // namespace detail

/// For signatures: a `repairing_editor` with optional members that fit; any other type is an error with a reason.
template <class E>
concept repairing_editor_argument =
    (repairing_editor<E> && detail::repairing_contract::fits<E>) || detail::repairing_contract::explain<E>();

namespace detail {

template <class E, class Stays> class ssa_repair;

/// The records of SSA repair about values, nodes and uses.
struct ssa_repair_records {
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// A value with several definitions. Copies and kept uses form lists.
  struct variable {
    value_id original;
    std::uint32_t first_copy = none;
    std::uint32_t last_copy = none;
    std::uint32_t first_use = none;
    std::uint32_t last_use = none;
  };

  /// An operand of an operation; or an input of a phi for edge `at`, read at the end of the edge's source.
  struct use {
    node_id node;
    std::uint32_t position; ///< in the node
    value_id user;
    std::uint32_t at;
  };

  struct kept_use {
    use what;
    std::uint32_t next;
  };

  /// An edge whose source is not the immediate dominator of its target. `source` stands for its part of the tree.
  struct join_edge {
    node_id source;
    node_id target;
    std::uint32_t next; ///< another one with this source, or `none`
  };

  struct value_record {
    std::uint32_t variable = no_variable; ///< valid for originals
    std::uint32_t position = 0;           ///< valid if its node is numbered
    std::uint32_t seen = no_variable;     ///< the last variable for which its uses were listed
  };

  /// One record keeps these fields together: functions with many loops are larger than the caches.
  struct node_record {
    std::uint32_t defined = no_variable; ///< the last variable defined in the node; the next four fields likewise
    std::uint32_t live = no_variable;
    std::uint32_t visited = no_variable;
    std::uint32_t joined = no_variable;
    std::uint32_t listed = no_variable;
    node_id top = no_node;      ///< valid for a live node: the node that stands for it
    node_id first_child = none; ///< links nodes of `region_`
    node_id next_child = none;
    std::uint32_t first_join = none; ///< into `join_edges_`, by source
    bool is_numbered = false;        ///< its values have positions
  };

  /// A definition or a use of a variable, sorted by the dominator tree's preorder, then by position in the node.
  struct event {
    std::uint64_t key;
    std::uint32_t index; ///< the index of a use, or the value that is defined
    bool is_use;

    friend bool operator<(const event& a, const event& b) { return a.key < b.key; }

    friend bool operator<=(const event& a, const event& b) { return a.key <= b.key; }
  };

  struct scope {
    node_id node;
    value_id value;
  };
};

} // namespace detail

/// Memory of `repair_ssa`, for reuse.
class repair_ssa_workspace {
  template <class E, class Stays> friend class detail::ssa_repair;

  using records = detail::ssa_repair_records;
  using ids = flat_array<std::uint32_t>;

  flat_array<records::value_record> values_; ///< by value of the program before the repair
  flat_array<records::node_record> nodes_;
  flat_array<records::variable> variables_;
  ids next_copy_; ///< by copy: another copy of its variable
  flat_array<records::kept_use> kept_uses_;
  ids definitions_; ///< of the current variable, like all that follow
  flat_array<records::use> uses_;
  flat_array<records::event> events_;
  flat_array<records::scope> scopes_;
  flat_array<records::join_edge> join_edges_;
  ids places_; ///< of definitions, in preorder
  ids region_; ///< where the variable is live, but only one node of each part without definitions
  ids joins_;
  ids roots_;
  ids todo_;
};

namespace detail {

/// Says of no read that it stays as it is.
struct no_read_stays {
  constexpr bool operator()(value_id, node_id) const { return false; }
};

/// `stays(v, n)` says whether reads of the original `v` in node `n`, or by phis at its end, can be skipped because no
/// other definition reaches them.
template <class E, class Stays> class ssa_repair {
public:
  ssa_repair(E& editor, const dominator_tree& tree, repair_ssa_workspace& w, flat_array<value_id>& inserted,
             Stays stays = {})
      : editor_(editor), tree_(tree), inserted_(inserted), stays_(stays), values_(w.values_), nodes_(w.nodes_),
        variables_(w.variables_), next_copy_(w.next_copy_), kept_uses_(w.kept_uses_), definitions_(w.definitions_),
        uses_(w.uses_), events_(w.events_), scopes_(w.scopes_), join_edges_(w.join_edges_), places_(w.places_),
        region_(w.region_), joins_(w.joins_), roots_(w.roots_), todo_(w.todo_) {}

  void run(span<const value_copy> copies) {
    number_variables(copies);
    if constexpr (!has_users<E>) {
      keep_all_uses();
    }
    for (std::uint32_t x = 0; x != variables_.size(); ++x) { // one walk loads a large program into the caches once
      list_definitions(x, copies);
      list_uses(x);
      walk_live_nodes(x);
      find_joins(x);
      insert_phis(x);
      rename(x);
    }
  }

private:
  using ids = flat_array<std::uint32_t>;
  using variable = ssa_repair_records::variable;
  using use = ssa_repair_records::use;
  using kept_use = ssa_repair_records::kept_use;
  using join_edge = ssa_repair_records::join_edge;
  using value_record = ssa_repair_records::value_record;
  using node_record = ssa_repair_records::node_record;
  using event = ssa_repair_records::event;
  using scope = ssa_repair_records::scope;

  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr std::uint32_t at_end = 0xffff'ffff;
  static constexpr std::uint32_t listed = 0xffff'fffe; ///< of a phi, in `value_record::seen`

  void number_variables(span<const value_copy> copies) {
    variables_.clear();
    kept_uses_.clear();
    values_.assign(static_cast<std::size_t>(editor_.num_values()), value_record{});
    nodes_.assign(node_count(editor_.graph()), node_record{});
    next_copy_.assign(copies.size(), none);
    for (std::uint32_t i = 0; i != copies.size(); ++i) {
      std::uint32_t& number = values_[copies[i].original].variable;
      if (number == no_variable) {
        number = static_cast<std::uint32_t>(variables_.size());
        variables_.push_back({copies[i].original});
      }
      variable& x = variables_[number];
      (x.first_copy == none ? x.first_copy : next_copy_[x.last_copy]) = i;
      x.last_copy = i;
    }
  }

  node_id node_of(value_id v) const { return static_cast<node_id>(editor_.node_of(v)); }

  std::uint32_t variable_of(value_id v) const { return v < values_.size() ? values_[v].variable : no_variable; }

  void list_definitions(std::uint32_t x, span<const value_copy> copies) {
    definitions_.clear();
    add_definition(variables_[x].original);
    for (std::uint32_t i = variables_[x].first_copy; i != none; i = next_copy_[i]) {
      add_definition(copies[i].copy);
    }
  }

  void add_definition(value_id v) {
    const node_id n = node_of(v);
    if (n != no_node && tree_.is_reachable(n)) {
      definitions_.push_back(v);
    }
  }

  /// Positions of the values in a node: 0 for phis, also for inserted ones; the even numbers from 2 on for other
  /// operations.
  std::uint32_t position(value_id v) {
    if (v >= values_.size()) {
      return 0;
    }
    const node_id n = node_of(v);
    if (!nodes_[n].is_numbered) {
      nodes_[n].is_numbered = true;
      std::uint32_t at = 0;
      for_each_id(editor_.values(n), [&](value_id w) {
        if (!editor_.is_phi(w)) {
          values_[w].position = at += 2;
        }
      });
    }
    return values_[v].position;
  }

  /// Operands and inputs that read the original.
  void list_uses(std::uint32_t x) {
    uses_.clear();
    take_kept_uses(variables_[x]);
    if constexpr (has_users<E>) {
      for_each_id(editor_.users(variables_[x].original), [&](value_id user) { list_uses_by(user, x); });
    }
  }

  void keep_all_uses() {
    for (node_id n = 0; n != node_count(editor_.graph()); ++n) {
      for_each_id(editor_.values(n), [&](value_id user) {
        for_each_id(editor_.operands(user), [&](value_id v) {
          if (const std::uint32_t x = v == no_value ? no_variable : variable_of(v); x != no_variable) {
            list_uses_by(user, x);
          }
        });
      });
    }
  }

  void list_uses_by(value_id user, std::uint32_t x) {
    while (values_.size() <= user) { // an inserted phi
      values_.push_back({});
    }
    std::uint32_t& seen = values_[user].seen;
    if (seen == x || seen == listed) {
      return;
    }
    seen = x;
    const node_id n = node_of(user);
    const value_id original = variables_[x].original;
    if (editor_.is_phi(user)) { // all inputs at once, since there may be many
      seen = listed;
      for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
        const auto source = static_cast<node_id>(editor_.graph().edge_source(e));
        const auto input = static_cast<value_id>(editor_.phi_input(user, e));
        if (input != no_value && variable_of(input) != no_variable && tree_.is_reachable(source) &&
            !stays_(input, source)) {
          add_use(variable_of(input), x, {source, at_end, user, e});
        }
      });
    } else if (tree_.is_reachable(n) && !stays_(original, n)) {
      std::uint32_t i = 0;
      for_each_id(editor_.operands(user), [&](value_id v) {
        if (v == original) {
          add_use(x, x, {n, position(user) - 1, user, i});
        }
        ++i;
      });
    }
  }

  /// Adds a use of variable `x`, found while `now` is repaired or before the first variable.
  void add_use(std::uint32_t x, [[maybe_unused]] std::uint32_t now, const use& u) {
    if constexpr (has_users<E>) {
      if (x == now) {
        uses_.push_back(u);
        return;
      }
    }
    std::uint32_t at = first_free_;
    if (at == none) {
      at = static_cast<std::uint32_t>(kept_uses_.size());
      kept_uses_.push_back({u, none});
    } else {
      first_free_ = kept_uses_[at].next;
      kept_uses_[at] = {u, none};
    }
    variable& kept = variables_[x];
    (kept.first_use == none ? kept.first_use : kept_uses_[kept.last_use].next) = at;
    kept.last_use = at;
  }

  void take_kept_uses(const variable& x) {
    for (std::uint32_t i = x.first_use; i != none; i = kept_uses_[i].next) {
      uses_.push_back(kept_uses_[i].what);
    }
    if (x.first_use != none) {
      kept_uses_[x.last_use].next = first_free_;
      first_free_ = x.first_use;
    }
  }

  /// Whether the node defines the variable before the position of the use.
  bool is_local(const use& u) {
    for (const value_id v : definitions_) {
      if (node_of(v) == u.node && position(v) <= u.position) {
        return true;
      }
    }
    return false;
  }

  void insert_phis(std::uint32_t x) {
    const value_id original = variables_[x].original;
    const std::size_t known = definitions_.size();
    for (const node_id n : joins_) {
      if (has_phi({definitions_.data(), known}, n)) {
        continue;
      }
      const auto phi = static_cast<value_id>(editor_.insert_phi(n, original));
      inserted_.push_back(phi);
      definitions_.push_back(phi);
      for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
        const auto source = static_cast<node_id>(editor_.graph().edge_source(e));
        if (tree_.is_reachable(source)) {
          uses_.push_back({source, at_end, phi, e});
        } else {
          editor_.set_phi_input(phi, e, editor_.undefined_like(original));
        }
      });
    }
  }

  /// Whether one of the definitions is a phi of the node.
  bool has_phi(span<const value_id> definitions, node_id n) const {
    for (const value_id v : definitions) {
      if (editor_.is_phi(v) && node_of(v) == n) {
        return true;
      }
    }
    return false;
  }

  /// Finds where definitions of the variable meet and it is live: Sreedhar and Gao's search of dominator subtrees, the
  /// deepest first, in the part of the tree where the variable is live. (Below a node where it is dead, another
  /// definition is closer to every edge that matters.)
  void find_joins(std::uint32_t x) {
    joins_.clear();
    if (!may_join_) {
      return;
    }
    const auto lists_of = [&](node_id n) {
      if (nodes_[n].listed != x) {
        nodes_[n].listed = x;
        nodes_[n].first_child = none;
        nodes_[n].first_join = none;
      }
    };
    for (const node_id n : region_) {
      const node_id parent = tree_.immediate_dominator(n);
      if (parent == no_node) {
        continue;
      }
      lists_of(parent);
      nodes_[n].next_child = nodes_[parent].first_child;
      nodes_[parent].first_child = n;
    }
    for (std::uint32_t i = 0; i != join_edges_.size(); ++i) {
      join_edge& e = join_edges_[i];
      lists_of(e.source);
      e.next = nodes_[e.source].first_join;
      nodes_[e.source].first_join = i;
    }
    roots_.clear();
    for (const value_id v : definitions_) {
      push_root(node_of(v));
    }
    while (!roots_.empty()) {
      const node_id root = pop_root();
      const std::uint32_t depth = tree_.depth(root);
      if (nodes_[root].visited != x) {
        nodes_[root].visited = x;
        todo_.push_back(root);
      }
      while (!todo_.empty()) {
        const node_id n = todo_.back();
        todo_.pop_back();
        if (nodes_[n].listed != x) {
          continue;
        }
        for (std::uint32_t i = nodes_[n].first_join; i != none; i = join_edges_[i].next) {
          const node_id m = join_edges_[i].target;
          if (tree_.depth(m) <= depth && nodes_[m].joined != x) {
            nodes_[m].joined = x;
            joins_.push_back(m);
            push_root(m);
          }
        }
        for (node_id child = nodes_[n].first_child; child != none; child = nodes_[child].next_child) {
          if (nodes_[child].visited != x) {
            nodes_[child].visited = x;
            todo_.push_back(child);
          }
        }
      }
    }
  }

  /// A heap with the deepest node on top.
  void push_root(node_id n) {
    roots_.push_back(n);
    for (std::size_t i = roots_.size() - 1; i != 0 && tree_.depth(roots_[(i - 1) / 2]) < tree_.depth(roots_[i]);
         i = (i - 1) / 2) {
      const node_id parent = roots_[(i - 1) / 2];
      roots_[(i - 1) / 2] = roots_[i];
      roots_[i] = parent;
    }
  }

  node_id pop_root() {
    const node_id top = roots_[0];
    roots_[0] = roots_.back();
    roots_.pop_back();
    for (std::size_t i = 0; 2 * i + 1 < roots_.size();) {
      std::size_t child = 2 * i + 1;
      if (child + 1 < roots_.size() && tree_.depth(roots_[child]) < tree_.depth(roots_[child + 1])) {
        ++child;
      }
      if (tree_.depth(roots_[child]) <= tree_.depth(roots_[i])) {
        break;
      }
      const node_id below = roots_[child];
      roots_[child] = roots_[i];
      roots_[i] = below;
      i = child;
    }
    return top;
  }

  /// Walks from the uses back to the definitions. A use in a subtree of the dominator tree without definitions counts
  /// as a use at its root: each path to it leads through the root and then stays in the subtree, and no definitions
  /// meet below. So the walk goes from root to root, and a loop without definitions costs as much as its header.
  void walk_live_nodes(std::uint32_t x) {
    places_.clear();
    for (const value_id v : definitions_) {
      const node_id n = node_of(v);
      nodes_[n].defined = x;
      places_.push_back(tree_.preorder_number(n));
    }
    heap_sort(places_.data(), places_.size());
    region_.clear();
    join_edges_.clear();
    may_join_ = false;
    for (const use& u : uses_) {
      if (nodes_[u.node].defined != x || !is_local(u)) {
        enter(u.node, x);
      }
    }
    for (std::size_t i = 0; i != region_.size(); ++i) {
      const node_id n = region_[i];
      for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
        const auto p = static_cast<node_id>(editor_.graph().edge_source(e));
        if (tree_.is_reachable(p)) {
          const node_id top = nodes_[p].defined == x ? p : enter(p, x);
          if (p != tree_.immediate_dominator(n)) {
            may_join_ = true;
            join_edges_.push_back({top, n, none});
          }
        }
      });
    }
  }

  /// Marks the variable as live in a node. Returns the root of the largest subtree around it without definitions, which
  /// is then in the region; the node itself if it dominates a definition.
  node_id enter(node_id n, std::uint32_t x) {
    node_id top = n;
    while (nodes_[top].live != x) {
      const node_id parent = tree_.immediate_dominator(top);
      if (parent == no_node || dominates_definition(parent)) {
        region_.push_back(top);
        break;
      }
      top = parent;
    }
    top = nodes_[top].live == x ? nodes_[top].top : top;
    for (node_id passed = n; nodes_[passed].live != x; passed = tree_.immediate_dominator(passed)) {
      nodes_[passed].live = x;
      nodes_[passed].top = top;
      if (passed == top) {
        break;
      }
    }
    return top;
  }

  bool dominates_definition(node_id n) const {
    const std::uint32_t first = tree_.preorder_number(n);
    std::size_t low = 0; // the first place from `first` on
    std::size_t high = places_.size();
    while (low != high) {
      const std::size_t middle = (low + high) / 2;
      places_[middle] < first ? low = middle + 1 : high = middle;
    }
    return low != places_.size() && places_[low] < first + tree_.subtree(n).size();
  }

  /// Sorts definitions and uses in preorder of the dominator tree. The definition that reaches a use is the last one
  /// whose node dominates it.
  void rename(std::uint32_t x) {
    const value_id original = variables_[x].original;
    events_.clear();
    for (const value_id v : definitions_) {
      events_.push_back({key_of(node_of(v), position(v)), v, false});
    }
    for (std::uint32_t i = 0; i != uses_.size(); ++i) {
      events_.push_back({key_of(uses_[i].node, uses_[i].position), i, true});
    }
    heap_sort(events_.data(), events_.size());
    scopes_.clear();
    for (const event& e : events_) {
      const node_id n = e.is_use ? uses_[e.index].node : node_of(e.index);
      while (!scopes_.empty() && !tree_.dominates(scopes_.back().node, n)) {
        scopes_.pop_back();
      }
      if (!e.is_use) {
        scopes_.push_back({n, e.index});
        continue;
      }
      const use& u = uses_[e.index];
      const value_id v =
          scopes_.empty() ? static_cast<value_id>(editor_.undefined_like(original)) : scopes_.back().value;
      if (u.position == at_end) {
        editor_.set_phi_input(u.user, u.at, v);
      } else if (v != original) {
        editor_.set_operand(u.user, u.at, v);
      }
    }
  }

  std::uint64_t key_of(node_id n, std::uint32_t position) const {
    return std::uint64_t{tree_.preorder_number(n)} << 32 | position;
  }

  E& editor_;
  const dominator_tree& tree_;
  flat_array<value_id>& inserted_;
  Stays stays_;
  flat_array<value_record>& values_; ///< from here on, all is in the workspace
  flat_array<node_record>& nodes_;
  flat_array<variable>& variables_;
  ids& next_copy_;
  flat_array<kept_use>& kept_uses_;
  ids& definitions_;
  flat_array<use>& uses_;
  flat_array<event>& events_;
  flat_array<scope>& scopes_;
  flat_array<join_edge>& join_edges_;
  ids& places_;
  ids& region_;
  ids& joins_;
  ids& roots_;
  ids& todo_;
  std::uint32_t first_free_ = none; ///< into `kept_uses_`
  bool may_join_ = false;           ///< whether some edge into the region is not in the dominator tree
};

} // namespace detail

/// For a program whose dominator tree is known. See below.
template <repairing_editor_argument E>
void repair_ssa(E& editor, const dominator_tree& tree, span<const value_copy> copies, flat_array<value_id>& inserted) {
  repair_ssa_workspace workspace;
  repair_ssa(editor, tree, copies, workspace, inserted);
}

/// Reuses memory: allocates nothing for a program and copies no larger than earlier ones.
template <repairing_editor_argument E>
void repair_ssa(E& editor, const dominator_tree& tree, span<const value_copy> copies, repair_ssa_workspace& workspace,
                flat_array<value_id>& inserted) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(editor.graph()), "the dominator tree of this graph", tree.epoch());
  detail::ssa_repair<E, detail::no_read_stays>(editor, tree, workspace, inserted).run(copies);
}

/// Renames uses of values that got more definitions: each use then reads the definition that reaches it. Where several
/// do, phis are inserted, as few as iterated dominance frontiers and liveness allow; they are appended to `inserted`.
/// If some path reaches the use without a definition, the value there is `undefined_like(original)`.
///
///     before                                  after
///     n1: x = f()     n2: x' = f()            n1: x = f()     n2: x' = f()
///            \        /                              \        /
///          n3: y = x + 1                           n3: p = phi(x, x')
///                                                      y = p + 1
///
/// This is SSA construction (Cytron et al., see `construct_ssa`) for some values in place of variables. Copies and
/// originals are operations or phis in nodes. Copies have no users yet, so all uses are uses of originals. Readers of
/// an original are renamed, copies among them. Operands in unreachable nodes and inputs of phis along edges from there
/// stay. Parallel edges have an input each. Requires that no edge leads to the entry from reachable nodes where a value
/// would need a phi.
///
/// Frontiers are those of Sreedhar and Gao, "A linear time algorithm for placing φ-nodes", POPL 1995, searched only
/// where the value is live; a subtree of the dominator tree without definitions counts as its root.
///
/// Cost: the dominator tree, plus for each original its definitions and uses, sorted, and the nodes where it is live
/// before a definition, with their edges; in subtrees without definitions, only the dominators of the nodes that the
/// walk meets. Without `users(v)`, one walk over the program.
template <repairing_editor_argument E>
void repair_ssa(E& editor, span<const value_copy> copies, flat_array<value_id>& inserted) {
  if (!copies.empty()) {
    repair_ssa(editor, dominators(editor.graph()), copies, inserted);
  }
}

MIDEND_END_NAMESPACE
