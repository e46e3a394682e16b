// Trip counts with facts about the function around the loop, against running the function.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/natural_loops.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace midend_tests;
using midend::loop_body;
using midend::loop_counters;
using midend::trip_count_kind;
namespace elbrus = midend::elbrus;

namespace {

/// The counts of the innermost loops of a procedure.
template <class Visit> void for_each_count(const elbrus::procedure& p, Visit visit) {
  const elbrus::cost_view ir(p);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  midend::loop_trip_counter counter(ir, tree, forest);
  loop_body body;
  loop_counters c;
  for (const midend::loop_id l : forest.loops()) {
    if (const auto obstacle = counter.count(l, body, c);
        obstacle == midend::loop_obstacle::none || obstacle == midend::loop_obstacle::unusual_control) {
      visit(forest, l, body, c);
    }
  }
}

/// How often control has entered a loop.
std::uint64_t entries_of(const elbrus::procedure_profile& counts, const midend::loop_forest& forest,
                         midend::loop_id l) {
  std::uint64_t sum = 0;
  for (const midend::loop_edge& e : forest.entering_edges(l)) {
    sum += e.id < counts.edges.size() ? counts.edges[e.id] : 0;
  }
  return sum;
}

/// What is known about a loop whose test is `%q`, after operations before it. The last lines before the loop may lead
/// on to a node of their own, `before`.
struct looping {
  std::string_view arguments;
  std::string_view before;
  std::string_view body;

  std::string text() const {
    std::string out = "proc @f(";
    out += arguments;
    out += ") {\n  node entry:\n";
    out += before;
    out += "    br loop\n  node loop:\n";
    out += body;
    return out + "    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  }
};

/// The counters of the last loop.
loop_counters counters_of(const looping& given) {
  const parsed_procedure parsed(given.text().c_str());
  loop_counters found;
  for_each_count(parsed.procedure(), [&](const midend::loop_forest&, midend::loop_id, const loop_body&,
                                         const loop_counters& c) { found = c; });
  return found;
}

} // namespace

TEST_CASE("loop_trip_counter: random programs, against their runs") {
  random_program_options options;
  options.form = program_form::ssa;
  options.known = 25;
  options.calls = false; // nobody is there to answer
  std::array<std::size_t, 5> kinds{};
  std::size_t more = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(600); ++seed) {
    const generated_program made = random_program(seed, options);
    elbrus::run_profile all;
    for (const generated_input& input : made.inputs) {
      elbrus::interpreter interpreter(made.program);
      const auto ran = interpreter.run(made.entry, input.arguments, input.memory, {.record_events = false});
      REQUIRE(!ran.trap);
      elbrus::add_profile(all, ran.profile);
    }
    for (std::size_t i = 0; i != made.program.procedures.size(); ++i) {
      const elbrus::procedure& p = made.program.procedures[i];
      for_each_count(
          p, [&](const midend::loop_forest& forest, midend::loop_id l, const loop_body& body, const loop_counters& c) {
            kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
            const auto before = midend::count_iterations(body).trip.kind;
            more += before == trip_count_kind::unknown && c.trip.kind != trip_count_kind::unknown ? 1 : 0;
            if (i >= all.size() || all[i].edges.empty()) {
              return;
            }
            const std::uint64_t entries = entries_of(all[i], forest, l);
            const std::uint64_t executions = elbrus::node_count(p, all[i], forest.header(l));
            const auto known = c.trip.header_executions();
            if (c.trip.kind == trip_count_kind::exact) {
              wrong += known && executions != *known * entries ? 1 : 0;
            } else if (c.trip.kind == trip_count_kind::at_most) {
              wrong += known && executions > *known * entries ? 1 : 0;
            } else if (c.trip.kind == trip_count_kind::endless || c.trip.kind == trip_count_kind::wraps_first) {
              wrong += entries != 0 ? 1 : 0;
            }
          });
    }
  }
  CHECK(wrong == 0);
  CHECK(more > affordable(10));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(100));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(20));
}

