/// `unfolding`: the engine of transformations that route edges and copy regions.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/forward_csr_graph.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/repair_ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// What the engine requires of an editor.
template <class E>
concept unfolding_editor = ir_editor<E> && repairing_editor<E>;

/// What the engine requires of an editor besides, to lead edges with several targets through one node. With
/// `set_switch` the node ends in one branch; without it, in a tree of branches with two edges each.
template <class E>
concept dispatching_editor = unfolding_editor<E> && has_constant<E> && can_make_numbers<E> && can_set_branches<E>;

namespace detail {

/// Also has the optional members that the engine calls.
struct unfolding_contract : contract<ir_editor_contract, repairing_contract, optional_effects, profile_of_editor_row> {
};

struct dispatching_contract
    : contract<unfolding_contract, has_constant_row, can_make_numbers_row, can_set_branches_row> {};

} // namespace detail

/// What functions take: an `unfolding_editor` with optional members that fit; otherwise an error.
template <class E>
concept unfolding_editor_argument =
    (unfolding_editor<E> && detail::unfolding_contract::fits<E>) || detail::unfolding_contract::explain<E>();

/// What functions take: a `dispatching_editor` with optional members that fit; otherwise an error.
template <class E>
concept dispatching_editor_argument =
    (dispatching_editor<E> && detail::dispatching_contract::fits<E>) || detail::dispatching_contract::explain<E>();

namespace detail {

/// Items in lists by node. Items are numbered in the order in which they are added.
class lists_by_node {
public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  void clear() {
    lists_.clear();
    next_.clear();
  }

  std::size_t num_items() const { return next_.size(); }

  std::uint32_t first(node_id n) const { return n < lists_.size() ? lists_[n].first : none; }

  std::uint32_t next(std::uint32_t item) const { return next_[item]; }

  /// Adds the next item at the end of the list of `n`.
  void push_back(node_id n) {
    const auto item = static_cast<std::uint32_t>(next_.size());
    next_.push_back(none);
    append(n, {item, item});
  }

  /// Appends the items of `from` to those of `to`. O(1).
  void move(node_id from, node_id to) {
    if (first(from) != none) {
      const ends moved = lists_[from];
      lists_[from] = {none, none};
      append(to, moved);
    }
  }

private:
  struct ends {
    std::uint32_t first;
    std::uint32_t last;
  };

  void append(node_id n, ends items) {
    while (lists_.size() <= n) {
      lists_.push_back({none, none});
    }
    ends& list = lists_[n];
    (list.first == none ? list.first : next_[list.last]) = items.first;
    list.last = items.last;
  }

  flat_array<ends> lists_;
  flat_array<std::uint32_t> next_;
};

} // namespace detail

template <unfolding_editor_argument E> class unfolding;

/// Memory of `unfolding`, to be reused. Also keeps the witness of the last unfolding that used it.
class unfolding_workspace {
  template <unfolding_editor_argument E> friend class unfolding;

public:
  /// The witness of the last unfolding with this memory. Valid until it is taken.
  const unfolding_witness& witness() const { return witness_; }

private:
  struct edge_and_phi {
    edge_id edge;
    value_id phi;

    friend bool operator==(const edge_and_phi&, const edge_and_phi&) = default;
  };

  struct pending_input {
    edge_id edge;
    value_id phi; ///< a root
    value_id input;
  };

  /// The routes from `first` on whose numbers differ in the bits up to `bit`.
  struct subtree {
    node_id node;
    std::size_t first;
    unsigned bit;
  };

  void clear() {
    root_.clear();
    value_copies_.clear();
    pending_.clear();
    pending_number_.clear();
    merged_lists_.clear();
    dropped_lists_.clear();
    route_of_.clear();
    counts_before_.clear();
  }

