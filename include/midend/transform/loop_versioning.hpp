/// `loop_versioning`: comparisons of addresses before a loop choose a copy in which accesses do not meet.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/dependence/runtime_checks.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/hierarchical_ordering.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/build_versions.hpp"
#include "midend/transform/detail/divided_counts.hpp"
#include "midend/transform/detail/version_flows.hpp"
#include "midend/transform/loop_versioning_plan.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

struct loop_versioning_limits {
  /// Operations and phis to copy for all loops together, before any clean-up.
  std::size_t max_cloned = 1024;
  /// Comparisons of intervals before one loop.
  std::uint32_t max_checks = 16;
  /// If any, only these loops.
  span<const wanted_loop> only = {};
};

/// What `apply_loop_versioning` requires of an editor.
template <class E>
concept loop_versioning_editor = loop_version_editor<E> && memory_class_editor<E> && can_make_operations<E> &&
                                 can_make_numbers<E> && can_set_branches<E> && memory_ir<E>;

namespace detail {

/// The assumed probability that the comparisons hold. LLVM takes the same number.
inline constexpr double checks_hold = 127.0 / 128;

template <class IR, class Dominators> class versioning_planner {
public:
  versioning_planner(const IR& ir, const Dominators& dominators, const loop_forest& loops,
                     const value_evolutions& found, span<const number_facts> facts,
                     const loop_versioning_limits& limits, loop_versioning_plan& out)
      : ir_(ir), dominators_(dominators), loops_(loops), found_(found), facts_(facts), limits_(limits),
        wanted_(loops, limits.only), costs_(ir, loops), out_(out) {}

  void run() {
    if (loops_.num_loops() == 0) {
      return;
    }
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
    weak_topological_order_workspace ordering;
    weak_topological_order(ir_.graph(), ordering, order_);
    taken_.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) { // a loop comes before those in it
      if (wanted_.has(l)) {
        versioning_candidate c;
        c.loop = l;
        const sizes before = sizes_now();
        c.obstacle = plan_loop(c);
        if (c.obstacle == versioning_obstacle::none) {
          choose(c, before);
        } else {
          shrink(before);
        }
        out_.candidates.push_back(c);
      }
    }
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  static constexpr unsigned most_bits = 61; ///< for each of the two parts of a form

  struct sizes {
    std::size_t symbols;
    std::size_t intervals;
    std::size_t terms;
    std::size_t comparisons;
    std::size_t conditions;
    std::size_t accesses;
  };

  sizes sizes_now() const {
    return {out_.symbols.size(),     out_.intervals.size(),  out_.terms.size(),
            out_.comparisons.size(), out_.conditions.size(), out_.accesses.size()};
  }

  void shrink(const sizes& to) {
    out_.symbols.shrink(to.symbols);
    out_.intervals.shrink(to.intervals);
    out_.terms.shrink(to.terms);
    out_.comparisons.shrink(to.comparisons);
    out_.conditions.shrink(to.conditions);
    out_.accesses.shrink(to.accesses);
  }

  bool is_around(node_id header, loop_id l) const {
    while (l != no_loop && loops_.header(l) != header) {
      l = loops_.parent(l);
    }
    return l != no_loop;
  }

  versioning_obstacle plan_loop(versioning_candidate& c) {
    if (taken_[c.loop] != 0) {
      return versioning_obstacle::overlaps;
    }
    read_nest(ir_, loops_, dominators_, found_, facts_, c.loop, order_, reading_, nest_);
    if (nest_.obstacle != nest_obstacle::none) {
      c.nest = nest_.obstacle;
      return versioning_obstacle::unreadable;
    }
    if (is_checked(c.loop)) {
      return versioning_obstacle::already_checked;
    }
    assume_limits();
    if (!list_pairs(c)) {
      return versioning_obstacle::nothing_to_separate;
    }
    runtime_checks(nest_.accesses, {pairs_.data(), pairs_.size()}, checking_, checks_);
    if (checks_.comparisons.empty()) {
      c.check = checks_.unchecked.empty() ? check_obstacle::none : checks_.unchecked[0].why;
      return versioning_obstacle::no_check;
    }
    const std::size_t first_comparison = out_.comparisons.size();
    if (const versioning_obstacle why = copy_checks(); why != versioning_obstacle::none) {
      return why;
    }
    c.checks = static_cast<std::uint32_t>(out_.comparisons.size() - first_comparison);
    if (c.checks > limits_.max_checks) {
      return versioning_obstacle::too_many_checks;
    }
    const loop_copy_cost cost = costs_.of(c.loop);
    c.cloned = cost.operations;
    c.copying = cost.obstacle;
    return cost.obstacle != loop_copy_obstacle::none ? versioning_obstacle::not_copied
           : cost.operations > limits_.max_cloned - min(out_.cloned, limits_.max_cloned)
               ? versioning_obstacle::too_large
               : versioning_obstacle::none;
  }

  /// Whether an access has a class within the loop, or within one around it.
  bool is_checked(loop_id l) const {
    bool is = false;
    for (access_id a = 0; a != nest_.accesses.num_accesses(); ++a) {
      const optional<memory_reference> m = reference_of(a);
      is = is || (m && m->local != any_memory && is_around(m->scope, l));
    }
    return is;
  }

  optional<memory_reference> reference_of(access_id a) const {
    const nest_access& access = nest_.accesses.access(a);
    if (access.obstacle == place_obstacle::no_reference || access.obstacle == place_obstacle::volatile_place) {
      return {};
    }
    return ir_.memory(access.operation);
  }

  bool has_place(access_id a) const {
    const nest_access& access = nest_.accesses.access(a);
    return access.obstacle == place_obstacle::none && access.base != no_value && access.base != no_base &&
           access.bytes != 0;
  }

  /// Some loops run as often as a form says if the form is not negative. Gives them this form as their limit, and adds
  /// that it is not negative as a condition before the nest. Loops that certainly run seldom need one.
  void assume_limits() {
    nest_accesses& nest = nest_.accesses;
    assumed_.clear();
    for (counter_id k = 0; k != nest.num_counters(); ++k) {
      const nest_counter c = nest.counter(k);
      if (c.has_limit || !c.has_bound || c.bound == trip_bound::exact ||
          (c.bound == trip_bound::at_most && c.trips < seldom)) {
        continue;
      }
      flat_array<nest_term> terms;
      bool is_symbolic = true;
      for (const nest_term& t : nest.terms(c.bound_form)) {
        is_symbolic = is_symbolic && t.is_symbol;
        terms.push_back(t);
      }
      if (is_symbolic) {
        nest.set_limit(k, c.bound_form.constant, {terms.data(), terms.size()});
        assumed_.push_back(k);
      }
    }
  }

  /// Lists pairs with a store, different bases, and classes that do not separate them. A pair with an unknown place is
  /// not listed.
  bool list_pairs(versioning_candidate& c) {
    const nest_accesses& nest = nest_.accesses;
    pairs_.clear();
    for (access_id a = 0; a != nest.num_accesses(); ++a) {
      for (access_id b = a + 1; has_place(a) && b != nest.num_accesses(); ++b) {
        const nest_access& x = nest.access(a);
        const nest_access& y = nest.access(b);
        if (has_place(b) && (x.writes || y.writes) && x.base != y.base && !classes_are_apart(x.memory, y.memory)) {
          pairs_.push_back({a, b});
          if (pairs_.size() > max_pairs) {
            return false;
          }
        }
      }
    }
    c.pairs = static_cast<std::uint32_t>(pairs_.size());
    return !pairs_.empty();
  }

  /// Copies intervals and their classes. An access whose pairs have no comparison gets no class.
  versioning_obstacle copy_checks() {
    const nest_accesses& nest = nest_.accesses;
    is_unchecked_.assign(nest.num_accesses(), 0);
    is_listed_.assign(nest.num_accesses(), 0);
    for (const unchecked_pair& p : checks_.unchecked) {
      is_unchecked_[p.pair.first] = is_unchecked_[p.pair.second] = 1;
    }
    symbol_of_.assign(nest.num_symbols(), none);
    const std::size_t first_interval = out_.intervals.size();
    const std::size_t first_access = out_.accesses.size();
    const std::size_t first_condition = out_.conditions.size();
    first_symbol_ = out_.symbols.size();
    merged_.clear();
    for (const byte_interval& i : checks_.intervals) {
      checked_interval to{i.base, group_of(i.base, first_interval), {}, {}};
      if (!is_available(i.base) || found_.width(i.base) != 64 ||
          !copy_form(i.begin, checks_.terms_of(i.begin), to.begin) ||
          !copy_form(i.end, checks_.terms_of(i.end), to.end)) {
        return versioning_obstacle::not_available;
      }
      merged_.push_back(merge_or_add(to, first_interval));
    }
    for (const access_pair& p : pairs_) {
      for (const access_id a : {p.first, p.second}) {
        if (is_listed_[a] == 0 && is_unchecked_[a] == 0) {
          is_listed_[a] = 1;
          const std::uint32_t i = interval_of(a);
          if (i != none) {
            out_.accesses.push_back({nest.access(a).operation, merged_[i]});
          }
        }
      }
    }
    const std::size_t first_comparison = out_.comparisons.size();
    for (const interval_comparison& c : checks_.comparisons) {
      const interval_comparison now{merged_[c.first], merged_[c.second]};
      bool is_new = true;
      for (std::size_t k = first_comparison; k != out_.comparisons.size(); ++k) {
        const interval_comparison& x = out_.comparisons[k];
        is_new = is_new && (x.first != now.first || x.second != now.second) &&
                 (x.first != now.second || x.second != now.first);
      }
      if (is_new) {
        out_.comparisons.push_back(now);
      }
    }
    if (out_.accesses.size() == first_access) {
      return versioning_obstacle::no_check;
    }
    for (const counter_id k : assumed_) {
      const nest_form& limit = nest.counter(k).limit;
      nest_form condition;
      if (!copy_form(limit, nest.terms(limit), condition)) {
        return versioning_obstacle::not_available;
      }
      condition.constant = limit.constant - 1; // backedges
      out_.conditions.push_back(condition);
    }
    return choose_limits(first_interval, first_condition);
  }

  /// Merges intervals with one base whose ends differ only in constants into one that contains both.
  std::uint32_t merge_or_add(const checked_interval& x, std::size_t first) {
    for (std::size_t i = first; i != out_.intervals.size(); ++i) {
      checked_interval& known = out_.intervals[i];
      if (known.base == x.base && same_terms(known.begin, x.begin) && same_terms(known.end, x.end)) {
        known.begin.constant = min(known.begin.constant, x.begin.constant);
        known.end.constant = known.end.constant > x.end.constant ? known.end.constant : x.end.constant;
        return static_cast<std::uint32_t>(i - first);
      }
    }
    out_.intervals.push_back(x);
    return static_cast<std::uint32_t>(out_.intervals.size() - 1 - first);
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

  std::uint32_t group_of(value_id base, std::size_t first) const {
    std::uint32_t groups = 0;
    for (std::size_t i = first; i != out_.intervals.size(); ++i) {
      if (out_.intervals[i].base == base) {
        return out_.intervals[i].group;
      }
      groups = out_.intervals[i].group >= groups ? out_.intervals[i].group + 1 : groups;
    }
    return groups;
  }

  bool copy_form(const nest_form& from, span<const nest_term> terms, nest_form& to) {
    to = {from.constant, static_cast<std::uint32_t>(out_.terms.size()), from.count};
    for (const nest_term& t : terms) {
      std::uint32_t& s = symbol_of_[t.index];
      if (s == none) {
        const nest_symbol& symbol = nest_.accesses.symbol(t.index);
        const unsigned width = found_.width(symbol.value);
        if (!is_available(symbol.value) || width == 0 || width > 64) {
          return false;
        }
        s = static_cast<std::uint32_t>(out_.symbols.size());
        out_.symbols.push_back({symbol.value, symbol.reading, width, 0});
      }
      out_.terms.push_back({s, true, t.coefficient});
    }
    return true;
  }

  /// Whether a value is a number of up to 64 bits from before the loop.
  bool is_available(value_id v) const {
    bool is = home_[v] == no_node || !loops_.contains(current_loop(), home_[v]);
    if constexpr (has_is_undefined<IR>) {
      is = is && !static_cast<bool>(ir_.is_undefined(v));
    }
    if constexpr (has_may_be_indeterminate<IR>) {
      is = is && !static_cast<bool>(ir_.may_be_indeterminate(v));
    }
    return is;
  }

  loop_id current_loop() const { return nest_.loops[0]; }

  /// The interval that contains an access: the interval of its base that covers it with its symbols. `runtime_checks`
  /// does not return it; a check of the access with itself would use this one.
  std::uint32_t interval_of(access_id a) {
    const access_pair alone{a, a};
    runtime_checks(nest_.accesses, {&alone, 1}, one_checking_, one_);
    if (one_.intervals.size() != 1) {
      return none;
    }
    const byte_interval& i = one_.intervals[0];
    for (std::uint32_t k = 0; k != checks_.intervals.size(); ++k) {
      const byte_interval& x = checks_.intervals[k];
      if (x.base == i.base && same_terms(checks_, x.begin, one_, i.begin) && same_terms(checks_, x.end, one_, i.end) &&
          x.begin.constant <= i.begin.constant && i.end.constant <= x.end.constant) {
        return k;
      }
    }
    return none;
  }

  static bool same_terms(const runtime_check_plan& p, const nest_form& a, const runtime_check_plan& q,
                         const nest_form& b) {
    bool same = a.count == b.count;
    for (std::uint32_t i = 0; same && i != a.count; ++i) {
      const nest_term& x = p.terms[a.first + i];
      const nest_term& y = q.terms[b.first + i];
      same = x.index == y.index && x.coefficient == y.coefficient;
    }
    return same;
  }

  /// Chooses for wide symbols the largest power of two for which no form leaves 63 bits. Larger numbers make the check
  /// fail.
  versioning_obstacle choose_limits(std::size_t first_interval, std::size_t first_condition) {
    checked_integer most_sum = 0; // sum of the coefficients of wide symbols
    flat_array<nest_form> forms;
    for (std::size_t i = first_interval; i != out_.intervals.size(); ++i) {
      forms.push_back(out_.intervals[i].begin);
      forms.push_back(out_.intervals[i].end);
    }
    for (std::size_t i = first_condition; i != out_.conditions.size(); ++i) {
      forms.push_back(out_.conditions[i]);
    }
    {
      for (const nest_form& form : forms) {
        const nest_form* f = &form;
        checked_integer fixed = size_of(f->constant);
        checked_integer sum = 0;
        for (std::uint32_t t = f->first; t != f->first + f->count; ++t) {
          const check_symbol& s = out_.symbols[out_.terms[t].index];
          const checked_integer factor = size_of(out_.terms[t].coefficient);
          if (s.width < 64) {
            fixed = fixed + factor * checked_integer::power_of_two(s.width);
          } else {
            sum = sum + factor;
          }
        }
        if (!fixed.is_valid() || !(fixed <= checked_integer::power_of_two(most_bits))) {
          return versioning_obstacle::too_large_numbers;
        }
        most_sum = sum > most_sum ? sum : most_sum;
      }
    }
    unsigned limit = most_bits;
    while (limit != 0 &&
           !(most_sum * checked_integer::power_of_two(limit) <= checked_integer::power_of_two(most_bits))) {
      --limit;
    }
    for (std::size_t s = first_symbol_; s != out_.symbols.size(); ++s) {
      if (out_.symbols[s].width == 64) {
        out_.symbols[s].limit = limit;
      }
    }
    return limit < 16 ? versioning_obstacle::too_large_numbers : versioning_obstacle::none;
  }

  static checked_integer size_of(const checked_integer& n) { return n.is_negative() ? -n : n; }

  void choose(const versioning_candidate& c, const sizes& before) {
    loop_versioning x;
    x.loop = c.loop;
    const auto range = [](std::size_t from, std::size_t to, std::uint32_t& first, std::uint32_t& count) {
      first = static_cast<std::uint32_t>(from);
      count = static_cast<std::uint32_t>(to - from);
    };
    range(before.symbols, out_.symbols.size(), x.first_symbol, x.num_symbols);
    range(before.intervals, out_.intervals.size(), x.first_interval, x.num_intervals);
    range(before.comparisons, out_.comparisons.size(), x.first_comparison, x.num_comparisons);
    range(before.conditions, out_.conditions.size(), x.first_condition, x.num_conditions);
    range(before.accesses, out_.accesses.size(), x.first_access, x.num_accesses);
    const std::size_t first_node = out_.nodes.size();
    for (const node_id n : loops_.blocks(c.loop)) {
      out_.nodes.push_back(n);
    }
    range(first_node, out_.nodes.size(), x.first_node, x.num_nodes);
    x.cloned = c.cloned;
    out_.cloned += c.cloned;
    out_.loops.push_back(x);
    for (const loop_id inner : loops_.subloops(c.loop)) {
      taken_[inner] = 1;
    }
    for (loop_id outer = loops_.parent(c.loop); outer != no_loop; outer = loops_.parent(outer)) {
      taken_[outer] = 1;
    }
  }

  static constexpr std::size_t max_pairs = 4096;
  static constexpr std::uint64_t seldom = 1 << 16;

  const IR& ir_;
  const Dominators& dominators_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  span<const number_facts> facts_;
  const loop_versioning_limits& limits_;
  wanted_loops wanted_;
  loop_copy_costs<IR> costs_;
  loop_versioning_plan& out_;
  hierarchical_ordering order_;
  read_nest_workspace reading_;
  function_nest nest_;
  runtime_checks_workspace checking_;
  runtime_checks_workspace one_checking_;
  runtime_check_plan checks_;
  runtime_check_plan one_;
  flat_array<node_id> home_;
  flat_array<unsigned char> taken_; ///< by loop
  flat_array<counter_id> assumed_;  ///< counters whose limits hold under a condition
  flat_array<access_pair> pairs_;
  flat_array<unsigned char> is_unchecked_; ///< by access
  flat_array<unsigned char> is_listed_;
  flat_array<std::uint32_t> symbol_of_; ///< by symbol of the nest
  flat_array<std::uint32_t> merged_;    ///< by interval of `checks_`: the interval of the plan
  std::size_t first_symbol_ = 0;
};

template <class E> class versioning_builder {
public:
  versioning_builder(unfolding<E>& u, const loop_versioning_plan& plan, const loop_versioning& x,
                     flat_array<std::uint32_t>& position)
      : u_(u), plan_(plan), x_(x), nodes_(plan.nodes.data() + x.first_node, x.num_nodes),
        versions_(u, nodes_, position) {}

  /// Makes the gate, before anything is copied.
  void gather() {
    versions_.mark();
    has_counts_ = read_counts(u_.editor(), nodes_, versions_.position(), counts_);
    if constexpr (profile_editor<E>) {
      if (has_counts_) {
        flows_.read(graph(), nodes_, versions_.position(), counts_);
        flows_.divide(span<const double>(shares_, 2), [](std::uint32_t, std::uint32_t) { return -1; });
      }
    }
    flat_array<edge_id> entering;
    for_each_id(graph().in_edges(nodes_[0]), [&](edge_id e) {
      if (versions_.position()[static_cast<node_id>(graph().edge_source(e))] == no_node) {
        entering.push_back(e);
      }
    });
    versions_.unmark();
    versions_.gather(entering);
  }

  /// Makes the copy. Requires a call of `unfolding::finish` afterwards.
  void copy() {
    versions_.copy(1);
    copy_hints();
    find_copies();
    versions_.open();
    E& editor = u_.editor();
    const value_id condition = make_checks();
    checked_ = versions_.enter(1);
    other_ = versions_.enter(0);
    if (condition == no_value) { // the IR lacks an operation
      editor.set_jump(versions_.gate(), other_);
    } else {
      editor.set_branch(versions_.gate(), condition, checked_, other_);
    }
    u_.grow_witness();
  }

  /// Completes the gate, after `finish`. A value that the comparisons read may have become a phi, because an earlier
  /// loop was copied, and the IR may not know that it is defined. Then control always enters the original loop.
  void close(loop_versioning_witness& witness) {
    E& editor = u_.editor();
    const node_id gate = versions_.gate();
    edge_id to_other = no_edge;
    std::size_t edges = 0;
    for_each_id(graph().out_edges(gate), [&](edge_id e) {
      ++edges;
      to_other = static_cast<node_id>(graph().edge_target(e)) == other_ ? e : to_other;
    });
    bool may_trap = static_cast<bool>(editor.may_trap(end_of_node(static_cast<const E&>(editor), gate)));
    for (const value_id v : made_) {
      may_trap = may_trap || static_cast<bool>(editor.may_trap(v));
    }
    if (may_trap && edges == 2) {
      editor.keep_edge(to_other);
      edges = 1;
    }
    if (edges == 2) {
      set_classes(witness);
    } else {
      while (!made_.empty()) {
        editor.erase_value(made_.back());
        made_.pop_back();
      }
    }
    u_.grow_witness();
    divide_counts(edges == 2, to_other);
  }

private:
  const auto& graph() const { return u_.program().graph(); }

  const nest_term& term(std::uint32_t i) const { return plan_.terms[i]; }

  // ---- Operations at the gate.

  value_id make(operation code, unsigned width, unsigned operand_width, value_id a, value_id b = no_value) {
    if (a == no_value || (b == no_value && arity(code) != 1)) {
      return no_value;
    }
    const value_id operands[] = {a, b};
    const auto v = static_cast<value_id>(u_.editor().make_operation(
        {code, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(operand_width), {}},
        span<const value_id>(operands, arity(code)), place_at_end(versions_.gate())));
    if (v != no_value) {
      made_.push_back(v);
    }
    return v;
  }

  value_id compare(operation code, value_id a, value_id b) { return make(code, 1, 64, a, b); }

  value_id number(std::int64_t n) {
    return static_cast<value_id>(u_.editor().make_number(64, static_cast<std::uint64_t>(n)));
  }

  /// Adds a condition to the conjunction.
  void require(value_id condition) {
    is_complete_ = is_complete_ && condition != no_value;
    all_ = all_ == no_value ? condition : make(operation::bit_and, 1, 1, all_, condition);
    is_complete_ = is_complete_ && all_ != no_value;
  }

  /// The condition that all compared intervals are disjoint and no number has wrapped; or `no_value`.
  value_id make_checks() {
    for (std::uint32_t s = 0; s != x_.num_symbols; ++s) {
      symbols_.push_back(make_symbol(plan_.symbols[x_.first_symbol + s]));
    }
    for (std::uint32_t i = 0; i != x_.num_conditions; ++i) {
      require(compare(operation::less_equal, number(0), make_sum(plan_.conditions[x_.first_condition + i])));
    }
    for (std::uint32_t i = 0; i != x_.num_intervals; ++i) {
      const checked_interval& from = plan_.intervals[x_.first_interval + i];
      const auto base = static_cast<value_id>(u_.editor().address_as_number(from.base, place_at_end(versions_.gate())));
      if (base != from.base && base != no_value) {
        made_.push_back(base);
      }
      intervals_.push_back({make_address(base, from.begin), make_address(base, from.end), any_memory});
    }
    for (std::uint32_t k = 0; k != x_.num_comparisons; ++k) {
      const interval_comparison& c = plan_.comparisons[x_.first_comparison + k];
      const value_id before = compare(operation::uless_equal, intervals_[c.first].end, intervals_[c.second].begin);
      const value_id after = compare(operation::uless_equal, intervals_[c.second].end, intervals_[c.first].begin);
      require(make(operation::bit_or, 1, 1, before, after));
    }
    return is_complete_ ? all_ : no_value;
  }

  /// Reads a number of 64 bits, and tests that it is small enough.
  value_id make_symbol(const check_symbol& s) {
    if (s.width < 64) {
      return make(s.reading == number_reading::as_unsigned ? operation::zero_extend : operation::sign_extend, 64,
                  s.width, s.value);
    }
    const auto limit = static_cast<std::int64_t>(std::uint64_t{1} << s.limit);
    if (s.reading == number_reading::as_unsigned) {
      require(compare(operation::uless, s.value, number(limit)));
    } else {
      const value_id moved = make(operation::add, 64, 64, s.value, number(limit));
      require(compare(operation::uless, moved, number(2 * limit)));
    }
    return s.value;
  }

  value_id make_sum(const nest_form& f) {
    value_id sum = f.count == 0 ? number(0) : no_value;
    for (std::uint32_t t = f.first; t != f.first + f.count; ++t) {
      const value_id symbol = symbols_[term(t).index - x_.first_symbol];
      const std::int64_t by = term(t).coefficient;
      const value_id product = by == 1 ? symbol : make(operation::mul, 64, 64, symbol, number(by));
      sum = t == f.first ? product : make(operation::add, 64, 64, sum, product);
    }
    return f.constant == 0 ? sum : make(operation::add, 64, 64, sum, number(f.constant));
  }

  /// Computes base + form, and tests that it does not wrap: the sum is below the base if, and only if, the form is
  /// negative.
  value_id make_address(value_id base, const nest_form& f) {
    if (f.count == 0) {
      if (f.constant == 0) {
        return base;
      }
      const value_id address = make(operation::add, 64, 64, base, number(f.constant));
      require(f.constant > 0 ? compare(operation::uless_equal, base, address)
                             : compare(operation::uless, address, base));
      return address;
    }
    const value_id sum = make_sum(f);
    const value_id address = make(operation::add, 64, 64, base, sum);
    const value_id is_below = compare(operation::uless, address, base);
    const value_id is_negative = compare(operation::less, sum, number(0));
    require(make(operation::equal, 1, 1, is_below, is_negative));
    return address;
  }

  /// Each copy runs as often as the loop did.
  void copy_hints() {
    if constexpr (can_set_trip_hints<E>) {
      const span<const node_id> all = versions_.copies();
      for (std::size_t i = 0; i != nodes_.size(); ++i) {
        const loop_hints hints = u_.program().trip_hints(nodes_[i]);
        if (hints.average != 0 || hints.maximum != 0 || hints.multiple != 0) {
          u_.editor().set_trip_hints(all[nodes_.size() + i], hints);
        }
      }
    }
  }

  // ---- Classes.

  /// Finds the copies of the accesses: operations of a node and of its copy are in one order.
  void find_copies() {
    const span<const node_id> all = versions_.copies();
    flat_array<value_id> old;
    flat_array<value_id> now;
    for (std::uint32_t a = 0; a != x_.num_accesses; ++a) {
      copies_.push_back(no_value);
    }
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
      old.clear();
      now.clear();
      const auto list = [&](node_id n, flat_array<value_id>& to) {
        for_each_id(u_.program().values(n), [&](value_id v) {
          if (!u_.program().is_phi(v)) {
            to.push_back(v);
          }
        });
      };
      list(nodes_[i], old);
      list(all[nodes_.size() + i], now);
      MIDEND_ASSERT(old.size() == now.size(), "the operations of the node", old.size(), now.size());
      for (std::size_t k = 0; k != old.size(); ++k) {
        for (std::uint32_t a = 0; a != x_.num_accesses; ++a) {
          copies_[a] = plan_.accesses[x_.first_access + a].operation == old[k] ? now[k] : copies_[a];
        }
      }
    }
  }

  /// Gives the accesses of the copy one class for each base. Those of the original loop get a single class, so that a
  /// later plan sees that the loop has been compared.
  void set_classes(loop_versioning_witness& witness) {
    E& editor = u_.editor();
    versioned_loop w{versions_.gate(),    versions_.header(1),
                     versions_.header(0), static_cast<std::uint32_t>(witness.intervals.size()),
                     x_.num_intervals,    static_cast<std::uint32_t>(witness.accesses.size()),
                     x_.num_accesses};
    const auto same = static_cast<std::uint32_t>(editor.make_memory_class());
    flat_array<std::uint32_t> classes;
    for (std::uint32_t a = 0; a != x_.num_accesses; ++a) {
      editor.set_memory_class(plan_.accesses[x_.first_access + a].operation, same, w.other);
    }
    for (std::uint32_t i = 0; i != x_.num_intervals; ++i) {
      const std::uint32_t group = plan_.intervals[x_.first_interval + i].group;
      while (classes.size() <= group) {
        classes.push_back(static_cast<std::uint32_t>(editor.make_memory_class()));
      }
      intervals_[i].memory = classes[group];
      witness.intervals.push_back(intervals_[i]);
    }
    for (std::uint32_t a = 0; a != x_.num_accesses; ++a) {
      const separated_access& access = plan_.accesses[x_.first_access + a];
      editor.set_memory_class(copies_[a], intervals_[access.interval].memory, w.scope);
      witness.accesses.push_back({copies_[a], access.interval});
    }
    witness.loops.push_back(w);
  }

  void divide_counts([[maybe_unused]] bool has_branch, [[maybe_unused]] edge_id to_other) {
    if constexpr (profile_editor<E>) {
      E& editor = u_.editor();
      if (!has_counts_) {
        if (has_branch) {
          for_each_id(graph().out_edges(versions_.gate()),
                      [&](edge_id e) { editor.set_probability(e, e == to_other ? shares_[0] : shares_[1]); });
        }
        return;
      }
      flat_array<node_id> all;
      flat_array<double> flows;
      for (const node_id n : versions_.copies()) {
        all.push_back(n);
      }
      for (const std::uint32_t v : {0u, 1u}) {
        for (const double f : flows_.flows(v)) {
          flows.push_back(f);
        }
      }
      for_each_id(graph().out_edges(versions_.gate()), [&](edge_id e) {
        flows.push_back(flows_.entered() * (!has_branch ? 1 : e == to_other ? shares_[0] : shares_[1]));
      });
      flows.push_back(flows_.entered() * shares_[1]);
      flows.push_back(flows_.entered() * shares_[0]);
      all.push_back(versions_.gate());
      all.push_back(checked_);
      all.push_back(other_);
      counts_.write(editor, all, {}, flows);
    }
  }

  unfolding<E>& u_;
  const loop_versioning_plan& plan_;
  const loop_versioning& x_;
  span<const node_id> nodes_;
  loop_versions<E> versions_;
  divided_counts counts_;
  version_flows flows_;
  bool has_counts_ = false;
  bool is_complete_ = true;
  double shares_[2] = {1 - checks_hold, checks_hold}; ///< shares of the original loop and of the copy
  value_id all_ = no_value;
  node_id checked_ = no_node; ///< the copy is entered from here
  node_id other_ = no_node;
  flat_array<value_id> symbols_;
  flat_array<interval_witness> intervals_;
  flat_array<value_id> made_;
  flat_array<value_id> copies_; ///< by access: its copy
};

} // namespace detail

