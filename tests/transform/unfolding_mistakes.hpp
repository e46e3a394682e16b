/// Wrong unfoldings, each of which `verify_unfolding` must reject.
#pragma once

#include "kit/parsed_procedure.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/fix_irreducible.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tests::wrong_unfoldings {

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using midend::drop_reason;
using midend::edge_id;
using midend::no_edge;
using midend::no_value;
using midend::value_id;

inline constexpr std::string_view nest = R"(
proc @f(%a: ptr, %n: i32, %k: i32) -> i32 {
  node entry:
    %z = cmp.lt.i32 0, %n
    br %z ? outer : exit0
  node outer:
    %i = phi.i32 [entry: 0], [olatch: %i1]
    %s = phi.i32 [entry: 0], [olatch: %s3]
    %v = ld.i32 [%a + %i*4] alias=A
    br inner
  node inner:
    %j = phi.i32 [outer: 0], [inner: %j1]
    %t = phi.i32 [outer: %s], [inner: %t1]
    %x = phi.i32 [outer: %v], [inner: %y]
    %y = phi.i32 [outer: %k], [inner: %x]
    %t1 = sub.i32 %t, %x
    st.i32 %t1, [%a + %j*4 + 400] alias=B
    %j1 = add.i32 %j, 1
    %c = cmp.lt.i32 %j1, %k
    br %c ? inner : mid
  node mid:
    %r = call.i32 @h(%t1)
    %q = call.i32 @h(%r)
    switch.i32 %r [1: olatch], [2: olatch], [3: other], default: exit1
  node other:
    st.i32 %q, [%a] volatile
    br olatch
  node olatch:
    %s3 = phi.i32 [mid: %t1], [mid: %r], [other: %q]
    %i1 = add.i32 %i, 1
    %d = cmp.lt.i32 %i1, %n
    br %d ? outer : exit1
  node exit1:
    %e = phi.i32 [mid: %q], [olatch: %s3]
    ret %e
  node exit0:
    ret 0
}
)";

/// A right transformation: the first iteration of `inner` is peeled, `olatch` is split by its edges from `mid` and
/// `other`, a preheader is before `inner`, and the parallel edges into the copy of `olatch` meet in a new node.
struct transformed {
  elbrus::procedure before = program_of(nest).procedures[0];
  elbrus::procedure after = before;
  midend::unfolding_witness w;
  node_id inner2 = no_node;
  node_id olatch2 = no_node;
  node_id preheader = no_node;
  node_id meeting = no_node;

  transformed() {
    elbrus::editor e(after);
    midend::unfolding<elbrus::editor> u(e);
    midend::flat_array<node_id> copies;
    u.duplicate_region(std::array{node("inner"), node("olatch")}, copies);
    inner2 = copies[0];
    olatch2 = copies[1];
    u.lead(out("outer", 0), inner2);
    u.lead(out("mid", 0), olatch2);
    u.lead(out("mid", 1), olatch2);
    u.finish();
    preheader = u.route_edges(std::array{after.out_edges(inner2)[0]});
    meeting = u.route_edges(std::array{out("mid", 0), out("mid", 1)});
    w = u.take_witness();
  }

  node_id node(std::string_view name) const {
    const node_id n = node_named(after, name);
    REQUIRE_MESSAGE(n != no_node, "no node ", name);
    return n;
  }

  value_id value(std::string_view name) const {
    const value_id v = value_named(before, name);
    REQUIRE_MESSAGE(v != no_value, "no value ", name);
    return v;
  }

  /// The copy of an operation in a node.
  value_id copy(std::string_view name, node_id n) const {
    for (const value_id v : after.values(n)) {
      if (w.value_origin[v] == value(name)) {
        return v;
      }
    }
    FAIL("no copy of ", name);
    return no_value;
  }

  /// The operation with an opcode in a node.
  value_id operation(elbrus::opcode code, node_id n) const {
    for (const value_id v : after.values(n)) {
      if (after.value(v).code == code) {
        return v;
      }
    }
    FAIL("no such operation");
    return no_value;
  }

  edge_id out(std::string_view n, std::size_t i) const { return after.out_edges(node(n))[i]; }

  elbrus::editor editor() { return elbrus::editor(after); }

  void grow() { w.grow(after.num_nodes(), after.num_edges(), after.num_values()); }

  void set_input(value_id phi, node_id from, value_id v) {
    for (const edge_id e : after.in_edges(after.value(phi).node)) {
      if (after.edge_source(e) == from) {
        after.set_phi_input(phi, e, v);
      }
    }
  }
};

