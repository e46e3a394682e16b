/// `verify_collapse`: checks that an inner loop merged with the loop around it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/collapse_plan.hpp"
#include "midend/transform/detail/checked_pair.hpp"
#include "midend/transform/detail/paired_programs.hpp"
#include "midend/transform/detail/value_reads.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a collapse.
enum class collapse_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs differ in nodes or entry, or old values are missing
  changed_flow,      ///< edges, targets or cases changed, besides the erased inner backedges
  no_nest,           ///< the witness names two loops that are no perfect nest, or that do not test in their latches
  unknown_count,     ///< a loop does not run an exact number of times, or the product does not fit
  wrong_counter,     ///< the new counter does not end after the product
  not_linear,        ///< a value that the counter replaces is not equal to it
  wrong_carry,       ///< a phi does not get the value of the next iteration of the two loops
  missing_operation, ///< an operation of the old program is missing
  extra_operation,   ///< a new operation does more than compute, or an old one is elsewhere
  changed_operation, ///< an operation computes something else, or promises more
  fixed_operand,     ///< an operation names the value that it read
  different_value,   ///< an operation reads another value
  moved_effect       ///< between the loops is an effect or a trap, which now runs in each iteration
};

/// The first fault and its place, or none.
struct collapse_verdict {
  collapse_fault fault = collapse_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == collapse_fault::none; }
};

namespace detail {

template <class Before, class After> class collapse_checker {
  using fault = collapse_fault;

public:
  collapse_checker(const Before& before, const After& after, const collapse_witness& witness,
                   span<const number_facts> facts)
      : pair_(before, after), before_(before), after_(after), witness_(witness), facts_(facts), reads_(before) {}

  collapse_verdict run() {
    if (!pair_.read()) {
      fail(fault::wrong_size, no_node);
      return verdict_;
    }
    flow_ = dominators_and_loops(before_.graph());
    found_ = evolutions(before_, flow_.loops, facts_);
    nest_of_.assign(node_count(before_.graph()), none);
    read_nests();
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_edges(pair_.order[i]);
    }
    for (std::uint32_t i = 0; ok() && i != witness_.nests.size(); ++i) {
      check_counter(i);
      check_linear(i);
      check_carried(i);
      check_between(i);
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_node(pair_.order[i]);
    }
    return verdict_;
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  bool ok() const { return verdict_.fault == fault::none; }

  void fail(fault why, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_ = {why, n, v};
    }
  }

  bool is_old(value_id v) const { return v < pair_.num_old_values(); }

  bool is_new(value_id v) const { return v >= pair_.num_old_values() && v < pair_.new_home.size(); }

  node_id old_home(value_id v) const { return is_old(v) ? pair_.old_home[v] : no_node; }

  node_id new_home(value_id v) const { return v < pair_.new_home.size() ? pair_.new_home[v] : no_node; }

  const checked_pair<Before>* nest_at(node_id n) const {
    return n == no_node || nest_of_[n] == none ? nullptr : &levels_[nest_of_[n]];
  }

