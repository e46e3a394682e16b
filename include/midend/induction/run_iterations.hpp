/// `run_iterations`: counts the iterations of a loop by running them on what is known about its values.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// How long `run_iterations` runs.
struct run_limits {
  std::uint32_t iterations = 100;    ///< no loop is run longer
  std::uint32_t operations = 10'000; ///< that are evaluated in all
};

namespace detail {

class iteration_runner;

/// A value in one iteration: a number, and if `base` is a value of the IR, also `base` + `offset`.
struct run_value {
  number_domain::element number;
  value_id base = no_value;
  std::uint64_t offset = 0;

  friend constexpr bool operator==(const run_value&, const run_value&) = default;
};

} // namespace detail

/// Memory of `run_iterations`, reused from call to call.
class run_iterations_workspace {
  friend class detail::iteration_runner;

  flat_array<detail::run_value> values_; ///< by value of the body, in this iteration
  flat_array<detail::run_value> next_;   ///< by header phi, in the next one
  flat_array<std::uint8_t> is_needed_;   ///< by value: a condition depends on it
  flat_array<std::uint8_t> is_executed_; ///< by block: some run comes here in this iteration
  flat_array<std::uint8_t> is_feasible_; ///< by edge
  flat_array<body_id> pending_;          ///< needed values whose operands have not been looked at
};

/// Runs the iterations of a loop on what is known about its values until none can go on: exactly how many backedges are
/// taken, if no iteration before could leave; else at most how many. `unknown` if the limits do not suffice, or if an
/// iteration changes nothing that its conditions depend on.
///
/// Conditional constant propagation over as many copies of the body as the loop has iterations, one after the other,
/// with bounds and bits of numbers, and with addresses as sums of a base and a number. So it finds the ends of walks
/// over tables in memory that never changes (`constant_memory` of the program), of counters that shift, multiply or
/// depend on each other, and of what else has a start that is known or bounded. Only values on which conditions depend
/// are evaluated.
///
/// `facts` and `known` (by value of the body, `loop_fact_reader::elements`) are about this body; either may be empty.
/// Requires a body as described at `loop_body`. O(limits), and one pass over the body.
MIDEND_FUNCTION trip_count run_iterations(const flat_program& program, const loop_body& body, const loop_facts& facts,
                                          span<const number_domain::element> known, const run_limits& limits,
                                          run_iterations_workspace& workspace);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/detail/meet_facts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/optional.hpp"

#include <array>
#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One call of `run_iterations`.
class iteration_runner {
public:
  using element = number_domain::element;

  iteration_runner(const flat_program& ir, const loop_body& body, const loop_facts& facts, span<const element> known,
                   run_iterations_workspace& w)
      : ir_(ir), body_(body), facts_(facts), known_(known), w_(w) {}

  trip_count run(const run_limits& limits) {
    find_needed();
    if (num_needed_phis_ == 0) {
      return {};
    }
    enter();
    bool may_have_left = false;
    std::uint64_t evaluated = 0;
    for (std::uint64_t k = 0; k != limits.iterations && evaluated <= limits.operations; ++k) {
      evaluated += run_iteration();
      if (w_.is_executed_[body_.bottom()] == 0) {
        return may_have_left ? trip_count{trip_count_kind::at_most, k, 1}
                             : trip_count{trip_count_kind::exact, k, k + 1};
      }
      may_have_left = may_have_left || may_leave_;
      if (!begin_next()) {
        return {};
      }
    }
    return {};
  }

private:
  // What conditions depend on.

  void need(body_id v) {
    if (v != no_body_value && w_.is_needed_[v] == 0) {
      w_.is_needed_[v] = 1;
      num_needed_phis_ += v < body_.num_phis ? 1U : 0U;
      w_.pending_.push_back(v);
    }
  }

  void find_needed() {
    w_.is_needed_.assign(body_.num_values(), 0);
    w_.pending_.clear();
    for (const body_block& b : body_.blocks) {
      need(b.condition);
    }
    while (!w_.pending_.empty()) {
      const body_id v = w_.pending_.back();
      w_.pending_.pop_back();
      const body_value& value = body_.values[v];
      if (value.kind == body_kind::load) {
        need(body_.accesses[value.access].base);
        need(body_.accesses[value.access].index);
      } else if (value.kind != body_kind::call) {
        for (const body_id operand : body_.operands_of(v)) {
          need(operand);
        }
      }
    }
  }

  // Values.