/// Plans which loops get a copy in which accesses do not meet, and the comparisons of addresses that choose it. The
/// literature calls this loop versioning, or run-time disambiguation (A. Nicolau, "Run-time disambiguation: coping with
/// statically unpredictable dependencies", IEEE Transactions on Computers 38(5), 1989).
///
/// Pairs of accesses are separated if one of them is a store, they have different bases, and their classes do not keep
/// them apart. `runtime_checks` gives the bytes that they touch in a run of the loop with all loops in it. Accesses
/// with one base stay together. Of nested loops, the outermost one with a comparison is copied, and no other. A loop
/// whose accesses have local classes was compared already.
///
/// Requires a forest of this graph as it is, with boundaries, its dominators, and evolutions for it; `facts` may be
/// empty. Unreachable nodes are in no loop and stay. O(n + m + values of nests · depth + pairs of accesses).
template <memory_ir_argument IR, class Dominators>
  requires graph_of_ir_argument<IR>
loop_versioning_plan plan_loop_versioning(const IR& ir, const Dominators& dominators, const loop_forest& loops,
                                          const value_evolutions& found, span<const number_facts> facts = {},
                                          const loop_versioning_limits& limits = {}) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a loop forest of this graph", loops.epoch(),
                graph_epoch(ir.graph()));
  loop_versioning_plan plan;
  plan.epoch = graph_epoch(ir.graph());
  detail::versioning_planner<IR, Dominators>(ir, dominators, loops, found, facts, limits, plan).run();
  return plan;
}

