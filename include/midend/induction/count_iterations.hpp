/// `count_iterations`: the induction variables and exits of a loop body, and how often the loop runs.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/induction_forms.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/induction/phi_permutation.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class iteration_counter;

/// A block on the paths from the header to the bottom.
enum class path_mark : std::uint8_t {
  none,            ///< cannot reach the bottom, or not from the header
  leads_to_bottom, ///< can reach the bottom
  on_path,         ///< is on a path from the header to the bottom
  on_all_paths     ///< is on all of them
};

} // namespace detail

/// Memory of `count_iterations`, reused from call to call.
class count_iterations_workspace {
  friend class detail::iteration_counter;

  induction_forms forms_;
  flat_array<detail::path_mark> marks_; ///< by block
  flat_array<std::uint32_t> next_phi_;  ///< by header phi: the header phi that is its latch input, or `no_phi`
  phi_permutation cycles_;
};

namespace detail {

/// A number of `from` bits, extended to `to` bits.
constexpr std::uint64_t extended(operation extension, std::uint64_t bits, unsigned from, unsigned to) {
  return extension == operation::sign_extend ? static_cast<std::uint64_t>(as_signed(bits, from)) & low_ones(to) : bits;
}

/// One call of `count_iterations`.
class iteration_counter {
public:
  constexpr iteration_counter(const loop_body& body, const loop_facts& facts, count_iterations_workspace& w,
                              loop_counters& out)
      : body_(body), facts_(facts), w_(w), out_(out) {}

  constexpr void run() {
    w_.forms_.assign(body_, facts_);
    collect_inductions();
    mark_paths();
    compute_last_work();
    collect_exits();
    combine_counts();
    choose_exit();
    compute_period();
  }

private:
  constexpr const induction_form& form(body_id v) const { return w_.forms_[v]; }

  // Induction variables.

  /// Header phis whose next value is themselves plus a number other than 0.
  constexpr void collect_inductions() {
    out_.inductions.clear();
    out_.induction_of.assign(body_.num_phis, no_body_value);
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      const induction_form& next = form(body_.next(phi));
      if (!next.is_plain_counter() || next.base != phi || next.number == 0) {
        continue;
      }
      const induction_form& start = form(body_.initial(phi));
      const bool has_start = start.kind == induction_form_kind::number;
      out_.induction_of[phi] = static_cast<std::uint32_t>(out_.inductions.size());
      out_.inductions.push_back(
          {phi, next.width, has_start, next.flags, has_start ? start.number : 0, next.number, next.no_borrow});
    }
  }

  // Blocks that every complete iteration executes, and the last block that does work.

  constexpr bool is_always_executed(std::uint32_t block) const { return w_.marks_[block] == path_mark::on_all_paths; }

  constexpr void mark_paths() {
    w_.marks_.assign(body_.blocks.size(), path_mark::none);
    w_.marks_[body_.bottom()] = path_mark::leads_to_bottom;
    for (std::uint32_t b = body_.bottom(); b != 0; --b) {
      if (w_.marks_[b] == path_mark::leads_to_bottom) {
        for (const std::uint32_t e : body_.in_edges_of(b)) {
          w_.marks_[body_.edges[e].source] = path_mark::leads_to_bottom;
        }
      }
    }
    mark_forward();
  }

  /// Blocks are in topological order: a block can be avoided if an edge on a path leads past it.
  constexpr void mark_forward() {
    flat_array<path_mark>& marks = w_.marks_;
    marks[0] = marks[0] == path_mark::leads_to_bottom ? path_mark::on_path : path_mark::none;
    std::uint32_t furthest = 0;
    for (std::uint32_t b = 0; b != body_.blocks.size(); ++b) {
      if (marks[b] != path_mark::on_path) {
        continue;
      }
      marks[b] = furthest <= b ? path_mark::on_all_paths : path_mark::on_path;
      for (std::uint32_t e = body_.blocks[b].first_edge; e != body_.blocks[b].last_edge; ++e) {
        const std::uint32_t target = body_.edges[e].target;
        if (target != body_edge::leaves && marks[target] != path_mark::none) {
          marks[target] = path_mark::on_path;
          furthest = target > furthest ? target : furthest;
        }
      }
    }
  }

  constexpr void compute_last_work() {
    last_work_ = 0;
    for (const body_value& v : body_.values) {
      if (v.block != no_body_value && v.block > last_work_ && is_work(v)) {
        last_work_ = v.block;
      }
    }
  }

  /// Anything but additions of numbers, comparisons and what is free.
  constexpr bool is_work(const body_value& v) const {
    if (v.kind != body_kind::pure) {
      return v.kind == body_kind::load || v.kind == body_kind::store || v.kind == body_kind::call;
    }
    return !v.is_free && !is_comparison(v.info.code) && !adds_a_number(v);
  }

  constexpr bool adds_a_number(const body_value& v) const {
    if (v.info.code != operation::add && v.info.code != operation::sub) {
      return false;
    }
    const body_kind a = body_.values[body_.operands[v.first_operand]].kind;
    const body_kind b = body_.values[body_.operands[v.first_operand + std::size_t{1}]].kind;
    return b == body_kind::constant || (a == body_kind::constant && v.info.code == operation::add);
  }

  // Exits.

