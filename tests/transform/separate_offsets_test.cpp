// Numbers that are added to counters move out of what is computed from them.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/offset_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/transform/separate_offsets.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/verify_offsets.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using bounds = midend::sccp_result<midend::strided_interval_domain>;

bounds bounds_of(const elbrus::procedure& p) {
  return midend::sccp(elbrus::semantic_view(p), midend::strided_interval_domain());
}

midend::offset_witness separate(elbrus::editor& e) {
  const bounds known = bounds_of(e.graph());
  return midend::apply_separate_offsets(
      e, midend::plan_separate_offsets(e, midend::dominators_and_loops(e.graph()).loops, known));
}

/// A loop whose body computes all kinds of things from a counter of 8 bits, which wraps, and returns a hash of them. If
/// it is speculative, quotients that may be diagnostic are computed in the loop and read only where they are not.
std::string random_counting_loop(std::uint64_t seed, bool is_speculative = false) {
  random_source random(seed);
  static constexpr std::array<unsigned, 4> widths = {8, 16, 32, 64};
  std::array<std::vector<std::string>, 4> values; // by type
  std::string text;
  std::size_t count = 0;
  const auto type = [](std::size_t w) { return "i" + std::to_string(widths[w]); };
  const auto pick = [&](std::size_t w) { return values[w][random.below(values[w].size())]; };
  const auto define = [&](std::size_t w, const std::string& operation) {
    const std::string name = "%v" + std::to_string(count++);
    text += "    " + name + " = " + operation + "\n";
    values[w].push_back(name);
  };
  const auto number = [&](std::uint64_t most) { return std::to_string(1 + random.below(most)); };
  values[0].push_back("%i");
  for (std::size_t k = 0; k != 14; ++k) {
    for (std::size_t w = 0; k == 7 && is_speculative && w != 4; ++w) {
      const std::string divisor = "%z" + std::to_string(w);
      text += "    " + divisor + " = " + (w == 0 ? "mov.i8" : "zext.i8." + type(w)) + " %o\n";
      define(w, "div." + type(w) + " %k" + std::to_string(w) + ", " + divisor + " spec");
    }
    if (k == 7) {
      text += "    br %p ? side : latch\n  node side:\n";
    }
    std::size_t w = random.below(4);
    while (values[w].empty()) {
      w = random.below(4);
    }
    const std::string x = pick(w);
    switch (random.below(10)) {
    case 8:
      define(w, std::array{"and.", "or.", "xor."}[random.below(3)] + type(w) + " " + x + ", " + number(30));
      break;
    case 9:
      define(w, (random.below(2) == 0 ? "shr." : "sar.") + type(w) + " " + x + ", " + number(3));
      break;
    case 0:
    case 1:
      define(w, "add." + type(w) + " " + x + ", " + number(9));
      break;
    case 2:
      define(w, "sub." + type(w) + " " + x + ", " + number(5));
      break;
    case 3:
      define(w, (random.below(2) == 0 ? "mul." : "shl.") + type(w) + " " + x + ", " + number(6));
      break;
    case 4:
      define(w, (random.below(2) == 0 ? "add." : "sub.") + type(w) + " " + x + ", %k" + std::to_string(w));
      break;
    case 5:
      define(w, "sub." + type(w) + " %k" + std::to_string(w) + ", " + x);
      break;
    default:
      if (w != 3) {
        const std::size_t to = w + 1 + random.below(3 - w);
        define(to, (random.below(2) == 0 ? "sext." : "zext.") + type(w) + "." + type(to) + " " + x);
      } else {
        const std::size_t to = random.below(3);
        define(to, "trunc." + type(w) + "." + type(to) + " " + x);
      }
    }
  }
  std::string hash = "%s";
  for (std::size_t w = 0; w != 4; ++w) {
    for (const std::string& v : values[w]) {
      std::string wide = v;
      if (w != 3) {
        wide = "%w" + std::to_string(count++);
        text += "    " + wide + " = zext." + type(w) + ".i64 " + v + "\n";
      }
      const std::string scaled = "%h" + std::to_string(count++);
      const std::string next = "%h" + std::to_string(count++);
      text +=
          "    " + scaled + " = mul.i64 " + hash + ", 31\n    " + next + " = xor.i64 " + scaled + ", " + wide + "\n";
      hash = next;
    }
  }
  static constexpr std::array<int, 5> steps = {1, 2, 3, 4, -2};
  return "proc @f(%k0: i8, %k1: i16, %k2: i32, %k3: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i8 [entry: " +
         std::to_string(random.below(3)) +
         "], [latch: %next]\n    %n = phi.i32 [entry: 0], [latch: %n1]\n    %s = phi.i64 [entry: 7], [latch: %r]\n"
         "    %o = and.i8 %i, 4\n    %p = cmp.ne.i8 %o, 0\n" +
         text + "    br latch\n  node latch:\n    %r = phi.i64 [loop: %s], [side: " + hash +
         "]\n    %next = add.i8 %i, " + std::to_string(steps[random.below(steps.size())]) +
         "\n    %n1 = add.i32 %n, 1\n    %q = cmp.ne.i32 %n1, 300\n    br %q ? loop : done\n"
         "  node done:\n    ret %r\n}\n";
}

