/// Words for managed packages and their members: what a plan does, why a certificate is rejected.
#pragma once

#include "midend/config.hpp"
#include "midend/package/memory_redundancy.hpp"
#include "midend/package/memory_witness.hpp"
#include "midend/package/verify_memory_redundancy.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A phrase without full stop.
constexpr std::string_view to_text(memory_fault f) {
  switch (f) {
    using enum memory_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes, or the witness names a value that is none";
  case wrong_witness:
    return "the witness names a value twice, or one that is no plain load or store";
  case different_value:
    return "the access of the witness does not say what is there, or says something else";
  case not_on_every_way:
    return "the access of the witness is not on every way";
  case written_between:
    return "the place may be written in between";
  case read_before:
    return "what is stored may be read before it is overwritten";
  case missing_operation:
    return "an operation is missing that the witness does not name, or the other way round";
  case extra_operation:
    return "an operation is new, or not in its place";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_operand:
    return "an operand is neither the old one nor what replaces it";
  default:
    return "an edge was changed";
  }
}

/// The answer of `verify_memory_redundancy` in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const memory_verdict& verdict, const Names& names = {}) {
  if (verdict) {
    return "certified";
  }
  std::string out = verdict.node == no_node ? std::string() : std::string(names.node(verdict.node)) + ": ";
  out += to_text(verdict.fault);
  return verdict.value == no_value ? out : out + "; " + std::string(names.value(verdict.value));
}

/// What `memory_redundancy` does, in a few words.
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

MIDEND_END_NAMESPACE
