/// `followed_values`: which sums of evolutions the checker of final values finds, too.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `followed_values` knows of a value.
struct followed_value {
  std::uint8_t terms = 1; ///< at most so many has its polynomial
  std::uint8_t atoms = 1; ///< and at most so many has a term
  bool is_expanded = false;
  bool is_plain[3] = {true, true, true}; ///< by reading
};

/// Evolutions see more than a checker without facts: an `or` of values that have no bits in common is a sum, and a sum
/// may be known not to wrap, or be a number. The checker expands few operations, by their promises alone, and only into
/// small polynomials. A plan that needs more is refused with all its values. So this asks first, for all values:
/// 1. does the checker expand the operation;
/// 2. is the sum that evolutions see, in a reading, one that the checker sees.
///
/// Both answers may be no too often. O(values + operands).
class followed_values {
public:
  void run(const flat_program& p, const value_evolutions& found) {
    records_.assign(p.num_values(), {});
    depth_first_order_workspace searching;
    depth_first_numbering order;
    depth_first_order(p.graph(), searching, order);
    const span<const node_id> postorder = order.postorder();
    for (std::size_t i = postorder.size(); i-- != 0;) { // all that a value reads comes first, but by backedges
      for (const value_id v : p.values(postorder[i])) {
        define(p, found, v);
      }
    }
  }

  /// Whether the checker expands an operation in the values that it reads.
  bool is_expanded(value_id v) const { return records_[v].is_expanded; }

  /// Whether the checker knows all that evolutions know of a value that does not change.
  bool is_plain(value_id v, number_reading r) const { return records_[v].is_plain[static_cast<unsigned>(r)]; }

private:
  static constexpr std::uint32_t most_terms = 6; ///< of a polynomial
  static constexpr std::uint32_t most_atoms = 2; ///< of a term

  void define(const flat_program& p, const value_evolutions& found, value_id v) {
    followed_value& out = records_[v];
    if (p.constant(v)) {
      out.atoms = 0;
      return;
    }
    if (p.is_phi(v)) {
      measure_phi(p, v, out);
    } else {
      measure(p, v, out);
    }
    for (const number_reading r : number_readings) {
      out.is_plain[static_cast<unsigned>(r)] = is_seen(p, found, v, r);
    }
  }

  /// A phi is itself, or what all of its inputs are.
  void measure_phi(const flat_program& p, value_id v, followed_value& out) const {
    out.is_expanded = true;
    for (const value_id x : p.operands(v)) {
      if (x != no_value) {
        out.terms = records_[x].terms > out.terms ? records_[x].terms : out.terms;
        out.atoms = records_[x].atoms > out.atoms ? records_[x].atoms : out.atoms;
      }
    }
  }

  void measure(const flat_program& p, value_id v, followed_value& out) const {
    const operation_info info = p.operation(v);
    const span<const value_id> x = p.operands(v);
    if (info.code == operation::other || x.size() < arity(info.code)) {
      return;
    }
    std::uint32_t terms = 0;
    std::uint32_t atoms = 0;
    const auto add = [&](value_id of) {
      terms += records_[of].terms;
      atoms = records_[of].atoms > atoms ? records_[of].atoms : atoms;
    };
    switch (info.code) {
    case operation::bit_not:
      ++terms;
      add(x[0]);
      break;
    case operation::copy:
    case operation::neg:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      add(x[0]);
      break;
    case operation::add:
    case operation::sub:
      add(x[0]);
      add(x[1]);
      break;
    case operation::mul:
      terms = std::uint32_t{records_[x[0]].terms} * records_[x[1]].terms;
      atoms = std::uint32_t{records_[x[0]].atoms} + records_[x[1]].atoms;
      break;
    case operation::shl:
    case operation::shladd:
      add(x[0]);
      if (info.code == operation::shladd) {
        add(x[2]);
      }
      if (!p.constant(x[1])) {
        return;
      }
      break;
    default:
      return;
    }
    out.is_expanded = terms <= most_terms && atoms <= most_atoms;
    out.terms = static_cast<std::uint8_t>(out.is_expanded ? terms : most_terms);
    out.atoms = static_cast<std::uint8_t>(out.is_expanded ? atoms : most_atoms);
  }

  bool is_seen(const flat_program& p, const value_evolutions& found, value_id v, number_reading r) const {
    const linear_form form = found.form_of(v, r);
    if (form.num_terms == 1 && form.constant == 0 && form.terms[0].value == v && form.terms[0].coefficient == 1) {
      return true;
    }
    if (!records_[v].is_expanded || !keeps(p, v, r)) {
      return false;
    }
    const operation code = p.is_phi(v) ? operation::copy : p.operation(v).code;
    const number_reading of = code == operation::zero_extend   ? number_reading::as_unsigned
                              : code == operation::sign_extend ? number_reading::as_signed
                                                               : r;
    bool all_are_numbers = true;
    bool found_terms[linear_form::max_terms] = {};
    for (const value_id x : p.operands(v)) {
      if (x == no_value || !is_plain(x, of)) {
        return false;
      }
      const linear_form part = found.form_of(x, of);
      all_are_numbers = all_are_numbers && part.is_number();
      for (std::uint32_t i = 0; i != form.num_terms; ++i) {
        for (std::uint32_t k = 0; k != part.num_terms; ++k) {
          found_terms[i] =
              found_terms[i] ||
              (form.terms[i].value == part.terms[k].value &&
               (form.terms[i].reading == part.terms[k].reading || found.width(part.terms[k].value) >= form.width));
        }
      }
    }
    bool has_all = form.num_terms != 0 || all_are_numbers;
    for (std::uint32_t i = 0; i != form.num_terms; ++i) { // others come from a rule that the checker does not know
      has_all = has_all && found_terms[i];
    }
    return has_all;
  }

  /// Whether the checker knows, without facts, that the number which an operation computes is what it says.
  static bool keeps(const flat_program& p, value_id v, number_reading r) {
    if (p.is_phi(v) || r == number_reading::low_bits) {
      return true;
    }
    const operation_info info = p.operation(v);
    switch (info.code) {
    case operation::copy:
    case operation::bit_not:
    case operation::zero_extend:
      return true;
    case operation::sign_extend:
      return r == number_reading::as_signed;
    case operation::truncate:
      return false;
    default:
      return r == number_reading::as_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap;
    }
  }

  flat_array<followed_value> records_; ///< by value
};

} // namespace detail

MIDEND_END_NAMESPACE
