/// `entry_ranges`: between which numbers sums of values are when a loop is entered, also by the branches before it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/optional.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Bounds of an integer, as far as they are known.
struct integer_ends {
  optional<std::int64_t> least;
  optional<std::int64_t> most;

  constexpr bool is_at_least(std::int64_t n) const { return least && *least >= n; }

  constexpr bool is_at_most(std::int64_t n) const { return most && *most <= n; }

  constexpr void raise(const optional<std::int64_t>& to) {
    if (to && (!least || *least < *to)) {
      least = to;
    }
  }

  constexpr void lower(const optional<std::int64_t>& to) {
    if (to && (!most || *most > *to)) {
      most = to;
    }
  }
};

/// a + b, if it fits.
constexpr optional<std::int64_t> checked_sum(const optional<std::int64_t>& a, const optional<std::int64_t>& b) {
  if (!a || !b) {
    return std::nullopt;
  }
  const wrapping_result sum = wrapping_add(static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b), 64);
  return sum.signed_wrap ? std::nullopt : optional(static_cast<std::int64_t>(sum.bits));
}

/// a - b, if it fits.
constexpr optional<std::int64_t> checked_difference(const optional<std::int64_t>& a, const optional<std::int64_t>& b) {
  if (!a || !b) {
    return std::nullopt;
  }
  const wrapping_result rest = wrapping_sub(static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b), 64);
  return rest.signed_wrap ? std::nullopt : optional(static_cast<std::int64_t>(rest.bits));
}

constexpr operation signed_comparison(operation code) {
  switch (code) {
  case operation::uless:
    return operation::less;
  case operation::uless_equal:
    return operation::less_equal;
  case operation::ugreater:
    return operation::greater;
  case operation::ugreater_equal:
    return operation::greater_equal;
  default:
    return code;
  }
}

/// Bounds of exact sums: those of their values, and what branches that lead to the loop say about such sums. A branch
/// says something about a sum if the difference that it compares, or its opposite, is that sum plus a number.
class entry_ranges {
public:
  entry_ranges(const flat_program& program, const loop_forest& loops, const dominator_tree& tree,
               const value_form_reader& reader)
      : p_(program), loops_(loops), tree_(tree), reader_(reader), conditions_(program) {}

  /// Each time that loop `l` is entered.
  integer_ends of(const linear_form& form, loop_id l) const {
    integer_ends out = of(form);
    if (form.is_number()) {
      return out;
    }
    for (unsigned round = 0; round != 2; ++round) { // `!=` says something about numbers that are bounds
      node_id n = loops_.header(l);
      for (unsigned steps = 0; steps != max_steps; ++steps) {
        const node_id above = tree_.immediate_dominator(n);
        if (above == no_node) {
          break;
        }
        if (const edge_id e = only_edge(above, n); e != no_edge) {
          narrow_by_branch(above, e, form, out);
        }
        n = above;
      }
    }
    return out;
  }

  /// Wherever its values are.
  integer_ends of(const linear_form& form) const { return {end_of(form, false), end_of(form, true)}; }

  /// What `form` is by the bounds of `other`, an exact form whose bounds are known by other means.
  static void narrow(const linear_form& form, const linear_form& other, const integer_ends& ends, integer_ends& out) {
    linear_form rest;
    if (linear_difference(form, other, rest) && rest.is_number()) {
      const optional by(static_cast<std::int64_t>(rest.constant));
      out.raise(checked_sum(ends.least, by));
      out.lower(checked_sum(ends.most, by));
    }
    rest = form;
    if (rest.add(other) && rest.is_number()) {
      const optional sum(static_cast<std::int64_t>(rest.constant));
      out.raise(checked_difference(sum, ends.most));
      out.lower(checked_difference(sum, ends.least));
    }
  }

private:
  static constexpr unsigned max_steps = 16; ///< dominators that are looked at

