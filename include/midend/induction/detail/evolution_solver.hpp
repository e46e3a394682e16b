/// `evolution_solver`: evolutions of the leaves of linear forms in loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Solves header phis, and values computed from them, one loop after the other. The evolution of a leaf may need
/// others, which are computed first: a stack has the waiting ones.
class evolution_solver {
  using state = value_evolutions::evolution_state;
  using leaf = evolution_slot;

public:
  evolution_solver(const flat_program& program, const loop_forest& loops, const value_form_reader& reader,
                   flat_array<evolution_slot>& stack, flat_array<std::uint32_t>& guesses, value_evolutions& out)
      : p_(program), loops_(loops), reader_(reader), stack_(stack), guesses_(guesses), out_(out) {
    guesses_.clear();
  }

  /// The evolution of a form in a loop. First computes those that it needs.
  evolution resolve(const linear_form& form, loop_id l) {
    evolution out;
    leaf missing;
    while (out_.evolve(form, l, out, missing) == state::missing) {
      demand(missing);
    }
    return out;
  }

  /// Forgets evolutions that were unknown before a loop was counted: they may be known now.
  void forget_guesses() {
    for (const std::uint32_t at : guesses_) {
      out_.slots_[at] = value_evolutions::none;
    }
    guesses_.clear();
  }

  /// Computes all evolutions that queries may need.
  void evolve_in_all_loops(value_id v) {
    const evolving_value& record = out_.values_[v];
    loop_id l = record.home;
    for (unsigned level = 0; level != record.levels; ++level, l = loops_.parent(l)) {
      for (unsigned i = 0; i != 3; ++i) {
        const number_reading r = number_readings[i];
        if (record.forms[i].count == packed_form::itself && out_.canonical(v, r) == r) {
          demand({v, r, l});
        }
      }
    }
  }

private:
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr number_reading as_signed_number = number_reading::as_signed;

  void demand(const leaf& first) {
    stack_.clear();
    stack_.push_back(first);
    while (!stack_.empty()) {
      const leaf s = stack_.back();
      const std::uint32_t at = out_.slot(s);
      if (out_.slots_[at] != value_evolutions::none && out_.slots_[at] != value_evolutions::pending) {
        stack_.pop_back();
        continue;
      }
      out_.slots_[at] = value_evolutions::pending;
      evolution e;
      leaf missing;
      if (compute(s, e, missing) == state::missing) {
        stack_.push_back(missing);
        continue;
      }
      stack_.pop_back();
      store(at, e);
    }
  }

  void store(std::uint32_t at, const evolution& e) {
    if (!e.is_known()) {
      out_.slots_[at] = value_evolutions::obstacles + static_cast<std::uint32_t>(e.obstacle);
      guesses_.push_back(at);
      return;
    }
    packed_evolution record{e.ratio, 0, static_cast<std::uint8_t>(e.degree)};
    packed_form forms[evolution::max_degree + 2];
    unsigned count = 0;
    for (unsigned d = 0; d <= e.degree; ++d) {
      forms[count++] = out_.packed(e.coefficients[d]);
    }
    if (e.has_power()) {
      forms[count++] = out_.packed(e.scale);
    }
    record.first = static_cast<std::uint32_t>(out_.forms_.size());
    for (unsigned i = 0; i != count; ++i) {
      out_.forms_.push_back(forms[i]);
    }
    out_.slots_[at] = static_cast<std::uint32_t>(out_.evolutions_.size());
    out_.evolutions_.push_back(record);
  }

  state compute(const leaf& s, evolution& out, leaf& missing) {
    if (reader_.home(s.value) != s.loop) {
      return compute_after_inner_loop(s, out, missing);
    }
    if (!reader_.is_header_phi(s.value)) {
      return compute_operation(s, out, missing);
    }
    const state done = solve(s, out, missing);
    return done == state::known && !out.is_known() && s.reading != low_bits ? compute_exact_counter(s, out, missing)
                                                                            : done;
  }

  evolution itself(const leaf& s) const {
    linear_form form = out_.kind_of(s.value, s.reading);
    static_cast<void>(form.add(s.value, 1, s.reading));
    return evolution::constant(s.loop, form);
  }

