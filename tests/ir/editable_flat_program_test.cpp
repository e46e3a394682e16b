// editable_flat_program: transformations change a flat copy as they change the program that it was made of.
#include "kit/allocations.hpp"
#include "kit/frozen_checks.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/managed_package.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unify_loop_exits.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::editable_flat_program;

static_assert(midend::ir_editor<editable_flat_program> && midend::operation_editor<editable_flat_program> &&
              midend::branch_editor<editable_flat_program> && midend::profile_editor<editable_flat_program> &&
              midend::package_editor<editable_flat_program> && midend::places_values<editable_flat_program> &&
              midend::can_clone_unguarded<editable_flat_program> && midend::cost_ir<editable_flat_program> &&
              midend::memory_editor<editable_flat_program> && midend::memory_class_editor<editable_flat_program>);

namespace {

template <class Range> std::vector<std::uint32_t> ids(Range&& range) {
  std::vector<std::uint32_t> out;
  for (auto&& id : range) {
    out.push_back(static_cast<std::uint32_t>(id));
  }
  return out;
}

/// The first thing in which a program and a flat program have a different structure or meaning; both have the same
/// numbers.
std::string difference(const elbrus::cost_editor& a, const editable_flat_program& b) {
  const auto& g = a.graph();
  const auto& h = b.graph();
  if (g.num_nodes() != h.num_nodes() || g.num_edges() != h.num_edges() || a.num_values() != b.num_values()) {
    return "numbers";
  }
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    const std::string of = " of node " + std::to_string(n);
    if (ids(g.out_edges(n)) != ids(h.out_edges(n)) || ids(g.successors(n)) != ids(h.successors(n))) {
      return "out-edges" + of;
    }
    if (ids(g.in_edges(n)) != ids(h.in_edges(n)) || ids(g.predecessors(n)) != ids(h.predecessors(n))) {
      return "in-edges" + of;
    }
    if (ids(a.values(n)) != ids(b.values(n))) {
      return "values" + of;
    }
    if (a.condition(n) != b.condition(n) || a.count(n) != b.count(n)) {
      return "condition or count" + of;
    }
  }
  for (midend::edge_id e = 0; e != g.num_edges(); ++e) {
    if (g.edge_source(e) != h.edge_source(e) || a.probability(e) != b.probability(e)) {
      return "edge " + std::to_string(e);
    }
    if (g.edge_source(e) != midend::no_node && a.condition(g.edge_source(e)) != midend::no_value &&
        !midend::same_cases(a, e, b, e)) {
      return "cases of edge " + std::to_string(e);
    }
  }
  for (midend::value_id v = 0; v != a.num_values(); ++v) {
    if (a.node_of(v) == midend::no_node) {
      if (b.node_of(v) != midend::no_node || a.constant(v) != b.constant(v) || a.is_undefined(v) != b.is_undefined(v)) {
        return "value " + std::to_string(v) + " in no node";
      }
      continue;
    }
    const std::string of = " of value " + std::to_string(v);
    if (a.is_phi(v) != b.is_phi(v) || ids(a.operands(v)) != ids(b.operands(v))) {
      return "operands" + of;
    }
    if (!(a.operation(v) == b.operation(v)) || a.guard(v).predicate != b.guard(v).predicate ||
        a.guard(v).otherwise != b.guard(v).otherwise || a.is_terminator(v) != b.is_terminator(v)) {
      return "meaning" + of;
    }
    if (!a.is_phi(v) && (a.effect(v) != b.effect(v) || a.is_removable(v) != b.is_removable(v))) {
      return "effect" + of;
    }
    const auto p = a.memory(v);
    const auto q = b.memory(v);
    if (p.has_value() != q.has_value() ||
        (p && (p->base != q->base || p->index != q->index || p->stored != q->stored || p->offset != q->offset))) {
      return "address of " + std::to_string(v);
    }
    std::vector<std::uint32_t> users = ids(a.users(v));
    std::vector<std::uint32_t> flat_users = ids(b.users(v));
    std::sort(users.begin(), users.end());
    std::sort(flat_users.begin(), flat_users.end());
    if (users != flat_users || ids(a.reading_nodes(v)).size() != ids(b.reading_nodes(v)).size()) {
      return "users of " + std::to_string(v);
    }
  }
  return {};
}