/// Applies a plan for the program as it is. For each loop:
///
///          gate all compared intervals are disjoint, and no number has wrapped ? checked : other
///     checked   to a copy of the loop, whose accesses have local classes
///          other to the original loop
///
/// The comparisons never trap and have no effect. Each symbol of 64 bits must be in a range in which no end of an
/// interval leaves 63 bits, and each address must not wrap; otherwise control enters the original loop. So a counter
/// that wraps, an interval that reaches beyond the address space, or a base near its end make the check fail.
///
/// The result is an unfolding: both copies are correct for each choice, apart from the local classes, which
/// `verify_loop_versioning` checks. Counts of a profile add up to the old ones; the copy gets 127 of 128 parts.
///
/// O(cloned operations · accesses) and the cost of one `repair_ssa` for all loops.
template <class E>
void apply_loop_versioning(unfolding<E>& u, const loop_versioning_plan& plan, loop_versioning_witness& witness) {
  static_assert(loop_versioning_editor<E>,
                "midend: to compare addresses before loops, an editor needs `make_operation`, `make_number`, "
                "`set_branch`, `erase_end`, `address_as_number`, `make_memory_class`, `set_memory_class`, the effects "
                "rung and `memory`");
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  detail::build_versions<detail::versioning_builder<E>>(u, plan, plan.loops, witness);
}

/// Applies a plan as above and returns the witnesses.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
versioned_loops_witness apply_loop_versioning(E& editor, const loop_versioning_plan& plan) {
  versioned_loops_witness out;
  unfolding<E> u(editor);
  apply_loop_versioning(u, plan, out.classes);
  out.copies = u.take_witness();
  return out;
}

MIDEND_END_NAMESPACE
