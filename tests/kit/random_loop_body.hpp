/// Random loop bodies: counters, arithmetic on them, branches and joins, memory, calls and exits.
#pragma once

#include <midend/induction/loop_body.hpp>

#include <cstdint>
#include <vector>

namespace midend_tests {

struct random_loop_body {
  midend::loop_body body;
  std::vector<std::uint64_t> invariants; ///< their values, in their order

  explicit random_loop_body(std::uint64_t seed);
};

} // namespace midend_tests
