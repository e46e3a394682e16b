#include "transform/unfolding_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/verify_motion.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
using namespace midend_tests::wrong_unfoldings;
using midend::unfolding_fault;

namespace {

struct caught {
  std::size_t seeded = 0;
  std::size_t by_certificate = 0;
  std::size_t by_verifier = 0;
  std::set<unfolding_fault> faults;
};

template <class World>
void reject_all(const std::vector<mistake<World>>& all, std::map<std::string_view, caught>& table) {
  const World right;
  const auto accepted = certificate(right.before, right.after, right.w);
  CHECK_MESSAGE(accepted, to_text(accepted), "\n", elbrus::to_text(right.after));
  for (const elbrus::diagnostic& error : elbrus::verify(right.after)) {
    FAIL_CHECK(error.message);
  }
  for (const mistake<World>& m : all) {
    World t;
    m.make(t);
    const auto verdict = certificate(t.before, t.after, t.w);
    CHECK_MESSAGE(!verdict, m.name, "\n", elbrus::to_text(t.after));
    caught& row = table[m.kind];
    ++row.seeded;
    row.by_certificate += verdict ? 0u : 1u;
    row.by_verifier += elbrus::verify(t.after).empty() ? 0u : 1u;
    row.faults.insert(verdict.fault);
  }
}

/// One change that keeps the types right but not the meaning.
bool damage(elbrus::procedure& p, midend::unfolding_witness& w, random_source& random) {
  std::vector<value_id> all;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      all.push_back(v);
    }
  }
  const value_id v = all[random.below(all.size())];
  const auto same_type = [&](value_id like) {
    for (int tries = 0; tries != 60; ++tries) {
      const value_id other = all[random.below(all.size())];
      if (other != like && p.value(other).type == p.value(like).type) {
        return other;
      }
    }
    return like;
  };
  const auto operands = p.operands(v);
  switch (random.below(7)) {
  case 0:
  case 1: { // another operand
    if (operands.empty()) {
      return false;
    }
    const auto i = random.below(operands.size());
    const value_id old = operands[i];
    p.set_operand(v, i, same_type(old));
    return p.operands(v)[i] != old;
  }
  case 2: { // inputs of a phi are exchanged
    if (!p.is_phi(v) || operands.size() < 2) {
      return false;
    }
    const value_id a = operands[0];
    const value_id b = operands[1];
    p.set_operand(v, 0, b);
    p.set_operand(v, 1, a);
    return a != b;
  }
  case 3: { // an edge leads elsewhere
    if (p.num_edges() == 0 || p.num_nodes() < 2) {
      return false;
    }
    const edge_id e = random.below(p.num_edges());
    const node_id n = 1 + random.below(p.num_nodes() - 1);
    if (p.edge_source(e) == no_node || p.node(n).erased || p.terminator(n) == no_value || p.edge_target(e) == n) {
      return false;
    }
    p.redirect_edge(e, n);
    for (const value_id phi : p.values(n)) {
      if (p.is_phi(phi)) {
        p.set_phi_input(phi, e, same_type(phi));
      }
    }
    return true;
  }
  case 4: { // an operation moves within its node
    const value_id next = p.value(v).next;
    if (p.is_phi(v) || p.is_terminator(v) || next == no_value || p.is_terminator(next)) {
      return false;
    }
    p.move_value(next, p.value(v).node, v);
    return true;
  }
  case 5: { // a removable operation goes, and what read it reads another value
    if (p.is_terminator(v) || p.value(v).type == elbrus::type::none) {
      return false;
    }
    p.replace_uses(v, same_type(v));
    if (p.has_users(v)) {
      return false;
    }
    p.erase_value(v);
    return true;
  }
  default: { // the witness says something else
    const auto n = random.below(w.node_origin.size());
    const auto m = random.below(w.node_origin.size());
    std::swap(w.node_origin[n], w.node_origin[m]);
    return true;
  }
  }
}

} // namespace

TEST_CASE("what verify_unfolding accepts means the same, whatever was done to it") {
  std::size_t rejected = 0;
  std::size_t accepted = 0;
  std::size_t unverified = 0;
  comparison_counts runs;
  for_each_random_program(1200, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program before = in_ssa_form(g);
    random_source random(seed);
    elbrus::program after = before;
    std::vector<midend::unfolding_witness> witnesses;
    for (elbrus::procedure& p : after.procedures) {
      elbrus::editor e(p);
      midend::unfolding<elbrus::editor> u(e);
      unfold_at_random(p, u, random);
      witnesses.push_back(u.take_witness());
    }
    for (int times = 0; times != 3; ++times) {
      elbrus::program damaged = after;
      const auto i = random.below(damaged.procedures.size());
      midend::unfolding_witness w = witnesses[i];
      if (!damage(damaged.procedures[i], w, random)) {
        continue;
      }
      const auto verdict = certificate(before.procedures[i], damaged.procedures[i], w);
      if (!verdict) {
        ++rejected;
      } else if (!elbrus::verify(damaged).empty()) {
        ++unverified; // in unreachable code
      } else {
        ++accepted;
        const std::string wrong = why_wrong(g, damaged, &runs);
        CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
      }
    }
  });
  MESSAGE(rejected, " rejected, ", accepted, " accepted, ", unverified, " not verified; ", runs.same, " runs the same");
  CHECK(rejected > affordable(500));
  CHECK(accepted > affordable(50));
}