  void read_nests() {
    meaning_.assign(pair_.new_home.size(), no_value);
    for (std::size_t v = 0; v != pair_.num_old_values(); ++v) {
      meaning_[v] = static_cast<value_id>(v);
    }
    counts_.assign(pair_.new_home.size(), no_value);
    for (const copied_operation& m : witness_.moved) {
      if (!is_new(m.copy) || !is_old(m.original) || meaning_[m.copy] != no_value) {
        fail(fault::wrong_carry, no_node, m.copy);
        return;
      }
      meaning_[m.copy] = m.original;
    }
    for (std::uint32_t i = 0; ok() && i != witness_.nests.size(); ++i) {
      const collapsed_nest& nest = witness_.nests[i];
      checked_pair<Before> p(before_, flow_.loops);
      const bool is_range = nest.first_linear <= nest.last_linear && nest.last_linear <= witness_.linear.size();
      if (!is_range || !p.read(nest.outer_header, nest.inner_header) || !p.is_rotated() || !is_new(nest.counter) ||
          meaning_[nest.counter] != no_value) {
        fail(fault::no_nest, nest.outer_header);
        return;
      }
      for (std::uint32_t k = nest.first_linear; k != nest.last_linear; ++k) {
        if (!is_old(witness_.linear[k]) || counts_[witness_.linear[k]] != no_value) {
          fail(fault::not_linear, nest.outer_header, witness_.linear[k]);
          return;
        }
        counts_[witness_.linear[k]] = nest.counter;
      }
      for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
        if (nest_of_[n] != none) {
          fail(fault::no_nest, n);
          return;
        }
        nest_of_[n] = i;
      }
      levels_.push_back(p);
    }
  }

  /// Whether `u` of the new program stands for `x`.
  bool means(value_id u, value_id x) const {
    if (u == no_value || x == no_value) {
      return u == x;
    }
    if (!is_old(x) || u >= pair_.new_home.size()) {
      return false;
    }
    if (pair_.old_home[x] == no_node) {
      return pair_.new_home[u] == no_node && static_cast<bool>(before_.same_operation(x, after_, u));
    }
    return pair_.new_home[u] != no_node && pair_.reached[pair_.new_home[u]] != 0 &&
           (meaning_[u] == x || (is_new(u) && counts_[x] == u));
  }

  void compare_edges(node_id n) {
    const checked_pair<Before>* const p = nest_at(n);
    if (p == nullptr || n != p->inner.test) {
      if (!pair_.same_edges(n)) {
        fail(fault::changed_flow, n);
      }
      return;
    }
    std::size_t count = 0;
    bool same = !pair_.promises_new_end(n);
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      ++count;
      same =
          same && e == p->inner.exit &&
          static_cast<node_id>(after_.graph().edge_target(e)) == static_cast<node_id>(before_.graph().edge_target(e));
      if constexpr (has_must_end<Before> && has_must_end<After>) {
        same = same && (!static_cast<bool>(after_.must_end(e)) || static_cast<bool>(before_.must_end(e)));
      }
    });
    if (count != 1 || !same || static_cast<value_id>(after_.condition(n)) != no_value) {
      fail(fault::changed_flow, n);
    }
  }

  // ---- The counter.

  bool number(value_id v, unsigned width, std::uint64_t& out) const {
    if (v == no_value || v >= pair_.new_home.size() || pair_.new_home[v] != no_node ||
        after_.operation(v).width != width) {
      return false;
    }
    const auto n = after_.constant(v);
    out = n ? static_cast<std::uint64_t>(*n) & low_ones(width) : 0;
    return n.has_value();
  }

  /// Whether `v` is a new operation of two operands without promises.
  bool two_operands(value_id v, operation code, value_id (&out)[2]) const {
    if (!is_new(v) || pair_.new_home[v] == no_node || after_.is_phi(v) || after_.operation(v).code != code ||
        after_.operation(v).flags != operation_flags() || after_.may_trap(v)) {
      return false;
    }
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id x) {
      if (i < 2) {
        out[i] = x;
      }
      ++i;
    });
    return i == 2;
  }

  void check_counter(std::uint32_t index) {
    const checked_pair<Before>& p = levels_[index];
    const value_id counter = witness_.nests[index].counter;
    const trip_count& outer = found_.trips(p.outer.loop).count;
    const trip_count& inner = found_.trips(p.inner.loop).count;
    const auto a = outer.header_executions();
    const auto b = inner.header_executions();
    if (outer.kind != trip_count_kind::exact || inner.kind != trip_count_kind::exact || !a || !b ||
        *a > ~std::uint64_t{0} / *b) {
      fail(fault::unknown_count, p.outer.header);
      return;
    }
    inner_trips_ = *b;
    const std::uint64_t product = *a * *b;
    const node_id home = new_home(counter);
    if (!after_.is_phi(counter) || home != p.outer.header) {
      fail(fault::wrong_counter, p.outer.header, counter);
      return;
    }
    width_ = after_.operation(counter).width;
    const auto next = static_cast<value_id>(after_.phi_input(counter, p.outer.back));
    value_id added[2] = {no_value, no_value};
    value_id compared[2] = {no_value, no_value};
    std::uint64_t bound = 0;
    const operation test = p.outer.stays_if_one ? operation::not_equal : operation::equal;
    const auto condition = static_cast<value_id>(after_.condition(p.outer.test));
    const bool good = width_ >= 1 && width_ <= 64 &&
                      number(static_cast<value_id>(after_.phi_input(counter, p.outer.entering)), width_, start_) &&
                      two_operands(next, operation::add, added) && after_.operation(next).width == width_ &&
                      added[0] == counter && number(added[1], width_, step_) &&
                      two_operands(condition, test, compared) && after_.operation(condition).operand_width == width_ &&
                      compared[0] == next && number(compared[1], width_, bound);
    // The multiples of the step by 1, …, product - 1 are not 0 modulo 2^width, so the counter reaches the bound once.
    std::uint64_t odd = step_;
    unsigned zeros = 0;
    while (odd != 0 && odd % 2 == 0) {
      odd /= 2;
      ++zeros;
    }
    const bool once = odd != 0 && zeros < width_ && (width_ - zeros >= 64 || (product - 1) >> (width_ - zeros) == 0);
    if (!good || !once || ((start_ + step_ * product - bound) & low_ones(width_)) != 0) {
      fail(fault::wrong_counter, p.outer.header, counter);
    }
  }

  /// Checks values of the body that claim to equal the counter in each iteration.
  void check_linear(std::uint32_t index) {
    const checked_pair<Before>& p = levels_[index];
    const collapsed_nest& nest = witness_.nests[index];
    for (std::uint32_t i = nest.first_linear; ok() && i != nest.last_linear; ++i) {
      const value_id v = witness_.linear[i];
      const node_id home = old_home(v);
      bool good = home != no_node && flow_.loops.innermost_loop(home) == p.inner.loop && !before_.is_phi(v) &&
                  p.is_pure(v) && before_.operation(v).code != operation::other && before_.operation(v).width == width_;
      if (good) {
        const nested_evolution e = found_.in_scope(v, p.outer.loop);
        good = e.is_known() && e.num_loops == 2 && e.width == width_;
        std::uint64_t left[3] = {start_, step_ * inner_trips_, step_}; // coefficients of 1, of the outer iteration, and
                                                                       // of the inner one
        for (std::uint32_t k = 0; good && k != e.num_terms; ++k) {
          const auto [x, y] = degrees(e.terms[k]);
          good = e.terms[k].value == no_value && x + y <= 1;
          if (good) {
            std::uint64_t& n = left[x == 1 ? 1 : y == 1 ? 2 : 0];
            n -= e.terms[k].coefficient;
          }
        }
        for (const std::uint64_t n : left) {
          good = good && (n & low_ones(width_)) == 0;
        }
      }
      if (!good) {
        fail(fault::not_linear, home, v);
      }
    }
  }

  struct two_degrees {
    unsigned x;
    unsigned y;
  };

  static two_degrees degrees(const nested_evolution::term& t) { return {t.degrees[0], t.degrees[1]}; }

  // ---- What iterations carry.

  void check_carried(std::uint32_t index) {
    const checked_pair<Before>& p = levels_[index];
    for_each_phi(after_, p.inner.header, [&](value_id phi) {
      if (!is_old(phi) || !continues(phi, p)) {
        fail(fault::wrong_carry, p.inner.header, phi);
      }
    });
    for_each_phi(after_, p.outer.header, [&](value_id phi) {
      if (phi == witness_.nests[index].counter || !ok()) {
        return;
      }
      const auto first = static_cast<value_id>(after_.phi_input(phi, p.outer.entering));
      const auto next = static_cast<value_id>(after_.phi_input(phi, p.outer.back));
      const value_id x = meaning_[phi];
      bool good = is_old(x) && before_.is_phi(x);
      if (good && is_old(phi)) {
        const auto old_next = static_cast<value_id>(before_.phi_input(phi, p.outer.back));
        const value_id partner = only_reader(phi);
        const bool is_one_variable = partner != no_value && old_home(partner) == p.inner.header &&
                                     new_home(partner) == p.inner.header && continues(partner, p);
        good = means(first, static_cast<value_id>(before_.phi_input(phi, p.outer.entering))) &&
               (is_one_variable ? means(next, old_next) : is_choice(next, phi, old_next, p));
      } else if (good) {
        good = old_home(x) == p.inner.header && before_.operation(x).width == after_.operation(phi).width &&
               static_cast<bool>(before_.same_operation(x, after_, phi));
        const auto start = good ? static_cast<value_id>(before_.phi_input(x, p.inner.entering)) : no_value;
        const bool of_phi = is_old(start) && before_.is_phi(start) && old_home(start) == p.outer.header;
        const value_id at_first = of_phi ? static_cast<value_id>(before_.phi_input(start, p.outer.entering)) : start;
        const value_id again = of_phi ? static_cast<value_id>(before_.phi_input(start, p.outer.back)) : start;
        good = good && is_old(start) && (of_phi || p.is_outside(old_home(start))) && means(first, at_first) &&
               is_choice(next, static_cast<value_id>(before_.phi_input(x, p.inner.back)), again, p);
      }
      if (!good) {
        fail(fault::wrong_carry, p.outer.header, phi);
      }
    });
  }

  /// Whether `u` selects by the old test of the inner loop: `stays` if the loop continues, `leaves` if not.
  bool is_choice(value_id u, value_id stays, value_id leaves, const checked_pair<Before>& p) const {
    if (!is_new(u) || pair_.new_home[u] == no_node || after_.is_phi(u) ||
        after_.operation(u).code != operation::select || after_.operation(u).flags != operation_flags() ||
        after_.may_trap(u)) {
      return false;
    }
    value_id read[3] = {no_value, no_value, no_value};
    std::size_t i = 0;
    for_each_id(after_.operands(u), [&](value_id x) {
      if (i < 3) {
        read[i] = x;
      }
      ++i;
    });
    const unsigned width = after_.operation(u).width;
    const bool if_one = p.inner.stays_if_one;
    return i == 3 && means(read[0], static_cast<value_id>(before_.condition(p.inner.test))) &&
           means(read[if_one ? 1 : 2], stays) && means(read[if_one ? 2 : 1], leaves) &&
           after_.operation(read[1]).width == width && after_.operation(read[2]).width == width;
  }

  value_id only_reader(value_id phi) const {
    const span<const value_read> readers = reads_.of(phi);
    return readers.size() == 1 ? readers[0].reader : no_value;
  }

  /// Whether a phi of the inner header starts with a phi of the outer header that has no other reader, and the outer
  /// phi continues with the last value of the inner one. Then both are one variable in the old program.
  bool continues(value_id phi, const checked_pair<Before>& p) const {
    const auto outer = static_cast<value_id>(before_.phi_input(phi, p.inner.entering));
    if (!is_old(outer) || !before_.is_phi(outer) || old_home(outer) != p.outer.header || only_reader(outer) != phi) {
      return false;
    }
    const auto last = static_cast<value_id>(before_.phi_input(phi, p.inner.back));
    auto next = static_cast<value_id>(before_.phi_input(outer, p.outer.back));
    const auto exit = static_cast<node_id>(before_.graph().edge_target(p.inner.exit));
    if (next != last && is_old(next) && before_.is_phi(next) && old_home(next) == exit && p.is_between(exit)) {
      next = static_cast<value_id>(before_.phi_input(next, p.inner.exit)); // along the only edge into that node
    }
    return next == last;
  }

  /// Operations between the loops.
  void check_between(std::uint32_t index) {
    const checked_pair<Before>& p = levels_[index];
    for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
      for_each_id(after_.values(n), [&](value_id v) {
        if (after_.is_phi(v)) {
          return;
        }
        const bool ends_node = is_terminator(after_, v) && after_.effect(v) == effect_kind::none;
        if (is_convergent(after_, v) ||
            (p.is_between(n) && !ends_node &&
             (after_.effect(v) != effect_kind::none || after_.is_volatile(v) || after_.may_not_return(v) ||
              after_.may_trap(v) || !is_repeatable(after_, v)))) {
          fail(fault::moved_effect, n, v);
        }
      });
    }
  }

  // ---- The rest.

  void compare_node(node_id n) {
    const checked_pair<Before>* const p = nest_at(n);
    const bool loses_branch = p != nullptr && n == p->inner.test;
    old_values_.clear();
    for_each_id(before_.values(n), [&](value_id v) { old_values_.push_back(v); });
    std::size_t at = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (loses_branch && is_terminator(after_, v) && after_.effect(v) == effect_kind::none) {
        return;
      }
      if (!is_old(v)) {
        compare_new(n, v, p);
        return;
      }
      while (at != old_values_.size() && old_values_[at] != v) {
        check_removed(n, old_values_[at++], p);
      }
      if (at == old_values_.size()) {
        fail(fault::extra_operation, n, v);
        return;
      }
      ++at;
      if (!pair_.same_operation(v, v) && !(p != nullptr && n == p->inner.header && before_.is_phi(v))) {
        fail(fault::changed_operation, n, v);
      }
      // One run of these loops has other iterations now.
      const node_id scope = pair_.scope_of(v);
      if (!pair_.keeps_local_class(v, v) || (p != nullptr && (scope == p->outer.header || scope == p->inner.header))) {
        fail(fault::changed_operation, n, v);
      }
      compare_operands(n, v, p);
    });
    while (at != old_values_.size()) {
      check_removed(n, old_values_[at++], p);
    }
    if (p == nullptr || (n != p->outer.test && n != p->inner.test)) {
      compare_read(n, static_cast<value_id>(before_.condition(n)), static_cast<value_id>(after_.condition(n)));
    }
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      const auto to = static_cast<node_id>(after_.graph().edge_target(e));
      const checked_pair<Before>* const there = nest_at(to);
      if (there != nullptr && to == there->outer.header) {
        return; // `check_carried` compares it
      }
      for_each_phi(after_, to, [&](value_id phi) {
        if (is_old(phi)) {
          compare_read(to, static_cast<value_id>(before_.phi_input(phi, e)),
                       static_cast<value_id>(after_.phi_input(phi, e)));
        }
      });
    });
  }

  void check_removed(node_id n, value_id v, const checked_pair<Before>* p) {
    const bool is_branch = p != nullptr && n == p->inner.test && is_terminator(before_, v);
    if (p == nullptr || !(before_.is_phi(v) || p->is_pure(v) || is_branch)) {
      fail(fault::missing_operation, n, v);
    }
  }

  /// Compares new operations: steps and tests of the counter, selects, and phis of the outer header. Their readers are
  /// checked elsewhere.
  void compare_new(node_id n, value_id v, const checked_pair<Before>* p) {
    const bool good =
        p != nullptr &&
        (after_.is_phi(v) ? n == p->outer.header
                          : !is_terminator(after_, v) && after_.effect(v) == effect_kind::none &&
                                !after_.may_not_return(v) && !after_.is_volatile(v) && !after_.may_trap(v));
    if (!good) {
      fail(fault::extra_operation, n, v);
    }
  }

  void compare_operands(node_id n, value_id v, const checked_pair<Before>* p) {
    if (before_.is_phi(v)) {
      return; // edge by edge
    }
    operands_.clear();
    for_each_id(before_.operands(v), [&](value_id y) { operands_.push_back(y); });
    const bool is_test = p != nullptr && n == p->outer.test && is_terminator(after_, v);
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id u) {
      const bool is_condition = is_test && u == static_cast<value_id>(after_.condition(n)) && i < operands_.size() &&
                                operands_[i] == static_cast<value_id>(before_.condition(n));
      if (i < operands_.size() && !is_condition) {
        compare_read(n, operands_[i], u);
        if (u != operands_[i] && new_home(u) != no_node && !may_replace_operand(before_, v, i)) {
          fail(fault::fixed_operand, n, v);
        }
      }
      ++i;
    });
    if (i != operands_.size()) {
      fail(fault::changed_operation, n, v);
    }
  }

  void compare_read(node_id n, value_id x, value_id u) {
    if (!means(u, x)) {
      fail(fault::different_value, n, u);
    }
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const collapse_witness& witness_;
  span<const number_facts> facts_;
  value_reads<Before> reads_;
  collapse_verdict verdict_;
  dominators_and_loops_result flow_;
  value_evolutions found_;
  flat_array<std::uint32_t> nest_of_;         ///< by node
  object_array<checked_pair<Before>> levels_; ///< by nest
  flat_array<value_id> meaning_;              ///< by new value
  flat_array<value_id> counts_;               ///< by old value: the counter that equals it
  flat_array<value_id> old_values_;
  flat_array<value_id> operands_;
  unsigned width_ = 0; ///< of the counter of the nest being checked
  std::uint64_t start_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t inner_trips_ = 0;
};

} // namespace detail

