/// `read_nest`: the loops and accesses of a part of a function as `nest_accesses`.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/hierarchical_ordering.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Why a nest was not read.
enum class nest_obstacle : std::uint8_t {
  none,
  irreducible_cycle, ///< operations may run several times in an iteration
  too_deep           ///< more than 64 nested loops
};

/// A nest of a function: the loop and all loops inside it.
struct function_nest {
  nest_obstacle obstacle = nest_obstacle::none; ///< if it is not `none`, nothing else is valid
  nest_accesses accesses;                       ///< in a weak topological order of the nodes; each loop is contiguous
  flat_array<loop_id> loops;                    ///< by counter
};

/// The base of an address without base: its form is the whole address.
inline constexpr value_id no_base = no_value - 1;

/// Memory of `read_nest`, reused from call to call.
class read_nest_workspace {
  template <memory_ir_argument IR, class Dominators>
  friend void read_nest(const IR& ir, const loop_forest& loops, const Dominators& dominators,
                        const value_evolutions& found, span<const number_facts> facts, loop_id outermost,
                        read_nest_workspace& workspace, function_nest& out);
  template <memory_ir_argument IR, class Dominators>
  friend void read_nest(const IR& ir, const loop_forest& loops, const Dominators& dominators,
                        const value_evolutions& found, span<const number_facts> facts, loop_id outermost,
                        const hierarchical_ordering& order, read_nest_workspace& workspace, function_nest& out);

  weak_topological_order_workspace ordering_;
  hierarchical_ordering order_;
  flat_array<std::uint32_t> positions_;
};

namespace detail {

/// Builds a nest from evolutions.
class nest_reader {
public:
  nest_reader(const loop_forest& loops, const value_evolutions& found, span<const number_facts> facts,
              loop_id outermost, function_nest& out)
      : loops_(loops), found_(found), facts_(facts), outermost_(outermost), out_(out), nest_(out.accesses) {}

  /// Reads the loops, outer ones first. `dominates(a, b)` is dominance of nodes.
  void read_loops() {
    nest_.clear(64);
    out_.loops.clear();
    for (const loop_id l : loops_.subloops(outermost_)) {
      if (loops_.depth(l) - loops_.depth(outermost_) >= 64) {
        out_.obstacle = nest_obstacle::too_deep;
        return;
      }
      const trip_count& count = found_.trips(l).count;
      const std::optional<std::uint64_t> trips = count.header_executions();
      const trip_bound bound = !trips                                 ? trip_bound::unknown
                               : count.kind == trip_count_kind::exact ? trip_bound::exact
                                                                      : trip_bound::at_most;
      nest_.add_counter(l == outermost_ ? no_counter : counter_of(loops_.parent(l)), bound, trips ? *trips : 0);
      out_.loops.push_back(l);
      read_limit(l);
    }
  }

  counter_id counter_of(loop_id l) const { return l - outermost_; }

  /// Adds an access with place `m`, in a node of loop `l`.
  void add_access(nest_access access, const memory_reference& m, loop_id l) {
    access.loop = counter_of(l);
    access.bytes = m.bytes;
    access.memory = m.memory;
    read_local_class(access, m, l);
    linear_form address = linear_form::zero(64);
    if (m.base == no_value) {
      access.obstacle = place_obstacle::unknown_base;
    } else if (!read_address(m, address)) {
      access.obstacle = place_obstacle::not_affine;
      access.why = evolution_obstacle::too_large;
    } else {
      access.why = expand(address, l);
      access.obstacle = access.why == evolution_obstacle::none ? place_obstacle::none : place_obstacle::not_affine;
    }
    if (access.obstacle == place_obstacle::none && !take_base(m, access)) {
      access.obstacle = place_obstacle::unknown_base;
    }
    const bool is_known = access.obstacle == place_obstacle::none;
    nest_.add_access(access, is_known ? static_cast<std::int64_t>(constant_) : 0,
                     is_known ? span<const nest_term>(terms_, count_) : span<const nest_term>());
  }

