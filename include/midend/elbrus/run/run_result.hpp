/// `run_options` and `run_result`: limits and result of a run.
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

/// Limits of a run, and its host functions.
struct run_options {
  std::uint64_t step_limit = 1'000'000'000;       ///< operations
  std::size_t call_depth = 100'000;               ///< of nested calls
  std::size_t frame_slots = std::size_t{1} << 24; ///< values in all frames; 9 bytes each
  std::size_t local_bytes = std::size_t{1} << 28; ///< of local arrays in all frames; more is the trap `call_depth`
  host_functions host = {};                       ///< if empty, each call of a host function traps
  bool record_events = true;

  /// Whether accesses are checked against the promise of alias classes: no class accesses the bytes of another. Traps
  /// at a store to bytes that another class has accessed in this call of the procedure, and at any access to bytes that
  /// another class has stored. Loads by several classes are fine, and so are accesses without a class. A speculative
  /// load of what another class has stored has a diagnostic value; later stores are not compared with it, since the
  /// program need not read it. An inner call's accesses hide earlier ones from the call around. 16 bytes for each byte.
  ///
  /// Also traps at a load of bytes of a local array that this call has not written; without the check they are 0.
  bool check_classes = false;
};

/// The result of a run.
struct run_result {
  std::optional<scalar> value; ///< nothing after a trap, or from a procedure without a result
  elbrus::memory memory;       ///< at the end of the run
  std::optional<elbrus::trap> trap;
  std::uint64_t executed = 0; ///< operations, including phis, terminators, and those that a guard skipped
  run_profile profile;
  event_trace events;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
