// The checker of constants: right results are accepted, wrong ones are rejected, and what is accepted holds on runs.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/powerset_domain.hpp"
#include "kit/random_programs.hpp"
#include "kit/sccp_mutation.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/verify_sccp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::flat_domain;
using midend::number_domain;
using midend::number_range;
using midend::sccp;
using midend::sccp_error;
using midend::sccp_fault;
using midend::sccp_options;
using midend::sccp_result;
using midend::undef_branch;
using midend::undef_policy;
using midend::verify_sccp;

namespace {

using mutation = midend::detail::sccp_mutation;

std::string words(const sccp_error& e) {
  return "fault " + std::to_string(static_cast<int>(e.fault)) + ", node " + std::to_string(e.node) + ", v" +
         std::to_string(e.value) + ", edge " + std::to_string(e.edge);
}

template <class Visit> void for_each_checked_program(std::size_t count, Visit visit) {
  random_source random(41);
  std::vector<test_graph> graphs = ugly_graphs();
  for (std::size_t i = 0; i != count; ++i) {
    graphs.push_back(random_reducible(random, 3 + i % 9));
    graphs.push_back(random_irreducible(random, 4 + i % 8));
    graphs.push_back(random_digraph(random, 2 + i % 8, 3 + i % 13));
  }
  for (const test_graph& g : graphs) {
    if (g.num_nodes == 0 || g.num_nodes > 20) {
      continue;
    }
    semantic_program p = random_semantic_program(
        random, g, {.width = 2 + static_cast<unsigned>(random.below(2)), .wide = random.one_in(2) ? 4u : 0u});
    if (random.one_in(4)) {
      const auto n = static_cast<node_id>(random.below(g.num_nodes));
      for (const value_id v : p.values(n)) {
        if (!p.is_phi(v)) {
          p.stop_at(v);
          break;
        }
      }
    }
    visit(p, g.name + "\n" + to_string(p));
  }
}

constexpr sccp_options all_options[] = {
    {},
    {.undefined = undef_policy::any_value},
    {.undefined = undef_policy::any_value, .branch_on_undefined = undef_branch::none},
    {.undefined = undef_policy::any_value, .branch_on_undefined = undef_branch::any},
    {.widen_after = 0, .narrowing_steps = 5},
    {.widen_after = 1, .threshold_steps = 0, .narrowing_steps = 0},
};

} // namespace

TEST_CASE_TEMPLATE("verify_sccp accepts what sccp finds", D, flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, number_domain, midend::congruence_domain, midend::strided_interval_domain,
                   powerset_domain) {
  std::size_t accepted = 0;
  for_each_checked_program(affordable(40), [&](const semantic_program& p, const std::string& text) {
    for (std::size_t k = 0; k != 2; ++k) {
      const sccp_options& options = all_options[(accepted + 5 * k) % std::size(all_options)];
      const sccp_error error = verify_sccp(p, sccp(p, D(), options), options);
      CHECK_MESSAGE(!error, words(error), "\n", text);
      if constexpr (midend::has_assume<D>) {
        const sccp_error refined = verify_sccp_with_branch_facts(p, sccp_with_branch_facts(p, D(), options), options);
        CHECK_MESSAGE(!refined, words(refined), " with branch facts\n", text);
      }
      ++accepted;
    }
  });
  CHECK(accepted > 40);
}

TEST_CASE("verify_sccp accepts what sccp finds in random programs of the Elbrus-like IR") {
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  options.known = 40;
  for_each_random_program(60, options, [&](const generated_program& g, std::uint64_t seed) {
    midend::elbrus::program copy = g.program;
    for (midend::elbrus::procedure& p : copy.procedures) {
      midend::elbrus::construct_ssa(p);
      const midend::elbrus::semantic_view view(p);
      const sccp_error flat = verify_sccp(view, sccp(view));
      CHECK_MESSAGE(!flat, words(flat), ", seed ", seed, "\n", midend::elbrus::to_text(p));
      const sccp_error numbers = verify_sccp(view, sccp(view, number_domain()));
      CHECK_MESSAGE(!numbers, words(numbers), ", seed ", seed, "\n", midend::elbrus::to_text(p));
    }
  });
}

