/// `trap`: why and where a run ended early. `trap_text.hpp` has the words.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Why a run ended without a result.
enum class trap_kind : std::uint8_t {
  division_by_zero,   ///< or remainder
  division_overflow,  ///< the least number divided by -1, or its remainder
  shift_too_far,      ///< by the width or more
  broken_nsw,         ///< signed overflow against the promise
  bad_conversion,     ///< `ftoi` of NaN or of a number that does not fit
  bad_access,         ///< outside memory; `detail` is the address
  unwritten_variable, ///< read
  diagnostic_value,   ///< used by an operation that is not speculative
  undefined_value,    ///< `undef`, used by an operation that is not speculative
  unreachable,        ///< reached
  unknown_callee,     ///< neither in the program nor a host function
  bad_call,           ///< arguments or result differ from those of the callee
  returned,           ///< from a call that is `noreturn`
  host_stop,          ///< a host function ended the run
  step_limit,         ///< as many operations as allowed were executed
  call_depth,         ///< calls are nested deeper than allowed
  classes_meet,       ///< an alias class accesses bytes that another one accessed, one of them by a store;
                      ///< `detail` is the address, `other_class` the class of the earlier access
  unwritten_memory,   ///< read of bytes of a local array that were not written; `detail` is the address
};

/// Whether the trap is a limit of the run: without it the run would have continued.
constexpr bool is_limit(trap_kind kind) {
  return kind == trap_kind::step_limit || kind == trap_kind::call_depth;
}

/// Where and why a run ended. The operation was not executed.
struct trap {
  trap_kind kind = trap_kind::unreachable;
  std::size_t procedure = 0; ///< number in the program
  node_id node = no_node;
  value_id value = no_value; ///< the operation
  value_id operand =
      no_value; ///< for `unwritten_variable`, `diagnostic_value`, `undefined_value`: the operand at fault
  std::uint64_t detail = 0;
  std::uint32_t other_class = 0xffff'ffff; ///< for `classes_meet`: an alias class of the procedure
  bool is_local = false;                   ///< for `classes_meet`: both are local classes of a loop

  friend bool operator==(const trap&, const trap&) = default;
};

/// The kind in words.
constexpr std::string_view name_of(trap_kind kind) {
  constexpr std::array<std::string_view, 18> words = {
      "division by zero",
      "division of the least number by -1",
      "shift by the width or more",
      "signed overflow against nsw",
      "conversion of NaN or of a number out of range",
      "access outside memory",
      "read of a variable that was not written",
      "use of a diagnostic value",
      "use of an undefined value",
      "'unreachable' is reached",
      "unknown procedure",
      "call does not agree with the callee",
      "return from a call that is 'noreturn'",
      "a host function ended the run",
      "step limit",
      "calls are nested too deep",
      "alias classes that must not overlap do",
      "read of a local array that was not written",
  };
  return words[static_cast<std::size_t>(kind)];
}

} // namespace elbrus

MIDEND_END_NAMESPACE
