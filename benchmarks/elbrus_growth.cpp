// How transformations grow: growth/STEP/BLOCKS on procedures of the Elbrus-like IR with 10^3 to 10^6 blocks, which are
// loops that test in the header, one after the other, each with a copy, an invariant and a dead operation in its body.
// `ns_per_block` should stay what it is; `growth/dominators_and_loops` is what memory alone makes of it. Each iteration
// works on a fresh copy, which is not measured.
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/transform/apply_unrolling.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/fix_irreducible.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unify_loop_exits.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace {

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;
using midend::edge_id;
using midend::node_id;
using midend::value_id;

/// A procedure of about `blocks` blocks: three for each loop.
elbrus::procedure loops_in_a_row(std::size_t blocks) {
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::i32);
  const value_id n = p.add_parameter("n", type::i32);
  const value_id one = p.constant(type::i32, 1);
  const auto append = [&](node_id b, opcode code, std::array<value_id, 2> operands) {
    return p.append(b, {.code = code, .type = type::i32, .operands = operands});
  };
  node_id last = p.create_node("entry");
  value_id start = p.constant(type::i32, 0);
  for (std::size_t i = 0; i != blocks / 3; ++i) {
    const node_id head = p.create_node({});
    const node_id body = p.create_node({});
    const node_id next = p.create_node({});
    p.append(last, {.code = opcode::jump});
    p.add_edge(last, head);
    const value_id x = p.append_phi(head, type::i32, {}, {});
    const std::array<value_id, 2> compared = {x, n};
    const value_id less =
        p.append(head, {.code = opcode::cmp_lt, .type = type::i1, .operand_type = type::i32, .operands = compared});
    p.append(head,
             {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&less, 1)});
    p.add_edge(head, body, 1);
    p.add_edge(head, next, 0);
    const value_id invariant = append(body, opcode::mul, {n, n});
    append(body, opcode::bit_xor, {invariant, x}); // nothing reads it
    const value_id copy =
        p.append(body, {.code = opcode::mov, .type = type::i32, .operands = midend::span<const value_id>(&x, 1)});
    const value_id step = append(body, opcode::bit_or, {invariant, one});
    const value_id x1 = append(body, opcode::add, {copy, one});
    const value_id x2 = append(body, opcode::add, {x1, step});
    p.append(body, {.code = opcode::jump});
    p.add_edge(body, head);
    for (const edge_id e : p.in_edges(head)) {
      p.set_phi_input(x, e, p.edge_source(e) == last ? start : x2);
    }
    start = append(next, opcode::add, {x, one});
    last = next;
  }
  p.append(last, {.code = opcode::ret, .operand_type = type::i32, .operands = midend::span<const value_id>(&start, 1)});
  return p;
}

elbrus::cost_view cost_of(const elbrus::editor& e) {
  return elbrus::cost_view(e.graph());
}

/// Loops in closed form, as some steps ask for.
elbrus::procedure closed(elbrus::procedure p) {
  elbrus::editor e(p);
  midend::simplify_loops(e);
  midend::close_loops(e);
  return p;
}

template <class Step> void measure(benchmark::State& state, const elbrus::procedure& original, Step step) {
  for (auto _ : state) {
    elbrus::procedure p = original;
    const auto start = std::chrono::steady_clock::now();
    step(p);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["ns_per_block"] =
      benchmark::Counter(static_cast<double>(original.num_nodes()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Step> void add(const std::string& name, bool is_closed, Step step) {
  for (const std::size_t blocks :
       {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    benchmark::RegisterBenchmark(("growth/" + name + "/" + std::to_string(blocks)).c_str(),
                                 [=](benchmark::State& state) {
                                   const elbrus::procedure p = loops_in_a_row(blocks);
                                   measure(state, is_closed ? closed(p) : p, step);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

/// The same for a transformation of an editor.
template <class Editor = elbrus::editor, class Transform>
void add_transformation(const std::string& name, bool is_closed, Transform transform) {
  add(name, is_closed, [=](elbrus::procedure& p) {
    Editor e(p);
    transform(e);
  });
}

[[maybe_unused]] const bool is_registered = [] {
  add("dominators_and_loops", false,
      [](const elbrus::procedure& p) { benchmark::DoNotOptimize(midend::dominators_and_loops(p).loops.num_loops()); });
  add_transformation("simplify_loops", false, [](elbrus::editor& e) { midend::simplify_loops(e); });
  add_transformation("close_loops", false, [](elbrus::editor& e) { midend::close_loops(e); });
  add_transformation("rotate_loops", true, [](elbrus::editor& e) { midend::rotate_loops(e); });
  add_transformation("unify_loop_exits", true, [](elbrus::editor& e) { midend::unify_loop_exits(e); });
  add_transformation("fix_irreducible", false, [](elbrus::editor& e) { midend::fix_irreducible(e); });
  add_transformation("split_critical_edges", false, [](elbrus::editor& e) { midend::split_critical_edges(e); });
  add_transformation("hoist_invariants", true, [](elbrus::editor& e) { midend::hoist_invariants(e); });
  add_transformation("propagate_copies", false, [](elbrus::editor& e) { midend::propagate_copies(e); });
  add_transformation("remove_dead_code", false, [](elbrus::editor& e) { midend::remove_dead_code(e); });
  add_transformation("clean_control", true, [](elbrus::editor& e) { midend::clean_control(e); });
  add_transformation<elbrus::cost_editor>("control_canonicalization", true,
                                          [](elbrus::cost_editor& e) { midend::control_canonicalization().run(e); });
  add_transformation<elbrus::cost_editor>("low_level_package", false,
                                          [](elbrus::cost_editor& e) { midend::low_level_package().run(e); });
  add_transformation("apply_unrolling", false, [](elbrus::editor& e) {
    const midend::loop_forest loops = midend::dominators_and_loops(e.graph()).loops;
    std::vector<midend::unrolling_order> orders;
    for (const midend::loop_id l : loops.loops()) {
      orders.push_back({l, midend::unrolling_way::cycle, 2});
    }
    midend::apply_unrolling(e, loops, orders, cost_of, {.max_cloned = std::size_t{1} << 31});
  });
  return true;
}();

} // namespace
