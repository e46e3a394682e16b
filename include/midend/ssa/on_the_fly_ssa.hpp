/// `on_the_fly_ssa`: SSA form while a program is being built, without any analysis.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/strongly_connected_components.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/inserted_phis.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The number of a phi: consecutive, in the order of creation. Removed phis keep theirs.
using phi_number = std::uint32_t;

inline constexpr phi_number not_a_phi = 0xffff'ffff;

/// Phis with their inputs. A phi is *trivial* if its inputs are itself and at most one other value. It is then removed,
/// and the other value replaces it everywhere, also in phis that may become trivial because of that.
///
/// Following `replacement`, with path compression, leads from a removed phi to its present value. A phi that is not
/// trivial watches two different inputs, and is examined again when one of them is removed. Values only become equal,
/// never different again, so the search for a second input resumes where it stopped, and each input is seen once.
template <class E> class on_the_fly_phis {
public:
  explicit on_the_fly_phis(E& editor) : editor_(&editor) {}

  /// Makes a phi whose inputs are not known yet.
  phi_number make(variable_id x, node_id n) {
    const auto phi = static_cast<phi_number>(phis_.size());
    phi_record fresh;
    fresh.variable = x;
    fresh.node = n;
    fresh.value = editor_->insert_variable_phi(n, x);
    phis_.push_back(fresh);
    while (phi_of_value_.size() <= fresh.value) {
      phi_of_value_.push_back(not_a_phi);
    }
    phi_of_value_[fresh.value] = phi;
    ++num_alive_;
    return phi;
  }

  std::size_t size() const { return phis_.size(); }

  std::size_t num_alive() const { return num_alive_; }

  bool is_alive(phi_number phi) const { return phis_[phi].replacement == no_value; }

  variable_id variable(phi_number phi) const { return phis_[phi].variable; }

  node_id node(phi_number phi) const { return phis_[phi].node; }

  value_id value(phi_number phi) const { return phis_[phi].value; }

  /// The phi that defines a value, perhaps a removed one, or `not_a_phi`.
  phi_number phi_of(value_id v) const { return v < phi_of_value_.size() ? phi_of_value_[v] : not_a_phi; }

  /// The present value of `v`: itself, unless it is a phi that was removed.
  value_id resolve(value_id v) {
    value_id last = v;
    for (phi_number phi = phi_of(last); phi != not_a_phi && !is_alive(phi); phi = phi_of(last)) {
      last = phis_[phi].replacement;
    }
    while (v != last) {
      const value_id next = phis_[phi_of(v)].replacement;
      phis_[phi_of(v)].replacement = last;
      v = next;
    }
    return last;
  }

  /// Makes room for an input for each edge into the node.
  void list_inputs(phi_number phi) {
    phis_[phi].first_input = static_cast<std::uint32_t>(inputs_.size());
    for_each_id(editor_->graph().in_edges(phis_[phi].node), [&](edge_id e) { inputs_.push_back({e, no_value}); });
    phis_[phi].num_inputs = static_cast<std::uint32_t>(inputs_.size()) - phis_[phi].first_input;
  }

  std::size_t num_inputs(phi_number phi) const { return phis_[phi].num_inputs; }

  edge_id input_edge(phi_number phi, std::size_t i) const { return inputs_[phis_[phi].first_input + i].edge; }

  value_id input(phi_number phi, std::size_t i) const { return inputs_[phis_[phi].first_input + i].value; }

  void set_input(phi_number phi, std::size_t i, value_id v) { inputs_[phis_[phi].first_input + i].value = v; }

  /// Call it when all inputs are set. Keeps the phi, or removes it with all phis that become trivial because of that.
  void complete(phi_number phi) {
    if (is_trivial(phi)) {
      replace(phi, what_remains(phi));
      remove_trivial();
      return;
    }
    for (std::size_t i = 0; i != num_inputs(phi); ++i) {
      editor_->set_phi_input(value(phi), input_edge(phi, i), resolve(input(phi, i)));
    }
  }

  /// Replaces a phi by a value. Phis that may be trivial now wait for `remove_trivial`.
  void replace(phi_number phi, value_id by) {
    editor_->replace_uses(value(phi), by);
    editor_->erase_value(value(phi));
    phis_[phi].replacement = by;
    --num_alive_;
    for (std::uint32_t i = phis_[phi].watches; i != no_watch; i = watches_[i].next) {
      waiting_.push_back(watches_[i].phi);
    }
  }

  void remove_trivial() {
    while (!waiting_.empty()) {
      const phi_number phi = waiting_.back();
      waiting_.pop_back();
      if (is_alive(phi) && is_trivial(phi)) {
        replace(phi, what_remains(phi));
      }
    }
  }

  /// The editor's undefined value; records the variable for `is_undefined`.
  value_id undefined_value(variable_id x) {
    while (is_undefined_.size() <= x) {
      is_undefined_.push_back(0);
    }
    is_undefined_[x] = 1;
    return editor_->undefined_value(x);
  }

  bool is_undefined(variable_id x) const { return x < is_undefined_.size() && is_undefined_[x] != 0; }

private:
  static constexpr std::uint32_t no_watch = 0xffff'ffff;

  struct phi_record {
    variable_id variable = no_variable;
    node_id node = no_node;
    value_id value = no_value;
    value_id replacement = no_value; ///< valid for a removed phi
    std::uint32_t first_input = 0;
    std::uint32_t num_inputs = 0;
    std::uint32_t searched = 0; ///< inputs before this one are the phi itself or `other`
    value_id other = no_value;
    value_id watched[2] = {no_value, no_value}; ///< two different inputs, once found
    std::uint32_t watches = no_watch;           ///< phis that watch this one
  };

  struct phi_input {
    edge_id edge;
    value_id value;
  };

  struct watch {
    phi_number phi;
    std::uint32_t next;
  };

  bool is_trivial(phi_number number) {
    phi_record& phi = phis_[number];
    phi.other = phi.other == no_value ? no_value : resolve(phi.other);
    phi.other = phi.other == phi.value ? no_value : phi.other;
    for (; phi.searched != phi.num_inputs; ++phi.searched) {
      const value_id v = resolve(input(number, phi.searched));
      if (v == phi.value || v == phi.other) {
        continue;
      }
      if (phi.other != no_value) {
        watch_both(number, phi.other, v);
        return false;
      }
      phi.other = v;
    }
    return true;
  }

  void watch_both(phi_number number, value_id a, value_id b) {
    phi_record& phi = phis_[number];
    for (const value_id v : {a, b}) {
      const phi_number of = phi_of(v);
      if (of != not_a_phi && v != phi.watched[0] && v != phi.watched[1]) {
        watches_.push_back({number, phis_[of].watches});
        phis_[of].watches = static_cast<std::uint32_t>(watches_.size() - 1);
      }
    }
    phi.watched[0] = a;
    phi.watched[1] = b;
  }

  /// A phi whose only input is itself is unreachable.
  value_id what_remains(phi_number phi) {
    return phis_[phi].other != no_value ? phis_[phi].other : undefined_value(phis_[phi].variable);
  }

  E* editor_;
  std::size_t num_alive_ = 0;
  flat_array<phi_number> phi_of_value_;
  flat_array<unsigned char> is_undefined_; ///< by variable
  flat_array<phi_input> inputs_;
  flat_array<watch> watches_;
  flat_array<phi_number> waiting_;
  flat_array<phi_record> phis_;
};