  static bool is_itself(const evolution& e, value_id v) {
    return e.is_invariant() && e.start().num_terms == 1 && e.start().terms[0].value == v;
  }

  /// A value that no sum describes. It is invariant if its operands are.
  state compute_operation(const leaf& s, evolution& out, leaf& missing) {
    const value_id v = s.value;
    const operation_info info = p_.operation(v);
    out = evolution::unknown(s.loop, evolution_obstacle::unknown_value);
    if (p_.is_phi(v)) {
      out.obstacle = out_.values_[v].phi;
      return state::known;
    }
    if (info.code == operation::other || p_.is_undefined(v) || p_.may_be_undefined(v)) {
      return state::known;
    }
    if (s.reading != low_bits) {
      return compute_reading(s, out, missing);
    }
    if (info.code == operation::mul) {
      const state done = multiply(s, info, out, missing);
      if (done == state::missing || out.is_known()) {
        return done;
      }
    }
    return compute_invariant(s, out, missing);
  }

  state compute_invariant(const leaf& s, evolution& out, leaf& missing) {
    const evolution_obstacle why = out.obstacle;
    for (const value_id x : p_.operands(s.value)) {
      linear_form form;
      evolution e;
      if (!reader_.read_operand(x, out_.values_[x].width, low_bits, form)) {
        return state::known;
      }
      if (out_.evolve(form, s.loop, e, missing) == state::missing) {
        return state::missing;
      }
      if (!e.is_invariant()) {
        out.obstacle = e.is_known() || why != evolution_obstacle::unknown_value ? why : e.obstacle;
        return state::known;
      }
    }
    out = itself(s);
    return state::known;
  }

  state multiply(const leaf& s, const operation_info& info, evolution& out, leaf& missing) {
    const span<const value_id> operands = p_.operands(s.value);
    linear_form a;
    linear_form b;
    evolution x;
    evolution y;
    if (operands.size() < 2 || !reader_.read_operand(operands[0], info.width, s.reading, a) ||
        !reader_.read_operand(operands[1], info.width, s.reading, b)) {
      return state::known;
    }
    if (out_.evolve(a, s.loop, x, missing) == state::missing || out_.evolve(b, s.loop, y, missing) == state::missing) {
      return state::missing;
    }
    out = product_of(x, y);
    out.loop = s.loop;
    return state::known;
  }

  /// A value as a number with or without sign. It must be invariant, or promise not to wrap.
  state compute_reading(const leaf& s, evolution& out, leaf& missing) {
    const operation_info info = p_.operation(s.value);
    evolution bits;
    if (out_.evolve(out_.form_of(s.value), s.loop, bits, missing) == state::missing) {
      return state::missing;
    }
    if (bits.is_invariant()) {
      out = itself(s);
      return state::known;
    }
    const bool promises = s.reading == as_signed_number ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap;
    if (info.code == operation::mul && promises) {
      const state done = multiply(s, info, out, missing);
      if (done == state::missing || out.is_known()) {
        return done;
      }
    }
    out = extended_by_trips(s, bits);
    return state::known;
  }

  /// The extension of a counter of numbers whose first and last values are in range.
  evolution extended_by_trips(const leaf& s, const evolution& bits) const {
    const trip_count& count = out_.loops_[s.loop].trips.count;
    const bool is_bounded = count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
    evolution out = evolution::constant(s.loop, linear_form::exact_zero());
    if (bits.is_counter() && bits.start().is_number() && is_bounded && count.backedges >> 63 == 0) {
      const unsigned width = bits.start().width;
      const auto step = static_cast<std::uint64_t>(as_signed(bits.step().constant, width));
      linear_form last;
      if (reader_.read_number(bits.start().constant, width, s.reading, out.coefficients[0]) &&
          out.coefficients[1].add(step)) {
        out.degree = 1;
        const std::int64_t low =
            s.reading == as_signed_number ? -static_cast<std::int64_t>(low_ones(width) >> 1) - 1 : 0;
        const std::uint64_t high = low_ones(width) >> (s.reading == as_signed_number ? 1 : 0);
        const std::int64_t most = high >> 63 != 0 ? 0x7fff'ffff'ffff'ffff : static_cast<std::int64_t>(high);
        if (out.value_at(count.backedges, last) && as_signed(last.constant, 64) >= low &&
            as_signed(last.constant, 64) <= most) {
          return out;
        }
      }
    }
    return evolution::unknown(s.loop, bits.is_known() ? evolution_obstacle::may_wrap : bits.obstacle);
  }

