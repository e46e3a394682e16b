/// `integer_elimination`: whether inequalities have a solution in integers, with a witness or a proof that there is
/// none.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class elimination_outcome : std::uint8_t { refuted, solved, too_large, out_of_budget };

/// The stage that was needed to refute a system.
enum class elimination_stage : std::uint8_t { divisors, bounds, elimination };

// The records of `integer_elimination`. They are outside of it so that they can have default values.

struct elimination_fact {
  nest_fact fact = nest_fact::counter_low;
  std::uint32_t index = 0;
};

struct elimination_split {
  std::uint32_t id = 0; ///< the number of its inequality
  bool is_second = false;
};

/// An eliminated variable, with the inequalities that bound it; for an equality, one of its two inequalities.
struct elimination_record {
  std::uint32_t variable = 0;
  bool by_equality = false;
  std::uint32_t first = 0; ///< position in `saved_`
  std::uint32_t count = 0;
};

/// The choices for a variable.
struct elimination_choice {
  bool is_bounded[2] = {false, false};
  checked_integer bounds[2]; ///< least and most
  std::uint32_t tried = 0;   ///< number of neighbours of the first choice that were tried
};

struct elimination_equality {
  std::uint32_t row = 0;
  std::uint32_t opposite = 0;
};

/// The step of a proof that made an inequality; a definition makes two.
struct inequality_maker {
  std::uint32_t step = 0;
  bool is_second = false;
};

/// After W. Pugh, "The Omega test", CACM 35(8), 1992: inequalities are divided by common divisors and rounded; pairs
/// that make an equality remove a variable, by Euclid's algorithm on its factors if none is 1; then variables are
/// eliminated by Fourier and Motzkin's method. Departures: in place of dark shadows and splinters, the numbers of a
/// solution are chosen backwards, and if there is no integer for one of them, the system is split there and solved
/// again. So each step is a linear combination, a definition or a split, and a proof is the list of them.
class integer_elimination {
public:
  /// Starts a system of `count` variables: `counters` counters, symbols, and perhaps `wrap`, which counts how often
  /// addresses wrap; else that is `no_variable`.
  void clear(std::uint32_t count, std::uint32_t counters, std::uint32_t wrap) {
    num_base_ = count;
    num_counters_ = counters;
    wrap_ = wrap;
    max_variables_ = count + max_definitions;
    stride_ = max_variables_ + 1;
    facts_.clear();
    fact_names_.clear();
    has_window_ = false;
  }

  static constexpr std::uint32_t no_variable = static_cast<std::uint32_t>(-1);

  /// Starts a fact: a sum, at first 0. Set its numbers by `fact_factor` and `fact_constant`.
  void add_fact(nest_fact name, std::uint32_t index) {
    fact_names_.push_back({name, index});
    for (std::uint32_t i = 0; i != stride_; ++i) {
      facts_.push_back(0);
    }
  }

  checked_integer& fact_factor(std::uint32_t variable) { return facts_[facts_.size() - stride_ + variable]; }

  checked_integer& fact_constant() { return facts_.back(); }

  std::size_t num_facts() const { return fact_names_.size(); }

  /// Forgets facts after the first `count`.
  void shrink(std::size_t count) {
    fact_names_.shrink(count);
    facts_.shrink(count * stride_);
  }

  /// Notes that the two last facts bound one sum from both sides. A split helps most there.
  void last_two_are_window() {
    has_window_ = true;
    window_ = fact_names_.size() - 2;
  }

  /// Appends a proof to `steps` and `terms` if the system is refuted; else leaves them unchanged.
  elimination_outcome solve(std::uint32_t max_runs, std::uint32_t max_rows, flat_array<proof_step>& steps,
                            flat_array<proof_term>& terms) {
    steps_ = &steps;
    terms_ = &terms;
    const std::uint64_t left = max_work_ - (work_ < max_work_ ? work_ : max_work_);
    last_work_ = work_ + (max_work_of_case_ < left ? max_work_of_case_ : left);
    max_rows_ = max_rows;
    const std::size_t steps_before = steps.size();
    const std::size_t terms_before = terms.size();
    for (const elimination_fact& f : fact_names_) {
      steps.push_back({proof_step_kind::fact, f.fact, f.index, 0, 0});
    }
    next_id_ = static_cast<std::uint32_t>(fact_names_.size());
    path_.clear();
    path_numbers_.clear();
    stage_ = elimination_stage::divisors;
    elimination_outcome out = elimination_outcome::out_of_budget;
    for (std::uint32_t runs = 0; runs != max_runs && work_ < last_work_; ++runs) {
      const std::size_t steps_mark = steps.size();
      const std::size_t terms_mark = terms.size();
      const std::uint32_t id_mark = next_id_;
      const run_outcome found = run();
      if (found == run_outcome::refuted) {
        if (!next_case()) {
          drop_unused_steps(steps_before, terms_before);
          return elimination_outcome::refuted;
        }
        continue;
      }
      steps.shrink(steps_mark);
      terms.shrink(terms_mark);
      next_id_ = id_mark;
      if (found != run_outcome::no_integer) {
        out = found == run_outcome::solved      ? elimination_outcome::solved
              : found == run_outcome::too_large ? elimination_outcome::too_large
                                                : elimination_outcome::out_of_budget;
        break;
      }
      split();
    }
    steps.shrink(steps_before);
    terms.shrink(terms_before);
    return out;
  }

