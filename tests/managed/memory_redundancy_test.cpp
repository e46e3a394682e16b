#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "managed/memory_mistakes.hpp"
#include "managed/memory_programs.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>

#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

midend::memory_verdict memory_certificate(const elbrus::procedure& before, const elbrus::procedure& after,
                                          const midend::memory_witness& w) {
  return midend::verify_memory_redundancy(elbrus::cost_view(before), elbrus::cost_view(after), w);
}

/// A procedure after `memory_redundancy`, certified.
struct cleaned_memory {
  parsed_procedure program;
  midend::memory_plan plan;

  explicit cleaned_memory(std::string_view text) : program(text) {
    const elbrus::procedure before = program.procedure();
    plan = midend::plan_memory_redundancy(elbrus::cost_view(before));
    elbrus::editor e(program.procedure());
    const midend::memory_witness w = midend::apply_memory_redundancy(e, plan);
    const midend::memory_verdict verdict = memory_certificate(before, program.procedure(), w);
    CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", value ", verdict.value);
    CHECK(why_ill_formed(program.procedure()) == "");
  }

  bool has_load(std::string_view name) const { return home_of(program.procedure(), name) != ""; }

  std::size_t stores() const {
    std::size_t count = 0;
    for (midend::node_id n = 0; n != program.procedure().num_nodes(); ++n) {
      for (const value_id v : program.procedure().values(n)) {
        count += program.procedure().value(v).code == elbrus::opcode::st ? 1u : 0u;
      }
    }
    return count;
  }
};

} // namespace

TEST_CASE("memory_redundancy on random programs") {
  std::size_t loads = 0;
  std::size_t unchanging = 0;
  std::size_t overwritten = 0;
  std::size_t changed = 0;
  std::size_t again = 0; // where a cycle hides something from the first plan
  comparison_counts runs;
  random_program_options options = endless_flow();
  for_each_random_program(4000, options, [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : original.program.procedures) {
      repeat_accesses(p, random);
    }
    elbrus::program after = original.program;
    for (elbrus::procedure& p : after.procedures) {
      const elbrus::procedure before = p;
      elbrus::editor e(p);
      const midend::memory_plan plan = midend::plan_memory_redundancy(elbrus::cost_view(p));
      loads += plan.witness.loads.size();
      for (const midend::removed_store& s : plan.witness.stores) {
        ++(s.access == midend::no_value ? overwritten : unchanging);
      }
      const auto w = midend::apply_memory_redundancy(e, plan);
      const auto verdict = memory_certificate(before, p, w);
      CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                    ", value ", verdict.value, "\n", elbrus::to_text(before), elbrus::to_text(p));
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill, "\n", elbrus::to_text(before), elbrus::to_text(p));
      changed += plan.empty() ? 0u : 1u;
      again += midend::plan_memory_redundancy(elbrus::cost_view(p)).empty() ? 0u : 1u;
    }
    const std::string wrong = why_wrong(original, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(loads, " loads, ", unchanging, " stores of what is there, ", overwritten, " overwritten stores; ", changed,
          " procedures changed, ", again, " a second time; ", runs.same, " runs the same, ", runs.no_verdict,
          " without verdict");
  CHECK(loads > affordable(4000));
  CHECK(unchanging > affordable(1000));
  CHECK(overwritten > affordable(1000));
  CHECK(again * 20 < changed);
  CHECK(runs.same > affordable(8000));
}

TEST_CASE("memory_redundancy: loads after loads and stores") {
  const cleaned_memory c(R"(
proc @f(%a: ptr, %x: i32, %c: i1) -> i32 {
  node entry:
    st.i32 %x, [%a + 8]
    st.i32 %x, [%a + 12]
    br %c ? left : right
  node left:
    %l = ld.i32 [%a + 16]
    br join
  node right:
    %r = ld.i32 [%a + 8]
    br join
  node join:
    %p = phi.i32 [left: %l], [right: %r]
    %v = ld.i32 [%a + 8]
    %w = ld.i32 [%a + 16]
    %s = add.i32 %v, %w
    %t = add.i32 %s, %p
    ret %t
})");
  CHECK(!c.has_load("r"));
  CHECK(!c.has_load("v"));
  CHECK(c.has_load("l"));
  CHECK(c.has_load("w")); // loaded on one way only
}

