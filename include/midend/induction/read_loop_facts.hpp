/// `loop_fact_reader`: what the function around a loop says about the values of its body.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/edge_dominance.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/meet_facts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Positions of the counters of a loop among those of all loops.
struct counter_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0; ///< one past
};

} // namespace detail

/// Reads facts about the bodies of the loops of one function, as a flat program, from
///
/// - facts about its values, `sccp(ir, number_domain())` or `sccp_with_branch_facts`;
/// - the branches that lead to the loop: after `if (n < 16)`, `n` is below 16. The closest 32 edges that dominate the
///   header are read, and what the program promises in nodes that dominate it (`assumed`);
/// - operations before the loop: what follows from these for the values that they compute, up to four operations away;
///   and sums of a value and numbers, through up to 16 additions and phis whose inputs agree; the same again with what
///   has known low bits, and phis whose inputs agree in these, such as counters of a loop around; `low_sum(v)` of the
///   IR says this of operations outside the vocabulary. Phis are no operations. One with one input only, as in
///   loop-closed form, is known by the operation of its input, and by other such phis of its node that carry operands;
///   another one by its inputs, of which the branches to its node say more.
///
/// A fact about a value holds whenever the value is computed, and what a branch says holds for the values from before
/// the loop in all its iterations. A value that is never computed, as far as is known, has no bounds here.
class loop_fact_reader {
public:
  using element = number_domain::element;

  /// `known` are the facts by value; or none. `forest` has boundaries. All arguments must outlive this object. O(nodes,
  /// edges and values).
  loop_fact_reader(const flat_program& ir, const dominator_tree& tree, const loop_forest& forest,
                   span<const element> known, const value_evolutions& evolutions)
      : ir_(ir), tree_(tree), forest_(forest), known_(known), evolutions_(evolutions),
        dominating_(dominating_edges(ir.graph(), tree)) {
    ranks_.assign(ir.graph().num_nodes(), 0);
    only_from_earlier_.assign(ir.graph().num_nodes(), 1);
    std::uint32_t rank = 0;
    for (const node_id n : reverse_post_order(ir.graph())) {
      ranks_[n] = rank++;
    }
    for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
      for (const node_id successor : ir.graph().successors(n)) {
        if (ranks_[n] >= ranks_[successor]) {
          only_from_earlier_[successor] = 0;
        }
      }
    }
    counters_of_.assign(forest.num_loops(), {});
    is_noted_.assign(ir.num_values() + forest.num_loops(), 0);
    first_promise_.assign(ir.graph().num_nodes() + std::size_t{1}, 0);
    for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
      for (const value_id v : ir.values(n)) {
        if (const value_id bit = ir.assumed(v); bit != no_value) {
          promises_.push_back(bit);
        }
      }
      first_promise_[n + std::size_t{1}] = static_cast<std::uint32_t>(promises_.size());
    }
    if (forest.num_loops() > 1) {
      bound_counters();
    }
  }

  /// Refills `out` with what is known about the values of `body`, which `describe_loop` has read from the function.
  /// Linear in the body, with a factor for the operations before the loop.
  void read(const loop_body& body, loop_facts& out) {
    start_at(body.blocks[0].origin);
    out.bounds.resize_for_overwrite(body.num_values());
    out.forms.clear();
    out.terms.clear();
    elements_.assign(body.num_values(), number_domain().bottom());
    for (body_id v = 0; v != body.num_values(); ++v) {
      const body_value& value = body.values[v];
      const std::uint8_t width = value.info.width;
      if (width < 1 || width > 64) {
        out.bounds[v] = value_bounds::all(64);
        continue;
      }
      elements_[v] = element_of(body, v);
      const element& e = elements_[v];
      out.bounds[v] = bounds_of(e, width);
      if (value.kind == body_kind::invariant) {
        while (out.forms.size() <= v) {
          out.forms.push_back(linear_form::zero(0));
        }
        if (read_form(value.origin, out.forms[v])) {
          note_terms(out.forms[v]);
        }
      }
    }
    collect_terms(out.terms);
  }

  /// The same facts with known bits, by value of the body that was read last; bottom: nothing is known.
  span<const element> elements() const { return elements_; }