std::uint64_t result_of(const elbrus::program& all) {
  elbrus::interpreter run(all);
  const std::vector<elbrus::scalar> arguments = {{elbrus::type::i8, 5},
                                                 {elbrus::type::i16, 60'000},
                                                 {elbrus::type::i32, 77},
                                                 {elbrus::type::i64, ~std::uint64_t{0} - 3}};
  const auto done = run.run(0, arguments, {}, {});
  REQUIRE(done.value);
  return done.value->bits;
}

/// A loop with this body; %i is a 32-bit counter that starts with 0 and grows by `step`.
std::string loop_of(std::string_view step, std::string_view body) {
  return "proc @f(%a: ptr, %k: i64, %n: i32) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i32 [entry: 0], [loop: %next]\n" +
         std::string(body) + "    %next = add.i32 %i, " + std::string(step) +
         "\n    %q = cmp.ne.i32 %next, %n\n    br %q ? loop : done\n  node done:\n    ret %r\n}\n";
}

} // namespace

TEST_CASE("offsets: extensions, products and sums of one counter") {
  elbrus::program all = program_of(loop_of("4", "    %i1 = add.i32 %i, 1\n    %i3 = add.i32 %i1, 2\n"
                                                "    %x = sext.i32.i64 %i3\n    %y = shl.i64 %x, 3\n"
                                                "    %r = sub.i64 %k, %y\n"));
  elbrus::procedure& p = all.procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto witness = separate(e);
  CHECK(elbrus::to_text(p) == "proc @f(%a: ptr, %k: i64, %n: i32) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
                              "    %i = phi.i32 [entry: 0], [loop: %next]\n"
                              "    %i1 = add.i32 %i, 1\n    %i3 = add.i32 %i1, 2\n"
                              "    %0 = sext.i32.i64 %i\n    %1 = add.i64 %0, 3 nsw\n"
                              "    %2 = shl.i64 %0, 3\n    %3 = add.i64 %2, 24\n"
                              "    %4 = sub.i64 %k, %2\n    %5 = sub.i64 %4, 24\n"
                              "    %next = add.i32 %i, 4\n    %q = cmp.ne.i32 %next, %n\n    br %q ? loop : done\n"
                              "  node done:\n    ret %5\n}\n");
  const bounds known = bounds_of(before);
  CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known));
  CHECK(!midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness));
}