TEST_CASE("memory_redundancy: a guarded load is the one with the same guard that is its other value") {
  const auto loads = [](const char* guard, const char* between) {
    const cleaned_memory c("proc @f(%a: ptr, %p: i1, %q: i1, %o: i32) -> i32 {\n  node entry:\n"
                           "    %u = ld.i32 [%a] ? %p : %o\n" +
                           std::string(between) + "    %v = ld.i32 [%a] ? " + guard + " : %u\n    ret %v\n}\n");
    return c.plan.witness.loads.size();
  };
  CHECK(loads("%p", "") == 1);
  CHECK(loads("~%p", "") == 0);
  CHECK(loads("%q", "") == 0);
  CHECK(loads("%p", "    st.i32 %o, [%a + 4]\n") == 1);
  CHECK(loads("%p", "    st.i32 %o, [%a]\n") == 0);
}

TEST_CASE("memory_redundancy: what is in between") {
  const cleaned_memory c(R"(
proc @f(%a: ptr, %b: ptr, %i: i64, %x: i32) -> i32 {
  node entry:
    %v1 = ld.i32 [%a] alias=A
    st.i32 %x, [%b] alias=B
    %v2 = ld.i32 [%a] alias=A
    %u1 = ld.i32 [%b + %i*4]
    %o = call.i32 @other() clobbers=B
    %v3 = ld.i32 [%a] alias=A
    %u2 = ld.i32 [%b + %i*4]
    %w1 = ld.i32 [%b] volatile
    %w2 = ld.i32 [%b] volatile
    %y1 = ld.i32 [%a + 64]
    st.i16 7, [%a + 68]
    %y2 = ld.i32 [%a + 64]
    st.i16 7, [%a + 67]
    %y3 = ld.i32 [%a + 64]
    %z1 = ld.f32 [%a + 64]
    ret %y3
})");
  CHECK(!c.has_load("v2"));
  CHECK(!c.has_load("v3")); // the call writes other memory
  CHECK(c.has_load("u2"));
  CHECK(c.has_load("w1"));
  CHECK(c.has_load("w2"));
  CHECK(!c.has_load("y2")); // another part of the same object
  CHECK(c.has_load("y3"));  // regression #129141: past a store that overlaps
  CHECK(c.has_load("z1"));  // of another type
}

TEST_CASE("memory_redundancy: loops") {
  const cleaned_memory c(R"(
proc @f(%a: ptr, %b: ptr, %n: i32) -> i32 {
  node entry:
    %x = ld.i32 [%a] alias=A
    %y = ld.i32 [%b] alias=B
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i2]
    %s = phi.i32 [entry: 0], [loop: %s3]
    %x2 = ld.i32 [%a] alias=A
    %y2 = ld.i32 [%b] alias=B
    %s2 = add.i32 %s, %x2
    %s3 = add.i32 %s2, %y2
    st.i32 %s3, [%b] alias=B
    %i2 = add.i32 %i, 1
    %q = cmp.lt.i32 %i2, %n
    br %q ? loop : exit
  node exit:
    %y3 = ld.i32 [%b] alias=B
    ret %y3
})");
  CHECK(!c.has_load("x2"));
  CHECK(c.has_load("y2")); // written by the iteration before
  CHECK(!c.has_load("y3"));
}

