/// `dependence`: whether two accesses of a nest meet in two of its iterations, and in which order.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/detail/integer_elimination.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Limits of the work for a pair. Questions beyond them are unknown.
struct dependence_options {
  std::uint32_t max_cases = 96;             ///< limit for cases of orders
  std::uint32_t max_runs = 128;             ///< limit for runs of the elimination in a case: one more than there are
                                            ///< splits
  std::uint32_t max_rows = 1500;            ///< limit for inequalities in a run
  std::uint64_t max_work = 4'000'000;       ///< limit for numbers that are computed and compared for the whole pair
  std::uint64_t max_work_of_case = 200'000; ///< limit of these for one case, or one side of a distance
  bool finds_distances = true;
};

class dependence_workspace;

namespace detail {

class dependence_finder;

} // namespace detail

/// Whether the bytes of `a` in one iteration and of `b` in another one meet, refilling `out`.
///
/// Two accesses with one base meet if the distance of their first bytes is small enough: an inequality over the
/// counters of both, the symbols, and the number of times that addresses wrap. The tests are stages of one solver:
/// common divisors of the factors (GCD; and ZIV, where no counter is left), the least and greatest distance within the
/// bounds of the counters (as in U. Banerjee, *Dependence Analysis for Supercomputing*, 1988), and exact elimination
/// (`dependence_test` says which one was needed, by the form of the subscripts). So one kind of proof covers all. If
/// the pair is not independent, each vector of orders is tested, from outside in (M. Burke, R. Cytron, "Interprocedural
/// dependence analysis and parallelization", PLDI 1986), and so is whether distances are constant.
///
/// Different classes of memory exclude cases within the scope of their promise. Unknown places, unknown sizes and
/// different bases give `unknown`. All arithmetic is checked: numbers beyond 128 bits also give `unknown`.
///
/// Exponential in the depth of the nest in the worst case, and bounded by the options. Allocates nothing once workspace
/// and result have seen a pair as large.
MIDEND_FUNCTION void dependence(const nest_accesses& nest, access_id a, access_id b, const dependence_options& options,
                                dependence_workspace& workspace, dependence_result& out);

/// Memory of `dependence`, reused from call to call.
class dependence_workspace {
  friend class detail::dependence_finder;

  detail::integer_elimination elimination_;
  flat_array<iteration_order> prefix_;
  flat_array<std::uint32_t> symbols_;     ///< symbols of the pair
  flat_array<checked_integer> solutions_; ///< by depth of the prefix: a witness in this case
  flat_array<std::uint8_t> has_solution_;
};