// Where nothing is widened, the result is the least one, so nothing less can be right.
TEST_CASE_TEMPLATE("verify_sccp rejects each fact that is too low, and each node and edge that is left out", D,
                   flat_domain<>, midend::known_bits_domain, powerset_domain) {
  std::size_t facts = 0;
  std::size_t values = 0;
  std::size_t edges = 0;
  std::size_t nodes = 0;
  const auto reject = [](const semantic_program& p, const sccp_result<D>& wrong, const sccp_options& options,
                         const std::string& what,
                         const std::string& text) { CHECK_MESSAGE(verify_sccp(p, wrong, options), what, "\n", text); };
  for_each_checked_program(affordable(8), [&](const semantic_program& p, const std::string& text) {
    for (const sccp_options& options : {all_options[0], all_options[1]}) {
      const sccp_result<D> found = sccp(p, D(), options);
      for (value_id v = 0; v != p.num_values(); ++v) {
        if (!found.is_computed(v)) {
          continue;
        }
        const unsigned width = p.operation(v).width;
        std::vector<midend::element_of<D>> lower{D().bottom(), D().constant(width, 0), D().constant(width, 1)};
        for (const auto& fact : lower) {
          if (midend::less_or_equal(D(), found.fact(v), fact) || !midend::less_or_equal(D(), fact, found.fact(v))) {
            continue;
          }
          sccp_result<D> wrong = found;
          mutation::set_fact(wrong, v, fact);
          reject(p, wrong, options, "fact of v" + std::to_string(v), text);
          ++facts;
        }
        sccp_result<D> wrong = found;
        mutation::set_absent(wrong, v);
        reject(p, wrong, options, "v" + std::to_string(v) + " not computed", text);
        ++values;
      }
      for (node_id n = 0; n != p.graph().num_nodes(); ++n) {
        if (found.is_executable(n)) {
          sccp_result<D> wrong = found;
          mutation::set_node(wrong, n, false);
          reject(p, wrong, options, "node " + std::to_string(n), text);
          ++nodes;
        }
      }
      for (edge_id e = 0; e != p.graph().num_edges(); ++e) {
        if (found.is_executable_edge(e)) {
          sccp_result<D> wrong = found;
          mutation::set_edge(wrong, e, false);
          reject(p, wrong, options, "edge " + std::to_string(e), text);
          ++edges;
        }
      }
    }
  });
  MESSAGE(facts, " facts, ", values, " values not computed, ", nodes, " nodes, ", edges, " edges");
  CHECK(facts > 200);
  CHECK(nodes > 50);
  CHECK(edges > 50);
}

TEST_CASE("what verify_sccp accepts holds on every run") {
  random_source random(43);
  std::size_t accepted = 0;
  std::size_t rejected = 0;
  for_each_checked_program(affordable(12), [&](const semantic_program& p, const std::string& text) {
    const auto found = sccp(p, powerset_domain());
    std::vector<sccp_result<powerset_domain>> claims;
    for (std::size_t i = 0; i != 40; ++i) {
      sccp_result<powerset_domain> claim = found;
      for (std::size_t k = 0, count = 1 + random.below(4); k != count; ++k) {
        const auto v = static_cast<value_id>(random.below(p.num_values()));
        switch (random.below(5)) {
        case 0:
          mutation::set_absent(claim, v);
          break;
        case 1:
          mutation::set_node(claim, static_cast<node_id>(random.below(p.graph().num_nodes())), random.one_in(2));
          break;
        case 2:
          if (p.graph().num_edges() != 0) {
            mutation::set_edge(claim, static_cast<edge_id>(random.below(p.graph().num_edges())), random.one_in(2));
          }
          break;
        default:
          mutation::set_fact(
              claim, v,
              {static_cast<std::uint32_t>(random.next()) & powerset_domain().top(p.operation(v).width).members});
        }
      }
      verify_sccp(p, claim) ? ++rejected : (claims.push_back(claim), ++accepted);
    }
    const std::size_t parameters = p.parameters().size();
    const unsigned width = parameters == 0 ? 0 : p.operation(p.parameters()[0]).width;
    for (std::uint64_t input = 0; input >> (width * parameters) == 0; ++input) {
      std::vector<std::uint64_t> arguments;
      for (std::size_t i = 0; i != parameters; ++i) {
        arguments.push_back(input >> (i * width) & midend::low_ones(width));
      }
      bool all = true;
      interpret(
          p, arguments, 120, [&](unsigned w) { return random.next() & midend::low_ones(w); },
          [&](value_id v, std::uint64_t bits) {
            for (const auto& claim : claims) {
              all = all && claim.is_computed(v) && (claim.fact(v).members >> bits & 1) != 0;
            }
          },
          [&](edge_id e) {
            for (const auto& claim : claims) {
              all = all && claim.is_executable_edge(e) && claim.is_executable(p.graph().edge_target(e));
            }
          });
      CHECK_MESSAGE(all, text);
    }
  });
  MESSAGE(accepted, " claims accepted, ", rejected, " rejected");
  CHECK(accepted > 100);
  CHECK(rejected > 100);
}

