#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/editor.hpp>
#include <midend/package/control_canonicalization.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::control_change;
using midend::package_veto;
namespace elbrus = midend::elbrus;

namespace {

/// Certifies each round.
midend::control_log canonicalize(elbrus::procedure& p, const midend::control_options& options = {}) {
  elbrus::editor e(p);
  elbrus::procedure before = p;
  const midend::control_log log =
      midend::control_canonicalization().run(e, options, [&](const midend::unfolding_witness& witness) {
        const auto verdict = midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(p), witness);
        CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, "\n",
                      elbrus::to_text(before), elbrus::to_text(p));
        const auto implied = midend::verify_implied_branches(elbrus::effect_view(before), witness);
        CHECK_MESSAGE(implied, "edge ", implied.edge, "\n", elbrus::to_text(before), elbrus::to_text(p));
        CHECK(implied.proven >= verdict.assumed); // it also counts those of nodes that are gone
        before = p;
      });
  const std::string ill = why_ill_formed(p);
  CHECK_MESSAGE(ill.empty(), ill, "\n", elbrus::to_text(p));
  return log;
}

constexpr std::string_view all_changes = R"(
proc @f(%x: i32, %c: i1, %d: i1) -> i32 {
  node entry:
    br %c ? left : right
  node left:
    br %c ? yes : no
  node yes:
    %a = add.i32 %x, 1
    br join
  node no:
    %b = add.i32 %x, 2
    br join
  node right:
    br 1 ? same : no
  node same:
    br %d ? idle : join
  node idle:
    br join
  node join:
    %r = phi.i32 [yes: %a], [no: %b], [same: %x], [idle: %x]
    ret %r
})";

std::size_t nodes_of(const elbrus::procedure& p) {
  std::size_t count = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    count += p.terminator(n) == midend::no_value ? 0u : 1u;
  }
  return count;
}

} // namespace

TEST_CASE("control_canonicalization: each change is counted") {
  parsed_procedure p(all_changes);
  const midend::control_log log = canonicalize(p.procedure());
  CHECK(log.count(control_change::known_branch) == 1);
  CHECK(log.count(control_change::implied_branch) == 1);
  CHECK(log.count(control_change::equal_edges) == 1);
  CHECK(log.count(control_change::unreachable) >= 1);
  CHECK(log.count(control_change::merge) >= 1);
  CHECK(log.count(control_change::pass) >= 1);
  CHECK(log.rounds >= 2);
  CHECK(nodes_of(p.procedure()) == 3); // entry, the sum, join
  CHECK(canonicalize(p.procedure()).events.empty());
}

TEST_CASE("control_canonicalization: what is refused stays, and so does what depends on it") {
  for (std::size_t kind = 0; kind != midend::num_control_changes; ++kind) {
    parsed_procedure p(all_changes);
    midend::control_options options;
    options.without = std::uint64_t{1} << kind;
    const midend::control_log log = canonicalize(p.procedure(), options);
    CHECK(log.count(static_cast<control_change>(kind)) == 0);
    if (static_cast<control_change>(kind) != control_change::implied_branch) { // that one is not computed in vain
      CHECK_MESSAGE(log.count(static_cast<control_change>(kind), package_veto::switched_off) != 0, "kind ", kind);
    }
  }
  parsed_procedure p(all_changes);
  midend::control_options options;
  options.refuses = [](control_change change, midend::node_id) { return change == control_change::known_branch; };
  const midend::control_log log = canonicalize(p.procedure(), options);
  CHECK(log.count(control_change::known_branch, package_veto::caller) == 1);
  CHECK(log.count(control_change::implied_branch) == 1);
  CHECK(p.node("no") != midend::no_node);
  CHECK(elbrus::to_text(p.procedure()).find("br 1 ?") != std::string::npos);
}

TEST_CASE("control_canonicalization: a value that is computed again decides nothing") {
  // The second branch is in the loop after %c has changed; the edge of the first one does not dominate it.
  parsed_procedure p(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: %x], [left: %j], [right: %j]
    %j = add.i32 %i, 1
    %c = cmp.lt.i32 %j, %n
    br %c ? left : middle
  node middle:
    br %c ? left : right
  node left:
    br %c ? head : out
  node right:
    %k = cmp.eq.i32 %i, %n
    br %k ? head : out
  node out:
    ret %i
})");
  const midend::control_log log = canonicalize(p.procedure());
  CHECK(log.count(control_change::implied_branch) >= 1); // in `middle`: %c is 0
  CHECK(elbrus::to_text(p.procedure()).find("br %c") != std::string::npos);
}

