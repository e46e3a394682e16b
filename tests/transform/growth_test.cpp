#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/small_stack.hpp"
#include "kit/unrolling_forms.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/repair_ssa.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unify_loop_exits.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/unroll_with_remainder.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

// Large functions: transformations take no stack for them, allocate a few times, and the checker keeps up.

using namespace midend_tests;
using midend::edge_id;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;

namespace {

/// A procedure under construction: `x + 1`, and a branch on `x < n`.
struct draft {
  elbrus::procedure p;
  value_id n = midend::no_value;
  value_id zero = midend::no_value;
  value_id one = midend::no_value;

  draft() {
    p.set_name("f");
    p.set_result_type(type::i32);
    n = p.add_parameter("n", type::i32);
    zero = p.constant(type::i32, 0);
    one = p.constant(type::i32, 1);
  }

  value_id next(node_id b, value_id x) {
    const std::array<value_id, 2> operands = {x, one};
    return p.append(b, {.code = opcode::add, .type = type::i32, .operands = operands});
  }

  void branch(node_id b, value_id x, node_id then, node_id otherwise) {
    const std::array<value_id, 2> operands = {x, n};
    const value_id c =
        p.append(b, {.code = opcode::cmp_lt, .type = type::i1, .operand_type = type::i32, .operands = operands});
    p.append(b, {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&c, 1)});
    p.add_edge(b, then, 1);
    p.add_edge(b, otherwise, 0);
  }

  void end(node_id b, value_id v) {
    p.append(b, {.code = opcode::ret, .operand_type = type::i32, .operands = midend::span<const value_id>(&v, 1)});
  }

  /// Sets the inputs of the only phi of `b` by source.
  void set_inputs(node_id b, node_id from, value_id v) {
    const value_id phi = *p.values(b).begin();
    for (const edge_id e : p.in_edges(b)) {
      if (p.edge_source(e) == from) {
        p.set_phi_input(phi, e, v);
      }
    }
  }
};

/// So many cycles of two nodes with two entries, one after the other.
elbrus::procedure irreducible_cycles(std::size_t count) {
  draft d;
  node_id last = d.p.create_node("entry");
  for (std::size_t i = 0; i != count; ++i) {
    const node_id a = d.p.create_node({});
    const node_id b = d.p.create_node({});
    const node_id next = d.p.create_node({});
    d.branch(last, d.one, a, b);
    const value_id x = d.p.append_phi(a, type::i32, {}, {});
    const value_id y = d.p.append_phi(b, type::i32, {}, {});
    const value_id x1 = d.next(a, x);
    const value_id y1 = d.next(b, y);
    d.branch(a, x1, b, next);
    d.branch(b, y1, a, next);
    d.set_inputs(a, last, d.zero);
    d.set_inputs(a, b, y1);
    d.set_inputs(b, last, d.one);
    d.set_inputs(b, a, x1);
    last = next;
  }
  d.end(last, d.n);
  return d.p;
}

/// So many loops that test in the header, one after the other; each starts from what the last one leaves.
elbrus::procedure sibling_loops(std::size_t count) {
  draft d;
  node_id last = d.p.create_node("entry");
  value_id start = d.zero;
  for (std::size_t i = 0; i != count; ++i) {
    const node_id head = d.p.create_node({});
    const node_id body = d.p.create_node({});
    const node_id next = d.p.create_node({});
    d.p.append(last, {.code = opcode::jump});
    d.p.add_edge(last, head);
    const value_id x = d.p.append_phi(head, type::i32, {}, {});
    d.branch(head, x, body, next);
    const value_id x1 = d.next(body, x);
    d.p.append(body, {.code = opcode::jump});
    d.p.add_edge(body, head);
    d.set_inputs(head, last, start);
    d.set_inputs(head, body, x1);
    start = d.next(next, x);
    last = next;
  }
  d.end(last, start);
  return d.p;
}

