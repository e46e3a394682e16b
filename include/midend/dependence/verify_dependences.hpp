/// `verify_dependences`: checks the claims about accesses of a nest by their proofs.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

enum class dependence_fault_kind : std::uint8_t {
  pair,           ///< the pair is not one of accesses of the nest, or has another number of loops around both
  cases,          ///< the vectors of orders are not all in one case, in order
  same_operation, ///< a case claims to be one run of one operation, and is not
  classes,        ///< the classes of memory do not exclude the case
  place,          ///< a proof uses unknown places
  step,           ///< a step of a proof is invalid or does not follow
  open_proof,     ///< a proof does not end with a contradiction in each case
  witness,        ///< a witness is no pair of iterations in which the accesses meet
  distance,       ///< a claim about a distance belongs to no case or level
  answer          ///< the answer, the orders or the directions do not follow from the cases
};

/// The first fault.
struct dependence_fault {
  dependence_fault_kind kind = dependence_fault_kind::pair;
  std::uint32_t result = 0;  ///< number of the result
  std::uint32_t of_case = 0; ///< valid if a case is wrong, or a claim about one
  std::uint32_t step = 0;    ///< valid if a step is wrong: its number among the steps of the result
};

class verify_dependences_workspace;

/// Nothing if all results are right; else the first fault.
///
/// Trusts the nest, but not the results. Builds each inequality that a proof names from the nest, adds as the steps
/// say, and tests each witness. Shares no code with `dependence`, which searches, while this only adds. O(numbers in
/// the inequalities of the proofs). Any contents of the results are data: wrong indices are faults.
MIDEND_FUNCTION optional<dependence_fault> verify_dependences(const nest_accesses& nest,
                                                              span<const dependence_result> results,
                                                              verify_dependences_workspace& workspace);

namespace detail {

class dependence_checker;

struct open_split {
  std::uint32_t inequalities = 0; ///< before it
  std::uint32_t variables = 0;
  std::uint32_t step = 0;
  bool is_second = false;
};

} // namespace detail

/// Memory of `verify_dependences`, reused from call to call.
class verify_dependences_workspace {
  friend class detail::dependence_checker;

  flat_array<checked_integer> numbers_; ///< inequalities: the constant, then the factors
  flat_array<detail::open_split> splits_;
  flat_array<symbol_id> symbols_;
  flat_array<checked_integer> row_;
  flat_array<iteration_order> expected_;
  flat_array<iteration_orders> orders_;
};

