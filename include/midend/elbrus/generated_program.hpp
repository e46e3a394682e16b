/// What `random_program` is asked for, and what it gives.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/scalar.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Where the results of operations go.
enum class program_form : std::uint8_t {
  ssa,       ///< values and phis; no variables
  variables, ///< variables only; no phis
  mixed      ///< both
};

/// What a random program is made of.
struct random_program_options {
  program_form form = program_form::mixed;
  std::size_t operations = 40;  ///< of each procedure, about; helpers such as masks come on top
  std::size_t procedures = 2;   ///< at most; the last one is run and may call those before it, and so on
  unsigned nesting = 4;         ///< of branches and loops, at most 32: the generator recurses by it
  std::uint64_t steps = 20'000; ///< a run shall not be much longer; `generated_program::step_bound` says the truth
  std::size_t inputs = 3;
  unsigned known = 0; ///< in so many of 100 places stands a literal where otherwise something computed would, so that
                      ///< much is constant and many a branch goes one way only; 40 is much

  bool loops = true;
  bool switches = true;
  bool guards = true; ///< guarded operations, stores and calls
  bool memory = true;
  bool calls = true;       ///< of other procedures, and of the host functions `host_mix`, `host_scale` and `host_note`
  bool speculation = true; ///< speculative operations, whose diagnostic results are used under the right predicate only
  bool floats = true;
  bool promises = true;       ///< `nsw`, where it holds, and `assoc`
  bool parallel_edges = true; ///< `br %c ? L : L`, and switches with several ways to one node
  bool unreachable_nodes = true;
  bool profile = true; ///< counts, probabilities, hints; they agree with no run

  bool irreducible = false; ///< cycles with several entries; a counter ends them
  bool endless = false;     ///< loops without exit; a run that gets into one ends at its step limit
  bool traps = false;       ///< now and then an operation that may trap
};

/// Arguments and memory of a run.
struct generated_input {
  std::vector<scalar> arguments;
  elbrus::memory memory;
};

/// A program with something to run it on.
struct generated_program {
  elbrus::program program;
  std::size_t entry = 0; ///< the number of the procedure to be run: the last one
  std::vector<generated_input> inputs;
  std::uint64_t step_bound = 0; ///< no run on the inputs executes more operations, phis and callees' included;
                                ///< endless loops apart

  const procedure& main() const { return program.procedures[entry]; }
};

} // namespace elbrus

MIDEND_END_NAMESPACE
