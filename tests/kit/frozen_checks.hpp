/// Comparison of a frozen program with the IR that it was made of, question by question.
#pragma once

#include <midend/ir/edge_cases.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/ir/profile.hpp>
#include <midend/ssa/check_ir.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tests {

/// Asks a program and its frozen copy the same. What an IR does not have is not compared.
template <class IR> class frozen_comparison {
public:
  frozen_comparison(const IR& ir, const midend::flat_program& copy) : ir_(ir), copy_(copy) {}

  /// The first question to which the answers differ, or nothing.
  std::string difference() {
    using namespace midend;
    const auto& g = ir_.graph();
    const flat_program_graph& h = copy_.graph();
    same("num_nodes", g.num_nodes(), h.num_nodes(), 0);
    same("num_edges", g.num_edges(), h.num_edges(), 0);
    same("num_values", ir_.num_values(), copy_.num_values(), 0);
    same("epoch", graph_epoch(g), h.epoch(), 0);
    if (!why_.empty()) {
      return why_;
    }
    if (h.num_nodes() != 0) {
      same("entry", g.entry(), h.entry(), 0);
    }
    home_.assign(copy_.num_values(), no_node);
    for (node_id n = 0; n != h.num_nodes(); ++n) {
      compare_node(n);
    }
    for (edge_id e = 0; e != h.num_edges(); ++e) {
      same("edge_source", g.edge_source(e), h.edge_source(e), e);
      if (h.edge_source(e) != no_node) {
        compare_edge(e);
      }
    }
    if constexpr (has_parameters<IR>) {
      same("parameters", ids(ir_.parameters()), ids(copy_.parameters()), 0);
    }
    for (value_id v = 0; v != copy_.num_values() && why_.empty(); ++v) {
      compare_value(v);
    }
    if constexpr (has_is_little_endian<IR>) {
      same("is_little_endian", ir_.is_little_endian(), copy_.is_little_endian(), 0);
    }
    compared_types();
    return why_;
  }

private:
  template <class Range> static std::vector<std::uint32_t> ids(Range&& range) {
    std::vector<std::uint32_t> out;
    for (auto&& id : range) {
      out.push_back(static_cast<std::uint32_t>(id));
    }
    return out;
  }

  template <class Range> static std::vector<std::uint32_t> sorted(Range&& range) {
    std::vector<std::uint32_t> out = ids(range);
    std::sort(out.begin(), out.end());
    return out;
  }

  template <class Range> static std::vector<std::uint32_t> different(Range&& range) {
    std::vector<std::uint32_t> out = sorted(range);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  template <class A, class B> void same(const char* question, const A& a, const B& b, std::uint32_t of) {
    if (!(a == b) && why_.empty()) {
      why_ = std::string(question) + " of " + std::to_string(of);
    }
  }

  void compare_node(midend::node_id n) {
    using namespace midend;
    const auto& g = ir_.graph();
    const flat_program_graph& h = copy_.graph();
    same("successors", ids(g.successors(n)), ids(h.successors(n)), n);
    same("out_edges", ids(g.out_edges(n)), ids(h.out_edges(n)), n);
    if constexpr (requires { g.in_edges(n); }) {
      same("in_edges", ids(g.in_edges(n)), ids(h.in_edges(n)), n);
    }
    std::vector<std::uint32_t> from;
    for (const edge_id e : h.in_edges(n)) {
      from.push_back(static_cast<node_id>(g.edge_source(e)));
      same("target of in-edge", static_cast<node_id>(g.edge_target(e)), n, n);
    }
    same("predecessors", from, ids(h.predecessors(n)), n);
    same("values", ids(ir_.values(n)), ids(copy_.values(n)), n);
    value_id last = no_value;
    for (const value_id v : copy_.values(n)) {
      home_[v] = n;
      if (last != no_value) {
        same("value_after", copy_.value_after(last), v, last);
      }
      last = v;
    }
    if (last != no_value) {
      same("value_after", copy_.value_after(last), no_value, last);
    }
    same("condition", ir_.condition(n), copy_.condition(n), n);
    same("accepts_operations", midend::accepts_operations(ir_, n), midend::accepts_operations(copy_, n), n);
    if constexpr (has_node_counts<IR>) {
      same("count", ir_.count(n), copy_.count(n), n);
    }
    if (!h.in_edges(n).empty()) {
      if constexpr (has_trip_hints<IR>) {
        same("trip_hints", ir_.trip_hints(n), copy_.trip_hints(n), n);
      }
      if constexpr (has_loop_ends<IR>) {
        same("loop_ends", bool(ir_.loop_ends(n)), copy_.loop_ends(n), n);
      }
    }
  }

  void compare_edge(midend::edge_id e) {
    using namespace midend;
    same("edge_target", ir_.graph().edge_target(e), copy_.graph().edge_target(e), e);
    if (copy_.condition(copy_.graph().edge_source(e)) != no_value) {
      same("edge_cases", same_cases(ir_, e, copy_, e), true, e);
    }
    if constexpr (has_edge_probabilities<IR>) {
      same("probability", ir_.probability(e), copy_.probability(e), e);
    }
    if constexpr (has_must_end<IR>) {
      same("must_end", bool(ir_.must_end(e)), copy_.must_end(e), e);
    }
  }

  void compare_value(midend::value_id v) {
    using namespace midend;
    same("origin", copy_.origin(v), v, v);
    same("node_of", copy_.node_of(v), home_[v], v);
    same("is_phi", bool(ir_.is_phi(v)), copy_.is_phi(v), v);
    if (copy_.is_phi(v)) { // an IR may list the inputs in any order, and equal ones once
      same("operands", different(ir_.operands(v)), different(copy_.operands(v)), v);
    } else {
      same("operands", ids(ir_.operands(v)), ids(copy_.operands(v)), v);
    }
    if constexpr (has_users<IR>) {
      same("users", different(ir_.users(v)), different(copy_.users(v)), v);
    }
    if (copy_.is_phi(v) && home_[v] != no_node) {
      for (const edge_id e : copy_.graph().in_edges(home_[v])) {
        same("phi_input", ir_.phi_input(v, e), copy_.phi_input(v, e), v);
      }
    }
    same("constant", ir_.constant(v), copy_.constant(v), v);
    if constexpr (has_operation<IR>) {
      same("operation", ir_.operation(v), copy_.operation(v), v);
    }
    if constexpr (has_is_undefined<IR>) {
      same("is_undefined", bool(ir_.is_undefined(v)), copy_.is_undefined(v), v);
    }
    if constexpr (has_bounds<IR>) {
      if (!copy_.is_phi(v) && !copy_.constant(v) && copy_.operation(v).code == operation::other) {
        same("bounds", std::optional<number_range>(ir_.bounds(v)), copy_.bounds(v), v);
      }
    }
    if (home_[v] != no_node && !copy_.is_phi(v)) {
      compare_operation(v);
    }
    if constexpr (has_describe<IR>) {
      same("same_operation", copy_.same_operation(v, ir_, v), true, v);
      same("same_operation with itself", copy_.same_operation(v, copy_, v), true, v);
    }
  }

  void compare_operation(midend::value_id v) {
    using namespace midend;
    if constexpr (has_never_returns<IR>) {
      same("never_returns", bool(ir_.never_returns(v)), copy_.never_returns(v), v);
    }
    if constexpr (has_is_opaque<IR>) {
      same("is_opaque", bool(ir_.is_opaque(v)), copy_.is_opaque(v), v);
    }
    if constexpr (has_effect<IR>) {
      same("effect", ir_.effect(v), copy_.effect(v), v);
    } else {
      same("no effect known", copy_.effect(v), effect_kind::unknown, v);
    }
    if constexpr (has_may_trap<IR>) {
      same("may_trap", bool(ir_.may_trap(v)), copy_.may_trap(v), v);
      same("may_trap_without_promises", midend::may_trap_without_promises(ir_, v), copy_.may_trap_without_promises(v),
           v);
    }
    if constexpr (has_may_not_return<IR>) {
      same("may_not_return", bool(ir_.may_not_return(v)), copy_.may_not_return(v), v);
    }
    if constexpr (has_may_duplicate<IR>) {
      same("may_duplicate", bool(ir_.may_duplicate(v)), copy_.may_duplicate(v), v);
    }
    if constexpr (has_is_volatile<IR>) {
      same("is_volatile", bool(ir_.is_volatile(v)), copy_.is_volatile(v), v);
    }
    if constexpr (effect_ir<IR>) {
      same("is_removable", midend::is_removable(ir_, v), midend::is_removable(copy_, v), v);
      if (copy_.effect(v) == effect_kind::none || copy_.effect(v) == effect_kind::reads) {
        same("is_repeatable", midend::is_repeatable(ir_, v), midend::is_repeatable(copy_, v), v);
      }
    }
    same("is_convergent", midend::is_convergent(ir_, v), midend::is_convergent(copy_, v), v);
    same("is_terminator", midend::is_terminator(ir_, v), copy_.is_terminator(v), v);
    if constexpr (has_cost<IR>) {
      same("cost", std::optional<operation_class>(ir_.cost(v)), copy_.cost(v), v);
    }
    if constexpr (has_memory<IR>) {
      if (copy_.effect(v) == effect_kind::reads || copy_.effect(v) == effect_kind::writes) {
        compare_memory(ir_.memory(v), copy_.memory(v), v);
      }
    }
    if constexpr (has_may_write<IR>) {
      if (copy_.effect(v) == effect_kind::unknown) {
        for (const std::uint32_t memory : {any_memory, 0u, 1u, 2u, 3u, 4u}) {
          const bool writes = ir_.may_write(v, memory);
          // Of classes that no load or store accesses, nothing is known.
          same("may_write", writes && !copy_.may_write(v, memory), false, v);
          if (is_accessed(memory)) {
            same("may_write", writes, copy_.may_write(v, memory), v);
          }
        }
      }
    }
    if constexpr (has_may_reassociate<IR>) {
      same("may_reassociate", bool(ir_.may_reassociate(v)), copy_.may_reassociate(v), v);
    }
    if constexpr (has_guard<IR>) {
      same("predicate", ir_.guard(v).predicate, copy_.guard(v).predicate, v);
      same("otherwise", ir_.guard(v).otherwise, copy_.guard(v).otherwise, v);
      same("negated", ir_.guard(v).negated, copy_.guard(v).negated, v);
      same("unguarded", operation_info(ir_.unguarded(v)), copy_.unguarded(v), v);
    }
    if constexpr (has_identity<IR>) {
      same("identity", std::uint32_t(ir_.identity(v)), copy_.identity(v), v);
    }
    if constexpr (has_assumed<IR>) {
      same("assumed", ir_.assumed(v), copy_.assumed(v), v);
    }
    if constexpr (has_low_sum<IR>) {
      same("low_sum", ir_.low_sum(v), copy_.low_sum(v), v);
    }
    if constexpr (has_wide_numbers<IR>) {
      same("number_width", std::uint8_t(ir_.number_width(v)), copy_.number_width(v), v);
      same("wide_operation", operation_info(ir_.wide_operation(v)), copy_.wide_operation(v), v);
    }
  }

  bool is_accessed(std::uint32_t memory) const {
    bool is_accessed = memory == midend::any_memory;
    for (midend::value_id v = 0; v != copy_.num_values(); ++v) {
      is_accessed = is_accessed || (copy_.memory(v) && copy_.memory(v)->memory == memory);
    }
    return is_accessed;
  }

  void compare_memory(const std::optional<midend::memory_reference>& a,
                      const std::optional<midend::memory_reference>& b, midend::value_id v) {
    same("memory", a.has_value(), b.has_value(), v);
    if (a && b) {
      same("base", a->base, b->base, v);
      same("index", a->index, b->index, v);
      same("stored", a->stored, b->stored, v);
      same("bytes", a->bytes, b->bytes, v);
      same("class of memory", a->memory, b->memory, v);
      same("scale", a->scale, b->scale, v);
      same("offset", a->offset, b->offset, v);
      same("volatile access", a->is_volatile, b->is_volatile, v);
    }
  }

  /// Of pairs that a step through the numbers gives.
  void compared_types() {
    if constexpr (midend::has_operation<IR>) {
      for (const std::size_t step : {1u, 2u, 3u, 7u, 19u}) {
        for (std::size_t i = 0; i + step < copy_.num_values(); ++i) {
          const auto v = static_cast<midend::value_id>(i);
          const auto w = static_cast<midend::value_id>(i + step);
          same("same_type", midend::same_type(ir_, v, w), copy_.same_type(v, w), v);
        }
      }
    }
  }

  const IR& ir_;
  const midend::flat_program& copy_;
  std::string why_;
  std::vector<midend::node_id> home_;
};

/// The first question to which an IR and its copy answer differently, or nothing.
template <class IR> std::string frozen_difference(const IR& ir, const midend::flat_program& copy) {
  return frozen_comparison<IR>(ir, copy).difference();
}

} // namespace midend_tests
