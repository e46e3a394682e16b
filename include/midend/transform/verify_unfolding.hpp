/// `verify_unfolding`: checks the certificate of a transformation.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/known_constant.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/promised_to_end.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a transformation, or with its witness.
enum class unfolding_fault : std::uint8_t {
  none,
  witness_size,      ///< the arrays of the witness do not fit the programs
  wrong_entry,       ///< the new program begins with another node
  lost_edge,         ///< a copy lacks an edge, and the witness names no reason
  extra_edge,        ///< a copy has an edge that its original does not have, or in another order
  wrong_case,        ///< an edge is taken for another value of the condition
  wrong_target,      ///< an edge leads, on some path through inserted nodes, to a copy of another node
  dead_end,          ///< an inserted node has no successor
  inserted_cycle,    ///< inserted nodes form a cycle
  inserted_effect,   ///< a new operation without an original has an effect or may trap
  unproven_reason,   ///< the reason for which an edge was dropped does not hold
  broken_chain,      ///< merged nodes do not follow each other in the old program
  missing_operation, ///< an operation with an effect is missing, or not at its place
  extra_operation,   ///< an operation is in the wrong node, or after one that it precedes in the old program
  changed_operation, ///< an operation computes something else, or promises more
  wrong_operand,     ///< an operand, phi input or condition is not the present value of what the old program reads
  no_definition,     ///< an old value is read that is not computed on some path
  too_many_paths,    ///< more paths through inserted nodes than the limit
  forbidden_copy,    ///< an operation that must not be copied (`may_duplicate`, `is_convergent`) has two copies
  new_promise        ///< a loop is promised to end, and the old program does not promise that
};

/// The answer of `verify_unfolding`: the first fault, with its place in the new program, or none.
struct unfolding_verdict {
  unfolding_fault fault = unfolding_fault::none;
  node_id node = no_node;        ///< of the new program
  value_id value = no_value;     ///< of the new program: the wrong operation, or the value that is read
  value_id old_value = no_value; ///< of the old program: the value that should be there
  edge_id edge = no_edge;        ///< of the new program; for `lost_edge` and `unproven_reason` of the old one
  std::size_t assumed = 0;       ///< edges that were dropped for reasons the checker cannot see

  explicit operator bool() const { return fault == unfolding_fault::none; }
};

