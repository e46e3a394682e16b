// SSA construction of procedures: the text that comes out, and runs before and after on random programs.
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;
using namespace midend_tests;

namespace {

std::string constructed(std::string_view text, ssa_algorithm algorithm) {
  program all = program_of(text);
  construct_ssa(all, algorithm);
  CHECK(verify(all).empty());
  return to_text(all);
}

/// Both algorithms keep the meaning and need as many phis.
void check_random_programs(std::uint64_t first_seed, std::size_t count, const random_program_options& options) {
  for (std::uint64_t seed = first_seed; seed != first_seed + affordable(count); ++seed) {
    const generated_program generated = random_program(seed, options);
    std::vector<std::size_t> phis;
    for (const ssa_algorithm algorithm : {ssa_algorithm::dominance_frontiers, ssa_algorithm::on_the_fly}) {
      program transformed = generated.program;
      std::size_t made = 0;
      for (procedure& p : transformed.procedures) {
        made += construct_ssa(p, algorithm).num_phis();
      }
      phis.push_back(made);
      const std::string wrong = why_wrong(generated, transformed);
      REQUIRE_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
    }
    CHECK_MESSAGE((options.unreachable_nodes || phis[0] == phis[1]), "seed ", seed);
  }
}

} // namespace

TEST_CASE("construct_ssa of a procedure: phis, names and what is undefined") {
  const std::string_view text = R"(
proc @f(%a: i32, %x.1: i32) -> i32 {
  var $x: i32
  var $x.2: i32
  var $never: i32
  var $unused: i8
  node entry:
    $x.2 = add.i32 %a, %x.1
    %p = cmp.lt.i32 $x.2, 10
    br %p ? left : right
  node left:
    $x = mov.i32 $x.2
    br end
  node right:
    $x = shl.i32 $x.2, 1 ? %p : $x.2
    $x.2 = add.i32 $x, $x
    br end
  node end:
    %s = sub.i32 $x, $x.2
    %n = mov.i32 $never spec
    ret %s
}
)";
  const std::string expected = R"(proc @f(%a: i32, %x.1: i32) -> i32 {
  node entry:
    %x.2 = add.i32 %a, %x.1
    %p = cmp.lt.i32 %x.2, 10
    br %p ? left : right
  node left:
    %x = mov.i32 %x.2
    br end
  node right:
    %x.3 = shl.i32 %x.2, 1 ? %p : %x.2
    %x.2.1 = add.i32 %x.3, %x.3
    br end
  node end:
    %x.4 = phi.i32 [left: %x], [right: %x.3]
    %x.2.2 = phi.i32 [left: %x.2], [right: %x.2.1]
    %s = sub.i32 %x.4, %x.2.2
    %n = mov.i32 undef spec
    ret %s
}
)";
  CHECK(constructed(text, ssa_algorithm::dominance_frontiers) == expected);
  CHECK(constructed(text, ssa_algorithm::on_the_fly).size() == expected.size()); // phis may change places

  program all = program_of(text);
  const midend::inserted_phis result = construct_ssa(all.procedures[0]);
  CHECK(result.num_phis() == 2);
  CHECK(result.phis(0).size() == 1);
  CHECK(result.phis(2).empty());
  REQUIRE(result.undefined_variables().size() == 1);
  CHECK(result.undefined_variables()[0] == 2);
}

TEST_CASE("construct_ssa of a procedure: parallel edges, switches and unreachable nodes") {
  const std::string_view text = R"(
proc @f(%a: i32) -> i32 {
  var $x: i32
  node entry:
    $x = mov.i32 %a
    switch.i32 %a [1: end], [2: end], [3: more], default: end
  node more:
    $x = mov.i32 7
    br %p0 ? end : end
  node end:
    ret $x
  node dead:
    $x = add.i32 $x, 1
    br end
}
)";
  std::string with_condition(text);
  with_condition.replace(with_condition.find("    br %p0"), 0, "    %p0 = cmp.eq.i32 %a, 3\n");
  for (const ssa_algorithm algorithm : {ssa_algorithm::dominance_frontiers, ssa_algorithm::on_the_fly}) {
    const std::string out = constructed(with_condition, algorithm);
    INFO(out);
    CHECK(out.find("phi.i32 [entry: %x], [entry: %x], [entry: %x], [more: %x.1], [more: %x.1], [dead: %x.3]") !=
          std::string::npos);
    CHECK(out.find("%x.3 = add.i32 undef, 1") != std::string::npos);
  }
}

// 10,000 programs of all kinds: random_program_test.cpp.
TEST_CASE(
    "construct_ssa: both algorithms on random programs without unreachable nodes, with irreducible flow, and traps") {
  check_random_programs(1, 1000, {.form = program_form::variables, .operations = 30, .unreachable_nodes = false});
  check_random_programs(20'001, 1000,
                        {.form = program_form::mixed,
                         .operations = 30,
                         .unreachable_nodes = false,
                         .irreducible = true,
                         .endless = true});
  check_random_programs(30'001, 500, {.form = program_form::mixed, .operations = 60, .traps = true});
}
