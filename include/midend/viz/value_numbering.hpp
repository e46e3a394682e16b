/// Classes, plans and explanations of `value_numbering` as text.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/explain_congruence.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/sccp.hpp"
#include "midend/viz/value_names.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

/// A line for each class of more than one value that is not a constant, the leader first.
///
///     v4 = v7 = v9
template <semantic_ir_argument IR, value_domain D, value_names Names = numbered_values>
std::string to_text(const IR& ir, const value_numbering_result<D>& found, const Names& names = {}) {
  std::string out;
  for (std::uint32_t c = 0; c != found.num_classes(); ++c) {
    const auto members = found.members_of_class(c);
    if (members.size() < 2 || ir.constant(members[0]) || found.constant(members[0])) {
      continue;
    }
    std::string separator;
    for (const value_id v : members) {
      out += separator + std::string(names.value(v));
      separator = " = ";
    }
    out += '\n';
  }
  return out;
}

/// A line for each change.
///
///     replace v7 by v4
///     drop the promises of v4
template <semantic_ir_argument IR, class Constant, value_names Names = numbered_values>
std::string to_text(const IR& ir, const value_numbering_plan<Constant>& plan, const Names& names = {}) {
  std::string out;
  for (const auto& change : plan.replacements) {
    out +=
        "replace " + std::string(names.value(change.value)) + " by " + std::string(names.value(change.leader)) + '\n';
  }
  for (const auto& one : plan.phis) {
    out += "replace " + std::string(names.value(one.value)) + " by ";
    if (one.phi != no_value) {
      out += std::string(names.value(one.phi)) + '\n';
      continue;
    }
    out += one.first != one.value ? "the same new phi as " + std::string(names.value(one.first)) : "a new phi(";
    for (const auto& input : one.inputs) {
      if (one.first == one.value) {
        out += &input == one.inputs.data() ? "" : ", ";
        out += input.value != no_value ? std::string(names.value(input.value)) : detail::constant_text(*input.constant);
      }
    }
    out += one.first != one.value ? "\n" : ")\n";
  }
  for (const value_id v : plan.dropped_promises) {
    out += "drop the promises of " + std::string(names.value(v)) + '\n';
  }
  return out + to_text(ir, plan.constants, names);
}

/// A line for each step of an explanation.
template <semantic_ir_argument IR, value_domain D, value_names Names = numbered_values>
std::string to_text(const IR& ir, const value_numbering_result<D>& found, span<const congruence_step> steps,
                    const Names& names = {}) {
  std::string out;
  const auto constant_of_value = [&](value_id v) {
    const auto literal = ir.constant(v);
    const auto c = literal ? literal : found.constant(v);
    return c ? detail::constant_text(*c) : std::string("unknown");
  };
  for (const congruence_step& step : steps) {
    const std::string a = names.value(step.value);
    const std::string b = names.value(step.other);
    const std::string equal = a + " and " + b + " are equal: ";
    const std::string different = a + " and " + b + " differ: ";
    const auto node_of_phi = [&] {
      for (node_id n = 0; n != static_cast<node_id>(ir.graph().num_nodes()); ++n) {
        bool is_here = false;
        detail::for_each_phi(ir, n, [&](value_id v) { is_here = is_here || v == step.value; });
        if (is_here) {
          return std::string(names.node(n));
        }
      }
      return std::string();
    };
    switch (step.why) {
    case congruence_reason::same:
      out += a + " and " + b + " are the same";
      break;
    case congruence_reason::constant:
      out += equal + "both are " + constant_of_value(step.value);
      break;
    case congruence_reason::passed_on:
      out += equal + a + " passes " + std::string(names.value(step.because)) + " on";
      break;
    case congruence_reason::same_operation:
      out += equal + "they compute the same from equal operands";
      break;
    case congruence_reason::same_phi:
      out += equal + "phis of " + node_of_phi() + " with equal inputs";
      break;
    case congruence_reason::not_computed:
      out += different + "no run computes " + (found.is_computed(step.value) ? b : a);
      break;
    case congruence_reason::different_types:
      out += different + "they have different types";
      break;
    case congruence_reason::different_constants:
      out += different + "one is " + constant_of_value(step.value) + ", the other " + constant_of_value(step.other);
      break;
    case congruence_reason::different_operations:
      out += different + "they compute different things";
      break;
    case congruence_reason::different_operands:
      out += different + "an operand does";
      break;
    case congruence_reason::different_inputs:
      out += different + "the inputs by " + detail::edge_text(ir, step.edge, names) + " do";
      break;
    case congruence_reason::unknown:
      out += different + "nothing says that they are equal";
      break;
    }
    out += '\n';
  }
  return out;
}

MIDEND_END_NAMESPACE