/// Lists the users of each value as a frozen program does, because new values are numbered in the order in which
/// transformations come across users.
void sort_users(elbrus::procedure& p) {
  std::vector<std::vector<std::uint32_t>> operands;
  for (midend::value_id v = 0; v != p.num_values(); ++v) {
    operands.push_back(ids(p.operands(v)));
    for (std::size_t i = 0; i != operands[v].size(); ++i) {
      p.set_operand(v, i, midend::no_value);
    }
  }
  for (auto v = static_cast<midend::value_id>(p.num_values()); v-- != 0;) {
    for (std::size_t i = 0; i != operands[v].size(); ++i) {
      p.set_operand(v, i, operands[v][i]);
    }
  }
}

/// Transformations that ask nothing that a flat program answers with less.
template <class E> void transform(E& e, std::size_t which) {
  switch (which) {
  case 0:
    midend::simplify_loops(e);
    return;
  case 1:
    midend::close_loops(e);
    return;
  case 2:
    midend::rotate_loops(e);
    return;
  case 3:
    midend::fix_irreducible(e);
    return;
  case 4:
    midend::unify_loop_exits(e);
    return;
  case 5:
    midend::split_critical_edges(e);
    return;
  case 6:
    midend::clean_control(e);
    return;
  case 7:
    midend::apply_sccp(e, midend::plan_sccp(e, midend::sccp(e, midend::strided_interval_domain())));
    return;
  case 8:
    midend::apply_value_numbering(
        e, midend::plan_value_numbering(e, midend::value_numbering(e, midend::strided_interval_domain())));
    return;
  case 9:
    midend::remove_dead_code(e);
    return;
  case 10:
    midend::apply_propagate_copies(e, midend::plan_propagate_copies(e));
    return;
  default: {
    const auto loops = midend::dominators_and_loops(e.graph()).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      requests.push_back({l, {which % 2 == 0 ? midend::unrolling_kind::partial : midend::unrolling_kind::full, 3}});
    }
    midend::unroll_loops(e, loops, requests);
  }
  }
}

constexpr std::size_t num_transformations = 13;

} // namespace

TEST_CASE("transformations change a flat copy as they change the program") {
  std::size_t changed = 0;
  editable_flat_program flat; // has held other programs
  for_each_random_program(400, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = in_ssa_form(g);
    for (elbrus::procedure& f : p.procedures) {
      sort_users(f);
      elbrus::cost_editor e(f);
      const elbrus::procedure before = f;
      midend::frozen(e, flat);
      REQUIRE(flat.is_closed());
      const elbrus::cost_view origin(before);
      flat.fold_by(origin);
      std::uint64_t random = seed * 0x9e37'79b9'7f4a'7c15 + 1;
      for (int step = 0; step != 6; ++step) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const std::size_t which = (random >> 33) % num_transformations;
        const std::uint64_t old = f.epoch();
        transform(e, which);
        transform(flat, which);
        changed += f.epoch() != old ? 1u : 0u;
        const std::string why = difference(e, flat);
        REQUIRE_MESSAGE(why.empty(), "seed ", seed, ", step ", step, ", transformation ", which, ": ", why, "\n",
                        elbrus::to_text(f));
      }
      const auto error = midend::check_ir(flat);
      CHECK_MESSAGE(!error, "seed ", seed);
    }
  });
  CHECK(changed > affordable(400));
}

namespace {

editable_flat_program editable(const elbrus::program& p) {
  editable_flat_program flat;
  midend::frozen(elbrus::cost_view(p.procedures[0]), flat);
  return flat;
}

midend::value_id first_with(const editable_flat_program& flat, midend::operation code) {
  for (midend::value_id v = 0; v != flat.num_values(); ++v) {
    if (flat.node_of(v) != midend::no_node && flat.operation(v).code == code) {
      return v;
    }
  }
  return midend::no_value;
}

} // namespace

TEST_CASE("a flat program knows what was put in the place of a value") {
  editable_flat_program flat = editable(program_of("proc @f(%x: i32) -> i32 {\n  node entry:\n"
                                                   "    %a = add.i32 %x, 7\n    %b = mul.i32 %a, %a\n    ret %b\n}\n"));
  const midend::value_id a = first_with(flat, midend::operation::add);
  const midend::value_id b = first_with(flat, midend::operation::mul);
  CHECK(flat.replacement(a) == midend::no_value);
  const midend::value_id nine = flat.make_number(32, 9);
  flat.replace_uses(b, a);
  flat.replace_uses(a, nine);
  CHECK(flat.replacement(b) == a);
  CHECK(flat.replacement(a) == nine);
  CHECK(flat.replacement(nine) == midend::no_value);
  const editable_flat_program copy = flat;
  CHECK(copy.replacement(b) == a);
  flat.clear();
  CHECK(flat.replacement(0) == midend::no_value);
}

