#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/verify_motion.hpp>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

const auto certify_motion = [](const elbrus::effect_view& before, const elbrus::effect_view& after,
                               const midend::hoisting_plan&) { return midend::verify_motion(before, after); };

} // namespace

TEST_CASE("hoist_invariants on random programs") {
  std::size_t moved = 0;
  std::size_t traps = 0;
  std::size_t dropped = 0;
  std::size_t loads = 0;
  std::size_t refused[6] = {};
  const auto counts = clean_random_programs(
      800, endless_flow(),
      [](elbrus::editor& e, elbrus::procedure& p, std::uint64_t seed) {
        worsen(e, p, seed);
        if (seed % 3 == 1) {
          midend::rotate_loops(e);
        } else if (seed % 3 == 2) {
          midend::close_loops(e);
        }
      },
      [&](elbrus::editor& e) {
        midend::hoisting_plan plan = midend::hoist_invariants(e);
        for (const midend::hoisted_value& h : plan.moves) {
          traps += e.may_trap(h.value) ? 1u : 0u;
          dropped += h.drops_promises ? 1u : 0u;
          loads += e.effect(h.value) == midend::effect_kind::reads ? 1u : 0u;
        }
        for (const midend::hoisting_refusal& r : plan.refused) {
          ++refused[static_cast<std::size_t>(r.why)];
        }
        moved += plan.moves.size();
        return plan;
      },
      certify_motion);
  MESSAGE(moved, " operations moved, ", traps, " that may trap, ", dropped, " lost promises, ", loads,
          " loads; refused ", refused[0], " without preheader, ", refused[1], " traps, ", refused[2], " loads");
  CHECK(counts.changed > affordable(300));
  CHECK(counts.runs.same > affordable(300));
  CHECK(moved > affordable(500));
}

TEST_CASE("a load that may trap moves across a branch of which all edges lead to one node, and across no other") {
  for (const bool leads_to_one : {true, false}) {
    const elbrus::program before =
        program_of(std::string("proc @f(%c: i1, %a: ptr) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                               "    br %c ? next : ") +
                   (leads_to_one ? "next" : "other") +
                   "\n  node next:\n    %v = ld.i32 [%a]\n    %p = cmp.gt.i32 %v, 1\n    br %p ? loop : done\n"
                   "  node other:\n    br done\n  node done:\n    ret 1\n}\n");
    elbrus::program after = before;
    elbrus::procedure& p = after.procedures[0];
    elbrus::editor e(p);
    const midend::hoisting_plan plan = midend::hoist_invariants(e);
    CHECK(plan.moves.size() == (leads_to_one ? 2 : 0));
    if (!leads_to_one) { // by hand
      midend::node_id entry = midend::no_node;
      value_id load = midend::no_value;
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        entry = p.node_name(n) == "entry" ? n : entry;
      }
      for (value_id v = 0; v != p.num_values(); ++v) {
        load = p.value_name(v) == "v" ? v : load;
      }
      e.move_value(load, midend::place_at_end(entry));
    }
    const midend::motion_verdict verdict =
        midend::verify_motion(elbrus::effect_view(before.procedures[0]), elbrus::effect_view(p));
    CHECK(verdict.fault == (leads_to_one ? midend::change_fault::none : midend::change_fault::early_trap));
  }
}

TEST_CASE("a load leaves a loop whose stores and calls write other classes of memory, and no other loop") {
  struct one {
    const char* written; ///< in the loop
    const char* alias;   ///< of the load
    bool leaves;
  };

  for (const one& o :
       {one{"call @g() clobbers=none", "", true}, one{"call @g() clobbers=none", "alias=A", true},
        one{"call @g() clobbers=B", "alias=A", true}, one{"call @g() clobbers=B", "", false},
        one{"call @g() clobbers=A,B", "alias=A", false}, one{"call @g()", "alias=A", false},
        one{"st.i32 %n, [%b] alias=B", "alias=A", true}, one{"st.i32 %n, [%b] alias=A", "alias=A", false},
        one{"st.i32 %n, [%b]", "alias=A", false}, one{"st.i32 %n, [%b] alias=B", "", false}}) {
    const elbrus::program before = program_of(
        std::string(
            "proc @f(%n: i32, %a: ptr, %b: ptr) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
            "    %i = phi.i32 [entry: 0], [loop: %i1]\n    %s = phi.i32 [entry: 0], [loop: %s1]\n    %v = ld.i32 "
            "[%a] ") +
        o.alias + "\n    " + o.written +
        "\n    %s1 = add.i32 %s, %v\n    %i1 = add.i32 %i, 1\n    %c = cmp.lt.i32 %i1, %n\n    br %c ? loop : done\n"
        "  node done:\n    ret %s1\n}\nproc @g() -> i32 {\n  node entry:\n    ret 0\n}\n");
    elbrus::program after = before;
    elbrus::procedure& p = after.procedures[0];
    elbrus::editor e(p);
    const midend::hoisting_plan plan = midend::hoist_invariants(e);
    CHECK_MESSAGE((plan.moves.size() == 1) == o.leaves, std::string(o.written), " ", std::string(o.alias));
    if (!o.leaves) { // by hand
      REQUIRE(plan.refused.size() == 1);
      CHECK(plan.refused[0].why == midend::hoisting_refusal_reason::memory_written);
      e.move_value(plan.refused[0].value, midend::place_at_end(p.entry()));
    }
    const midend::motion_verdict verdict =
        midend::verify_motion(elbrus::effect_view(before.procedures[0]), elbrus::effect_view(p));
    CHECK(verdict.fault == (o.leaves ? midend::change_fault::none : midend::change_fault::changed_memory));
  }
}

