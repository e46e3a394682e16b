/// What tests of removal, replacement and motion have in common: random programs that are transformed, certified and
/// run.
#pragma once

#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/ssa/check_ir.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace midend_tests {

inline random_program_options endless_flow() {
  random_program_options options = all_flow();
  options.endless = true;
  return options;
}

/// What is wrong with a procedure in itself, or nothing.
inline std::string why_ill_formed(const midend::elbrus::procedure& p) {
  for (const midend::elbrus::diagnostic& error : midend::elbrus::verify(p)) {
    return error.message;
  }
  return midend::check_ir(midend::elbrus::semantic_view(p)) ? "check_ir finds an error" : "";
}

struct cleaning_counts {
  std::size_t changed = 0;
  comparison_counts runs;
};

/// Applies `transform(editor, procedure)`, which returns a witness, to random programs in SSA form, after
/// `prepare(editor)`. Checks `certify(before, after, witness)`, form, runs, and that a second time changes nothing.
template <class Prepare, class Transform, class Certify>
cleaning_counts clean_random_programs(std::size_t count, const random_program_options& options, Prepare prepare,
                                      Transform transform, Certify certify) {
  namespace elbrus = midend::elbrus;
  cleaning_counts counts;
  for_each_random_program(count, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    for (elbrus::procedure& p : after.procedures) {
      elbrus::editor e(p);
      prepare(e, p, seed);
      const elbrus::procedure before = p;
      const auto witness = transform(e);
      const auto verdict = certify(elbrus::effect_view(before), elbrus::effect_view(p), witness);
      CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                    ", value ", verdict.value, "\n", elbrus::to_text(before), elbrus::to_text(p));
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill, "\n", elbrus::to_text(before), elbrus::to_text(p));
      counts.changed += elbrus::equal(before, p) ? 0u : 1u;
      const elbrus::procedure once = p;
      static_cast<void>(transform(e));
      const std::string difference = elbrus::difference(once, p);
      CHECK_MESSAGE(difference.empty(), "seed ", seed, ", second time: ", difference, "\n", elbrus::to_text(before),
                    elbrus::to_text(once));
    }
    const std::string wrong = why_wrong(g, after, &counts.runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(counts.changed, " procedures changed; ", counts.runs.same, " runs the same, ", counts.runs.no_verdict,
          " without verdict");
  return counts;
}

/// For `prepare`: every second program is unfolded at random, so that its flow is worse.
inline void worsen(midend::elbrus::editor& e, midend::elbrus::procedure& p, std::uint64_t seed) {
  if (seed % 2 == 0) {
    random_source random(seed);
    midend::unfolding<midend::elbrus::editor> u(e);
    unfold_at_random(p, u, random);
  }
}

} // namespace midend_tests