TEST_CASE("literals of a flat program are made once, and have the type of the operations of their width") {
  editable_flat_program flat = editable(program_of("proc @f(%x: i32) -> i32 {\n  node entry:\n"
                                                   "    %a = add.i32 %x, 7\n    %b = add.i32 %a, 9\n    ret %b\n}\n"));
  const midend::value_id a = first_with(flat, midend::operation::add);
  const midend::value_id seven = flat.operands(a)[1];
  CHECK(flat.make_number(32, 7) == seven);
  CHECK(flat.make_number(32, (std::uint64_t{1} << 40) + 7) == seven); // bits above the width
  CHECK(flat.make_constant(a, 7) == seven);
  const midend::value_id eight = flat.make_number(32, 8);
  CHECK(flat.constant(eight) == 8);
  CHECK(flat.same_type(eight, a));
  CHECK(flat.make_constant(a, 8) == eight);
  CHECK(flat.origin(eight) == midend::no_value);
  const midend::value_id other = flat.make_number(16, 7);
  CHECK(!flat.same_type(other, a));
  CHECK(flat.make_number(16, 7) == other);
  CHECK(flat.make_number(0, 7) == midend::no_value);
  CHECK(flat.make_number(65, 7) == midend::no_value);
  CHECK(flat.undefined_like(a) == flat.undefined_like(seven));
  CHECK(flat.is_undefined(flat.undefined_like(a)));
  // Another program in the same object forgets them.
  midend::frozen(elbrus::cost_view(program_of("proc @g() -> i32 {\n  node entry:\n    ret 3\n}\n").procedures[0]),
                 flat);
  CHECK(flat.constant(flat.make_number(32, 7)) == 7);
}

