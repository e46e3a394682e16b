/// `runtime_checks`: comparisons of addresses before a nest, under which pairs of accesses are independent.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

struct access_pair {
  access_id first = 0;
  access_id second = 0;
};

/// Why no comparison can show that a pair is independent.
enum class check_obstacle : std::uint8_t {
  none,
  unknown_place, ///< see the obstacle of the access
  unknown_size,
  unknown_trips, ///< a counter in the place has no bound
  too_large,     ///< a number of an interval has more than 64 bits
  never_holds    ///< both have one base, and the intervals overlap for all symbols; `dependence` may still prove
                 ///< independence
};

/// A pair without a comparison.
struct unchecked_pair {
  access_pair pair;
  check_obstacle why = check_obstacle::none;
};

/// The interval of all bytes that some accesses touch in a run of the nest: from base + `begin` up to base + `end`,
/// which is excluded. The ends are forms of symbols, as integers. The nest may touch less, if it is left early or a
/// loop does not run.
struct byte_interval {
  value_id base = no_value;
  nest_form begin;
  nest_form end;
};

/// Two intervals; the comparison holds if one ends at or before the begin of the other.
struct interval_comparison {
  std::uint32_t first = 0; ///< position in the intervals
  std::uint32_t second = 0;
};

/// Comparisons that must all hold. The intervals are integers: code that computes them must test that no sum of
/// unsigned addresses or signed forms wraps; if one does, the check has failed. `needs_wide_forms` is true if a form,
/// without the base, may not fit in 64 bits for some numbers of its symbols.
struct runtime_check_plan {
  flat_array<byte_interval> intervals;
  flat_array<interval_comparison> comparisons;
  flat_array<unchecked_pair> unchecked; ///< pairs without a comparison
  flat_array<nest_term> terms;
  bool needs_wide_forms = false;

  span<const nest_term> terms_of(const nest_form& f) const { return {terms.data() + f.first, f.count}; }
};

namespace detail {

class check_planner;

} // namespace detail

/// Memory of `runtime_checks`, reused from call to call.
class runtime_checks_workspace {
  friend class detail::check_planner;

  flat_array<std::uint32_t> of_access_;  ///< by access: its interval
  flat_array<access_pair> pairs_;        ///< pairs that have a comparison
  flat_array<checked_integer> counters_; ///< factors of the counters, by depth
  flat_array<checked_integer> symbols_;
};

/// Makes comparisons for `pairs` of accesses, refilling `out`.
///
/// The interval of an access covers all loops of the nest, not only the innermost one. Each counter is replaced by 0 or
/// by its last number, whichever makes the sum least or greatest: so steps of both signs are right, and an interval
/// ends after the last byte of its last element. Inner counters go first, so that a limit that depends on outer
/// counters moves with them. An upper bound of the trip count is enough: a loop that is left early touches less.
/// Accesses whose intervals differ in constants only share one.
///
/// Returns pairs for which there is no comparison in `unchecked`. O(pairs · (depth · terms + intervals)).
MIDEND_FUNCTION void runtime_checks(const nest_accesses& nest, span<const access_pair> pairs,
                                    runtime_checks_workspace& workspace, runtime_check_plan& out);

/// Returns the result as a value.
inline runtime_check_plan runtime_checks(const nest_accesses& nest, span<const access_pair> pairs) {
  runtime_checks_workspace workspace;
  runtime_check_plan out;
  runtime_checks(nest, pairs, workspace, out);
  return out;
}