/// Two ways meet and go on to two nodes by a selector.
struct dispatched {
  elbrus::procedure before = program_of(R"(
proc @f(%c: i1, %x: i32) -> i32 {
  node entry:
    br %c ? a : b
  node a:
    %u = add.i32 %x, 1
    br left
  node b:
    %v = add.i32 %x, 2
    br right
  node left:
    %p = phi.i32 [a: %u]
    ret %p
  node right:
    %q = phi.i32 [b: %v]
    ret %q
}
)")
                                 .procedures[0];
  elbrus::procedure after = before;
  midend::unfolding_witness w;
  node_id hub = no_node;
  value_id selector = no_value;
  value_id left_value = no_value;
  value_id right_value = no_value;

  dispatched() {
    elbrus::editor e(after);
    w.start(after.num_nodes(), after.num_edges(), after.num_values());
    const edge_id ea = after.out_edges(1)[0];
    const edge_id eb = after.out_edges(2)[0];
    const value_id p = *after.values(3).begin();
    const value_id q = *after.values(4).begin();
    const value_id u = after.phi_input(p, ea);
    const value_id v = after.phi_input(q, eb);
    hub = e.create_node(3);
    e.redirect_edge(ea, hub);
    e.redirect_edge(eb, hub);
    selector = e.insert_phi(hub, e.make_number(1, 0));
    left_value = e.insert_phi(hub, p);
    right_value = e.insert_phi(hub, q);
    e.set_phi_input(selector, ea, e.make_number(1, 1));
    e.set_phi_input(selector, eb, e.make_number(1, 0));
    e.set_phi_input(left_value, ea, u);
    e.set_phi_input(left_value, eb, e.undefined_like(u));
    e.set_phi_input(right_value, ea, e.undefined_like(u));
    e.set_phi_input(right_value, eb, v);
    e.set_branch(hub, selector, 3, 4);
    e.set_phi_input(p, after.out_edges(hub)[0], left_value);
    e.set_phi_input(q, after.out_edges(hub)[1], right_value);
    w.grow(after.num_nodes(), after.num_edges(), after.num_values());
  }
};

/// A cycle with three entries, one of them by parallel edges, got a new header; `Editor` decides how that branches.
template <class Editor> struct with_new_header {
  elbrus::procedure before = program_of(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    %k = add.i32 %x, 7
    switch.i32 %x [1: a], [2: b], [3: b], default: other
  node other:
    %w = call.i32 @h(%k)
    br c
  node a:
    %i = phi.i32 [entry: %k], [c: %s]
    %i1 = add.i32 %i, %n
    br b
  node b:
    %j = phi.i32 [entry: 10], [entry: %x], [a: %i1]
    %j1 = call.i32 @h(%j)
    br c
  node c:
    %s = phi.i32 [other: %w], [b: %j1]
    %q = cmp.lt.i32 %s, %n
    br %q ? a : exit
  node exit:
    ret %s
}
)")
                                 .procedures[0];
  elbrus::procedure after = before;
  midend::unfolding_witness w;
  node_id hub = no_node;

  with_new_header() {
    hub = static_cast<node_id>(after.num_nodes());
    Editor e(after);
    w = midend::fix_irreducible(e).witness;
  }

  node_id node(std::string_view name) const {
    const node_id n = node_named(after, name);
    REQUIRE_MESSAGE(n != no_node, "no node ", name);
    return n;
  }

  edge_id edge_from(std::string_view n, std::size_t i) const { return after.out_edges(node(n))[i]; }

  /// The edge through which the new header, or its last branch, leads to a node.
  edge_id edge_to(std::string_view n) const {
    for (const edge_id e : after.in_edges(node(n))) {
      if (after.edge_source(e) >= hub) {
        return e;
      }
    }
    FAIL("no edge to ", n);
    return no_edge;
  }

  /// What a phi of a target takes from the new header.
  value_id passed(std::string_view n) const { return after.phi_input(*after.values(node(n)).begin(), edge_to(n)); }

  value_id selector() const { return after.operands(after.terminator(hub))[0]; }

  void exchange_inputs(value_id phi, edge_id e, edge_id f) {
    const value_id a = after.phi_input(phi, e);
    after.set_phi_input(phi, e, after.phi_input(phi, f));
    after.set_phi_input(phi, f, a);
  }
};

