/// `unroll_body`: evaluates several copies of a loop body together, and says what is left of them.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/detail/unroller.hpp"
#include "midend/cost/loop_body.hpp"
#include "midend/cost/loop_counters.hpp"
#include "midend/cost/unrolled_body.hpp"

#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Memory for bodies that are unrolled one after the other.
class unroll_body_workspace {
public:
  /// For the algorithm; not part of the interface.
  detail::unroll_memory memory_;
};

/// What is left of `request.copies` copies of the body that follow each other.
template <class Folder>
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           const Folder& folder, unroll_body_workspace& workspace, unrolled_body& out) {
  MIDEND_ASSERT(request.copies != 0, "at least one copy");
  MIDEND_ASSERT(!body.blocks.empty(), "a body with a header");
  out.clear();
  detail::unroller<Folder>(body, counters, request, folder, workspace.memory_, out).run();
}

/// The same without a folder.
constexpr void unroll_body(const loop_body& body, const loop_counters& counters, const unroll_request& request,
                           unroll_body_workspace& workspace, unrolled_body& out) {
  const auto nothing = [](body_id, std::span<const std::uint64_t>) { return std::optional<std::uint64_t>(); };
  unroll_body(body, counters, request, nothing, workspace, out);
}

/// What is left of several copies of a body.
constexpr unrolled_body unroll_body(const loop_body& body, const loop_counters& counters,
                                    const unroll_request& request) {
  unroll_body_workspace workspace;
  unrolled_body out;
  unroll_body(body, counters, request, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