  unfolding_witness witness_;
  repair_ssa_workspace repair_;
  dominators_workspace dominating_;
  dominator_tree tree_;
  flat_array<value_id> inserted_;
  flat_array<unsigned char> known_; ///< by value: a variable of SSA repair
  flat_array<value_id> root_;       ///< by value, from `first_copy_` on: the original of a copy that is not finished
  flat_array<value_copy> value_copies_;
  flat_array<pending_input> pending_;
  detail::hash_map<edge_and_phi> pending_number_;
  detail::lists_by_node merged_lists_;  ///< items of `witness_.merged`, by the node that they were merged into
  detail::lists_by_node dropped_lists_; ///< items of `witness_.dropped`, by node
  flat_array<std::uint32_t> route_of_;  ///< by target; `no_node` between calls
  flat_array<node_id> route_targets_;
  flat_array<std::uint32_t> route_ends_;
  flat_array<edge_id> route_edges_;
  flat_array<edge_id> route_edge_;
  flat_array<value_id> selectors_;
  flat_array<subtree> subtrees_;
  flat_array<std::uint32_t> route_phis_;    ///< into `phis_`
  flat_array<std::uint64_t> counts_before_; ///< by route, and one more: the sum over the routes before it; empty if
                                            ///< unknown
  flat_array<value_id> phis_;
  flat_array<value_id> inputs_;
  detail::hash_map<value_id> passed_; ///< by operation: its phi in the dispatch that is made now
  flat_array<value_id> values_;
  flat_array<value_id> clones_; ///< of `values_`
  flat_array<edge_id> edges_;
};

