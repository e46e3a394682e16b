/// What the contestants of post_dominators must answer.
#pragma once

#include "datasets.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace midend_benchmarks {

/// Compares one function with what the dominators of the reversed graph are for these roots, one of which must be in
/// each endless region: contestants do not choose the same block there. `none` where the immediate post-dominator is
/// the virtual exit. A description of the first difference, if there is one.
std::optional<std::string> compare_post_dominators(const dataset& d, std::size_t function,
                                                   std::span<const std::uint32_t> roots,
                                                   std::span<const std::uint32_t> immediate_post_dominators);

} // namespace midend_benchmarks
