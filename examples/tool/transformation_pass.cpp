#include "transformation_pass.hpp"

#include "program_names.hpp"

#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/verify_implied_branches.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform/untaken_exits.hpp>
#include <midend/transform/verify_collapse.hpp>
#include <midend/transform/verify_condition_split.hpp>
#include <midend/transform/verify_final_values.hpp>
#include <midend/transform/verify_interchange.hpp>
#include <midend/transform/verify_loop_ends.hpp>
#include <midend/transform/verify_loop_versioning.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_range_tests.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>
#include <midend/transform/verify_strength.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/transform/verify_untaken_exits.hpp>
#include <midend/viz/certificates.hpp>
#include <midend/viz/condition_splits.hpp>
#include <midend/viz/final_values.hpp>
#include <midend/viz/loop_versions.hpp>
#include <midend/viz/nests.hpp>
#include <midend/viz/package.hpp>

namespace midend_tool {
namespace {

using midend::edge_id;
using midend::elbrus::effect_view;
using midend::elbrus::procedure;

/// Names of one version of a procedure, with its edges.
class version_names {
public:
  explicit version_names(const procedure& p) : procedure_(p), names_(p) {}

  std::string value(midend::value_id v) const {
    const std::string name = names_.value(v);
    return name.empty() ? "operation " + std::to_string(v) : name;
  }

  std::string node(midend::node_id n) const { return names_.node(n); }