namespace {

/// 0 → 1; 1 → 2, 3; 2 → 1; 3 → 4, 5; and 6, which nothing reaches, → 5.
struct seeded_program {
  semantic_program p{7, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 4}, {3, 5}, {6, 5}}};
  value_id a = p.parameter(8);
  value_id one = p.literal(1, 8);
  value_id ten = p.literal(10, 8);
  value_id undef = p.undefined(8);
  value_id sum = p.op(0, operation::add, {one, ten}, 8);
  value_id i = p.phi(1, 8);
  value_id same = p.phi(1, 8);
  value_id going = p.op(1, operation::uless, {i, a}, 8);
  value_id next = p.op(2, operation::add, {i, one}, 8);
  value_id trap = p.op(3, operation::udiv, {ten, p.literal(0, 8)}, 8);
  value_id after = p.op(3, operation::add, {trap, one}, 8);
  value_id called = p.call(3, {}, 8);
  value_id is_eleven = p.op(3, operation::equal, {same, sum}, 8);
  value_id dead = p.op(4, operation::add, {a, one}, 8);
  value_id joined = p.phi(5, 8);

  seeded_program() {
    const auto from = [&](node_id n, node_id to) {
      edge_id e = p.edge_of(n);
      e += p.graph().edge_target(e) == to ? 0u : 1u;
      return e;
    };
    p.set_input(i, from(0, 1), one);
    p.set_input(i, from(2, 1), next);
    p.set_input(same, from(0, 1), sum);
    p.set_input(same, from(2, 1), same);
    p.set_input(joined, from(3, 5), undef);
    p.set_input(joined, from(6, 5), ten);
    p.branch(1, going);
    p.switch_on(3, is_eleven, {0, 1});
  }
};

} // namespace