  constexpr void collect_exits() {
    out_.exits.clear();
    std::uint32_t num_exits = 0;
    for (const body_edge& e : body_.edges) {
      num_exits += e.target == body_edge::leaves ? 1U : 0U;
    }
    is_only_way_ = num_exits == 1;
    has_effects_ = false;
    for (const body_value& v : body_.values) {
      is_only_way_ = is_only_way_ && (v.kind != body_kind::call || v.returns) &&
                     !(v.kind == body_kind::store && v.is_volatile); // it may be the last thing that happens
      has_effects_ = has_effects_ || (v.kind == body_kind::call && !v.writes_nothing) || v.is_volatile;
    }
    for (std::uint32_t e = 0; e != body_.edges.size(); ++e) {
      if (body_.edges[e].target == body_edge::leaves) {
        out_.exits.push_back(exit_at(e));
      }
    }
  }

  constexpr loop_exit exit_at(std::uint32_t edge) {
    const std::uint32_t source = body_.edges[edge].source;
    loop_exit x{};
    x.edge = edge;
    x.is_always_tested = is_always_executed(source);
    x.is_at_bottom = source >= last_work_;
    x.induction = no_body_value;
    x.bound = no_body_value;
    const body_id condition = body_.blocks[source].condition;
    if (condition == no_body_value || is_taken(edge, 0) == is_taken(edge, 1)) {
      return x;
    }
    const operation_info& info = body_.values[condition].info;
    if (info.width != 1 && !is_comparison(info.code)) { // it may be another number than 0 and 1
      return x;
    }
    const bool leaves_when = is_taken(edge, 1);
    count_condition(x, condition, leaves_when);
    conditions parts;
    if (x.is_always_tested && !x.is_computable && split(condition, leaves_when, parts)) {
      count_parts(x, parts, leaves_when);
    }
    return x;
  }

  static constexpr bool is_known(const trip_count& count) {
    return count.kind != trip_count_kind::unknown && count.kind != trip_count_kind::at_most;
  }

  /// An exit that is taken when a condition has a value.
  constexpr void count_condition(loop_exit& x, body_id condition, bool leaves_when) const {
    const induction_form& f = form(condition);
    if (f.kind == induction_form_kind::test) {
      recognise_counter(x, f.base, leaves_when != f.negated);
    }
    if (x.is_always_tested && !x.is_counted) {
      x.count = count_first_iterations(condition, leaves_when);
    }
    if (x.is_always_tested && x.count.kind == trip_count_kind::unknown && f.kind == induction_form_kind::test) {
      bound_by_facts(x, f.base, leaves_when != f.negated);
      bound_by_low_bits(x, f.base, leaves_when != f.negated);
    }
    x.is_computable = x.is_computable || is_known(x.count);
  }

  // Exits that are taken as soon as one of several conditions has a value.

  /// Conditions of one exit; more than these are not looked at.
  struct conditions {
    std::array<body_id, 8> values{};
    std::size_t size = 0;
  };

  /// Takes a condition apart: a && b stays in the loop only if both hold, a || b leaves it if one does; as operations
  /// on bits or as selects. False if it is not of this kind, or of too many parts.
  constexpr bool split(body_id condition, bool leaves_when, conditions& out) const {
    out.values[0] = condition;
    out.size = 1;
    for (std::size_t i = 0; i != out.size;) {
      const body_value& v = body_.values[out.values[i]];
      const bool has_bit = v.kind == body_kind::pure && v.info.width == 1;
      const operation code = has_bit ? v.info.code : operation::other;
      const span<const body_id> operands = has_bit ? body_.operands_of(out.values[i]) : span<const body_id>();
      const body_id other = part_besides_first(code, operands, leaves_when);
      if (other == no_body_value) {
        ++i;
        continue;
      }
      if (out.size == out.values.size()) {
        return false;
      }
      out.values[i] = operands[0];
      out.values[out.size++] = other;
    }
    return out.size > 1;
  }

  constexpr body_id part_besides_first(operation code, span<const body_id> operands, bool leaves_when) const {
    switch (code) {
    case operation::bit_and:
      return leaves_when ? no_body_value : operands[1];
    case operation::bit_or:
      return leaves_when ? operands[1] : no_body_value;
    case operation::select: // a ? b : false, and a ? true : b
      return form(operands[leaves_when ? 1 : 2]).is_number(leaves_when ? 1 : 0) ? operands[leaves_when ? 2 : 1]
                                                                                : no_body_value;
    default:
      return no_body_value;
    }
  }

  constexpr void count_parts(loop_exit& x, const conditions& parts, bool leaves_when) {
    x.count = {trip_count_kind::endless, 0, 1};
    x.is_computable = true;
    const bool was_only_way = is_only_way_;
    is_only_way_ = false; // nothing is promised of one condition
    for (std::size_t i = 0; i != parts.size; ++i) {
      loop_exit part = x;
      part.is_counted = part.has_formula = part.has_step_formula = part.is_computable = false;
      part.count = {};
      count_condition(part, parts.values[i], leaves_when);
      x.count = combined(x.count, part.count);
      x.is_computable = x.is_computable && part.is_computable;
    }
    is_only_way_ = was_only_way;
  }