/// Programs before and after that are read from texts of their own: numbers say nothing. Values, nodes and edges stand
/// for those of the same name; `%x.2` and the like for `%x`.
struct read_afresh {
  elbrus::procedure before;
  elbrus::procedure after;
  midend::unfolding_witness w;

  read_afresh(std::string_view old_text, std::string_view new_text)
      : before(program_of(old_text).procedures[0]), after(program_of(new_text).procedures[0]) {
    match();
  }

  void match() {
    w = {};
    w.node_origin.assign(after.num_nodes(), no_node);
    w.edge_origin.assign(after.num_edges(), no_edge);
    w.value_origin.assign(after.num_values(), no_value);
    for (node_id n = 0; n != after.num_nodes(); ++n) {
      const node_id old = node_named(before, after.node_name(n));
      w.node_origin[n] = old;
      for (std::size_t i = 0; old != no_node && i != after.out_edges(n).size(); ++i) {
        w.edge_origin[after.out_edges(n)[i]] = before.out_edges(old)[i];
      }
      for (const value_id v : after.values(n)) {
        const std::string_view name = after.value_name(v);
        w.value_origin[v] = name.empty() ? no_value : value_named(before, name.substr(0, name.find('.')));
        if (name.empty() && old != no_node && !after.is_terminator(v)) { // the only one of its kind
          for (const value_id x : before.values(old)) {
            w.value_origin[v] = before.value(x).code == after.value(v).code ? x : w.value_origin[v];
          }
        }
      }
    }
  }

  node_id node(std::string_view name) const { return node_named(after, name); }

  node_id old_node(std::string_view name) const { return node_named(before, name); }
};

/// A switch that leads to `b` for 3, like for all other numbers: that case is gone.
struct with_cases : read_afresh {
  with_cases()
      : read_afresh(R"(
proc @f(%x: i32) -> i32 {
  node entry:
    switch.i32 %x [1: a], [2: a], [3: b], default: b
  node a:
    ret 7
  node b:
    %r = call.i32 @h(%x)
    ret %r
}
)",
                    R"(
proc @f(%x: i32) -> i32 {
  node entry:
    switch.i32 %x [1: a], [2: a], default: b
  node a:
    ret 7
  node b:
    %r = call.i32 @h(%x)
    ret %r
}
)") {
    const auto edges = before.out_edges(0);
    w.edge_origin[after.out_edges(0)[2]] = edges[3];
    w.dropped.push_back({0, edges[2], edges[3], drop_reason::equal_edges});
  }
};

/// Two iterations of a loop are one node; the test between them is decided by a literal.
struct chained : read_afresh {
  chained()
      : read_afresh(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, %n
    %k = call.i32 @h(%i1)
    br 1 ? loop : exit
  node exit:
    ret %i1
}
)",
                    R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1.2]
    %i1 = add.i32 %i, %n
    %k = call.i32 @h(%i1)
    %i1.2 = add.i32 %i1, %n
    %k.2 = call.i32 @h(%i1.2)
    br loop
}
)") {
    const node_id loop = node("loop");
    const node_id old_loop = old_node("loop");
    w.merged.push_back({loop, old_loop});
    const value_id one = after.constant(elbrus::type::i1, 1);
    w.grow(after.num_nodes(), after.num_edges(), after.num_values());
    w.dropped.push_back({loop, before.out_edges(old_loop)[1], one, drop_reason::constant_condition});
  }
};

/// A node on the edge to `next` that branches both ways there.
struct branching : read_afresh {
  branching()
      : read_afresh(R"(
proc @f(%x: i32, %y: i32, %c: i1) -> i32 {
  node entry:
    %d = div.i32 %x, %y spec
    %s = cmp.eq.i32 %d, 1 spec
    %t = cmp.eq.i32 %x, 1
    br next
  node next:
    ret %x
}
)",
                    R"(
proc @f(%x: i32, %y: i32, %c: i1) -> i32 {
  node entry:
    %d = div.i32 %x, %y spec
    %s = cmp.eq.i32 %d, 1 spec
    %t = cmp.eq.i32 %x, 1
    br inserted
  node inserted:
    br %t ? next : next
  node next:
    ret %x
}
)") {}

  void branch_on(value_id bit) {
    after.set_operand(after.terminator(node("inserted")), 0, bit);
    w.grow(after.num_nodes(), after.num_edges(), after.num_values());
  }
};

/// So that dispatches are trees of branches.
struct without_switches : elbrus::editor {
  using elbrus::editor::editor;
  void set_switch() = delete;
};

static_assert(!midend::can_set_switches<without_switches> && midend::dispatching_editor<without_switches>);