  /// Reads a class that holds within a run of a loop around the access. Of the loops around the nest, one counts.
  void read_local_class(nest_access& access, const memory_reference& m, loop_id l) {
    bool is_inside = true;
    for (; m.local != any_memory && l != no_loop; l = loops_.parent(l)) {
      if (loops_.header(l) == m.scope && (is_inside || scope_around_ == no_node || scope_around_ == m.scope)) {
        access.local = m.local;
        access.local_loop = is_inside ? counter_of(l) : no_counter;
        scope_around_ = is_inside ? scope_around_ : m.scope;
        return;
      }
      is_inside = is_inside && l != outermost_;
    }
  }

  /// Adds an access that may touch any memory.
  void add_unknown(nest_access access, place_obstacle why, loop_id l) {
    access.loop = counter_of(l);
    access.obstacle = why;
    nest_.add_access(access);
  }

  /// The loops around node `n` whose last iteration leaves before it reaches `n`, as bits by depth.
  template <class Dominates> std::uint64_t skipped_at(node_id n, loop_id l, const Dominates& dominates) const {
    std::uint64_t out = 0;
    for (;; l = loops_.parent(l)) {
      const node_id last = found_.trips(l).last_node;
      const bool is_after = last != no_node && last != n && dominates(last, n);
      out |= std::uint64_t{is_after ? 1U : 0U} << (loops_.depth(l) - loops_.depth(outermost_));
      if (l == outermost_) {
        return out;
      }
    }
  }

private:
  static constexpr std::size_t max_terms = 80; ///< a counter for each loop, and the terms of forms

  /// base + index · scale + offset, modulo 2^64.
  bool read_address(const memory_reference& m, linear_form& out) const {
    if (found_.width(m.base) == 64) {
      out = found_.form_of(m.base);
    } else {
      static_cast<void>(out.add(m.base, 1));
    }
    if (m.index != no_value) {
      const bool is_narrow = found_.width(m.index) != 64;
      linear_form index = found_.form_of(m.index, is_narrow ? number_reading::as_signed : number_reading::low_bits);
      const auto width_of = [this](value_id v) { return found_.width(v); };
      if (index.is_exact && !index.reduce(64, width_of)) {
        return false;
      }
      if (index.width != 64 || !out.add(index, static_cast<std::uint64_t>(m.scale))) {
        return false;
      }
    }
    return out.add(static_cast<std::uint64_t>(m.offset));
  }

  /// Expands a form in loop `l` into counters of the loops from there outwards and symbols: `terms_` and `constant_`.
  evolution_obstacle expand(linear_form form, loop_id l) {
    count_ = 0;
    for (;; l = loops_.parent(l)) {
      const evolution e = found_.evolution_of(form, l);
      if (!e.is_known()) {
        return e.obstacle;
      }
      if (e.has_power() || e.degree > 1 || (e.degree == 1 && !e.step().is_number())) {
        return evolution_obstacle::not_linear;
      }
      if (e.degree == 1) {
        terms_[count_++] = {counter_of(l), false, static_cast<std::int64_t>(e.step().constant)};
      }
      form = e.start();
      if (l == outermost_) {
        break;
      }
    }
    constant_ = form.constant;
    rest_ = form;
    return evolution_obstacle::none;
  }

  /// Chooses the base: a value that is added once, preferably the one that the reference names. The other values are
  /// symbols.
  bool take_base(const memory_reference& m, nest_access& access) {
    value_id base = no_base;
    for (std::uint32_t i = 0; i != rest_.num_terms; ++i) {
      const linear_form::term& t = rest_.terms[i];
      const bool may_be = t.coefficient == 1 && t.reading == number_reading::low_bits;
      if (may_be && (t.value == m.base || (base != m.base && t.value < base))) {
        base = t.value;
      }
    }
    access.base = base;
    if (found_.width(m.base) != 64 && base != m.base) {
      return false;
    }
    add_symbols(base);
    return true;
  }

