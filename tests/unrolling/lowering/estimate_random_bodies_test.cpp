// Random bodies, unrolled and estimated: what is needed and what waits for what, from the definition; what must not
// depend on how it is computed; memory.
#include "kit/allocations.hpp"
#include "kit/random_loop_body.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/induction/count_iterations.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/copies/unroll_body.hpp>
#include <midend/unrolling/lowering/estimate_body.hpp>

#include <set>
#include <vector>

using namespace midend_tests;
using midend::body_cost;
using midend::body_kind;
using midend::dependence;
using midend::dependence_kind;
using midend::lowered_copies;
using midend::lowering_options;
using midend::operation_id;
using midend::unrolled_body;
using midend::unrolled_id;
using midend::unrolled_operand;

namespace {

/// Visits a random body in several unrollings.
template <class Visit> void for_each_unrolled(std::size_t count, Visit visit) {
  midend::unroll_body_workspace workspace;
  unrolled_body unrolled;
  for (std::uint64_t seed = 0; seed != affordable(count); ++seed) {
    random_loop_body random(seed);
    for (midend::body_value& v : random.body.values) {
      const bool is_binary = midend::arity(v.info.code) == 2 && !is_comparison(v.info.code);
      if (v.kind == body_kind::pure && is_binary && seed % 3 == 0) {
        v.info.code = midend::operation::bit_xor; // so that there are trees
        v.cost = midend::operation_class::alu;
      }
      v.reassociates = is_binary;
    }
    const midend::loop_counters counters = midend::count_iterations(random.body);
    midend::unroll_request request;
    request.copies = 1 + static_cast<std::uint32_t>(seed % 5);
    request.is_straight_line = seed % 7 == 0;
    request.begins_at_entry = seed % 14 == 0;
    midend::unroll_body(random.body, counters, request, workspace, unrolled);
    INFO("seed " << seed);
    visit(unrolled, seed);
  }
}

lowering_options options_of(std::uint64_t seed) {
  lowering_options options;
  options.reassociates = seed % 2 == 0;
  options.counts_in_hardware = seed % 3 == 0;
  options.divides_by_multiplying = seed % 5 == 0;
  return options;
}

/// Everything that a node reads.
std::vector<unrolled_id> read_by(const unrolled_body& body, unrolled_id n) {
  std::vector<unrolled_id> out;
  const midend::unrolled_node& node = body.values[n];
  for (const unrolled_operand o : body.operands_of(n)) {
    out.push_back(o.node);
  }
  if (node.kind == body_kind::load || node.kind == body_kind::store) {
    const midend::unrolled_access& a = body.accesses[node.access];
    for (const unrolled_id o : {a.base, a.index, a.stored.node}) {
      if (o != midend::no_unrolled) {
        out.push_back(o);
      }
    }
  }
  if (node.guard != midend::no_unrolled) {
    out.push_back(node.guard);
  }
  return out;
}

/// The needed values by definition: all that are reached from effects, tests and values used after the body.
std::set<unrolled_id> needed(const unrolled_body& body) {
  std::vector<unrolled_id> work;
  for (unrolled_id n = 0; n != body.values.size(); ++n) {
    const midend::unrolled_node& node = body.values[n];
    if (node.kind == body_kind::store || node.kind == body_kind::call || node.is_volatile) {
      work.push_back(n);
    }
  }
  for (const midend::unrolled_exit& e : body.exits) {
    work.push_back(e.predicate);
  }
  for (const auto* operands : {&body.live_out, &body.exit_values}) {
    for (const unrolled_operand o : *operands) {
      work.push_back(o.node);
    }
  }
  for (std::size_t p = 0; body.is_straight_line && p != body.next.size(); ++p) {
    work.push_back(body.next[p].node);
  }
  std::set<unrolled_id> reached;
  while (!work.empty()) {
    const unrolled_id n = work.back();
    work.pop_back();
    if (n == midend::no_unrolled || !reached.insert(n).second) {
      continue;
    }
    for (const unrolled_id o : read_by(body, n)) {
      work.push_back(o);
    }
    for (std::size_t p = 0; !body.is_straight_line && p != body.phis.size(); ++p) {
      if (body.phis[p] == n) {
        work.push_back(body.next[p].node);
      }
    }
  }
  return reached;
}

/// Whether some operation that stands for `consumer` waits within the pass for one that stands for `producer`, however
/// long the chain is.
bool waits(const lowered_copies& m, unrolled_id producer, unrolled_id consumer) {
  std::set<operation_id> reached;
  std::vector<operation_id> work;
  for (operation_id o = 0; o != m.graph.num_operations(); ++o) {
    if (m.origins[o].node == producer) {
      work.push_back(o);
    }
  }
  while (!work.empty()) {
    const operation_id from = work.back();
    work.pop_back();
    if (!reached.insert(from).second) {
      continue;
    }
    if (m.origins[from].node == consumer) {
      return true;
    }
    for (const dependence& d : m.graph.dependences()) {
      if (d.producer == from && d.distance == 0) {
        work.push_back(d.consumer);
      }
    }
  }
  return false;
}

} // namespace

