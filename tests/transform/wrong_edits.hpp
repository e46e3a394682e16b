/// Changes of programs that keep them well formed, mostly, but seldom their meaning: each kind has a name.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/records.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests::wrong_edits {

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::procedure;
using midend::edge_id;
using midend::no_edge;
using midend::no_value;
using midend::value_id;

/// Choices in a procedure.
struct chooser {
  procedure& p;
  random_source& random;

  template <class Fits> value_id value_that(Fits fits) const {
    std::vector<value_id> all;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        if (fits(v)) {
          all.push_back(v);
        }
      }
    }
    return all.empty() ? no_value : all[random.below(all.size())];
  }

  value_id with_operands() const {
    return value_that([&](value_id v) { return !p.operands(v).empty() && !p.is_phi(v); });
  }

  value_id phi() const {
    return value_that([&](value_id v) { return p.is_phi(v) && !p.operands(v).empty(); });
  }

  value_id of_type(elbrus::type t) const {
    return value_that([&](value_id v) { return p.value(v).type == t && p.value(v).variable == no_value; });
  }

  value_id parameter(elbrus::type t) const {
    std::vector<value_id> all;
    for (const value_id v : p.parameters()) {
      if (p.value(v).type == t) {
        all.push_back(v);
      }
    }
    return all.empty() ? no_value : all[random.below(all.size())];
  }

  value_id variable(elbrus::type t) const {
    std::vector<value_id> all;
    for (const value_id v : p.variables()) {
      if (p.value(v).type == t) {
        all.push_back(v);
      }
    }
    return all.empty() ? no_value : all[random.below(all.size())];
  }

  value_id literal(elbrus::type t) const {
    const bool is_small = random.one_in(2);
    return p.constant(t, is_small ? random.below(4) : random.next());
  }

  /// An operand that is a literal: its user and place.
  std::pair<value_id, std::size_t> literal_operand() const {
    const value_id user = value_that([&](value_id v) {
      for (const value_id x : p.operands(v)) {
        if (p.value(x).kind == elbrus::value_kind::constant) {
          return true;
        }
      }
      return false;
    });
    if (user == no_value) {
      return {no_value, 0};
    }
    std::size_t i = random.below(p.operands(user).size());
    while (p.value(p.operands(user)[i]).kind != elbrus::value_kind::constant) {
      i = (i + 1) % p.operands(user).size();
    }
    return {user, i};
  }

  bool set(value_id user, std::size_t i, value_id x) const {
    if (x == no_value || p.operands(user)[i] == x) {
      return false;
    }
    p.set_operand(user, i, x);
    return true;
  }

  node_id node() const {
    const auto n = static_cast<node_id>(random.below(p.num_nodes()));
    return p.node(n).erased || p.terminator(n) == no_value ? midend::no_node : n;
  }

  /// An edge of a node that has so many at least.
  edge_id edge(std::size_t edges = 1) const {
    std::vector<edge_id> all;
    for (edge_id e = 0; e != p.num_edges(); ++e) {
      if (p.edge_source(e) != midend::no_node && p.out_edges(p.edge_source(e)).size() >= edges) {
        all.push_back(e);
      }
    }
    return all.empty() ? no_edge : all[random.below(all.size())];
  }

  /// Phis get inputs along a new way into a node.
  void fill(edge_id e) const {
    for (const value_id phi : p.values(p.edge_target(e))) {
      if (p.is_phi(phi) && p.phi_input(phi, e) == no_value) {
        value_id input = no_value;
        for (const value_id x : p.operands(phi)) {
          input = x != no_value ? x : input;
        }
        p.set_phi_input(phi, e, input != no_value ? input : literal(p.value(phi).type));
      }
    }
  }

  bool flag(bool elbrus_flag_wanted, int which) const {
    const value_id v = value_that([&](value_id x) {
      const opcode c = p.value(x).code;
      return which == 2 ? c == opcode::ld || c == opcode::st
                        : c == opcode::add || c == opcode::sub || c == opcode::mul || (which == 1 && c == opcode::ld);
    });
    if (v == no_value) {
      return false;
    }
    elbrus::attributes flags = p.value(v).flags;
    const elbrus::attributes old = flags;
    if (which == 0) {
      flags.nsw = elbrus_flag_wanted;
    } else if (which == 1) {
      flags.spec = elbrus_flag_wanted;
    } else {
      flags.is_volatile = !flags.is_volatile;
    }
    p.set_flags(v, flags);
    return !(flags == old);
  }
};

