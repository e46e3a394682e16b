/// What tests of loop versioning have in common: programs that are transformed, certified and run.
#pragma once

#include "kit/run_text.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/loop_versioning.hpp>
#include <midend/transform/verify_loop_versioning.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tests {

inline midend::loop_versioning_plan planned_versions(const midend::elbrus::procedure& p,
                                                     const midend::loop_versioning_limits& limits = {}) {
  const midend::elbrus::cost_view view(p);
  const auto flow = midend::dominators_and_loops(p);
  const auto facts = midend::facts_of_numbers(view);
  const midend::span<const midend::number_facts> known(facts.data(), facts.size());
  return midend::plan_loop_versioning(view, flow.dominators, flow.loops, midend::evolutions(view, flow.loops, known),
                                      known, limits);
}

/// A procedure before and after, with both witnesses.
struct versioned_procedure {
  midend::elbrus::procedure before;
  midend::elbrus::procedure after;
  midend::unfolding_witness copies;
  midend::loop_versioning_witness classes;

  midend::versioning_verdict verdict() const { return verdict(after, classes); }

  midend::versioning_verdict verdict(const midend::elbrus::procedure& now,
                                     const midend::loop_versioning_witness& witness) const {
    const midend::elbrus::cost_view view(now);
    const auto facts = midend::facts_of_numbers(view);
    return midend::verify_loop_versioning(midend::elbrus::cost_view(before), view, copies, witness,
                                          {facts.data(), facts.size()});
  }
};

/// Applies a plan and checks both certificates and the form.
inline versioned_procedure with_versions(const midend::elbrus::procedure& p, const midend::loop_versioning_plan& plan) {
  versioned_procedure x{p, p, {}, {}};
  midend::elbrus::cost_editor e(x.after);
  midend::versioned_loops_witness both = midend::apply_loop_versioning(e, plan);
  x.copies = both.copies;
  x.classes = both.classes;
  const auto unfolding = certificate(x.before, x.after, x.copies);
  CHECK_MESSAGE((unfolding && unfolding.assumed == 0), to_text(unfolding), "\n", midend::elbrus::to_text(x.before),
                midend::elbrus::to_text(x.after));
  const auto verdict = x.verdict();
  CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, ", value ", verdict.value,
                ", second ", verdict.second, "\n", midend::elbrus::to_text(x.after));
  const auto errors = midend::elbrus::verify(x.after);
  const std::string first_error = errors.empty() ? std::string() : errors[0].message;
  CHECK_MESSAGE(errors.empty(), first_error, "\n", midend::elbrus::to_text(x.after));
  CHECK(!midend::check_ir(midend::elbrus::semantic_view(x.after)));
  return x;
}

inline versioned_procedure with_versions(const midend::elbrus::procedure& p,
                                         const midend::loop_versioning_limits& limits = {}) {
  return with_versions(p, planned_versions(p, limits));
}

/// Runs the first procedure with addresses in one array of bytes, then numbers of 64 bits, and checks all classes.
inline midend::elbrus::run_result run_with_places(midend::elbrus::interpreter& running,
                                                  const std::vector<std::int64_t>& places, std::size_t bytes,
                                                  const std::vector<std::int64_t>& numbers) {
  namespace elbrus = midend::elbrus;
  elbrus::memory memory;
  std::vector<unsigned char> contents(bytes);
  for (std::size_t i = 0; i != bytes; ++i) {
    contents[i] = static_cast<unsigned char>(i * 37 + 11);
  }
  const std::uint64_t start = memory.add("a", contents);
  std::vector<elbrus::scalar> arguments;
  for (const std::int64_t at : places) {
    arguments.push_back({elbrus::type::ptr, start + static_cast<std::uint64_t>(at)});
  }
  for (const std::int64_t n : numbers) {
    arguments.push_back({elbrus::type::i64, static_cast<std::uint64_t>(n)});
  }
  elbrus::run_options options;
  options.step_limit = 100'000;
  options.check_classes = true;
  return running.run(0, arguments, std::move(memory), options);
}

/// How often the copies that were checked were entered.
inline std::uint64_t entered(const versioned_procedure& x, const midend::elbrus::run_result& result) {
  std::uint64_t sum = 0;
  for (const midend::versioned_loop& l : x.classes.loops) {
    for (const midend::edge_id e : x.after.out_edges(l.gate)) {
      if (x.after.case_value(e) == 1 && e < result.profile[0].edges.size()) {
        sum += result.profile[0].edges[e];
      }
    }
  }
  return sum;
}

inline midend::elbrus::program program_with(const midend::elbrus::procedure& p) {
  midend::elbrus::program all;
  all.procedures.push_back(p);
  return all;
}

} // namespace midend_tests
