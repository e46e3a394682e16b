/// `value_evolutions`: how the values of a function evolve in its loops, and their values afterwards.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The values whose evolutions are wanted.
enum class evolved_values : std::uint8_t {
  all,
  header_phis, ///< phis of loop headers, and values that these need; sums with others are `undefined`. Enough for trip
               ///< counts
};

class evolutions_workspace;
class flat_program;
class value_evolutions;
struct number_facts;

namespace detail {

class value_form_reader;
class evolution_solver;
class loop_trip_finder;

/// Finds facts about loops and values by a domain of numbers.
class loop_runner {
public:
  /// Counts a loop by running it.
  virtual trip_count run(loop_id l, const value_evolutions& found) = 0;

  /// Reduces facts about values with narrowed operands, and about their users, and marks these, too. `order` has the
  /// nodes in reverse postorder.
  virtual void refine(span<const node_id> order, span<number_facts> facts, span<unsigned char> is_narrowed) = 0;

protected:
  ~loop_runner() = default;
};

/// Computes `evolutions` of a flat program. `runner`, if there is one, is asked about loops whose exits give no count.
MIDEND_FUNCTION void find_evolutions(const flat_program& program, const loop_forest& loops,
                                     span<const number_facts> facts, evolutions_workspace& workspace,
                                     value_evolutions& out, evolved_values which = evolved_values::all,
                                     loop_runner* runner = nullptr);

/// All readings, by their numbers.
inline constexpr number_reading number_readings[] = {number_reading::low_bits, number_reading::as_signed,
                                                     number_reading::as_unsigned};

} // namespace detail

/// The test that leaves a loop: in the first iteration k for which first + k · step, modulo 2^width, is `ends` to
/// `bound`. If they are compared for equality, `bound` may be 0, and `first` their difference.
///
/// If it is `is_direct`, the counter does not wrap before. So `direct_trip_formula` gives the number of backedges.
struct counter_test {
  operation ends = operation::other; ///< a comparison; `other` if no counter is compared with an invariant
  linear_form first = {};
  std::uint64_t step = 0; ///< 0 if the step is `value_step`
  linear_form bound = {};
  linear_form value_step = {}; ///< valid if the step is no number
  bool is_direct = false;

  constexpr bool is_known() const { return ends != operation::other; }
};

/// How often a loop runs, each time that it is entered.
struct loop_trips {
  trip_count count;             ///< for all exits together
  bool has_formula = false;     ///< whether `backedges` is valid: the number of backedges, if it is no exact number
  linear_form backedges = {};   ///< valid if `has_formula`: a form of invariants; exact, or modulo 2^width
  node_id last_node = no_node;  ///< the node whose exit is taken; its dominators are computed in the last iteration
  counter_test test = {};       ///< valid if only one exit may be taken: its test
  bool has_bound = false;       ///< whether `bound` is valid: an upper bound of the backedges, if it is not negative
  linear_form bound = {};       ///< valid if `has_bound`: exact, a form of invariants; also for loops with other exits
  bool ends = false;            ///< whether a counter meets a number for which the loop is left, in every run
  bool are_parts_known = false; ///< valid for an exit whose condition has several comparisons, one of which must hold:
                                ///< `is_known_on_entry` for each
};

/// Whether the number of backedges until an exit is taken is known when the loop is entered.
constexpr bool is_known_on_entry(const loop_trips& t) {
  return t.count.kind == trip_count_kind::exact || t.count.kind == trip_count_kind::endless ||
         t.count.kind == trip_count_kind::wraps_first || t.test.is_direct || t.has_formula || t.are_parts_known;
}

/// An edge out of a loop, and how often the loop would run if it were the only one.
struct exit_trips {
  edge_id edge = no_edge;
  bool is_always_tested = false; ///< whether each iteration that no earlier exit ends tests it; if not, nothing is
                                 ///< known
  loop_trips trips;              ///< `last_node` is the source of the edge; `bound` is never valid here
};

/// A value as a polynomial in the iterations of several loops around it: the sum of
/// coefficient · value · (k₀ over degree₀) · (k₁ over degree₁) …, where kᵢ is the iteration of loop i, from the
/// outermost one. The values do not change in the outermost loop.
struct nested_evolution {
  static constexpr std::size_t max_loops = 4;
  static constexpr std::size_t max_terms = 16;