  constexpr bool is_taken(std::uint32_t edge, std::uint64_t condition) const {
    if (body_.edges[edge].has_case) {
      return body_.edges[edge].case_value == condition;
    }
    const body_block& block = body_.blocks[body_.edges[edge].source];
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (body_.edges[e].has_case && body_.edges[e].case_value == condition) {
        return false;
      }
    }
    return true;
  }

  // Exits that compare a counter.

  constexpr void recognise_counter(loop_exit& x, body_id comparison, bool exits_when) const {
    const span<const body_id> operands = body_.operands_of(comparison);
    const bool swapped = is_invariant(operands[0]);
    const induction_form& counter = form(operands[swapped ? 1 : 0]);
    const body_id bound = operands[swapped ? 0 : 1];
    if (counter.kind != induction_form_kind::counter || out_.induction_of[counter.base] == no_body_value ||
        !is_invariant(bound)) {
      return;
    }
    const bool is_truncated = counter.width < body_.values[counter.base].info.width;
    const operation code = body_.values[comparison].info.code;
    x.is_counted = true;
    x.swapped = swapped;
    x.induction = out_.induction_of[counter.base];
    x.conversion = is_truncated ? operation::truncate : counter.extension;
    x.width = counter.width;
    x.extension = counter.extension;
    x.addend = counter.number;
    x.bound = bound;
    x.comparison = swapped ? mirrored(code) : code;
    x.exits_when = exits_when;
    if (x.is_always_tested) {
      count(x, counter);
    }
  }

  /// A header phi that keeps its value is invariant too.
  constexpr bool is_invariant(body_id v) const {
    const induction_form& f = form(v);
    if (f.kind != induction_form_kind::counter) {
      return f.kind == induction_form_kind::number || f.kind == induction_form_kind::invariant;
    }
    const induction_form& next = form(body_.next(f.base));
    return next.is_plain_counter() && next.base == f.base && next.number == 0;
  }

  constexpr void count(loop_exit& x, const induction_form& counter) const {
    const induction_variable& i = out_.inductions[x.induction];
    const induction_form& bound = form(x.bound);
    const bool bound_is_known = bound.kind == induction_form_kind::number;
    const std::uint64_t most = low_ones(counter.width);
    counted_exit e{counter.width,
                   (i.start + counter.number) & most,
                   i.step & most,
                   bound_is_known ? bound.number : 0,
                   x.comparison,
                   x.exits_when,
                   promised_by_both(i.flags, counter.flags)};
    if (counter.extension != operation::copy &&
        !(bound_is_known ? truncate_bound(e, x, counter.extension) : extend_counter(e, x, i.has_start))) {
      const bool keeps_order =
          counter.extension == operation::zero_extend || is_signed_order(e.comparison) || !is_order(e.comparison);
      note_must_be_taken(x, e, keeps_order);
      return;
    }
    if (i.has_start && bound_is_known) {
      x.count = keeps_promise(i, counter) ? trip_count_of(e) : trip_count{trip_count_kind::wraps_first, 0, 1};
      return;
    }
    const optional<form_range> way = way_to_bound(x, counter);
    if (way && way->is_number() && !is_order(e.comparison)) {
      e.start = 0; // only the difference matters to whether they are equal
      e.bound = way->first;
      e.flags = {}; // they are about the numbers themselves
      x.count = trip_count_of(e);
      return;
    }
    const value_bounds bounds = bound_is_known ? value_bounds::exactly(e.bound, e.width) : bounds_of(x.bound);
    if (const auto formula = trip_formula_of(e);
        formula && (meets_bound(*formula, e, bounds) || is_whole_steps(*formula, way) ||
                    (formula->ends == operation::equal && keeps_no_borrow(i, counter)))) {
      x.has_formula = true;
      x.formula = *formula;
    }
    x.is_computable = x.has_formula && (!may_miss(x.formula) || is_whole_steps(x.formula, way));
    note_most(x, most_backedges(e, start_of(counter, e.width), bounds, false, x.is_computable));
    note_must_be_taken(x, e, true);
    if (x.has_formula && way) {
      note_most(x, most_backedges_of_ways(x.formula, e, *way));
    }
    const bool may_end_at_once =
        is_order(e.comparison) && x.has_formula && !is_never_past(x.formula, start_of(counter, e.width), bounds);
    if (x.has_formula && x.is_computable && way && !may_end_at_once) {
      x.count.multiple = multiple_by_low_bits(x.formula, way->first, way->zeros);
    }
  }

  /// How far the bound is above the first value that is compared: the difference of their forms.
  constexpr optional<form_range> way_to_bound(const loop_exit& x, const induction_form& counter) const {
    const body_id bound = number_of(x.bound) ? x.bound : form(x.bound).base;
    if (counter.width > body_.values[counter.base].info.width || counter.extension != operation::copy ||
        bound == no_body_value || body_.values[bound].info.width != counter.width) {
      return std::nullopt;
    }
    linear_form from;
    linear_form to;
    linear_form way;
    const bool is_known = sum_of(body_.initial(counter.base), counter.width, from) &&
                          sum_of(bound, counter.width, to) && linear_difference(to, from, way) &&
                          way.add(0 - counter.number);
    if (!is_known) {
      return std::nullopt;
    }
    const form_range found = facts_.range(way);
    if (found.is_number() || counter.width != body_.values[counter.base].info.width) {
      return found;
    }
    const value_bounds starts = bounds_of(body_.initial(counter.base)); // between these bounds, there may be fewer
    const value_bounds ends = bounds_of(bound);
    const form_range between =
        sum_of_ranges({ends.low, ends.high - ends.low, 0},
                      {0 - starts.high - counter.number, starts.high - starts.low, 0}, counter.width);
    return in_both_ranges(found, between, counter.width);
  }

  constexpr bool sum_of(body_id v, unsigned width, linear_form& out) const {
    const auto number = number_of(v);
    out = linear_form::zero(width);
    return number ? out.add(*number) : facts_.form_of(v, width, out);
  }

  /// Whether neither the counter nor what is compared wraps, as a subtraction.
  static constexpr bool keeps_no_borrow(const induction_variable& i, const induction_form& counter) {
    return i.no_borrow && counter.no_borrow && i.width == counter.width;
  }

  /// Whether an even step leads exactly to the bound, because the low bits of the way are zeros.
  static constexpr bool is_whole_steps(const trip_formula& f, const optional<form_range>& way) {
    return f.ends == operation::equal && way && way->zeros >= f.shift && (way->first & ones_below(f.shift)) == 0;
  }

  /// If the program promises that this exit is taken, it is, and so by a counter that takes all its numbers in one way
  /// around or never: the formula is right, although the counter might wrap. The exit is the only one.
  constexpr void note_must_be_taken(loop_exit& x, const counted_exit& e, bool keeps_order) const {
    const optional<trip_formula> f = keeps_order && must_leave() ? trip_formula_of(e) : std::nullopt;
    if (f && (f->ends == operation::equal || std::has_single_bit(f->divisor))) {
      x.is_computable = true;
      note_most(x, if_small((low_ones(e.width) >> f->shift) / f->divisor));
    }
  }

  /// Whether the program promises that the loop ends, and it has one exit and no other way to end.
  constexpr bool must_leave() const { return body_.hints.must_end && is_only_way_ && !has_effects_; }

  /// Whether the counter may step over a bound that it has to equal, as far as is known: it breaks a promise then, but
  /// only after the loop may have ended in another way.
  constexpr bool may_miss(const trip_formula& f) const {
    return f.ends == operation::equal && f.shift != 0 && !is_only_way_;
  }

  static constexpr void note_most(loop_exit& x, const std::optional<std::uint64_t>& most) {
    if (most && (x.count.kind == trip_count_kind::unknown || *most < x.count.backedges)) {
      x.count = {trip_count_kind::at_most, *most, x.count.multiple};
    }
  }

  constexpr value_bounds bounds_of(body_id v) const {
    const auto number = number_of(v);
    return number ? value_bounds::exactly(*number, body_.values[v].info.width) : facts_.bounds_of(body_, v);
  }

  /// What the counter may be at the first test, in `width` bits. The low bits of an invariant may be a sum of their
  /// own.
  constexpr value_bounds start_of(const induction_form& counter, std::uint8_t width) const {
    const body_id initial = body_.initial(counter.base);
    value_bounds first = truncated(bounds_of(initial), counter.width);
    linear_form low;
    if (counter.width < body_.values[initial].info.width && facts_.form_of(initial, counter.width, low)) {
      first = narrower(first, bounds_of_range(facts_.range(low), counter.width));
    }
    const value_bounds out = shifted(first, counter.number, counter.width);
    return width == counter.width ? out : extended(out, counter.extension, width);
  }

  /// A value that grows by a number in each iteration, whatever it is in the first.
  struct progression {
    std::uint64_t step;
    value_bounds start;
    operation_flags flags;
    bool no_borrow = false; ///< as a subtraction of the opposite of `step`, the increment does not wrap, unsigned
  };

  /// A counter; or the sum, the difference or the product of a progression with an invariant or a number, without a
  /// promise: through a few operations.
  constexpr optional<progression> progression_of(body_id v, std::uint8_t width, unsigned operations = 3) const {
    const induction_form& f = form(v);
    if (f.kind == induction_form_kind::counter && f.extension == operation::copy && f.width == width &&
        out_.induction_of[f.base] != no_body_value) {
      const induction_variable& i = out_.inductions[out_.induction_of[f.base]];
      return progression{i.step & low_ones(width), start_of(f, width), promised_by_both(i.flags, f.flags),
                         i.no_borrow && f.no_borrow && i.width == width};
    }
    const body_value& value = body_.values[v];
    if (operations == 0 || value.kind != body_kind::pure || value.num_operands != 2 || value.info.width != width) {
      return std::nullopt;
    }
    const bool varies_first = !is_invariant(body_.operands_of(v)[0]);
    const body_id other = body_.operands_of(v)[varies_first ? 1 : 0];
    const auto p = is_invariant(other)
                       ? progression_of(body_.operands_of(v)[varies_first ? 0 : 1], width, operations - 1)
                       : std::nullopt;
    if (!p) {
      return std::nullopt;
    }
    const std::optional<std::uint64_t> by = number_of(other);
    std::uint64_t step = p->step;
    switch (value.info.code) {
    case operation::add:
      break;
    case operation::sub:
      step = varies_first ? step : 0 - step;
      break;
    case operation::mul:
      step *= by.value_or(std::uint64_t{0});
      break;
    case operation::shl:
      step = varies_first && by && *by < width ? step << *by : 0;
      break;
    default:
      return std::nullopt;
    }
    return progression{step & low_ones(width), facts_.bounds_of(body_, v), {}};
  }

  /// Whether a progression that keeps its promises meets another one that does, if the loop ends at this comparison of
  /// `width` bits: as numbers without end they come closer by the same in each iteration.
  static constexpr bool meets(operation ends, unsigned width, const progression& own, const progression& other) {
    const bool is_signed = is_signed_order(ends);
    const auto keeps = [&](const progression& p) {
      return is_signed ? p.flags.no_signed_wrap : p.flags.no_unsigned_wrap || p.no_borrow;
    };
    if (!is_order(ends) || !keeps(own) || !keeps(other)) {
      return false;
    }
    const auto place = [&](const progression& p) { // in the order of steps down and up
      const bool is_up = is_signed ? (p.step & sign_bit(width)) == 0 : p.flags.no_unsigned_wrap;
      return std::array<std::uint64_t, 2>{is_up ? std::uint64_t{1} : 0, p.step};
    };
    return ends_above(ends) ? place(own) > place(other) : place(own) < place(other);
  }

  /// An upper bound for a comparison of a progression with any value that has bounds, whether or not it varies; and
  /// whether the count is known when the loop is entered.
  constexpr void bound_by_facts(loop_exit& x, body_id comparison, bool exits_when) const {
    const span<const body_id> operands = body_.operands_of(comparison);
    const operation_info& info = body_.values[comparison].info;
    for (const bool swapped : {false, true}) {
      const body_id tested = operands[swapped ? 1 : 0];
      const body_id bound = operands[swapped ? 0 : 1];
      const bool varies = !is_invariant(bound);
      counted_exit e{info.operand_width, 0, 1, 0, swapped ? mirrored(info.code) : info.code, exits_when, {}};
      if (const auto counter = varies ? std::nullopt : value_step_of(tested)) {
        x.counter = *counter;
        x.bound = bound;
        count_value_step(x, e);
      }
      const auto p = progression_of(tested, info.operand_width);
      if (!p || x.count.kind != trip_count_kind::unknown) {
        continue;
      }
      e.step = p->step;
      e.flags = p->flags;
      const value_bounds bounds = facts_.bounds_of(body_, bound);
      note_most(x, most_backedges(e, p->start, bounds, varies));
      if (const auto formula = trip_formula_of(e); formula && !varies) {
        x.is_computable = x.is_computable || (meets_bound(*formula, e, bounds) && !may_miss(*formula));
        note_must_be_taken(x, e, true);
      }
      if (const auto other = varies ? progression_of(bound, info.operand_width) : std::nullopt) {
        x.is_computable = x.is_computable || meets(ending_comparison(e), e.width, *p, *other);
      }
    }
  }

  /// The same for low bits alone, which are compared with a number: they go around sooner than the value.
  constexpr void bound_by_low_bits(loop_exit& x, body_id comparison, bool exits_when) const {
    const span<const body_id> operands = body_.operands_of(comparison);
    const operation code = body_.values[comparison].info.code;
    const bool swapped = number_of(operands[0]).has_value();
    const auto bound = number_of(operands[swapped ? 0 : 1]);
    const body_value& tested = body_.values[operands[swapped ? 1 : 0]];
    const std::uint8_t bits = num_low_bits(tested);
    if (bits == 0 || !bound || *bound > low_ones(bits)) {
      return;
    }
    const optional<std::uint64_t> step = low_step_of(body_.operands[tested.first_operand], bits);
    if (!step) {
      return;
    }
    const counted_exit e{
        bits, 0, *step, *bound, unsigned_comparison(swapped ? mirrored(code) : code), exits_when, operation_flags{}};
    const value_bounds exact = value_bounds::exactly(*bound, bits);
    note_most(x, most_backedges(e, value_bounds::all(bits), exact, false));
    const auto formula = trip_formula_of(e);
    x.is_computable = x.is_computable || (formula && meets_bound(*formula, e, exact));
  }

  /// Of which low bits of its first operand a value consists, with zeros above; 0 if it is no such value.
  constexpr std::uint8_t num_low_bits(const body_value& value) const {
    if (value.kind != body_kind::pure || value.info.width > 64) {
      return 0;
    }
    if (value.info.code == operation::zero_extend) {
      return value.info.operand_width;
    }
    const auto mask = value.info.code == operation::bit_and
                          ? number_of(body_.operands[value.first_operand + std::size_t{1}])
                          : std::nullopt;
    const auto bits = static_cast<std::uint8_t>(std::bit_width(mask.value_or(std::uint64_t{0})));
    return mask && *mask == ones_below(bits) && bits < value.info.width ? bits : 0;
  }

  /// How much is added to the low bits of a value in each iteration, if that is a number: through a few operations of
  /// which the low bits only depend on those of the operands.
  constexpr optional<std::uint64_t> low_step_of(body_id v, std::uint8_t bits, unsigned operations = 3) const {
    const induction_form& f = form(v);
    if (is_invariant(v)) {
      return 0;
    }
    if (f.kind == induction_form_kind::counter && bits <= f.width && out_.induction_of[f.base] != no_body_value) {
      return out_.inductions[out_.induction_of[f.base]].step & low_ones(bits);
    }
    const body_value& value = body_.values[v];
    if (operations == 0 || value.kind != body_kind::pure || value.num_operands == 0 || value.info.width < bits) {
      return std::nullopt;
    }
    const span<const body_id> operands = body_.operands_of(v);
    const optional<std::uint64_t> first = low_step_of(operands[0], bits, operations - 1);
    const optional<std::uint64_t> second =
        operands.size() == 2 ? low_step_of(operands[1], bits, operations - 1) : std::nullopt;
    const auto by = operands.size() == 2 ? number_of(operands[1]) : std::nullopt;
    const std::uint64_t number = by.value_or(std::uint64_t{0});
    if (!first) {
      return std::nullopt;
    }
    switch (value.info.code) {
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return value.info.operand_width >= bits ? first : std::nullopt;
    case operation::bit_and:
      return (~number & low_ones(bits)) == 0 ? first : std::nullopt;
    case operation::mul:
      return by ? optional(*first * number & low_ones(bits)) : std::nullopt;
    case operation::shl:
      return by && number < bits ? optional(*first << number & low_ones(bits)) : std::nullopt;
    case operation::add:
      return second ? optional((*first + *second) & low_ones(bits)) : std::nullopt;
    case operation::sub:
      return second ? optional((*first - *second) & low_ones(bits)) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  // Exits that compare a counter whose step is a value.

  /// What `v` is without copies and joins of one way: the value that they pass on.
  constexpr body_id through(body_id v) const {
    constexpr unsigned longest_chain = 16;
    for (unsigned i = 0; i != longest_chain; ++i) {
      const body_value& value = body_.values[v];
      const bool is_copy = value.kind == body_kind::pure && value.info.code == operation::copy;
      if (!is_copy && !(value.kind == body_kind::join && value.num_operands == 1)) {
        break;
      }
      v = body_.operands_of(v)[0];
    }
    return v;
  }

  /// The counter that `v` is, if it goes up or down by a value; also plus or minus an invariant.
  constexpr optional<value_step> value_step_of(body_id v) const {
    v = through(v);
    if (const auto plain = plain_value_step_of(v)) {
      return plain;
    }
    const body_value& value = body_.values[v];
    if (value.kind != body_kind::pure || (value.info.code != operation::add && value.info.code != operation::sub)) {
      return std::nullopt;
    }
    const bool is_last = value.info.code == operation::add && is_invariant(body_.operands_of(v)[0]);
    const body_id offset = body_.operands_of(v)[is_last ? 0 : 1];
    auto out = is_invariant(offset) ? plain_value_step_of(body_.operands_of(v)[is_last ? 1 : 0]) : std::nullopt;
    if (out) {
      out->offset = offset;
      out->subtracts_offset = value.info.code == operation::sub;
      out->flags = promised_by_both(out->flags, value.info.flags);
    }
    return out;
  }

  constexpr optional<value_step> plain_value_step_of(body_id v) const {
    v = through(v);
    const induction_form& f = form(v);
    const bool is_next = !f.is_plain_counter();
    body_id phi = is_next ? 0 : f.base;
    while (is_next && phi != body_.num_phis && through(body_.next(phi)) != v) {
      ++phi;
    }
    if (phi == body_.num_phis || body_.values[v].info.width != body_.values[phi].info.width) {
      return std::nullopt;
    }
    const body_id next_value = through(body_.next(phi));
    const body_value& next = body_.values[next_value];
    const bool is_subtracted = next.info.code == operation::sub;
    const bool is_shifted = next.info.code == operation::shladd;
    if (next.kind != body_kind::pure || (next.info.code != operation::add && !is_subtracted && !is_shifted)) {
      return std::nullopt;
    }
    const span<const body_id> terms = body_.operands_of(next_value);
    const auto shift = is_shifted ? number_of(terms[1]) : std::optional(std::uint64_t{0});
    const bool is_last = !is_subtracted && is_same_value(form(terms.back()), form(phi));
    const body_id step = terms[is_last ? 0 : 1];
    const bool steps = is_same_value(form(is_last ? terms.back() : terms[0]), form(phi)) && is_invariant(step) &&
                       shift && *shift < next.info.width && (is_last || !is_shifted);
    const operation_flags flags = is_next ? next.info.flags : promised_by_both(next.info.flags, f.flags);
    return steps && !number_of(step)
               ? optional(value_step{phi, step, is_subtracted, is_next, static_cast<std::uint8_t>(*shift), f.number,
                                     no_body_value, false, flags})
               : std::nullopt;
  }

  /// A counter that goes towards the bound by a value that is at least 1 meets it if it cannot wrap before. If it is
  /// not known to go there, but must not wrap, and the loop must end, then it does, or the first test ends the loop.
  constexpr void count_value_step(loop_exit& x, counted_exit e) const {
    const value_step& counter = x.counter;
    const operation ends = ending_comparison(e);
    const std::uint64_t most = low_ones(e.width);
    e.step = ends_above(ends) ? 1 : most;
    if (!is_order(ends) || e.width == 1) {
      return;
    }
    trip_formula f = *trip_formula_of(e); // of a step of 1
    f.negates_step = f.is_down != counter.is_subtracted;
    f.step_shift = counter.shift;
    f.requires_no_wrap = true;
    const value_bounds steps = bounds_of(counter.step);
    const bool is_signed = is_signed_order(ends);
    const bool goes_there = !is_signed ? steps.low >= 1 : f.negates_step ? steps.signed_high < 0 : steps.signed_low > 0;
    const bool keeps = is_signed ? counter.flags.no_signed_wrap : counter.flags.no_unsigned_wrap && !f.negates_step;
    const std::uint64_t low = is_signed ? static_cast<std::uint64_t>(steps.signed_low) : steps.low;
    const std::uint64_t high = is_signed ? static_cast<std::uint64_t>(steps.signed_high) : steps.high;
    const auto shifted_up = [&](std::uint64_t size) { // 0: the counter wraps with it, or does not move
      return size <= most >> f.step_shift ? size << f.step_shift : 0;
    };
    f.divisor = shifted_up((f.negates_step ? 0 - low : high) & most); // the largest
    const bool meets = goes_there && (keeps || meets_bound(f, e, bounds_of(x.bound)));
    if (!meets && !(keeps && must_leave())) {
      return;
    }
    f.divisor = shifted_up((f.negates_step ? 0 - high : low) & most); // the smallest
    f.divisor += f.divisor == 0 ? 1 : 0;
    note_most(x, meets ? most_by_value_step(f, counter, keeps, bounds_of(x.bound)) : std::nullopt);
    f.divisor = 0;
    x.has_step_formula = x.is_computable = true;
    x.needs_end = !meets;
    x.formula = f;
  }

  /// For the smallest step. If it does not wrap, the next value of the phi is a step ahead of the phi; what is added to
  /// the next value might wrap if it were added to the phi.
  constexpr std::optional<std::uint64_t> most_by_value_step(const trip_formula& f, const value_step& counter,
                                                            bool keeps, const value_bounds& bounds) const {
    value_bounds start = shifted(bounds_of(body_.initial(counter.phi)), counter.addend, f.width);
    if (counter.offset != no_body_value) {
      start = sum_of_bounds(start, bounds_of(counter.offset), counter.subtracts_offset, f.width);
    }
    const bool is_ahead = counter.is_next && keeps && counter.offset == no_body_value;
    const bool is_known = is_ahead || !counter.is_next;
    const auto most =
        backedges_of_distance(f, longest_distance(f, is_known ? start : value_bounds::all(f.width), bounds));
    return is_ahead && most && *most != 0 ? std::optional(*most - 1) : most;
  }

  /// Extension keeps the order of numbers; zero extension makes it unsigned. So a bound that is an extended number can
  /// be compared with the counter before its extension.
  constexpr bool truncate_bound(counted_exit& e, const loop_exit& x, operation extension) const {
    const std::uint64_t narrow = e.bound & low_ones(e.width);
    if (extended(extension, narrow, e.width, body_.values[x.bound].info.width) != e.bound) {
      return false;
    }
    e.bound = narrow;
    e.comparison = extension == operation::zero_extend ? unsigned_comparison(e.comparison) : e.comparison;
    return true;
  }

  /// A counter that does not wrap is also a counter in more bits. For one that starts at 0 or above and goes up, both
  /// extensions are the same.
  constexpr bool extend_counter(counted_exit& e, const loop_exit& x, bool has_start) const {
    const std::uint8_t width = body_.values[x.bound].info.width;
    const bool goes_up = as_signed(e.step, e.width) >= 0 && has_start && as_signed(e.start, e.width) >= 0;
    const bool by_zeros = x.conversion == operation::zero_extend;
    if (!(by_zeros ? e.flags.no_unsigned_wrap || (goes_up && e.flags.no_signed_wrap) : e.flags.no_signed_wrap)) {
      return false;
    }
    e.start = extended(x.conversion, e.start, e.width, width);
    e.step = extended(x.conversion, e.step, e.width, width);
    e.flags = {true, by_zeros};
    e.width = width;
    return true;
  }

  /// Whether the first value that is compared keeps the promise of its addition: the trip count starts from it.
  static constexpr bool keeps_promise(const induction_variable& i, const induction_form& counter) {
    const wrapping_result first = wrapping_add(i.start & low_ones(counter.width), counter.number, counter.width);
    return !(counter.flags.no_signed_wrap && first.signed_wrap) &&
           !(counter.flags.no_unsigned_wrap && first.unsigned_wrap);
  }

  // Exits that numbers decide in the first two iterations, such as a flag that is set in the first.

  /// The exit is taken in the first iteration, in the second, or never, if the phis do not change after that.
  constexpr trip_count count_first_iterations(body_id condition, bool leaves_when) const {
    const optional<bool> first = holds(condition, 0);
    if (!first) {
      return {};
    }
    if (*first == leaves_when) {
      return {trip_count_kind::exact, 0, 1};
    }
    const optional<bool> second = holds(condition, 1);
    if (second && *second == leaves_when) {
      return {trip_count_kind::exact, 1, 2};
    }
    return second && is_settled(condition) ? trip_count{trip_count_kind::endless, 0, 1} : trip_count{};
  }

  constexpr optional<bool> holds(body_id condition, unsigned iteration) const {
    const induction_form& f = form(condition);
    if (f.kind != induction_form_kind::test) {
      const std::optional<std::uint64_t> bit = number_in(condition, iteration);
      return bit ? optional(*bit != 0) : std::nullopt;
    }
    const span<const body_id> operands = body_.operands_of(f.base);
    const std::optional<std::uint64_t> a = number_in(operands[0], iteration);
    const std::optional<std::uint64_t> b = number_in(operands[1], iteration);
    const operation_info& info = body_.values[f.base].info;
    return a && b ? optional(comparison_holds(info.code, *a, *b, info.operand_width) != f.negated) : std::nullopt;
  }

  /// The value of a number, or of a counter whose phi is a number then, in iteration 0 or 1.
  constexpr std::optional<std::uint64_t> number_in(body_id v, unsigned iteration) const {
    const induction_form& f = form(v);
    if (f.kind == induction_form_kind::number) {
      return f.number;
    }
    if (f.kind != induction_form_kind::counter) {
      return std::nullopt;
    }
    const body_id source = iteration == 0 ? body_.initial(f.base) : body_.next(f.base);
    const bool is_next_counter = iteration == 1 && form(source).kind == induction_form_kind::counter;
    const auto phi = is_next_counter ? number_in(source, 0) : number_of(source);
    const std::uint64_t sum = (phi.value_or(std::uint64_t{0}) + f.number) & low_ones(f.width);
    return phi ? std::optional(extended(f.extension, sum, f.width, body_.values[v].info.width)) : std::nullopt;
  }

  constexpr std::optional<std::uint64_t> number_of(body_id v) const {
    return form(v).kind == induction_form_kind::number ? std::optional(form(v).number) : std::nullopt;
  }

  /// Whether the phis that a condition depends on are numbers from the second iteration on.
  constexpr bool is_settled(body_id condition) const {
    const auto settles = [this](body_id v) {
      return number_of(v).has_value() || number_of(body_.next(form(v).base)).has_value();
    };
    const induction_form& f = form(condition);
    if (f.kind != induction_form_kind::test) {
      return settles(condition);
    }
    const span<const body_id> operands = body_.operands_of(f.base);
    return settles(operands[0]) && settles(operands[1]);
  }

  // The loop as a whole.

  /// Hints are about all exits together; they add nothing to an exact count.
  constexpr void combine_counts() {
    using enum trip_count_kind;
    out_.trip = {endless, 0, 1};
    for (const loop_exit& x : out_.exits) {
      out_.trip = combined(out_.trip, x.count);
    }
    if (out_.trip.kind == unknown || out_.trip.kind == at_most) {
      const std::uint64_t most = body_.hints.maximum - 1;
      if (body_.hints.maximum != 0 && (out_.trip.kind == unknown || most < out_.trip.backedges)) {
        out_.trip = {at_most, most, out_.trip.multiple};
      }
      const std::uint64_t hint = body_.hints.multiple == 0 ? 1 : body_.hints.multiple;
      const std::uint64_t more = out_.trip.multiple >> std::countr_zero(hint); // of a power of 2
      out_.trip.multiple = more <= 1 || hint > ~std::uint64_t{0} / more ? hint : hint * more;
    }
    out_.trip_multiple = out_.trip.multiple;
  }

  /// The exit that is taken first, among those with exact counts; else the first with a formula.
  constexpr void choose_exit() {
    out_.counted_exit = no_body_value;
    trip_count least;
    for (std::uint32_t i = 0; i != out_.exits.size(); ++i) {
      const loop_exit& x = out_.exits[i];
      const bool is_exact = x.count.kind == trip_count_kind::exact;
      const bool is_sooner = is_exact && (least.kind != trip_count_kind::exact || x.count.backedges < least.backedges);
      if (is_sooner || (x.has_formula && out_.counted_exit == no_body_value)) {
        out_.counted_exit = i;
        least = x.count;
      }
    }
  }

  constexpr void compute_period() {
    w_.next_phi_.assign(body_.num_phis, no_phi);
    for (body_id phi = 0; phi != body_.num_phis; ++phi) {
      const induction_form& next = form(body_.next(phi));
      if (next.is_plain_counter() && next.number == 0) {
        w_.next_phi_[phi] = next.base;
      }
    }
    w_.cycles_.assign(w_.next_phi_);
    out_.phi_period = w_.cycles_.period() == 0 ? 1 : w_.cycles_.period();
  }

  const loop_body& body_;
  const loop_facts& facts_;
  count_iterations_workspace& w_;
  loop_counters& out_;
  std::uint32_t last_work_ = 0; ///< the last block that does work
  bool is_only_way_ = false;    ///< what is counted is the only way in which the loop may end
  bool has_effects_ = false;    ///< besides accesses of memory
};

} // namespace detail

