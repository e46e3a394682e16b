// How transformations grow: growth/STEP/SHAPE-BLOCKS on procedures of the Elbrus-like IR, which are loops in a row, a
// nest, or one loop with many exits. Bodies have a copy, an invariant and a dead operation. `ns_per_block` should stay
// what it is, unless caches cannot hold the procedure any more: `of_search` is the median of the times divided by that
// of a plain depth-first search, which looks at each operation once, over another fresh copy in each iteration. Copies
// are not measured.
//
// growth/STEP/procedures-1000000 does the same with 1,000 procedures of loops in a row, of 1,000 blocks each, one after
// the other: all are copied before, so none of them is in a cache when it is worked on, as in a compiler. A row of 10^6
// blocks in comparison with these shows how the algorithm grows, in comparison with row-1000 also what caches do.
#include "medians.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/low_level_package.hpp>
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
#include <midend/unrolling/apply_unrolling.hpp>

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

/// Makes procedures block by block.
class builder {
public:
  builder() {
    p_.set_name("f");
    p_.set_result_type(type::i32);
    n_ = p_.add_parameter("n", type::i32);
    one_ = p_.constant(type::i32, 1);
  }

  node_id block() { return p_.create_node({}); }

  value_id zero() { return p_.constant(type::i32, 0); }

  void jump(node_id from, node_id to) {
    p_.append(from, {.code = opcode::jump});
    p_.add_edge(from, to);
  }

  value_id phi(node_id b) { return p_.append_phi(b, type::i32, {}, {}); }

  /// `first` for the edge from `entering`, `next` for the others.
  void set_phi(node_id b, value_id phi, node_id entering, value_id first, value_id next) {
    for (const edge_id e : p_.in_edges(b)) {
      p_.set_phi_input(phi, e, p_.edge_source(e) == entering ? first : next);
    }
  }

  /// Goes on to `yes` if x is less than n.
  void branch_if_less(node_id from, value_id x, node_id yes, node_id no) {
    const std::array<value_id, 2> compared = {x, n_};
    const value_id less =
        p_.append(from, {.code = opcode::cmp_lt, .type = type::i1, .operand_type = type::i32, .operands = compared});
    p_.append(from,
              {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&less, 1)});
    p_.add_edge(from, yes, 1);
    p_.add_edge(from, no, 0);
  }

  value_id next_of(node_id b, value_id x) { return operation(b, opcode::add, x, one_); }

  /// The next value of x: with an invariant, a copy, and an operation that nothing reads.
  value_id body(node_id b, value_id x) {
    const value_id invariant = operation(b, opcode::mul, n_, n_);
    operation(b, opcode::bit_xor, invariant, x);
    const value_id copy =
        p_.append(b, {.code = opcode::mov, .type = type::i32, .operands = midend::span<const value_id>(&x, 1)});
    const value_id step = operation(b, opcode::bit_or, invariant, one_);
    return operation(b, opcode::add, next_of(b, copy), step);
  }

  elbrus::procedure finish(node_id last, value_id result) {
    p_.append(last,
              {.code = opcode::ret, .operand_type = type::i32, .operands = midend::span<const value_id>(&result, 1)});
    return std::move(p_);
  }

private:
  value_id operation(node_id b, opcode code, value_id x, value_id y) {
    const std::array<value_id, 2> operands = {x, y};
    return p_.append(b, {.code = code, .type = type::i32, .operands = operands});
  }

  elbrus::procedure p_;
  value_id n_;
  value_id one_;
};

elbrus::procedure loops_in_a_row(std::size_t count) {
  builder f;
  node_id last = f.block();
  value_id start = f.zero();
  for (std::size_t i = 0; i != count; ++i) {
    const node_id head = f.block();
    const node_id body = f.block();
    const node_id next = f.block();
    f.jump(last, head);
    const value_id x = f.phi(head);
    f.branch_if_less(head, x, body, next);
    const value_id x1 = f.body(body, x);
    f.jump(body, head);
    f.set_phi(head, x, last, start, x1);
    start = f.next_of(next, x);
    last = next;
  }
  return f.finish(last, start);
}