TEST_CASE("loop_trip_counter: what operations, branches and loads say about start and bound") {
  struct expectation {
    const char* why;
    looping given;
    midend::trip_count trip;
  };

  constexpr auto exact = trip_count_kind::exact;
  constexpr auto at_most = trip_count_kind::at_most;
  const expectation all[] = {
      {"numbers that operations before the loop compute",
       {"", R"(
    %s = shl.i32 1, 4
    %n = udiv.i32 %s, 3
)",
        R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
)"},
       {exact, 4, 5}},
      {"a branch before the loop",
       {"%n: i32", R"(
    %small = cmp.ult.i32 %n, 16
    br %small ? before : exit
  node before:
    %w = add.i32 %n, 2
)",
        R"(
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
)"},
       {at_most, 16, 1}},
      {"a branch on the low bits of the bound: they are not 0, so it is not 0",
       {"%k: i64", R"(
    %n = and.i64 %k, 1023
    %low = trunc.i64.i16 %n
    %none = cmp.eq.i16 %low, 0
    br %none ? exit : before
  node before:
)",
        R"(
    %i = phi.i64 [before: 0], [loop: %i1]
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %n
)"},
       {at_most, 1022, 1}},
      {"a branch on two conditions, as a select",
       {"%n: i32, %k: i32", R"(
    %a = cmp.ne.i32 %k, 7
    %b = cmp.ult.i32 %n, 16
    %both = select.i1 %a, %b, 0
    br %both ? before : exit
  node before:
)",
        R"(
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
)"},
       {at_most, 14, 1}},
      {"a sum without its carry",
       {"%n: i16", R"(
    %two = cmp.ugt.i16 %n, 1
    br %two ? before : exit
  node before:
    %w = zext.i16.i64 %n
    %sum = add.i64 %w, 4294967295
    %m = and.i64 %sum, 4294967295
)",
        R"(
    %i = phi.i64 [before: 0], [loop: %i1]
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %m
)"},
       {at_most, 65533, 1}},
      {"the lesser of two numbers",
       {"%n: i32", R"(
    %less = cmp.ult.i32 %n, 9
    %w = select.i32 %less, %n, 9
)",
        R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i, %w
)"},
       {at_most, 9, 1}},
      {"a bound that is loaded again in each iteration",
       {"%a: ptr", "", R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %v = ld.i8 [%a] alias=A
    %w = zext.i8.i32 %v
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
)"},
       {at_most, 254, 1}},
      {"start and bound lie a number apart",
       {"%n: i64", R"(
    %a = add.i64 %n, 8
    %b = add.i64 %a, 48
)",
        R"(
    %p = phi.i64 [entry: %b], [loop: %p1]
    %p1 = sub.i64 %p, 24
    %q = cmp.ne.i64 %p1, %a
)"},
       {exact, 1, 2}},
      {"the same, although some bits are known of what they are computed from",
       {"%n: i64, %k: i64", R"(
    %k8 = shl.i64 %k, 3
    %a = add.i64 %n, %k8
    %b = add.i64 %a, 48
)",
        R"(
    %p = phi.i64 [entry: %b], [loop: %p1]
    %p1 = sub.i64 %p, 24
    %q = cmp.ne.i64 %p1, %a
)"},
       {exact, 1, 2}},
      {"bits are shifted out",
       {"%n: i64", "", R"(
    %x = phi.i64 [entry: %n], [loop: %x1]
    %x1 = shr.i64 %x, 7
    %q = cmp.uge.i64 %x, 128
)"},
       {at_most, 9, 1}},
      {"two counters that meet",
       {"", "", R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %j = phi.i32 [entry: 20], [loop: %j1]
    %i1 = add.i32 %i, 1
    %j1 = sub.i32 %j, 2
    %q = cmp.lt.i32 %i, %j
)"},
       {exact, 7, 8}},
  };
  for (const expectation& x : all) {
    CHECK_MESSAGE(counters_of(x.given).trip == x.trip, x.why);
  }
}

TEST_CASE("loop_trip_counter: a walk back over what a loop around has passed ends at its start if the steps agree") {
  const auto is_computable = [](int around, int back) {
    const std::string before = R"(
    br outer
  node outer:
    %p = phi.i8 [entry: %a], [outer: %p1]
    %p1 = add.i8 %p, )" + std::to_string(around) +
                               R"(
    %g = cmp.ult.i8 %p1, %n
    br %g ? outer : before
  node before:
)";
    const std::string body = R"(
    %r = phi.i8 [before: %p], [loop: %r1]
    %r1 = sub.i8 %r, )" + std::to_string(back) +
                             R"(
    %q = cmp.ne.i8 %r1, %a
)";
    const looping given{"%a: i8, %n: i8", before, body};
    const bool computable = counters_of(given).is_computable();
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    std::size_t endless = 0;
    for (std::uint64_t a = 0; a < 256; a += 5) {
      for (std::uint64_t n = 0; n < 200; n += 9) {
        const std::array<elbrus::scalar, 2> arguments{{{elbrus::type::i8, a}, {elbrus::type::i8, n}}};
        const auto run = interpreter.run(0, arguments, {}, {.step_limit = 2'000, .record_events = false});
        endless += run.trap ? 1 : 0;
      }
    }
    CHECK((!computable || endless == 0));
    return computable;
  };
  CHECK(is_computable(24, 24));
  CHECK(is_computable(24, 8));
  CHECK(is_computable(24, 40));
  CHECK(!is_computable(24, 16));
  CHECK(!is_computable(4, 24));
}