/// Whether all comparisons hold for a run: `address_of(base)` is an unsigned number of 64 bits, `number_of(symbol)` the
/// integer of a symbol. False if an interval reaches beyond the address space, or a sum is too large.
template <class AddressOf, class NumberOf>
bool runtime_checks_hold(const runtime_check_plan& plan, const AddressOf& address_of, const NumberOf& number_of) {
  const auto place = [&](const byte_interval& i, const nest_form& f) {
    checked_integer sum = checked_integer::from_unsigned(static_cast<std::uint64_t>(address_of(i.base))) + f.constant;
    for (const nest_term& t : plan.terms_of(f)) {
      sum = sum + checked_integer(t.coefficient) * checked_integer(number_of(t.index));
    }
    const bool is_address = sum.is_valid() && !sum.is_negative() && sum <= checked_integer::power_of_two(64);
    return is_address ? sum : checked_integer::invalid();
  };
  for (const interval_comparison& c : plan.comparisons) {
    const byte_interval& a = plan.intervals[c.first];
    const byte_interval& b = plan.intervals[c.second];
    const checked_integer begin_a = place(a, a.begin);
    const checked_integer end_a = place(a, a.end);
    const checked_integer begin_b = place(b, b.begin);
    const checked_integer end_b = place(b, b.end);
    const bool all_valid = begin_a.is_valid() && end_a.is_valid() && begin_b.is_valid() && end_b.is_valid();
    if (!all_valid || (begin_b < end_a && begin_a < end_b)) {
      return false;
    }
  }
  return true;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Builds the intervals and comparisons of a nest.
class check_planner {
public:
  check_planner(const nest_accesses& nest, runtime_checks_workspace& w, runtime_check_plan& out)
      : nest_(nest), out_(out), of_access_(w.of_access_), pairs_(w.pairs_), counters_(w.counters_),
        symbols_(w.symbols_) {
    pairs_.clear();
    out.intervals.clear();
    out.comparisons.clear();
    out.unchecked.clear();
    out.terms.clear();
    out.needs_wide_forms = false;
    of_access_.assign(nest.num_accesses(), none);
  }

  void add(const access_pair& p) {
    check_obstacle why = interval_of(p.first);
    why = why == check_obstacle::none ? interval_of(p.second) : why;
    if (why != check_obstacle::none) {
      out_.unchecked.push_back({p, why});
      return;
    }
    std::uint32_t a = of_access_[p.first];
    std::uint32_t b = of_access_[p.second];
    if (b < a) {
      const std::uint32_t other = a;
      a = b;
      b = other;
    }
    bool is_new = true;
    for (const interval_comparison& c : out_.comparisons) {
      is_new = is_new && (c.first != a || c.second != b);
    }
    if (is_new) {
      out_.comparisons.push_back({a, b});
    }
    pairs_.push_back(p);
  }

  /// Takes back comparisons that can never hold, since shared intervals have grown.
  void finish() {
    std::size_t kept = 0;
    for (const interval_comparison c : out_.comparisons) {
      if (never_apart(out_.intervals[c.first], out_.intervals[c.second])) {
        report_pairs_of(c);
      } else {
        out_.comparisons[kept++] = c;
      }
    }
    out_.comparisons.shrink(kept);
    for (const byte_interval& i : out_.intervals) {
      out_.needs_wide_forms = out_.needs_wide_forms || may_be_wide(i.begin) || may_be_wide(i.end);
    }
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  /// Finds the interval of an access, or why there is none.
  check_obstacle interval_of(access_id id) {
    const nest_access& access = nest_.access(id);
    if (of_access_[id] != none) {
      return check_obstacle::none;
    }
    if (access.obstacle != place_obstacle::none || access.base == no_value) {
      return check_obstacle::unknown_place;
    }
    if (access.bytes == 0) {
      return check_obstacle::unknown_size;
    }
    byte_interval found{access.base, {}, {}};
    check_obstacle why = extreme(access, false, found.begin);
    why = why == check_obstacle::none ? extreme(access, true, found.end) : why;
    if (why == check_obstacle::none) {
      of_access_[id] = shared(found);
    }
    return why;
  }

  /// The least number of a place, or the end of its last byte if `greatest`, as a form of symbols.
  check_obstacle extreme(const nest_access& access, bool greatest, nest_form& out) {
    const std::uint32_t depth = nest_.depth_below(access.loop);
    counters_.assign(depth, 0);
    symbols_.assign(nest_.num_symbols(), 0);
    constant_ = greatest ? checked_integer(access.bytes) : checked_integer(0);
    add(access.place, 1);
    for (std::uint32_t d = depth; d-- != 0;) {
      const checked_integer factor = counters_[d];
      if (factor.is_zero() || factor.is_positive() != greatest) {
        continue; // 0 is the extreme
      }
      const nest_counter& c = nest_.counter(nest_.loop_at(access.loop, d));
      const std::int64_t skipped = 1 + static_cast<std::int64_t>(access.skipped >> d & 1);
      if (c.has_limit && c.bound != trip_bound::exact) {
        add(c.limit, factor);
      } else if (c.bound != trip_bound::unknown) {
        constant_ = constant_ + checked_integer::from_unsigned(c.trips) * factor;
      } else {
        return check_obstacle::unknown_trips;
      }
      constant_ = constant_ - factor * skipped;
    }
    return write(out) ? check_obstacle::none : check_obstacle::too_large;
  }

  void add(const nest_form& form, const checked_integer& by) {
    constant_ = constant_ + by * form.constant;
    for (const nest_term& t : nest_.terms(form)) {
      checked_integer& factor = t.is_symbol ? symbols_[t.index] : counters_[nest_.depth_below(t.index) - 1];
      factor = factor + by * t.coefficient;
    }
  }

  bool write(nest_form& out) {
    out.constant = constant_.low();
    out.first = static_cast<std::uint32_t>(out_.terms.size());
    bool fits = constant_.fits_in_64_bits();
    for (symbol_id s = 0; s != symbols_.size(); ++s) {
      fits = fits && symbols_[s].fits_in_64_bits();
      if (!symbols_[s].is_zero()) {
        out_.terms.push_back({s, true, symbols_[s].low()});
      }
    }
    out.count = static_cast<std::uint32_t>(out_.terms.size()) - out.first;
    return fits;
  }

  /// The interval with this base and these symbols, enlarged to contain `found`; or a new one.
  std::uint32_t shared(const byte_interval& found) {
    for (std::uint32_t i = 0; i != out_.intervals.size(); ++i) {
      byte_interval& known = out_.intervals[i];
      if (known.base == found.base && same_terms(known.begin, found.begin) && same_terms(known.end, found.end) &&
          same_terms(known.begin, known.end)) {
        known.begin.constant =
            known.begin.constant < found.begin.constant ? known.begin.constant : found.begin.constant;
        known.end.constant = known.end.constant > found.end.constant ? known.end.constant : found.end.constant;
        return i;
      }
    }
    out_.intervals.push_back(found);
    return static_cast<std::uint32_t>(out_.intervals.size() - 1);
  }

  bool same_terms(const nest_form& a, const nest_form& b) const {
    bool same = a.count == b.count;
    for (std::uint32_t i = 0; same && i != a.count; ++i) {
      const nest_term& x = out_.terms[a.first + i];
      const nest_term& y = out_.terms[b.first + i];
      same = x.index == y.index && x.coefficient == y.coefficient;
    }
    return same;
  }

  bool never_apart(const byte_interval& a, const byte_interval& b) const {
    return a.base == b.base && same_terms(a.end, b.begin) && same_terms(b.end, a.begin) &&
           b.begin.constant < a.end.constant && a.begin.constant < b.end.constant;
  }

  void report_pairs_of(const interval_comparison& c) {
    for (const access_pair& p : pairs_) {
      const std::uint32_t a = of_access_[p.first];
      const std::uint32_t b = of_access_[p.second];
      if ((a == c.first && b == c.second) || (a == c.second && b == c.first)) {
        out_.unchecked.push_back({p, check_obstacle::never_holds});
      }
    }
  }

  bool may_be_wide(const nest_form& f) const {
    checked_integer low = f.constant;
    checked_integer high = f.constant;
    for (const nest_term& t : out_.terms_of(f)) {
      const nest_symbol& s = nest_.symbol(t.index);
      const checked_integer x = checked_integer(t.coefficient) * s.low;
      const checked_integer y = checked_integer(t.coefficient) * s.high;
      low = s.is_bounded ? low + (x < y ? x : y) : checked_integer::invalid();
      high = high + (x < y ? y : x);
    }
    return !low.fits_in_64_bits() || !high.fits_in_64_bits();
  }

  const nest_accesses& nest_;
  runtime_check_plan& out_;
  flat_array<std::uint32_t>& of_access_;
  flat_array<access_pair>& pairs_;
  flat_array<checked_integer>& counters_;
  flat_array<checked_integer>& symbols_;
  checked_integer constant_;
};

} // namespace detail

MIDEND_FUNCTION void runtime_checks(const nest_accesses& nest, span<const access_pair> pairs,
                                    runtime_checks_workspace& workspace, runtime_check_plan& out) {
  detail::check_planner planner(nest, workspace, out);
  for (const access_pair& p : pairs) {
    planner.add(p);
  }
  planner.finish();
}

MIDEND_END_NAMESPACE

#endif