/// Finds strongly connected sets of phis with only one input from outside, and replaces the phis of a set by that
/// input. Sets are processed in the order in which values flow. If a set has several values from outside, its phis that
/// read none of them are processed again, as a graph of their own.
template <class E> class redundant_phi_removal {
public:
  explicit redundant_phi_removal(on_the_fly_phis<E>& phis) : phis_(phis) {}

  void run() {
    number_.assign(phis_.size(), not_a_phi);
    flat_array<phi_number> all;
    for (phi_number phi = 0; phi != phis_.size(); ++phi) {
      all.push_back(phi);
    }
    push_components(all);
    while (!sets_.empty()) {
      const std::size_t first = sets_.back();
      sets_.pop_back();
      process(first);
    }
  }

private:
  /// Pushes the strongly connected sets of `phis`. The set on top reads no other one.
  void push_components(span<const phi_number> phis) {
    alive_.clear();
    for (const phi_number phi : phis) {
      if (phis_.is_alive(phi)) {
        number_[phi] = static_cast<std::uint32_t>(alive_.size());
        alive_.push_back(phi);
      }
    }
    edges_.clear();
    for (std::uint32_t i = 0; i != alive_.size(); ++i) {
      for (std::size_t k = 0; k != phis_.num_inputs(alive_[i]); ++k) {
        const phi_number read = phis_.phi_of(phis_.resolve(phis_.input(alive_[i], k)));
        if (read != not_a_phi && number_[read] != not_a_phi) {
          edges_.push_back({i, number_[read]});
        }
      }
    }
    for (const phi_number phi : alive_) {
      number_[phi] = not_a_phi;
    }
    if (!alive_.empty()) {
      push_components_of(csr_graph::from_edges(alive_.size(), 0, edges_).value());
    }
  }

  /// Components are numbered against the edges, so a component comes after those that it reads.
  void push_components_of(const csr_graph& reads) {
    const component_partition components = strongly_connected_components(reads);
    for (auto c = static_cast<component_id>(components.num_components()); c-- != 0;) {
      if (components.members(c).size() > 1) {
        sets_.push_back(members_.size());
        for (const node_id member : components.members(c)) {
          members_.push_back(alive_[member]);
        }
      }
    }
  }

  /// Processes the set on top of the stack, whose members start at `first`.
  void process(std::size_t first) {
    set_.assign(span<const phi_number>(members_).subspan(first));
    members_.shrink(first);
    for (const phi_number phi : set_) {
      number_[phi] = 0;
    }
    inner_.clear();
    value_id outside = no_value;
    bool is_one_value = true;
    for (const phi_number phi : set_) {
      if (phis_.is_alive(phi) && !reads_outside(phi, outside, is_one_value)) {
        inner_.push_back(phi);
      }
    }
    for (const phi_number phi : set_) {
      number_[phi] = not_a_phi;
    }
    if (!is_one_value) {
      push_components(inner_);
    } else if (outside != no_value) {
      replace_all(outside);
    }
  }

  /// Whether a phi has an input from outside the set. Stores the last one in `outside`.
  bool reads_outside(phi_number phi, value_id& outside, bool& is_one_value) {
    bool does = false;
    for (std::size_t i = 0; i != phis_.num_inputs(phi); ++i) {
      const value_id v = phis_.resolve(phis_.input(phi, i));
      const phi_number read = phis_.phi_of(v);
      if (read != not_a_phi && number_[read] != not_a_phi) {
        continue;
      }
      does = true;
      is_one_value = is_one_value && (outside == no_value || outside == v);
      outside = v;
    }
    return does;
  }

  void replace_all(value_id by) {
    for (const phi_number phi : set_) {
      if (phis_.is_alive(phi)) {
        phis_.replace(phi, by);
      }
    }
    phis_.remove_trivial();
  }

  on_the_fly_phis<E>& phis_;
  flat_array<std::uint32_t>
      number_; ///< by phi: its node in the graph of `push_components`, or 0 in the set of `process`; else `not_a_phi`
  flat_array<phi_number> alive_;
  flat_array<edge> edges_;
  flat_array<phi_number> members_; ///< of the sets on the stack, set after set
  flat_array<std::size_t> sets_;   ///< the stack: where the members of a set start
  flat_array<phi_number> set_;     ///< the set being processed
  flat_array<phi_number> inner_;   ///< its phis that read nothing from outside
};

} // namespace detail

