#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/profile_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Counts of a profile stay consistent through all transformations, and equal to those of a run where nothing has to be
// divided.

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

/// The sum of all runs of a program. Empty if one of them does not end with a result.
elbrus::run_profile profile_of(const generated_program& g, const elbrus::program& all) {
  elbrus::run_profile sum;
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    const elbrus::run_result result = run_on(all, g, i);
    if (result.trap) {
      return {};
    }
    elbrus::add_profile(sum, result.profile);
  }
  return sum;
}

/// Where a count is not what a run gives.
std::string why_inexact(const elbrus::procedure& p, const elbrus::procedure_profile& run) {
  for (const node_id n : reachable(p)) {
    if (p.node_count(n) != elbrus::node_count(p, run, n)) {
      return join("node ", n, ": count ", p.node_count(n), ", run ", elbrus::node_count(p, run, n));
    }
  }
  return {};
}

/// Unrolls all loops that do not contain others: every second one as a chain.
void unroll_all(elbrus::editor& e, std::uint32_t copies) {
  const auto loops = midend::dominators_and_loops(e.graph()).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    requests.push_back(
        {l, {l % 2 == 0 ? midend::unrolling_kind::partial : midend::unrolling_kind::full, copies + l % 3}});
  }
  midend::unroll_loops(e, loops, requests);
}

void unroll_all_with_remainder(elbrus::editor& e, std::uint32_t factor) {
  const elbrus::cost_view view(e.graph());
  const auto loops = midend::dominators_and_loops(e.graph()).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    requests.push_back({l, with_epilogue(factor)});
  }
  midend::flat_array<midend::remainder_refusal> refused;
  midend::apply_unroll_with_remainder(e, midend::plan_unroll_with_remainder(view, loops, requests), refused);
}

void drop_untaken_exits(elbrus::editor& e) {
  const auto loops = midend::dominators_and_loops(e.graph()).loops;
  midend::apply_untaken_exits(e, midend::plan_untaken_exits(elbrus::cost_view(e.graph()), loops));
}

struct transformation {
  const char* name;
  bool is_exact; ///< it divides no counts
  void (*run)(elbrus::editor&);
};

constexpr std::array transformations = {
    transformation{"split_critical_edges", true, [](elbrus::editor& e) { midend::split_critical_edges(e); }},
    transformation{"simplify_loops", true, [](elbrus::editor& e) { midend::simplify_loops(e); }},
    transformation{"close_loops", true, [](elbrus::editor& e) { midend::close_loops(e); }},
    transformation{"clean_control", true, [](elbrus::editor& e) { midend::clean_control(e); }},
    transformation{"remove_dead_code", true, [](elbrus::editor& e) { midend::remove_dead_code(e); }},
    transformation{"remove_dead_code, loops end", true,
                   [](elbrus::editor& e) { midend::remove_dead_code(e, {.loops_end = true}); }},
    transformation{"propagate_copies", true, [](elbrus::editor& e) { midend::propagate_copies(e); }},
    transformation{"hoist_invariants", true, [](elbrus::editor& e) { midend::hoist_invariants(e); }},
    transformation{"unify_loop_exits", false, [](elbrus::editor& e) { midend::unify_loop_exits(e); }},
    transformation{"fix_irreducible", false, [](elbrus::editor& e) { midend::fix_irreducible(e); }},
    transformation{"rotate_loops", false, [](elbrus::editor& e) { midend::rotate_loops(e); }},
    transformation{"unroll_loops", false, [](elbrus::editor& e) { unroll_all(e, 2); }},
    transformation{"unroll_loops and untaken exits", false,
                   [](elbrus::editor& e) {
                     unroll_all(e, 3);
                     drop_untaken_exits(e);
                   }},
    transformation{"unroll_with_remainder", false, [](elbrus::editor& e) { unroll_all_with_remainder(e, 3); }},
    transformation{"unroll_with_remainder and untaken exits", false,
                   [](elbrus::editor& e) {
                     unroll_all_with_remainder(e, 4);
                     drop_untaken_exits(e);
                   }},
};

/// Random programs with the profile of their runs.
template <class Visit> std::size_t for_each_profiled_program(std::size_t count, Visit visit) {
  random_program_options options = all_flow();
  options.known = 20;
  std::size_t profiled = 0;
  for_each_random_program(count, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    const elbrus::run_profile counts = profile_of(g, all);
    if (counts.empty()) {
      return;
    }
    elbrus::write_profile(all, counts);
    ++profiled;
    visit(g, all, seed);
  });
  return profiled;
}

bool has_all_counts(const elbrus::program& all) {
  for (const elbrus::procedure& p : all.procedures) {
    for (const node_id n : reachable(p)) {
      if (p.node_count(n) == elbrus::no_count) {
        return false;
      }
    }
  }
  return true;
}

void check_profile(const generated_program& g, const elbrus::program& all, bool is_exact, const std::string& name) {
  const elbrus::run_profile counts = is_exact ? profile_of(g, all) : elbrus::run_profile();
  CHECK((!is_exact || !counts.empty()));
  for (std::size_t i = 0; i != all.procedures.size(); ++i) {
    std::string why = why_inconsistent(all.procedures[i]);
    if (why.empty() && is_exact) {
      why = why_inexact(all.procedures[i], counts[i]);
    }
    CHECK_MESSAGE(why.empty(), name, ", @", all.procedures[i].name(), ": ", why, "\n", elbrus::to_text(all));
  }
}

} // namespace

