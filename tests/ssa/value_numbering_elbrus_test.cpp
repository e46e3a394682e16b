// Random programs of the Elbrus-like IR before and after value numbering.
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_phis_of_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// Value numbering over a domain, with or without what branches say.
template <class D, bool BranchFacts> struct numbering {
  using domain = D;
  static constexpr bool has_branch_facts = BranchFacts;

  static auto run(const elbrus::cost_view& view) {
    if constexpr (BranchFacts) {
      return midend::value_numbering_with_branch_facts(view, D());
    } else {
      return midend::value_numbering(view, D());
    }
  }

  static auto facts(const elbrus::cost_view& view) {
    if constexpr (BranchFacts) {
      return midend::sccp_with_branch_facts(view, D());
    } else {
      return midend::sccp(view, D());
    }
  }

  static auto verify(const elbrus::cost_view& view, const midend::value_numbering_result<D>& found) {
    if constexpr (BranchFacts) {
      return midend::verify_congruence_with_branch_facts(view, found);
    } else {
      return midend::verify_congruence(view, found);
    }
  }
};

} // namespace

using flat_numbering = numbering<midend::flat_domain<>, false>;
using bits_numbering = numbering<midend::known_bits_domain, false>;
using number_numbering = numbering<midend::number_domain, false>;
using flat_numbering_of_branches = numbering<midend::flat_domain<>, true>;
using number_numbering_of_branches = numbering<midend::number_domain, true>;

TEST_CASE_TEMPLATE("random programs mean the same after value numbering", T, flat_numbering, bits_numbering,
                   number_numbering, flat_numbering_of_branches, number_numbering_of_branches) {
  std::size_t equal = 0;
  std::size_t dropped = 0;
  std::size_t phis = 0;
  std::size_t constants = 0;
  comparison_counts runs;
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  options.known = 40; // much is constant
  for_each_random_program(300, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = g.program;
    for (elbrus::procedure& each : p.procedures) {
      elbrus::construct_ssa(each);
      const auto found = T::run(elbrus::cost_view(each));
      auto plan = midend::plan_value_numbering(elbrus::cost_view(each), found);
      midend::add_phis_of_operations(elbrus::cost_view(each), found, plan);
      CHECK_MESSAGE(!midend::verify_phis_of_operations(elbrus::cost_view(each), found, plan), "seed ", seed);
      const auto facts = T::facts(elbrus::cost_view(each));
      bool is_as_good = true;
      for (value_id v = 0; v != facts.num_values(); ++v) {
        is_as_good = is_as_good && (!facts.constant(v) || found.constant(v) || !found.is_computed(v));
      }
      for (midend::edge_id e = 0; e != facts.num_edges(); ++e) {
        is_as_good = is_as_good && (facts.is_executable_edge(e) || !found.is_executable_edge(e));
      }
      // Widening is not monotone, so in theory knowing more may give less.
      CHECK_MESSAGE(is_as_good, "seed ", seed, "\n", elbrus::to_text(each));
      CHECK_MESSAGE(!T::verify(elbrus::cost_view(each), found), "seed ", seed);
      equal += plan.replacements.size();
      phis += plan.phis.size();
      dropped += plan.dropped_promises.size();
      constants += plan.constants.replacements.size();
      elbrus::editor editor(each);
      midend::apply_value_numbering(editor, plan);
    }
    const std::string wrong = why_wrong(g, p, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(equal, " equal values, ", dropped, " promises dropped, ", phis, " phis of operations, ", constants,
          " constants; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(equal > 100);
  CHECK(phis > 0);
  CHECK(constants > 0);
  CHECK(runs.same > 0);
}
