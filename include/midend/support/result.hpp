/// `result<T, E>`: a value or an error, for code that must not throw.
#pragma once

#include "midend/config.hpp"
#include "midend/support/optional.hpp"

#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Holds either a `T` or an `E`. The names are those of C++23's `std::expected`. Reading the alternative that it does
/// not hold is a contract violation.
template <class T, class E> class [[nodiscard]] result {
public:
  using value_type = T;
  using error_type = E;

  constexpr result(T value) : value_(std::move(value)) {}

  constexpr result(E error) : error_(std::move(error)) {}

  constexpr bool has_value() const { return value_.has_value(); }

  constexpr explicit operator bool() const { return has_value(); }

  constexpr T& value() & {
    MIDEND_ASSERT(has_value(), "a result that holds a value");
    return *value_;
  }

  constexpr const T& value() const& {
    MIDEND_ASSERT(has_value(), "a result that holds a value");
    return *value_;
  }

  constexpr T&& value() && {
    MIDEND_ASSERT(has_value(), "a result that holds a value");
    return std::move(*value_);
  }

  constexpr T& operator*() & { return value(); }

  constexpr const T& operator*() const& { return value(); }

  constexpr T&& operator*() && { return std::move(*this).value(); }

  constexpr T* operator->() { return &value(); }

  constexpr const T* operator->() const { return &value(); }

  constexpr const E& error() const {
    MIDEND_ASSERT(!has_value(), "a result that holds an error");
    return *error_;
  }

private:
  detail::any_optional<T> value_;
  detail::any_optional<E> error_;
};

MIDEND_END_NAMESPACE
