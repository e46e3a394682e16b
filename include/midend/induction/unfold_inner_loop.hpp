/// `unfold_inner_loop`: the body of a loop in which the loop inside it is unrolled completely.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class inner_loop_unfolding;

} // namespace detail

/// Memory of `unfold_inner_loop`, reused from call to call.
class unfold_inner_loop_workspace {
  friend class detail::inner_loop_unfolding;

  flat_array<body_id> by_origin_; ///< by value of the IR: its number in the loop around; none between calls
  flat_array<body_id> around_;    ///< by value of the loop around: its number in the result
  flat_array<body_id> inner_;     ///< by value of the inner loop: its number in the result, in the last copy
  flat_array<body_id> next_;      ///< by header phi of the inner loop: its value in the next copy
};

namespace detail {

/// The algorithm of `unfold_inner_loop`.
class inner_loop_unfolding {
public:
  constexpr inner_loop_unfolding(const loop_body& around, const loop_body& inner, const loop_counters& counters,
                                 unfold_inner_loop_workspace& workspace, loop_body& out)
      : around_(around), inner_(inner), counters_(counters), w_(workspace), out_(out) {}

  constexpr bool run() {
    out_.clear();
    if (!find_exit() || !find_place()) {
      return false;
    }
    index_by_origin();
    const bool is_closed = add_values_from_outside();
    if (is_closed) {
      for (std::uint32_t b = 0; b != around_.blocks.size(); ++b) {
        if (b == place_) {
          add_copies();
        } else {
          add_block(b);
        }
      }
      finish();
    }
    forget_origins();
    return is_closed;
  }

private:
  // What is unrolled, and where.

  /// The only exit must be in the header, or in the only latch, where the last copy ends.
  constexpr bool find_exit() {
    if (counters_.exits.size() != 1 || !counters_.is_exact()) {
      return false;
    }
    const auto executions = counters_.trip.header_executions();
    const std::uint32_t source = inner_.edges[counters_.exits[0].edge].source;
    const body_block& exiting = inner_.blocks[source];
    leaves_at_bottom_ = source + 1 == inner_.bottom() && inner_.in_edges_of(inner_.bottom()).size() == 1;
    const bool is_known = exiting.last_edge - exiting.first_edge == 2 && (leaves_at_bottom_ || source == 0);
    copies_ = executions && *executions < most_copies ? static_cast<std::uint32_t>(*executions) : 0;
    return is_known && copies_ != 0;
  }

  constexpr bool find_place() {
    for (std::uint32_t b = 1; b < around_.bottom(); ++b) {
      if (around_.blocks[b].origin == inner_.blocks[0].origin) {
        place_ = b;
        return true;
      }
    }
    return false;
  }

  constexpr std::uint32_t blocks_of_a_copy() const { return inner_.bottom() + (leaves_at_bottom_ ? 0 : 1); }

  constexpr std::uint32_t inserted_blocks() const {
    return leaves_at_bottom_ ? copies_ * blocks_of_a_copy() : (copies_ - 1) * blocks_of_a_copy() + 1;
  }

  /// The number of a block of the loop around in the result.
  constexpr std::uint32_t block_of(std::uint32_t b) const { return b <= place_ ? b : b + inserted_blocks() - 1; }

  // Values.

  constexpr void index_by_origin() {
    for (body_id v = 0; v != around_.num_values(); ++v) {
      const value_id origin = around_.values[v].origin;
      const bool is_initial = is_outside(around_.values[v]) && is_header_phi(origin); // entered with several values
      const bool is_next = around_.values[v].block == around_.bottom(); // of a header phi, several latches
      if (origin != no_value && !is_initial && !is_next) {
        while (w_.by_origin_.size() <= origin) {
          w_.by_origin_.push_back(no_body_value);
        }
        w_.by_origin_[origin] = v; // of a guarded operation, the value after it
      }
    }
    w_.around_.assign(around_.num_values(), no_body_value);
    w_.inner_.assign(inner_.num_values(), no_body_value);
  }

  constexpr bool is_header_phi(value_id origin) const {
    for (body_id phi = 0; phi != around_.num_phis; ++phi) {
      if (around_.values[phi].origin == origin) {
        return true;
      }
    }
    return false;
  }

  constexpr void forget_origins() {
    for (const body_value& v : around_.values) {
      if (v.origin < w_.by_origin_.size()) {
        w_.by_origin_[v.origin] = no_body_value;
      }
    }
  }

  /// The value of the loop around with this origin, or `no_body_value`.
  constexpr body_id in_loop_around(value_id origin) const {
    return origin < w_.by_origin_.size() ? w_.by_origin_[origin] : no_body_value;
  }