/// Changes a procedure. False: there was nothing to change.
struct edit {
  std::string_view name;
  bool (*make)(const chooser& c);
};

inline constexpr std::array edits = {
    edit{"an operand is another value",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           return c.set(v, i, c.of_type(c.p.value(c.p.operands(v)[i]).type));
         }},
    edit{"an operand is a literal",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           return c.set(v, i, c.literal(c.p.value(c.p.operands(v)[i]).type));
         }},
    edit{"an operand is undefined",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           return c.set(v, i, c.p.undefined(c.p.value(c.p.operands(v)[i]).type));
         }},
    edit{"an operand is a parameter",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           return c.set(v, i, c.parameter(c.p.value(c.p.operands(v)[i]).type));
         }},
    edit{"an operand is a variable",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           return c.set(v, i, c.variable(c.p.value(c.p.operands(v)[i]).type));
         }},
    edit{"the operands of an operation are exchanged",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return c.p.operands(x).size() > 1 && !c.p.is_phi(x); });
           if (v == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size() - 1);
           const value_id a = c.p.operands(v)[i];
           const value_id b = c.p.operands(v)[i + 1];
           return c.p.value(a).type == c.p.value(b).type && c.set(v, i, b) && c.set(v, i + 1, a);
         }},
    edit{"two operations read each other's operand",
         [](const chooser& c) {
           const value_id v = c.with_operands();
           const value_id w = c.with_operands();
           if (v == no_value || v == w) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           const std::size_t k = c.random.below(c.p.operands(w).size());
           const value_id a = c.p.operands(v)[i];
           const value_id b = c.p.operands(w)[k];
           return c.p.value(a).type == c.p.value(b).type && c.set(v, i, b) && c.set(w, k, a);
         }},
    edit{"a literal is one more",
         [](const chooser& c) {
           const auto [v, i] = c.literal_operand();
           return v != no_value &&
                  c.set(v, i,
                        c.p.constant(c.p.value(c.p.operands(v)[i]).type, c.p.literal_bits(c.p.operands(v)[i]) + 1));
         }},
    edit{"a bit of a literal is another one",
         [](const chooser& c) {
           const auto [v, i] = c.literal_operand();
           return v != no_value &&
                  c.set(v, i,
                        c.p.constant(c.p.value(c.p.operands(v)[i]).type,
                                     c.p.literal_bits(c.p.operands(v)[i]) ^ std::uint64_t{1} << c.random.below(32)));
         }},
    edit{"the same literal is another one everywhere",
         [](const chooser& c) {
           const auto [v, i] = c.literal_operand();
           if (v == no_value) {
             return false;
           }
           const value_id old = c.p.operands(v)[i];
           c.p.replace_uses(old, c.p.constant(c.p.value(old).type, c.p.literal_bits(old) + 1));
           return !c.p.has_users(old);
         }},
    edit{"the inputs of a phi are exchanged",
         [](const chooser& c) {
           const value_id v = c.phi();
           if (v == no_value || c.p.operands(v).size() < 2) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size() - 1);
           const value_id a = c.p.operands(v)[i];
           const value_id b = c.p.operands(v)[i + 1];
           return c.set(v, i, b) && c.set(v, i + 1, a);
         }},
    edit{"an input of a phi is another value",
         [](const chooser& c) {
           const value_id v = c.phi();
           return v != no_value && c.set(v, c.random.below(c.p.operands(v).size()), c.of_type(c.p.value(v).type));
         }},
    edit{"an input of a phi is a literal",
         [](const chooser& c) {
           const value_id v = c.phi();
           return v != no_value && c.set(v, c.random.below(c.p.operands(v).size()), c.literal(c.p.value(v).type));
         }},
    edit{"an input of a phi is the phi",
         [](const chooser& c) {
           const value_id v = c.phi();
           return v != no_value && c.set(v, c.random.below(c.p.operands(v).size()), v);
         }},
    edit{"an input of a phi is undefined",
         [](const chooser& c) {
           const value_id v = c.phi();
           return v != no_value && c.set(v, c.random.below(c.p.operands(v).size()), c.p.undefined(c.p.value(v).type));
         }},
    edit{"two phis take each other's input",
         [](const chooser& c) {
           const value_id v = c.phi();
           const value_id w = c.value_that([&](value_id x) {
             return v != no_value && x != v && c.p.is_phi(x) && c.p.value(x).node == c.p.value(v).node &&
                    c.p.value(x).type == c.p.value(v).type;
           });
           if (w == no_value) {
             return false;
           }
           const std::size_t i = c.random.below(c.p.operands(v).size());
           const value_id a = c.p.operands(v)[i];
           const value_id b = c.p.operands(w)[i];
           return c.set(v, i, b) && c.set(w, i, a);
         }},
    edit{"a phi takes the inputs of another one",
         [](const chooser& c) {
           const value_id v = c.phi();
           const value_id w = c.value_that([&](value_id x) {
             return v != no_value && x != v && c.p.is_phi(x) && c.p.value(x).node == c.p.value(v).node &&
                    c.p.value(x).type == c.p.value(v).type;
           });
           bool changed = false;
           for (std::size_t i = 0; w != no_value && i != c.p.operands(v).size(); ++i) {
             changed = c.set(v, i, c.p.operands(w)[i]) || changed;
           }
           return changed;
         }},
    edit{"the readers of a value read another one",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return c.p.has_users(x); });
           const value_id w = v == no_value ? v : c.of_type(c.p.value(v).type);
           if (w == no_value || v == w) {
             return false;
           }
           c.p.replace_uses(v, w);
           return true;
         }},
    edit{"an edge leads elsewhere",
         [](const chooser& c) {
           const edge_id e = c.edge();
           const node_id n = c.node();
           if (e == no_edge || n == midend::no_node || n == c.p.entry() || c.p.edge_target(e) == n) {
             return false;
           }
           c.p.redirect_edge(e, n);
           c.fill(e);
           return true;
         }},
    edit{"two edges of a node lead to each other's target",
         [](const chooser& c) {
           const edge_id e = c.edge(2);
           if (e == no_edge) {
             return false;
           }
           const auto edges = c.p.out_edges(c.p.edge_source(e));
           const edge_id f = edges[c.random.below(edges.size())];
           const node_id a = c.p.edge_target(e);
           const node_id b = c.p.edge_target(f);
           if (a == b) {
             return false;
           }
           c.p.redirect_edge(e, b);
           c.p.redirect_edge(f, a);
           c.fill(e);
           c.fill(f);
           return true;
         }},
    edit{"a case is another number",
         [](const chooser& c) {
           const edge_id e = c.edge(2);
           if (e == no_edge || c.p.is_default(e) ||
               c.p.value(c.p.terminator(c.p.edge_source(e))).code != opcode::switch_) {
             return false;
           }
           c.p.set_case(e, false, (c.p.case_value(e) + 1 + c.random.below(3)) & 1 ? 0 : c.p.case_value(e) + 1);
           return true;
         }},
    edit{"two cases are exchanged",
         [](const chooser& c) {
           const edge_id e = c.edge(2);
           if (e == no_edge) {
             return false;
           }
           const auto edges = c.p.out_edges(c.p.edge_source(e));
           const edge_id f = edges[c.random.below(edges.size())];
           if (c.p.is_default(e) || c.p.is_default(f) || e == f ||
               c.p.value(c.p.terminator(c.p.edge_source(e))).code != opcode::switch_) {
             return false;
           }
           const std::uint64_t a = c.p.case_value(e);
           c.p.set_case(e, false, c.p.case_value(f));
           c.p.set_case(f, false, a);
           return true;
         }},
    edit{"a case is lost",
         [](const chooser& c) {
           const edge_id e = c.edge(2);
           if (e == no_edge || c.p.is_default(e) ||
               c.p.value(c.p.terminator(c.p.edge_source(e))).code != opcode::switch_) {
             return false;
           }
           c.p.erase_edge(e);
           return true;
         }},
    edit{"a branch is a jump",
         [](const chooser& c) {
           const edge_id e = c.edge(2);
           if (e == no_edge) {
             return false;
           }
           elbrus::editor(c.p).keep_edge(e);
           return true;
         }},
    edit{"a jump is a branch",
         [](const chooser& c) {
           const edge_id e = c.edge();
           const value_id bit = c.of_type(elbrus::type::i1);
           const node_id n = c.node();
           if (e == no_edge || c.p.out_edges(c.p.edge_source(e)).size() != 1 || bit == no_value ||
               n == midend::no_node || n == c.p.entry()) {
             return false;
           }
           const node_id from = c.p.edge_source(e);
           const node_id to = c.p.edge_target(e);
           std::vector<std::pair<value_id, value_id>> inputs;
           for (const value_id phi : c.p.values(to)) {
             if (c.p.is_phi(phi)) {
               inputs.emplace_back(phi, c.p.phi_input(phi, e));
             }
           }
           elbrus::editor editor(c.p);
           editor.erase_end(from);
           editor.set_branch(from, bit, to, n);
           for (const auto& [phi, input] : inputs) {
             c.p.set_phi_input(phi, c.p.out_edges(from)[0], input);
           }
           c.fill(c.p.out_edges(from)[1]);
           return true;
         }},
    edit{"two operations are exchanged",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) {
             const value_id next = c.p.value(x).next;
             return !c.p.is_phi(x) && next != no_value && !c.p.is_terminator(next);
           });
           if (v == no_value) {
             return false;
           }
           c.p.move_value(c.p.value(v).next, c.p.value(v).node, v);
           return true;
         }},
    edit{"a store, load or call is earlier",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) {
             const opcode code = c.p.value(x).code;
             return code == opcode::ld || code == opcode::st || code == opcode::call;
           });
           if (v == no_value) {
             return false;
           }
           value_id at = c.p.node(c.p.value(v).node).first;
           while (c.p.is_phi(at)) {
             at = c.p.value(at).next;
           }
           if (at == v) {
             return false;
           }
           c.p.move_value(v, c.p.value(v).node, at);
           return true;
         }},
    edit{"an operation is in another node",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return !c.p.is_phi(x) && !c.p.is_terminator(x); });
           const node_id n = c.node();
           if (v == no_value || n == midend::no_node || n == c.p.value(v).node) {
             return false;
           }
           c.p.move_value(v, n, c.p.terminator(n));
           return true;
         }},
    edit{"an operation is lost, and another value is read",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) {
             return !c.p.is_phi(x) && !c.p.is_terminator(x) && c.p.value(x).type != elbrus::type::none;
           });
           if (v == no_value) {
             return false;
           }
           const value_id other = c.of_type(c.p.value(v).type);
           c.p.replace_uses(v, other != no_value && other != v ? other : c.literal(c.p.value(v).type));
           if (c.p.has_users(v)) {
             return false;
           }
           c.p.erase_value(v);
           return true;
         }},
    edit{"a phi is lost, and one of its inputs is read",
         [](const chooser& c) {
           const value_id v = c.phi();
           if (v == no_value) {
             return false;
           }
           const value_id input = c.p.operands(v)[c.random.below(c.p.operands(v).size())];
           if (input == v) {
             return false;
           }
           c.p.replace_uses(v, input);
           if (c.p.has_users(v)) {
             return false;
           }
           c.p.erase_value(v);
           return true;
         }},
    edit{"what nobody reads is lost",
         [](const chooser& c) {
           const value_id v =
               c.value_that([&](value_id x) { return !c.p.has_users(x) && !c.p.is_phi(x) && !c.p.is_terminator(x); });
           if (v == no_value) {
             return false;
           }
           c.p.erase_value(v);
           return true;
         }},
    edit{"a store is lost",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return c.p.value(x).code == opcode::st; });
           if (v == no_value) {
             return false;
           }
           c.p.erase_value(v);
           return true;
         }},
    edit{"a write of a variable is lost",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return c.p.value(x).variable != no_value; });
           if (v == no_value) {
             return false;
           }
           c.p.erase_value(v);
           return true;
         }},
    edit{"an operation runs twice",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return !c.p.is_phi(x) && !c.p.is_terminator(x); });
           if (v == no_value) {
             return false;
           }
           elbrus::editor(c.p).clone_value(v, midend::place_before(v));
           return true;
         }},
    edit{"an operation runs in another node, too",
         [](const chooser& c) {
           const value_id v = c.value_that([&](value_id x) { return !c.p.is_phi(x) && !c.p.is_terminator(x); });
           const node_id n = c.node();
           if (v == no_value || n == midend::no_node) {
             return false;
           }
           elbrus::editor(c.p).clone_value(v, midend::place_at_end(n));
           return true;
         }},
    edit{"an operation promises more", [](const chooser& c) { return c.flag(true, 0); }},
    edit{"an operation is speculative", [](const chooser& c) { return c.flag(true, 1); }},
    edit{"an operation is not speculative", [](const chooser& c) { return c.flag(false, 1); }},
    edit{"an access is volatile, or not", [](const chooser& c) { return c.flag(true, 2); }},
    edit{"a division by anything",
         [](const chooser& c) {
           const value_id a = c.of_type(elbrus::type::i32);
           const value_id b = c.of_type(elbrus::type::i32);
           const node_id n = c.node();
           if (a == no_value || b == no_value || n == midend::no_node) {
             return false;
           }
           const std::array<value_id, 2> operands = {a, b};
           elbrus::editor(c.p).make_operation({.code = midend::operation::div, .width = 32}, operands,
                                              midend::place_at_end(n));
           return true;
         }},
};

