/// What the contestants for dominance frontiers share.
#pragma once

#include "suite.hpp"

namespace midend_benchmarks {

/// Compares the frontiers of all blocks of one function, each ascending, with those that climbing from each edge gives.
std::optional<std::string> compare_frontiers(const dataset& d, std::size_t function,
                                             std::span<const std::vector<std::uint32_t>> found);

/// Sets whose frontiers together would take gigabytes.
bool has_quadratic_frontiers(const dataset_name& d);

} // namespace midend_benchmarks
