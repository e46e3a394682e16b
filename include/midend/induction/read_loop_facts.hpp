/// `loop_fact_reader`: what the function around a loop says about the values of its body.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/edge_dominance.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/meet_facts.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Reads facts about the bodies of the loops of one function, from
///
/// - facts about its values, `sccp(ir, number_domain())` or `sccp_with_branch_facts`;
/// - the branches that lead to the loop: after `if (n < 16)`, `n` is below 16. The closest 32 edges that dominate the
///   header are read;
/// - operations before the loop: what follows from these for the values that they compute, up to four operations away;
///   and sums of a value and numbers, through up to 16 additions and phis whose inputs agree; the same again with what
///   has known low bits, and phis whose inputs agree in these, such as counters of a loop around; `low_sum(v)` of the
///   IR says this of operations outside the vocabulary. A phi with one input only, as in
///   loop-closed form, is known by the operation of its input, and by other such phis of its node that carry operands.
///
/// A fact about a value holds whenever the value is computed, and what a branch says holds for the values from before
/// the loop in all its iterations. A value that is never computed, as far as is known, has no bounds here.
template <cost_ir IR> class loop_fact_reader {
public:
  using element = number_domain::element;

  /// `known` are the facts by value; or none. All arguments must outlive this object. O(nodes, edges and values).
  loop_fact_reader(const IR& ir, const dominator_tree& tree, span<const element> known)
      : ir_(ir), tree_(tree), known_(known), dominating_(dominating_edges(ir.graph(), tree)) {
    node_of_phi_.assign(ir.num_values(), no_node);
    for (node_id n = 0; n != ir.graph().num_nodes(); ++n) {
      for (const value_id v : ir.values(n)) {
        if (ir.is_phi(v)) {
          node_of_phi_[v] = n;
        }
      }
    }
  }

  /// Refills `out` with what is known about the values of `body`, which `describe_loop` has read from the IR. Linear in
  /// the body, with a factor for the operations before the loop.
  void read(const loop_body& body, loop_facts& out) {
    collect_guards(body.blocks[0].origin);
    out.bounds.resize_for_overwrite(body.num_values());
    out.sums.assign(body.num_values(), {no_value, 0});
    out.low_sums.assign(body.num_values(), {no_value, 0});
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
      out.bounds[v] = e.is_bottom() ? value_bounds::all(width)
                                    : value_bounds{e.range.as_unsigned.low, e.range.as_unsigned.high,
                                                   e.range.as_signed.low, e.range.as_signed.high};
      if (value.kind == body_kind::invariant) {
        out.sums[v] = sum_of(value.origin, false);
        out.low_sums[v] = sum_of(value.origin, true);
      }
    }
  }

  /// The same facts with known bits, by value of the body that was read last; bottom: nothing is known.
  span<const element> elements() const { return elements_; }

