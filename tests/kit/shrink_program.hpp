/// Makes a program on which something fails smaller, as long as it still fails.
#pragma once

#include "kit/random_programs.hpp"

#include <midend/elbrus/program.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace midend_tests {

/// Whether what is looked for is wrong with a program, which is always one that verifies. A test that compares runs
/// may want to say no if the original traps: smaller programs do more easily.
using program_fails = std::function<bool(const generated_program&)>;

/// A program that fails as `g` does and of which no smaller one does that comes from it by one of these steps, tried
/// until none helps any more: leave out an input or a procedure; have a branch go one way only, without what that makes
/// unreachable; merge nodes; leave out operations, many at once first, with a literal or an operand in place of the
/// result; leave out guards and flags; put literals in place of operands. The steps are few, the program is not the
/// smallest there is. `fails` is called O(operations) times for each round, of which a few are needed.
///
/// Requires that `fails(g)` holds. Host functions and the step bound stay.
generated_program shrink(generated_program g, const program_fails& fails);

/// The number of operations.
std::size_t num_operations(const midend::elbrus::program& p);

/// The program as text, with the inputs as comments: what to put into a report.
std::string to_report(const generated_program& g);

} // namespace midend_tests