/// Changes a program so that it remains an unfolding of the original, and keeps the witness. A transformation makes
/// one, calls the members below, then `finish`, and returns `take_witness()`. Several transformations may use one: the
/// witness then relates the last program to the first.
///
/// Between `duplicate_region` or `lead` and `finish`, phis may have inputs that are not set, and copies read values of
/// the originals. `route_edges` may be called at any other time. It leaves the program complete if the edges have one
/// target; after a dispatch, operations may read values that do not reach them, until `finish`.
template <unfolding_editor_argument E> class unfolding {
public:
  explicit unfolding(E& editor) : unfolding(editor, nullptr) { witness_.start(node_count(), edge_count()); }

  /// Uses memory from before: a second program of the same size allocates nothing. Afterwards the workspace has the
  /// witness.
  unfolding(E& editor, unfolding_workspace& workspace) : unfolding(editor, &workspace) {
    w_.clear();
    witness_.start(node_count(), edge_count());
  }

  /// Continues a witness. The program as it is now must be the last one of `earlier`.
  unfolding(E& editor, unfolding_witness earlier) : unfolding(editor, nullptr) {
    witness_ = std::move(earlier);
    witness_.grow(node_count(), edge_count(), witness_.value_origin.empty() ? 0 : value_count());
  }

  unfolding(const unfolding&) = delete;
  unfolding& operator=(const unfolding&) = delete;

  /// The program as it is now.
  const E& program() const { return editor_; }

  /// For other changes. Call `grow_witness` afterwards.
  E& editor() {
    start_values();
    return editor_;
  }

  const unfolding_witness& witness() const { return witness_; }

  /// For transformations that change more than this class does.
  unfolding_witness& witness() {
    start_values();
    return witness_;
  }

  /// Gives the witness room for all present nodes, edges and values.
  void grow_witness() {
    start_values();
    witness_.grow(node_count(), edge_count(), value_count());
  }

  unfolding_witness take_witness() { return std::move(witness_); }

  /// Also appends the nodes that were merged into `from` to those that node `to` stands for. Linear in these, and in
  /// what was merged since the last call. Returns how many of both it has looked at.
  std::size_t copy_merged(node_id from, node_id to) {
    std::size_t looks = 0;
    for (; merged_lists_.num_items() != witness_.merged.size(); ++looks) {
      merged_lists_.push_back(witness_.merged[merged_lists_.num_items()].into);
    }
    for (std::uint32_t k = merged_lists_.first(from); k != detail::lists_by_node::none; k = merged_lists_.next(k)) {
      witness_.merged.push_back({to, witness_.merged[k].node});
      ++looks;
    }
    return looks;
  }

  /// Leads edges through a new node, and returns it.
  ///
  /// If they have one target, the only edge of the new node leads on to it. A phi of the target keeps its input if all
  /// of these edges have the same one; otherwise it reads a phi of the new node.
  ///
  /// If they have several targets, the new node is a *dispatch*: its phi, the selector, is the number of the target,
  /// and a branch on the selector leads there. Targets are numbered in the order in which the edges name them; the last
  /// one is the default. Phis of the targets get their inputs through phis of the dispatch, which are undefined where
  /// control goes elsewhere. Without `set_switch` a tree of new nodes branches on the bits of the number. `finish`
  /// repairs reads of values that no longer reach them.
  ///
  /// Parallel edges keep inputs of their own. The new node counts what the edges do.
  ///
  /// Requires at least one edge, edges that may be split, and a `dispatching_editor` for several targets. O(edges ·
  /// phis of the targets).
  ///
  ///     a → x        a → new (selector 0)     new: selector = phi(0, 1)
  ///     b → y   →    b → new (selector 1)          switch selector: 0 → x, else → y
  node_id route_edges(span<const edge_id> edges) {
    start_values();
    MIDEND_ASSERT(!edges.empty(), "at least one edge");
    for ([[maybe_unused]] const edge_id e : edges) {
      MIDEND_ASSERT(may_split(view(), e), "edges that may be split", e);
    }
    const std::size_t num_routes = sort_by_target(edges);
    list_inputs(num_routes);
    const std::uint64_t before = flow_epoch();
    const node_id n = create_node(route_targets_[0], edges);
    require_new_epoch(true, before);
    if (num_routes == 1) {
      for (const edge_id e : route_edges_) {
        editor_.redirect_edge(e, n);
      }
      editor_.set_jump(n, route_targets_[0]);
      route_edge_.assign(1, only_edge(n));
    } else if constexpr (dispatching_editor<E>) {
      dispatch(n, num_routes);
    } else {
      MIDEND_ASSERT(num_routes == 1, "an editor that makes branches, for edges with several targets", num_routes);
    }
    pass_inputs(n, num_routes);
    witness_.grow(node_count(), edge_count(), value_count());
    return n;
  }

  /// Copies nodes with their operations and edges. `copies[k]` becomes the copy of `nodes[k]`. Edges of copies lead to
  /// the targets of the originals; `lead` changes that. Call it again for more copies.
  ///
  /// Requires that all operations may be duplicated and all edges redirected. O(size of the nodes, and of the phis in
  /// targets of their edges).
  void duplicate_region(span<const node_id> nodes, flat_array<node_id>& copies) {
    start_values();
    copies.clear();
    const std::uint64_t before = flow_epoch();
    for (const node_id n : nodes) {
      copies.push_back(static_cast<node_id>(editor_.create_node(n)));
    }
    require_new_epoch(!nodes.empty(), before);
    witness_.grow(node_count(), edge_count(), value_count());
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      copy_node(nodes[i], copies[i]);
    }
  }

  /// Leads an edge to another copy of its target. `finish` gives the phis there the inputs that the phis of the present
  /// target have for the edge.
  void lead(edge_id e, node_id target) {
    start_values();
    MIDEND_ASSERT(may_redirect(view(), e), "an edge that may be redirected", e);
    note_inputs(e, e);
    const bool is_change = target_of(e) != target;
    const std::uint64_t before = flow_epoch();
    editor_.redirect_edge(e, target);
    require_new_epoch(is_change, before);
  }

  /// Keeps only edge `e` of its source, because the condition is a known constant or the other edges are equal to `e`.
  void keep_edge(edge_id e, drop_reason reason) {
    start_values();
    const auto n = static_cast<node_id>(editor_.graph().edge_source(e));
    const std::uint32_t like = reason == drop_reason::constant_condition ? static_cast<value_id>(editor_.condition(n))
                                                                         : witness_.edge_origin[e];
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id other) {
      if (other != e && witness_.edge_origin[other] != no_edge) {
        witness_.dropped.push_back({n, witness_.edge_origin[other], like, reason});
      }
    });
    editor_.keep_edge(e);
    witness_.grow(node_count(), edge_count(), value_count());
  }

  /// Notes that node `from` became part of `into`: edges dropped in `from` count as dropped in `into`. Linear in their
  /// number.
  void move_dropped(node_id from, node_id into) {
    for_each_dropped(from, [&](dropped_edge& d) { d.node = into; });
    dropped_lists_.move(from, into);
  }

  /// Whether an edge of a node was dropped because its condition is constant. Linear in the edges dropped there.
  bool is_decided(node_id n) {
    bool decided = false;
    for_each_dropped(n, [&](dropped_edge& d) { decided = decided || d.why == drop_reason::constant_condition; });
    return decided;
  }

  /// Completes phis and repairs SSA form. Appends inserted phis to `inserted`.
  void finish(flat_array<value_id>& inserted) {
    if (has_dispatches_ || !value_copies_.empty()) {
      dominators(editor_.graph(), semi_nca, w_.dominating_, w_.tree_);
      finish(w_.tree_, inserted);
    } else {
      finish(dominator_tree(), inserted);
    }
  }

  /// Takes the dominator tree of the graph as it is now.
  void finish(const dominator_tree& tree, flat_array<value_id>& inserted) {
    start_values();
    complete_phis();
    if (has_dispatches_) {
      list_lost_values(tree);
      has_dispatches_ = false;
    }
    if (!value_copies_.empty()) {
      repair_ssa(editor_, tree, span<const value_copy>(value_copies_), w_.repair_, inserted);
    }
    value_copies_.clear();
    pending_.clear();
    pending_number_.clear();
    root_.clear();
    witness_.grow(node_count(), edge_count(), value_count());
  }

  void finish(const dominator_tree& tree) {
    w_.inserted_.clear();
    finish(tree, w_.inserted_);
  }

  void finish() {
    w_.inserted_.clear();
    finish(w_.inserted_);
  }

