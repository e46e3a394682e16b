#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/conditional_propagation.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/lattices/flat.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/fold.hpp>
#include <midend/elbrus/views/variable_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

struct transformation_counts {
  std::size_t constants = 0;
  std::size_t branches = 0;
  std::size_t nodes = 0;
  std::size_t phis = 0;
};

template <class D>
void transform(elbrus::procedure& p, const D& domain, const midend::sccp_options& options,
               transformation_counts& counts) {
  elbrus::editor editor(p);
  const auto found = midend::sccp(editor, domain, options);
  const auto plan = midend::plan_sccp(editor, found);
  counts.constants += plan.replacements.size();
  counts.branches += plan.kept_edges.size();
  counts.nodes += plan.erased_nodes.size();
  counts.phis += plan.forwardings.size();
  midend::apply_sccp(editor, plan);
}

/// Constants that only the IR's own `fold` works out, as dense and sparse propagation can both do.
struct folding_domain : midend::flat<std::uint64_t> {
  using constant_type = std::uint64_t;
  using midend::flat<std::uint64_t>::top;
  using midend::flat<std::uint64_t>::constant;

  element top(unsigned) const { return top(); }

  element constant(unsigned, std::uint64_t c) const { return constant(c); }

  std::optional<std::uint64_t> as_constant(const element& a) const {
    return a.is_constant() ? std::optional(a.value) : std::nullopt;
  }
};

/// What the statements of a procedure do to its variables.
struct variable_semantics {
  using element = folding_domain::element;

  const elbrus::procedure* p;

  element operand(value_id v, std::span<const element> facts) const {
    const elbrus::value_record& record = p->value(v);
    switch (record.kind) {
    case elbrus::value_kind::variable:
      return facts[p->variable_number(v)];
    case elbrus::value_kind::constant:
      return folding_domain().constant(p->literal_bits(v));
    default:
      return folding_domain().top();
    }
  }

  element evaluate(midend::statement_id s, midend::variable_id, std::span<const element> facts) const {
    std::vector<std::uint64_t> constants;
    for (const value_id v : p->operands(s)) {
      const element a = operand(v, facts);
      if (!a.is_constant()) {
        return a.is_bottom() ? a : folding_domain().top();
      }
      constants.push_back(a.value);
    }
    const auto folded = elbrus::fold(*p, s, constants);
    return folded ? folding_domain().constant(*folded) : folding_domain().top();
  }

  bool may_take(const midend::flow_edge& e, std::span<const element> facts) const {
    const value_id condition = elbrus::semantic_view(*p).condition(e.source);
    if (condition == midend::no_value) {
      return true;
    }
    const element a = operand(condition, facts);
    if (!a.is_constant()) {
      return a.is_top();
    }
    midend::edge_id taken = midend::no_edge;
    for (const midend::edge_id other : p->out_edges(e.source)) {
      if (p->edge(other).is_default ? taken == midend::no_edge : p->case_value(other) == a.value) {
        taken = other;
      }
    }
    return taken == e.id;
  }

  unsigned width(midend::variable_id x) const { return elbrus::width_of(p->value(p->variables()[x]).type); }
};

} // namespace

TEST_CASE_TEMPLATE("random programs mean the same after sccp", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain) {
  transformation_counts counts;
  comparison_counts runs;
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  options.known = 40; // much is constant
  for_each_random_program(2500, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = g.program;
    for (elbrus::procedure& each : p.procedures) {
      elbrus::construct_ssa(each);
      const midend::sccp_options how{.undefined =
                                         seed % 2 == 0 ? midend::undef_policy::top : midend::undef_policy::any_value};
      transform(each, D(), how, counts);
    }
    const std::string wrong = why_wrong(g, p, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(counts.constants, " constants, ", counts.branches, " branches, ", counts.nodes, " nodes, ", counts.phis,
          " phis; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(counts.constants > 0);
  CHECK(runs.same > 0);
}

TEST_CASE("sparse propagation finds what dense conditional propagation over the variables finds") {
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  options.known = 40;
  std::size_t constants = 0;
  std::size_t dead = 0;
  for (std::uint64_t seed = 0; seed != affordable(600); ++seed) {
    random_program_options now = varied(options, seed);
    now.form = midend_tests::program_form::variables;
    const generated_program g = midend_tests::random_program(seed, now);
    for (const elbrus::procedure& before : g.program.procedures) {
      const elbrus::variable_view variables(before);
      const midend::conditional_propagation_problem<folding_domain, elbrus::variable_view, variable_semantics> problem(
          variables, variable_semantics{&before}, midend::unassigned_variable::is_top);
      const auto dense = midend::solve(before, problem);
      elbrus::procedure after = before;
      elbrus::construct_ssa(after);
      const auto sparse = midend::sccp(elbrus::semantic_view(after), folding_domain());
      bool agree = true;
      for (node_id n = 0; n != before.num_nodes(); ++n) {
        agree = agree && dense.is_reached(n) == sparse.is_executable(n);
        dead += !dense.is_reached(n);
        auto fact = dense.in(n);
        for (const midend::statement_id s : variables.statements(n)) {
          problem.transfer_statement(s, fact);
          for (const midend::variable_id x : variables.definitions(s)) {
            const auto found = dense.is_reached(n) ? folding_domain().as_constant(fact[x]) : std::nullopt;
            agree = agree && found == sparse.constant(s);
            constants += found ? 1u : 0u;
          }
        }
      }
      CHECK_MESSAGE(agree, "seed ", seed, "\n", elbrus::to_text(before), elbrus::to_text(after));
    }
  }
  CHECK(constants > 100);
  CHECK(dead > 20);
}
