// frozen: flat copies of programs answer as the programs, and certificates take them as the program before.
#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/frozen_checks.hpp"
#include "kit/semantic_ir.hpp"
#include "managed/memory_mistakes.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/cleaning_mistakes.hpp"
#include "transform/unfolding_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/simplify_loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::flat_program;
using midend::frozen;

static_assert(midend::cost_ir<flat_program> && midend::effect_ir<flat_program> && midend::memory_ir<flat_program> &&
              midend::profile_ir<flat_program> && midend::certifiable_ir<flat_program> &&
              midend::places_values<flat_program> && midend::has_wide_numbers<flat_program> &&
              midend::has_users<flat_program> && midend::has_parameters<flat_program> &&
              midend::has_partial_fold<flat_program> && midend::has_same_type<flat_program> &&
              midend::has_bounds<flat_program> && midend::has_never_returns<flat_program> &&
              midend::has_is_undefined<flat_program> && midend::has_is_opaque<flat_program> &&
              midend::has_guard<flat_program> && midend::has_identity<flat_program> &&
              midend::has_may_write<flat_program> && midend::has_assumed<flat_program> &&
              midend::has_low_sum<flat_program> && midend::has_trip_hints<flat_program> &&
              midend::has_must_end<flat_program> && midend::has_loop_ends<flat_program> &&
              midend::has_may_trap_without_promises<flat_program> && midend::has_describe<flat_program> &&
              midend::has_is_removable<flat_program> && midend::has_is_repeatable<flat_program> &&
              midend::has_is_convergent<flat_program> && midend::has_accepts_operations<flat_program>);
static_assert(midend::bidirectional_flow_graph<midend::flat_program_graph> &&
              midend::edge_indexed_flow_graph<midend::flat_program_graph>);

TEST_CASE("a frozen program answers as the program: random programs, through each view, before and after edits") {
  flat_program kept; // has seen other programs
  std::size_t described = 0;
  for_each_random_program(600, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = in_ssa_form(g);
    for (elbrus::procedure& f : p.procedures) {
      elbrus::cost_editor e(f);
      worsen(e, f, seed);
      const auto compare = [&](const auto& ir, const char* what) {
        frozen(ir, kept);
        const std::string why = frozen_difference(ir, kept);
        CHECK_MESSAGE(why.empty(), "seed ", seed, ", ", what, ": ", why, "\n", elbrus::to_text(f));
        CHECK(frozen_difference(ir, frozen(ir)).empty());
        const flat_program copy = kept;
        CHECK(frozen_difference(ir, copy).empty());
        described += copy.has_descriptions() ? 1u : 0u;
        if (const auto error = midend::check_ir(ir); !error) {
          CHECK_MESSAGE(!midend::check_ir(copy), "seed ", seed, ", ", what);
        }
      };
      compare(elbrus::semantic_view(f), "semantic_view");
      compare(elbrus::effect_view(f), "effect_view");
      compare(elbrus::cost_view(f), "cost_view");
      compare(static_cast<const elbrus::editor&>(e), "editor");
      compare(e, "cost_editor");
      midend::remove_dead_code(e); // leaves erased values, edges and nodes
      compare(e, "cost_editor after an edit");
    }
  });
  CHECK(described > affordable(600));
}

TEST_CASE("a frozen program has unreachable nodes, parallel edges, and graphs without exit") {
  std::size_t programs = 0;
  for (const test_graph& g : ugly_graphs()) {
    random_source random(programs++);
    const semantic_program p = random_semantic_program(random, g, {});
    const flat_program copy = frozen(p);
    const std::string why = frozen_difference(p, copy);
    CHECK_MESSAGE(why.empty(), g.name, ": ", why);
    CHECK(!copy.has_descriptions());
    for (midend::value_id v = 0; v != copy.num_values(); ++v) {
      CHECK(!copy.same_operation(v, copy, v)); // nothing is known about them
    }
    // An IR without effects: nothing can be removed.
    for (node_id n = 0; n != copy.graph().num_nodes(); ++n) {
      for (const midend::value_id v : copy.values(n)) {
        CHECK((copy.is_phi(v) || !midend::is_removable(copy, v)));
        CHECK((copy.is_phi(v) || (copy.may_trap(v) && copy.may_write(v, midend::any_memory) && copy.may_write(v, 3))));
      }
    }
  }
  CHECK(programs > 10);
  const flat_program nothing;
  CHECK(nothing.graph().num_nodes() == 0);
  CHECK(nothing.num_values() == 0);
  CHECK(frozen_difference(nothing, frozen(nothing)).empty());
}