  struct term {
    std::uint64_t coefficient = 0;
    value_id value = no_value; ///< `no_value` stands for 1
    number_reading reading = number_reading::low_bits;
    std::uint8_t degrees[max_loops] = {};
  };

  evolution_obstacle obstacle = evolution_obstacle::none; ///< if it is not `none`, nothing else is valid
  unsigned width = 64;
  std::uint32_t num_loops = 0;
  loop_id loops[max_loops] = {}; ///< from the outermost one inwards
  std::uint32_t num_terms = 0;
  term terms[max_terms] = {};

  constexpr bool is_known() const { return obstacle == evolution_obstacle::none; }

  /// Whether it is a sum of values, numbers, and iterations times numbers.
  constexpr bool is_affine() const {
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      unsigned degree = 0;
      for (const std::uint8_t d : terms[i].degrees) {
        degree += d;
      }
      if (degree > 1 || (degree == 1 && terms[i].value != no_value)) {
        return false;
      }
    }
    return is_known();
  }

  /// Adds a term. False if there are too many.
  constexpr bool add(const term& t) {
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      if (is_like(terms[i], t)) {
        terms[i].coefficient = (terms[i].coefficient + t.coefficient) & low_ones(width);
        if (terms[i].coefficient == 0) {
          terms[i] = terms[--num_terms];
        }
        return true;
      }
    }
    if ((t.coefficient & low_ones(width)) == 0) {
      return true;
    }
    if (num_terms == max_terms) {
      return false;
    }
    terms[num_terms] = t;
    terms[num_terms++].coefficient &= low_ones(width);
    return true;
  }

private:
  static constexpr bool is_like(const term& a, const term& b) {
    bool same = a.value == b.value && a.reading == b.reading;
    for (std::size_t i = 0; i != max_loops; ++i) {
      same = same && a.degrees[i] == b.degrees[i];
    }
    return same;
  }
};

namespace detail {

// The records of `value_evolutions`. They are outside of it so that they can have default values.

struct packed_form {
  static constexpr std::uint8_t itself = 255; ///< the value is its own form

  std::uint64_t constant = 0;
  std::uint32_t first = 0; ///< in `terms_`
  std::uint8_t count = itself;
  std::uint8_t width = 64;
  bool is_exact = false;
};

struct packed_evolution {
  std::uint64_t ratio = 1;
  std::uint32_t first = 0; ///< in `forms_`: the coefficients, and the scale if there is a power
  std::uint8_t degree = 0;
};

struct evolving_value {
  packed_form forms[3]; ///< by reading
  loop_id home = no_loop;
  node_id node = no_node;
  std::uint32_t slots = 0xffff'ffff; ///< valid for a value that is its own form in a loop: its first position in
                                     ///< `slots_`
  std::uint8_t width = 64;
  std::uint8_t levels = 0;
  bool is_natural = false; ///< whether both readings are equal
  evolution_obstacle phi = evolution_obstacle::joined_paths;
};

struct evolving_loop {
  loop_id parent = no_loop;
  loop_id end = 0; ///< the inner loops are those from the loop to this one
  std::uint32_t depth = 0;
  std::uint32_t first_exit = 0;
  std::uint32_t last_exit = 0;
  trip_count run; ///< its count by running it
  loop_trips trips;
};

/// `exit_trips`. Forms that are not valid have no record.
struct packed_exit {
  edge_id edge = no_edge;
  node_id node = no_node;
  trip_count count;
  std::uint64_t step = 0;
  packed_form backedges;
  packed_form first;
  packed_form bound;
  packed_form value_step;
  operation ends = operation::other;
  bool is_always_tested = false;
  bool is_ending = false;
  bool is_direct = false;
  bool is_known_on_entry = false;
};

/// The evolution of a value, in a reading, in a loop.
struct evolution_slot {
  value_id value = no_value;
  number_reading reading = number_reading::low_bits;
  loop_id loop = no_loop;
};

} // namespace detail

/// The result of `evolutions`. Values and loops have the numbers of the IR; it refers neither to the IR nor to the
/// forest. Queries take time for the terms of the answer.
class value_evolutions {
public:
  std::size_t num_values() const { return values_.size(); }