/// Checks that `after` is `before`, where inner loops merged with the loops around them, as `witness` says. It shares
/// no code with the transformation. One must trust this function; `dominators_and_loops` and `evolutions` on the old
/// program; the semantics, effects and `same_operation` of the IRs; and `facts`, which must hold for the old program.
/// Requires IRs that `check_ir` accepts.
///
/// **What is checked.** Nodes, edges and cases are the old ones, without the backedge of each inner loop. Iteration k
/// of the new loop is iteration k mod n of the inner one in iteration k / n of the outer one, by induction over k:
/// 1. Both loops are a perfect nest that tests in the latches, and run exact numbers of times, m and n. The new counter
///    is tested so that the loop ends after m · n iterations: the counter then reaches its last number for the first
///    time.
/// 2. The next value of a phi of the outer header is a select by the old test of the inner loop. If the inner loop
///    continues, the select yields the phi itself, or the next value of the inner phi for which it stands; else it
///    yields the value in the next iteration of the outer loop. Or the phi and a phi of the inner header are one
///    variable.
/// 3. Where an operation reads the counter in place of a value, both are the same number: the value is a linear
///    function of both iteration numbers with matching coefficients.
/// 4. Every other operation is the old one at the old place and reads values that stand for the old ones. Between the
///    loops no operation has effects or may trap.
/// 5. Edges promise no more about the end of loops. No access has a local class of one of the two loops, or a new one.
///
/// O(n + m + values + operands), and the cost of `evolutions`.
template <certifiable_ir Before, certifiable_ir After>
  requires freezable_ir<Before> && has_operation<Before> && has_operation<After>
collapse_verdict verify_collapse(const Before& before, const After& after, const collapse_witness& witness,
                                 span<const number_facts> facts = {}) {
  return detail::collapse_checker<Before, After>(before, after, witness, facts).run();
}

MIDEND_END_NAMESPACE