namespace {

/// A graph that knows no in-edges, and whose edges are numbered backwards, with a gap for each: edge 2 · i + 1 is the
/// one that a `csr_graph` calls number i from the end.
class sparse_graph {
public:
  explicit sparse_graph(const test_graph& g) : graph_(make_csr(g)) {}

  std::size_t num_nodes() const { return graph_.num_nodes(); }

  node_id entry() const { return graph_.entry(); }

  auto successors(node_id n) const { return graph_.successors(n); }

  std::size_t num_edges() const { return 2 * graph_.num_edges(); }

  std::vector<midend::edge_id> list(node_id n) const {
    std::vector<midend::edge_id> out;
    for (const midend::edge_id e : graph_.out_edges(n)) {
      out.push_back(translated(e));
    }
    return out;
  }

  std::span<const midend::edge_id> out_edges(node_id n) const {
    if (lists_.empty()) {
      for (node_id m = 0; m != num_nodes(); ++m) {
        lists_.push_back(list(m));
      }
    }
    return lists_[n];
  }

  node_id edge_source(midend::edge_id e) const { return e % 2 == 1 ? graph_.edge_source(original(e)) : no_node; }

  node_id edge_target(midend::edge_id e) const {
    REQUIRE(e % 2 == 1); // an erased edge is in no list
    return graph_.edge_target(original(e));
  }

private:
  midend::edge_id translated(midend::edge_id e) const {
    return static_cast<midend::edge_id>(2 * (graph_.num_edges() - 1 - e) + 1);
  }

  midend::edge_id original(midend::edge_id e) const {
    return static_cast<midend::edge_id>(graph_.num_edges() - 1 - e / 2);
  }

  midend::csr_graph graph_;
  mutable std::vector<std::vector<midend::edge_id>> lists_;
};

/// One value, 0, in each node with predecessors: a phi of literals that are as many as edges. Its inputs are `1 + e`.
struct sparse_program {
  using constant_type = std::uint64_t;

  explicit sparse_program(const test_graph& g) : cfg(g) {
    for (node_id n = 0; n != cfg.num_nodes(); ++n) {
      for (const midend::edge_id e : cfg.out_edges(n)) {
        in.resize(cfg.num_nodes());
        in[cfg.edge_target(e)].push_back(e);
      }
    }
    in.resize(cfg.num_nodes());
    for (node_id n = 0; n != cfg.num_nodes(); ++n) {
      phis.push_back(first_phi() + n);
    }
  }

  midend::value_id first_phi() const { return static_cast<midend::value_id>(cfg.num_edges()); }

  const sparse_graph& graph() const { return cfg; }

  std::size_t num_values() const { return cfg.num_edges() + cfg.num_nodes(); }

  bool has_phi(node_id n) const { return n != cfg.entry() && !in[n].empty(); }

  std::span<const midend::value_id> values(node_id n) const { return {phis.data() + n, has_phi(n) ? 1u : 0u}; }

  std::vector<midend::value_id> operands(midend::value_id v) const {
    return is_phi(v) ? in[v - first_phi()] : std::vector<midend::value_id>();
  }

  bool is_phi(midend::value_id v) const { return v >= first_phi() && has_phi(v - first_phi()); }

  midend::value_id phi_input(midend::value_id, midend::edge_id e) const { return e; }

  midend::value_id condition(node_id) const { return midend::no_value; }

