#include "kit/run_text.hpp"

#include <midend/elbrus/run/profile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace midend::elbrus;
using midend_tests::program_of;

constexpr const char* collatz = R"(
proc @steps(%n: i64) -> i64 count=7 {
  node entry count=7:
    br loop
  node loop:
    %x = phi.i64 [entry: %n], [odd: %o], [even: %e]
    %s = phi.i64 [entry: 0], [odd: %t], [even: %u]
    %end = cmp.eq.i64 %x, 1
    br %end ? exit(0.5) : step(0.5)
  node step:
    %low = trunc.i64.i1 %x
    br %low ? odd : even
  node odd:
    %thrice = mul.i64 %x, 3
    %o = add.i64 %thrice, 1
    %t = add.i64 %s, 1
    br loop
  node even:
    %e = shr.i64 %x, 1
    %u = call.i64 @next(%s) clobbers=none
    br loop
  node exit:
    ret %s
  node dead:
    br 0 ? exit2(0.25) : exit2(0.75)
  node exit2:
    ret 0
}
proc @next(%n: i64) -> i64 {
  node entry:
    %m = add.i64 %n, 1
    ret %m
}
proc @never() {
  node entry:
    ret
}
)";

std::vector<std::uint64_t> node_counts(const procedure& p) {
  std::vector<std::uint64_t> counts;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    counts.push_back(p.node_count(n));
  }
  return counts;
}

std::vector<double> probabilities(const procedure& p, midend::node_id n) {
  std::vector<double> all;
  for (const midend::edge_id e : p.out_edges(n)) {
    all.push_back(p.probability(e));
  }
  return all;
}

} // namespace

TEST_CASE("profile: counts of nodes, edges and calls go into the program") {
  program all = program_of(collatz);
  const run_result result = interpreter(all).run(0, std::array{integer_scalar(type::i64, 6)});
  CHECK(result.value == integer_scalar(type::i64, 8)); // 6 3 10 5 16 8 4 2 1
  write_profile(all, result.profile);
  const procedure& p = all.procedures[0];
  CHECK(p.count() == 1);
  CHECK(node_counts(p) == std::vector<std::uint64_t>{1, 9, 8, 2, 6, 1, 0, 0});
  CHECK(probabilities(p, 0) == std::vector<double>{-1}); // there is no choice
  CHECK(probabilities(p, 1) == std::vector<double>{1.0 / 9, 8.0 / 9});
  CHECK(probabilities(p, 2) == std::vector<double>{0.25, 0.75});
  CHECK(probabilities(p, 6) == std::vector<double>{-1, -1}); // never executed: nothing is known
  CHECK(all.procedures[1].count() == 6);
  CHECK(node_counts(all.procedures[1]) == std::vector<std::uint64_t>{6});
  CHECK(all.procedures[2].count() == 0);
  CHECK(node_counts(all.procedures[2]) == std::vector<std::uint64_t>{0});
  CHECK(midend::elbrus::verify(all).empty());
}

TEST_CASE("profile: several runs add up") {
  const program all = program_of(collatz);
  interpreter in(all);
  run_profile sum;
  for (const std::int64_t n : {6, 1, 6}) {
    add_profile(sum, in.run(0, std::array{integer_scalar(type::i64, n)}).profile);
  }
  CHECK(sum[0].calls == 3);
  CHECK(sum[1].calls == 12);
  CHECK(node_count(all.procedures[0], sum[0], 1) == 19);
  CHECK(sum[2] == procedure_profile{});
}

TEST_CASE("profile: a trap leaves the counts up to it") {
  program all = program_of("proc @f() {\n"
                           "  node entry:\n"
                           "    br loop\n"
                           "  node loop:\n"
                           "    br loop\n"
                           "}\n");
  const run_result result = interpreter(all).run(0, {}, {}, {.step_limit = 10});
  REQUIRE(result.trap.has_value());
  write_profile(all, result.profile);
  CHECK(node_counts(all.procedures[0]) == std::vector<std::uint64_t>{1, 10});
}
