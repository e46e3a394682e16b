/// `random_program`: random programs of the Elbrus-like IR, with inputs to run them on.
#pragma once

#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/scalar.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

/// Where the results of operations go.
enum class program_form : std::uint8_t {
  ssa,       ///< values and phis; no variables
  variables, ///< variables only; no phis
  mixed      ///< both
};

/// What a random program contains.
struct random_program_options {
  program_form form = program_form::mixed;
  std::size_t operations = 40;  ///< of each procedure, about; helpers such as masks are extra
  std::size_t procedures = 2;   ///< at most; the last one is run and may call those before it, and so on
  unsigned nesting = 4;         ///< of branches and loops, at most 32: the generator recurses by it
  std::uint64_t steps = 20'000; ///< a run should not be much longer; `generated_program::step_bound` is exact
  std::size_t inputs = 3;
  unsigned known = 0; ///< percentage of operands that are literals in place of computed values, so that much is
                      ///< constant and many branches go one way only; 40 is much

  bool loops = true;
  bool switches = true;
  bool guards = true; ///< guarded operations, stores and calls
  bool memory = true;
  bool calls = true;       ///< of other procedures, and of the host functions `host_mix`, `host_scale` and `host_note`
  bool speculation = true; ///< speculative operations, whose diagnostic results are used under the right predicate only
  bool floats = true;
  bool numeric = false;       ///< with `floats`: signs, minimum and maximum, rounding, conversions, bits
  bool extended = false;      ///< with `numeric`: numbers of type `f80`, which the reference interpreter does not know
  bool promises = true;       ///< `nsw`, where it holds, and `assoc`
  bool parallel_edges = true; ///< `br %c ? L : L`, and switches with several cases for one node
  bool unreachable_nodes = true;
  bool profile = true; ///< counts, probabilities, hints; random, not those of a run

  unsigned literal_guards = 0; ///< percentage of guards, of those that keep nothing from trapping, that are literals
  bool mixed_accesses = false; ///< loads and stores of bits and bytes, accesses of a place again in another format or
                               ///< partly, values stored where they were loaded from
  bool overlapping_classes = false; ///< each half of an array has an alias class; accesses that may touch both, and
                                    ///< some others, have none
  bool undefined = false;           ///< `undef` where it is passed on, but not used

  bool irreducible = false; ///< cycles with several entries; a counter ends them
  bool endless = false;     ///< loops without exit; a run that enters one ends at its step limit
  bool traps = false;       ///< now and then an operation that may trap
};

/// Arguments and memory of a run.
struct generated_input {
  std::vector<midend::elbrus::scalar> arguments;
  midend::elbrus::memory memory;
};

/// A program with inputs.
struct generated_program {
  midend::elbrus::program program;
  std::size_t entry = 0; ///< the number of the procedure to be run: the last one
  std::vector<generated_input> inputs;
  std::uint64_t step_bound = 0; ///< no run on the inputs executes more operations, including phis and callees,
                                ///< except in endless loops

  const midend::elbrus::procedure& main() const { return program.procedures[entry]; }
};

/// A program of everything that `options` allows, and inputs to run it on. The same seed and options give the same
/// program and inputs on every platform.
///
/// - It is well formed: `verify` finds no error.
/// - Every run on its inputs ends, within `step_bound` operations, and does not trap, unless `endless` or `traps` is
///   set: counters bound all cycles, masks keep accesses in their arrays and shifts below the width, divisors are
///   nonzero or guarded, `nsw` is set where ranges prove it, a result that may be diagnostic is used only under the
///   predicate that excludes it, variables are written on all paths to a read.
/// - Operands are preferably values without users, and the result combines the unused ones, so that inputs matter.
///
/// The procedures' parameters are pointers to the arrays `A`, `B` …, in classes of these names (with
/// `overlapping_classes`, the upper halves are in classes `A_high`, `B_high` …), perhaps a pointer `any`
/// into one of them, and numbers. It calls the host functions `host_mix(i64, i64) -> i64`, `host_scale(f64) -> f64` and
/// `host_note(i32)`, which may do anything but write to memory, and traps if they trap.
///
/// Time and space are linear in the operations for a fixed `nesting`, which is the depth of the recursion.
generated_program random_program(std::uint64_t seed, const random_program_options& options = {});

} // namespace midend_tests