  void add_symbols(value_id base) {
    for (std::uint32_t i = 0; i != rest_.num_terms; ++i) {
      const linear_form::term& t = rest_.terms[i];
      if (t.value != base || t.coefficient != 1 || t.reading != number_reading::low_bits) {
        terms_[count_++] = {symbol_of(t.value, t.reading), true, static_cast<std::int64_t>(t.coefficient)};
      }
    }
  }

  /// The symbol of a value. A value of 64 bits is read as a signed number, which is equal modulo 2^64. A number that is
  /// never negative is one symbol in all readings.
  symbol_id symbol_of(value_id v, number_reading reading) {
    const bool is_natural = v < facts_.size() && facts_[v].is_natural();
    reading = reading == number_reading::low_bits || is_natural ? number_reading::as_signed : reading;
    for (symbol_id s = 0; s != nest_.num_symbols(); ++s) {
      if (nest_.symbol(s).value == v && nest_.symbol(s).reading == reading) {
        return s;
      }
    }
    nest_symbol s;
    s.value = v;
    s.reading = reading;
    const unsigned width = found_.width(v);
    if (width == 0 || width > 64) {
      return nest_.add_symbol(s);
    }
    const number_facts f = v < facts_.size() ? facts_[v] : number_facts::any(width);
    s.is_bounded = reading == number_reading::as_signed || f.most >> 63 == 0;
    s.low = reading == number_reading::as_signed ? f.low : static_cast<std::int64_t>(f.least);
    s.high = reading == number_reading::as_signed ? f.high : static_cast<std::int64_t>(f.most);
    return nest_.add_symbol(s);
  }

  /// Reads the number of iterations, one more than backedges, if it is a form of integers.
  void read_limit(loop_id l) {
    const loop_trips& trips = found_.trips(l);
    if (trips.has_formula && read_integer(trips.backedges, l)) {
      nest_.set_limit(counter_of(l), static_cast<std::int64_t>(constant_) + 1, {terms_, count_});
    }
    if (trips.has_bound && read_integer(trips.bound, l)) {
      nest_.set_bound(counter_of(l), static_cast<std::int64_t>(constant_) + 1, {terms_, count_});
    }
  }

  /// Reads a form before loop `l` as an integer. The form plus 1 must fit in 64 bits.
  bool read_integer(const linear_form& form, loop_id l) {
    count_ = 0;
    if (!form.is_exact) {
      return false;
    }
    if (l == outermost_) {
      rest_ = form;
      constant_ = rest_.constant;
    } else if (expand(form, loops_.parent(l)) != evolution_obstacle::none) {
      return false;
    }
    if (!rest_.is_exact || static_cast<std::int64_t>(constant_) == 0x7fff'ffff'ffff'ffff) {
      return false;
    }
    add_symbols(no_value);
    return true;
  }

  const loop_forest& loops_;
  const value_evolutions& found_;
  span<const number_facts> facts_;
  loop_id outermost_;
  function_nest& out_;
  nest_accesses& nest_;
  nest_term terms_[max_terms] = {};
  node_id scope_around_ = no_node; ///< the header of the loop around the nest whose local classes count
  std::size_t count_ = 0;
  std::uint64_t constant_ = 0;
  linear_form rest_;
};

/// Whether an edge in a loop goes back to a node that is not the header of a loop around it.
template <class G>
bool has_irreducible_cycle(const G& g, const loop_forest& loops, loop_id outermost,
                           const hierarchical_ordering& order) {
  for (const node_id n : loops.blocks(outermost)) {
    for (const node_id to : g.successors(n)) {
      const bool goes_back = loops.contains(outermost, to) && order.position(to) <= order.position(n);
      if (goes_back && !(loops.is_header(to) && loops.contains(loops.innermost_loop(to), n))) {
        return true;
      }
    }
  }
  return false;
}

} // namespace detail