  /// What is known of a value whatever the iteration is.
  run_value always(body_id v) const {
    const std::uint8_t width = body_.values[v].info.width;
    const bool has_number = width >= 1 && width <= 64;
    const bool is_known = has_number && v < known_.size() && !known_[v].is_bottom();
    const element number = body_.values[v].kind == body_kind::constant
                               ? number_domain().constant(width, body_.values[v].bits & low_ones(width))
                           : is_known ? known_[v]
                                      : number_domain().top(has_number ? width : 64);
    linear_form sum;
    if (width != 64 || !facts_.form_of(v, 64, sum)) {
      return {number, no_value, 0};
    }
    const bool has_base = sum.num_terms == 1 && sum.terms[0].coefficient == 1 &&
                          sum.terms[0].reading == number_reading::low_bits && sum.terms[0].value < ir_.num_values();
    return {number, has_base ? sum.terms[0].value : body_.values[v].origin, has_base ? sum.constant : 0};
  }

  static run_value number(element e) { return {e, no_value, 0}; }

  void enter() {
    w_.values_.resize_for_overwrite(body_.num_values());
    for (body_id v = 0; v != body_.num_values(); ++v) {
      if (w_.is_needed_[v] != 0) {
        w_.values_[v] = always(v);
      }
    }
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      if (w_.is_needed_[phi] != 0) {
        w_.values_[phi] = w_.values_[body_.initial(phi)];
      }
    }
  }

  /// Whether the values of the next iteration are others than those of this one: else all that follow are like it.
  bool begin_next() {
    w_.next_.resize_for_overwrite(body_.num_phis);
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      if (w_.is_needed_[phi] != 0) {
        w_.next_[phi] = w_.values_[body_.next(phi)];
      }
    }
    bool changes = false;
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      if (w_.is_needed_[phi] != 0) {
        changes = changes || !(w_.next_[phi] == w_.values_[phi]);
        w_.values_[phi] = w_.next_[phi];
      }
    }
    return changes;
  }

  run_value value_of(body_id v) const {
    const body_value& value = body_.values[v];
    run_value out = always(v);
    switch (value.kind) {
    case body_kind::join:
      return joined(v);
    case body_kind::pure:
      return value.info.code == operation::other ? out : computed(value.info, body_.operands_of(v), out);
    case body_kind::load:
      if (const optional<element> found = loaded(value)) {
        meet_facts(value.info.width, out.number, *found);
      }
      return out;
    default:
      return out;
    }
  }

  run_value joined(body_id v) const {
    optional<run_value> out;
    const span<const std::uint32_t> edges = body_.in_edges_of(body_.values[v].block);
    const span<const body_id> operands = body_.operands_of(v);
    for (std::size_t i = 0; i != operands.size(); ++i) {
      if (w_.is_feasible_[edges[i]] == 0) {
        continue;
      }
      const run_value& input = w_.values_[operands[i]];
      if (!out) {
        out = input;
        continue;
      }
      number_domain().join(out->number, input.number);
      if (out->base != input.base || out->offset != input.offset) {
        out->base = no_value;
        out->offset = 0;
      }
    }
    return out.value_or(always(v));
  }

  run_value computed(const operation_info& info, span<const body_id> operands, run_value out) const {
    std::array<run_value, 3> args{};
    std::array<element, 3> numbers{};
    for (std::size_t i = 0; i != operands.size() && i != args.size(); ++i) {
      args[i] = w_.values_[operands[i]];
      numbers[i] = args[i].number;
    }
    if (operands.size() != arity(info.code)) {
      return out;
    }
    meet_facts(info.width, out.number,
               number_domain().transfer(info, span<const element>(numbers.data(), operands.size())));
    if (info.width == 64 || is_comparison(info.code)) {
      relate_bases(info, args, out);
    }
    return out;
  }

  /// Sums with a base, and their differences and comparisons.
  static void relate_bases(const operation_info& info, const std::array<run_value, 3>& args, run_value& out) {
    const auto constant = [](const run_value& a) { return number_domain().as_constant(a.number); };
    const auto add = [&](const run_value& a, std::uint64_t n) {
      out.base = a.base;
      out.offset = a.offset + n;
    };
    const bool has_one_base = args[0].base != no_value && args[0].base == args[1].base;
    switch (info.code) {
    case operation::copy:
      add(args[0], 0);
      break;
    case operation::add:
      if (const auto n = constant(args[1]); n && args[0].base != no_value) {
        add(args[0], *n);
      } else if (const auto m = constant(args[0]); m && args[1].base != no_value) {
        add(args[1], *m);
      }
      break;
    case operation::sub:
      if (has_one_base) {
        out.number = number_domain().constant(64, args[0].offset - args[1].offset);
      } else if (const auto n = constant(args[1]); n && args[0].base != no_value) {
        add(args[0], 0 - *n);
      }
      break;
    case operation::shladd:
      if (const auto n = constant(args[0]), by = constant(args[1]); n && by && *by < 64 && args[2].base != no_value) {
        add(args[2], *n << *by);
      }
      break;
    case operation::select:
      if (const auto n = constant(args[0])) {
        add(args[*n != 0 ? 1 : 2], 0);
      }
      break;
    case operation::equal:
    case operation::not_equal:
      if (has_one_base && info.operand_width == 64) {
        const bool are_equal = args[0].offset == args[1].offset;
        out.number = number_domain().constant(info.width, are_equal == (info.code == operation::equal) ? 1 : 0);
      }
      break;
    default:
      break;
    }
  }

  /// What a load reads from memory that never changes.
  optional<element> loaded(const body_value& load) const {
    const body_access& a = body_.accesses[load.access];
    if (load.is_volatile || load.guard != no_body_value || a.base == no_body_value || a.bytes == 0 || a.bytes > 8 ||
        load.info.width != 8 * a.bytes) {
      return std::nullopt;
    }
    const run_value& base = w_.values_[a.base];
    std::uint64_t offset = base.offset + static_cast<std::uint64_t>(a.offset);
    if (a.index != no_body_value) {
      const std::uint8_t width = body_.values[a.index].info.width;
      const auto index = number_domain().as_constant(w_.values_[a.index].number);
      if (!index || width < 1 || width > 64) {
        return std::nullopt;
      }
      offset += static_cast<std::uint64_t>(as_signed(*index, width)) * static_cast<std::uint64_t>(a.scale);
    }
    const optional<number_range> found =
        base.base == no_value ? std::nullopt : ir_.constant_memory(base.base, offset, a.bytes);
    return found ? optional(within(*found, load.info.width)) : std::nullopt;
  }

  static element within(const number_range& range, unsigned width) {
    element out = number_domain().top(width);
    element low = number_domain().constant(width, range.low);
    element high = number_domain().constant(width, range.high);
    number_domain().assume(range.is_signed ? operation::greater_equal : operation::ugreater_equal, width, out, low);
    number_domain().assume(range.is_signed ? operation::less_equal : operation::uless_equal, width, out, high);
    return out;
  }

  // Control.

  /// Returns how many values it has evaluated.
  std::uint64_t run_iteration() {
    std::uint64_t evaluated = body_.edges.size();
    w_.is_executed_.assign(body_.blocks.size(), 0);
    w_.is_feasible_.assign(body_.edges.size(), 0);
    w_.is_executed_[0] = 1;
    may_leave_ = false;
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      if (w_.is_executed_[b] == 0) {
        continue;
      }
      const body_block& block = body_.blocks[b];
      for (body_id v = block.first_value; v != block.last_value; ++v) {
        if (w_.is_needed_[v] != 0) {
          w_.values_[v] = value_of(v);
          ++evaluated;
        }
      }
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        if (may_take(block, e)) {
          take(e);
        }
      }
    }
    return evaluated;
  }

  void take(std::uint32_t e) {
    w_.is_feasible_[e] = 1;
    if (body_.edges[e].target == body_edge::leaves) {
      may_leave_ = true;
    } else {
      w_.is_executed_[body_.edges[e].target] = 1;
    }
  }

  bool may_take(const body_block& block, std::uint32_t e) const {
    if (block.condition == no_body_value) {
      return true;
    }
    const element& known = w_.values_[block.condition].number;
    if (body_.edges[e].has_case) {
      return may_be(known, body_.values[block.condition].info.width, body_.edges[e].case_value);
    }
    const std::optional<std::uint64_t> only = number_domain().as_constant(known);
    for (std::uint32_t other = block.first_edge; only && other != block.last_edge; ++other) {
      if (body_.edges[other].has_case && body_.edges[other].case_value == *only) {
        return false;
      }
    }
    return true;
  }

  static bool may_be(const element& known, unsigned width, std::uint64_t number) {
    return width < 1 || width > 64 || number_domain().contains(width, known, number);
  }

  const flat_program& ir_;
  const loop_body& body_;
  const loop_facts& facts_;
  span<const element> known_;
  run_iterations_workspace& w_;
  std::uint32_t num_needed_phis_ = 0;
  bool may_leave_ = false; ///< in this iteration
};

} // namespace detail

MIDEND_FUNCTION trip_count run_iterations(const flat_program& program, const loop_body& body, const loop_facts& facts,
                                          span<const number_domain::element> known, const run_limits& limits,
                                          run_iterations_workspace& workspace) {
  return detail::iteration_runner(program, body, facts, known, workspace).run(limits);
}

MIDEND_END_NAMESPACE

#endif