  elimination_stage stage() const { return stage_; }

  /// Starts to count numbers that are computed and compared. `solve` gives up beyond `most_of_case` in a call, or
  /// `most` in all.
  void start_work(std::uint64_t most, std::uint64_t most_of_case) {
    work_ = 0;
    max_work_ = most;
    max_work_of_case_ = most_of_case;
  }

  std::uint64_t work() const { return work_; }

  /// The numbers of the variables, if the system was solved.
  span<const checked_integer> solution() const { return {values_.data(), num_base_}; }

private:
  static constexpr std::uint32_t max_definitions = 24;
  static constexpr std::uint32_t max_tries = 48;
  static constexpr std::uint32_t max_neighbours = 4;

  enum class run_outcome : std::uint8_t { refuted, solved, no_integer, too_large, out_of_budget };

  const checked_integer* row(std::size_t r) const { return numbers_.data() + r * stride_; }

  std::uint32_t num_rows() const { return static_cast<std::uint32_t>(ids_.size()); }

  /// One attempt, with the splits of the present path.
  run_outcome run() {
    numbers_.clear();
    ids_.clear();
    alive_.clear();
    living_.clear();
    hashes_.clear();
    table_.assign(64, 0);
    equalities_.clear();
    records_.clear();
    saved_.clear();
    num_variables_ = num_base_;
    refuted_ = too_large_ = out_of_budget_ = false;
    bound_rows_.assign(2 * static_cast<std::size_t>(max_variables_), no_variable);
    expansions_.assign(static_cast<std::size_t>(max_definitions) * num_base_, 0);
    scratch_.assign(stride_, 0);
    for (std::size_t i = 0; i != fact_names_.size() && may_go_on(); ++i) {
      add_given(facts_.data() + i * stride_, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i != path_.size() && may_go_on(); ++i) {
      add_given(path_numbers_.data() + i * stride_, path_[i].id);
    }
    raise(elimination_stage::divisors);
    if (may_go_on() && has_window_) {
      bound_sum(window_);
      if (may_go_on()) {
        bound_sum(window_ + 1);
      }
      raise(elimination_stage::bounds);
    }
    while (may_go_on()) {
      raise(elimination_stage::elimination);
      if (!use_equality() && !eliminate_variable()) {
        break;
      }
    }
    return refuted_         ? run_outcome::refuted
           : too_large_     ? run_outcome::too_large
           : out_of_budget_ ? run_outcome::out_of_budget
                            : choose_numbers();
  }

  bool may_go_on() const { return !refuted_ && !too_large_ && !out_of_budget_; }

  void raise(elimination_stage s) { stage_ = s > stage_ ? s : stage_; }

  void add_given(const checked_integer* numbers, std::uint32_t id) {
    for (std::uint32_t i = 0; i != stride_; ++i) {
      scratch_[i] = numbers[i];
    }
    origins_.clear();
    origins_.push_back({id, 1});
    commit();
  }

  /// Adds `factor` times a row to the sum being built.
  void add_to_sum(const checked_integer* numbers, std::uint32_t id, const checked_integer& factor) {
    work_ += num_variables_;
    for (std::uint32_t i = 0; i != num_variables_; ++i) {
      if (!numbers[i].is_zero()) {
        scratch_[i] = scratch_[i] + factor * numbers[i];
      }
    }
    scratch_[max_variables_] = scratch_[max_variables_] + factor * numbers[max_variables_];
    origins_.push_back({id, factor});
  }

  void start_sum() {
    scratch_.assign(stride_, 0);
    origins_.clear();
  }

  /// Makes the built sum a row, unless it adds nothing.
  void commit() {
    work_ += num_variables_;
    if (work_ > last_work_) {
      out_of_budget_ = true;
      return;
    }
    checked_integer divisor = 0;
    bool valid = scratch_[max_variables_].is_valid();
    for (std::uint32_t i = 0; i != num_variables_; ++i) {
      valid = valid && scratch_[i].is_valid();
      if (!scratch_[i].is_zero() && divisor != checked_integer(1)) {
        divisor = common_divisor(divisor, scratch_[i]);
      }
    }
    if (!valid) {
      too_large_ = true;
      return;
    }
    if (divisor.is_zero()) {
      if (scratch_[max_variables_].is_negative()) {
        contradict(log_sum(false));
      }
      return;
    }
    const bool rounds = checked_integer(1) < divisor;
    if (rounds) {
      for (std::uint32_t i = 0; i != num_variables_; ++i) {
        scratch_[i] = scratch_[i].floor_divided(divisor);
      }
      scratch_[max_variables_] = scratch_[max_variables_].floor_divided(divisor);
    }
    std::uint32_t same = no_variable;
    std::uint32_t opposite = no_variable;
    const std::uint64_t hash = hash_of(scratch_.data(), num_variables_);
    look_for_parallels(hash, same, opposite);
    if (same != no_variable && row(same)[max_variables_] <= scratch_[max_variables_]) {
      return;
    }
    if (num_rows() >= max_rows_) {
      out_of_budget_ = true;
      return;
    }
    const std::uint32_t id = log_sum(rounds);
    if (same != no_variable) {
      alive_[same] = 0;
    }
    if (opposite != no_variable) {
      const checked_integer gap = row(opposite)[max_variables_] + scratch_[max_variables_];
      if (!gap.is_valid()) {
        too_large_ = true;
        return;
      }
      if (gap.is_negative()) {
        origins_.clear();
        origins_.push_back({id, 1});
        origins_.push_back({ids_[opposite], 1});
        contradict(log_sum(true));
        return;
      }
      if (gap.is_zero()) {
        equalities_.push_back({num_rows(), opposite});
      }
    }
    append_row(scratch_.data(), id, hash);
  }

  void append_row(const checked_integer* numbers, std::uint32_t id, std::uint64_t hash) {
    std::uint32_t variables = 0;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i != num_variables_; ++i) {
      if (!numbers[i].is_zero()) {
        ++variables;
        last = i;
      }
    }
    if (variables == 1) {
      bound_rows_[2 * last + (numbers[last].is_negative() ? 1 : 0)] = num_rows();
    }
    const std::size_t at = numbers_.size();
    numbers_.extend_for_overwrite(at + stride_);
    for (std::uint32_t i = 0; i != stride_; ++i) {
      numbers_[at + i] = numbers[i];
    }
    living_.push_back(num_rows());
    ids_.push_back(id);
    alive_.push_back(1);
    hashes_.push_back(hash);
    if (2 * hashes_.size() <= table_.size()) {
      enter_in_table(num_rows() - 1);
    } else {
      table_.assign(2 * table_.size(), 0);
      for (std::uint32_t r = 0; r != num_rows(); ++r) {
        enter_in_table(r);
      }
    }
  }