/// Puts a node on an edge that branches on `bit`, both ways to where the edge led, or one of them elsewhere.
inline bool split_edge(const chooser& c, value_id bit, bool elsewhere) {
  const edge_id e = c.edge();
  const node_id other = c.node();
  if (e == no_edge || bit == no_value || (elsewhere && (other == midend::no_node || other == c.p.entry()))) {
    return false;
  }
  const node_id to = c.p.edge_target(e);
  std::vector<std::pair<value_id, value_id>> inputs;
  for (const value_id phi : c.p.values(to)) {
    if (c.p.is_phi(phi)) {
      inputs.emplace_back(phi, c.p.phi_input(phi, e));
    }
  }
  elbrus::editor editor(c.p);
  const node_id n = editor.create_node(to);
  editor.redirect_edge(e, n);
  editor.set_branch(n, bit, to, elsewhere ? other : to);
  for (const edge_id f : c.p.out_edges(n)) {
    for (const auto& [phi, input] : inputs) {
      if (c.p.edge_target(f) == to) {
        c.p.set_phi_input(phi, f, input);
      }
    }
  }
  c.fill(c.p.out_edges(n)[1]);
  return true;
}

inline constexpr std::array new_nodes = {
    edit{"a new node branches on undef",
         [](const chooser& c) { return split_edge(c, c.p.undefined(elbrus::type::i1), false); }},
    edit{"a new node branches on a bit",
         [](const chooser& c) { return split_edge(c, c.of_type(elbrus::type::i1), false); }},
    edit{"a new node branches on a bit to another node",
         [](const chooser& c) { return split_edge(c, c.of_type(elbrus::type::i1), true); }},
    edit{"a new node branches on a literal to another node",
         [](const chooser& c) { return split_edge(c, c.literal(elbrus::type::i1), true); }},
    edit{"a new node branches on a speculative comparison",
         [](const chooser& c) {
           const value_id x = c.value_that([&](value_id v) {
             const elbrus::type t = c.p.value(v).type;
             return (t == elbrus::type::i32 || t == elbrus::type::i64) && c.p.value(v).variable == no_value &&
                    (c.p.value(v).flags.spec || c.p.value(v).guarded);
           });
           return x != no_value && c.p.value(x).node != midend::no_node && [&] {
             const std::array<value_id, 2> operands = {x, c.p.constant(c.p.value(x).type, 1)};
             const value_id bit = c.p.append(c.p.value(x).node, {.code = opcode::cmp_eq,
                                                                 .type = elbrus::type::i1,
                                                                 .operand_type = c.p.value(x).type,
                                                                 .operands = operands,
                                                                 .flags = {.spec = true}});
             return split_edge(c, bit, false);
           }();
         }},
};

