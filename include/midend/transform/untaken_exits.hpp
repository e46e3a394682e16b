/// `drop_untaken_exits`: drops exits of loops that are never taken, because the loop counts and leaves elsewhere
/// before.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/wide_numbers.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/wide_number.hpp"
#include "midend/transform/detail/counted_tests.hpp"
#include "midend/transform/detail/node_frequencies.hpp"
#include "midend/transform/loop_ends.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unrolled_limit.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An edge out of a loop that no run takes.
struct untaken_exit {
  loop_id loop;
  edge_id edge;
  edge_id kept;   ///< the other edge of its source
  edge_id before; ///< the edge by which the loop is left before; `no_edge` if no iteration leaves by `edge`
};

/// What `drop_untaken_exits` will do. To veto a change, remove it.
struct untaken_exits_plan {
  std::uint64_t epoch = 0;
  flat_array<untaken_exit> exits;

  bool empty() const { return exits.empty(); }
};

namespace detail {

template <class IR, class Counter> class untaken_exits_finder;

/// An operation that a computation must contain.
struct expected_operation {
  operation_info info; ///< `other` if it is a value or a number
  value_id value;
  std::uint64_t bits;
  std::uint32_t a;
  std::uint32_t b;
};

} // namespace detail

/// Memory of `plan_untaken_exits`, to be reused.
class plan_untaken_exits_workspace {
  template <class IR, class Counter> friend class detail::untaken_exits_finder;

  detail::counted_tests_memory tests_;
  flat_array<detail::expected_operation> wanted_;
};