  static constexpr bool is_outside(const body_value& v) {
    return v.kind == body_kind::constant || v.kind == body_kind::invariant;
  }

  /// The header phis of the loop around, and what both loops take from outside of it. False if the inner loop begins
  /// with different values by different edges.
  constexpr bool add_values_from_outside() {
    for (body_id v = 0; v != around_.num_values() && (v < around_.num_phis || is_outside(around_.values[v])); ++v) {
      w_.around_[v] = append(around_.values[v]);
      if (v < around_.num_phis) {
        out_.operands.push_back(around_.initial(v)); // the same number: these values come first in both
        out_.operands.push_back(no_body_value);      // set by `finish`
        out_.values.back().num_operands = 2;
      }
    }
    out_.num_phis = around_.num_phis;
    for (body_id v = inner_.num_phis; v != inner_.num_values() && is_outside(inner_.values[v]); ++v) {
      for (body_id phi = 0; phi != inner_.num_phis; ++phi) {
        if (inner_.values[phi].origin == inner_.values[v].origin) {
          return false;
        }
      }
      if (in_loop_around(inner_.values[v].origin) == no_body_value) {
        w_.inner_[v] = append(inner_.values[v]);
      }
    }
    return true;
  }

  /// Appends a value whose operands follow.
  constexpr body_id append(const body_value& value) {
    out_.values.push_back(value);
    body_value& added = out_.values.back();
    added.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    added.num_operands = 0;
    return static_cast<body_id>(out_.num_values() - 1);
  }

  /// Copies the value `v` of `from` into a block; `map(v)` is the number of an operand in the result.
  template <class Map> constexpr body_id copy(const loop_body& from, body_id v, std::uint32_t block, const Map& map) {
    const auto map_if_any = [&](body_id o) { return o == no_body_value ? no_body_value : map(o); };
    const body_id added = append(from.values[v]);
    for (const body_id o : from.operands_of(v)) {
      out_.operands.push_back(map(o));
    }
    body_value& value = out_.values[added];
    value.num_operands = from.values[v].num_operands;
    value.block = block;
    value.guard = map_if_any(value.guard);
    if (value.kind == body_kind::load || value.kind == body_kind::store) {
      body_access access = from.accesses[value.access];
      access.base = map_if_any(access.base);
      access.index = map_if_any(access.index);
      access.stored = map_if_any(access.stored);
      value.access = static_cast<std::uint32_t>(out_.accesses.size());
      out_.accesses.push_back(access);
    }
    return added;
  }

  constexpr body_id around(body_id v) const { return w_.around_[v]; }

  /// The number of a value of the inner loop in the copy that is added.
  constexpr body_id inner(body_id v) const {
    if (w_.inner_[v] != no_body_value) {
      return w_.inner_[v];
    }
    return around(in_loop_around(inner_.values[v].origin)); // from outside the inner loop
  }

  // Blocks.

  constexpr void begin_block(node_id origin) {
    const auto edges = static_cast<std::uint32_t>(out_.edges.size());
    const auto values = static_cast<body_id>(out_.num_values());
    out_.blocks.push_back({.first_value = values,
                           .last_value = values,
                           .first_edge = edges,
                           .last_edge = edges,
                           .first_in_edge = 0,
                           .last_in_edge = 0,
                           .condition = no_body_value,
                           .origin = origin});
  }

  /// `condition` is that of the block if it keeps several edges.
  constexpr void end_block(body_id condition) {
    body_block& block = out_.blocks.back();
    block.last_value = static_cast<body_id>(out_.num_values());
    block.last_edge = static_cast<std::uint32_t>(out_.edges.size());
    if (block.last_edge - block.first_edge > 1) {
      block.condition = condition;
    } else if (block.last_edge != block.first_edge) {
      out_.edges.back().has_case = false;
    }
  }

  constexpr void add_edge(body_edge edge, std::uint32_t target) {
    edge.source = static_cast<std::uint32_t>(out_.blocks.size() - 1);
    edge.target = target;
    out_.edges.push_back(edge);
  }