  std::size_t num_loops() const { return loops_.size(); }

  /// The value of `v` in iteration k of loop `l`, each time that the iteration computes it. For a value of an inner
  /// loop, its value after that loop. With a reading other than `low_bits`, the number with or without sign, which is
  /// known only if it does not wrap.
  evolution evolution_of(value_id v, loop_id l, number_reading reading = number_reading::low_bits) const {
    return evolution_of(form_of(v, reading), l);
  }

  /// The evolution of a sum. Its values must be values of forms of this object.
  evolution evolution_of(const linear_form& form, loop_id l) const {
    evolution out;
    slot_of_leaf missing;
    if (evolve(form, l, out, missing) != evolution_state::known) {
      return evolution::unknown(l, evolution_obstacle::undefined);
    }
    return out;
  }

  /// The value of `v` in iteration `k` of loop `l`, as an evolution that does not change.
  evolution value_at(value_id v, loop_id l, std::uint64_t k) const { return at(evolution_of(v, l), k); }

  /// The value of `v` after loop `l`, which is that of the last iteration, as an evolution that does not change. Known
  /// if the number of iterations is exact or a formula, and the exit that is taken comes after `v` in its iteration; or
  /// if `v` is invariant in the loop.
  evolution value_after(value_id v, loop_id l) const {
    const loop_trips& t = trips(l);
    const evolution e = evolution_of(v, l);
    if (!e.is_known() || e.is_invariant()) {
      return e;
    }
    if (t.last_node == no_node) {
      return evolution::unknown(l, evolution_obstacle::inner_loop);
    }
    if (!dominators_.dominates(values_[v].node, t.last_node)) {
      return evolution::unknown(l, evolution_obstacle::not_last);
    }
    return t.count.kind == trip_count_kind::exact ? at(e, t.count.backedges) : at_formula(e, t);
  }

  /// The value of `v`, of loop `outermost` or one inside, by the iterations of all loops from there to its own.
  nested_evolution in_scope(value_id v, loop_id outermost) const;

  const loop_trips& trips(loop_id l) const {
    MIDEND_ASSERT(l < loops_.size(), "a loop of the forest", l, loops_.size());
    return loops_[l].trips;
  }

  /// The edges out of loop `l`, in the order of the forest.
  std::size_t num_exits(loop_id l) const {
    MIDEND_ASSERT(l < loops_.size(), "a loop of the forest", l, loops_.size());
    return loops_[l].last_exit - loops_[l].first_exit;
  }

  /// The i-th exit.
  exit_trips exit(loop_id l, std::size_t i) const {
    MIDEND_ASSERT(i < num_exits(l), "an exit of the loop", i, num_exits(l));
    const detail::packed_exit& p = exits_[loops_[l].first_exit + i];
    exit_trips out{p.edge, p.is_always_tested, {}};
    out.trips.count = p.count;
    out.trips.last_node = p.node;
    out.trips.ends = p.is_ending;
    out.trips.has_formula = p.backedges.count != packed_form::itself;
    out.trips.backedges = out.trips.has_formula ? unpacked(p.backedges) : linear_form();
    if (p.ends != operation::other) {
      out.trips.test = {p.ends,
                        unpacked(p.first),
                        p.step,
                        unpacked(p.bound),
                        p.step == 0 ? unpacked(p.value_step) : linear_form(),
                        p.is_direct};
    }
    return out;
  }

  /// Whether the number of backedges is known when loop `l` is entered: as a number, as a formula, or as the least
  /// number of its exits. Each comparison of each exit must have a number, or a counter that meets its bound.
  bool is_computable(loop_id l) const {
    MIDEND_ASSERT(l < loops_.size(), "a loop of the forest", l, loops_.size());
    const loop_trips& all = loops_[l].trips;
    bool is_taken = false;
    bool are_known = true;
    for (std::uint32_t i = loops_[l].first_exit; i != loops_[l].last_exit; ++i) {
      const detail::packed_exit& x = exits_[i];
      const bool is_never = x.count.kind == trip_count_kind::endless || x.count.kind == trip_count_kind::wraps_first;
      are_known = are_known && x.is_known_on_entry;
      is_taken = is_taken || !is_never;
    }
    return all.count.kind == trip_count_kind::exact || all.has_formula || (are_known && is_taken);
  }

