/// What a run of a program needs and gives.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/event_trace.hpp"
#include "midend/elbrus/run/host.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/profile.hpp"
#include "midend/elbrus/run/trap.hpp"
#include "midend/elbrus/scalar.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Limits of a run, and what it may call.
struct run_options {
  std::uint64_t step_limit = 1'000'000'000;       ///< operations
  std::size_t call_depth = 100'000;               ///< procedures that have begun and not ended
  std::size_t frame_slots = std::size_t{1} << 24; ///< values of all of them; 9 bytes each
  host_functions host = {};                       ///< without any, each call of one traps
  bool record_events = true;
};

/// What a run gives.
struct run_result {
  std::optional<scalar> value; ///< nothing after a trap, or from a procedure without a result
  elbrus::memory memory;       ///< as it was at the end
  std::optional<elbrus::trap> trap;
  std::uint64_t executed = 0; ///< operations: phis, terminators, and those that a guard left out included
  run_profile profile;
  event_trace events;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
