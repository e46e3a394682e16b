/// `unrolling_workspace`: the memory of `advise_unrolling`.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/unrolling/copies/unroll_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/unrolling_factors.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/estimate_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `advise_unrolling` works with. After warm-up, estimating loop after loop allocates nothing.
class unrolling_workspace {
public:
  describe_loop_workspace description;

  // For the algorithm; not part of the interface.
  count_iterations_workspace count_;
  unroll_body_workspace unroll_;
  estimate_body_workspace estimate_;
  unrolled_body unrolled_;
  machine_body machine_;
  detail::unrolling_factors factors_;
  std::size_t accepted_exits_ = 0;
  std::uint32_t accepted_branches_ = 0;
};

MIDEND_END_NAMESPACE