private:
  static constexpr std::size_t most_guards = 32;
  static constexpr unsigned operations_before = 4;
  static constexpr unsigned longest_sum = 16;
  static constexpr std::size_t most_inputs = 8;
  static constexpr std::size_t most_phis = 16;

  // What branches say.

  void collect_guards(node_id header) {
    guards_.clear();
    std::size_t edges = 0;
    for (node_id n = header; n != no_node && edges != most_guards; n = tree_.immediate_dominator(n)) {
      if (const edge_id e = tree_.is_reachable(n) ? dominating_[n] : no_edge; e != no_edge) {
        ++edges;
        detail::collect_branch_facts(ir_, e, of_edge_);
        for (const detail::branch_fact<std::uint64_t>& g : of_edge_) {
          guards_.push_back(g);
        }
      }
    }
  }

  void apply_guards(value_id v, element& e) const {
    for (const detail::branch_fact<std::uint64_t>& g : guards_) {
      if (g.subject == v && g.width >= 1) {
        element other = g.constant ? number_domain().constant(g.width, *g.constant) : fact(g.other, g.width);
        element subject = e;
        number_domain().assume(g.code, g.width, subject, other);
        e = subject.is_bottom() ? e : subject;
      }
    }
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

  element element_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    switch (value.kind) {
    case body_kind::constant:
      return number_domain().constant(value.info.width, value.bits & low_ones(value.info.width));
    case body_kind::invariant:
      return before_loop(value.origin);
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

  /// A value from before the loop, by the operations that compute it.
  element before_loop(value_id v, unsigned depth = operations_before) const {
    const operation_info info = ir_.operation(v);
    element e = fact(v, info.width);
    if (depth != 0 && info.code != operation::other && !ir_.is_phi(v)) {
      std::array<element, 3> args{};
      std::size_t count = 0;
      const std::size_t wanted = arity(info.code);
      detail::for_each_id(ir_.operands(v), [&](value_id operand) {
        if (count < wanted) {
          args[count++] = before_loop(operand, depth - 1);
        }
      });
      if (count == wanted) {
        detail::meet_facts(info.width, e, computed(v, info, args, count));
      }
    } else if (depth != 0 && v < node_of_phi_.size() && node_of_phi_[v] != no_node) {
      if (const value_id input = only_input(v); input != no_value) {
        detail::meet_facts(info.width, e, arriving(input, node_of_phi_[v], depth - 1));
      }
    }
    apply_guards(v, e);
    return e;
  }

  /// What `v` was when control last arrived at node `n`, which has a phi whose only input is `v`. So `v` dominates the
  /// edges into `n`, and its operands dominate `v`: at these edges, `v` is its operation applied to what they are
  /// there. If another phi of `n` carries an operand, branches after `n` may say more about that phi.
  element arriving(value_id v, node_id n, unsigned depth) const {
    const operation_info info = ir_.operation(v);
    element e = fact(v, info.width);
    if (depth == 0 || info.code == operation::other || ir_.is_phi(v) || ir_.constant(v)) {
      return e;
    }
    std::array<element, 3> args{};
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    detail::for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count < wanted) {
        const value_id phi = phi_of(operand, n);
        args[count++] = phi != no_value ? before_loop(phi, depth - 1) : arriving(operand, n, depth - 1);
      }
    });
    if (count == wanted) {
      detail::meet_facts(info.width, e, number_domain().transfer(info, span<const element>(args.data(), count)));
    }
    return e;
  }

  /// The value that all inputs of a phi are, or `no_value`.
  value_id only_input(value_id phi) const {
    value_id only = no_value;
    bool is_one = true;
    detail::for_each_id(ir_.operands(phi), [&](value_id input) {
      is_one = is_one && input != phi && (only == no_value || input == only);
      only = input;
    });
    return is_one ? only : no_value;
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
    detail::for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count != out.size()) {
        out[count++] = operand;
      }
    });
    return out;
  }

  // Sums.

  /// A value as a sum of what it is computed from, as far back as that holds for all bits; `by_low_bits`: for some.
  invariant_sum sum_of(value_id v, bool by_low_bits) const {
    const std::uint8_t width = ir_.operation(v).width;
    invariant_sum sum{v, 0};
    for (unsigned i = 0; i != longest_sum; ++i) {
      invariant_sum next = sum;
      const bool goes_on = chooses_sum(next) || adds_number(next);
      if (!goes_on || next.bits == 0 || (next.bits < width && !by_low_bits)) {
        break;
      }
      sum = next;
    }
    return sum;
  }

  /// Whether the base of `sum` is a phi of sums of one value, which agree in some low bits: then `sum` goes on from
  /// that value. An input may also be a sum of the phi: what a loop adds to it.
  bool chooses_sum(invariant_sum& sum) const {
    const value_id phi = sum.base;
    if (!ir_.is_phi(phi)) {
      return false;
    }
    invariant_sum common{no_value, 0};
    std::size_t inputs = 0;
    bool is_one = true;
    detail::for_each_id(ir_.operands(phi), [&](value_id input) {
      is_one = is_one && ++inputs <= most_inputs;
      invariant_sum x{input, 0};
      for (unsigned i = 0; is_one && i != operations_before && x.base != phi; ++i) {
        if (!adds_number(x)) {
          break;
        }
      }
      if (common.base == no_value && x.base != phi) {
        common.base = x.base;
        common.number = x.number;
      }
      is_one = is_one && (x.base == phi || x.base == common.base);
      agree_in_low_bits(common, x, x.base == phi ? 0 : common.number);
    });
    sum.base = common.base;
    sum.number += common.number;
    sum.bits = common.bits < sum.bits ? common.bits : sum.bits;
    return is_one && common.base != no_value;
  }

  /// Forgets the bits of `sum` in which `x` is not known, or its number is not `number`.
  static void agree_in_low_bits(invariant_sum& sum, const invariant_sum& x, std::uint64_t number) {
    const auto same = static_cast<std::uint8_t>(std::countr_zero(x.number - number));
    const std::uint8_t known = same < x.bits ? same : x.bits;
    sum.bits = known < sum.bits ? known : sum.bits;
  }

  /// Whether the base of `sum` is a value and what an operation adds to it or subtracts, of which the low bits are
  /// known: then `sum` goes on from the value.
  bool adds_number(invariant_sum& sum) const {
    if (ir_.is_phi(sum.base) || ir_.constant(sum.base)) {
      return false;
    }
    const operation_info info = ir_.operation(sum.base);
    const std::array<value_id, 3> operands = operands_of(sum.base);
    const std::uint8_t width = info.width;
    switch (info.code) {
    case operation::copy:
      sum.base = operands[0];
      return true;
    case operation::zero_extend:
    case operation::sign_extend: // the low bits are those of what is extended
      sum.base = operands[0];
      sum.bits = info.operand_width < sum.bits ? info.operand_width : sum.bits;
      return true;
    case operation::add: {
      const bool first_is_base = low_bits(operands[1], width).known > low_bits(operands[0], width).known;
      return goes_on(sum, operands[first_is_base ? 0 : 1], low_bits(operands[first_is_base ? 1 : 0], width), width);
    }
    case operation::sub: {
      known_low_bits subtracted = low_bits(operands[1], width);
      subtracted.number = 0 - subtracted.number;
      return goes_on(sum, operands[0], subtracted, width);
    }
    case operation::shladd: {
      const std::optional<std::uint64_t> by = ir_.constant(operands[1]);
      known_low_bits added = low_bits(operands[0], width);
      const std::uint64_t known = by.value_or(std::uint64_t{0}) + added.known;
      added.number = by && *by < width ? added.number << *by : 0;
      added.known = static_cast<std::uint8_t>(known < width ? known : width);
      return by && *by < width && goes_on(sum, operands[2], added, width);
    }
    default:
      return adds_low_bits(sum);
    }
  }

  /// The same by what the IR says about an operation outside the vocabulary.
  bool adds_low_bits([[maybe_unused]] invariant_sum& sum) const {
    if constexpr (has_low_sum<IR>) {
      const std::uint8_t width = ir_.operation(sum.base).width;
      const std::optional<sum_of_low_bits> low = ir_.low_sum(sum.base);
      if (low && low->bits != 0) {
        const std::uint8_t bits = low->bits < width ? low->bits : width;
        return goes_on(sum, low->base, {low->number & low_ones(bits), bits}, width);
      }
    }
    return false;
  }

  struct known_low_bits {
    std::uint64_t number;
    std::uint8_t known; ///< how many low bits of the number are known
  };

  known_low_bits low_bits(value_id v, std::uint8_t width) const {
    const element e = fact(v, width);
    const auto known = static_cast<std::uint8_t>(std::countr_one(e.bits.zeros | e.bits.ones));
    const std::uint8_t bits = known < width ? known : width;
    return {bits == 0 ? 0 : e.bits.ones & low_ones(bits), bits};
  }

  static bool goes_on(invariant_sum& sum, value_id base, const known_low_bits& added, std::uint8_t width) {
    if (added.known == 0 || base == no_value) {
      return false;
    }
    sum.base = base;
    sum.bits = added.known < width && added.known < sum.bits ? added.known : sum.bits;
    sum.number = (sum.number + added.number) & low_ones(width);
    return true;
  }

  const IR& ir_;
  const dominator_tree& tree_;
  span<const element> known_;
  flat_array<edge_id> dominating_;  ///< by node: the edge that dominates it, with its target
  flat_array<node_id> node_of_phi_; ///< by value; `no_node` for other values
  flat_array<detail::branch_fact<std::uint64_t>> of_edge_;
  flat_array<detail::branch_fact<std::uint64_t>> guards_; ///< of the loop
  flat_array<element> elements_;
};

MIDEND_END_NAMESPACE