/// So many loops, each but the first in the one before. Latches compute `n + 1`, which no loop changes.
elbrus::procedure nested_loops(std::size_t depth) {
  draft d;
  const node_id entry = d.p.create_node("entry");
  const node_id end = d.p.create_node("end");
  std::vector<node_id> heads;
  std::vector<node_id> latches;
  for (std::size_t i = 0; i != depth; ++i) {
    heads.push_back(d.p.create_node({}));
    latches.push_back(d.p.create_node({}));
  }
  d.p.append(entry, {.code = opcode::jump});
  d.p.add_edge(entry, heads[0]);
  value_id before = d.zero;
  for (std::size_t i = 0; i != depth; ++i) {
    const value_id x = d.p.append_phi(heads[i], type::i32, {}, {});
    d.branch(heads[i], x, i + 1 == depth ? latches[i] : heads[i + 1], i == 0 ? end : latches[i - 1]);
    d.next(latches[i], d.n);
    const value_id x1 = d.next(latches[i], x);
    d.p.append(latches[i], {.code = opcode::jump});
    d.p.add_edge(latches[i], heads[i]);
    d.set_inputs(heads[i], i == 0 ? entry : heads[i - 1], before);
    d.set_inputs(heads[i], latches[i], x1);
    before = x;
  }
  d.end(end, d.zero);
  return d.p;
}

/// So many branches, each to the next one and to `end`; the last one leads to two nodes that jump there. `end` has a
/// phi, which gets the same along all edges.
elbrus::procedure row_of_branches(std::size_t count) {
  draft d;
  const value_id c = d.p.add_parameter("c", type::i1);
  const auto branch = [&](node_id from, node_id then, node_id otherwise) {
    d.p.append(from,
               {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&c, 1)});
    d.p.add_edge(from, then, 1);
    d.p.add_edge(from, otherwise, 0);
  };
  node_id last = d.p.create_node("entry");
  const node_id end = d.p.create_node("end");
  for (std::size_t i = 1; i != count; ++i) {
    const node_id next = d.p.create_node({});
    branch(last, next, end);
    last = next;
  }
  const std::array<node_id, 2> arms = {d.p.create_node({}), d.p.create_node({})};
  branch(last, arms[0], arms[1]);
  for (const node_id arm : arms) {
    d.p.append(arm, {.code = opcode::jump});
    d.p.add_edge(arm, end);
  }
  const value_id phi = d.p.append_phi(end, type::i32, {}, {});
  for (const edge_id e : d.p.in_edges(end)) {
    d.p.set_phi_input(phi, e, d.n);
  }
  d.end(end, phi);
  return d.p;
}

/// So many branches in a row, of which only the first one is on a literal. The others are on a phi that is a literal
/// once the way of the last one that is not taken has gone; on that way is an operation that the next phi reads.
elbrus::procedure row_of_literals(std::size_t count) {
  draft d;
  const value_id c = d.p.add_parameter("c", type::i1);
  const value_id taken = d.p.constant(type::i1, 1);
  value_id condition = taken;
  node_id last = d.p.create_node("entry");
  for (std::size_t i = 0; i != count; ++i) {
    const node_id arm = d.p.create_node({});
    const node_id other = d.p.create_node({});
    const node_id join = d.p.create_node({});
    d.p.append(
        last,
        {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&condition, 1)});
    d.p.add_edge(last, arm, 1);
    d.p.add_edge(last, other, 0);
    const std::array<value_id, 2> read = {c, c};
    const value_id x = d.p.append(other, {.code = opcode::bit_xor, .type = type::i1, .operands = read});
    for (const node_id n : {arm, other}) {
      d.p.append(n, {.code = opcode::jump});
      d.p.add_edge(n, join);
    }
    condition = d.p.append_phi(join, type::i1, {}, {});
    d.set_inputs(join, arm, taken);
    d.set_inputs(join, other, x);
    last = join;
  }
  d.end(last, d.n);
  return d.p;
}

