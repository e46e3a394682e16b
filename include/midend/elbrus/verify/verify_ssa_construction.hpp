/// `verify_ssa_construction`: checks that values took the place of variables.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/views/effect_view.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The kinds of faults.
enum class ssa_construction_fault : std::uint8_t {
  none,
  wrong_size,        ///< the procedures have other nodes, edges or parameters, or variables are left
  changed_flow,      ///< an edge, its target or its case
  changed_operation, ///< an operation is missing, new or another one, or writes a variable
  wrong_operand,     ///< an operation reads another value in place of a value
  wrong_value        ///< the value read in place of a variable need not be its contents
};

/// The first fault and its place, or none.
struct ssa_construction_verdict {
  ssa_construction_fault fault = ssa_construction_fault::none;
  node_id node = no_node;
  value_id value = no_value;     ///< of the new procedure: the value that is read, or the wrong operation
  value_id old_value = no_value; ///< of the old procedure: the variable or value that should be read

  explicit operator bool() const { return fault == ssa_construction_fault::none; }
};

namespace detail {

class ssa_construction_checker {
public:
  ssa_construction_checker(const procedure& before, const procedure& after) : before_(before), after_(after) {}

  ssa_construction_verdict run() {
    if (!sizes_fit()) {
      fail(ssa_construction_fault::wrong_size, no_node);
      return verdict_;
    }
    find_reached_nodes();
    for (const node_id n : order_) {
      compare_flow(n);
      list_writes(n);
    }
    for (std::size_t i = 0; ok() && i != order_.size(); ++i) {
      compare_node(order_[i]);
    }
    for (std::size_t i = 0; ok() && i != facts_.size(); ++i) {
      prove(fact(facts_[i]));
    }
    return verdict_;
  }

private:
  /// Claims that at the start of a node, after its phis, the value is the variable's contents.
  struct fact {
    node_id node;
    value_id variable;
    value_id value;

    friend bool operator==(const fact&, const fact&) = default;
  };

  struct place {
    node_id node;
    value_id variable;

    friend bool operator==(const place&, const place&) = default;
  };

  template <class T> using hash_map = midend::detail::hash_map<T>;

  bool ok() const { return verdict_.fault == ssa_construction_fault::none; }

  void fail(ssa_construction_fault fault, node_id n, value_id v = no_value, value_id old = no_value) {
    if (ok()) {
      verdict_ = {fault, n, v, old};
    }
  }

  bool sizes_fit() const {
    bool fits = before_.num_nodes() == after_.num_nodes() && before_.num_edges() == after_.num_edges() &&
                before_.num_values() <= after_.num_values() && after_.variables().empty() &&
                before_.result_type() == after_.result_type() &&
                before_.parameters().size() == after_.parameters().size();
    for (std::size_t i = 0; fits && i != before_.parameters().size(); ++i) {
      fits = before_.parameters()[i] == after_.parameters()[i];
    }
    return fits;
  }

  void find_reached_nodes() {
    reached_.assign(before_.num_nodes(), 0);
    const auto reach = [this](node_id n) {
      if (reached_[n] == 0) {
        reached_[n] = 1;
        order_.push_back(n);
      }
    };
    if (before_.num_nodes() != 0) {
      reach(before_.entry());
    }
    for (std::size_t i = 0; i != order_.size(); ++i) {
      for (const node_id s : before_.successors(order_[i])) {
        reach(s);
      }
    }
  }

  void compare_flow(node_id n) {
    const span<const edge_id> edges = before_.out_edges(n);
    bool same = edges.size() == after_.out_edges(n).size();
    for (std::size_t i = 0; same && i != edges.size(); ++i) {
      const edge_id e = edges[i];
      same = after_.out_edges(n)[i] == e && after_.edge_target(e) == before_.edge_target(e) &&
             after_.is_default(e) == before_.is_default(e) && after_.case_value(e) == before_.case_value(e);
    }
    if (!same) {
      fail(ssa_construction_fault::changed_flow, n);
    }
  }

  /// Lists the last write of each variable in a node.
  void list_writes(node_id n) {
    for (const value_id x : before_.values(n)) {
      if (before_.core(x).variable != no_value) {
        const auto fresh = static_cast<std::uint32_t>(written_.size());
        const std::uint32_t i = writes_.find_or_insert({n, before_.core(x).variable}, fresh);
        if (i == fresh) {
          written_.push_back(x);
        } else {
          written_[i] = x;
        }
      }
    }
  }