TEST_CASE("control_canonicalization: a chain of 10^5 branches on one value takes two rounds") {
  constexpr std::size_t length = 100'000;
  std::string text = "proc @f(%x: i32, %c: i1) -> i32 {\n  node n0:\n    br %c ? n1 : out\n";
  for (std::size_t i = 1; i != affordable(length); ++i) {
    text += "  node n" + std::to_string(i) + ":\n    br %c ? n" + std::to_string(i + 1) + " : out\n";
  }
  text += "  node n" + std::to_string(affordable(length)) + ":\n    ret %x\n  node out:\n    ret 0\n}";
  parsed_procedure p(text);
  elbrus::editor e(p.procedure());
  const midend::control_log log = midend::control_canonicalization().run(e);
  CHECK(log.count(control_change::implied_branch) == affordable(length) - 1);
  CHECK(log.rounds <= 3);
  CHECK(nodes_of(p.procedure()) == 3);
}

TEST_CASE("control_canonicalization on random programs") {
  comparison_counts runs;
  std::size_t done[midend::num_control_changes] = {};
  for_each_random_program(1000, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    for (elbrus::procedure& p : after.procedures) {
      {
        elbrus::editor e(p);
        worsen(e, p, seed);
      }
      midend::control_options options;
      if (seed % 4 == 3) { // half of the requests are refused
        options.refuses = [](control_change change, midend::node_id n) {
          return (n + static_cast<unsigned>(change)) % 2 == 0;
        };
      }
      elbrus::procedure plain = p; // without a visitor, no witness is made
      elbrus::editor editor(plain);
      const midend::control_log expected = midend::control_canonicalization().run(editor, options);
      const midend::control_log log = canonicalize(p, options);
      CHECK(elbrus::to_text(plain) == elbrus::to_text(p));
      CHECK(std::ranges::equal(expected.events, log.events, [](const auto& x, const auto& y) {
        return x.change == y.change && x.veto == y.veto && x.node == y.node && x.round == y.round;
      }));
      for (const midend::control_event& e : log.events) {
        done[static_cast<std::size_t>(e.change)] += e.veto == package_veto::none ? 1u : 0u;
      }
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE("known ", done[0], ", equal ", done[1], ", implied ", done[2], ", unreachable ", done[3], ", merged ",
          done[4], ", passed ", done[5], "; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(runs.same > affordable(2000));
  CHECK(done[static_cast<std::size_t>(control_change::merge)] > affordable(200));
}

TEST_CASE("verify_implied_branches accepts what a dominating branch decides, and nothing else") {
  parsed_procedure p(R"(
proc @f(%c: i1, %d: i1, %x: i32, %n: i32) -> i32 {
  node entry:
    br %c ? a : b
  node a:
    br %c ? a_yes : a_no
  node a_yes:
    br %d ? a_d : join
  node a_no:
    br %d ? a_d : join
  node a_d:
    br %d ? out : join
  node b:
    br %c ? join : b_no
  node b_no:
    br %d ? join : head
  node join:
    br %c ? head : out
  node head:
    %i = phi.i32 [b_no: %x], [join: 0], [body: %k]
    %e = cmp.lt.i32 %i, %n
    br %e ? again : leave
  node again:
    switch.i32 %i [1: one], [2: two], default: other
  node one:
    switch.i32 %i [1: body], [2: two], default: other
  node two:
    switch.i32 %i [1: body], [2: out], default: other
  node other:
    br %e ? twice : out
  node twice:
    switch.i32 %i [1: body], [7: out], default: body
  node body:
    %k = add.i32 %i, 1
    br %e ? head : out
  node leave:
    switch.i32 %i [1: out], [4: four], default: rest
  node four:
    ret %i
  node rest:
    switch.i32 %i [4: four], [5: out], default: done
  node done:
    br %e ? out : end
  node end:
    ret 0
  node out:
    ret %x
})");
  const elbrus::effect_view before(p.procedure());
  const auto& g = before.graph();
  std::string accepted;
  std::size_t rejected = 0;
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    for (const midend::edge_id e : g.out_edges(n)) {
      midend::unfolding_witness witness;
      witness.dropped.push_back({n, e, 0, midend::drop_reason::assumed});
      const midend::implied_branches_verdict verdict = midend::verify_implied_branches(before, witness);
      const std::string name =
          std::string(p.procedure().node_name(n)) + " " + std::to_string(e - *g.out_edges(n).begin());
      if (verdict) {
        CHECK(verdict.proven == 1);
        accepted += name + "; ";
      } else {
        CHECK(verdict.edge == e);
        ++rejected;
      }
    }
  }
  // Edges by their place in the node. %i decides nothing in `two` and `other`, which have several edges in.
  CHECK(accepted == "a 1; b 0; one 1; one 2; other 1; body 1; rest 0; done 0; ");
  CHECK(rejected == 34);

  midend::unfolding_witness ill;
  ill.dropped.push_back({0, midend::edge_id{1000}, 0, midend::drop_reason::assumed});
  CHECK(!midend::verify_implied_branches(before, ill));
}
