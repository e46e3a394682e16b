/// Results, plans and explanations of `sccp` as text.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/explain_sccp.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/value_names.hpp"

#include <concepts>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The number or text; "a constant" for constants of other types.
template <class Constant> std::string constant_text(const Constant& c) {
  if constexpr (std::integral<Constant>) {
    return std::to_string(c);
  } else if constexpr (std::convertible_to<Constant, std::string>) {
    return c;
  } else {
    return "a constant";
  }
}

template <class D> std::string fact_text(const sccp_result<D>& found, value_id v) {
  if constexpr (!print_row::fits<D>) {
    print_row::explain<D>();
  }
  if constexpr (has_print<D>) {
    text_buffer text;
    found.domain().print(text, found.fact(v));
    return {text.data(), text.size()};
  } else {
    const auto c = found.constant(v);
    return c ? constant_text(*c) : is_bottom(found.domain(), found.fact(v)) ? "bottom" : "?";
  }
}

/// The nodes that an edge connects.
template <class IR, class Names> std::string edge_text(const IR& ir, edge_id e, const Names& names) {
  return std::string(names.node(static_cast<node_id>(ir.graph().edge_source(e)))) + " -> " +
         std::string(names.node(static_cast<node_id>(ir.graph().edge_target(e))));
}

} // namespace detail

/// Each node with the facts of its values, except values with empty names, and with its edges that are never taken.
///
///     block 1
///       v4 = 10
///       never to block 2
///     block 2: never executed
template <semantic_ir_argument IR, value_domain D, class Names = numbered_values>
  requires(!std::convertible_to<const Names&, span<const sccp_step>>)
std::string to_text(const IR& ir, const sccp_result<D>& found, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  std::string out;
  for (node_id n = 0; n != found.num_nodes(); ++n) {
    out += names.node(n);
    if (!found.is_executable(n)) {
      out += ": never executed\n";
      continue;
    }
    out += '\n';
    detail::for_each_id(ir.values(n), [&](value_id v) {
      const std::string name = names.value(v);
      if (!name.empty()) {
        out += "  " + name + " = " + detail::fact_text(found, v) + '\n';
      }
    });
    detail::for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
      if (!found.is_executable_edge(e)) {
        out += "  never to " + std::string(names.node(static_cast<node_id>(ir.graph().edge_target(e)))) + '\n';
      }
    });
  }
  return out;
}

/// A line for each change, in the order in which `apply_sccp` makes them.
///
///     replace v4 by 10
///     v9 reads 5 in place of operand 2
///     v8 reads 5 on block 1 -> block 3
///     always block 1 -> block 3
///     erase block 2
///     forward v7 from block 1 -> block 3
template <semantic_ir_argument IR, class Constant, class Names = numbered_values>
std::string to_text(const IR& ir, const sccp_plan<Constant>& plan, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  std::string out;
  for (const auto& change : plan.replacements) {
    out += "replace " + std::string(names.value(change.value)) + " by " + detail::constant_text(change.constant) + '\n';
  }
  for (const auto& use : plan.uses) {
    out += std::string(names.value(use.user)) + " reads " + detail::constant_text(use.constant) +
           (use.edge == no_edge ? " in place of operand " + std::to_string(use.operand)
                                : " on " + detail::edge_text(ir, use.edge, names)) +
           '\n';
  }
  for (const edge_id e : plan.kept_edges) {
    out += "always " + detail::edge_text(ir, e, names) + '\n';
  }
  for (const node_id n : plan.erased_nodes) {
    out += "erase " + std::string(names.node(n)) + '\n';
  }
  for (const auto& [phi, edge] : plan.forwardings) {
    out += "forward " + std::string(names.value(phi)) + " from " + detail::edge_text(ir, edge, names) + '\n';
  }
  return out;
}

/// A line for each step of an explanation.
template <semantic_ir_argument IR, value_domain D, class Names = numbered_values>
std::string to_text(const IR& ir, const sccp_result<D>& found, span<const sccp_step> steps, const Names& names = {}) {
  static_assert(value_names_argument<Names>);
  std::string out;
  const auto value_is = [&](value_id v) {
    return v == no_value ? std::string("nothing") : std::string(names.value(v)) + " is " + detail::fact_text(found, v);
  };
  for (const sccp_step& step : steps) {
    switch (step.why) {
    case sccp_reason::literal:
      out += value_is(step.value) + ": a literal";
      break;
    case sccp_reason::outside:
      out += value_is(step.value) + ": from outside";
      break;
    case sccp_reason::operation:
      out += value_is(step.value) + ": follows from its operands";
      break;
    case sccp_reason::phi:
      out += value_is(step.value) + ": a phi in " + std::string(names.node(step.node));
      break;
    case sccp_reason::arrives:
      out += "  by " + detail::edge_text(ir, step.edge, names) + ": " + value_is(step.value);
      break;
    case sccp_reason::not_taken:
      out += "  never by " + detail::edge_text(ir, step.edge, names);
      out += step.value == no_value ? ": control does not get that far" : ": " + value_is(step.value);
      break;
    case sccp_reason::not_reached:
      out += "  never by " + detail::edge_text(ir, step.edge, names) + ": " + std::string(names.node(step.node)) +
             " is never executed";
      break;
    case sccp_reason::not_executed:
      out += value_is(step.value) + ": " + std::string(names.node(step.node)) + " is never executed";
      break;
    }
    out += '\n';
  }
  return out;
}

MIDEND_END_NAMESPACE
