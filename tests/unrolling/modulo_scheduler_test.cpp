// The bounds against schedules: never above the interval of one, and attained by nearly all.
#include "kit/affordable.hpp"
#include "kit/modulo_scheduler.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/recurrence_bound.hpp>
#include <midend/machine/resource_bound.hpp>
#include <midend/machine/scalar_core.hpp>

#include <algorithm>
#include <map>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_class;
using midend::operation_id;

namespace {

std::int64_t bound_of(const machine_model& m, const dependence_graph& g) {
  const auto resources = resource_bound(m, mix_of(g));
  const auto recurrences = midend::recurrence_bound(g);
  REQUIRE_FALSE(resources.is_impossible);
  REQUIRE(recurrences.status != midend::recurrence_status::impossible);
  return static_cast<std::int64_t>(std::max(resources.cycles, recurrences.cycles()));
}

operation_class random_class(random_source& random, bool wide) {
  constexpr operation_class everywhere[] = {alu,    alu,  alu,   shift,          load,        load,  compare,
                                            fp_add, move, store, integer_divide, fp_multiply, merge, integer_multiply};
  constexpr operation_class only_wide[] = {combined_alu, fused_multiply_add, array_read, predicate_logic};
  return wide && random.one_in(6) ? only_wide[random.below(4)] : everywhere[random.below(14)];
}

/// Operations read earlier results, mostly near ones; some recurrences lead back.
dependence_graph random_loop(random_source& random, const machine_model& m, bool wide) {
  dependence_graph g;
  const std::uint32_t count = 4 + random.below(37);
  for (std::uint32_t o = 0; o != count; ++o) {
    g.add_operation(m, random_class(random, wide));
    for (std::uint32_t uses = o == 0 ? 0 : random.below(3); uses != 0; --uses) {
      const std::uint32_t from = o - 1 - random.below(std::min<std::uint32_t>(o, 8));
      if (g.operation(from).kind != store) {
        g.add_dependence(m, from, o, dependence_kind::value, 0);
      }
    }
  }
  for (std::uint32_t back = random.below(4); back != 0; --back) {
    const operation_id from = random.below(count);
    const operation_id to = random.below(from + 1);
    g.add_dependence(m, from, to, g.operation(from).kind == store ? dependence_kind::memory : dependence_kind::value,
                     1 + random.below(2));
  }
  return g;
}

void check_random_loops(const machine_model& m, bool wide, const char* name) {
  random_source random(6);
  std::map<std::int64_t, int> above;
  const int loops = static_cast<int>(affordable(1000));
  for (int i = 0; i != loops; ++i) {
    const dependence_graph g = random_loop(random, m, wide);
    const std::int64_t bound = bound_of(m, g);
    if (bound > 1) {
      REQUIRE_FALSE(schedule_modulo(m, g, bound - 1, bound - 1).has_value());
    }
    const auto schedule = schedule_modulo(m, g, bound, 4 * bound + 40);
    REQUIRE(schedule.has_value());
    REQUIRE(is_valid_schedule(m, g, *schedule));
    REQUIRE(schedule->interval >= bound);
    ++above[schedule->interval - bound];
  }
  std::string distribution;
  for (const auto& [cycles, count] : above) {
    distribution += join(distribution.empty() ? "" : ", ", "+", static_cast<std::uint64_t>(cycles), ": ",
                         static_cast<std::uint64_t>(count));
  }
  MESSAGE(std::string(name), ", interval above the bound in ", loops, " loops: ", distribution);
  CHECK(above[0] >= loops * 9 / 10);
}

} // namespace

TEST_CASE("modulo_scheduler: 1000 random loops on the reference machine") {
  check_random_loops(midend::e2k_reference_v6(), true, "e2k_reference_v6");
}

TEST_CASE("modulo_scheduler: 1000 random loops on the older profile") {
  check_random_loops(midend::e2k_guide_v4(), true, "e2k_guide_v4");
}

TEST_CASE("modulo_scheduler: 1000 random loops on a scalar core") {
  check_random_loops(midend::scalar_core(), false, "scalar_core");
}

TEST_CASE("modulo_scheduler: the golden loops attain their bounds") {
  const machine_model m = midend::e2k_reference_v6();
  const auto independent = [&](std::initializer_list<std::pair<operation_class, int>> counts) {
    dependence_graph g;
    for (const auto& [c, count] : counts) {
      for (int i = 0; i != count; ++i) {
        g.add_operation(m, c);
      }
    }
    return g;
  };
  const auto interval = [&](const dependence_graph& g) {
    const auto schedule = schedule_modulo(m, g, bound_of(m, g), 100);
    return schedule && is_valid_schedule(m, g, *schedule) ? schedule->interval : 0;
  };
  CHECK(interval(independent(
            {{fused_multiply_add, 2}, {fp_add, 6}, {fp_divide_single, 2}, {store, 1}, {array_read, 3}})) == 4);
  CHECK(interval(independent({{alu, 10}, {integer_multiply, 4}, {store, 2}, {array_read, 6}})) == 3);
  dependence_graph table =
      independent({{alu, 7}, {combined_alu, 2}, {integer_multiply, 4}, {load, 8}, {store, 2}, {array_read, 2}});
  table.add_dependence(m, 7, 8, dependence_kind::value, 0); // the two combined operations
  table.add_dependence(m, 8, 7, dependence_kind::value, 1);
  CHECK(midend::recurrence_bound(table).cycles() == 4);
  CHECK(interval(table) == 4);
  CHECK(interval(independent({{fused_multiply_add, 64}, {fp_multiply, 16}, {store, 8}, {array_read, 16}})) == 15);
}
