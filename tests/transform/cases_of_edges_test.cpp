// Every transformation and its checker, on an IR whose edges serve several cases.
#include "kit/cases_of_edges.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

template <case_form Form> using editor_of = with_cases<elbrus::cost_editor, Form>;
template <case_form Form> using view_of = with_cases<elbrus::cost_view, Form>;
template <case_form Form> using plain_view_of = with_cases<elbrus::effect_view, Form>;

static_assert(midend::certifiable_ir<view_of<case_form::constants>> &&
              midend::control_editor<editor_of<case_form::ranges>> &&
              !midend::has_edge_case<view_of<case_form::ranges>>);

using flat_facts = midend::sccp_result<midend::flat_domain<>>;
using range_facts = midend::sccp_result<midend::strided_interval_domain>;

/// A transformation, and whether its checker accepts what it did. `before` is the procedure as it was.
template <case_form Form> struct checked_pass {
  std::string_view name;
  std::function<bool(editor_of<Form>&, const elbrus::procedure& before)> run;
};

template <case_form Form>
bool is_unfolding(const elbrus::procedure& before, const elbrus::procedure& after, const midend::unfolding_witness& w) {
  const auto verdict = midend::verify_unfolding(view_of<Form>(before), view_of<Form>(after), w);
  return verdict && verdict.assumed == 0;
}

template <case_form Form> std::vector<checked_pass<Form>> all_passes() {
  using editor = editor_of<Form>;
  using view = view_of<Form>;
  using elbrus::procedure;
  const auto is_right = [](const procedure& before, editor& e, const midend::unfolding_witness& w) {
    return is_unfolding<Form>(before, e.graph(), w);
  };
  return {
      {"clean_control",
       [](editor& e, const procedure&) {
         procedure last = e.graph();
         bool ok = true;
         midend::clean_control(e, [&](const midend::unfolding_witness& w) {
           ok = ok && is_unfolding<Form>(last, e.graph(), w);
           last = e.graph();
         });
         return ok;
       }},
      {"control_canonicalization",
       [](editor& e, const procedure&) {
         procedure last = e.graph();
         bool ok = true;
         midend::control_canonicalization().run(e, {}, [&](const midend::unfolding_witness& w) {
           const auto verdict = midend::verify_unfolding(view(last), view(e.graph()), w);
           const auto implied = midend::verify_implied_branches(view(last), w);
           ok = ok && verdict && implied && implied.proven >= verdict.assumed;
           last = e.graph();
         });
         return ok;
       }},
      {"simplify_loops",
       [=](editor& e, const procedure& before) { return is_right(before, e, midend::simplify_loops(e).witness); }},
      {"close_loops",
       [=](editor& e, const procedure& before) { return is_right(before, e, midend::close_loops(e).witness); }},
      {"unify_loop_exits",
       [=](editor& e, const procedure& before) { return is_right(before, e, midend::unify_loop_exits(e).witness); }},
      {"rotate_loops",
       [=](editor& e, const procedure& before) { return is_right(before, e, midend::rotate_loops(e).witness); }},
      {"fix_irreducible",
       [=](editor& e, const procedure& before) { return is_right(before, e, midend::fix_irreducible(e).witness); }},
      {"unroll_loops",
       [=](editor& e, const procedure& before) {
         const auto loops = midend::dominators_and_loops(e.graph()).loops;
         std::vector<midend::unrolling_request> requests;
         for (const midend::loop_id l : loops.loops()) {
           requests.push_back({l, {l % 2 == 0 ? midend::unrolling_kind::partial : midend::unrolling_kind::full, 3}});
         }
         return is_right(before, e, midend::unroll_loops(e, loops, requests).witness);
       }},
      {"remove_dead_code",
       [](editor& e, const procedure& before) {
         const auto w = midend::remove_dead_code(e, midend::dead_code_options());
         return static_cast<bool>(midend::verify_removal(view(before), view(e.graph()), w));
       }},
      {"hoist_invariants",
       [](editor& e, const procedure& before) {
         midend::hoist_invariants(e);
         return static_cast<bool>(midend::verify_motion(view(before), view(e.graph())));
       }},
      {"propagate_copies",
       [](editor& e, const procedure& before) {
         const auto w = midend::apply_propagate_copies(e, midend::plan_propagate_copies(e));
         return static_cast<bool>(midend::verify_replacement(view(before), view(e.graph()), w));
       }},
      {"memory_redundancy",
       [](editor& e, const procedure& before) {
         const auto w = midend::apply_memory_redundancy(e, midend::plan_memory_redundancy(e));
         return static_cast<bool>(midend::verify_memory_redundancy(view(before), view(e.graph()), w));
       }},
      {"low_level_package",
       [](editor& e, const procedure&) {
         midend::low_level_package().run(e);
         return true;
       }},
      {"sccp",
       [](editor& e, const procedure& before) {
         const range_facts known = midend::sccp(e, midend::strided_interval_domain());
         midend::apply_sccp(e, midend::plan_sccp(e, known));
         return !midend::verify_sccp(view(before), known);
       }},
      {"value_numbering",
       [](editor& e, const procedure& before) {
         const auto found = midend::value_numbering(e, midend::flat_domain<>());
         midend::apply_value_numbering(e, midend::plan_value_numbering(e, found));
         return !midend::verify_congruence(view(before), found);
       }},
  };
}

