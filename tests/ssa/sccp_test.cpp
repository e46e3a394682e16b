#include <midend/ssa/sccp.hpp>

#include "support/powerset_domain.hpp"
#include "support/semantic_ir.hpp"
#include "support/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

using namespace midend_tests;
using midend::flat_domain;
using midend::sccp_options;
using midend::sccp_result;

namespace {

std::vector<test_graph> small_graphs() {
  std::vector<test_graph> out = ugly_graphs();
  random_source random(4);
  for (std::size_t i = 0; i != 150; ++i) {
    out.push_back(random_reducible(random, 3 + i % 12));
    out.push_back(random_irreducible(random, 4 + i % 12));
    out.push_back(random_digraph(random, 2 + i % 9, 3 + i % 17));
  }
  std::erase_if(out, [](const test_graph& g) { return g.num_nodes == 0 || g.num_nodes > 40; });
  return out;
}

/// What is observed on runs must be what the result allows.
template <class D>
std::size_t check_runs(const semantic_program& program, const sccp_result<D>& found, unsigned width,
                       const std::string& name) {
  std::size_t observed = 0;
  random_source outside(9);
  const D domain{};
  const std::size_t parameters = program.parameters().size();
  for (std::uint64_t input = 0; input >> (width * parameters) == 0; ++input) {
    std::vector<std::uint64_t> arguments;
    for (std::size_t i = 0; i != parameters; ++i) {
      arguments.push_back(input >> (i * width) & midend::low_ones(width));
    }
    bool sound = found.is_executable(program.graph().entry());
    interpret(
        program, arguments, 400, [&](unsigned w) { return outside.next() & midend::low_ones(w); },
        [&](value_id v, std::uint64_t bits) {
          ++observed;
          sound = sound && midend::may_be(domain, program.operation(v).width, found.fact(v), bits);
        },
        [&](edge_id e) { sound = sound && found.is_executable_edge(e); });
    if (!sound) {
      FAIL_CHECK(name, " input ", input, "\n", to_string(program));
      break;
    }
  }
  return observed;
}

template <class Visit> void for_each_small_program(const random_semantics& semantics, Visit visit) {
  random_source random(17);
  for (const test_graph& g : small_graphs()) {
    visit(random_semantic_program(random, g, semantics), g);
  }
}

} // namespace

#define ALL_DOMAINS                                                                                                    \
  midend::flat_domain<>, midend::interval_domain, midend::known_bits_domain, midend::number_domain, powerset_domain

TEST_CASE_TEMPLATE("sccp holds on every run", D, ALL_DOMAINS) {
  std::size_t observed = 0;
  const std::vector<sccp_options> all_options{
      {.checked = true},
      {.branch_facts = true, .checked = true},
      {.branch_facts = true, .widen_after = 0},
      {.widen_after = 1, .threshold_steps = 0},
  };
  for (const unsigned width : {3u, std::is_same_v<D, powerset_domain> ? 2u : 4u}) {
    for_each_small_program({.width = width}, [&](const semantic_program& program, const test_graph& g) {
      for (const sccp_options& options : all_options) {
        const auto found = midend::sccp(program, D(), options);
        REQUIRE(found.broken_value() == no_value);
        observed += check_runs(program, found, width, g.name);
      }
    });
  }
  CHECK(observed > 100000);
}

/// How much of what can be known by looking at one operation after the other a domain finds.
template <class D> void compare_with_exact(double least) {
  std::size_t constants = 0;
  std::size_t found_constants = 0;
  std::size_t dead_edges = 0;
  std::size_t found_dead_edges = 0;
  for_each_small_program({.width = 3}, [&](const semantic_program& program, const test_graph& g) {
    const auto exact = midend::sccp(program, powerset_domain());
    const auto found = midend::sccp(program, D(), {.checked = true});
    REQUIRE(found.broken_value() == no_value);
    for (node_id n = 0; n != program.graph().num_nodes(); ++n) {
      for (const value_id v : exact.is_executable(n) ? program.values(n) : std::span<const value_id>()) {
        constants += exact.constant(v) ? 1u : 0u;
        found_constants += found.constant(v) && exact.constant(v) ? 1u : 0u;
        const bool agree = // what always traps reads as any
            !found.constant(v) || midend::may_be(powerset_domain(), 3, exact.fact(v), *found.constant(v));
        CHECK_MESSAGE(agree, g.name, " v", v, "\n", to_string(program));
      }
    }
    for (edge_id e = 0; e != program.graph().num_edges(); ++e) {
      dead_edges += exact.is_executable_edge(e) ? 0u : 1u;
      found_dead_edges += found.is_executable_edge(e) ? 0u : 1u;
      const bool fewer = !exact.is_executable_edge(e) || found.is_executable_edge(e);
      CHECK_MESSAGE(fewer, g.name, " e", e, "\n", to_string(program));
    }
  });
  MESSAGE(found_constants, " of ", constants, " constants, ", found_dead_edges, " of ", dead_edges, " dead edges");
  CHECK(static_cast<double>(found_constants) >= least * static_cast<double>(constants));
}

TEST_CASE("nothing is known that the exact domain does not know") {
  compare_with_exact<midend::flat_domain<>>(0);
  compare_with_exact<midend::known_bits_domain>(0);
  compare_with_exact<midend::interval_domain>(0);
  compare_with_exact<midend::number_domain>(0);
}