  /// A value as a sum of header phis, of operations that are no sums, and of values from outside. The equality holds
  /// wherever `v` may be used.
  linear_form form_of(value_id v, number_reading reading = number_reading::low_bits) const {
    MIDEND_ASSERT(v < values_.size(), "a value of the IR", v, values_.size());
    return unpacked(values_[v].forms[static_cast<unsigned>(reading)], v, reading);
  }

  unsigned width(value_id v) const { return values_[v].width; }

  /// Whether all paths to `b` pass `a`.
  bool dominates(node_id a, node_id b) const { return dominators_.dominates(a, b); }

  /// The innermost loop around a value, or `no_loop`.
  loop_id home_loop(value_id v) const { return values_[v].home; }

private:
  friend class detail::value_form_reader;
  friend class detail::evolution_solver;
  friend class detail::loop_trip_finder;
  friend void detail::find_evolutions(const flat_program& program, const loop_forest& loops,
                                      span<const number_facts> facts, evolutions_workspace& workspace,
                                      value_evolutions& out, evolved_values which, detail::loop_runner* runner);

  static constexpr std::size_t max_levels = 8; ///< the limit for loops around a value in which it has evolutions
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr std::uint32_t pending = 0xffff'fffe;
  static constexpr std::uint32_t obstacles = 0xffff'ff00; ///< to this, the obstacle is added

  using packed_form = detail::packed_form;
  using packed_evolution = detail::packed_evolution;
  using value_record = detail::evolving_value;
  using loop_record = detail::evolving_loop;
  using slot_of_leaf = detail::evolution_slot;

  enum class evolution_state : std::uint8_t {
    known,  ///< the evolution is known, or known to have an obstacle
    missing ///< it has not been computed
  };

  /// Forgets everything; the loops are those of the forest.
  void reset(const loop_forest& loops) {
    values_.clear();
    terms_.clear();
    forms_.clear();
    evolutions_.clear();
    slots_.clear();
    exits_.clear();
    loops_.assign(loops.num_loops(), {});
    for (const loop_id l : loops.loops()) {
      loops_[l].parent = loops.parent(l);
      loops_[l].depth = loops.depth(l);
      loops_[l].end = l + static_cast<loop_id>(loops.subloops(l).size());
    }
  }

  bool contains(loop_id l, loop_id inner) const { return inner != no_loop && l <= inner && inner < loops_[l].end; }

  /// The loop directly inside `l` that contains `inner`.
  loop_id child_around(loop_id l, loop_id inner) const {
    while (loops_[inner].parent != l) {
      inner = loops_[inner].parent;
    }
    return inner;
  }

  number_reading canonical(value_id v, number_reading reading) const {
    return reading == number_reading::as_signed && values_[v].is_natural ? number_reading::as_unsigned : reading;
  }

  linear_form kind_of(value_id v, number_reading reading) const {
    return reading == number_reading::low_bits ? linear_form::zero(values_[v].width) : linear_form::exact_zero();
  }

  linear_form unpacked(const packed_form& p, value_id v, number_reading reading) const {
    linear_form out = kind_of(v, reading);
    if (p.count == packed_form::itself) {
      static_cast<void>(out.add(v, 1, canonical(v, reading)));
      return out;
    }
    return unpacked(p);
  }

  linear_form unpacked(const packed_form& p) const {
    linear_form out;
    out.width = p.width;
    out.is_exact = p.is_exact;
    out.constant = p.constant;
    out.num_terms = p.count;
    for (std::uint32_t i = 0; i != p.count; ++i) {
      out.terms[i] = terms_[p.first + i];
    }
    return out;
  }

