/// Wrong removals, replacements and motions, each of which the checker of its certificate must reject.
#pragma once

#include "kit/parsed_procedure.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace midend_tests::wrong_cleaning {

namespace elbrus = midend::elbrus;
using midend::edge_id;
using midend::no_edge;
using midend::no_value;
using midend::value_id;

/// A change that makes a right transformation wrong, and what the checker says of it.
template <class World> struct mistake {
  using world = World;

  std::string_view name;
  typename World::fault expected;
  std::function<void(World&)> make;
};

/// A procedure before and after a right transformation, with a witness; mistakes are then put into the last two.
template <class Witness> struct cleaned {
  elbrus::procedure before;
  elbrus::procedure after;
  Witness witness;

  explicit cleaned(std::string_view text) : before(program_of(text).procedures[0]), after(before) {}

  node_id node(std::string_view name) const {
    const node_id n = node_named(before, name);
    REQUIRE_MESSAGE(n != no_node, "no node ", name);
    return n;
  }

  value_id value(std::string_view name) const {
    const value_id v = value_named(before, name);
    REQUIRE_MESSAGE(v != no_value, "no value ", name);
    return v;
  }

  value_id end(std::string_view n) const { return after.terminator(node(n)); }

  value_id operation(elbrus::opcode code, std::string_view n) const {
    for (const value_id v : after.values(node(n))) {
      if (after.value(v).code == code) {
        return v;
      }
    }
    FAIL("no such operation");
    return no_value;
  }

  edge_id out(std::string_view n, std::size_t i) const { return after.out_edges(node(n))[i]; }

  elbrus::editor editor() { return elbrus::editor(after); }
};

// Removal.

inline constexpr std::string_view with_dead_code = R"(
proc @f(%a: ptr, %n: i32, %k: i32) -> i32 {
  node entry:
    %z = cmp.lt.i32 0, %n
    %u = add.i32 %n, 3
    br %z ? left : right
  node left:
    %l = mul.i32 %n, %n
    br join
  node right:
    %r = mul.i32 %k, %k
    br %z ? more : join
  node more:
    br join
  node join:
    %p = phi.i32 [left: %l], [right: %r], [more: 7]
    %c = cmp.lt.i32 %k, %n
    br %c ? loop : stay
  node loop:
    %i = phi.i32 [join: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %w = cmp.lt.i32 %i1, %n
    br %w ? loop : stay
  node stay:
    st.i32 %u, [%a] alias=A
    %d = cmp.lt.i32 %n, 100
    br %d ? kept : other
  node kept:
    %q = call.i32 @h(%u)
    br last
  node other:
    %x = add.i32 %u, 5
    br last
  node last:
    %e = phi.i32 [kept: %q], [other: %x]
    ret %e
}
)";

struct removal : cleaned<midend::removal_witness> {
  using fault = midend::change_fault;

  removal() : cleaned(with_dead_code) {
    elbrus::editor e(after);
    const node_id loop = node("loop");
    witness = midend::remove_dead_code(e, {.ending = midend::span<const node_id>(&loop, 1)});
  }

  midend::removal_verdict verdict() const {
    return midend::verify_removal(elbrus::effect_view(before), elbrus::effect_view(after), witness);
  }
};

