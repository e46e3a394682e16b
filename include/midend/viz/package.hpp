/// Words for managed packages and their members: plans, and reasons to reject certificates.
#pragma once

#include "midend/config.hpp"
#include "midend/package/control_canonicalization.hpp"
#include "midend/package/memory_redundancy.hpp"
#include "midend/package/memory_witness.hpp"
#include "midend/package/package_order.hpp"
#include "midend/package/verify_implied_branches.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// The reason of a refusal, as a phrase without full stop.
constexpr std::string_view to_text(package_veto v) {
  switch (v) {
    using enum package_veto;
  case none:
    return "done";
  case switched_off:
    return "the optimization is switched off";
  case caller:
    return "the caller refuses";
  case not_removable:
    return "the operation has an effect, or is read";
  case not_computed:
    return "what would replace it is not computed on every path to it";
  case wrong_type:
    return "the type is another one";
  case undefined:
    return "what would replace it is undefined";
  case may_trap:
    return "a new operation may trap";
  case no_gain:
    return "the new operations cost more";
  default:
    return "it descends from too many operations that the package made";
  }
}

/// An event in one line, without a line break. `member` is the name of the optimization.
///
///     %y: algebra: %v replaces it: x * 2^k = x << k
///     %z: common is refused, the type is another one: an equal operation is computed before
template <value_names Names = numbered_values>
std::string to_text(const package_event& e, std::string_view member, const Names& names = {}) {
  std::string out(names.value(e.value));
  out += ": ";
  out += member;
  if (e.veto != package_veto::none) {
    out += " is refused, ";
    out += to_text(e.veto);
  } else if (e.kind == order_kind::erase) {
    out += ": erased";
  } else {
    out += ": " + std::string(names.value(e.by)) + " replaces it";
  }
  out += ": ";
  return out += e.why;
}

/// The work of a package, by member, and its refusals. `Package` has the names of its members.
///
///     12 dead, 3 constants, 1 algebra (2 refused); 40 operations visited, 1 more than twice
template <class Package> std::string summary_text(const Package& package, const package_log& log) {
  std::string out;
  for (std::uint32_t i = 0; i != Package::size; ++i) {
    const std::size_t done = log.count(i);
    std::size_t refused = 0;
    for (const package_event& e : log.events) {
      refused += e.member == i && e.veto != package_veto::none ? 1u : 0u;
    }
    if (done + refused != 0) {
      out += (out.empty() ? "" : ", ") + std::to_string(done) + " " + package.name(i);
      out += refused == 0 ? "" : " (" + std::to_string(refused) + " refused)";
    }
  }
  out = out.empty() ? "nothing to do" : out;
  const std::size_t often = log.visited_more_than(2);
  return out + "; " + std::to_string(log.num_operations) + " operations visited, " + std::to_string(often) +
         " more than twice";
}

/// The changes of `memory_redundancy`, in a few words.
inline std::string summary_text(const memory_plan& plan) {
  std::size_t overwritten = 0;
  for (const removed_store& s : plan.witness.stores) {
    overwritten += s.access == no_value ? 1u : 0u;
  }
  std::string out;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count != 0) {
      out += (out.empty() ? "" : ", ") + std::to_string(count) + " ";
      out += count == 1 ? one : many;
    }
  };
  add(plan.witness.loads.size(), "known load", "known loads");
  add(plan.witness.stores.size() - overwritten, "store of what is there", "stores of what is there");
  add(overwritten, "overwritten store", "overwritten stores");
  return out.empty() ? "no redundant loads and stores" : out;
}

/// A change, as a phrase without full stop; `one` or several.
constexpr std::string_view to_text(control_change c, bool one = true) {
  switch (c) {
    using enum control_change;
  case known_branch:
    return one ? "known branch" : "known branches";
  case equal_edges:
    return one ? "branch with equal edges" : "branches with equal edges";
  case implied_branch:
    return one ? "implied branch" : "implied branches";
  case unreachable:
    return one ? "unreachable node" : "unreachable nodes";
  case merge:
    return one ? "merged node" : "merged nodes";
  default:
    return one ? "passed node" : "passed nodes";
  }
}

/// The changes and refusals of `control_canonicalization`, in a few words.
///
///     1 known branch, 2 unreachable nodes, 3 merged nodes (1 refused); 2 rounds
inline std::string summary_text(const control_log& log) {
  std::string out;
  for (std::size_t i = 0; i != num_control_changes; ++i) {
    const auto change = static_cast<control_change>(i);
    std::size_t done = 0;
    std::size_t refused = 0;
    for (const control_event& e : log.events) {
      if (e.change == change) {
        ++(e.veto == package_veto::none ? done : refused);
      }
    }
    if (done + refused != 0) {
      out += (out.empty() ? "" : ", ") + std::to_string(done) + " ";
      out += to_text(change, done == 1);
      out += refused == 0 ? "" : " (" + std::to_string(refused) + " refused)";
    }
  }
  return out.empty() ? "nothing to do"
                     : out + "; " + std::to_string(log.rounds) + (log.rounds == 1 ? " round" : " rounds");
}

/// The verdict in one line. Its edge is one of the old program.
///
///     an edge was dropped that no other branch decides; edge 5
template <flow_names Names = numbered_values>
std::string to_text(const implied_branches_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified"
                 : "an edge was dropped that no other branch decides; " + std::string(names.edge(verdict.edge));
}

MIDEND_END_NAMESPACE
