/// `build_versions`: applies plans that copy loops.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding.hpp"

#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Applies a plan. Each loop gathers what it copies before anything changes. Then all are copied, SSA form is repaired
/// once, and each loop is closed with the arguments `last`.
template <class Builder, class E, class Plan, class Items, class... Last>
void build_versions(unfolding<E>& u, const Plan& plan, const Items& items, Last&... last) {
  if (plan.empty()) {
    return;
  }
  std::vector<Builder> builders;
  builders.reserve(items.size());
  flat_array<std::uint32_t> position;
  for (const auto& x : items) {
    builders.emplace_back(u, plan, x, position);
    builders.back().gather();
  }
  for (Builder& builder : builders) {
    builder.copy();
  }
  u.finish();
  for (Builder& builder : builders) {
    builder.close(last...);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