TEST_CASE("verify_unfolding rejects wrong transformations") {
  std::map<std::string_view, caught> table;
  reject_all(mistakes(), table);
  reject_all(mistakes_of_dispatch(), table);
  reject_all(mistakes_of_cases(), table);
  reject_all(mistakes_of_chains(), table);
  reject_all(mistakes_of_branching(), table);
  reject_all(mistakes_of_header<with_new_header<elbrus::editor>>(), table);
  reject_all(mistakes_of_header<with_new_header<without_switches>>(), table);
  std::size_t seeded = 0;
  std::set<unfolding_fault> faults;
  for (const auto& [kind, row] : table) {
    MESSAGE(kind, ": ", row.seeded, " seeded, ", row.by_certificate, " caught by the certificate, ", row.by_verifier,
            " also by the verifier of the IR");
    seeded += row.seeded;
    faults.insert(row.faults.begin(), row.faults.end());
  }
  CHECK(seeded >= 60);
  CHECK(faults.size() >= 14); // so that the kinds of faults are tested, too
}

TEST_CASE("a witness may hold any numbers") {
  for_each_random_program(100, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program program = in_ssa_form(g);
    const elbrus::procedure& p = program.procedures[0];
    const auto beyond = static_cast<std::uint32_t>(0xffff'fff0 + seed % 15); // not `no_node`, which means something
    midend::unfolding_witness right;
    right.start(p.num_nodes(), p.num_edges(), p.num_values());
    CHECK(certificate(p, p, right));
    const auto is_rejected = [&](auto change) {
      midend::unfolding_witness w = right;
      change(w);
      return certificate(p, p, w).fault == unfolding_fault::witness_size;
    };
    CHECK(is_rejected([&](auto& w) { w.node_origin[0] = beyond; }));
    CHECK((p.num_edges() == 0 || is_rejected([&](auto& w) { w.edge_origin[0] = beyond; })));
    CHECK(is_rejected([&](auto& w) { w.value_origin[0] = beyond; }));
    CHECK(is_rejected([&](auto& w) { w.merged.push_back({beyond, 0}); }));
    CHECK(is_rejected([&](auto& w) { w.merged.push_back({0, beyond}); }));
    CHECK(is_rejected([&](auto& w) { w.dropped.push_back({beyond, 0, 0, midend::drop_reason::assumed}); }));
    CHECK(is_rejected([&](auto& w) { w.dropped.push_back({0, beyond, 0, midend::drop_reason::assumed}); }));
    CHECK(is_rejected([&](auto& w) { w.dropped.push_back({0, 0, beyond, midend::drop_reason::equal_edges}); }));
  });
}

TEST_CASE("of two equal edges, one is left, whatever a witness says") {
  const parsed_procedure before(R"(
proc @f(%x: i32) -> i32 {
  node entry:
    br choose
  node choose:
    switch.i32 %x [1: one], [2: one], default: other
  node one:
    ret 1
  node other:
    ret 2
}
)");
  const elbrus::procedure& old = before.procedure();
  const edge_id first = *old.out_edges(before.node("choose")).begin();
  const edge_id second = first + 1;
  const edge_id from_entry = *old.out_edges(before.node("entry")).begin();
  elbrus::procedure after = old;
  after.redirect_edge(from_entry, before.node("other"));
  midend::unfolding_witness w;
  w.start(old.num_nodes(), old.num_edges(), old.num_values());
  CHECK(!certificate(old, after, w));
  w.dropped.push_back({before.node("choose"), first, second, midend::drop_reason::equal_edges});
  w.dropped.push_back({before.node("choose"), second, first, midend::drop_reason::equal_edges});
  CHECK(!certificate(old, after, w)); // the third edge is not the only one
}

namespace {

/// Calls are what must stay alone: of the program, or together with other threads.
template <bool Unique> struct calls_stay_alone : elbrus::cost_view {
  using elbrus::cost_view::cost_view;

  bool is_call(value_id v) const { return graph().value(v).code == elbrus::opcode::call; }

  bool may_duplicate(value_id v) const { return !Unique || !is_call(v); }

  bool is_convergent(value_id v) const { return !Unique && is_call(v); }
};

} // namespace