TEST_CASE("of loads of more classes than are told apart, the others stay if anything is written") {
  std::string text = "proc @f(%n: i32, %a: ptr) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                     "    %i = phi.i32 [entry: 0], [loop: %i1]\n";
  for (int k = 0; k != 20; ++k) {
    text += "    %v" + std::to_string(k) + " = ld.i32 [%a] alias=A" + std::to_string(k) + "\n";
  }
  text += "    st.i32 %i, [%a] alias=W\n    %i1 = add.i32 %i, 1\n    %c = cmp.lt.i32 %i1, %n\n"
          "    br %c ? loop : done\n  node done:\n    ret %i1\n}\n";
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  elbrus::editor e(after.procedures[0]);
  const midend::hoisting_plan plan = midend::hoist_invariants(e);
  CHECK(plan.moves.size() == 16);
  CHECK(plan.refused.size() == 4);
  CHECK(midend::verify_motion(elbrus::effect_view(before.procedures[0]), elbrus::effect_view(after.procedures[0])));
}

namespace {

/// An editor that says of some operations what the Elbrus-like IR has no operations for.
struct saying_editor : elbrus::editor {
  using editor::editor;

  bool is_repeatable(value_id v) const { return v != slot && editor::is_repeatable(v); }

  bool is_convergent(value_id v) const { return v == ballot; }

  bool accepts_operations(midend::node_id n) const { return n != closed; }

  bool same_operation(value_id v, const saying_editor& other, value_id w) const {
    return editor::same_operation(v, other, w);
  }

  value_id slot = midend::no_value;
  value_id ballot = midend::no_value;
  midend::node_id closed = midend::no_node;
};

} // namespace

TEST_CASE("what is not repeatable or convergent leaves no loop, and nothing moves to a closed node") {
  const elbrus::program all =
      program_of("proc @f(%n: i32, %x: i32) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                 "    %i = phi.i32 [entry: 0], [loop: %i1]\n    %v = mul.i32 %x, 3\n"
                 "    %i1 = add.i32 %i, %v\n    %c = cmp.lt.i32 %i1, %n\n"
                 "    br %c ? loop : done\n  node done:\n    ret %i1\n}\n");
  for (int question = 0; question != 4; ++question) {
    elbrus::procedure old = all.procedures[0];
    elbrus::procedure p = old;
    saying_editor before(old);
    saying_editor e(p);
    value_id v = 0;
    while (p.value_name(v) != "v") {
      ++v;
    }
    for (saying_editor* const it : {&before, &e}) {
      it->slot = question == 1 ? v : midend::no_value;
      it->ballot = question == 2 ? v : midend::no_value;
      it->closed = question == 3 ? p.entry() : midend::no_node;
    }
    const midend::hoisting_plan plan = midend::hoist_invariants(e);
    REQUIRE(plan.moves.size() == (question == 0 ? 1 : 0));
    if (question != 0) {
      using enum midend::hoisting_refusal_reason;
      using fault = midend::change_fault;
      REQUIRE(plan.refused.size() == 1);
      CHECK(plan.refused[0].why == (question == 1 ? not_repeatable : question == 2 ? convergent : closed_preheader));
      e.move_value(v, midend::place_at_end(p.entry()));
      CHECK(midend::verify_motion(before, e).fault == (question == 1   ? fault::not_repeatable
                                                       : question == 2 ? fault::convergent
                                                                       : fault::closed_node));
    } else {
      CHECK(midend::verify_motion(before, e));
    }
  }
}
