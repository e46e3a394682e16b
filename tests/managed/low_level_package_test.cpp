#include "kit/parsed_procedure.hpp"
#include "kit/run_low_level.hpp"
#include "kit/run_text.hpp"
#include "managed/memory_programs.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/transform/recording_editor.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::package_veto;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

enum member : std::uint32_t { dead, constants, common, algebra, loads, stores };

midend::package_log run_package(elbrus::procedure& p, const midend::package_options& options = {}) {
  return run_low_level(p, options);
}

/// All of 100 000 programs where tests are not shortened on purpose.
constexpr std::size_t many(std::size_t count) {
#if defined(MIDEND_UNSHORTENED_TESTS)
  static_cast<void>(count);
  return 100'000;
#else
  return count;
#endif
}

/// A procedure after the package.
struct packaged {
  parsed_procedure program;
  midend::package_log log;

  explicit packaged(std::string_view text, const midend::package_options& options = {}) : program(text) {
    log = run_package(program.procedure(), options);
    CHECK(why_ill_formed(program.procedure()) == "");
  }

  bool has(std::string_view name) const { return home_of(program.procedure(), name) != ""; }

  std::string text() const { return elbrus::to_text(program.procedure()); }

  bool has_text(std::string_view part) const { return text().find(part) != std::string::npos; }
};

std::size_t operations_of(const elbrus::procedure& p) {
  std::size_t count = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      count += v == midend::no_value ? 0u : 1u;
    }
  }
  return count;
}

struct package_counts {
  std::size_t operations = 0;
  std::size_t visited = 0;
  std::size_t more_than_twice = 0;
  std::size_t done[6] = {};
  std::size_t vetoes[10] = {};

  void add(const midend::package_log& log) {
    visited += log.num_operations;
    more_than_twice += log.visited_more_than(2);
    for (const midend::package_event& e : log.events) {
      done[e.member] += e.veto == package_veto::none ? 1u : 0u;
      ++vetoes[static_cast<std::size_t>(e.veto)];
    }
  }
};

} // namespace

TEST_CASE("low_level_package on random programs") {
  package_counts counts;
  comparison_counts runs;
  std::size_t again = 0;
  std::size_t changed = 0;
  for_each_random_program(many(3000), endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : original.program.procedures) {
      elbrus::editor e(p);
      worsen(e, p, seed);
      if (seed % 3 != 0) {
        repeat_accesses(p, random);
      }
    }
    elbrus::program after = original.program;
    for (elbrus::procedure& p : after.procedures) {
      const elbrus::procedure before = p;
      counts.add(run_package(p));
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill, "\n", elbrus::to_text(before), elbrus::to_text(p));
      const elbrus::procedure once = p;
      static_cast<void>(run_package(p));
      changed += elbrus::equal(before, once) ? 0u : 1u;
      again += elbrus::equal(once, p) ? 0u : 1u;
    }
    const std::string wrong = why_wrong(original, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(counts.visited, " operations visited, ", counts.more_than_twice, " more than twice; dead ", counts.done[dead],
          ", constants ", counts.done[constants], ", common ", counts.done[common], ", algebra ", counts.done[algebra],
          ", loads ", counts.done[loads], ", stores ", counts.done[stores], "; ", changed, " procedures changed, ",
          again, " a second time; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict; refused: type ",
          counts.vetoes[5], ", trap ", counts.vetoes[7], ", gain ", counts.vetoes[8]);
  CHECK(counts.more_than_twice * 10 < counts.visited);
  for (const std::size_t done : counts.done) {
    CHECK(done > affordable(200));
  }
  CHECK(runs.same > affordable(6000));
  CHECK(again * 20 < changed);
}

