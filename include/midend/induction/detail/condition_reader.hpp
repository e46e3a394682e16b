/// `condition_reader`: splits the condition of a branch into comparisons. All of them must hold, or one.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A comparison of two values, or of a value with a number.
struct value_comparison {
  operation code = operation::other;
  unsigned width = 0;
  value_id a = no_value;
  value_id b = no_value; ///< `no_value`: `number`
  std::uint64_t number = 0;
};

/// A value that is 0 or 1, and the claim which one it is.
struct bit_fact {
  value_id bit = no_value;
  bool is_set = false;
};

/// Claims about bits: one of them must hold, or all.
struct bit_facts {
  static constexpr std::size_t most = 8;

  std::size_t size = 0;
  bit_fact bits[most] = {};
};

/// Takes conditions of a flat program apart.
class condition_reader {
public:
  explicit condition_reader(const flat_program& program) : p_(program) {}

  /// The claim about a bit that is equivalent to the branch of `n` taking edge `e`. False if the branch reads no bit.
  bool read_branch(node_id n, edge_id e, bit_fact& out) const {
    out.bit = p_.condition(n);
    if (out.bit == no_value || !is_bit(out.bit)) {
      return false;
    }
    out.is_set = edge_of_case(p_, n, std::uint64_t{1}) == e;
    return out.is_set != (edge_of_case(p_, n, std::uint64_t{0}) == e);
  }

  /// Splits a claim into parts: all must hold, or one. False if there are too many.
  bool split_into(const bit_fact& c, bool into_all, bit_facts& out) const {
    out.bits[0] = simplified(c);
    out.size = 1;
    for (std::size_t i = 0; i != out.size;) {
      bool is_all = false;
      bit_fact parts[2];
      if (!split(out.bits[i], is_all, parts) || is_all != into_all) {
        ++i;
        continue;
      }
      if (out.size == bit_facts::most) {
        return false;
      }
      out.bits[i] = simplified(parts[0]);
      out.bits[out.size++] = simplified(parts[1]);
    }
    return true;
  }

  /// The comparison that is equivalent to a claim about a bit.
  value_comparison comparison_of(const bit_fact& c) const {
    const operation_info info = p_.operation(c.bit);
    const span<const value_id> operands = p_.operands(c.bit);
    if (!p_.is_phi(c.bit) && !p_.constant(c.bit) && is_comparison(info.code) && operands.size() >= 2 &&
        operands[1] != no_value) {
      return {c.is_set ? info.code : negated(info.code), info.operand_width, operands[0], operands[1]};
    }
    return {c.is_set ? operation::not_equal : operation::equal, info.width, c.bit};
  }

private:
  std::optional<std::uint64_t> literal(value_id v) const { return v == no_value ? std::nullopt : p_.constant(v); }

  bool is_bit(value_id v) const {
    const operation_info info = p_.operation(v);
    const bool is_operation = !p_.is_phi(v) && !p_.constant(v);
    return info.width == 1 || (is_operation && is_comparison(info.code)) ||
           (is_operation && info.code == operation::zero_extend && info.operand_width == 1);
  }

  /// The bit whose zero or sign extension a value is; or `no_value`.
  value_id extended_bit(value_id v) const {
    if (v == no_value || p_.is_phi(v) || p_.constant(v)) {
      return no_value;
    }
    const operation_info info = p_.operation(v);
    const bool is_extended = info.code == operation::zero_extend || info.code == operation::sign_extend;
    return is_extended && info.operand_width == 1 ? p_.operands(v)[0] : no_value;
  }

  /// The claim without copies, extensions and negations.
  bit_fact simplified(bit_fact c) const {
    for (unsigned steps = 0; steps != 8 && !p_.is_phi(c.bit) && !p_.constant(c.bit); ++steps) {
      const operation_info info = p_.operation(c.bit);
      const span<const value_id> operands = p_.operands(c.bit);
      const bool is_first = operands.size() == 2 && literal(operands[0]).has_value();
      const bool has_number = is_first || (operands.size() == 2 && literal(operands[1]).has_value());
      std::uint64_t number = (has_number ? literal(operands[is_first ? 0 : 1]).value_or(0) : 0) &
                             low_ones(is_comparison(info.code) ? info.operand_width : info.width);
      value_id bit = operands.empty() ? no_value : operands[is_first ? 1 : 0];
      if (info.code == operation::truncate) {
        bit = info.width == 1 ? extended_bit(bit) : no_value;
      } else if (const value_id one = extended_bit(bit); // a value whose bits are all 0 or all 1
                 (info.code == operation::equal || info.code == operation::not_equal) && one != no_value &&
                 p_.operation(bit).code == operation::sign_extend) {
        number = number == low_ones(info.operand_width) ? 1 : number == 0 ? 0 : 2;
        bit = one;
      }
      const bit_change change = bit_change_of(info, has_number && number < 2 ? static_cast<unsigned>(number) : 2);
      if (change == bit_change::other || bit == no_value || !is_bit(bit)) {
        return c;
      }
      c = {bit, c.is_set != (change == bit_change::flipped)};
    }
    return c;
  }

  /// Splits a claim into two: `c` holds if both hold (`is_all`), or if one of them does. False if `c` has no such form.
  bool split(const bit_fact& c, bool& is_all, bit_fact (&out)[2]) const {
    const operation_info info = p_.operation(c.bit);
    if (p_.is_phi(c.bit) || p_.constant(c.bit) || info.width != 1) {
      return false;
    }
    const span<const value_id> operands = p_.operands(c.bit);
    bool is_and = info.code == operation::bit_and;
    if (is_and || info.code == operation::bit_or) {
      out[0] = {operands[0], c.is_set};
      out[1] = {operands[1], c.is_set};
    } else if (info.code == operation::select && operands[0] != no_value &&
               is_bit(operands[0])) { // one of its values is a number
      const bool is_first = literal(operands[1]).has_value();
      const auto number = literal(operands[is_first ? 1 : 2]);
      if (!number) {
        return false;
      }
      is_and = (*number & 1) == 0; // the bit equals the other value where this bit of the number is set
      out[0] = {operands[0], (is_first == is_and) != c.is_set};
      out[1] = {operands[is_first ? 2 : 1], c.is_set};
    } else {
      return false;
    }
    is_all = is_and == c.is_set;
    return out[0].bit != no_value && out[1].bit != no_value;
  }

  const flat_program& p_;
};

} // namespace detail

MIDEND_END_NAMESPACE