/// A branch on a bit, and so many more on another bit in a row, each to the next one and to `end`, which has a phi that
/// gets the first bit. Each node reads that twice before it branches.
elbrus::procedure row_of_decisions(std::size_t count) {
  draft d;
  const value_id c = d.p.add_parameter("c", type::i1);
  const value_id other = d.p.add_parameter("other", type::i1);
  node_id last = d.p.create_node("entry");
  const node_id end = d.p.create_node("end");
  const std::array<value_id, 2> read = {c, c};
  for (std::size_t i = 0; i <= count; ++i) {
    const value_id& condition = i == 0 ? c : other;
    const node_id next = d.p.create_node({});
    d.p.append(last, {.code = opcode::bit_xor, .type = type::i1, .operands = read});
    d.p.append(
        last,
        {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&condition, 1)});
    d.p.add_edge(last, next, 1);
    d.p.add_edge(last, end, 0);
    last = next;
  }
  d.end(last, d.n);
  const value_id phi = d.p.append_phi(end, type::i1, {}, {});
  for (const edge_id e : d.p.in_edges(end)) {
    d.p.set_phi_input(phi, e, c);
  }
  d.end(end, d.n);
  return d.p;
}

/// Counts how often edges into nodes are asked for, and, apart from them, edges out of nodes and ends of edges.
class counting_graph {
public:
  explicit counting_graph(const elbrus::procedure& p) : p_(&p) {}

  std::size_t num_nodes() const { return p_->num_nodes(); }

  std::size_t num_edges() const { return p_->num_edges(); }

  node_id entry() const { return p_->entry(); }

  auto successors(node_id n) const { return p_->successors(n); }

  auto predecessors(node_id n) const { return p_->predecessors(n); }

  auto out_edges(node_id n) const {
    ++asked_else;
    return p_->out_edges(n);
  }

  node_id edge_source(edge_id e) const {
    ++asked_else;
    return p_->edge_source(e);
  }

  node_id edge_target(edge_id e) const {
    ++asked_else;
    return p_->edge_target(e);
  }

  std::uint64_t epoch() const { return p_->epoch(); }

  auto in_edges(node_id n) const {
    ++asked;
    return p_->in_edges(n);
  }

  mutable std::size_t asked = 0;
  mutable std::size_t asked_else = 0;

private:
  const elbrus::procedure* p_;
};

struct counting_editor : elbrus::editor {
  explicit counting_editor(elbrus::procedure& p) : elbrus::editor(p), counted(p) {}

  const counting_graph& graph() const { return counted; }

  counting_graph counted;
};

struct counting_effects : elbrus::effect_view {
  explicit counting_effects(const elbrus::procedure& p) : elbrus::effect_view(p), counted(p) {}

  const counting_graph& graph() const { return counted; }

  counting_graph counted;
};

struct counting_view : elbrus::effect_view {
  using elbrus::effect_view::effect_view;

  midend::span<const value_id> operands(value_id v) const {
    ++asked;
    return elbrus::effect_view::operands(v);
  }

  mutable std::size_t asked = 0;
};

/// A loop that is left to as many blocks as it has.
/// If `reads_values`, each of them returns the value that was compared last.
elbrus::procedure loop_with_exits(std::size_t count, bool reads_values = false) {
  draft d;
  const node_id entry = d.p.create_node("entry");
  const node_id head = d.p.create_node("head");
  d.p.append(entry, {.code = opcode::jump});
  d.p.add_edge(entry, head);
  const value_id x = d.p.append_phi(head, type::i32, {}, {});
  value_id last_value = x;
  node_id last = head;
  for (std::size_t i = 0; i != count; ++i) {
    const node_id out = d.p.create_node({});
    const node_id next = d.p.create_node({});
    last_value = d.next(last, last_value);
    d.branch(last, last_value, next, out);
    d.end(out, reads_values ? last_value : d.n);
    last = next;
  }
  d.p.append(last, {.code = opcode::jump});
  d.p.add_edge(last, head);
  d.set_inputs(head, entry, d.zero);
  d.set_inputs(head, last, last_value);
  return d.p;
}