TEST_CASE("offsets: what may wrap before it is extended stays") {
  struct sample {
    const char* step;
    const char* body;
    std::size_t separated;
  };

  for (const sample x : {
           sample{"4", "    %x = add.i32 %i, 3\n    %r = sext.i32.i64 %x\n", 1},
           sample{"4", "    %x = add.i32 %i, 4\n    %r = sext.i32.i64 %x\n", 0}, // 2^31 - 4 + 4
           sample{"3", "    %x = add.i32 %i, 2\n    %r = sext.i32.i64 %x\n", 0}, // no remainder survives a wrap
           sample{"3", "    %x = add.i32 %i, 2 nsw\n    %r = sext.i32.i64 %x\n", 1},
           sample{"3", "    %x = add.i32 %i, 2 nsw\n    %r = zext.i32.i64 %x\n", 0}, // -1 + 2
           sample{"3", "    %o = and.i32 %i, 255\n    %x = add.i32 %o, 2\n    %r = zext.i32.i64 %x\n", 1},
           sample{"3", "    %o = and.i32 %i, 255\n    %x = sub.i32 %o, 2\n    %r = zext.i32.i64 %x\n", 0},
           sample{"3", "    %o = or.i32 %i, 2\n    %x = sub.i32 %o, 2\n    %r = zext.i32.i64 %x\n", 1},
           sample{"8", "    %x = add.i32 %i, 7\n    %r = zext.i32.i64 %x\n", 1},
           sample{"8", "    %x = sub.i32 %i, 1\n    %r = zext.i32.i64 %x\n", 0}, // 0 - 1
           sample{"8", "    %o = sub.i32 %n, %i\n    %x = sext.i32.i64 %o\n    %r = add.i64 %x, 1\n", 0},
       }) {
    elbrus::program all = program_of(loop_of(x.step, x.body));
    elbrus::editor e(all.procedures[0]);
    CHECK_MESSAGE(separate(e).changes.size() == x.separated, x.step, "\n", x.body);
  }
}

TEST_CASE("offsets: operations on bits, if base and sum differ in known low bits only") {
  struct sample {
    const char* step;
    const char* body;
    const char* sum; ///< what becomes of it, or null
  };

  for (const sample x : {
           sample{"4", "    %x = add.i32 %i, 3\n    %b = and.i32 %x, 30\n", "add.i32 %0, 2"},
           sample{"4", "    %x = add.i32 %i, 3\n    %b = and.i32 2, %x\n", "add.i32 %0, 2"},
           sample{"4", "    %x = add.i32 %i, 3\n    %b = or.i32 %x, 9\n", "add.i32 %0, 2"},
           sample{"4", "    %x = add.i32 %i, 3\n    %b = xor.i32 %x, 9\n", "add.i32 %0, 1"},
           sample{"4", "    %x = add.i32 %i, 3\n    %b = shr.i32 %x, 1\n", "add.i32 %0, 1"},
           sample{"4", "    %x = add.i32 %i, 3\n    %b = sar.i32 %x, 5\n", "add.i32 %0, 0"},
           sample{"4", "    %x = add.i32 %i, 4\n    %b = shr.i32 %x, 1\n", nullptr}, // more than low bits
           sample{"4", "    %x = sub.i32 %i, 1\n    %b = and.i32 %x, 30\n", nullptr},
           sample{"3", "    %x = add.i32 %i, 1\n    %b = and.i32 %x, 30\n", nullptr}, // nothing is known
       }) {
    elbrus::program all = program_of(loop_of(x.step, std::string(x.body) + "    %r = add.i64 %k, 1\n"));
    elbrus::procedure& p = all.procedures[0];
    const elbrus::procedure before = p;
    elbrus::editor e(p);
    const auto witness = separate(e);
    CHECK_MESSAGE(witness.changes.size() == (x.sum != nullptr ? 1 : 0), x.step, "\n", x.body);
    if (x.sum != nullptr) {
      CHECK_MESSAGE(elbrus::to_text(p).find(std::string(" = ") + x.sum + "\n") != std::string::npos,
                    elbrus::to_text(p));
    }
    const bounds known = bounds_of(before);
    CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known));
  }
}

TEST_CASE("offsets: what is known about a product is known of what is left of it") {
  // %y wraps if %x does, but %x - 6 is a multiple of 8.
  elbrus::program all = program_of(loop_of("4", "    %i3 = add.i32 %i, 3\n    %x = shl.i32 %i3, 1\n"
                                                "    %r = sext.i32.i64 %x\n"));
  elbrus::procedure& p = all.procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto witness = separate(e);
  CHECK(witness.changes.size() == 2);
  const bounds known = bounds_of(before);
  CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known));
  CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness).fault ==
        midend::offset_fault::may_wrap);
}