/// A change that makes a right transformation wrong.
template <class World> struct mistake {
  using world = World;

  std::string_view kind;
  std::string_view name;
  std::function<void(World&)> make;
};

/// Of `transformed`.
inline const std::vector<mistake<transformed>>& mistakes() {
  static const std::vector<mistake<transformed>> all = {
      // Flow.
      {"flow", "an edge of a copy leads to a copy of another node",
       [](auto& t) { t.editor().redirect_edge(t.after.out_edges(t.olatch2)[1], t.node("exit0")); }},
      {"flow", "the edges of a branch are exchanged",
       [](auto& t) {
         const auto edges = t.after.out_edges(t.inner2);
         const node_id a = t.after.edge_target(edges[0]);
         const node_id b = t.after.edge_target(edges[1]);
         auto e = t.editor();
         e.redirect_edge(edges[0], b);
         e.redirect_edge(edges[1], a);
       }},
      {"flow", "the cases of a branch are exchanged",
       [](auto& t) {
         t.after.set_case(t.after.out_edges(t.inner2)[0], false, 0);
         t.after.set_case(t.after.out_edges(t.inner2)[1], false, 1);
       }},
      {"flow", "a case of a switch is another one", [](auto& t) { t.after.set_case(t.out("mid", 2), false, 4); }},
      {"flow", "one of two parallel edges is lost", [](auto& t) { t.after.erase_edge(t.out("mid", 1)); }},
      {"flow", "a case goes to the default", [](auto& t) { t.after.erase_edge(t.out("mid", 2)); }},
      {"flow", "the exit test of a copy is dropped",
       [](auto& t) {
         t.editor().keep_edge(t.after.out_edges(t.inner2)[0]);
         t.grow();
       }},
      {"flow", "the exit is always taken",
       [](auto& t) {
         t.editor().keep_edge(t.after.out_edges(t.inner2)[1]);
         t.grow();
       }},
      {"flow", "a preheader leads past the loop",
       [](auto& t) { t.editor().redirect_edge(t.after.out_edges(t.preheader)[0], t.node("mid")); }},
      {"flow", "a preheader leads to the copy that was peeled",
       [](auto& t) { t.editor().redirect_edge(t.after.out_edges(t.preheader)[0], t.inner2); }},
      {"flow", "an inserted node leads to itself",
       [](auto& t) { t.editor().redirect_edge(t.after.out_edges(t.preheader)[0], t.preheader); }},
      {"flow", "an inserted node has no end", [](auto& t) { t.after.erase_end(t.preheader); }},
      {"flow", "an inserted node branches to different nodes",
       [](auto& t) {
         auto e = t.editor();
         e.erase_end(t.meeting);
         e.set_branch(t.meeting, e.make_number(1, 0), t.olatch2, t.node("exit0"));
         t.grow();
       }},
      {"flow", "a condition that is not known chooses between different nodes",
       [](auto& t) {
         auto e = t.editor();
         e.erase_end(t.meeting);
         e.set_branch(t.meeting, t.value("z"), t.olatch2, t.node("exit0"));
         t.grow();
       }},
      {"flow", "a branch asks the negated condition",
       [](auto& t) {
         auto e = t.editor();
         const value_id c = t.copy("c", t.inner2);
         const std::array<value_id, 1> operands = {c};
         const value_id inverse = e.make_operation({.code = midend::operation::bit_not, .width = 1}, operands,
                                                   midend::place_at_end(t.inner2));
         e.set_operand(t.after.terminator(t.inner2), 0, inverse);
         t.grow();
       }},
      {"flow", "a branch asks the condition of another copy",
       [](auto& t) { t.editor().set_operand(t.after.terminator(t.inner2), 0, t.value("z")); }},
      {"flow", "a branch became a jump for a reason that does not hold: constant condition",
       [](auto& t) {
         const edge_id lost = t.w.edge_origin[t.after.out_edges(t.inner2)[0]];
         t.editor().keep_edge(t.after.out_edges(t.inner2)[1]);
         t.grow();
         t.w.dropped.push_back({t.inner2, lost, no_edge, drop_reason::constant_condition});
       }},
      {"flow", "a branch became a jump for a literal that is not its condition",
       [](auto& t) {
         const edge_id lost = t.w.edge_origin[t.after.out_edges(t.inner2)[0]];
         t.editor().keep_edge(t.after.out_edges(t.inner2)[1]);
         const value_id never = t.after.constant(elbrus::type::i1, 0);
         t.grow();
         t.w.dropped.push_back({t.inner2, lost, never, drop_reason::constant_condition});
       }},
      {"flow", "a branch became a jump for a reason that does not hold: other target",
       [](auto& t) {
         const edge_id lost = t.w.edge_origin[t.after.out_edges(t.inner2)[0]];
         const edge_id kept = t.after.out_edges(t.inner2)[1];
         const edge_id like = t.w.edge_origin[kept];
         t.editor().keep_edge(kept);
         t.grow();
         t.w.dropped.push_back({t.inner2, lost, like, drop_reason::equal_edges});
       }},
      {"flow", "parallel edges with different inputs became one",
       [](auto& t) {
         const edge_id lost = t.out("mid", 1);
         const edge_id like = t.w.edge_origin[t.out("mid", 0)];
         t.w.dropped.push_back({t.node("mid"), t.w.edge_origin[lost], like, drop_reason::equal_edges});
         t.after.erase_edge(lost);
       }},
      {"flow", "a return became a jump",
       [](auto& t) {
         auto e = t.editor();
         e.erase_end(t.node("exit0"));
         e.set_jump(t.node("exit0"), t.node("exit0"));
         t.grow();
       }},
      // Operations.
      {"operations", "a store of a copy is lost",
       [](auto& t) { t.after.erase_value(t.operation(opcode::st, t.inner2)); }},
      {"operations", "a call is lost",
       [](auto& t) {
         t.after.replace_uses(t.value("q"), t.value("r"));
         t.after.erase_value(t.value("q"));
       }},
      {"operations", "two calls are exchanged",
       [](auto& t) { t.after.move_value(t.value("q"), t.node("mid"), t.value("r")); }},
      {"operations", "a volatile store is in another node",
       [](auto& t) {
         t.after.move_value(t.operation(opcode::st, t.node("other")), t.node("exit0"),
                            t.after.terminator(t.node("exit0")));
       }},
      {"operations", "a store moved out of the loop",
       [](auto& t) {
         t.after.move_value(t.operation(opcode::st, t.inner2), t.preheader, t.after.terminator(t.preheader));
       }},
      {"operations", "a load moved into an inserted node",
       [](auto& t) { t.after.move_value(t.value("v"), t.meeting, t.after.terminator(t.meeting)); }},
      {"operations", "a store runs twice",
       [](auto& t) {
         const value_id clone = t.editor().clone_value(t.operation(opcode::st, t.inner2), t.inner2);
         t.grow();
         t.w.value_origin[clone] = t.w.value_origin[t.operation(opcode::st, t.inner2)];
       }},
      {"operations", "a store runs twice, and the witness knows nothing of it",
       [](auto& t) {
         t.editor().clone_value(t.operation(opcode::st, t.inner2), t.inner2);
         t.grow();
       }},
      {"operations", "a call in an inserted node",
       [](auto& t) {
         t.editor().clone_value(t.value("r"), t.preheader);
         t.grow();
       }},
      {"operations", "an operation that may trap in an inserted node",
       [](auto& t) {
         auto e = t.editor();
         const std::array<value_id, 2> operands = {t.value("n"), t.value("k")};
         e.make_operation({.code = midend::operation::div, .width = 32}, operands, midend::place_at_end(t.preheader));
         t.grow();
       }},
      {"operations", "a copy computes another operation",
       [](auto& t) {
         auto e = t.editor();
         const value_id v = t.copy("t1", t.inner2);
         const std::array<value_id, 2> operands = {t.after.operands(v)[0], t.after.operands(v)[1]};
         const value_id sum =
             e.make_operation({.code = midend::operation::add, .width = 32}, operands, midend::place_before(v));
         t.after.replace_uses(v, sum);
         t.after.erase_value(v);
         t.grow();
         t.w.value_origin[sum] = t.value("t1");
       }},
      {"operations", "a copy promises more", [](auto& t) { t.after.set_flags(t.copy("j1", t.inner2), {.nsw = true}); }},
      {"operations", "a volatile store became an ordinary one",
       [](auto& t) { t.after.set_flags(t.operation(opcode::st, t.node("other")), {}); }},
      {"operations", "a copied operation is speculative",
       [](auto& t) { t.after.set_flags(t.value("v"), {.spec = true}); }},
      // Values.
      {"values", "the inputs of a loop phi are exchanged",
       [](auto& t) {
         const value_id phi = t.value("j");
         const auto in = t.after.in_edges(t.node("inner"));
         const value_id a = t.after.phi_input(phi, in[0]);
         const value_id b = t.after.phi_input(phi, in[1]);
         t.after.set_phi_input(phi, in[0], b);
         t.after.set_phi_input(phi, in[1], a);
       }},
      {"values", "the inputs of parallel edges are exchanged",
       [](auto& t) {
         const value_id phi = *t.after.values(t.meeting).begin();
         const auto in = t.after.in_edges(t.meeting);
         const value_id a = t.after.phi_input(phi, in[0]);
         t.after.set_phi_input(phi, in[0], t.after.phi_input(phi, in[1]));
         t.after.set_phi_input(phi, in[1], a);
       }},
      {"values", "the inputs of parallel edges became one",
       [](auto& t) {
         const value_id phi = *t.after.values(t.meeting).begin();
         t.after.set_phi_input(phi, t.after.in_edges(t.meeting)[0],
                               t.after.phi_input(phi, t.after.in_edges(t.meeting)[1]));
       }},
      {"values", "a copy reads the value of the original",
       [](auto& t) { t.editor().set_operand(t.copy("c", t.inner2), 0, t.value("j1")); }},
      {"values", "the original reads the value of a copy",
       [](auto& t) { t.editor().set_operand(t.value("c"), 0, t.copy("j1", t.inner2)); }},
      {"values", "the swap is lost: a phi takes the other one's new value",
       [](auto& t) { t.set_input(t.value("x"), t.node("inner"), t.value("x")); }},
      {"values", "the swap is lost on the way out of the copy",
       [](auto& t) { t.set_input(t.value("x"), t.preheader, t.copy("x", t.inner2)); }},
      {"values", "the loop begins with the value before the peeled iteration",
       [](auto& t) { t.set_input(t.value("t"), t.preheader, t.copy("t", t.inner2)); }},
      {"values", "a use after the join reads one of the definitions",
       [](auto& t) { t.editor().set_operand(t.value("r"), 0, t.value("t1")); }},
      {"values", "an input of a merge is undefined",
       [](auto& t) {
         const value_id merge = t.after.operands(t.value("r"))[0];
         t.after.set_phi_input(merge, t.after.in_edges(t.after.value(merge).node)[0],
                               t.after.undefined(elbrus::type::i32));
         t.grow();
       }},
      {"values", "the inputs of a merge are exchanged",
       [](auto& t) {
         const value_id merge = t.after.operands(t.value("r"))[0];
         const auto in = t.after.in_edges(t.after.value(merge).node);
         const value_id a = t.after.phi_input(merge, in[0]);
         t.after.set_phi_input(merge, in[0], t.after.phi_input(merge, in[1]));
         t.after.set_phi_input(merge, in[1], a);
       }},
      {"values", "the operands of a subtraction are exchanged",
       [](auto& t) {
         const value_id v = t.copy("t1", t.inner2);
         const value_id a = t.after.operands(v)[0];
         const value_id b = t.after.operands(v)[1];
         t.after.set_operand(v, 0, b);
         t.after.set_operand(v, 1, a);
       }},
      {"values", "a literal is another one",
       [](auto& t) {
         t.after.set_operand(t.copy("j1", t.inner2), 1, t.after.constant(elbrus::type::i32, 2));
         t.grow();
       }},
      {"values", "a parameter is another one",
       [](auto& t) { t.after.set_operand(t.copy("c", t.inner2), 1, t.value("n")); }},
      {"values", "a store writes another value",
       [](auto& t) { t.after.set_operand(t.operation(opcode::st, t.node("other")), 0, t.value("r")); }},
      {"values", "the result is another value",
       [](auto& t) { t.after.set_operand(t.after.terminator(t.node("exit1")), 0, t.value("n")); }},
      {"values", "an operation that is read is removed",
       [](auto& t) {
         const value_id v = t.copy("j1", t.inner2);
         t.after.replace_uses(v, t.after.undefined(elbrus::type::i32));
         t.after.erase_value(v);
         t.grow();
       }},
      {"values", "a loop phi reads the value of this iteration after the loop is left and entered again",
       [](auto& t) { t.set_input(t.copy("x", t.inner2), t.node("outer"), t.value("i")); }},
      // Witness.
      {"witness", "a copy is declared inserted", [](auto& t) { t.w.node_origin[t.inner2] = no_node; }},
      {"witness", "an inserted node is declared a copy",
       [](auto& t) { t.w.node_origin[t.preheader] = t.node("inner"); }},
      {"witness", "the entry is declared a copy of another node",
       [](auto& t) { t.w.node_origin[0] = t.node("exit0"); }},
      {"witness", "edges of a branch are declared each other",
       [](auto& t) {
         const auto edges = t.after.out_edges(t.inner2);
         std::swap(t.w.edge_origin[edges[0]], t.w.edge_origin[edges[1]]);
       }},
      {"witness", "operations are declared each other",
       [](auto& t) { std::swap(t.w.value_origin[t.copy("t1", t.inner2)], t.w.value_origin[t.copy("j1", t.inner2)]); }},
      {"witness", "nodes that do not follow each other are declared merged",
       [](auto& t) { t.w.merged.push_back({t.node("outer"), t.node("mid")}); }},
      {"witness", "a node is declared merged that is still there",
       [](auto& t) { t.w.merged.push_back({t.node("outer"), t.node("inner")}); }},
      {"witness", "the witness is for a smaller program", [](auto& t) { t.w.node_origin.pop_back(); }},
  };
  return all;
}