  packed_form packed(const linear_form& form) {
    packed_form out{form.constant, static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint8_t>(form.num_terms),
                    static_cast<std::uint8_t>(form.width), form.is_exact};
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      terms_.push_back(form.terms[i]);
    }
    return out;
  }

  detail::packed_exit packed(edge_id edge, bool is_always_tested, const loop_trips& t) {
    detail::packed_exit out;
    out.edge = edge;
    out.node = t.last_node;
    out.count = t.count;
    out.is_always_tested = is_always_tested;
    out.is_ending = t.ends;
    out.is_direct = t.test.is_direct;
    out.is_known_on_entry = is_known_on_entry(t);
    out.ends = t.test.ends;
    out.step = t.test.step;
    out.backedges = t.has_formula ? packed(t.backedges) : packed_form();
    if (t.test.is_known()) {
      out.first = packed(t.test.first);
      out.bound = packed(t.test.bound);
      out.value_step = packed(t.test.value_step);
    }
    return out;
  }

  evolution unpacked(const packed_evolution& p, loop_id l) const {
    evolution out = evolution::constant(l, unpacked(forms_[p.first]));
    out.degree = p.degree;
    for (unsigned d = 1; d <= p.degree; ++d) {
      out.coefficients[d] = unpacked(forms_[p.first + d]);
    }
    out.ratio = p.ratio;
    if (out.has_power()) {
      out.scale = unpacked(forms_[p.first + p.degree + std::uint32_t{1}]);
    }
    return out;
  }

  /// The position of the evolution of a leaf in `slots_`; `none` if the nest is too deep.
  std::uint32_t slot(const slot_of_leaf& s) const {
    const value_record& v = values_[s.value];
    const std::uint32_t level = loops_[v.home].depth - loops_[s.loop].depth;
    return v.slots == none || level >= v.levels ? none
                                                : v.slots + static_cast<std::uint32_t>(s.reading) * v.levels + level;
  }

  /// The evolution of a value that is its own form, in a loop around it.
  evolution_state look_up(const slot_of_leaf& s, evolution& out) const {
    const std::uint32_t at = slot(s);
    if (at == none) {
      out = evolution::unknown(s.loop, evolution_obstacle::too_large);
      return evolution_state::known;
    }
    const std::uint32_t found = slots_[at];
    if (found == none) {
      return evolution_state::missing;
    }
    if (found == pending) { // it depends on itself
      out = evolution::unknown(s.loop, evolution_obstacle::recurrence);
    } else if (found >= obstacles) {
      out = evolution::unknown(s.loop, static_cast<evolution_obstacle>(found - obstacles));
    } else {
      out = unpacked(evolutions_[found], s.loop);
    }
    return evolution_state::known;
  }

  /// Converts the forms of `e` to another kind: from exact to modular ones, or to fewer bits.
  void convert(evolution& e, const linear_form& kind) const {
    if (!e.is_known() || (e.is_exact() && kind.is_exact)) {
      return;
    }
    if (kind.is_exact || (!e.is_exact() && e.start().width < kind.width)) {
      e.obstacle = evolution_obstacle::may_wrap;
      return;
    }
    const auto width_of = [this](value_id v) { return static_cast<unsigned>(values_[v].width); };
    bool fits = e.scale.reduce(kind.width, width_of);
    for (linear_form& c : e.coefficients) {
      fits = fits && c.reduce(kind.width, width_of);
    }
    if (e.has_power() && (e.ratio & low_ones(kind.width)) == 1) { // 3^k is 1 modulo 2
      fits = fits && e.coefficients[0].add(e.scale);
      e.scale = linear_form::zero(kind.width);
      e.ratio = 1;
    }
    e.ratio = e.has_power() ? e.ratio & low_ones(kind.width) : 1;
    e.obstacle = fits ? e.obstacle : evolution_obstacle::too_large;
    e.normalise();
  }

  /// The evolution of a form in loop `l`. If a value of the form lacks its evolution, `missing` names it.
  evolution_state evolve(const linear_form& form, loop_id l, evolution& out, slot_of_leaf& missing) const {
    linear_form fixed = form.none_of();
    static_cast<void>(fixed.add(form.constant));
    out = evolution::constant(l, fixed);
    for (std::uint32_t i = 0; i != form.num_terms && out.is_known(); ++i) {
      const linear_form::term& t = form.terms[i];
      if (!contains(l, values_[t.value].home)) {
        if (!out.coefficients[0].add(t.value, t.coefficient, t.reading)) {
          out.obstacle = evolution_obstacle::too_large;
        }
        continue;
      }
      evolution one;
      if (look_up({t.value, t.reading, l}, one) == evolution_state::missing) {
        missing = {t.value, t.reading, l};
        return evolution_state::missing;
      }
      convert(one, form);
      out.add(one, t.coefficient);
    }
    out.loop = l;
    return evolution_state::known;
  }

  static evolution at(const evolution& e, std::uint64_t k) {
    linear_form value;
    if (!e.is_known()) {
      return e;
    }
    return e.value_at(k, value) ? evolution::constant(e.loop, value)
                                : evolution::unknown(e.loop, evolution_obstacle::too_large);
  }

  /// The value of a counter in an iteration whose number is a formula.
  evolution at_formula(const evolution& e, const loop_trips& t) const {
    if (!t.has_formula || e.degree != 1 || e.has_power()) {
      return evolution::unknown(e.loop,
                                t.has_formula ? evolution_obstacle::not_linear : evolution_obstacle::inner_loop);
    }
    evolution k = evolution::constant(e.loop, t.backedges);
    convert(k, e.start());
    evolution out = detail::product_of(evolution::constant(e.loop, e.step()), k);
    out.add(evolution::constant(e.loop, e.start()));
    return out;
  }

  flat_array<value_record> values_;
  flat_array<loop_record> loops_;
  flat_array<linear_form::term> terms_;
  flat_array<packed_form> forms_;
  flat_array<packed_evolution> evolutions_;
  flat_array<detail::packed_exit> exits_; ///< by loop
  flat_array<std::uint32_t> slots_;       ///< by leaf, reading and level: in `evolutions_`
  dominator_tree dominators_;
};

