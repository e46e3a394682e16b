/// `frozen`: a flat copy of a program, to have it after the function was changed.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/flat_program_graph.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What `frozen` copies: the SSA rung with 64-bit constants, and the cases of edges. All other members are optional.
template <class IR>
concept freezable_ir = ssa_ir<IR> && has_constant_type<IR> && has_64_bit_constants<IR> && has_constant<IR> &&
                       (has_edge_case<IR> || has_edge_cases<IR>);

namespace detail {

template <class IR>
concept can_be_undefined = requires(const IR& ir, value_id v) {
  { ir.may_be_undefined(v) } -> truth_value;
};

/// Members of complete rungs fit.
template <class IR>
concept freezable_members_fit =
    ssa_members_fit<IR> && effect_members_fit<IR> && describe_fits<IR> &&
    (semantic_ir<IR> ? semantic_members_fit<IR> : true) && (cost_ir<IR> ? cost_members_fit<IR> : true);

/// Explains why an IR cannot be copied: one sentence for the first thing that is wrong. Always false.
template <class IR> constexpr bool explain_freezable_ir() {
  if constexpr (!ssa_ir<IR> || !ssa_members_fit<IR>) {
    explain_ssa_ir<IR>();
  } else if constexpr (!has_constant_type<IR> || !has_64_bit_constants<IR>) {
    static_assert(has_constant_type<IR> && has_64_bit_constants<IR>,
                  "midend: a frozen program has numbers as constants, so this needs an IR with `using constant_type = "
                  "std::uint64_t;`");
  } else if constexpr (!has_constant<IR>) {
    explain_constant<IR>();
  } else if constexpr (!has_edge_case<IR> && !has_edge_cases<IR>) {
    explain_edge_case<IR>();
  } else if constexpr (!describe_fits<IR>) {
    static_assert(has_describe<IR>, "midend: `describe` of an IR would never be called; write `void "
                                    "describe(midend::value_id v, midend::operation_description& out) const`, or give "
                                    "the member another name");
  } else if constexpr (!effect_members_fit<IR>) {
    explain_optional_effects<IR>();
  } else if constexpr (cost_ir<IR>) {
    explain_cost_ir<IR>();
  } else {
    explain_semantic_ir<IR>();
  }
  return false;
}

/// Fills a `flat_program`. Each member of the IR is called once for each thing that it is about.
template <class IR> class program_freezer {
public:
  program_freezer(const IR& ir, flat_program& out) : ir_(ir), out_(out) {}

  void run() {
    copy_graph();
    place_values();
    copy_operands();
    out_.is_closed_ = true;
    out_.is_new_ = true;
    out_.rare_.clear();
    out_.types_.clear();
    for (value_id v = 0; v != out_.num_values(); ++v) {
      copy_semantics(v);
    }
    copy_operations();
    copy_nodes();
    copy_edges();
    copy_descriptions();
    if constexpr (has_is_little_endian<IR>) {
      out_.is_little_endian_ = static_cast<bool>(ir_.is_little_endian());
    } else {
      out_.is_little_endian_ = false;
    }
    out_.separates_parallel_edges_ = midend::separates_parallel_edges(ir_);
    out_.folder_ = nullptr;
    out_.fold_ = nullptr;
  }

private:
  using program = flat_program;
  using record = flat_program::value_record;

  static constexpr std::uint32_t none = program::none;

  record& of(value_id v) { return out_.values_[v]; }

  void set(value_id v, program::flag f, bool holds = true) { out_.set(v, f, holds); }

  // ---- The graph.

  void copy_graph() {
    const auto& g = ir_.graph();
    flat_program_graph& to = out_.graph_;
    const auto num_nodes = node_count(g);
    const auto num_edges = static_cast<std::size_t>(g.num_edges());
    to.entry_ = num_nodes == 0 ? 0 : static_cast<node_id>(g.entry());
    to.epoch_ = graph_epoch(g);
    to.nodes_.assign(num_nodes, {});
    to.sources_.assign(num_edges, no_node);
    to.targets_.assign(num_edges, no_node);
    to.positions_.assign(num_edges, 0);
    to.lists_.reset(2 * num_edges);
    for (node_id n = 0; n != num_nodes; ++n) {
      reserve(to.nodes_[n].out, g.out_edges(n));
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const auto t = static_cast<node_id>(g.edge_target(e));
        MIDEND_ASSERT(e < num_edges && to.sources_[e] == no_node && t < num_nodes, "a graph with edges", e, t);
        to.lists_.push_back(to.nodes_[n].out, e);
        to.sources_[e] = n;
        to.targets_[e] = t;
        ++to.nodes_[t].in.count;
      });
    }
    for (node_id n = 0; n != num_nodes; ++n) {
      const std::uint32_t count = to.nodes_[n].in.count;
      to.nodes_[n].in.count = 0;
      to.lists_.reserve(to.nodes_[n].in, count);
    }
    list_in_edges(g);
  }

  /// In the order of the IR, or of their numbers.
  template <class G> void list_in_edges(const G& g) {
    flat_program_graph& to = out_.graph_;
    const auto list = [&](node_id n, edge_id e) {
      to.positions_[e] = to.nodes_[n].in.count;
      to.lists_.push_back(to.nodes_[n].in, e);
    };
    if constexpr (requires { g.in_edges(node_id()); }) {
      for (node_id n = 0; n != to.num_nodes(); ++n) {
        for_each_id(g.in_edges(n), [&](edge_id e) {
          MIDEND_ASSERT(e < to.num_edges() && to.targets_[e] == n, "a graph whose in-edges are its out-edges", n, e);
          list(n, e);
        });
      }
    } else {
      for (edge_id e = 0; e != to.num_edges(); ++e) {
        if (to.targets_[e] != no_node) {
          list(to.targets_[e], e);
        }
      }
    }
  }

  template <class Edges> void reserve(pooled_list& list, const Edges& edges) {
    std::size_t count = 0;
    for ([[maybe_unused]] auto&& e : edges) {
      ++count;
    }
    out_.graph_.lists_.reserve(list, count);
  }

  // ---- Values.

  void place_values() {
    const auto num_values = static_cast<std::size_t>(ir_.num_values());
    out_.values_.assign(num_values, record());
    out_.nodes_.assign(out_.graph_.num_nodes(), program::node_record());
    out_.parameters_.clear();
    for (node_id n = 0; n != out_.graph_.num_nodes(); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) {
        MIDEND_ASSERT(v < num_values && of(v).home == no_node, "a value in one place", v, n);
        out_.link(v, n, no_value);
      });
    }
    if constexpr (has_parameters<IR>) {
      for_each_id(ir_.parameters(), [&](value_id v) { out_.parameters_.push_back(v); });
    }
  }

  /// Those of later values first, so that the users of a value are listed in the order of their numbers.
  void copy_operands() {
    const auto num_values = static_cast<value_id>(out_.num_values());
    out_.operands_.reset(num_values, 2 * std::size_t{num_values});
    for (value_id v = 0; v != num_values; ++v) {
      out_.operands_.add_value();
      of(v).origin = v;
    }
    for (value_id v = num_values; v-- != 0;) {
      if (static_cast<bool>(ir_.is_phi(v))) {
        out_.set(v, program::phi);
        if (of(v).home != no_node) {
          const span<const edge_id> in = out_.graph_.in_edges(of(v).home);
          out_.operands_.reserve(of(v).operands, in.size());
          for (const edge_id e : in) {
            out_.add_operand(v, static_cast<value_id>(ir_.phi_input(v, e)));
          }
        }
      } else {
        std::size_t count = 0;
        for_each_id(ir_.operands(v), [&](value_id) { ++count; });
        out_.operands_.reserve(of(v).operands, count);
        for_each_id(ir_.operands(v), [&](value_id x) { out_.add_operand(v, x); });
      }
    }
  }

  /// The first place of `x` among the operands of `v` that is not `taken`. If there is none, the program is not closed.
  std::uint32_t position(value_id v, value_id x, std::uint32_t taken = none) {
    return x == no_value ? none : found(v, x, taken, false);
  }

  /// The same, the last one: where the operands of a guard are.
  std::uint32_t last_position(value_id v, value_id x, std::uint32_t taken = none) {
    return x == no_value ? none : found(v, x, taken, true);
  }

  std::uint32_t found(value_id v, value_id x, std::uint32_t taken, bool is_last) {
    const span<const value_id> operands = out_.operands(v);
    std::uint32_t at = none;
    for (std::uint32_t i = 0; i != operands.size() && (at == none || is_last); ++i) {
      at = operands[i] == x && i != taken ? i : at;
    }
    if (at == none) {
      out_.is_closed_ = false;
    }
    return at;
  }

  /// An operation that is neither a phi, nor in no node.
  bool is_operation(value_id v) { return of(v).home != no_node && !out_.is_phi(v); }

  program::rare_record& rare(value_id v) {
    if (of(v).rare == none) {
      of(v).rare = static_cast<std::uint32_t>(out_.rare_.size());
      out_.rare_.push_back(program::rare_record());
    }
    return out_.rare_[of(v).rare];
  }

  void copy_semantics(value_id v) {
    record& to = of(v);
    if (const std::optional<std::uint64_t> c = ir_.constant(v)) {
      to.constant = *c;
      set(v, program::literal);
    }
    if constexpr (has_operation<IR>) {
      to.info = ir_.operation(v);
    }
    if constexpr (has_is_undefined<IR>) {
      set(v, program::undefined, static_cast<bool>(ir_.is_undefined(v)));
    }
    if constexpr (has_never_returns<IR>) {
      set(v, program::stops, to.home != no_node && static_cast<bool>(ir_.never_returns(v)));
    }
    if constexpr (has_is_opaque<IR>) {
      set(v, program::opaque, is_operation(v) && is_opaque(ir_, v));
    }
    if constexpr (has_bounds<IR>) {
      if (!out_.is_phi(v) && to.info.code == operation::other && !out_.constant(v)) {
        if (const std::optional<number_range> range = ir_.bounds(v)) {
          rare(v).bounds = *range;
        }
      }
    }
    if constexpr (has_may_insert_phi<IR>) {
      set(v, program::without_phi, !midend::may_insert_phi(ir_, v));
    }
    if constexpr (can_be_undefined<IR>) {
      set(v, program::uncertain, static_cast<bool>(ir_.may_be_undefined(v)));
    } else {
      set(v, program::uncertain, out_.is_undefined(v));
    }
    if constexpr (has_may_replace_operand<IR>) {
      if (is_operation(v)) {
        copy_fixed_operands(v);
      }
    }
    to.type = type_of(v);
    copy_wide_numbers(v);
  }

  void copy_fixed_operands(value_id v) {
    std::uint64_t fixed = 0;
    for (std::size_t i = 0; i != out_.operands(v).size(); ++i) {
      if (!midend::may_replace_operand(ir_, v, i)) {
        fixed |= std::uint64_t{1} << (i < 63 ? i : 63);
      }
    }
    if (fixed != 0) {
      rare(v).fixed_operands = fixed;
    }
  }

  void copy_wide_numbers(value_id v) {
    of(v).number_width = of(v).info.width;
    if constexpr (has_wide_numbers<IR>) {
      of(v).number_width = static_cast<std::uint8_t>(ir_.number_width(v));
      if (is_operation(v)) {
        if (const operation_info info = ir_.wide_operation(v); info != operation_info()) {
          rare(v).wide_operation = info;
        }
      } else if (of(v).home == no_node) {
        if (const std::optional<wide_number> c = ir_.wide_constant(v)) {
          if (out_.constant(v) && *c == wide_number(of(v).constant)) {
            set(v, program::number);
          } else {
            rare(v).wide_constant = *c;
          }
        }
      }
    } else {
      set(v, program::number, (of(v).flags & program::literal) != 0);
    }
  }

  /// A number of the type: the first value that has it.
  std::uint32_t type_of(value_id v) {
    if constexpr (has_same_type<IR>) {
      constexpr std::size_t most_types = 64;
      auto& known = out_.types_;
      for (std::size_t i = 0; i != known.size(); ++i) {
        if (static_cast<bool>(ir_.same_type(v, known[i]))) {
          const value_id type = known[i];
          if (i != 0) { // frequent types come to the front
            known[i] = known[i - 1];
            known[i - 1] = type;
          }
          return type;
        }
      }
      if (known.size() == most_types) {
        known.pop_back();
      }
      known.push_back(v);
      return v;
    } else if constexpr (has_operation<IR>) {
      return of(v).info.width;
    } else {
      return v;
    }
  }

  // ---- Operations.

  void copy_operations() {
    out_.accesses_.clear();
    out_.memory_classes_.clear();
    for (value_id v = 0; v != out_.num_values(); ++v) {
      if (is_operation(v)) {
        copy_effects(v);
        copy_cost(v);
      }
    }
    if constexpr (has_may_write<IR>) {
      for (const flat_access& a : out_.accesses_) {
        note_memory_class(a.place.memory);
      }
      for (value_id v = 0; v != out_.num_values(); ++v) {
        if (is_operation(v) && of(v).effect == effect_kind::unknown) {
          copy_writes(v);
        }
      }
    }
  }

  void copy_effects(value_id v) {
    record& to = of(v);
    to.effect = effect_kind::unknown;
    if constexpr (has_effect<IR>) {
      to.effect = ir_.effect(v);
    }
    const bool is_call = to.effect == effect_kind::unknown;
    set(v, program::terminator, midend::is_terminator(ir_, v));
    set(v, program::writes_some, is_call);
    std::optional<memory_reference> place;
    if constexpr (has_memory<IR>) {
      if (to.effect == effect_kind::reads || to.effect == effect_kind::writes) {
        place = ir_.memory(v);
      }
    }
    if (place) {
      to.access = static_cast<std::uint32_t>(out_.accesses_.size());
      // A store may write its own address: the address comes last.
      const std::uint32_t stored = position(v, place->stored);
      const std::uint32_t base = position(v, place->base, stored);
      out_.accesses_.push_back({*place, {base, position(v, place->index, base), stored}});
    }
    if constexpr (has_may_trap<IR>) {
      set(v, program::traps, static_cast<bool>(ir_.may_trap(v)));
      set(v, program::still_traps, midend::may_trap_without_promises(ir_, v));
    } else {
      set(v, program::traps);
      set(v, program::still_traps);
    }
    if constexpr (has_may_not_return<IR>) {
      set(v, program::leaves, static_cast<bool>(ir_.may_not_return(v)));
    } else {
      set(v, program::leaves, is_call);
    }
    if constexpr (has_may_duplicate<IR>) {
      set(v, program::unique, !static_cast<bool>(ir_.may_duplicate(v)));
    }
    if constexpr (has_is_volatile<IR>) {
      set(v, program::exact, static_cast<bool>(ir_.is_volatile(v)));
    } else {
      set(v, program::exact, to.effect != effect_kind::none && (!place || place->is_volatile));
    }
    if constexpr (effect_ir<IR>) {
      set(v, program::removable, midend::is_removable(ir_, v));
    } else {
      set(v, program::removable,
          (to.effect == effect_kind::none || to.effect == effect_kind::reads) && !out_.may_not_return(v) &&
              !out_.is_volatile(v) && !out_.is_terminator(v));
    }
    set(v, program::convergent, midend::is_convergent(ir_, v));
    set(v, program::repeatable,
        (to.effect == effect_kind::none || to.effect == effect_kind::reads) && midend::is_repeatable(ir_, v));
  }

  void copy_cost(value_id v) {
    record& to = of(v);
    if constexpr (has_cost<IR>) {
      const std::optional<operation_class> c = ir_.cost(v);
      to.cost = c ? static_cast<unsigned char>(*c) : program::free;
    } else {
      const optional<operation_class> c = usual_operation_class(to.info);
      to.cost = static_cast<unsigned char>((to.flags & program::terminator) != 0 ? operation_class::branch
                                           : to.effect == effect_kind::reads     ? operation_class::load
                                           : to.effect == effect_kind::writes    ? operation_class::store
                                           : to.effect == effect_kind::unknown   ? operation_class::call
                                           : c                                   ? *c
                                                                                 : operation_class::alu);
      if (to.effect == effect_kind::none && to.info.code != operation::other && !c) {
        to.cost = program::free; // a copy, a change of width
      }
    }
    if constexpr (has_may_reassociate<IR>) {
      set(v, program::regroups, static_cast<bool>(ir_.may_reassociate(v)));
    }
    if constexpr (has_guard<IR>) {
      if (const guard_of_value guard = ir_.guard(v); guard.predicate != no_value) {
        program::rare_record& to = rare(v);
        to.guard = guard;
        to.at.second = last_position(v, guard.otherwise);
        to.at.first = last_position(v, guard.predicate, to.at.second);
        to.unguarded = ir_.unguarded(v);
        set(v, program::guarded);
        set(v, program::decidable, !out_.constant(guard.predicate));
      }
    }
    if constexpr (has_identity<IR>) {
      to.identity = static_cast<std::uint32_t>(ir_.identity(v));
    }
    if constexpr (has_assumed<IR>) {
      if (const value_id bit = ir_.assumed(v); bit != no_value) {
        rare(v).assumed = bit;
        rare(v).at.third = position(v, bit);
      }
    }
    if constexpr (has_low_sum<IR>) {
      if (const std::optional<sum_of_low_bits> sum = ir_.low_sum(v)) {
        rare(v).low_sum = *sum;
        rare(v).at.third = position(v, sum->base);
      }
    }
  }

  void note_memory_class(std::uint32_t memory) {
    constexpr std::size_t most_classes = 64;
    bool is_known = memory == any_memory || out_.memory_classes_.size() == most_classes;
    for (std::size_t i = 0; !is_known && i != out_.memory_classes_.size(); ++i) {
      is_known = out_.memory_classes_[i] == memory;
    }
    if (!is_known) {
      out_.memory_classes_.push_back(memory);
    }
  }

  void copy_writes(value_id v) {
    const bool writes = static_cast<bool>(ir_.may_write(v, any_memory));
    set(v, program::writes_some, writes);
    if (writes && !out_.memory_classes_.empty()) {
      std::uint64_t& written = rare(v).written;
      for (std::size_t i = 0; i != out_.memory_classes_.size(); ++i) {
        written |= std::uint64_t{static_cast<bool>(ir_.may_write(v, out_.memory_classes_[i]))} << i;
      }
    }
  }

  // ---- Nodes and edges.

  void copy_nodes() {
    out_.hints_.clear();
    for (node_id n = 0; n != out_.graph_.num_nodes(); ++n) {
      auto& to = out_.nodes_[n];
      copy_condition(n);
      if constexpr (has_node_counts<IR>) {
        const std::optional<std::uint64_t> count = ir_.count(n);
        to.has_count = count.has_value();
        to.count = count.value_or(0);
      }
      to.accepts_operations = midend::accepts_operations(ir_, n);
      if (out_.graph_.in_edges(n).empty()) {
        continue; // no header of a loop
      }
      if constexpr (has_trip_hints<IR>) {
        if (const loop_hints hints = ir_.trip_hints(n); !(hints == loop_hints())) {
          to.hints = static_cast<std::uint32_t>(out_.hints_.size());
          out_.hints_.push_back(hints);
        }
      }
      if constexpr (has_loop_ends<IR>) {
        to.loop_ends = static_cast<bool>(ir_.loop_ends(n));
      }
    }
  }

  /// As an operand of the last value, or that value, if it is one of them.
  void copy_condition(node_id n) {
    auto& to = out_.nodes_[n];
    to.condition = static_cast<value_id>(ir_.condition(n));
    if (to.last == no_value || !out_.is_terminator(to.last)) {
      out_.is_closed_ = false; // an IR whose ends are no values
    } else if (to.condition != no_value) {
      to.condition_at = to.condition == to.last ? program::node_record::itself : position(to.last, to.condition);
    }
  }

  void copy_edges() {
    out_.cases_.clear();
    out_.edges_.assign(out_.graph_.num_edges(), program::edge_record());
    for (edge_id e = 0; e != out_.graph_.num_edges(); ++e) {
      auto& to = out_.edges_[e];
      to.first_case = static_cast<std::uint32_t>(out_.cases_.size());
      const node_id source = out_.graph_.edge_source(e);
      if (source == no_node) {
        continue;
      }
      if (out_.condition(source) != no_value) {
        for_each_case(ir_, e, [&](const auto& one) { add_case(one); });
      }
      to.num_cases = static_cast<std::uint32_t>(out_.cases_.size()) - to.first_case;
      to.may_redirect = midend::may_redirect(ir_, e);
      to.may_split = midend::may_split(ir_, e);
      if constexpr (has_edge_probabilities<IR>) {
        to.probability = static_cast<double>(ir_.probability(e));
      }
      if constexpr (has_must_end<IR>) {
        to.must_end = static_cast<bool>(ir_.must_end(e));
      }
    }
  }

  void add_case(std::uint64_t c) { out_.cases_.push_back({c, c, false}); }

  void add_case(const number_range& range) { out_.cases_.push_back(range); }

  // ---- Descriptions.

  void copy_descriptions() {
    out_.described_.clear();
    out_.attributes_.clear();
    out_.promises_.clear();
    if constexpr (has_describe<IR>) {
      operation_description description(out_.attributes_, out_.promises_);
      for (value_id v = 0; v != out_.num_values(); ++v) {
        flat_description where;
        where.first_attribute = static_cast<std::uint32_t>(out_.attributes_.size());
        where.first_promise = static_cast<std::uint32_t>(out_.promises_.size());
        ir_.describe(v, description);
        where.num_attributes = static_cast<std::uint32_t>(out_.attributes_.size()) - where.first_attribute;
        where.num_promises = static_cast<std::uint32_t>(out_.promises_.size()) - where.first_promise;
        out_.described_.push_back(where);
      }
    }
  }

  const IR& ir_;
  flat_program& out_;
};

} // namespace detail