TEST_CASE("profiles stay consistent through each transformation") {
  const std::size_t profiled = for_each_profiled_program(
      200, [&](const generated_program& g, const elbrus::program& before, std::uint64_t seed) {
        check_profile(g, before, true, join("seed ", seed, ", at first"));
        for (const transformation& t : transformations) {
          elbrus::program after = before;
          for (elbrus::procedure& p : after.procedures) {
            elbrus::editor e(p);
            t.run(e);
          }
          check_profile(g, after, t.is_exact, join("seed ", seed, ", ", t.name));
        }
      });
  CHECK(profiled > affordable(150));
}

TEST_CASE("profiles stay consistent through sequences of transformations") {
  std::size_t incomplete = 0;
  const std::size_t profiled =
      for_each_profiled_program(300, [&](const generated_program& g, elbrus::program& all, std::uint64_t seed) {
        random_source random(seed);
        std::string names = join("seed ", seed);
        bool is_exact = true;
        for (std::uint32_t left = 2 + random.below(5); left != 0; --left) {
          const transformation& t = transformations[random.below(transformations.size())];
          names += join(", ", t.name);
          is_exact = is_exact && t.is_exact;
          for (elbrus::procedure& p : all.procedures) {
            elbrus::editor e(p);
            t.run(e);
          }
        }
        // Where counts were divided and rounded before, a loop that is copied may lose them.
        const bool is_complete = has_all_counts(all);
        incomplete += is_complete ? 0u : 1u;
        CHECK((is_complete || !is_exact));
        if (is_complete) {
          check_profile(g, all, is_exact, names);
        }
        const std::string wrong = why_wrong(g, all);
        CHECK_MESSAGE(wrong.empty(), names, ": ", wrong);
      });
  MESSAGE(incomplete, " of ", profiled, " programs have lost counts");
  CHECK(profiled > affordable(200));
  CHECK(incomplete * 20 < profiled);
}

TEST_CASE("rotation gives no edge a probability above 1 where flows are not whole numbers") {
  // The way into the loop is taken 59.6 times, so 60 times; the guard takes 60, and 40.4 of 40 leave.
  elbrus::program all = program_of(R"(proc @f(%n: i32) -> i32 count=60 {
  node entry count=60:
    br loop
  node loop count=100:
    %i = phi.i32 [entry: 0], [body: %i1]
    %q = cmp.lt.i32 %i, 10
    br %q ? body(0.596) : exit(0.404)
  node body:
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    ret %i
}
)");
  elbrus::procedure& p = all.procedures[0];
  {
    elbrus::editor e(p);
    midend::rotate_loops(e);
  }
  CHECK(elbrus::verify(p).empty());
  const node_id header = 1;
  CHECK(p.node_count(header) == 40);
  for (const midend::edge_id e : p.out_edges(header)) {
    CHECK(p.probability(e) <= 1);
  }
}

TEST_CASE("hints about trip counts are divided") {
  const auto hints_of = [](const char* hint, auto transform) {
    const std::string text =
        join("proc @f(%n: i32) -> i32 {\n  node entry:\n    br loop\n  node loop ", hint,
             ":\n    %i = phi.i32 [entry: 0], [loop: %i1]\n    %i1 = add.i32 %i, 1\n"
             "    %q = cmp.lt.i32 %i1, %n\n    br %q ? loop : exit\n  node exit:\n    ret %i1\n}\n");
    elbrus::program all = program_of(text);
    elbrus::procedure& p = all.procedures[0];
    {
      elbrus::editor e(p);
      transform(e);
    }
    std::vector<elbrus::trip_hint> hints; // of headers, and then of other nodes that have some
    const auto loops = midend::dominators_and_loops(p).loops;
    for (const midend::loop_id l : loops.loops()) {
      hints.push_back(p.hint(loops.header(l)));
    }
    for (const node_id n : reachable(p)) {
      if (loops.innermost_loop(n) == midend::no_loop || loops.header(loops.innermost_loop(n)) != n) {
        CHECK(p.hint(n) == elbrus::trip_hint());
      }
    }
    return hints;
  };
  using all_hints = std::vector<elbrus::trip_hint>;
  const auto copied = [](midend::unrolling_kind kind, std::uint32_t factor) {
    return [=](elbrus::editor& e) {
      const midend::unrolling_request request{0, {kind, factor}};
      midend::unroll_loops(e, midend::dominators_and_loops(e.graph()).loops, {&request, 1});
    };
  };
  constexpr const char* all = "hint trip=avg:100, trip=max:1001, trip=multiple:8";
  using enum midend::unrolling_kind;
  CHECK(hints_of(all, copied(partial, 4)) == all_hints{{25, 251, 2}});
  CHECK(hints_of(all, copied(partial, 3)) == all_hints{{33, 334, 0}});
  CHECK(hints_of(all, copied(full, 3)) == all_hints{{98, 999, 0}});
  CHECK(hints_of("hint trip=max:2", copied(full, 5)) == all_hints{{0, 1, 0}});
  CHECK(hints_of("hint trip=avg:1", copied(partial, 5)) == all_hints{{1, 0, 0}});
  const all_hints both = hints_of(all, [](elbrus::editor& e) { unroll_all_with_remainder(e, 4); });
  REQUIRE(both.size() == 2);
  CHECK((both == all_hints{{24, 250, 0}, {3, 1001, 0}} || both == all_hints{{3, 1001, 0}, {24, 250, 0}}));

  // What was recorded can be taken back.
  elbrus::program before = program_of("proc @f() {\n  node entry hint trip=multiple:8589934592:\n    ret\n}\n");
  elbrus::procedure after = before.procedures[0];
  midend::recording_editor<elbrus::editor> e(after);
  e.set_trip_hints(0, {3, 4, 0x5'0000'0006});
  CHECK(after.hint(0) == elbrus::trip_hint{3, 4, 0x5'0000'0006});
  e.undo();
  CHECK(after.hint(0) == elbrus::trip_hint{0, 0, 8'589'934'592});
}