  /// Compares a node: its operations are the old ones, after phis that the old node may not have.
  void compare_node(node_id n) {
    const effect_view before(before_);
    const effect_view after(after_);
    value_id v = after_.node_core(n).first;
    for (const value_id x : before_.values(n)) {
      while (v != no_value && v >= before_.num_values() && after_.is_phi(v)) {
        v = after_.core(v).next;
      }
      if (v != x || after_.core(v).variable != no_value || !before.same_computation(x, after, v)) {
        fail(ssa_construction_fault::changed_operation, n, v, x);
        return;
      }
      if (before_.is_phi(x)) {
        for (const edge_id e : before_.in_edges(n)) {
          if (reached_[before_.edge_source(e)] != 0) {
            compare_operand(n, before_.phi_input(x, e), after_.phi_input(v, e));
          }
        }
      } else {
        for (std::size_t i = 0; i != before_.operands(x).size(); ++i) {
          compare_operand(n, before_.operands(x)[i], after_.operands(v)[i]);
        }
      }
      if (before_.core(x).variable != no_value) {
        const auto fresh = static_cast<std::uint32_t>(present_.size());
        const std::uint32_t i = places_.find_or_insert({n, before_.core(x).variable}, fresh);
        if (i == fresh) {
          present_.push_back(x);
        } else {
          present_[i] = x;
        }
      }
      v = after_.core(v).next;
    }
    if (v != no_value) {
      fail(ssa_construction_fault::changed_operation, n, v);
    }
  }

  void compare_operand(node_id n, value_id y, value_id u) {
    if (before_.core(y).kind == value_kind::variable) {
      const std::uint32_t i = places_.find({n, y});
      if (i == hash_map<place>::missing) {
        add_fact({n, y, u});
      } else if (present_[i] != u) {
        fail(ssa_construction_fault::wrong_value, n, u, y);
      }
    } else if (before_.is_operation(y)
                   ? y != u
                   : after_.is_operation(u) || !effect_view(before_).same_operation(y, effect_view(after_), u)) {
      fail(ssa_construction_fault::wrong_operand, n, u, y);
    }
  }

  void add_fact(const fact& f) {
    const auto fresh = static_cast<std::uint32_t>(facts_.size());
    if (known_.find_or_insert(f, fresh) == fresh) {
      facts_.push_back(f);
    }
  }

  /// Proves a fact: on each edge into the node, the value is the last write there, or the variable's value before.
  void prove(const fact& f) {
    if (f.node == before_.entry() && after_.core(f.value).kind != value_kind::undefined) {
      fail(ssa_construction_fault::wrong_value, f.node, f.value, f.variable);
    }
    const bool is_phi_here = after_.is_phi(f.value) && after_.core(f.value).node == f.node;
    for (const edge_id e : before_.in_edges(f.node)) {
      const node_id from = before_.edge_source(e);
      if (!ok() || reached_[from] == 0) {
        continue;
      }
      const value_id w = is_phi_here ? after_.phi_input(f.value, e) : f.value;
      const std::uint32_t i = writes_.find({from, f.variable});
      if (w == no_value || (i != hash_map<place>::missing && written_[i] != w)) {
        fail(ssa_construction_fault::wrong_value, f.node, f.value, f.variable);
      } else if (i == hash_map<place>::missing) {
        add_fact({from, f.variable, w});
      }
    }
  }

  const procedure& before_;
  const procedure& after_;
  ssa_construction_verdict verdict_;
  flat_array<unsigned char> reached_;
  flat_array<node_id> order_;
  hash_map<place> writes_; ///< into `written_`: the last writes of a node
  flat_array<value_id> written_;
  hash_map<place> places_; ///< into `present_`: the writes of a node up to the present place
  flat_array<value_id> present_;
  hash_map<fact> known_;
  flat_array<fact> facts_;
};

} // namespace detail

/// Checks that `after` is `before` with values in place of its variables, so that both behave equally. Shares no code
/// with `construct_ssa`: only this function and `effect_view::same_computation` have to be trusted. There is no
/// witness: operations keep their numbers. Requires procedures that `verify` accepts; unreachable nodes are not read.
///
/// **What is checked.** Flow and operations are the old ones in their order, and no operation writes a variable. There
/// may be more phis. An operation reads the values that it read before. Where it read a variable x, it reads the last
/// operation of its node before it that wrote x. If there is none, it reads a value v with this property: at the start
/// of the node n, after its phis, v is the contents of x, on each path.
///
/// **How that is proven.** For each edge into n, let w be the input of v if v is a phi of n, or else v. If the source
/// of the edge writes x, w is the last write. If not, the property must be proven for the source, x and w. Where
/// control enters, x was not written, and the value is the literal `undef`. Say that all are proven and that one of
/// them is wrong in some run; take the first moment. Control came along an edge from s. If s writes x, then w is that
/// write. If not, w was the contents of x when s began, and s changes neither: to have been proven, w is an operation
/// that writes x, which s has none of, or a phi or `undef`. So v is the contents of x. Claims may depend on each other
/// in cycles, since the induction is over the run.
///
/// O(n + m + values + operands) with hashing, plus, for each variable, the nodes between its writes and reads.
inline ssa_construction_verdict verify_ssa_construction(const procedure& before, const procedure& after) {
  return detail::ssa_construction_checker(before, after).run();
}

} // namespace elbrus

MIDEND_END_NAMESPACE