inline nested_evolution value_evolutions::in_scope(value_id v, loop_id outermost) const {
  nested_evolution out;
  out.width = values_[v].width;
  const auto refuse = [&](evolution_obstacle why) {
    out.obstacle = why;
    return out;
  };
  if (!contains(outermost, values_[v].home)) {
    return refuse(evolution_obstacle::undefined);
  }
  std::uint32_t depth = loops_[values_[v].home].depth - loops_[outermost].depth + 1;
  if (depth > nested_evolution::max_loops) {
    return refuse(evolution_obstacle::too_large);
  }
  out.num_loops = depth;
  const linear_form form = form_of(v);
  static_cast<void>(out.add({form.constant, no_value, {}, {}}));
  for (std::uint32_t i = 0; i != form.num_terms; ++i) {
    if (!out.add({form.terms[i].coefficient, form.terms[i].value, form.terms[i].reading, {}})) {
      return refuse(evolution_obstacle::too_large);
    }
  }
  for (loop_id l = values_[v].home; depth-- != 0; l = loops_[l].parent) {
    out.loops[depth] = l;
    nested_evolution next = out;
    next.num_terms = 0;
    for (std::uint32_t i = 0; i != out.num_terms; ++i) {
      const nested_evolution::term& t = out.terms[i];
      if (t.value == no_value || !contains(l, values_[t.value].home)) {
        if (!next.add(t)) {
          return refuse(evolution_obstacle::too_large);
        }
        continue;
      }
      evolution e;
      if (look_up({t.value, t.reading, l}, e) == evolution_state::missing) {
        return refuse(evolution_obstacle::undefined);
      }
      convert(e, linear_form::zero(out.width));
      if (!e.is_known() || e.has_power()) {
        return refuse(e.is_known() ? evolution_obstacle::not_linear : e.obstacle);
      }
      for (unsigned d = 0; d <= e.degree; ++d) {
        const linear_form& c = e.coefficients[d];
        nested_evolution::term more = t;
        more.degrees[depth] = static_cast<std::uint8_t>(d);
        more.value = no_value;
        more.reading = number_reading::low_bits;
        more.coefficient = t.coefficient * c.constant;
        bool fits = next.add(more);
        for (std::uint32_t k = 0; k != c.num_terms; ++k) {
          more.value = c.terms[k].value;
          more.reading = c.terms[k].reading;
          more.coefficient = t.coefficient * c.terms[k].coefficient;
          fits = fits && next.add(more);
        }
        if (!fits) {
          return refuse(evolution_obstacle::too_large);
        }
      }
    }
    out = next;
  }
  return out;
}

MIDEND_END_NAMESPACE