TEST_CASE("operations that are made in a flat program trap where a literal does not exclude it") {
  using midend::operation;
  editable_flat_program flat = editable(program_of("proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n"
                                                   "    %a = add.i32 %x, %y nsw\n    ret %a\n}\n"));
  const midend::value_id a = first_with(flat, operation::add);
  const midend::value_id x = flat.operands(a)[0];
  const midend::value_id y = flat.operands(a)[1];
  const auto traps = [&](operation code, midend::value_id second) {
    const midend::value_id operands[] = {x, second};
    const midend::value_id v = flat.make_operation({code, 32, 32, {}}, operands, midend::place_before(a));
    CHECK(flat.value_after(v) == a);
    CHECK(flat.effect(v) == midend::effect_kind::none);
    CHECK(flat.is_removable(v));
    return flat.may_trap(v);
  };
  CHECK(!traps(operation::add, y));
  CHECK(traps(operation::div, y));
  CHECK(traps(operation::div, flat.make_number(32, 0)));
  CHECK(traps(operation::div, flat.make_number(32, 0xffff'ffff)));
  CHECK(!traps(operation::udiv, flat.make_number(32, 0xffff'ffff)));
  CHECK(!traps(operation::rem, flat.make_number(32, 4)));
  CHECK(traps(operation::shl, y));
  CHECK(traps(operation::sar, flat.make_number(32, 32)));
  CHECK(!traps(operation::sar, flat.make_number(32, 31)));
  CHECK(flat.may_trap(a)); // nsw
  flat.drop_promises(a);
  CHECK(!flat.may_trap(a));
  CHECK(!flat.operation(a).flags.no_signed_wrap);
  CHECK(!midend::check_ir(flat));
}

TEST_CASE("effects of a flat program follow a guard that becomes a literal") {
  editable_flat_program flat =
      editable(program_of("proc @f(%p: ptr, %g: i1, %x: i32) -> i32 {\n  node entry:\n"
                          "    st.i32 %x, [%p] ? %g\n    %a = add.i32 %x, 1 ? %g : %x\n    ret %a\n}\n"));
  const midend::value_id store = ids(flat.values(0))[0];
  const midend::value_id sum = ids(flat.values(0))[1];
  const midend::value_id x = flat.operands(store)[0];
  CHECK(flat.effect(store) == midend::effect_kind::writes);
  CHECK(!flat.is_removable(store));
  const midend::value_id clone = flat.clone_unguarded(sum, midend::place_before(sum));
  CHECK(flat.operation(clone).code == midend::operation::add);
  CHECK(ids(flat.operands(clone)).size() == 2);
  CHECK(flat.guard(clone).predicate == midend::no_value);
  CHECK(flat.guard(sum).otherwise == x);
  flat.replace_uses(flat.guard(store).predicate, flat.make_constant(flat.guard(store).predicate, 0));
  CHECK(flat.effect(store) == midend::effect_kind::none);
  CHECK(flat.is_removable(store));
  CHECK(!flat.memory(store));
  CHECK(!midend::check_ir(flat));
}

TEST_CASE("copying an editable program into one that was as large allocates nothing") {
  const elbrus::program p = program_of("proc @f(%x: i32) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                                       "    %i = phi.i32 [entry: 0], [loop: %j]\n    %j = add.i32 %i, %x\n"
                                       "    %c = cmp.lt.i32 %j, 100\n    br %c ? loop : exit\n"
                                       "  node exit:\n    ret %j\n}\n");
  const editable_flat_program original = editable(p);
  editable_flat_program trial = original;
  const auto unroll = [&] {
    const auto loops = midend::dominators_and_loops(trial.graph()).loops;
    const midend::unrolling_request request{*loops.loops().begin(), {midend::unrolling_kind::partial, 4}};
    midend::unroll_loops(trial, loops, {&request, 1});
  };
  unroll();
  CHECK(trial.num_values() > original.num_values() + 8);
  CHECK(allocations_of([&] { trial = original; }) == 0);
  CHECK(trial.num_values() == original.num_values());
  unroll();
  CHECK(!midend::check_ir(trial));
}

TEST_CASE("a flat program has memory of its own, as its IR has: a loop is split by a condition in both") {
  const elbrus::program all = program_of(R"(proc @f(%a: ptr, %n: i64) -> i64 {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [join: %i1]
    %x = ld.i64 [%a + %i*8]
    %d = itof.i64.f64 %x
    %c = cmp.gt.i64 %x, 4
    br %c ? then : else
  node then:
    %y = mul.i64 %x, 3
    st.i64 %y, [%a + %i*8]
    br join
  node else:
    %e = fadd.f64 %d, %d
    st.f64 %e, [%a + %i*8 + 800]
    br join
  node join:
    %i1 = add.i64 %i, 1
    %more = cmp.lt.i64 %i1, 50
    br %more ? loop : exit
  node exit:
    ret %i1
}
)");
  elbrus::procedure p = all.procedures[0];
  editable_flat_program flat = editable(all);
  const elbrus::cost_view view(p);
  const auto flow = midend::dominators_and_loops(p);
  midend::condition_split_plan plan = midend::plan_condition_split(view, flow, midend::evolutions(view, flow.loops));
  midend::condition_split_plan same = midend::plan_condition_split(flat, flow, midend::evolutions(flat, flow.loops));
  REQUIRE(plan.loops.size() == 1);
  REQUIRE(same.loops.size() == 1);
  CHECK(plan.loops[0].num_arms == same.loops[0].num_arms);
  CHECK(plan.bytes.size() == same.bytes.size());
  elbrus::cost_editor editor(p);
  const auto witness = midend::apply_condition_split(editor, plan);
  midend::apply_condition_split(flat, same);
  CHECK(difference(editor, flat) == "");
  CHECK(!midend::check_ir(flat));
  for (const midend::kept_value& kept : witness.kept) {
    CHECK(flat.local_array_bytes(kept.array) == 64 * 8);
    CHECK(editor.local_array_bytes(kept.array) == 64 * 8);
    CHECK(flat.storage_bytes(kept.load) == 8);
    CHECK(flat.cost(kept.load) == editor.cost(kept.load));
    CHECK(flat.cost(kept.store) == editor.cost(kept.store));
    CHECK(flat.may_trap(kept.store) == editor.may_trap(kept.store));
    CHECK(flat.is_repeatable(kept.load) == editor.is_repeatable(kept.load));
    CHECK(flat.memory(kept.load)->bytes == 8);
    CHECK(flat.memory(kept.load)->scale == 8);
    CHECK(flat.memory(kept.load)->memory == flat.memory(kept.store)->memory);
  }
  const midend::value_id spare = flat.make_local_array(8);
  CHECK(flat.local_array_bytes(spare) == 8);
  flat.erase_value(spare);
  CHECK(flat.local_array_bytes(spare) == 0);
}