inline optional<dependence_fault> verify_dependences(const nest_accesses& nest, span<const dependence_result> results) {
  verify_dependences_workspace workspace;
  return verify_dependences(nest, results, workspace);
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace detail {

class dependence_checker {
public:
  dependence_checker(const nest_accesses& nest, const dependence_result& r, verify_dependences_workspace& workspace)
      : nest_(nest), r_(r), w_(workspace) {}

  optional<dependence_fault> check() {
    if (r_.first >= nest_.num_accesses() || r_.second >= nest_.num_accesses() ||
        r_.levels != nest_.common_levels(r_.first, r_.second) || r_.orders.size() != r_.levels) {
      return fault(dependence_fault_kind::pair);
    }
    number_variables();
    optional<dependence_fault> wrong = check_cases();
    for (std::uint32_t i = 0; !wrong && i != r_.distances.size(); ++i) {
      wrong = check_distance(r_.distances[i]);
    }
    return wrong ? wrong : check_answer();
  }

private:
  const nest_access& a() const { return nest_.access(r_.first); }

  const nest_access& b() const { return nest_.access(r_.second); }

  dependence_fault fault(dependence_fault_kind kind) const { return {kind, 0, case_, step_}; }

  /// Numbers the variables of the facts, as described at `nest_fact`.
  void number_variables() {
    counters_a_ = nest_.depth_below(a().loop);
    counters_ = counters_a_ + nest_.depth_below(b().loop);
    w_.symbols_.clear();
    flat_array<symbol_id>& used = w_.symbols_;
    for (symbol_id s = 0; s != nest_.num_symbols(); ++s) {
      bool is_used = false;
      for (const nest_access* access : {&a(), &b()}) {
        is_used = is_used || has_symbol(access->place, s);
        for (counter_id c = access->loop; c != no_counter; c = nest_.counter(c).parent) {
          is_used = is_used || (nest_.counter(c).has_limit && has_symbol(nest_.counter(c).limit, s));
        }
      }
      if (is_used) {
        used.push_back(s);
      }
    }
    variables_ = counters_ + static_cast<std::uint32_t>(used.size()) + (nest_.address_bits() != 0 ? 1 : 0);
  }

  bool has_symbol(const nest_form& form, symbol_id s) const {
    bool found = false;
    for (const nest_term& t : nest_.terms(form)) {
      found = found || (t.is_symbol && t.index == s);
    }
    return found;
  }

  // Cases.

  optional<dependence_fault> check_cases() {
    w_.expected_.assign(r_.levels, iteration_order::before); // the first vector that is in no case so far
    bool all = false;
    for (case_ = 0; case_ != r_.cases.size(); ++case_) {
      const dependence_case& c = r_.cases[case_];
      if (all || c.num_orders > r_.levels || !is_range(c.first_order, c.num_orders, r_.case_orders.size()) ||
          !begins_as_expected(c)) {
        return fault(dependence_fault_kind::cases);
      }
      all = pass(c.num_orders);
      if (optional<dependence_fault> wrong = check_case(c)) {
        return wrong;
      }
    }
    case_ = 0;
    return all ? optional<dependence_fault>() : fault(dependence_fault_kind::cases);
  }

  static bool is_range(std::uint32_t first, std::uint32_t count, std::size_t size) {
    return first <= size && count <= size - first;
  }

  bool begins_as_expected(const dependence_case& c) const {
    bool same = true;
    for (std::uint32_t i = 0; i != r_.levels; ++i) {
      same = same && w_.expected_[i] == (i < c.num_orders ? r_.orders_of(c)[i] : iteration_order::before);
    }
    return same;
  }

  /// Moves to the first vector that does not begin with the first `length` orders of the expected one. True if there is
  /// none.
  bool pass(std::uint32_t length) {
    while (length != 0 && w_.expected_[length - 1] == iteration_order::after) {
      w_.expected_[--length] = iteration_order::before;
    }
    if (length == 0) {
      return true;
    }
    iteration_order& last = w_.expected_[length - 1];
    last = last == iteration_order::before ? iteration_order::same : iteration_order::after;
    return false;
  }

  std::uint32_t leading_equals(const dependence_case& c) const {
    std::uint32_t n = 0;
    for (const iteration_order o : r_.orders_of(c)) {
      if (o != iteration_order::same) {
        break;
      }
      ++n;
    }
    return n;
  }

  optional<dependence_fault> check_case(const dependence_case& c) {
    switch (c.kind) {
    case dependence_case_kind::same_operation:
      if (r_.first != r_.second || leading_equals(c) != r_.levels) {
        return fault(dependence_fault_kind::same_operation);
      }
      return {};
    case dependence_case_kind::other_class:
      if (!classes_exclude(leading_equals(c))) {
        return fault(dependence_fault_kind::classes);
      }
      return {};
    case dependence_case_kind::refuted:
      return check_proof(c, c.proof, nullptr);
    case dependence_case_kind::possible:
      return c.has_witness ? check_witness(c) : optional<dependence_fault>();
    }
    return fault(dependence_fault_kind::cases); // no enumerator: a reader might take the case for an excluded one
  }

  /// Whether the classes are promised to be disjoint in iterations that are equal in so many outer loops.
  bool classes_exclude(std::uint32_t equal) const {
    if (local_classes_are_apart(a().local, a().local_loop, b().local, b().local_loop)) {
      std::uint32_t outside = 0; // number of loops around the loop of the classes
      for (counter_id c = a().local_loop; c != no_counter; c = nest_.counter(c).parent) {
        ++outside;
      }
      outside -= outside == 0 ? 0 : 1;
      if (equal >= outside) {
        return true;
      }
    }
    if (!classes_are_apart(a().memory, b().memory)) {
      return false;
    }
    bool excludes = true;
    for (const nest_access* access : {&a(), &b()}) {
      if (access->scope == class_scope::procedure) {
        continue;
      }
      // The loop of the promise is around both. The loops around it, perhaps with itself, are in equal iterations.
      std::uint32_t around = 0;
      for (counter_id c = access->scope_loop; c != no_counter; c = nest_.counter(c).parent) {
        ++around;
      }
      bool in_a = false;
      bool in_b = false;
      for (counter_id c = a().loop; c != no_counter; c = nest_.counter(c).parent) {
        in_a = in_a || c == access->scope_loop;
      }
      for (counter_id c = b().loop; c != no_counter; c = nest_.counter(c).parent) {
        in_b = in_b || c == access->scope_loop;
      }
      const std::uint32_t needed = access->scope == class_scope::iteration ? around : around - 1;
      excludes = excludes && around != 0 && in_a && in_b && equal >= needed;
    }
    return excludes;
  }

  bool places_are_known() const {
    return a().obstacle == place_obstacle::none && b().obstacle == place_obstacle::none && a().base != no_value &&
           a().base == b().base && a().bytes != 0 && b().bytes != 0;
  }

  // Facts.

  /// Writes a fact to `row_`: constant, then factors. False if there is no such fact.
  bool write_fact(nest_fact fact, std::uint32_t index, const dependence_case& c, const distance_claim* claim,
                  std::uint32_t size) {
    w_.row_.assign(std::size_t{1} + size, 0);
    checked_integer* const factors = w_.row_.data() + 1;
    switch (fact) {
    case nest_fact::counter_low:
    case nest_fact::counter_high:
    case nest_fact::counter_limit:
      return index < counters_ && write_counter_fact(fact, index);
    case nest_fact::symbol_low:
    case nest_fact::symbol_high: {
      if (index < counters_ || index - counters_ >= w_.symbols_.size()) {
        return false;
      }
      const nest_symbol& s = nest_.symbol(w_.symbols_[index - counters_]);
      factors[index] = fact == nest_fact::symbol_low ? 1 : -1;
      w_.row_[0] = fact == nest_fact::symbol_low ? -checked_integer(s.low) : checked_integer(s.high);
      return s.is_bounded;
    }
    case nest_fact::place_low:
    case nest_fact::place_high:
      write_place_fact(fact == nest_fact::place_low);
      return true;
    case nest_fact::order_first:
    case nest_fact::order_second: {
      if (index >= c.num_orders) {
        return false;
      }
      const iteration_order o = r_.orders_of(c)[index];
      const bool first = fact == nest_fact::order_first;
      factors[index] = first ? -1 : 1;
      factors[counters_a_ + index] = first ? 1 : -1;
      w_.row_[0] = o == iteration_order::same ? 0 : -1;
      return first ? o != iteration_order::after : o != iteration_order::before;
    }
    case nest_fact::distance_below:
    case nest_fact::distance_above: {
      if (claim == nullptr || index != claim->level) {
        return false;
      }
      const bool below = fact == nest_fact::distance_below;
      factors[index] = below ? 1 : -1;
      factors[counters_a_ + index] = below ? -1 : 1;
      w_.row_[0] = below ? checked_integer(claim->distance) - 1 : -checked_integer(claim->distance) - 1;
      return true;
    }
    }
    return false; // no enumerator
  }

  bool write_counter_fact(nest_fact fact, std::uint32_t index) {
    checked_integer* const factors = w_.row_.data() + 1;
    const bool of_a = index < counters_a_;
    const nest_access& access = of_a ? a() : b();
    const std::uint32_t level = of_a ? index : index - counters_a_;
    const nest_counter& c = nest_.counter(nest_.loop_at(access.loop, level));
    const bool skips_last = (access.skipped >> level & 1) != 0;
    factors[index] = fact == nest_fact::counter_low ? 1 : -1;
    if (fact == nest_fact::counter_high) {
      w_.row_[0] = checked_integer::from_unsigned(c.trips) - (skips_last ? 2 : 1);
      return c.bound != trip_bound::unknown;
    }
    if (fact == nest_fact::counter_limit && c.has_limit) {
      add_terms(c.limit, of_a ? 0 : counters_a_, 1);
      w_.row_[0] = w_.row_[0] - (skips_last ? 2 : 1);
    }
    return fact == nest_fact::counter_low || c.has_limit;
  }

  void write_place_fact(bool low) {
    add_terms(a().place, 0, low ? 1 : -1);
    add_terms(b().place, counters_a_, low ? -1 : 1);
    if (nest_.address_bits() != 0) {
      const checked_integer all = checked_integer::power_of_two(nest_.address_bits());
      w_.row_[variables_] = low ? all : -all;
    }
    w_.row_[0] = w_.row_[0] + static_cast<std::int64_t>(low ? a().bytes : b().bytes) - 1;
  }

  void add_terms(const nest_form& form, std::uint32_t first_counter, std::int64_t by) {
    w_.row_[0] = w_.row_[0] + checked_integer(form.constant) * by;
    for (const nest_term& t : nest_.terms(form)) {
      std::uint32_t variable = first_counter + (t.is_symbol ? 0 : nest_.depth_below(t.index) - 1);
      if (t.is_symbol) {
        for (variable = 0; w_.symbols_[variable] != t.index;) {
          ++variable;
        }
        variable += counters_;
      }
      w_.row_[variable + 1] = w_.row_[variable + 1] + checked_integer(t.coefficient) * by;
    }
  }

  // Proofs.

  optional<dependence_fault> check_proof(const dependence_case& c, const proof_range& p, const distance_claim* claim) {
    step_ = p.first;
    if (!places_are_known()) {
      return fault(dependence_fault_kind::place);
    }
    if (!is_range(p.first, p.count, r_.steps.size())) {
      return fault(dependence_fault_kind::step);
    }
    std::uint32_t definitions = 0;
    for (const proof_step& s : r_.steps_of(p)) {
      definitions += s.kind == proof_step_kind::definition ? 1 : 0;
    }
    size_ = variables_ + definitions;
    known_ = variables_;
    inequalities_ = 0;
    w_.numbers_.clear();
    w_.splits_.clear();
    bool closed = false;
    for (std::uint32_t i = 0; i != p.count; ++i) {
      step_ = p.first + i;
      const proof_step& s = r_.steps[step_];
      if (closed || !is_range(s.first, s.count, r_.terms.size()) || !take_step(s, c, claim)) {
        return fault(dependence_fault_kind::step);
      }
      if (s.kind == proof_step_kind::contradiction) {
        closed = !has_second_case();
        if (!closed && !open_second_case()) {
          return fault(dependence_fault_kind::step);
        }
      }
    }
    return closed ? optional<dependence_fault>() : fault(dependence_fault_kind::open_proof);
  }

  span<const proof_term> terms_of(const proof_step& s) const { return {r_.terms.data() + s.first, s.count}; }

  bool take_step(const proof_step& s, const dependence_case& c, const distance_claim* claim) {
    switch (s.kind) {
    case proof_step_kind::fact:
      return write_fact(s.fact, s.index, c, claim, size_) && push_row();
    case proof_step_kind::combination:
      return add_up(terms_of(s)) && round_row() && push_row();
    case proof_step_kind::definition: {
      if (!write_sum(terms_of(s), false)) {
        return false;
      }
      w_.row_[1 + known_] = -1;
      ++known_;
      negate_row(); // variable - sum
      const bool fits = push_row();
      negate_row();
      return fits && push_row();
    }
    case proof_step_kind::split:
      if (!write_sum(terms_of(s), true)) {
        return false;
      }
      w_.splits_.push_back({inequalities_, known_, step_, false});
      return push_row();
    default:
      return is_contradiction(s.index);
    }
  }

  /// False for a number that does not fit.
  bool push_row() {
    const std::size_t width = std::size_t{1} + size_;
    for (std::size_t i = 0; i != width; ++i) {
      if (!w_.row_[i].is_valid()) {
        return false;
      }
    }
    const std::size_t at = w_.numbers_.size();
    w_.numbers_.extend_for_overwrite(at + width);
    for (std::size_t i = 0; i != width; ++i) {
      w_.numbers_[at + i] = w_.row_[i];
    }
    ++inequalities_;
    return true;
  }

  void negate_row() {
    for (checked_integer& n : w_.row_) {
      n = -n;
    }
  }

  bool add_up(span<const proof_term> terms) {
    const std::size_t width = std::size_t{1} + size_;
    w_.row_.assign(width, 0);
    for (const proof_term& t : terms) {
      if (t.index >= inequalities_ || !t.factor.is_positive()) {
        return false;
      }
      for (std::size_t i = 0; i != width; ++i) {
        w_.row_[i] = w_.row_[i] + t.factor * w_.numbers_[t.index * width + i];
      }
    }
    return true;
  }

  /// Rounds the constant. For integers: a sum of multiples of g that is at least -c is at least -(c rounded down to a
  /// multiple of g).
  bool round_row() {
    checked_integer g = 0;
    for (std::size_t i = 1; i <= size_; ++i) {
      g = common_divisor(g, w_.row_[i]);
    }
    if (!g.is_valid()) {
      return false;
    }
    for (std::size_t i = 0; g.is_positive() && i <= size_; ++i) {
      w_.row_[i] = w_.row_[i].floor_divided(g);
    }
    return true;
  }

  bool write_sum(span<const proof_term> terms, bool may_have_constant) {
    w_.row_.assign(std::size_t{1} + size_, 0);
    for (const proof_term& t : terms) {
      const bool is_constant = t.index == proof_term::constant;
      if (is_constant ? !may_have_constant : t.index >= known_) {
        return false;
      }
      checked_integer& n = w_.row_[is_constant ? 0 : t.index + 1];
      n = n + t.factor;
    }
    return true;
  }

  bool is_contradiction(std::uint32_t inequality) const {
    if (inequality >= inequalities_) {
      return false;
    }
    const std::size_t width = std::size_t{1} + size_;
    const checked_integer* const numbers = w_.numbers_.data() + inequality * width;
    bool no_variables = true;
    for (std::size_t i = 1; i != width; ++i) {
      no_variables = no_variables && numbers[i].is_zero();
    }
    return no_variables && numbers[0].is_valid() && numbers[0].is_negative();
  }

  /// Forgets splits with two closed cases. False if none is left.
  bool has_second_case() {
    while (!w_.splits_.empty() && w_.splits_.back().is_second) {
      w_.splits_.pop_back();
    }
    return !w_.splits_.empty();
  }

  /// Goes back to the last split.
  bool open_second_case() {
    open_split& split = w_.splits_.back();
    split.is_second = true;
    inequalities_ = split.inequalities;
    known_ = split.variables;
    w_.numbers_.shrink(inequalities_ * (std::size_t{1} + size_));
    static_cast<void>(write_sum(terms_of(r_.steps[split.step]), true));
    negate_row();
    w_.row_[0] = w_.row_[0] - 1;
    return push_row();
  }

  // Witnesses, distances, the answer.

  optional<dependence_fault> check_witness(const dependence_case& c) {
    if (!places_are_known() || c.num_variables != variables_ ||
        !is_range(c.witness, c.num_variables, r_.witnesses.size())) {
      return fault(dependence_fault_kind::witness);
    }
    bool differs = r_.first != r_.second; // or both are two runs of one operation
    for (std::uint32_t i = 0; i != counters_a_ && !differs; ++i) {
      differs = r_.witness_of(c)[i] != r_.witness_of(c)[counters_a_ + i];
    }
    if (!differs) {
      return fault(dependence_fault_kind::witness);
    }
    for (unsigned f = 0; f <= static_cast<unsigned>(nest_fact::order_second); ++f) {
      for (std::uint32_t index = 0; index != variables_ + 1; ++index) {
        const auto fact = static_cast<nest_fact>(f);
        const bool about_places = fact == nest_fact::place_low || fact == nest_fact::place_high;
        if ((about_places && index != 0) || !write_fact(fact, index, c, nullptr, variables_)) {
          continue;
        }
        checked_integer sum = w_.row_[0];
        for (std::uint32_t i = 0; i != variables_; ++i) {
          sum = sum + w_.row_[i + 1] * r_.witness_of(c)[i];
        }
        if (!sum.is_valid() || sum.is_negative()) {
          return fault(dependence_fault_kind::witness);
        }
      }
    }
    return {};
  }

  optional<dependence_fault> check_distance(const distance_claim& claim) {
    case_ = claim.of_case;
    if (claim.of_case >= r_.cases.size() || claim.level >= r_.levels) {
      return fault(dependence_fault_kind::distance);
    }
    const dependence_case& c = r_.cases[claim.of_case];
    for (const bool below : {true, false}) {
      const proof_range& proof = below ? claim.below : claim.above;
      const nest_fact other = below ? nest_fact::distance_above : nest_fact::distance_below;
      if (is_range(proof.first, proof.count, r_.steps.size())) {
        for (const proof_step& s : r_.steps_of(proof)) {
          if (s.kind == proof_step_kind::fact && s.fact == other) { // both facts contradict each other
            return fault(dependence_fault_kind::distance);
          }
        }
      }
      if (optional<dependence_fault> wrong = check_proof(c, proof, &claim)) {
        return wrong;
      }
    }
    return {};
  }

  optional<dependence_fault> check_answer() {
    case_ = step_ = 0;
    bool possible = false;
    bool witnessed = false;
    bool exact = true;
    bool forward = false;
    bool backward = false;
    bool in_one_iteration = false;
    w_.orders_.assign(r_.levels, 0);
    for (const dependence_case& c : r_.cases) {
      if (c.kind != dependence_case_kind::possible) {
        continue;
      }
      possible = true;
      witnessed = witnessed || c.has_witness;
      exact = exact && c.has_witness;
      const std::uint32_t equal = leading_equals(c);
      const bool decided = equal < c.num_orders;
      const bool may_be_equal = !decided; // in all loops
      const bool may_differ = !decided && equal < r_.levels;
      const iteration_order o = decided ? r_.orders_of(c)[equal] : iteration_order::same;
      forward = forward || o == iteration_order::before || may_differ || (may_be_equal && r_.first <= r_.second);
      backward = backward || o == iteration_order::after || may_differ || (may_be_equal && r_.first >= r_.second);
      in_one_iteration = in_one_iteration || (may_be_equal && r_.first != r_.second);
      for (std::uint32_t i = 0; i != r_.levels; ++i) {
        const unsigned here = i < c.num_orders ? 1U << static_cast<unsigned>(r_.orders_of(c)[i]) : 7U;
        w_.orders_[i] = static_cast<iteration_orders>(w_.orders_[i] | here);
      }
    }
    const dependence_answer answer = witnessed  ? dependence_answer::dependent
                                     : possible ? dependence_answer::unknown
                                                : dependence_answer::independent;
    const bool right = r_.answer == answer && r_.is_exact == exact && r_.forward == forward &&
                       r_.backward == backward && r_.loop_independent == in_one_iteration && r_.orders == w_.orders_;
    return right ? optional<dependence_fault>() : fault(dependence_fault_kind::answer);
  }

  const nest_accesses& nest_;
  const dependence_result& r_;
  verify_dependences_workspace& w_;
  std::uint32_t counters_a_ = 0;
  std::uint32_t counters_ = 0;
  std::uint32_t variables_ = 0;
  std::uint32_t size_ = 0;  ///< factors of an inequality
  std::uint32_t known_ = 0; ///< variables that are defined
  std::uint32_t inequalities_ = 0;
  std::uint32_t case_ = 0;
  std::uint32_t step_ = 0;
};

} // namespace detail

MIDEND_FUNCTION optional<dependence_fault> verify_dependences(const nest_accesses& nest,
                                                              span<const dependence_result> results,
                                                              verify_dependences_workspace& workspace) {
  for (std::uint32_t i = 0; i != results.size(); ++i) {
    optional<dependence_fault> wrong = detail::dependence_checker(nest, results[i], workspace).check();
    if (wrong) {
      wrong->result = i;
      return wrong;
    }
  }
  return {};
}

MIDEND_END_NAMESPACE

#endif
