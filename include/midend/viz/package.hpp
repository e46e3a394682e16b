/// Words for managed packages and their members: plans, and reasons to reject certificates.
#pragma once

#include "midend/config.hpp"
#include "midend/package/control_canonicalization.hpp"
#include "midend/package/memory_redundancy.hpp"
#include "midend/package/memory_witness.hpp"
#include "midend/package/package_order.hpp"
#include "midend/package/verify_implied_branches.hpp"
#include "midend/viz/detail/fault_text.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// The reason of a refusal, as a phrase without full stop.
template <>
inline constexpr auto words_of<package_veto> = word_table<package_veto>({
    {package_veto::none, "done"},
    {package_veto::switched_off, "the optimization is switched off"},
    {package_veto::caller, "the caller refuses"},
    {package_veto::not_removable, "the operation has an effect, or is read"},
    {package_veto::not_computed, "what would replace it is not computed on every path to it"},
    {package_veto::wrong_type, "the type is another one"},
    {package_veto::undefined, "what would replace it is undefined"},
    {package_veto::may_trap, "a new operation may trap"},
    {package_veto::no_gain, "the new operations cost more"},
    {package_veto::too_many, "it descends from too many operations that the package made"},
});

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
  return detail::plan_counts("no redundant loads and stores")
      .done(plan.witness.loads.size(), "known load")
      .done(plan.witness.stores.size() - overwritten, "store of what is there")
      .done(overwritten, "overwritten store")
      .text();
}

template <>
inline constexpr auto words_of<control_change> = word_table<control_change>({
    {control_change::known_branch, "known branch"},
    {control_change::equal_edges, "branch with equal edges"},
    {control_change::implied_branch, "implied branch"},
    {control_change::unreachable, "unreachable node"},
    {control_change::merge, "merged node"},
    {control_change::pass, "passed node"},
});

/// The changes and refusals of `control_canonicalization`, in a few words.
///
///     1 known branch, 2 unreachable nodes, 3 merged nodes (1 refused); 2 rounds
inline std::string summary_text(const control_log& log) {
  std::string out;
  for (const auto& [change, words] : words_of<control_change>) {
    std::size_t done = 0;
    std::size_t refused = 0;
    for (const control_event& e : log.events) {
      if (e.change == change) {
        ++(e.veto == package_veto::none ? done : refused);
      }
    }
    if (done + refused != 0) {
      out += (out.empty() ? "" : ", ") + detail::counted_text(done, words);
      out += refused == 0 ? "" : " (" + std::to_string(refused) + " refused)";
    }
  }
  return out.empty() ? "nothing to do" : out + "; " + detail::counted_text(log.rounds, "round");
}

/// The verdict in one line. Its edge is one of the old program.
///
///     an edge was dropped that no other branch decides; edge 5
template <flow_names Names = numbered_values>
std::string to_text(const implied_branches_verdict& verdict, const Names& names = {}) {
  return verdict
             ? std::string("certified")
             : detail::fault_text("an edge was dropped that no other branch decides", names, no_node, {}, verdict.edge);
}

MIDEND_END_NAMESPACE