template <case_form Form> void run_all_passes() {
  const auto passes = all_passes<Form>();
  std::vector<std::size_t> changed(passes.size(), 0);
  std::size_t switches = 0;
  comparison_counts runs;
  for_each_random_program(600, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    std::size_t found = 0;
    for (elbrus::procedure& p : original.program.procedures) {
      found += shift_switches(p);
    }
    switches += found;
    for (std::size_t i = 0; found != 0 && i != passes.size(); ++i) {
      elbrus::program after = original.program;
      for (elbrus::procedure& p : after.procedures) {
        const elbrus::procedure before = p;
        CHECK(!midend::check_ir(plain_view_of<Form>(before)));
        editor_of<Form> e(p);
        CHECK_MESSAGE(passes[i].run(e, before), passes[i].name, ", seed ", seed, "\n", elbrus::to_text(before),
                      elbrus::to_text(p));
        const std::string ill = why_ill_formed(p);
        CHECK_MESSAGE(ill.empty(), passes[i].name, ", seed ", seed, ": ", ill);
        const auto error = midend::check_ir(plain_view_of<Form>(p));
        CHECK_MESSAGE(!error, passes[i].name, ", seed ", seed, ": reason ", error ? static_cast<int>(error->why) : 0,
                      ", node ", error ? error->node : 0, "\n", elbrus::to_text(p));
        changed[i] += elbrus::equal(before, p) ? 0U : 1U;
      }
      const std::string wrong = why_wrong(original, after, &runs);
      CHECK_MESSAGE(wrong.empty(), passes[i].name, ", seed ", seed, ": ", wrong);
    }
  });
  CHECK(switches > affordable(400));
  for (std::size_t i = 0; i != passes.size(); ++i) {
    CHECK_MESSAGE(changed[i] != 0, passes[i].name, " changed nothing");
  }
  MESSAGE(switches, " switches; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
}

} // namespace

TEST_CASE("cases of edges: lists of constants, through every transformation and its checker") {
  run_all_passes<case_form::constants>();
}

TEST_CASE("cases of edges: ranges, through every transformation and its checker") {
  run_all_passes<case_form::ranges>();
}

namespace {

/// A switch on the upper bits of %x.
constexpr std::string_view twice_decided = R"(
proc @f(%x: i8, %y: i8) -> i32 {
  node entry:
    %t = shr.i8 %x, 2
    switch.i8 %t [1: low], [3: high], default: rest
  node low:
    %u = shr.i8 %x, 3
    switch.i8 %u [0: a], [1: b], default: c
  node high:
    %v = shr.i8 %x, 1
    switch.i8 %v [6: b], [7: b], default: c
  node rest:
    %w = shr.i8 %x, 2
    switch.i8 %w [3: a], [1: b], default: c
  node a:
    ret 1
  node b:
    ret 2
  node c:
    ret 3
}
)";

