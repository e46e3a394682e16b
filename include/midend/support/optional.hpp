/// `optional<T>`: a value or none, like `std::optional<T>` but faster to compile.
///
/// A `std::optional<T>` is seven classes and some forty traits for each `T`, since `T` may be any type. This one holds
/// a `T` always, so `T` must have a default value; all else is left to the compiler.
///
/// The two convert into each other implicitly. Users may store what they get as a `std::optional`, and return one where
/// midend asks for this. Numbers and users' types are in `std::optional`.
#pragma once

#include "midend/config.hpp"

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Holds a `T` or nothing. Names are those of `std::optional`. Reading the value of nothing is a contract violation.
///
/// Requires: `T` can be made without a value. Without one, it is in that state, and owns what a `T` in that state owns.
template <class T> class optional {
public:
  using value_type = T;

  constexpr optional() = default;

  constexpr optional(std::nullopt_t) {}

  constexpr optional(T value) : value_(std::move(value)), has_value_(true) {}

  /// From a `std::optional`. A template, so that copies do not instantiate one.
  template <class U>
    requires std::same_as<U, T>
  constexpr optional(std::optional<U> other) : has_value_(other.has_value()) {
    if (has_value_) {
      value_ = *std::move(other);
    }
  }

  /// To a `std::optional`.
  template <class U>
    requires std::same_as<U, T>
  constexpr operator std::optional<U>() const {
    return has_value_ ? std::optional<U>(value_) : std::nullopt;
  }

  constexpr bool has_value() const { return has_value_; }

  constexpr explicit operator bool() const { return has_value_; }

  constexpr T& value() & {
    MIDEND_ASSERT(has_value_, "an optional that holds a value");
    return value_;
  }

  constexpr const T& value() const& {
    MIDEND_ASSERT(has_value_, "an optional that holds a value");
    return value_;
  }

  constexpr T&& value() && {
    MIDEND_ASSERT(has_value_, "an optional that holds a value");
    return std::move(value_);
  }

  constexpr T& operator*() & { return value(); }

  constexpr const T& operator*() const& { return value(); }

  constexpr T&& operator*() && { return std::move(*this).value(); }

  constexpr T* operator->() { return &value(); }

  constexpr const T* operator->() const { return &value(); }

  constexpr T value_or(T other) const { return has_value_ ? value_ : other; }

  constexpr void reset() { *this = optional(); }

  constexpr bool operator==(const optional& other) const {
    return has_value_ == other.has_value_ && (!has_value_ || value_ == other.value_);
  }

  constexpr bool operator==(std::nullopt_t) const { return !has_value_; }

  /// With a `std::optional`; without this, that one would compare its value with the whole of this.
  template <class U>
    requires std::same_as<U, T>
  friend constexpr bool operator==(const optional& a, const std::optional<U>& b) {
    return a.has_value_ == b.has_value() && (!a.has_value_ || a.value_ == *b);
  }

  template <class U>
    requires std::same_as<U, T>
  friend constexpr bool operator==(const std::optional<U>& a, const optional& b) {
    return b == a;
  }

private:
  T value_{};
  bool has_value_ = false;
};

namespace detail {

template <class T>
concept has_default_value = requires { T(); };

/// For a type of the user's, which may have no default value.
template <class T> using any_optional = std::conditional_t<has_default_value<T>, optional<T>, std::optional<T>>;

} // namespace detail

MIDEND_END_NAMESPACE