namespace detail::compiled {

void count_iterations(const loop_body& body, const loop_facts& facts, count_iterations_workspace& workspace,
                      loop_counters& out);

} // namespace detail::compiled

/// The induction variables and exits of a loop body, and how often the loop runs: an exact number, at most a number, or
/// unknown. Refills `out`.
///
/// An induction variable is a header phi whose next value is itself plus a number, through additions and subtractions
/// of numbers, copies, and joins whose inputs agree. An exit is counted if it compares an induction variable (plus a
/// number, truncated or extended) with an invariant, in either order, negated or not. Its count is that of
/// `trip_count_of`, with wrap-around and promises; or `trip_formula_of`, if start or bound is unknown, and the largest
/// number of that formula, if it is below 2^16. An exit that is taken as soon as one of several comparisons says so has
/// the least of their counts. Exits that numbers decide in the first two iterations (a flag for the first iteration)
/// have a count too.
///
/// Counts are those of exits that every iteration tests unless it leaves before. An exit that is not tested in every
/// iteration, or that data decide, turns the count of the loop into an upper bound. An iteration that does not end (a
/// trap, a call that does not return) ends the loop sooner than any count says. Switches are not counted. If the number
/// of iterations after which the header phis have their own values again does not fit in 64 bits, the period is 1.
/// O(size of the body).
///
/// `facts` about the values of the body (`read_loop_facts`) give more: numbers that operations before the loop compute,
/// starts and bounds that lie a number apart from one base, and upper bounds, from those of start and bound, of which
/// the bound may vary in the loop.
constexpr void count_iterations(const loop_body& body, const loop_facts& facts, count_iterations_workspace& workspace,
                                loop_counters& out) {
  MIDEND_RETURN_COMPILED(detail::compiled::count_iterations(body, facts, workspace, out));
  detail::iteration_counter(body, facts, workspace, out).run();
}