TEST_CASE("offsets: what several share is computed after the base, what one needs stays where it is") {
  const std::string_view text = "proc @f(%a: ptr, %n: i32, %m: i32) -> i32 {\n  node entry:\n    br head\n"
                                "  node head:\n    %i = phi.i32 [entry: 0], [last: %i2]\n"
                                "    %c = cmp.lt.i32 %n, %i\n    br %c ? first : second\n"
                                "  node first:\n    %x = mul.i32 %i, 56\n    call @note(%x)\n    br second\n"
                                "  node second:\n    %i1 = add.i32 %i, 1\n    %d = cmp.lt.i32 %m, %i1\n"
                                "    br %d ? third : last\n"
                                "  node third:\n    %y = mul.i32 %i1, FACTOR\n    call @note(%y)\n    br last\n"
                                "  node last:\n    %i2 = add.i32 %i, 2\n    %q = cmp.ne.i32 %i2, 100\n"
                                "    br %q ? head : done\n  node done:\n    ret %n\n}\n";
  for (const bool share : {true, false}) {
    std::string one(text);
    one.replace(one.find("FACTOR"), 6, share ? "56" : "57");
    elbrus::program all = program_of(one);
    elbrus::procedure& p = all.procedures[0];
    elbrus::editor e(p);
    const auto witness = separate(e);
    REQUIRE(witness.changes.size() == 1);
    CHECK(p.node_name(p.value(witness.changes[0].rest).node) == (share ? "head" : "third"));
    CHECK(p.node_name(p.value(witness.changes[0].sum).node) == "third");
  }
}

TEST_CASE("offsets: guarded operations and straight lines stay, and a plan may be vetoed") {
  elbrus::program guarded = program_of(loop_of("4", "    %p = cmp.eq.i32 %n, 3\n    %x = add.i32 %i, 1\n"
                                                    "    %r = sext.i32.i64 %x ? %p : %k\n"));
  elbrus::editor e(guarded.procedures[0]);
  CHECK(separate(e).changes.empty());
  elbrus::program straight = program_of("proc @f(%n: i32) -> i64 {\n  node entry:\n    %x = add.i32 %n, 1 nsw\n"
                                        "    %y = sext.i32.i64 %x\n    ret %y\n}\n");
  elbrus::editor s(straight.procedures[0]);
  CHECK(separate(s).changes.empty());
  elbrus::program all = program_of(loop_of("4", "    %x = add.i32 %i, 1\n    %y = sext.i32.i64 %x\n"
                                                "    %r = mul.i64 %y, 5\n"));
  elbrus::procedure& p = all.procedures[0];
  const elbrus::procedure before = p;
  const bounds known = bounds_of(before);
  elbrus::editor v(p);
  midend::offset_plan plan = midend::plan_separate_offsets(v, midend::dominators_and_loops(p).loops, known);
  REQUIRE(plan.separated.size() == 2);
  plan.separated.pop_back();
  const auto witness = midend::apply_separate_offsets(v, plan);
  CHECK(witness.changes.size() == 1);
  CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known));
}

namespace {

/// %b is diagnostic if %x is 0, and then nothing reads it. FLAG makes the operations of its sums speculative, too.
std::string guarded_quotient(std::string_view flag) {
  std::string text = R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node e:
    br h
  node h:
    %i = phi.i32 [e: 0], [t: %i1]
    %b = div.i32 %i, %x spec
    %z = cmp.ne.i32 %x, 0
    br %z ? g : t
  node g:
    %p = add.i32 %b, 1
    %q = trunc.i32.i8 %p FLAG
    %p2 = add.i32 %b, 2
    %q2 = trunc.i32.i8 %p2 FLAG
    call @print(%q, %q2)
    br t
  node t:
    %i1 = add.i32 %i, 1
    %m = cmp.lt.i32 %i1, %n
    br %m ? h : ex
  node ex:
    ret 0
}
)";
  for (std::size_t at = text.find("FLAG"); at != std::string::npos; at = text.find("FLAG")) {
    text.replace(at, 4, flag);
  }
  return text;
}

/// Says that nothing traps.
struct careless_editor : elbrus::editor {
  using elbrus::editor::editor;

  bool may_trap(midend::value_id) const { return false; }

  bool may_trap_without_promises(midend::value_id) const { return false; }
};

template <class E> midend::offset_witness separate_in(E& e) {
  return midend::apply_separate_offsets(
      e, midend::plan_separate_offsets(e, midend::dominators_and_loops(e.graph()).loops));
}

} // namespace