/// Each loop but the first is the body of another.
elbrus::procedure nest(std::size_t depth) {
  builder f;
  const node_id entry = f.block();
  const node_id end = f.block();
  std::vector<node_id> heads;
  std::vector<node_id> latches;
  for (std::size_t i = 0; i != depth; ++i) {
    heads.push_back(f.block());
    latches.push_back(f.block());
  }
  f.jump(entry, heads[0]);
  const value_id zero = f.zero();
  value_id before = zero;
  for (std::size_t i = 0; i != depth; ++i) {
    const value_id x = f.phi(heads[i]);
    f.branch_if_less(heads[i], x, i + 1 == depth ? latches[i] : heads[i + 1], i == 0 ? end : latches[i - 1]);
    const value_id next = f.body(latches[i], x);
    f.jump(latches[i], heads[i]);
    f.set_phi(heads[i], x, i == 0 ? entry : heads[i - 1], before, next);
    before = x;
  }
  return f.finish(end, zero);
}

/// One loop whose blocks all may leave it.
elbrus::procedure exits(std::size_t count) {
  builder f;
  const node_id entry = f.block();
  const node_id end = f.block();
  const node_id head = f.block();
  f.jump(entry, head);
  const value_id x = f.phi(head);
  value_id x1 = x;
  node_id last = head;
  for (std::size_t i = 0; i != count; ++i) {
    const node_id next = f.block();
    f.branch_if_less(last, x1, next, end);
    x1 = f.next_of(next, x1);
    last = next;
  }
  f.jump(last, head);
  f.set_phi(head, x, entry, f.zero(), x1);
  return f.finish(end, x);
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

/// Follows each edge and reads each operation once, by a stack of its own; returns how many operations are phis.
std::size_t search(const elbrus::procedure& p) {
  std::vector<unsigned char> reached(p.num_nodes(), 0);
  std::vector<node_id> todo = {p.entry()};
  reached[p.entry()] = 1;
  std::size_t phis = 0;
  while (!todo.empty()) {
    const node_id n = todo.back();
    todo.pop_back();
    for (const value_id v : p.values(n)) {
      phis += p.is_phi(v) ? 1u : 0u;
    }
    for (const edge_id e : p.out_edges(n)) {
      const node_id to = p.edge_target(e);
      if (reached[to] == 0) {
        reached[to] = 1;
        todo.push_back(to);
      }
    }
  }
  return phis;
}

/// Seconds that a step takes on fresh copies, one after the other.
template <class Step> double time_of(const elbrus::procedure& original, std::size_t copies, Step step) {
  std::vector<elbrus::procedure> all(copies, original);
  const auto start = std::chrono::steady_clock::now();
  for (elbrus::procedure& p : all) {
    step(p);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Step>
void measure(benchmark::State& state, const elbrus::procedure& original, std::size_t copies, Step step) {
  std::vector<double> times;
  std::vector<double> searches;
  for (auto _ : state) {
    searches.push_back(
        time_of(original, copies, [](const elbrus::procedure& p) { benchmark::DoNotOptimize(search(p)); }));
    times.push_back(time_of(original, copies, step));
    state.SetIterationTime(times.back());
  }
  state.counters["of_search"] = midend_benchmarks::median(times) / midend_benchmarks::median(searches);
  state.counters["ns_per_block"] =
      benchmark::Counter(static_cast<double>(original.num_nodes() * copies) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

struct shape {
  const char* name;
  elbrus::procedure (*make)(std::size_t);
  std::size_t blocks; ///< for each loop or exit
  std::size_t most;
};

constexpr std::array<shape, 3> shapes = {
    {{"row", loops_in_a_row, 3, 1'000'000}, {"nest", nest, 2, 20'000}, {"exits", exits, 1, 100'000}}};

template <class Step> void add(const std::string& name, bool is_closed, Step step) {
  const auto add_one = [&](const std::string& size, elbrus::procedure (*make)(std::size_t), std::size_t count,
                           std::size_t copies) {
    benchmark::RegisterBenchmark(("growth/" + name + "/" + size).c_str(),
                                 [=](benchmark::State& state) {
                                   const elbrus::procedure p = make(count);
                                   measure(state, is_closed ? closed(p) : p, copies, step);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const shape& s : shapes) {
    for (std::size_t blocks = s.most == 20'000 ? 2'000 : 1'000; blocks <= s.most; blocks *= 10) {
      add_one(s.name + ("-" + std::to_string(blocks)), s.make, blocks / s.blocks, 1);
    }
  }
  add_one("procedures-1000000", loops_in_a_row, 1'000 / 3, 1'000);
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
      orders.push_back({l, {midend::unrolling_kind::partial, 2}});
    }
    midend::apply_unrolling(e, loops, orders, cost_of, {.max_cloned = std::size_t{1} << 31});
  });
  return true;
}();

} // namespace