  /// A hash of the factors, equal for a sum and its negative.
  static std::uint64_t hash_of(const checked_integer* numbers, std::uint32_t count) {
    std::uint64_t hash = 0;
    bool is_first = true;
    bool negates = false;
    for (std::uint32_t i = 0; i != count; ++i) {
      if (!numbers[i].is_zero()) {
        negates = is_first ? numbers[i].is_negative() : negates;
        is_first = false;
        const auto low = static_cast<std::uint64_t>(numbers[i].low());
        hash = (hash ^ (negates ? 0 - low : low) ^ std::uint64_t{i} << 56) * 0x9e37'79b9'7f4a'7c15;
        hash ^= hash >> 29;
      }
    }
    return hash;
  }

  /// Finds the rows that bound the sum from its own side, and from the opposite one. The table has all rows by their
  /// hash, also removed ones.
  void look_for_parallels(std::uint64_t hash, std::uint32_t& same, std::uint32_t& opposite) {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t at = static_cast<std::size_t>(hash) & mask; table_[at] != 0; at = (at + 1) & mask) {
      ++work_;
      const std::uint32_t r = table_[at] - 1;
      if (alive_[r] == 0 || hashes_[r] != hash) {
        continue;
      }
      const checked_integer* const other = row(r);
      bool is_same = true;
      bool is_opposite = true;
      for (std::uint32_t i = 0; i != num_variables_ && (is_same || is_opposite); ++i) {
        is_same = is_same && other[i] == scratch_[i];
        is_opposite = is_opposite && (other[i] + scratch_[i]).is_zero();
      }
      same = is_same ? r : same;
      opposite = is_opposite ? r : opposite;
    }
  }

  void enter_in_table(std::uint32_t r) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hashes_[r]) & mask;
    while (table_[at] != 0) {
      at = (at + 1) & mask;
    }
    table_[at] = r + 1;
  }

  /// The number of the built inequality in the proof.
  std::uint32_t log_sum(bool rounds) {
    if (!rounds && origins_.size() == 1 && origins_[0].factor == checked_integer(1)) {
      return origins_[0].index;
    }
    steps_->push_back({proof_step_kind::combination, nest_fact::counter_low, 0,
                       static_cast<std::uint32_t>(terms_->size()), static_cast<std::uint32_t>(origins_.size())});
    for (const proof_term& t : origins_) {
      terms_->push_back(t);
    }
    return next_id_++;
  }

  void contradict(std::uint32_t id) {
    refuted_ = true;
    steps_->push_back({proof_step_kind::contradiction, nest_fact::counter_low, id, 0, 0});
  }

  /// Replaces each variable of a fact by its bound, if all have one: Banerjee's bounds. A counter that only a sum of
  /// others bounds is replaced by that sum first, inner counters before outer ones. The number of wraps stays.
  void bound_sum(std::size_t fact) {
    start_sum();
    add_to_sum(facts_.data() + fact * stride_, static_cast<std::uint32_t>(fact), 1);
    for (std::uint32_t i = num_counters_; i-- != 0;) {
      if (!scratch_[i].is_zero() && bound_row_of(i) == no_variable) {
        const std::uint32_t limit = limit_row_of(i);
        if (limit == no_variable) {
          return;
        }
        add_to_sum(row(limit), ids_[limit], scratch_[i].magnitude());
      }
    }
    for (std::uint32_t i = 0; i != num_base_; ++i) {
      if (i == wrap_ || scratch_[i].is_zero()) {
        continue;
      }
      const std::uint32_t bound = bound_row_of(i);
      if (bound == no_variable) {
        return;
      }
      add_to_sum(row(bound), ids_[bound], scratch_[i].magnitude());
    }
    commit();
  }

  /// The inequality without other variables that bounds `i` on the side that the sum needs.
  std::uint32_t bound_row_of(std::uint32_t i) const { return bound_rows_[2 * i + (scratch_[i].is_negative() ? 0 : 1)]; }

  /// An inequality that bounds it by outer counters and symbols.
  std::uint32_t limit_row_of(std::uint32_t i) const {
    for (std::uint32_t r = 0; r != num_rows(); ++r) {
      const checked_integer* const numbers = row(r);
      bool fits = alive_[r] != 0 && numbers[i].magnitude() == checked_integer(1) &&
                  numbers[i].is_negative() != scratch_[i].is_negative() &&
                  (wrap_ == no_variable || numbers[wrap_].is_zero());
      for (std::uint32_t k = i + 1; k < num_counters_ && fits; ++k) {
        fits = numbers[k].is_zero();
      }
      if (fits) {
        return r;
      }
    }
    return no_variable;
  }

  /// Removes a variable by an equality. False if there is none.
  bool use_equality() {
    while (!equalities_.empty()) {
      const elimination_equality e = equalities_.back();
      if (alive_[e.row] == 0 || alive_[e.opposite] == 0) {
        equalities_.pop_back();
        continue;
      }
      std::uint32_t least = no_variable;
      for (std::uint32_t i = 0; i != num_variables_; ++i) {
        const checked_integer& c = row(e.row)[i];
        if (!c.is_zero() && (least == no_variable || c.magnitude() < row(e.row)[least].magnitude())) {
          least = i;
        }
      }
      if (row(e.row)[least].magnitude() == checked_integer(1)) {
        equalities_.pop_back();
        substitute(least, e.row, e.opposite);
      } else {
        define(least, e.row);
      }
      return true;
    }
    return false;
  }

  /// Defines a new variable v + Σ q · variable, with the quotients q of the other factors by that of `v`. So the
  /// factors in the equality become those of Euclid's algorithm.
  void define(std::uint32_t v, std::uint32_t of) {
    if (num_variables_ == max_variables_) {
      out_of_budget_ = true;
      return;
    }
    const std::uint32_t fresh = num_variables_;
    const auto first = static_cast<std::uint32_t>(terms_->size());
    checked_integer* const expansion = expansions_.data() + static_cast<std::size_t>(fresh - num_base_) * num_base_;
    const checked_integer by = row(of)[v];
    start_sum();
    for (std::uint32_t i = 0; i != fresh; ++i) {
      const checked_integer c = by.is_negative() ? -row(of)[i] : row(of)[i];
      const checked_integer size = by.magnitude();
      const checked_integer quotient = i == v ? 1 : (c + c + size).floor_divided(size + size); // the nearest quotient
      if (quotient.is_zero()) {
        continue;
      }
      terms_->push_back({i, quotient});
      scratch_[i] = -quotient;
      for (std::uint32_t k = 0; k != num_base_; ++k) {
        expansion[k] = expansion[k] + quotient * factor_in_base(i, k);
        too_large_ = too_large_ || !expansion[k].is_valid();
      }
    }
    scratch_[fresh] = 1;
    steps_->push_back({proof_step_kind::definition, nest_fact::counter_low, 0, first,
                       static_cast<std::uint32_t>(terms_->size()) - first});
    ++num_variables_;
    const std::uint32_t up = num_rows();
    append_row(scratch_.data(), next_id_++, hash_of(scratch_.data(), num_variables_));
    for (std::uint32_t i = 0; i != num_variables_; ++i) {
      scratch_[i] = -scratch_[i];
    }
    append_row(scratch_.data(), next_id_++, hash_of(scratch_.data(), num_variables_));
    substitute(v, up, up + 1);
  }

  checked_integer factor_in_base(std::uint32_t variable, std::uint32_t base) const {
    return variable < num_base_ ? checked_integer(variable == base ? 1 : 0)
                                : expansions_[static_cast<std::size_t>(variable - num_base_) * num_base_ + base];
  }

  /// Removes `v`, whose factor in the equality is 1 or -1, from all other rows.
  void substitute(std::uint32_t v, std::uint32_t by, std::uint32_t opposite) {
    records_.push_back({v, true, static_cast<std::uint32_t>(saved_.size()), 1});
    saved_.push_back(by);
    const std::uint32_t rows = num_rows();
    alive_[by] = alive_[opposite] = 0;
    for (std::uint32_t r = 0; r != rows && may_go_on(); ++r) {
      const checked_integer c = row(r)[v];
      if (alive_[r] == 0 || c.is_zero()) {
        continue;
      }
      const std::uint32_t e = row(by)[v].is_negative() != c.is_negative() ? by : opposite;
      alive_[r] = 0;
      start_sum();
      add_to_sum(row(r), ids_[r], 1);
      add_to_sum(row(e), ids_[e], c.magnitude());
      commit();
    }
  }

  /// Eliminates the variable that makes the fewest inequalities, preferably one without loss of integers. False if none
  /// is left.
  bool eliminate_variable() {
    std::uint32_t best = no_variable;
    std::int64_t best_cost = 0;
    forget_dead_rows();
    work_ += living_.size() * num_variables_;
    for (std::uint32_t v = 0; v != num_variables_; ++v) {
      std::int64_t count[2] = {0, 0};
      bool units[2] = {true, true};
      for (const std::uint32_t r : living_) {
        const checked_integer& c = row(r)[v];
        if (!c.is_zero()) {
          const std::size_t side = c.is_negative() ? 1 : 0;
          ++count[side];
          units[side] = units[side] && c.magnitude() == checked_integer(1);
        }
      }
      if (count[0] + count[1] == 0) {
        continue;
      }
      std::int64_t cost = count[0] * count[1] - count[0] - count[1];
      cost += count[0] != 0 && count[1] != 0 && !units[0] && !units[1] ? 1000 : 0;
      cost += v == wrap_ ? 500 : 0;
      if (best == no_variable || cost < best_cost) {
        best = v;
        best_cost = cost;
      }
    }
    if (best != no_variable) {
      combine_bounds_of(best);
    }
    return best != no_variable;
  }

  void forget_dead_rows() {
    std::size_t left = 0;
    for (std::size_t at = 0; at != living_.size(); ++at) {
      if (alive_[living_[at]] != 0) {
        living_[left++] = living_[at];
      }
    }
    living_.shrink(left);
  }

  void combine_bounds_of(std::uint32_t v) {
    const std::uint32_t rows = num_rows();
    const auto first = static_cast<std::uint32_t>(saved_.size());
    for (std::uint32_t r = 0; r != rows; ++r) {
      if (alive_[r] != 0 && !row(r)[v].is_zero()) {
        saved_.push_back(r);
        alive_[r] = 0;
      }
    }
    const auto count = static_cast<std::uint32_t>(saved_.size()) - first;
    records_.push_back({v, false, first, count});
    for (std::uint32_t i = first; i != first + count && may_go_on(); ++i) {
      for (std::uint32_t k = first; k != first + count && may_go_on(); ++k) {
        const std::uint32_t low = saved_[i];
        const std::uint32_t high = saved_[k];
        if (row(low)[v].is_negative() || !row(high)[v].is_negative()) {
          continue;
        }
        const checked_integer a = row(low)[v];
        const checked_integer b = row(high)[v].magnitude();
        const checked_integer common = common_divisor(a, b);
        start_sum();
        add_to_sum(row(low), ids_[low], b.floor_divided(common));
        add_to_sum(row(high), ids_[high], a.floor_divided(common));
        commit();
      }
    }
  }

  /// Chooses numbers for the variables, the last eliminated one first: the allowed number nearest to 0. If a later
  /// variable then has no integer, tries others for those before it, a few times, since a split costs a run.
  run_outcome choose_numbers() {
    values_.assign(max_variables_, 0);
    choices_.assign(records_.size(), {});
    std::uint32_t tries = 0;
    for (std::size_t i = records_.size(); i-- != 0;) {
      elimination_choice& c = choices_[i];
      if (!find_bounds(records_[i], c)) {
        return run_outcome::too_large;
      }
      if (records_[i].by_equality) {
        values_[records_[i].variable] = c.is_bounded[0] ? c.bounds[0] : c.bounds[1];
        continue;
      }
      if (!c.is_bounded[0] || !c.is_bounded[1] || c.bounds[0] <= c.bounds[1]) {
        values_[records_[i].variable] = c.is_bounded[0] && c.bounds[0].is_positive()   ? c.bounds[0]
                                        : c.is_bounded[1] && c.bounds[1].is_negative() ? c.bounds[1]
                                                                                       : 0;
        continue;
      }
      if (tries == 0) {
        split_variable_ = records_[i].variable;
        split_at_ = c.bounds[0];
      }
      std::size_t back = i + 1;
      while (back != records_.size() && !take_next(records_[back], choices_[back])) {
        choices_[back].tried = 0;
        ++back;
      }
      if (back == records_.size() || ++tries > max_tries || work_ >= last_work_) {
        return run_outcome::no_integer;
      }
      i = back;
    }
    return solves_facts() ? run_outcome::solved : run_outcome::too_large;
  }

  /// The bounds of a variable by the numbers chosen so far. False if a number does not fit.
  bool find_bounds(const elimination_record& e, elimination_choice& out) {
    out = {};
    for (std::uint32_t k = e.first; k != e.first + e.count; ++k) {
      const checked_integer* const numbers = row(saved_[k]);
      checked_integer rest = numbers[max_variables_];
      work_ += num_variables_;
      for (std::uint32_t v = 0; v != num_variables_; ++v) {
        if (v != e.variable && !numbers[v].is_zero()) {
          rest = rest + numbers[v] * values_[v];
        }
      }
      const checked_integer& c = numbers[e.variable];
      const std::size_t side = c.is_negative() ? 1 : 0;
      const checked_integer bound = side == 0 ? (-rest).ceiling_divided(c) : rest.floor_divided(-c);
      if (!bound.is_valid()) {
        return false;
      }
      if (!out.is_bounded[side] || (side == 0 ? out.bounds[0] < bound : bound < out.bounds[1])) {
        out.bounds[side] = bound;
        out.is_bounded[side] = true;
      }
    }
    return true;
  }

  /// The next number of a variable: the untried one nearest to the first. False if there is none, or enough were tried.
  bool take_next(const elimination_record& e, elimination_choice& c) {
    if (e.by_equality) {
      return false;
    }
    checked_integer& value = values_[e.variable];
    while (c.tried != max_neighbours) {
      ++c.tried;
      value = value + (c.tried % 2 != 0 ? checked_integer(c.tried) : -checked_integer(c.tried));
      if ((!c.is_bounded[0] || c.bounds[0] <= value) && (!c.is_bounded[1] || value <= c.bounds[1])) {
        return true;
      }
    }
    return false;
  }

  /// Whether the sums of all facts fit and are at least 0.
  bool solves_facts() const {
    bool solves = true;
    for (std::size_t f = 0; f != fact_names_.size() && solves; ++f) {
      const checked_integer* const numbers = facts_.data() + f * stride_;
      checked_integer sum = numbers[max_variables_];
      for (std::uint32_t i = 0; i != num_base_; ++i) {
        sum = sum + numbers[i] * values_[i];
      }
      solves = sum.is_valid() && !sum.is_negative();
    }
    return solves;
  }

  /// Splits: adds an inequality and later its opposite. It is one of the sum with a window, if few values are left for
  /// it; else of the variable without an integer.
  void split() {
    const std::size_t at = path_numbers_.size();
    path_numbers_.extend_for_overwrite(at + stride_);
    checked_integer* const numbers = path_numbers_.data() + at;
    for (std::uint32_t i = 0; i != stride_; ++i) {
      numbers[i] = 0;
    }
    if (!split_window(numbers)) {
      for (std::uint32_t k = 0; k != num_base_; ++k) {
        numbers[k] = -factor_in_base(split_variable_, k);
      }
      numbers[max_variables_] = split_at_ - 1;
    }
    const auto first = static_cast<std::uint32_t>(terms_->size());
    for (std::uint32_t k = 0; k != num_base_; ++k) {
      if (!numbers[k].is_zero()) {
        terms_->push_back({k, numbers[k]});
      }
    }
    terms_->push_back({proof_term::constant, numbers[max_variables_]});
    steps_->push_back(
        {proof_step_kind::split, nest_fact::counter_low, 0, first, static_cast<std::uint32_t>(terms_->size()) - first});
    path_.push_back({next_id_++, false});
  }

  bool split_window(checked_integer* numbers) const {
    if (!has_window_) {
      return false;
    }
    const checked_integer* const low = facts_.data() + window_ * stride_;
    const checked_integer* const high = low + stride_;
    checked_integer divisor = 0;
    for (std::uint32_t k = 0; k != num_base_; ++k) {
      divisor = common_divisor(divisor, low[k]);
    }
    if (!divisor.is_positive()) {
      return false;
    }
    checked_integer least = -low[max_variables_].floor_divided(divisor); // of the sum without the constants
    checked_integer most = high[max_variables_].floor_divided(divisor);
    for (std::size_t i = 0; i != path_.size(); ++i) {
      const checked_integer* const known = path_numbers_.data() + i * stride_;
      bool same = true;
      bool opposite = true;
      for (std::uint32_t k = 0; k != num_base_; ++k) {
        same = same && divisor * known[k] == low[k];
        opposite = opposite && divisor * known[k] == -low[k];
      }
      least = same && least < -known[max_variables_] ? -known[max_variables_] : least;
      most = opposite && known[max_variables_] < most ? known[max_variables_] : most;
    }
    const checked_integer more = most - least;
    if (!more.is_positive() || checked_integer(32) < more) {
      return false;
    }
    for (std::uint32_t k = 0; k != num_base_; ++k) {
      numbers[k] = -low[k].floor_divided(divisor);
    }
    numbers[max_variables_] = (least + most).floor_divided(2);
    return true;
  }

  /// Opens the second case of the last split that has one. False if all are done.
  bool next_case() {
    while (!path_.empty() && path_.back().is_second) {
      path_.pop_back();
      path_numbers_.shrink(path_numbers_.size() - stride_);
    }
    if (path_.empty()) {
      return false;
    }
    path_.back().is_second = true;
    checked_integer* const numbers = path_numbers_.data() + (path_.size() - 1) * stride_;
    for (std::uint32_t i = 0; i != stride_; ++i) {
      numbers[i] = -numbers[i];
    }
    numbers[max_variables_] = numbers[max_variables_] - 1;
    next_id_ = path_.back().id + 1;
    return true;
  }

  /// Drops all steps but those from which contradictions follow, definitions and splits.
  void drop_unused_steps(std::size_t first_step, std::size_t first_term) {
    link_terms(first_step, first_term);
    for (std::size_t i = steps_->size(); i-- != first_step;) {
      const proof_step& s = (*steps_)[i];
      std::uint8_t& is_used = used_[i - first_step];
      is_used = is_used != 0 || (s.kind != proof_step_kind::fact && s.kind != proof_step_kind::combination) ? 1 : 0;
      if (is_used != 0 && s.kind == proof_step_kind::combination) {
        for (std::uint32_t t = s.first; t != s.first + s.count; ++t) {
          used_[links_[t - first_term]] = 1;
        }
      } else if (s.kind == proof_step_kind::contradiction) {
        used_[s.first] = 1; // where `link_terms` has left it
      }
    }
    keep_used_steps(first_step, first_term);
  }

  /// Calls `visit(step, id)` for each step in order with the number of its first inequality, if `takes(step)`.
  template <class Takes, class Visit>
  void number_inequalities(std::size_t first_step, const Takes& takes, const Visit& visit) {
    std::uint32_t id = 0;
    path_.clear();
    for (std::size_t i = first_step; i != steps_->size(); ++i) {
      const proof_step_kind kind = (*steps_)[i].kind;
      if (!takes(i)) {
        continue;
      }
      visit(i, id);
      if (kind == proof_step_kind::split) {
        path_.push_back({id, false});
      }
      id += kind == proof_step_kind::definition ? 2 : kind == proof_step_kind::contradiction ? 0 : 1;
      if (kind == proof_step_kind::contradiction) {
        while (!path_.empty() && path_.back().is_second) {
          path_.pop_back();
        }
        if (!path_.empty()) {
          path_.back().is_second = true;
          id = path_.back().id + 1;
        }
      }
    }
  }

  /// Finds, for each term of a combination and for contradictions, the step that made its inequality.
  void link_terms(std::size_t first_step, std::size_t first_term) {
    links_.assign(terms_->size() - first_term, 0);
    used_.assign(steps_->size() - first_step, 0);
    makers_.clear();
    number_inequalities(
        first_step, [](std::size_t) { return true; },
        [&](std::size_t i, std::uint32_t id) {
          proof_step& s = (*steps_)[i];
          const auto step = static_cast<std::uint32_t>(i - first_step);
          if (s.kind == proof_step_kind::combination) {
            for (std::uint32_t t = s.first; t != s.first + s.count; ++t) {
              const inequality_maker& m = makers_[(*terms_)[t].index];
              links_[t - first_term] = m.step;
              (*terms_)[t].index = m.is_second ? 1 : 0;
            }
          } else if (s.kind == proof_step_kind::contradiction) {
            s.first = makers_[s.index].step;
            s.index = makers_[s.index].is_second ? 1 : 0;
          }
          makers_.shrink(id < makers_.size() ? id : makers_.size());
          makers_.push_back({step, false});
          makers_.push_back({step, true});
          makers_.shrink(s.kind == proof_step_kind::definition ? id + std::size_t{2} : id + std::size_t{1});
        });
  }

  void keep_used_steps(std::size_t first_step, std::size_t first_term) {
    new_ids_.assign(used_.size(), 0);
    std::size_t kept_steps = first_step;
    std::size_t kept_terms = first_term;
    number_inequalities(
        first_step, [&](std::size_t i) { return used_[i - first_step] != 0; },
        [&](std::size_t i, std::uint32_t id) {
          proof_step& s = (*steps_)[i];
          new_ids_[i - first_step] = id;
          for (std::uint32_t t = s.first; s.kind == proof_step_kind::combination && t != s.first + s.count; ++t) {
            (*terms_)[t].index += new_ids_[links_[t - first_term]];
          }
          if (s.kind == proof_step_kind::contradiction) {
            s.index += new_ids_[s.first];
            s.first = 0;
          }
        });
    for (std::size_t i = first_step; i != steps_->size(); ++i) {
      if (used_[i - first_step] == 0) {
        continue;
      }
      proof_step s = (*steps_)[i];
      const std::uint32_t from = s.first;
      s.first = s.count != 0 ? static_cast<std::uint32_t>(kept_terms) : 0;
      for (std::uint32_t t = 0; t != s.count; ++t) {
        (*terms_)[kept_terms++] = (*terms_)[from + t];
      }
      (*steps_)[kept_steps++] = s;
    }
    steps_->shrink(kept_steps);
    terms_->shrink(kept_terms);
  }

  std::uint32_t num_base_ = 0;
  std::uint32_t num_counters_ = 0;
  std::uint32_t num_variables_ = 0;
  std::uint32_t max_variables_ = 0;
  std::uint32_t stride_ = 1;
  std::uint32_t wrap_ = no_variable;
  std::uint32_t max_rows_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t max_work_ = 0;
  std::uint64_t max_work_of_case_ = 0;
  std::uint64_t last_work_ = 0; ///< when this call of `solve` gives up
  std::uint32_t next_id_ = 0;
  std::size_t window_ = 0;
  bool has_window_ = false;
  bool refuted_ = false;
  bool too_large_ = false;
  bool out_of_budget_ = false;
  elimination_stage stage_ = elimination_stage::divisors;
  std::uint32_t split_variable_ = 0;
  checked_integer split_at_;
  flat_array<checked_integer> facts_;
  flat_array<elimination_fact> fact_names_;
  flat_array<checked_integer> numbers_; ///< rows: factors of the variables, then the constant
  flat_array<std::uint32_t> ids_;       ///< by row: its number in the proof
  flat_array<std::uint8_t> alive_;
  flat_array<std::uint32_t> living_;     ///< rows, all that are alive and some that are not
  flat_array<std::uint64_t> hashes_;     ///< by row
  flat_array<std::uint32_t> table_;      ///< rows by hash, from 1 on; 0: empty. Its size is a power of two
  flat_array<std::uint32_t> bound_rows_; ///< by variable: the row of its lower bound, and that of its upper bound
  flat_array<elimination_equality> equalities_;
  flat_array<elimination_record> records_;
  flat_array<std::uint32_t> saved_;
  flat_array<elimination_choice> choices_; ///< by record
  flat_array<checked_integer> expansions_; ///< new variables, as sums of those of the system
  flat_array<checked_integer> scratch_;
  flat_array<proof_term> origins_;
  flat_array<checked_integer> values_;
  flat_array<elimination_split> path_;
  flat_array<checked_integer> path_numbers_;
  flat_array<inequality_maker> makers_; ///< by inequality
  flat_array<std::uint32_t> links_;     ///< by term: the step that made its inequality
  flat_array<std::uint8_t> used_;       ///< by step
  flat_array<std::uint32_t> new_ids_;   ///< by step: its first inequality
  flat_array<proof_step>* steps_ = nullptr;
  flat_array<proof_term>* terms_ = nullptr;
};

} // namespace detail

MIDEND_END_NAMESPACE