/// Reads loop `outermost` and all loops in it, refilling `out`.
///
/// The place of an access is affine if base and index are sums of counters times numbers, and of values that the nest
/// does not change. `found` describes the values from which the address is computed, in the iterations that compute
/// them: an operation that some iterations skip promises nothing. Sums of 64 bits may wrap, since places are numbers
/// modulo 2^64; an index of fewer bits must not wrap before it is extended. A base may change only by a number in each
/// iteration. Dimensions are not guessed: an index that is multiplied by a value is not affine.
///
/// Calls and volatile accesses become accesses of unknown places in any class. Classes of memory hold for the whole
/// procedure. An access that the last iteration of a loop cannot reach, because it leaves the loop before, is marked.
///
/// Requires: `loops` is the forest of `ir.graph()`, with boundaries, `dominators` its dominator tree, and `found` the
/// result of `evolutions(ir, loops, facts)`; `facts` may be empty. O(values of the nest · depth).
///
/// `order` is a weak topological order of the graph: for callers that read many nests of one function.
template <memory_ir_argument IR, class Dominators>
void read_nest(const IR& ir, const loop_forest& loops, const Dominators& dominators, const value_evolutions& found,
               span<const number_facts> facts, loop_id outermost, const hierarchical_ordering& order,
               read_nest_workspace& workspace, function_nest& out) {
  out.obstacle = nest_obstacle::none;
  detail::nest_reader reader(loops, found, facts, outermost, out);
  reader.read_loops();
  if (out.obstacle == nest_obstacle::none && detail::has_irreducible_cycle(ir.graph(), loops, outermost, order)) {
    out.obstacle = nest_obstacle::irreducible_cycle;
  }
  if (out.obstacle != nest_obstacle::none) {
    return;
  }
  workspace.positions_.clear();
  for (const node_id n : loops.blocks(outermost)) {
    workspace.positions_.push_back(order.position(n));
  }
  detail::sort_and_deduplicate(workspace.positions_);
  for (const std::uint32_t at : workspace.positions_) {
    const node_id n = order.order()[at];
    const loop_id l = loops.innermost_loop(n);
    const std::uint64_t skipped =
        reader.skipped_at(n, l, [&](node_id a, node_id b) { return dominators.dominates(a, b); });
    for (const value_id v : ir.values(n)) {
      if (ir.is_phi(v)) {
        continue;
      }
      const effect_kind effect = ir.effect(v);
      nest_access access;
      access.operation = v;
      access.writes = effect == effect_kind::writes || effect == effect_kind::unknown;
      access.reads = effect == effect_kind::reads || effect == effect_kind::unknown;
      access.skipped = skipped;
      if (is_fixed_access(ir, v)) {
        access.writes = access.reads = true;
        reader.add_unknown(access, place_obstacle::volatile_place, l);
      } else if (effect != effect_kind::none) {
        const optional<memory_reference> m = ir.memory(v);
        if (effect == effect_kind::unknown || !m) {
          reader.add_unknown(access, place_obstacle::no_reference, l);
        } else {
          reader.add_access(access, *m, l);
        }
      }
    }
  }
}

/// Computes the order.
template <memory_ir_argument IR, class Dominators>
void read_nest(const IR& ir, const loop_forest& loops, const Dominators& dominators, const value_evolutions& found,
               span<const number_facts> facts, loop_id outermost, read_nest_workspace& workspace, function_nest& out) {
  weak_topological_order(ir.graph(), workspace.ordering_, workspace.order_);
  read_nest(ir, loops, dominators, found, facts, outermost, workspace.order_, workspace, out);
}

/// Returns the result as a value.
template <memory_ir_argument IR, class Dominators>
function_nest read_nest(const IR& ir, const loop_forest& loops, const Dominators& dominators,
                        const value_evolutions& found, span<const number_facts> facts, loop_id outermost) {
  read_nest_workspace workspace;
  function_nest out;
  read_nest(ir, loops, dominators, found, facts, outermost, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