TEST_CASE("verify_sccp names what is wrong: seeded mistakes") {
  const seeded_program s;
  const semantic_program& p = s.p;
  const flat_domain<> d;
  const sccp_options any{.undefined = undef_policy::any_value};
  const auto found = sccp(p, d);
  const auto chosen = sccp(p, d, any);
  REQUIRE(found.constant(s.same) == 11);
  REQUIRE(!found.is_executable(4));
  REQUIRE(!found.is_computed(s.trap));
  REQUIRE(!found.is_computed(s.after));
  REQUIRE(chosen.is_undefined(s.joined));
  REQUIRE(!verify_sccp(p, found));
  REQUIRE(!verify_sccp(p, chosen, any));

  const auto edge = [&](node_id n, std::size_t k) { return p.edge_of(n, k); };
  using result = sccp_result<flat_domain<>>;
  std::size_t seeded = 0;
  const auto rejects = [&](sccp_fault fault, auto change, const result& right, const sccp_options& options) {
    result wrong = right;
    change(wrong);
    const sccp_error error = verify_sccp(p, wrong, options);
    CHECK_MESSAGE(error.fault == fault, "mistake ", seeded, ": ", words(error));
    ++seeded;
  };
  const auto wrong_fact = [&](value_id v, std::uint64_t c) {
    rejects(sccp_fault::fact, [&](result& r) { mutation::set_fact(r, v, d.constant(8, c)); }, found, {});
  };
  wrong_fact(s.a, 3);         // a parameter
  wrong_fact(s.one, 2);       // a literal
  wrong_fact(s.undef, 0);     // `undef` is any value here
  wrong_fact(s.sum, 12);      // another constant
  wrong_fact(s.i, 1);         // the first iteration only
  wrong_fact(s.next, 2);      // an operation on what varies
  wrong_fact(s.same, 10);     // a phi
  wrong_fact(s.going, 1);     // a comparison
  wrong_fact(s.called, 0);    // a call
  wrong_fact(s.is_eleven, 0); // follows from what it reads
  wrong_fact(s.joined, 10);   // what arrives along the edge that is not executed
  const auto wrong_absence = [&](value_id v) {
    rejects(sccp_fault::not_computed, [&](result& r) { mutation::set_absent(r, v); }, found, {});
  };
  wrong_absence(s.a);
  wrong_absence(s.ten);
  wrong_absence(s.sum);
  wrong_absence(s.i);
  wrong_absence(s.called);
  wrong_absence(s.joined);
  rejects(sccp_fault::not_computed, [&](result& r) { mutation::set_fact(r, s.next, d.bottom()); }, found, {});
  // What follows from an operation without result has none, and not any value. The other way round is no mistake.
  rejects(sccp_fault::not_computed, [&](result& r) { mutation::set_fact(r, s.trap, d.top(8)); }, found, {});
  const auto wrong_edge = [&](node_id n, std::size_t k) {
    rejects(sccp_fault::edge, [&](result& r) { mutation::set_edge(r, edge(n, k), false); }, found, {});
  };
  wrong_edge(0, 0); // the only way
  wrong_edge(1, 0); // into the loop
  wrong_edge(1, 1); // out of it
  wrong_edge(2, 0); // back
  wrong_edge(3, 1); // decided
  for (const node_id n : {0u, 1u, 2u, 3u, 5u}) {
    rejects(sccp_fault::node, [&](result& r) { mutation::set_node(r, n, false); }, found, {});
  }
  // A condition that is claimed to be something else, with the edges that follow from that.
  rejects(sccp_fault::fact,
          [&](result& r) {
            mutation::set_fact(r, s.is_eleven, d.constant(8, 0));
            mutation::set_edge(r, edge(3, 0), true);
            mutation::set_edge(r, edge(3, 1), false);
            mutation::set_node(r, 4, true);
            mutation::set_node(r, 5, false);
            mutation::set_fact(r, s.dead, d.top(8));
          },
          found, {});
  // A node that is claimed to be executable needs its facts.
  rejects(sccp_fault::not_computed, [&](result& r) { mutation::set_node(r, 4, true); }, found, {});
  // `undef`.
  const auto wrong_mark = [&](value_id v, const result& right, const sccp_options& options) {
    rejects(sccp_fault::undefined, [&](result& r) { mutation::set_undefined(r, v, true); }, right, options);
  };
  wrong_mark(s.a, chosen, any);
  wrong_mark(s.i, chosen, any);
  wrong_mark(s.next, chosen, any);
  wrong_mark(s.undef, found, {});
  wrong_mark(s.joined, found, {});
  rejects(sccp_fault::fact, [&](result& r) { mutation::set_fact(r, s.joined, d.constant(8, 7)); }, chosen, any);
  MESSAGE(seeded, " mistakes seeded");
  CHECK(seeded > 35);

  CHECK(verify_sccp(semantic_program(7, {{0, 1}}), found).fault == sccp_fault::other_program);
  CHECK(verify_sccp(p, result()).fault == sccp_fault::other_program);
}

TEST_CASE("verify_sccp accepts more than the least result") {
  const seeded_program s;
  auto claim = sccp(s.p);
  for (node_id n = 0; n != s.p.graph().num_nodes(); ++n) {
    mutation::set_node(claim, n, true);
  }
  for (edge_id e = 0; e != s.p.graph().num_edges(); ++e) {
    mutation::set_edge(claim, e, true);
  }
  CHECK(verify_sccp(s.p, claim).fault == sccp_fault::not_computed); // what is executed then has facts
  for (value_id v = 0; v != s.p.num_values(); ++v) {
    mutation::set_fact(claim, v, flat_domain<>().top(8));
  }
  CHECK(!verify_sccp(s.p, claim)); // nothing is known
}

namespace {

/// A switch of which edges serve several ranges.
struct ranges_program : semantic_program {
  using semantic_program::semantic_program;

  std::vector<std::vector<number_range>> ranges = {};

  std::vector<number_range> edge_cases(edge_id e) const { return ranges[e]; }
};

} // namespace

