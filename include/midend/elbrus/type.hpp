/// Types of the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The type of a value. Integers wrap modulo 2^n; `i1` is a predicate.
enum class type : std::uint8_t { none, i1, i8, i16, i32, i64, f32, f64, ptr, f80 };

/// By type.
inline constexpr std::array<std::string_view, 10> type_names = {"none", "i1",  "i8",  "i16", "i32",
                                                                "i64",  "f32", "f64", "ptr", "f80"};

/// The name in text.
constexpr std::string_view name_of(type t) {
  return type_names[static_cast<std::size_t>(t)];
}

/// The type with this name. `none` is not found.
constexpr std::optional<type> type_named(std::string_view name) {
  for (std::size_t i = 1; i != type_names.size(); ++i) {
    if (type_names[i] == name) {
      return static_cast<type>(i);
    }
  }
  return std::nullopt;
}

/// `f32`, `f64` and `f80`.
constexpr bool is_float(type t) {
  return t == type::f32 || t == type::f64 || t == type::f80;
}

/// Integers, predicates and addresses.
constexpr bool is_integer(type t) {
  return t != type::none && !is_float(t);
}

/// The number of bits; 0 for `none`.
constexpr unsigned width_of(type t) {
  constexpr std::array<unsigned char, 10> widths = {0, 1, 8, 16, 32, 64, 32, 64, 64, 80};
  return widths[static_cast<std::size_t>(t)];
}

/// The number of bits of a literal: those of `f80` are numbers that `f64` has, and have its bits.
constexpr unsigned literal_width_of(type t) {
  return t == type::f80 ? 64 : width_of(t);
}

/// The number of bytes in memory; a predicate has one.
constexpr unsigned bytes_of(type t) {
  return t == type::i1 ? 1 : width_of(t) / 8;
}

/// Whether a value of type `from` can be an operand of type `to`: the same type, or `ptr` and `i64` in either order.
constexpr bool converts_freely(type from, type to) {
  return from == to || (from == type::ptr && to == type::i64) || (from == type::i64 && to == type::ptr);
}

} // namespace elbrus

MIDEND_END_NAMESPACE