TEST_CASE(
    "estimate_body: on random bodies, operations compute exactly the needed values, and wait for their operands") {
  const midend::machine_model m = midend::e2k_reference_v6();
  midend::estimate_body_workspace workspace;
  lowered_copies out;
  lowering_options plain;
  plain.reassociates = false;
  for_each_unrolled(2000, [&](const unrolled_body& body, std::uint64_t) {
    estimate_body(body, m, plain, workspace, out);
    const std::set<unrolled_id> wanted = needed(body);
    std::set<unrolled_id> computed;
    for (const midend::machine_operation_origin& o : out.origins) {
      if (o.node != midend::no_unrolled) {
        CHECK(wanted.contains(o.node));
        computed.insert(o.node);
      }
    }
    for (const unrolled_id n : wanted) {
      const body_kind kind = body.values[n].kind;
      if (kind == body_kind::store || kind == body_kind::call ||
          (kind == body_kind::load && (body.is_straight_line || !body.values[n].is_invariant))) {
        CHECK(computed.contains(n));
      }
      for (const unrolled_id o : computed.contains(n) ? read_by(body, n) : std::vector<unrolled_id>{}) {
        const bool may_come_early = body.values[n].kind == body_kind::load && o == body.values[n].guard;
        if (computed.contains(o) && body.values[o].kind != body_kind::phi && !may_come_early) {
          CHECK(waits(out, o, n));
        }
      }
    }
  });
}

TEST_CASE(
    "estimate_body: on random bodies, the bounds are those of the operations, and reusing memory changes nothing") {
  const midend::machine_model machines[] = {midend::e2k_reference_v6(), midend::scalar_core(), midend::e2k_guide_v4()};
  midend::estimate_body_workspace used;
  lowered_copies out;
  std::size_t grouped = 0;
  std::size_t num_operations = 0;
  for_each_unrolled(4000, [&](const unrolled_body& body, std::uint64_t seed) {
    const midend::machine_model& m = machines[seed % 3];
    const lowering_options options = options_of(seed);
    const body_cost cost = estimate_body(body, m, options, used, out);
    CHECK(cost.recurrence != midend::recurrence_status::impossible);
    CHECK(cost.critical_path == midend::critical_path(out.graph).cycles);
    CHECK(cost.recurrence_exact == midend::recurrence_bound(out.graph).exact);
    CHECK(cost.mix.size() == out.graph.num_operations());
    CHECK(cost.operations + cost.branches == out.graph.num_operations());
    CHECK(out.origins.size() == out.graph.num_operations());
    CHECK(out.literals.size() == out.graph.num_operations());
    CHECK(cost.interval >= cost.resources.cycles);
    CHECK(cost.interval >= cost.recurrence_exact.ceiling());
    CHECK((body.is_straight_line || cost.branches >= 1));
    for (const dependence& d : out.graph.dependences()) {
      CHECK((!body.is_straight_line || d.distance == 0));
    }
    midend::estimate_body_workspace fresh_workspace;
    lowered_copies fresh;
    const body_cost again = estimate_body(body, m, options, fresh_workspace, fresh);
    CHECK(again.length == cost.length);
    CHECK(again.bytes == cost.bytes);
    CHECK(again.general_registers == cost.general_registers);
    CHECK(fresh.graph == out.graph);
    CHECK(fresh.recurrence == out.recurrence);
    CHECK(fresh.savings == out.savings);
    lowering_options other = options;
    other.reassociates = !options.reassociates;
    const body_cost otherwise = estimate_body(body, m, other);
    CHECK(otherwise.operations == cost.operations);
    CHECK(otherwise.mix.counts == cost.mix.counts);
    num_operations += cost.operations;
    grouped += otherwise.recurrence_exact != cost.recurrence_exact || otherwise.critical_path != cost.critical_path;
  });
  CHECK(num_operations > affordable(20'000));
  // Few are left: what is done again to its own result, as in (x & y) & y, was folded before.
  CHECK((grouped >= 3 || midend_tests::tests_are_shortened));
}

TEST_CASE("estimate_body: nothing is allocated after the first round") {
  const midend::machine_model m = midend::e2k_reference_v6();
  midend::estimate_body_workspace workspace;
  lowered_copies out;
  std::vector<unrolled_body> bodies;
  for_each_unrolled(300, [&](const unrolled_body& body, std::uint64_t) { bodies.push_back(body); });
  const auto estimate_all = [&] {
    for (std::size_t i = 0; i != bodies.size(); ++i) {
      estimate_body(bodies[i], m, options_of(i), workspace, out);
    }
  };
  CHECK(allocations_of(estimate_all) != 0);
  CHECK(allocations_of(estimate_all) == 0);
}
