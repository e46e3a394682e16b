/// Wrong removals of loads and stores.
#pragma once

#include "kit/parsed_procedure.hpp"
#include "transform/unrolling_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>

#include <string_view>
#include <vector>

namespace midend_tests::wrong_memory {

namespace elbrus = midend::elbrus;
using midend::change_fault;
using midend::value_id;

/// A right removal of two loads, a store of what is there and an overwritten store, and what a mistake changes of it.
struct memory_world {
  elbrus::procedure before;
  elbrus::procedure after;
  midend::memory_witness witness;

  memory_world() {
    before = parsed_procedure(source).procedure();
    witness = midend::plan_memory_redundancy(elbrus::cost_view(before)).witness;
    apply_again();
  }

  value_id value(std::string_view name) const { return value_named(before, name); }

  midend::memory_verdict verdict() const {
    return midend::verify_memory_redundancy(elbrus::cost_view(before), elbrus::cost_view(after), witness);
  }

  /// The plan is applied anew, with another witness.
  void apply_again() {
    after = before;
    elbrus::editor e(after);
    midend::memory_plan plan;
    plan.epoch = midend::graph_epoch(after);
    plan.witness = witness;
    static_cast<void>(midend::apply_memory_redundancy(e, plan));
  }

  /// The operation `at` places after `name` in its node.
  value_id after_value(std::string_view name, unsigned at) const {
    value_id v = value(name);
    while (at-- != 0) {
      v = before.value(v).next;
    }
    return v;
  }

  static constexpr std::string_view source = R"(
proc @f(%a: ptr, %b: ptr, %x: i32, %c: i1) -> i32 {
  node entry:
    %u = ld.i32 [%a] alias=A
    st.i32 %u, [%a] alias=A
    %v = ld.i32 [%a] alias=A
    %k = add.i32 %v, 1
    st.i32 1, [%b] alias=B
    br %c ? left : right
  node left:
    %l = ld.i32 [%a + 4] alias=A
    st.i32 2, [%b] alias=B
    br join
  node right:
    st.i32 3, [%b] alias=B
    br join
  node join:
    %w = ld.i32 [%a + 4] alias=A
    %z = ld.i32 [%b] alias=B
    %m = ld.i32 [%a] alias=A
    %s = add.i32 %m, %w
    st.i32 %s, [%a + 4] alias=A
    %n = ld.i32 [%a + 4] alias=A
    %t = add.i32 %n, %z
    ret %t
})";
};

struct mistake {
  const char* name;
  midend::change_fault expected;
  void (*make)(memory_world&);

  using world = memory_world;
};

inline std::vector<mistake> mistakes() {
  return {
      {"a load that is made on one way only", change_fault::not_on_every_path,
       [](memory_world& m) {
         m.witness.loads.push_back({m.value("w"), m.value("l"), m.value("l")});
         m.apply_again();
       }},
      {"a load of another place", change_fault::different_value,
       [](memory_world& m) {
         m.witness.loads.push_back({m.value("w"), m.value("u"), m.value("u")});
         m.apply_again();
       }},
      {"a load of what was stored on one way", change_fault::written_between,
       [](memory_world& m) {
         const value_id store = m.after_value("l", 1);
         m.witness.loads.push_back({m.value("z"), m.before.operands(store)[0], store});
         m.apply_again();
       }},
      {"a load of what was overwritten since", change_fault::written_between,
       [](memory_world& m) {
         const value_id store = m.after_value("k", 1);
         m.witness.loads.push_back({m.value("z"), m.before.operands(store)[0], store});
         m.apply_again();
       }},
      {"a value that is not the one stored", change_fault::different_value,
       [](memory_world& m) {
         m.witness.loads[2].value = m.value("x");
         m.apply_again();
       }},
      {"a later access", change_fault::not_on_every_path,
       [](memory_world& m) { m.witness.loads.push_back({m.value("l"), m.value("w"), m.value("w")}); }},
      {"one load twice", change_fault::wrong_witness,
       [](memory_world& m) { m.witness.loads.push_back(m.witness.loads[0]); }},
      {"a load that replaces itself", change_fault::wrong_witness,
       [](memory_world& m) { m.witness.loads[0].access = m.witness.loads[0].load; }},
      {"an addition as a load", change_fault::wrong_witness,
       [](memory_world& m) { m.witness.loads.push_back({m.value("k"), m.value("v"), m.value("v")}); }},
      {"a value that is none", change_fault::wrong_witness,
       [](memory_world& m) { m.witness.loads.push_back({9999, 0, 0}); }},
      {"a store that the end reads", change_fault::read_before,
       [](memory_world& m) {
         m.witness.stores.push_back({m.after_value("s", 1), midend::no_value});
         m.apply_again();
       }},
      {"a store that a load reads", change_fault::read_before,
       [](memory_world& m) {
         m.witness.stores.push_back({m.after_value("l", 1), midend::no_value});
         m.apply_again();
       }},
      {"a store of what is not there", change_fault::different_value,
       [](memory_world& m) {
         m.witness.stores.push_back({m.after_value("s", 1), m.value("w")});
         m.apply_again();
       }},
      {"a removed store stays", change_fault::extra_operation,
       [](memory_world& m) {
         m.after = m.before;
         elbrus::editor e(m.after);
         for (const midend::known_load& l : m.witness.loads) {
           e.replace_uses(l.load, l.value);
           e.erase_value(l.load);
         }
       }},
      {"a store goes without an entry", change_fault::missing_operation,
       [](memory_world& m) { elbrus::editor(m.after).erase_value(m.after_value("s", 1)); }},
      {"a new operation", change_fault::extra_operation,
       [](memory_world& m) { elbrus::editor(m.after).clone_value(m.value("k"), midend::place_before(m.value("s"))); }},
      {"an operand that the witness does not name", change_fault::wrong_operand,
       [](memory_world& m) { elbrus::editor(m.after).set_operand(m.value("s"), 1, m.value("u")); }},
      {"a store of another value", change_fault::wrong_operand,
       [](memory_world& m) { elbrus::editor(m.after).set_operand(m.after_value("s", 1), 0, m.value("x")); }},
      {"an edge to another node", change_fault::changed_flow,
       [](memory_world& m) {
         elbrus::editor(m.after).redirect_edge(m.after.out_edges(node_named(m.after, "entry"))[0],
                                               node_named(m.after, "right"));
       }},
  };
}