  std::optional<std::uint64_t> constant(midend::value_id v) const {
    return v < first_phi() ? std::optional<std::uint64_t>(v) : std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(midend::edge_id) const { return std::nullopt; }

  sparse_graph cfg;
  std::vector<std::vector<midend::edge_id>> in;
  std::vector<midend::value_id> phis;
};

} // namespace

TEST_CASE("a frozen program derives in-edges, and keeps numbers of edges that are gone") {
  for (const test_graph& g : random_graphs()) {
    const sparse_program p(g);
    const flat_program copy = frozen(p);
    const std::string why = frozen_difference(p, copy);
    CHECK_MESSAGE(why.empty(), g.name, ": ", why);
    for (node_id n = 0; n != copy.graph().num_nodes(); ++n) {
      const auto edges = copy.graph().in_edges(n);
      CHECK(std::is_sorted(edges.begin(), edges.end()));
    }
    for (midend::edge_id e = 0; e < copy.graph().num_edges(); e += 2) {
      CHECK(copy.graph().edge_source(e) == no_node);
      CHECK(copy.graph().edge_target(e) == no_node);
    }
  }
}

TEST_CASE("analyses of a frozen program give the answers for the program") {
  std::size_t constants = 0;
  for_each_random_program(300, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = in_ssa_form(g);
    for (elbrus::procedure& f : p.procedures) {
      const elbrus::cost_view ir(f);
      flat_program copy = frozen(ir);
      copy.fold_by(ir);
      CHECK(midend::dominators(f) == midend::dominators(copy.graph()));
      const auto loops = midend::dominators_and_loops(f).loops;
      const auto loops_of_copy = midend::dominators_and_loops(copy.graph()).loops;
      for (node_id n = 0; n != f.num_nodes(); ++n) {
        const midend::loop_id l = loops.innermost_loop(n);
        CHECK(l == loops_of_copy.innermost_loop(n));
        CHECK((l == midend::no_loop || loops.header(l) == loops_of_copy.header(l)));
      }
      const auto live = midend::live_values(ir);
      const auto live_in_copy = midend::live_values(copy);
      bool same = true;
      for (node_id n = 0; n != f.num_nodes(); ++n) {
        for (midend::value_id v = 0; v != copy.num_values(); ++v) {
          same = same && live.is_live_in(v, n) == live_in_copy.is_live_in(v, n);
        }
      }
      CHECK(same);
      const auto found = midend::sccp(ir, midend::number_domain());
      const auto found_in_copy = midend::sccp(copy, midend::number_domain());
      for (midend::value_id v = 0; v != copy.num_values(); ++v) {
        CHECK_MESSAGE(found.constant(v) == found_in_copy.constant(v), "seed ", seed, ", value ", v);
        constants += found.constant(v) && !ir.constant(v) ? 1u : 0u;
      }
      // Results for the one are results for the other.
      CHECK(!midend::verify_sccp(copy, found));
      CHECK(!midend::verify_sccp(ir, found_in_copy));
      const auto equal = midend::value_numbering(ir, midend::number_domain());
      const auto equal_in_copy = midend::value_numbering(copy, midend::number_domain());
      for (midend::value_id v = 0; v != copy.num_values(); ++v) {
        CHECK(equal.class_of(v) == equal_in_copy.class_of(v));
      }
      CHECK(!midend::verify_congruence(copy, equal));
      CHECK(!midend::verify_congruence(ir, equal_in_copy));
      const auto memory = midend::plan_memory_redundancy(ir);
      const auto memory_of_copy = midend::plan_memory_redundancy(copy);
      CHECK(memory.witness.loads.size() == memory_of_copy.witness.loads.size());
      CHECK(memory.witness.stores.size() == memory_of_copy.witness.stores.size());
    }
  });
  CHECK(constants > affordable(300));
}