namespace detail {

/// Finds untaken exits, loop by loop.
template <class IR, class Counter> class untaken_exits_finder {
public:
  untaken_exits_finder(const IR& ir, const loop_forest& loops, const Counter& counter,
                       plan_untaken_exits_workspace& workspace, untaken_exits_plan& out)
      : ir_(ir), loops_(loops), found_(counter.evolutions()), w_(workspace), tested_(ir, loops, workspace.tests_),
        out_(out) {}

  void run() {
    for (const loop_id l : loops_.loops()) {
      if (!list_within_limit(l)) {
        list_untaken(l);
      }
    }
  }

private:
  static bool has_count(const exit_trips& x) {
    return x.is_always_tested && x.trips.count.kind == trip_count_kind::exact;
  }

  /// Whether control reaches the test of `a` before that of `b` in the iteration in which `a` is taken, or that
  /// iteration comes first. All iterations that no other exit ends make both tests.
  bool is_sooner(const exit_trips& a, const exit_trips& b) const {
    const std::uint64_t first = a.trips.count.backedges;
    const std::uint64_t second = b.trips.count.backedges;
    return first != second ? first < second : is_before(a.trips.last_node, b.trips.last_node);
  }

  bool is_before(node_id a, node_id b) const { return a != b && found_.dominates(a, b); }

  void list_untaken(loop_id l) {
    exit_trips first;
    for (std::size_t i = 0; i != found_.num_exits(l); ++i) {
      const exit_trips x = found_.exit(l, i);
      if (has_count(x) && (first.edge == no_edge || is_sooner(x, first))) {
        first = x;
      }
    }
    for (std::size_t i = 0; i != found_.num_exits(l); ++i) {
      const exit_trips x = found_.exit(l, i);
      const bool is_endless = x.is_always_tested && x.trips.count.kind == trip_count_kind::endless;
      const bool wraps = x.is_always_tested && x.trips.count.kind == trip_count_kind::wraps_first;
      if (is_endless || (first.edge != no_edge && (wraps || (has_count(x) && is_sooner(first, x))))) {
        add(l, x.edge, is_endless ? no_edge : first.edge);
      }
    }
  }

  // Loops that are left when the counter is at a limit.

  /// The expected form of a computation.
  class expected_operations {
  public:
    using expression = expected_operation;

    explicit expected_operations(flat_array<expression>& memory) : all_(memory) { all_.clear(); }

    static constexpr std::uint32_t none = 0xffff'ffff;

    std::uint32_t value(value_id v) { return add({{operation::other, 0, 0, {}}, v, 0, none, none}); }

    std::uint32_t number(std::uint64_t bits, unsigned width) {
      return add({{operation::other, static_cast<std::uint8_t>(width), 0, {}}, no_value, bits, none, none});
    }

    std::uint32_t operation(const operation_info& info, std::uint32_t a, std::uint32_t b = none) {
      return add({info, no_value, 0, a, b});
    }

    /// Whether the program computes `v` in this form, perhaps through copies. O(size of the expression).
    bool matches(const IR& ir, value_id v, std::uint32_t i) const {
      const expression& x = all_[i];
      v = source_of(ir, v);
      if (x.info.code == midend::operation::other) {
        return x.value != no_value ? v == source_of(ir, x.value) : is_number(ir, v, x);
      }
      if (ir.is_phi(v) || ir.constant(v)) {
        return false;
      }
      const operation_info info = operation_of_any_width(ir, v);
      const bool reads_width = info.code >= midend::operation::equal && info.code <= midend::operation::sign_extend;
      if (info.code != x.info.code || info.width != x.info.width ||
          (reads_width && info.operand_width != x.info.operand_width)) {
        return false;
      }
      const std::uint32_t wanted[] = {x.a, x.b};
      std::size_t count = 0;
      bool same = true;
      for_each_id(ir.operands(v), [&](value_id operand) {
        same = same && count < 2 && wanted[count] != none && matches(ir, operand, wanted[count]);
        ++count;
      });
      return same && count == (x.b == none ? 1u : 2u);
    }

  private:
    static bool is_number(const IR& ir, value_id v, const expression& x) {
      if constexpr (has_wide_numbers<IR>) {
        if (x.info.width > 64) {
          const std::optional<wide_number> number = ir.wide_constant(v);
          return number && *number == wide_number(x.bits) && ir.number_width(v) == x.info.width;
        }
      }
      const auto bits = ir.constant(v);
      return bits && *bits == x.bits;
    }

    /// The source of a short chain of copies.
    static value_id source_of(const IR& ir, value_id v) {
      for (int i = 0; i != 4 && !ir.is_phi(v) && !ir.constant(v); ++i) {
        const operation_info info = ir.operation(v);
        if (info.code != midend::operation::copy) {
          break;
        }
        value_id source = v;
        for_each_id(ir.operands(v), [&](value_id operand) { source = operand; });
        if (ir.operation(source).width != info.width) {
          break;
        }
        v = source;
      }
      return v;
    }

    std::uint32_t add(const expression& x) {
      all_.push_back(x);
      return static_cast<std::uint32_t>(all_.size() - 1);
    }

    flat_array<expression>& all_;
  };

  /// Operand `i` of an operation with this code, or `no_value`.
  value_id operand_of(value_id v, operation code, std::size_t i) const {
    value_id found = no_value;
    if (v != no_value && !ir_.is_phi(v) && !ir_.constant(v) && operation_of_any_width(ir_, v).code == code) {
      for_each_id(ir_.operands(v), [&](value_id operand) { found = i-- == 0 ? operand : found; });
    }
    return found;
  }

  std::optional<std::uint64_t> number_of(value_id v) const {
    if (v == no_value) {
      return std::nullopt;
    }
    if constexpr (has_wide_numbers<IR>) {
      if (ir_.number_width(v) > 64) {
        const std::optional<wide_number> wide = ir_.wide_constant(v);
        return wide && wide->fits_in_64_bits() ? std::optional(wide->low()) : std::nullopt;
      }
    }
    return std::optional<std::uint64_t>(ir_.constant(v));
  }

  /// A number of `width` bits, in the form that `emit_number` builds.
  std::optional<wide_number> number_of(value_id v, unsigned width) const {
    if (const auto literal = number_of(v)) {
      return wide_number(*literal);
    }
    if (const value_id negated = operand_of(v, operation::sub, 1);
        negated != no_value && number_of(operand_of(v, operation::sub, 0)) == std::uint64_t{0}) {
      const auto number = number_of(negated);
      return number ? std::optional((wide_number() - *number) & low_ones_of_width(width)) : std::nullopt;
    }
    wide_number out;
    for (unsigned shift = 0; shift < width; shift += 64) {
      const std::optional<std::uint64_t> last = number_of(v);
      const value_id above = operand_of(v, operation::bit_or, 0);
      const std::optional<std::uint64_t> part = last                ? last
                                                : above != no_value ? number_of(operand_of(v, operation::bit_or, 1))
                                                                    : std::uint64_t{0};
      if (!part) {
        return std::nullopt;
      }
      out = out | wide_number(*part) << shift;
      if (last) {
        return out & low_ones_of_width(width);
      }
      const value_id shifted = above != no_value ? above : v;
      v = number_of(operand_of(shifted, operation::shl, 1)) == std::uint64_t{64}
              ? operand_of(shifted, operation::shl, 0)
              : no_value;
    }
    return std::nullopt;
  }

  /// The condition under which the only edge into a loop is taken, or `no_value`.
  value_id entering_condition(loop_id l, edge_id& entering) const {
    value_id condition = no_value;
    if (loops_.entering_edges(l).size() == 1 && loops_.header(l) != static_cast<node_id>(ir_.graph().entry())) {
      const loop_edge& e = loops_.entering_edges(l)[0];
      entering = e.id;
      if constexpr (has_cases_of_edges<IR>) {
        const auto decides = static_cast<value_id>(ir_.condition(e.source));
        if (decides != no_value) {
          const auto value = only_case(ir_, e.id);
          std::size_t edges = 0;
          for_each_id(ir_.graph().out_edges(e.source), [&](edge_id) { ++edges; });
          condition = edges == 2 && value && *value == 1 ? decides : no_value;
        }
      }
    }
    return condition;
  }

  /// The claim of a guard, by its form: which iterations the new body runs, and how many in each round.
  struct claimed_limit {
    passed_test test;
    std::uint64_t in_pass;
  };

  /// The claim of a guard that continues if `enough`; empty if it is no such guard. The claim may be false.
  std::optional<claimed_limit> claim_of(value_id enough, value_id passed, const wide_number& step,
                                        bool counts_one) const {
    const auto claim = [&](std::optional<std::uint64_t> factor, unrolling_form form) {
      form.factor = static_cast<std::uint32_t>(factor.value_or(0));
      const bool fits = factor && form.factor == *factor;
      return fits ? std::optional(claimed_limit{{{}, step, 0, form}, form.iterations_in_pass()}) : std::nullopt;
    };
    constexpr unrolling_form epilogue{unrolling_kind::partial, 0, remainder_placement::epilogue};
    constexpr unrolling_form prologue{unrolling_kind::partial, 0, remainder_placement::prologue};
    if (const auto least = number_of(operand_of(enough, operation::ugreater_equal, 1))) {
      // A loop of rounds of one iteration is no unrolled body, whose rounds have two or more.
      return !counts_one ? claim(least, epilogue) : *least == 2 ? claim(1, {unrolling_kind::peel_last}) : std::nullopt;
    }
    const value_id rest = operand_of(enough, operation::not_equal, 0);
    if (!counts_one || rest == no_value || rest != passed) {
      return std::nullopt;
    }
    if (const auto mask = number_of(operand_of(rest, operation::bit_and, 1))) {
      return claim(*mask + 1, prologue);
    }
    return claim(number_of(operand_of(rest, operation::urem, 1)), prologue);
  }

  /// Whether the loop is entered only for enough iterations, and left when its counter is at the limit that
  /// `emit_unrolled_limit` describes. If so, adds the exits that are not taken before the limit.
  bool list_within_limit(loop_id l) {
    edge_id entering = no_edge;
    const value_id enough = entering_condition(l, entering);
    if (enough == no_value) {
      return false;
    }
    if (loops_.subloops(l).size() != 1) {
      return false;
    }
    const flat_array<optional<counted_test>>& tests = tested_.read(l);
    for (std::uint32_t i = 0; i != tests.size(); ++i) {
      if (!tests[i] || !found_.exit(l, i).is_always_tested) {
        continue;
      }
      const counted_test& last = *tests[i];
      const operation leaves = last.exits_when ? operation::equal : operation::not_equal;
      if (last.extension != operation::copy || last.width != last.counter_width || last.code != leaves) {
        continue;
      }
      const unsigned width = last.counter_width;
      const wide_number most = low_ones_of_width(width);
      const value_id limit = last.bound;
      const value_id scaled = operand_of(limit, operation::add, 1);
      const value_id multiplier = operand_of(scaled, operation::mul, 1);
      const auto factor_of_step = multiplier == no_value ? std::nullopt : number_of(multiplier, width);
      const wide_number step = factor_of_step.value_or(wide_number(1));
      const value_id factor = factor_of_step ? operand_of(scaled, operation::mul, 0) : scaled;
      const value_id narrow = operand_of(factor, operation::zero_extend, 0);
      const value_id passed = narrow == no_value ? factor : narrow;
      const wide_number step_of_pass = last.step & most;
      const auto claim = claim_of(enough, passed, step, (step & most) == step_of_pass);
      // A round has at least one block for each of its iterations. The numbers come from the program, which is not
      // trusted, so they must not decide how long the search takes.
      if (!claim || claim->in_pass == 0 || most < wide_number(number_of_guard(claim->test.form)) ||
          claim->in_pass > loops_.own_blocks(l).size() + 1 ||
          (wide_number(claim->in_pass) * step & most) != step_of_pass || (last.addend & most) != step_of_pass ||
          last.bound_width != width) {
        continue;
      }
      bool found = false;
      for (std::uint32_t k = 0; k != tests.size(); ++k) {
        found = found || is_first_within(l, k, i, *claim, entering, enough, limit);
      }
      if (found) {
        return true;
      }
    }
    return false;
  }

  /// Whether the limit belongs to the test of exit `first`, in the first iteration of a round. If so, adds that exit
  /// and the equal tests in the other iterations.
  bool is_first_within(loop_id l, std::uint32_t first, std::uint32_t last, const claimed_limit& claim, edge_id entering,
                       value_id enough, value_id limit) {
    const auto test = test_within(first, last, claim);
    if (!test || low_ones_of_width(test->formula.width) < wide_number(number_of_guard(claim.test.form))) {
      return false;
    }
    const flat_array<optional<counted_test>>& tests = tested_.tests();
    const value_id bound = tests[first]->bound;
    expected_operations wanted(w_.wanted_);
    std::uint32_t limit_wanted = 0;
    std::uint32_t enough_wanted = 0;
    emit_unrolled_limit(wanted, *test, wanted.value(static_cast<value_id>(ir_.phi_input(tests[first]->phi, entering))),
                        wanted.value(bound), limit_wanted, enough_wanted);
    if (!wanted.matches(ir_, limit, limit_wanted) || !wanted.matches(ir_, enough, enough_wanted)) {
      return false;
    }
    const wide_number most = low_ones_of_width(test->formula.width);
    for (std::uint32_t i = 0; i != tests.size(); ++i) {
      auto same = test_within(i, last, claim);
      if (!same || tests[i]->bound != bound) {
        continue;
      }
      same->addend = test->addend;
      const wide_number addend = tests[i]->addend & most;
      wide_number at = test->addend & most;
      for (std::uint64_t k = 0; *same == *test && k != claim.in_pass; ++k) {
        if (at == addend) {
          add(l, found_.exit(l, i).edge, found_.exit(l, last).edge);
          break;
        }
        at = (at + test->step) & most;
      }
    }
    return true;
  }

  /// Another test of the counter, with the step of one iteration.
  optional<passed_test> test_within(std::uint32_t exit, std::uint32_t last, const claimed_limit& claim) const {
    const flat_array<optional<counted_test>>& tests = tested_.tests();
    if (exit == last || !tests[exit] || tests[exit]->phi != tests[last]->phi) {
      return std::nullopt;
    }
    auto test = passed_test_of(*tests[exit], claim.test.step);
    if (!test || !test->formula.divisor.fits_in_64_bits()) {
      return std::nullopt;
    }
    test->form = claim.test.form;
    return test;
  }

  void add(loop_id l, edge_id edge, edge_id before) {
    edge_id kept = no_edge;
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(static_cast<node_id>(ir_.graph().edge_source(edge))), [&](edge_id e) {
      ++edges;
      kept = e != edge ? e : kept;
    });
    // Both edges of a node may leave the loop, and both be untaken because the node is not reached. One of them stays.
    if (edges == 2 && (out_.exits.empty() || out_.exits.back().edge != kept)) {
      out_.exits.push_back({l, edge, kept, before});
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  plan_untaken_exits_workspace& w_;
  counted_tests<IR> tested_;
  untaken_exits_plan& out_;
};

} // namespace detail

/// Finds exits of loops that are never taken. `evolutions` counts exits exactly, for every width, step and comparison,
/// with wrap-around and promises. Let b be the least count of an exit that each iteration tests, and x an exit with
/// this count, the one tested first if there are several. Then iterations after iteration b do not begin, and in
/// iteration b control does not pass x. So another test is never true if its count is greater, or if its count is equal
/// and it is tested after x. Nor is a test true that would never be true in a loop without other exits. A test that is
/// not true before its counter breaks a promise is not true before x, either: in `for (i = 6; i != 0; --i)` by 3, none
/// of i != 1 is.
///
/// After unrolling by a factor these are the tests of all copies but one: the first if the factor divides the trip
/// count, else the copy in which the loop ends.
///
/// Exits whose start or bound is no number are found only in loops that are left at a limit. Requires a forest of this
/// graph as it is, with boundaries. Linear; for an unrolled loop with a limit also its exits times the iterations of a
/// round.
///
///     for (i = 0; i != 8; i += 2) {             for (i = 0; i != 8; i += 2) {
///       body(i); if (i + 1 == 8) leave;    →      body(i);
///       body(i + 1);                              body(i + 1);
///     }                                         }
template <cost_ir_argument IR> untaken_exits_plan plan_untaken_exits(const IR& ir, const loop_forest& loops) {
  plain_trip_counter_workspace workspace;
  const plain_trip_counter counter(ir, loops, workspace);
  return plan_untaken_exits(ir, loops, counter);
}

/// Takes the counts from `counter`, which must know this program.
template <cost_ir_argument IR, trip_counter C>
untaken_exits_plan plan_untaken_exits(const IR& ir, const loop_forest& loops, const C& counter) {
  plan_untaken_exits_workspace workspace;
  untaken_exits_plan plan;
  plan_untaken_exits(ir, loops, counter, workspace, plan);
  return plan;
}

/// Refills `plan`.
template <cost_ir_argument IR, trip_counter C>
void plan_untaken_exits(const IR& ir, const loop_forest& loops, const C& counter,
                        plan_untaken_exits_workspace& workspace, untaken_exits_plan& plan) {
  plan.epoch = graph_epoch(ir.graph());
  plan.exits.clear();
  detail::untaken_exits_finder<IR, C>(ir, loops, counter, workspace, plan).run();
}

namespace detail {

/// Memory of `flow_diverter`, to be reused.
struct flow_diverter_memory {
  dominators_and_loops_workspace searching;
  dominators_and_loops_result found;
  node_frequencies frequencies;
  flat_array<unsigned char> is_dropped; ///< by edge
  flat_array<edge_id> next;             ///< by node: the first edge of a shortest path to a target
  flat_array<node_id> queue;
  flat_array<double> more_nodes; ///< whole numbers if the counts are
  flat_array<double> more_edges;
  flat_array<edge_id> edges; ///< edges of one node, with their flows
  flat_array<double> flows;
};

/// Moves the flow of edges that will be dropped to a shortest other path to the same target, so that it stays a flow.
/// If there is no such path, the counts of the source are removed, and what is known about the target.
template <class E> class flow_diverter {
public:
  /// Uses frequencies for nodes without counts, where only probabilities change.
  flow_diverter(E& editor, const untaken_exits_plan& plan, const node_frequencies* frequencies,
                flow_diverter_memory& memory)
      : editor_(editor), frequencies_(frequencies), memory_(memory), is_dropped_(memory.is_dropped), next_(memory.next),
        queue_(memory.queue), more_nodes_(memory.more_nodes), more_edges_(memory.more_edges) {
    const auto nodes = static_cast<std::size_t>(graph().num_nodes());
    const auto edges = static_cast<std::size_t>(graph().num_edges());
    is_dropped_.assign(edges, 0);
    for (const untaken_exit& x : plan.exits) {
      is_dropped_[x.edge] = 1;
    }
    next_.assign(nodes, no_edge);
    more_nodes_.assign(nodes, 0);
    more_edges_.assign(edges, 0);
    for (const untaken_exit& x : plan.exits) {
      divert(x.edge);
    }
    write();
  }

private:
  std::optional<double> count(node_id n) const {
    const std::optional<std::uint64_t> known = editor_.count(n);
    if (frequencies_ == nullptr) {
      return known ? std::optional(static_cast<double>(*known)) : std::nullopt;
    }
    return known || (*frequencies_)[n] == 0 ? std::nullopt : std::optional((*frequencies_)[n]);
  }

  std::optional<double> count_of_edge(edge_id e) const {
    const auto source = static_cast<node_id>(graph().edge_source(e));
    if (frequencies_ == nullptr) {
      const std::optional<std::uint64_t> known = edge_count(editor_, graph(), e);
      return known ? std::optional(static_cast<double>(*known)) : std::nullopt;
    }
    const std::optional<double> of_source = count(source);
    const double p = static_cast<double>(editor_.probability(e));
    return of_source && p >= 0 ? std::optional(*of_source * p) : std::nullopt;
  }

  void divert(edge_id e) {
    const std::optional<double> taken = count_of_edge(e);
    const auto source = static_cast<node_id>(graph().edge_source(e));
    if (!taken || *taken == 0) {
      return;
    }
    find_ways(static_cast<node_id>(graph().edge_target(e)));
    if (next_[source] == no_edge) {
      editor_.set_count(source, std::nullopt);
      return;
    }
    more_edges_[e] -= *taken;
    for (node_id n = source; n != target_; n = static_cast<node_id>(graph().edge_target(next_[n]))) {
      more_nodes_[n] += n == source ? 0 : *taken;
      more_edges_[next_[n]] += *taken;
    }
    has_changes_ = true;
  }

  void write() {
    flat_array<edge_id>& edges = memory_.edges;
    flat_array<double>& flows = memory_.flows;
    for (node_id n = 0; has_changes_ && n != next_.size(); ++n) {
      bool changes = false;
      bool is_known = true;
      edges.clear();
      flows.clear();
      for_each_id(graph().out_edges(n), [&](edge_id e) {
        const std::optional<double> taken = count_of_edge(e);
        changes = changes || more_edges_[e] != 0;
        is_known = is_known && (taken || frequencies_ == nullptr);
        edges.push_back(e);
        flows.push_back(taken.value_or(0) + more_edges_[e]);
      });
      const std::optional<double> old = count(n);
      if (!changes || !old) {
        continue;
      }
      const double now = *old + more_nodes_[n];
      if (frequencies_ == nullptr) {
        editor_.set_count(n, nearest_number(now));
      }
      for (std::size_t i = 0; edges.size() > 1 && is_known && now > 0 && i != edges.size(); ++i) {
        editor_.set_probability(edges[i], flows[i] <= 0 ? 0 : flows[i] < now ? flows[i] / now : 1);
      }
    }
  }

  const auto& graph() const { return editor_.graph(); }

  /// Finds by node the first edge of a shortest path to a target.
  void find_ways(node_id target) {
    if (target == target_) {
      return;
    }
    target_ = target;
    next_.assign(next_.size(), no_edge);
    queue_.assign(1, target);
    for (std::size_t i = 0; i != queue_.size(); ++i) {
      for_each_id(graph().in_edges(queue_[i]), [&](edge_id e) {
        const auto source = static_cast<node_id>(graph().edge_source(e));
        if (source != target && next_[source] == no_edge && is_dropped_[e] == 0) {
          next_[source] = e;
          queue_.push_back(source);
        }
      });
    }
  }

  E& editor_;
  const node_frequencies* frequencies_; ///< or null
  node_id target_ = no_node;
  flow_diverter_memory& memory_;
  flat_array<unsigned char>& is_dropped_;
  flat_array<edge_id>& next_;
  flat_array<node_id>& queue_;
  flat_array<double>& more_nodes_;
  flat_array<double>& more_edges_;
  bool has_changes_ = false;
};

/// Moves the flows before the edges of a plan are dropped.
template <class E>
void divert_counts([[maybe_unused]] E& editor, [[maybe_unused]] const untaken_exits_plan& plan,
                   [[maybe_unused]] flow_diverter_memory& memory) {
  if constexpr (profile_editor<E>) {
    bool has_counts = false;
    bool has_others = false;
    for (const untaken_exit& x : plan.exits) {
      const bool is_counted = editor.count(static_cast<node_id>(editor.graph().edge_source(x.edge))).has_value();
      const bool is_taken = static_cast<double>(editor.probability(x.edge)) > 0;
      has_counts = has_counts || (is_counted && is_taken);
      has_others = has_others || (!is_counted && is_taken);
    }
    if (has_counts) {
      flow_diverter<E>(editor, plan, nullptr, memory);
    }
    if (has_others) {
      dominators_and_loops(editor.graph(), memory.searching, memory.found);
      memory.frequencies.compute(editor, memory.found.loops);
      flow_diverter<E>(editor, plan, &memory.frequencies, memory);
    }
  }
}

} // namespace detail

/// Memory of `apply_untaken_exits`, to be reused.
class apply_untaken_exits_workspace {
  template <class E>
  friend void apply_untaken_exits(unfolding<E>& u, const untaken_exits_plan& plan,
                                  apply_untaken_exits_workspace& workspace);
  template <detail::edits_alone E>
    requires unfolding_editor_argument<E>
  friend const unfolding_witness& apply_untaken_exits(E& editor, const untaken_exits_plan& plan,
                                                      apply_untaken_exits_workspace& workspace);