#if defined(MIDEND_UNSHORTENED_TESTS)
constexpr std::size_t large = 333'000; // a million blocks
constexpr std::size_t many = 30'000;   // of what takes longer
#else
constexpr std::size_t large = 30'000;
constexpr std::size_t many = 3'000;
#endif

} // namespace

TEST_CASE("fix_irreducible takes no stack for large functions, and allocates a few times") {
  std::size_t few = 0;
  std::size_t several = 0;
  CHECK(on_a_small_stack([&]() -> std::string {
          for (const std::size_t count : {large / 16, large}) {
            elbrus::procedure p = irreducible_cycles(count);
            elbrus::editor e(p);
            midend::irreducible_result done;
            (count == large ? several : few) = allocations_of([&] { done = midend::fix_irreducible(e); });
            if (done.dispatches != count || done.loops.num_loops() != count || !midend::cycles(p).is_reducible()) {
              return "not all cycles are fixed";
            }
          }
          return {};
        }) == "");
  MESSAGE(few, " and ", several, " allocations");
  CHECK(several < few + 100); // arrays double four times
}

TEST_CASE("a loop with many exits gets one, and the checker follows each way once") {
  CHECK(on_a_small_stack([&]() -> std::string {
          elbrus::procedure p = loop_with_exits(large);
          const elbrus::procedure before = p;
          elbrus::editor e(p);
          const auto done = midend::unify_loop_exits(e);
          const auto verdict =
              midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), done.witness);
          return done.plan.exits.size() == 1 && verdict ? "" : "not right";
        }) == "");
}

TEST_CASE("a loop that is left with as many values as it has exits keeps them if there are many") {
  // A common exit would have a phi for each value, with an input for each exit.
  const auto values_after = [](std::size_t count) {
    elbrus::procedure p = loop_with_exits(count, true);
    elbrus::editor e(p);
    const auto done = midend::unify_loop_exits(e);
    CHECK(done.plan.exits.size() + done.plan.refused.size() == 1);
    CHECK((done.plan.exits.empty() == (count * count > 1'000'000)));
    for (const midend::exit_refusal& r : done.plan.refused) {
      CHECK(r.edge == midend::no_edge);
      CHECK(r.value == midend::no_value);
    }
    std::size_t inputs = 0;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        inputs += p.operands(v).size();
      }
    }
    return inputs;
  };
  CHECK(values_after(100) > 100 * 100);
  CHECK(values_after(6'000) < 10 * 6'000);
}