  std::string edge(edge_id e) const {
    return procedure_.edge_source(e) == midend::no_node
               ? "edge " + std::to_string(e)
               : names_.node(procedure_.edge_source(e)) + " -> " + names_.node(procedure_.edge_target(e));
  }

private:
  const procedure& procedure_;
  program_names names_;
};

/// Of a rejection that names what is in the old program.
template <class Verdict> std::optional<std::string> words_of(const Verdict& verdict, const procedure& before) {
  return verdict ? std::nullopt : std::optional(midend::to_text(verdict, version_names(before)));
}

/// What a witness asserts, and nothing proves, is no certificate.
std::optional<std::string> why_assumed(std::size_t count, std::string_view what) {
  std::string why;
  append(why, what, " for reasons that nothing proves: ", count);
  return count == 0 ? std::nullopt : std::optional(why);
}

} // namespace

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::unfolding_witness& witness, assumed_edges assumed) {
  const midend::unfolding_verdict verdict = midend::verify_unfolding(effect_view(before), effect_view(after), witness);
  if (!verdict) {
    return midend::to_text(verdict, version_names(after), version_names(before));
  }
  return assumed == assumed_edges::are_unproven ? why_assumed(verdict.assumed, "edges dropped") : std::nullopt;
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::removal_witness& witness) {
  const midend::removal_verdict verdict = midend::verify_removal(effect_view(before), effect_view(after), witness);
  return verdict ? why_assumed(verdict.assumed, "loops said to end") : words_of(verdict, before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::replacement_witness& witness) {
  return words_of(
      midend::verify_replacement(midend::elbrus::cost_view(before), midend::elbrus::cost_view(after), witness), before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::memory_witness& witness) {
  return words_of(
      midend::verify_memory_redundancy(midend::elbrus::cost_view(before), midend::elbrus::cost_view(after), witness),
      before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::final_value_witness& witness) {
  return words_of(
      midend::verify_final_values(midend::elbrus::cost_view(before), midend::elbrus::cost_view(after), witness),
      before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after, const strength_witness&) {
  return words_of(midend::verify_strength(midend::elbrus::cost_view(before), midend::elbrus::cost_view(after)), before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::interchange_witness& witness) {
  const midend::elbrus::cost_view view(before);
  const auto facts = midend::facts_of_numbers(view);
  return words_of(
      midend::verify_interchange(view, midend::elbrus::cost_view(after), witness, {facts.data(), facts.size()}), after);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::collapse_witness& witness) {
  const midend::elbrus::cost_view view(before);
  const auto facts = midend::facts_of_numbers(view);
  return words_of(
      midend::verify_collapse(view, midend::elbrus::cost_view(after), witness, {facts.data(), facts.size()}), after);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::condition_split_witness& witness) {
  const midend::elbrus::cost_view view(before);
  const auto facts = midend::facts_of_numbers(view);
  return words_of(
      midend::verify_condition_split(view, midend::elbrus::cost_view(after), witness, {facts.data(), facts.size()}),
      after);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::versioned_loops_witness& witness) {
  if (auto why = why_rejected(before, after, witness.copies, assumed_edges::are_unproven)) {
    return why;
  }
  const midend::elbrus::cost_view view(after);
  const auto facts = midend::facts_of_numbers(view);
  return words_of(midend::verify_loop_versioning(midend::elbrus::cost_view(before), view, witness.copies,
                                                 witness.classes, {facts.data(), facts.size()}),
                  after);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const dead_loops_witness& witness) {
  const midend::elbrus::cost_view view(before);
  const midend::removal_verdict removal =
      midend::verify_removal(view, midend::elbrus::cost_view(after), witness.removal);
  return removal ? words_of(midend::verify_loop_ends(view, witness.removal.ending_loops), before)
                 : words_of(removal, before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after, const motion_witness&) {
  return words_of(midend::verify_motion(effect_view(before), effect_view(after)), before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after, const range_test_witness&) {
  return words_of(midend::verify_range_tests(midend::elbrus::cost_view(before), midend::elbrus::cost_view(after)),
                  before);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::reverse_unfolding& split) {
  return why_rejected(after, before, split.witness, assumed_edges::are_unproven);
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::elbrus::ssa_construction_verdict& verdict) {
  using enum midend::elbrus::ssa_construction_fault;
  std::string why;
  switch (verdict.fault) {
  case none:
    return std::nullopt;
  case wrong_size:
    return "there are other nodes, edges or parameters, or variables are left";
  case changed_flow:
    why = "an edge leads elsewhere or has another case";
    break;
  case changed_operation:
    why = "an operation is missing, new or another one";
    break;
  case wrong_operand:
    why = "another value is read";
    break;
  case wrong_value:
    why = "what is read need not be what the variable contains";
    break;
  }
  append(why, "; node ", version_names(before).node(verdict.node));
  if (verdict.value != midend::no_value) {
    append(why, ", ", version_names(after).value(verdict.value));
  }
  if (verdict.old_value != midend::no_value) {
    append(why, ", before ", version_names(before).value(verdict.old_value));
  }
  return why;
}

std::optional<std::string> why_rejected(const procedure& p, const midend::sccp_error& error) {
  return error ? std::optional(midend::to_text(error, version_names(p))) : std::nullopt;
}

std::optional<std::string> why_rejected(const procedure& p, const midend::congruence_error& error) {
  return error ? std::optional(midend::to_text(error, version_names(p))) : std::nullopt;
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const untaken_exits_witness& witness) {
  if (auto why = why_rejected(before, after, witness.unfolding, assumed_edges::are_proven)) {
    return why;
  }
  const midend::elbrus::cost_view view(before);
  const auto found = midend::dominators_and_loops(before);
  midend::loop_trip_counter counter(view, found.loops);
  if (auto why = why_rejected(before, midend::verify_sccp_with_branch_facts(counter.program(), counter.facts()))) {
    return why;
  }
  const midend::untaken_exits_verdict verdict = midend::verify_untaken_exits(view, after, witness.unfolding, counter);
  return verdict ? std::nullopt : std::optional(midend::to_text(verdict, version_names(before)));
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const implied_branches_witness& witness) {
  if (auto why = why_rejected(before, after, witness.unfolding, assumed_edges::are_proven)) {
    return why;
  }
  const midend::implied_branches_verdict verdict =
      midend::verify_implied_branches(midend::elbrus::cost_view(before), witness.unfolding);
  return verdict ? std::nullopt : std::optional(midend::to_text(verdict, version_names(before)));
}

} // namespace midend_tool