private:
  static constexpr std::size_t most_guards = 32;
  static constexpr unsigned operations_before = 4;
  static constexpr unsigned longest_sum = 16;
  static constexpr unsigned most_steps = 16; ///< of the replacement of counters
  static constexpr std::size_t most_inputs = 8;
  static constexpr std::size_t most_phis = 16;
  static constexpr std::size_t most_applications = 64; ///< of an operation to a counter of another loop
  static constexpr std::size_t most_visits = 64;       ///< of operations before a loop, for one value

  /// Prepares for questions about the loop with this header.
  void start_at(node_id header) {
    header_ = header;
    guards_.clear();
    sums_in_guards_.clear();
    std::size_t edges = 0;
    for (node_id n = header; n != no_node && edges != most_guards; n = tree_.immediate_dominator(n)) {
      if (const edge_id e = tree_.is_reachable(n) ? dominating_[n] : no_edge; e != no_edge) {
        ++edges;
        append_facts(e, guards_);
      }
      for (std::size_t i = first_promise_[n]; i != first_promise_[n + std::size_t{1}] && n != header; ++i) {
        detail::branch_fact_collector<flat_program>(ir_, guards_).collect_condition(promises_[i]);
      }
    }
    for (const detail::branch_fact<std::uint64_t>& g : guards_) {
      note_sum(g.subject);
    }
  }

  // What branches say.

  void append_facts(edge_id e, flat_array<detail::branch_fact<std::uint64_t>>& out) {
    detail::collect_branch_facts(ir_, e, of_edge_);
    for (const detail::branch_fact<std::uint64_t>& g : of_edge_) {
      out.push_back(g);
    }
  }

  /// A value of which a branch compares the sum with a number, `x + 3 < 10`, or some bits, `(x & 3) == 0`.
  struct sum_in_guard {
    value_id value;
    value_id sum;
    std::uint64_t number;
    bool is_mask;
  };

  void note_sum(value_id sum) {
    const bool is_noted = !sums_in_guards_.empty() && sums_in_guards_.back().sum == sum;
    const operation code = is_noted || ir_.is_phi(sum) ? operation::other : ir_.operation(sum).code;
    if (code == operation::add || code == operation::bit_and) {
      const std::array<value_id, 3> operands = operands_of(sum);
      const std::optional<std::uint64_t> number = ir_.constant(operands[1]);
      if (number && ir_.operation(sum).width >= 1 && ir_.operation(sum).width <= 64) {
        sums_in_guards_.push_back({operands[0], sum, *number, code == operation::bit_and});
      }
    }
  }

  void apply_guards(value_id v, element& e) const {
    apply_guards_of(v, e);
    for (const sum_in_guard& s : sums_in_guards_) {
      if (s.value == v) {
        const unsigned width = ir_.operation(s.sum).width;
        element sum = fact(s.sum, width);
        apply_guards_of(s.sum, sum);
        if (s.is_mask) {
          element bits = number_domain().top(width);
          bits.bits = {bits.bits.zeros | (sum.bits.zeros & s.number), sum.bits.ones & s.number};
          detail::meet_facts(width, e, bits);
          continue;
        }
        const std::array<element, 2> args{sum, number_domain().constant(width, s.number & low_ones(width))};
        const operation_info subtraction{
            operation::sub, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
        detail::meet_facts(width, e, number_domain().transfer(subtraction, args));
      }
    }
  }

  void apply_guards_of(value_id v, element& e) const {
    for (const detail::branch_fact<std::uint64_t>& g : guards_) {
      if (g.subject == v) {
        e = restricted(e, g, g.constant ? number_domain().constant(g.width, *g.constant) : fact(g.other, g.width));
      }
    }
  }

  /// What the subject of a comparison is where that holds.
  static element restricted(const element& e, const detail::branch_fact<std::uint64_t>& test, element other) {
    element subject = e;
    if (test.width >= 1) {
      number_domain().assume(test.code, test.width, subject, other);
    }
    return subject.is_bottom() ? e : subject;
  }

  // Facts.

  /// What is known of a value of the IR; top instead of bottom.
  element fact(value_id v, unsigned width) const {
    if (width < 1 || width > 64) {
      return number_domain().top(64); // no number
    }
    if (const std::optional<std::uint64_t> c = ir_.constant(v)) {
      return number_domain().constant(width, *c & low_ones(width));
    }
    return v < known_.size() && !known_[v].is_bottom() ? known_[v] : number_domain().top(width);
  }

  element element_of(const loop_body& body, body_id v) {
    const body_value& value = body.values[v];
    switch (value.kind) {
    case body_kind::constant:
      return number_domain().constant(value.info.width, value.bits & low_ones(value.info.width));
    case body_kind::invariant:
      return start_before(value.origin);
    case body_kind::pure: {
      element e = fact(value.origin, value.info.width);
      std::array<element, 3> args{};
      const span<const body_id> operands = body.operands_of(v);
      bool is_known = value.info.code != operation::other && operands.size() == arity(value.info.code);
      for (std::size_t i = 0; is_known && i != operands.size(); ++i) {
        args[i] = elements_[operands[i]];
        is_known = !args[i].is_bottom();
      }
      if (is_known) {
        detail::meet_facts(value.info.width, e, computed(value.origin, value.info, args, operands.size()));
      }
      return e;
    }
    default:
      return fact(value.origin, value.info.width);
    }
  }

  // Forms.

  /// The number of the present iteration of a loop, as a value in forms.
  value_id iteration_of(loop_id l) const { return static_cast<value_id>(ir_.num_values()) + l; }

  /// A value as a sum. What counts in a loop becomes its start plus its steps, so that all that counts there is a sum
  /// of one value more.
  bool read_form(value_id v, linear_form& out) const {
    out = evolutions_.form_of(v);
    for (unsigned steps = 0; steps != most_steps && count_in_loop(out); ++steps) {
    }
    for (std::uint32_t i = 0; i != out.num_terms; ++i) {
      const value_id x = out.terms[i].value;
      if (x < ir_.num_values() && ir_.is_undefined(x)) { // each use may be another number
        out = linear_form::zero(0);
        return false;
      }
    }
    return true;
  }

  /// Replaces a counter of another loop by its start plus its steps. False if the form has no such counter.
  bool count_in_loop(linear_form& form) const {
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      const loop_id l = t.value < ir_.num_values() ? evolutions_.home_loop(t.value) : no_loop;
      if (l == no_loop) {
        continue;
      }
      linear_form out = form;
      linear_form one = form.none_of();
      if (!one.add(t.value, t.coefficient, t.reading) || !out.add(t.value, 0 - t.coefficient, t.reading)) {
        continue;
      }
      if (const evolution e = evolutions_.evolution_of(one, l);
          e.is_counter() && out.add(e.start()) && out.add(iteration_of(l), e.step().constant)) {
        form = out;
        return true;
      }
    }
    return false;
  }

  /// The low bits of a value as a sum of others; of width 0 if it has no such form.
  linear_form low_form(value_id v) const {
    linear_form out;
    if (!read_form(v, out)) {
      return out;
    }
    const bool is_itself = out.num_terms == 1 && out.terms[0].value == v;
    const auto low = is_itself && !ir_.is_phi(v) && !ir_.constant(v) ? ir_.low_sum(v) : std::nullopt;
    if (low && low->bits != 0) {
      out = linear_form::zero(low->bits < out.width ? low->bits : out.width);
      return out.add(low->base, 1) && out.add(low->number) ? out : linear_form::zero(0);
    }
    return is_itself ? linear_form::zero(0) : out;
  }

  void note_terms(const linear_form& form) {
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const value_id v = form.terms[i].value;
      if (is_noted_[v] == 0) {
        is_noted_[v] = 1;
        terms_.push_back(v);
      }
    }
  }

  bool is_iteration(value_id v) const { return v >= ir_.num_values(); }

  /// Also those by which others are replaced.
  void collect_terms(flat_array<known_term>& out) {
    for (std::size_t i = 0; i != terms_.size(); ++i) {
      if (!is_iteration(terms_[i])) {
        note_terms(low_form(terms_[i]));
      }
    }
    detail::heap_sort(terms_.data(), terms_.size());
    for (const value_id v : terms_) {
      is_noted_[v] = 0;
      if (is_iteration(v)) {
        out.push_back({v, 64, facts_of_iteration(static_cast<loop_id>(v - ir_.num_values()))});
        continue;
      }
      const auto width = static_cast<std::uint8_t>(evolutions_.width(v));
      const element e = start_before(v);
      out.push_back({v, width, e.is_bottom() ? number_facts::any(width) : number_domain().facts(e), low_form(v)});
    }
    terms_.clear();
  }

  number_facts facts_of_iteration(loop_id l) const {
    const trip_count& trip = evolutions_.trips(l).count;
    number_facts out = number_facts::any(64);
    if (trip.kind == trip_count_kind::exact || trip.kind == trip_count_kind::at_most) {
      out.most = trip.backedges;
      if (trip.backedges >> 63 == 0) {
        out.low = 0;
        out.high = static_cast<std::int64_t>(trip.backedges);
      }
    }
    return out;
  }

  element start_before(value_id v) {
    visits_ = 0;
    return before_loop(v, operations_before);
  }

  /// A value from before the loop, by the operations that compute it.
  element before_loop(value_id v, unsigned depth) {
    const operation_info info = ir_.operation(v);
    element e = fact(v, info.width);
    depth = ++visits_ > most_visits || info.width < 1 || info.width > 64 ? 0 : depth;
    if (depth != 0 && info.code != operation::other && !ir_.is_phi(v)) {
      meet_computed(v, info, e, [&](value_id operand) { return before_loop(operand, depth - 1); });
      meet_extended_low_bits(v, info, e);
    } else if (depth != 0 && ir_.is_phi(v)) {
      if (const value_id input = only_input(v); input != no_value) {
        detail::meet_facts(info.width, e, arriving(input, ir_.node_of(v), depth));
      } else if (joins_earlier(v)) {
        detail::meet_facts(info.width, e, joined(v, depth));
      } else {
        meet_counter(v, e);
      }
    }
    apply_guards(v, e);
    return e;
  }

  /// What an operation computes from what `read` says about its operands.
  template <class Read> void meet_computed(value_id v, const operation_info& info, element& e, Read read) {
    std::array<element, 3> args{};
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    for (const value_id operand : ir_.operands(v)) {
      if (count < wanted) {
        args[count++] = read(operand);
      }
    }
    if (count == wanted) {
      detail::meet_facts(info.width, e, computed(v, info, args, count));
    }
  }

  /// Whether the node of a phi is entered by few edges, all from nodes that precede it: so it is not in a cycle with
  /// what its inputs are computed from, and what branches say about these holds for the last time that they arrived.
  bool joins_earlier(value_id phi) const {
    const node_id n = ir_.node_of(phi);
    return ir_.operands(phi).size() <= most_inputs && n != no_node && only_from_earlier_[n] != 0;
  }

  /// What a phi takes over the edges into its node, also by what the branch says that leads there last: the input and
  /// what it is computed from have not changed since.
  element joined(value_id phi, unsigned depth) {
    element any = number_domain().bottom();
    const std::size_t num_guards = guards_.size();
    for (const edge_id e : ir_.graph().in_edges(ir_.node_of(phi))) {
      const node_id source = ir_.graph().edge_source(e);
      if (tree_.is_reachable(source)) {
        append_facts(e, guards_);
        if (dominating_[source] != no_edge) {
          append_facts(dominating_[source], guards_);
        }
        number_domain().join(any, before_loop(ir_.phi_input(phi, e), depth));
        guards_.shrink(num_guards);
      }
    }
    return any;
  }

  /// The low bits of a number, extended with their sign by two shifts, are also known by what branches say about the
  /// number without its high bits.
  void meet_extended_low_bits(value_id v, const operation_info& info, element& e) const {
    if (info.code != operation::sar) {
      return;
    }
    const std::array<value_id, 3> outer = operands_of(v);
    const std::array<value_id, 3> inner = operands_of(outer[0]);
    if (ir_.is_phi(outer[0]) || ir_.operation(outer[0]).code != operation::shl) {
      return;
    }
    const std::optional<std::uint64_t> by = ir_.constant(outer[1]);
    if (!by || by != ir_.constant(inner[1]) || *by >= info.width) {
      return;
    }
    for (const detail::branch_fact<std::uint64_t>& g : guards_) {
      const operation_info cut = ir_.operation(g.subject);
      if (cut.code == operation::truncate && cut.width + *by == info.width && operands_of(g.subject)[0] == inner[0]) {
        element low = fact(g.subject, cut.width);
        apply_guards(g.subject, low);
        const operation_info extension{operation::sign_extend, info.width, cut.width, {}};
        detail::meet_facts(info.width, e, number_domain().transfer(extension, span<const element>(&low, 1)));
        return;
      }
    }
  }

  /// What `v` was when control last arrived at node `n`, which has a phi whose only input is `v`. So `v` dominates the
  /// edges into `n`, and its operands dominate `v`: at these edges, `v` is its operation applied to what they are
  /// there. If another phi of `n` carries an operand, branches after `n` may say more about that phi.
  element arriving(value_id v, node_id n, unsigned depth) {
    const operation_info info = ir_.operation(v);
    element e = fact(v, info.width);
    if (ir_.is_phi(v)) {
      meet_counter(v, e);
    }
    if (depth == 0 || info.code == operation::other || ir_.is_phi(v) || ir_.constant(v)) {
      return e;
    }
    meet_computed(v, info, e, [&](value_id operand) {
      const value_id phi = phi_of(operand, n);
      return phi != no_value ? before_loop(phi, depth - 1) : arriving(operand, n, depth - 1);
    });
    return e;
  }

  /// The value that all inputs of a phi are, or `no_value`. Looks at the first few.
  value_id only_input(value_id phi) const {
    value_id only = no_value;
    std::size_t inputs = 0;
    for (const value_id input : ir_.operands(phi)) {
      if (input == phi || (only != no_value && input != only) || ++inputs > most_inputs) {
        return no_value;
      }
      only = input;
    }
    return only;
  }

  /// What `v` is without copies and phis with one input: the value that they pass on.
  value_id through(value_id v) const {
    for (unsigned i = 0; i != longest_sum; ++i) {
      const bool is_copy = !ir_.is_phi(v) && ir_.operation(v).code == operation::copy;
      const value_id next = is_copy ? operands_of(v)[0] : ir_.is_phi(v) ? only_input(v) : no_value;
      if (next == no_value) {
        break;
      }
      v = next;
    }
    return v;
  }

  /// A phi of the node whose only input is `v`, among the first ones, or `no_value`.
  value_id phi_of(value_id v, node_id n) const {
    std::size_t looked_at = 0;
    for (const value_id phi : ir_.values(n)) {
      if (!ir_.is_phi(phi) || ++looked_at > most_phis) {
        break;
      }
      if (only_input(phi) == v) {
        return phi;
      }
    }
    return no_value;
  }

  /// What an operation computes. The operands of a select are also known by its condition, `operand(i)` of which and of
  /// a comparison that it is are values of the IR: the lesser of two numbers is below both.
  element computed(value_id v, const operation_info& info, std::array<element, 3> args, std::size_t count) const {
    if (info.code == operation::select) {
      const std::array<value_id, 3> of_select = operands_of(v);
      const operation_info test = ir_.operation(of_select[0]);
      if (is_comparison(test.code) && test.operand_width == info.width && !ir_.is_phi(of_select[0])) {
        const std::array<value_id, 3> of_test = operands_of(of_select[0]);
        sharpen(of_test, of_select[1], test.code, info.width, args, 1);
        sharpen(of_test, of_select[2], negated(test.code), info.width, args, 2);
      }
    }
    return number_domain().transfer(info, span<const element>(args.data(), count));
  }

  /// What `args[at]`, the fact about `v`, is if the comparison of two values holds of which `v` is one.
  void sharpen(const std::array<value_id, 3>& compared, value_id v, operation code, unsigned width,
               std::array<element, 3>& args, std::size_t at) const {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (compared[i] == v || is_same_constant(compared[i], v)) {
        element e = args[at];
        element other = fact(compared[1 - i], width);
        number_domain().assume(i == 0 ? code : mirrored(code), width, e, other);
        args[at] = e.is_bottom() ? args[at] : e;
      }
    }
  }

  bool is_same_constant(value_id v, value_id w) const {
    const std::optional<std::uint64_t> a = ir_.constant(v);
    return a && a == ir_.constant(w);
  }

  std::array<value_id, 3> operands_of(value_id v) const {
    std::array<value_id, 3> out{no_value, no_value, no_value};
    std::size_t count = 0;
    for (const value_id operand : ir_.operands(v)) {
      if (count != out.size()) {
        out[count++] = operand;
      }
    }
    return out;
  }

  // Counters of other loops.

  template <class Visit> void for_each_phi(node_id n, Visit visit) const {
    std::size_t looked_at = 0;
    for (const value_id phi : ir_.values(n)) {
      if (!ir_.is_phi(phi) || ++looked_at > most_phis) {
        break;
      }
      visit(phi);
    }
  }

  /// A header phi, and what it is in all iterations.
  struct bounded_counter {
    value_id phi;
    element value;
  };

  /// Derives what the counters of all loops are, in the order of the control flow: what a loop starts with is then
  /// known by those before and around it.
  void bound_counters() {
    for (const node_id n : reverse_post_order(ir_.graph())) {
      if (forest_.is_header(n)) {
        const loop_id l = forest_.innermost_loop(n);
        const auto first = static_cast<std::uint32_t>(counters_.size());
        start_at(n);
        collect_tests(l);
        if (const auto most = most_backedges_of(l)) {
          for_each_phi(n, [&](value_id phi) { bound_counter(phi, l, *most); });
        }
        counters_of_[l] = {first, static_cast<std::uint32_t>(counters_.size())};
      }
    }
  }

  /// How many backedges loop `l` takes at most: by its evolutions, and by the tests of its counters that each iteration
  /// passes.
  std::optional<std::uint64_t> most_backedges_of(loop_id l) {
    const trip_count& trip = evolutions_.trips(l).count;
    const bool is_known = trip.kind == trip_count_kind::exact || trip.kind == trip_count_kind::at_most;
    std::optional<std::uint64_t> least = is_known ? std::optional(trip.backedges) : std::nullopt;
    for (const detail::branch_fact<std::uint64_t>& t : tests_) {
      if (const auto most = most_applications_by_test(t, l); most && (!least || *most < *least)) {
        least = most;
      }
    }
    return least;
  }

  /// What is known about a phi as the counter of a loop whose header precedes the present one.
  void meet_counter(value_id phi, element& e) {
    const node_id n = ir_.node_of(phi);
    if (n == no_node || !forest_.is_header(n) || ranks_[n] >= ranks_[header_]) {
      return;
    }
    const loop_id l = forest_.innermost_loop(n);
    for (std::uint32_t i = counters_of_[l].first; i != counters_of_[l].last; ++i) {
      if (counters_[i].phi == phi) {
        detail::meet_facts(ir_.operation(phi).width, e, counters_[i].value);
      }
    }
  }

  /// A value that is a phi of a loop's header plus a number.
  struct counter_of_loop {
    value_id phi;
    std::uint64_t addend;
    std::uint64_t step;
    operation_flags flags; ///< of the value, as one that goes from number to number
  };

  optional<counter_of_loop> counter_of(value_id v, loop_id l) const {
    const linear_form form = evolutions_.form_of(v);
    const value_id phi = form.num_terms == 1 && form.terms[0].coefficient == 1 ? form.terms[0].value : no_value;
    const bool is_phi =
        phi != no_value && ir_.is_phi(phi) && ir_.node_of(phi) == forest_.header(l) && ir_.operation(phi).width <= 64;
    const evolution e = is_phi ? evolutions_.evolution_of(form, l) : evolution();
    if (!is_phi || !e.is_counter() || evolutions_.width(phi) != form.width) {
      return std::nullopt;
    }
    return counter_of_loop{phi, form.constant, e.step().constant,
                           operation_flags{evolutions_.evolution_of(v, l, number_reading::as_signed).is_counter(),
                                           evolutions_.evolution_of(v, l, number_reading::as_unsigned).is_counter()}};
  }

  /// What a header phi of loop `l` is when the loop is entered.
  element start_of(value_id phi, loop_id l) {
    element start = number_domain().bottom();
    for (const loop_edge& e : forest_.entering_edges(l)) {
      if (tree_.is_reachable(e.source)) {
        number_domain().join(start, start_before(ir_.phi_input(phi, e.id)));
      }
    }
    return start.is_bottom() ? number_domain().top(ir_.operation(phi).width) : start;
  }

  /// The comparisons that hold in each iteration that does not leave loop `l`: those of nodes on all ways through it.
  void collect_tests(loop_id l) {
    tests_.clear();
    std::size_t exits = 0;
    for (const loop_edge& leaving : forest_.exiting_edges(l)) {
      bool is_always_tested = ++exits <= most_guards;
      for (const loop_edge& back : forest_.backedges(l)) {
        is_always_tested = is_always_tested && tree_.dominates(leaving.source, back.source);
      }
      edge_id stays = no_edge;
      std::size_t staying = 0;
      if (is_always_tested) {
        for (const edge_id e : ir_.graph().out_edges(leaving.source)) {
          if (forest_.contains(l, ir_.graph().edge_target(e))) {
            stays = e;
            ++staying;
          }
        }
      }
      if (staying == 1) {
        append_facts(stays, tests_);
      }
    }
  }

  /// The other side of a test of loop `l`.
  element compared_with(const detail::branch_fact<std::uint64_t>& test, loop_id l) {
    return test.constant     ? number_domain().constant(test.width, *test.constant)
           : varies(test, l) ? fact(test.other, test.width)
                             : start_before(test.other);
  }

  bool varies(const detail::branch_fact<std::uint64_t>& test, loop_id l) const {
    const node_id n = test.constant ? no_node : ir_.node_of(test.other);
    return n != no_node && forest_.contains(l, n);
  }

  static value_bounds bounds_of(const element& e, unsigned width) {
    return e.is_bottom() ? value_bounds::all(width)
                         : value_bounds{e.range.as_unsigned.low, e.range.as_unsigned.high, e.range.as_signed.low,
                                        e.range.as_signed.high};
  }

  /// Adds a header phi to `counters_` if it counts, from all that it may be at first up to `most` steps; and after the
  /// first iteration, a test has held for the value before.
  void bound_counter(value_id phi, loop_id l, std::uint64_t most) {
    const auto own = counter_of(phi, l);
    if (!own) {
      bound_by_applications(phi, l, most);
      return;
    }
    const unsigned width = evolutions_.width(phi);
    const element start = start_of(phi, l);
    element value = counted(start, own->step, most, width);
    for (const detail::branch_fact<std::uint64_t>& test : tests_) {
      const auto counter = counter_of(test.subject, l);
      if (counter && counter->phi == phi && test.width == width) {
        const element tested = sum(value, counter->addend, width);
        element any = sum(restricted(tested, test, compared_with(test, l)), own->step - counter->addend, width);
        number_domain().join(any, start);
        detail::meet_facts(width, value, any);
      }
    }
    counters_.push_back({phi, value});
  }

  /// The one operation with a number that each iteration of loop `l` applies to a header phi, as `x << 1`.
  struct application {
    operation_info info;
    element number;
  };

  /// The operation that each iteration applies to a phi. Nothing if the loop has several backedges, or applies others.
  optional<application> application_of(value_id phi, loop_id l) const {
    const auto backedges = forest_.backedges(l);
    const value_id next = through(ir_.phi_input(phi, backedges[0].id));
    const operation_info info = ir_.is_phi(next) ? operation_info{} : ir_.operation(next);
    const std::array<value_id, 3> operands = operands_of(next);
    const auto number = operands[1] == no_value ? std::nullopt : ir_.constant(operands[1]);
    if (backedges.size() != 1 || info.code == operation::other || arity(info.code) != 2 ||
        through(operands[0]) != phi || !number || info.width != ir_.operation(phi).width || info.width > 64) {
      return std::nullopt;
    }
    return application{info, number_domain().constant(info.width, *number & low_ones(info.width))};
  }

  /// How often a test of a header phi may hold if each iteration applies an operation to it.
  std::optional<std::uint64_t> most_applications_by_test(const detail::branch_fact<std::uint64_t>& test, loop_id l) {
    const bool is_phi = ir_.is_phi(test.subject) && ir_.node_of(test.subject) == forest_.header(l);
    const auto next = is_phi && test.width >= 1 ? application_of(test.subject, l) : std::nullopt;
    if (!next) {
      return std::nullopt;
    }
    std::array<element, 2> args{start_of(test.subject, l), next->number};
    for (std::uint64_t k = 0; k != most_applications; ++k) {
      element bound = compared_with(test, l);
      number_domain().assume(test.code, test.width, args[0], bound);
      if (args[0].is_bottom()) {
        return k;
      }
      args[0] = number_domain().transfer(next->info, args);
    }
    return std::nullopt;
  }

  /// Adds such a phi to `counters_`: from all that it may be at first, up to `most` times, or until nothing is added.
  void bound_by_applications(value_id phi, loop_id l, std::uint64_t most) {
    const auto next = application_of(phi, l);
    if (!next) {
      return;
    }
    std::array<element, 2> args{start_of(phi, l), next->number};
    element value = args[0];
    for (std::uint64_t i = 0; i != most && !args[0].is_bottom(); ++i) {
      args[0] = number_domain().transfer(next->info, args);
      const bool grows = number_domain().join(value, args[0]);
      if (const std::array<element, 2> all{value, args[1]};
          !grows && number_domain().leq(number_domain().transfer(next->info, all), value)) {
        break;
      }
      if (i == most_applications) {
        return;
      }
    }
    counters_.push_back({phi, value});
  }

  static element sum(const element& e, std::uint64_t number, unsigned width) {
    const std::array<element, 2> args{e, number_domain().constant(width, number & low_ones(width))};
    const operation_info addition{
        operation::add, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
    return number_domain().transfer(addition, args);
  }

  /// What grows by `step` up to `most` times. Bounds beyond which it might wrap are lost.
  static element counted(const element& start, std::uint64_t step, std::uint64_t most, unsigned width) {
    element out = number_domain().top(width);
    const bool is_down = as_signed(step, width) < 0;
    const std::uint64_t size = is_down ? (0 - step) & low_ones(width) : step;
    if (most != 0 && size > low_ones(width) / most) {
      return out;
    }
    const std::uint64_t way = size * most;
    auto& without_sign = out.range.as_unsigned;
    if (const auto& first = start.range.as_unsigned; way <= (is_down ? first.low : without_sign.high - first.high)) {
      without_sign = {first.low - (is_down ? way : 0), first.high + (is_down ? 0 : way)};
    }
    auto& with_sign = out.range.as_signed;
    const auto low = static_cast<std::uint64_t>(start.range.as_signed.low);
    const auto high = static_cast<std::uint64_t>(start.range.as_signed.high);
    if (way <= (is_down ? low - static_cast<std::uint64_t>(with_sign.low)
                        : static_cast<std::uint64_t>(with_sign.high) - high)) {
      with_sign = {static_cast<std::int64_t>(low - (is_down ? way : 0)),
                   static_cast<std::int64_t>(high + (is_down ? 0 : way))};
    }
    number_domain().reduce(width, out);
    return out;
  }

  const flat_program& ir_;
  const dominator_tree& tree_;
  const loop_forest& forest_;
  span<const element> known_;
  const value_evolutions& evolutions_;
  flat_array<edge_id> dominating_;             ///< by node: the edge that dominates it, with its target
  flat_array<std::uint32_t> ranks_;            ///< by node: its position in a reverse postorder
  flat_array<std::uint8_t> only_from_earlier_; ///< by node: whether those before it in that order are its predecessors
  flat_array<std::uint32_t> first_promise_;    ///< by node, and one more
  flat_array<value_id> promises_;              ///< bits that are 1 after their node, grouped by it
  flat_array<detail::branch_fact<std::uint64_t>> of_edge_;
  flat_array<detail::branch_fact<std::uint64_t>> guards_; ///< of the loop
  flat_array<detail::branch_fact<std::uint64_t>> tests_;  ///< of a loop whose counters are bounded
  flat_array<sum_in_guard> sums_in_guards_;
  flat_array<element> elements_;
  flat_array<value_id> terms_;        ///< of forms
  flat_array<std::uint8_t> is_noted_; ///< by value: it is among these
  node_id header_ = no_node;          ///< of the loop
  std::size_t visits_ = 0;            ///< for the present value
  flat_array<bounded_counter> counters_;
  flat_array<detail::counter_range> counters_of_; ///< by loop
};

MIDEND_END_NAMESPACE
