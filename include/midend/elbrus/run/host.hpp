/// Host functions: functions that a program calls and does not contain.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/span.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A call of a host function. It may read and write the memory.
struct host_call {
  std::string_view callee; ///< without `@`
  span<const scalar> arguments;
  type result = type::none; ///< that the program expects
  memory& arrays;           ///< of the run
};

/// The result of such a call.
struct host_answer {
  enum class outcome : std::uint8_t {
    returned, ///< without a result
    result,   ///< with one: the low bits of `bits`; an `f80` as a literal
    unknown,  ///< there is no such function, or not with these arguments: a trap
    stopped,  ///< the function ends the run: a trap
  };

  outcome kind = outcome::unknown;
  std::uint64_t bits = 0;

  static constexpr host_answer done() { return {outcome::returned}; }

  static constexpr host_answer of(std::uint64_t bits) { return {outcome::result, bits}; }

  static constexpr host_answer unknown() { return {}; }

  static constexpr host_answer stop() { return {outcome::stopped}; }
};

/// All host functions in one. For runs to be comparable, its results must depend only on this call and earlier ones.
using host_functions = std::function<host_answer(const host_call&)>;

} // namespace elbrus

MIDEND_END_NAMESPACE
