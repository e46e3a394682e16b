/// `interpreter`: runs procedures of the Elbrus-like IR and traps where they have no meaning.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/run/detail/decoder.hpp"
#include "midend/elbrus/run/detail/machine.hpp"
#include "midend/elbrus/run/memory.hpp"
#include "midend/elbrus/run/run_result.hpp"
#include "midend/elbrus/scalar.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Runs procedures. It is deterministic as far as the host functions are: value, memory, trap, events and counts are
/// the same on every platform.
///
/// A run traps (`trap.hpp` has the list) where the operation it has come to has no meaning. A speculative operation
/// that would trap for its operands has a *diagnostic* value instead, and so has a speculative operation with a
/// diagnostic operand. `phi`, `mov`, `select` (of its two values) and a guarded operation that does not run (of what
/// stands behind the colon) pass such a value on; any other use traps. `undef` is such a value from the beginning. A
/// variable that was not written is one that cannot be passed on, either. Phis are simultaneous.
///
/// Calls of procedures of the program run in frames of the interpreter, not of the host, so that recursion is limited
/// by the options alone; all other calls go to the host functions.
///
/// Requires that `verify` finds no fault, and that the procedures stay where and what they are: each is turned into a
/// flat list of instructions when it is first called, which is kept for later runs.
/// Time: that of the operations, about 10 ns each, and O(size) for the first call of a procedure. Space: 56 bytes an
/// operation, 9 a value and frame.
class interpreter {
public:
  explicit interpreter(std::span<const procedure> procedures) : program_(procedures) {}

  explicit interpreter(const program& p) : interpreter(std::span(p.procedures)) {}

  /// The number of a procedure.
  std::optional<std::size_t> find(std::string_view name) const {
    const std::uint32_t number = program_.find(name);
    return number == detail::none ? std::nullopt : std::optional<std::size_t>(number);
  }

  /// Runs a procedure. Arguments that are not as many or of other types than its parameters are a `bad_call`.
  run_result run(std::size_t number, std::span<const scalar> arguments, memory arrays = {},
                 const run_options& options = {}) {
    run_result result;
    result.memory = std::move(arrays);
    const procedure& p = program_.source(static_cast<std::uint32_t>(number));
    if (!accepts(p, arguments)) {
      result.trap = trap{.kind = trap_kind::bad_call, .procedure = number};
      result.profile.resize(program_.size());
      return result;
    }
    detail::machine(program_, frames_, options, result).run(static_cast<std::uint32_t>(number), arguments);
    return result;
  }

private:
  static bool accepts(const procedure& p, std::span<const scalar> arguments) {
    if (arguments.size() != p.parameters().size()) {
      return false;
    }
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const type wanted = p.value(p.parameters()[i]).type;
      if (!converts_freely(arguments[i].type, wanted) || (arguments[i].bits & ~low_ones(width_of(wanted))) != 0) {
        return false;
      }
    }
    return true;
  }

  detail::decoded_program program_;
  detail::frame_stack frames_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