namespace detail {

template <class Before, class After> class unfolding_checker {
public:
  unfolding_checker(const Before& before, const After& after, const unfolding_witness& w)
      : before_(before), after_(after), w_(w) {}

  unfolding_verdict run() {
    require_apart_literals(before_);
    if (adds_promise_to_end(before_, after_)) {
      fail(unfolding_fault::new_promise, no_node);
    } else if (sizes_fit()) {
      place_values();
      prove_equal_edges();
      reach();
      check_copies();
      if (ok() && list_paths() && compare_operations()) {
        prove_facts();
        if (ok()) {
          check_promises();
        }
      }
    }
    return verdict_;
  }

private:
  using ids = flat_array<std::uint32_t>;

  /// The claim that `holder` has the present value of the old value whenever control is at the start of a node, after
  /// its phis.
  struct fact {
    node_id node;
    value_id old_value;
    value_id holder;

    friend bool operator==(const fact&, const fact&) = default;
  };

  /// A path from the end of a copy to the start of the next one, in both programs. Its edges are in `path_edges_`.
  struct program_path {
    node_id source; ///< `no_node`: the entry of the program
    node_id target;
    std::uint32_t old_path;
    std::uint32_t new_path;
    std::uint32_t end;
  };

  /// The value that a node computes for an old one.
  struct definition {
    value_id holder;   ///< or `no_value`
    value_id at_start; ///< valid without a holder: the value at the start of the node that equals it; `no_value`: it
                       ///< was removed
  };

  struct key {
    node_id node;
    value_id value;

    friend bool operator==(const key&, const key&) = default;
  };

  /// A case of an inserted node, or the case of all other values.
  struct edge_case_key {
    std::uint32_t node;
    std::uint64_t value;
    bool is_case;

    friend bool operator==(const edge_case_key&, const edge_case_key&) = default;
  };

  struct hash_of_case {
    std::uint64_t operator()(const edge_case_key& key) const {
      return mix_hash(key.value, std::uint64_t{key.node} << 1 | (key.is_case ? 1u : 0u));
    }
  };

  bool ok() const { return verdict_.fault == unfolding_fault::none; }

  bool fail(unfolding_fault fault, node_id n, value_id v = no_value, value_id old = no_value, edge_id e = no_edge) {
    if (ok()) {
      verdict_ = {fault, n, v, old, e, verdict_.assumed};
    }
    return false;
  }

  bool sizes_fit() {
    const auto& g = after_.graph();
    bool fits = w_.node_origin.size() == static_cast<std::size_t>(g.num_nodes()) &&
                w_.edge_origin.size() == static_cast<std::size_t>(g.num_edges()) &&
                (w_.value_origin.empty() ? static_cast<std::size_t>(before_.num_values()) : w_.value_origin.size()) ==
                    static_cast<std::size_t>(after_.num_values());
    const auto below = [&](std::uint32_t id, std::size_t count) { fits = fits && (id == no_node || id < count); };
    for (const node_id n : w_.node_origin) {
      below(n, static_cast<std::size_t>(before_.graph().num_nodes()));
    }
    for (const edge_id e : w_.edge_origin) {
      below(e, static_cast<std::size_t>(before_.graph().num_edges()));
    }
    for (const value_id v : w_.value_origin) {
      below(v, static_cast<std::size_t>(before_.num_values()));
    }
    for (const merged_node& m : w_.merged) {
      fits = fits && m.into < w_.node_origin.size() && m.node < static_cast<std::size_t>(before_.graph().num_nodes());
    }
    const auto old_edges = static_cast<std::size_t>(before_.graph().num_edges());
    for (const dropped_edge& d : w_.dropped) {
      fits = fits && d.node < w_.node_origin.size() && d.edge < old_edges;
      below(d.why == drop_reason::equal_edges ? d.like : no_edge, old_edges);
      below(d.why == drop_reason::constant_condition ? d.like : no_value,
            static_cast<std::size_t>(after_.num_values()));
    }
    return fits || fail(unfolding_fault::witness_size, no_node);
  }

  template <class IR> static void place(const IR& ir, ids& home) {
    home.assign(static_cast<std::size_t>(ir.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir.graph()); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home[v] = n; });
    }
  }

  void place_values() {
    for (std::uint32_t i = 0; i != w_.dropped.size(); ++i) {
      drops_.find_or_insert({w_.dropped[i].node, w_.dropped[i].edge}, i);
    }
    place(before_, home_);
    place(after_, new_home_);
  }

  /// Finds the reachable nodes of the new program, their chains of merged nodes, and the number of copies of each old
  /// node.
  void reach() {
    const auto& g = after_.graph();
    const node_id count = node_count(g);
    ids reached(count, 0);
    if (count != 0) {
      order_.push_back(static_cast<node_id>(g.entry()));
      reached[order_[0]] = 1;
    }
    for (std::size_t i = 0; i != order_.size(); ++i) {
      for_each_id(g.successors(order_[i]), [&](node_id s) {
        if (reached[s] == 0) {
          reached[s] = 1;
          order_.push_back(s);
        }
      });
    }
    dominators_ = dominators(g);
    copies_.assign(node_count(before_.graph()), 0);
    chain_begin_.assign(count, 0);
    chain_end_.assign(count, 0);
    ids ends(count + std::size_t{1}, 0);
    ids merged;
    for (const merged_node& m : w_.merged) {
      ++ends[m.into];
    }
    counts_to_ends(ends);
    merged.resize_for_overwrite(w_.merged.size());
    for (std::size_t i = w_.merged.size(); i-- != 0;) {
      merged[--ends[w_.merged[i].into]] = w_.merged[i].node;
    }
    for (const node_id n : order_) {
      if (ok() && is_copy(n)) {
        list_chain(n, {merged.data() + ends[n], merged.data() + ends[n + std::size_t{1}]});
      }
    }
  }

  /// Checks that nodes with several reachable copies have no operation that must not be copied.
  void check_copies() {
    for (node_id old = 0; old != copies_.size(); ++old) {
      if (copies_[old] > 1) {
        for_each_id(before_.values(old), [&](value_id v) {
          if (!before_.is_phi(v) && (!before_.may_duplicate(v) || is_convergent(before_, v))) {
            fail(unfolding_fault::forbidden_copy, no_node, no_value, v);
          }
        });
      }
    }
  }

  /// Lists a chain. Merged nodes follow each other by the only edge that was not dropped, perhaps through nodes that do
  /// nothing: these become part of the chain.
  void list_chain(node_id n, span<const node_id> merged) {
    chain_begin_[n] = static_cast<std::uint32_t>(chain_.size());
    node_id old = w_.node_origin[n];
    ++copies_[old];
    for (const node_id next : merged) {
      std::size_t passed = 0;
      do {
        const edge_id e = passed == 0 ? edge_on(n, old) : only_edge_of_idle(old);
        if (e == no_edge || ++passed > copies_.size()) {
          fail(unfolding_fault::broken_chain, n);
          return;
        }
        old = target(before_.graph(), e);
        chain_.push_back(old);
        chain_edges_.push_back(e);
        ++copies_[old];
      } while (old != next);
    }
    chain_end_[n] = static_cast<std::uint32_t>(chain_.size());
  }

  /// The only edge of an old node that node `n` did not drop; equal edges count as one. `no_edge` if there is no such
  /// edge.
  edge_id edge_on(node_id n, node_id old) const {
    std::size_t count = 0;
    edge_id only = no_edge;
    for_each_id(before_.graph().out_edges(old), [&](edge_id e) {
      if (drops_.find({n, e}) == hash_map<key>::missing) {
        ++count;
        only = e;
      }
    });
    return count == 1 ? only : count == 0 ? no_edge : only_edge_of_idle(old);
  }

  bool is_copy(node_id n) const { return w_.node_origin[n] != no_node; }

  /// The old nodes that were appended to the first one.
  span<const node_id> chain_of(node_id n) const {
    return {chain_.data() + chain_begin_[n], chain_.data() + chain_end_[n]};
  }

  node_id last_of(node_id n) const {
    return chain_of(n).empty() ? w_.node_origin[n] : chain_of(n)[chain_of(n).size() - 1];
  }

  template <class G> static node_id target(const G& g, edge_id e) { return static_cast<node_id>(g.edge_target(e)); }

  // Paths between copies.

  bool list_paths() {
    limit_ = 64 * (w_.node_origin.size() + w_.edge_origin.size()) + 4096;
    if (!order_.empty()) {
      path_.clear();
      walk(no_node, no_edge, order_[0]);
    }
    for (std::size_t i = 0; ok() && i != order_.size(); ++i) {
      if (is_copy(order_[i])) {
        match_edges(order_[i]);
      } else {
        check_inserted(order_[i]);
      }
    }
    in_paths_end_.assign(w_.node_origin.size() + 1, 0);
    for (const program_path& x : paths_) {
      ++in_paths_end_[x.target];
    }
    counts_to_ends(in_paths_end_);
    in_paths_.resize_for_overwrite(paths_.size());
    for (std::size_t i = paths_.size(); i-- != 0;) {
      in_paths_[--in_paths_end_[paths_[i].target]] = static_cast<std::uint32_t>(i);
    }
    return ok();
  }

  bool check_inserted(node_id n) {
    for_each_id(after_.values(n), [&](value_id v) { check_extra(n, v); });
    return ok();
  }

  /// Checks an operation that has no original.
  bool check_extra(node_id n, value_id v) {
    if (after_.is_phi(v)) {
      return true;
    }
    if (is_terminator(after_, v)) { // whether it may trap depends on the path: see `list_edges_of_inserted`
      return is_plain_end(after_, v) || fail(unfolding_fault::inserted_effect, n, v);
    }
    return (after_.effect(v) == effect_kind::none && is_removable(after_, v) && !after_.may_trap(v)) ||
           fail(unfolding_fault::inserted_effect, n, v);
  }

  /// Checks that the edges of a copy are those of its original, in order and with equal cases, without the dropped
  /// ones.
  void match_edges(node_id n) {
    const node_id old = last_of(n);
    edges_.clear();
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) { edges_.push_back(e); });
    std::size_t at = 0;
    bool dropped = false;
    for_each_id(before_.graph().out_edges(old), [&](edge_id e) {
      if (at != edges_.size() && w_.edge_origin[edges_[at]] == e) {
        ++at;
      } else {
        dropped = true;
        check_dropped(n, old, e, no_edge);
      }
    });
    if (at != edges_.size()) {
      fail(unfolding_fault::extra_edge, n, no_value, no_value, edges_[at]);
      return;
    }
    const ids mine = edges_;
    const bool has_cases = before_.condition(old) != no_value && !(dropped && mine.size() == 1);
    for (const edge_id e : mine) {
      if (has_cases && ok() &&
          (after_.condition(n) == no_value || !same_cases(before_, w_.edge_origin[e], after_, e))) {
        fail(unfolding_fault::wrong_case, n, no_value, no_value, e);
      }
      path_.clear();
      if (ok()) {
        walk(n, w_.edge_origin[e], e);
      }
    }
  }

  /// Checks a dropped edge. `kept` is the only edge that is left, or `no_edge` if that is among the edges of the copy.
  void check_dropped(node_id n, node_id old, edge_id e, edge_id kept) {
    const std::uint32_t i = drops_.find({n, e});
    if (i != hash_map<key>::missing) {
      const dropped_edge& d = w_.dropped[i];
      bool proven = d.why == drop_reason::assumed;
      verdict_.assumed += proven;
      if (d.why == drop_reason::constant_condition && before_.condition(old) != no_value &&
          d.like < new_home_.size()) { // the operations check that this is the condition
        const auto c = constant_of_new(d.like);
        proven = c && taken_edge(before_, old, *c) != e;
      } else if (d.why == drop_reason::equal_edges) {
        proven = (kept == no_edge ? is_taken_instead(n, old, d.like) : kept == d.like) && is_equal_[i] != 0;
      }
      if (!proven) {
        fail(unfolding_fault::unproven_reason, n, no_value, no_value, e);
      }
      return;
    }
    fail(unfolding_fault::lost_edge, n, no_value, no_value, e);
  }

  // Finds equal edges of the old program: they lead to one node with equal phi inputs, perhaps through empty nodes. A
  // node may be empty because edges are equal; these come before it in the witness.

  void prove_equal_edges() {
    is_equal_.assign(w_.dropped.size(), 0);
    for (std::size_t i = 0; i != w_.dropped.size(); ++i) {
      const dropped_edge& d = w_.dropped[i];
      if (d.why == drop_reason::equal_edges && d.like != no_edge && are_equal(d.edge, d.like)) {
        is_equal_[i] = 1;
        is_passed_[d.edge] = !is_passed(d.like); // if two edges name each other, one is left
      }
    }
  }

  /// Whether an old edge is known to equal another one of its node.
  bool is_passed(edge_id e) const { return !is_passed_.empty() && is_passed_[e] != 0; }

  bool are_equal(edge_id e, edge_id like) {
    const auto& g = before_.graph();
    const auto source = static_cast<node_id>(g.edge_source(e));
    if (e == like || source == no_node || source != static_cast<node_id>(g.edge_source(like))) {
      return false;
    }
    if (is_passed_.empty()) {
      is_passed_.assign(static_cast<std::size_t>(g.num_edges()), 0);
      onward_.assign(node_count(g), no_edge);
      visited_.assign(node_count(g), 0);
    }
    const edge_id last = last_edge(e);
    const edge_id last_of_like = last_edge(like);
    bool equal = target(g, last) == target(g, last_of_like);
    for_each_phi(before_, target(g, last), [&](value_id phi) {
      equal = equal && before_.phi_input(phi, last) == before_.phi_input(phi, last_of_like);
    });
    return equal;
  }

  /// The last edge of a path through empty nodes. The nodes keep it, so that the next search is short.
  edge_id last_edge(edge_id e) {
    ++turn_;
    path_.clear();
    for (node_id n = target(before_.graph(), e); visited_[n] != turn_; n = target(before_.graph(), e)) {
      const edge_id next = onward_[n] != no_edge ? onward_[n] : only_edge_of_empty(n);
      if (next == no_edge) {
        break;
      }
      visited_[n] = turn_;
      path_.push_back(n);
      e = next;
    }
    for (const node_id n : path_) {
      onward_[n] = e;
    }
    return e;
  }

  /// The edge of an old node without phis and operations, if it has only one apart from equal ones; else `no_edge`.
  edge_id only_edge_of_empty(node_id n) const {
    bool empty = true;
    for (const auto v : before_.values(n)) {
      empty = empty && is_terminator(before_, static_cast<value_id>(v));
      if (!empty) {
        return no_edge;
      }
    }
    return only_edge_of_idle(n);
  }

  /// Whether an old edge is among those of the copy, and stands in for a missing edge: it is the only one, or the edge
  /// of all other cases.
  bool is_taken_instead(node_id n, node_id old, edge_id e) {
    bool kept = false;
    std::size_t edges = 0;
    if (e != no_edge && static_cast<node_id>(before_.graph().edge_source(e)) == old) {
      for_each_id(after_.graph().out_edges(n), [&](edge_id f) {
        ++edges;
        kept = kept || w_.edge_origin[f] == e;
      });
    }
    return kept && (edges == 1 || (before_.condition(old) != no_value && !has_cases(before_, e)));
  }

  template <class IR, class Constant> static edge_id taken_edge(const IR& ir, node_id n, const Constant& c) {
    edge_id taken = no_edge;
    edge_id otherwise = no_edge;
    for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
      if (!has_cases(ir, e)) {
        otherwise = e;
      } else if (has_case(ir, n, e, c)) {
        taken = e;
      }
    });
    return taken != no_edge ? taken : otherwise;
  }

  /// Follows all paths from an edge of a copy, or from the entry, through inserted nodes. `path_` has the edges of the
  /// new program. At a branch that the path decides, it follows one edge; at others, all.
  void walk(node_id source, edge_id old, std::uint32_t first) {
    struct frame {
      std::uint32_t next; // the next edge of an inserted node, in `pending_`
      std::uint32_t end;
    };

    flat_array<frame> frames;
    pending_.clear();
    node_id at = source == no_node ? first : target(after_.graph(), first);
    if (source != no_node) {
      path_.push_back(first);
    }
    const std::size_t base = path_.size();
    while (ok()) {
      if (++steps_ > limit_) {
        fail(unfolding_fault::too_many_paths, at);
        return;
      }
      if (is_copy(at)) {
        arrive(source, old, at);
      } else if (frames.size() > w_.node_origin.size()) {
        fail(unfolding_fault::inserted_cycle, at);
      } else {
        const auto begin = static_cast<std::uint32_t>(pending_.size());
        list_edges_of_inserted(at);
        frames.push_back({begin, static_cast<std::uint32_t>(pending_.size())});
        if (begin == pending_.size()) {
          fail(unfolding_fault::dead_end, at);
        }
      }
      while (!frames.empty() && frames.back().next == frames.back().end) {
        frames.pop_back();
      }
      if (frames.empty()) {
        return;
      }
      pending_.shrink(frames.back().end);
      path_.shrink(base + frames.size() - 1);
      const edge_id e = pending_[frames.back().next++];
      path_.push_back(e);
      at = target(after_.graph(), e);
    }
  }

  void list_edges_of_inserted(node_id n) {
    const auto condition = static_cast<value_id>(after_.condition(n));
    if (condition != no_value) {
      const value_id decided = back_along(path_, condition);
      if (const auto c = constant_of_new(decided)) {
        const edge_id e = edge_of_inserted(n, *c);
        if (e != no_edge) {
          pending_.push_back(e);
        }
        return;
      }
      if (is_undefined_literal_of_new(decided)) {
        fail(unfolding_fault::inserted_effect, n, decided);
      }
    }
    if (const value_id end = end_of_new(n); end != no_value && after_.may_trap(end)) {
      fail(unfolding_fault::inserted_effect, n, end);
    }
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) { pending_.push_back(e); });
  }

  /// The edge that an inserted node takes for a constant. Many paths may ask a dispatch with many edges, so the cases
  /// of large ones are hashed.
  edge_id edge_of_inserted(node_id n, const constant_of<After>& c) {
    if constexpr (std::is_integral_v<constant_of<After>> && (!has_edge_cases<After> || lists_constants<After>)) {
      using map = hash_map<edge_case_key, hash_of_case>;
      const std::uint32_t i = cases_.find({n, static_cast<std::uint64_t>(c), true});
      const std::uint32_t otherwise = i == map::missing ? cases_.find({n, 0, false}) : i;
      if (otherwise != map::missing) {
        return case_edges_[otherwise];
      }
      std::size_t edges = 0;
      for ([[maybe_unused]] auto&& e : after_.graph().out_edges(n)) {
        if (++edges == 9) {
          hash_cases(n);
          return edge_of_inserted(n, c);
        }
      }
    }
    return taken_edge(after_, n, c);
  }

  void hash_cases(node_id n) {
    const auto otherwise = static_cast<std::uint32_t>(case_edges_.size());
    cases_.find_or_insert({n, 0, false}, otherwise);
    case_edges_.push_back(no_edge);
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      bool has_any = false;
      for_each_case(after_, e, [&](const auto& one) {
        has_any = true;
        if constexpr (std::is_convertible_v<decltype(one), std::uint64_t>) {
          cases_.find_or_insert({n, static_cast<std::uint64_t>(one), true},
                                static_cast<std::uint32_t>(case_edges_.size()));
          case_edges_.push_back(e);
        }
      });
      if (!has_any) {
        case_edges_[otherwise] = e;
      }
    });
  }

  value_id end_of_new(node_id n) const {
    value_id end = no_value;
    for_each_id(after_.values(n), [&](value_id v) { end = !after_.is_phi(v) && is_terminator(after_, v) ? v : end; });
    return end;
  }

  bool is_undefined_literal_of_new([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<After>) {
      return v != no_value && static_cast<bool>(after_.is_undefined(v));
    } else {
      return false;
    }
  }

  std::optional<constant_of<After>> constant_of_new(value_id v) const {
    return v == no_value ? std::nullopt : known_constant(after_, v);
  }

  /// The value at the start of a path of the new program that becomes `v` at its end.
  value_id back_along(span<const edge_id> path, value_id v) const {
    for (std::size_t i = path.size(); i-- != 0;) {
      if (v != no_value && after_.is_phi(v) && new_home_[v] == target(after_.graph(), path[i])) {
        v = static_cast<value_id>(after_.phi_input(v, path[i]));
      }
    }
    return v;
  }

  /// Checks that the old edge leads to the node where the path arrives, perhaps through nodes that do nothing.
  void arrive(node_id source, edge_id old, node_id at) {
    const node_id wanted = w_.node_origin[at];
    if (source == no_node) {
      if (wanted != static_cast<node_id>(before_.graph().entry())) {
        fail(unfolding_fault::wrong_entry, at);
        return;
      }
    }
    program_path x{source, at, static_cast<std::uint32_t>(path_edges_.size()), 0, 0};
    if (source != no_node) {
      path_edges_.push_back(old);
      std::size_t passed = 0;
      for (node_id t = target(before_.graph(), old); t != wanted; t = target(before_.graph(), path_edges_.back())) {
        const edge_id next = only_edge_of_idle(t);
        if (next == no_edge || ++passed > copies_.size()) {
          fail(unfolding_fault::wrong_target, at, no_value, no_value, path_.empty() ? no_edge : path_[0]);
          return;
        }
        path_edges_.push_back(next);
        ++copies_[t]; // it runs here, too, so no other copy is the only one
      }
    }
    x.new_path = static_cast<std::uint32_t>(path_edges_.size());
    for (const edge_id e : path_) {
      path_edges_.push_back(e);
    }
    x.end = static_cast<std::uint32_t>(path_edges_.size());
    paths_.push_back(x);
  }

  /// The edge of an old node with one edge, apart from equal ones, and without operations that must stay; else
  /// `no_edge`.
  edge_id only_edge_of_idle(node_id n) const {
    std::size_t count = 0;
    std::size_t passed = 0;
    edge_id only = no_edge;
    for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
      if (is_passed(e)) {
        ++passed;
        return;
      }
      only = e;
      ++count;
    });
    bool idle = count == 1 && (passed == 0 || before_.condition(n) != no_value);
    for_each_id(before_.values(n), [&](value_id v) {
      idle = idle &&
             (before_.is_phi(v) || (is_terminator(before_, v) ? is_plain_end(before_, v) : is_removable(before_, v)));
    });
    return idle ? only : no_edge;
  }

  // Operations.

  bool compare_operations() {
    stamp_.assign(home_.size(), no_node);
    present_.assign(home_.size(), {no_value, no_value});
    def_.assign(home_.size(), no_value);
    for (const node_id n : order_) {
      if (is_copy(n)) {
        note_only_definitions(n);
      }
    }
    for (std::size_t i = 0; ok() && i != order_.size(); ++i) {
      if (is_copy(order_[i])) {
        compare_node(order_[i]);
      }
    }
    return ok();
  }

  /// Notes definitions in old nodes with a single copy: only one operation computes the old value there.
  void note_only_definitions(node_id n) {
    for_each_id(after_.values(n), [&](value_id v) {
      const value_id x = w_.origin_of_value(v);
      if (x == no_value || home_[x] == no_node || copies_[home_[x]] != 1 || before_.is_phi(x) != after_.is_phi(v)) {
        return;
      }
      if (!after_.is_phi(v)) {
        if (is_terminator(after_, v) &&
            (home_[x] != last_of(n) || !is_terminator(before_, x) || !before_.same_operation(x, after_, v))) {
          return;
        }
        def_[x] = v; // whether other operations are in a copy of the right node is checked with the operations
      } else if (home_[x] == w_.node_origin[n]) {
        def_[x] = v;
        add_fact(n, x, v);
      }
    });
  }

  void compare_node(node_id n) {
    new_values_.clear();
    value_id new_end = no_value;
    for_each_id(after_.values(n), [&](value_id v) {
      if (is_terminator(after_, v)) {
        new_end = v;
      } else if (!after_.is_phi(v) && w_.origin_of_value(v) == no_value) {
        check_extra(n, v);
      } else if (!after_.is_phi(v)) {
        new_values_.push_back(v);
      }
    });
    std::size_t at = 0;
    value_id old_end = compare_part(n, w_.node_origin[n], at);
    node_id old = w_.node_origin[n];
    for (std::uint32_t i = chain_begin_[n]; ok() && i != chain_end_[n]; ++i) {
      leave_end(n, old_end);
      enter_part(n, old, chain_edges_[i]);
      old = chain_[i];
      old_end = ok() ? compare_part(n, old, at) : no_value;
    }
    if (ok() && at != new_values_.size()) {
      fail(unfolding_fault::extra_operation, n, new_values_[at], w_.origin_of_value(new_values_[at]));
    }
    if (ok()) {
      compare_ends(n, old, old_end, new_end);
    }
  }

  /// Checks the end of an old node that was replaced by a jump or by nothing: it must only have chosen an edge.
  void leave_end(node_id n, value_id old_end) {
    if (old_end != no_value) {
      if (!is_plain_end(before_, old_end)) {
        fail(unfolding_fault::missing_operation, n, no_value, old_end);
      }
      define(n, old_end, {no_value, no_value});
      at_end_.set(n, old_end, {no_value, no_value});
    }
  }

  /// Whether a terminator only chooses an edge. It may trap.
  template <class IR> static bool is_plain_end(const IR& ir, value_id end) {
    const effect_kind effect = ir.effect(end);
    return (effect == effect_kind::none || effect == effect_kind::reads) && !ir.may_not_return(end) &&
           !ir.is_volatile(end);
  }

  /// Enters the next node of a chain: its phis become their inputs along the edge `only`.
  void enter_part(node_id n, node_id from, edge_id only) {
    const node_id to = target(before_.graph(), only);
    for_each_id(before_.graph().out_edges(from), [&](edge_id e) {
      if (e != only && (!is_passed(e) || drops_.find({n, e}) != hash_map<key>::missing)) {
        check_dropped(n, from, e, only);
      }
    });
    phis_.clear();
    for_each_phi(before_, to, [&](value_id phi) {
      phis_.push_back({phi, present(n, static_cast<value_id>(before_.phi_input(phi, only)))});
    });
    for (const phi_value& p : phis_) {
      define(n, p.phi, p.is);
      at_end_.set(n, p.phi, p.is);
    }
  }

  /// Compares the operations of an old node, in their order. Operations without effects and readers may be missing.
  /// Returns the old terminator.
  value_id compare_part(node_id n, node_id old, std::size_t& at) {
    value_id end = no_value;
    for_each_id(before_.values(old), [&](value_id x) {
      if (!ok() || before_.is_phi(x)) {
        return;
      }
      if (is_terminator(before_, x)) {
        end = x;
        return;
      }
      if (at != new_values_.size() && w_.origin_of_value(new_values_[at]) == x) {
        const value_id v = new_values_[at++];
        if (!before_.same_operation(x, after_, v)) {
          fail(unfolding_fault::changed_operation, n, v, x);
        }
        compare_operands(n, x, v);
        define(n, x, {v, no_value});
        if (copies_[old] != 1) {
          at_end_.set(n, x, {v, no_value});
        }
      } else if (is_removable(before_, x)) {
        define(n, x, {no_value, no_value});
        at_end_.set(n, x, {no_value, no_value});
      } else {
        fail(unfolding_fault::missing_operation, n, no_value, x);
      }
    });
    const auto condition = static_cast<value_id>(before_.condition(old));
    for_each_id(before_.graph().out_edges(old), [&](edge_id e) {
      const std::uint32_t i = drops_.find({n, e});
      if (condition != no_value && i != hash_map<key>::missing &&
          w_.dropped[i].why == drop_reason::constant_condition) {
        read(n, condition, w_.dropped[i].like);
      }
    });
    return end;
  }

  void compare_ends(node_id n, node_id old, value_id old_end, value_id new_end) {
    const auto condition = static_cast<value_id>(before_.condition(old));
    const auto new_condition = static_cast<value_id>(after_.condition(n));
    std::size_t after_edges = 0;
    for_each_id(after_.graph().out_edges(n), [&](edge_id) { ++after_edges; });
    const bool is_same = old_end != no_value && new_end != no_value && before_.same_operation(old_end, after_, new_end);
    if (after_edges == 1 && new_condition == no_value &&
        (!is_same || condition != no_value)) { // the end is a jump: all other edges were dropped
      leave_end(n, old_end);
      if (new_end != no_value) {
        if (!is_plain_end(after_, new_end) || after_.may_trap(new_end)) {
          fail(unfolding_fault::changed_operation, n, new_end, old_end);
        }
        for_each_id(after_.operands(new_end),
                    [&](value_id u) { fail(unfolding_fault::changed_operation, n, u, old_end); });
      }
      return;
    }
    if ((old_end != no_value || new_end != no_value) && !is_same) {
      fail(unfolding_fault::changed_operation, n, new_end, old_end);
      return;
    }
    if ((condition == no_value) != (new_condition == no_value)) {
      fail(unfolding_fault::changed_operation, n, new_end, old_end);
      return;
    }
    if (old_end != no_value) {
      compare_operands(n, old_end, new_end);
      if (def_[old_end] != new_end) {
        at_end_.set(n, old_end, {new_end, no_value});
      }
    }
    if (condition != no_value) {
      read(n, condition, new_condition);
    }
  }

  void compare_operands(node_id n, value_id x, value_id v) {
    old_operands_.clear();
    for_each_id(before_.operands(x), [&](value_id y) { old_operands_.push_back(y); });
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id u) {
      if (i < old_operands_.size()) {
        read(n, old_operands_[i], u);
      }
      ++i;
    });
    if (i != old_operands_.size()) {
      fail(unfolding_fault::changed_operation, n, v, x);
    }
  }

  /// The definition of an old value at the present place of a node.
  definition present(node_id n, value_id x) const {
    return home_[x] != no_node && stamp_[x] == n ? present_[x] : definition{no_value, x};
  }

  void define(node_id n, value_id x, definition d) {
    stamp_[x] = n;
    present_[x] = d;
  }

  /// Checks that the new program may read `u` at the present place, where the old one reads `x`.
  void read(node_id n, value_id x, value_id u) {
    if (ok()) {
      require(n, present(n, x), x, u);
    }
  }

  void require(node_id n, const definition& d, value_id x, value_id u) {
    if (d.holder != no_value) {
      if (d.holder != u) {
        fail(unfolding_fault::wrong_operand, n, u, x);
      }
    } else if (d.at_start != no_value) {
      add_fact(n, d.at_start, u);
    } else {
      fail(unfolding_fault::no_definition, n, u, x);
    }
  }

  // Promises.

  /// The old loops in which a loop of the new program runs.
  struct surrounding_loop {
    loop_id innermost = no_loop;
    bool is_known = false;
  };

  /// Checks that a loop of the new program is promised to end only if an old loop is that contains all old nodes which
  /// it runs. A run that stays in the new loop stays in that one.
  void check_promises() {
    if constexpr (has_must_end<Before> == has_must_end<After> && (has_must_end<After> || has_loop_ends<After>)) {
      if (all_edges_promise()) {
        return;
      }
      const loop_forest loops = dominators_and_loops(after_.graph()).loops;
      bool promises = false;
      for (const loop_id l : loops.loops()) {
        promises = promises || is_promised_to_end(after_, loops, l);
      }
      if (promises) {
        check_promises(loops, dominators_and_loops(before_.graph()).loops);
      }
    }
  }

  void check_promises(const loop_forest& loops, const loop_forest& old_loops) {
    flat_array<surrounding_loop> around(loops.num_loops(), {});
    const auto include = [&](loop_id l, loop_id old) {
      if (l != no_loop) {
        around[l] = {around[l].is_known ? innermost_around(old_loops, around[l].innermost, old) : old, true};
      }
    };
    for (const node_id n : order_) {
      if (is_copy(n)) {
        include(loops.innermost_loop(n), old_loops.innermost_loop(w_.node_origin[n]));
        for (const node_id old : chain_of(n)) {
          include(loops.innermost_loop(n), old_loops.innermost_loop(old));
        }
      }
    }
    for (const program_path& x : paths_) {
      const loop_id l = x.source == no_node
                            ? no_loop
                            : innermost_around(loops, loops.innermost_loop(x.source), loops.innermost_loop(x.target));
      for (std::uint32_t i = x.old_path; i != x.new_path; ++i) {
        include(l, old_loops.innermost_loop(target(before_.graph(), path_edges_[i])));
      }
    }
    flat_array<unsigned char> ends(old_loops.num_loops(), 0); // by old loop: whether it or one around it must end
    for (const loop_id l : old_loops.loops()) {
      const loop_id parent = old_loops.parent(l);
      ends[l] = is_promised_to_end(before_, old_loops, l) || (parent != no_loop && ends[parent] != 0) ? 1 : 0;
    }
    for (auto l = static_cast<loop_id>(loops.num_loops()); l-- != 0;) { // inner loops first
      if (around[l].is_known) {
        include(loops.parent(l), around[l].innermost);
      }
      const loop_id old = around[l].innermost;
      if ((old == no_loop || ends[old] == 0) && is_promised_to_end(after_, loops, l)) {
        fail(unfolding_fault::new_promise, loops.header(l));
      }
    }
  }

  /// The innermost loop that contains both loops, or `no_loop`.
  static loop_id innermost_around(const loop_forest& loops, loop_id a, loop_id b) {
    while (a != b && a != no_loop && b != no_loop) {
      const bool first = loops.depth(a) >= loops.depth(b);
      const bool second = loops.depth(b) >= loops.depth(a);
      a = first ? loops.parent(a) : a;
      b = second ? loops.parent(b) : b;
    }
    return a == b ? a : no_loop;
  }

  /// Whether the old program promises the end of everything, as a promise about a procedure does. Then this holds for
  /// cycles with several entries, too.
  bool all_edges_promise() const {
    bool all = has_must_end<Before>;
    if constexpr (has_must_end<Before>) {
      for (node_id n = 0; n != node_count(before_.graph()); ++n) {
        for_each_id(before_.graph().out_edges(n),
                    [&](edge_id e) { all = all && static_cast<bool>(before_.must_end(e)); });
      }
    }
    return all;
  }

  // Facts.

  void add_fact(node_id n, value_id x, value_id u) {
    if (x == no_value || u == no_value) {
      if (x != u) {
        fail(unfolding_fault::wrong_operand, n, u, x);
      }
      return;
    }
    if (home_[x] == no_node) { // a literal or parameter
      if (new_home_[u] != no_node || !before_.same_operation(x, after_, u)) {
        fail(unfolding_fault::wrong_operand, n, u, x);
      }
      return;
    }
    // The only operation that computes x has run, so its value is present.
    if (def_[x] == u && dominators_.strictly_dominates(new_home_[u], n)) {
      return;
    }
    const auto fresh = static_cast<std::uint32_t>(facts_.size());
    if (known_facts_.find_or_insert({n, x, u}, fresh) == fresh) {
      facts_.push_back({n, x, u});
    }
  }

  void prove_facts() {
    for (std::size_t i = 0; ok() && i != facts_.size(); ++i) {
      const fact f = facts_[i];
      for (std::uint32_t k = in_paths_end_[f.node]; ok() && k != in_paths_end_[f.node + std::size_t{1}]; ++k) {
        follow(f, paths_[in_paths_[k]]);
      }
    }
  }

  /// Proves a fact for one path into its node: it must hold at the end of the source.
  void follow(const fact& f, const program_path& x) {
    const auto old_path = span<const edge_id>(path_edges_.data() + x.old_path, x.new_path - x.old_path);
    value_id old = f.old_value;
    for (std::size_t i = old_path.size(); i-- != 0;) {
      if (old != no_value && home_[old] == target(before_.graph(), old_path[i])) {
        if (before_.is_phi(old)) {
          old = static_cast<value_id>(before_.phi_input(old, old_path[i]));
        } else if (i + 1 != old_path.size()) { // computed in a node that was skipped
          fail(unfolding_fault::no_definition, f.node, f.holder, f.old_value);
          return;
        }
      }
    }
    const value_id u = back_along({path_edges_.data() + x.new_path, x.end - x.new_path}, f.holder);
    if (old == no_value || u == no_value || home_[old] == no_node) {
      add_fact(f.node, old, u);
    } else if (x.source == no_node) {
      fail(unfolding_fault::no_definition, f.node, f.holder, f.old_value);
    } else if (const definition* d = at_end_.find(x.source, old)) {
      require(x.source, *d, old, u);
    } else if (def_[old] != no_value && new_home_[def_[old]] == x.source && !before_.is_phi(old)) {
      require(x.source, {def_[old], no_value}, old, u);
    } else {
      add_fact(x.source, old, u);
    }
  }

  struct phi_value {
    value_id phi;
    definition is;
  };

  /// What nodes compute, where there is more than one definition.
  class definition_map {
  public:
    /// A chain may contain an old node twice: its last definition is the present one.
    void set(node_id n, value_id x, definition d) {
      const auto fresh = static_cast<std::uint32_t>(all_.size());
      const std::uint32_t i = numbers_.find_or_insert({n, x}, fresh);
      if (i == fresh) {
        all_.push_back(d);
      } else {
        all_[i] = d;
      }
    }

    const definition* find(node_id n, value_id x) const {
      const std::uint32_t i = numbers_.find({n, x});
      return i == hash_map<key>::missing ? nullptr : &all_[i];
    }

  private:
    hash_map<key> numbers_;
    flat_array<definition> all_;
  };

  const Before& before_;
  const After& after_;
  const unfolding_witness& w_;
  unfolding_verdict verdict_;
  ids home_;        ///< by old value: its node
  ids new_home_;    ///< by new value
  ids order_;       ///< reachable nodes of the new program
  ids copies_;      ///< by old node
  ids chain_begin_; ///< by node of the new program, into `chain_`
  ids chain_end_;
  ids chain_;
  ids chain_edges_; ///< of the old program, into the nodes of `chain_`
  dominator_tree dominators_;
  hash_map<key> drops_;                 ///< by node and old edge
  flat_array<unsigned char> is_equal_;  ///< by dropped edge: whether it equals the edge that is taken
  flat_array<unsigned char> is_passed_; ///< by old edge: whether it equals another one of its node; may be empty
  ids onward_;                          ///< by old node: the last edge of the path through it, if it is empty
  ids visited_;                         ///< by old node: the last search that visited it
  std::uint32_t turn_ = 0;

  std::size_t limit_ = 0;
  std::size_t steps_ = 0;
  ids edges_;
  ids path_;
  ids pending_;
  ids path_edges_;
  hash_map<edge_case_key, hash_of_case> cases_; ///< into `case_edges_`
  flat_array<edge_id> case_edges_;
  flat_array<program_path> paths_;
  ids in_paths_end_; ///< by node, into `in_paths_`
  ids in_paths_;

  ids stamp_; ///< by old value: the node for which `present_` is valid
  flat_array<definition> present_;
  ids def_; ///< by old value: its only definition
  ids new_values_;
  ids old_operands_;
  flat_array<phi_value> phis_;
  definition_map at_end_;
  flat_array<fact> facts_;
  hash_map<fact> known_facts_;
};

} // namespace detail