/// The values of variables at the ends of nodes, for a front end that reads and writes variables in the order of the
/// source program and needs values at once. Node by node:
///
///     midend::on_the_fly_ssa ssa(editor);
///     ssa.write_variable(x, n, v);                       // x is v at the end of n, so far
///     const value_id v = ssa.read_variable(x, n);        // the value of x there
///     ssa.seal(n);                                       // no more edges to n will follow
///
/// Nodes are *filled* in the order of execution: reads see the writes before them. A read in a node that is not sealed
/// yields a phi, which gets its inputs when the node is sealed. Requires that every node is sealed in the end, that no
/// edge to a sealed node is added later, and none to the entry. A successor may be filled before its predecessors if it
/// is sealed after they are filled.
///
/// Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau, "Simple and efficient construction of static single assignment form",
/// CC 2013. The recursive search for inputs is a loop with a stack here: the result of a recursive call is known before
/// its phi has inputs. Trivial phis are found by watching two different inputs of each phi, so each input is seen once
/// (see `detail::on_the_fly_phis`).
///
/// The result is pruned, and minimal if the flow is reducible; on irreducible flow `remove_redundant_phis` makes it
/// minimal. A read that no write reaches becomes `undefined_value`. Unreachable nodes are not recognized: edges from
/// them count like any other, and may cause phis.
///
/// A value that was read may be a phi that is removed later. The editor replaces it in operands; for values that the
/// caller keeps elsewhere, `resolve` returns the present value. Results do not depend on the numbers of nodes.
/// Time: one hash table lookup for each read, each write, and each node that a read goes through, whose value is then
/// known; near-linear in the inputs of the phis made. 12 to 36 bytes for each lookup, 50 bytes a phi and 8 an input.
template <variable_phi_editor_argument E> class on_the_fly_ssa {
public:
  explicit on_the_fly_ssa(E& editor) : editor_(&editor), phis_(editor) {}

  /// Says that `x` has the value `v` from here on in `n`.
  void write_variable(variable_id x, node_id n, value_id v) { known_value(x, n) = v; }

  /// The value of `x` at the end of `n`, as far as `n` is filled.
  value_id read_variable(variable_id x, node_id n) {
    const value_id v = value_at_end(x, n);
    fill_phis();
    return phis_.resolve(v);
  }

  /// Declares that all edges into `n` exist.
  void seal(node_id n) {
    node_state& node = state_of(n);
    node.is_sealed = true;
    for (std::uint32_t i = node.first_incomplete; i != none; i = incomplete_[i].next) {
      begin_inputs(incomplete_[i].phi);
    }
    node.first_incomplete = none;
    fill_phis();
  }

  bool is_sealed(node_id n) const { return n < nodes_.size() && nodes_[n].is_sealed; }

  /// The present value of `v`: what replaced it if it is a removed phi.
  value_id resolve(value_id v) { return phis_.resolve(v); }

  std::size_t num_phis() const { return phis_.num_alive(); }

  /// Replaces sets of phis that have only one input from outside the set: the redundant phis of irreducible flow.
  /// Requires that all nodes are sealed. Linear for each level of nested strongly connected sets.
  void remove_redundant_phis() {
    if (num_phis() > 1) {
      detail::redundant_phi_removal<E>(phis_).run();
    }
  }

  /// Calls `visit(phi)` for each phi that exists, in the order of creation.
  template <class Visit> void for_each_phi(Visit visit) const {
    for (detail::phi_number phi = 0; phi != phis_.size(); ++phi) {
      if (phis_.is_alive(phi)) {
        visit(variable_phi{phis_.variable(phi), phis_.node(phi), phis_.value(phi)});
      }
    }
  }

  /// Whether `undefined_value` was used for `x`, even if only in a phi that has been removed.
  bool is_undefined(variable_id x) const { return phis_.is_undefined(x); }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr value_id being_read = no_value - 1;

  struct node_state {
    std::uint32_t first_incomplete; ///< first phi waiting for the node to be sealed
    bool is_sealed;
  };

  struct incomplete_phi {
    detail::phi_number phi;
    std::uint32_t next;
  };

  /// A phi whose inputs are being read.
  struct frame {
    detail::phi_number phi;
    std::uint32_t next_input;
  };

  /// The known value of `x` at the end of `n`, or `no_value`. The reference is valid until the next call.
  value_id& known_value(variable_id x, node_id n) {
    const auto fresh = static_cast<std::uint32_t>(values_.size());
    const std::uint32_t at = place_of_.find_or_insert(std::uint64_t{x} << 32 | n, fresh);
    if (at == fresh) {
      values_.push_back(no_value);
    }
    return values_[at];
  }

  node_state& state_of(node_id n) {
    while (nodes_.size() <= n) {
      nodes_.push_back({none, false});
    }
    return nodes_[n];
  }

  /// The value of `x` at the end of `n`, perhaps a phi that waits in `frames_` for its inputs. Walks up while a node
  /// has only one incoming edge, and stores the answer at each node of this path.
  value_id value_at_end(variable_id x, node_id n) {
    passed_.clear();
    value_id v = no_value;
    while (v == no_value) {
      value_id& known = known_value(x, n);
      if (known == being_read) {
        v = phis_.undefined_value(x); // a cycle without an edge from outside
      } else if (known != no_value) {
        v = known = phis_.resolve(known);
      } else if (const edge_id e = only_edge_into(n); e != none) {
        known = being_read;
        passed_.push_back(n);
        n = static_cast<node_id>(editor_->graph().edge_source(e));
      } else {
        v = known = value_at_start(x, n);
      }
    }
    for (const node_id passed : passed_) {
      known_value(x, passed) = v;
    }
    return v;
  }

  /// The edge into a sealed node if there is exactly one, else `none`.
  edge_id only_edge_into(node_id n) {
    if (!is_sealed(n)) {
      return none;
    }
    edge_id only = none;
    std::size_t count = 0;
    detail::for_each_id(editor_->graph().in_edges(n), [&](edge_id e) {
      only = e;
      ++count;
    });
    return count == 1 ? only : none;
  }

  value_id value_at_start(variable_id x, node_id n) {
    const auto in = editor_->graph().in_edges(n);
    if (is_sealed(n) && std::begin(in) == std::end(in)) {
      return phis_.undefined_value(x);
    }
    MIDEND_ASSERT(n != editor_->graph().entry() || !is_sealed(n), "an entry without predecessors", n);
    const detail::phi_number phi = phis_.make(x, n);
    if (is_sealed(n)) {
      begin_inputs(phi);
    } else {
      incomplete_.push_back({phi, state_of(n).first_incomplete});
      state_of(n).first_incomplete = static_cast<std::uint32_t>(incomplete_.size() - 1);
    }
    return phis_.value(phi);
  }

  void begin_inputs(detail::phi_number phi) {
    phis_.list_inputs(phi);
    frames_.push_back({phi, 0});
  }

  /// Sets the inputs of all phis in `frames_`; reading inputs may add more.
  void fill_phis() {
    while (!frames_.empty()) {
      const frame top = frames_.back();
      if (top.next_input == phis_.num_inputs(top.phi)) {
        frames_.pop_back();
        phis_.complete(top.phi);
        continue;
      }
      ++frames_.back().next_input;
      const edge_id e = phis_.input_edge(top.phi, top.next_input);
      const auto from = static_cast<node_id>(editor_->graph().edge_source(e));
      phis_.set_input(top.phi, top.next_input, value_at_end(phis_.variable(top.phi), from));
    }
  }

  E* editor_;
  detail::on_the_fly_phis<E> phis_;
  detail::hash_map<std::uint64_t> place_of_; ///< by variable and node: the place in `values_`
  flat_array<value_id> values_;
  flat_array<node_state> nodes_;
  flat_array<incomplete_phi> incomplete_;
  flat_array<frame> frames_;
  flat_array<node_id> passed_;
};

MIDEND_END_NAMESPACE