/// Of `dispatched`.
inline const std::vector<mistake<dispatched>>& mistakes_of_dispatch() {
  static const std::vector<mistake<dispatched>> all = {
      {"dispatch", "the selector is exchanged",
       [](auto& t) {
         const auto in = t.after.in_edges(t.hub);
         const value_id a = t.after.phi_input(t.selector, in[0]);
         t.after.set_phi_input(t.selector, in[0], t.after.phi_input(t.selector, in[1]));
         t.after.set_phi_input(t.selector, in[1], a);
       }},
      {"dispatch", "the selector is not a constant",
       [](auto& t) { t.after.set_phi_input(t.selector, t.after.in_edges(t.hub)[0], t.before.parameters()[0]); }},
      {"dispatch", "the dispatch asks the program's condition",
       [](auto& t) { t.after.set_operand(t.after.terminator(t.hub), 0, t.before.parameters()[0]); }},
      {"dispatch", "a value that is needed is undefined",
       [](auto& t) {
         t.after.set_phi_input(t.left_value, t.after.in_edges(t.hub)[0], t.after.undefined(elbrus::type::i32));
       }},
      {"dispatch", "the values of the ways are exchanged",
       [](auto& t) {
         t.after.set_phi_input(*t.after.values(3).begin(), t.after.out_edges(t.hub)[0], t.right_value);
         t.after.set_phi_input(*t.after.values(4).begin(), t.after.out_edges(t.hub)[1], t.left_value);
       }},
  };
  return all;
}