template <case_form Form> void decide_twice() {
  const elbrus::program before = program_of(twice_decided);
  elbrus::program after = before;
  editor_of<Form> e(after.procedures[0]);
  bool ok = true;
  elbrus::procedure last = after.procedures[0];
  const auto log = midend::control_canonicalization().run(e, {}, [&](const midend::unfolding_witness& w) {
    const auto verdict = midend::verify_unfolding(view_of<Form>(last), view_of<Form>(e.graph()), w);
    ok = ok && verdict && midend::verify_implied_branches(view_of<Form>(last), w).proven >= verdict.assumed;
    last = e.graph();
  });
  CHECK(ok);
  CHECK(log.count(midend::control_change::implied_branch) == 1); // in `low`, %x is 4 to 7
  for (std::uint64_t x = 0; x != 256; ++x) {
    const std::vector<elbrus::scalar> arguments = {{elbrus::type::i8, x}, {elbrus::type::i8, 0}};
    CHECK(elbrus::interpreter(before).run(0, arguments, {}, {}).value ==
          elbrus::interpreter(after).run(0, arguments, {}, {}).value);
  }
}

} // namespace

TEST_CASE("cases of edges: a branch on a value whose cases an edge has narrowed") {
  decide_twice<case_form::constants>();
  decide_twice<case_form::ranges>();
  decide_twice<case_form::signed_ranges>();
}

TEST_CASE("cases of edges: a loop in passes beside a branch whose edges have ranges") {
  const elbrus::program before = program_of(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    %t = shr.i32 %x, 2
    switch.i32 %t [1: loop], [2: done], default: other
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 1], [loop: %s1]
    %m = mul.i32 %s, 3
    %s1 = add.i32 %m, %i
    %i1 = add.i32 %i, 1
    %q = cmp.ne.i32 %i1, %n
    br %q ? loop : done
  node other:
    br done
  node done:
    %r = phi.i32 [entry: 5], [loop: %s1], [other: 6]
    ret %r
}
)");
  using editor = editor_of<case_form::ranges>;
  using view = view_of<case_form::ranges>;
  elbrus::program after = before;
  editor e(after.procedures[0]);
  const auto loops = midend::dominators_and_loops(e.graph()).loops;
  const std::vector<midend::unrolling_request> requests = {{0, with_epilogue(4)}};
  const auto plan = midend::plan_unroll_with_remainder(e, loops, requests);
  REQUIRE(plan.unrollings.size() == 1);
  midend::flat_array<midend::remainder_refusal> refused;
  const auto unrolled = midend::apply_unroll_with_remainder(e, plan, refused);
  CHECK(refused.empty());
  CHECK(is_unfolding<case_form::ranges>(before.procedures[0], e.graph(), unrolled));
  const elbrus::procedure once = e.graph();
  const auto exits = midend::plan_untaken_exits(e, midend::dominators_and_loops(once).loops);
  CHECK(exits.exits.size() == 4);
  const auto w = midend::apply_untaken_exits(e, exits);
  CHECK(midend::verify_unfolding(view(once), view(e.graph()), w));
  CHECK(midend::verify_untaken_exits(view(once), w));
  for (std::uint64_t x = 0; x != 16; ++x) {
    for (std::uint64_t n = 1; n != 12; ++n) {
      const std::vector<elbrus::scalar> arguments = {{elbrus::type::i32, x}, {elbrus::type::i32, n}};
      CHECK(elbrus::interpreter(before).run(0, arguments, {}, {}).value ==
            elbrus::interpreter(after).run(0, arguments, {}, {}).value);
    }
  }
}

TEST_CASE("cases of edges: what includes, meets and is taken, by the definition") {
  using midend::number_range;
  const auto contains = [](const number_range& r, std::uint64_t x) {
    return r.is_signed ? midend::as_signed(r.low, 3) <= midend::as_signed(x, 3) &&
                             midend::as_signed(x, 3) <= midend::as_signed(r.high, 3)
                       : r.low <= x && x <= r.high;
  };
  std::vector<number_range> all;
  for (std::uint64_t low = 0; low != 8; ++low) {
    for (std::uint64_t high = 0; high != 8; ++high) {
      all.push_back({low, high, false});
      all.push_back({low, high, true});
    }
  }
  for (const number_range& a : all) {
    for (const number_range& b : all) {
      bool includes = true;
      bool meet = false;
      for (std::uint64_t x = 0; x != 8; ++x) {
        includes = includes && (contains(a, x) || !contains(b, x));
        meet = meet || (contains(a, x) && contains(b, x));
      }
      CHECK(midend::case_includes(3, a, b) == includes);
      CHECK(midend::cases_meet(3, a, b) == meet);
    }
    for (std::uint64_t x = 0; x != 8; ++x) {
      CHECK(midend::case_includes(3, a, x) == contains(a, x));
      CHECK(midend::cases_meet(3, x, a) == contains(a, x));
    }
  }
}
