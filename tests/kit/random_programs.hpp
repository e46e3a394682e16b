/// Random programs of the Elbrus-like IR for tests: in series, run, and compared after a transformation.
#pragma once

#include "kit/affordable.hpp"

#include "kit/program_generator.hpp"

#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/host.hpp>
#include <midend/elbrus/run/run_result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace midend_tests {

/// The host functions that random programs call. They depend on their arguments alone.
midend::elbrus::host_answer random_program_host(const midend::elbrus::host_call& call);

/// `options` with another form, size and choice of features for each number; what `options` excludes stays out.
random_program_options varied(random_program_options options, std::uint64_t number);

/// Everything but traps and endless loops, which leave little to compare.
inline random_program_options all_flow() {
  random_program_options options;
  options.irreducible = true;
  return options;
}

/// The same with what few transformations expect: guards that are literals, bits and bytes in memory, accesses that
/// overlap partly, `undef`.
inline random_program_options all_features() {
  random_program_options options = all_flow();
  options.literal_guards = 40;
  options.mixed_accesses = true;
  options.overlapping_classes = true;
  options.undefined = true;
  return options;
}

/// Everything at all, for what must hold of every program.
inline random_program_options everything() {
  random_program_options options = all_features();
  options.endless = true;
  options.traps = true;
  return options;
}

/// Calls `visit(program, seed)` for so many programs, or, under sanitizers, a tenth. Options vary from program to
/// program; `random_program(seed, varied(options, seed))` makes one of them again.
template <class Visit>
void for_each_random_program(std::size_t count, const random_program_options& options, Visit visit) {
  for (std::uint64_t seed = 0; seed != affordable(count); ++seed) {
    const generated_program g = random_program(seed, varied(options, seed));
    visit(g, seed);
  }
}

/// Runs a program, which may be a transformed one, on an input. The limit leaves room for twice the steps.
midend::elbrus::run_result run_on(const midend::elbrus::program& p, const generated_program& g, std::size_t input);

/// How runs before and after a transformation went.
struct comparison_counts {
  std::size_t same = 0;
  std::size_t no_verdict = 0;
};

/// Why `transformed` is not a right transformation of the program of `g`: the first error that the verifier finds, or
/// the first input on which a run shows it, with the text of both programs. Empty if there is nothing.
std::string why_wrong(const generated_program& g, const midend::elbrus::program& transformed,
                      comparison_counts* counts = nullptr);

/// What random programs are good for.
struct program_statistics {
  std::size_t programs = 0;
  std::size_t input_matters = 0; ///< programs whose result, memory or events are not the same on all inputs
  std::size_t operations = 0;
  std::size_t executed = 0;        ///< operations in nodes that were entered on some input
  std::size_t without_operand = 0; ///< operations that have operands, but only literals
  std::size_t unread = 0;          ///< operations with a result that nobody reads
  std::size_t steps = 0;

  void add(const generated_program& g);
};

} // namespace midend_tests
