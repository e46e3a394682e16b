/// `verify_loop_versioning`: checks that accesses with different local classes of a loop do not meet in it.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/loop_versioning_plan.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with local classes.
enum class versioning_fault : std::uint8_t {
  none,
  wrong_size,    ///< the witness names things that the new program does not have
  no_gate,       ///< the copy is no loop, or is entered on another path than by the edge of the gate for a true
                 ///< condition
  unknown_class, ///< an access has a new local class, without a reason in the witness
  changed_class, ///< an access has another class for the procedure than before
  wrong_class,   ///< an access of the witness has another class, or is in another loop, than the witness claims
  wrong_address, ///< an end of an interval is no base plus an invariant form, or may wrap
  not_covered,   ///< the access `value` may touch a byte outside of its interval
  not_apart      ///< nothing separates `value` and `second`, which have different classes
};

/// The first fault and its place in the new program, or none.
struct versioning_verdict {
  versioning_fault fault = versioning_fault::none;
  node_id node = no_node;
  value_id value = no_value;
  value_id second = no_value;
  std::size_t pairs = 0; ///< pairs of accesses that comparisons separate

  explicit operator bool() const { return fault == versioning_fault::none; }
};

namespace detail {

template <class Before, class After> class versioning_checker {
  using fault = versioning_fault;

public:
  versioning_checker(const Before& before, const After& after, const unfolding_witness& copies,
                     const loop_versioning_witness& w, span<const number_facts> facts)
      : before_(before), after_(after), copies_(copies), w_(w), facts_(facts) {}

  versioning_verdict run() {
    if (!sizes_fit()) {
      fail(fault::wrong_size, no_node);
      return verdict_;
    }
    flow_ = dominators_and_loops(after_.graph());
    found_ = evolutions(after_, flow_.loops, facts_);
    home_.assign(static_cast<std::size_t>(after_.num_values()), no_node);
    for (node_id n = 0; n != node_count(after_.graph()); ++n) {
      for_each_id(after_.values(n), [&](value_id v) { home_[v] = n; });
    }
    is_proven_.assign(home_.size(), 0);
    for (const versioned_loop& x : w_.loops) {
      if (ok()) {
        check_loop(x);
      }
    }
    check_other_classes();
    return verdict_;
  }

private:
  /// A form: numbers times symbols plus a number, as an integer. Symbols of 64 bits have a sign.
  struct exact_term {
    value_id value;
    bool is_signed;
    checked_integer coefficient;
  };

  struct exact_form {
    flat_array<exact_term> terms;
    checked_integer constant = 0;
  };

  struct number_bounds {
    value_id value;
    checked_integer low;
    checked_integer high;
  };

  struct interval {
    value_id base = no_value;
    exact_form begin;
    exact_form end;
  };

  static constexpr unsigned most_depth = 64; ///< of the expressions before a loop
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  template <class IR> static optional<memory_reference> reference(const IR& ir, value_id v) {
    if (v == no_value) {
      return {};
    }
    return ir.memory(v);
  }

  bool ok() const { return verdict_.fault == fault::none; }

  bool fail(fault why, node_id n, value_id v = no_value, value_id second = no_value) {
    if (ok()) {
      verdict_.fault = why;
      verdict_.node = n;
      verdict_.value = v;
      verdict_.second = second;
    }
    return false;
  }

  bool sizes_fit() const {
    const auto values = static_cast<std::size_t>(after_.num_values());
    const auto nodes = static_cast<std::size_t>(after_.graph().num_nodes());
    bool fits = copies_.value_origin.empty() ? static_cast<std::size_t>(before_.num_values()) == values
                                             : copies_.value_origin.size() == values;
    fits = fits && copies_.node_origin.size() == nodes;
    for (const versioned_loop& x : w_.loops) {
      fits = fits && x.gate < nodes && x.scope < nodes && x.other < nodes && x.first_interval <= w_.intervals.size() &&
             x.num_intervals <= w_.intervals.size() - x.first_interval && x.first_access <= w_.accesses.size() &&
             x.num_accesses <= w_.accesses.size() - x.first_access;
      for (std::size_t a = 0; fits && a != x.num_accesses; ++a) {
        const separated_access& access = w_.accesses[x.first_access + a];
        fits = access.operation < values && access.interval < x.num_intervals;
      }
    }
    for (const interval_witness& i : w_.intervals) {
      fits = fits && i.begin < values && i.end < values;
    }
    return fits;
  }

  // ---- One loop.

  void check_loop(const versioned_loop& x) {
    if (!find_loop(x)) {
      fail(fault::no_gate, x.gate);
      return;
    }
    read_conditions(static_cast<value_id>(after_.condition(x.gate)));
    read_bounds();
    nest_ = read_nest(after_, flow_.loops, flow_.dominators, found_, facts_, loop_);
    if (nest_.obstacle != nest_obstacle::none) {
      fail(fault::no_gate, x.scope);
      return;
    }
    flat_array<std::uint32_t> access_of(home_.size(), none);
    for (access_id a = 0; a != nest_.accesses.num_accesses(); ++a) {
      access_of[nest_.accesses.access(a).operation] = a;
    }
    for (std::size_t a = 0; ok() && a != x.num_accesses; ++a) {
      const separated_access& access = w_.accesses[x.first_access + a];
      const interval_witness& i = w_.intervals[x.first_interval + access.interval];
      const std::uint32_t at = access_of[access.operation];
      const node_id home = home_[access.operation];
      const optional<memory_reference> m = reference(after_, at == none ? no_value : access.operation);
      interval known;
      if (!m || m->local != i.memory || m->local == any_memory || m->scope != x.scope) {
        fail(fault::wrong_class, home, access.operation);
      } else if (!read_interval(i, known)) {
        fail(fault::wrong_address, x.gate, access.operation);
      } else if (!is_covered(nest_.accesses.access(at), known)) {
        fail(fault::not_covered, home, access.operation);
      } else {
        is_proven_[access.operation] = 1;
      }
    }
    for (std::size_t a = 0; a != x.num_accesses; ++a) {
      for (std::size_t b = a + 1; ok() && b != x.num_accesses; ++b) {
        check_pair(x, w_.accesses[x.first_access + a], w_.accesses[x.first_access + b]);
      }
    }
  }

  /// Finds the gate: one edge enters the copy, and its source is entered by one edge, that of the gate for a true
  /// condition.
  bool find_loop(const versioned_loop& x) {
    const loop_forest& loops = flow_.loops;
    loop_ = loops.innermost_loop(x.scope);
    if (loop_ == no_loop || loops.header(loop_) != x.scope || loops.contains(loop_, x.gate)) {
      return false;
    }
    node_id from = no_node;
    std::size_t count = 0;
    for (const loop_edge& e : loops.entering_edges(loop_)) {
      if (flow_.dominators.is_reachable(e.source)) {
        from = e.source;
        ++count;
      }
    }
    const auto condition = static_cast<value_id>(after_.condition(x.gate));
    if (count != 1 || from == x.gate || condition == no_value || after_.operation(condition).width != 1) {
      return false;
    }
    const edge_id holds = edge_of_case(after_, x.gate, static_cast<constant_of<After>>(1));
    const edge_id fails = edge_of_case(after_, x.gate, static_cast<constant_of<After>>(0));
    count = 0;
    bool is_gate = holds != no_edge && holds != fails;
    for (node_id n = 0; n != node_count(after_.graph()); ++n) {
      if (flow_.dominators.is_reachable(n)) {
        for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
          if (static_cast<node_id>(after_.graph().edge_target(e)) == from) {
            is_gate = is_gate && e == holds;
            ++count;
          }
        });
      }
    }
    return is_gate && count == 1;
  }

  /// Lists the conditions whose conjunction this is.
  void read_conditions(value_id all) {
    conditions_.clear();
    flat_array<value_id> pending(1, all);
    flat_array<unsigned char> is_seen(home_.size(), 0);
    while (!pending.empty()) {
      const value_id v = pending.back();
      pending.pop_back();
      if (v == no_value || is_seen[v] != 0) {
        continue;
      }
      is_seen[v] = 1;
      value_id a = no_value;
      value_id b = no_value;
      if (is_operation(v, operation::bit_and, 1, a, b)) {
        pending.push_back(a);
        pending.push_back(b);
      } else {
        conditions_.push_back(v);
      }
    }
  }

  /// Whether `v` is this operation with two operands.
  bool is_operation(value_id v, operation code, unsigned width, value_id& a, value_id& b) const {
    if (home_[v] == no_node || after_.is_phi(v)) {
      return false;
    }
    const operation_info info = after_.operation(v);
    const bool compares = is_comparison(code);
    if (info.code != code || (compares ? info.operand_width : info.width) != width) {
      return false;
    }
    std::size_t count = 0;
    for_each_id(after_.operands(v), [&](value_id x) {
      (count == 0 ? a : b) = x;
      ++count;
    });
    return count == 2;
  }

  bool holds(operation code, value_id a, value_id b) const {
    for (const value_id c : conditions_) {
      value_id x = no_value;
      value_id y = no_value;
      if (is_operation(c, code, 64, x, y) && x == a && y == b) {
        return true;
      }
    }
    return false;
  }

  // ---- Numbers.

  std::optional<checked_integer> literal(value_id v) const {
    const auto c = after_.constant(v);
    if (!c || after_.operation(v).width > 64) {
      return std::nullopt;
    }
    return checked_integer(as_signed(static_cast<std::uint64_t>(*c), after_.operation(v).width));
  }

  /// Reads bounds of numbers that a condition compares with a literal: x < m, or x + k < m, unsigned.
  void read_bounds() {
    bounds_.clear();
    const checked_integer half = checked_integer::power_of_two(63);
    for (const value_id c : conditions_) {
      value_id x = no_value;
      value_id limit = no_value;
      if (!is_operation(c, operation::uless, 64, x, limit)) {
        continue;
      }
      const auto n = literal(limit);
      if (!n) {
        continue;
      }
      const checked_integer m = n->is_negative() ? *n + checked_integer::power_of_two(64) : *n;
      if (m <= half) {
        bounds_.push_back({x, 0, m - 1});
      }
      value_id s = no_value;
      value_id moved = no_value;
      if (is_operation(x, operation::add, 64, s, moved)) {
        if (const auto k = literal(moved); k && !k->is_negative() && m - *k <= half) {
          bounds_.push_back({s, -*k, m - *k - 1});
        }
      }
    }
  }

  /// The bounds of a symbol, from its width and all conditions that bound it.
  std::optional<number_bounds> bounds_of(const exact_term& t) const {
    const unsigned width = after_.operation(t.value).width;
    if (width < 64) {
      const unsigned bits = t.is_signed ? width - 1 : width;
      const checked_integer range = checked_integer::power_of_two(bits);
      return number_bounds{t.value, t.is_signed ? -range : checked_integer(0), range - 1};
    }
    std::optional<number_bounds> found;
    for (const number_bounds& b : bounds_) {
      if (b.value == t.value) {
        const bool is_first = !found.has_value();
        const number_bounds known = found.value_or(b);
        found = is_first ? b
                         : number_bounds{b.value, known.low < b.low ? b.low : known.low,
                                         b.high < known.high ? b.high : known.high};
      }
    }
    return found;
  }

  static void add(exact_form& to, const exact_term& t) {
    for (std::size_t i = 0; i != to.terms.size(); ++i) {
      if (to.terms[i].value == t.value && to.terms[i].is_signed == t.is_signed) {
        to.terms[i].coefficient = to.terms[i].coefficient + t.coefficient;
        return;
      }
    }
    to.terms.push_back(t);
  }

  static void add(exact_form& to, const exact_form& f, const checked_integer& by) {
    to.constant = to.constant + f.constant * by;
    for (const exact_term& t : f.terms) {
      add(to, {t.value, t.is_signed, t.coefficient * by});
    }
  }

  /// The least number of a form; invalid if that is not known.
  checked_integer least(const exact_form& f) const {
    checked_integer sum = f.constant;
    for (const exact_term& t : f.terms) {
      if (t.coefficient.is_zero()) {
        continue;
      }
      const auto b = bounds_of(t);
      if (!b) {
        return checked_integer::invalid();
      }
      sum = sum + t.coefficient * (t.coefficient.is_positive() ? b->low : b->high);
    }
    return sum;
  }

  bool fits(const exact_form& f) const {
    exact_form opposite;
    add(opposite, f, -1);
    return least(f).fits_in_64_bits() && least(opposite).fits_in_64_bits();
  }

  /// Reads the form that equals a signed number of 64 bits as an integer. The depth is bounded.
  bool read_form(value_id v, exact_form& out, unsigned depth = 0) const {
    if (v == no_value || depth == most_depth) {
      return false;
    }
    if (const auto c = literal(v)) {
      out.constant = out.constant + *c;
      return true;
    }
    if (after_.operation(v).width == 64 && bounds_of({v, true, 1})) {
      add(out, {v, true, 1});
      return true;
    }
    if (home_[v] == no_node || after_.is_phi(v)) {
      return false;
    }
    const operation_info info = after_.operation(v);
    value_id operands[2] = {no_value, no_value};
    std::size_t count = 0;
    for_each_id(after_.operands(v), [&](value_id x) { operands[count++ & 1] = x; });
    if (info.width != 64) {
      return false;
    }
    if ((info.code == operation::zero_extend || info.code == operation::sign_extend) && count == 1 &&
        info.operand_width < 64) {
      add(out, {operands[0], info.code == operation::sign_extend, 1});
      return true;
    }
    if (count != 2 || (info.code != operation::add && info.code != operation::mul)) {
      return false;
    }
    exact_form a;
    exact_form b;
    if (!read_form(operands[0], a, depth + 1) || !read_form(operands[1], b, depth + 1)) {
      return false;
    }
    exact_form sum;
    if (info.code == operation::add) {
      add(sum, a, 1);
      add(sum, b, 1);
    } else if (b.terms.empty()) {
      add(sum, a, b.constant);
    } else {
      return false;
    }
    if (!fits(sum)) {
      return false;
    }
    add(out, sum, 1);
    return true;
  }

  // ---- Intervals.

  /// The number that an address is: copies of an address are numbers.
  value_id address_of(value_id v) const {
    if (home_[v] != no_node && !after_.is_phi(v) && after_.operation(v).code == operation::copy) {
      for_each_id(after_.operands(v), [&](value_id x) { v = x; });
    }
    return v;
  }

  /// Reads base + form as integers in which nothing wraps.
  bool read_address(value_id v, value_id& base, exact_form& out) const {
    value_id a = no_value;
    value_id form = no_value;
    if (address_of(v) == base) {
      return true;
    }
    if (!is_operation(v, operation::add, 64, a, form) || address_of(a) != base || !read_form(form, out)) {
      return false;
    }
    if (const auto c = literal(form)) {
      return c->is_negative() ? holds(operation::uless, v, a) : holds(operation::uless_equal, a, v);
    }
    for (const value_id c : conditions_) { // (v < base) = (form < 0)
      value_id x = no_value;
      value_id y = no_value;
      value_id p[2] = {no_value, no_value};
      value_id q[2] = {no_value, no_value};
      if (is_operation(c, operation::equal, 1, x, y) && is_operation(x, operation::uless, 64, p[0], p[1]) &&
          is_operation(y, operation::less, 64, q[0], q[1]) && p[0] == v && p[1] == a && q[0] == form &&
          literal(q[1]) == checked_integer(0)) {
        return true;
      }
    }
    return false;
  }

  bool read_interval(const interval_witness& i, interval& out) const {
    for (access_id a = 0; a != nest_.accesses.num_accesses(); ++a) { // only a base that accesses have
      value_id base = nest_.accesses.access(a).base;
      interval known;
      known.base = base;
      if (base < home_.size() && read_address(i.begin, base, known.begin) && read_address(i.end, base, known.end)) {
        out = known;
        return true;
      }
    }
    return false;
  }

  /// Whether all bytes of an access are in an interval, whatever the counters are.
  bool is_covered(const nest_access& access, const interval& i) const {
    return access.obstacle == place_obstacle::none && access.base == i.base && access.bytes != 0 &&
           (is_never_negative(access, i.begin, 1, 0) || is_never_negative(access, i.begin, 1, 0, true)) &&
           (is_never_negative(access, i.end, -1, -checked_integer(access.bytes)) ||
            is_never_negative(access, i.end, -1, -checked_integer(access.bytes), true));
  }

  /// Whether sign · (place - end) + more is never negative. Replaces each counter, inner ones first, by the number for
  /// which the sum is least: its first one, or its last one by its limit or trip count.
  bool is_never_negative(const nest_access& access, const exact_form& end, const checked_integer& sign,
                         const checked_integer& more, bool prefers_trips = false) const {
    const nest_accesses& nest = nest_.accesses;
    const std::uint32_t depth = nest.depth_below(access.loop);
    flat_array<checked_integer> counters(depth, 0);
    exact_form sum;
    sum.constant = more;
    add(sum, end, -sign);
    if (!add_nest_form(sum, counters, access.place, sign)) {
      return false;
    }
    for (std::uint32_t d = depth; d-- != 0;) {
      const checked_integer factor = counters[d];
      if (!factor.is_valid()) {
        return false;
      }
      if (!factor.is_negative()) {
        continue;
      }
      const nest_counter& c = nest.counter(nest.loop_at(access.loop, d));
      const bool has_trips = c.bound != trip_bound::unknown;
      const nest_form* limit = c.has_limit                                    ? &c.limit
                               : c.has_bound && is_at_least_one(c.bound_form) ? &c.bound_form
                                                                              : nullptr;
      if (limit != nullptr && !(prefers_trips && has_trips)) {
        if (!add_nest_form(sum, counters, *limit, factor)) {
          return false;
        }
      } else if (has_trips) {
        sum.constant = sum.constant + factor * checked_integer::from_unsigned(c.trips);
      } else {
        return false;
      }
      const std::int64_t after_last = 1 + static_cast<std::int64_t>(access.skipped >> d & 1);
      sum.constant = sum.constant - factor * after_last;
    }
    const checked_integer lowest = least(sum);
    return lowest.is_valid() && !lowest.is_negative();
  }

  /// Whether a condition proves that a form of symbols is 1 or more: 0 <= x, where x is the form less 1.
  bool is_at_least_one(const nest_form& f) const {
    exact_form wanted;
    flat_array<checked_integer> counters(most_depth, 0);
    if (!add_nest_form(wanted, counters, f, 1)) {
      return false;
    }
    for (const checked_integer& c : counters) {
      if (!c.is_zero()) {
        return false;
      }
    }
    for (const value_id c : conditions_) {
      value_id zero = no_value;
      value_id x = no_value;
      exact_form apart;
      if (is_operation(c, operation::less_equal, 64, zero, x) && literal(zero) == checked_integer(0) &&
          read_form(x, apart)) {
        add(apart, wanted, -1);
        bool is_same = apart.constant == checked_integer(-1);
        for (const exact_term& t : apart.terms) {
          is_same = is_same && t.coefficient.is_zero();
        }
        if (is_same) {
          return true;
        }
      }
    }
    return false;
  }

  bool add_nest_form(exact_form& sum, flat_array<checked_integer>& counters, const nest_form& f,
                     const checked_integer& by) const {
    sum.constant = sum.constant + by * f.constant;
    for (const nest_term& t : nest_.accesses.terms(f)) {
      const checked_integer product = by * t.coefficient;
      if (!t.is_symbol) {
        checked_integer& factor = counters[nest_.accesses.depth_below(t.index) - 1];
        factor = factor + product;
        continue;
      }
      const nest_symbol& s = nest_.accesses.symbol(t.index);
      exact_term term{s.value, s.reading != number_reading::as_unsigned, product};
      if (!term.is_signed && after_.operation(s.value).width == 64) {
        const auto b = bounds_of(term); // with sign
        if (!b || b->low.is_negative()) {
          return false;
        }
        term.is_signed = true;
      }
      add(sum, term);
    }
    return true;
  }

  // ---- Pairs.

  void check_pair(const versioned_loop& x, const separated_access& a, const separated_access& b) {
    const optional<memory_reference> p = after_.memory(a.operation);
    const optional<memory_reference> q = after_.memory(b.operation);
    const bool writes =
        after_.effect(a.operation) != effect_kind::reads || after_.effect(b.operation) != effect_kind::reads;
    if (!writes || p->local == q->local || classes_are_apart(p->memory, q->memory)) {
      return;
    }
    const interval_witness& i = w_.intervals[x.first_interval + a.interval];
    const interval_witness& k = w_.intervals[x.first_interval + b.interval];
    bool apart = holds(operation::uless_equal, i.end, k.begin) || holds(operation::uless_equal, k.end, i.begin);
    for (const value_id c : conditions_) {
      value_id u = no_value;
      value_id v = no_value;
      apart =
          apart || (is_operation(c, operation::bit_or, 1, u, v) &&
                    ((ends_before(u, i, k) && ends_before(v, k, i)) || (ends_before(u, k, i) && ends_before(v, i, k))));
    }
    if (!apart) {
      fail(fault::not_apart, home_[a.operation], a.operation, b.operation);
    }
    ++verdict_.pairs;
  }

  bool ends_before(value_id v, const interval_witness& first, const interval_witness& second) const {
    value_id a = no_value;
    value_id b = no_value;
    return is_operation(v, operation::uless_equal, 64, a, b) && a == first.end && b == second.begin;
  }

  // ---- The rest of the program.

  /// Checks that all other accesses have their old classes, or the only class of a loop, which promises nothing.
  void check_other_classes() {
    flat_array<std::uint32_t> only(static_cast<std::size_t>(after_.graph().num_nodes()), any_memory);
    for (std::size_t k = 0; ok() && k != flow_.dominators.preorder().size(); ++k) {
      const node_id n = flow_.dominators.preorder()[k];
      for_each_id(after_.values(n), [&](value_id v) {
        const effect_kind effect = after_.is_phi(v) ? effect_kind::none : after_.effect(v);
        if (effect != effect_kind::reads && effect != effect_kind::writes) {
          return;
        }
        const optional<memory_reference> now = after_.memory(v);
        if (!now) {
          return;
        }
        const value_id origin = copies_.origin_of_value(v);
        const optional<memory_reference> old = reference(before_, origin);
        if (now->memory != any_memory && (!old || old->memory != now->memory)) {
          fail(fault::changed_class, n, v);
        }
        if (now->local == any_memory || is_proven_[v] != 0) {
          return;
        }
        const bool is_kept = old && old->local == now->local &&
                             (old->scope == now->scope || (now->scope < copies_.node_origin.size() &&
                                                           copies_.node_origin[now->scope] == old->scope));
        if (!is_kept) {
          for (const versioned_loop& x : w_.loops) {
            if (now->scope == x.scope) {
              fail(fault::unknown_class, n, v);
            }
          }
          if (now->scope >= only.size() || (only[now->scope] != any_memory && only[now->scope] != now->local)) {
            fail(fault::unknown_class, n, v);
          } else {
            only[now->scope] = now->local;
          }
        } else if (now->scope < only.size() && only[now->scope] != any_memory && only[now->scope] != now->local) {
          fail(fault::unknown_class, n, v);
        }
      });
    }
  }

  const Before& before_;
  const After& after_;
  const unfolding_witness& copies_;
  const loop_versioning_witness& w_;
  span<const number_facts> facts_;
  dominators_and_loops_result flow_;
  value_evolutions found_;
  flat_array<node_id> home_;
  flat_array<unsigned char> is_proven_; ///< by value: whether its class is proven
  loop_id loop_ = no_loop;
  function_nest nest_;
  flat_array<value_id> conditions_;
  flat_array<number_bounds> bounds_;
  versioning_verdict verdict_;
};

} // namespace detail

/// Checks the local classes of a program that is an unfolding of another one, as `verify_unfolding` must have shown
/// with the witness `copies`. Asks nothing of the plan and shares no code with it; the last iterations of counters come
/// from `evolutions`, which is trusted.
///
/// Each access that got a class in the copy of a loop must be in its interval for all counters of the nest, and for
/// each two accesses with different classes, one of them a store, a comparison on the only path to the copy must show
/// that one interval ends at the begin of the other one, or before. Ends of intervals are read from the operations
/// before the gate, as exact integers: each symbol must be bounded by its width or by a condition, each sum must fit in
/// 64 bits, and for each address a condition must show that it did not wrap. All other accesses must have kept their
/// classes.
///
/// `facts` has facts about the values of the new program, by value, or is empty. For each loop O(n + m) and O(accesses²
/// · conditions).
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires memory_ir<Before> && memory_ir<After> && freezable_ir_argument<After>
versioning_verdict verify_loop_versioning(const Before& before, const After& after, const unfolding_witness& copies,
                                          const loop_versioning_witness& witness, span<const number_facts> facts = {}) {
  return detail::versioning_checker<Before, After>(before, after, copies, witness, facts).run();
}

MIDEND_END_NAMESPACE
