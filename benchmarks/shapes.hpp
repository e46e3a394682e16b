/// Generated control-flow graphs for measurements of scale. The shapes show where algorithms and data structures bend:
///
///   structured   nested ifs, loops (with break and continue) and switches in source order; reducible
///   irreducible  random extra edges, half of them near, half anywhere: irreducible cycles throughout
///   nest         one nest of N/2 loops, header inside header: depth-first tree, dominator tree and loops N/2 deep
///   ladder       an if chain whose arms all join at the end: the deepest dominator tree without loops
///   switch       one switch of N-2 cases that all join, one case in ten named twice
///
/// Every block is reached. The same shape and size give the same graph on every platform: the generator uses the engine
/// of the standard library, whose output is fixed, but none of its distributions, whose output is not.
#pragma once

#include "datasets.hpp"

#include <cstdint>
#include <string_view>

namespace midend_benchmarks {

/// The function of that shape with `num_blocks` blocks (the nest rounds down to even). Unknown shapes give no blocks.
flat_function generate(std::string_view shape, std::uint32_t num_blocks);

} // namespace midend_benchmarks