  detail::flow_diverter_memory flows_;
  unfolding_workspace unfolding_;
};

/// Applies a plan for the program as it is: the branches become jumps. Their edges are dropped with the reason
/// `assumed`, since `verify_unfolding` does not know counters; `verify_untaken_exits` proves them. Use an unfolding of
/// its own, so that the witness begins with the program that the plan describes.
///
/// If a profile says that an edge was taken, the counts of these runs move to a path that is kept and leads to the
/// target of the edge. O(edges, and the length of each such path; for each target O(n + m)).
template <class E> void apply_untaken_exits(unfolding<E>& u, const untaken_exits_plan& plan) {
  apply_untaken_exits_workspace workspace;
  apply_untaken_exits(u, plan, workspace);
}

/// Uses memory from before.
template <class E>
void apply_untaken_exits(unfolding<E>& u, const untaken_exits_plan& plan, apply_untaken_exits_workspace& workspace) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  detail::divert_counts(u.editor(), plan, workspace.flows_);
  for (const untaken_exit& x : plan.exits) {
    u.keep_edge(x.kept, drop_reason::assumed);
  }
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_untaken_exits(E& editor, const untaken_exits_plan& plan) {
  unfolding<E> u(editor);
  apply_untaken_exits(u, plan);
  return u.take_witness();
}

/// Uses memory from before. The witness is in the workspace until the next use.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
const unfolding_witness& apply_untaken_exits(E& editor, const untaken_exits_plan& plan,
                                             apply_untaken_exits_workspace& workspace) {
  unfolding<E> u(editor, workspace.unfolding_);
  apply_untaken_exits(u, plan, workspace);
  return u.witness();
}

MIDEND_END_NAMESPACE
