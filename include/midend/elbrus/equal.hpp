/// `equal`, `difference`: compare two programs, whatever the numbers of their parts.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"

#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Whether names of values and nodes are compared.
enum class names_compared : std::uint8_t { yes, no };

/// The first difference of two procedures, in words; empty if there is none.
///
/// They are equal if their texts are equal: parameters, variables, nodes and operations in the same order, with equal
/// names, types, flags, operands, targets, and a profile that is equal bit for bit. Two things without a name have
/// equal names; with `names_compared::no`, names of values and nodes are ignored. Also ignored: the numbers of values
/// and edges, erased parts, unused literals, the order of edges into a node, and places in files.
///
/// Requires that `verify` finds no error in the structure of either. Linear in the size of both.
MIDEND_FUNCTION std::string difference(const procedure& a, const procedure& b,
                                       names_compared names = names_compared::yes);

/// The first difference of two programs: procedures are compared in their order.
MIDEND_FUNCTION std::string difference(const program& a, const program& b, names_compared names = names_compared::yes);

/// Whether `difference` finds none.
inline bool equal(const procedure& a, const procedure& b, names_compared names = names_compared::yes) {
  return difference(a, b, names).empty();
}

/// Whether `difference` finds none in any procedure.
inline bool equal(const program& a, const program& b, names_compared names = names_compared::yes) {
  return difference(a, b, names).empty();
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Pairs the parts at the same place of both procedures, then compares pair by pair.
class procedure_comparison {
public:
  procedure_comparison(const procedure& a, const procedure& b, names_compared names)
      : a_(a), b_(b), names_(names == names_compared::yes) {}

  /// The first difference in words.
  std::string run() {
    const bool equal = heads() && pair_nodes() && pair_operations() && pair_edges() && nodes();
    return equal ? std::string() : difference_;
  }

private:
  bool same(bool equal, message what) {
    if (!equal) {
      difference_ = text_of({"@", a_.name(), ": "}) + text_of(what);
    }
    return equal;
  }

  bool same_name(std::string_view a, std::string_view b) const { return !names_ || a == b; }

  bool heads() {
    partner_.assign(a_.num_values(), no_value);
    return same(a_.name() == b_.name(), {"the name of the procedure"}) &&
           same(a_.result_type() == b_.result_type(), {"the type of the result"}) &&
           same(a_.must_progress() == b_.must_progress(), {"the promise 'mustprogress'"}) &&
           same(a_.count() == b_.count(), {"the count"}) &&
           same(pair_declared(a_.parameters(), b_.parameters()), {"the parameters"}) &&
           same(pair_declared(a_.variables(), b_.variables()), {"the variables"}) &&
           same(pair_declared(a_.locals(), b_.locals()) && same_sizes(), {"the local arrays"});
  }

  bool pair_declared(span<const value_id> a, span<const value_id> b) {
    bool equal = a.size() == b.size();
    for (std::size_t i = 0; equal && i != a.size(); ++i) {
      equal = a_.core(a[i]).type == b_.core(b[i]).type && same_name(a_.value_name(a[i]), b_.value_name(b[i]));
      partner_[a[i]] = b[i];
    }
    return equal;
  }

  bool same_sizes() const {
    bool equal = true;
    for (std::size_t i = 0; i != a_.locals().size(); ++i) {
      equal = equal && a_.local_bytes(a_.locals()[i]) == b_.local_bytes(b_.locals()[i]);
    }
    return equal;
  }

  static flat_array<node_id> live_nodes(const procedure& p) {
    flat_array<node_id> live;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      if (!p.node_core(n).erased) {
        live.push_back(n);
      }
    }
    return live;
  }

  bool pair_nodes() {
    order_a_ = live_nodes(a_);
    order_b_ = live_nodes(b_);
    node_partner_.assign(a_.num_nodes(), no_node);
    for (std::size_t i = 0; i != order_a_.size() && i != order_b_.size(); ++i) {
      node_partner_[order_a_[i]] = order_b_[i];
    }
    return same(order_a_.size() == order_b_.size(), {"the number of nodes"});
  }

  bool pair_operations() {
    bool equal = true;
    for (std::size_t i = 0; equal && i != order_a_.size(); ++i) {
      auto b = b_.values(order_b_[i]).begin();
      const auto end_b = b_.values(order_b_[i]).end();
      for (const value_id v : a_.values(order_a_[i])) {
        equal = equal && b != end_b;
        if (equal) {
          partner_[v] = *b;
          ++b;
        }
      }
      equal = same(equal && b == end_b, {"the number of operations in node ", message_part::node(a_, order_a_[i])});
    }
    return equal;
  }

  bool pair_edges() {
    edge_partner_.assign(a_.num_edges(), 0);
    bool equal = true;
    for (std::size_t i = 0; equal && i != order_a_.size(); ++i) {
      const span<const edge_id> a = a_.out_edges(order_a_[i]);
      const span<const edge_id> b = b_.out_edges(order_b_[i]);
      equal = same(a.size() == b.size(), {"the number of edges from node ", message_part::node(a_, order_a_[i])});
      for (std::size_t j = 0; equal && j != a.size(); ++j) {
        edge_partner_[a[j]] = b[j];
        equal = same(same_edge(a[j], b[j]), {"edge ", j, " from node ", message_part::node(a_, order_a_[i])});
      }
    }
    return equal;
  }

  bool same_edge(edge_id ea, edge_id eb) const {
    const edge_record& a = a_.edge(ea);
    const edge_record& b = b_.edge(eb);
    const double p = a_.probability(ea);
    const double q = b_.probability(eb);
    return node_partner_[a.target] == b.target && a.is_default == b.is_default &&
           (a.is_default || a_.case_value(ea) == b_.case_value(eb)) &&
           ((p < 0 && q < 0) || std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q));
  }

  bool nodes() {
    bool equal = true;
    for (std::size_t i = 0; equal && i != order_a_.size(); ++i) {
      const node_id a = order_a_[i];
      const node_id b = order_b_[i];
      const auto name = message_part::node(a_, a);
      equal = same(same_name(a_.node_name(a), b_.node_name(b)), {"the name of node ", name}) &&
              same(a_.node_count(a) == b_.node_count(b), {"the count of node ", name}) &&
              same(a_.hint(a) == b_.hint(b), {"the hint of node ", name});
      for (value_id v = a_.node_core(a).first; equal && v != no_value; v = a_.core(v).next) {
        equal = same(same_operation(v, partner_[v]), {"node ", name, ", ", message_part::operation(a_, v)});
      }
    }
    return equal;
  }

  bool same_operation(value_id va, value_id vb) const {
    const value_core& a = a_.core(va);
    const value_core& b = b_.core(vb);
    const bool typed_by_operand = a.code == opcode::ret; // its own type only repeats the type of its operand
    return a.code == b.code && a.type == b.type && (typed_by_operand || a.operand_type == b.operand_type) &&
           a.flags == b.flags && a.guarded == b.guarded && a.guard_negated == b.guard_negated &&
           a.has_otherwise == b.has_otherwise && same_name(a_.value_name(va), b_.value_name(vb)) &&
           same_value(a.variable, b.variable) && same_operands(va, vb) &&
           (info_of(a.code).form != opcode_form::memory || same_access(a_.access(va), b_.access(vb))) &&
           (a.code != opcode::call || same_call(va, vb));
  }

  bool same_operands(value_id va, value_id vb) const {
    const span<const value_id> a = a_.operands(va);
    const span<const value_id> b = b_.operands(vb);
    bool equal = a.size() == b.size();
    const bool is_phi = a_.is_phi(va);
    const span<const edge_id> edges = is_phi ? a_.in_edges(a_.core(va).node) : span<const edge_id>();
    for (std::size_t i = 0; equal && i != a.size(); ++i) {
      equal = same_value(a[i], is_phi ? b_.phi_input(vb, edge_partner_[edges[i]]) : b[i]);
    }
    return equal;
  }

  bool same_value(value_id va, value_id vb) const {
    if (va == no_value || vb == no_value) {
      return va == vb;
    }
    const value_core& a = a_.core(va);
    const value_core& b = b_.core(vb);
    const bool is_literal = a.kind == value_kind::constant || a.kind == value_kind::undefined;
    return is_literal ? a.kind == b.kind && a.type == b.type && a_.literal_bits(va) == b_.literal_bits(vb)
                      : partner_[va] == vb;
  }

  bool same_class(alias_id a, alias_id b) const {
    return a == no_alias || b == no_alias ? a == b : a_.alias_name(a) == b_.alias_name(b);
  }

  bool same_access(const memory_access& a, const memory_access& b) const {
    return a.indexed == b.indexed && (!a.indexed || a.scale == b.scale) && a.offset == b.offset &&
           same_class(a.alias, b.alias) && same_scope(a, b);
  }

  /// Whether the local classes are equal, as far as they hold.
  bool same_scope(const memory_access& a, const memory_access& b) const {
    const bool holds_a = a.local != no_alias && a_.has_scope(a.scope);
    const bool holds_b = b.local != no_alias && b_.has_scope(b.scope);
    return holds_a == holds_b ? !holds_a || (same_class(a.local, b.local) && node_partner_[a.scope] == b.scope) : false;
  }

  bool same_call(value_id va, value_id vb) const {
    const span<const alias_id> a = a_.clobbered(va);
    const span<const alias_id> b = b_.clobbered(vb);
    bool equal = a_.text(a_.call(va).callee) == b_.text(b_.call(vb).callee) &&
                 a_.call(va).clobbers == b_.call(vb).clobbers && a.size() == b.size();
    for (std::size_t i = 0; equal && i != a.size(); ++i) {
      equal = same_class(a[i], b[i]);
    }
    return equal;
  }

  const procedure& a_;
  const procedure& b_;
  bool names_;
  std::string difference_;
  flat_array<node_id> order_a_; ///< the nodes that were not erased
  flat_array<node_id> order_b_;
  flat_array<value_id> partner_; ///< by value of a that is not a literal: the value of b
  flat_array<node_id> node_partner_;
  flat_array<edge_id> edge_partner_;
};

} // namespace detail

MIDEND_FUNCTION std::string difference(const procedure& a, const procedure& b, names_compared names) {
  return detail::procedure_comparison(a, b, names).run();
}

MIDEND_FUNCTION std::string difference(const program& a, const program& b, names_compared names) {
  if (a.procedures.size() != b.procedures.size()) {
    return detail::text_of({"the number of procedures: ", a.procedures.size(), " and ", b.procedures.size()});
  }
  for (std::size_t i = 0; i != a.procedures.size(); ++i) {
    if (std::string found = difference(a.procedures[i], b.procedures[i], names); !found.empty()) {
      return found;
    }
  }
  return {};
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