/// The same without facts.
constexpr void count_iterations(const loop_body& body, count_iterations_workspace& workspace, loop_counters& out) {
  count_iterations(body, {}, workspace, out);
}

/// The induction variables and exits of a loop body, and how often the loop runs.
constexpr loop_counters count_iterations(const loop_body& body, const loop_facts& facts) {
  count_iterations_workspace workspace;
  loop_counters out;
  count_iterations(body, facts, workspace, out);
  return out;
}

/// The same without facts.
constexpr loop_counters count_iterations(const loop_body& body) {
  return count_iterations(body, loop_facts());
}

/// Counts the iterations of a loop whose body is described: `count(body, counters)` refills `counters`.
template <class C>
concept body_counter = requires(C& counter, const loop_body& body, loop_counters& out) { counter.count(body, out); };

/// Counts by what the body says alone. `loop_trip_counter` also knows what the function around the loop says.
class body_trip_counter {
public:
  constexpr explicit body_trip_counter(count_iterations_workspace& workspace) : workspace_(workspace) {}

  constexpr void count(const loop_body& body, loop_counters& out) const { count_iterations(body, workspace_, out); }

private:
  count_iterations_workspace& workspace_;
};

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

void count_iterations(const loop_body& body, const loop_facts& facts, count_iterations_workspace& workspace,
                      loop_counters& out) {
  iteration_counter(body, facts, workspace, out).run();
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