inline std::vector<mistake<removal>> mistakes_of_removal() {
  using enum midend::change_fault;
  const auto keep = [](removal& r, edge_id e) {
    elbrus::editor editor(r.after);
    editor.keep_edge(e);
  };
  return {
      {"a store is missing", missing_operation,
       [](removal& r) { r.after.erase_value(r.operation(elbrus::opcode::st, "stay")); }},
      {"a call is missing, its result replaced", missing_operation,
       [](removal& r) {
         r.after.replace_uses(r.value("q"), r.value("u"));
         r.after.erase_value(r.value("q"));
       }},
      {"a value that is read is replaced", wrong_operand,
       [](removal& r) { r.after.set_operand(r.value("x"), 0, r.value("n")); }},
      {"a store of another value", wrong_operand,
       [](removal& r) { r.after.set_operand(r.operation(elbrus::opcode::st, "stay"), 0, r.value("k")); }},
      {"a phi takes another input", wrong_operand,
       [](removal& r) { r.after.set_phi_input(r.value("e"), r.out("kept", 0), r.value("u")); }},
      {"another condition", wrong_operand,
       [](removal& r) { r.after.set_operand(r.end("stay"), 0, r.editor().make_number(1, 1)); }},
      {"a stronger promise", changed_operation,
       [](removal& r) {
         auto flags = r.after.value(r.value("u")).flags;
         flags.nsw = true;
         r.after.set_flags(r.value("u"), flags);
       }},
      {"a branch that decides about a call", deciding_branch, [&](removal& r) { keep(r, r.out("stay", 1)); }},
      {"the same, to the call", deciding_branch, [&](removal& r) { keep(r, r.out("stay", 0)); }},
      {"a branch that decides which input a phi takes", deciding_branch,
       [&](removal& r) {
         const edge_id e = r.out("stay", 1);
         keep(r, e);
         r.after.redirect_edge(e, r.node("last"));
         r.after.set_phi_input(r.value("e"), e, r.value("u"));
       }},
      {"a removed branch jumps past a store", deciding_branch,
       [](removal& r) { r.after.redirect_edge(r.out("entry", 0), r.node("kept")); }},
      {"a jump leads elsewhere", changed_flow,
       [](removal& r) { r.after.redirect_edge(r.out("kept", 0), r.node("other")); }},
      {"the edges of a branch are exchanged", changed_flow,
       [](removal& r) {
         r.after.redirect_edge(r.out("stay", 0), r.node("other"));
         r.after.redirect_edge(r.out("stay", 1), r.node("kept"));
       }},
      {"a case is another one", changed_flow, [](removal& r) { r.after.set_case(r.out("stay", 0), true, 0); }},
      {"a loop that nobody says to end", endless_loop, [](removal& r) { r.witness.ending_loops.clear(); }},
      {"another loop is said to end", endless_loop, [](removal& r) { r.witness.ending_loops[0] = r.node("stay"); }},
      {"an extra operation", extra_operation,
       [](removal& r) { r.editor().clone_value(r.value("u"), midend::place_at_end(r.node("kept"))); }},
      {"an extra store", extra_operation,
       [](removal& r) {
         r.editor().clone_value(r.operation(elbrus::opcode::st, "stay"), midend::place_at_end(r.node("stay")));
       }},
      {"operations in another order", wrong_order,
       [](removal& r) {
         r.editor().move_value(r.operation(elbrus::opcode::st, "stay"), midend::place_before(r.end("stay")));
       }},
      {"an operation in another node", extra_operation,
       [](removal& r) { r.editor().move_value(r.value("x"), midend::place_at_end(r.node("kept"))); }},
      {"the witness names no node", wrong_size, [](removal& r) { r.witness.ending_loops.push_back(1000); }},
      {"a node too many", wrong_size, [](removal& r) { r.after.create_node("new"); }},
  };
}

// Replacement.

inline constexpr std::string_view with_copies = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %x = add.i32 %n, 3
    %y = mov.i32 %x
    %t = trunc.i32.i8 %x
    br head
  node head:
    %p = phi.i32 [entry: %x], [latch: %q]
    %i = phi.i32 [entry: 0], [latch: %i1]
    br inner
  node inner:
    %q = phi.i32 [head: %p], [inner: %p], [turn: %q]
    %s = add.i32 %q, %i
    %b = cmp.lt.i32 %s, %k
    switch.i32 %s [1: inner], [2: turn], default: latch
  node turn:
    br inner
  node latch:
    %i1 = add.i32 %i, 1
    st.i32 %y, [%a] alias=A
    br %b ? head : exit
  node exit:
    %m = mov.i32 %s
    ret %m
}
)";

struct replacement : cleaned<midend::replacement_witness> {
  using fault = midend::change_fault;

  replacement() : cleaned(with_copies) {
    elbrus::editor e(after);
    witness = midend::propagate_copies(e);
  }

  void claim(std::string_view v, std::string_view by) { witness.same.push_back({value(v), value(by)}); }

