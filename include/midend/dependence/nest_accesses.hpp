/// `nest_accesses`: the loops of a nest and the bytes that its loads and stores access, as data.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Loops of a nest, symbols and accesses have dense numbers, in the order in which they were added.
using counter_id = std::uint32_t;
using symbol_id = std::uint32_t;
using access_id = std::uint32_t;

inline constexpr counter_id no_counter = static_cast<counter_id>(-1);

/// A number times a counter or a symbol.
struct nest_term {
  std::uint32_t index = 0; ///< a `counter_id`, or a `symbol_id`
  bool is_symbol = false;
  std::int64_t coefficient = 0;
};

/// A sum of terms and a constant, as an integer. The terms are in the nest.
struct nest_form {
  std::int64_t constant = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class trip_bound : std::uint8_t {
  unknown, ///< any number of iterations
  at_most, ///< at most `trips`
  exact    ///< `trips`, each time that the loop is entered
};

/// A loop, whose counter is 0 in the first iteration and grows by 1.
struct nest_counter {
  counter_id parent = no_counter; ///< the loop around it, or `no_counter`
  trip_bound bound = trip_bound::unknown;
  std::uint64_t trips = 0;
  bool has_limit = false; ///< whether there are at most `limit` iterations, a form of counters around it and symbols
  nest_form limit = {};
  bool has_bound = false; ///< whether there are at most `bound_form` iterations if that is 1 or more
  nest_form bound_form = {};
};

/// A number that the nest does not change: a value of the IR in one reading. In all accesses it is one integer.
struct nest_symbol {
  value_id value = no_value;
  number_reading reading = number_reading::low_bits;
  bool is_bounded = false; ///< whether it is between `low` and `high`
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The scope of the promise that accesses of different classes of memory have no byte in common.
enum class class_scope : std::uint8_t {
  procedure, ///< always
  loop,      ///< within a run of a loop, but not across iterations of the loops around it
  iteration  ///< within an iteration of a loop
};

/// Why the place of an access is unknown.
enum class place_obstacle : std::uint8_t {
  none,
  no_reference,   ///< a call, or an operation without memory reference
  volatile_place, ///< a volatile access, or an operation that must not be moved
  unknown_base,   ///< the base is unknown, or the nest changes it
  not_affine      ///< the index, or the base, is no sum of counters times numbers, for the reason `why`
};

/// A load or store, once in each iteration of the loops around it, or in some of them. Its bytes begin at base + form.
struct nest_access {
  value_id operation = no_value;
  counter_id loop = no_counter; ///< the innermost loop around it, or `no_counter`
  bool writes = false;
  bool reads = true;
  std::uint32_t bytes = 0;           ///< 0: unknown
  std::uint32_t memory = any_memory; ///< its class of memory
  class_scope scope = class_scope::procedure;
  counter_id scope_loop = no_counter; ///< valid if `scope` names a loop: that loop
  std::uint32_t local = any_memory;   ///< another class, which is disjoint from other local classes of one loop …
  counter_id local_loop = no_counter; ///< … within a run of this loop; `no_counter`: within a run of the nest
  value_id base = no_value;           ///< a value that the nest does not change; valid if there is no obstacle
  place_obstacle obstacle = place_obstacle::none;
  evolution_obstacle why = evolution_obstacle::none;
  nest_form place = {};      ///< valid if there is no obstacle
  std::uint64_t skipped = 0; ///< bit d: whether it does not run in the last iteration of the loop at depth d
};

/// A tree of loops with the accesses in it, in the order in which an iteration runs them.
///
/// Addresses are integers modulo 2^`address_bits()`, or of any size if that is 0. So sums of addresses may wrap: the
/// tests take the end of the address space into account. But a form with a counter or symbol of *fewer* bits is valid
/// only if its sum does not wrap before it is extended.
class nest_accesses {
public:
  /// Forgets everything. Requires at most 64 bits.
  void clear(unsigned address_bits = 64) {
    MIDEND_ASSERT(address_bits <= 64, "addresses of at most 64 bits", address_bits);
    address_bits_ = address_bits;
    counters_.clear();
    symbols_.clear();
    accesses_.clear();
    terms_.clear();
  }