  optional<std::int64_t> end_of(const linear_form& form, bool greatest) const {
    optional<std::int64_t> sum(static_cast<std::int64_t>(form.constant));
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      const number_facts f = reader_.facts_of(t.value);
      const bool takes_high = (as_signed(t.coefficient, 64) > 0) == greatest;
      if (t.reading == number_reading::as_unsigned && f.most >> 63 != 0) {
        return std::nullopt;
      }
      const std::uint64_t end = t.reading == number_reading::as_signed
                                    ? static_cast<std::uint64_t>(takes_high ? f.high : f.low)
                                    : (takes_high ? f.most : f.least);
      const wrapping_result product = wrapping_mul(t.coefficient, end, 64);
      if (product.signed_wrap) {
        return std::nullopt;
      }
      sum = checked_sum(sum, static_cast<std::int64_t>(product.bits));
    }
    return sum;
  }

  /// The edge by which alone control comes from `source` to `target`, but for edges from what `target` dominates.
  edge_id only_edge(node_id source, node_id target) const {
    edge_id found_edge = no_edge;
    for (const edge_id e : p_.graph().in_edges(target)) {
      const node_id from = p_.graph().edge_source(e);
      if (!reader_.is_reachable(from) || tree_.dominates(target, from)) {
        continue;
      }
      if (from != source || found_edge != no_edge) {
        return no_edge;
      }
      found_edge = e;
    }
    return found_edge;
  }

  void narrow_by_branch(node_id n, edge_id e, const linear_form& form, integer_ends& out) const {
    bit_fact bit;
    bit_facts parts;
    if (conditions_.read_branch(n, e, bit) && conditions_.split_into(bit, true, parts)) { // all of them hold
      for (std::size_t i = 0; i != parts.size; ++i) {
        const value_comparison c = conditions_.comparison_of(parts.bits[i]);
        const bool is_order = c.code != operation::equal && c.code != operation::not_equal;
        if (!is_order || is_signed_order(c.code)) {
          narrow_by(c, number_reading::as_signed, form, out);
        }
        if (!is_order || !is_signed_order(c.code)) {
          narrow_by(c, number_reading::as_unsigned, form, out);
        }
      }
    }
  }

  void narrow_by(const value_comparison& c, number_reading r, const linear_form& form, integer_ends& out) const {
    linear_form a;
    linear_form b;
    linear_form apart;
    if (!reader_.read_operand(c.a, c.width, r, a) || !read_second(c, r, b) || !linear_difference(a, b, apart)) {
      return;
    }
    switch (signed_comparison(c.code)) {
    case operation::equal:
      return narrow(form, apart, {std::int64_t{0}, std::int64_t{0}}, out);
    case operation::not_equal:
      return step_over(form, apart, out);
    case operation::less:
      return narrow(form, apart, {std::nullopt, std::int64_t{-1}}, out);
    case operation::less_equal:
      return narrow(form, apart, {std::nullopt, std::int64_t{0}}, out);
    case operation::greater:
      return narrow(form, apart, {std::int64_t{1}, std::nullopt}, out);
    default:
      return narrow(form, apart, {std::int64_t{0}, std::nullopt}, out);
    }
  }

  bool read_second(const value_comparison& c, number_reading r, linear_form& out) const {
    if (c.b != no_value) {
      return reader_.read_operand(c.b, c.width, r, out);
    }
    out = linear_form::exact_zero();
    return value_form_reader::read_number(c.number, c.width, r, out);
  }

  /// `apart` is not 0: so `form` is not the number that it would be then. Then no bound is that number.
  static void step_over(const linear_form& form, const linear_form& apart, integer_ends& out) {
    integer_ends excluded;
    narrow(form, apart, {std::int64_t{0}, std::int64_t{0}}, excluded);
    if (!excluded.least) {
      return;
    }
    const std::int64_t number = *excluded.least;
    if (out.least && *out.least == number) {
      out.raise(checked_sum(number, std::int64_t{1}));
    }
    if (out.most && *out.most == number) {
      out.lower(checked_difference(number, std::int64_t{1}));
    }
  }

  const flat_program& p_;
  const loop_forest& loops_;
  const dominator_tree& tree_;
  const value_form_reader& reader_;
  condition_reader conditions_;
};

} // namespace detail

MIDEND_END_NAMESPACE
