// The code as midend reads it: values in SSA form, what they compute, cost, and do to memory.
#pragma once
#include "code.hpp"

#include <midend/ir/cost.hpp>
#include <midend/ir/operation.hpp>
#include <midend/ir/operation_class.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

struct view {
  using constant_type = std::uint64_t;

  const code& c;

  // Values in SSA form.
  const flow& graph() const { return c.cfg; }

  std::size_t num_values() const { return c.values.size(); }

  std::span<const value_id> values(node_id n) const { return c.nodes[n]; }

  std::span<const value_id> operands(value_id v) const { return c.values[v].operands; }

  bool is_phi(value_id v) const { return c.values[v].kind == instruction::phi; }

  value_id phi_input(value_id v, edge_id e) const {
    const std::vector<edge_id>& in = c.cfg.in_edges(c.values[v].node);
    return c.values[v].operands[static_cast<std::size_t>(std::ranges::find(in, e) - in.begin())];
  }

  value_id condition(node_id n) const {
    const instruction& last = c.values[c.nodes[n].back()];
    return last.kind == instruction::branch && !last.operands.empty() ? last.operands[0] : midend::no_value;
  }

  // What they compute.
  midend::operation_info operation(value_id v) const {
    return {.code = c.values[v].code, .width = c.values[v].width, .operand_width = 32, .flags = {}};
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    const bool is_number = c.values[v].kind == instruction::number;
    return is_number ? std::optional<std::uint64_t>(c.values[v].value) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    return e == c.cfg.out_edges(c.cfg.edge_source(e))[0] ? 1 : 0;
  }

  // What they cost, and do to memory.
  std::optional<midend::operation_class> cost(value_id v) const {
    return is_terminator(v)                        ? midend::operation_class::branch
           : c.values[v].kind == instruction::load ? midend::operation_class::load
                                                   : midend::usual_class(operation(v));
  }

  midend::effect_kind effect(value_id v) const {
    return c.values[v].kind == instruction::load ? midend::effect_kind::reads : midend::effect_kind::none;
  }

  std::optional<midend::memory_reference> memory(value_id v) const {
    return midend::memory_reference{.base = operands(v)[0], .index = operands(v)[1], .bytes = 4, .scale = 4};
  }

  // What a transformation must know.
  bool is_terminator(value_id v) const {
    return c.values[v].kind == instruction::branch || c.values[v].kind == instruction::result;
  }

  bool may_trap(value_id v) const { return c.values[v].kind == instruction::load; }

  bool may_not_return(value_id) const { return false; }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }
};