/// The result as a value.
inline dependence_result dependence(const nest_accesses& nest, access_id a, access_id b,
                                    const dependence_options& options = {}) {
  dependence_workspace workspace;
  dependence_result out;
  dependence(nest, a, b, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The cases of one pair, one prefix of orders after the other.
class dependence_finder {
public:
  dependence_finder(const nest_accesses& nest, access_id a, access_id b, const dependence_options& options,
                    dependence_workspace& workspace, dependence_result& out)
      : nest_(nest), a_(nest.access(a)), b_(nest.access(b)), options_(options), w_(workspace), out_(out),
        system_(workspace.elimination_), depth_a_(nest.depth_below(a_.loop)), depth_b_(nest.depth_below(b_.loop)) {
    out.first = a;
    out.second = b;
    out.levels = nest.common_levels(a, b);
    out.orders.assign(out.levels, 0);
    out.cases.clear();
    out.distances.clear();
    out.case_orders.clear();
    out.witnesses.clear();
    out.steps.clear();
    out.terms.clear();
  }

  void run() {
    obstacle_ = obstacle_of_pair();
    class_levels_ = levels_of_classes();
    if (obstacle_ == dependence_obstacle::none) {
      build_system();
    }
    system_.start_work(options_.max_work, options_.max_work_of_case);
    w_.prefix_.clear();
    w_.solutions_.assign((static_cast<std::size_t>(out_.levels) + 1) * num_variables_, 0);
    w_.has_solution_.assign(static_cast<std::size_t>(out_.levels) + 1, 0);
    do {
      decide_prefix();
    } while (next_prefix());
    out_.work = system_.work();
    conclude();
  }

private:
  static constexpr std::uint32_t never = static_cast<std::uint32_t>(-1);

  dependence_obstacle obstacle_of_pair() const {
    if (a_.obstacle != place_obstacle::none || b_.obstacle != place_obstacle::none || a_.base == no_value ||
        b_.base == no_value) {
      return dependence_obstacle::unknown_place;
    }
    if (a_.bytes == 0 || b_.bytes == 0) {
      return dependence_obstacle::unknown_size;
    }
    return a_.base != b_.base ? dependence_obstacle::different_bases : dependence_obstacle::none;
  }

  /// The number of outer loops in whose equal iterations different classes exclude that the accesses meet.
  std::uint32_t levels_of_classes() const {
    const std::uint32_t local = levels_of_local_classes();
    if (!classes_are_apart(a_.memory, b_.memory)) {
      return local;
    }
    const std::uint32_t x = levels_of_scope(a_);
    const std::uint32_t y = levels_of_scope(b_);
    const std::uint32_t most = x > y ? x : y;
    return most < local ? most : local;
  }

  /// This number for local classes: iterations of the loops around their loop are equal.
  std::uint32_t levels_of_local_classes() const {
    if (!local_classes_are_apart(a_.local, a_.local_loop, b_.local, b_.local_loop)) {
      return never;
    }
    return a_.local_loop == no_counter ? 0 : nest_.depth_below(a_.local_loop) - 1;
  }

  std::uint32_t levels_of_scope(const nest_access& access) const {
    if (access.scope == class_scope::procedure) {
      return 0;
    }
    const std::uint32_t depth = nest_.depth_below(access.scope_loop);
    const bool around_both = depth != 0 && depth <= out_.levels &&
                             nest_.loop_at(a_.loop, depth - 1) == access.scope_loop &&
                             nest_.loop_at(b_.loop, depth - 1) == access.scope_loop;
    return !around_both ? never : access.scope == class_scope::loop ? depth - 1 : depth;
  }

  // The system: see `nest_fact`.

  void build_system() {
    collect_symbols();
    const auto symbols = static_cast<std::uint32_t>(w_.symbols_.size());
    const std::uint32_t counters = depth_a_ + depth_b_;
    const bool wraps = nest_.address_bits() != 0;
    num_variables_ = counters + symbols + (wraps ? 1 : 0);
    const std::uint32_t wrap = wraps ? num_variables_ - 1 : integer_elimination::no_variable;
    system_.clear(num_variables_, counters, wrap);
    add_counters(a_, depth_a_, 0);
    add_counters(b_, depth_b_, depth_a_);
    for (std::uint32_t i = 0; i != symbols; ++i) {
      const nest_symbol& s = nest_.symbol(w_.symbols_[i]);
      if (s.is_bounded) {
        system_.add_fact(nest_fact::symbol_low, counters + i);
        system_.fact_factor(counters + i) = 1;
        system_.fact_constant() = -checked_integer(s.low);
        system_.add_fact(nest_fact::symbol_high, counters + i);
        system_.fact_factor(counters + i) = -1;
        system_.fact_constant() = s.high;
      }
    }
    add_window(nest_fact::place_low, wrap);
    add_window(nest_fact::place_high, wrap);
    system_.last_two_are_window();
    num_facts_ = system_.num_facts();
  }

  void collect_symbols() {
    w_.symbols_.clear();
    for (symbol_id s = 0; s != nest_.num_symbols(); ++s) {
      if (names(a_, s) || names(b_, s)) {
        w_.symbols_.push_back(s);
      }
    }
  }

  bool names(const nest_access& access, symbol_id s) const {
    bool found = names(access.place, s);
    for (counter_id c = access.loop; c != no_counter && !found; c = nest_.counter(c).parent) {
      found = nest_.counter(c).has_limit && names(nest_.counter(c).limit, s);
    }
    return found;
  }

  bool names(const nest_form& form, symbol_id s) const {
    for (const nest_term& t : nest_.terms(form)) {
      if (t.is_symbol && t.index == s) {
        return true;
      }
    }
    return false;
  }

  void add_counters(const nest_access& access, std::uint32_t depth, std::uint32_t first) {
    for (std::uint32_t d = 0; d != depth; ++d) {
      const nest_counter& c = nest_.counter(nest_.loop_at(access.loop, d));
      const std::int64_t skipped = 1 + static_cast<std::int64_t>(access.skipped >> d & 1);
      system_.add_fact(nest_fact::counter_low, first + d);
      system_.fact_factor(first + d) = 1;
      if (c.bound != trip_bound::unknown) {
        system_.add_fact(nest_fact::counter_high, first + d);
        system_.fact_factor(first + d) = -1;
        system_.fact_constant() = checked_integer::from_unsigned(c.trips) - skipped;
      }
      if (c.has_limit) {
        system_.add_fact(nest_fact::counter_limit, first + d);
        add_form(c.limit, first, 1);
        system_.fact_factor(first + d) = system_.fact_factor(first + d) - 1;
        system_.fact_constant() = system_.fact_constant() - skipped;
      }
    }
  }

  void add_form(const nest_form& form, std::uint32_t first, std::int64_t sign) {
    for (const nest_term& t : nest_.terms(form)) {
      checked_integer& factor =
          system_.fact_factor(t.is_symbol ? variable_of_symbol(t.index) : first + nest_.depth_below(t.index) - 1);
      factor = factor + checked_integer(t.coefficient) * sign;
    }
    system_.fact_constant() = system_.fact_constant() + checked_integer(form.constant) * sign;
  }

  std::uint32_t variable_of_symbol(symbol_id s) const {
    std::uint32_t i = 0;
    while (w_.symbols_[i] != s) {
      ++i;
    }
    return depth_a_ + depth_b_ + i;
  }

  /// Adds that the place of the first access relative to the second one is in `common_bytes`.
  void add_window(nest_fact which, std::uint32_t wrap) {
    const std::int64_t sign = which == nest_fact::place_low ? 1 : -1;
    system_.add_fact(which, 0);
    add_form(a_.place, 0, sign);
    add_form(b_.place, depth_a_, -sign);
    if (wrap != integer_elimination::no_variable) {
      const checked_integer size = checked_integer::power_of_two(nest_.address_bits());
      system_.fact_factor(wrap) = sign == 1 ? size : -size;
    }
    const common_bytes common(b_.bytes, a_.bytes);
    system_.fact_constant() = system_.fact_constant() + (sign == 1 ? -common.low : common.high);
  }

  void add_order(std::uint32_t level, iteration_order o) {
    const checked_integer less = o == iteration_order::same ? 0 : -1;
    if (o != iteration_order::after) {
      add_difference(nest_fact::order_first, level, 1, less);
    }
    if (o != iteration_order::before) {
      add_difference(nest_fact::order_second, level, -1, less);
    }
  }

  /// Adds `sign` · (second counter - first one) + `constant`.
  void add_difference(nest_fact which, std::uint32_t level, std::int64_t sign, const checked_integer& constant) {
    system_.add_fact(which, level);
    system_.fact_factor(depth_a_ + level) = sign;
    system_.fact_factor(level) = -sign;
    system_.fact_constant() = constant;
  }

  // Each prefix is decided, or its vectors are.

  void decide_prefix() {
    const auto length = static_cast<std::uint32_t>(w_.prefix_.size());
    const bool same = equal_levels() == length;
    if (class_levels_ != never && class_levels_ <= equal_levels()) {
      add_case(dependence_case_kind::other_class, dependence_test::classes);
      return;
    }
    const bool is_itself = out_.first == out_.second;
    if (is_itself && same && length == out_.levels) {
      add_case(dependence_case_kind::same_operation, dependence_test::none);
      return;
    }
    // One access in one run is no pair: only longer prefixes are tested then.
    if (obstacle_ == dependence_obstacle::none && !(is_itself && same) && solve_prefix()) {
      return;
    }
    const bool splits = obstacle_ == dependence_obstacle::none
                            ? out_.cases.size() + length < options_.max_cases || (is_itself && same)
                            : same && (is_itself || class_levels_ != never) && length < split_levels();
    if (length != out_.levels && splits) {
      descend();
      return;
    }
    add_possible();
  }

  /// The depth to which vectors of a pair without known places are split: as far as one can be excluded.
  std::uint32_t split_levels() const { return class_levels_ != never ? class_levels_ : out_.levels; }

  std::uint32_t equal_levels() const {
    std::uint32_t i = 0;
    while (i != w_.prefix_.size() && w_.prefix_[i] == iteration_order::same) {
      ++i;
    }
    return i;
  }

  /// True if the prefix is refuted. If not, there may be a witness for it.
  bool solve_prefix() {
    const std::size_t length = w_.prefix_.size();
    prefix_obstacle_ = dependence_obstacle::none;
    if (w_.has_solution_[length] != 0) {
      return false;
    }
    restrict_to_prefix();
    const auto first = static_cast<std::uint32_t>(out_.steps.size());
    const elimination_outcome found = solve();
    if (found == elimination_outcome::refuted) {
      add_case(dependence_case_kind::refuted, name_of_test());
      out_.cases.back().proof = {first, static_cast<std::uint32_t>(out_.steps.size()) - first};
      return true;
    }
    if (found == elimination_outcome::solved) {
      checked_integer* const to = w_.solutions_.data() + length * num_variables_;
      for (std::uint32_t i = 0; i != num_variables_; ++i) {
        to[i] = system_.solution()[i];
      }
      w_.has_solution_[length] = 1;
    } else {
      prefix_obstacle_ =
          found == elimination_outcome::too_large ? dependence_obstacle::too_large : dependence_obstacle::budget;
    }
    return false;
  }

  void restrict_to_prefix() {
    system_.shrink(num_facts_);
    for (std::uint32_t i = 0; i != w_.prefix_.size(); ++i) {
      add_order(i, w_.prefix_[i]);
    }
  }

  elimination_outcome solve() { return system_.solve(options_.max_runs, options_.max_rows, out_.steps, out_.terms); }

  void descend() {
    w_.prefix_.push_back(iteration_order::before);
    inherit_solution();
  }

  /// Takes the witness of the shorter prefix, if it has the last order.
  void inherit_solution() {
    const std::size_t length = w_.prefix_.size();
    w_.has_solution_[length] = 0;
    if (w_.has_solution_[length - 1] == 0) {
      return;
    }
    const checked_integer* const from = w_.solutions_.data() + (length - 1) * num_variables_;
    const checked_integer& x = from[length - 1];
    const checked_integer& y = from[depth_a_ + length - 1];
    const iteration_order o = x < y ? iteration_order::before : x == y ? iteration_order::same : iteration_order::after;
    if (o == w_.prefix_.back()) {
      checked_integer* const to = w_.solutions_.data() + length * num_variables_;
      for (std::uint32_t i = 0; i != num_variables_; ++i) {
        to[i] = from[i];
      }
      w_.has_solution_[length] = 1;
    }
  }

  /// The next prefix to decide. `decide_prefix` either adds a case or makes the prefix longer.
  bool next_prefix() {
    if (!decided_) {
      return true;
    }
    decided_ = false;
    while (!w_.prefix_.empty() && w_.prefix_.back() == iteration_order::after) {
      w_.prefix_.pop_back();
    }
    if (w_.prefix_.empty()) {
      return false;
    }
    w_.prefix_.back() = static_cast<iteration_order>(static_cast<unsigned>(w_.prefix_.back()) + 1);
    if (obstacle_ == dependence_obstacle::none) {
      inherit_solution();
    }
    return true;
  }

  void add_case(dependence_case_kind kind, dependence_test by) {
    dependence_case c;
    c.kind = kind;
    c.by = by;
    c.first_order = static_cast<std::uint32_t>(out_.case_orders.size());
    c.num_orders = static_cast<std::uint32_t>(w_.prefix_.size());
    for (const iteration_order o : w_.prefix_) {
      out_.case_orders.push_back(o);
    }
    out_.cases.push_back(c);
    decided_ = true;
  }

  void add_possible() {
    add_case(dependence_case_kind::possible, dependence_test::none);
    dependence_case& c = out_.cases.back();
    const std::size_t length = w_.prefix_.size();
    if (obstacle_ != dependence_obstacle::none || w_.has_solution_[length] == 0) {
      c.obstacle = obstacle_ != dependence_obstacle::none          ? obstacle_
                   : prefix_obstacle_ != dependence_obstacle::none ? prefix_obstacle_
                                                                   : dependence_obstacle::budget;
      return;
    }
    c.has_witness = true;
    c.witness = static_cast<std::uint32_t>(out_.witnesses.size());
    c.num_variables = num_variables_;
    for (std::uint32_t i = 0; i != num_variables_; ++i) {
      out_.witnesses.push_back(w_.solutions_[length * num_variables_ + i]);
    }
    if (options_.finds_distances) {
      find_distances();
    }
  }

  /// Finds the loops in which both places move by one step.
  void find_distances() {
    const auto of_case = static_cast<std::uint32_t>(out_.cases.size() - 1);
    for (std::uint32_t level = 0; level != w_.prefix_.size(); ++level) {
      const std::int64_t step = factor_at(a_, level);
      if (w_.prefix_[level] == iteration_order::same || step == 0 || step != factor_at(b_, level)) {
        continue;
      }
      const span<const checked_integer> witness = out_.witness_of(out_.cases.back());
      const checked_integer d = witness[depth_a_ + level] - witness[level];
      if (!d.fits_in_64_bits()) {
        continue;
      }
      distance_claim claim{of_case, level, d.low(), {}, {}};
      const std::size_t steps = out_.steps.size();
      const std::size_t terms = out_.terms.size();
      if (excludes(nest_fact::distance_below, level, -1, d - 1, claim.below) &&
          excludes(nest_fact::distance_above, level, 1, -d - 1, claim.above)) {
        out_.distances.push_back(claim);
      } else {
        out_.steps.shrink(steps);
        out_.terms.shrink(terms);
      }
    }
  }

  bool excludes(nest_fact which, std::uint32_t level, std::int64_t sign, const checked_integer& constant,
                proof_range& proof) {
    restrict_to_prefix();
    add_difference(which, level, sign, constant);
    proof.first = static_cast<std::uint32_t>(out_.steps.size());
    const bool refuted = solve() == elimination_outcome::refuted;
    proof.count = static_cast<std::uint32_t>(out_.steps.size()) - proof.first;
    return refuted;
  }

  std::int64_t factor_at(const nest_access& access, std::uint32_t level) const {
    const counter_id c = nest_.loop_at(access.loop, level);
    checked_integer out;
    for (const nest_term& t : nest_.terms(access.place)) {
      out = !t.is_symbol && t.index == c ? out + t.coefficient : out;
    }
    return out.fits_in_64_bits() ? out.low() : 0;
  }

  /// The name of the stage that refuted, by the form of the subscripts.
  dependence_test name_of_test() const {
    std::uint32_t counts[2] = {0, 0};
    std::uint32_t levels[2] = {0, 0};
    std::int64_t factors[2] = {0, 0};
    for (std::uint32_t side = 0; side != 2; ++side) {
      const nest_access& access = side == 0 ? a_ : b_;
      for (std::uint32_t d = 0; d != (side == 0 ? depth_a_ : depth_b_); ++d) {
        if (const std::int64_t factor = factor_at(access, d); factor != 0) {
          ++counts[side];
          levels[side] = d;
          factors[side] = factor;
        }
      }
    }
    const elimination_stage stage = system_.stage();
    if (counts[0] + counts[1] == 0) {
      return dependence_test::ziv;
    }
    if (counts[0] > 1 || counts[1] > 1) {
      return stage == elimination_stage::divisors ? dependence_test::gcd
             : stage == elimination_stage::bounds ? dependence_test::bounds
                                                  : dependence_test::elimination;
    }
    const std::uint32_t level = counts[0] != 0 ? levels[0] : levels[1];
    if (level >= out_.levels || (counts[0] + counts[1] == 2 && levels[0] != levels[1])) {
      return dependence_test::rdiv;
    }
    if (counts[0] + counts[1] == 1) {
      return dependence_test::weak_zero_siv;
    }
    return factors[0] == factors[1]                                      ? dependence_test::strong_siv
           : checked_integer(factors[0]) == -checked_integer(factors[1]) ? dependence_test::weak_crossing_siv
                                                                         : dependence_test::exact_siv;
  }

  // The whole answer.

  void conclude() {
    bool possible = false;
    bool witnessed = false;
    out_.is_exact = true;
    out_.forward = out_.backward = out_.loop_independent = false;
    out_.by = dependence_test::none;
    out_.obstacle = dependence_obstacle::none;
    for (const dependence_case& c : out_.cases) {
      if (c.kind != dependence_case_kind::possible) {
        out_.by = c.by > out_.by ? c.by : out_.by;
        continue;
      }
      possible = true;
      witnessed = witnessed || c.has_witness;
      out_.is_exact = out_.is_exact && c.has_witness;
      out_.obstacle = out_.obstacle == dependence_obstacle::none ? c.obstacle : out_.obstacle;
      add_orders_of(c);
    }
    out_.answer = !possible   ? dependence_answer::independent
                  : witnessed ? dependence_answer::dependent
                              : dependence_answer::unknown;
  }

  void add_orders_of(const dependence_case& c) {
    const span<const iteration_order> orders = out_.orders_of(c);
    std::uint32_t level = 0;
    while (level != orders.size() && orders[level] == iteration_order::same) {
      ++level;
    }
    const bool is_open = level == orders.size() && level != out_.levels; // the other orders are open
    const bool all_same = level == out_.levels;
    const bool other_operation = out_.first != out_.second;
    out_.forward = out_.forward || is_open || (all_same && out_.first <= out_.second) ||
                   (level < orders.size() && orders[level] == iteration_order::before);
    out_.backward = out_.backward || is_open || (all_same && out_.second <= out_.first) ||
                    (level < orders.size() && orders[level] == iteration_order::after);
    out_.loop_independent = out_.loop_independent || ((all_same || is_open) && other_operation);
    for (std::uint32_t i = 0; i != out_.levels; ++i) {
      out_.orders[i] =
          static_cast<iteration_orders>(out_.orders[i] | (i < orders.size() ? only(orders[i]) : all_iteration_orders));
    }
  }

  const nest_accesses& nest_;
  const nest_access& a_;
  const nest_access& b_;
  const dependence_options& options_;
  dependence_workspace& w_;
  dependence_result& out_;
  integer_elimination& system_;
  std::uint32_t depth_a_;
  std::uint32_t depth_b_;
  std::uint32_t num_variables_ = 0;
  std::uint32_t class_levels_ = never;
  std::size_t num_facts_ = 0;
  bool decided_ = false;
  dependence_obstacle obstacle_ = dependence_obstacle::none;
  dependence_obstacle prefix_obstacle_ = dependence_obstacle::none;
};

} // namespace detail

MIDEND_FUNCTION void dependence(const nest_accesses& nest, access_id a, access_id b, const dependence_options& options,
                                dependence_workspace& workspace, dependence_result& out) {
  detail::dependence_finder(nest, a, b, options, workspace, out).run();
}

MIDEND_END_NAMESPACE

#endif