private:
  using edge_and_phi = unfolding_workspace::edge_and_phi;
  using pending_input = unfolding_workspace::pending_input;
  using subtree = unfolding_workspace::subtree;

  unfolding(E& editor, unfolding_workspace* workspace)
      : editor_(editor), w_(workspace == nullptr ? own_ : *workspace), witness_(w_.witness_), root_(w_.root_),
        value_copies_(w_.value_copies_), pending_(w_.pending_), pending_number_(w_.pending_number_),
        merged_lists_(w_.merged_lists_), dropped_lists_(w_.dropped_lists_), route_of_(w_.route_of_),
        route_targets_(w_.route_targets_), route_ends_(w_.route_ends_), route_edges_(w_.route_edges_),
        route_edge_(w_.route_edge_), selectors_(w_.selectors_), subtrees_(w_.subtrees_), route_phis_(w_.route_phis_),
        counts_before_(w_.counts_before_), phis_(w_.phis_), inputs_(w_.inputs_), passed_(w_.passed_),
        values_(w_.values_), clones_(w_.clones_), edges_(w_.edges_) {}

  std::size_t node_count() const { return static_cast<std::size_t>(editor_.graph().num_nodes()); }

  std::size_t edge_count() const { return static_cast<std::size_t>(editor_.graph().num_edges()); }

  std::size_t value_count() const { return static_cast<std::size_t>(editor_.num_values()); }

  const E& view() const { return editor_; }

  std::uint64_t flow_epoch() const { return graph_epoch(editor_.graph()); }

  /// Requires that `epoch()` changes with the graph: otherwise old trees and loops would count as current. A flat copy
  /// has the epoch of its original, and does not count.
  void require_new_epoch([[maybe_unused]] bool is_changed, [[maybe_unused]] std::uint64_t before) const {
    using graph = std::remove_cvref_t<decltype(editor_.graph())>;
    if constexpr (has_epoch<graph> && !std::derived_from<graph, forward_csr_graph>) {
      MIDEND_ASSERT(!is_changed || flow_epoch() != before, "an epoch() that every change of nodes and edges changes",
                    before);
    }
  }

  /// Numbers the values before the first change: some IRs number them only on demand.
  void start_values() {
    if (witness_.value_origin.empty()) {
      witness_.start_values(value_count());
    }
  }

  node_id target_of(edge_id e) const { return static_cast<node_id>(editor_.graph().edge_target(e)); }

  edge_id only_edge(node_id n) const {
    edge_id only = no_edge;
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { only = e; });
    return only;
  }

  node_id create_node(node_id like, span<const edge_id> edges) {
    if constexpr (profile_editor<E>) {
      const std::optional<std::uint64_t> total = total_count(edges);
      const auto n = static_cast<node_id>(editor_.create_node(like));
      editor_.set_count(n, total);
      return n;
    } else {
      return static_cast<node_id>(editor_.create_node(like));
    }
  }

  // Routes. Route k leads to `route_targets_[k]`. The edges of `route_edges_` from `route_ends_[k]` to `route_ends_[k +
  // 1]` take it. `route_edge_[k]` is the new edge to the target.

  /// Returns the number of routes.
  std::size_t sort_by_target(span<const edge_id> edges) {
    while (route_of_.size() < node_count()) {
      route_of_.push_back(no_node);
    }
    route_targets_.clear();
    for (const edge_id e : edges) {
      const node_id target = target_of(e);
      if (route_of_[target] == no_node) {
        route_of_[target] = static_cast<std::uint32_t>(route_targets_.size());
        route_targets_.push_back(target);
      }
    }
    route_ends_.assign(route_targets_.size() + 1, 0);
    for (const edge_id e : edges) {
      ++route_ends_[route_of_[target_of(e)]];
    }
    detail::counts_to_ends(route_ends_);
    route_edges_.resize_for_overwrite(edges.size());
    for (std::size_t i = edges.size(); i-- != 0;) {
      route_edges_[--route_ends_[route_of_[target_of(edges[i])]]] = edges[i];
    }
    for (const node_id target : route_targets_) {
      route_of_[target] = no_node;
    }
    return route_targets_.size();
  }

  span<const edge_id> edges_of_route(std::size_t route) const {
    return {route_edges_.data() + route_ends_[route], route_edges_.data() + route_ends_[route + 1]};
  }

  /// Lists the phis of the targets, route by route, and for each its inputs along the edges of its route.
  void list_inputs(std::size_t num_routes) {
    phis_.clear();
    inputs_.clear();
    route_phis_.clear();
    for (std::size_t route = 0; route != num_routes; ++route) {
      route_phis_.push_back(static_cast<std::uint32_t>(phis_.size()));
      detail::for_each_phi(view(), route_targets_[route], [&](value_id phi) {
        phis_.push_back(phi);
        for (const edge_id e : edges_of_route(route)) {
          inputs_.push_back(static_cast<value_id>(editor_.phi_input(phi, e)));
        }
      });
    }
    route_phis_.push_back(static_cast<std::uint32_t>(phis_.size()));
  }

  /// Sets inputs along the new edges: the common input of the redirected edges, or a phi of the new node. In a
  /// dispatch, an operation always gets a phi: it need not reach the dispatch along other edges, and if it belongs to a
  /// loop that is left here, the phi closes the loop. Routes with one operation share its phi.
  void pass_inputs(node_id n, std::size_t num_routes) {
    passed_.clear();
    std::size_t end = inputs_.size();
    for (std::size_t route = num_routes; route-- != 0;) { // the last one first, because phis are inserted at the head
      const span<const edge_id> edges = edges_of_route(route);
      for (std::uint32_t i = route_phis_[route + 1]; i-- != route_phis_[route];) {
        end -= edges.size();
        const value_id* const inputs = inputs_.data() + end;
        value_id input = inputs[0];
        for (std::size_t k = 1; k != edges.size(); ++k) {
          input = inputs[k] == input ? input : no_value;
        }
        const bool is_shared = num_routes != 1 && is_operation(input);
        if (input == no_value || is_shared) {
          const std::uint32_t known = is_shared ? passed_.find(input) : detail::hash_map<value_id>::missing;
          const value_id phi = known != detail::hash_map<value_id>::missing ? known : make_phi(n, phis_[i], num_routes);
          if (is_shared) {
            passed_.find_or_insert(input, phi);
          }
          for (std::size_t k = 0; k != edges.size(); ++k) {
            editor_.set_phi_input(phi, edges[k], inputs[k]);
          }
          input = phi;
        }
        editor_.set_phi_input(phis_[i], route_edge_[route], input);
      }
    }
  }

  bool is_operation(value_id v) const { return v != no_value && static_cast<node_id>(editor_.node_of(v)) != no_node; }

  /// A phi of a new node. In a dispatch, its inputs are undefined at first.
  value_id make_phi(node_id n, value_id like, std::size_t num_routes) {
    const auto phi = static_cast<value_id>(editor_.insert_phi(n, like));
    if (num_routes != 1) {
      const auto undefined = static_cast<value_id>(editor_.undefined_like(like));
      for (const edge_id e : route_edges_) {
        editor_.set_phi_input(phi, e, undefined);
      }
    }
    return phi;
  }

  /// Ends a new node in branches to the targets. The edges lead to the node afterwards.
  void dispatch(node_id n, std::size_t num_routes)
    requires dispatching_editor<E>
  {
    has_dispatches_ = true;
    list_counts(num_routes);
    for (const edge_id e : route_edges_) {
      editor_.redirect_edge(e, n);
    }
    if constexpr (can_set_switches<E> && MIDEND_IS_PLAIN(constant_of<E>)) {
      if (num_routes > 2) {
        dispatch_by_switch(n, num_routes);
        return;
      }
    }
    dispatch_by_bits(n, num_routes);
  }

  void dispatch_by_switch(node_id n, std::size_t num_routes)
    requires dispatching_editor<E> && can_set_switches<E>
  {
    unsigned width = 32;
    for (const unsigned other : {64u, 16u, 8u}) {
      width = static_cast<value_id>(editor_.make_number(width, 0)) == no_value ? other : width;
    }
    MIDEND_ASSERT(width >= 32 || num_routes <= std::size_t{1} << width, "numbers for all targets", num_routes, width);
    const value_id selector = make_selector(n, width, [](std::size_t route) { return std::uint64_t{route}; });
    flat_array<constant_of<E>> cases;
    for (std::size_t route = 0; route + 1 != num_routes; ++route) {
      cases.push_back(*view().constant(static_cast<value_id>(editor_.make_number(width, route))));
    }
    editor_.set_switch(n, selector, cases, span<const node_id>(route_targets_.data(), num_routes - 1),
                       route_targets_[num_routes - 1]);
    route_edge_.clear();
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { route_edge_.push_back(e); });
    if constexpr (profile_editor<E>) {
      for (std::size_t route = 0; route != num_routes; ++route) {
        set_share(route_edge_[route], route, route + 1, 0, num_routes);
      }
    }
  }

  /// Makes a tree of branches, each on one bit of the number of the route. The bits are phis of `n`.
  void dispatch_by_bits(node_id n, std::size_t num_routes)
    requires dispatching_editor<E>
  {
    unsigned width = 1;
    while (static_cast<value_id>(editor_.make_number(width, 0)) == no_value && width < 64) {
      width = width == 1 ? 8 : 2 * width;
    }
    const auto bits = static_cast<unsigned>(std::bit_width(num_routes - 1));
    selectors_.clear();
    for (unsigned bit = 0; bit != bits; ++bit) {
      selectors_.push_back(
          make_selector(n, width, [bit](std::size_t route) { return std::uint64_t{route >> bit & 1}; }));
    }
    route_edge_.assign(num_routes, no_edge);
    subtrees_.clear();
    subtrees_.push_back({n, 0, bits - 1});
    while (!subtrees_.empty()) {
      const subtree at = subtrees_.back();
      subtrees_.pop_back();
      const std::size_t middle = at.first + (std::size_t{1} << at.bit);
      const std::size_t last = detail::min(middle + (std::size_t{1} << at.bit), num_routes);
      const node_id low = root_of_routes(at.first, middle);
      const node_id high = root_of_routes(middle, last);
      editor_.set_branch(at.node, selectors_[at.bit], high, low);
      bool is_high = true;
      detail::for_each_id(editor_.graph().out_edges(at.node), [&](edge_id e) {
        const std::size_t from = is_high ? middle : at.first;
        const std::size_t to = is_high ? last : middle;
        if (to - from == 1) {
          route_edge_[from] = e;
        }
        if constexpr (profile_editor<E>) {
          set_share(e, from, to, at.first, last);
        }
        is_high = false;
      });
    }
  }

  /// The target of a single route, or a new node that branches to several.
  node_id root_of_routes(std::size_t from, std::size_t to)
    requires dispatching_editor<E>
  {
    if (to - from == 1) {
      return route_targets_[from];
    }
    const auto n = static_cast<node_id>(editor_.create_node(route_targets_[from]));
    if constexpr (profile_editor<E>) {
      editor_.set_count(n, count_of_routes(from, to));
    }
    subtrees_.push_back({n, from, static_cast<unsigned>(std::bit_width(to - from - 1)) - 1});
    return n;
  }

  template <class NumberOfWay> value_id make_selector(node_id n, unsigned width, NumberOfWay number_of) {
    const auto zero = static_cast<value_id>(editor_.make_number(width, 0));
    MIDEND_ASSERT(zero != no_value, "an IR that has numbers", width);
    const auto selector = static_cast<value_id>(editor_.insert_phi(n, zero));
    for (std::size_t route = 0; route != route_targets_.size(); ++route) {
      const auto number = static_cast<value_id>(editor_.make_number(width, number_of(route)));
      for (const edge_id e : edges_of_route(route)) {
        editor_.set_phi_input(selector, e, number);
      }
    }
    return selector;
  }

  /// Sums the counts of the edges of each route, before they are redirected.
  void list_counts([[maybe_unused]] std::size_t num_routes) {
    if constexpr (profile_editor<E>) {
      counts_before_.assign(1, 0);
      for (std::size_t route = 0; route != num_routes; ++route) {
        const std::optional<std::uint64_t> count = total_count(edges_of_route(route));
        if (!count) {
          counts_before_.clear();
          return;
        }
        counts_before_.push_back(counts_before_.back() + *count);
      }
    }
  }

  std::optional<std::uint64_t> total_count(span<const edge_id> edges) const {
    std::optional<std::uint64_t> total = 0;
    for (const edge_id e : edges) {
      const std::optional<std::uint64_t> count = midend::edge_count(view(), editor_.graph(), e);
      total = total && count ? std::optional(*total + *count) : std::nullopt;
    }
    return total;
  }

  std::optional<std::uint64_t> count_of_routes(std::size_t from, std::size_t to) const {
    return counts_before_.empty() ? std::nullopt : std::optional(counts_before_[to] - counts_before_[from]);
  }

  /// Sets the probability of an edge that the routes from `from` to `to` take, out of the routes from `first` to
  /// `last`.
  void set_share(edge_id e, std::size_t from, std::size_t to, std::size_t first, std::size_t last) {
    const std::optional<std::uint64_t> all = count_of_routes(first, last);
    if (all && *all != 0) {
      editor_.set_probability(e, static_cast<double>(*count_of_routes(from, to)) / static_cast<double>(*all));
    }
  }

  /// Finds reads that a value no longer reaches, and makes the value a variable for SSA repair.
  void list_lost_values(const dominator_tree& tree) {
    flat_array<unsigned char>& known = w_.known_;
    known.assign(value_count(), 0);
    for (const value_copy& c : value_copies_) {
      known[c.original] = 1;
    }
    const auto read = [&](value_id v, node_id n) {
      if (v == no_value || known[v] != 0) {
        return;
      }
      const auto home = static_cast<node_id>(editor_.node_of(v));
      if (home != no_node && home != n && tree.is_reachable(home) && !tree.dominates(home, n)) {
        known[v] = 1;
        value_copies_.push_back({v, v});
      }
    };
    for (node_id n = 0; n != node_count(); ++n) {
      if (!tree.is_reachable(n)) {
        continue;
      }
      detail::for_each_id(editor_.values(n), [&](value_id v) {
        if (!view().is_phi(v)) {
          detail::for_each_id(editor_.operands(v), [&](value_id operand) { read(operand, n); });
          return;
        }
        detail::for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
          const auto source = static_cast<node_id>(editor_.graph().edge_source(e));
          if (tree.is_reachable(source)) {
            read(static_cast<value_id>(editor_.phi_input(v, e)), source);
          }
        });
      });
    }
  }

  /// The original of `v` if `v` is a copy that is not finished; else `v`.
  value_id root_of(value_id v) const {
    const std::size_t i = std::size_t{v} - first_copy_;
    return i < root_.size() && root_[i] != no_value ? root_[i] : v;
  }

  void set_root(value_id v, value_id root) {
    first_copy_ = root_.empty() ? v : first_copy_;
    while (root_.size() <= v - first_copy_) {
      root_.push_back(no_value);
    }
    root_[v - first_copy_] = root;
  }

  /// Calls `visit(dropped_edge&)` for each edge that was dropped in a node.
  template <class Visit> void for_each_dropped(node_id n, Visit visit) {
    while (dropped_lists_.num_items() != witness_.dropped.size()) {
      dropped_lists_.push_back(witness_.dropped[dropped_lists_.num_items()].node);
    }
    for (std::uint32_t i = dropped_lists_.first(n); i != detail::lists_by_node::none; i = dropped_lists_.next(i)) {
      visit(witness_.dropped[i]);
    }
  }

  /// Drops the edges of a decided node in its copy, too, for the same reasons. `values` are those of `n`, and `clones`
  /// their clones in `copy`.
  void copy_dropped(node_id n, node_id copy, span<const value_id> values, span<const value_id> clones) {
    for_each_dropped(n, [&](dropped_edge d) {
      d.node = copy;
      for (std::size_t k = 0; k != values.size() && d.why == drop_reason::constant_condition; ++k) {
        if (values[k] == d.like) {
          d.like = clones[k];
          break;
        }
      }
      witness_.dropped.push_back(d);
    });
  }

  void copy_node(node_id n, node_id copy) {
    values_.clear();
    clones_.clear();
    detail::for_each_id(editor_.values(n), [&](value_id v) { values_.push_back(v); });
    edges_.clear();
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { edges_.push_back(e); });
    for (const value_id v : values_) {
      MIDEND_ASSERT(view().is_phi(v) || may_copy(view(), v), "operations that may be copied", v, n);
      const auto clone = static_cast<value_id>(editor_.clone_value(v, copy));
      clones_.push_back(clone);
      witness_.grow(node_count(), edge_count(), value_count());
      witness_.value_origin[clone] = witness_.value_origin[v];
      if (!is_terminator(view(), v)) {
        set_root(clone, root_of(v));
        value_copies_.push_back({root_of(v), clone});
      }
    }
    std::size_t i = 0;
    detail::for_each_id(editor_.graph().out_edges(copy), [&](edge_id e) {
      witness_.edge_origin[e] = witness_.edge_origin[edges_[i]];
      note_inputs(edges_[i], e);
      ++i;
    });
    MIDEND_ASSERT(i == edges_.size(), "a clone with the edges of the original", n, i);
    witness_.node_origin[copy] = witness_.node_origin[n];
    copy_dropped(n, copy, values_, clones_);
    copy_merged(n, copy);
  }

  /// Keeps the inputs of the phis in the target of edge `from`, for edge `e`, which is this edge or its clone.
  void note_inputs(edge_id from, edge_id e) {
    detail::for_each_phi(view(), target_of(from), [&](value_id phi) {
      const auto fresh = static_cast<std::uint32_t>(pending_.size());
      const edge_and_phi key{e, root_of(phi)};
      value_id input = static_cast<value_id>(editor_.phi_input(phi, from));
      if (input == no_value) { // the phi is in a clone that is not complete either
        const std::uint32_t known = pending_number_.find({from, root_of(phi)});
        input = known == detail::hash_map<edge_and_phi>::missing ? no_value : pending_[known].input;
      }
      if (pending_number_.find_or_insert(key, fresh) == fresh) {
        pending_.push_back({e, root_of(phi), input});
      }
    });
  }

  void complete_phis() {
    edge_id last = no_edge;
    for (const pending_input& each : pending_) {
      const edge_id e = each.edge;
      if (e == last) {
        continue; // the inputs for an edge follow each other
      }
      last = e;
      detail::for_each_phi(view(), target_of(e), [&](value_id phi) {
        const std::uint32_t known = pending_number_.find({e, root_of(phi)});
        if (known != detail::hash_map<edge_and_phi>::missing &&
            static_cast<value_id>(editor_.phi_input(phi, e)) == no_value) {
          editor_.set_phi_input(phi, e, pending_[known].input);
        }
      });
    }
  }

  E& editor_;
  unfolding_workspace own_; ///< used if the caller has none
  unfolding_workspace& w_;
  unfolding_witness& witness_; ///< this and all references below are to members of the workspace
  flat_array<value_id>& root_;
  flat_array<value_copy>& value_copies_;
  flat_array<pending_input>& pending_;
  detail::hash_map<edge_and_phi>& pending_number_;
  detail::lists_by_node& merged_lists_;
  detail::lists_by_node& dropped_lists_;
  flat_array<std::uint32_t>& route_of_;
  flat_array<node_id>& route_targets_;
  flat_array<std::uint32_t>& route_ends_;
  flat_array<edge_id>& route_edges_;
  flat_array<edge_id>& route_edge_;
  flat_array<value_id>& selectors_;
  flat_array<subtree>& subtrees_;
  flat_array<std::uint32_t>& route_phis_;
  flat_array<std::uint64_t>& counts_before_;
  flat_array<value_id>& phis_;
  flat_array<value_id>& inputs_;
  detail::hash_map<value_id>& passed_;
  flat_array<value_id>& values_;
  flat_array<value_id>& clones_;
  flat_array<edge_id>& edges_;
  value_id first_copy_ = 0;
  bool has_dispatches_ = false; ///< whether there was a dispatch since the last `finish`
};

namespace detail {

// A function that applies a plan takes an editor, or an unfolding that other plans have used.
template <class E> inline constexpr bool is_unfolding = false;
template <class E> inline constexpr bool is_unfolding<unfolding<E>> = true;

template <class E>
concept edits_alone = !is_unfolding<E>;

} // namespace detail

MIDEND_END_NAMESPACE
