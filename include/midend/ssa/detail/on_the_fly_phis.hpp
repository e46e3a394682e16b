/// The phis of SSA construction on the fly, and the removal of those that turn out to be trivial.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A phi in the order of making: dense, those that were removed included.
using phi_number = std::uint32_t;

inline constexpr phi_number no_phi = 0xffff'ffff;

/// Phis with their inputs. A phi is *trivial* if its inputs are itself and one other value at most; it is removed then,
/// and the other value takes its place everywhere, in phis that may become trivial by that.
///
/// What a removed phi is now is found by following `replacement`, with path compression. Of a phi that is not trivial
/// two different inputs are known, and it is looked at again when one of these is removed; since values only become
/// equal and never different again, the search for a second input goes on where it was: each input is seen once.
template <class E> class on_the_fly_phis {
public:
  explicit on_the_fly_phis(E& editor) : editor_(&editor) {}

  /// A phi whose inputs are not known yet.
  phi_number make(variable_id x, node_id n) {
    const auto phi = static_cast<phi_number>(phis_.size());
    phi_record fresh;
    fresh.variable = x;
    fresh.node = n;
    fresh.value = editor_->insert_variable_phi(n, x);
    phis_.push_back(fresh);
    while (phi_of_value_.size() <= fresh.value) {
      phi_of_value_.push_back(no_phi);
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

  /// The phi that a value is; it may have been removed.
  phi_number phi_of(value_id v) const { return v < phi_of_value_.size() ? phi_of_value_[v] : no_phi; }

  /// What a value is now: itself, unless it is a phi that was removed.
  value_id resolve(value_id v) {
    value_id last = v;
    for (phi_number phi = phi_of(last); phi != no_phi && !is_alive(phi); phi = phi_of(last)) {
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

  /// All inputs are set: the phi stays, or it is removed with all that become trivial by that.
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

  /// Puts a value in place of a phi. Those that may be trivial now wait for `remove_trivial`.
  void replace(phi_number phi, value_id by) {
    editor_->replace_uses(value(phi), by);
    editor_->erase_value(value(phi));
    phis_[phi].replacement = by;
    --num_alive_;
    for (std::uint32_t watch = phis_[phi].watches; watch != no_watch; watch = watches_[watch].next) {
      waiting_.push_back(watches_[watch].phi);
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

  /// The editor's, which is remembered for `is_undefined`.
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
    value_id replacement = no_value; ///< of a removed phi
    std::uint32_t first_input = 0;
    std::uint32_t num_inputs = 0;
    std::uint32_t searched = 0; ///< inputs before this one are the phi itself or `other`
    value_id other = no_value;
    value_id watched[2] = {no_value, no_value}; ///< two different inputs
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
      if (of != no_phi && v != phi.watched[0] && v != phi.watched[1]) {
        watches_.push_back({number, phis_[of].watches});
        phis_[of].watches = static_cast<std::uint32_t>(watches_.size() - 1);
      }
    }
    phi.watched[0] = a;
    phi.watched[1] = b;
  }

  /// A phi of nothing but itself is unreachable.
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
  std::vector<phi_record> phis_;
};

} // namespace detail

MIDEND_END_NAMESPACE