/// What functions take: a `freezable_ir` with optional members that fit; otherwise an error.
template <class IR>
concept freezable_ir_argument =
    (freezable_ir<IR> && detail::freezable_members_fit<IR>) || detail::explain_freezable_ir<IR>();

/// A flat copy of a program, with the same numbers: a certificate compares the program before a transformation with the
/// one after it, and an editor over a function cannot be copied.
///
///     const midend::flat_program before = midend::frozen(editor);
///     const midend::dead_code_plan plan = midend::plan_remove_dead_code(editor);
///     const midend::removal_witness witness = midend::apply_remove_dead_code(editor, plan);
///     const auto verdict = midend::verify_removal(before, editor, witness);
///
/// Copies what the IR has of the SSA, semantics, effects, cost and profile rungs, with nodes that are unreachable,
/// parallel edges, and numbers of what was erased; `flat_program` says what cannot be copied, and what it answers in
/// place of members that the IR does not have. The checkers compare operations by `describe(v, out)`
/// (`ir/operation_description.hpp`), which is called now and again when they run; without it, a comparison does not
/// compile.
///
/// Requires an IR that `check_ir` accepts, with `std::uint64_t` as `constant_type`; if it has `same_type`, that is an
/// equivalence. Members about headers of loops are asked of all nodes with predecessors, those about backedges of all
/// edges; members of the semantics rung and `describe` of all values.
///
/// Of more than 64 types, those that were not met for a long time are not recognised, so values count as of different
/// types.
///
/// O(n + m + values + operands + words of the descriptions).
template <freezable_ir_argument IR> flat_program frozen(const IR& ir) {
  flat_program out;
  frozen(ir, out);
  return out;
}

/// The same in place: allocates nothing if an earlier program of this object was as large.
template <freezable_ir_argument IR> void frozen(const IR& ir, flat_program& out) {
  detail::program_freezer<IR>(ir, out).run();
}

MIDEND_END_NAMESPACE
