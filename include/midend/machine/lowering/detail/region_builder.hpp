/// `region_builder`: appends values to a `program_region`. `region_bit`: a value of one bit, or a number of one bit.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A value of one bit, negated or not; without a value, the number `flip`. Every reader of a predicate can read it
/// negated.
struct region_bit {
  region_id node = no_region_value;
  bool flip = false;

  constexpr bool is_number() const { return node == no_region_value; }

  constexpr bool is(bool number) const { return is_number() && flip == number; }

  constexpr region_bit inverted() const { return {node, !flip}; }

  friend constexpr bool operator==(const region_bit&, const region_bit&) = default;
};

inline constexpr region_bit true_bit{no_region_value, true};
inline constexpr region_bit false_bit{no_region_value, false};

/// Appends values to a region, operands before their users. Shares conjunctions of bits and tests for the cases of
/// branches, which the program does not write as operations.
class region_builder {
public:
  constexpr void begin(program_region& out) {
    out_ = &out;
    out.clear();
    found_.clear();
  }

  /// Sets the value of the program for which the next values are made.
  constexpr void set_origin(std::uint32_t v) { origin_ = v; }

  constexpr program_region& region() const { return *out_; }

  /// Appends a value that has only a kind and a width.
  constexpr region_value& append(region_value_kind kind, std::uint8_t width) {
    region_value v{};
    v.kind = kind;
    v.cost = operation_class::move;
    v.is_free = true;
    v.info.width = v.info.operand_width = width;
    v.first_operand = static_cast<std::uint32_t>(out_->operands.size());
    v.access = no_region_value;
    v.guard = no_region_value;
    v.origin = origin_;
    out_->values.push_back(v);
    return out_->values.back();
  }

  constexpr region_id last() const { return static_cast<region_id>(out_->values.size() - 1); }

  constexpr region_operand constant(std::uint64_t bits, std::uint8_t width) {
    append(region_value_kind::constant, width).bits = bits;
    return {last(), 0};
  }

  /// Appends a pure operation with these operands.
  constexpr region_value& append_pure(const operation_info& info, span<const region_operand> operands) {
    region_value& v = append(region_value_kind::pure, info.width);
    v.info = info;
    v.info.flags = {};
    v.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const region_operand& o : operands) {
      out_->operands.push_back(o);
    }
    return v;
  }

  // Operands.

  constexpr bool is_number(const region_operand& o) const {
    return out_->values[o.node].kind == region_value_kind::constant;
  }

  /// Requires a number.
  constexpr std::uint64_t number(const region_operand& o) const { return out_->values[o.node].bits; }

  constexpr std::uint8_t width_of(const region_operand& o) const { return out_->values[o.node].info.width; }

  /// Whether this is a bit, or the wide result of a comparison.
  constexpr bool is_bit(const region_operand& o) const {
    const region_value& v = out_->values[o.node];
    return v.info.width == 1 || (v.kind == region_value_kind::pure && v.info.code == operation::zero_extend &&
                                 v.info.operand_width == 1 && o.addend == 0);
  }

  /// The bit of an operand for which `is_bit` holds.
  constexpr region_bit bit_in(const region_operand& o) const {
    const region_value& v = out_->values[o.node];
    return bit_of(v.info.width == 1 ? o : out_->operands[v.first_operand]);
  }

  // Bits.

  /// The bit as an operand; a number gets a value.
  constexpr region_operand operand(const region_bit& bit) {
    return bit.is_number() ? constant(bit.flip ? 1 : 0, 1) : region_operand{bit.node, bit.flip ? 1U : 0U};
  }

  constexpr region_bit bit_of(const region_operand& o) const {
    const region_value& v = out_->values[o.node];
    return v.kind == region_value_kind::constant ? region_bit{no_region_value, ((v.bits + o.addend) & 1) != 0}
                                                 : region_bit{o.node, (o.addend & 1) != 0};
  }

  constexpr region_bit conjunction(region_bit a, region_bit b) {
    if (a.is_number() || b.is_number()) {
      return a.is_number() ? (a.flip ? b : a) : (b.flip ? a : b);
    }
    if (a.node == b.node) {
      return a.flip == b.flip ? a : false_bit;
    }
    if (b.node < a.node) {
      swap_values(a, b);
    }
    const region_operand operands[] = {operand(a), operand(b)};
    return {find_or_append({operation::bit_and, 1, 1, {}}, operation_class::predicate_logic, operands), false};
  }

  /// Whether a value, which is wider than a bit, is a number.
  constexpr region_bit is_equal(const region_operand& value, std::uint64_t number, std::uint8_t width) {
    const region_value& v = out_->values[value.node];
    if (v.kind == region_value_kind::constant) {
      return {no_region_value, v.bits == number};
    }
    const region_operand operands[] = {value, constant(number, width)};
    return {find_or_append({operation::equal, 1, width, {}}, operation_class::compare, operands), false};
  }

  /// A value that chooses between two. `info` is of the result.
  constexpr region_operand select(region_bit bit, region_operand yes, region_operand no, std::uint8_t width,
                                  bool is_join) {
    if (bit.is_number() || yes == no) {
      return bit.flip || !bit.is_number() ? yes : no;
    }
    if (width == 1 && bit_of(yes).is_number() && bit_of(no).is_number()) {
      return bit_of(yes) == bit_of(no) ? yes : operand(bit_of(yes).flip ? bit : bit.inverted());
    }
    if (bit.flip) {
      swap_values(yes, no);
    }
    const region_operand operands[] = {{bit.node, 0}, yes, no};
    region_value& v = append_pure({operation::select, width, width, {}}, operands);
    v.cost = operation_class::merge;
    v.is_free = false;
    v.is_join = is_join;
    return {last(), 0};
  }

private:
  /// Equal numbers are one operand here, whichever value they are.
  constexpr bool is_same_operand(const region_operand& a, const region_operand& b) const {
    const region_value& x = out_->values[a.node];
    const region_value& y = out_->values[b.node];
    const bool are_numbers = x.kind == region_value_kind::constant && y.kind == region_value_kind::constant;
    return are_numbers ? x.bits == y.bits && x.info.width == y.info.width : a == b;
  }

  constexpr region_id find_or_append(const operation_info& info, operation_class cost,
                                     span<const region_operand> operands) {
    std::uint64_t hash = static_cast<std::uint64_t>(info.code) << 8 | info.operand_width;
    for (const region_operand& o : operands) {
      const region_value& v = out_->values[o.node];
      hash = mix_hash(hash, v.kind == region_value_kind::constant ? v.bits : std::uint64_t{o.node} << 32 ^ o.addend);
    }
    const auto fresh = static_cast<region_id>(out_->values.size());
    const region_id found = found_.find_or_insert(static_cast<std::uint32_t>(hash >> 32), fresh, [&](region_id n) {
      const auto others = out_->operands_of(n);
      bool same = out_->values[n].info == info && others.size() == operands.size();
      for (std::size_t i = 0; same && i != others.size(); ++i) {
        same = is_same_operand(others[i], operands[i]);
      }
      return same;
    });
    if (found == fresh) {
      region_value& v = append_pure(info, operands);
      v.cost = cost;
      v.is_free = false;
    }
    return found;
  }

  program_region* out_ = nullptr; ///< valid from `begin` until the region that is made goes out of scope
  hash_map<std::uint32_t> found_; ///< conjunctions and tests, by the high bits of their hash
  std::uint32_t origin_ = no_value;
};

} // namespace detail

MIDEND_END_NAMESPACE
