/// `random_nest`: random nests of loops that count, accumulate, extend and branch, in numbers of several widths.
#pragma once

#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <midend/ir/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

/// A program with loops in loops, up to a depth. Counters start and end with numbers, parameters, counters of loops
/// around and sums of them; other phis accumulate what the body computes, directly, in a branch or in a loop inside.
/// Operations promise not to wrap now and then, also where that is not true, so that some runs stop.
semantic_program random_nest(random_source& random, unsigned depth, unsigned parameters);

/// A program over a graph of any shape: phis where edges meet, most of which an edge back brings plus a number, sums of
/// what dominates a node, and branches that compare them.
semantic_program random_counters(random_source& random, const test_graph& g, unsigned width);

} // namespace midend_tests