TEST_CASE("low_level_package: each optimization") {
  const packaged p(R"(
proc @f(%a: ptr, %x: i32, %y: i32, %z: i64) -> i32 {
  node entry:
    %two = add.i32 1, 1
    %s1 = add.i32 %x, 1
    %s2 = add.i32 %s1, %two
    %s3 = add.i32 3, %x
    %m8 = mul.i32 %s2, 8
    %m9 = mul.i32 %s3, 9
    %d4 = div.i32 %y, 4
    %d7 = div.i32 %y, 7
    %e7 = div.i64 %z, 7
    st.i32 %m8, [%a]
    %l = ld.i32 [%a]
    %b = ld.i8 [%a + 1]
    %bx = zext.i8.i32 %b
    st.i32 %l, [%a]
    st.i32 %d4, [%a + 8]
    st.i32 %d7, [%a + 8]
    st.i64 %e7, [%a + 16]
    %r1 = xor.i32 %l, %m9
    %r2 = xor.i32 %r1, %bx
    %r3 = mov.i32 %r2
    ret %r3
})");
  for (const char* gone : {"two", "s1", "s3", "m8", "m9", "d4", "d7", "l", "b", "r3"}) {
    CHECK_MESSAGE(!p.has(gone), gone, "\n", p.text());
  }
  CHECK(p.has("e7")); // takes the high half of a product, for which no word is wide enough
  CHECK(p.has_text("mul.i64"));
  CHECK(!p.has_text("mul.i32"));
  CHECK(!p.has_text("ld."));
  CHECK(p.has_text("trunc.i32.i8"));
  for (std::uint32_t m = dead; m <= stores; ++m) {
    CHECK_MESSAGE(p.log.count(m) != 0, "member ", m);
  }
}

TEST_CASE("low_level_package: addresses are numbers of 64 bits") {
  const packaged p(R"(
proc @f(%a: ptr, %n: i64) -> i32 {
  node entry:
    %p1 = add.ptr %a, 8
    %p2 = add.ptr %p1, 16
    %m = mov.ptr %n
    %same = cmp.eq.ptr %p2, %m
    br %same ? loads : done
  node loads:
    %l = ld.i32 [%p2]
    ret %l
  node done:
    ret 0
})");
  CHECK_MESSAGE(p.has_text(" %a, 24"), p.text());
  CHECK(!p.has("m"));
  CHECK(p.log.count(algebra, package_veto::wrong_type) == 0);
}