TEST_CASE("facts that need `fold` are rejected, unless the program is told whom to ask") {
  semantic_program p(1, {});
  const midend::value_id sum = p.strange(0, p.literal(3), p.literal(4));
  const auto found = midend::sccp(p);
  REQUIRE(found.constant(sum) == 10);
  flat_program copy = frozen(p);
  CHECK(midend::verify_sccp(copy, found));
  copy.fold_by(p);
  CHECK(!midend::verify_sccp(copy, found));
  CHECK(!midend::verify_sccp(flat_program(copy), found));
  frozen(p, copy); // forgets it
  CHECK(midend::verify_sccp(copy, found));
}

namespace {

/// What `change(editor)` makes of random programs is compared with the frozen program before.
template <class Change> std::size_t certify_random_programs(std::size_t count, Change change) {
  std::size_t changed = 0;
  flat_program before;
  for_each_random_program(count, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = in_ssa_form(g);
    for (elbrus::procedure& f : p.procedures) {
      elbrus::cost_editor e(f);
      worsen(e, f, seed);
      const std::string text = elbrus::to_text(f);
      frozen(e, before);
      const auto verdict = change(e, before);
      CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                    ", value ", verdict.value, "\n", text, elbrus::to_text(f));
      changed += elbrus::to_text(f) == text ? 0u : 1u;
    }
  });
  return changed;
}

} // namespace

TEST_CASE("certificates take a frozen program as the program before") {
  const std::size_t enough = affordable(50);
  CHECK(certify_random_programs(200, [](elbrus::cost_editor& e, const flat_program& before) {
          const auto w = midend::remove_dead_code(e);
          return midend::verify_removal(before, e, w);
        }) > enough);
  CHECK(certify_random_programs(200, [](elbrus::cost_editor& e, const flat_program& before) {
          const auto w = midend::apply_propagate_copies(e, midend::plan_propagate_copies(e));
          return midend::verify_replacement(before, e, w);
        }) > enough);
  CHECK(certify_random_programs(300, [](elbrus::cost_editor& e, const flat_program& before) {
          midend::hoist_invariants(e);
          return midend::verify_motion(before, e);
        }) > enough / 5);
  CHECK(certify_random_programs(300, [](elbrus::cost_editor& e, const flat_program& before) {
          const auto w = midend::apply_memory_redundancy(e, midend::plan_memory_redundancy(e));
          return midend::verify_memory_redundancy(before, e, w);
        }) > enough / 10);
  CHECK(certify_random_programs(200, [](elbrus::cost_editor& e, const flat_program& before) {
          const auto w = midend::apply_clean_control(e, midend::plan_clean_control(e));
          return midend::verify_unfolding(before, e, w);
        }) > enough);
  CHECK(certify_random_programs(200, [](elbrus::cost_editor& e, const flat_program& before) {
          const auto w = midend::simplify_loops(e).witness;
          return midend::verify_unfolding(before, e, w);
        }) > enough);
}

TEST_CASE("seeded mistakes are rejected with a frozen program before") {
  std::size_t seeded = 0;
  const auto check = [&](const auto& verdict, auto name) {
    ++seeded;
    CHECK_MESSAGE(!verdict, name);
  };
  const auto before_and_after = [&](const auto& t, auto verify) {
    const elbrus::effect_view after(t.after);
    return verify(frozen(elbrus::effect_view(t.before)), after);
  };
  for (const auto& m : wrong_cleaning::mistakes_of_removal()) {
    wrong_cleaning::removal t;
    CHECK(before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_removal(b, a, t.witness); }));
    m.make(t);
    check(before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_removal(b, a, t.witness); }),
          m.name);
  }
  for (const auto& m : wrong_cleaning::mistakes_of_replacement()) {
    typename std::remove_cvref_t<decltype(m)>::world t;
    m.make(t);
    check(
        before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_replacement(b, a, t.witness); }),
        m.name);
  }
  for (const auto& m : wrong_cleaning::mistakes_of_motion()) {
    typename std::remove_cvref_t<decltype(m)>::world t;
    m.make(t);
    check(before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_motion(b, a); }), m.name);
  }
  const auto unfoldings = [&](const auto& all) {
    for (const auto& m : all) {
      typename std::remove_cvref_t<decltype(all)>::value_type::world t;
      CHECK(before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_unfolding(b, a, t.w); }));
      m.make(t);
      check(before_and_after(t, [&](const auto& b, const auto& a) { return midend::verify_unfolding(b, a, t.w); }),
            m.name);
    }
  };
  unfoldings(wrong_unfoldings::mistakes());
  unfoldings(wrong_unfoldings::mistakes_of_dispatch());
  for (const auto& m : wrong_memory::mistakes()) {
    wrong_memory::memory_world t;
    m.make(t);
    check(midend::verify_memory_redundancy(frozen(elbrus::cost_view(t.before)), elbrus::cost_view(t.after), t.witness),
          m.name);
  }
  CHECK(seeded > 140);
}