/// Checks that `after` is an unfolding of `before` by the witness, so that each run of `after` is a run of `before`:
/// with equal decisions, and equal operations with equal operands, in one order. It is independent of the code that
/// transforms: if you trust this function, `dominators_and_loops`, `known_constant`, and `same_operation` of the IR,
/// you need not trust the transformation. Requires IRs that `check_ir` accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the new program.
/// 1. The path from the entry through inserted nodes leads to a copy of the old entry.
/// 2. The edges of a copy are those of its original, in order and with the same cases; following one through inserted
///    nodes, on all paths that their branches allow, leads to a copy of its target. Old nodes that do nothing and have
///    one edge, apart from equal ones, may be skipped. Inserted nodes have no effects, do not trap, and form no cycle.
/// 3. An edge may be missing for a reason of the witness, which is checked, or `assumed` and counted. Edges are equal
///    if they lead to the same node with the same inputs of phis, through nodes without phis and operations that have
///    one edge, apart from those that earlier elements of `dropped` show to be equal to it.
/// 4. The operations of a copy are those of its original in the same order, apart from those that are removable
///    (`is_removable`). Each reads the present value of what the old one reads.
/// 5. A node with several copies has no operation that must not be copied (`may_duplicate`) or that threads run
///    together (`is_convergent`).
/// 6. A loop is promised to end only if such a promise is made about an old loop that contains all old nodes which it
///    runs, or about all edges of the old program.
///
/// **How values are checked.** A *fact* (n, x, u) says: whenever control is at the start of n, after its phis, u has
/// the present value of the old value x. An operand is right if its node computes it, or by a fact. A fact is proven on
/// each path into its node. Phis of both programs are replaced by their inputs along the path. The rest must hold at
/// the end of the source: the copy there computes the old value, or another fact says so. This is induction over the
/// steps of a run, so facts may depend on each other. Phis need no entry in the witness; one that copies the phi of a
/// node with a single copy is proven once.
///
/// Not checked: unreachable code, and whether `assumed` reasons are true. Paths through inserted nodes take at most 64
/// steps for each node and edge; more is reported as `too_many_paths`.
///
/// Cost: O(n + m + values + operands) with hashing, plus, for values with several operations or phis in the new
/// program, the nodes between their definitions and uses. If the program promises the end of some loops, but not of
/// all, also O(n · depth of the nest) at worst, and linear where copies are in loops like those of their originals.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
unfolding_verdict verify_unfolding(const Before& before, const After& after, const unfolding_witness& witness) {
  return detail::unfolding_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