  midend::replacement_verdict verdict() const {
    return midend::verify_replacement(elbrus::effect_view(before), elbrus::effect_view(after), witness);
  }
};

inline std::vector<mistake<replacement>> mistakes_of_replacement() {
  using enum midend::change_fault;
  return {
      {"a counter for what it starts from", different_value, [](replacement& r) { r.claim("i", "x"); }},
      {"a sum for its operand", different_value, [](replacement& r) { r.claim("i1", "i"); }},
      {"a copy that cuts bits", different_value, [](replacement& r) { r.claim("t", "x"); }},
      {"a copy for another value", different_value,
       [](replacement& r) {
         for (auto& s : r.witness.same) {
           s.by = s.value == r.value("y") ? r.value("n") : s.by;
         }
       }},
      {"one phi of a cycle is not claimed", different_value,
       [](replacement& r) {
         midend::replacement_witness w;
         for (const auto& s : r.witness.same) {
           if (s.value != r.value("p")) {
             w.same.push_back(s);
           }
         }
         r.witness = w;
       }},
      {"a cycle of phis without its source", not_dominated,
       [](replacement& r) {
         for (auto& s : r.witness.same) {
           s.by = s.value == r.value("p") || s.value == r.value("q") ? r.value("i1") : s.by;
         }
       }},
      {"a phi for a later value that it takes", not_dominated,
       [](replacement& r) {
         for (auto& s : r.witness.same) {
           s.by = s.value == r.value("p") ? r.value("s") : s.by;
         }
       }},
      {"a parameter", different_value, [](replacement& r) { r.claim("k", "n"); }},
      {"two sources", wrong_witness, [](replacement& r) { r.claim("y", "n"); }},
      {"a source that has one", wrong_witness,
       [](replacement& r) {
         for (auto& s : r.witness.same) {
           s.by = s.value == r.value("q") ? r.value("p") : s.by;
         }
       }},
      {"a value is its own source", wrong_witness, [](replacement& r) { r.claim("s", "s"); }},
      {"no value", wrong_size, [](replacement& r) { r.witness.same.push_back({10'000, 0}); }},
      {"another value is read", wrong_operand,
       [](replacement& r) { r.after.set_operand(r.value("s"), 0, r.value("n")); }},
      {"operands are exchanged", wrong_operand,
       [](replacement& r) {
         r.after.set_operand(r.value("s"), 0, r.value("i"));
         r.after.set_operand(r.value("s"), 1, r.value("x"));
       }},
      {"a phi takes another input", wrong_operand,
       [](replacement& r) { r.after.set_phi_input(r.value("i"), r.out("latch", 0), r.value("i")); }},
      {"another condition", wrong_operand,
       [](replacement& r) { r.after.set_operand(r.end("latch"), 0, r.value("c")); }},
      {"a store is missing", missing_operation,
       [](replacement& r) { r.after.erase_value(r.operation(elbrus::opcode::st, "latch")); }},
      {"a value that is read is missing", wrong_operand,
       [](replacement& r) {
         r.after.replace_uses(r.value("b"), r.value("c"));
         r.after.erase_value(r.value("b"));
       }},
      {"an extra operation", extra_operation,
       [](replacement& r) { r.editor().clone_value(r.value("x"), midend::place_at_end(r.node("turn"))); }},
      {"an edge leads elsewhere", changed_flow,
       [](replacement& r) { r.after.redirect_edge(r.out("turn", 0), r.node("latch")); }},
      {"a case is another one", changed_flow, [](replacement& r) { r.after.set_case(r.out("inner", 0), false, 5); }},
      {"a stronger promise", changed_operation,
       [](replacement& r) {
         auto flags = r.after.value(r.value("s")).flags;
         flags.nsw = true;
         r.after.set_flags(r.value("s"), flags);
       }},
  };
}

// Motion.

inline constexpr std::string_view with_invariants = R"(
proc @f(%a: ptr, %n: i32, %k: i32, %c: i1) -> i32 {
  node entry:
    %z = add.i32 %n, 3
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %d = div.i32 %n, %k
    %x = mul.i32 %n, %k
    br %c ? calls : pre
  node calls:
    %h = call.i32 @h(%x)
    %g = div.i32 %k, %n
    br latch
  node pre:
    br inner
  node inner:
    %j = phi.i32 [pre: 0], [inner: %j1]
    %v = ld.i32 [%a] alias=A
    %o = ld.i32 [%a] alias=A spec
    %y = add.i32 %x, 1
    %w = add.i32 %n, 7 nsw
    %j1 = add.i32 %j, 1
    %b = cmp.lt.i32 %j1, %y
    br %b ? inner : after
  node after:
    %u = add.i32 %v, %w
    st.i32 %u, [%a] alias=A
    br latch
  node latch:
    %i1 = add.i32 %i, 1
    %e = cmp.lt.i32 %i1, %n
    br %e ? head : exit
  node exit:
    ret %i1
}
)";

struct motion : cleaned<int> {
  using fault = midend::change_fault;

  motion() : cleaned(with_invariants), right(0) {
    elbrus::editor e(after);
    right = midend::hoist_invariants(e).moves.size();
  }

  void move(std::string_view v, std::string_view n) { editor().move_value(value(v), midend::place_at_end(node(n))); }

  midend::motion_verdict verdict() const {
    return midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(after));
  }

  std::size_t right;
};

inline std::vector<mistake<motion>> mistakes_of_motion() {
  using enum midend::change_fault;
  return {
      {"a trap before a call", early_trap, [](motion& m) { m.move("g", "head"); }},
      {"a trap out of a guard", early_trap, [](motion& m) { m.move("g", "entry"); }},
      {"a trap to the start of its node's call", wrong_order,
       [](motion& m) { m.editor().move_value(m.value("g"), midend::place_before(m.value("h"))); }},
      {"a load past a store", changed_memory, [](motion& m) { m.move("o", "entry"); }},
      {"a load out of a guard", early_trap, [](motion& m) { m.move("v", "entry"); }},
      {"a promise that may not hold", early_trap,
       [](motion& m) {
         auto flags = m.after.value(m.value("w")).flags;
         flags.nsw = true;
         m.after.set_flags(m.value("w"), flags);
       }},
      {"a value that the loop changes", operand_not_available, [](motion& m) { m.move("j1", "pre"); }},
      {"an operand that comes later", operand_not_available,
       [](motion& m) { m.editor().move_value(m.value("y"), midend::place_before(m.value("x"))); }},
      {"a phi", not_movable,
       [](motion& m) { m.editor().move_value(m.value("j"), midend::place_at_head(m.node("pre"))); }},
      {"a store to after a load", changed_memory,
       [](motion& m) {
         m.editor().move_value(m.operation(elbrus::opcode::st, "after"), midend::place_at_end(m.node("inner")));
       }},
      {"a call", not_movable, [](motion& m) { m.move("h", "head"); }},
      {"to a node below", not_above, [](motion& m) { m.move("u", "latch"); }},
      {"to a node aside", not_above, [](motion& m) { m.move("d", "calls"); }},
      {"an operation is missing", missing_operation,
       [](motion& m) {
         m.after.replace_uses(m.value("d"), m.value("n"));
         m.after.erase_value(m.value("d"));
       }},
      {"an operation is doubled", extra_operation,
       [](motion& m) { m.editor().clone_value(m.value("z"), midend::place_at_end(m.node("exit"))); }},
      {"another operand", wrong_operand, [](motion& m) { m.after.set_operand(m.value("u"), 1, m.value("n")); }},
      {"another input", wrong_operand,
       [](motion& m) { m.after.set_phi_input(m.value("i"), m.out("latch", 0), m.value("i")); }},
      {"another condition", wrong_operand, [](motion& m) { m.after.set_operand(m.end("latch"), 0, m.value("c")); }},
      {"an edge leads elsewhere", changed_flow,
       [](motion& m) { m.after.redirect_edge(m.out("pre", 0), m.node("after")); }},
      {"a node too many", wrong_size, [](motion& m) { m.after.create_node("new"); }},
  };
}

} // namespace midend_tests::wrong_cleaning