// Changes of the text.

struct text_edit {
  std::string_view name;
  bool (*make)(std::string& text, random_source& random);
};

/// Replaces one of the places where `from` stands.
inline bool replace_one(std::string& text, random_source& random, std::string_view from, std::string_view to) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    places.push_back(at);
  }
  if (places.empty()) {
    return false;
  }
  text.replace(places[random.below(places.size())], from.size(), to);
  return true;
}

/// The same of one of several pairs of words.
template <std::size_t N>
bool replace_one_of(std::string& text, random_source& random,
                    const std::array<std::pair<std::string_view, std::string_view>, N>& words) {
  const std::size_t first = random.below(N);
  for (std::size_t i = 0; i != N; ++i) {
    const auto& [from, to] = words[(first + i) % N];
    if (replace_one(text, random, from, to)) {
      return true;
    }
  }
  return false;
}

/// The lines of operations.
inline std::vector<std::pair<std::size_t, std::size_t>> lines_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    if (text.compare(begin, 4, "    ") == 0) {
      lines.emplace_back(begin, end + 1 - begin);
    }
    begin = end + 1;
  }
  return lines;
}

inline constexpr std::array text_edits = {
    text_edit{"another operation",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"= add.", "= sub."}, words{"= sub.", "= add."},
                                                 words{"= and.", "= or."}, words{"= or.", "= xor."},
                                                 words{"= mul.", "= add."}, words{"= min.", "= max."},
                                                 words{"= shl.", "= sar."}, words{"= div.", "= rem."}});
              }},
    text_edit{"another comparison",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"cmp.lt.", "cmp.le."}, words{"cmp.le.", "cmp.lt."},
                                                 words{"cmp.eq.", "cmp.ne."}, words{"cmp.ge.", "cmp.lt."},
                                                 words{"cmp.ult.", "cmp.lt."}, words{"cmp.gt.", "cmp.ge."}});
              }},
    text_edit{"another conversion",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"= zext.", "= sext."}, words{"= sext.", "= zext."}});
              }},
    text_edit{"a guard is negated",
              [](std::string& text, random_source& random) { return replace_one(text, random, "? %", "? ~%"); }},
    text_edit{"a negated guard is not",
              [](std::string& text, random_source& random) { return replace_one(text, random, "? ~%", "? %"); }},
    text_edit{"another class of memory",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"alias=A", "alias=B"}, words{"alias=B", "alias=A"},
                                                 words{"alias=C", "alias=A"}, words{" alias=A", ""}});
              }},
    text_edit{"another scale",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"*4]", "*8]"}, words{"*8]", "*4]"}, words{"*2]", "*1]"}});
              }},
    text_edit{
        "another offset",
        [](std::string& text, random_source& random) { return replace_one(text, random, "] alias", " + 1] alias"); }},
    text_edit{"another width of a load",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(
                    text, random,
                    std::array{words{"st.i32", "st.i16"}, words{"st.i64", "st.i32"}, words{"st.i16", "st.i8"}});
              }},
    text_edit{"another callee",
              [](std::string& text, random_source& random) {
                using words = std::pair<std::string_view, std::string_view>;
                return replace_one_of(text, random,
                                      std::array{words{"@host_mix(", "@host_mix2("}, words{".i32 @f0(", ".i32 @f1("},
                                                 words{".i64 @f0(", ".i64 @f1("},
                                                 words{"@host_note(", "@host_note2("}});
              }},
    text_edit{"a line is lost",
              [](std::string& text, random_source& random) {
                const auto lines = lines_of(text);
                const auto [begin, size] = lines[random.below(lines.size())];
                text.erase(begin, size);
                return true;
              }},
    text_edit{"two lines are exchanged",
              [](std::string& text, random_source& random) {
                const auto lines = lines_of(text);
                const std::size_t i = random.below(lines.size());
                if (i + 1 == lines.size() || lines[i].first + lines[i].second != lines[i + 1].first) {
                  return false;
                }
                const std::string first = text.substr(lines[i].first, lines[i].second);
                text.erase(lines[i].first, lines[i].second);
                text.insert(lines[i].first + lines[i + 1].second, first);
                return true;
              }},
    text_edit{"a number is another one",
              [](std::string& text, random_source& random) {
                std::vector<std::size_t> places;
                for (const auto& [begin, size] : lines_of(text)) {
                  for (std::size_t i = begin + 1; i + 1 < begin + size; ++i) {
                    const bool is_number = std::isdigit(static_cast<unsigned char>(text[i])) != 0 &&
                                           (text[i - 1] == ' ' || text[i - 1] == '-');
                    if (is_number) {
                      places.push_back(i);
                    }
                  }
                }
                if (places.empty()) {
                  return false;
                }
                char& digit = text[places[random.below(places.size())]];
                digit = digit == '9' ? '1' : static_cast<char>(digit + 1);
                return true;
              }},
    text_edit{"two names of values are exchanged in a line",
              [](std::string& text, random_source& random) {
                const auto lines = lines_of(text);
                const auto [begin, size] = lines[random.below(lines.size())];
                const std::string line = text.substr(begin, size);
                const std::size_t equals = line.find('=');
                const std::size_t first = line.find('%', equals == std::string::npos ? 0 : equals);
                if (first == std::string::npos) {
                  return false;
                }
                const std::size_t second = line.find('%', first + 1);
                if (second == std::string::npos) {
                  return false;
                }
                const auto end_of = [&](std::size_t at) {
                  ++at;
                  while (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_' ||
                         (line[at] == '.' && std::isalnum(static_cast<unsigned char>(line[at + 1])) != 0)) {
                    ++at;
                  }
                  return at;
                };
                const std::string a = line.substr(first, end_of(first) - first);
                const std::string b = line.substr(second, end_of(second) - second);
                std::string changed = line;
                changed.replace(second, b.size(), a);
                changed.replace(first, a.size(), b);
                text.replace(begin, size, changed);
                return a != b;
              }},
};

} // namespace midend_tests::wrong_edits