TEST_CASE("verify_unfolding: an operation that must stay alone has no second copy") {
  const parsed_procedure original(R"(
proc @f(%x: i32) {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %n]
    call @barrier(%i)
    %n = add.i32 %i, 1
    %p = cmp.lt.i32 %n, %x
    br %p ? loop : out
  node out:
    ret
})");
  for (const std::uint32_t factor : {2u, 3u}) {
    elbrus::program program = original.program;
    elbrus::procedure& p = program.procedures[0];
    elbrus::cost_editor e(p);
    const auto loops = midend::dominators_and_loops(p).loops;
    const std::vector<midend::unrolling_request> requests{{0, {midend::unrolling_kind::partial, factor}}};
    const auto done = midend::unroll_loops(e, loops, requests);
    const elbrus::procedure& before = original.program.procedures[0];
    CHECK(midend::verify_unfolding(elbrus::cost_view(before), e, done.witness));
    const auto unique = midend::verify_unfolding(calls_stay_alone<true>(before), e, done.witness);
    CHECK(unique.fault == unfolding_fault::forbidden_copy);
    CHECK(unique.old_value == original.procedure().value(original.value("i")).next);
    CHECK(midend::verify_unfolding(calls_stay_alone<false>(before), e, done.witness).fault ==
          unfolding_fault::forbidden_copy);
  }
}

TEST_CASE("verify_unfolding: the new program does not promise that loops end, unless the old one does") {
  const parsed_procedure original(R"(
proc @f(%x: i32) {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %n]
    %n = add.i32 %i, 1
    %p = cmp.ne.i32 %n, %x
    br %p ? loop : out
  node out:
    ret
})");
  for (const bool did : {false, true}) {
    elbrus::procedure before = original.procedure();
    before.set_must_progress(did);
    elbrus::procedure after = before;
    elbrus::cost_editor e(after);
    const auto loops = midend::dominators_and_loops(after).loops;
    const std::vector<midend::unrolling_request> requests{{0, {midend::unrolling_kind::partial, 2}}};
    const auto done = midend::unroll_loops(e, loops, requests);
    for (const bool does : {false, true}) { // to drop a promise is right
      after.set_must_progress(does);
      const auto verdict = midend::verify_unfolding(elbrus::cost_view(before), elbrus::cost_view(after), done.witness);
      CHECK(verdict.fault == (does && !did ? unfolding_fault::new_promise : unfolding_fault::none));
      elbrus::procedure same = before;
      same.set_must_progress(does);
      const bool accepts = static_cast<bool>(midend::verify_motion(elbrus::cost_view(before), elbrus::cost_view(same)));
      CHECK(accepts == (!does || did));
    }
  }
}

TEST_CASE("verify_unfolding: a promise about one loop is none about another") {
  struct view : elbrus::cost_view {
    view(const elbrus::procedure& p, midend::node_id header) : cost_view(p), promised(header) {}

    bool must_end(midend::edge_id e) const { return graph().edge_target(e) == promised; }

    midend::node_id promised;
  };

  const parsed_procedure original(R"(
proc @f(%x: i32) {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [next: %n]
    br inner
  node inner:
    %j = phi.i32 [outer: 0], [inner: %m]
    %m = add.i32 %j, 1
    %q = cmp.ne.i32 %m, %x
    br %q ? inner : next
  node next:
    %n = add.i32 %i, 1
    %p = cmp.ne.i32 %n, %x
    br %p ? outer : other
  node other:
    %k = phi.i32 [next: 0], [other: %l]
    %l = add.i32 %k, 1
    %r = cmp.ne.i32 %l, %x
    br %r ? other : out
  node out:
    ret
})");
  const elbrus::procedure& before = original.program.procedures[0];
  elbrus::procedure after = before;
  elbrus::cost_editor e(after);
  const midend::loop_forest loops = midend::dominators_and_loops(after).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    if (loops.header(l) == node_named(before, "inner") || loops.header(l) == node_named(before, "other")) {
      requests.push_back({l, {midend::unrolling_kind::partial, 2}});
    }
  }
  const auto done = midend::unroll_loops(e, loops, requests);
  const std::string_view names[] = {"outer", "inner", "other"};
  for (const std::string_view old : names) {
    for (const std::string_view name : names) {
      // A run that stays in the inner loop stays in the outer one as well.
      const bool is_right = old == name || (old == "outer" && name == "inner");
      const auto verdict = midend::verify_unfolding(view(before, node_named(before, old)),
                                                    view(after, node_named(after, name)), done.witness);
      CHECK_MESSAGE(verdict.fault == (is_right ? unfolding_fault::none : unfolding_fault::new_promise), old, " ", name);
      CHECK((is_right || verdict.node == node_named(after, name)));
    }
  }
}