  /// A block of the loop around, the bottom too.
  constexpr void add_block(std::uint32_t b) {
    const body_block& block = around_.blocks[b];
    begin_block(block.origin);
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      w_.around_[v] = copy(around_, v, block_of(b), [&](body_id o) { return around(o); });
    }
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      const body_edge& edge = around_.edges[e];
      add_edge(edge, edge.target == body_edge::leaves ? body_edge::leaves : block_of(edge.target));
    }
    end_block(block.condition == no_body_value ? no_body_value : around(block.condition));
  }

  constexpr void add_copies() {
    for (body_id phi = 0; phi != inner_.num_phis; ++phi) {
      w_.inner_[phi] = no_body_value;
    }
    for (std::uint32_t k = 0; k != copies_; ++k) {
      begin_copy(k);
      const bool is_last = k + 1 == copies_;
      const std::uint32_t count = is_last && !leaves_at_bottom_ ? 1 : blocks_of_a_copy();
      for (std::uint32_t b = 0; b != count; ++b) {
        add_block_of_copy(b, place_ + k * blocks_of_a_copy(), is_last);
      }
    }
    for (body_id v = around_.blocks[place_].first_value; v != around_.blocks[place_].last_value; ++v) {
      if (around_.values[v].kind != body_kind::call) {
        w_.around_[v] = result_of(around_.values[v].origin);
      }
    }
  }

  /// The header phis have the values that the copy before leaves.
  constexpr void begin_copy(std::uint32_t k) {
    w_.next_.clear();
    for (body_id phi = 0; phi != inner_.num_phis; ++phi) {
      w_.next_.push_back(inner(k == 0 ? inner_.initial(phi) : inner_.next(phi)));
    }
    for (body_id phi = 0; phi != inner_.num_phis; ++phi) {
      w_.inner_[phi] = w_.next_[phi];
    }
  }

  /// Block `b` of a copy whose blocks are numbered from `first`.
  constexpr void add_block_of_copy(std::uint32_t b, std::uint32_t first, bool is_last) {
    const body_block& block = inner_.blocks[b];
    begin_block(block.origin);
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      w_.inner_[v] = copy(inner_, v, first + b, [&](body_id o) { return inner(o); });
    }
    const body_edge& after = around_.edges[around_.blocks[place_].first_edge];
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      const body_edge& edge = inner_.edges[e];
      const bool leaves = edge.target == body_edge::leaves;
      const bool ends_copy = leaves || (is_last && b == inner_.edges[counters_.exits[0].edge].source);
      if (!ends_copy) {
        add_edge(edge, first + edge.target); // at the bottom, the header of the next copy
      } else if (leaves && is_last) {
        add_edge(after, block_of(after.target));
      }
    }
    if (b == inner_.bottom()) {
      add_edge({.source = 0, .target = 0, .has_case = false, .case_value = 0, .origin = inner_.blocks[0].origin},
               first + b + 1);
    }
    end_block(block.condition == no_body_value ? no_body_value : inner(block.condition));
  }

  /// What the inner loop leaves of a value.
  constexpr body_id result_of(value_id origin) const {
    body_id found = no_body_value;
    for (body_id v = 0; v != inner_.num_values(); ++v) {
      found = inner_.values[v].origin == origin && w_.inner_[v] != no_body_value ? w_.inner_[v] : found;
    }
    return found;
  }

  constexpr void finish() {
    for (body_id phi = 0; phi != out_.num_phis; ++phi) {
      out_.operands[out_.values[phi].first_operand + 1] = around(around_.next(phi));
    }
    group_edges_by_target(out_);
    for (const body_id v : around_.live_out) {
      if (around(v) != no_body_value) {
        out_.live_out.push_back(around(v));
      }
    }
    sort_and_deduplicate(out_.live_out);
    out_.hints = around_.hints;
  }

  static constexpr std::uint64_t most_copies = std::uint64_t{1} << 16;

  const loop_body& around_;
  const loop_body& inner_;
  const loop_counters& counters_; ///< of the inner loop
  unfold_inner_loop_workspace& w_;
  loop_body& out_;
  std::uint32_t copies_ = 0;
  std::uint32_t place_ = 0;       ///< the block that stands for the inner loop
  bool leaves_at_bottom_ = false; ///< the last copy is complete; else only its header runs
};

} // namespace detail

/// Refills `out` with one iteration of the loop `around`, which `loop_describer::describe_around` described, in which
/// the inner loop is unrolled completely. So that loop can be counted, evaluated and estimated as an innermost one.
/// Nothing is folded yet: what the copies know of their counters, `unroll_body` finds out.
///
/// Returns false, and `out` is unspecified, if the number of header executions of the inner loop is not exact, if its
/// only exit is neither in its header nor in its only latch, or if it begins with different values by different edges.
/// `inner` and `counters` are those of `describe_loop` and `count_iterations`. Linear in the result, and in the values
/// of the inner loop for each that is used after it.
constexpr bool unfold_inner_loop(const loop_body& around, const loop_body& inner, const loop_counters& counters,
                                 unfold_inner_loop_workspace& workspace, loop_body& out) {
  return detail::inner_loop_unfolding(around, inner, counters, workspace, out).run();
}

MIDEND_END_NAMESPACE