  /// Adds a loop inside `parent`.
  counter_id add_counter(counter_id parent = no_counter, trip_bound bound = trip_bound::unknown,
                         std::uint64_t trips = 0) {
    MIDEND_ASSERT(parent == no_counter || parent < counters_.size(), "a loop of the nest", parent);
    MIDEND_ASSERT(depth_below(parent) < 64, "a nest of at most 64 loops", parent);
    counters_.push_back({parent, bound, trips, false, {}, false, {}});
    return static_cast<counter_id>(counters_.size() - 1);
  }

  /// Sets the limit of loop `c`: it has at most as many iterations as a form of counters around it and of symbols.
  void set_limit(counter_id c, std::int64_t constant, span<const nest_term> terms) {
    counters_[c].limit = form(constant, terms, counters_[c].parent);
    counters_[c].has_limit = true;
  }

  /// Sets the bound of loop `c`: it has at most as many iterations as a form if the form is 1 or more.
  void set_bound(counter_id c, std::int64_t constant, span<const nest_term> terms) {
    counters_[c].bound_form = form(constant, terms, counters_[c].parent);
    counters_[c].has_bound = true;
  }

  symbol_id add_symbol(const nest_symbol& s) {
    symbols_.push_back(s);
    return static_cast<symbol_id>(symbols_.size() - 1);
  }

  /// Adds an access at base + `constant` + `terms`, with counters of the loops around it and symbols.
  access_id add_access(nest_access a, std::int64_t constant = 0, span<const nest_term> terms = {}) {
    a.place = form(constant, terms, a.loop);
    accesses_.push_back(a);
    return static_cast<access_id>(accesses_.size() - 1);
  }

  unsigned address_bits() const { return address_bits_; }

  std::uint32_t num_counters() const { return static_cast<std::uint32_t>(counters_.size()); }

  std::uint32_t num_symbols() const { return static_cast<std::uint32_t>(symbols_.size()); }

  std::uint32_t num_accesses() const { return static_cast<std::uint32_t>(accesses_.size()); }

  const nest_counter& counter(counter_id c) const { return counters_[c]; }

  const nest_symbol& symbol(symbol_id s) const { return symbols_[s]; }

  const nest_access& access(access_id a) const { return accesses_[a]; }

  span<const nest_term> terms(const nest_form& f) const { return {terms_.data() + f.first, f.count}; }

  /// The number of loops around a place directly in loop `c`. O(depth), like the queries below.
  std::uint32_t depth_below(counter_id c) const {
    std::uint32_t out = 0;
    for (; c != no_counter; c = counters_[c].parent) {
      ++out;
    }
    return out;
  }

  /// The loop at depth `d` among `c` and the loops around it; the outermost one has depth 0.
  counter_id loop_at(counter_id c, std::uint32_t d) const {
    for (std::uint32_t up = depth_below(c) - 1 - d; up != 0; --up) {
      c = counters_[c].parent;
    }
    return c;
  }

  /// The number of loops around both accesses.
  std::uint32_t common_levels(access_id a, access_id b) const {
    counter_id x = accesses_[a].loop;
    counter_id y = accesses_[b].loop;
    std::uint32_t depth_x = depth_below(x);
    std::uint32_t depth_y = depth_below(y);
    while (x != y) {
      if (depth_x >= depth_y) {
        x = counters_[x].parent;
        --depth_x;
      } else {
        y = counters_[y].parent;
        --depth_y;
      }
    }
    return depth_x;
  }

private:
  nest_form form(std::int64_t constant, span<const nest_term> terms, counter_id inside) {
    nest_form out{constant, static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint32_t>(terms.size())};
    for (const nest_term& t : terms) {
      MIDEND_ASSERT(t.is_symbol ? t.index < symbols_.size() : is_around(t.index, inside),
                    "a symbol, or a counter of a loop around it", t.index);
      static_cast<void>(inside);
      terms_.push_back(t);
    }
    return out;
  }

  bool is_around(counter_id c, counter_id inside) const {
    while (inside != no_counter && inside != c) {
      inside = counters_[inside].parent;
    }
    return inside == c;
  }

  unsigned address_bits_ = 64;
  flat_array<nest_counter> counters_;
  flat_array<nest_symbol> symbols_;
  flat_array<nest_access> accesses_;
  flat_array<nest_term> terms_;
};

MIDEND_END_NAMESPACE