TEST_CASE("loop_trip_counter: phis with one input are what arrived, also operations of each other") {
  // %w is computed in the loop before, and the branch after it says something of %m, as loop-closed form has it.
  const auto most_of = [](const char* after) {
    const std::string text = std::string(R"(proc @f(%a: ptr) {
  node entry:
    br search
  node search:
    %m = phi.i32 [entry: 15], [next: %m1]
    %w = zext.i32.i64 %m
    %v = ld.i16 [%a + %w*2]
    %z = cmp.eq.i16 %v, 0
    br %z ? next : found
  node next:
    %m1 = sub.i32 %m, 1 nsw
    %e = cmp.eq.i32 %m1, 0
    br %e ? exit : search
  node found:
)") + after + R"(
    br %g ? before : exit
  node before:
    br loop
  node loop:
    %i = phi.i64 [before: 1], [again: %i1]
    %u = ld.i16 [%a + %i*2]
    %y = cmp.eq.i16 %u, 0
    br %y ? again : exit
  node again:
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %last
    br %q ? loop : exit
  node exit:
    ret
}
)";
    const parsed_procedure parsed(text.c_str());
    std::optional<std::uint64_t> most;
    for_each_count(parsed.procedure(),
                   [&](const midend::loop_forest& forest, midend::loop_id l, const loop_body&, const loop_counters& c) {
                     if (forest.header(l) == 5) { // `loop`
                       most = c.trip.header_executions();
                     }
                   });
    return most;
  };
  CHECK(most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i32 [search: %m]\n    %g = cmp.ugt.i32 %k, 1") == 14);
  CHECK(most_of("    %k = phi.i32 [search: %m]\n    %last = phi.i64 [search: %w]\n    %g = cmp.ugt.i32 %k, 7") == 14);
  // Where the bound may be 1, the counter passes it and goes all the way around.
  CHECK(!most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i32 [search: %m]\n    %g = cmp.ult.i32 %k, 9"));
  CHECK(!most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i64 [search: %w]\n    %g = cmp.ugt.i64 1, %k"));
}

TEST_CASE("loop_trip_counter: a counter that is cut before it is compared starts at the low bits of its start") {
  const auto most_of = [](const char* number, const char* start) {
    const std::string before = std::string("    %n = add.i8 %x, ") + number + "\n    %s = " + start + "\n";
    const looping given{"%x: i8, %y: i16", before, R"(
    %i = phi.i16 [entry: %s], [loop: %i1]
    %i1 = add.i16 %i, 1
    %t = trunc.i16.i8 %i1
    %q = cmp.lt.i8 %t, %n
)"};
    const std::optional<std::uint64_t> most = counters_of(given).trip.header_executions();
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    for (std::uint64_t x = 0; x != 256; ++x) {
      for (const std::uint64_t y : {std::uint64_t{0}, std::uint64_t{0x7f80}, std::uint64_t{0xffff}}) {
        const std::array<elbrus::scalar, 2> arguments{{{elbrus::type::i8, x}, {elbrus::type::i16, y}}};
        const std::uint64_t limit = most ? 5 * *most + 10 : 3'000; // five operations an iteration
        const auto run = interpreter.run(0, arguments, {}, {.step_limit = limit, .record_events = false});
        CHECK(!run.trap);
      }
    }
    return most;
  };
  CHECK(most_of("19", "zext.i8.i16 %x") == 19);
  CHECK(most_of("19", "sext.i8.i16 %x") == 19);
  CHECK(most_of("19", "mov.i16 %y") != 19);
}

TEST_CASE("loop_trip_counter: from x to x + 96, both extended, is 96 where x + 96 does not wrap") {
  const auto number_of = [](const char* limit) {
    const std::string before = std::string("    %g = cmp.ult.i8 %x, ") + limit + R"(
    br %g ? before : exit
  node before:
    %n = add.i8 %x, 96
    %s = zext.i8.i16 %x
    %e = zext.i8.i16 %n
)";
    const looping given{"%x: i8", before, R"(
    %i = phi.i16 [before: %s], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ne.i16 %i1, %e
)"};
    const midend::trip_count found = counters_of(given).trip;
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    std::size_t others = 0;
    for (std::uint64_t x = 0; x != 256; ++x) {
      const std::array<elbrus::scalar, 1> arguments{{{elbrus::type::i8, x}}};
      others += interpreter.run(0, arguments, {}, {.step_limit = 4 * 96 + 10, .record_events = false}).trap ? 1 : 0;
    }
    const bool is_number = found.kind == trip_count_kind::exact && found.backedges == 95;
    CHECK(is_number == (others == 0));
    return is_number;
  };
  CHECK(number_of("160"));
  CHECK(number_of("17"));
  CHECK(!number_of("161")); // of 160, it is 0
  CHECK(!number_of("255"));
}