TEST_CASE("repair_ssa passes over inner loops that define nothing") {
  const auto edges_asked_for = [](std::size_t depth) {
    elbrus::procedure p = nested_loops(depth);
    elbrus::editor e(p);
    midend::rotate_loops(e); // a latch, after the inner loops, tests
    const auto found = midend::dominators_and_loops(p);
    counting_editor counting(p);
    std::vector<midend::value_copy> copies;
    for (const midend::loop_id l : found.loops.loops()) {
      const value_id x = *p.values(found.loops.header(l)).begin();
      for (const value_id user : p.users(x)) {
        if (p.value(user).code == opcode::add) {
          const node_id latch = *found.loops.latches(l).begin();
          copies.push_back({x, counting.clone_value(user, midend::place_at_end(latch))});
          break;
        }
      }
    }
    midend::flat_array<value_id> inserted;
    midend::repair_ssa(counting, found.dominators, copies, inserted);
    return counting.counted.asked;
  };
  const std::size_t some = edges_asked_for(100);
  CHECK(some > 100);
  CHECK(edges_asked_for(1'000) <= 11 * some);
}

TEST_CASE("clean_control looks at what changes, where each of many branches goes only because the next one went") {
  const auto looks = [](std::size_t count) {
    elbrus::procedure p = row_of_branches(count);
    counting_editor counting(p);
    const std::size_t rounds = midend::clean_control(counting);
    CHECK(rounds >= count); // one after the other
    CHECK(p.out_edges(p.entry()).size() == 0);
    const std::size_t all = counting.counted.asked + counting.counted.asked_else;
    CHECK(midend::plan_clean_control(elbrus::editor(p)).empty());
    return all;
  };
  const std::size_t some = looks(100);
  CHECK(some > 100);
  CHECK(looks(1'000) <= 11 * some);
}

TEST_CASE(
    "clean_control looks at what changes, where each of many branches is on a literal only because the last one was") {
  const auto looks = [](std::size_t count) {
    elbrus::procedure p = row_of_literals(count);
    counting_editor counting(p);
    const std::size_t rounds = midend::clean_control(counting);
    CHECK(rounds >= count); // one after the other
    CHECK(p.out_edges(p.entry()).size() == 0);
    const std::size_t all = counting.counted.asked + counting.counted.asked_else;
    CHECK(midend::plan_clean_control(elbrus::editor(p)).empty());
    return all;
  };
  const std::size_t some = looks(100);
  const std::size_t many_looks = looks(1'000);
  MESSAGE(some, " and ", many_looks, " questions about edges");
  CHECK(some > 100);
  CHECK(many_looks <= 11 * some);
}

/// Ten times as long a row takes about ten times as many questions; `looks(procedure)` counts them.
template <class Looks> static void check_linear_in_rows(Looks looks) {
  for (const auto row : {row_of_branches, row_of_literals}) {
    const std::size_t some = looks(row(100));
    const std::size_t many_looks = looks(row(1'000));
    MESSAGE(some, " and ", many_looks, " questions about edges");
    CHECK(some > 100);
    CHECK(many_looks <= 11 * some);
  }
}

TEST_CASE("a row of branches that go one after the other is cleaned with one certificate") {
  const auto looks = [](elbrus::procedure p) {
    elbrus::procedure before = p;
    counting_editor counting(p);
    std::size_t witnesses = 0;
    midend::clean_control(counting, [&](const midend::unfolding_witness& w) {
      CHECK(midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), w));
      before = p;
      ++witnesses;
    });
    CHECK(witnesses == 1);
    CHECK(p.out_edges(p.entry()).size() == 0);
    return counting.counted.asked + counting.counted.asked_else;
  };
  check_linear_in_rows(looks);
}

TEST_CASE("the checker keeps up with rows of branches that go one after the other") {
  const auto looks = [](elbrus::procedure p) {
    const elbrus::procedure before = p;
    elbrus::editor e(p);
    std::size_t asked = 0;
    midend::clean_control(e, [&](const midend::unfolding_witness& w) {
      const counting_effects was(before);
      CHECK(midend::verify_unfolding(was, elbrus::effect_view(p), w));
      asked += was.counted.asked + was.counted.asked_else;
    });
    return asked;
  };
  check_linear_in_rows(looks);
}

TEST_CASE("edges of a row are not equal if one of them brings something else") {
  const elbrus::procedure before = row_of_branches(10);
  elbrus::procedure p = before;
  elbrus::editor e(p);
  midend::unfolding_witness one;
  midend::clean_control(e, [&](const midend::unfolding_witness& w) { one = w; });
  CHECK(midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), one));
  const node_id end = 1;
  for (const edge_id into : before.in_edges(end)) {
    elbrus::procedure other = before;
    other.set_phi_input(*other.values(end).begin(), into, other.constant(type::i32, 0));
    CHECK(!midend::verify_unfolding(elbrus::effect_view(other), elbrus::effect_view(p), one));
  }
  midend::unfolding_witness in_another_order = one; // the last edges are not yet equal
  std::reverse(in_another_order.dropped.begin(), in_another_order.dropped.end());
  CHECK(!midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), in_another_order));
}

TEST_CASE("decisions of a row of branches: one look at each node, by the facts and by the checker") {
  const auto looks = [](std::size_t count) {
    elbrus::procedure p = row_of_decisions(count);
    const elbrus::procedure before = p;
    const counting_effects was(before);
    const auto found =
        midend::sccp_with_branch_facts(was, midend::strided_interval_domain(), {.lists_decided_uses = true});
    const auto plan = midend::plan_sccp(was, found);
    CHECK(plan.uses.size() == 2 * count + (count + 1)); // operands, inputs
    elbrus::editor e(p);
    midend::apply_sccp(e, plan);
    const std::size_t planned = was.counted.asked + was.counted.asked_else;
    CHECK(!midend::verify_sccp_plan_with_branch_facts(was, found, plan));
    const std::size_t checked = was.counted.asked + was.counted.asked_else - planned;
    return std::array{planned, checked};
  };
  const auto some = looks(100);
  const auto many_looks = looks(1'000);
  MESSAGE(some[0], " and ", many_looks[0], " questions about edges to plan, ", some[1], " and ", many_looks[1],
          " to check");
  CHECK(some[0] > 100);
  CHECK(some[1] > 100);
  CHECK(many_looks[0] <= 11 * some[0]);
  CHECK(many_looks[1] <= 11 * some[1]);
  CHECK(on_a_small_stack([&]() -> std::string {
          looks(100'000);
          return {};
        }) == "");
}

TEST_CASE("hoist_invariants finds the outermost loop of a deep nest in a few steps") {
  const auto operands_asked_for = [](std::size_t depth) {
    elbrus::procedure p = nested_loops(depth);
    elbrus::editor e(p);
    midend::simplify_loops(e);
    const auto found = midend::dominators_and_loops(p);
    const counting_view view(p);
    const auto plan = midend::plan_hoist_invariants(view, found.dominators, found.loops);
    CHECK(plan.moves.size() == depth);
    for (const midend::hoisted_value& h : plan.moves) {
      CHECK(found.loops.depth(h.loop) == 1);
    }
    return view.asked;
  };
  const std::size_t some = operands_asked_for(100);
  CHECK(some > 100);
  CHECK(operands_asked_for(1'000) <= 20 * some);
}

TEST_CASE("all forms of many loops, certified, take no stack for large functions") {
  CHECK(on_a_small_stack([&]() -> std::string {
          elbrus::procedure p = sibling_loops(large);
          elbrus::procedure before = p;
          elbrus::editor e(p);
          const auto is_right = [&](const midend::unfolding_witness& w) {
            const bool right =
                static_cast<bool>(midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), w));
            before = p;
            return right;
          };
          if (!is_right(midend::simplify_loops(e).witness)) {
            return "simplify_loops";
          }
          const auto closed = midend::close_loops(e);
          if (!is_right(closed.witness) || closed.plan.phis.size() != large) {
            return "close_loops";
          }
          const auto rotated = midend::rotate_loops(e);
          if (!is_right(rotated.witness) || rotated.plan.rotations.size() != large) {
            return "rotate_loops";
          }
          if (!is_right(midend::split_critical_edges(e))) {
            return "split_critical_edges";
          }
          bool right = true;
          const std::size_t rounds =
              midend::clean_control(e, [&](const midend::unfolding_witness& w) { right = right && is_right(w); });
          return right && rounds < 5 ? "" : "clean_control";
        }) == "");
}

TEST_CASE("nodes for which others were merged are merged in their turn, in one unfolding") {
  // So many pairs of nodes, of which the second ends in a branch on a literal to the next pair.
  constexpr std::size_t pairs = 1'000;
  draft d;
  const value_id taken = d.p.constant(type::i1, 1);
  node_id last = d.p.create_node("entry");
  const node_id out = d.p.create_node("out");
  std::vector<midend::node_merge> of_pairs;
  for (std::size_t i = 0; i != pairs; ++i) {
    const node_id a = d.p.create_node({});
    const node_id b = d.p.create_node({});
    of_pairs.push_back({a, b});
    d.p.append(last,
               {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&taken, 1)});
    d.p.add_edge(last, a, 1);
    d.p.add_edge(last, out, 0);
    d.p.append(a, {.code = opcode::jump});
    d.p.add_edge(a, b);
    d.next(b, d.n);
    last = b;
  }
  d.end(last, d.n);
  d.end(out, d.zero);
  elbrus::procedure p = d.p;
  elbrus::editor e(p);
  midend::unfolding<elbrus::editor> u(e);
  midend::clean_control_workspace workspace;
  midend::control_plan first;
  first.epoch = e.graph().epoch();
  for (const midend::node_merge& m : of_pairs) {
    first.merges.push_back(m);
  }
  CHECK(midend::apply_clean_control(u, first, workspace));
  CHECK(u.witness().merged.size() == pairs);
  CHECK(midend::apply_clean_control(u, midend::plan_clean_control(e), workspace));
  CHECK(u.witness().merged.size() == pairs + 2 * pairs);
  CHECK(midend::verify_unfolding(elbrus::effect_view(d.p), elbrus::effect_view(p), u.witness()));
}

TEST_CASE("what was merged into a node is found without looking at all that was merged") {
  const auto looks = [](std::size_t count) {
    elbrus::procedure p = sibling_loops(count);
    elbrus::editor e(p);
    midend::unfolding<elbrus::editor> u(e);
    const auto num_nodes = static_cast<node_id>(p.num_nodes());
    for (node_id n = 0; n + 1 < num_nodes; n += 2) {
      u.witness().merged.push_back({n, n + 1});
    }
    std::size_t all = 0;
    for (node_id n = 2; n + 1 < num_nodes; n += 2) {
      all += u.copy_merged(n, 0);
    }
    CHECK(u.witness().merged.size() >= 3 * count - 2);
    return all;
  };
  const std::size_t some = looks(100);
  CHECK(some > 100);
  CHECK(looks(1'000) <= 11 * some);
}

TEST_CASE("many loops unrolled at once by all steps take no stack") {
  CHECK(on_a_small_stack([&]() -> std::string {
          elbrus::procedure p = sibling_loops(many);
          elbrus::editor e(p);
          const auto loops = midend::dominators_and_loops(p).loops;
          std::vector<midend::unrolling_order> orders;
          for (const midend::loop_id l : loops.loops()) {
            orders.push_back({l, with_prologue(2, true)});
          }
          const auto view_of = [](const elbrus::editor& now) { return elbrus::cost_view(now.graph()); };
          const auto done = midend::apply_unrolling(e, loops, orders, view_of, {.max_cloned = std::size_t{1} << 31});
          return done.num_unrolled() == many && done.dropped_exits == 3 * many ? "" : "not all loops";
        }) == "");
}

TEST_CASE("many loops unrolled, by copies and with remainders, certified, take no stack, and no more time for each") {
  CHECK(on_a_small_stack([&]() -> std::string {
          for (const bool has_remainder : {false, true}) {
            elbrus::procedure p = sibling_loops(large);
            const elbrus::procedure before = p;
            elbrus::editor e(p);
            const auto loops = midend::dominators_and_loops(p).loops;
            midend::flat_array<midend::remainder_refusal> refused;
            midend::unfolding_witness w;
            if (has_remainder) {
              std::vector<midend::unrolling_request> requests;
              for (const midend::loop_id l : loops.loops()) {
                requests.push_back({l, with_epilogue(2)});
              }
              const auto plan = midend::plan_unroll_with_remainder(elbrus::cost_view(p), loops, requests,
                                                                   {.max_cloned = std::size_t{1} << 31});
              w = midend::apply_unroll_with_remainder(e, plan, refused);
              if (plan.unrollings.size() != large) {
                return "not all loops get remainders";
              }
            } else {
              std::vector<midend::unrolling_request> requests;
              for (const midend::loop_id l : loops.loops()) {
                requests.push_back({l, {midend::unrolling_kind::partial, 2}});
              }
              const auto done = midend::unroll_loops(e, loops, requests, {.max_cloned = std::size_t{1} << 31});
              if (done.plan.unrollings.size() != large) {
                return "not all loops are unrolled";
              }
              w = done.witness;
            }
            if (!midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), w)) {
              return has_remainder ? "the remainders" : "the copies";
            }
          }
          return {};
        }) == "");
}