TEST_CASE("offsets: no new operation reads what may be diagnostic where it would trap, and the checker refuses one") {
  for (const std::string_view flag : {"", "spec"}) {
    const elbrus::program written = program_of(guarded_quotient(flag));
    const elbrus::procedure& before = written.procedures[0];
    elbrus::program all = written;
    elbrus::editor e(all.procedures[0]);
    const auto witness = separate_in(e);
    CHECK(midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(e.graph()), witness));
    const std::vector<elbrus::scalar> arguments = {{elbrus::type::i32, 0}, {elbrus::type::i32, 3}};
    const auto done = elbrus::interpreter(all).run(0, arguments, {}, {});
    CHECK(done.value.has_value());

    elbrus::program wrong = written;
    careless_editor c(wrong.procedures[0]);
    const auto claimed = separate_in(c);
    CHECK(claimed.changes.size() == 2);
    const auto verdict = midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(c.graph()), claimed);
    CHECK(verdict.fault == midend::offset_fault::changed_operation);
  }
}

TEST_CASE("offsets of random loops with speculative quotients: certified, and the results are the same") {
  const std::size_t programs = affordable(200);
  for (std::uint64_t seed = 0; seed != programs; ++seed) {
    const elbrus::program written = program_of(random_counting_loop(seed, true));
    elbrus::program all = written;
    elbrus::procedure& p = all.procedures[0];
    elbrus::editor e(p);
    if (seed % 2 == 0) {
      const std::vector<midend::unrolling_request> by_four = {{0, midend::unrolling_shape::cycle, 4}};
      midend::unroll_loops(e, midend::dominators_and_loops(p).loops, by_four);
    }
    const elbrus::procedure before = p;
    const bounds known = bounds_of(before);
    const auto witness = separate(e);
    const auto verdict = midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known);
    CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", value ", verdict.value);
    CHECK_MESSAGE(result_of(all) == result_of(written), "seed ", seed, "\n", elbrus::to_text(before),
                  elbrus::to_text(p));
  }
}

TEST_CASE("separated offsets of random unrolled loops are certified, and a second time nothing is left") {
  const auto prepare = [](elbrus::editor& e, const elbrus::procedure& p, std::uint64_t) {
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      requests.push_back({l, midend::unrolling_shape::cycle, 4});
    }
    midend::unroll_loops(e, loops, requests);
  };
  const cleaning_counts counts = clean_random_programs(300, all_flow(), prepare, separate,
                                                       [](const auto& before, const auto& after, const auto& w) {
                                                         const bounds known = bounds_of(before.graph());
                                                         return midend::verify_offsets(before, after, w, known);
                                                       });
  if (!tests_are_shortened) { // few of them compute anything from counters
    CHECK(counts.changed > 3);
  }
}

TEST_CASE("offsets of random counters that wrap: certified, and the results are the same") {
  const std::size_t programs = affordable(400);
  std::size_t separated = 0;
  for (std::uint64_t seed = 0; seed != programs; ++seed) {
    const elbrus::program written = program_of(random_counting_loop(seed));
    elbrus::program all = written;
    elbrus::procedure& p = all.procedures[0];
    elbrus::editor e(p);
    const auto loops = midend::dominators_and_loops(p).loops;
    const std::vector<midend::unrolling_request> by_four = {{0, midend::unrolling_shape::cycle, 4}};
    midend::unroll_loops(e, loops, by_four);
    const elbrus::procedure before = p;
    const bounds known = bounds_of(before);
    const auto witness = separate(e);
    separated += witness.changes.size();
    const auto verdict = midend::verify_offsets(elbrus::effect_view(before), elbrus::effect_view(p), witness, known);
    CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", value ", verdict.value, "\n",
                  elbrus::to_text(before), elbrus::to_text(p));
    CHECK(why_ill_formed(p) == "");
    CHECK_MESSAGE(result_of(all) == result_of(written), "seed ", seed, "\n", elbrus::to_text(before),
                  elbrus::to_text(p));
  }
  MESSAGE(separated, " offsets");
  CHECK(separated > 5 * programs);
}
