/// The values of a loop body, read from the IR.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/function_facts.hpp"
#include "midend/induction/detail/loop_blocks.hpp"
#include "midend/induction/detail/loop_operations.hpp"
#include "midend/induction/detail/loop_value_table.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Numbers the values of a loop and says what they are; its blocks and edges are known.
template <cost_ir IR> class loop_value_reader {
public:
  constexpr loop_value_reader(const IR& ir, const loop_forest& forest, loop_id l, const loop_block_arrays& blocks,
                              function_facts<IR>& facts, loop_value_arrays& arrays, loop_body& out)
      : ir_(ir), forest_(forest), loop_(l), blocks_(blocks), facts_(facts), table_(ir, arrays, out), out_(out) {}

  constexpr void run() {
    table_.mark_values_of(blocks_.order);
    add_phis();
    collect_outside();
    table_.begin_blocks();
    for (std::uint32_t b = 0; b != out_.bottom(); ++b) {
      add_block(b);
    }
    add_bottom();
    collect_live_out();
    table_.forget();
  }

private:
  // Phis of the header.

  constexpr void add_phis() {
    for (const value_id v : ir_.values(forest_.header(loop_))) {
      if (!ir_.is_phi(v)) {
        break;
      }
      const body_value phi = table_.blank(body_kind::phi, v, 0);
      out_.operands.push_back(no_body_value); // `initial`, see `collect_outside`
      out_.operands.push_back(no_body_value); // `next`, see `add_bottom`
      table_.set(v, table_.append(phi));
      ++out_.num_phis;
    }
  }

  /// What a header phi is on entry, or `no_value` if that depends on the way.
  constexpr value_id initial_value(value_id phi) {
    const bool is_decided = agree(phi, [](const loop_edge&) { return true; }) ||
                            agree(phi, [&](const loop_edge& e) { return facts_.is_reachable(e.source); });
    return is_decided && forest_.header(loop_) != ir_.graph().entry() ? agreed_ : no_value;
  }

  /// Whether all the entering edges that count have the same input, `agreed_`.
  template <class Counts> constexpr bool agree(value_id phi, Counts counts) {
    agreed_ = no_value;
    for (const loop_edge& e : forest_.entering_edges(loop_)) {
      if (counts(e)) {
        const value_id input = ir_.phi_input(phi, e.id);
        if (agreed_ != no_value && agreed_ != input) {
          return false;
        }
        agreed_ = input;
      }
    }
    return true;
  }

  // What comes from outside.

  constexpr void collect_outside() {
    const auto meet = [&](value_id v) { table_[v]; };
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      const value_id initial = initial_value(out_.values[phi].origin);
      out_.operands[out_.values[phi].first_operand] =
          initial == no_value
              ? table_.append(table_.blank(body_kind::invariant, out_.values[phi].origin, no_body_value))
              : table_[initial];
    }
    for (std::uint32_t b = 0; b != out_.bottom(); ++b) {
      for (const value_id v : ir_.values(out_.blocks[b].origin)) {
        if (ir_.is_phi(v)) {
          for_each_input(v, b, meet);
        } else if (const loop_operation what = loop_operation_of(ir_, v); !what.is_branch()) {
          for_each_read(ir_, v, what, meet);
        }
      }
      table_.optional(condition_of(b));
    }
    for_each_input_of_header(meet);
  }

  /// The value that decides between the edges of a block.
  constexpr value_id condition_of(std::uint32_t b) const {
    const body_block& block = out_.blocks[b];
    return block.last_edge - block.first_edge > 1 ? static_cast<value_id>(ir_.condition(block.origin)) : no_value;
  }

  // Inputs of phis.

  /// Of a phi that is not the header's.
  template <class Visit> constexpr void for_each_input(value_id phi, std::uint32_t block, Visit visit) {
    for (const std::uint32_t e : out_.in_edges_of(block)) {
      visit(static_cast<value_id>(ir_.phi_input(phi, blocks_.edge_ids[e])));
    }
  }

  /// Of the phis of the header, what comes by the backedges.
  template <class Visit> constexpr void for_each_input_of_header(Visit visit) {
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      for_each_input(out_.values[phi].origin, out_.bottom(), visit);
    }
  }

  // Blocks.

  constexpr void add_block(std::uint32_t b) {
    out_.blocks[b].first_value = static_cast<body_id>(out_.num_values());
    for (const value_id v : ir_.values(out_.blocks[b].origin)) {
      if (!ir_.is_phi(v)) {
        add_operation(v, b);
      } else if (b != 0) {
        table_.set(v, add_join(v, b));
      }
    }
    out_.blocks[b].last_value = static_cast<body_id>(out_.num_values());
    if (const value_id condition = condition_of(b); condition != no_value) {
      out_.blocks[b].condition = table_[condition];
      add_cases(out_.blocks[b]);
    }
  }

  constexpr void add_cases(const body_block& block) {
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (const auto value = ir_.edge_case(blocks_.edge_ids[e])) {
        out_.edges[e].has_case = true;
        out_.edges[e].case_value = *value;
      }
    }
  }

  constexpr body_id add_join(value_id phi, std::uint32_t block) {
    body_value join = table_.blank(body_kind::join, phi, block);
    join.cost = operation_class::merge;
    join.is_free = false;
    for_each_input(phi, block, [&](value_id v) { out_.operands.push_back(table_[v]); });
    return table_.append(join);
  }

  constexpr void add_operation(value_id v, std::uint32_t block) {
    const loop_operation what = loop_operation_of(ir_, v);
    if (what.is_branch()) {
      return;
    }
    body_value value = table_.blank(what.kind, v, block);
    value.is_free = !what.cost.has_value();
    value.cost = what.cost.value_or(operation_class::move);
    value.info = what.info;
    if constexpr (has_may_reassociate<IR>) {
      value.reassociates = ir_.may_reassociate(v);
    }
    if constexpr (has_identity<IR>) {
      value.identity = what.info.code == operation::other ? static_cast<std::uint32_t>(ir_.identity(v)) : 0;
    }
    if (what.touches_memory()) {
      add_access(what, value);
    } else {
      for_each_argument(ir_, v, what, [&](value_id argument) { out_.operands.push_back(table_[argument]); });
    }
    if (what.is_guarded() && what.kind != body_kind::pure) {
      value.guard = table_[what.guard.predicate];
      value.guard_negated = what.guard.negated;
    }
    table_.set(v, table_.append(value));
    if (what.is_guarded() && what.guard.otherwise != no_value) {
      table_.set(v, add_choice(v, what.guard, block));
    }
  }

  /// What a guarded operation leaves: its result or the other value.
  constexpr body_id add_choice(value_id v, const guard_of_value& guard, std::uint32_t block) {
    const body_id result = table_[v];
    const body_id otherwise = table_[guard.otherwise];
    body_value choice = table_.blank(body_kind::pure, v, block);
    choice.cost = operation_class::merge;
    choice.is_free = false;
    choice.info.code = operation::select;
    out_.operands.push_back(table_[guard.predicate]);
    out_.operands.push_back(guard.negated ? otherwise : result);
    out_.operands.push_back(guard.negated ? result : otherwise);
    return table_.append(choice);
  }

  constexpr void add_access(const loop_operation& what, body_value& value) {
    const memory_reference place = what.place.value_or(memory_reference());
    value.access = static_cast<std::uint32_t>(out_.accesses.size());
    value.is_volatile = place.is_volatile;
    out_.accesses.push_back({.base = table_.optional(place.base),
                             .index = table_.optional(place.index),
                             .stored = table_.optional(place.stored),
                             .bytes = place.bytes,
                             .memory = place.memory,
                             .scale = place.scale,
                             .offset = place.offset});
  }

  // The end of the iteration.

  constexpr void add_bottom() {
    body_block& bottom = out_.blocks[out_.bottom()];
    bottom.first_value = static_cast<body_id>(out_.num_values());
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      out_.operands[out_.values[phi].first_operand + 1] = next_value(out_.values[phi].origin);
    }
    bottom.last_value = static_cast<body_id>(out_.num_values());
  }

  constexpr body_id next_value(value_id phi) {
    body_id only = no_body_value;
    bool differs = false;
    for_each_input(phi, out_.bottom(), [&](value_id v) {
      const body_id input = table_[v];
      differs |= only != no_body_value && only != input;
      only = input;
    });
    return differs ? add_join(phi, out_.bottom()) : only;
  }

  // What is used behind the loop.

  constexpr void collect_live_out() {
    for (const value_id v : table_.values_of_loop()) {
      if (table_.is_numbered(v) && is_used_outside(v)) {
        out_.live_out.push_back(table_[v]);
      }
    }
  }

  constexpr bool is_used_outside(value_id v) {
    if constexpr (has_users<IR>) {
      for (const value_id user : ir_.users(v)) {
        if (!table_.stands_in_loop(user)) {
          return true;
        }
      }
      return false;
    } else {
      return facts_.is_used_away(v);
    }
  }

  const IR& ir_;
  const loop_forest& forest_;
  loop_id loop_;
  const loop_block_arrays& blocks_;
  function_facts<IR>& facts_;
  loop_value_table<IR> table_;
  loop_body& out_;
  value_id agreed_ = no_value;
};

} // namespace detail

MIDEND_END_NAMESPACE
