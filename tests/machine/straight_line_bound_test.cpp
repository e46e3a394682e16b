// Lower bounds on straight lines: worked by hand, and never above a schedule.
#include "kit/allocations.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/critical_path.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/machine/straight_line_bound.hpp>
#include <midend/schedule/schedule_block.hpp>

#include <string>
#include <string_view>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_id;

namespace {

machine_model machine_of(std::string_view text) {
  return midend::read_machine(midend::span<const char>(text.data(), text.size())).value();
}

std::uint64_t bound_of(const dependence_graph& g, const machine_model& m) {
  return straight_line_bound(g, {}, m);
}

} // namespace

TEST_CASE("straight_line_bound: chains that meet on one channel, by hand") {
  const machine_model m = machine_of(R"(machine one_port
channels = a b # assumed
class alu channels = a # assumed
class load channels = b # assumed
class load latency = 5 # assumed
)");
  dependence_graph g;
  CHECK(bound_of(g, m) == 0);
  for (int i = 0; i != 3; ++i) { // load, then add: 6 cycles alone; the third load is issued in cycle 2
    const operation_id load_here = g.add_operation(m, load);
    g.add_dependence(m, load_here, g.add_operation(m, alu), dependence_kind::value, 0);
  }
  CHECK(critical_path(g).cycles == 6);
  CHECK(bound_of(g, m) == 8);
  g.add_dependence(m, 5, 0, dependence_kind::value, 1); // of another pass
  CHECK(bound_of(g, m) == 8);
  g.add_dependence(m, 5, 0, dependence_kind::value, 0); // now the first load follows the last sum
  CHECK(bound_of(g, m) == 12);
  g.add_dependence(m, 1, 4, dependence_kind::order, 0);
  CHECK(bound_of(g, m) == 0); // a cycle
}

TEST_CASE("straight_line_bound: a divider that blocks, resources and literals") {
  const machine_model m = machine_of(R"(machine divider
channels = a b # assumed
resource LIT32 = 1 # assumed
class alu channels = a b # assumed
class integer_divide channels = b # assumed
class integer_divide latency = 9 # assumed
class integer_divide occupancy = 7 # assumed
)");
  dependence_graph g;
  g.add_operation(m, integer_divide);
  g.add_operation(m, integer_divide);
  CHECK(bound_of(g, m) == 16); // cycles 0 and 7
  dependence_graph sums;
  for (int i = 0; i != 4; ++i) {
    sums.add_operation(m, alu);
  }
  CHECK(bound_of(sums, m) == 2);
  const std::uint8_t literals[] = {1, 1, 1, 1};
  CHECK(straight_line_bound(sums, midend::span<const std::uint8_t>(literals, 4), m) == 4);
}

TEST_CASE("straight_line_bound: enormous occupancies and uses cost no memory") {
  const machine_model m = machine_of(R"(machine slow
channels = a # assumed
resource HEAP = 4000000000 # assumed
class alu channels = a # assumed
class alu latency = 4000000000 # assumed
class alu occupancy = 4000000000 # assumed
class alu uses HEAP = 4000000000 # assumed
)");
  dependence_graph g;
  for (int i = 0; i != 1000; ++i) {
    g.add_operation(m, alu);
  }
  midend::straight_line_bound_workspace workspace;
  CHECK(straight_line_bound(g, {}, m, workspace) >= 4'000'000'000u);
  const std::size_t before = allocations_so_far();
  CHECK(straight_line_bound(g, {}, m, workspace) >= 4'000'000'000u);
  CHECK(allocations_so_far() == before);
}

TEST_CASE("straight_line_bound: between the longest chain and a schedule") {
  random_source random(91);
  int above_chain = 0;
  const machine_model clustered = clustered_machine();
  for (const machine_model& m : {midend::e2k_reference_v6(), midend::scalar_core(), clustered}) {
    for (int i = 0; i != 200; ++i) {
      const dependence_graph g = random_body(random, m, m.num_channels() == 6, 1 + random.below(40), 0);
      const auto result = schedule_block(g, m);
      const std::uint64_t bound = bound_of(g, m);
      REQUIRE(bound >= critical_path(g).cycles);
      REQUIRE(bound <= result.found.length);
      above_chain += bound > critical_path(g).cycles ? 1 : 0;
    }
  }
  CHECK(above_chain > 100);
}