/// Of `with_cases`.
inline const std::vector<mistake<with_cases>>& mistakes_of_cases() {
  static const std::vector<mistake<with_cases>> all = {
      {"flow", "a case that is called equal to another one goes to the default",
       [](auto& t) {
         const auto edges = t.before.out_edges(0);
         t.w.dropped.push_back({0, edges[1], edges[0], drop_reason::equal_edges});
         t.after.erase_edge(t.after.out_edges(0)[1]);
       }},
      {"flow", "a case that is called equal to the default leads elsewhere",
       [](auto& t) {
         const auto edges = t.before.out_edges(0);
         t.w.dropped.push_back({0, edges[1], edges[3], drop_reason::equal_edges});
         t.after.erase_edge(t.after.out_edges(0)[1]);
       }},
      {"witness", "a case that is there is said to be missing for a literal that is none",
       [](auto& t) {
         t.w.dropped.push_back({0, t.before.out_edges(0)[0], 0xffff'fff0, drop_reason::constant_condition});
       }},
      {"witness", "an edge that is there is said to be missing for a literal, where nothing decides",
       [](auto& t) {
         t.after.erase_edge(t.after.out_edges(0)[0]);
         t.w.dropped.push_back({t.node("b"), t.before.out_edges(0)[0], 0, drop_reason::constant_condition});
       }},
  };
  return all;
}

/// Of `chained`.
inline const std::vector<mistake<chained>>& mistakes_of_chains() {
  static const std::vector<mistake<chained>> all = {
      {"values", "of a node that is merged twice, the first value goes on",
       [](auto& t) {
         t.after.set_phi_input(value_named(t.after, "i"), t.after.out_edges(t.node("loop"))[0],
                               value_named(t.after, "i1"));
       }},
      {"witness", "two edges are said to be equal to each other",
       [](auto& t) {
         const auto edges = t.before.out_edges(t.old_node("loop"));
         t.w.dropped.clear();
         t.w.dropped.push_back({t.node("loop"), edges[0], edges[1], drop_reason::equal_edges});
         t.w.dropped.push_back({t.node("loop"), edges[1], edges[0], drop_reason::equal_edges});
       }},
      {"flow", "what is merged is reached by the edge that the literal does not take",
       [](auto& t) { t.w.dropped[0].edge = t.before.out_edges(t.old_node("loop"))[0]; }},
  };
  return all;
}

/// Of `branching`.
inline const std::vector<mistake<branching>>& mistakes_of_branching() {
  static const std::vector<mistake<branching>> all = {
      {"operations", "an inserted node branches on undef",
       [](auto& t) { t.branch_on(t.after.undefined(elbrus::type::i1)); }},
      {"operations", "an inserted node branches on a bit that may be diagnostic",
       [](auto& t) { t.branch_on(value_named(t.after, "s")); }},
      {"operations", "an inserted node branches on a phi of such a bit",
       [](auto& t) {
         const value_id phi = t.after.insert_phi(t.node("inserted"), elbrus::type::i1);
         t.after.set_phi_input(phi, t.after.in_edges(t.node("inserted"))[0], value_named(t.after, "s"));
         t.branch_on(phi);
       }},
      {"values", "a literal of another program has the number of the one that is read",
       [](auto& t) {
         t.after.set_operand(value_named(t.after, "t"), 1, t.after.constant(elbrus::type::i32, 2));
         t.w.grow(t.after.num_nodes(), t.after.num_edges(), t.after.num_values());
       }},
  };
  return all;
}

/// Of `with_new_header`.
template <class World> const std::vector<mistake<World>>& mistakes_of_header() {
  static const std::vector<mistake<World>> all = {
      {"new header", "edges from two entries are sent each other's way",
       [](auto& t) { t.exchange_inputs(t.selector(), t.edge_from("entry", 0), t.edge_from("other", 0)); }},
      {"new header", "an edge from inside is sent to another entry",
       [](auto& t) { t.exchange_inputs(t.selector(), t.edge_from("b", 0), t.edge_from("entry", 1)); }},
      {"new header", "the selector is a parameter on one way",
       [](auto& t) { t.after.set_phi_input(t.selector(), t.edge_from("entry", 2), t.before.parameters()[0]); }},
      {"new header", "the selector is undefined on one way",
       [](auto& t) {
         t.after.set_phi_input(t.selector(), t.edge_from("b", 0), t.after.undefined(t.after.value(t.selector()).type));
         t.w.grow(t.after.num_nodes(), t.after.num_edges(), t.after.num_values());
       }},
      {"new header", "two ways of the branch are exchanged",
       [](auto& t) {
         const edge_id e = t.edge_to("a");
         const edge_id f = t.edge_to("b");
         const node_id a = t.node("a");
         const node_id b = t.node("b");
         const value_id to_a = t.passed("a");
         const value_id to_b = t.passed("b");
         auto editor = elbrus::editor(t.after);
         editor.redirect_edge(e, b);
         editor.redirect_edge(f, a);
         t.after.set_phi_input(*t.after.values(a).begin(), f, to_a);
         t.after.set_phi_input(*t.after.values(b).begin(), e, to_b);
       }},
      {"new header", "parallel edges bring each other's value",
       [](auto& t) { t.exchange_inputs(t.passed("b"), t.edge_from("entry", 1), t.edge_from("entry", 2)); }},
      {"new header", "the value of the last iteration is lost",
       [](auto& t) {
         t.after.set_phi_input(t.passed("c"), t.edge_from("b", 0), t.after.undefined(elbrus::type::i32));
         t.w.grow(t.after.num_nodes(), t.after.num_edges(), t.after.num_values());
       }},
      {"new header", "an entry gets the value for another one",
       [](auto& t) { t.after.set_phi_input(*t.after.values(t.node("a")).begin(), t.edge_to("a"), t.passed("b")); }},
      {"new header", "an operation runs where the ways meet",
       [](auto& t) {
         const value_id call = *++t.after.values(t.node("b")).begin();
         t.after.move_value(call, t.hub, t.after.terminator(t.hub));
       }},
      {"new header", "the new header is declared a copy of an entry",
       [](auto& t) { t.w.node_origin[t.hub] = t.node("a"); }},
      {"new header", "the new header leads to itself",
       [](auto& t) { elbrus::editor(t.after).redirect_edge(t.edge_to("a"), t.hub); }},
  };
  return all;
}

} // namespace midend_tests::wrong_unfoldings