TEST_CASE("an operation that was changed after the copy is another one; one that promises less is not") {
  const auto text = [](std::string_view operation) {
    return "proc @f(%n: i32, %a: ptr) -> i32 {\n  node entry:\n    " + std::string(operation) + "\n    ret %r\n}\n";
  };

  struct change {
    std::string_view before;
    std::string_view after;
    bool same;
  };

  const change all[] = {
      {"%r = add.i32 %n, 1 nsw", "%r = add.i32 %n, 1 nsw", true},
      {"%r = add.i32 %n, 1 nsw", "%r = add.i32 %n, 1", true},
      {"%r = add.i32 %n, 1", "%r = add.i32 %n, 1 nsw", false},
      {"%r = add.i32 %n, 1 assoc", "%r = add.i32 %n, 1", true},
      {"%r = add.i32 %n, 1", "%r = add.i32 %n, 1 assoc", false},
      {"%r = add.i32 %n, 1", "%r = sub.i32 %n, 1", false},
      {"%r = ld.i32 [%a + 4]", "%r = ld.i32 [%a + 8]", false},
      {"%r = ld.i32 [%a]", "%r = ld.i32 [%a] volatile", false},
      {"%r = ld.i32 [%a] volatile", "%r = ld.i32 [%a]", false},
      {"%r = ld.i32 [%a] alias=A", "%r = ld.i32 [%a]", false},
      {"%r = call.i32 @g(%n)", "%r = call.i32 @h(%n)", false},
      {"%r = call.i32 @g(%n)", "%r = call.i32 @g(%n) clobbers=none", false},
      {"%r = call.i32 @g(%n)", "%r = call.i32 @g(%n)", true},
      {"%r = call.i32 @a_long_name(%n)", "%r = call.i32 @a_long_nbme(%n)", false},
  };
  for (const change& c : all) {
    const elbrus::program before = program_of(text(c.before));
    const elbrus::program after = program_of(text(c.after));
    const elbrus::effect_view was(before.procedures[0]);
    const elbrus::effect_view is(after.procedures[0]);
    const midend::value_id v = value_named(before.procedures[0], "r");
    const midend::value_id w = value_named(after.procedures[0], "r");
    CHECK_MESSAGE(frozen(was).same_operation(v, is, w) == c.same, c.before, " and ", c.after);
    CHECK(frozen(was).same_operation(v, frozen(is), w) == c.same);
    CHECK(was.same_operation(v, is, w) == c.same);
  }
}

namespace {

/// A semantic program with types, and calls that write classes of memory that loads read.
struct many_kinds : semantic_program {
  using semantic_program::semantic_program;

  bool same_type(value_id v, value_id w) const { return v % types == w % types; }

  midend::effect_kind effect(value_id v) const {
    return is_call(v) ? midend::effect_kind::unknown : midend::effect_kind::reads;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    midend::memory_reference m;
    m.memory = v % classes;
    return m;
  }

  bool may_write(value_id v, std::uint32_t memory) const { return memory == midend::any_memory || memory % 3 == v % 3; }

  std::uint32_t types = 1;
  std::uint32_t classes = 1;
};

} // namespace

