/// `flat_domain`: constants, and the effect of operations on them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/lattices/flat.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/regular.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The result of an operation that a single operand determines: 0 times anything, 0 divided by anything, a comparison
/// with the least number. An unknown operand is null; others have zeros above the width that is read.
class deciding_operand {
public:
  constexpr deciding_operand(const operation_info& info, const std::uint64_t* a, const std::uint64_t* b)
      : info_(info), a_(a), b_(b), ones_(low_ones(is_comparison(info.code) ? info.operand_width : info.width)),
        highest_(ones_ / 2), lowest_(highest_ + 1) {}

  constexpr optional<std::uint64_t> result() const {
    switch (info_.code) {
    case operation::mul:
    case operation::bit_and:
    case operation::umin:
      return either(0, 0);
    case operation::bit_or:
    case operation::umax:
      return either(ones_, ones_);
    case operation::min:
      return either(lowest_, lowest_);
    case operation::max:
      return either(highest_, highest_);
    case operation::rem:
      return is(b_, ones_) ? optional<std::uint64_t>(0) : remainder_or_shift();
    case operation::sar:
      return is(a_, ones_) ? optional<std::uint64_t>(ones_) : remainder_or_shift();
    case operation::urem:
    case operation::div:
    case operation::udiv:
    case operation::shl:
    case operation::shr:
      return remainder_or_shift();
    default:
      return is_comparison(info_.code) ? comparison() : std::nullopt;
    }
  }

private:
  static constexpr bool is(const std::uint64_t* operand, std::uint64_t value) {
    return operand != nullptr && *operand == value;
  }

  constexpr optional<std::uint64_t> either(std::uint64_t operand, std::uint64_t result) const {
    return is(a_, operand) || is(b_, operand) ? optional(result) : std::nullopt;
  }

  /// 0 stays 0, and a remainder of 1 is 0.
  constexpr optional<std::uint64_t> remainder_or_shift() const {
    const bool divides_by_one = (info_.code == operation::rem || info_.code == operation::urem) && is(b_, 1);
    return is(a_, 0) || divides_by_one ? optional<std::uint64_t>(0) : std::nullopt;
  }

  /// Nothing is less than the least number, or greater than the greatest.
  constexpr optional<std::uint64_t> comparison() const {
    const operation_info mirrored_info{mirrored(info_.code), 1, info_.operand_width, {}};
    if (const auto decided = comparison(info_.code, b_)) {
      return decided;
    }
    return comparison(mirrored_info.code, a_);
  }

  /// The result of `x code bound` if it is the same for all x.
  constexpr optional<std::uint64_t> comparison(operation code, const std::uint64_t* bound) const {
    switch (code) {
    case operation::less:
      return is(bound, lowest_) ? optional<std::uint64_t>(0) : std::nullopt;
    case operation::less_equal:
      return is(bound, highest_) ? optional<std::uint64_t>(1) : std::nullopt;
    case operation::greater:
      return is(bound, highest_) ? optional<std::uint64_t>(0) : std::nullopt;
    case operation::greater_equal:
      return is(bound, lowest_) ? optional<std::uint64_t>(1) : std::nullopt;
    case operation::uless:
      return is(bound, 0) ? optional<std::uint64_t>(0) : std::nullopt;
    case operation::uless_equal:
      return is(bound, ones_) ? optional<std::uint64_t>(1) : std::nullopt;
    case operation::ugreater:
      return is(bound, ones_) ? optional<std::uint64_t>(0) : std::nullopt;
    case operation::ugreater_equal:
      return is(bound, 0) ? optional<std::uint64_t>(1) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  const operation_info& info_;
  const std::uint64_t* a_;
  const std::uint64_t* b_;
  std::uint64_t ones_;
  std::uint64_t highest_; ///< signed
  std::uint64_t lowest_;
};

} // namespace detail

/// Constant values of any type, compared by `==`. The domain of the classic algorithm.
///
/// If constants are 64-bit numbers it evaluates the whole vocabulary, and operations that a single operand determines
/// (x · 0, x | -1, x < the least number). For operations without flags on one or two operands of more than two bits, no
/// domain of constants can do better. A `select` with an unknown condition is the value that both arms share. An
/// operation without a result (x / 0) is bottom, "no value", and so never folded; top would not be monotone, because 0
/// divided by anything is 0. Constants of other types are evaluated only by the IR's `fold`.
template <detail::regular_type T = std::uint64_t> struct flat_domain : flat<T> {
  using constant_type = T;
  using element = typename flat<T>::element;

  static constexpr bool reads_any_width = true;

  using flat<T>::top;
  using flat<T>::constant;

  constexpr element top(unsigned) const { return flat<T>::top(); }

  constexpr element constant(unsigned, T value) const { return flat<T>::constant(std::move(value)); }

  constexpr std::optional<T> as_constant(const element& a) const {
    return a.is_constant() ? std::optional<T>(a.value) : std::nullopt;
  }

  constexpr element transfer(const operation_info& info, span<const element> args) const
    requires std::same_as<T, std::uint64_t>
  {
    if (info.code == operation::select) {
      return select(info.width, args);
    }
    std::size_t constants = 0;
    for (const element& a : args) {
      if (a.is_bottom()) {
        return this->bottom();
      }
      constants += a.is_constant() ? std::size_t{1} : 0;
    }
    if (constants == args.size()) {
      return *folded(*this, info, args);
    }
    if (is_modulo_shift(info.code)) {
      return detail::shift_modulo(*this, info, args[0], args[1]);
    }
    return constants == 1 && args.size() == 2 ? decided(info, args) : flat<T>::top();
  }

  /// For `equal`, both become the constant if one of them is; a contradiction makes both bottom.
  constexpr void assume(operation code, unsigned width, element& a, element& b) const
    requires std::same_as<T, std::uint64_t>
  {
    if (a.is_constant() && b.is_constant()) {
      if (!detail::comparison_holds(code, a.value, b.value, width)) {
        a = b = this->bottom();
      }
    } else if (code == operation::equal) {
      this->meet(a, b);
      b = a;
    }
  }

private:
  constexpr element select(unsigned width, span<const element> args) const {
    if (args[0].is_constant()) {
      return read(width, args[0].value != 0 ? args[1] : args[2]);
    }
    element either = this->bottom();
    if (args[0].is_top()) {
      either = read(width, args[1]);
      this->join(either, read(width, args[2]));
    }
    return either;
  }

  /// The low bits.
  static constexpr element read(unsigned width, const element& a) { return {a.kind, a.value & low_ones(width)}; }

  static constexpr element decided(const operation_info& info, span<const element> args) {
    const std::uint64_t read = low_ones(read_width(info));
    const std::uint64_t a = args[0].value & read;
    const std::uint64_t b = args[1].value & read; // harmless for shifts: their amount decides nothing
    const detail::deciding_operand operands(info, args[0].is_constant() ? &a : nullptr,
                                            args[1].is_constant() ? &b : nullptr);
    const optional<std::uint64_t> result = operands.result();
    return result ? flat<T>().constant(*result) : flat<T>().top();
  }
};

MIDEND_END_NAMESPACE
