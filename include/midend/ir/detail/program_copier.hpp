/// `program_copier`: fills a flat program with what an IR says of values, nodes and edges.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/flat_program_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR>
concept can_be_undefined = requires(const IR& ir, value_id v) {
  { ir.may_be_undefined(v) } -> truth_value;
};

/// Copies what an IR says into a program whose nodes, edges, values and operands are in their places, with their
/// origins. Each member of the IR is called once for each thing that it is about. `Origins` says where things come from
/// and what they have become:
///
///     static constexpr bool adds_operands;       // what an answer names becomes an operand
///     node_id node(node_id n) const;              // in the IR, or no_node
///     edge_id edge(edge_id e) const;              // in the IR, or no_edge
///     value_id image(value_id x);                 // in the program; no_value stays
///     node_id scope_image(node_id header) const;  // in the program: that loop, or one inside; no_node if there is
///     none
///
/// `image` may add values, which are then copied, too.
template <class IR, class Origins> class program_copier {
public:
  program_copier(const IR& ir, Origins& origins, flat_program& out) : ir_(ir), origins_(origins), out_(out) {}

  void run() {
    out_.is_closed_ = true;
    out_.is_new_ = true;
    out_.rare_.clear();
    out_.types_.clear();
    copied_ = 0;
    copy_new_values();
    copy_operations();
    copy_nodes();
    copy_edges();
    copy_new_values(); // that answers have named
    copy_descriptions();
    if constexpr (has_is_little_endian<IR>) {
      out_.is_little_endian_ = static_cast<bool>(ir_.is_little_endian());
    } else {
      out_.is_little_endian_ = false;
    }
    out_.separates_parallel_edges_ = midend::separates_parallel_edges(ir_);
    out_.folder_ = nullptr;
    out_.fold_ = nullptr;
    out_.read_ = nullptr;
  }

private:
  using program = flat_program;
  using record = flat_program::value_record;

  static constexpr std::uint32_t none = program::none;

  record& of(value_id v) { return out_.values_[v]; }

  value_id from(value_id v) const { return out_.values_[v].origin; }

  /// Not something that the IR does not have.
  bool is_copy(value_id v) const { return from(v) != no_value; }

  value_id image(value_id x) { return x == no_value ? no_value : origins_.image(x); }

  void set(value_id v, program::flag f, bool holds = true) { out_.set(v, f, holds); }

  void copy_new_values() {
    for (; copied_ != out_.num_values(); ++copied_) {
      if (is_copy(copied_)) {
        copy_semantics(copied_);
      }
    }
  }

  /// The first place of `x` among the operands of `v` that is not `taken`. If there is none, the program is not closed.
  std::uint32_t position(value_id v, value_id x, std::uint32_t taken = none) {
    return x == no_value ? none : found(v, x, taken, false);
  }

  /// The last such place, where the operands of a guard are.
  std::uint32_t last_position(value_id v, value_id x, std::uint32_t taken = none) {
    return x == no_value ? none : found(v, x, taken, true);
  }

  /// Of an extracted program, what is no operand becomes one.
  std::uint32_t found(value_id v, value_id x, std::uint32_t taken, bool is_last) {
    const span<const value_id> operands = out_.operands(v);
    std::uint32_t at = none;
    for (std::uint32_t i = 0; i != operands.size() && (at == none || is_last); ++i) {
      at = operands[i] == x && i != taken ? i : at;
    }
    if (at == none && Origins::adds_operands) {
      at = static_cast<std::uint32_t>(operands.size());
      out_.add_operand(v, x);
      out_.set(v, program::changed); // the IR folds its own operands
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
    if (const std::optional<std::uint64_t> c = ir_.constant(from(v))) {
      to.constant = *c;
      set(v, program::literal);
    }
    if constexpr (has_operation<IR>) {
      to.info = ir_.operation(from(v));
      const bool is_outside = Origins::adds_operands && to.home == no_node; // of the loop that is extracted
      if (is_outside && to.info.code != operation::other) {
        to.info = {operation::other, to.info.width, to.info.width, {}};
      }
    }
    if constexpr (has_is_undefined<IR>) {
      set(v, program::undefined, static_cast<bool>(ir_.is_undefined(from(v))));
    }
    if constexpr (has_never_returns<IR>) {
      set(v, program::stops, to.home != no_node && static_cast<bool>(ir_.never_returns(from(v))));
    }
    if constexpr (has_is_opaque<IR>) {
      set(v, program::opaque, is_operation(v) && midend::is_opaque(ir_, from(v)));
    }
    if constexpr (has_bounds<IR>) {
      if (!static_cast<bool>(ir_.is_phi(from(v))) && to.info.code == operation::other && !out_.constant(v)) {
        if (const std::optional<number_range> range = ir_.bounds(from(v))) {
          rare(v).bounds = *range;
        }
      }
    }
    if constexpr (has_facts<IR>) {
      if (to.info.code == operation::other && !out_.constant(v)) {
        if (const std::optional<number_facts> facts = ir_.facts(from(v))) {
          rare(v).facts = *facts;
        }
      }
    }
    if constexpr (has_may_insert_phi<IR>) {
      set(v, program::without_phi, !midend::may_insert_phi(ir_, from(v)));
    }
    if constexpr (can_be_undefined<IR>) {
      set(v, program::uncertain, static_cast<bool>(ir_.may_be_undefined(from(v))));
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
      if (!midend::may_replace_operand(ir_, from(v), i)) {
        fixed |= std::uint64_t{1} << (i < 63 ? i : 63);
      }
    }
    if (fixed != 0) {
      rare(v).fixed_operands = fixed;
    }
  }

  void copy_wide_numbers(value_id v) {
    of(v).number_width = of(v).info.width;
    if constexpr (has_local_array_bytes<IR>) {
      if (const auto bytes = static_cast<std::uint32_t>(ir_.local_array_bytes(from(v))); bytes != 0) {
        of(v).flags |= program::own_memory;
        of(v).constant = bytes;
      }
    }
    if constexpr (has_storage_bytes<IR>) {
      of(v).storage_bytes = static_cast<std::uint8_t>(min<std::uint32_t>(ir_.storage_bytes(from(v)), 255));
    }
    if constexpr (has_wide_numbers<IR>) {
      of(v).number_width = static_cast<std::uint8_t>(ir_.number_width(from(v)));
      if (is_operation(v)) {
        if (const operation_info info = ir_.wide_operation(from(v)); info != operation_info()) {
          rare(v).wide_operation = info;
        }
      } else if (of(v).home == no_node) {
        if (const std::optional<wide_number> c = ir_.wide_constant(from(v))) {
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
        if (static_cast<bool>(ir_.same_type(from(v), from(known[i])))) {
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
      if (is_copy(v) && is_operation(v)) {
        copy_effects(v);
        copy_cost(v);
      }
    }
    if constexpr (has_may_write<IR>) {
      for (const flat_access& a : out_.accesses_) {
        note_memory_class(a.place.memory);
      }
      for (value_id v = 0; v != out_.num_values(); ++v) {
        if (is_copy(v) && is_operation(v) && of(v).effect == effect_kind::unknown) {
          copy_writes(v);
        }
      }
    }
  }

  void copy_effects(value_id v) {
    effect_kind effect = effect_kind::unknown;
    if constexpr (has_effect<IR>) {
      effect = ir_.effect(from(v));
    }
    of(v).effect = effect;
    const bool is_call = effect == effect_kind::unknown;
    set(v, program::terminator, midend::is_terminator(ir_, from(v)));
    set(v, program::writes_some, is_call);
    std::optional<memory_reference> place;
    if constexpr (has_memory<IR>) {
      if (effect == effect_kind::reads || effect == effect_kind::writes) {
        place = ir_.memory(from(v));
      }
    }
    if (place) {
      // A store may write its own address: the address comes last.
      memory_reference m = *place;
      m.stored = image(m.stored);
      m.base = image(m.base);
      m.index = image(m.index);
      m.scope = m.local == any_memory || m.scope == no_node ? no_node : origins_.scope_image(m.scope);
      m.local = m.scope == no_node ? any_memory : m.local;
      const std::uint32_t stored = position(v, m.stored);
      const std::uint32_t base = position(v, m.base, stored);
      const std::uint32_t index = position(v, m.index, base);
      of(v).access = static_cast<std::uint32_t>(out_.accesses_.size());
      out_.accesses_.push_back({m, {base, index, stored}});
    }
    if constexpr (has_may_trap<IR>) {
      set(v, program::traps, static_cast<bool>(ir_.may_trap(from(v))));
      set(v, program::still_traps, midend::may_trap_without_promises(ir_, from(v)));
    } else {
      set(v, program::traps);
      set(v, program::still_traps);
    }
    if constexpr (has_may_not_return<IR>) {
      set(v, program::leaves, static_cast<bool>(ir_.may_not_return(from(v))));
    } else {
      set(v, program::leaves, is_call);
    }
    if constexpr (has_may_duplicate<IR>) {
      set(v, program::unique, !static_cast<bool>(ir_.may_duplicate(from(v))));
    }
    if constexpr (has_is_volatile<IR>) {
      set(v, program::exact, static_cast<bool>(ir_.is_volatile(from(v))));
    } else {
      set(v, program::exact, effect != effect_kind::none && (!place || place->is_volatile));
    }
    if constexpr (effect_ir<IR>) {
      set(v, program::removable, midend::is_removable(ir_, from(v)));
    } else {
      set(v, program::removable,
          (effect == effect_kind::none || effect == effect_kind::reads) && !out_.may_not_return(v) &&
              !out_.is_volatile(v) && !out_.is_terminator(v));
    }
    set(v, program::convergent, midend::is_convergent(ir_, from(v)));
    set(v, program::repeatable,
        (effect == effect_kind::none || effect == effect_kind::reads) && midend::is_repeatable(ir_, from(v)));
  }

  void copy_cost(value_id v) {
    record& to = of(v);
    if constexpr (has_cost<IR>) {
      const std::optional<operation_class> c = ir_.cost(from(v));
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
      set(v, program::regroups, static_cast<bool>(ir_.may_reassociate(from(v))));
    }
    if constexpr (has_guard<IR>) {
      if (guard_of_value guard = ir_.guard(from(v)); guard.predicate != no_value) {
        guard.predicate = image(guard.predicate);
        guard.otherwise = image(guard.otherwise);
        const std::uint32_t otherwise_at = last_position(v, guard.otherwise);
        const std::uint32_t predicate_at = last_position(v, guard.predicate, otherwise_at);
        program::rare_record& kept = rare(v);
        kept.guard = guard;
        kept.at.first = predicate_at;
        kept.at.second = otherwise_at;
        kept.unguarded = ir_.unguarded(from(v));
        set(v, program::guarded);
        set(v, program::decidable, !out_.constant(guard.predicate));
      }
    }
    if constexpr (has_identity<IR>) {
      to.identity = static_cast<std::uint32_t>(ir_.identity(from(v)));
    }
    if constexpr (has_assumed<IR>) {
      if (const value_id bit = image(ir_.assumed(from(v))); bit != no_value) {
        const std::uint32_t at = position(v, bit);
        rare(v).assumed = bit;
        rare(v).at.third = at;
      }
    }
    if constexpr (has_low_sum<IR>) {
      if (std::optional<sum_of_low_bits> sum = ir_.low_sum(from(v))) {
        sum->base = image(sum->base);
        const std::uint32_t at = position(v, sum->base);
        rare(v).low_sum = *sum;
        rare(v).at.third = at;
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
    const bool writes = static_cast<bool>(ir_.may_write(from(v), any_memory));
    set(v, program::writes_some, writes);
    if (writes && !out_.memory_classes_.empty()) {
      std::uint64_t& written = rare(v).written;
      for (std::size_t i = 0; i != out_.memory_classes_.size(); ++i) {
        written |= std::uint64_t{static_cast<bool>(ir_.may_write(from(v), out_.memory_classes_[i]))} << i;
      }
    }
  }

  // ---- Nodes and edges.

  void copy_nodes() {
    out_.hints_.clear();
    for (node_id n = 0; n != out_.graph_.num_nodes(); ++n) {
      auto& to = out_.nodes_[n];
      const node_id m = origins_.node(n);
      if (m == no_node) {
        continue;
      }
      copy_condition(n, m);
      if constexpr (has_node_counts<IR>) {
        const std::optional<std::uint64_t> count = ir_.count(m);
        to.has_count = count.has_value();
        to.count = count.value_or(0);
      }
      to.accepts_operations = midend::accepts_operations(ir_, m);
      if (out_.graph_.in_edges(n).empty()) {
        continue; // no header of a loop
      }
      if constexpr (has_trip_hints<IR>) {
        if (const loop_hints hints = ir_.trip_hints(m); !(hints == loop_hints())) {
          to.hints = static_cast<std::uint32_t>(out_.hints_.size());
          out_.hints_.push_back(hints);
        }
      }
      if constexpr (has_loop_ends<IR>) {
        to.loop_ends = static_cast<bool>(ir_.loop_ends(m));
      }
    }
  }

  /// As an operand of the last value, or that value, if it is one of them.
  void copy_condition(node_id n, node_id m) {
    const value_id last = out_.nodes_[n].last;
    const value_id condition = image(static_cast<value_id>(ir_.condition(m)));
    const bool has_end = last != no_value && out_.is_terminator(last);
    if (!has_end) {
      out_.is_closed_ = false; // an IR whose ends are no values
    }
    const std::uint32_t at = condition == no_value || !has_end ? none
                             : condition == last               ? program::node_record::itself
                                                               : position(last, condition);
    out_.nodes_[n].condition = condition;
    out_.nodes_[n].condition_at = at;
  }

  void copy_edges() {
    out_.cases_.clear();
    for (edge_id e = 0; e != out_.graph_.num_edges(); ++e) {
      auto& to = out_.edges_[e];
      to.first_case = static_cast<std::uint32_t>(out_.cases_.size());
      const node_id source = out_.graph_.edge_source(e);
      const edge_id d = origins_.edge(e);
      if (source == no_node || d == no_edge) {
        continue;
      }
      if (out_.condition(source) != no_value) {
        for_each_case(ir_, d, [&](const auto& one) { add_case(one); });
      }
      to.num_cases = static_cast<std::uint32_t>(out_.cases_.size()) - to.first_case;
      to.may_redirect = midend::may_redirect(ir_, d);
      to.may_split = midend::may_split(ir_, d);
      if constexpr (has_edge_probabilities<IR>) {
        to.probability = static_cast<double>(ir_.probability(d));
      }
      if constexpr (has_must_end<IR>) {
        to.must_end = static_cast<bool>(ir_.must_end(d));
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
        if (is_copy(v)) {
          ir_.describe(from(v), description);
        }
        where.num_attributes = static_cast<std::uint32_t>(out_.attributes_.size()) - where.first_attribute;
        where.num_promises = static_cast<std::uint32_t>(out_.promises_.size()) - where.first_promise;
        out_.described_.push_back(where);
      }
    }
  }

  const IR& ir_;
  Origins& origins_;
  flat_program& out_;
  value_id copied_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