TEST_CASE_TEMPLATE("verify_sccp and branches on ranges", D, flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, number_domain, midend::strided_interval_domain, powerset_domain) {
  random_source random(47);
  std::size_t decided = 0;
  std::size_t rejected = 0;
  for (std::size_t i = 0; i != 100; ++i) {
    const unsigned width = 3 + static_cast<unsigned>(random.below(2));
    ranges_program p(5, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}});
    const value_id x = p.parameter(width);
    const value_id mask = p.literal(random.next(), width);
    const value_id least = p.literal(random.next(), width);
    const value_id masked = p.op(0, operation::bit_and, {x, mask}, width);
    const value_id most = p.op(0, random.one_in(2) ? operation::min : operation::umin, {masked, least}, width);
    const value_id condition = random.one_in(5) ? p.literal(random.next(), width) : random.one_in(2) ? masked : most;
    p.switch_on(0, condition, {0, 1, 2});
    p.ranges.resize(6);
    const std::uint64_t all = midend::low_ones(width);
    std::vector<std::size_t> edge_for(all + 1, 2); // by number: the third edge is for the rest
    for (std::size_t k = 0; k != 5; ++k) {         // disjoint ranges at the first two edges
      const std::uint64_t low = random.next() & all;
      const std::uint64_t count = 1 + random.below(4);
      const std::uint64_t high = (low + count - 1) & all;
      const bool is_signed = random.one_in(2);
      bool is_free = is_signed ? midend::as_signed(low, width) <= midend::as_signed(high, width) : low <= high;
      for (std::uint64_t c = 0; c != count; ++c) {
        is_free = is_free && edge_for[(low + c) & all] == 2;
      }
      if (is_free) {
        const auto slot = static_cast<std::size_t>(random.below(2));
        p.ranges[slot].push_back({low, high, is_signed});
        for (std::uint64_t c = 0; c != count; ++c) {
          edge_for[(low + c) & all] = slot;
        }
      }
    }
    std::array<bool, 3> is_taken{};
    for (std::uint64_t argument = 0; argument <= all; ++argument) {
      interpret(
          p, {&argument, 1}, 20, [](unsigned) { return std::uint64_t{0}; },
          [&](value_id v, std::uint64_t bits) {
            if (v == condition) {
              is_taken[edge_for[bits]] = true;
            }
          },
          [](edge_id) {});
    }
    const auto found = sccp(p, D());
    const sccp_error error = verify_sccp(p, found);
    CHECK_MESSAGE(!error, words(error), "\n", to_string(p));
    for (std::size_t k = 0; k != 3; ++k) {
      const edge_id e = p.edge_of(0, k);
      if (found.is_executable_edge(e)) {
        auto wrong = found;
        mutation::set_edge(wrong, e, false);
        const bool is_rejected = verify_sccp(p, wrong).fault == sccp_fault::edge;
        CHECK_MESSAGE((is_rejected || !is_taken[k]), "edge ", e, "\n", to_string(p));
        rejected += is_rejected ? 1u : 0u;
      } else {
        ++decided;
      }
    }
  }
  CHECK(decided > 20);
  CHECK(rejected > 20);
}

TEST_CASE("verify_sccp looks at each value of a long chain once") {
  const node_id count = 20'000;
  std::vector<midend::edge> edges;
  for (node_id n = 0; n + 1 != count; ++n) {
    edges.push_back({n, n + 1});
  }
  semantic_program p(count, edges);
  value_id last = p.literal(1, 32);
  const value_id one = last;
  for (node_id n = 0; n != count; ++n) {
    last = p.op(n, operation::add, {last, one}, 32);
  }
  auto found = sccp(p);
  CHECK(!verify_sccp(p, found));
  mutation::set_fact(found, last, flat_domain<>().constant(32, 5));
  CHECK(verify_sccp(p, found) == sccp_error{sccp_fault::fact, count - 1, last, midend::no_edge});
}

TEST_CASE_TEMPLATE("verify_sccp: a value that was undefined when its branch was decided, and is none of that branch", D,
                   flat_domain<>, midend::interval_domain, midend::known_bits_domain, number_domain,
                   midend::strided_interval_domain) {
  const parsed_procedure program(R"(
proc @f() -> i16 {
  node entry:
    br loop
  node loop:
    %x = phi.i16 [entry: undef], [loop: 0], [never: 0]
    %p = cmp.ugt.i16 0, %x
    br %p ? never : loop
  node never:
    %y = phi.i16 [loop: %x]
    br loop
})");
  const midend::elbrus::semantic_view view(program.procedure());
  for (const sccp_options& options : all_options) {
    const auto found = sccp_with_branch_facts(view, D(), options);
    const sccp_error error = verify_sccp_with_branch_facts(view, found, options);
    CHECK_MESSAGE(!error, words(error));
  }
}