  // ---- Phis of headers.

  /// The form that all edges of a kind bring to a phi.
  template <class Edges>
  evolution_obstacle read_inputs(value_id phi, const Edges& edges, number_reading r, evolution_obstacle otherwise,
                                 linear_form& out) const {
    bool is_first = true;
    for (const loop_edge& e : edges) {
      if (!reader_.is_reachable(e.source)) {
        continue;
      }
      linear_form input;
      if (!reader_.read_operand(p_.phi_input(phi, e.id), out_.values_[phi].width, r, input)) {
        return evolution_obstacle::undefined;
      }
      if (!is_first && !same_sum(input, out)) {
        return otherwise;
      }
      out = input;
      is_first = false;
    }
    return is_first ? evolution_obstacle::undefined : evolution_obstacle::none;
  }

  /// A phi whose next value is `factor` times itself, plus `rest`.
  state solve(const leaf& s, evolution& out, leaf& missing) {
    linear_form start;
    linear_form next;
    evolution_obstacle why =
        read_inputs(s.value, loops_.entering_edges(s.loop), s.reading, evolution_obstacle::several_starts, start);
    if (why == evolution_obstacle::none) {
      why = read_inputs(s.value, loops_.backedges(s.loop), s.reading, evolution_obstacle::joined_paths, next);
    }
    if (why != evolution_obstacle::none) {
      out = evolution::unknown(s.loop, why);
      return state::known;
    }
    evolution rest = evolution::constant(s.loop, next.none_of());
    if (leave_inner_loops(s, next, rest, missing) == state::missing) {
      return state::missing;
    }
    const std::uint64_t factor = next.coefficient_of(s.value, s.reading);
    static_cast<void>(next.add(s.value, 0 - factor, s.reading));
    evolution others;
    if (out_.evolve(next, s.loop, others, missing) == state::missing) {
      return state::missing;
    }
    rest.add(others);
    out = recurrence(start, factor, rest);
    out.loop = s.loop;
    return state::known;
  }

  /// Replaces values of inner loops by their starts there, and adds to `rest` their growth until these loops end. So an
  /// accumulation that continues in an inner loop is seen to start with the phi.
  state leave_inner_loops(const leaf& s, linear_form& form, evolution& rest, leaf& missing) const {
    for (unsigned steps = 0; steps != 16 && rest.is_known(); ++steps) {
      linear_form::term inner;
      for (std::uint32_t i = 0; i != form.num_terms; ++i) {
        const loop_id at = reader_.home(form.terms[i].value);
        if (at != s.loop && out_.contains(s.loop, at)) {
          inner = form.terms[i];
        }
      }
      if (inner.value == no_value) {
        break;
      }
      const loop_id m = out_.child_around(s.loop, reader_.home(inner.value));
      evolution e;
      if (out_.look_up({inner.value, inner.reading, m}, e) == state::missing) {
        missing = {inner.value, inner.reading, m};
        return state::missing;
      }
      if (is_itself(e, inner.value)) {
        break; // invariant there
      }
      out_.convert(e, form);
      evolution added;
      linear_form last;
      if (leave(e, m, s.loop, last, added, missing) == state::missing) {
        return state::missing;
      }
      rest.add(added, inner.coefficient);
      if (rest.is_known() && !form.substitute(inner.value, last, inner.reading)) {
        rest.obstacle = evolution_obstacle::too_large;
      }
    }
    return state::known;
  }

  bool is_exact(loop_id l) const { return out_.loops_[l].trips.count.kind == trip_count_kind::exact; }

  /// Splits a value of loop `m`, inside `l`, in its last iteration: `last`, plus `added` in iteration k of `l`.
  state leave(const evolution& e, loop_id m, loop_id l, linear_form& last, evolution& added, leaf& missing) const {
    last = e.start();
    added = evolution::constant(l, last.none_of());
    return e.is_known() && is_exact(m) && e.value_at(out_.loops_[m].trips.count.backedges, last)
               ? state::known
               : evolve_growth(e, m, l, added, missing);
  }