TEST_CASE("memory_redundancy: stores") {
  CHECK(cleaned_memory(R"(
proc @overwritten(%a: ptr, %x: i32, %c: i1) {
  node entry:
    st.i32 1, [%a + 4]
    st.i8 3, [%a + 5]
    br %c ? left : right
  node left:
    %q = zext.i32.i64 %x
    st.i64 %q, [%a]
    br join
  node right:
    st.i32 5, [%a + 4]
    br join
  node join:
    ret
    }
)")
            .stores() == 2);
  CHECK(cleaned_memory(R"(
proc @one_way(%a: ptr, %x: i32, %c: i1) {
  node entry:
    st.i32 1, [%a + 4]
    br %c ? left : join
  node left:
    st.i32 5, [%a + 4]
    br join
  node join:
    ret
})")
            .stores() == 2);
  CHECK(cleaned_memory(R"(
proc @what_is_there(%a: ptr, %b: ptr, %x: i32, %c: i1) {
  node entry:
    %v = ld.i32 [%a] alias=A
    st.i32 %x, [%b] alias=B
    st.i32 %v, [%a] alias=A ? %c
    st.i32 %x, [%b] alias=B
    ret
})")
            .stores() == 1);
  CHECK(cleaned_memory(R"(
proc @guards(%a: ptr, %x: i32, %c: i1, %d: i1) {
  node entry:
    st.i32 1, [%a] ? %c
    st.i32 2, [%a] ? %c
    st.i32 3, [%a] ? %d
    st.i32 4, [%a] ? ~%d
    ret
})")
            .stores() == 3);
  CHECK(cleaned_memory(R"(
proc @guards_that_always_hold(%a: ptr, %x: i32, %c: i1) {
  node entry:
    st.i32 1, [%a] ? %c
    st.i32 2, [%a] ? 1
    st.i32 3, [%a + 4] ? ~0
    st.i32 3, [%a + 4] ? %c
    st.i32 5, [%a + 8]
    st.i32 6, [%a + 8] ? 0
    ret
})")
            .stores() == 4);
}

TEST_CASE("memory_redundancy, regression 38: the address of the other iteration") {
  // The store of one iteration is followed by one to %p, but that is another %p.
  const cleaned_memory c(R"(
proc @f(%a: ptr, %n: i64, %c: i1) {
  node entry:
    br head
  node head:
    %i = phi.i64 [entry: 0], [left: %i2], [right: %i2]
    %p = add.i64 %i, 8
    %i2 = add.i64 %i, 1
    %odd = cmp.lt.i64 %i, 3
    br %odd ? left : right
  node left:
    st.i64 1, [%a + %p*8]
    %q = cmp.lt.i64 %i2, %n
    br %q ? head : exit
  node right:
    st.i64 2, [%a + %p*8]
    %r = cmp.lt.i64 %i2, %n
    br %r ? head : exit
  node exit:
    ret
})");
  CHECK(c.stores() == 2);
}

TEST_CASE("memory_redundancy: what is stored before an endless loop stays") {
  const cleaned_memory c(R"(
proc @f(%a: ptr, %c: i1) {
  node entry:
    st.i64 1, [%a]
    br wait
  node wait:
    br %c ? wait : done
  node done:
    st.i64 2, [%a]
    ret
})");
  CHECK(c.stores() == 2);
}

TEST_CASE("verify_memory_redundancy rejects seeded mistakes") {
  {
    const wrong_memory::memory_world right;
    CHECK(right.verdict());
    CHECK(right.witness.loads.size() == 3);  // v, m, n
    CHECK(right.witness.stores.size() == 2); // of %u to a, of 1 to b
  }
  for (const wrong_memory::mistake& m : wrong_memory::mistakes()) {
    wrong_memory::memory_world wrong;
    m.make(wrong);
    const midend::memory_verdict verdict = wrong.verdict();
    CHECK_MESSAGE(verdict.fault == m.expected, m.name, ": fault ", static_cast<int>(verdict.fault), "\n",
                  elbrus::to_text(wrong.after));
  }
}

TEST_CASE("verify_memory_redundancy rejects seeded mistakes in addresses that are sums") {
  const wrong_memory::sums right(wrong_memory::with_sums);
  CHECK(right.verdict());
  // The plan finds what is removed there.
  const auto plan = midend::plan_memory_redundancy(elbrus::cost_view(right.before));
  CHECK(plan.witness.loads.size() == right.witness.loads.size());
  CHECK(plan.witness.stores.size() == right.witness.stores.size());
  for (const wrong_unrolling::other_word& word : wrong_memory::mistakes_of_sums()) {
    const wrong_memory::sums wrong(wrong_unrolling::changed(wrong_memory::with_sums, word));
    CHECK_MESSAGE(!wrong.verdict(), word.name);
  }
}