TEST_CASE("low_level_package: guarded operations") {
  const auto merged = [](std::string_view first, std::string_view second, std::string_view use) {
    std::string text = "proc @f(%x: i32, %y: i32, %o: i32, %p: i1, %q: i1) -> i32 {\n  node entry:\n    ";
    text += first;
    text += "\n    ";
    text += second;
    text += "\n    %r = sub.i32 %v, ";
    text += use;
    text += "\n    ret %r\n}";
    return packaged(text);
  };
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? %q : %u", "%y").has_text("or.i1 %p, %q"));
  CHECK(merged("%u = mul.i32 %x, %y ? ~%p : %o", "%v = mul.i32 %x, %y ? ~%q : %u", "%y").has_text("and.i1 %p, %q"));
  const packaged always = merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? ~%p : %u", "%y");
  CHECK(!always.has_text("?"));
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? %p : %o", "%u").log.count(common) == 1);
  // Both stay: the other is read besides, another sense, another operation, no gain.
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? %q : %u", "%u").log.count(common) == 0);
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? ~%q : %u", "%y").log.count(common) == 0);
  CHECK(merged("%u = mul.i32 %x, %x ? %p : %o", "%v = mul.i32 %x, %y ? %q : %u", "%y").log.count(common) == 0);
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? ~%p : %o", "%u").log.count(common) == 0);
  // The promise of one is not that of the other.
  CHECK(!merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y nsw ? %q : %u", "%y").has_text("nsw"));
  // The same predicate: %v is %u, also if others read that.
  CHECK(merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %x, %y ? %p : %u", "%u").has_text("ret 0"));
  CHECK(merged("%u = mul.i32 %x, %y ? ~%p : %o", "%v = mul.i32 %x, %y ? ~%p : %u", "%u").has_text("ret 0"));
  CHECK(!merged("%u = mul.i32 %x, %y ? %p : %o", "%v = mul.i32 %y, %y ? %p : %u", "%u").has_text("ret 0"));
}

TEST_CASE("low_level_package: a choice of a choice by the same condition is one choice") {
  const auto chosen = [](std::string_view first, std::string_view second) {
    std::string text =
        "proc @f(%c: i1, %d: i1, %x: i32, %y: i32, %z: i32) -> i32 {\n  node entry:\n    %u = select.i32 ";
    text += first;
    text += "\n    %v = select.i32 ";
    text += second;
    text += "\n    ret %v\n}";
    return packaged(text);
  };
  CHECK(chosen("%c, %y, %x", "%c, %y, %u").has_text("ret %u"));
  CHECK(chosen("%c, %x, %y", "%c, %u, %y").has_text("ret %u"));
  CHECK(chosen("%c, %y, %x", "%c, %z, %u").has_text("select.i32 %c, %z, %x"));
  CHECK(chosen("%c, %y, %x", "%c, %u, %z").has_text("select.i32 %c, %y, %z"));
  CHECK(chosen("%c, %y, %x", "%d, %y, %u").has_text("select.i32 %d, %y, %u")); // another condition
}

TEST_CASE("low_level_package: a choice between the bits 1 and 0 is the condition") {
  const auto chosen = [](const char* arms) {
    std::string text = "proc @f(%c: i1, %d: i1) -> i1 {\n  node entry:\n    %v = select.i1 %c, ";
    text += arms;
    return packaged(text + "\n    ret %v\n}\n");
  };
  CHECK(chosen("1, 0").has_text("ret %c"));
  CHECK(chosen("0, 1").has_text("select.i1 %c, 0, 1"));
  CHECK(chosen("%d, 0").has_text("select.i1 %c, %d, 0")); // %d may be undefined where it is not chosen
}

TEST_CASE("low_level_package: a shifted literal is added") {
  const auto sum = [](const char* operands) {
    std::string text = "proc @f(%p: ptr) -> ptr {\n  node entry:\n    %v = shladd.ptr ";
    text += operands;
    return packaged(text + "\n    ret %v\n}\n");
  };
  CHECK(sum("i64 0, 3, %p").has_text("ret %p"));
  CHECK(sum("i64 5, 3, %p").has_text("%p, 40"));
}

TEST_CASE("low_level_package: a guard that always holds goes, one that never does leaves the other value") {
  const auto guarded = [](std::string_view operation) {
    std::string text = "proc @f(%x: i32, %y: i32, %o: i32) -> i32 {\n  node entry:\n    %v = ";
    text += operation;
    text += "\n    ret %v\n}";
    return packaged(text);
  };
  CHECK(guarded("mul.i32 %x, %y nsw ? 1 : %o").has_text("mul.i32 %x, %y nsw\n"));
  CHECK(guarded("mul.i32 %x, %y ? ~0 : %o").has_text("mul.i32 %x, %y\n"));
  CHECK(guarded("sub.i32 %x, %x ? 1 : %o").has_text("ret 0"));
  CHECK(guarded("mul.i32 %x, %y ? ~1 : %o").has_text("ret %o"));
  CHECK(guarded("mul.i32 %x, %y ? 0 : %o").has_text("ret %o"));
  CHECK(guarded("ftoi.f32.i32 0x1p+0 ? 1 : %o").has_text("ret 1"));
}

TEST_CASE("low_level_package: a load whose guard always holds loses it, and stores before it stay") {
  const auto loaded = [](const char* guard) {
    return packaged("proc @f(%a: ptr, %b: ptr, %o: i32) -> i32 {\n  node entry:\n    st.i32 1, [%a]\n"
                    "    %v = ld.i32 [%b] ? " +
                    std::string(guard) + " : %o\n    st.i32 2, [%a]\n    ret %v\n}");
  };
  CHECK(loaded("1").has_text("%b]\n"));
  CHECK(loaded("1").has_text("st.i32 1"));
  CHECK(loaded("~0").has_text("%b]\n"));
  CHECK(loaded("0").has_text("ret %o"));
  CHECK(!loaded("0").has_text("st.i32 1")); // nothing reads it
}

TEST_CASE("low_level_package: a guarded operation that computes nothing new is a choice") {
  const auto guarded = [](std::string_view operation) {
    std::string text = "proc @f(%x: i32, %o: i32, %p: i1) -> i32 {\n  node entry:\n    %v = ";
    text += operation;
    text += "\n    ret %v\n}";
    return packaged(text);
  };
  CHECK(guarded("mul.i32 %x, 0 ? %p : %o").has_text("select.i32 %p, 0, %o"));
  CHECK(guarded("mul.i32 %x, 1 ? ~%p : %o").has_text("select.i32 %p, %o, %x"));
  CHECK(guarded("rem.i32 87, 10 ? %p : %o").has_text("select.i32 %p, 7, %o"));
  CHECK(guarded("or.i32 0, %o ? ~%p : %o").has_text("ret %o"));
  CHECK(guarded("sub.i32 %x, %x ? %p : 0").has_text("ret 0"));
  CHECK(guarded("mul.i32 %x, 3 ? %p : %o").has_text("? %p : %o"));
  CHECK(guarded("rem.i32 87, 0 ? %p : %o").has_text("? %p : %o")); // which traps
  CHECK(guarded("select.i32 0, 3, %x ? %p : %o").has_text("select.i32 %p, %x, %o"));
  CHECK(guarded("select.i32 %p, %x, 3 ? %p : %o").has_text("select.i32 %p, %x, %o"));
  CHECK(guarded("select.i32 %p, %x, 3 ? ~%p : %o").has_text("select.i32 %p, %o, 3"));
  CHECK(guarded("select.i32 %p, %o, 3 ? %p : %o").has_text("ret %o"));
  CHECK(guarded("mov.i32 %x ? %p : %o").has_text("mov.i32 %x ? %p : %o")); // which costs no more
  CHECK(guarded("mov.i32 %o ? %p : %o").has_text("ret %o"));
}

TEST_CASE("low_level_package: a value plus a number compared with the same value plus another one") {
  const auto compared = [](std::string_view sum, std::string_view comparison) {
    std::string text = "proc @f(%x: i8) -> i1 {\n  node entry:\n    %y = ";
    text += sum;
    text += "\n    %c = ";
    text += comparison;
    text += "\n    ret %c\n}";
    return packaged(text);
  };
  CHECK(compared("add.i8 %x, 1 nsw", "cmp.gt.i8 %y, %x").has_text("ret 1"));
  CHECK(compared("add.i8 %x, 1 nsw", "cmp.le.i8 %y, %x").has_text("ret 0"));
  CHECK(compared("sub.i8 %x, 1 nsw", "cmp.lt.i8 %y, %x").has_text("ret 1"));
  CHECK(compared("add.i8 %x, 1", "cmp.eq.i8 %y, %x").has_text("ret 0"));
  // It may wrap: no promise, the least number, an unsigned order.
  CHECK(compared("add.i8 %x, 1", "cmp.gt.i8 %y, %x").has_text("ret %c"));
  CHECK(compared("sub.i8 %x, -128 nsw", "cmp.gt.i8 %y, %x").has_text("ret %c"));
  CHECK(compared("add.i8 %x, 1 nsw", "cmp.ugt.i8 %y, %x").has_text("ret %c"));
}

TEST_CASE("low_level_package: guarded operations compute what they did") {
  // All ways to chain two guarded operations, on all predicates.
  for (unsigned form = 0; form != 32; ++form) {
    const auto sense = [&](unsigned bit) { return (form >> bit & 1) != 0 ? "~" : ""; };
    const std::string other = (form & 4) != 0 ? "%p" : "%q";
    const std::string code = (form & 8) != 0 ? "mul.i32 %x, %y" : "udiv.i32 %x, 77";
    const std::string flag = (form & 16) != 0 ? " spec" : "";
    const std::string text =
        "proc @f(%x: i32, %y: i32, %o: i32, %p: i1, %q: i1) -> i32 {\n  node entry:\n    %u = " + code + flag + " ? " +
        sense(0) + "%p : %o\n    %v = " + code + flag + " ? " + sense(1) + other + " : %u\n    ret %v\n}";
    elbrus::program before = program_of(text);
    elbrus::program after = before;
    static_cast<void>(run_package(after.procedures[0]));
    for (unsigned bits = 0; bits != 4; ++bits) {
      const elbrus::scalar arguments[] = {
          elbrus::integer_scalar(elbrus::type::i32, 12345), elbrus::integer_scalar(elbrus::type::i32, 678),
          elbrus::integer_scalar(elbrus::type::i32, 9),
          elbrus::integer_scalar(elbrus::type::i1, static_cast<std::int64_t>(bits & 1)),
          elbrus::integer_scalar(elbrus::type::i1, static_cast<std::int64_t>(bits >> 1))};
      const elbrus::run_result a = elbrus::interpreter(before).run(0, arguments);
      const elbrus::run_result b = elbrus::interpreter(after).run(0, arguments);
      CHECK_MESSAGE((!a.trap && !b.trap && a.value == b.value), text, "\n", elbrus::to_text(after.procedures[0]));
    }
  }
}

TEST_CASE("low_level_package: a chain of 10^5 operations takes linear time") {
  const auto visits_of = [](std::size_t length, bool is_dead) {
    elbrus::program program = program_of("proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n    ret %x\n}");
    elbrus::procedure& p = program.procedures[0];
    elbrus::editor e(p);
    const value_id one = e.make_number(32, 1);
    const value_id end = p.terminator(0);
    value_id v = p.parameters()[0];
    for (std::size_t i = 0; i != length; ++i) {
      const value_id operands[] = {v, i % 2 == 0 ? one : p.parameters()[1]};
      v = e.make_operation({i % 2 == 0 ? midend::operation::add : midend::operation::bit_xor, 32, 32, {}}, operands,
                           midend::place_before(end));
    }
    if (!is_dead) {
      e.set_operand(end, 0, v);
    }
    const midend::package_log log = run_package(p);
    CHECK(operations_of(p) == (is_dead ? 1u : length + 1));
    std::size_t visits = 0;
    for (const std::uint32_t n : log.visits) {
      visits += n;
    }
    CHECK(log.visited_more_than(2) == 0);
    return visits;
  };
  CHECK(visits_of(100'000, false) == 100'001);
  CHECK(visits_of(100'000, true) ==
        200'000); // all but the last one and the end again, when they have lost their reader
}

TEST_CASE("low_level_package: 10^5 loops and what is visited again") {
  // A counter and a sum in a loop of one node each, in a row. In every third one, a chain that is dead but for the phi
  // that it computes; in every third one, operations that become equal when those before have gone.
  constexpr std::size_t loops = affordable(100'000);
  std::string text = "proc @f(%x: i32, %n: i32) -> i32 {\n  node entry:\n    br l0\n";
  std::string sum = "%x";
  std::string from = "entry";
  for (std::size_t i = 0; i != loops; ++i) {
    const std::string k = std::to_string(i);
    text += "  node l" + k + ":\n    %i" + k + " = phi.i32 [" + from + ": 0], [l" + k + ": %j" + k + "]\n    %s" + k +
            " = phi.i32 [" + from + ": " + sum + "], [l" + k + ": %t" + k + "]\n";
    if (i % 3 == 1) {
      text += "    %a" + k + " = mul.i32 %i" + k + ", 8\n    %b" + k + " = xor.i32 %a" + k + ", %x\n    %c" + k +
              " = sub.i32 %b" + k + ", 1\n";
    } else if (i % 3 == 2) {
      text += "    %a" + k + " = add.i32 %i" + k + ", 0\n    %b" + k + " = add.i32 %a" + k + ", 7\n    %c" + k +
              " = add.i32 %i" + k + ", 7\n    %d" + k + " = sub.i32 %b" + k + ", %c" + k + "\n";
    }
    text += "    %t" + k + " = add.i32 %s" + k + ", " + (i % 3 == 2 ? "%d" + k : "%i" + k) + "\n    %j" + k +
            " = add.i32 %i" + k + ", 1\n    %p" + k + " = cmp.lt.i32 %j" + k + ", %n\n    br %p" + k + " ? l" + k +
            " : " + (i + 1 == loops ? "out" : "l" + std::to_string(i + 1)) + "\n";
    sum = "%t" + k;
    from = "l" + k;
  }
  text += "  node out:\n    ret " + sum + "\n}";
  elbrus::program program = program_of(text);
  const std::size_t before = operations_of(program.procedures[0]);
  const midend::package_log log = run_package(program.procedures[0]);
  std::size_t visits = 0;
  for (const std::uint32_t n : log.visits) {
    visits += n;
  }
  MESSAGE(before, " operations, ", log.num_operations, " visited ", visits, " times, ", log.visited_more_than(2),
          " more than twice");
  CHECK(log.visited_more_than(2) * 10 < log.num_operations);
  CHECK(visits < 2 * log.num_operations);
  CHECK(operations_of(program.procedures[0]) < before - loops);
}

TEST_CASE("low_level_package: a chain of 10^5 additions becomes one") {
  elbrus::program program = program_of("proc @f(%x: i32) -> i32 {\n  node entry:\n    ret %x\n}");
  elbrus::procedure& p = program.procedures[0];
  elbrus::editor e(p);
  const value_id end = p.terminator(0);
  value_id v = p.parameters()[0];
  for (std::size_t i = 0; i != 100'000; ++i) {
    const value_id operands[] = {v, e.make_number(32, 3)};
    v = e.make_operation({midend::operation::add, 32, 32, {}}, operands, midend::place_before(end));
  }
  e.set_operand(end, 0, v);
  const midend::package_log log = run_package(p);
  CHECK(operations_of(p) == 2);
  CHECK(elbrus::to_text(p).find("300000") != std::string::npos);
  CHECK(log.visited_more_than(2) == 0);
}

TEST_CASE("low_level_package: the manager refuses") {
  const std::string_view text = R"(
proc @f(%x: i32, %y: i32, %f: f32) -> i32 {
  node entry:
    %m = mul.i32 %x, 8
    %s = xor.i32 %y, %x spec
    %t = mul.i32 %s, 4 spec
    %k = add.i32 %m, %t
    ret %k
})";
  midend::package_options without;
  without.without = 1u << algebra;
  const packaged off(text, without);
  CHECK(off.has("m"));
  CHECK(off.log.count(algebra, package_veto::switched_off) >= 2);
  midend::package_options cheap; // a machine whose products cost no more than shifts
  cheap.costs.by_class.fill(1);
  const packaged on(text, cheap);
  CHECK(!on.has("m"));
  cheap.costs.by_class[static_cast<std::size_t>(midend::operation_class::shift)] = 2;
  const packaged expensive(text, cheap);
  CHECK(expensive.has("m"));
  CHECK(expensive.log.count(algebra, package_veto::no_gain) >= 1);
  // A shift of what may be diagnostic would trap, the speculative product does not.
  const packaged speculative(text);
  CHECK(speculative.has("t"));
  CHECK(speculative.log.count(algebra, package_veto::may_trap) >= 1);
  midend::package_options asked;
  asked.refuses = [](value_id, const midend::package_order& o) { return o.kind == midend::order_kind::tree; };
  const packaged refused(text, asked);
  CHECK(refused.has("m"));
  CHECK(refused.log.count(algebra, package_veto::caller) >= 1);
}

TEST_CASE("explain_value follows what replaced a value") {
  const packaged p(R"(
proc @f(%x: i32) -> i32 {
  node entry:
    %a = add.i32 %x, 1
    %b = add.i32 %a, 2
    %c = add.i32 %x, 3
    %d = add.i32 %c, 0
    %e = mul.i32 %b, %d
    ret %e
})");
  // %b became a new x + 3, %c that one, and %d %c.
  std::size_t replaced = 0;
  for (const midend::package_event& e : p.log.events) {
    replaced += e.veto == package_veto::none && e.kind == midend::order_kind::existing ? 1u : 0u;
    if (e.kind == midend::order_kind::tree) {
      const auto chain = midend::explain_value(p.log, e.value);
      CHECK(chain.size() == 1);
      CHECK(p.log.events[chain[0]].by == e.by);
      CHECK(p.log.events[chain[0]].member == algebra);
    }
  }
  CHECK(replaced == 2);
}

namespace {

/// The operations of other nodes than `n`, with their nodes.
std::vector<std::pair<value_id, midend::node_id>> operations_outside(const elbrus::procedure& p, midend::node_id n) {
  std::vector<std::pair<value_id, midend::node_id>> out;
  for (midend::node_id other = 0; other != p.num_nodes(); ++other) {
    for (const value_id v : p.values(other)) {
      if (other != n) {
        out.emplace_back(v, other);
      }
    }
  }
  return out;
}

} // namespace

TEST_CASE("managed_package: on one node, the operations of others stay and are not visited") {
  comparison_counts runs;
  std::size_t changed = 0;
  std::size_t nodes = 0;
  for_each_random_program(affordable(150), endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    for (elbrus::procedure& p : original.program.procedures) {
      elbrus::editor e(p);
      worsen(e, p, seed);
    }
    const auto number = static_cast<midend::node_id>(seed);
    elbrus::program after = original.program;
    for (elbrus::procedure& p : after.procedures) {
      const elbrus::procedure before = p;
      const midend::node_id n = number % static_cast<midend::node_id>(p.num_nodes());
      elbrus::cost_editor e(p);
      const midend::package_log log = midend::low_level_package().run_on_node(e, n);
      CHECK(operations_outside(before, n) == operations_outside(p, n));
      for (const auto& [v, home] : operations_outside(p, n)) {
        CHECK(log.visits[v] == 0);
      }
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill);
      changed += elbrus::equal(before, p) ? 0u : 1u;
      ++nodes;
    }
    const std::string wrong = why_wrong(original, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " of ", nodes, " nodes changed, ", runs.same, " runs the same");
  CHECK(changed * 3 > nodes); // on most nodes, there is something to do
  CHECK(runs.same >= nodes);
}

TEST_CASE("managed_package: on one node, then on each, a chain of them is what one run makes of it") {
  const std::string_view text = R"(
proc @f(%a: ptr, %x: i32) -> i32 {
  node entry:
    %v = mul.i32 %x, 8
    br next
  node next:
    %w = add.i32 %v, 0
    %u = mul.i32 %x, 8
    br last
  node last:
    %t = sub.i32 %w, %u
    ret %t
  node never:
    %dead = add.i32 %x, 0
    br never
})";
  elbrus::program whole = program_of(text);
  static_cast<void>(run_package(whole.procedures[0]));
  elbrus::program steps = program_of(text);
  elbrus::cost_editor e(steps.procedures[0]);
  for (midend::node_id n = 0; n != steps.procedures[0].num_nodes(); ++n) {
    static_cast<void>(midend::low_level_package().run_on_node(e, n));
  }
  CHECK(elbrus::to_text(steps.procedures[0]).find("ret 0") != std::string::npos);
  CHECK(elbrus::to_text(steps.procedures[0]).find("%dead") != std::string::npos); // unreachable
  CHECK(elbrus::to_text(whole.procedures[0]).find("ret 0") != std::string::npos);
}

TEST_CASE("low_level_package: what is done can be taken back") {
  parsed_procedure program(R"(
proc @f(%a: ptr, %x: i32) -> i32 {
  node entry:
    st.i32 %x, [%a]
    %v = ld.i32 [%a]
    %w = mul.i32 %v, 4
    ret %w
})");
  const std::string before = elbrus::to_text(program.procedure());
  midend::recording_editor<elbrus::cost_editor> e(program.procedure());
  static_cast<void>(midend::low_level_package().run(e));
  CHECK(elbrus::to_text(program.procedure()) != before);
  e.undo();
  CHECK(elbrus::to_text(program.procedure()) == before);
}

// The lines of the list of regressions that concern clean-up and value numbering.

TEST_CASE("low_level_package, regression 34: a phi with undef stays") {
  const packaged p(R"(
proc @f(%x: i32, %c: i1) -> i32 {
  node entry:
    br %c ? left : join
  node left:
    br join
  node join:
    %v = phi.i32 [entry: undef], [left: %x]
    %w = phi.i32 [entry: undef], [left: %x]
    %r = sub.i32 %v, %w
    ret %r
})");
  CHECK(p.has("v"));
  CHECK(p.has("w"));
}

TEST_CASE("low_level_package, regressions 35 and 36: endless loops stay, and the package ends") {
  const packaged p(R"(
proc @f(%x: i32, %c: i1) -> i32 {
  node entry:
    br %c ? spin : out
  node spin:
    %i = phi.i32 [entry: 0], [spin: %j]
    %k = phi.i32 [entry: 0], [spin: %l]
    %j = sub.i32 %k, %i
    %l = sub.i32 %i, %k
    br spin
  node out:
    ret %x
})");
  CHECK(p.program.node("spin") != midend::no_node);
  CHECK(p.has_text("br spin"));
}

TEST_CASE("low_level_package, regression 37: equal operations on two ways, promises") {
  const packaged p(R"(
proc @f(%x: i32, %y: i32, %c: i1) -> i32 {
  node entry:
    %s = add.i32 %x, %y nsw
    br %c ? left : right
  node left:
    %d = udiv.i32 %x, %y
    br join
  node right:
    %e = udiv.i32 %x, %y
    br join
  node join:
    %v = phi.i32 [left: %d], [right: %e]
    %t = add.i32 %y, %x
    %r = sub.i32 %v, %t
    %q = mul.i32 %s, %r
    ret %q
})");
  CHECK(p.has("d"));
  CHECK(p.has("e"));
  CHECK(!p.has("t"));
  CHECK(!p.has_text("nsw")); // %t promised nothing
}

TEST_CASE("low_level_package, regression 38: nothing leaves its guard or its loop") {
  const packaged p(R"(
proc @f(%a: ptr, %n: i32, %c: i1) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [next: %j]
    %x = ld.i32 [%a + %i*4]
    st.i32 7, [%a + %i*4]
    %j = add.i32 %i, 1
    %q = cmp.lt.i32 %j, %n
    br %q ? next : exit
  node next:
    %y = ld.i32 [%a + %j*4]
    st.i32 %y, [%a + %i*4]
    br loop
  node exit:
    ret %x
})");
  CHECK(p.has("x"));
  CHECK(p.has("y"));
  CHECK(p.log.count(stores) == 0); // the second load may read the first store's place
}

namespace {

/// A member of one's own, which orders what the test says, right or wrong.
struct scripted_orders {
  static constexpr const char* name = "scripted";
  value_id about = midend::no_value;
  midend::package_order order;
  std::size_t asked = 0;

  template <class Context> midend::package_order visit(Context&, value_id v) {
    ++asked;
    return v == about ? order : midend::package_order();
  }
};

} // namespace

TEST_CASE("managed_package: members of one's own, and what the manager refuses of them") {
  using midend::order_operand;
  using midend::package_order;
  const parsed_procedure original(R"(
proc @f(%a: ptr, %x: i32, %f: f32, %c: i1) -> i32 {
  node entry:
    br %c ? left : right
  node left:
    %l = mul.i32 %x, 5
    %gone = mul.i32 %x, 5
    br right
  node right:
    %p = phi.i32 [entry: 0], [left: %l]
    %m = min.i32 %x, 2147483647
    %n = add.i32 %m, %p
    %k = call.i32 @other(%n) clobbers=none
    st.i32 %k, [%a] volatile
    ret %k
})");
  const auto result_of = [&](value_id about, const package_order& order) {
    elbrus::program program = original.program;
    elbrus::cost_editor e(program.procedures[0]);
    scripted_orders scripted;
    scripted.about = about;
    scripted.order = order;
    midend::managed_package package{midend::dead_operations(), scripted};
    const midend::package_log log = package.run(e);
    CHECK(why_ill_formed(program.procedures[0]) == "");
    CHECK(static_cast<const scripted_orders&>(package).asked >= 5);
    for (const midend::package_event& event : log.events) {
      if (event.member == 1) {
        return event.veto;
      }
    }
    return package_veto::too_many;
  };
  const auto name = [&](std::string_view n) { return original.value(n); };
  const value_id store = original.procedure().value(name("k")).next;
  CHECK(result_of(name("m"), package_order::to_existing(name("x"), "")) == package_veto::none);
  CHECK(result_of(name("m"), package_order::to_constant(1, "")) == package_veto::none);
  CHECK(result_of(name("n"), package_order::to_existing(name("l"), "")) == package_veto::not_computed);
  CHECK(result_of(name("m"), package_order::to_existing(name("n"), "")) == package_veto::not_computed);
  CHECK(result_of(name("m"), package_order::to_existing(name("m"), "")) == package_veto::not_computed);
  CHECK(result_of(name("m"), package_order::to_existing(name("f"), "")) == package_veto::wrong_type);
  CHECK(result_of(name("m"), package_order::erase("")) == package_veto::not_removable);
  CHECK(result_of(name("k"), package_order::to_constant(1, "")) == package_veto::not_removable);
  CHECK(result_of(name("m"), package_order::to_existing(name("gone"), "")) == package_veto::not_computed);
  CHECK(result_of(store, package_order::erase("")) == package_veto::not_removable);
  package_order tree = package_order::to_tree("");
  tree.add({midend::operation::add, 32, 32, {}}, order_operand::value(name("f")), order_operand::number(32, 1));
  CHECK(result_of(name("m"), tree) == package_veto::wrong_type); // not a number
  tree = package_order::to_tree("");
  tree.add({midend::operation::udiv, 32, 32, {}}, order_operand::value(name("x")), order_operand::value(name("x")));
  CHECK(result_of(name("m"), tree) == package_veto::no_gain);
  tree = package_order::to_tree("");
  tree.add({midend::operation::shl, 32, 32, {}}, order_operand::value(name("x")), order_operand::value(name("x")));
  CHECK(result_of(name("m"), tree) == package_veto::may_trap);
  tree = package_order::to_tree("");
  tree.add({midend::operation::add, 32, 32, {}}, order_operand::value(name("l")), order_operand::number(32, 1));
  CHECK(result_of(name("m"), tree) == package_veto::not_computed);
  tree = package_order::to_tree("");
  tree.add({midend::operation::add, 16, 16, {}}, order_operand::number(16, 1), order_operand::number(16, 1));
  CHECK(result_of(name("m"), tree) == package_veto::wrong_type);
}