  /// The growth of a value of loop `m`, inside `l`, until that loop ends, in iteration k of `l`.
  state evolve_growth(const evolution& e, loop_id m, loop_id l, evolution& out, leaf& missing) const {
    const loop_trips& trips = out_.loops_[m].trips;
    out = evolution::constant(l, e.start().none_of());
    if (!e.is_known() || e.is_invariant()) {
      out.obstacle = e.obstacle;
      return state::known;
    }
    if ((!trips.has_formula && !is_exact(m)) || e.has_power()) {
      out.obstacle = e.has_power() ? evolution_obstacle::not_linear : evolution_obstacle::inner_loop;
      return state::known;
    }
    linear_form number = linear_form::exact_zero();
    static_cast<void>(number.add(trips.count.backedges));
    evolution t;
    if (out_.evolve(is_exact(m) ? number : trips.backedges, l, t, missing) == state::missing) {
      return state::missing;
    }
    for (unsigned d = 1; d <= e.degree && out.is_known(); ++d) {
      evolution step;
      if (out_.evolve(e.coefficients[d], l, step, missing) == state::missing) {
        return state::missing;
      }
      evolution times = t;
      if (d > 1) {
        times = binomial_of(t, d, e.start());
      } else {
        out_.convert(times, e.start());
      }
      out.add(product_of(step, times));
    }
    out.loop = l;
    return state::known;
  }

  /// A value of an inner loop: its value in the last iteration there.
  state compute_after_inner_loop(const leaf& s, evolution& out, leaf& missing) {
    const loop_id m = out_.child_around(s.loop, reader_.home(s.value));
    evolution e;
    if (out_.look_up({s.value, s.reading, m}, e) == state::missing) {
      missing = {s.value, s.reading, m};
      return state::missing;
    }
    if (is_itself(e, s.value)) { // invariant there
      return compute_operation(s, out, missing);
    }
    linear_form last;
    evolution added;
    if (leave(e, m, s.loop, last, added, missing) == state::missing) {
      return state::missing;
    }
    if (!added.is_known()) {
      out = added;
      return state::known;
    }
    if (out_.evolve(last, s.loop, out, missing) == state::missing) {
      return state::missing;
    }
    out.add(added);
    return state::known;
  }

  /// A phi as a number with or without sign, if its bits are a counter that cannot have wrapped: a wrap would not fit
  /// its range, or the loop does not run long enough.
  state compute_exact_counter(const leaf& s, evolution& out, leaf& missing) {
    evolution bits;
    if (out_.look_up({s.value, low_bits, s.loop}, bits) == state::missing) {
      missing = {s.value, low_bits, s.loop};
      return state::missing;
    }
    if (bits.is_invariant()) {
      out = itself(s);
      return state::known;
    }
    const evolution_obstacle why = out.obstacle;
    if (bits.is_counter() && takes_short_steps(s, bits)) {
      linear_form start;
      if (read_inputs(s.value, loops_.entering_edges(s.loop), s.reading, why, start) == evolution_obstacle::none) {
        out = evolution::constant(s.loop, start);
        out.degree = 1;
        const auto step = static_cast<std::uint64_t>(as_signed(bits.step().constant, bits.step().width));
        static_cast<void>(out.coefficients[1].add(step));
        return state::known;
      }
    }
    out = extended_by_trips(s, bits);
    return state::known;
  }

  /// Whether all numbers that a phi can be are so near to each other that a step that wraps cannot lead from one to
  /// another.
  bool takes_short_steps(const leaf& s, const evolution& bits) const {
    const unsigned width = bits.step().width;
    const number_facts f = reader_.facts_of(s.value);
    const std::uint64_t apart = s.reading == as_signed_number
                                    ? static_cast<std::uint64_t>(f.high) - static_cast<std::uint64_t>(f.low)
                                    : f.most - f.least;
    const std::int64_t step = as_signed(bits.step().constant, width);
    const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    return apart <= low_ones(width) - size; // apart + size < 2^width
  }

  const flat_program& p_;
  const loop_forest& loops_;
  const value_form_reader& reader_;
  flat_array<evolution_slot>& stack_;
  flat_array<std::uint32_t>& guesses_; ///< slots that are unknown as long as a loop is not counted
  value_evolutions& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