// Addresses that are sums.

/// Removed: %v, which is %u; %w, which is %x; %z, which is %y; and the second store.
inline constexpr std::string_view with_sums = R"(
proc @sums(%a: ptr, %b: ptr, %i: i64, %x: i32) -> i32 {
  node entry:
    %p = add.i64 %a, 8
    %u = ld.i32 [%a + 8]
    %v = ld.i32 [%p]
    %k = sub.i64 %p, 4
    st.i32 %x, [%a + 4]
    %w = ld.i32 [%k]
    %j = add.i64 %i, 1
    %y = ld.i32 [%a + %j*4]
    %z = ld.i32 [%a + %i*4 + 4]
    %s = add.i32 %v, %w
    %t = add.i32 %s, %z
    st.i32 %t, [%p + 4]
    %r = add.i32 %t, %x
    st.i32 %r, [%a + 12]
    ret %r
})";

/// Removes the same from a program in which another word stands somewhere.
struct sums {
  elbrus::procedure before;
  elbrus::procedure after;
  midend::memory_witness witness;

  explicit sums(std::string_view text) : before(parsed_procedure(text).procedure()), after(before) {
    const auto value = [&](std::string_view name) { return value_named(before, name); };
    value_id first = midend::no_value; // store
    value_id second = midend::no_value;
    for (const value_id v : before.values(before.entry())) {
      const bool is_store = before.value(v).code == elbrus::opcode::st;
      first = is_store && before.operands(v)[0] == value("x") ? v : first;
      second = is_store && before.operands(v)[0] == value("t") ? v : second;
    }
    witness.loads.push_back({value("v"), value("u"), value("u")});
    witness.loads.push_back({value("w"), value("x"), first});
    witness.loads.push_back({value("z"), value("y"), value("y")});
    witness.stores.push_back({second, midend::no_value});
    elbrus::editor e(after);
    midend::memory_plan plan;
    plan.epoch = midend::graph_epoch(after);
    plan.witness = witness;
    static_cast<void>(midend::apply_memory_redundancy(e, plan));
  }

  midend::memory_verdict verdict() const {
    return midend::verify_memory_redundancy(elbrus::cost_view(before), elbrus::cost_view(after), witness);
  }
};

inline std::vector<wrong_unrolling::other_word> mistakes_of_sums() {
  return {
      {"another number is added to the base", "%p = add.i64 %a, 8", "%p = add.i64 %a, 12"},
      {"two numbers are added to the base", "%p = add.i64 %a, 8", "%o = add.i64 %a, 8\n    %p = add.i64 %o, 8"},
      {"a number is taken from the base", "%p = add.i64 %a, 8", "%o = add.i64 %a, 16\n    %p = sub.i64 %o, 4"},
      {"the base is taken from a number", "%k = sub.i64 %p, 4", "%k = sub.i64 4, %p"},
      {"a number is added in place of taken", "%k = sub.i64 %p, 4", "%k = add.i64 %p, 4"},
      {"what is added is no number", "%k = sub.i64 %p, 4", "%k = add.i64 %p, %i"},
      {"the sum is of another base", "%p = add.i64 %a, 8", "%p = add.i64 %b, 8"},
      {"the sum is a product", "%j = add.i64 %i, 1", "%j = mul.i64 %i, 1"},
      {"another number is added to the index", "%j = add.i64 %i, 1", "%j = add.i64 %i, 2"},
      {"the sum of the index is one of 32 bits", "%j = add.i64 %i, 1",
       "%n = trunc.i64.i32 %i\n    %h = add.i32 %n, 1\n    %j = sext.i32.i64 %h"},
      {"the scale of the sum is another one", "%y = ld.i32 [%a + %j*4]", "%y = ld.i32 [%a + %j*8]"},
      {"the scale of the index is another one", "[%a + %i*4 + 4]", "[%a + %i*8 + 4]"},
      {"the offset is another one", "[%a + %i*4 + 4]", "[%a + %i*4 + 8]"},
      {"a store to the sum in between", "%v = ld.i32 [%p]", "st.i32 9, [%p]\n    %v = ld.i32 [%p]"},
      {"a store to the last byte of it", "%v = ld.i32 [%p]", "st.i8 9, [%p + 3]\n    %v = ld.i32 [%p]"},
      {"a store that ends in its first byte", "%v = ld.i32 [%p]",
       "%d = sub.i64 %p, 3\n    st.i32 9, [%d]\n    %v = ld.i32 [%p]"},
      {"the store after it is to another place", "st.i32 %r, [%a + 12]", "st.i32 %r, [%a + 16]"},
      {"the store after it is smaller", "st.i32 %r, [%a + 12]", "st.i8 7, [%a + 12]"},
      {"a load by the sum in between", "%r = add.i32 %t, %x", "%q = ld.i32 [%p + 4]\n    %r = add.i32 %q, %x"},
      {"a load of a part of it in between", "%r = add.i32 %t, %x",
       "%d = add.i64 %p, 7\n    %q = ld.i32 [%d]\n    %r = add.i32 %q, %x"},
  };
}

} // namespace midend_tests::wrong_memory