TEST_CASE("up to 64 types and classes of memory are told apart; of more, the answers are safe") {
  for (const std::uint32_t kinds : {1u, 7u, 64u, 65u, 200u}) {
    many_kinds p(1, {});
    p.types = kinds;
    p.classes = kinds;
    const value_id x = p.parameter();
    for (std::size_t i = 0; i != 1000; ++i) {
      if (i % 5 == 0) {
        p.call(0, {x});
      } else {
        p.op(0, operation::neg, {x});
      }
    }
    const flat_program copy = frozen(p);
    std::size_t other_types = 0;
    std::size_t other_writes = 0;
    for (value_id v = 0; v != p.num_values(); ++v) {
      for (value_id w = 0; w != p.num_values(); ++w) {
        CHECK_UNARY(p.same_type(v, w) || !copy.same_type(v, w));
        other_types += copy.same_type(v, w) != p.same_type(v, w) ? 1u : 0u;
      }
      for (std::uint32_t memory = 0; p.is_call(v) && memory != kinds; ++memory) {
        CHECK_UNARY(!p.may_write(v, memory) || copy.may_write(v, memory));
        other_writes += copy.may_write(v, memory) != p.may_write(v, memory) ? 1u : 0u;
      }
    }
    CHECK((other_types == 0) == (kinds <= 64));
    CHECK((other_writes == 0) == (kinds <= 64));
  }
}

TEST_CASE("results for a program apply to its frozen copy: the epoch is that of the graph that was copied") {
  elbrus::program p = program_of(wrong_cleaning::with_dead_code);
  elbrus::editor e(p.procedures[0]);
  const auto found = midend::dominators_and_loops(e.graph());
  flat_program copy = frozen(e);
  CHECK(copy.graph().epoch() == found.dominators.epoch());
  static_cast<void>(midend::plan_hoist_invariants(copy, found.dominators, found.loops));
  e.create_node(0);
  CHECK(copy.graph().epoch() == found.dominators.epoch());
  CHECK(copy.graph().epoch() != e.graph().epoch());
  frozen(e, copy);
  CHECK(copy.graph().epoch() == e.graph().epoch());
}

TEST_CASE("freezing a million nodes and copying that allocates nothing in memory that was used before") {
  constexpr std::size_t count = midend_tests::million;
  std::vector<midend::edge> edges;
  for (node_id n = 0; n + 1 != count; ++n) {
    edges.push_back({n, n + 1});
  }
  edges.push_back({static_cast<node_id>(count - 1), static_cast<node_id>(count / 2)}); // no exit
  semantic_program p(count, edges);
  value_id last = p.parameter();
  for (node_id n = 0; n != count; n += 2) {
    last = n % 3 == 0 ? p.call(n, {last}) : p.op(n, operation::add, {last, last});
  }
  flat_program copy;
  frozen(p, copy);
  CHECK(copy.graph().num_nodes() == count);
  CHECK(copy.num_values() == p.num_values());
  CHECK(std::distance(copy.users(copy.parameters()[0]).begin(), copy.users(copy.parameters()[0]).end()) == 1);
  CHECK(allocations_of([&] { frozen(p, copy); }) == 0);
  flat_program other = copy;
  CHECK(allocations_of([&] { other = copy; }) == 0);
  CHECK(allocations_of([&] { const flat_program fresh = copy; }) < 40);
  CHECK(midend::dominators(other.graph()).is_reachable(static_cast<node_id>(count - 1)));
  // With descriptions, guards and memory, too.
  for_each_random_program(20, all_flow(), [&](const generated_program& g, std::uint64_t) {
    elbrus::program with_everything = in_ssa_form(g);
    elbrus::cost_editor e(with_everything.procedures[0]);
    frozen(e, copy);
    CHECK(allocations_of([&] { frozen(e, copy); }) == 0);
    other = copy;
    CHECK(allocations_of([&] { other = copy; }) == 0);
    elbrus::cost_view view(with_everything.procedures[0]);
    bool same = true;
    CHECK(allocations_of([&] {
            for (value_id v = 0; v != copy.num_values(); ++v) {
              same = same && copy.same_operation(v, view, v);
            }
          }) == 0);
    CHECK(same);
  });
}
